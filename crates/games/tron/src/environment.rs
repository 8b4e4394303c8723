//! How a match of tron starts: on a fixed position, perhaps after some random turns, or on a board
//! made from the match's seed. Nothing after that is random.

use quintain_core::{Environment, Rng, Rules, Scenario, Seat, Turn};

use crate::rules::direction::Direction;
use crate::rules::state::State;
use crate::rules::{Headings, Tron};
use crate::scenarios::generate::{Generator, Symmetry};

/// Returns the scenario of these rules that starts from `position` after `opening` random turns, so
/// that deterministic players do not play the same match over and over.
///
/// # Panics
/// If the position and the rules differ in the number of seats.
pub fn scenario(rules: Tron, position: State, opening: u32) -> Scenario<Tron> {
    assert_eq!(rules.seats(), position.seats(), "seats of the rules and of the position");
    Scenario::new(rules, FixedStart { position, opening })
}

/// Returns the scenario of these rules with boards made by `generator`.
pub(crate) fn scenario_with_boards(rules: Tron, generator: Generator) -> Scenario<Tron> {
    Scenario::new(rules, generator)
}

struct FixedStart {
    position: State,
    opening: u32,
}

impl Environment<Tron> for FixedStart {
    /// Plays the opening: random turns that avoid immediate crashes, in which nobody falls. If no
    /// such opening is found within a number of tries, the match starts from the position itself.
    fn start(&self, rules: &Tron, rng: &mut Rng) -> State {
        const TRIES: usize = 50;
        // Its turns do not count towards the last one.
        let rules = &rules.clone().with_last_turn(u16::MAX);
        let mut start = self.position.clone();
        draw_headings(rules, &mut start, Symmetry::None, rng);
        for _ in 0..TRIES {
            let mut state = start.clone();
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
                state.opening.0 = state.turn - self.position.turn;
                return state;
            }
        }
        start
    }
}

impl Environment<Tron> for Generator {
    fn start(&self, rules: &Tron, rng: &mut Rng) -> State {
        let mut state = self.generate(rng);
        draw_headings(rules, &mut state, self.symmetry, rng);
        state
    }
}

/// Gives every head a direction, if the rules say so: one in which the next cell is free, where
/// there is one. On symmetric boards, the second of two heads has the image of the first one's.
fn draw_headings(rules: &Tron, state: &mut State, symmetry: Symmetry, rng: &mut Rng) {
    if rules.headings() == Headings::Free {
        return;
    }
    let mut before = Direction::Up;
    for seat in Seat::all(state.seats()) {
        let is_image = seat.index() % 2 == 1;
        before = match symmetry {
            Symmetry::Point if is_image => before.opposite(),
            Symmetry::Mirror if is_image => match before {
                Direction::Left | Direction::Right => before.opposite(),
                Direction::Up | Direction::Down => before,
            },
            _ => {
                let free: Vec<Direction> = state.free_directions(seat).collect();
                rng.pick(&free).copied().unwrap_or(Direction::Up)
            }
        };
        state.set_heading(seat, before);
    }
}
