//! Locks that remain usable after a thread has failed while holding them.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex, even if a thread failed while holding it.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
