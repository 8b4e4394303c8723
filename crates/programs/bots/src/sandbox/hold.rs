//! The first stage: it creates namespaces, starts the supervisor as their first process, and ends
//! the supervisor when the arena asks for it or is gone. It does not touch the program's pipes.
//!
//! It stays outside the PID namespace, so that the arena's signals and the hangup of its report
//! pipe reach a process that the program can neither see nor stop.

use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::mount::{MsFlags, mount};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sched::{CloneFlags, unshare};
use nix::sys::signal::{SigSet, Signal, kill};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, close, getgid, getuid};

use super::group::{NewGroup, remove_soon};
use super::launch::SandboxLaunch;
use super::supervise::GRACE;

/// How long the supervisor may take to write its report.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// Why namespaces could not be entered.
#[derive(Debug, thiserror::Error)]
#[error("{step}: {}", error.desc())]
pub(super) struct NamespaceError {
    step: &'static str,
    pub(super) error: Errno,
}

/// Enters new namespaces. This process stays in its PID namespace; its children live in the
/// new one, the first of them as process 1.
pub(super) fn enter_namespaces() -> Result<(), NamespaceError> {
    let failed = |step: &'static str| move |error: Errno| NamespaceError { step, error };
    let (user, group) = (getuid(), getgid());
    let all = CloneFlags::CLONE_NEWUSER
        | CloneFlags::CLONE_NEWPID
        | CloneFlags::CLONE_NEWNS
        | CloneFlags::CLONE_NEWNET
        | CloneFlags::CLONE_NEWIPC
        | CloneFlags::CLONE_NEWUTS;
    unshare(all).map_err(failed("unshare"))?;
    // In its user namespace the program is root, as the supervisor's mounts require; without these
    // maps it would be nobody. `setgroups` must be denied before an unprivileged process may map a
    // group.
    let maps = [
        ("/proc/self/setgroups", "deny".to_owned()),
        ("/proc/self/uid_map", format!("0 {user} 1")),
        ("/proc/self/gid_map", format!("0 {group} 1")),
    ];
    for (file, text) in maps {
        let written = std::fs::write(file, text);
        written
            .map_err(|error| failed(file)(Errno::from_raw(error.raw_os_error().unwrap_or(0))))?;
    }
    // Otherwise mounts made in here would appear outside as well.
    let private = MsFlags::MS_REC | MsFlags::MS_PRIVATE;
    mount(None::<&str>, "/", None::<&str>, private, None::<&str>).map_err(failed("mount"))
}

/// Runs a program in separate namespaces. The exit code means nothing; the report does.
pub(super) fn run(launch: &SandboxLaunch) -> i32 {
    let signals = [Signal::SIGTERM, Signal::SIGCHLD, Signal::SIGINT, Signal::SIGHUP];
    let awaited: SigSet = signals.into_iter().collect();
    let prepared = awaited.thread_block().and_then(|()| {
        SignalFd::with_flags(&awaited, SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC)
    });
    let signals = match prepared {
        Ok(signals) => signals,
        Err(error) => return super::supervise::report_not_confined(&format!("signals: {error}")),
    };
    // Where there is none after all, the program does without.
    let group = launch.groups.as_deref().and_then(|groups| NewGroup::within(groups).ok());
    let held = hold(launch, group.as_ref(), &signals);
    // Only now has everything in it ended. What is left, the arena removes.
    if let Some(group) = group {
        remove_soon(&group.into_folder());
    }
    held.map_or_else(|problem| super::supervise::report_not_confined(&problem), |()| 0)
}

/// Starts the supervisor in new namespaces, and waits for its end.
fn hold(
    launch: &SandboxLaunch,
    group: Option<&NewGroup>,
    signals: &SignalFd,
) -> Result<(), String> {
    enter_namespaces().map_err(|problem| problem.to_string())?;
    let null = super::supervise::open_null()?;
    let handed_on = group.map(NewGroup::hand_on).transpose();
    let handed_on = handed_on.map_err(|error| format!("control group: {error}"))?;
    let launch = &SandboxLaunch { group: handed_on, ..launch.clone() };
    let supervisor = launch.stage("supervise").spawn().map_err(|error| error.to_string())?;
    let supervisor = Pid::from_raw(supervisor.id() as i32);
    // Only the supervisor answers the arena: when the supervisor is gone, its end must be seen to
    // close.
    for descriptor in launch.control.iter().flat_map(|control| control.descriptors()) {
        let _ = close(descriptor);
    }
    super::supervise::release_stdout(&null)?;
    wait_for_the_end(supervisor, signals);
    Ok(())
}

/// Waits until the supervisor has ended: by itself, on request, or because the arena is gone.
fn wait_for_the_end(supervisor: Pid, signals: &SignalFd) {
    let report = std::io::stderr();
    let mut asked_to_end: Option<Instant> = None;
    let mut hung_up: Option<Instant> = None;
    loop {
        match waitpid(supervisor, Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::StillAlive) => {}
            _ => return,
        }
        let now = Instant::now();
        if let Some(since) = asked_to_end
            && now - since > LAST_WORDS
        {
            let _ = kill(supervisor, Signal::SIGKILL);
        }
        if let Some(since) = hung_up
            && now - since > GRACE
            && asked_to_end.is_none()
        {
            let _ = kill(supervisor, Signal::SIGTERM);
            asked_to_end = Some(now);
        }
        let waiting = hung_up.is_some() || asked_to_end.is_some();
        let mut sources = vec![PollFd::new(signals.as_fd(), PollFlags::POLLIN)];
        if hung_up.is_none() {
            // No event is asked for: `poll` always reports an error of the pipe, which occurs when
            // the arena closes its end.
            sources.push(PollFd::new(report.as_fd(), PollFlags::empty()));
        }
        let pause = if waiting { PollTimeout::from(20u8) } else { PollTimeout::NONE };
        let _ = poll(&mut sources, pause);
        let has_events = |source: &PollFd<'_>| source.revents().is_some_and(|e| !e.is_empty());
        if sources.get(1).is_some_and(has_events) {
            hung_up = Some(Instant::now());
        }
        while let Ok(Some(signal)) = signals.read_signal() {
            if signal.ssi_signo != Signal::SIGCHLD as u32 && asked_to_end.is_none() {
                let _ = kill(supervisor, Signal::SIGTERM);
                asked_to_end = Some(Instant::now());
            }
        }
    }
}
