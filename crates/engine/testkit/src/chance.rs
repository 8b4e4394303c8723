//! Whether players could know what chance will do. They hold the rules, never the environment, so
//! the only way is the model that the rules publish ([`Rules::sample_chance`]): it must follow from
//! what was observed and from [`Rules::setting`], not from the scenario's own plans.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::sync::Arc;

use quintain_core::{Entry, Rng, Rules, Scenario, Seat, Streams, Turn, is_acting, key_of};
use serde_json::Value;

use crate::report::{ConformanceReport, TestEffort};

/// Chance events examined in each match.
const EVENTS: usize = 100;
/// Matches whose first events are examined: observations are often the same there.
const MATCHES: u64 = 40;
/// Chance events examined in a match once enough were collected.
const FIRST_EVENTS: usize = 3;
/// The least number of events from which a model can be called clairvoyant.
const ENOUGH: usize = 20;
/// After this many matches, no more are begun to find as many events.
const MAX_MATCHES: u64 = 200;
/// The number of seats through whose observations chance is examined.
const SEATS: usize = 4;

/// A scenario with chance, and its canonical text.
struct Candidate<R: Rules> {
    scenario: Scenario<R>,
    name: String,
}

/// One event, as one seat meets it: the observation before, and the observations after the true
/// event and after each of two draws of the model.
struct Event {
    seat: usize,
    before: u64,
    truth: u64,
    draws: [u64; 2],
    /// What the event changes in the observation; the first draw likewise.
    true_kind: u64,
    drawn_kind: u64,
}

/// Fails for a game whose players can draw the true future:
/// - where a seat observes the same, in another match or on another scenario that publishes the
///   same setting, the model must draw the same from the same random numbers;
/// - where a seat observes the same and different things happen, draws must not correlate with what
///   happens;
/// - where a seat never observes the same again, draws must not hit more often than they agree
///   among themselves, nor foretell what varies.
pub(crate) fn check_chance<R: Rules>(
    entry: &Arc<Entry<R>>,
    effort: &TestEffort,
    report: &mut ConformanceReport,
) {
    let defaults = entry.scenario_entries().iter().map(|known| known.listed.name().to_owned());
    let candidates: Vec<Candidate<R>> = defaults
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
        let collector = EventCollector {
            candidate,
            twin: twin.map(|(_, twin)| twin),
            events: Vec::new(),
            drawn: HashMap::new(),
        };
        if let Some((events, matches)) = collector.collect(effort, report) {
            judge(&candidate.name, &events, matches, report);
        }
    }
}

/// Collects the chance events of a scenario.
struct EventCollector<'a, R: Rules> {
    candidate: &'a Candidate<R>,
    twin: Option<&'a Candidate<R>>,
    events: Vec<Event>,
    /// What was drawn for a seat with this observation, from random numbers that follow from it.
    drawn: HashMap<(usize, u64), u64>,
}

impl<R: Rules> EventCollector<'_, R> {
    /// Collects the events of random matches and the number of matches; `None` if the model is
    /// known to leak.
    fn collect(
        mut self,
        effort: &TestEffort,
        report: &mut ConformanceReport,
    ) -> Option<(Vec<Event>, u64)> {
        let seats = self.candidate.scenario.rules().seats().min(SEATS);
        let wanted = EVENTS * seats * effort.games.max(1) as usize;
        let mut seed = 0;
        while seed < MATCHES || (self.events.len() < ENOUGH * seats && seed < MAX_MATCHES) {
            let most = if self.events.len() < wanted { EVENTS } else { FIRST_EVENTS };
            if !self.play(seed, most, report) {
                return None;
            }
            seed += 1;
        }
        Some((self.events, seed))
    }

    /// Plays one random match, whose first events the model draws too; returns false if it leaks.
    fn play(&mut self, seed: u64, most: usize, report: &mut ConformanceReport) -> bool {
        let Candidate { scenario, name } = self.candidate;
        let rules = scenario.rules();
        let streams = Streams::new(seed);
        let mut state = scenario.start(&mut streams.start());
        let (mut chance, mut own) = (streams.chance(), Rng::from_seed(seed ^ 0xC4A1));
        let seats: Vec<Seat> = Seat::all(rules.seats().min(SEATS)).collect();
        let mut events = 0;
        while events < most {
            match rules.turn(&state) {
                Turn::Over => break,
                Turn::Chance => {
                    let mut met = Vec::with_capacity(seats.len());
                    for &seat in &seats {
                        let Some(event) = self.draw(&state, seat, seed, &mut own, report) else {
                            return false;
                        };
                        met.push(event);
                    }
                    scenario.apply_chance(&mut state, &mut chance);
                    if rules.turn(&state) == Turn::Over {
                        break;
                    }
                    events += 1;
                    for (&seat, (before, mut event)) in seats.iter().zip(met) {
                        let after = to_json(&rules.observe(&state, seat));
                        event.truth = key_of(&after.to_string());
                        event.true_kind = kind_of(&before, &after);
                        self.events.push(event);
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
        report.check(true, || name.clone());
        true
    }

    /// What the model draws at a position for a seat, and what the seat observes before; `None` if
    /// the draw depends on something else than the observation.
    fn draw(
        &mut self,
        state: &R::State,
        seat: Seat,
        seed: u64,
        own: &mut Rng,
        report: &mut ConformanceReport,
    ) -> Option<(Value, Event)> {
        let Candidate { scenario, name } = self.candidate;
        let rules = scenario.rules();
        let observation = rules.observe(state, seat);
        let draw = |rules: &R, observation: &R::Observation, rng: &mut Rng| {
            let mut determinized = rules.determinize(observation, seat, rng);
            if rules.turn(&determinized) == Turn::Chance {
                rules.sample_chance(&mut determinized, rng);
            }
            to_json(&rules.observe(&determinized, seat))
        };
        let json = to_json(&observation);
        let before = key_of(&json.to_string());
        let shared = Rng::from_seed(before);
        let here = draw(rules, &observation, &mut shared.clone());
        if let Some(twin) = self.twin {
            let there = draw(twin.scenario.rules(), &observation, &mut shared.clone());
            report.check(here == there, || {
                format!(
                    "{name}: seed {seed}: its chance model draws otherwise than that of {}, whose \
                     setting is the same: players can tell what is hidden",
                    twin.name
                )
            });
            if here != there {
                return None;
            }
        }
        let here = key_of(&here.to_string());
        let first = *self.drawn.entry((seat.index(), before)).or_insert(here);
        report.check(first == here, || {
            format!(
                "{name}: seed {seed}: seat {seat} saw the same before, and its chance model now \
                 draws otherwise from the same random numbers: it knows what is not seen"
            )
        });
        if first != here {
            return None;
        }
        let drawn = [(); 2].map(|()| draw(rules, &observation, own));
        let event = Event {
            seat: seat.index(),
            before,
            truth: 0,
            draws: [0, 1].map(|draw| key_of(&drawn[draw].to_string())),
            true_kind: 0,
            drawn_kind: kind_of(&json, &drawn[0]),
        };
        Some((json, event))
    }
}

fn to_json(observation: &impl serde::Serialize) -> Value {
    serde_json::to_value(observation).unwrap_or_default()
}

/// Judges whether draws of the model foretell what will happen.
fn judge(name: &str, events: &[Event], matches: u64, report: &mut ConformanceReport) {
    for seat in 0..SEATS {
        let events: Vec<&Event> = events.iter().filter(|event| event.seat == seat).collect();
        if events.is_empty() && seat > 0 {
            continue;
        }
        let n = events.len();
        if n < ENOUGH {
            report.unjudged.push(format!(
                "{name}: too few chance events to judge the model: {n} in {matches} matches"
            ));
            return;
        }
        let Excess { hits, expected, variance } = hits_where_the_same_is_seen(&events);
        // Five standard deviations, and some more where few hits are expected.
        report.check(hits - expected <= 5.0 * variance.sqrt() + 5.0, || {
            format!(
                "{name}: seat {seat}: where the same was seen, the chance model drew what came \
                 {hits} \
                 times, expected {expected:.1}: players can draw the true future"
            )
        });
        let count = |is_counted: &dyn Fn(&Event) -> bool| {
            events.iter().filter(|event| is_counted(event)).count() as f64
        };
        let hits = count(&|event| event.draws[0] == event.truth);
        let agreeing = count(&|event| event.draws[0] == event.draws[1]);
        let pooled = hits_by_any_order(&events);
        let n = n as f64;
        // A model that follows from what is observed is right about as often as it agrees with
        // itself, unless most events are the same: then it is right about other events as well.
        let better = hits - agreeing.max(pooled) > 2.5 * n.sqrt() + 5.0;
        let spread = 4.0 * (pooled * (1.0 - pooled / n)).sqrt();
        let foretells = hits >= 0.9 * n && hits - pooled > spread.max(0.15 * n);
        report.check(!better && !foretells, || {
            format!(
                "{name}: seat {seat}: the chance model foretold {hits} of {n} events, {pooled:.0} \
                 expected: \
                 players can draw the true future"
            )
        });
    }
}

/// Hits, and how many there would be if draws were independent of what happened.
#[derive(Default)]
struct Excess {
    hits: f64,
    expected: f64,
    variance: f64,
}

/// Hits among events before which a seat observed the same, compared with the draws in random
/// order: their mean and variance (Hoeffding 1951, of sums over random permutations).
fn hits_where_the_same_is_seen(events: &[&Event]) -> Excess {
    let mut groups: BTreeMap<u64, Vec<&Event>> = BTreeMap::new();
    for event in events {
        groups.entry(event.before).or_default().push(event);
    }
    let mut excess = Excess::default();
    for group in groups.values().filter(|group| group.len() > 1) {
        let size = group.len() as f64;
        let is_hit =
            |truth: &Event, draw: &Event| f64::from(u8::from(truth.truth == draw.draws[0]));
        let sum_over =
            |hit: &dyn Fn(&Event) -> f64| group.iter().map(|event| hit(event)).sum::<f64>();
        let of_truth: Vec<f64> =
            group.iter().map(|truth| sum_over(&|draw| is_hit(truth, draw)) / size).collect();
        let of_draw: Vec<f64> =
            group.iter().map(|draw| sum_over(&|truth| is_hit(truth, draw)) / size).collect();
        let mean = of_truth.iter().sum::<f64>() / size;
        let mut squares = 0.0;
        for (truth, row) in group.iter().zip(&of_truth) {
            for (draw, column) in group.iter().zip(&of_draw) {
                squares += (is_hit(truth, draw) - row - column + mean).powi(2);
            }
        }
        excess.hits += sum_over(&|event| is_hit(event, event));
        excess.expected += mean * size;
        excess.variance += squares / (size - 1.0);
    }
    excess
}

/// How many events would be foretold, by their kinds, if the draws came in random order.
fn hits_by_any_order(events: &[&Event]) -> f64 {
    let mut kinds: BTreeMap<u64, (f64, f64)> = BTreeMap::new();
    for event in events {
        kinds.entry(event.true_kind).or_default().0 += 1.0;
        kinds.entry(event.drawn_kind).or_default().1 += 1.0;
    }
    kinds.values().map(|(came, drawn)| came * drawn).sum::<f64>() / events.len() as f64
}

fn kind_of(before: &Value, after: &Value) -> u64 {
    let mut kind = String::new();
    describe_change("", before, after, &mut kind);
    key_of(&kind)
}

/// Describes what an event changed in an observation's JSON; events with the same description are
/// one kind of event. A model that has seen only one kind so far honestly foretells the next one,
/// so a value that merely counts events must not make different kinds of them: a number is
/// described by how much it grew, and a list that grew by what was added.
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

    /// A game of guessing the next digit of a hidden sequence. If it leaks, its rules hold the
    /// sequence.
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
            if *action < 10 { Ok(()) } else { Err(Illegal::new("no digit")) }
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
            Ending::new("thirty digits")
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
        let mut report = ConformanceReport::default();
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
    fn certain_events_may_be_foretold() {
        assert_eq!(failures(true, &[("ones", &[1])]), Vec::<String>::new());
    }
}
