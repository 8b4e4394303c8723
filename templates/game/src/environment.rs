//! What only the match holds: how it starts, and what chance does. Players never reach it;
//! where chance moves, they plan with the model that the rules publish
//! (`Rules::sample_chance`).

use quintain_core::{Environment, Rng};

use crate::rules::{NewGame, State};

/// An empty board. Chance never moves.
pub(crate) struct EmptyBoard;

impl Environment<NewGame> for EmptyBoard {
    fn start(&self, _rules: &NewGame, _rng: &mut Rng) -> State {
        State::default()
    }
}
