//! What is asked for in a match of pentocity: by the scenario's sequencer, which no player
//! can reach. Players plan with how often each request came so far
//! ([`Rules::sample_chance`](quintain_core::Rules::sample_chance)).

use std::sync::Arc;

use quintain_core::{Environment, Rng, Scenario};

use crate::rules::{Pentocity, Ruleset, State};
use crate::sequencers::{Past, Sequencer};

/// The scenario on an empty land of `side` × `side` cells, where `sequencer` asks. The side
/// must be among [`SIDES`](crate::land::SIDES).
pub fn scenario(
    side: usize,
    ruleset: Ruleset,
    sequencer: Arc<dyn Sequencer>,
) -> Scenario<Pentocity> {
    Scenario::new(Pentocity::new(side, ruleset), Requests(sequencer))
}

struct Requests(Arc<dyn Sequencer>);

impl Environment<Pentocity> for Requests {
    fn start(&self, rules: &Pentocity, _rng: &mut Rng) -> State {
        State::new(rules.side())
    }

    fn apply_chance(&self, rules: &Pentocity, state: &mut State, rng: &mut Rng) {
        if self.0.length().is_some_and(|length| state.requests() as usize >= length) {
            state.is_exhausted = true;
            return;
        }
        let past = Past { land: &state.land, tally: &state.tally, scoring: rules.ruleset() };
        let form = self.0.next(&past, rng);
        state.ask(form);
    }
}
