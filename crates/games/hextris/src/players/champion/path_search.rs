//! The best ways of one unit to the places where it may lock, for several states of the
//! phrases' automaton at once: dynamic programming over (position, state), row by row,
//! with a bounded list of states at every position. Positions of a row that an entry has
//! been at are masked, so that no way comes back.

use crate::players::champion::phrase_scorer::{POINT, PhraseScorer, PhraseValue, PhraseWeights};
use crate::players::champion::reach::Reach;
use crate::players::champion::steps::{Seen, Steps};
use crate::rules::board::Board;
use crate::rules::commands::Command;
use crate::rules::units::{Position, Unit};
use crate::rules::walk::Walk;

/// The most entries a position holds.
pub(super) const LONGEST: usize = 24;

const NO_ENTRY: u32 = u32::MAX;

/// How many states are carried.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct ListLimits {
    /// At a position.
    pub length: usize,
    /// From unit to unit.
    pub carried: usize,
    /// Entries so much worse than the best at their position are dropped, in points.
    pub margin: i32,
    /// How far a unit goes sideways in a row; 0 for any distance.
    pub sideways: usize,
}

/// What a way begins with: something heard, and what it is worth already.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct PathStart {
    /// The state of the automaton.
    pub node: u16,
    /// Phrases spoken so far.
    pub used: u64,
    /// In parts of a point, from any zero.
    pub worth: i32,
}

/// A way to a place.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct PathEnd {
    /// The state after the lock.
    pub node: u16,
    /// Phrases spoken so far.
    pub used: u64,
    /// In parts of a point: the beginning's and what was earned, letters deducted.
    pub worth: i32,
    /// The same, with what the state promises.
    pub rank: i32,
    entry: u32,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    worth: i32,
    used: u32,
    seen: Seen,
    parent: u32,
    node: u16,
    letter: u8,
    rotation: u8,
    left: u8,
    is_alive: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    rank: i32,
    entry: u32,
    node: u16,
}

/// The entries of one position.
#[derive(Clone, Copy, Debug)]
struct List {
    slots: [Slot; LONGEST],
    length: u8,
    best: i32,
    /// Nothing that is not worth more than this is taken.
    floor: i32,
}

const EMPTY: List = List {
    slots: [Slot { rank: 0, entry: 0, node: 0 }; LONGEST],
    length: 0,
    best: i32::MIN,
    floor: i32::MIN,
};

impl List {
    #[inline]
    fn clear(&mut self) {
        (self.length, self.best, self.floor) = (0, i32::MIN, i32::MIN);
    }

    /// Takes an entry if it is among the best: the number of the one that it drives out,
    /// or `NO_ENTRY` where there was room.
    #[inline]
    fn take(&mut self, slot: Slot, most: usize, margin: i32) -> Option<u32> {
        if slot.rank <= self.floor {
            return None;
        }
        let length = usize::from(self.length);
        let mut worst = 0;
        let mut worst_rank = i32::MAX;
        let mut same = None;
        for (index, known) in self.slots[..length].iter().enumerate() {
            if known.node == slot.node {
                same = Some(index);
                break;
            }
            if known.rank < worst_rank {
                worst_rank = known.rank;
                worst = index;
            }
        }
        let driven = match same {
            Some(index) if self.slots[index].rank >= slot.rank => return None,
            Some(index) => std::mem::replace(&mut self.slots[index], slot).entry,
            None if length < most => {
                self.slots[length] = slot;
                self.length += 1;
                NO_ENTRY
            }
            None if worst_rank < slot.rank => std::mem::replace(&mut self.slots[worst], slot).entry,
            None => return None,
        };
        self.best = self.best.max(slot.rank);
        self.floor = self.best.saturating_sub(margin);
        if usize::from(self.length) == most {
            let worst = self.slots[..most].iter().map(|slot| slot.rank).min();
            self.floor = self.floor.max(worst.unwrap_or(i32::MIN));
        }
        Some(driven)
    }
}

/// Sets of spoken phrases met, with what the states are worth for each.
#[derive(Debug)]
struct PhraseSet {
    used: u64,
    /// For the unit on its way, and for the one after it.
    values: [Option<PhraseValue>; 2],
}

/// The search. Made once and used for every unit.
#[derive(Debug)]
pub(super) struct PathSearch<'a> {
    scorer: &'a PhraseScorer,
    phrase_weights: [PhraseWeights; 2],
    periods: [u8; 2],
    known: Vec<PhraseSet>,
    entries: Vec<Entry>,
    rows: [Vec<List>; 2],
    queues: [Vec<u32>; 2],
    /// By row and rotation: positions on a way to a place.
    allowed: Vec<[u128; 6]>,
    /// By row, rotation and leftmost column: the place.
    places: Vec<u16>,
    ends: Vec<List>,
}

/// Moves bits up by `by`, or down where that is negative.
#[inline]
fn shift_bits(bits: u128, by: i32) -> u128 {
    match by {
        0..=127 => bits << by,
        -127..=-1 => bits >> -by,
        _ => 0,
    }
}

impl<'a> PathSearch<'a> {
    pub(super) fn new(scorer: &'a PhraseScorer) -> Self {
        let phrase_weights = PhraseWeights { density: 0.0, share: 1.0 };
        PathSearch {
            scorer,
            phrase_weights: [phrase_weights; 2],
            periods: [0; 2],
            known: Vec::new(),
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
            self.known.clear();
            self.periods = periods;
            self.phrase_weights = phrase_weights;
        }
    }

    fn intern_used(&mut self, used: u64) -> u32 {
        let place = self.known.iter().rposition(|known| known.used == used);
        place.unwrap_or_else(|| {
            self.known.push(PhraseSet { used, values: [None, None] });
            self.known.len() - 1
        }) as u32
    }

    #[inline]
    fn phrase_value(&mut self, used: u32, next: usize) -> &PhraseValue {
        let (scorer, period, phrase_weights) =
            (self.scorer, self.periods[next], self.phrase_weights[next]);
        let PhraseSet { used, values } = &mut self.known[used as usize];
        values[next].get_or_insert_with(|| PhraseValue::new(scorer, period, *used, phrase_weights))
    }

    /// What a way that begins like this is worth with what its state promises.
    pub(super) fn rank(&mut self, begin: &PathStart) -> i32 {
        let used = self.intern_used(begin.used);
        begin.worth + self.phrase_value(used, 0).of(begin.node).1
    }

    /// Finds ways from where the unit is to the `targets`, for which `reach` has been
    /// [swept](Reach::sweep); [`PathSearch::ends`] has what is found.
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
            self.known.clear();
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
        let seen = Seen::restored(unit, start, walk.seen());
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
            // All beginnings stay, whatever the margin is.
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
            self.row(unit, steps, reach, row, y, width, limits);
            self.rows.swap(0, 1);
            self.rows[1].iter_mut().for_each(List::clear);
            self.queues.swap(0, 1);
            self.queues[1].clear();
        }
    }

    /// Everything that happens with the pivot in one row.
    #[allow(clippy::too_many_arguments)]
    fn row(
        &mut self,
        unit: &Unit,
        steps: &Steps,
        reach: &Reach,
        row: usize,
        y: i32,
        width: usize,
        limits: ListLimits,
    ) {
        const NOWHERE: [u128; 6] = [0; 6];
        let margin = limits.margin * POINT;
        let below = self.allowed.get(row + 1).unwrap_or(&NOWHERE);
        let below_fits = reach.fits().get(row + 1).unwrap_or(&NOWHERE);
        // By rotation and command: from where it leads on, and from where there is no room.
        let mut goes = [[0u128; 6]; 6];
        let mut locks = [[0u128; 6]; 6];
        for rotation in 0..usize::from(unit.period()) {
            for command in Command::ALL {
                let step = steps.of(y, rotation)[command as usize];
                let (to, shift) = (usize::from(step.rotation), -i32::from(step.shift));
                let (way, room) = match command.is_down() {
                    true => (below[to], below_fits[to]),
                    false => (self.allowed[row][to], reach.fits()[row][to]),
                };
                goes[rotation][command as usize] = shift_bits(way, shift);
                locks[rotation][command as usize] = !shift_bits(room, shift);
            }
        }
        let mut next = 0;
        while next < self.queues[0].len() {
            let index = self.queues[0][next];
            next += 1;
            let entry = self.entries[index as usize];
            if !entry.is_alive {
                continue;
            }
            let rotation = usize::from(entry.rotation);
            let bit = 1u128 << entry.left;
            let place = self.places[row * 6 * width + rotation * width + usize::from(entry.left)];
            for command in Command::ALL {
                let at = command as usize;
                if goes[rotation][at] & bit != 0 {
                    let step = steps.of(y, rotation)[at];
                    let seen = match command.is_down() {
                        true => Seen::start(step.rotation),
                        false => match entry.seen.after(command, step.rotation) {
                            Some(seen) => seen,
                            None => continue,
                        },
                    };
                    let left = (i16::from(entry.left) + step.shift) as u8;
                    let down = usize::from(command.is_down());
                    let list = usize::from(step.rotation) * width + usize::from(left);
                    let many = self.phrase_value(entry.used, 0).choices(entry.node, at).len();
                    for choice in 0..many {
                        let mut choice =
                            self.phrase_value(entry.used, 0).choices(entry.node, at)[choice];
                        let mut used = entry.used;
                        if choice.is_new {
                            let spoken = self.scorer.hear(entry.node, choice.letter);
                            let (worth, now) = self.score_letter(&entry, spoken, true);
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
                        self.entries.push(Entry {
                            worth,
                            used,
                            seen,
                            parent: index,
                            node,
                            letter: choice.letter,
                            rotation: step.rotation,
                            left,
                            is_alive: true,
                        });
                    }
                } else if place != u16::MAX && locks[rotation][at] & bit != 0 {
                    for spoken in self.scorer.spoken(entry.node, at) {
                        let (worth, used) = self.score_letter(&entry, spoken.node, spoken.ends);
                        let (node, promise) = self.phrase_value(used, 1).of(spoken.node);
                        let number = self.entries.len() as u32;
                        let slot = Slot { rank: worth + promise, entry: number, node };
                        let list = &mut self.ends[usize::from(place)];
                        if list.take(slot, limits.carried.min(LONGEST), 4 * margin).is_some() {
                            self.entries.push(Entry {
                                worth,
                                used,
                                parent: index,
                                node,
                                letter: spoken.letter,
                                ..entry
                            });
                        }
                    }
                }
            }
        }
    }

    /// Worth and spoken phrases after a letter.
    #[inline]
    fn score_letter(&mut self, entry: &Entry, node: u16, ends: bool) -> (i32, u32) {
        let (mut worth, mut used) = (entry.worth - 1, entry.used);
        if ends {
            for phrase in self.scorer.heard(node) {
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

    /// The places of the targets, and the positions from which they can be reached.
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
        let width = board.width();
        let period = usize::from(unit.period());
        let rows = reach.reached().len();
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
        // On wide boards, not far from the straight way to a place.
        let straight = |row: usize| -> u128 {
            const ASIDE: i32 = 8;
            if sideways == 0 {
                return u128::MAX;
            }
            let corridor = |target: &Position| {
                let rows = (i32::from(target.y) - reach.first_row()).max(1);
                let row = (row as i32).min(rows);
                let at = start + (unit.left(*target) - start) * row / rows;
                shift_bits((1 << (2 * ASIDE + 1)) - 1, at - ASIDE)
            };
            targets.iter().map(corridor).fold(0, |all, one| all | one)
        };
        for row in (0..=lowest).rev() {
            let y = reach.first_row() + row as i32;
            let straight = straight(row);
            let reached = reach.reached()[row].map(|bits| bits & straight);
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
            let mut rounds = if sideways == 0 { usize::MAX } else { sideways };
            loop {
                let before = here;
                for rotation in 0..period {
                    let bits = here[rotation];
                    here[rotation] |= (bits << 1 | bits >> 1) & reached[rotation];
                    let step = steps.of(y, rotation)[Command::Clockwise as usize];
                    let (to, shift) = (usize::from(step.rotation), i32::from(step.shift));
                    here[to] |= shift_bits(before[rotation], shift) & reached[to];
                    here[rotation] |= shift_bits(before[to], -shift) & reached[rotation];
                }
                rounds -= 1;
                if here == before || rounds == 0 {
                    break;
                }
            }
            self.allowed[row] = here;
        }
    }

    /// Whether any way was found.
    pub(super) fn has_ends(&self) -> bool {
        self.ends.iter().any(|list| list.length > 0)
    }

    /// The ways found to a target, the best first.
    pub(super) fn ends(&self, target: usize, out: &mut Vec<PathEnd>) {
        out.clear();
        let list = &self.ends[target];
        out.extend(list.slots[..usize::from(list.length)].iter().map(|slot| {
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

    /// The letters of a way, appended, and the index of its beginning.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::commands::command_of;
    use crate::rules::phrases::{ONCE, Phrases};
    use crate::rules::units::Cell;
    use crate::rules::walk::MoveResult;
    use quintain_core::Rng;
    use std::collections::HashMap;

    /// What one way is worth: two points a letter, and once for each phrase.
    fn worth(phrases: &Phrases, text: &str) -> u64 {
        phrases.power(&phrases.counts(text))
    }

    /// Of every place, the most that a way to it can be worth: all letters from all states,
    /// with everything that the unit has been at.
    fn exact(unit: &Unit, board: &Board, phrases: &Phrases) -> HashMap<(i16, i16, u8), u64> {
        let letters: Vec<u8> =
            (b'!'..=b'z').chain([b' ']).filter(|b| command_of(*b).is_some()).collect();
        let mut best: HashMap<(Walk, u16, u64), u64> = HashMap::new();
        let mut places = HashMap::new();
        let start = (Walk::new(unit, unit.spawn()), 0, 0);
        best.insert(start.clone(), 0);
        let mut waiting = vec![start];
        while let Some(at) = waiting.pop() {
            let points = best[&at];
            for letter in &letters {
                let (mut walk, mut node, mut used) = at.clone();
                let went = walk.go(unit, board, command_of(*letter).unwrap());
                if went == MoveResult::Repeated {
                    continue;
                }
                node = phrases.after(node, *letter);
                let mut points = points;
                for phrase in phrases.heard(node) {
                    points += 2 * phrases.texts()[usize::from(*phrase)].len() as u64;
                    if used >> phrase & 1 == 0 {
                        points += ONCE;
                        used |= 1 << phrase;
                    }
                }
                if went == MoveResult::Locks {
                    let known = places.entry(unit.footprint(walk.position())).or_insert(0);
                    *known = points.max(*known);
                } else {
                    let to = (walk, node, used);
                    if best.get(&to).is_none_or(|known| *known < points) {
                        best.insert(to.clone(), points);
                        waiting.push(to);
                    }
                }
            }
        }
        places
    }

    #[test]
    fn ways_are_as_good_as_those_of_a_search_through_everything_or_nearly() {
        let mut rng = Rng::from_seed(1);
        let cell = |x, y| Cell { x, y };
        let units = [
            (vec![cell(0, 0)], cell(0, 0)),
            (vec![cell(0, 0), cell(2, 0)], cell(1, 0)),
            (vec![cell(1, 0), cell(2, 1), cell(1, 2)], cell(1, 1)),
        ];
        let pool = ["ei!", "ia! ia!", "al", "eel", "dal", "kap", "lla", "planet", "pa"];
        let (mut found, mut possible) = (0, 0);
        for round in 0..30 {
            let (members, pivot) = units[round % units.len()].clone();
            let width = 4 + rng.below(2);
            let unit = Unit::new(members, pivot, width).unwrap();
            let mut board = Board::new(width, 6).unwrap();
            for y in 3..6 {
                (0..width).for_each(|x| {
                    if rng.chance(0.3) {
                        board.fill(x, y)
                    }
                });
            }
            let texts: Vec<&str> = pool.iter().copied().filter(|_| rng.chance(0.4)).collect();
            let scorer = PhraseScorer::new(&Phrases::new(&texts), &[unit.period()]);
            let phrases = Phrases::new(scorer.texts());
            let walk = Walk::new(&unit, unit.spawn());
            let mut reach = Reach::new();
            reach.sweep(&unit, &board, unit.spawn());
            let mut targets: Vec<Position> = Vec::new();
            reach.for_each_lock(&unit, |position| {
                let print = unit.footprint(position);
                if targets.iter().all(|target| unit.footprint(*target) != print) {
                    targets.push(position);
                }
            });
            let mut search = PathSearch::new(&scorer);
            let phrase_weights = PhraseWeights { density: 0.0, share: 1.0 };
            search.set_phrase_weights([unit.period(); 2], [phrase_weights; 2]);
            let limits = ListLimits { length: LONGEST, carried: 8, margin: 1_000, sideways: 0 };
            let begin = PathStart { node: 0, used: 0, worth: 0 };
            let steps = Steps::new(&unit);
            search.explore(&unit, &steps, &board, &walk, &reach, &targets, &[begin], limits);
            let exact = exact(&unit, &board, &phrases);
            assert_eq!(exact.len(), targets.len());
            for (index, target) in targets.iter().enumerate() {
                let mut ends = Vec::new();
                search.ends(index, &mut ends);
                let mut most = 0;
                for end in &ends {
                    let mut letters = Vec::new();
                    search.letters(end, &mut letters);
                    let text = String::from_utf8(letters).unwrap();
                    let mut walk = walk.clone();
                    for (at, letter) in text.bytes().enumerate() {
                        let went = walk.go(&unit, &board, command_of(letter).unwrap());
                        let last = at + 1 == text.len();
                        assert_eq!(
                            went,
                            if last { MoveResult::Locks } else { MoveResult::Moved },
                            "{text}"
                        );
                    }
                    assert_eq!(unit.footprint(walk.position()), unit.footprint(*target));
                    let points = worth(&phrases, &text);
                    assert_eq!(end.worth, points as i32 * POINT - text.len() as i32, "{text}");
                    most = most.max(points);
                }
                let bound = exact[&unit.footprint(*target)];
                assert!(most <= bound);
                found += most;
                possible += bound;
            }
        }
        assert!(possible > 100_000, "{possible}");
        assert!(found as f64 >= 0.96 * possible as f64, "{found} of {possible}");
    }
}
