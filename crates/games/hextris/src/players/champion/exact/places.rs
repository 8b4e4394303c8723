//! Small games without phrases, solved exactly: every place of every unit is tried. How a unit
//! comes there does not matter, since only locks and lines earn points.

use std::collections::HashMap;

use quintain_core::Meter;

use crate::players::solver::SolverInput;
use crate::rules::board::Board;
use crate::rules::paths::{Paths, Shortcuts};
use crate::rules::walk::Walk;
use crate::rules::{Instance, points};

/// The most boards that are looked at.
const MAX_BOARDS: usize = 30_000;

/// A board before a unit comes: the number of the unit, the lines of the lock before, and the rows.
type Key = (usize, u32, Vec<u128>);

/// What is known about a board.
struct Known {
    /// The most points that can still be earned.
    points: u64,
    /// The commands by which the next unit earns them, with its lock, and the board to which they
    /// lead; `None` where no unit comes.
    next: Option<(String, Key)>,
}

/// What is tried, and what has been found.
struct Search<'a> {
    instance: &'a Instance,
    known: HashMap<Key, Known>,
}

/// Returns a text that earns the most points that are possible from where the input starts; `None`
/// if there are too many boards, or if the meter is spent before.
pub(super) fn solve_exactly(input: &SolverInput<'_>, meter: &mut Meter) -> Option<String> {
    let start = input.start;
    let n = (start.came as usize).checked_sub(1)?;
    let mut search = Search { instance: input.instance, known: HashMap::new() };
    let first = (n, start.before, start.board.rows().to_vec());
    search.try_places(&start.board, start.walk.as_ref()?, &first, meter)?;
    let mut text = String::new();
    let mut here = &first;
    while let Some((commands, next)) = search.known.get(here).and_then(|known| known.next.as_ref())
    {
        text.push_str(commands);
        here = next;
    }
    Some(text)
}

impl Search<'_> {
    /// Returns the most points from a board on; `None` if it would take too long.
    fn find_most(&mut self, board: &Board, key: &Key, meter: &mut Meter) -> Option<u64> {
        if let Some(known) = self.known.get(key) {
            return Some(known.points);
        }
        let n = key.0;
        if n >= self.instance.queue().len() {
            return Some(0);
        }
        let unit = self.instance.nth(n);
        if !unit.fits(board, unit.spawn()) {
            return Some(0);
        }
        self.try_places(board, &Walk::new(unit, unit.spawn()), key, meter)
    }

    /// Tries every place that a unit can come to.
    fn try_places(
        &mut self,
        board: &Board,
        walk: &Walk,
        key: &Key,
        meter: &mut Meter,
    ) -> Option<u64> {
        if self.known.len() == MAX_BOARDS || !meter.spend() {
            return None;
        }
        let (n, before) = (key.0, key.1);
        let unit = self.instance.nth(n);
        let mut paths = Paths::new();
        paths.explore(unit, board, walk, Shortcuts::default());
        let mut best = Known { points: 0, next: None };
        for place in paths.places() {
            let mut locked = board.clone();
            let lines = unit.lock(&mut locked, place.position);
            let next = (n + 1, lines, locked.rows().to_vec());
            let gained = points(unit.size(), lines, before);
            let points = gained + self.find_most(&locked, &next, meter)?;
            if points > best.points {
                best = Known { points, next: Some((paths.commands_to(place), next)) };
            }
        }
        let points = best.points;
        self.known.insert(key.clone(), best);
        Some(points)
    }
}

#[cfg(test)]
mod tests {
    use quintain_core::Rng;

    use super::*;
    use crate::players::champion::exact::texts;
    use crate::players::champion::exact::texts::tests::{game, score_of};

    #[test]
    fn places_alone_earn_as_much_as_all_texts() {
        let mut rng = Rng::from_seed(5);
        for _ in 0..20 {
            let (width, height) = (2 + rng.below(3), 2 + rng.below(2));
            let instance = game(width, height, &[&[(0, 0)], &[(0, 0), (1, 0)]], 3, &[]);
            let start = instance.start();
            let input = SolverInput::new(&instance, &start);
            let by_places = solve_exactly(&input, &mut Meter::of(u64::MAX)).unwrap();
            let by_texts = texts::solve_exactly(&input, &mut Meter::of(u64::MAX)).unwrap();
            assert_eq!(score_of(&instance, &by_places), score_of(&instance, &by_texts));
        }
    }

    #[test]
    fn a_unit_on_its_way_does_not_go_back() {
        let instance = game(6, 4, &[&[(0, 0)], &[(0, 0), (1, 0)]], 3, &[]);
        let mut start = instance.start();
        instance.speak(&mut start, b'p').unwrap();
        let input = SolverInput::new(&instance, &start);
        let text = solve_exactly(&input, &mut Meter::of(u64::MAX)).unwrap();
        let mut state = start.clone();
        for letter in text.bytes() {
            instance.speak(&mut state, letter).unwrap();
        }
        assert!(instance.score(&state) > 0);
    }
}
