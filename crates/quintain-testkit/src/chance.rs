//! Whether players could know what chance will do. They hold the rules, never the
//! environment, so what remains is the model that the rules publish
//! ([`Rules::sample_chance`]): it must follow from what was seen and from
//! [`Rules::setting`], not from the scenario's own plans.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::sync::Arc;

use quintain_core::{Entry, Rng, Rules, Scenario, Seat, Streams, Turn, is_acting};
use serde_json::Value;

use crate::report::{Report, TestEffort};

/// Chance events looked at in each match.
const EVENTS: usize = 100;
/// The least number of events from which a model can be called clairvoyant.
const ENOUGH: usize = 20;

/// A scenario with chance, and its canonical text.
struct Candidate<R: Rules> {
    scenario: Scenario<R>,
    name: String,
}

/// Fails for a game whose players can draw the true future:
/// - where two scenarios publish the same setting, their models must draw the same from the
///   same observation (otherwise a model knows which scenario it plays);
/// - a model must not foretell every event where events vary.
pub(crate) fn check_chance<R: Rules>(
    entry: &Arc<Entry<R>>,
    effort: &TestEffort,
    report: &mut Report,
) {
    let families = entry.scenario_entries().iter().map(|family| family.name.to_owned());
    let candidates: Vec<Candidate<R>> = families
        .chain(effort.scenarios.iter().cloned())
        .filter_map(|text| {
            let (scenario, name) = entry.build(&text).ok()?;
            scenario.rules().has_chance().then_some(Candidate { scenario, name })
        })
        .collect();
    for (index, candidate) in candidates.iter().enumerate() {
        let setting = candidate.scenario.rules().setting();
        let twin = candidates
            .iter()
            .enumerate()
            .find(|(other, twin)| *other != index && twin.scenario.rules().setting() == setting);
        for seed in 0..effort.games.max(1) {
            play(candidate, twin.map(|(_, twin)| twin), seed, report);
        }
    }
}

/// One random match, every chance event of which is foretold.
fn play<R: Rules>(
    Candidate { scenario, name }: &Candidate<R>,
    twin: Option<&Candidate<R>>,
    seed: u64,
    report: &mut Report,
) {
    let rules = scenario.rules();
    let streams = Streams::new(seed);
    let mut state = scenario.start(&mut streams.start());
    let (mut chance, mut own) = (streams.chance(), Rng::from_seed(seed ^ 0xC4A1));
    let (mut events, mut foretold) = (0, 0);
    let mut outcomes: HashSet<String> = HashSet::new();
    let seat = Seat::new(0);
    while events < EVENTS {
        match rules.turn(&state) {
            Turn::Over => break,
            Turn::Chance => {
                let observation = rules.observe(&state, seat);
                let draw = |rules: &R, rng: &mut Rng| {
                    let mut determinized = rules.determinize(&observation, seat, rng);
                    if rules.turn(&determinized) == Turn::Chance {
                        rules.sample_chance(&mut determinized, rng);
                    }
                    rules.observe(&determinized, seat)
                };
                if let Some(twin) = twin {
                    let here = draw(rules, &mut own.clone());
                    let there = draw(twin.scenario.rules(), &mut own.clone());
                    let (here_name, there_name) = (name, &twin.name);
                    report.check(here == there, || {
                        format!(
                            "{here_name}: seed {seed}: its chance model draws otherwise than that of \
                             {there_name}, whose setting is the same: players can tell what is hidden"
                        )
                    });
                    if here != there {
                        return;
                    }
                }
                let expected = draw(rules, &mut own);
                let before = serde_json::to_value(&observation).unwrap_or_default();
                scenario.apply_chance(&mut state, &mut chance);
                let seen = rules.observe(&state, seat);
                if rules.turn(&state) != Turn::Over {
                    events += 1;
                    foretold += usize::from(seen == expected);
                    let after = serde_json::to_value(&seen).unwrap_or_default();
                    let mut kind = String::new();
                    describe_change("", &before, &after, &mut kind);
                    outcomes.insert(kind);
                }
            }
            _ => {
                let acting = Seat::all(rules.seats());
                let acting = acting.filter(|seat| is_acting(rules, &state, *seat));
                let joint: Vec<R::Action> =
                    acting.map(|seat| rules.rollout_action(&state, seat, &mut own)).collect();
                rules.step(&mut state, &joint);
            }
        }
    }
    report.check(events < ENOUGH || foretold < events || outcomes.len() < 2, || {
        format!(
            "{name}: seed {seed}: the chance model foretold all of {events} events: players can draw \
             the true future"
        )
    });
}

/// What an event changed in an observation's JSON: events that are described alike are one kind
/// of event. A model that has seen only one kind so far honestly foretells the next one, so
/// that what merely counts events must not make kinds of them: a number is described by what
/// it has grown by, and a list that has grown by what was added.
fn describe_change(place: &str, before: &Value, after: &Value, out: &mut String) {
    match (before, after) {
        _ if before == after => {}
        (Value::Number(old), Value::Number(new)) => {
            let growth = new.as_f64().unwrap_or(0.0) - old.as_f64().unwrap_or(0.0);
            let _ = write!(out, "{place} grows by {growth};");
        }
        (Value::Array(old), Value::Array(new)) => {
            for (index, (old, new)) in old.iter().zip(new).enumerate() {
                describe_change(&format!("{place}/{index}"), old, new, out);
            }
            for added in new.iter().skip(old.len()) {
                let _ = write!(out, "{place} has {added} added;");
            }
            if old.len() > new.len() {
                let _ = write!(out, "{place} loses {};", old.len() - new.len());
            }
        }
        (Value::Object(old), Value::Object(new)) => {
            for (key, new) in new {
                let old = old.get(key).unwrap_or(&Value::Null);
                describe_change(&format!("{place}/{key}"), old, new, out);
            }
        }
        _ => {
            let _ = write!(out, "{place} becomes {after};");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quintain_core::parameters::NoParameters;
    use quintain_core::{Ending, Environment, Illegal, Scoring};

    /// Guess the next of a hidden sequence of digits. If it leaks, its rules hold the sequence.
    #[derive(Clone)]
    struct Guess {
        leak: Option<&'static [u8]>,
    }

    /// Digits shown so far, and whether one must be guessed now.
    type Position = (Vec<u8>, bool);

    impl Rules for Guess {
        type State = Position;
        type Action = u8;
        type Observation = Position;

        fn seats(&self) -> usize {
            1
        }
        fn scoring(&self) -> Scoring {
            Scoring::Independent
        }
        fn has_chance(&self) -> bool {
            true
        }
        fn turn(&self, (digits, guess): &Position) -> Turn {
            match (guess, digits.len()) {
                (true, _) => Turn::Seat(Seat::new(0)),
                (false, 30) => Turn::Over,
                _ => Turn::Chance,
            }
        }
        fn actions(&self, _: &Position, _: Seat, out: &mut Vec<u8>) {
            out.extend(0..10);
        }
        fn check(&self, _: &Position, _: Seat, action: &u8) -> Result<(), Illegal> {
            if *action < 10 { Ok(()) } else { Err(Illegal("no digit".to_owned())) }
        }
        fn step(&self, state: &mut Position, _: &[u8]) {
            state.1 = false;
        }
        fn sample_chance(&self, state: &mut Position, rng: &mut Rng) {
            let next = self.leak.map_or_else(|| rng.below(10) as u8, |all| next(all, &state.0));
            state.0.push(next);
            state.1 = true;
        }
        fn observe(&self, state: &Position, _: Seat) -> Position {
            state.clone()
        }
        fn determinize(&self, seen: &Position, _: Seat, _: &mut Rng) -> Position {
            seen.clone()
        }
        fn score(&self, _: &Position, _: Seat) -> f64 {
            0.0
        }
        fn ending(&self, _: &Position) -> Ending {
            Ending { reason: "thirty digits", truncated: false }
        }
    }

    fn next(all: &[u8], shown: &[u8]) -> u8 {
        all[shown.len() % all.len()]
    }

    struct Hidden(&'static [u8]);

    impl Environment<Guess> for Hidden {
        fn start(&self, _: &Guess, _: &mut Rng) -> Position {
            (Vec::new(), true)
        }
        fn apply_chance(&self, _: &Guess, state: &mut Position, _: &mut Rng) {
            let next = next(self.0, &state.0);
            state.0.push(next);
            state.1 = true;
        }
    }

    fn entry(leaks: bool, sequences: &[(&'static str, &'static [u8])]) -> Entry<Guess> {
        let mut entry = Entry::new("guess", 1, "guess the next digit", "a fixture");
        for &(name, digits) in sequences {
            let rules = Guess { leak: leaks.then_some(digits) };
            let scenario = Scenario::new(rules, Hidden(digits));
            let build = move |_: &mut NoParameters| Ok(scenario.clone());
            entry = entry.scenario(name, "a hidden sequence", "a fixture", build);
        }
        entry
    }

    fn failures(leaks: bool, sequences: &[(&'static str, &'static [u8])]) -> Vec<String> {
        let mut report = Report::default();
        check_chance(&Arc::new(entry(leaks, sequences)), &TestEffort::default(), &mut report);
        assert!(report.checks > 0);
        report.failures
    }

    const UP: (&str, &[u8]) = ("up", &[1, 2, 3, 4, 5]);
    const DOWN: (&str, &[u8]) = ("down", &[5, 4, 3, 2, 1]);

    #[test]
    fn a_game_whose_players_can_draw_the_true_future_fails() {
        let alone = failures(true, &[UP]);
        assert!(alone[0].contains("can draw the true future"), "{alone:?}");
        let two = failures(true, &[UP, DOWN]);
        assert!(two[0].contains("players can tell what is hidden"), "{two:?}");
    }

    #[test]
    fn a_game_that_keeps_its_sequence_from_players_passes() {
        assert_eq!(failures(false, &[UP]), Vec::<String>::new());
        assert_eq!(failures(false, &[UP, DOWN]), Vec::<String>::new());
    }

    #[test]
    fn an_event_that_is_always_the_same_may_be_foretold() {
        assert_eq!(failures(true, &[("ones", &[1])]), Vec::<String>::new());
    }
}
