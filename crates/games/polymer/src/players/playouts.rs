//! A partial walk with the playouts of the slides “CS5330 Randomized Algorithm Project”: random
//! continuations that check at each step whether there is room for the rest. The slides' agent
//! ([`crate::players::uct`]) and both nested searches use them.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use quintain_core::{Meter, Rng, choices, parameters};
use quintain_search::ensemble::Choice;
use quintain_search::solitaire::Solitaire;

use crate::players::free_cells::FreeCells;
use crate::players::solver::SolverInput;
use crate::rules::instance::Instance;

choices! {
    /// How steps are checked for leaving room.
    pub enum Reach {
        /// Not at all.
        Off = "off",
        /// By counting reachable cells, as the slides do.
        Count = "count",
        /// By counting reachable cells of each colour.
        Colours = "colours",
    }
}

choices! {
    /// Iterations of each tree with r monomers left.
    pub enum Preset {
        /// What the slides took for the torus's size.
        Auto = "auto",
        /// 10 r + r².
        Course8 = "course8",
        /// 5 r + r^1.5.
        Course16 = "course16",
        /// min(300, 4 + r^1.5).
        Course64 = "course64",
    }
}

impl Preset {
    /// The iterations of each tree with `left` monomers to come.
    pub fn iterations(self, instance: &Instance, left: usize) -> u64 {
        let r = left as f64;
        let cells = instance.torus().cells();
        let wanted = match self {
            Preset::Course8 => 10.0 * r + r * r,
            Preset::Course16 => 5.0 * r + r.powf(1.5),
            Preset::Course64 => (4.0 + r.powf(1.5)).min(300.0),
            Preset::Auto if cells <= 64 => return Preset::Course8.iterations(instance, left),
            Preset::Auto if cells <= 256 => return Preset::Course16.iterations(instance, left),
            Preset::Auto => return Preset::Course64.iterations(instance, left),
        };
        wanted as u64
    }
}

parameters! {
    /// The slides' agent; every feature is a switch, and the defaults are the slides' own.
    #[derive(Copy)]
    pub struct UctOptions {
        /// Trees that vote for each step.
        ensemble: usize = 5, in 1..=1_000;
        /// Which step a tree votes for: the most tried or the best on average.
        vote: Choice = Choice::Visits;
        /// The exploration constant c of the upper confidence bound.
        exploration: f64 = 0.2, in 0.0..=100.0;
        /// Weight of the next-step partial score.
        partial: f64 = 0.1, in 0.0..=100.0;
        /// Whether the partial score is normalised by the norm so far, so that it fades.
        fading: bool = true;
        /// Whether scores are scaled to the range from 0 to 1.
        normalised: bool = true;
        /// How steps are checked for leaving room.
        reach: Reach = Reach::Count;
        /// The most playouts tried until one does not end in a dead end.
        tries: u32 = 10, in 1..=1_000_000;
        /// Steps of a playout; 0 for the slides' number (100 on 64×64, otherwise all).
        lookahead: usize = 0, in 0..=65_000;
        /// Whether the best playout ever seen is kept.
        memory: bool = true;
        /// Whether the first step is always RIGHT, and the first step across it DOWN.
        invariances: bool = true;
        /// Whether every node keeps its position, as in the slides' program.
        copying: bool = false;
        /// Iterations of each tree with r monomers left.
        preset: Preset = Preset::Auto;
    }
}

/// The counts of a run of the agent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RunStatistics {
    /// Playouts begun; every try counts.
    pub playouts: u64,
    /// Playouts that ended in a dead end.
    pub dead_ends: u64,
    /// Playouts given up after all tries.
    pub given_up: u64,
    /// Steps of playouts.
    pub steps: u64,
    /// Nodes of all trees.
    pub nodes: u64,
    /// Positions copied.
    pub copies: u64,
    /// R of the walk decided step by step, if the walk is whole.
    pub decided: Option<i32>,
    /// R of the best playout, if one was a whole walk.
    pub remembered: Option<i32>,
}

#[derive(Clone, Copy)]
pub(super) struct Placement {
    cell: u16,
    splits: bool,
    gain: i32,
}

#[derive(Default)]
pub(super) struct Notebook {
    pub(super) tally: RunStatistics,
    pub(super) best: Option<(i32, Vec<u16>)>,
}

/// A partial walk on a torus with `WAYS` ways from each cell, with the slides' playouts.
#[derive(Clone)]
pub struct PlayoutWalk<const WAYS: usize = 4> {
    instance: Arc<Instance>,
    free_cells: FreeCells,
    charge: Vec<i8>,
    pub(super) laid: Vec<Placement>,
    pub(super) r: i32,
    norm: i32,
    switches: UctOptions,
    pub(super) lookahead: usize,
    pub(super) notebook: Rc<RefCell<Notebook>>,
}

impl<const WAYS: usize> PlayoutWalk<WAYS> {
    /// A walk over `prefix`, at least its first cell.
    ///
    /// # Panics
    /// If `WAYS` is not the number of ways of the instance's torus.
    pub fn new(instance: Arc<Instance>, prefix: &[u16], switches: UctOptions) -> Self {
        let torus = instance.torus();
        assert_eq!(torus.ways(), WAYS, "the ways of the torus");
        let room = FreeCells::new(torus);
        let lookahead = match switches.lookahead {
            0 => instance.len(),
            limit => limit,
        };
        let mut line = Self {
            free_cells: if switches.reach == Reach::Count { room.ignoring_colours() } else { room },
            charge: vec![0; torus.cells() + 1],
            laid: Vec::with_capacity(instance.len()),
            r: 0,
            norm: 0,
            switches,
            lookahead,
            notebook: Rc::default(),
            instance,
        };
        prefix.iter().for_each(|cell| line.lay(*cell));
        line
    }

    /// The cells laid.
    pub fn walk(&self) -> Vec<u16> {
        self.laid.iter().map(|laid| laid.cell).collect()
    }

    #[inline]
    pub(super) fn lay(&mut self, cell: u16) {
        let charge = self.instance.monomers()[self.laid.len()];
        let mut gain = 0;
        if charge != 0 {
            let around = self.instance.torus().around_of::<WAYS>(usize::from(cell));
            let field: i32 =
                around.iter().map(|next| i32::from(self.charge[usize::from(*next)])).sum();
            gain = self.instance.sign() * i32::from(charge) * field;
            self.norm += 1;
        }
        let splits = self.switches.reach != Reach::Off
            && self.free_cells.arcs(self.instance.torus(), cell) > 1;
        self.free_cells.take(cell);
        self.charge[usize::from(cell)] = charge;
        self.laid.push(Placement { cell, splits, gain });
        self.r += gain;
    }

    #[inline]
    pub(super) fn unlay(&mut self) {
        if let Some(Placement { cell, gain, .. }) = self.laid.pop() {
            self.free_cells.give(cell);
            self.norm -= i32::from(self.charge[usize::from(cell)] != 0);
            self.charge[usize::from(cell)] = 0;
            self.r -= gain;
        }
    }

    pub(super) fn is_whole(&self) -> bool {
        self.laid.len() == self.instance.len()
    }

    /// Whether a free cell leaves room for the monomers after it.
    #[inline]
    fn leaves_room(&mut self, head: Placement, cell: u16) -> bool {
        if self.switches.reach == Reach::Off {
            return true;
        }
        let torus = self.instance.torus();
        if !head.splits && self.free_cells.arcs(torus, cell) <= 1 {
            // The free region loses only this cell; whether it was large enough was checked before.
            let more = self.instance.len() - self.laid.len() - 1;
            return more == 0
                || torus
                    .next_of::<WAYS>(usize::from(cell))
                    .iter()
                    .any(|c| self.free_cells.is_free(*c));
        }
        let more = self.instance.len() - self.laid.len() - 1;
        self.free_cells.has_room::<WAYS>(torus, cell, more)
    }

    /// The ways, as bits of R, D, L, U, that are not the mirror image of others. On a torus that is
    /// not square, the first step may be along either side. Between layers all six are kept.
    fn canonical(&self) -> u8 {
        const RIGHT: u8 = 1;
        const DOWN: u8 = 2;
        let torus = self.instance.torus();
        let (width, height) = (torus.width(), torus.height());
        if !self.switches.invariances || torus.depth() > 1 {
            return 63;
        }
        if self.laid.len() == 1 {
            return match (width, height) {
                (1, _) => DOWN,
                (_, 1) => RIGHT,
                (w, h) if w == h => RIGHT,
                _ => RIGHT | DOWN,
            };
        }
        let row = |cell: u16| usize::from(cell) / width;
        let column = |cell: u16| usize::from(cell) % width;
        let first = self.laid[0].cell;
        let in_row = self.laid.iter().all(|laid| row(laid.cell) == row(first));
        let in_column = self.laid.iter().all(|laid| column(laid.cell) == column(first));
        // As long as the walk is straight, both sides of it look the same.
        match (in_row, in_column) {
            (true, _) => 15 & !8,
            (_, true) => 15 & !4,
            _ => 15,
        }
    }

    #[inline]
    fn scale_score(&self, r: i32, norm: i32) -> f64 {
        if !self.switches.normalised {
            return f64::from(r);
        }
        if norm == 0 { 0.5 } else { f64::from(r + norm) / f64::from(2 * norm) }
    }

    /// Makes one random continuation of at most `lookahead` steps; returns how many were laid, and
    /// whether it ended dead.
    #[inline]
    pub(super) fn random_walk(&mut self, rng: &mut Rng) -> (usize, bool) {
        let end = self.instance.len().min(self.laid.len() + self.lookahead);
        let begin = self.laid.len();
        while self.laid.len() < end {
            let head = self.laid[self.laid.len() - 1];
            let mut ways = [0u16; WAYS];
            let mut count = 0;
            for cell in self.instance.torus().next_of::<WAYS>(usize::from(head.cell)) {
                if self.free_cells.is_free(cell) {
                    ways[count] = cell;
                    count += 1;
                }
            }
            let mut chosen = None;
            while count > 0 {
                let pick = if count == 1 { 0 } else { rng.below(count) };
                if self.leaves_room(head, ways[pick]) {
                    chosen = Some(ways[pick]);
                    break;
                }
                count -= 1;
                ways[pick] = ways[count];
            }
            let Some(cell) = chosen else { return (self.laid.len() - begin, true) };
            self.lay(cell);
        }
        (self.laid.len() - begin, false)
    }

    /// Makes and undoes one random continuation; returns the cells laid with it, and whether it
    /// avoided a dead end.
    pub fn sample(&mut self, rng: &mut Rng) -> (Vec<u16>, bool) {
        let (laid, dead) = self.random_walk(rng);
        let walk = self.walk();
        (0..laid).for_each(|_| self.unlay());
        (walk, !dead)
    }

    /// Makes and undoes one random continuation; returns whether it avoided a dead end.
    pub fn try_playout(&mut self, rng: &mut Rng) -> bool {
        let (laid, dead) = self.random_walk(rng);
        (0..laid).for_each(|_| self.unlay());
        !dead
    }
}

impl<const WAYS: usize> Solitaire for PlayoutWalk<WAYS> {
    type Step = u16;

    fn steps(&mut self, out: &mut Vec<u16>) {
        if self.is_whole() {
            return;
        }
        let head = self.laid[self.laid.len() - 1];
        let canonical = self.canonical();
        let ways = self.instance.torus().next_of::<WAYS>(usize::from(head.cell));
        for (way, cell) in ways.into_iter().enumerate() {
            let is_new = !ways[..way].contains(&cell);
            if canonical >> way & 1 == 1
                && is_new
                && self.free_cells.is_free(cell)
                && self.leaves_room(head, cell)
            {
                out.push(cell);
            }
        }
    }

    fn step(&mut self, cell: u16) {
        self.lay(cell);
    }

    fn undo(&mut self) {
        self.unlay();
    }

    fn rollout(&mut self, rng: &mut Rng) -> f64 {
        for _ in 0..self.switches.tries.max(1) {
            let (laid, dead) = self.random_walk(rng);
            let value = self.scale_score(self.r, self.norm);
            {
                let mut notebook = self.notebook.borrow_mut();
                notebook.tally.playouts += 1;
                notebook.tally.steps += laid as u64;
                notebook.tally.dead_ends += u64::from(dead);
                if self.is_whole() && notebook.best.as_ref().is_none_or(|best| self.r > best.0) {
                    notebook.best = Some((self.r, self.walk()));
                }
            }
            (0..laid).for_each(|_| self.unlay());
            if !dead {
                return value;
            }
        }
        self.notebook.borrow_mut().tally.given_up += 1;
        0.0
    }

    fn prior(&self) -> f64 {
        if self.switches.partial == 0.0 {
            return 0.0;
        }
        let norm = if self.switches.fading { self.norm } else { self.instance.norm() };
        self.switches.partial
            * if norm == 0 { 0.5 } else { f64::from(self.r + norm) / f64::from(2 * norm) }
    }

    fn code(&self, cell: u16) -> u64 {
        let head = self.laid[self.laid.len() - 1].cell;
        let ways = self.instance.torus().next_of::<WAYS>(usize::from(head));
        let way = ways.iter().position(|next| *next == cell).unwrap_or(0);
        (self.laid.len() * WAYS + way) as u64
    }

    fn value(&self) -> f64 {
        if self.is_whole() { self.scale_score(self.r, self.norm) } else { 0.0 }
    }
}

/// Offers the lines that a search finds, run after run.
pub(super) fn solve_by_lines<const WAYS: usize>(
    input: SolverInput<'_, '_>,
    mut run: impl FnMut(&mut PlayoutWalk<WAYS>, &mut Meter, &mut Rng) -> Vec<u16>,
) {
    let SolverInput { instance, prefix, meter, rng, best, .. } = input;
    let mut line = PlayoutWalk::<WAYS>::new(Arc::clone(instance), prefix, UctOptions::default());
    // With nothing to choose, a search plays no line, so a run counts as a unit too.
    while meter.spend() {
        let steps = run(&mut line, meter, rng);
        let walk: Vec<u16> = prefix.iter().copied().chain(steps).collect();
        if walk.len() == instance.len() {
            best.offer(&walk, instance.worth(&walk));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::instance::Interaction;
    use crate::rules::torus::Torus;
    use crate::scenarios::{Charges, draw_charges};

    fn instance(width: usize, height: usize, n: usize) -> Arc<Instance> {
        let torus = Torus::new(width, height).unwrap();
        let monomers = draw_charges(Charges::Uniform, n, 3);
        Arc::new(Instance::new(torus, Interaction::Charge, monomers).unwrap())
    }

    /// The worth of every whole walk, with how often each occurs.
    fn worths(line: &mut PlayoutWalk, out: &mut std::collections::BTreeMap<i32, u64>) {
        if line.is_whole() {
            *out.entry(line.r).or_insert(0) += 1;
            return;
        }
        let mut steps = Vec::new();
        line.steps(&mut steps);
        for step in steps {
            line.lay(step);
            worths(line, out);
            line.unlay();
        }
    }

    fn best_and_count(width: usize, height: usize, n: usize, invariances: bool) -> (i32, u64) {
        let switches = UctOptions { invariances, reach: Reach::Off, ..UctOptions::default() };
        let mut line: PlayoutWalk = PlayoutWalk::new(instance(width, height, n), &[0], switches);
        let mut worths_of = std::collections::BTreeMap::new();
        worths(&mut line, &mut worths_of);
        (*worths_of.last_key_value().unwrap().0, worths_of.values().sum())
    }

    #[test]
    fn invariances_lose_no_worth_on_any_torus() {
        for (width, height, n) in [(4, 4, 8), (5, 4, 8), (3, 5, 7), (2, 5, 6), (1, 6, 4), (6, 1, 4)]
        {
            let (best, all) = best_and_count(width, height, n, false);
            let (kept, some) = best_and_count(width, height, n, true);
            assert_eq!(best, kept, "{width}×{height}");
            assert!(some <= all.div_ceil(if width == height { 4 } else { 2 }), "{some} of {all}");
        }
    }

    #[test]
    fn asking_for_room_keeps_the_best_walk() {
        for reach in [Reach::Count, Reach::Colours] {
            let switches = UctOptions { reach, ..UctOptions::default() };
            let mut line: PlayoutWalk = PlayoutWalk::new(instance(4, 4, 13), &[0], switches);
            let mut found = std::collections::BTreeMap::new();
            worths(&mut line, &mut found);
            let best = *found.last_key_value().unwrap().0;
            assert_eq!(best, best_and_count(4, 4, 13, true).0, "{reach}");
        }
    }

    #[test]
    fn the_budgets_are_those_of_the_slides() {
        let at = |width, n, left| Preset::Auto.iterations(&instance(width, width, n), left);
        assert_eq!(at(8, 24, 20), 600);
        assert_eq!(at(16, 204, 100), 1500);
        assert_eq!(at(64, 640, 600), 300);
        assert_eq!(at(64, 640, 9), 31);
    }
}
