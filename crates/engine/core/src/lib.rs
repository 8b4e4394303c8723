//! What all games share: what a game, a player and a match are, and how a finished
//! match is written down.
//!
//! This crate contains no particular game, search or tournament. Rules and players are typed Rust
//! ([`Rules`], [`Player`]); the [`Catalog`] has them behind one object-safe layer ([`AnyEntry`],
//! [`AnyGame`], [`AnyMatch`]) that the command line, the arena, pages and foreign programs use.
//!
//! | to | see |
//! |---|---|
//! | write the rules of a game | [`Rules`] |
//! | write a player | [`Player`], [`Decision`] |
//! | limit thinking | [`Budget`], [`Meter`] |
//! | draw random numbers that replay | [`Streams`], [`Rng`] |
//! | play a match | [`play`], [`Match`] |
//! | keep and replay it | [`Fixture`], [`Record`], [`replay()`] |
//! | declare parameters once | [`parameters!`], [`choices!`] |
//! | register a game with its players | [`Entry`], [`Catalog`] |
//! | let every seed play another instance | [`ScenarioSet`] |
//! | seat a program as a player | [`ExternalSource`], [`ExternalPlayer`], [`ForeignProtocol`] |
//! | ask a player outside any match | [`AnyGame::adviser`] |

mod action_error;
mod advice;
mod budget;
mod build_error;
mod catalog;
mod clock;
mod cut;
mod decision;
mod description;
mod digest;
mod duration;
mod encoding;
mod encoding_hook;
mod entry;
mod environment;
mod erased;
mod exact;
mod external;
mod external_error;
mod file_names;
mod files;
mod log;
mod matches;
mod mix;
mod numbered;
mod numbered_rules;
mod outcome;
pub mod panics;
pub mod parameters;
mod player;
mod presentation;
mod protocol;
mod record;
mod referee;
mod replay;
mod rules;
mod scenario_file;
mod scenario_set;
mod seat;
mod seated_external;
mod spec;
mod spec_error;
mod stream;
mod study;
mod suggest;
mod text_error;
mod tool;
pub mod ui;

pub use action_error::ActionError;
pub use advice::{Advice, AdviceError, AnyAdviser};
pub use budget::{Budget, BudgetError, BudgetProblem, Meter, Unit};
pub use build_error::BuildError;
pub use catalog::{Catalog, ReplayVerdict};
pub use clock::{
    MAX_WALL_TIME_FACTOR, ThinkingClock, now, parse_wait, paused_time, processor_time,
    settled_paused_time, waiting_time,
};
pub use cut::cut;
pub use decision::Decision;
pub use description::{Description, Listed};
pub use digest::digest;
pub use duration::{DurationError, format_duration, parse_duration, parse_duration_or_seconds};
pub use encoding::{CellEncoding, Encoding, Layout, ScoreChange, View, is_acting};
pub use encoding_hook::EncodingHook;
pub use entry::{Entry, PlayerEntry, RegretOf, ScenarioEntry, TypedEncoding};
pub use environment::{Environment, FixedStart, Scenario};
pub use erased::{AnyEntry, AnyGame, AnyMatch, OnTurn, PlayerHandle, Schemas};
pub use exact::{
    Effort, ExactJudge, GivenAway, JudgeError, JudgedMove, JudgedTurn, MakeJudge, PHASES,
};
pub use external::{
    AbsentSource, Answer, ExternalPlayer, ExternalSource, NumberedAnswer, NumberedQuestion,
    Question,
};
pub use external_error::ExternalError;
pub use file_names::file_name_problem;
pub use files::{
    Access, FILE_DIGITS, FilesOfRecords, SETTINGS_LIMIT, TEXT_LIMIT, TextFileError, data_folder,
    digest_in, keep_file, kept_file, open_at_once, read_bytes_up_to, read_settings, read_text,
    read_text_up_to, reading_as_record, reason, scenario_file,
};
pub use log::{DRAWINGS, LogContent, LogEntry, MatchLog, overlay_of, read_log, write_log};
pub use matches::{KeptNotes, Match, Setup};
pub use mix::{GOLDEN_GAMMA, mix_bits, split_mix};
pub use numbered_rules::{AnyEncoding, MakeEncoding};
pub use outcome::{Fault, FaultKind, Note, Outcome, SeatFault};
pub use parameters::{Expected, ParameterError, ParameterInfo, Parameters};
pub use player::{MatchStart, Player, PreparedPlayer};
pub use presentation::Presentation;
pub use protocol::{
    ClientCodec, ForeignProtocol, Launch, Lifecycle, Parsed, ProtocolError, Request, ServerCodec,
};
pub use record::{FIXTURE_FORM, FORMAT, Fixture, Record, RecordError, Versions};
pub use referee::{FinishedMatch, play};
pub use replay::{ReplayStep, ReplayVisitor, replay, replay_while};
pub use rules::{Ending, Illegal, Objective, Rules, Scoring, Turn, key_of};
pub use scenario_file::ScenarioFile;
pub use scenario_set::{SEED, ScenarioSet, ScenarioSets};
pub use seat::Seat;
pub use spec::{Spec, SpecSyntaxError};
pub use spec_error::SpecError;
pub use stream::{Rng, Streams};
pub use study::{ActionWorth, ActionWorths, Study, StudyPosition};
pub use suggest::{closest, did_you_mean};
pub use tool::{
    RunTool, SolutionStore, SolutionStoreError, StoreUse, Tool, ToolError, ToolInputs, ToolOption,
    ToolOptionError, ToolOptionKind, ToolRequest, Verb,
};
