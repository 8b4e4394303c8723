//! Finds out which of the kernel's means of confinement work here. The only reliable way is to try
//! them: kernels are built without some of them, and containers forbid others. This is done in a
//! separate process, which is then confined by whatever works and cannot undo that.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use nix::errno::Errno;
use nix::mount::{MsFlags, mount};

use super::group::{GroupFolder, NewGroup};
use super::obstacle::{Obstacle, Surroundings};
use super::protections::{Kernel, Protections};
use super::{confine, hold, system_calls};
use crate::stage::STAGE;

impl Protections {
    /// What this machine offers. It is found out once, by starting `launcher` as a process that
    /// tries each means.
    pub fn probe(launcher: &Path) -> Protections {
        static FOUND: Mutex<Option<Protections>> = Mutex::new(None);
        let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
        *found = found.or_else(|| try_all(launcher).map(Protections::from));
        found.unwrap_or(Protections::NONE)
    }
}

/// Has a process try each means; `None` if that process fails.
fn try_all(launcher: &Path) -> Option<Kernel> {
    let groups = GroupFolder::new("probe");
    let tried = Command::new(launcher)
        .args([STAGE, "probe"])
        .args(groups.as_ref().map(GroupFolder::path))
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    serde_json::from_slice(&tried.ok()?.stdout).ok()
}

/// Tries each protection on this process and prints what worked. `groups` is a folder in which it
/// may make a control group.
pub(super) fn run(groups: Option<&Path>) {
    let group = groups.and_then(|groups| NewGroup::within(groups).ok());
    // The order matters: Landlock forbids mounting, so namespaces come first. Entering them
    // includes a mount, since some containers allow namespaces but no mounts in them. A program
    // enters its group when it is in namespaces already.
    let found = Kernel {
        obstacle: try_namespaces().err().map(|error| Obstacle::find(error, &Surroundings::here())),
        group: group.is_some_and(NewGroup::works),
        landlock: confine::landlock_version(),
        seccomp: system_calls::confine(None, false).is_ok(),
    };
    println!("{}", serde_json::to_string(&found).expect("plain values have a JSON form"));
}

/// Enters namespaces, and has a process in them mount a `/proc` of its own: a container that hides
/// parts of its own `/proc` forbids that, and nothing else tells.
fn try_namespaces() -> Result<(), Errno> {
    hold::enter_namespaces().map_err(|problem| problem.error)?;
    let own = std::env::current_exe().map_err(|_| Errno::ENOENT)?;
    let tried = Command::new(own).args([STAGE, "probe-proc"]).stdin(Stdio::null()).output();
    let code = tried.ok().and_then(|tried| tried.status.code());
    match code {
        Some(0) => Ok(()),
        // The error's number is the exit code.
        code => Err(Errno::from_raw(code.unwrap_or(nix::libc::EPERM))),
    }
}

/// Mounts a new `/proc`; returns the error's number.
pub(super) fn mount_proc() -> i32 {
    let nothing = None::<&str>;
    mount(Some("proc"), "/proc", Some("proc"), MsFlags::empty(), nothing)
        .map_or_else(|error| error as i32, |()| 0)
}
