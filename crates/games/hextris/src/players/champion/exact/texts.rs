//! Small games with phrases, solved exactly: every text that could matter is spoken, position by
//! position, by the rules themselves.

use std::collections::HashMap;

use quintain_core::Meter;

use crate::players::solver::SolverInput;
use crate::rules::commands::Command;
use crate::rules::{Instance, State};

/// The most positions of a game that are looked at.
const MAX_POSITIONS: usize = 50_000;

/// How many positions take about as long as a board of a beam, which is what a meter's nodes are.
const POSITIONS_A_NODE: usize = 16;

/// What is known about a position.
struct Known {
    /// The most points that can still be earned.
    points: u64,
    /// The letter with which they are, and the position to which it leads; `None` to stop here.
    next: Option<(u8, usize)>,
}

/// A position on the way from the start to the one that is being looked at.
struct Step {
    /// Its place among the known ones.
    known: usize,
    state: State,
    letters: Vec<u8>,
    /// How many of these letters have been dealt with.
    done: usize,
}

/// Returns a text that earns the most points that are possible from where the input starts; `None`
/// if there are too many positions, or if the meter is spent before.
pub(super) fn solve_exactly(input: &SolverInput<'_>, meter: &mut Meter) -> Option<String> {
    let instance = input.instance;
    let mut known: Vec<Known> = Vec::new();
    let mut places: HashMap<State, usize> = HashMap::new();
    let mut way = vec![enter(instance, forget_past(input.start.clone()), &mut known, &mut places)];
    while let Some(step) = way.last_mut() {
        let Some(&letter) = step.letters.get(step.done) else {
            way.pop();
            continue;
        };
        let mut next = step.state.clone();
        if instance.speak(&mut next, letter).is_err() {
            step.done += 1;
            continue;
        }
        let earned = instance.score(&next) - instance.score(&step.state);
        let next = forget_past(next);
        // No position comes again on its own way: a unit goes on to places where it has not been,
        // until it locks.
        if let Some(&place) = places.get(&next) {
            let points = earned + known[place].points;
            if points > known[step.known].points {
                known[step.known] = Known { points, next: Some((letter, place)) };
            }
            step.done += 1;
            continue;
        }
        let is_too_much = known.len() == MAX_POSITIONS;
        if is_too_much || known.len().is_multiple_of(POSITIONS_A_NODE) && !meter.spend() {
            return None;
        }
        way.push(enter(instance, next, &mut known, &mut places));
    }
    let mut text = String::new();
    let mut place = 0;
    while let Some((letter, next)) = known[place].next {
        text.push(char::from(letter));
        place = next;
    }
    Some(text)
}

/// Makes positions with the same future equal: what was earned before does not matter, but which
/// phrases have been spoken does, since their first time pays more.
fn forget_past(mut state: State) -> State {
    (state.moves, state.lines, state.spoken) = (0, 0, 0);
    state.counts.iter_mut().for_each(|count| *count = (*count).min(1));
    state
}

fn enter(
    instance: &Instance,
    state: State,
    known: &mut Vec<Known>,
    places: &mut HashMap<State, usize>,
) -> Step {
    places.insert(state.clone(), known.len());
    known.push(Known { points: 0, next: None });
    Step { known: known.len() - 1, letters: find_letters(instance, &state), state, done: 0 }
}

/// The letters that may lead to different futures: for every command, those after which something
/// of a phrase has been heard, or any one if there are none. To have heard nothing is never better.
fn find_letters(instance: &Instance, state: &State) -> Vec<u8> {
    let phrases = instance.phrases();
    let mut letters = Vec::new();
    for command in Command::ALL {
        let all = command.letters().bytes();
        let heard = all.filter(|letter| phrases.after(state.node, *letter) != 0);
        let before = letters.len();
        letters.extend(heard);
        if letters.len() == before {
            letters.push(command.letter());
        }
    }
    letters
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::Arc;

    use quintain_core::Rng;

    use super::*;
    use crate::rules::board::Board;
    use crate::rules::phrases::Phrases;
    use crate::rules::problem::Problem;
    use crate::rules::units::{Cell, Unit};

    /// A game on an empty board whose units are these cells, in turn by the source.
    pub(in super::super) fn game(
        width: usize,
        height: usize,
        units: &[&[(i32, i32)]],
        length: usize,
        phrases: &[&str],
    ) -> Instance {
        let units = units.iter().map(|cells| {
            let cells: Vec<Cell> = cells.iter().map(|(x, y)| Cell { x: *x, y: *y }).collect();
            let pivot = cells[0];
            Unit::new(cells, pivot, width).unwrap()
        });
        let board = Board::new(width, height).unwrap();
        let problem = Problem::new(0, board, units.collect(), length, vec![0]).unwrap();
        Instance::new(Arc::new(problem), 0, Arc::new(Phrases::new(phrases)))
    }

    /// The most points of any text at all.
    fn try_all(instance: &Instance, state: &State) -> u64 {
        let mut most = instance.score(state);
        for letter in Command::ALL.iter().flat_map(|command| command.letters().bytes()) {
            let mut next = state.clone();
            if instance.speak(&mut next, letter).is_ok() {
                most = most.max(try_all(instance, &next));
            }
        }
        most
    }

    fn check(instance: &Instance) -> u64 {
        let start = instance.start();
        let input = SolverInput::new(instance, &start);
        score_of(instance, &solve_exactly(&input, &mut Meter::of(u64::MAX)).unwrap())
    }

    /// The score of a text, spoken from the start.
    pub(in super::super) fn score_of(instance: &Instance, text: &str) -> u64 {
        let mut state = instance.start();
        for letter in text.bytes() {
            instance.speak(&mut state, letter).unwrap();
        }
        instance.score(&state)
    }

    #[test]
    fn no_text_at_all_is_worth_more() {
        for phrases in [&["pa"][..], &["ab", "ba"], &["lb!"], &[]] {
            for (width, height, length) in [(1, 2, 1), (2, 1, 2), (1, 1, 3), (2, 2, 1)] {
                let instance = game(width, height, &[&[(0, 0)]], length, phrases);
                assert_eq!(check(&instance), try_all(&instance, &instance.start()));
            }
        }
    }

    #[test]
    fn a_well_one_cell_wide_is_cleared_line_by_line() {
        let instance = game(1, 12, &[&[(0, 0)]], 100, &["la"]);
        // Every unit clears a line: 1 + 100 points. It falls eleven rows, to the right and to the
        // left in turn, and locks with a twelfth letter: six times the phrase, for four points
        // each.
        assert_eq!(check(&instance), 100 * 101 + 300 + 4 * (100 * 6));
    }

    #[test]
    fn games_of_two_units_on_small_boards_are_solved_and_large_ones_are_left() {
        let mut rng = Rng::from_seed(3);
        for _ in 0..5 {
            let (width, height) = (2 + rng.below(2), 2 + rng.below(2));
            let instance = game(width, height, &[&[(0, 0)], &[(0, 0), (1, 0)]], 2, &["ei!", "ba"]);
            assert!(check(&instance) > 0);
        }
        let instance = game(10, 10, &[&[(0, 0)]], 100, &["ei!"]);
        let start = instance.start();
        let input = SolverInput::new(&instance, &start);
        assert_eq!(solve_exactly(&input, &mut Meter::of(u64::MAX)), None);
    }
}
