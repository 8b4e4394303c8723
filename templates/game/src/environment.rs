//! What only the match knows: how it starts, and what chance does. Players have no access
//! to it; where chance moves, they plan with the model that the rules publish
//! (`Rules::sample_chance`).

use quintain_core::{Environment, Rng, Scenario};

use crate::rules::{NewGame, State};

/// The scenario of these rules: every match starts on an empty board. Chance never moves.
pub fn scenario(rules: NewGame) -> Scenario<NewGame> {
    Scenario::new(rules, EmptyBoard)
}

struct EmptyBoard;

impl Environment<NewGame> for EmptyBoard {
    fn start(&self, _rules: &NewGame, _rng: &mut Rng) -> State {
        State::default()
    }
}
