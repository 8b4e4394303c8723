//! Locks that outlive a thread that failed while it held them.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a lock guards, even if a thread failed while it held it.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
