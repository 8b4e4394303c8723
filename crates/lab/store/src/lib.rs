//! The store: tournaments and records in one SQLite file. They are written in batches, each a
//! transaction, so that whatever happens, a batch is there completely or not at all. A record is
//! identified by its fixture's id, so that it counts once however often it arrives.
//!
//! The file is in WAL mode with `synchronous = NORMAL`: a commit survives the death of the process
//! at once, and a power loss from the next checkpoint on; the file is consistent in either case.
//! The tables are described in `schema.sql`, the views that queries start from in `views.sql`.

mod cleaning;
mod error;
mod file_table;
mod find;
mod kept;
mod log_table;
mod logs;
mod losses;
mod merge;
mod open;
mod player_names;
mod queue;
mod read;
mod results;
mod row;
mod running;
mod scenario_files;
mod store;
mod tally;
mod test_runners;
mod test_series;
mod tournament_id;
mod tournaments;

pub use cleaning::Removal;
pub use error::{DIFFERENCE_CAUSES, StoreError};
pub use kept::KeptSolutions;
pub use merge::{Conflict, MergeReport};
pub use open::run_nothing_of;
pub use player_names::{PlayerName, is_name_of};
pub use queue::{FaultyMatch, Lead, NewTest, QueuedTest, TestReport, TestState};
pub use read::{Filter, MatchRow, SeatRow};
pub use row::{RecordRow, StoredRecord};
pub use running::RunLock;
pub use store::{InsertReport, Store, TournamentEntry};
pub use test_runners::{RunnerPlace, TestRunner};
pub use test_series::{NewSeries, NewVersion, SeriesVersion, TestSeries, VersionInfo};
pub use tournament_id::TournamentId;
pub use tournaments::TournamentInfo;

/// The file of the store where none is named.
pub const DEFAULT_STORE: &str = "quintain.sqlite";
