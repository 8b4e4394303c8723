//! Tournaments: a file becomes fixtures, fixtures are played as matches on all cores, every match
//! leaves a record in the store, and standings are computed from there. No game is named here;
//! games and players come from [`quintain_core::Catalog`]. The store is [`quintain_store`], and
//! results are evaluated in [`quintain_standings`]. This crate writes no text for users.
//!
//! | to | see |
//! |---|---|
//! | read a tournament file | [`Tournament`] |
//! | number its fixtures | [`Schedule`] |
//! | foretell how long it takes | [`forecast`](forecast()) |
//! | play what is missing | [`run`](run()), [`run_on`] another [`Executor`] |
//! | rank players | [`standings_of`] |
//! | rate players over several games | [`Series`] |
//! | add the distance from proved bounds | [`regret`] |
//! | look back at a program's versions | [`history`](mod@history) |
//! | compare a few players with as few matches as it takes | [`mod@compare`] |

mod allocation;
mod chance;
pub mod compare;
mod executor;
mod forecast;
pub mod history;
mod knockout;
mod ledger;
mod lineups;
mod ordered;
mod pending;
mod progress;
pub mod regret;
mod run;
mod schedule;
mod series;
mod shard;
mod stage;
mod standings;
mod swiss;
mod threads;
mod tournament;
mod workers;

pub use allocation::{Answer, PlayerRanks};
pub use chance::{scenario_with_chance, seed_matters, seeded_scenario, set_instead};
pub use compare::{Comparison, ComparisonConfig, compare};
pub use executor::{Executor, RunError};
pub use forecast::{Effort, Forecast, forecast};
pub use ledger::Ledger;
pub use pending::PendingFixtures;
pub use progress::{Leader, RunProgress};
pub use run::{RunOptions, RunSummary, run, run_on};
pub use schedule::{FixtureNumbers, Schedule};
pub use series::Series;
pub use shard::{ParseShardError, Shard};
pub use standings::{StandingsError, standings_and_results_of, standings_of};
pub use threads::Threads;
pub use tournament::{
    ChosenMatches, Format, LeavesOut, MAX_SEEDS, Pairing, Question, SourcePosition, Tournament,
    TournamentError, describe_changes, set_seeds,
};
pub use workers::match_thread;
