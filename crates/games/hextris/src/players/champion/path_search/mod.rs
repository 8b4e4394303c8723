//! Finds the command strings of one unit to the places where it may lock, for several hypotheses at
//! once, by dynamic programming.
//!
//! The state of the search is a position of the unit together with a node of the automaton that
//! hears the phrases. Units never move up, so the rows are processed one after the other from the
//! top; within a row, entries wait in a queue in the order in which they were made. Three things
//! keep the search small:
//!
//! - every position holds a bounded [`list`] of its best entries, one for each node;
//! - before the search, [`PathSearch::mark_targets`] goes from the places back up and marks the
//!   positions from which a place can be reached at all: no other position is entered;
//! - only letters worth speaking are tried ([`super::phrase_scorer`]), and nodes whose phrases
//!   are not worth pursuing count as shorter ones ([`super::phrase_value`]).
//!
//! A command may not bring the unit back to an earlier position, and an entry stands for a whole
//! path, not only for its end. Moving down forgets everything, so only the path within the row
//! matters. [`SeenSteps`] holds it in 32 bits: exactly up to two columns away, and conservatively
//! beyond. So every path found is legal, and some legal ones are missed.

mod list;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use crate::players::champion::phrase_scorer::PhraseScorer;
use crate::players::champion::phrase_value::{POINT, PhraseValue, PhraseWeights};
use crate::players::champion::reach::{Reach, shift_bits};
use crate::players::champion::steps::{SeenSteps, Steps};
use crate::rules::board::Board;
use crate::rules::commands::Command;
use crate::rules::units::{Position, Unit};
use crate::rules::walk::Walk;
use list::{EMPTY, LONGEST, List, NO_ENTRY, Slot};

/// How much the search keeps.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct ListLimits {
    /// Entries at a position.
    pub length: usize,
    /// Entries at a place, which are carried to the next unit.
    pub carried: usize,
    /// Entries this many points worse than the best at their position are dropped.
    pub margin: i32,
    /// How many steps to the side a unit makes in a row beyond those that lead to a place; 0 for
    /// any number. On wide boards the far ways are many and rarely the best.
    pub sideways: usize,
}

/// The beginning of a path: a hypothesis.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct PathStart {
    /// The node of the automaton.
    pub node: u16,
    /// The phrases spoken so far, one bit each.
    pub used: u64,
    /// What it is worth, in parts of a point; only differences count.
    pub worth: i32,
}

/// A path to a place.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct PathEnd {
    /// The node after the lock.
    pub node: u16,
    /// The phrases spoken so far, one bit each.
    pub used: u64,
    /// What it is worth, in parts of a point: the start's worth and what was earned, less a
    /// part for every letter.
    pub worth: i32,
    /// The worth plus the value of the node.
    pub rank: i32,
    entry: u32,
}

/// A path so far: its end, and the entry that it goes on from.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// In parts of a point.
    worth: i32,
    /// The number of the set of phrases spoken, among the sets met.
    used: u32,
    /// Where the unit has been in this row.
    seen: SeenSteps,
    parent: u32,
    node: u16,
    /// The last letter; for a start, its number.
    letter: u8,
    rotation: u8,
    left: u8,
    is_alive: bool,
}

/// A set of spoken phrases that the search has met.
#[derive(Debug)]
struct PhraseSet {
    used: u64,
    /// The numbers of the values of nodes for the unit on its way and for the one after it;
    /// [`UNKNOWN`] before they are asked for.
    values: [u32; 2],
}

/// The number of values that have not been asked for yet.
const UNKNOWN: u32 = u32::MAX;

/// So many values are kept from unit to unit at most: they take some ten kilobytes each.
const MAX_VALUES: usize = 256;

/// Where each command leads on one row, by rotation and command, as columns of the leftmost cell.
struct RowWays {
    /// From where it leads to a marked position.
    goes: [[u128; 6]; 6],
    /// From where there is no room for it, so that the unit locks.
    locks: [[u128; 6]; 6],
}

/// What the values of nodes depend on: the spoken phrases, the unit's period, and the two numbers
/// of [`PhraseWeights`], as bits.
type ValueKey = (u64, u8, u32, u32);

/// The search, made once and used for every unit, so that its tables are allocated once.
#[derive(Debug)]
pub(super) struct PathSearch<'a> {
    scorer: &'a PhraseScorer,
    phrase_weights: [PhraseWeights; 2],
    periods: [u8; 2],
    known: Vec<PhraseSet>,
    /// The values of nodes that have been computed for this unit and those before, by number.
    values: Vec<PhraseValue>,
    numbers: HashMap<ValueKey, u32>,
    entries: Vec<Entry>,
    rows: [Vec<List>; 2],
    queues: [Vec<u32>; 2],
    /// By row and rotation: the positions from which a place can be reached, as columns of the
    /// leftmost cell.
    allowed: Vec<[u128; 6]>,
    /// By row, rotation and leftmost column: the number of the place.
    places: Vec<u16>,
    ends: Vec<List>,
}

impl<'a> PathSearch<'a> {
    pub(super) fn new(scorer: &'a PhraseScorer) -> Self {
        let phrase_weights = PhraseWeights { density: 0.0, share: 1.0 };
        PathSearch {
            scorer,
            phrase_weights: [phrase_weights; 2],
            periods: [0; 2],
            known: Vec::new(),
            values: Vec::new(),
            numbers: HashMap::new(),
            entries: Vec::new(),
            rows: [Vec::new(), Vec::new()],
            queues: [Vec::new(), Vec::new()],
            allowed: Vec::new(),
            places: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// Sets the periods of the unit on its way and of the next, and how phrases are
    /// weighed for both.
    pub(super) fn set_phrase_weights(
        &mut self,
        periods: [u8; 2],
        phrase_weights: [PhraseWeights; 2],
    ) {
        if self.periods != periods || self.phrase_weights != phrase_weights {
            self.forget_sets();
            self.periods = periods;
            self.phrase_weights = phrase_weights;
        }
    }

    /// Forgets the sets of spoken phrases, and their values if those are many.
    fn forget_sets(&mut self) {
        self.known.clear();
        if self.values.len() > MAX_VALUES {
            self.values.clear();
            self.numbers.clear();
        }
    }

    fn intern_used(&mut self, used: u64) -> u32 {
        let place = self.known.iter().rposition(|known| known.used == used);
        place.unwrap_or_else(|| {
            self.known.push(PhraseSet { used, values: [UNKNOWN; 2] });
            self.known.len() - 1
        }) as u32
    }

    #[inline]
    fn phrase_value(&mut self, used: u32, next: usize) -> &PhraseValue {
        let number = self.number_of_value(used, next);
        &self.values[number]
    }

    /// The number of the values of nodes.
    #[inline]
    fn number_of_value(&mut self, used: u32, next: usize) -> usize {
        match self.known[used as usize].values[next] {
            UNKNOWN => self.evaluate_nodes(used, next) as usize,
            number => number as usize,
        }
    }

    /// Computes the values of nodes, unless that was done for an earlier unit; returns their
    /// number.
    #[cold]
    fn evaluate_nodes(&mut self, used: u32, next: usize) -> u32 {
        let (period, weights) = (self.periods[next], self.phrase_weights[next]);
        let set = &mut self.known[used as usize];
        let key = (set.used, period, weights.density.to_bits(), weights.share.to_bits());
        let number = *self.numbers.entry(key).or_insert_with(|| {
            self.values.push(PhraseValue::new(self.scorer, period, set.used, weights));
            self.values.len() as u32 - 1
        });
        set.values[next] = number;
        number
    }

    /// What a path that begins like this is worth, including the value of its node.
    pub(super) fn rank(&mut self, begin: &PathStart) -> i32 {
        let used = self.intern_used(begin.used);
        begin.worth + self.phrase_value(used, 0).of(begin.node).1
    }

    /// Searches paths from the unit's position to the `targets`, for which `reach` has been
    /// [swept](Reach::sweep). The results are in [`PathSearch::ends`].
    #[allow(clippy::too_many_arguments)]
    pub(super) fn explore(
        &mut self,
        unit: &Unit,
        steps: &Steps,
        board: &Board,
        walk: &Walk,
        reach: &Reach,
        targets: &[Position],
        begins: &[PathStart],
        limits: ListLimits,
    ) {
        let width = board.width();
        let cells = 6 * width;
        if self.rows[0].len() != cells {
            self.rows = [vec![EMPTY; cells], vec![EMPTY; cells]];
        }
        if self.known.len() > 512 {
            self.forget_sets();
        }
        self.entries.clear();
        self.queues.iter_mut().for_each(Vec::clear);
        for row in &mut self.rows {
            row.iter_mut().for_each(List::clear);
        }
        self.ends.clear();
        self.ends.resize(targets.len(), EMPTY);
        let start = walk.position();
        self.mark_targets(unit, steps, board, reach, targets, limits.sideways, unit.left(start));
        let seen = SeenSteps::restore(unit, start, walk.visited_columns());
        let left = unit.left(start) as u8;
        for (index, begin) in begins.iter().enumerate() {
            let used = self.intern_used(begin.used);
            let (node, promise) = self.phrase_value(used, 0).of(begin.node);
            let entry = Entry {
                worth: begin.worth,
                used,
                seen,
                parent: NO_ENTRY,
                node,
                letter: index as u8,
                rotation: start.rotation,
                left,
                is_alive: true,
            };
            let slot = Slot { rank: begin.worth + promise, entry: self.entries.len() as u32, node };
            let list = &mut self.rows[0][usize::from(start.rotation) * width + usize::from(left)];
            // All starts stay, whatever the margin is, because they are different hypotheses.
            if let Some(driven) = list.take(slot, LONGEST, i32::MAX / 2) {
                if driven != NO_ENTRY {
                    self.entries[driven as usize].is_alive = false;
                }
                self.queues[0].push(slot.entry);
                self.entries.push(entry);
            }
        }
        let rows = self.allowed.len();
        for row in 0..rows {
            let y = reach.first_row() + row as i32;
            self.extend_in_row(unit, steps, reach, row, y, width, limits);
            self.rows.swap(0, 1);
            self.rows[1].iter_mut().for_each(List::clear);
            self.queues.swap(0, 1);
            self.queues[1].clear();
        }
    }

    /// Extends all paths within one row: everything that happens with the pivot in it. `rows[0]`
    /// and `queues[0]` belong to this row, `rows[1]` and `queues[1]` to the row below.
    #[allow(clippy::too_many_arguments)]
    fn extend_in_row(
        &mut self,
        unit: &Unit,
        steps: &Steps,
        reach: &Reach,
        row: usize,
        y: i32,
        width: usize,
        limits: ListLimits,
    ) {
        let ways = self.ways_on(unit, steps, reach, row, y);
        let mut next = 0;
        while next < self.queues[0].len() {
            let index = self.queues[0][next];
            next += 1;
            let entry = self.entries[index as usize];
            // A better entry displaced it from its list before its turn came.
            if !entry.is_alive {
                continue;
            }
            let rotation = usize::from(entry.rotation);
            let bit = 1u128 << entry.left;
            let place = self.places[row * 6 * width + rotation * width + usize::from(entry.left)];
            for command in Command::ALL {
                let at = command as usize;
                if ways.goes[rotation][at] & bit != 0 {
                    let step = steps.of(y, rotation)[at];
                    let seen = match command.is_down() {
                        true => Some(SeenSteps::start(step.rotation)),
                        false => entry.seen.after(command, step.rotation),
                    };
                    if let Some(seen) = seen {
                        let left = (i16::from(entry.left) + step.shift) as u8;
                        let to =
                            Entry { seen, parent: index, rotation: step.rotation, left, ..entry };
                        self.speak_step(&entry, to, command, width, limits);
                    }
                } else if place != u16::MAX && ways.locks[rotation][at] & bit != 0 {
                    self.speak_lock(index, usize::from(place), command, limits);
                }
            }
        }
    }

    /// Where each command leads on a row. Made once per row, by shifting whole rows of bits.
    #[inline]
    fn ways_on(&self, unit: &Unit, steps: &Steps, reach: &Reach, row: usize, y: i32) -> RowWays {
        const NOWHERE: [u128; 6] = [0; 6];
        let below = self.allowed.get(row + 1).unwrap_or(&NOWHERE);
        let below_fits = reach.fits().get(row + 1).unwrap_or(&NOWHERE);
        let mut ways = RowWays { goes: [NOWHERE; 6], locks: [NOWHERE; 6] };
        for rotation in 0..usize::from(unit.period()) {
            for command in Command::ALL {
                let step = steps.of(y, rotation)[command as usize];
                let (to, shift) = (usize::from(step.rotation), -i32::from(step.shift));
                let (way, room) = match command.is_down() {
                    true => (below[to], below_fits[to]),
                    false => (self.allowed[row][to], reach.fits()[row][to]),
                };
                ways.goes[rotation][command as usize] = shift_bits(way, shift);
                ways.locks[rotation][command as usize] = !shift_bits(room, shift);
            }
        }
        ways
    }

    /// Adds the paths that go on from `entry` by a command, one for each letter worth speaking.
    /// `to` is where the command leads; its worth, node and letter are still those of `entry`.
    #[inline(always)]
    fn speak_step(
        &mut self,
        entry: &Entry,
        to: Entry,
        command: Command,
        width: usize,
        limits: ListLimits,
    ) {
        let margin = limits.margin * POINT;
        let down = usize::from(command.is_down());
        let list = usize::from(to.rotation) * width + usize::from(to.left);
        let value = self.number_of_value(entry.used, 0);
        for choice in self.values[value].choices(entry.node, command as usize) {
            let mut choice = self.values[value].choice(choice);
            let mut used = entry.used;
            if choice.is_new {
                // A phrase spoken for the first time is paid once more, and the nodes have other
                // values from then on.
                let spoken = self.scorer.hear(entry.node, choice.letter);
                let (worth, now) = self.score_letter(entry, spoken, true);
                used = now;
                choice.earned = worth - entry.worth;
                (choice.node, choice.promise) = self.phrase_value(used, 0).of(spoken);
            }
            let worth = entry.worth + choice.earned;
            let number = self.entries.len() as u32;
            let node = choice.node;
            let slot = Slot { rank: worth + choice.promise, entry: number, node };
            let list = &mut self.rows[down][list];
            if slot.rank <= list.floor {
                continue;
            }
            let Some(driven) = list.take(slot, limits.length, margin) else { continue };
            if driven != NO_ENTRY {
                self.entries[driven as usize].is_alive = false;
            }
            self.queues[down].push(number);
            self.entries.push(Entry { worth, used, node, letter: choice.letter, ..to });
        }
    }

    /// Adds the paths that end with a command by which the unit locks at a place, one for each
    /// letter.
    #[inline(always)]
    fn speak_lock(&mut self, index: u32, place: usize, command: Command, limits: ListLimits) {
        let margin = limits.margin * POINT;
        let entry = self.entries[index as usize];
        for spoken in self.scorer.letters_for(entry.node, command as usize) {
            let (worth, used) = self.score_letter(&entry, spoken.node, spoken.ends);
            let (node, promise) = self.phrase_value(used, 1).of(spoken.node);
            let number = self.entries.len() as u32;
            let slot = Slot { rank: worth + promise, entry: number, node };
            let list = &mut self.ends[place];
            if list.take(slot, limits.carried.min(LONGEST), 4 * margin).is_some() {
                let letter = spoken.letter;
                self.entries.push(Entry { worth, used, parent: index, node, letter, ..entry });
            }
        }
    }

    /// The worth and the spoken phrases after a letter that leads to `node`.
    #[inline]
    fn score_letter(&mut self, entry: &Entry, node: u16, ends: bool) -> (i32, u32) {
        let (mut worth, mut used) = (entry.worth - 1, entry.used);
        if ends {
            for phrase in self.scorer.phrases_at(node) {
                worth += self.scorer.phrases[usize::from(*phrase)].points * POINT;
                let known = self.known[used as usize].used;
                if known >> phrase & 1 == 0 {
                    worth += self.phrase_weights[0].once();
                    used = self.intern_used(known | 1 << phrase);
                }
            }
        }
        (worth, used)
    }

    /// Marks the places of the targets, and the positions from which one of them can be reached:
    /// row by row from the lowest place up. In each row it first marks what leads down into marked
    /// positions and then, until nothing changes, what leads there by steps and turns.
    #[allow(clippy::too_many_arguments)]
    fn mark_targets(
        &mut self,
        unit: &Unit,
        steps: &Steps,
        board: &Board,
        reach: &Reach,
        targets: &[Position],
        sideways: usize,
        start: i32,
    ) {
        let period = usize::from(unit.period());
        let lowest = self.mark_places(unit, board.width(), reach, targets);
        let rounds = if sideways == 0 { usize::MAX } else { sideways };
        for row in (0..=lowest).rev() {
            let y = reach.first_row() + row as i32;
            // On wide boards only positions not far from the straight line to a place are marked.
            let straight = match sideways {
                0 => u128::MAX,
                _ => find_straight_ways(unit, reach, targets, start, row),
            };
            let reached = reach.reachable()[row].map(|bits| bits & straight);
            let mut here = self.allowed[row];
            let below = self.allowed.get(row + 1).copied().unwrap_or_default();
            for rotation in 0..period {
                for command in [Command::SouthWest, Command::SouthEast] {
                    let step = steps.of(y, rotation)[command as usize];
                    let back = -i32::from(step.shift);
                    here[rotation] |= shift_bits(below[usize::from(step.rotation)], back);
                }
                here[rotation] &= reached[rotation];
            }
            spread_in_row(&mut here, &reached, steps, y, period, rounds);
            self.allowed[row] = here;
        }
    }

    /// Marks the places of the targets themselves; returns the lowest row of any.
    #[inline]
    fn mark_places(
        &mut self,
        unit: &Unit,
        width: usize,
        reach: &Reach,
        targets: &[Position],
    ) -> usize {
        let rows = reach.reachable().len();
        self.places.clear();
        self.places.resize(rows * 6 * width, u16::MAX);
        self.allowed.clear();
        self.allowed.resize(rows, [0; 6]);
        let prints: Vec<_> = targets.iter().map(|target| unit.footprint(*target)).collect();
        let mut lowest = 0;
        reach.for_each_lock(unit, |position| {
            let print = unit.footprint(position);
            if let Some(target) = prints.iter().position(|known| *known == print) {
                let row = (i32::from(position.y) - reach.first_row()) as usize;
                let rotation = usize::from(position.rotation);
                let left = unit.left(position) as usize;
                self.places[row * 6 * width + rotation * width + left] = target as u16;
                self.allowed[row][rotation] |= 1 << left;
                lowest = lowest.max(row);
            }
        });
        self.allowed.truncate(lowest + 1);
        lowest
    }

    /// Whether any path was found.
    pub(super) fn has_ends(&self) -> bool {
        self.ends.iter().any(|list| list.length > 0)
    }

    /// The paths found to a target, best first.
    pub(super) fn ends(&self, target: usize, out: &mut Vec<PathEnd>) {
        out.clear();
        let list = &self.ends[target];
        out.extend(list.slots().iter().map(|slot| {
            let entry = &self.entries[slot.entry as usize];
            PathEnd {
                node: entry.node,
                used: self.known[entry.used as usize].used,
                worth: entry.worth,
                rank: slot.rank,
                entry: slot.entry,
            }
        }));
        out.sort_by_key(|end| (std::cmp::Reverse(end.rank), end.entry));
    }

    /// Appends the letters of a path; returns the number of the start from which it goes on.
    pub(super) fn letters(&self, end: &PathEnd, out: &mut Vec<u8>) -> usize {
        let from = out.len();
        let mut entry = &self.entries[end.entry as usize];
        while entry.parent != NO_ENTRY {
            out.push(entry.letter);
            entry = &self.entries[entry.parent as usize];
        }
        out[from..].reverse();
        usize::from(entry.letter)
    }
}

/// The columns of a row that are not far from the straight line between the column `start` of the
/// first row and one of the targets.
#[inline]
fn find_straight_ways(
    unit: &Unit,
    reach: &Reach,
    targets: &[Position],
    start: i32,
    row: usize,
) -> u128 {
    const ASIDE: i32 = 12;
    let corridor = |target: &Position| {
        let rows = (i32::from(target.y) - reach.first_row()).max(1);
        let row = (row as i32).min(rows);
        let at = start + (unit.left(*target) - start) * row / rows;
        shift_bits((1 << (2 * ASIDE + 1)) - 1, at - ASIDE)
    };
    targets.iter().map(corridor).fold(0, |all, one| all | one)
}

/// Marks on a row what leads by so many steps and turns to a marked position, among the positions
/// that can be `reached`.
#[inline]
fn spread_in_row(
    here: &mut [u128; 6],
    reached: &[u128; 6],
    steps: &Steps,
    y: i32,
    period: usize,
    mut rounds: usize,
) {
    loop {
        let before = *here;
        for rotation in 0..period {
            let bits = here[rotation];
            here[rotation] |= (bits << 1 | bits >> 1) & reached[rotation];
            let step = steps.of(y, rotation)[Command::Clockwise as usize];
            let (to, shift) = (usize::from(step.rotation), i32::from(step.shift));
            here[to] |= shift_bits(before[rotation], shift) & reached[to];
            here[rotation] |= shift_bits(before[to], -shift) & reached[rotation];
        }
        rounds -= 1;
        if *here == before || rounds == 0 {
            return;
        }
    }
}
