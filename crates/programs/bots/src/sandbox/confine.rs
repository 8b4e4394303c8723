//! The last stage: it gives up every right that a player does not need and becomes the program. The
//! kernel's own limits bound open files, processor time and address space; Landlock bounds file
//! access, seccomp bounds the system calls, and capabilities are dropped.
//!
//! The order matters: each step may need a right that a later one takes away. Limits and
//! capabilities come first, then `no_new_privs`, without which an ordinary user may apply neither
//! Landlock nor seccomp, then files, and system calls last.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use landlock::{
    ABI, Access, AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr,
    RulesetStatus, Scope, path_beneath_rules,
};
use nix::sys::prctl;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::signal::{SigSet, Signal};
use nix::unistd::{getpid, setsid};

use super::launch::SandboxLaunch;
use super::root::{DEVICES, system};
use super::system_calls;
use crate::launch::Readable;
use crate::store_file::is_store;
use crate::unrunnable::explain;

/// The exit code of a process that did not become the program.
const REFUSED: i32 = 127;
/// The prefix of its last line on standard error.
const REFUSAL: &str = "sandbox: ";

/// The newest Landlock interface that is used; older kernels enforce the part that they support.
const LANDLOCK: ABI = ABI::V6;

/// Address space beyond the limit of resident memory, in bytes: runtimes reserve far more than they
/// use. The supervisor enforces the limit of resident memory itself; this one only stops an
/// allocation that is too large for the supervisor to notice in time.
const RESERVED: u64 = 16 << 30;

/// The maximum size of a core dump. It is not 0: where the machine pipes dumps to a program of its
/// own (`core_pattern` begins with `|`), the kernel treats 0 as no limit at all, and 1 as a request
/// for no dump. That program would do work for a player that crashes, as a superuser and uncounted.
const CORE: u64 = 1;

/// The signals and timers that may be pending at one time.
const SIGNALS: u64 = 1024;

/// Becomes the program; returns only if that fails.
pub(super) fn run(launch: &SandboxLaunch) -> i32 {
    let why = match give_up_rights(launch) {
        Ok(()) => {
            let error = Command::new(&launch.program)
                .args(&launch.arguments)
                .env_clear()
                .envs(launch.environment.iter().map(|(name, value)| (name, value)))
                .exec();
            explain(&launch.program, &error)
        }
        Err(why) => why,
    };
    eprintln!("{REFUSAL}{why}");
    REFUSED
}

/// Why the program was not started, if its process's exit code and the last line on its standard
/// error say so.
pub(crate) fn refusal(code: i32, last_line: &str) -> Option<String> {
    let refused = code == REFUSED;
    last_line.strip_prefix(REFUSAL).filter(|_| refused).map(ToOwned::to_owned)
}

fn give_up_rights(launch: &SandboxLaunch) -> Result<(), String> {
    let failed = |what: &str, error: &dyn std::fmt::Display| format!("{what}: {error}");
    if let Some(group) = launch.group {
        group.enter().map_err(|error| failed("control group", &error))?;
    }
    // The kernel kills this process when the supervisor dies. If the supervisor died before this
    // call, no such signal comes any more; in a PID namespace the kernel has then killed us anyway.
    prctl::set_pdeathsig(Signal::SIGKILL).map_err(|error| failed("death signal", &error))?;
    // The supervisor blocks signals that it waits for; the program must not inherit that.
    SigSet::empty().thread_set_mask().map_err(|error| failed("signals", &error))?;
    // A separate session, so that signals to its group do not reach the supervisor.
    setsid().map_err(|error| failed("session", &error))?;
    std::env::set_current_dir(&launch.folder)
        .map_err(|error| failed(&launch.folder.display().to_string(), &error))?;
    set_limits(launch).map_err(|error| failed("limits", &error))?;
    if launch.protections.namespaces {
        caps::clear(None, caps::CapSet::Bounding)
            .map_err(|error| failed("capabilities", &error))?;
        caps::clear(None, caps::CapSet::Inheritable)
            .map_err(|error| failed("capabilities", &error))?;
    }
    prctl::set_no_new_privs().map_err(|error| failed("privileges", &error))?;
    if launch.protections.landlock {
        restrict_files(launch).map_err(|error| failed("landlock", &error))?;
    }
    if launch.protections.seccomp {
        let own = (!launch.protections.namespaces).then(getpid);
        system_calls::confine(own, launch.pairs).map_err(|error| failed("seccomp", &error))?;
    }
    Ok(())
}

fn set_limits(launch: &SandboxLaunch) -> nix::Result<()> {
    let limits = &launch.limits;
    let cpu = limits.cpu.0.as_secs().max(1);
    set_limit(Resource::RLIMIT_CORE, CORE, CORE)?;
    set_limit(Resource::RLIMIT_NOFILE, limits.files.into(), limits.files.into())?;
    set_limit(Resource::RLIMIT_FSIZE, limits.scratch.0, limits.scratch.0)?;
    set_limit(Resource::RLIMIT_CPU, cpu, cpu + 1)?;
    let space = limits.memory.0.saturating_add(RESERVED);
    set_limit(Resource::RLIMIT_AS, space, space)?;
    // The kernel counts these per user, so one program could use up what another needs.
    set_limit(Resource::RLIMIT_SIGPENDING, SIGNALS, SIGNALS)?;
    set_limit(Resource::RLIMIT_MSGQUEUE, 0, 0)?;
    if launch.protections.namespaces {
        // Well above the limit itself, which the supervisor enforces: a program that runs into this
        // one would seem to have crashed. It bounds what can be started between two looks.
        let processes = u64::from(limits.processes) * 2 + 16;
        set_limit(Resource::RLIMIT_NPROC, processes, processes)?;
    }
    Ok(())
}

/// Sets a limit, or leaves the lower one that the arena was started with: a shell or a batch system
/// may have set it, and it cannot be raised.
fn set_limit(resource: Resource, soft: u64, hard: u64) -> nix::Result<()> {
    let (_, most) = getrlimit(resource)?;
    setrlimit(resource, soft.min(most), hard.min(most))
}

/// The version of this kernel's Landlock as far as files are concerned; 0 if it has none.
pub(super) fn landlock_version() -> u32 {
    let has = |version: ABI| {
        Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(version))
            .and_then(Ruleset::create)
            .is_ok()
    };
    let versions = [(ABI::V3, 3), (ABI::V2, 2), (ABI::V1, 1)];
    versions.into_iter().find(|(version, _)| has(*version)).map_or(0, |(_, number)| number)
}

/// Lets the program read what its launch lists and write to its scratch folder. In a private root
/// this is a second barrier behind the first; elsewhere it is the only one.
fn restrict_files(launch: &SandboxLaunch) -> Result<(), String> {
    let all = AccessFs::from_all(LANDLOCK);
    let read = AccessFs::from_read(LANDLOCK);
    let private = launch.protections.namespaces;
    let (mut readable, mut listed) = (system(Path::new("/")), Vec::new());
    if private {
        readable.extend(["/proc".into(), "/dev".into()]);
        readable.extend(launch.readable.iter().map(|readable| readable.at.clone()));
    } else {
        for Readable { source, .. } in &launch.readable {
            readable.extend(list_allowed(source));
            // Even if not all that is in it may be read: Python finds no module in a folder that it
            // cannot list.
            listed.extend(source.is_dir().then(|| source.clone()));
        }
    }
    let device = AccessFs::from_file(LANDLOCK) & !AccessFs::Execute;
    let apply = || -> Result<RulesetStatus, landlock::RulesetError> {
        let ruleset = Ruleset::default()
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(all)?
            .scope(Scope::AbstractUnixSocket)?
            .create()?
            .add_rules(path_beneath_rules(&readable, read))?
            .add_rules(path_beneath_rules(&listed, AccessFs::ReadDir))?
            .add_rules(path_beneath_rules(DEVICES, device))?
            .add_rules(path_beneath_rules([&launch.scratch], all))?;
        Ok(ruleset.restrict_self()?.ruleset)
    };
    match apply() {
        Ok(RulesetStatus::NotEnforced) => Err("the kernel enforces nothing".to_owned()),
        Ok(_) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

/// What may be read of a folder: all of it or, if it contains a store, each of the other entries by
/// itself. A store contains the records of other players, from which a program could learn how they
/// play. Landlock can only allow, so the other entries are allowed one by one.
fn list_allowed(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return vec![folder.to_owned()];
    };
    let paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    if !paths.iter().any(|path| is_store(path)) {
        return vec![folder.to_owned()];
    }
    // A rule for a link would apply to its target.
    paths.into_iter().filter(|path| !path.is_symlink() && !is_store(path)).collect()
}
