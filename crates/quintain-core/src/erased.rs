//! The object-safe layer over typed games: what the command line, the arena, pages
//! and foreign programs hold. Matches between our own players still run typed, in
//! one call behind [`AnyGame::play`].

use std::any::Any;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use crate::action_error::ActionError;
use crate::advice::{Adviser, AnyAdviser};
use crate::batch::{AnyBatch, BatchOptions, Opponents};
use crate::budget::Budget;
use crate::clock::{paused_time, settled_paused_time};
use crate::entry::{BatchParts, BuildError, DrawScenario, Entry, Prepared, RegretOf};
use crate::environment::Scenario;
use crate::external::{External, ExternalSource};
use crate::log::LogEntry;
use crate::matches::{Match, Played, Setup, play};
use crate::outcome::{FaultKind, Note, Outcome, SeatFault};
use crate::parameters::ParameterInfo;
use crate::player::{MatchStart, Player};
use crate::protocol::ForeignProtocol;
use crate::record::{FIXTURE_FORM, FORMAT, Fixture, Record, RecordError, Versions};
use crate::rules::{Objective, Rules, Scoring};
use crate::seat::Seat;
use crate::spec::{Spec, SpecError};
use crate::stream::Rng;
use crate::suggest::did_you_mean;
use crate::tool::Tool;
use quintain_ui::{Keyboard, Scene};

/// A scenario or player as documentation shows it.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct Description {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a line.
    pub summary: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// The version of its behaviour (players only).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    /// Its parameters.
    pub parameters: Vec<ParameterInfo>,
}

/// JSON schemas of what a game's seats see and do.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Schemas {
    /// Of the observation.
    pub observation: Value,
    /// Of the action.
    pub action: Value,
}

/// A player that has been looked up and checked, ready for any number of matches.
pub struct PlayerHandle {
    /// Its canonical text.
    pub spec: String,
    /// The version of its behaviour.
    pub version: u32,
    kind: PlayerHandleKind,
}

enum PlayerHandleKind {
    /// A [`Prepared`] of the game's own type.
    Roster(Box<dyn Any + Send + Sync>),
    External(Arc<dyn ExternalSource>),
}

impl PlayerHandle {
    /// A player from outside, its spec already resolved.
    pub(crate) fn outside(spec: String, source: Arc<dyn ExternalSource>) -> Self {
        let version = source.version(&spec);
        PlayerHandle { spec, version, kind: PlayerHandleKind::External(source) }
    }

    /// Whether it decides the same every time that it is asked the same within this budget, on
    /// every machine.
    pub fn is_reproducible(&self, budget: &Budget) -> bool {
        match &self.kind {
            PlayerHandleKind::Roster(_) => budget.is_reproducible(),
            PlayerHandleKind::External(source) => source.is_reproducible(&self.spec),
        }
    }
}

/// Sees a match before its first turn and after every turn.
pub type OnTurn<'a> = dyn FnMut(&dyn AnyMatch) + 'a;

/// A game with its scenarios and players, of whatever types.
pub trait AnyEntry: Send + Sync {
    /// The game's name.
    fn name(&self) -> &'static str;
    /// The version of its rules.
    fn version(&self) -> u32;
    /// What it is, in a line.
    fn summary(&self) -> &'static str;
    /// Where it comes from.
    fn source(&self) -> &'static str;
    /// Its scenario families, the default first.
    fn scenarios(&self) -> Vec<Description>;
    /// Its roster.
    fn players(&self) -> Vec<Description>;
    /// The scenario and the players of a match worth watching.
    fn showcase(&self) -> (&str, &[String]);
    /// The JSON forms of observation and action.
    fn schemas(&self) -> Schemas;
    /// The game on a scenario.
    ///
    /// # Errors
    /// If the scenario or a parameter is unknown, or a value cannot be.
    fn game(&self, scenario: &str) -> Result<Arc<dyn AnyGame>, SpecError>;
    /// The game on the [instance](Entry::instances) of this number, where a parameter of the
    /// scenario chooses one and the text leaves it out; otherwise none.
    ///
    /// # Errors
    /// If the scenario or a parameter is unknown, or a value cannot be.
    fn instance(&self, scenario: &str, number: u64) -> Result<Option<Arc<dyn AnyGame>>, SpecError>;
    /// A player of the roster.
    ///
    /// # Errors
    /// If the player or a parameter is unknown, or a value cannot be.
    fn player(&self, player: &str) -> Result<PlayerHandle, SpecError>;
    /// The foreign protocols that its field speaks.
    fn protocols(&self) -> &[ForeignProtocol];
    /// The verbs on files that it brings along.
    fn tools(&self) -> &[Tool];
    /// The tool behind a verb, if it has one.
    fn tool(&self, verb: &str) -> Option<&Tool> {
        self.tools().iter().find(|tool| tool.verb.name == verb)
    }
    /// How a person plays it, if one can.
    fn keyboard(&self) -> Option<Keyboard>;
    /// How far scores are from a proved bound, where the game has one.
    fn regret(&self) -> Option<RegretOf>;
    /// The names of its learner's encodings, the default first; none if it has none.
    fn encodings(&self) -> Vec<&'static str>;
    /// States of a scenario side by side, and the scenario's canonical text. Where a parameter
    /// of the scenario chooses the [instance](Entry::instances) and the text leaves it out,
    /// every episode draws its own; where the text has it, so has the canonical one.
    ///
    /// # Errors
    /// If the scenario, the encoding or an opponent is unknown, or does not fit the scenario.
    fn batch(
        &self,
        scenario: &str,
        options: &BatchOptions,
    ) -> Result<(Box<dyn AnyBatch>, String), SpecError>;
}

/// A game on a scenario, of whatever type.
pub trait AnyGame: Send + Sync {
    /// The game's name.
    fn name(&self) -> &'static str;
    /// The scenario, in its canonical text.
    fn scenario(&self) -> &str;
    /// The number of seats.
    fn seats(&self) -> usize;
    /// Which scores are good.
    fn objective(&self) -> Objective;
    /// How scores are compared.
    fn scoring(&self) -> Scoring;
    /// The least and greatest score a seat can get, where the rules bound it.
    fn score_range(&self) -> Option<(f64, f64)>;
    /// Whether a player can play here; one from outside is not started to find out.
    ///
    /// # Errors
    /// If it refuses this game.
    fn accepts(&self, player: &PlayerHandle) -> Result<(), SpecError>;
    /// The fixture of a match here.
    fn fixture(&self, setup: &Setup, seats: &[&PlayerHandle]) -> Fixture;
    /// Plays a match. `watch` sees it turn by turn.
    ///
    /// # Errors
    /// If the number of players is not that of the seats, or a player refuses this game.
    fn play(
        &self,
        setup: &Setup,
        seats: &[&PlayerHandle],
        watch: Option<&mut OnTurn<'_>>,
    ) -> Result<Record, SpecError>;
    /// A player of the seat named by `match_start`, to be asked outside any match; `rng` is its own
    /// stream, in a match [`Streams::player`](crate::Streams::player).
    ///
    /// # Errors
    /// If it refuses this game.
    fn adviser(
        &self,
        player: &PlayerHandle,
        match_start: &MatchStart,
        rng: Rng,
    ) -> Result<Box<dyn AnyAdviser>, SpecError>;
    /// What seats know of the game before it begins. See [`Rules::setting`].
    fn setting(&self) -> Value;
    /// A match with nothing played yet.
    fn begin(&self, seed: u64) -> Box<dyn AnyMatch>;
    /// Replays a record and checks that it ends as it says.
    ///
    /// # Errors
    /// At the first action the rules refuse, or if the outcome differs.
    fn verify(&self, record: &Record) -> Result<(), RecordError>;
}

/// A match in progress, of whatever type.
pub trait AnyMatch: Send + Sync {
    /// The seats that must move now; none when it is over.
    fn acting(&self) -> &[Seat];
    /// Turns played.
    fn turn(&self) -> u32;
    /// The score of each seat so far.
    fn scores(&self) -> Vec<f64>;
    /// What a seat sees, in JSON.
    fn observation(&self, seat: Seat) -> Value;
    /// The actions offered to a seat, in text.
    fn actions(&self, seat: Seat) -> Vec<String>;
    /// Whether a seat that must move now may do this.
    ///
    /// # Errors
    /// [`ActionError`] if the seat does not move, its text cannot be read, or a rule forbids it.
    fn check(&self, seat: Seat, action: &str) -> Result<(), ActionError>;
    /// Plays one turn: an action in text for each acting seat.
    ///
    /// # Errors
    /// The seat whose action cannot be read or is refused, and why; nothing changes then.
    fn play(&mut self, joint: &[&str]) -> Result<(), (Seat, ActionError)>;
    /// Tells what players noted on the decisions of the last turn, for the drawing. See
    /// [`Match::set_notes`].
    fn set_notes(&mut self, notes: &[Note]);
    /// What programs said on the last turn, as far as it was told.
    fn log(&self) -> &[LogEntry];
    /// Tells what programs said on the last turn. See [`Match::set_log`].
    fn set_log(&mut self, log: &[LogEntry]);
    /// The drawing, to the referee or through the eyes of one seat, with what was noted:
    /// to a seat, what it noted itself.
    fn scene(&self, observer: Option<Seat>) -> Scene;
    /// The outcome, once it is over.
    fn outcome(&self) -> Option<Outcome>;
    /// The same match once more.
    fn fork(&self) -> Box<dyn AnyMatch>;
}

impl<R: Rules> AnyEntry for Arc<Entry<R>> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn version(&self) -> u32 {
        self.version
    }

    fn summary(&self) -> &'static str {
        self.summary
    }

    fn source(&self) -> &'static str {
        self.source
    }

    fn scenarios(&self) -> Vec<Description> {
        let describe = |known: &crate::ScenarioEntry<R>| Description {
            name: known.name,
            summary: known.summary,
            source: known.source,
            version: None,
            parameters: known.parameters.clone(),
        };
        self.scenarios.iter().map(describe).collect()
    }

    fn players(&self) -> Vec<Description> {
        let describe = |known: &crate::PlayerEntry<R>| Description {
            name: known.name,
            summary: known.summary,
            source: known.source,
            version: Some(known.version),
            parameters: known.parameters.clone(),
        };
        self.players.iter().map(describe).collect()
    }

    fn showcase(&self) -> (&str, &[String]) {
        (&self.showcase.0, &self.showcase.1)
    }

    fn schemas(&self) -> Schemas {
        Schemas {
            observation: schemars::schema_for!(R::Observation).to_value(),
            action: schemars::schema_for!(R::Action).to_value(),
        }
    }

    fn game(&self, scenario: &str) -> Result<Arc<dyn AnyGame>, SpecError> {
        let (scenario, text) = self.build(scenario)?;
        Ok(Arc::new(Bound { entry: Arc::clone(self), scenario, text }))
    }

    fn instance(&self, scenario: &str, number: u64) -> Result<Option<Arc<dyn AnyGame>>, SpecError> {
        let (family, mut spec) = self.find_scenario(scenario)?;
        let Some(parameter) = family.instance else { return Ok(None) };
        if spec.arguments.iter().any(|(known, _)| known == parameter) {
            return Ok(None);
        }
        spec.arguments.push((parameter.to_owned(), number.to_string()));
        AnyEntry::game(self, &spec.to_string()).map(Some)
    }

    fn player(&self, player: &str) -> Result<PlayerHandle, SpecError> {
        let (prepared, spec, version) = self.prepare(player)?;
        Ok(PlayerHandle { spec, version, kind: PlayerHandleKind::Roster(Box::new(prepared)) })
    }

    fn protocols(&self) -> &[ForeignProtocol] {
        &self.protocols
    }

    fn tools(&self) -> &[Tool] {
        &self.tools
    }

    fn keyboard(&self) -> Option<Keyboard> {
        self.presentation.keyboard()
    }

    fn regret(&self) -> Option<RegretOf> {
        self.regret
    }

    fn encodings(&self) -> Vec<&'static str> {
        self.encodings.iter().map(|(name, _)| *name).collect()
    }

    fn batch(
        &self,
        scenario: &str,
        options: &BatchOptions,
    ) -> Result<(Box<dyn AnyBatch>, String), SpecError> {
        let name = self.name;
        let (family, spec) = self.find_scenario(scenario)?;
        let (scenario, mut arguments) = self.build_of(family, &spec)?;
        let draw = family.instance.and_then(|parameter| {
            let given = spec.arguments.iter().find(|(known, _)| known == parameter);
            if let Some(given) = given {
                if arguments.iter().all(|(known, _)| known != parameter) {
                    arguments.push(given.clone());
                }
                return None;
            }
            Some((parameter, draw_scenario(self, &spec, parameter)))
        });
        let text = Spec { path: spec.path.clone(), arguments }.to_string();
        let Some((default, _)) = self.encodings.first() else {
            return Err(SpecError(format!(
                "{name} has no encoding for learners; register one on its entry"
            )));
        };
        let wanted = options.encoding.as_deref().unwrap_or(default);
        let found = self.encodings.iter().find(|(known, _)| *known == wanted);
        let (_, make) = found.ok_or_else(|| {
            let known = self.encodings.iter().map(|(known, _)| *known);
            SpecError(did_you_mean(&format!("{name} encoding"), wanted, known))
        })?;
        let opponents = self.opponents(&scenario, &text, options)?;
        let autoreset = options.autoreset;
        let batch = make(BatchParts { scenario, draw, opponents, autoreset })
            .map_err(|why| SpecError(format!("{name}:{text}, encoding {wanted}: {why}")))?;
        Ok((batch, text))
    }
}

/// Builds the scenario of each value of the parameter that chooses an instance.
fn draw_scenario<R: Rules>(
    entry: &Arc<Entry<R>>,
    spec: &Spec,
    parameter: &'static str,
) -> DrawScenario<R> {
    let (entry, spec) = (Arc::clone(entry), spec.clone());
    Arc::new(move |seed| {
        let mut spec = spec.clone();
        spec.arguments.push((parameter.to_owned(), seed.to_string()));
        let built =
            entry.find_scenario(&spec.path).and_then(|(family, _)| entry.build_of(family, &spec));
        built.expect("every number of 64 bits is an instance").0
    })
}

impl<R: Rules> Entry<R> {
    /// The opponents of a batch, if any are wanted.
    fn opponents(
        &self,
        scenario: &Scenario<R>,
        text: &str,
        options: &BatchOptions,
    ) -> Result<Option<Opponents<R>>, SpecError> {
        let (name, seats) = (self.name, scenario.rules().seats());
        if options.opponents.is_empty() {
            return Ok(None);
        }
        if seats < 2 {
            return Err(SpecError(format!("{name}:{text} has one seat: there is no opponent")));
        }
        if let Some(seat) = options.seat.filter(|seat| *seat >= seats) {
            return Err(SpecError(format!("seat {seat}: expected 0 to {}", seats - 1)));
        }
        if !options.budget.is_reproducible() {
            return Err(SpecError(format!(
                "budget {}: opponents of learners think by work, such as nodes=500: by time, \
                 episodes would depend on the machine",
                options.budget
            )));
        }
        let players = options.opponents.iter().map(|player| {
            let (prepared, spec, _) = self.prepare(player)?;
            prepared(scenario.rules())
                .map_err(|why| SpecError(format!("player {name}/{spec}: {why}")))?;
            Ok(prepared)
        });
        Ok(Some(Opponents {
            players: players.collect::<Result<_, SpecError>>()?,
            budget: options.budget,
            learner: options.seat.map(Seat::new),
            match_start: MatchStart::new(name, text, seats),
        }))
    }
}

/// A typed game bound to its scenario's text.
struct Bound<R: Rules> {
    entry: Arc<Entry<R>>,
    scenario: Scenario<R>,
    /// The scenario's canonical text.
    text: String,
}

impl<R: Rules> Bound<R> {
    fn player(&self, seated: &PlayerHandle) -> Result<Box<dyn Player<R>>, SpecError> {
        let player: Result<Box<dyn Player<R>>, BuildError> = match &seated.kind {
            PlayerHandleKind::Roster(prepared) => match prepared.downcast_ref::<Prepared<R>>() {
                Some(prepared) => prepared(self.scenario.rules()),
                None => Err("is a player of another game".into()),
            },
            PlayerHandleKind::External(source) => match source.open(&seated.spec) {
                Ok(player) => {
                    let setting = self.scenario.rules().setting();
                    Ok(Box::new(External { player, setting }))
                }
                Err(error) => Err(error.to_string().into()),
            },
        };
        let name = self.entry.name;
        player.map_err(|why| {
            SpecError(format!("player {} at {name}:{}: {why}", seated.spec, self.text))
        })
    }
}

impl<R: Rules> AnyGame for Bound<R> {
    fn name(&self) -> &'static str {
        self.entry.name
    }

    fn scenario(&self) -> &str {
        &self.text
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
        match player.kind {
            PlayerHandleKind::Roster(_) => self.player(player).map(drop),
            PlayerHandleKind::External(_) => Ok(()),
        }
    }

    fn fixture(&self, setup: &Setup, seats: &[&PlayerHandle]) -> Fixture {
        Fixture {
            form: FIXTURE_FORM,
            game: self.entry.name.to_owned(),
            scenario: self.text.clone(),
            seed: setup.seed,
            seats: seats.iter().map(|seated| seated.spec.clone()).collect(),
            budget: setup.budget,
            versions: Versions {
                game: self.entry.version,
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
            let (name, want, got) = (self.entry.name, self.scenario.rules().seats(), seats.len());
            return Err(SpecError(format!(
                "{name}:{} has {want} seat{}, but {got} player{} given",
                self.text,
                if want == 1 { "" } else { "s" },
                if got == 1 { " was" } else { "s were" },
            )));
        }
        let match_start = MatchStart::new(self.entry.name, &self.text, seats.len());
        let is_external =
            |seated: &&PlayerHandle| matches!(seated.kind, PlayerHandleKind::External(_));
        let timed = !setup.budget.is_reproducible() || seats.iter().any(is_external);
        let mut ignore = |_: &dyn AnyMatch| {};
        let watch = watch.unwrap_or(&mut ignore);
        let Played { actions, outcome, notes, log, .. } = loop {
            let mut players = Vec::with_capacity(seats.len());
            for seated in seats {
                players.push(self.player(seated)?);
            }
            let paused = if timed { paused_time() } else { Duration::ZERO };
            let played =
                play(self.scenario.clone(), &match_start, setup, &mut players, &mut |now| {
                    watch(now)
                });
            // A player whose clock ran while this process was paused has lost its chance.
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
        let adviser =
            Adviser::new(self.scenario.rules().clone(), self.player(player)?, match_start, rng);
        Ok(Box::new(adviser.map_err(|fault| SpecError(fault.to_string()))?))
    }

    fn setting(&self) -> Value {
        self.scenario.rules().setting()
    }

    fn begin(&self, seed: u64) -> Box<dyn AnyMatch> {
        Box::new(Match::new(self.scenario.clone(), seed))
    }

    fn verify(&self, record: &Record) -> Result<(), RecordError> {
        let id = || record.id.clone();
        let mut replay = Match::new(self.scenario.clone(), record.fixture.seed);
        let mut texts = record.actions.split(' ').filter(|text| !text.is_empty()).peekable();
        while !replay.is_over() && texts.peek().is_some() {
            let joint: Vec<&str> = texts.by_ref().take(replay.acting().len()).collect();
            AnyMatch::play(&mut replay, &joint).map_err(|(seat, problem)| RecordError::Action {
                id: id(),
                turn: replay.turn(),
                seat: seat.index(),
                problem,
            })?;
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
}

/// Actions in text, separated by spaces.
fn join_actions<A: ToString>(actions: &[A]) -> String {
    let mut text = String::with_capacity(actions.len() * 2);
    for (index, action) in actions.iter().enumerate() {
        if index > 0 {
            text.push(' ');
        }
        text.push_str(&action.to_string());
    }
    text
}

/// Reads an action from its text.
fn read_action<R: Rules>(text: &str) -> Result<R::Action, ActionError> {
    R::Action::from_str(text).map_err(|error| ActionError::Unreadable(error.to_string()))
}

impl<R: Rules> AnyMatch for Match<R> {
    fn acting(&self) -> &[Seat] {
        Match::acting(self)
    }

    fn turn(&self) -> u32 {
        Match::turn(self)
    }

    fn scores(&self) -> Vec<f64> {
        Seat::all(self.rules().seats()).map(|seat| self.rules().score(self.state(), seat)).collect()
    }

    fn observation(&self, seat: Seat) -> Value {
        let observation = self.rules().observe(self.state(), seat);
        serde_json::to_value(observation).expect("observations have a JSON form")
    }

    fn actions(&self, seat: Seat) -> Vec<String> {
        let mut actions = Vec::new();
        if Match::acting(self).contains(&seat) {
            self.rules().actions(self.state(), seat, &mut actions);
        }
        actions.iter().map(ToString::to_string).collect()
    }

    fn check(&self, seat: Seat, action: &str) -> Result<(), ActionError> {
        if !Match::acting(self).contains(&seat) {
            return Err(ActionError::NotTurn(seat));
        }
        let action = read_action::<R>(action)?;
        Ok(self.rules().check(self.state(), seat, &action)?)
    }

    fn play(&mut self, joint: &[&str]) -> Result<(), (Seat, ActionError)> {
        let mut read = Vec::with_capacity(joint.len());
        for (index, text) in joint.iter().enumerate() {
            let seat = Match::acting(self).get(index).copied().unwrap_or(Seat::new(0));
            read.push(read_action::<R>(text).map_err(|error| (seat, error))?);
        }
        Match::play(self, &read).map_err(|(seat, illegal)| (seat, illegal.into()))
    }

    fn set_notes(&mut self, notes: &[Note]) {
        Match::set_notes(self, notes);
    }

    fn log(&self) -> &[LogEntry] {
        Match::log(self)
    }

    fn set_log(&mut self, log: &[LogEntry]) {
        Match::set_log(self, log);
    }

    fn scene(&self, observer: Option<Seat>) -> Scene {
        Match::scene(self, observer)
    }

    fn outcome(&self) -> Option<Outcome> {
        Match::outcome(self)
    }

    fn fork(&self) -> Box<dyn AnyMatch> {
        Box::new(self.clone())
    }
}
