//! The process that watches over a program. In namespaces it is the first process in them;
//! elsewhere it is a subreaper. In both cases every orphan of the program becomes its child,
//! so that no process can escape by letting its parent die. It measures what the program and
//! its descendants use, keeps the end of their standard error, and leaves none of them behind.
//!
//! It has one thread and one `poll`: on signals (as a file descriptor, so that none is lost
//! between a check and a wait), on the program's standard error, and on its own standard
//! error, where the report goes: an error there means that the arena is gone.

use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::mount::{MsFlags, mount};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::prctl;
use nix::sys::signal::{SigSet, Signal, kill};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, dup2_stdout, getpid};

use super::plan::Plan;
use super::report::{Ending, Report};
use super::stderr_tail::StderrTail;

/// How often memory, processor time and processes are measured, in milliseconds. A program
/// that allocates faster than this is stopped by its address space limit instead.
const TICK: u8 = 20;
/// How long a program may go on after the arena is gone: it usually ends by itself when its
/// input closes.
pub(super) const GRACE: Duration = Duration::from_millis(300);

/// Reports that the program could not be started, from whichever stage found out.
pub(super) fn report_not_started(why: &str) -> i32 {
    print_report(&Report {
        ending: Ending::NotStarted(why.to_owned()),
        said: Vec::new(),
        cpu_ms: 0,
        memory: 0,
    })
}

fn print_report(report: &Report) -> i32 {
    eprintln!("{}", serde_json::to_string(report).expect("a report has a JSON form"));
    0
}

/// Runs the program to its end and reports on standard error.
pub(super) fn run(plan: &Plan) -> i32 {
    match supervise(plan) {
        Ok(report) => print_report(&report),
        Err(why) => report_not_started(&why),
    }
}

fn supervise(plan: &Plan) -> Result<Report, String> {
    let failed = |what: &'static str| move |error: Errno| format!("{what}: {error}");
    let own_namespace = plan.protections.namespaces;
    if own_namespace {
        prctl::set_pdeathsig(Signal::SIGKILL).map_err(failed("death signal"))?;
        enter_mounts(plan)?;
    } else {
        prctl::set_child_subreaper(true).map_err(failed("subreaper"))?;
    }
    let awaited: SigSet = [Signal::SIGTERM, Signal::SIGCHLD].into_iter().collect();
    awaited.thread_block().map_err(failed("signals"))?;
    let flags = SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC;
    let signals = SignalFd::with_flags(&awaited, flags).map_err(failed("signals"))?;

    let mut confine = plan.stage("confine");
    confine.stderr(Stdio::piped());
    if !own_namespace {
        confine.process_group(0);
    }
    let mut child = confine.spawn().map_err(|error| error.to_string())?;
    let stderr = child.stderr.take().expect("standard error is a pipe");
    fcntl(&stderr, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).map_err(failed("standard error"))?;
    let mut watch = Watch {
        plan,
        program: Pid::from_raw(child.id() as i32),
        stderr: StderrTail::new(stderr),
        cpu_ms: 0,
        memory: 0,
        hung_up: None,
    };
    release_stdout()?;
    let ending = watch.until_the_end(&signals);
    kill_descendants(own_namespace);
    watch.stderr.drain(usize::MAX);
    Ok(Report {
        ending,
        said: watch.stderr.last_lines(),
        cpu_ms: watch.cpu_ms,
        memory: watch.memory,
    })
}

/// Replaces our standard output by `/dev/null`. Only the program may hold the write end of
/// that pipe: the arena sees the program's closing it only if no stage still has it open.
pub(super) fn release_stdout() -> Result<(), String> {
    let failed = |error: &dyn std::fmt::Display| format!("/dev/null: {error}");
    let nothing = std::fs::File::options().write(true).open("/dev/null");
    let nothing = nothing.map_err(|error| failed(&error))?;
    dup2_stdout(&nothing).map_err(|error| failed(&error))
}

/// Mounts a `/proc` that shows the namespace's own processes only, and the scratch folder as a
/// file system in memory, limited in size and gone with the namespace.
fn enter_mounts(plan: &Plan) -> Result<(), String> {
    let closed = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    mount(Some("proc"), "/proc", Some("proc"), closed, None::<&str>)
        .map_err(|error| format!("mounting /proc: {error}"))?;
    let size = format!("size={},mode=700", plan.limits.scratch.0);
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    mount(Some("scratch"), &plan.scratch, Some("tmpfs"), flags, Some(size.as_str()))
        .map_err(|error| format!("mounting the scratch folder: {error}"))
}

/// Kills all descendants of this process and waits until they are gone. It repeats until there
/// is no child left: a process may fork between the listing and the kill, but its child then
/// becomes ours and is found the next time.
fn kill_descendants(own_namespace: bool) {
    loop {
        if own_namespace {
            let _ = kill(Pid::from_raw(-1), Signal::SIGKILL);
        } else {
            for pid in list_processes(false).into_iter().map(|process| process.pid) {
                let _ = kill(pid, Signal::SIGKILL);
            }
        }
        match waitpid(None, None) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(_) => return,
        }
    }
}

struct Watch<'a> {
    plan: &'a Plan,
    program: Pid,
    stderr: StderrTail,
    cpu_ms: u64,
    memory: u64,
    hung_up: Option<Instant>,
}

impl Watch<'_> {
    fn until_the_end(&mut self, signals: &SignalFd) -> Ending {
        let own_namespace = self.plan.protections.namespaces;
        let limit = self.plan.limits.output.0 as usize;
        let mut measured = Instant::now();
        let tick = Duration::from_millis(TICK.into());
        loop {
            let report = std::io::stderr();
            let mut sources = vec![PollFd::new(signals.as_fd(), PollFlags::POLLIN)];
            if let Some(pipe) = &self.stderr.pipe {
                sources.push(PollFd::new(pipe.as_fd(), PollFlags::POLLIN));
            }
            if !own_namespace && self.hung_up.is_none() {
                sources.push(PollFd::new(report.as_fd(), PollFlags::empty()));
            }
            let _ = poll(&mut sources, PollTimeout::from(TICK));
            let listens = !own_namespace && self.hung_up.is_none();
            let gone = listens
                && sources
                    .last()
                    .and_then(PollFd::revents)
                    .is_some_and(|events| events.contains(PollFlags::POLLERR));
            drop(sources);
            if gone {
                self.hung_up = Some(Instant::now());
            }
            if !self.stderr.drain(limit) {
                return Ending::Flood;
            }
            while let Ok(Some(signal)) = signals.read_signal() {
                if signal.ssi_signo == Signal::SIGTERM as u32 {
                    self.measure();
                    return Ending::Stopped;
                }
            }
            if let Some(ending) = self.reap() {
                return ending;
            }
            if self.hung_up.is_some_and(|since| since.elapsed() > GRACE) {
                return Ending::Stopped;
            }
            if measured.elapsed() >= tick {
                measured = Instant::now();
                if let Some(ending) = self.measure() {
                    return ending;
                }
            }
        }
    }

    /// Reaps all processes that have ended. Returns the ending of the program if it is one.
    fn reap(&mut self) -> Option<Ending> {
        loop {
            match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::Exited(pid, code)) if pid == self.program => {
                    self.stderr.drain(usize::MAX);
                    return Some(match (code, self.stderr.refusal()) {
                        (super::confine::REFUSED, Some(why)) => Ending::NotStarted(why),
                        _ => Ending::Exited(code),
                    });
                }
                Ok(WaitStatus::Signaled(pid, signal, _)) if pid == self.program => {
                    return Some(match signal {
                        Signal::SIGXCPU => Ending::Cpu(self.cpu_ms),
                        signal => Ending::Killed(signal.to_string()),
                    });
                }
                Ok(WaitStatus::StillAlive) | Err(_) => return None,
                Ok(_) => {}
            }
        }
    }

    /// Measures what all processes use. Returns an ending if a limit is exceeded.
    fn measure(&mut self) -> Option<Ending> {
        let limits = &self.plan.limits;
        let all = list_processes(self.plan.protections.namespaces);
        let memory = all.iter().map(|process| process.memory).sum();
        let threads = all.iter().map(|process| process.threads).sum();
        let cpu: u64 = all.iter().map(|process| process.cpu_ms).sum();
        self.memory = self.memory.max(memory);
        self.cpu_ms = self.cpu_ms.max(cpu);
        if threads > limits.processes {
            Some(Ending::Processes(threads))
        } else if memory > limits.memory.0 {
            Some(Ending::Memory(memory))
        } else if u128::from(cpu) > limits.cpu.0.as_millis() {
            Some(Ending::Cpu(cpu))
        } else {
            None
        }
    }
}

/// A process under supervision.
struct Process {
    pid: Pid,
    parent: i32,
    threads: u32,
    memory: u64,
    cpu_ms: u64,
}

/// Every process under supervision: in a PID namespace of our own all processes but this one,
/// else the descendants of this one.
fn list_processes(own_namespace: bool) -> Vec<Process> {
    let own = getpid();
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let mut all: Vec<Process> = entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|pid| *pid != own.as_raw())
        .filter_map(read_process)
        .collect();
    if own_namespace {
        return all;
    }
    // A parent may come after its children in the listing, so repeat until nothing is added.
    let mut family = vec![own.as_raw()];
    loop {
        let before = family.len();
        for process in &all {
            if family.contains(&process.parent) && !family.contains(&process.pid.as_raw()) {
                family.push(process.pid.as_raw());
            }
        }
        if family.len() == before {
            all.retain(|process| family.contains(&process.pid.as_raw()));
            return all;
        }
    }
}

fn read_process(pid: i32) -> Option<Process> {
    // Fields are numbered from the state on, which follows the name in brackets: the name may
    // itself hold spaces and brackets, so the last bracket is searched for.
    const PARENT: usize = 1;
    const USER: usize = 11;
    const SYSTEM: usize = 12;
    const THREADS: usize = 17;
    const RESIDENT: usize = 21;
    // The kernel reports processor time in hundredths of a second (USER_HZ, the same on every
    // machine) and memory in pages.
    const TICK_MS: u64 = 10;
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
    let page = nix::unistd::sysconf(nix::unistd::SysconfVar::PAGE_SIZE).ok()??;
    Some(Process {
        pid: Pid::from_raw(pid),
        parent: number(PARENT)? as i32,
        threads: number(THREADS)? as u32,
        memory: number(RESIDENT)? * page as u64,
        cpu_ms: (number(USER)? + number(SYSTEM)?) * TICK_MS,
    })
}
