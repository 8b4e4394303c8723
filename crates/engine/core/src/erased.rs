//! The object-safe layer over typed games: what the command line, the arena, pages and foreign
//! programs work with. Matches between our own players still run typed, in one call behind
//! [`AnyGame::play`].

mod bound;
mod entries;
mod matches;

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use crate::action_error::ActionError;
use crate::advice::AnyAdviser;
use crate::budget::Budget;
use crate::description::{Description, Listed};
use crate::encoding_hook::EncodingHook;
use crate::entry::{RegretOf, strip_game};
use crate::exact::MakeJudge;
use crate::external::ExternalSource;
use crate::log::LogEntry;
use crate::matches::Setup;
use crate::outcome::{Note, Outcome, SeatFault};
use crate::player::MatchStart;
use crate::protocol::ForeignProtocol;
use crate::record::{Fixture, Record, RecordError};
use crate::rules::{Illegal, Objective, Scoring};
use crate::seat::Seat;
use crate::spec::Spec;
use crate::spec_error::SpecError;
use crate::stream::Rng;
use crate::study::Study;
use crate::tool::Tool;
use crate::ui::{Keyboard, Scene};

/// JSON schemas of what a game's seats see, do and know.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Schemas {
    /// JSON schema of an observation.
    pub observation: Value,
    /// JSON schema of an action.
    pub action: Value,
    /// For actions whose JSON form is a single word: the text notation, by that word. Actions are
    /// offered as text; an answer may use either form.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub texts: BTreeMap<String, String>,
    /// JSON schema of what every seat knows before the match
    /// ([`Rules::setting`](crate::Rules::setting)); null where the game does not describe it.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub setting: Value,
}

/// A player that was looked up and checked, ready for any number of matches.
#[derive(Clone)]
pub struct PlayerHandle {
    /// Its canonical text.
    pub spec: String,
    /// The version of its behaviour.
    pub version: u32,
    kind: PlayerHandleKind,
}

#[derive(Clone)]
enum PlayerHandleKind {
    /// A [`PreparedPlayer`](crate::PreparedPlayer) of the game's own type.
    Roster(Arc<dyn Any + Send + Sync>),
    External(Arc<dyn ExternalSource>),
}

impl PlayerHandle {
    /// An external player, its spec already resolved.
    pub(crate) fn external(spec: String, source: Arc<dyn ExternalSource>) -> Self {
        let version = source.version(&spec);
        PlayerHandle { spec, version, kind: PlayerHandleKind::External(source) }
    }

    /// The protocol of another referee that it speaks, if it is a program that speaks one.
    pub fn foreign_protocol(&self) -> Option<&'static str> {
        match &self.kind {
            PlayerHandleKind::External(source) => source.foreign_protocol(&self.spec),
            PlayerHandleKind::Roster(_) => None,
        }
    }

    /// The [file](ExternalSource::portable_file) with which any machine can play it, if there is
    /// one.
    pub fn portable_file(&self) -> Option<Arc<[u8]>> {
        match &self.kind {
            PlayerHandleKind::External(source) => source.portable_file(&self.spec),
            PlayerHandleKind::Roster(_) => None,
        }
    }

    /// The program, [packed](ExternalSource::packed) for machines that do not have it.
    pub fn packed(&self) -> Option<Result<Arc<[u8]>, String>> {
        match &self.kind {
            PlayerHandleKind::External(source) => source.packed(&self.spec),
            PlayerHandleKind::Roster(_) => None,
        }
    }

    /// Whether it comes from outside the roster: a program or a module.
    pub fn is_external(&self) -> bool {
        matches!(self.kind, PlayerHandleKind::External(_))
    }

    /// Whether it always gives the same answer to the same question within this budget, on every
    /// machine.
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
    /// What the game is.
    fn description(&self) -> Description;
    /// The game's name.
    fn name(&self) -> &'static str {
        self.description().name
    }
    /// The version of its rules.
    fn version(&self) -> u32 {
        self.description().version
    }
    /// What it is, in a line.
    fn summary(&self) -> &'static str {
        self.description().summary
    }
    /// Where it comes from.
    fn source(&self) -> &'static str {
        self.description().source
    }
    /// Its scenarios, the default first.
    fn scenarios(&self) -> Vec<Listed>;
    /// Its roster.
    fn players(&self) -> Vec<Listed>;
    /// The scenario that a text names (`NAME` or `GAME:NAME`), and its arguments. The text of what
    /// is found names the same scenario.
    ///
    /// # Errors
    /// If the scenario is unknown.
    fn listed_scenario(&self, scenario: &str) -> Result<(Listed, Spec), SpecError>;
    /// The player of the roster that a text names (`NAME` or `GAME/NAME`), and its arguments, in
    /// the same way.
    ///
    /// # Errors
    /// If the player is unknown.
    fn listed_player(&self, player: &str) -> Result<(Listed, Spec), SpecError>;
    /// The scenario and the players of a match worth watching.
    fn showcase(&self) -> (&str, &[String]);
    /// The rules for a person who is about to play, in Markdown; empty if there are none.
    fn how_to_play(&self) -> &'static str;
    /// The JSON forms of observation and action.
    fn schemas(&self) -> Schemas;
    /// The game on a scenario.
    ///
    /// # Errors
    /// If the scenario or a parameter is unknown, or a value is not valid.
    fn game(&self, scenario: &str) -> Result<Arc<dyn AnyGame>, SpecError>;
    /// A scenario's text without this game before it: `space` for `tron:space`.
    fn strip_game<'a>(&self, scenario: &'a str) -> &'a str {
        strip_game(self.name(), scenario)
    }
    /// The parameter that numbers the [instances](crate::Entry::instances) of a scenario, if it has
    /// one and the text leaves it out.
    ///
    /// # Errors
    /// If the scenario is unknown.
    fn instance_parameter(&self, scenario: &str) -> Result<Option<&'static str>, SpecError>;
    /// The instance of a scenario with this number; none where
    /// [`AnyEntry::instance_parameter`] is none.
    ///
    /// # Errors
    /// If the scenario or a parameter is unknown, or a value is not valid.
    fn instance(&self, scenario: &str, number: u64) -> Result<Option<Arc<dyn AnyGame>>, SpecError>;
    /// A player of the roster.
    ///
    /// # Errors
    /// If the player or a parameter is unknown, or a value is not valid.
    fn player(&self, player: &str) -> Result<PlayerHandle, SpecError>;
    /// The foreign protocols that programs for this game use.
    fn protocols(&self) -> &[ForeignProtocol];
    /// Its tools: verbs that work on files.
    fn tools(&self) -> &[Tool];
    /// The tool behind a verb, if it has one.
    fn tool(&self, verb: &str) -> Option<&Tool> {
        self.tools().iter().find(|tool| tool.verb.name == verb)
    }
    /// How a person plays it, if one can.
    fn keyboard(&self) -> Option<Keyboard>;
    /// How far scores are from a proved bound, where the game has one.
    fn regret(&self) -> Option<RegretOf>;
    /// Who judges matches by exact values, where the game can be solved.
    fn exact(&self) -> Option<MakeJudge>;
    /// What it can say about single positions, if it can.
    fn study(&self) -> Option<&dyn Study>;
    /// The names of its encodings for learners, the default first; empty if it has none.
    fn encodings(&self) -> Vec<&'static str>;
    /// What was [registered](crate::Entry::encoding_with) with the encoding named, or with the
    /// default one.
    ///
    /// # Errors
    /// If the encoding is unknown, or nothing was registered with it.
    fn encoding_hook(&self, encoding: Option<&str>) -> Result<Box<dyn EncodingHook>, SpecError>;
}

/// A game on a scenario, of whatever type.
pub trait AnyGame: Send + Sync {
    /// The game's name.
    fn name(&self) -> &'static str;
    /// The scenario, in its canonical text.
    fn scenario(&self) -> &str;
    /// The digests of the [kept](crate::kept_file) files that the scenario is made of, whether its
    /// text names them or not. Where these are kept, it can be built.
    fn files(&self) -> &[String];
    /// The number of seats.
    fn seats(&self) -> usize;
    /// Which scores are good.
    fn objective(&self) -> Objective;
    /// How scores are compared.
    fn scoring(&self) -> Scoring;
    /// The least and greatest score that a seat can get, if the rules bound it.
    fn score_range(&self) -> Option<(f64, f64)>;
    /// Checks that a player can play here, without starting an external one.
    ///
    /// # Errors
    /// If the player refuses this game.
    fn accepts(&self, player: &PlayerHandle) -> Result<(), SpecError>;
    /// The fixture of a match here.
    fn fixture(&self, setup: &Setup, seats: &[&PlayerHandle]) -> Fixture;
    /// Plays a match. `watch` sees it turn by turn.
    ///
    /// # Errors
    /// If there are not as many players as seats, a player refuses this game, or the match is void:
    /// a player never started, or the arena gave up.
    fn play(
        &self,
        setup: &Setup,
        seats: &[&PlayerHandle],
        watch: Option<&mut OnTurn<'_>>,
    ) -> Result<Record, SpecError>;
    /// A player for the seat in `match_start`, to be asked outside any match. `rng` is the player's
    /// own stream; in a match that is [`Streams::player`](crate::Streams::player).
    ///
    /// # Errors
    /// If the player refuses this game.
    fn adviser(
        &self,
        player: &PlayerHandle,
        match_start: &MatchStart,
        rng: Rng,
    ) -> Result<Box<dyn AnyAdviser>, SpecError>;
    /// What seats know about the game before it begins. See
    /// [`Rules::setting`](crate::Rules::setting).
    fn setting(&self) -> Value;
    /// A new match, before its first turn.
    fn begin(&self, seed: u64) -> Box<dyn AnyMatch>;
    /// Whether players cannot know how a match starts, so that [`AnyGame::positions_alike`] finds
    /// other ones.
    fn hides_start(&self) -> bool;
    /// Positions in which a recorded match could stand after so many turns, for all that its seats
    /// have seen until then: other starts, from which the same actions show every seat the same on
    /// every turn. Draws at most `draws` starts, from streams of `luck`, and returns the first
    /// `most` that are such.
    fn positions_alike(
        &self,
        record: &Record,
        turns: u32,
        luck: u64,
        draws: u32,
        most: usize,
    ) -> Vec<Box<dyn AnyMatch>>;
    /// Checks that a seat that moves and sees this observation, in JSON, may take an action, in its
    /// text or its JSON form. Like a player, it knows no more than the seat does.
    ///
    /// # Errors
    /// If the action cannot be read or a rule forbids it, or there is no such observation.
    fn check(&self, observation: &Value, seat: Seat, action: &Value) -> Result<(), Illegal>;
    /// Replays a record and checks that the match ends as recorded.
    ///
    /// # Errors
    /// At the first action the rules refuse, or if the outcome differs.
    fn verify(&self, record: &Record) -> Result<(), RecordError>;
    /// What decided a recorded match, in one sentence without a full stop: the game's own
    /// ([`Presentation::decision`](crate::Presentation::decision)) or, if it has none or a player
    /// forfeited, how and when the match ended.
    ///
    /// # Errors
    /// If the record does not replay as recorded.
    fn decision(&self, record: &Record) -> Result<String, RecordError>;
    /// The further figures of an outcome under the titles that people read
    /// ([`Presentation::figure_titles`](crate::Presentation::figure_titles)), without the number of
    /// turns.
    fn figures(&self, outcome: &Outcome) -> Vec<(String, f64)>;
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
    /// Whether two actions of a seat that must move now do the same, however they are written, if
    /// each other seat takes its first action. Actions that the rules refuse do nothing.
    fn do_the_same(&self, seat: Seat, one: &str, other: &str) -> bool;
    /// Checks that a seat that must move now may take this action.
    ///
    /// # Errors
    /// [`ActionError`] if the seat does not move, the text cannot be read, or a rule forbids the
    /// action.
    fn check(&self, seat: Seat, action: &str) -> Result<(), ActionError>;
    /// Plays one turn: an action in text for each acting seat.
    ///
    /// # Errors
    /// The seat whose action cannot be read or is refused, and why. The match is then unchanged.
    fn play(&mut self, joint: &[&str]) -> Result<(), (Seat, ActionError)>;
    /// Sets what players noted about their decisions on the last turn, for the drawing. See
    /// [`Match::set_notes`](crate::Match::set_notes).
    fn set_notes(&mut self, notes: &[Note]);
    /// What players noted about their decisions on the last turn, as far as it was set.
    fn notes(&self) -> &[Note];
    /// The log of programs on the last turn, as far as it was set.
    fn log(&self) -> &[LogEntry];
    /// Sets the log of programs on the last turn. See [`Match::set_log`](crate::Match::set_log).
    fn set_log(&mut self, log: &[LogEntry]);
    /// The drawing, as the referee or one seat sees it, with players' notes. A seat sees only its
    /// own notes.
    fn scene(&self, observer: Option<Seat>) -> Scene;
    /// The drawing for the referee without any overlay, which takes less time.
    fn board(&self) -> Scene;
    /// The same after a turn, except that its first layer has only the cells that the turn may have
    /// changed; none if the game draws no such part.
    fn board_since(&self) -> Option<Scene>;
    /// What a seat did on the last turn, as a sentence goes on after its name: “goes right”. None
    /// if the game does not say, or the action cannot be read.
    fn tell(&self, seat: Seat, action: &str) -> Option<String>;
    /// The outcome, once it is over.
    fn outcome(&self) -> Option<Outcome>;
    /// The outcome if this fault ended the match here.
    fn outcome_with_fault(&self, fault: SeatFault) -> Outcome;
    /// A copy of the match, to be played on separately.
    fn fork(&self) -> Box<dyn AnyMatch>;
}
