// Nim with one heap, the game of the documentation's examples: seats take one to three stones in
// turn, and the one who takes the last stone wins. Leaving a multiple of four wins.

use quintain_core::{Ending, Illegal, Rng, Rules, Scoring, Seat, Turn};

/// The rules.
#[derive(Clone)]
pub struct Nim;

impl Rules for Nim {
    /// The stones left, and the seat whose turn it is.
    type State = (u8, u8);
    /// The number of stones taken.
    type Action = u8;
    type Observation = (u8, u8);

    fn seats(&self) -> usize {
        2
    }
    fn scoring(&self) -> Scoring {
        Scoring::Adversarial
    }
    fn turn(&self, &(stones, mover): &(u8, u8)) -> Turn {
        if stones == 0 { Turn::Over } else { Turn::Seat(Seat::new(mover.into())) }
    }
    fn actions(&self, &(stones, _): &(u8, u8), _seat: Seat, out: &mut Vec<u8>) {
        out.extend(1..=stones.min(3));
    }
    fn check(&self, &(stones, _): &(u8, u8), _seat: Seat, taken: &u8) -> Result<(), Illegal> {
        match (1..=stones.min(3)).contains(taken) {
            true => Ok(()),
            false => Err(Illegal::new(format!("{taken} of {stones} stones cannot be taken"))),
        }
    }
    fn step(&self, state: &mut (u8, u8), joint: &[u8]) {
        *state = (state.0 - joint[0], 1 - state.1);
    }
    fn observe(&self, state: &(u8, u8), _seat: Seat) -> (u8, u8) {
        *state
    }
    fn determinize(&self, seen: &(u8, u8), _seat: Seat, _rng: &mut Rng) -> (u8, u8) {
        *seen
    }
    /// One point for the seat that took the last stone: it is the other's turn.
    fn score(&self, &(stones, mover): &(u8, u8), seat: Seat) -> f64 {
        f64::from(u8::from(stones == 0 && seat.index() != usize::from(mover)))
    }
    fn ending(&self, _state: &(u8, u8)) -> Ending {
        Ending::new("no stones")
    }
}
