//! Where matches are played: on the [`Threads`](crate::Threads) of this machine, or by workers
//! elsewhere (in another crate). Everything around it is the same for all, see [`crate::run`].

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use quintain_store::StoreError;

use crate::ledger::Ledger;
use crate::pending::PendingFixtures;

/// Where matches are played.
///
/// # Example
/// The calling thread, one match after another:
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicBool, Ordering};
/// use std::time::Instant;
///
/// use quintain_arena::{Executor, Ledger, PendingFixtures, RunError};
///
/// struct OneByOne;
///
/// impl Executor for OneByOne {
///     fn play(
///         &self,
///         missing: &PendingFixtures<'_>,
///         ledger: &Ledger<'_>,
///         stop: &Arc<AtomicBool>,
///         report_progress: &mut dyn FnMut(),
///     ) -> Result<(), RunError> {
///         let schedule = missing.schedule();
///         for index in (0..schedule.len()).filter(|index| missing.has(*index)) {
///             if stop.load(Ordering::Relaxed) || ledger.is_halted() {
///                 break;
///             }
///             let begun = Instant::now();
///             match schedule.play(index, stop) {
///                 Ok(record) => ledger.keep(&record, begun.elapsed()),
///                 Err(refused) => ledger.fail(index, &refused.to_string()),
///             }
///             ledger.write_waiting(false);
///             report_progress();
///         }
///         ledger.write_waiting(true);
///         report_progress();
///         Ok(())
///     }
/// }
/// ```
pub trait Executor {
    /// Whether it is worthwhile to play a few matches before all of a long tournament has been
    /// looked up. It is where matches begin at once.
    fn begins_at_once(&self) -> bool {
        false
    }

    /// Plays the fixtures that are missing and hands each record, or the reason why there is none,
    /// to the ledger, once for each fixture. Returns when all are done, when `stop` is set, or when
    /// the ledger is halted. On the calling thread it calls [`Ledger::write_waiting`] and
    /// `report_progress`, which reports progress, now and then and once at the end.
    ///
    /// # Errors
    /// If matches cannot be played there at all.
    fn play(
        &self,
        missing: &PendingFixtures<'_>,
        ledger: &Ledger<'_>,
        stop: &Arc<AtomicBool>,
        report_progress: &mut dyn FnMut(),
    ) -> Result<(), RunError>;
}

/// Why a run failed. What was committed before stays.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The store cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system gives no thread.
    #[error("no thread could be started: {0}")]
    Thread(std::io::Error),
    /// Matches cannot be played where they were to be played.
    #[error("{0}")]
    Elsewhere(String),
}
