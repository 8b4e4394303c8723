//! The one temporary folder of this process, in which programs' snapshots, scratch folders and
//! the files that they are given lie. It is deleted at the end. A process that is killed cannot
//! do so: a process of our own that outlives it, its *keeper*, deletes the folder then. Where both
//! are killed, the next one that runs programs finds the folder by its lock, which died with its
//! holder, and deletes it.

use std::fs::{File, TryLockError};
use std::io;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{SystemTime, UNIX_EPOCH};

use tempfile::TempDir;

use crate::sandbox::stage::STAGE;

/// What the folders' names begin with.
const PREFIX: &str = "quintain-";
/// The stage that is a folder's keeper.
pub(crate) const KEEPER: &str = "keeper";
/// The file whose lock says that the folder is in use.
const LOCK: &str = "lock";

/// The temporary folder of this process.
pub(crate) struct Temporary {
    // Deleted before the lock is given up: nobody else deletes it meanwhile.
    folder: TempDir,
    _lock: File,
    _keeper: Option<FolderGuard>,
}

/// The process that deletes the folder of a process that was killed.
struct FolderGuard(Child);

impl FolderGuard {
    /// Starts the keeper of a folder. It is told the end of this process by that of its input,
    /// and belongs to a group of its own, which no terminal signals.
    fn of(folder: &Path, launcher: &Path) -> io::Result<FolderGuard> {
        let mut command = Command::new(launcher);
        command.args([STAGE, KEEPER]).arg(folder).env_clear().current_dir("/").process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().map(FolderGuard)
    }
}

impl Drop for FolderGuard {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

/// What the keeper of a folder does: it waits for the end of its input, and deletes what is left.
pub(crate) fn keep(folder: &Path) {
    let _ = io::stdin().read_to_end(&mut Vec::new());
    let _ = std::fs::remove_dir_all(folder);
}

impl Temporary {
    /// The folder of this process, made at the first call and kept until nobody holds it. Its keeper
    /// is started by `launcher`; one that cannot be started is done without.
    pub(crate) fn of_this_process(launcher: &Path) -> io::Result<Arc<Temporary>> {
        static SHARED: Mutex<Weak<Temporary>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(there) = shared.upgrade() {
            return Ok(there);
        }
        delete_abandoned(&std::env::temp_dir());
        // With all links resolved, so that it is known again where a program's folder holds it.
        let within = std::env::temp_dir().canonicalize()?;
        // The keeper comes first: at no moment is there a folder that nobody would delete. So the name
        // is chosen before, the same for no other process and no other time.
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let name = format!("{PREFIX}{}-{:x}", std::process::id(), now.as_nanos());
        let keeper = FolderGuard::of(&within.join(&name), launcher).ok();
        let folder = tempfile::Builder::new().prefix(&name).rand_bytes(0).tempdir_in(within)?;
        let lock = File::create(folder.path().join(LOCK))?;
        lock.lock()?;
        let made = Arc::new(Temporary { folder, _lock: lock, _keeper: keeper });
        *shared = Arc::downgrade(&made);
        Ok(made)
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A new folder in it, deleted with the returned value.
    pub(crate) fn new_folder(&self) -> io::Result<TempDir> {
        tempfile::Builder::new().prefix("").tempdir_in(self.folder.path())
    }
}

/// A folder for a program's files, within that of this process: it is deleted with this value, and if
/// the process is killed as well.
pub struct ProgramFolder {
    folder: TempDir,
    _within: Arc<Temporary>,
}

impl ProgramFolder {
    /// A new folder. `launcher` is an executable that calls [`crate::take_over_if_asked`] before
    /// anything else.
    ///
    /// # Errors
    /// What the system says.
    pub fn new(launcher: &Path) -> io::Result<ProgramFolder> {
        let within = Temporary::of_this_process(launcher)?;
        Ok(ProgramFolder { folder: within.new_folder()?, _within: within })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Deletes the folders of processes that are gone. What cannot be read or deleted is another
/// user's, and is left.
fn delete_abandoned(within: &Path) {
    let Ok(entries) = std::fs::read_dir(within) else { return };
    for folder in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with(PREFIX) && is_abandoned(&folder.join(LOCK)) {
            let _ = std::fs::remove_dir_all(&folder);
        }
    }
}

/// Whether nobody holds a lock. A folder without one may be just being made.
fn is_abandoned(lock: &Path) -> bool {
    let Ok(lock) = File::open(lock) else { return false };
    !matches!(lock.try_lock(), Err(TryLockError::WouldBlock))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_of_a_process_that_is_gone_is_deleted_and_that_of_a_living_one_kept() {
        let within = tempfile::tempdir().unwrap();
        let [gone, alive, new] =
            ["gone", "alive", "new"].map(|name| within.path().join(format!("{PREFIX}{name}")));
        for folder in [&gone, &alive, &new] {
            std::fs::create_dir(folder).unwrap();
        }
        std::fs::write(gone.join(LOCK), "").unwrap();
        let lock = File::create(alive.join(LOCK)).unwrap();
        lock.lock().unwrap();
        delete_abandoned(within.path());
        assert_eq!([gone, alive, new].map(|folder| folder.exists()), [false, true, true]);
    }
}
