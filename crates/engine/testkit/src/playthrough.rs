//! Whole matches in which every seat plays the actions of rollouts, for golden files: they show
//! what a change of the rules has changed.

use std::sync::Arc;

use quintain_core::{AnyEntry as _, Entry, Match, Rng, Rules, Seat, SpecError};

/// The action of each seat that moves, in their order, drawn as in rollouts.
pub fn rollout_joint<R: Rules>(current: &Match<R>, rng: &mut Rng) -> Vec<R::Action> {
    let rules = current.rules();
    let action = |seat: &Seat| rules.rollout_action(current.state(), *seat, rng);
    current.acting().iter().map(action).collect()
}

/// A match of a game for one seat, one line per turn: what the seat sees at first, its actions with
/// the score after each, what `describe_end` says about the last position, and the outcome.
///
/// # Errors
/// If the scenario cannot be built.
///
/// # Panics
/// If the rules refuse one of their own rollout actions.
pub fn playthrough<R: Rules>(
    entry: Entry<R>,
    scenario: &str,
    describe_end: impl FnOnce(&Match<R>) -> String,
) -> Result<String, SpecError> {
    let entry = Arc::new(entry);
    let (built, canonical) = Entry::build(&entry, scenario)?;
    let mut current = Match::new(built, 1);
    let mut rng = Rng::from_seed(1);
    let seat = Seat::new(0);
    let seen = current.rules().observe(current.state(), seat);
    let seen = serde_json::to_string(&seen).expect("observations have a JSON form");
    let mut text = format!("{}:{canonical}\nseat 0 sees {seen}\n", entry.name());
    while !current.is_over() {
        let joint = rollout_joint(&current, &mut rng);
        current.play(&joint).expect("actions of rollouts are legal");
        let score = current.rules().score(current.state(), seat);
        text += &format!("turn {}: {} (score {score})\n", current.turn(), joint[0]);
    }
    text += &describe_end(&current);
    let outcome = serde_json::to_string_pretty(&current.outcome()).expect("plain data");
    Ok(text + &outcome + "\n")
}
