//! The land as the champion weighs it: for each kind of thing that could be laid, what
//! each cell is worth to lie on, and what each edge towards a cell is worth. A building
//! is then worth the sum over its cells and its outline, wherever it may stand.
//!
//! Kept up to date cell by cell; what it must equal is a view made anew.

use quintain_grid::Cell;

use super::plan;
use super::weights::{BESIDE, Weights};
use crate::land::{Cells, Land};
use crate::rules::Ruleset;

/// Cells from one row of the maps to the next; lands have sides up to 64.
pub(super) const STRIDE: usize = 80;
/// Rows and columns before the first cell of the land, all of them outside.
const BEFORE: usize = 8;
const AREA: usize = STRIDE * 80;
/// What a cell is worth to lie on that is taken: four of them outweigh all else.
pub(super) const TAKEN: i16 = -7000;
/// Units of the maps to a point.
pub(super) const SCALE: f32 = 100.0;
const LIMIT: f32 = 3.0;

/// What can be laid, and has maps of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Residence,
    Factory,
    Road,
    Water,
    Park,
}

impl Kind {
    const ALL: [Kind; 5] = [Kind::Residence, Kind::Factory, Kind::Road, Kind::Water, Kind::Park];

    /// The kind whose weights it has.
    pub(super) fn weighed(self) -> usize {
        (self as usize).min(3)
    }
}

/// What is on a cell: the outside, one of the kinds, or nothing.
const OUTSIDE: u8 = 0;
const EMPTY: u8 = 6;
/// Codes of a cell: outside, the kinds, then empty cells by the number of neighbours
/// taken and what these are.
const CODES: usize = EMPTY as usize + 5 * 32;

/// How deep cells are told apart by their way to a road.
const DEPTHS: usize = 6;

/// A view of one land with one set of weights.
#[derive(Clone, PartialEq)]
pub(super) struct View {
    land: Land,
    scoring: Ruleset,
    what: Box<[u8; AREA]>,
    beside: Box<[[i16; AREA]; 5]>,
    on: Box<[[i16; AREA]; 5]>,
    /// The part of `on` that never changes.
    place: Box<[[i16; AREA]; 5]>,
    /// Cells by their way to a road, the nearest first.
    layers: [Cells; DEPTHS],
    worth: Box<[[i16; CODES]; 5]>,
    depth: [[i16; DEPTHS + 1]; 5],
}

/// The index of a cell in the maps; rows and columns may be a few before the land.
#[inline(always)]
pub(super) fn index(row: i32, col: i32) -> usize {
    ((row + BEFORE as i32) * STRIDE as i32 + col + BEFORE as i32) as usize
}

fn index_of(cell: Cell) -> usize {
    index(i32::from(cell.row), i32::from(cell.col))
}

fn scaled(value: f32) -> i16 {
    (value.clamp(-LIMIT, LIMIT) * SCALE).round() as i16
}

impl View {
    /// Of empty land.
    pub(super) fn new(side: usize, scoring: Ruleset, weights: &Weights) -> View {
        let land = Land::new(side);
        let mut view = View {
            land,
            scoring,
            what: Box::new([OUTSIDE; AREA]),
            beside: Box::new([[0; AREA]; 5]),
            on: Box::new([[TAKEN; AREA]; 5]),
            place: Box::new([[0; AREA]; 5]),
            layers: [Cells::EMPTY; DEPTHS],
            worth: Box::new([[0; CODES]; 5]),
            depth: Kind::ALL.map(|kind| {
                let whole = weights.on(kind.weighed(), 5);
                std::array::from_fn(|depth| scaled(whole * depth as f32 / DEPTHS as f32))
            }),
        };
        for kind in Kind::ALL {
            let worth = worth(weights, kind);
            view.beside[kind as usize].fill(worth[usize::from(OUTSIDE)]);
            view.worth[kind as usize] = worth;
        }
        for cell in land.empty().cells() {
            view.what[index_of(cell)] = EMPTY;
            let planned = plan::planned(weights, side, cell);
            for kind in Kind::ALL {
                let worth = scaled(place(weights, kind, side, cell, planned));
                view.place[kind as usize][index_of(cell)] = worth;
            }
        }
        view.layers = view.ways();
        for cell in land.empty().cells() {
            view.refresh(index_of(cell));
        }
        view
    }

    /// What each cell is worth to lie on.
    #[inline(always)]
    pub(super) fn on(&self, kind: Kind) -> &[i16; AREA] {
        &self.on[kind as usize]
    }

    /// What each edge towards a cell is worth.
    #[inline(always)]
    pub(super) fn beside(&self, kind: Kind) -> &[i16; AREA] {
        &self.beside[kind as usize]
    }

    /// The land seen.
    pub(super) fn land(&self) -> &Land {
        &self.land
    }

    /// Whose reading of the rules it was made for.
    pub(super) fn scoring(&self) -> Ruleset {
        self.scoring
    }

    /// Moves on to another land of the same side.
    pub(super) fn follow(&mut self, land: &Land) {
        let before = std::mem::replace(&mut self.land, *land);
        let pairs = [
            (*before.residences() ^ *land.residences(), *land.residences(), Kind::Residence),
            (*before.factories() ^ *land.factories(), *land.factories(), Kind::Factory),
            (*before.roads() ^ *land.roads(), *land.roads(), Kind::Road),
            (*before.water() ^ *land.water(), *land.water(), Kind::Water),
            (*before.park() ^ *land.park(), *land.park(), Kind::Park),
        ];
        let mut changed = Cells::EMPTY;
        // What was cleared first: another kind may stand there now.
        for (differ, now, _) in &pairs {
            let cleared = *differ - *now;
            cleared.cells().for_each(|cell| self.what[index_of(cell)] = EMPTY);
            changed = changed | *differ;
        }
        for (differ, now, kind) in &pairs {
            let laid = *differ & *now;
            laid.cells().for_each(|cell| self.what[index_of(cell)] = *kind as u8 + 1);
        }
        let layers = self.ways();
        for (old, new) in self.layers.iter().zip(&layers) {
            changed = changed | (*old ^ *new);
        }
        self.layers = layers;
        let around = changed | changed.neighbours();
        for cell in around.cells() {
            if land.has(cell) {
                self.refresh(index_of(cell));
            }
        }
    }

    /// Lays something on empty cells, for a trial.
    pub(super) fn lay(&mut self, kind: Kind, cells: &[Cell]) {
        self.set(kind as u8 + 1, cells);
    }

    /// Clears cells after a trial.
    pub(super) fn clear(&mut self, cells: &[Cell]) {
        self.set(EMPTY, cells);
    }

    fn set(&mut self, what: u8, cells: &[Cell]) {
        for &cell in cells {
            self.what[index_of(cell)] = what;
        }
        for &cell in cells {
            let at = index_of(cell);
            for around in [at, at - STRIDE, at - 1, at + 1, at + STRIDE] {
                self.refresh(around);
            }
        }
    }

    #[inline]
    fn refresh(&mut self, at: usize) {
        let what = self.what[at];
        if what == OUTSIDE {
            return;
        }
        let mut code = usize::from(what);
        if what == EMPTY {
            let mut taken = 0;
            let mut kinds = 0;
            for around in [at - STRIDE, at - 1, at + 1, at + STRIDE] {
                let what = self.what[around];
                taken += usize::from(what != EMPTY);
                kinds |= KINDS_BESIDE[usize::from(what)];
            }
            code += taken * 32 + usize::from(kinds);
        }
        let depth = if what == EMPTY { self.depth_at(at) } else { 0 };
        for kind in 0..5 {
            self.beside[kind][at] = self.worth[kind][code];
            self.on[kind][at] =
                if what == EMPTY { self.place[kind][at] + self.depth[kind][depth] } else { TAKEN };
        }
    }

    /// How far from a road an empty cell is.
    #[inline]
    fn depth_at(&self, at: usize) -> usize {
        let (row, col) = (at / STRIDE - BEFORE, at % STRIDE - BEFORE);
        let is_in = |layer: &Cells| layer.lanes()[row] >> col & 1 == 1;
        self.layers.iter().position(is_in).unwrap_or(DEPTHS)
    }

    /// The empty cells by their way to a road.
    fn ways(&self) -> [Cells; DEPTHS] {
        let land = &self.land;
        let rings = land.rings(self.scoring.rings_without_road());
        let mut free = *land.empty();
        let mut layer = (rings | land.roads().neighbours()) & free;
        std::array::from_fn(|_| {
            let this = layer;
            free = free - this;
            layer = this.neighbours() & free;
            this
        })
    }
}

/// Which kinds lie beside an empty cell, by what is there: the outside counts as road.
const KINDS_BESIDE: [u8; 7] = [1, 8, 16, 1, 2, 4, 0];

fn worth(weights: &Weights, kind: Kind) -> [i16; CODES] {
    let of = |what: usize| {
        // Ponds and fields share their weights: the own kind is “water”.
        let what = match (kind, what) {
            (Kind::Park, 2) => 3,
            (Kind::Park, 3) => 2,
            (Kind::Park, 11) => 12,
            (Kind::Park, 12) => 11,
            _ => what,
        };
        weights.beside(kind.weighed(), what)
    };
    let mut worth = [0; CODES];
    worth[usize::from(OUTSIDE)] = scaled(of(0));
    for (code, what) in [(1, 4), (2, 5), (3, 1), (4, 2), (5, 3)] {
        worth[code] = scaled(of(what));
    }
    for taken in 0..5 {
        for kinds in 0..32 {
            let mut sum = of(6 + taken.min(3));
            for bit in 0..5 {
                if kinds >> bit & 1 == 1 {
                    sum += of(10 + bit);
                }
            }
            worth[usize::from(EMPTY) + taken * 32 + kinds] = scaled(sum);
        }
    }
    debug_assert_eq!(BESIDE.len(), 15);
    worth
}

/// What a cell is worth by its place alone.
fn place(weights: &Weights, kind: Kind, side: usize, cell: Cell, planned: Option<Kind>) -> f32 {
    let on = |what: usize| weights.on(kind.weighed(), what);
    let (row, col, side) = (f32::from(cell.row), f32::from(cell.col), side as f32);
    let mut worth = on(2) * (row + col) / (2.0 * side);
    worth += on(3) * (row - col).abs() / side;
    worth += on(4) * row / side;
    let Some(planned) = planned else { return worth };
    worth += if planned == Kind::Road { on(6) } else { on(7) };
    if kind == planned && kind != Kind::Road {
        worth += weights.rest("slot");
    }
    worth
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::Form;
    use crate::land::neighbours;
    use proptest::prelude::*;
    use quintain_core::Rng;

    /// Some weights, all different.
    pub(in super::super) fn some_weights() -> Weights {
        let mut rng = Rng::from_seed(1);
        let mut weights = Weights([0.0; super::super::weights::COUNT]);
        weights.0.iter_mut().for_each(|weight| *weight = rng.unit() as f32 - 0.5);
        weights
    }

    /// Land with all kinds of things on about half of its cells.
    pub(in super::super) fn scattered(seed: u64, side: usize) -> Land {
        let mut rng = Rng::from_seed(seed);
        let mut land = Land::new(side);
        for cell in Land::new(side).empty().cells() {
            match rng.below(11) {
                0 => land.build(Form::factory(1, 1).unwrap(), cell),
                1 => land.settle(cell),
                2 => land.lay_road(cell),
                3 => land.lay_water(&[cell]),
                4 => land.lay_park(&[cell]),
                _ => {}
            }
        }
        land
    }

    proptest! {
        #[test]
        fn a_view_that_follows_is_the_view_made_anew(seed: u64, side in 5usize..=64) {
            let mut rng = Rng::from_seed(seed);
            let weights = some_weights();
            let mut view = View::new(side, Ruleset::Simulator, &weights);
            let mut land = Land::new(side);
            for _ in 0..8 {
                let cell = Cell::new(rng.below(side) as u8, rng.below(side) as u8);
                if !land.empty().contains(cell) {
                    continue;
                }
                match rng.below(5) {
                    0 => land.build(Form::factory(1, 1).unwrap(), cell),
                    1 => land.settle(cell),
                    2 => land.lay_road(cell),
                    3 => land.lay_water(&[cell]),
                    _ => land.lay_park(&[cell]),
                }
                view.follow(&land);
            }
            let mut anew = View::new(side, Ruleset::Simulator, &weights);
            anew.follow(&land);
            prop_assert!(view == anew);
            // A trial leaves nothing behind.
            let free: Vec<Cell> = land.empty().cells().take(3).collect();
            view.lay(Kind::Road, &free);
            view.clear(&free);
            prop_assert!(view == anew);
        }

        #[test]
        fn an_edge_is_worth_what_lies_beyond(seed: u64) {
            let weights = some_weights();
            let land = scattered(seed, 9);
            let mut view = View::new(9, Ruleset::Simulator, &weights);
            view.follow(&land);
            let names = super::super::weights::names();
            let weight = |name: &str| weights.0[names.iter().position(|n| n == name).unwrap()];
            for cell in Land::new(9).empty().cells() {
                let is = |at: Cell, cells: &Cells| land.has(at) && cells.contains(at);
                let kinds = [
                    ("residence", land.residences()),
                    ("factory", land.factories()),
                    ("road", land.roads()),
                    ("water", land.water()),
                    ("park", land.park()),
                ];
                let expected = match kinds.iter().find(|(_, cells)| is(cell, cells)) {
                    Some((name, _)) => weight(&format!("residence beside {name}")),
                    None => {
                        let around = neighbours(cell);
                        let taken = around.iter().filter(|at| !is(**at, land.empty())).count();
                        let mut sum =
                            weight(&format!("residence beside empty-{}", taken.min(3)));
                        for (name, cells) in kinds {
                            let by_outside =
                                name == "road" && around.iter().any(|at| !land.has(*at));
                            if by_outside || around.iter().any(|at| is(*at, cells)) {
                                sum += weight(&format!("residence beside empty-by-{name}"));
                            }
                        }
                        sum
                    }
                };
                prop_assert_eq!(view.beside(Kind::Residence)[index_of(cell)], scaled(expected));
            }
        }
    }
}
