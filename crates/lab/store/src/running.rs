//! Which tournaments are being played: a process that plays one holds a lock on a file beside the
//! store until it has finished or ends, however it ends. The file itself says nothing.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use quintain_core::open_at_once;
use same_file::Handle;

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
    held: Option<(Handle, PathBuf)>,
}

impl Drop for RunLock {
    fn drop(&mut self) {
        let Some((file, path)) = &self.held else { return };
        // Without the file nobody holds it, just as without the lock. Others that play their own
        // parts still need it. Windows refuses a second lock even to the handle with the first.
        let _ = file.as_file().unlock();
        if file.as_file().try_lock().is_ok() {
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
        let mut is_held = false;
        for _ in 0..TRIES {
            let options = &mut File::options();
            let opened = options.create(true).truncate(false).read(true).write(true).open(&path);
            // Windows opens no file that is being removed.
            let Ok(file) = opened.and_then(Handle::from_file) else {
                std::thread::sleep(PAUSE);
                continue;
            };
            let lock = file.as_file();
            match if is_part { lock.try_lock_shared() } else { lock.try_lock() } {
                // Its last holder may have removed the file meanwhile.
                Ok(()) if Handle::from_path(&path).is_ok_and(|found| found == file) => {
                    return Ok(RunLock { held: Some((file, path)) });
                }
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    is_held = true;
                    std::thread::sleep(PAUSE);
                }
                Err(TryLockError::Error(_)) => return Ok(RunLock { held: None }),
            }
        }
        match is_held {
            true => Err(StoreError::Running { path: self.path.clone(), name: name.to_owned() }),
            false => Ok(RunLock { held: None }),
        }
    }
}

fn path_of(store: &Path, key: &str) -> PathBuf {
    let mut path = store.as_os_str().to_owned();
    path.push(format!("-run-{key}"));
    path.into()
}

/// Returns whether a process holds the right to play what has this key: a tournament's is its
/// number.
pub(crate) fn is_held(store: &Path, key: &str) -> bool {
    let path = path_of(store, key);
    let Ok(file) = open_at_once(&path) else { return false };
    matches!(file.try_lock(), Err(TryLockError::WouldBlock))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_a_run_goes_with_the_last_who_plays_it() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("cup.sqlite");
        let stores = [(); 2].map(|()| Store::open(&path).unwrap());
        let file = path_of(&path, "1");
        let hold = |store: usize, is_part| stores[store].hold("1", is_part, "cup");

        let whole = hold(0, false).unwrap();
        assert!(file.exists() && is_held(&path, "1"));
        assert!(hold(1, false).is_err() && hold(1, true).is_err());
        drop(whole);
        assert!(!file.exists() && !is_held(&path, "1"));

        let parts = [0, 1].map(|store| hold(store, true).unwrap());
        assert!(hold(0, false).is_err());
        let [first, second] = parts;
        drop(first);
        assert!(file.exists() && is_held(&path, "1"));
        drop(second);
        assert!(!file.exists());
    }

    #[test]
    fn a_run_needs_no_lock_where_there_can_be_none() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("cup.sqlite");
        let store = Store::open(&path).unwrap();
        fs::create_dir(path_of(&path, "1")).unwrap();
        assert!(store.hold("1", false, "cup").unwrap().held.is_none());
        assert!(Store::in_memory().unwrap().hold("1", false, "cup").unwrap().held.is_none());
    }
}
