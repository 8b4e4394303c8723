//! The last stage: it gives up every right that a player does not need and becomes the
//! program. The kernel's own limits bound open files, processor time and address space,
//! Landlock bounds file access, seccomp the system calls, and capabilities are dropped.
//!
//! The order matters: each step may need a right that a later one takes. Limits and
//! capabilities come first, then `no_new_privs`, without which neither Landlock nor seccomp
//! may be applied by an ordinary user, then files, and system calls last.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use landlock::{
    ABI, Access, AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr,
    RulesetStatus, Scope, path_beneath_rules,
};
use nix::sys::prctl;
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{SigSet, Signal};
use nix::unistd::{getpid, setsid};

use super::launch::SandboxLaunch;
use super::root::{DEVICES, system};
use super::system_calls;

/// The exit code of a process that did not become the program.
const REFUSED: i32 = 127;
/// What its last line on standard error begins with.
const REFUSAL: &str = "sandbox: ";

/// The newest Landlock interface that is used; older kernels enforce what they know of it.
const LANDLOCK: ABI = ABI::V6;

/// Address space beyond the limit of resident memory, in bytes: runtimes reserve far more than
/// they use. The limit of resident memory itself is the supervisor's; this one only stops an
/// allocation too large to be noticed in time.
const RESERVED: u64 = 16 << 30;

/// The most of a core dump. It is not 0: where the machine hands dumps to a program of its own
/// (`core_pattern` begins with `|`), the kernel takes that for no limit at all, and 1 for a wish to
/// have none. That program would work for a player that fails, as a superuser and uncounted.
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

/// Why the program was not started, if that is what its process's exit code and the last line on
/// its standard error say.
pub(crate) fn refusal(code: i32, last_line: &str) -> Option<String> {
    let refused = code == REFUSED;
    last_line.strip_prefix(REFUSAL).filter(|_| refused).map(ToOwned::to_owned)
}

/// Why a program's file could not be run. The system says the same of a file that is not there
/// and of one whose interpreter is not there.
fn explain(program: &Path, error: &std::io::Error) -> String {
    let shown = program.display();
    if error.kind() != std::io::ErrorKind::NotFound || !program.exists() {
        return format!("{shown}: {error}");
    }
    match interpreter(program) {
        Some(name) if name.ends_with('\r') => format!(
            "{shown}: its first line ends in a carriage return, which becomes part of the \
             interpreter's name; save it with the line ends of Unix"
        ),
        Some(name) => format!(
            "{shown}: its first line names the interpreter {name}, which is not there for the \
             program; name another, or list its folder under `read`"
        ),
        None => format!("{shown}: the loader or a library that it was built for is not there"),
    }
}

/// The interpreter that the first line of a script names (`#!/usr/bin/python3 -u`).
fn interpreter(script: &Path) -> Option<String> {
    let mut head = [0; 256];
    let mut file = std::fs::File::open(script).ok()?;
    let count = std::io::Read::read(&mut file, &mut head).ok()?;
    let text = String::from_utf8_lossy(&head[..count]).into_owned();
    let line = text.strip_prefix("#!")?.split('\n').next()?.trim_start_matches([' ', '\t']);
    line.split([' ', '\t']).next().map(str::to_owned)
}

fn give_up_rights(launch: &SandboxLaunch) -> Result<(), String> {
    let failed = |what: &str, error: &dyn std::fmt::Display| format!("{what}: {error}");
    // The kernel kills this process when the supervisor dies. If it has died before this call,
    // nothing comes any more; in a PID namespace the kernel has then killed us anyway.
    prctl::set_pdeathsig(Signal::SIGKILL).map_err(|error| failed("death signal", &error))?;
    // The supervisor blocks signals that it waits for; the program must not inherit that.
    SigSet::empty().thread_set_mask().map_err(|error| failed("signals", &error))?;
    // A session of its own: signals to its group must not reach the supervisor.
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
    // Where none are allowed already, that cannot be raised.
    setrlimit(Resource::RLIMIT_CORE, CORE, CORE)
        .or_else(|_| setrlimit(Resource::RLIMIT_CORE, 0, 0))?;
    setrlimit(Resource::RLIMIT_NOFILE, limits.files.into(), limits.files.into())?;
    setrlimit(Resource::RLIMIT_FSIZE, limits.scratch.0, limits.scratch.0)?;
    setrlimit(Resource::RLIMIT_CPU, cpu, cpu + 1)?;
    let space = limits.memory.0.saturating_add(RESERVED);
    setrlimit(Resource::RLIMIT_AS, space, space)?;
    // The kernel counts these by user, so that one program could use up what another needs.
    setrlimit(Resource::RLIMIT_SIGPENDING, SIGNALS, SIGNALS)?;
    setrlimit(Resource::RLIMIT_MSGQUEUE, 0, 0)?;
    if launch.protections.namespaces {
        // Well above the limit itself, which is the supervisor's to enforce: a program that runs
        // into this one would seem to have crashed. It bounds what is started between two looks.
        let processes = u64::from(limits.processes) * 2 + 16;
        setrlimit(Resource::RLIMIT_NPROC, processes, processes)?;
    }
    Ok(())
}

/// The version of this kernel's Landlock as far as files are concerned, 0 if it has none.
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

/// Lets the program read what its launch lists and write its scratch folder. In a private root
/// this is a second wall behind the first; elsewhere it is the only one.
fn restrict_files(launch: &SandboxLaunch) -> Result<(), String> {
    let all = AccessFs::from_all(LANDLOCK);
    let read = AccessFs::from_read(LANDLOCK);
    let private = launch.protections.namespaces;
    let mut readable = system(Path::new("/"));
    if private {
        readable.extend(["/proc".into(), "/dev".into()]);
        readable.extend(launch.readable.iter().map(|readable| readable.at.clone()));
    } else {
        for readable_part in &launch.readable {
            readable.extend(list_allowed(&readable_part.source));
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

/// What may be read of a folder where it stands: all of it, or, if it holds a store, each other
/// entry by itself. A store holds the records of other players, from which a program could learn
/// how they play. Landlock can only allow, so the rest is allowed piecewise.
fn list_allowed(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return vec![folder.to_owned()];
    };
    let paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    if !paths.iter().any(|path| is_store(path)) {
        return vec![folder.to_owned()];
    }
    // A rule for a link would be one for what it leads to.
    paths.into_iter().filter(|path| !path.is_symlink() && !is_store(path)).collect()
}

/// Whether a file is an SQLite database or one of its companions.
pub(crate) fn is_store(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if ["-wal", "-shm", "-journal"].iter().any(|end| name.ends_with(end)) {
        return true;
    }
    let mut head = [0; 16];
    let read = std::fs::File::open(path)
        .and_then(|mut file| std::io::Read::read_exact(&mut file, &mut head));
    path.is_file() && read.is_ok() && &head == b"SQLite format 3\0"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_whose_interpreter_is_missing_is_told_so() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("bot.py");
        let explained = |first: &str| {
            std::fs::write(&script, first).unwrap();
            explain(&script, &std::io::ErrorKind::NotFound.into())
        };
        let named = explained("#! /opt/python9/bin/python -u\nprint()\n");
        assert!(named.contains("the interpreter /opt/python9/bin/python, which"), "{named}");
        assert!(explained("#!/bin/sh\r\n").contains("carriage return"));
        assert!(explained("\u{7f}ELF").contains("loader"));
        std::fs::remove_file(&script).unwrap();
        let gone = explain(&script, &std::io::ErrorKind::NotFound.into());
        assert!(!gone.contains("interpreter"), "{gone}");
    }
}
