//! A typed game bound to its scenario, as an [`AnyGame`].

use std::any::Any;
use std::fmt::{Display, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::{AnyGame, AnyMatch, OnTurn, PlayerHandle, PlayerHandleKind};
use crate::advice::{Adviser, AnyAdviser};
use crate::budget::Budget;
use crate::build_error::BuildError;
use crate::clock::{paused_time, settled_paused_time};
use crate::entry::Entry;
use crate::environment::Scenario;
use crate::external::{ExternalSource, Question};
use crate::matches::{Match, Setup};
use crate::numbered_rules::MakeEncoding;
use crate::outcome::{FaultKind, Outcome, SeatFault};
use crate::player::{MatchStart, Player, PreparedPlayer};
use crate::protocol::{ForeignProtocol, Lifecycle, ProtocolError};
use crate::record::{FIXTURE_FORM, FORMAT, Fixture, Record, RecordError, Versions};
use crate::referee::{FinishedMatch, play};
use crate::rules::{Illegal, Objective, Rules, Scoring};
use crate::seat::Seat;
use crate::seated_external::{Numbers, SeatedExternal, find_encoding, read_action};
use crate::spec_error::SpecError;
use crate::stream::{Rng, Streams};

/// The roster player behind a handle; an error if the handle comes from another game's entry.
fn find_prepared<R: Rules>(player: &dyn Any) -> Result<&PreparedPlayer<R>, BuildError> {
    player.downcast_ref().ok_or_else(|| "is a player of another game".into())
}

/// A typed game bound to its scenario's text.
pub(super) struct BoundGame<R: Rules> {
    pub(super) entry: Arc<Entry<R>>,
    pub(super) scenario: Scenario<R>,
    /// The scenario's canonical text.
    pub(super) text: String,
    /// The digests of the files that the scenario is made of.
    pub(super) files: Vec<String>,
}

impl<R: Rules> BoundGame<R> {
    fn encodings(&self) -> Vec<MakeEncoding<R>> {
        self.entry.encodings().iter().map(|(_, make)| Arc::clone(make)).collect()
    }

    /// Refuses a program whose protocol cannot express matches here.
    fn accepts_protocol(&self, source: &dyn ExternalSource, spec: &str) -> Result<(), SpecError> {
        let Some(name) = source.foreign_protocol(spec) else { return Ok(()) };
        let protocol = self.entry.protocols.iter().find(|known| known.name == name);
        let Some(protocol) = protocol else { return Ok(()) };
        let Err(error) = self.check_protocol(protocol, &self.scenario, &self.text) else {
            return Ok(());
        };
        let fits = |known: &&str| {
            let built = self.entry.build(known);
            built.is_ok_and(|(other, text)| self.check_protocol(protocol, &other, &text).is_ok())
        };
        let mut names = self.entry.scenario_entries().iter().map(|known| known.listed.name());
        let other = match names.find(fits) {
            Some(other) => format!("another scenario, such as {other},"),
            None => "another scenario".to_owned(),
        };
        let problem = format!("it speaks {name}, and {error}; name {other} or another player");
        Err(self.refuse(spec, problem.into()))
    }

    /// Checks that a protocol can express a match, seen at its beginning, at each of its seats.
    fn check_protocol(
        &self,
        protocol: &ForeignProtocol,
        scenario: &Scenario<R>,
        text: &str,
    ) -> Result<(), ProtocolError> {
        let (rules, setting) = (scenario.rules(), scenario.rules().setting());
        let start = Match::new(scenario.clone(), 0);
        for seat in Seat::all(rules.seats()) {
            let mut referee = (protocol.referee)();
            let about = MatchStart::new(self.entry.name(), text, rules.seats());
            referee.match_start(&about.with_seat(seat, 0, Budget::default()), &setting)?;
            if protocol.lifecycle == Lifecycle::Plan {
                // This only makes texts: nothing is written to the folder.
                referee.launch(&setting, Duration::from_secs(1), Path::new("."))?;
            } else {
                let (seen, actions) =
                    (AnyMatch::observation(&start, seat), AnyMatch::actions(&start, seat));
                referee.question(&Question::new(seat, 0, seen, actions))?;
            }
        }
        Ok(())
    }

    /// Refuses a program whose protocol does not fit, and a player that works with numbers if
    /// actions have no numbers.
    fn accepts_external(&self, source: &dyn ExternalSource, spec: &str) -> Result<(), SpecError> {
        self.accepts_protocol(source, spec)?;
        if !source.is_numbered(spec) {
            return Ok(());
        }
        let start = Match::new(self.scenario.clone(), 0);
        let rules = self.scenario.rules();
        let seat = AnyMatch::acting(&start).first().copied();
        let found =
            seat.and_then(|seat| find_encoding(&self.encodings(), rules, start.state(), seat));
        if found.is_some() {
            return Ok(());
        }
        let problem = "it works with numbers, but the actions of this game have none".into();
        Err(self.refuse(spec, problem))
    }

    fn player(&self, seated: &PlayerHandle) -> Result<Box<dyn Player<R>>, SpecError> {
        if let PlayerHandleKind::External(source) = &seated.kind {
            self.accepts_protocol(source.as_ref(), &seated.spec)?;
        }
        let player: Result<Box<dyn Player<R>>, BuildError> = match &seated.kind {
            PlayerHandleKind::Roster(prepared) => find_prepared::<R>(prepared.as_ref())
                .and_then(|prepared| prepared.seat(self.scenario.rules())),
            PlayerHandleKind::External(source) => match source.open(&seated.spec) {
                Ok(player) => {
                    let setting = self.scenario.rules().setting();
                    let numbers =
                        source.is_numbered(&seated.spec).then(|| Numbers::new(self.encodings()));
                    let presentation = source
                        .wants_scene(&seated.spec)
                        .then(|| self.scenario.shared_presentation());
                    let prepared = None;
                    let seated =
                        SeatedExternal { player, setting, presentation, numbers, prepared };
                    Ok(Box::new(seated))
                }
                Err(error) => Err(error.into()),
            },
        };
        player.map_err(|problem| self.refuse(&seated.spec, problem))
    }

    /// The error for a player that does not play here.
    fn refuse(&self, spec: &str, problem: BuildError) -> SpecError {
        let player = format!("{spec} at {}:{}", self.entry.name(), self.text);
        SpecError::Player { player, problem }
    }
}

impl<R: Rules> AnyGame for BoundGame<R> {
    fn name(&self) -> &'static str {
        self.entry.name()
    }

    fn scenario(&self) -> &str {
        &self.text
    }

    fn files(&self) -> &[String] {
        &self.files
    }

    fn seats(&self) -> usize {
        self.scenario.rules().seats()
    }

    fn objective(&self) -> Objective {
        self.scenario.rules().objective()
    }

    fn scoring(&self) -> Scoring {
        self.scenario.rules().scoring()
    }

    fn score_range(&self) -> Option<(f64, f64)> {
        self.scenario.rules().score_range()
    }

    fn accepts(&self, player: &PlayerHandle) -> Result<(), SpecError> {
        match &player.kind {
            PlayerHandleKind::Roster(prepared) => find_prepared::<R>(prepared.as_ref())
                .and_then(|prepared| prepared.check(&self.scenario))
                .map_err(|problem| self.refuse(&player.spec, problem)),
            PlayerHandleKind::External(source) => {
                self.accepts_external(source.as_ref(), &player.spec)
            }
        }
    }

    fn fixture(&self, setup: &Setup, seats: &[&PlayerHandle]) -> Fixture {
        Fixture {
            form: FIXTURE_FORM,
            game: self.entry.name().to_owned(),
            scenario: self.text.clone(),
            seed: setup.seed,
            seats: seats.iter().map(|seated| seated.spec.clone()).collect(),
            budget: setup.budget,
            versions: Versions {
                game: self.entry.description.version,
                players: seats.iter().map(|seated| seated.version).collect(),
            },
        }
    }

    fn play(
        &self,
        setup: &Setup,
        seats: &[&PlayerHandle],
        watch: Option<&mut OnTurn<'_>>,
    ) -> Result<Record, SpecError> {
        if seats.len() != self.scenario.rules().seats() {
            let (name, want, got) = (self.entry.name(), self.scenario.rules().seats(), seats.len());
            return Err(SpecError::Mismatch(format!(
                "{name}:{} has {want} seat{}, but {got} player{} given",
                self.text,
                if want == 1 { "" } else { "s" },
                if got == 1 { " was" } else { "s were" },
            )));
        }
        setup.budget.check_clock().map_err(|error| SpecError::Mismatch(error.to_string()))?;
        let match_start = MatchStart::new(self.entry.name(), &self.text, seats.len());
        let is_external =
            |seated: &&PlayerHandle| matches!(seated.kind, PlayerHandleKind::External(_));
        let timed = !setup.budget.is_reproducible() || seats.iter().any(is_external);
        let mut ignore = |_: &dyn AnyMatch| {};
        let watch = watch.unwrap_or(&mut ignore);
        let FinishedMatch { actions, outcome, notes, log, .. } = loop {
            let mut players = Vec::with_capacity(seats.len());
            for seated in seats {
                players.push(self.player(seated)?);
            }
            let paused = if timed { paused_time() } else { Duration::ZERO };
            let played =
                play(self.scenario.clone(), &match_start, setup, &mut players, &mut |now| {
                    watch(now)
                });
            // If this process was paused, a player's time may have run out meanwhile: the match is
            // played again.
            let late = |fault: &SeatFault| fault.fault.kind == FaultKind::Timeout;
            let paused_now = match played.outcome.fault.as_ref().is_some_and(late) {
                _ if !timed => paused,
                true => settled_paused_time(),
                false => paused_time(),
            };
            if paused_now == paused {
                break played;
            }
        };
        if let Some(SeatFault { seat, fault }) = &outcome.fault
            && fault.kind.is_void()
            && !setup.forfeiting.contains(seat)
        {
            let player = seats[seat.index()].spec.clone();
            return Err(SpecError::Void { player, fault: Box::new(fault.clone()) });
        }
        let fixture = self.fixture(setup, seats);
        Ok(Record {
            format: FORMAT,
            id: fixture.id(),
            fixture,
            actions: join_actions(&actions),
            outcome,
            notes,
            log,
        })
    }

    fn adviser(
        &self,
        player: &PlayerHandle,
        match_start: &MatchStart,
        rng: Rng,
    ) -> Result<Box<dyn AnyAdviser>, SpecError> {
        let budget = match_start.budget;
        budget.check_clock().map_err(|error| SpecError::Mismatch(error.to_string()))?;
        self.accepts(player)?;
        let adviser =
            Adviser::new(self.scenario.rules().clone(), self.player(player)?, match_start, rng);
        Ok(Box::new(adviser.map_err(|fault| SpecError::Mismatch(fault.to_string()))?))
    }

    fn setting(&self) -> Value {
        self.scenario.rules().setting()
    }

    fn begin(&self, seed: u64) -> Box<dyn AnyMatch> {
        Box::new(Match::new(self.scenario.clone(), seed))
    }

    fn hides_start(&self) -> bool {
        self.scenario.hides_start()
    }

    fn positions_alike(
        &self,
        record: &Record,
        turns: u32,
        luck: u64,
        draws: u32,
        most: usize,
    ) -> Vec<Box<dyn AnyMatch>> {
        let seed = record.fixture.seed;
        let mut now = Match::new(self.scenario.clone(), seed);
        let mut texts = record.action_texts();
        let mut past = vec![LookedAt::new(&now)];
        for _ in 0..turns {
            let joint: Vec<&str> = texts.by_ref().take(now.acting().len()).collect();
            if AnyMatch::play(&mut now, &joint).is_err() {
                return Vec::new();
            }
            past.push(LookedAt::new(&now));
        }
        let states: Vec<R::State> = past.iter().map(|looked| looked.state.clone()).collect();
        let mut alike: Vec<Box<dyn AnyMatch>> = Vec::new();
        for number in 0..draws {
            if alike.len() == most {
                break;
            }
            let mut rng = Streams::new(luck).address(ALIKE, number.into());
            let Some(start) = self.scenario.redraw_start(&states, &mut rng) else { break };
            let start = Match::from_start(self.scenario.clone(), start, seed);
            if let Some(other) = repeat_unnoticed(start, now.actions(), &past) {
                alike.push(Box::new(other));
            }
        }
        alike
    }

    fn check(&self, observation: &Value, seat: Seat, action: &Value) -> Result<(), Illegal> {
        let observation = serde_json::from_value(observation.clone()).map_err(|error| {
            Illegal::new(format!("this is not an observation of the game: {error}"))
        })?;
        let action =
            read_action::<R>(action.clone()).map_err(|fault| Illegal::new(fault.detail))?;
        let rules = self.scenario.rules();
        let state = rules.determinize(&observation, seat, &mut Rng::from_seed(0));
        rules.check(&state, seat, &action)
    }

    fn verify(&self, record: &Record) -> Result<(), RecordError> {
        let id = || record.id.clone();
        let mut replay = Match::new(self.scenario.clone(), record.fixture.seed);
        let mut texts = record.action_texts().peekable();
        while !replay.is_over() && texts.peek().is_some() {
            let joint: Vec<&str> = texts.by_ref().take(replay.acting().len()).collect();
            AnyMatch::play(&mut replay, &joint)
                .map_err(|(seat, problem)| record.refused(replay.turn(), seat, problem))?;
        }
        let length = |problem: &str| RecordError::Length { id: id(), problem: problem.to_owned() };
        if texts.peek().is_some() {
            return Err(length("actions go on after the end of the match"));
        }
        let replayed = match &record.outcome.fault {
            Some(fault) => replay.outcome_with_fault(fault.clone()),
            None => replay.outcome().ok_or_else(|| length("actions stop before the match ends"))?,
        };
        if replayed != record.outcome {
            let shown =
                |outcome: &Outcome| serde_json::to_string(outcome).expect("outcomes have JSON");
            return Err(RecordError::Outcome {
                id: id(),
                recorded: shown(&record.outcome),
                replayed: shown(&replayed),
            });
        }
        Ok(())
    }

    fn decision(&self, record: &Record) -> Result<String, RecordError> {
        self.verify(record)?;
        let mut replay = Match::new(self.scenario.clone(), record.fixture.seed);
        let mut texts = record.action_texts();
        let mut next = Some(replay.state().clone());
        let mut positions = std::iter::from_fn(|| {
            let position = next.take()?;
            let acting = replay.acting().len();
            let joint: Vec<&str> = texts.by_ref().take(acting).collect();
            let is_whole = acting > 0 && joint.len() == acting;
            if is_whole && AnyMatch::play(&mut replay, &joint).is_ok() {
                next = Some(replay.state().clone());
            }
            Some(position)
        });
        let (rules, presentation) = (self.scenario.rules(), self.scenario.presentation());
        let decision = match record.outcome.fault {
            None => presentation.decision(rules, &mut positions),
            Some(_) => None,
        };
        Ok(decision.unwrap_or_else(|| record.outcome.describe()))
    }

    fn figures(&self, outcome: &Outcome) -> Vec<(String, f64)> {
        let titles = self.scenario.presentation().figure_titles();
        let place = |name: &str| titles.iter().position(|(known, _)| *known == name);
        let shown = outcome.metrics.iter().filter(|(name, _)| *name != "turns");
        let mut shown: Vec<_> = shown.map(|(name, value)| (place(name), name, *value)).collect();
        shown.sort_by_key(|(place, ..)| place.unwrap_or(titles.len()));
        let titled = shown.into_iter().map(|(place, name, value)| {
            let title = place.map_or(name.as_str(), |place| titles[place].1);
            (title.to_owned(), value)
        });
        titled.collect()
    }
}

/// The purpose of the streams from which other starts of a match are drawn.
const ALIKE: &str = "alike";

/// A position, and what the seats that move there see, in JSON.
struct LookedAt<R: Rules> {
    state: R::State,
    acting: Vec<Seat>,
    seen: Vec<Vec<u8>>,
}

impl<R: Rules> LookedAt<R> {
    fn new(at: &Match<R>) -> Self {
        let acting = Match::acting(at).to_vec();
        let seen = acting.iter().map(|seat| see(at, *seat)).collect();
        LookedAt { state: at.state().clone(), acting, seen }
    }

    /// Whether the same seats move in another position, and see the same.
    fn looks_like(&self, other: &Match<R>) -> bool {
        let mut both = self.acting.iter().zip(&self.seen);
        Match::acting(other) == self.acting && both.all(|(seat, seen)| see(other, *seat) == *seen)
    }
}

fn see<R: Rules>(at: &Match<R>, seat: Seat) -> Vec<u8> {
    let observation = at.rules().observe(at.state(), seat);
    serde_json::to_vec(&observation).expect("observations have a JSON form")
}

/// Plays the same actions from another start. None if a seat sees anything else.
fn repeat_unnoticed<R: Rules>(
    mut now: Match<R>,
    mut actions: &[R::Action],
    past: &[LookedAt<R>],
) -> Option<Match<R>> {
    for (turn, looked) in past.iter().enumerate() {
        if !looked.looks_like(&now) {
            return None;
        }
        if turn + 1 < past.len() {
            let (joint, rest) = actions.split_at(looked.acting.len());
            Match::play(&mut now, joint).ok()?;
            actions = rest;
        }
    }
    Some(now)
}

/// Actions as text, separated by spaces.
fn join_actions<A: Display>(actions: &[A]) -> String {
    let mut text = String::with_capacity(actions.len() * 2);
    for (index, action) in actions.iter().enumerate() {
        if index > 0 {
            text.push(' ');
        }
        write!(text, "{action}").expect("a text takes all");
    }
    text
}
