//! The board as the champion evaluates it: for each kind of thing that could be laid, the worth of
//! covering each cell, and the worth of each edge towards a cell. A building is then worth the sum
//! over its cells and its outline, wherever it may stand.
//!
//! For each kind there are maps over the cells: [`View::on`], the worth of covering a cell, and
//! [`View::edge_values`], the worth of having a cell beyond one's edge, by the direction that the
//! edge faces. The maps depend on the board only through the cell and its four neighbours, the
//! distance to a road, and the gap: how many cells are empty straight on, and what comes then. So a
//! move changes few entries: the view is updated cell by cell, and a test compares it with one
//! built from scratch. Values are whole hundredths of a point, 16 bits wide, so that many
//! placements are summed at a time.
//!
//! The maps have a margin around the board, so that outlines and windows that extend beyond its
//! edge need no check.

use std::ops::Range;

use quintain_grid::Cell;
use wide::i16x8;

use super::kind::Kind;
use super::plan::{self, Planned, Slots};
use super::weights::{BESIDE, ENDS, LONGEST_GAP, Weights};
use crate::rules::board::{Board, Cells};
use crate::rules::state::Ruleset;

/// Cells from one row of the maps to the next; boards have sides up to 64.
pub(super) const STRIDE: usize = 80;
/// From a cell to its neighbours, in the order of the directions that edges face.
pub(super) const STEPS: [isize; 4] = [-(STRIDE as isize), 1, STRIDE as isize, -1];
/// Rows and columns before the first cell of the board; all of their cells are outside.
const BEFORE: usize = 8;
/// The cells of a map.
pub(super) const AREA: usize = STRIDE * 80;
/// The worth of covering a cell that is taken. Four of these must fit in 16 bits, and a single one
/// must outweigh anything else that a patch can gain.
pub(super) const TAKEN: i16 = -7000;
/// Units of the maps per point.
pub(super) const SCALE: f32 = 100.0;
/// The greatest weight of one cell or edge, in points; sums over a building must fit in 16 bits.
const LIMIT: f32 = 3.0;

/// The same in units.
const MAX_VALUE: i16 = (LIMIT * SCALE) as i16;

/// The worth, in points, of covering a cell that a strict plan uses for something else.
const OFF_PLAN: f32 = -2.0;

/// The content of a cell: the outside, one of the kinds, or nothing.
const OUTSIDE: u8 = 0;
const EMPTY: u8 = 6;
/// The number of codes that describe a cell to its neighbours: the outside, the kinds, then for
/// empty cells the number of neighbours taken (0 to 4) times the set of kinds among them (5 bits).
/// `beside` is a table lookup by this code.
const CODES: usize = EMPTY as usize + 5 * 32;

/// All kinds, and those that are laid along with a building.
const ALL_KINDS: Range<usize> = 0..5;
const LAID_ALONG: Range<usize> = Kind::Road as usize..5;

/// A value for each kind; the lanes after the last kind mean nothing.
type ByKind = i16x8;

/// A value for each kind, computed one by one.
fn by_kind(value: impl Fn(Kind) -> i16) -> ByKind {
    let mut lanes = [0; ByKind::LANES as usize];
    Kind::ALL.iter().zip(&mut lanes).for_each(|(&kind, lane)| *lane = value(kind));
    ByKind::new(lanes)
}

/// The distances to a road that the weights distinguish; all farther cells count alike.
const DEPTHS: usize = 6;

/// A view of one board with one set of weights.
#[derive(Clone, PartialEq)]
pub(super) struct View {
    board: Board,
    scoring: Ruleset,
    /// The content of each cell: `OUTSIDE`, a kind plus one, or `EMPTY`.
    what: Box<[u8; AREA]>,
    /// What each cell shows to its neighbours (see [`CODES`]).
    code: Box<[u8; AREA]>,
    /// For each kind the worth of an edge towards a cell: for each direction that the edge faces,
    /// or one map for all if gaps do not count.
    beside: Vec<[[i16; AREA]; 5]>,
    on: Box<[[i16; AREA]; 5]>,
    /// The part of `on` that never changes.
    place: Box<[ByKind; AREA]>,
    /// Cells by their distance to a road, the nearest first.
    layers: [Cells; DEPTHS],
    /// The worth of an edge towards a cell of each code.
    worth: Box<[ByKind; CODES]>,
    /// The worth of an edge towards a gap, by what it ends at and how long it is (from 1 on).
    gap: [[ByKind; LONGEST_GAP]; ENDS.len()],
    /// The worth of lying at each distance from a road.
    depth: [ByKind; DEPTHS + 1],
    /// Where buildings are to stand, if the weights have a plan that says so.
    slots: Option<Box<Slots>>,
}

/// The index of a cell in the maps; rows and columns may be a few before the board.
#[inline(always)]
pub(super) fn index(row: i32, col: i32) -> usize {
    ((row + BEFORE as i32) * STRIDE as i32 + col + BEFORE as i32) as usize
}

fn index_of(cell: Cell) -> usize {
    index(i32::from(cell.row), i32::from(cell.col))
}

fn to_units(value: f32) -> i16 {
    (value.clamp(-LIMIT, LIMIT) * SCALE).round() as i16
}

impl View {
    /// A view of an empty board.
    pub(super) fn new(side: usize, scoring: Ruleset, weights: &Weights) -> View {
        let board = Board::new(side);
        let mut view = View {
            board,
            scoring,
            what: Box::new([OUTSIDE; AREA]),
            code: Box::new([OUTSIDE; AREA]),
            beside: Vec::new(),
            on: Box::new([[TAKEN; AREA]; 5]),
            place: Box::new([ByKind::ZERO; AREA]),
            layers: [Cells::EMPTY; DEPTHS],
            worth: worth(weights),
            gap: std::array::from_fn(|end| {
                std::array::from_fn(|length| {
                    by_kind(|kind| to_units(weights.gap(kind.weight_index(), end, length + 1)))
                })
            }),
            depth: std::array::from_fn(|depth| {
                by_kind(|kind| {
                    let whole = weights.on(kind.weight_index(), 5);
                    to_units(whole * depth as f32 / DEPTHS as f32)
                })
            }),
            slots: Slots::new(weights, side),
        };
        let outside = view.worth[usize::from(OUTSIDE)].to_array();
        let directions = if weights.has_gaps() { STEPS.len() } else { 1 };
        view.beside = vec![Kind::ALL.map(|kind| [outside[kind as usize]; AREA]); directions];
        for cell in board.empty().cells() {
            view.what[index_of(cell)] = EMPTY;
            let planned = plan::use_at(weights, side, cell);
            view.place[index_of(cell)] =
                by_kind(|kind| to_units(place(weights, kind, side, cell, planned)));
        }
        view.layers = view.layers_from_roads();
        for cell in board.empty().cells() {
            view.refresh_on(index_of(cell), ALL_KINDS);
            view.refresh_edges(index_of(cell), ALL_KINDS);
        }
        view
    }

    /// The worth of covering each cell.
    #[inline(always)]
    pub(super) fn on(&self, kind: Kind) -> &[i16; AREA] {
        &self.on[kind as usize]
    }

    /// The worth of each edge towards a cell, for the edges that face north, east, south and west.
    #[inline(always)]
    pub(super) fn edge_values(&self, kind: Kind) -> [&[i16; AREA]; 4] {
        let last = self.beside.len() - 1;
        std::array::from_fn(|direction| &self.beside[direction.min(last)][kind as usize])
    }

    /// The board that it shows.
    pub(super) fn board(&self) -> &Board {
        &self.board
    }

    /// Where buildings are to stand, if a plan says so.
    pub(super) fn slots(&self) -> Option<&Slots> {
        self.slots.as_deref()
    }

    /// The reading of the rules that it was made for.
    pub(super) fn scoring(&self) -> Ruleset {
        self.scoring
    }

    /// Updates the view to another board of the same side.
    pub(super) fn follow(&mut self, board: &Board) {
        let before = std::mem::replace(&mut self.board, *board);
        let pairs = [
            (*before.residences() ^ *board.residences(), *board.residences(), Kind::Residence),
            (*before.factories() ^ *board.factories(), *board.factories(), Kind::Factory),
            (*before.roads() ^ *board.roads(), *board.roads(), Kind::Road),
            (*before.water() ^ *board.water(), *board.water(), Kind::Water),
            (*before.park() ^ *board.park(), *board.park(), Kind::Park),
        ];
        let mut changed = Cells::EMPTY;
        // Cells that were cleared come first: another kind may stand there now.
        for (differ, now, _) in &pairs {
            let cleared = *differ - *now;
            cleared.cells().for_each(|cell| self.what[index_of(cell)] = EMPTY);
            changed = changed | *differ;
        }
        for (differ, now, kind) in &pairs {
            let laid = *differ & *now;
            laid.cells().for_each(|cell| self.what[index_of(cell)] = *kind as u8 + 1);
        }
        // A new road, or a building across a path, changes distances far away.
        let layers = self.layers_from_roads();
        let mut moved = changed;
        for (old, new) in self.layers.iter().zip(&layers) {
            moved = moved | (*old ^ *new);
        }
        self.layers = layers;
        moved.cells().for_each(|cell| self.refresh_on(index_of(cell), ALL_KINDS));
        let around = changed | (changed.neighbours() & *board.empty());
        around.cells().for_each(|cell| self.refresh_edges(index_of(cell), ALL_KINDS));
        if self.beside.len() > 1 {
            for cell in changed.cells() {
                (0..STEPS.len()).for_each(|direction| self.refresh_gaps(index_of(cell), direction));
            }
        }
    }

    /// Lays something on empty cells, for a trial, so that roads, ponds and fields evaluated later
    /// see it. Distances to roads and gaps that begin further away are not updated: a trial hardly
    /// needs them.
    pub(super) fn lay(&mut self, kind: Kind, cells: &[Cell]) {
        self.set(kind as u8 + 1, &[cells]);
    }

    /// Clears all that was laid for a trial.
    pub(super) fn clear(&mut self, laid: &[&[Cell]]) {
        self.set(EMPTY, laid);
    }

    fn set(&mut self, what: u8, laid: &[&[Cell]]) {
        let laid = || laid.iter().copied().flatten();
        let mut changed = Cells::EMPTY;
        let (mut first, mut last) = (usize::MAX, 0);
        for &cell in laid() {
            self.what[index_of(cell)] = what;
            changed.insert(cell);
            (first, last) = (first.min(cell.row.into()), last.max(cell.row.into()));
        }
        laid().for_each(|&cell| self.refresh_on(index_of(cell), LAID_ALONG));
        let lane = |row: usize| changed.lanes().get(row).copied().unwrap_or(0);
        for row in first.saturating_sub(1)..last + 2 {
            let here = lane(row);
            let above = if row > 0 { lane(row - 1) } else { 0 };
            let mut around = here | here << 1 | here >> 1 | above | lane(row + 1);
            while around != 0 {
                let col = around.trailing_zeros();
                around &= around - 1;
                let at = index(row as i32, col as i32);
                // What is taken shows the same whatever lies around it.
                if self.what[at] == EMPTY || here >> col & 1 == 1 {
                    self.refresh_edges(at, LAID_ALONG);
                }
            }
        }
    }

    /// Computes the worth of covering a cell, by its content and its distance to a road.
    #[inline]
    fn refresh_on(&mut self, at: usize, kinds: Range<usize>) {
        let worth = match self.what[at] {
            EMPTY => self.place[at] + self.depth[self.depth_at(at)],
            _ => ByKind::splat(TAKEN),
        };
        let worth = worth.to_array();
        kinds.for_each(|kind| self.on[kind][at] = worth[kind]);
    }

    /// Computes the worth of edges towards a cell, by its content and its surroundings.
    #[inline]
    fn refresh_edges(&mut self, at: usize, kinds: Range<usize>) {
        let what = self.what[at];
        let mut code = usize::from(what);
        if what == EMPTY {
            let mut taken = 0;
            let mut beside = 0;
            for step in STEPS {
                let what = self.what[at.wrapping_add_signed(step)];
                taken += usize::from(what != EMPTY);
                beside |= KINDS_BESIDE[usize::from(what)];
            }
            code += taken * 32 + usize::from(beside);
        }
        self.code[at] = code as u8;
        for direction in 0..self.beside.len() {
            let gap = match what == EMPTY && self.beside.len() > 1 {
                true => self.gap_from(at, direction),
                false => None,
            };
            self.refresh_edge(at, direction, gap, kinds.clone());
        }
    }

    /// Computes the worth of edges towards the empty cells in line with a cell that was changed:
    /// they face the gap that it ends or no longer ends.
    #[inline]
    fn refresh_gaps(&mut self, at: usize, direction: usize) {
        let ending = match self.what[at] {
            EMPTY => self.gap_from(at, direction),
            what => Some((end_of(what), 0)),
        };
        let mut before = at;
        for more in 1..=LONGEST_GAP {
            before = before.wrapping_add_signed(-STEPS[direction]);
            if self.what[before] != EMPTY {
                break;
            }
            let gap = ending.map(|(end, length)| (end, length + more));
            let gap = gap.filter(|(_, length)| *length <= LONGEST_GAP);
            self.refresh_edge(before, direction, gap, ALL_KINDS);
        }
    }

    /// Computes the worth of the edges towards a cell that face one direction.
    #[inline]
    fn refresh_edge(
        &mut self,
        at: usize,
        direction: usize,
        gap: Option<(usize, usize)>,
        kinds: Range<usize>,
    ) {
        let mut worth = self.worth[usize::from(self.code[at])];
        if let Some((end, length)) = gap {
            worth += self.gap[end][length - 1];
        }
        let worth = worth.max(ByKind::splat(-MAX_VALUE)).min(ByKind::splat(MAX_VALUE)).to_array();
        let maps = &mut self.beside[direction];
        kinds.for_each(|kind| maps[kind][at] = worth[kind]);
    }

    /// The gap that begins at an empty cell: what it ends at, and its length; nothing if it is
    /// longer than counts.
    #[inline]
    fn gap_from(&self, at: usize, direction: usize) -> Option<(usize, usize)> {
        let mut beyond = at;
        for length in 1..=LONGEST_GAP {
            beyond = beyond.wrapping_add_signed(STEPS[direction]);
            if self.what[beyond] != EMPTY {
                return Some((end_of(self.what[beyond]), length));
            }
        }
        None
    }

    /// The distance of an empty cell from a road.
    #[inline]
    fn depth_at(&self, at: usize) -> usize {
        let (row, col) = (at / STRIDE - BEFORE, at % STRIDE - BEFORE);
        let is_in = |layer: &Cells| layer.lanes()[row] >> col & 1 == 1;
        self.layers.iter().position(is_in).unwrap_or(DEPTHS)
    }

    /// The empty cells by their distance to a road.
    fn layers_from_roads(&self) -> [Cells; DEPTHS] {
        let board = &self.board;
        let rings = board.rings(self.scoring.rings_without_road());
        let mut free = *board.empty();
        let mut layer = (rings | board.roads().neighbours()) & free;
        std::array::from_fn(|_| {
            let this = layer;
            free = free - this;
            layer = this.neighbours() & free;
            this
        })
    }
}

/// What a gap ends at, by the content of the cell there, as a number in [`ENDS`]. A ring road runs
/// around the board.
#[inline(always)]
fn end_of(what: u8) -> usize {
    const ENDS_AT: [u8; 6] = [0, 2, 2, 0, 1, 1];
    usize::from(ENDS_AT[usize::from(what)])
}

/// For each content of a cell, its bit in the set of kinds beside an empty cell. The outside counts
/// as road, since a ring road runs around the board.
const KINDS_BESIDE: [u8; 7] = [1, 8, 16, 1, 2, 4, 0];

/// For a cell of each code, the worth of an edge towards it.
fn worth(weights: &Weights) -> Box<[ByKind; CODES]> {
    let of = |kind: Kind, what: usize| {
        // Ponds and fields share their weights, in which their own kind is called “water”.
        let what = match (kind, what) {
            (Kind::Park, 2) => 3,
            (Kind::Park, 3) => 2,
            (Kind::Park, 11) => 12,
            (Kind::Park, 12) => 11,
            _ => what,
        };
        weights.edge(kind.weight_index(), what)
    };
    let mut worth = Box::new([ByKind::ZERO; CODES]);
    worth[usize::from(OUTSIDE)] = by_kind(|kind| to_units(of(kind, 0)));
    for (code, what) in [(1, 4), (2, 5), (3, 1), (4, 2), (5, 3)] {
        worth[code] = by_kind(|kind| to_units(of(kind, what)));
    }
    for taken in 0..5 {
        for kinds in 0..32 {
            worth[usize::from(EMPTY) + taken * 32 + kinds] = by_kind(|kind| {
                // Three and four taken neighbours share a weight: hardly anything will fill such a
                // cell.
                let mut sum = of(kind, 6 + taken.min(3));
                for bit in 0..5 {
                    if kinds >> bit & 1 == 1 {
                        sum += of(kind, 10 + bit);
                    }
                }
                to_units(sum)
            });
        }
    }
    debug_assert_eq!(BESIDE.len(), 15);
    worth
}

/// The worth of a cell by its place alone.
fn place(weights: &Weights, kind: Kind, side: usize, cell: Cell, planned: Planned) -> f32 {
    let on = |what: usize| weights.on(kind.weight_index(), what);
    let (row, col, side) = (f32::from(cell.row), f32::from(cell.col), side as f32);
    let mut worth = on(2) * (row + col) / (2.0 * side);
    worth += on(3) * (row - col).abs() / side;
    worth += on(4) * row / side;
    let is_building = matches!(kind, Kind::Residence | Kind::Factory);
    match planned {
        Planned::Open => worth,
        Planned::Lay(planned) => {
            worth += if planned == Kind::Road { on(6) } else { on(7) };
            if kind == planned && kind != Kind::Road {
                worth += weights.rest("slot");
            }
            if kind != planned && plan::is_strict(weights) {
                worth += OFF_PLAN;
            }
            worth
        }
        _ if is_building && planned != Planned::Hole => worth,
        _ => worth + OFF_PLAN,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::Piece;
    use crate::rules::board::{neighbours, scatter};
    use proptest::prelude::*;
    use quintain_core::Rng;

    /// Some weights, all different.
    pub(in super::super) fn some_weights() -> Weights {
        let mut rng = Rng::from_seed(1);
        let mut weights = Weights([0.0; super::super::weights::COUNT]);
        weights.0.iter_mut().for_each(|weight| *weight = rng.unit() as f32 - 0.5);
        weights
    }

    proptest! {
        #[test]
        fn an_updated_view_equals_a_fresh_one(seed: u64, side in 5usize..=64) {
            let mut rng = Rng::from_seed(seed);
            let weights = some_weights();
            let mut view = View::new(side, Ruleset::Simulator, &weights);
            let mut board = Board::new(side);
            for _ in 0..8 {
                let cell = Cell::new(rng.below(side) as u8, rng.below(side) as u8);
                if !board.empty().contains(cell) {
                    continue;
                }
                match rng.below(5) {
                    0 => board.build(Piece::factory(1, 1).unwrap(), cell),
                    1 => board.set_residence(cell),
                    2 => board.lay_road(cell),
                    3 => board.lay_water(&[cell]),
                    _ => board.lay_park(&[cell]),
                }
                view.follow(&board);
            }
            let mut anew = View::new(side, Ruleset::Simulator, &weights);
            anew.follow(&board);
            prop_assert!(view == anew);
            // A trial leaves nothing behind.
            let free: Vec<Cell> = board.empty().cells().take(3).collect();
            view.lay(Kind::Road, &free);
            view.clear(&[&free]);
            prop_assert!(view == anew);
        }

        #[test]
        fn an_edge_is_worth_what_lies_beyond(seed: u64) {
            let weights = some_weights();
            let board = scatter(seed, 9);
            let mut view = View::new(9, Ruleset::Simulator, &weights);
            view.follow(&board);
            let names = super::super::weights::names();
            let weight = |name: &str| weights.0[names.iter().position(|n| n == name).unwrap()];
            for cell in Board::new(9).empty().cells() {
                let is = |at: Cell, cells: &Cells| board.has(at) && cells.contains(at);
                let kinds = [
                    ("residence", board.residences()),
                    ("factory", board.factories()),
                    ("road", board.roads()),
                    ("water", board.water()),
                    ("park", board.park()),
                ];
                let expected = match kinds.iter().find(|(_, cells)| is(cell, cells)) {
                    Some((name, _)) => weight(&format!("residence beside {name}")),
                    None => {
                        let around = neighbours(cell);
                        let taken = around.iter().filter(|at| !is(**at, board.empty())).count();
                        let mut sum =
                            weight(&format!("residence beside empty-{}", taken.min(3)));
                        for (name, cells) in kinds {
                            let by_outside =
                                name == "road" && around.iter().any(|at| !board.has(*at));
                            if by_outside || around.iter().any(|at| is(*at, cells)) {
                                sum += weight(&format!("residence beside empty-by-{name}"));
                            }
                        }
                        sum
                    }
                };
                let ways = [(-1, 0), (0, 1), (1, 0), (0, -1)];
                let values = view.edge_values(Kind::Residence);
                for ((down, right), values) in ways.into_iter().zip(values) {
                    let mut gap = 0.0;
                    if is(cell, board.empty()) {
                        let at = |steps: i16| {
                            let (row, col) = (i16::from(cell.row), i16::from(cell.col));
                            Cell::new((row + down * steps) as u8, (col + right * steps) as u8)
                        };
                        let length = (1..).find(|&steps| !is(at(steps), board.empty())).unwrap();
                        let is_end = |(_, cells): &&(&str, &Cells)| is(at(length), cells);
                        let end = match kinds.iter().find(is_end).map(|(name, _)| *name) {
                            None | Some("road") => "road",
                            Some("water" | "park") => "water",
                            _ => "building",
                        };
                        if length <= LONGEST_GAP as i16 {
                            gap = weight(&format!("residence gap {end}-{length}"));
                        }
                    }
                    let sum = to_units(expected) + to_units(gap);
                    prop_assert_eq!(values[index_of(cell)], sum.clamp(-MAX_VALUE, MAX_VALUE));
                }
            }
        }
    }
}
