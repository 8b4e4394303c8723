//! Searches by undo, on a game small enough to be solved: digits are put in a row, and a table
//! gives the worth of each digit at each place.

use quintain_core::{Meter, Rng};
use quintain_search::ensemble::{Choice, Options, decide};
use quintain_search::nested::{NrpaOptions, nested_search, nrpa};
use quintain_search::solitaire::Solitaire;

/// A 2 is worth most immediately, and ends the game.
#[derive(Clone, PartialEq, Debug)]
struct Digits {
    digits: Vec<u8>,
    length: usize,
}

impl Solitaire for Digits {
    type Step = u8;

    fn steps(&mut self, out: &mut Vec<u8>) {
        if self.digits.len() < self.length && self.digits.last() != Some(&2) {
            out.extend([0, 1, 2]);
        }
    }

    fn step(&mut self, step: u8) {
        self.digits.push(step);
    }

    fn undo(&mut self) {
        self.digits.pop();
    }

    fn rollout(&mut self, rng: &mut Rng) -> f64 {
        let before = self.digits.len();
        let mut steps = Vec::new();
        loop {
            steps.clear();
            self.steps(&mut steps);
            let Some(step) = rng.pick(&steps) else { break };
            self.step(*step);
        }
        let value = self.value();
        self.digits.truncate(before);
        value
    }

    fn code(&self, step: u8) -> u64 {
        self.digits.len() as u64 * 3 + u64::from(step)
    }

    fn value(&self) -> f64 {
        let worth = |digit: &u8| [0.0, 1.0, 1.5][usize::from(*digit)];
        self.digits.iter().map(worth).sum::<f64>() / (self.length as f64 + 0.5)
    }
}

const OPTIONS: Options =
    Options { exploration: 0.5, trees: 3, vote: Choice::Visits, copying: false };

fn game(length: usize) -> Digits {
    Digits { digits: Vec::new(), length }
}

#[test]
fn the_ensemble_passes_by_what_is_best_at_once() {
    let mut position = game(5);
    let mut rng = Rng::from_seed(1);
    while position.digits.len() < 4 {
        let before = position.clone();
        let decided = decide(&mut position, OPTIONS, 400, &mut Meter::of(u64::MAX), &mut rng);
        assert_eq!(position, before);
        assert_eq!(decided.step, Some(1), "{decided:?}");
        assert_eq!(decided.votes.iter().map(|votes| votes.trees).sum::<u32>(), 3);
        position.step(1);
    }
}

#[test]
fn copies_and_undoing_decide_alike() {
    let decided = |copying: bool| {
        let options = Options { copying, ..OPTIONS };
        decide(&mut game(6), options, 200, &mut Meter::of(u64::MAX), &mut Rng::from_seed(2))
    };
    let (copied, undone) = (decided(true), decided(false));
    assert_eq!(copied.votes, undone.votes);
    assert_eq!(undone.copies, 0);
    assert_eq!(copied.copies, copied.nodes);
}

#[test]
fn nested_search_and_nrpa_find_the_best_line() {
    let best = [1, 1, 1, 1, 1, 2];
    let mut position = game(6);
    let mut rng = Rng::from_seed(3);
    // With as many levels as steps it tries everything.
    let line = nested_search(&mut position, 6, &mut Meter::of(u64::MAX), &mut rng);
    assert_eq!(line.steps, best);
    let options = NrpaOptions { level: 2, iterations: 60, rate: 1.0 };
    let line = nrpa(&mut position, options, &mut Meter::of(u64::MAX), &mut rng);
    assert_eq!(line.steps, best);
    assert_eq!(line.value, 1.0);
    assert_eq!(position, game(6));
}

#[test]
fn a_spent_meter_still_gives_a_whole_line() {
    let mut position = game(6);
    let mut rng = Rng::from_seed(4);
    let line = nested_search(&mut position, 3, &mut Meter::of(1), &mut rng);
    let mut end = position.clone();
    line.steps.iter().for_each(|step| end.step(*step));
    assert_eq!(end.value(), line.value);
}
