//! Which tournaments are being played: a process that plays one holds a lock on a file beside the
//! store until it has finished or ends, however it ends. The file itself says nothing.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use quintain_core::open_at_once;

use crate::error::StoreError;
use crate::store::Store;
use crate::tournament_id::TournamentId;

/// How often, and with which pause, to try for the lock: a process that only looks whether it is
/// held takes it for a moment.
const TRIES: u32 = 10;
const PAUSE: Duration = Duration::from_millis(2);

/// The right to play some matches into a store, until it is dropped.
#[derive(Debug)]
pub struct RunLock {
    /// None where the system has no locks, and for a store in memory.
    held: Option<(File, PathBuf)>,
}

impl Drop for RunLock {
    fn drop(&mut self) {
        // Without the file nobody holds it, just as without the lock. Others that play their own
        // parts still need it.
        if let Some((file, path)) = &self.held
            && file.try_lock().is_ok()
        {
            let _ = fs::remove_file(path);
        }
    }
}

impl Store {
    /// Takes the right to play a tournament into this store: all of it, or a part of it beside
    /// others that play their own parts. `name` is for the message.
    ///
    /// # Errors
    /// [`StoreError::Running`] if another process plays it.
    pub fn hold_run(
        &self,
        tournament: TournamentId,
        is_part: bool,
        name: &str,
    ) -> Result<RunLock, StoreError> {
        self.hold(&tournament.0.to_string(), is_part, name)
    }

    /// Takes the right to play matches that are no tournament into this store. `key` distinguishes
    /// them, in characters for a file's name; `name` is for the message.
    ///
    /// # Errors
    /// [`StoreError::Running`] if another process plays them.
    pub fn hold_matches(&self, key: &str, name: &str) -> Result<RunLock, StoreError> {
        self.hold(key, false, name)
    }

    fn hold(&self, key: &str, is_part: bool, name: &str) -> Result<RunLock, StoreError> {
        if self.connection.path().is_none_or(str::is_empty) {
            return Ok(RunLock { held: None });
        }
        let path = path_of(&self.path, key);
        for _ in 0..TRIES {
            let options = &mut File::options();
            let opened = options.create(true).truncate(false).read(true).write(true).open(&path);
            let Ok(file) = opened else { return Ok(RunLock { held: None }) };
            let locked = if is_part { file.try_lock_shared() } else { file.try_lock() };
            match locked {
                // Its last holder may have removed the file meanwhile.
                Ok(()) if is_at(&file, &path) => return Ok(RunLock { held: Some((file, path)) }),
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
                Err(TryLockError::Error(_)) => return Ok(RunLock { held: None }),
            }
        }
        Err(StoreError::Running { path: self.path.clone(), name: name.to_owned() })
    }
}

fn path_of(store: &Path, key: &str) -> PathBuf {
    let mut path = store.as_os_str().to_owned();
    path.push(format!("-run-{key}"));
    path.into()
}

/// Whether an open file is the one of this path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let place = |data: fs::Metadata| (data.dev(), data.ino());
    let found = fs::metadata(path).map(place);
    found.is_ok_and(|found| file.metadata().map(place).is_ok_and(|own| own == found))
}

#[cfg(not(unix))]
fn is_at(_file: &File, path: &Path) -> bool {
    path.exists()
}

/// Returns whether a process plays a tournament.
pub(crate) fn is_held(store: &Path, tournament: TournamentId) -> bool {
    let path = path_of(store, &tournament.0.to_string());
    let Ok(file) = open_at_once(&path) else { return false };
    matches!(file.try_lock(), Err(TryLockError::WouldBlock))
}
