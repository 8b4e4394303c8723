//! Runs a program that is not trusted. Between the arena and the program stand two small
//! processes of our own, stages of the same executable started again:
//!
//! ```text
//! arena ── hold ── supervise ── confine, which becomes the program
//! ```
//!
//! *hold* creates the namespaces, and ends everything when the arena is gone. *supervise* is the
//! first process inside them: it builds the program's private root, watches memory, processes and
//! time, stops the program while it is idle, reaps children, and reports how the program ended.
//! *confine* gives up every right that a player does not need and becomes the program.
//!
//! Two stages are needed because a process that creates a PID namespace does not enter it: only its
//! children do, and the death of the first of them ends all others. Each stage is a fresh `exec`
//! rather than a fork, because the arena has many threads, and after a fork in such a process
//! hardly any function may be called safely.
//!
//! Where the kernel offers no namespaces, *hold* is left out and *supervise* kills everything
//! that descends from it. The sandbox knows nothing of matches.

use std::os::fd::RawFd;
use std::path::Path;

mod apparmor;
mod confine;
mod control;
mod group;
mod hold;
mod launch;
mod notes;
mod obstacle;
mod probe;
mod protections;
mod root;
mod supervise;
mod system_calls;
mod usage;

pub(crate) use usage::{clock_of, family_usage, read_clock, read_stat};

pub use crate::launch::Readable;
pub use crate::protection::Protection;
pub use crate::report::{ProgramEnd, ProgramReport};
pub use apparmor::{apparmor_profile, install_apparmor_profile};
pub(crate) use confine::refusal;
pub(crate) use control::{Control, Figures, let_inherit};
pub(crate) use group::{GroupFolder, remove as remove_groups};
pub(crate) use launch::Sandbox;
pub use launch::SandboxLaunch;
pub use protections::Protections;

/// Runs a stage of the sandbox; returns its exit code.
pub(crate) fn run_stage(stage: &str, mut arguments: impl Iterator<Item = String>) -> i32 {
    let launch = std::env::var(launch::VARIABLE).unwrap_or_default();
    if stage == "probe" {
        probe::run(arguments.next().as_deref().map(Path::new));
        return 0;
    }
    if stage == "probe-proc" {
        return probe::mount_proc();
    }
    let launch: SandboxLaunch = match serde_json::from_str(&launch) {
        Ok(launch) => launch,
        Err(error) => {
            eprintln!("sandbox: nothing to run: {error}");
            return 2;
        }
    };
    let kept: Vec<RawFd> = match stage {
        "confine" => launch.group.iter().map(|group| group.entrance()).collect(),
        _ => {
            let control = launch.control.iter().flat_map(|control| control.descriptors());
            control.chain(launch.group.iter().flat_map(|group| group.descriptors())).collect()
        }
    };
    close_inherited(&kept);
    match stage {
        "hold" => hold::run(&launch),
        "supervise" => supervise::run(&launch),
        "confine" => confine::run(&launch),
        _ => 2,
    }
}

/// Closes all descriptors that this process has inherited, except the standard streams and those
/// that are `kept`. Whoever started the arena may have left files open in it.
pub(crate) fn close_inherited(kept: &[RawFd]) {
    let Ok(entries) = std::fs::read_dir("/proc/self/fd") else { return };
    let open: Vec<RawFd> = entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|descriptor| *descriptor > 2 && !kept.contains(descriptor))
        .collect();
    for descriptor in open {
        // The descriptor of the listing itself is among them and closed by now.
        let _ = nix::unistd::close(descriptor);
    }
}
