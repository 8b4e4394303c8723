//! Which tournaments are being played: a process that plays one holds a lock on a file beside the
//! store until it ends, however it ends. The file itself says nothing.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::tournament_id::TournamentId;

/// How often, and with which pause, to try for the lock: a process that only looks whether it is
/// held takes it for a moment.
const TRIES: u32 = 10;
const PAUSE: Duration = Duration::from_millis(2);

/// The lock of a process that plays a tournament.
#[derive(Debug)]
pub(crate) struct RunLock {
    _file: File,
    path: PathBuf,
}

impl Drop for RunLock {
    fn drop(&mut self) {
        // Without the file nobody holds it, just as without the lock.
        let _ = fs::remove_file(&self.path);
    }
}

fn path_of(store: &Path, tournament: TournamentId) -> PathBuf {
    let mut path = store.as_os_str().to_owned();
    path.push(format!("-run-{}", tournament.0));
    path.into()
}

/// Takes the lock for this process. Without it, the tournament is played all the same, and only
/// does not count as running.
pub(crate) fn hold(store: &Path, tournament: TournamentId) -> Option<RunLock> {
    let path = path_of(store, tournament);
    let options = &mut File::options();
    let file = options.create(true).truncate(false).write(true).open(&path).ok()?;
    for _ in 0..TRIES {
        match file.try_lock() {
            Ok(()) => return Some(RunLock { _file: file, path }),
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            Err(TryLockError::Error(_)) => return None,
        }
    }
    // Another process plays it too.
    None
}

/// Returns whether a process plays a tournament.
pub(crate) fn is_held(store: &Path, tournament: TournamentId) -> bool {
    let Ok(file) = File::open(path_of(store, tournament)) else { return false };
    matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
}
