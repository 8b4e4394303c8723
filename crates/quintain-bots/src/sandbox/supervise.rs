//! The process that watches over a program: the first one in its namespaces, or, where
//! there are none, the one to which all its orphans come. It adds up what the program
//! and its descendants use, keeps the end of what they say on standard error, and
//! leaves none of them behind.

use std::collections::VecDeque;
use std::io::Read;
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{ChildStderr, Stdio};
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

/// How often use is added up.
const TICK: u8 = 20;
/// What is kept of standard error.
const KEPT: usize = 4096;
/// Lines of it that are reported.
const LINES: usize = 20;
/// How long a program may go on when nobody listens for its report any more.
pub(super) const GRACE: Duration = Duration::from_millis(300);

/// Reports, in place of a supervisor, that nothing could be started.
pub(super) fn not_started(why: &str) -> i32 {
    tell(&Report {
        ending: Ending::NotStarted(why.to_owned()),
        said: Vec::new(),
        cpu_ms: 0,
        memory: 0,
    })
}

fn tell(report: &Report) -> i32 {
    eprintln!("{}", serde_json::to_string(report).expect("a report has a JSON form"));
    0
}

/// Runs the program to its end and reports on standard error.
pub(super) fn run(plan: &Plan) -> i32 {
    match supervise(plan) {
        Ok(report) => tell(&report),
        Err(why) => not_started(&why),
    }
}

fn supervise(plan: &Plan) -> Result<Report, String> {
    let failed = |what: &'static str| move |error: Errno| format!("{what}: {error}");
    let alone = plan.protections.namespaces;
    if alone {
        prctl::set_pdeathsig(Signal::SIGKILL).map_err(failed("death signal"))?;
        enter_mounts(plan)?;
    } else {
        prctl::set_child_subreaper(true).map_err(failed("subreaper"))?;
    }
    let awaited: SigSet = [Signal::SIGTERM, Signal::SIGCHLD].into_iter().collect();
    awaited.thread_block().map_err(failed("signals"))?;
    let flags = SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC;
    let signals = SignalFd::with_flags(&awaited, flags).map_err(failed("signals"))?;

    let mut dress = plan.stage("dress");
    dress.stderr(Stdio::piped());
    if !alone {
        dress.process_group(0);
    }
    let mut child = dress.spawn().map_err(|error| error.to_string())?;
    let stderr = child.stderr.take().expect("standard error is a pipe");
    fcntl(&stderr, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).map_err(failed("standard error"))?;
    let mut watch = Watch {
        plan,
        program: Pid::from_raw(child.id() as i32),
        said: Said::new(stderr),
        cpu_ms: 0,
        memory: 0,
        hung_up: None,
    };
    let_go_of_output()?;
    let ending = watch.until_the_end(&signals);
    leave_none(alone);
    watch.said.take_in(usize::MAX);
    Ok(Report { ending, said: watch.said.last_lines(), cpu_ms: watch.cpu_ms, memory: watch.memory })
}

/// Gives standard output up: it is the program's now, and who reads it must see it when
/// the program closes it.
pub(super) fn let_go_of_output() -> Result<(), String> {
    let failed = |error: &dyn std::fmt::Display| format!("/dev/null: {error}");
    let nothing = std::fs::File::options().write(true).open("/dev/null");
    let nothing = nothing.map_err(|error| failed(&error))?;
    dup2_stdout(&nothing).map_err(|error| failed(&error))
}

/// Sees its own processes only, and a scratch folder in memory that goes when it goes.
fn enter_mounts(plan: &Plan) -> Result<(), String> {
    let closed = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    mount(Some("proc"), "/proc", Some("proc"), closed, None::<&str>)
        .map_err(|error| format!("mounting /proc: {error}"))?;
    let size = format!("size={},mode=700", plan.limits.scratch.0);
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    mount(Some("scratch"), &plan.scratch, Some("tmpfs"), flags, Some(size.as_str()))
        .map_err(|error| format!("mounting the scratch folder: {error}"))
}

/// Kills all that descends from this process, and waits until it is gone.
fn leave_none(alone: bool) {
    loop {
        if alone {
            let _ = kill(Pid::from_raw(-1), Signal::SIGKILL);
        } else {
            for pid in processes(false).into_iter().map(|process| process.pid) {
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
    said: Said,
    cpu_ms: u64,
    memory: u64,
    hung_up: Option<Instant>,
}

impl Watch<'_> {
    fn until_the_end(&mut self, signals: &SignalFd) -> Ending {
        let alone = self.plan.protections.namespaces;
        let limit = self.plan.limits.output.0 as usize;
        let mut looked = Instant::now();
        let tick = Duration::from_millis(TICK.into());
        loop {
            let report = std::io::stderr();
            let mut sources = vec![PollFd::new(signals.as_fd(), PollFlags::POLLIN)];
            if let Some(pipe) = &self.said.pipe {
                sources.push(PollFd::new(pipe.as_fd(), PollFlags::POLLIN));
            }
            if !alone && self.hung_up.is_none() {
                sources.push(PollFd::new(report.as_fd(), PollFlags::empty()));
            }
            let _ = poll(&mut sources, PollTimeout::from(TICK));
            let listens = !alone && self.hung_up.is_none();
            let gone = listens
                && sources
                    .last()
                    .and_then(PollFd::revents)
                    .is_some_and(|events| events.contains(PollFlags::POLLERR));
            drop(sources);
            if gone {
                self.hung_up = Some(Instant::now());
            }
            if !self.said.take_in(limit) {
                return Ending::Flood;
            }
            while let Ok(Some(signal)) = signals.read_signal() {
                if signal.ssi_signo == Signal::SIGTERM as u32 {
                    self.look();
                    return Ending::Stopped;
                }
            }
            if let Some(ending) = self.reap() {
                return ending;
            }
            if self.hung_up.is_some_and(|since| since.elapsed() > GRACE) {
                return Ending::Stopped;
            }
            if looked.elapsed() >= tick {
                looked = Instant::now();
                if let Some(ending) = self.look() {
                    return ending;
                }
            }
        }
    }

    /// Takes in what has ended; the ending, if the program itself has.
    fn reap(&mut self) -> Option<Ending> {
        loop {
            match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::Exited(pid, code)) if pid == self.program => {
                    self.said.take_in(usize::MAX);
                    return Some(match (code, self.said.refusal()) {
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

    /// Adds up what is used; the ending, if that is too much.
    fn look(&mut self) -> Option<Ending> {
        let limits = &self.plan.limits;
        let all = processes(self.plan.protections.namespaces);
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

/// Every process under supervision: all but this one in namespaces of their own, else
/// this one's descendants.
fn processes(alone: bool) -> Vec<Process> {
    let own = getpid();
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let mut all: Vec<Process> = entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|pid| *pid != own.as_raw())
        .filter_map(read_process)
        .collect();
    if alone {
        return all;
    }
    // Parents may come after their children in the listing: go round until nothing is added.
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
    // Fields are counted from the state on, which follows the name in brackets.
    const PARENT: usize = 1;
    const USER: usize = 11;
    const SYSTEM: usize = 12;
    const THREADS: usize = 17;
    const RESIDENT: usize = 21;
    // The kernel counts processor time in hundredths and memory in pages for all readers.
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

/// The end of what a program says on standard error.
struct Said {
    pipe: Option<ChildStderr>,
    kept: VecDeque<u8>,
    total: usize,
}

impl Said {
    fn new(pipe: ChildStderr) -> Said {
        Said { pipe: Some(pipe), kept: VecDeque::new(), total: 0 }
    }

    /// Takes in what is there; whether the total is within the limit.
    fn take_in(&mut self, limit: usize) -> bool {
        let mut chunk = [0; 4096];
        while let Some(pipe) = &mut self.pipe {
            match pipe.read(&mut chunk) {
                Ok(0) => self.pipe = None,
                Ok(count) => {
                    self.total += count;
                    self.kept.extend(&chunk[..count]);
                    let surplus = self.kept.len().saturating_sub(KEPT);
                    self.kept.drain(..surplus);
                    if self.total > limit {
                        return false;
                    }
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => return true,
            }
        }
        true
    }

    fn last_lines(&self) -> Vec<String> {
        let bytes: Vec<u8> = self.kept.iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(LINES)..].iter().map(|&line| line.to_owned()).collect()
    }

    /// Why the program was not started, if the process that was to become it says so.
    fn refusal(&self) -> Option<String> {
        let lines = self.last_lines();
        Some(lines.last()?.strip_prefix(super::confine::REFUSAL)?.to_owned())
    }
}
