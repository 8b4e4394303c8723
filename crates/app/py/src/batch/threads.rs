//! The threads of a batch, and what happens to them when the process is forked.

use std::sync::atomic::{AtomicU32, Ordering};

use pyo3::prelude::*;
use quintain_batch::HelperThreads;

use super::helpers::Helpers;
use crate::catalog::refuse;

/// How often this process was forked from another: threads are not copied by a fork.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// Notes that this process has just been forked off.
#[pyfunction(name = "_note_fork")]
pub(crate) fn note_fork() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

/// The threads of a batch.
pub(super) struct Threads {
    pub(super) count: usize,
    /// The helper threads, one fewer than `count`.
    helpers: Option<Helpers>,
    /// The process that the threads are in; see [`FORKS`].
    forks: u32,
}

impl Threads {
    /// Starts this many threads, or one for each core.
    pub(super) fn start(wanted: Option<usize>) -> PyResult<Threads> {
        let count = wanted.unwrap_or_else(rayon::current_num_threads).max(1);
        let helpers = match count {
            1 => None,
            several => {
                let helpers = Helpers::start(several - 1);
                Some(helpers.map_err(|error| refuse(format!("cannot start threads: {error}")))?)
            }
        };
        Ok(Threads { count, helpers, forks: FORKS.load(Ordering::Relaxed) })
    }

    /// The helpers; `None` in a process forked since, as they stayed behind.
    pub(super) fn helpers(&self) -> Option<&dyn HelperThreads> {
        let here = self.forks == FORKS.load(Ordering::Relaxed);
        self.helpers.as_ref().filter(|_| here).map(|helpers| helpers as &dyn HelperThreads)
    }
}

impl Drop for Threads {
    /// In a forked process, the helpers' locks may be held by threads that stayed behind.
    fn drop(&mut self) {
        if self.helpers().is_none() {
            std::mem::forget(self.helpers.take());
        }
    }
}
