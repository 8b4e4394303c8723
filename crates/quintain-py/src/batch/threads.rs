//! The threads of a batch, and what becomes of them when the process is forked.

use std::sync::atomic::{AtomicU32, Ordering};

use pyo3::prelude::*;
use quintain_core::HelperThreads;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::catalog::refuse;

/// How often this process has been forked off from another: threads do not come along.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// Notes that this process has just been forked off.
#[pyfunction(name = "_note_fork")]
pub(crate) fn note_fork() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

/// Threads that help whoever calls, which works too.
struct PoolThreads(ThreadPool);

impl HelperThreads for PoolThreads {
    fn count(&self) -> usize {
        self.0.current_num_threads()
    }

    fn run(&self, work: &(dyn Fn(usize) + Sync)) {
        self.0.in_place_scope(|scope| {
            scope.spawn_broadcast(|_, helper| work(helper.index() + 1));
            work(0);
        });
    }
}

/// The threads of a batch.
pub(super) struct Threads {
    pub(super) count: usize,
    /// One less than the threads.
    helpers: Option<PoolThreads>,
    /// The process that they are in; see [`FORKS`].
    forks: u32,
}

impl Threads {
    /// So many, or one for each core.
    pub(super) fn start(wanted: Option<usize>) -> PyResult<Threads> {
        let count = wanted.unwrap_or_else(rayon::current_num_threads).max(1);
        let helpers = match count {
            1 => None,
            several => {
                let pool = ThreadPoolBuilder::new().num_threads(several - 1).build();
                Some(PoolThreads(pool.map_err(|error| refuse(format!("no threads: {error}")))?))
            }
        };
        Ok(Threads { count, helpers, forks: FORKS.load(Ordering::Relaxed) })
    }

    /// Those that help; none in a process that was forked off since: they stayed behind.
    pub(super) fn helpers(&self) -> Option<&dyn HelperThreads> {
        let here = self.forks == FORKS.load(Ordering::Relaxed);
        self.helpers.as_ref().filter(|_| here).map(|helpers| helpers as &dyn HelperThreads)
    }
}
