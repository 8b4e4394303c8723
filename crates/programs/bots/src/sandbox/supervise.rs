//! The process that supervises a program. In namespaces it is the first process; elsewhere it is a
//! subreaper. In both cases every orphan of the program becomes its child, so that no process can
//! escape by letting its parent die. It measures what the program and its descendants use, and
//! leaves none of them behind.
//!
//! It has one thread and one `poll`, which waits for signals (as a file descriptor, so that none is
//! lost between a check and a wait), for requests of the arena, and for its own standard error, to
//! which the report is written: an error there means that the arena is gone. The program's output
//! does not pass through this process.

use std::fs::File;
use std::io::Write;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::prctl;
use nix::sys::signal::{SigSet, Signal, kill};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::statvfs::statvfs;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, dup2_stdout};

use super::control::{Figures, Request, SupervisorEnd};
use super::group::{Group, GroupEnd};
use super::launch::SandboxLaunch;
use super::usage::{
    KernelMemory, Process, clock_of, find_all, hidden_time, is_asleep, is_ending, is_still,
    list_processes, memory_of, processor_time, read_clock, waits_of,
};
use crate::limits::{MOST_TIMERS, MOST_WATCHES};
use crate::report::{ProgramEnd, ProgramReport};

/// How often memory, processor time and processes are measured, in milliseconds. A program
/// that allocates faster than this is stopped by its address space limit instead.
const TICK: u8 = 20;
/// When a stopped program is looked at, after it was stopped: one of its processes may have been
/// ending, and cannot be stopped, and its end may let others go on. Then they are stopped again.
const STOPPED_LOOKS: [Duration; 3] =
    [Duration::from_millis(1), Duration::from_millis(5), Duration::from_millis(20)];
/// How often it is looked at after that.
const STOPPED_TICK: Duration = Duration::from_millis(50);
/// How often it is looked at once it has been still for this long: there is nothing to see any
/// more, unless the program has found a way to go on.
const STILL_TICK: Duration = Duration::from_secs(1);
/// The highest of the kernel's figures that say which process ends first when memory runs out.
const FIRST_TO_END: &[u8] = b"1000";
/// How long the processes of a stopped program may go on until all of them are still: the kernel
/// needs long to end one that has much memory.
const ENDING: Duration = Duration::from_millis(100);
/// A program that computes for longer than this between two looks is not idle, whatever its first
/// thread does. It is half of a tick.
const BUSY: Duration = Duration::from_millis(10);
/// How long a program may still compute to finish its last question; if it computes for longer
/// while something of it runs, it is doing something else. A program that has answered may wait
/// long for a core to finish that.
const REST: Duration = Duration::from_millis(1);
/// How long a program may go on after the arena is gone: it usually ends by itself when its input
/// closes.
pub(super) const GRACE: Duration = Duration::from_millis(300);

/// How long a program that is ending when it is asked to end is waited for; our own parent waits
/// for twice as long.
const LAST_STEPS: Duration = Duration::from_millis(100);

/// Reports that the program could not be confined, whichever stage found out.
pub(super) fn report_not_confined(why: &str) -> i32 {
    print_report(&ProgramReport::of(ProgramEnd::NotConfined(why.to_owned())))
}

fn print_report(report: &ProgramReport) -> i32 {
    let report = serde_json::to_string(report).expect("a report has a JSON form");
    // If the arena is gone, no one reads the report, but the remaining work must be done all the
    // same.
    let _ = writeln!(std::io::stderr(), "{report}");
    0
}

/// Runs the program to its end and reports on standard error.
pub(super) fn run(launch: &SandboxLaunch) -> i32 {
    match supervise(launch) {
        Ok(report) => print_report(&report),
        Err(why) => report_not_confined(&why),
    }
}

fn supervise(launch: &SandboxLaunch) -> Result<ProgramReport, String> {
    let failed = |what: &'static str| move |error: Errno| format!("{what}: {error}");
    let own_namespace = launch.protections.namespaces;
    let null = open_null()?;
    // Opened here, since the program's own /proc is read-only.
    let preference = File::options().read(true).write(true).open("/proc/self/oom_score_adj").ok();
    if own_namespace {
        prctl::set_pdeathsig(Signal::SIGKILL).map_err(failed("death signal"))?;
        super::root::enter(launch)?;
    } else {
        prctl::set_child_subreaper(true).map_err(failed("subreaper"))?;
    }
    let control = launch.control.map(super::control::ControlEnd::take).transpose();
    let mut control = control.map_err(|error| format!("control: {error}"))?;
    let group = launch.group.map(GroupEnd::take).transpose();
    let (group, entrance) = group.map_err(|error| format!("control group: {error}"))?.unzip();
    // No one in here may reach our memory, descriptors and environment: a program runs as the same
    // user.
    prctl::set_dumpable(false).map_err(failed("dumps"))?;
    let awaited: SigSet = [Signal::SIGTERM, Signal::SIGCHLD].into_iter().collect();
    awaited.thread_block().map_err(failed("signals"))?;
    let flags = SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC;
    let signals = SignalFd::with_flags(&awaited, flags).map_err(failed("signals"))?;

    let mut confine = launch.stage("confine");
    let stderr = control.as_mut().and_then(|control| control.stderr.take());
    confine.stderr(stderr.map_or_else(Stdio::null, Stdio::from));
    let child = offer_to_kernel(preference, || confine.spawn());
    let child = child.map_err(|error| error.to_string())?;
    // Drops our copies of the program's end of the pipe: the arena must see it close when the
    // program closes it.
    drop((confine, entrance));
    let mut watch = Supervision {
        launch,
        program: Pid::from_raw(child.id() as i32),
        control,
        group,
        cpu: Duration::ZERO,
        memory: 0,
        kernel_memory: KernelMemory::default(),
        scratch_full: false,
        hung_up: None,
        stopped: None,
        idle_since: None,
        hidden: Duration::ZERO,
    };
    release_stdout(&null)?;
    let ending = watch.wait_for_end(&signals);
    watch.scratch_memory();
    let mut report = ProgramReport {
        ending,
        said: Vec::new(),
        log: None,
        cpu_ms: watch.cpu.as_millis() as u64,
        memory: watch.memory,
        scratch_full: watch.scratch_full,
    };
    // On a busy machine the arena may not wait until many processes are gone, and may end us too,
    // so the report comes first.
    print_report(&report);
    kill_descendants(own_namespace);
    report.cpu_ms = watch.cpu.max(processor_time(&[])).as_millis() as u64;
    Ok(report)
}

/// Starts the program as what the kernel ends first when the machine runs out of memory: otherwise
/// it looks for the largest process, which may be the arena where a program has many small ones.
/// This process, which has the file `preference`, keeps its own.
fn offer_to_kernel<T>(preference: Option<File>, start: impl FnOnce() -> T) -> T {
    let Some(preference) = preference else { return start() };
    let mut own = [0; 8];
    let length = preference.read_at(&mut own, 0).unwrap_or(0);
    let _ = preference.write_at(FIRST_TO_END, 0);
    let started = start();
    let _ = preference.write_at(&own[..length], 0);
    started
}

/// Opens what replaces our standard output. It is opened before the program starts, since building
/// the program's root changes the root of every stage.
pub(super) fn open_null() -> Result<File, String> {
    let null = File::options().write(true).open("/dev/null");
    null.map_err(|error| format!("/dev/null: {error}"))
}

/// Replaces our standard output. Only the program may hold the write end of that pipe: the arena
/// can see that the program closes it only if no stage still has it open.
pub(super) fn release_stdout(null: &File) -> Result<(), String> {
    dup2_stdout(null).map_err(|error| format!("standard output: {error}"))
}

/// Kills all descendants of this process and waits until they are gone. This is repeated until no
/// child is left: a process may fork between the listing and the kill, but its child then becomes
/// ours and is found the next time.
fn kill_descendants(own_namespace: bool) {
    loop {
        if own_namespace {
            let _ = kill(Pid::from_raw(-1), Signal::SIGKILL);
        } else {
            for pid in find_all(false).into_iter().map(|process| process.pid) {
                let _ = kill(pid, Signal::SIGKILL);
            }
        }
        match waitpid(None, None) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(_) => return,
        }
    }
}

struct Supervision<'a> {
    launch: &'a SandboxLaunch,
    program: Pid,
    control: Option<SupervisorEnd>,
    group: Option<Group>,
    cpu: Duration,
    memory: u64,
    kernel_memory: KernelMemory,
    scratch_full: bool,
    hung_up: Option<Instant>,
    stopped: Option<Stop>,
    /// The number of the pause in which the last look found the program, and what it had used by
    /// then.
    idle_since: Option<(u32, Duration)>,
    /// The most that its processes may have used without a trace at any one time.
    hidden: Duration,
}

/// A stop of the program, and what was seen since.
struct Stop {
    next_look: Instant,
    looks: usize,
    /// What it had used at the first look, or when it was first still.
    used: Option<Duration>,
    still_since: Option<Instant>,
}

impl Stop {
    /// A stop at this moment.
    fn now() -> Stop {
        let next_look = Instant::now() + STOPPED_LOOKS[0];
        Stop { next_look, looks: 0, used: None, still_since: None }
    }

    /// Notes what a look has shown. `is_private` says whether a look is cheap. Returns whether the
    /// program has gone on for longer than it may.
    fn note_look(&mut self, used: Duration, is_still: bool, is_private: bool) -> bool {
        let now = Instant::now();
        self.looks += 1;
        let first = *self.used.get_or_insert(used);
        let allowed = if self.still_since.is_some() { BUSY } else { ENDING };
        let went_on = used > first + allowed;
        match (is_still, self.still_since) {
            (true, None) => (self.still_since, self.used) = (Some(now), Some(used)),
            (false, Some(_)) => self.looks = 0,
            _ => {}
        }
        let is_quiet = self.still_since.is_some_and(|since| now - since >= STILL_TICK);
        self.next_look = now
            + match STOPPED_LOOKS.get(self.looks) {
                Some(wait) => *wait,
                None if is_quiet || !is_private => STILL_TICK,
                None => STOPPED_TICK,
            };
        went_on
    }
}

impl Supervision<'_> {
    fn wait_for_end(&mut self, signals: &SignalFd) -> ProgramEnd {
        let mut measured = Instant::now();
        let tick = Duration::from_millis(TICK.into());
        loop {
            if self.wait_for_events(signals) {
                self.hung_up = Some(Instant::now());
            }
            self.serve_requests();
            while let Ok(Some(signal)) = signals.read_signal() {
                if signal.ssi_signo == Signal::SIGTERM as u32 {
                    self.measure();
                    return self.reap_if_ending().unwrap_or(ProgramEnd::Stopped);
                }
            }
            if let Some(ending) = self.reap() {
                return ending;
            }
            if self.hung_up.is_some_and(|since| since.elapsed() > GRACE) {
                return ProgramEnd::Stopped;
            }
            let is_due = match &self.stopped {
                Some(stop) => Instant::now() >= stop.next_look,
                None => measured.elapsed() >= tick,
            };
            if is_due {
                measured = Instant::now();
                if let Some(ending) = self.measure() {
                    return ending;
                }
            }
        }
    }

    /// Waits until something happens or the next look is due. Returns whether the arena was found
    /// to be gone. While the program is stopped, looks are rare.
    fn wait_for_events(&self, signals: &SignalFd) -> bool {
        let report = std::io::stderr();
        let mut sources = vec![PollFd::new(signals.as_fd(), PollFlags::POLLIN)];
        if let Some(control) = &self.control {
            sources.push(PollFd::new(control.socket.as_fd(), PollFlags::POLLIN));
        }
        // In namespaces the first stage listens for this.
        let listens = !self.launch.protections.namespaces && self.hung_up.is_none();
        if listens {
            sources.push(PollFd::new(report.as_fd(), PollFlags::empty()));
        }
        let pause = match &self.stopped {
            Some(stop) if self.hung_up.is_none() => {
                let left = stop.next_look.saturating_duration_since(Instant::now());
                let ms = left.as_micros().div_ceil(1000).min(u128::from(u16::MAX));
                PollTimeout::from(ms as u16)
            }
            _ => PollTimeout::from(TICK),
        };
        let _ = poll(&mut sources, pause);
        let has_error = |source: &PollFd<'_>| {
            source.revents().is_some_and(|events| events.contains(PollFlags::POLLERR))
        };
        listens && sources.last().is_some_and(has_error)
    }

    /// Carries out the arena's requests.
    fn serve_requests(&mut self) {
        while let Some(control) = &mut self.control {
            let request = match control.next_request() {
                Ok(Some(request)) => request,
                Ok(None) => return,
                // The arena is gone; the code that listens for that will end us.
                Err(_) => {
                    self.control = None;
                    return;
                }
            };
            let mut figures = Figures::default();
            match request {
                Request::Stop => self.stop(),
                Request::Wake => self.wake(),
                Request::Measure => drop(self.measure_time()),
                Request::Weigh => {
                    let all = list_processes(self.launch.protections.namespaces);
                    self.measure_memory(&all);
                }
                Request::Look => {
                    let all = list_processes(self.launch.protections.namespaces);
                    figures.is_active = !all.iter().all(is_asleep);
                }
                Request::Examine => {
                    let all = self.measure_time();
                    (figures.waited, figures.is_active) = waits_of(&all);
                }
            }
            figures.used = self.cpu;
            if let Some(control) = &mut self.control {
                control.answer(figures);
            }
        }
    }

    /// Stops all processes of the program, unless it has been asked a question in the meantime.
    fn stop(&mut self) {
        let Some(control) = &self.control else { return };
        control.note_stopped(true);
        if control.turn().1 {
            control.note_stopped(false);
            return;
        }
        if !self.group.as_ref().is_some_and(|group| group.freeze(true)) {
            self.signal_all(Signal::SIGSTOP);
        }
        self.stopped.get_or_insert_with(Stop::now);
    }

    fn wake(&mut self) {
        if let Some(control) = &self.control {
            control.note_stopped(false);
        }
        if self.stopped.take().is_some()
            && !self.group.as_ref().is_some_and(|group| group.freeze(false))
        {
            self.signal_all(Signal::SIGCONT);
        }
        self.idle_since = None;
    }

    /// Sends a signal to every process of the program.
    fn signal_all(&self, signal: Signal) {
        if self.launch.protections.namespaces {
            let _ = kill(Pid::from_raw(-1), signal);
            return;
        }
        // A process that is started between the listing and the signal is found at the next look.
        for process in list_processes(false) {
            let _ = kill(process.pid, signal);
        }
    }

    /// Reaps all processes that have ended. Returns how the program ended, if it is among them.
    fn reap(&mut self) -> Option<ProgramEnd> {
        loop {
            match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::Exited(pid, code)) if pid == self.program => {
                    return Some(ProgramEnd::Exited(code));
                }
                Ok(WaitStatus::Signaled(pid, signal, _)) if pid == self.program => {
                    return Some(match signal {
                        Signal::SIGXCPU => ProgramEnd::Cpu(self.cpu.as_millis() as u64),
                        signal => ProgramEnd::Killed(signal.to_string()),
                    });
                }
                Ok(WaitStatus::StillAlive) | Err(_) => return None,
                Ok(_) => {}
            }
        }
    }

    /// Returns how the program ended, if it did so by itself before it was asked to: on a busy
    /// machine this process may hear of both at once, and the program's process may have closed its
    /// output and still be ending.
    fn reap_if_ending(&mut self) -> Option<ProgramEnd> {
        let asked = Instant::now();
        loop {
            let ending = self.reap();
            if ending.is_some() || !is_ending(self.program) || asked.elapsed() > LAST_STEPS {
                return ending;
            }
            std::thread::yield_now();
        }
    }

    /// Measures the processor time of all processes, and notes it for the arena.
    fn measure_time(&mut self) -> Vec<Process> {
        let all = list_processes(self.launch.protections.namespaces);
        // In a group nothing is hidden. Its figure may be a tick old, which the sum is not.
        let counted = self.group.as_ref().and_then(Group::used);
        if counted.is_none() {
            self.hidden = self.hidden.max(hidden_time(&all));
        }
        let added_up = processor_time(&all) + self.hidden;
        // Times of ended children have a coarser unit, so a sum can be less than the one before.
        self.cpu = self.cpu.max(added_up).max(counted.unwrap_or_default());
        if let Some(control) = &self.control {
            let first = clock_of(self.program).and_then(read_clock).unwrap_or_default();
            control.note_others(all.len() > 1, self.cpu.saturating_sub(first));
        }
        all
    }

    /// Measures the memory of all processes, and notes it for the arena.
    fn measure_memory(&mut self, all: &[Process]) -> u64 {
        let resident: u64 = all.iter().map(memory_of).sum();
        let memory = resident + self.kernel_memory.bytes() + self.scratch_memory();
        self.memory = self.memory.max(memory);
        if let Some(control) = &self.control {
            control.note_memory(memory);
        }
        memory
    }

    /// Measures what all processes use, and stops a program that has been idle for two looks.
    /// Returns how the program ends if a limit is exceeded.
    fn measure(&mut self) -> Option<ProgramEnd> {
        // On a machine with few cores, many questions may pass during this look.
        let begun_in = self.control.as_ref().map(SupervisorEnd::turn);
        let all = self.measure_time();
        let limits = &self.launch.limits;
        // This comes first: looking at the memory of many processes takes long, and a fork bomb
        // makes more meanwhile.
        let threads = all.iter().map(|process| process.threads).sum();
        if threads > limits.processes {
            return Some(ProgramEnd::Processes(threads));
        }
        self.kernel_memory.look(&all);
        let memory = self.measure_memory(&all);
        if memory > limits.memory.0 {
            return Some(ProgramEnd::Memory(memory));
        }
        let watches = self.kernel_memory.watches();
        if watches > MOST_WATCHES {
            return Some(ProgramEnd::Watches(watches));
        }
        let timers = self.kernel_memory.timers();
        if timers > MOST_TIMERS {
            return Some(ProgramEnd::Timers(timers));
        }
        if self.cpu > limits.cpu.0 {
            return Some(ProgramEnd::Cpu(self.cpu.as_millis() as u64));
        }
        let Some(control) = &self.control else { return None };
        let (turn, thinks) = control.turn();
        if let Some(stop) = &mut self.stopped {
            let is_frozen = self.group.as_ref().map(Group::is_frozen);
            let is_still = is_frozen.unwrap_or_else(|| all.iter().all(is_still));
            let is_private = self.launch.protections.namespaces;
            let went_on = stop.note_look(self.cpu, is_still, is_private);
            if thinks {
                return None;
            }
            if !is_still && is_frozen.is_none() {
                self.signal_all(Signal::SIGSTOP);
            }
            return went_on.then_some(ProgramEnd::WentOn);
        }
        match self.idle_since {
            _ if thinks || begun_in != Some((turn, thinks)) => self.idle_since = None,
            Some((pause, used)) if pause == turn => {
                let computed = self.cpu.saturating_sub(used);
                let runs = all.iter().any(|process| process.runs);
                if computed > BUSY || runs && computed > REST {
                    control.note_spinning();
                }
                self.stop();
            }
            _ => self.idle_since = Some((turn, self.cpu)),
        }
        None
    }

    /// The size of the content of the scratch folder; it is memory if the folder is a file system
    /// of its own.
    fn scratch_memory(&mut self) -> u64 {
        if !self.launch.protections.namespaces {
            return 0;
        }
        let Ok(scratch) = statvfs(&self.launch.scratch) else { return 0 };
        self.scratch_full |= scratch.blocks_free() == 0 || scratch.files_free() == 0;
        (scratch.blocks() - scratch.blocks_free()) * scratch.fragment_size()
    }
}
