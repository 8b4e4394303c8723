//! How a match of pentocity starts and which requests it makes. The scenario's source of requests
//! lives here; its requests depend on the match's own random numbers. Players plan with how often
//! each request came so far ([`Rules::sample_chance`](quintain_core::Rules::sample_chance)).

use std::sync::Arc;

use quintain_core::{Environment, Rng, Scenario};

use crate::requests::{RequestHistory, RequestSource};
use crate::rules::Pentocity;
use crate::rules::state::State;

/// The scenario of these rules on an empty board, with requests from `source`.
pub fn scenario(rules: Pentocity, source: Arc<dyn RequestSource>) -> Scenario<Pentocity> {
    Scenario::new(rules, Requests(source))
}

/// The scenario of a duel's rules on an empty board: its second seat makes the requests, and there
/// is no chance.
pub fn duel(rules: Pentocity) -> Scenario<Pentocity> {
    Scenario::new(rules, |rules: &Pentocity, _: &mut Rng| State::new(rules.side()).with_history())
}

struct Requests(Arc<dyn RequestSource>);

impl Environment<Pentocity> for Requests {
    fn start(&self, rules: &Pentocity, _rng: &mut Rng) -> State {
        State::new(rules.side()).with_history()
    }

    fn apply_chance(&self, rules: &Pentocity, state: &mut State, rng: &mut Rng) {
        if self.0.length().is_some_and(|length| state.requests() as usize >= length) {
            state.is_exhausted = true;
            return;
        }
        let (board, totals) = (&state.board, &state.totals);
        let history = RequestHistory { board, totals, scoring: rules.ruleset() };
        let piece = self.0.next(&history, rng);
        state.ask(piece);
    }
}
