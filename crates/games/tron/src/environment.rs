//! How a match of tron starts: on a fixed position, perhaps some random turns further on, or
//! on a board made from the match's seed. Nothing is left to chance after that.

use quintain_core::{Environment, Rng, Rules, Scenario, Seat, Turn};

use crate::rules::direction::Direction;
use crate::rules::state::State;
use crate::rules::{Moves, Trails, Tron};
use crate::scenarios::generate::Generator;

/// The scenario that starts from `position`, `opening` random turns further on: so players
/// without chance of their own do not play the same match over and over.
pub fn scenario_on(position: State, moves: Moves, trails: Trails, opening: u32) -> Scenario<Tron> {
    let rules = Tron::new(position.seats(), moves, trails);
    Scenario::new(rules, FixedStart { position, opening })
}

/// The scenario whose boards `generator` makes.
pub(crate) fn scenario_generated(
    generator: Generator,
    moves: Moves,
    trails: Trails,
) -> Scenario<Tron> {
    Scenario::new(Tron::new(generator.seats, moves, trails), generator)
}

struct FixedStart {
    position: State,
    opening: u32,
}

impl Environment<Tron> for FixedStart {
    /// Plays the opening: turns at random that do not crash at once, in which nobody falls.
    /// Where none is found in some tries, the match starts from the position itself.
    fn start(&self, rules: &Tron, rng: &mut Rng) -> State {
        const TRIES: usize = 50;
        for _ in 0..TRIES {
            let mut state = self.position.clone();
            for _ in 0..self.opening {
                let acting: Vec<Seat> = match rules.turn(&state) {
                    Turn::Simultaneous => state.alive().collect(),
                    Turn::Seat(seat) => vec![seat],
                    Turn::Over | Turn::Chance => break,
                };
                let joint: Vec<Direction> =
                    acting.iter().map(|seat| rules.rollout_action(&state, *seat, rng)).collect();
                rules.step(&mut state, &joint);
            }
            if state.alive().count() == state.seats() {
                return state;
            }
        }
        self.position.clone()
    }
}

impl Environment<Tron> for Generator {
    fn start(&self, _rules: &Tron, rng: &mut Rng) -> State {
        self.generate(rng)
    }
}
