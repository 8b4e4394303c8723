//! A control group (version 2) for each program, where the system lets us have one: as root, or
//! below a group that was delegated to the user. The kernel then counts the processor time of all
//! of a program's processes exactly, those that have ended included, and freezes them as one:
//! nothing that one of them does lets another go on. Elsewhere the supervisor adds up what each
//! process shows, and sends signals.
//!
//! The group of a program lies in a folder of the arena, which lies in the arena's own group.
//! *hold* makes it before it enters namespaces, since it may no longer be allowed to afterwards,
//! and hands its open files on. The program's process enters it before it becomes the program.

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use serde::{Deserialize, Serialize};

use super::control::let_inherit;

/// The beginning of the folders' names; the arena's process number follows.
const PREFIX: &str = "quintain-";
/// How often, and at what distance, to try to remove a folder.
const REMOVALS: u32 = 50;
const REMOVAL_PAUSE: Duration = Duration::from_millis(2);

/// The arena's folder of groups, removed with this value.
pub(crate) struct GroupFolder(PathBuf);

impl GroupFolder {
    /// Makes a folder in the arena's own group, which has one of each `kind`; `None` if that is not
    /// allowed, or there are no such groups here.
    pub(crate) fn new(kind: &str) -> Option<GroupFolder> {
        let read = |path: &str| fs::read_to_string(path).ok();
        let own = find_own_group(&read("/proc/self/mountinfo")?, &read("/proc/self/cgroup")?)?;
        remove_abandoned(&own);
        let folder = own.join(format!("{PREFIX}{}-{kind}", std::process::id()));
        fs::create_dir(&folder).ok()?;
        Some(GroupFolder(folder))
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for GroupFolder {
    fn drop(&mut self) {
        remove_soon(&self.0);
    }
}

/// Removes a folder whose processes have just ended: they are in their groups for a moment longer.
pub(super) fn remove_soon(folder: &Path) {
    for _ in 0..REMOVALS {
        if remove(folder) {
            return;
        }
        std::thread::sleep(REMOVAL_PAUSE);
    }
}

/// Removes what arenas have left that were killed, and their keepers too. A folder's name says
/// whose it is; one that has processes stays.
fn remove_abandoned(within: &Path) {
    for folder in fs::read_dir(within).into_iter().flatten().flatten() {
        let name = folder.file_name();
        let owner = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split('-').next());
        let is_gone = |owner: u32| !Path::new(&format!("/proc/{owner}")).exists();
        if owner.and_then(|owner| owner.parse().ok()).is_some_and(is_gone) {
            remove(&folder.path());
        }
    }
}

/// Removes a folder of groups, as far as no process is in them any more. Returns whether it is
/// gone.
pub(crate) fn remove(folder: &Path) -> bool {
    for group in fs::read_dir(folder).into_iter().flatten().flatten() {
        if group.file_type().is_ok_and(|kind| kind.is_dir()) {
            let _ = fs::remove_dir(group.path());
        }
    }
    let _ = fs::remove_dir(folder);
    !folder.exists()
}

/// Finds the folder of a process's own group by its mount table and its list of groups.
fn find_own_group(mounts: &str, groups: &str) -> Option<PathBuf> {
    let own = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    mounts.lines().find_map(|line| {
        let (place, kind) = line.split_once(" - ")?;
        let mut place = place.split(' ').skip(3);
        let (root, mounted) = (place.next()?, place.next()?);
        let within = Path::new(own).strip_prefix(root).ok()?;
        let is_plain = !mounted.contains('\\') && !own.contains("..");
        (kind.starts_with("cgroup2 ") && is_plain).then(|| Path::new(mounted).join(within))
    })
}

/// The open files of a program's group, by number: they are inherited by later stages.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct GroupEnd {
    processes: RawFd,
    time: RawFd,
    freeze: RawFd,
    events: RawFd,
}

impl GroupEnd {
    /// All of its descriptors.
    pub(super) fn descriptors(self) -> [RawFd; 4] {
        [self.processes, self.time, self.freeze, self.events]
    }

    /// The one that the program's process needs.
    pub(super) fn entrance(self) -> RawFd {
        self.processes
    }

    /// Takes the inherited descriptors, all but the entrance.
    pub(super) fn take(self) -> io::Result<(Group, OwnedFd)> {
        // SAFETY: *hold* opened these for this process alone, which takes them once, at its start,
        // before it opens anything.
        let [processes, time, freeze, events] =
            self.descriptors().map(|number| unsafe { OwnedFd::from_raw_fd(number) });
        for descriptor in [&time, &freeze, &events] {
            fcntl(descriptor, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC))?;
        }
        let [time, freeze, events] = [time, freeze, events].map(File::from);
        Ok((Group { time, freeze, events }, processes))
    }

    /// Moves this process into the group.
    pub(super) fn enter(self) -> io::Result<()> {
        // SAFETY: the supervisor let this process inherit it, for this alone.
        let entrance = File::from(unsafe { OwnedFd::from_raw_fd(self.processes) });
        entrance.write_at(b"0", 0).map(drop)
    }
}

/// A group that has just been made, before its files are handed on.
pub(super) struct NewGroup {
    folder: PathBuf,
    files: [OwnedFd; 4],
}

impl NewGroup {
    /// Makes the group of the program that this process is to hold, in the arena's folder.
    pub(super) fn within(folder: &Path) -> io::Result<NewGroup> {
        let folder = folder.join(std::process::id().to_string());
        fs::create_dir(&folder)?;
        let open = |name: &str, writes: bool| -> io::Result<OwnedFd> {
            let file = File::options().read(!writes).write(writes).open(folder.join(name))?;
            Ok(file.into())
        };
        let files = || -> io::Result<[OwnedFd; 4]> {
            Ok([
                open("cgroup.procs", true)?,
                open("cpu.stat", false)?,
                open("cgroup.freeze", true)?,
                open("cgroup.events", false)?,
            ])
        };
        match files() {
            Ok(files) => Ok(NewGroup { folder, files }),
            Err(error) => {
                let _ = fs::remove_dir(&folder);
                Err(error)
            }
        }
    }

    /// Lets processes that are started from now on inherit its files.
    pub(super) fn hand_on(&self) -> nix::Result<GroupEnd> {
        self.files.iter().try_for_each(let_inherit)?;
        let [processes, time, freeze, events] = self.files.each_ref().map(AsRawFd::as_raw_fd);
        Ok(GroupEnd { processes, time, freeze, events })
    }

    /// Closes its files; what is left is the folder, to be removed when the program has ended.
    pub(super) fn into_folder(self) -> PathBuf {
        self.folder
    }

    /// Whether this process may enter it, and it counts and freezes. This process stays in it.
    pub(super) fn works(self) -> bool {
        let [processes, time, freeze, events] = self.files.map(File::from);
        let group = Group { time, freeze, events };
        processes.write_at(b"0", 0).is_ok()
            && group.used().is_some()
            && group.freeze(false)
            && !group.is_frozen()
    }
}

/// The supervisor's view of a program's group.
pub(super) struct Group {
    time: File,
    freeze: File,
    events: File,
}

impl Group {
    /// The processor time of everything that has run in it. Of threads that run at the moment, the
    /// kernel may not yet have counted what they have used since its last tick.
    pub(super) fn used(&self) -> Option<Duration> {
        let text = read(&self.time)?;
        let used = text.lines().find_map(|line| line.strip_prefix("usage_usec "))?;
        used.parse().ok().map(Duration::from_micros)
    }

    /// Freezes it or lets it go on. Returns whether the kernel does so.
    pub(super) fn freeze(&self, frozen: bool) -> bool {
        self.freeze.write_at(if frozen { b"1" } else { b"0" }, 0).is_ok()
    }

    /// Whether each of its threads is frozen.
    pub(super) fn is_frozen(&self) -> bool {
        read(&self.events).is_some_and(|text| text.lines().any(|line| line == "frozen 1"))
    }
}

/// Reads one of the kernel's short texts from its beginning.
fn read(file: &File) -> Option<String> {
    let mut text = [0; 1024];
    let count = file.read_at(&mut text, 0).ok()?;
    String::from_utf8(text[..count].to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn the_own_group_is_found_wherever_groups_of_version_2_are_mounted() {
        let old = "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n\
                   32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n";
        let both = format!("{old}41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
        let new = "30 24 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
        let part = "30 24 0:26 /box /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
        let found = |mounts: &str, own: &str| {
            let found = find_own_group(mounts, own);
            found.map(|folder| folder.display().to_string())
        };
        let groups = "1:cpu:/x\n0::/user.slice/run.scope\n";
        assert_eq!(found(old, groups), None);
        assert_eq!(found(&both, "0::/\n").as_deref(), Some("/sys/fs/cgroup/unified/"));
        assert_eq!(found(new, groups).as_deref(), Some("/sys/fs/cgroup/user.slice/run.scope"));
        assert_eq!(found(part, "0::/box/a\n").as_deref(), Some("/sys/fs/cgroup/a"));
        assert_eq!(found(part, "0::/other\n"), None, "a group that cannot be seen here");
        assert_eq!(found(new, "0::/../other\n"), None, "likewise");
    }

    #[test]
    fn a_group_counts_what_its_ended_processes_used_and_freezes_the_others() {
        let Some(folder) = GroupFolder::new("test") else {
            eprintln!("left out: this system lets us have no control group");
            return;
        };
        let made = NewGroup::within(folder.path()).unwrap();
        let group = made.folder.clone();
        let gone = folder.path().with_file_name(format!("{PREFIX}4194305-test"));
        fs::create_dir(&gone).unwrap();
        fs::create_dir(gone.join("1")).unwrap();
        remove_abandoned(gone.parent().unwrap());
        assert!(!gone.exists() && group.exists(), "no process has the former's number");
        let [_, time, freeze, events] = made.files.map(File::from);
        let watch = Group { time, freeze, events };
        assert_eq!(watch.used(), Some(Duration::ZERO));
        // A shell that enters the group, starts processes that end, and waits for input.
        let script = format!(
            "echo 0 > {}/cgroup.procs; for i in 1 2 3 4; do /bin/true; done; echo done; read x",
            group.display()
        );
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", &script]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut shell = shell.spawn().unwrap();
        let mut said = io::BufReader::new(shell.stdout.take().unwrap());
        io::BufRead::read_line(&mut said, &mut String::new()).unwrap();
        assert!(watch.used() > Some(Duration::ZERO));
        assert!(watch.freeze(true));
        while !watch.is_frozen() {
            std::thread::yield_now();
        }
        assert!(!remove(folder.path()), "a process is in it");
        assert!(watch.freeze(false) && !watch.is_frozen());
        drop(shell.stdin.take());
        shell.wait().unwrap();
        drop(folder);
        assert!(!group.exists());
    }
}
