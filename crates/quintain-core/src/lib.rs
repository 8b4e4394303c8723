//! The frame every game hangs in: what a game, a player and a match are, and
//! how a finished match is written down.
//!
//! It knows no game, no search and no tournament. Rules and players are typed
//! Rust ([`Game`], [`Player`]); the [`Catalog`] holds them behind one
//! object-safe layer ([`AnyEntry`], [`AnyGame`], [`AnyMatch`]) that the
//! command line, the arena, pages and foreign programs use.
//!
//! | to | see |
//! |---|---|
//! | write the rules of a game | [`Game`] |
//! | write a player | [`Player`], [`Decision`] |
//! | plan a whole single-seat game | [`Solver`], [`Planner`] |
//! | limit thinking | [`Budget`], [`Meter`] |
//! | draw random numbers that replay | [`Streams`], [`Rng`] |
//! | play a match | [`play`], [`Match`] |
//! | keep and replay it | [`Fixture`], [`Record`], [`replay()`] |
//! | declare parameters once | [`parameters!`], [`choices!`] |
//! | register a game with its players | [`Entry`], [`Catalog`] |
//! | seat a program as a player | [`OutsideSource`], [`OutsidePlayer`], [`Dialect`] |
//! | ask a player outside any match | [`AnyGame::adviser`] |
//! | draw a position | [`scene`] |
//! | test all of that | [`check_game`] |

mod adviser;
pub mod battery;
mod budget;
mod catalog;
mod decision;
mod dialect;
mod entry;
mod erased;
mod files;
mod game;
mod matches;
mod outcome;
mod outside;
pub mod parameters;
mod player;
mod record;
mod replay;
pub mod scene;
mod signature;
mod solver;
mod spec;
mod stream;
mod suggest;

pub use adviser::{Advice, AnyAdviser};
pub use battery::check_game;
pub use budget::{Budget, BudgetError, Meter, Unit};
pub use catalog::Catalog;
pub use decision::Decision;
pub use dialect::{Asked, Dialect, Heard, Launch, Manner, ProgramSide, RefereeSide};
pub use entry::{
    Entry, FileTool, Gesture, Keeper, Key, Keyboard, PlayerEntry, Pointed, Pointing, RegretOf,
    ScenarioEntry, Solved, ToolError, ToolRequest,
};
pub use erased::{AnyEntry, AnyGame, AnyMatch, Described, Schemas, Seated, Watch};
pub use files::scenario_file;
pub use game::{Contest, Ending, Game, Goal, Illegal, Seat, Turn, key_of};
pub use matches::{Match, Played, Setup, play};
pub use outcome::{Fault, FaultKind, Note, Outcome, SeatFault};
pub use outside::{Answer, OutsidePlayer, OutsideSource, Question};
pub use parameters::{Declared, ParameterError, Parameters};
pub use player::{Opening, Player};
pub use record::{FORMAT, Fixture, Record, RecordError, Versions, digest};
pub use replay::{Replayed, replay};
pub use signature::{signature, signatures};
pub use solver::{Plan, Planner, Solver};
pub use spec::{Spec, SpecError};
pub use stream::{Rng, Streams};
pub use suggest::{closest, did_you_mean};
