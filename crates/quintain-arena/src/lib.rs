//! Tournaments: a file becomes fixtures, fixtures are played as matches on all
//! cores, every match leaves a record in the store, and standings are read from there.
//! No game is named here; games and players come from [`quintain_core::Catalog`].
//!
//! | to | see |
//! |---|---|
//! | read a tournament file | [`Tournament`] |
//! | number its fixtures | [`Schedule`] |
//! | play what is missing | [`run`], [`run_on`] another [`Executor`] |
//! | join stores | [`Store::merge`] |
//! | keep and find records | [`Store`] |
//! | rank players | [`standings_of`], [`standings`] |
//! | compare a few players with as few matches as it takes | [`mod@compare`] |
//! | hand results to other programs | [`export`] |
//! | let a person play | [`HumanMatch`] |

pub mod compare;
pub mod executor;
pub mod export;
mod feed;
mod human_match;
mod lineups;
pub mod regret;
mod schedule;
pub mod standings;
pub mod store;
mod tournament;

pub use compare::{Comparison, Question, compare};
pub use executor::{
    Executor, Leader, Ledger, Missing, Options, Progress, RunError, Share, Summary, Threads, run,
    run_on,
};
pub use feed::{StandingsError, standings_of};
pub use human_match::{HUMAN, HumanMatch, HumanMatchConfig, HumanPlayers};
pub use schedule::{Pairing, Schedule};
pub use store::{
    Conflict, Filter, MatchRow, Merged, Row, Store, StoreError, StoreKeeper, Stored, TournamentInfo,
};
pub use tournament::{Format, Place, Tournament, TournamentError};
