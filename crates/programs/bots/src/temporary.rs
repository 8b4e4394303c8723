//! The one temporary folder of this process, with programs' snapshots, scratch folders and
//! the files that they are given. It is deleted at the end. A process that is killed cannot delete
//! it. Then a process of our own that outlives it, the folder's *keeper*, does so. If both are
//! killed, the next process that runs programs recognizes the folder by its lock, which was
//! released when its holder died, and deletes it.

use std::fs::{File, TryLockError};
use std::io;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tempfile::TempDir;

use crate::open::{open_file, open_folder, resolve, within};
#[cfg(target_os = "linux")]
use crate::sandbox::{GroupFolder, remove_groups};
use crate::stage::STAGE;

/// The prefix of the folders' names.
const PREFIX: &str = "quintain-";
/// The stage that acts as a folder's keeper.
pub(crate) const KEEPER: &str = "keeper";
/// The environment variables that tell a keeper its folder, and that of the control groups. Every
/// user may read its command line, and could make a folder of that name first.
pub(crate) const KEPT: &str = "QUINTAIN_KEPT";
pub(crate) const KEPT_GROUPS: &str = "QUINTAIN_KEPT_GROUPS";
/// The file whose lock shows that the folder is in use.
const LOCK: &str = "lock";

/// The temporary folder of this process.
pub(crate) struct Temporary {
    // The folder is deleted before the lock is released, so that no one else deletes it meanwhile.
    folder: TempDir,
    /// Where programs' control groups are, if there can be any.
    #[cfg(target_os = "linux")]
    groups: Option<GroupFolder>,
    _lock: File,
    _keeper: Option<FolderGuard>,
}

/// The process that deletes the folder of a process that was killed.
struct FolderGuard(Child);

impl FolderGuard {
    /// Starts the keeper of a folder. The keeper learns of the end of this process by the end of
    /// its input. It belongs to a separate process group, which no terminal signals.
    fn of(folder: &Path, groups: Option<PathBuf>, launcher: &Path) -> io::Result<FolderGuard> {
        let mut command = Command::new(launcher);
        command.args([STAGE, KEEPER]);
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        #[cfg(windows)]
        std::os::windows::process::CommandExt::creation_flags(
            &mut command,
            windows_sys::Win32::System::Threading::CREATE_NEW_PROCESS_GROUP,
        );
        // It uses no folder that somebody may want to remove.
        let root = std::env::temp_dir();
        command.current_dir(root.ancestors().last().unwrap_or(folder));
        command.env_clear().env(KEPT, folder).envs(groups.map(|groups| (KEPT_GROUPS, groups)));
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

/// How often, and at what distance, the keeper tries to remove control groups: programs end a
/// moment after the arena.
const REMOVALS: u32 = 40;
const REMOVAL_PAUSE: Duration = Duration::from_millis(50);

/// Does the keeper's work: waits for the end of its input, and deletes what is left of the folder
/// and of the control groups.
pub(crate) fn keep(folder: &Path, groups: &Path) {
    let _ = io::stdin().read_to_end(&mut Vec::new());
    // Somebody else may have made a folder of this name, with notes about anybody's programs.
    let is_ours = open_folder(folder).is_ok_and(|folder| is_own(&folder));
    if is_ours {
        end_noted(folder);
        let _ = std::fs::remove_dir_all(folder);
    }
    for _ in 0..REMOVALS {
        #[cfg(target_os = "linux")]
        let is_done = remove_groups(groups);
        // Windows keeps a folder whose files are still in use.
        #[cfg(not(target_os = "linux"))]
        let is_done = groups.as_os_str().is_empty() && (!is_ours || !folder.exists());
        if is_done {
            return;
        }
        std::thread::sleep(REMOVAL_PAUSE);
        if is_ours {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

/// The beginning of the names of notes about programs that nothing confines: the number of a
/// process group follows.
const NOTE: &str = "group-";

/// A note that a program runs, by which the keeper ends it if this process is killed. On Windows
/// the system does that.
pub(crate) struct RunningNote(PathBuf);

impl RunningNote {
    /// Notes the program of this process, whose scratch folder is a folder within that of the
    /// arena.
    pub(crate) fn of(process: u32, scratch: &Path) -> RunningNote {
        let note = scratch.with_file_name(format!("{NOTE}{process}"));
        // Without a note, the program may outlive an arena that is killed, as any other may.
        let _ = std::fs::write(&note, "");
        RunningNote(note)
    }
}

impl Drop for RunningNote {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Ends the programs about which there are notes in a folder.
fn end_noted(folder: &Path) {
    #[cfg(unix)]
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let group = name.to_str().and_then(|name| name.strip_prefix(NOTE)?.parse().ok());
        if let Some(group) = group.filter(|group| *group > 1) {
            let group = nix::unistd::Pid::from_raw(group);
            let _ = nix::sys::signal::killpg(group, nix::sys::signal::Signal::SIGKILL);
        }
    }
    let _ = folder;
}

impl Temporary {
    /// The folder of this process, created at the first call and kept until no one uses it. Its
    /// keeper is started by `launcher`; if the keeper cannot be started, the folder does without.
    pub(crate) fn of_this_process(launcher: &Path) -> io::Result<Arc<Temporary>> {
        static SHARED: Mutex<Weak<Temporary>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(there) = shared.upgrade() {
            return Ok(there);
        }
        delete_abandoned(&std::env::temp_dir());
        // With all links resolved, so that it is recognized if it lies inside a program's folder.
        let within = std::env::temp_dir();
        let within = resolve(&within).map_err(|error| {
            let place = within.display();
            let text = format!("no temporary folder {place} (set TMPDIR to one): {error}");
            io::Error::new(error.kind(), text)
        })?;
        // The keeper comes first, so that there is never a folder that no one would delete. So the
        // name is chosen beforehand, and no other process and no other time has the same.
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let name = format!("{PREFIX}{}-{:x}", std::process::id(), now.as_nanos());
        #[cfg(target_os = "linux")]
        let groups = GroupFolder::new(&format!("{:x}", now.as_nanos()));
        #[cfg(target_os = "linux")]
        let groups_path = groups.as_ref().map(|groups| groups.path().to_owned());
        #[cfg(not(target_os = "linux"))]
        let groups_path = None;
        let keeper = FolderGuard::of(&within.join(&name), groups_path, launcher).ok();
        let folder = tempfile::Builder::new().prefix(&name).rand_bytes(0).tempdir_in(within)?;
        let lock = take_lock(folder.path())?;
        let made = Arc::new(Temporary {
            folder,
            #[cfg(target_os = "linux")]
            groups,
            _lock: lock,
            _keeper: keeper,
        });
        *shared = Arc::downgrade(&made);
        Ok(made)
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Where programs' control groups are, if there can be any.
    #[cfg(target_os = "linux")]
    pub(crate) fn groups(&self) -> Option<&Path> {
        self.groups.as_ref().map(GroupFolder::path)
    }

    /// A new folder in it, deleted with the returned value.
    pub(crate) fn new_folder(&self) -> io::Result<TempDir> {
        tempfile::Builder::new().prefix("").tempdir_in(self.folder.path())
    }
}

/// Takes the lock of a new folder. It gets its name when it is held, so that nobody ever sees it
/// free.
fn take_lock(folder: &Path) -> io::Result<File> {
    let before = folder.join("new-lock");
    let lock = File::create(&before)?;
    lock.lock()?;
    std::fs::rename(before, folder.join(LOCK))?;
    Ok(lock)
}

/// A folder for a program's files, within that of this process. It is deleted with this value, and
/// also if the process is killed.
pub struct ProgramFolder {
    folder: TempDir,
    _within: Arc<Temporary>,
}

impl ProgramFolder {
    /// Creates a folder. `launcher` is an executable that calls [`crate::take_over_if_asked`]
    /// before anything else.
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

/// Deletes the folders of processes that are gone. Everybody may make such a folder, and put
/// anything into it, so only this user's are looked at. One without a lock is left.
fn delete_abandoned(within: &Path) {
    let Ok(entries) = std::fs::read_dir(within) else { return };
    for folder in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with(PREFIX) && is_abandoned(&folder) {
            let _ = std::fs::remove_dir_all(&folder);
        }
    }
}

/// Whether a folder is this user's, and its lock is free. A missing lock counts as held: its folder
/// may be in the middle of being created.
fn is_abandoned(folder: &Path) -> bool {
    let Ok(opened) = open_folder(folder) else { return false };
    if !is_own(&opened) {
        return false;
    }
    let Ok(lock) = open_file(&within(&opened, folder).join(LOCK)) else { return false };
    !matches!(lock.try_lock(), Err(TryLockError::WouldBlock))
}

/// Whether a folder is this user's. On Windows every user has a folder for temporary files.
fn is_own(folder: &File) -> bool {
    #[cfg(unix)]
    {
        let own = nix::unistd::geteuid().as_raw();
        let owner = |data: std::fs::Metadata| std::os::unix::fs::MetadataExt::uid(&data);
        folder.metadata().is_ok_and(|data| owner(data) == own)
    }
    #[cfg(not(unix))]
    {
        let _ = folder;
        true
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_being_made_is_never_taken_for_an_abandoned_one() {
        let within = tempfile::tempdir().unwrap();
        let is_over = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                    delete_abandoned(within.path());
                }
            });
            let mut lost = 0;
            for number in 0..500 {
                let folder = within.path().join(format!("{PREFIX}{number}"));
                std::fs::create_dir(&folder).unwrap();
                let lock = take_lock(&folder);
                lost += usize::from(lock.is_err() || !folder.join(LOCK).exists());
                let _ = std::fs::remove_dir_all(&folder);
            }
            is_over.store(true, std::sync::atomic::Ordering::Relaxed);
            assert_eq!(lost, 0);
        });
    }

    #[test]
    fn only_folders_of_ended_processes_are_deleted() {
        let within = tempfile::tempdir().unwrap();
        let [gone, alive, new, pipe] = ["gone", "alive", "new", "pipe"]
            .map(|name| within.path().join(format!("{PREFIX}{name}")));
        for folder in [&gone, &alive, &new, &pipe] {
            std::fs::create_dir(folder).unwrap();
        }
        std::fs::write(gone.join(LOCK), "").unwrap();
        let lock = File::create(alive.join(LOCK)).unwrap();
        lock.lock().unwrap();
        // Whoever opened this would wait for ever.
        nix::unistd::mkfifo(&pipe.join(LOCK), nix::sys::stat::Mode::S_IRWXU).unwrap();
        delete_abandoned(within.path());
        let left = [gone, alive, new, pipe].map(|folder| folder.exists());
        assert_eq!(left, [false, true, true, true]);
    }
}
