//! A running program: lines to it and from it, each within a time limit. There are no threads: the
//! pipes do not block, and waiting is one call of `poll`. This module knows nothing of what the
//! lines mean.
//!
//! Every wait is bounded twice: by the program's own clock ([`crate::clock`]), which does not count
//! the time that the program waited for a core, and by wall time ([`MAX_WALL_TIME_FACTOR`] times
//! the limit, and at least [`MIN_PATIENCE`]), so that a program that gets no core cannot hold up a
//! match for ever. That is no fault of the program.
//!
//! A program runs only while it has something to do: from a question to its answer, and while it is
//! sent something that it must read. Otherwise its supervisor may stop it ([`crate::sandbox`]).

use std::io::{ErrorKind, Read, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;

use quintain_core::MAX_WALL_TIME_FACTOR;

use crate::clock::{Clock, LONG};
use crate::limits::Limits;
use crate::sandbox::{Control, ProgramEnd, ProgramReport, SandboxLaunch, let_inherit, refusal};
use crate::standard_error::StandardError;

/// How long a program that was asked to end may take to report, before its supervisor is killed.
const LAST_WORDS: Duration = Duration::from_millis(400);
/// How often the stop flag is checked while waiting for a line.
const STOP_CHECK: Duration = Duration::from_millis(50);
/// How long to wait for a program that goes on after it has answered.
const SETTLING: Duration = Duration::from_millis(100);
/// How often a process that is about to end is checked.
const GLANCE: Duration = Duration::from_millis(1);

/// How long a program that waits for a core is waited for at least, however short its limit is.
const MIN_PATIENCE: Duration = Duration::from_secs(10);

/// The time by which all answers of a match together may exceed their limits. A machine does things
/// to a program that no counter of waits shows: it searches memory for a page, serves an interrupt,
/// loses a core to its host for less than the unit in which that is counted. That takes
/// milliseconds now and then, and a limit may be as short.
const RESERVE: Duration = Duration::from_millis(20);

nix::ioctl_read_bad!(
    /// The number of unread bytes in a pipe.
    count_unread,
    nix::libc::FIONREAD,
    nix::libc::c_int
);

/// Why no line came.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum LineError {
    /// It did not come in time.
    Late,
    /// It did not come within this wall time, for most of which the program waited for a core.
    Starved(Duration),
    /// The program has closed its output, or is gone.
    Closed,
    /// The line is longer than [`Limits::line`].
    Long,
    /// The program wrote more than [`Limits::output`] in one match.
    Flood,
    /// A pipe failed, with what the system says.
    Broken(String),
}

/// A running program, with the processes that confine it.
pub struct Process {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    report: ChildStderr,
    stderr: StandardError,
    limits: Limits,
    /// What has been read from the program but not yet returned.
    buffer: Vec<u8>,
    /// The length of the beginning of the buffer that is known to hold no line end, so that a long
    /// line that comes in pieces is not searched again with every piece.
    searched: usize,
    written: u64,
    carriage_returns: bool,
    /// Whether its output is closed: nothing more will come.
    is_closed: bool,
    clock: Clock,
    control: Control,
    stop: Option<Arc<AtomicBool>>,
    /// What is left of [`RESERVE`] in this match.
    reserve: Duration,
    _folders: Vec<TempDir>,
}

/// A line, and how long the program took for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// The text without its line end; invalid UTF-8 is replaced by `�`.
    pub text: String,
    /// The time since the question, without the time spent waiting for a core.
    pub thought: Duration,
}

impl Process {
    /// Starts a program. The `folders` that only it uses are deleted with it.
    ///
    /// # Errors
    /// What the system says if it cannot start a process.
    pub fn start(launch: &SandboxLaunch, folders: Vec<TempDir>) -> std::io::Result<Process> {
        // Between the two steps, another start in this process would inherit the descriptors too.
        static STARTING: Mutex<()> = Mutex::new(());
        let (control, stderr, end, given) = Control::pair()?;
        let launch = SandboxLaunch { control: Some(end), ..launch.clone() };
        let mut command = launch.command();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.process_group(0);
        let mut child = {
            let _starting = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
            for descriptor in &given {
                let_inherit(descriptor)?;
            }
            let child = command.spawn();
            drop(given);
            child?
        };
        let stdin = child.stdin.take().expect("standard input is a pipe");
        let stdout = child.stdout.take().expect("standard output is a pipe");
        let report = child.stderr.take().expect("standard error is a pipe");
        let clock = Clock::of((child.id(), launch.stages()), launch.limits.cores.get());
        let process = Process {
            child,
            stdin: Some(stdin),
            stdout,
            report,
            stderr: StandardError::new(stderr)?,
            limits: launch.limits.clone(),
            buffer: Vec::new(),
            searched: 0,
            written: 0,
            carriage_returns: false,
            is_closed: false,
            clock,
            control,
            stop: None,
            reserve: RESERVE,
            _folders: folders,
        };
        let no_wait = |fd: &dyn AsFd| fcntl(fd.as_fd(), FcntlArg::F_SETFL(OFlag::O_NONBLOCK));
        no_wait(&process.stdout).map_err(std::io::Error::from)?;
        no_wait(process.stdin.as_ref().expect("it is there")).map_err(std::io::Error::from)?;
        no_wait(&process.report).map_err(std::io::Error::from)?;
        Ok(process)
    }

    /// Has the memory of all its processes measured now.
    pub(crate) fn weigh(&mut self) {
        self.control.weigh();
    }

    /// The memory of all its processes when last measured, in bytes.
    pub(crate) fn memory(&self) -> u64 {
        self.control.memory()
    }

    /// The limits it runs under.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Begins a new allowance of output, and of time beyond its limits, at the start of a match.
    pub fn renew_allowance(&mut self) {
        self.written = 0;
        self.reserve = RESERVE;
        self.stderr.renew_allowance();
    }

    /// Writes text to the program, within `time` of its clock if its pipe is full; the clock must
    /// have been started. A program that need not read at once is not woken.
    ///
    /// # Errors
    /// [`LineError::Late`] if it does not read in time, [`LineError::Closed`] if it is gone.
    pub(crate) fn send(&mut self, text: &[u8], time: Duration) -> Result<(), LineError> {
        let mut rest = text;
        let mut deadline = Instant::now() + time;
        // Why this is the last attempt.
        let mut last = None;
        while !rest.is_empty() {
            let Some(stdin) = &mut self.stdin else { return Err(LineError::Closed) };
            match stdin.write(rest) {
                Ok(count) => (rest, last) = (&rest[count..], None),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if let Some(why) = last {
                        return Err(why);
                    }
                    self.control.wake();
                    if self.clock.has_noted_nothing() {
                        self.clock.note_waits(&mut self.control);
                    }
                    let look = deadline.min(Instant::now() + STOP_CHECK);
                    let limit = self.limits.output.0;
                    if wait(&*stdin, PollFlags::POLLOUT, &mut self.stderr, limit, look)? {
                        continue;
                    }
                    if self.is_stopped() {
                        return Err(LineError::Late);
                    }
                    if Instant::now() >= deadline {
                        match self.more_time(time) {
                            Ok(later) => deadline = later,
                            Err(why) => last = Some(why),
                        }
                    }
                }
                Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                    return Err(LineError::Closed);
                }
                Err(error) => return Err(LineError::Broken(error.to_string())),
            }
        }
        Ok(())
    }

    /// Sends the program something that has no answer, within `time` of its clock.
    ///
    /// # Errors
    /// [`LineError::Late`] if it does not read in time, [`LineError::Closed`] if it is gone.
    pub fn notify(&mut self, text: &[u8], time: Duration) -> Result<(), LineError> {
        self.clock.start(&self.control);
        let sent = self.send(text, time);
        self.rest();
        sent
    }

    /// Until when to go on waiting for a program that is late in wall time, since it may have spent
    /// that time waiting for a core. A program that runs or waits for one, and has not used its
    /// time, gets more in steps of [`GLANCE`].
    ///
    /// The figures may be older than what the program has just done, so the pipe must be looked at
    /// once more before the program is given up.
    ///
    /// # Errors
    /// [`LineError::Late`] if the program is late by its own clock, too, [`LineError::Starved`] if
    /// the arena loses patience.
    fn more_time(&mut self, time: Duration) -> Result<Instant, LineError> {
        let judgement = self.clock.judge(&mut self.control);
        let allowed = time + self.reserve;
        let left = allowed.saturating_sub(judgement.thought);
        if left.is_zero() && !(judgement.runs && judgement.used < allowed) {
            return Err(LineError::Late);
        }
        let wall = self.clock.wall_time();
        if wall > time.saturating_mul(MAX_WALL_TIME_FACTOR).max(MIN_PATIENCE) {
            return Err(LineError::Starved(wall));
        }
        Ok(Instant::now() + left.max(GLANCE))
    }

    /// Closes the program's standard input.
    pub fn close_input(&mut self) {
        self.stdin = None;
    }

    /// Starts the program's clock, writes a text and reads the line that answers it, within
    /// `time` of that clock.
    ///
    /// # Errors
    /// [`LineError`] says why no line came.
    pub fn ask(&mut self, text: &[u8], time: Duration) -> Result<Line, LineError> {
        // If the program answers quickly, no wait would check this.
        if self.is_stopped() {
            return Err(LineError::Late);
        }
        self.start_clock();
        self.send(text, time)?;
        self.read_line(time)
    }

    /// The time that the program has been thinking since its clock was started.
    pub(crate) fn thinking_time(&mut self) -> Duration {
        self.clock.thinking_time(&mut self.control)
    }

    /// Notes that the program has nothing to do until the next question: its supervisor may stop
    /// it.
    pub fn rest(&mut self) {
        self.clock.pause(&mut self.control);
        self.control.rest();
    }

    /// Lets the program run and starts its clock.
    pub fn start_clock(&mut self) {
        self.control.wake();
        self.clock.start(&self.control);
    }

    /// From now on, waiting ends once `stop` is set, as if the program were late.
    pub fn stop_when(&mut self, stop: Option<Arc<AtomicBool>>) {
        self.stop = stop;
    }

    fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Reads a line, within `time` of the program's clock since that was started.
    ///
    /// # Errors
    /// [`LineError`] says why no line came.
    pub fn read_line(&mut self, time: Duration) -> Result<Line, LineError> {
        let mut deadline = Instant::now() + time.saturating_sub(self.clock.wall_time());
        // Why this is the last look.
        let mut last = None;
        loop {
            if let Some(text) = self.take_line() {
                // A line has the same limit whether or not it came in pieces.
                if text.len() as u64 > self.limits.line.0 {
                    return Err(LineError::Long);
                }
                let thought = self.time_of_answer(time)?;
                return Ok(Line { text, thought });
            }
            if self.buffer.len() as u64 > self.limits.line.0 {
                return Err(LineError::Long);
            }
            let mut look = match self.stop {
                Some(_) => deadline.min(Instant::now() + STOP_CHECK),
                None => deadline,
            };
            if self.clock.has_noted_nothing() {
                look = look.min(Instant::now() + LONG.min(time / 4));
            }
            let limit = self.limits.output.0;
            if wait(&self.stdout, PollFlags::POLLIN, &mut self.stderr, limit, look)? {
                self.read()?;
                // One that writes without a pause is late all the same.
                if Instant::now() < deadline || self.buffer[self.searched..].contains(&b'\n') {
                    continue;
                }
            }
            if let Some(why) = last {
                return Err(why);
            }
            if self.is_stopped() {
                return Err(LineError::Late);
            }
            if self.clock.has_noted_nothing() {
                self.clock.note_waits(&mut self.control);
            }
            if Instant::now() >= deadline {
                match self.more_time(time) {
                    Ok(later) => deadline = later,
                    Err(why) => last = Some(why),
                }
            }
        }
    }

    /// How long the program has thought about an answer that has just been read, and for which it
    /// may have thought for `time`, or a little longer.
    fn time_of_answer(&mut self, time: Duration) -> Result<Duration, LineError> {
        let mut thought = self.clock.thinking_time(&mut self.control);
        if thought > time {
            thought = thought.min(self.clock.judge(&mut self.control).thought);
        }
        let excess = thought.saturating_sub(time);
        self.reserve = self.reserve.checked_sub(excess).ok_or(LineError::Late)?;
        Ok(thought.min(time))
    }

    /// Reads everything until the program closes its output, within `time` of its clock since
    /// that was started.
    ///
    /// # Errors
    /// [`LineError`] says why the end did not come.
    pub fn read_to_end(&mut self, time: Duration) -> Result<Line, LineError> {
        let mut text = String::new();
        loop {
            match self.read_line(time) {
                Ok(line) => {
                    text.push_str(&line.text);
                    text.push('\n');
                }
                Err(LineError::Closed) => {
                    text.push_str(&String::from_utf8_lossy(&self.buffer));
                    let thought = self.time_of_answer(time)?;
                    return Ok(Line { text, thought });
                }
                Err(why) => return Err(why),
            }
        }
    }

    /// What the program has written beyond its answers, if anything: a line or the beginning of
    /// one. To be sure of it on any machine, the program is left running until all of it sleeps and
    /// has read what it was sent; or, if it goes on all the same, until [`SETTLING`] of its clock
    /// has passed.
    ///
    /// # Errors
    /// [`LineError`] if it has written too much, or its pipe fails.
    pub fn surplus_line(&mut self) -> Result<Option<String>, LineError> {
        self.start_clock();
        let found = self.find_surplus();
        self.rest();
        found
    }

    fn find_surplus(&mut self) -> Result<Option<String>, LineError> {
        let mut deadline = Instant::now() + SETTLING;
        let mut is_last_look = false;
        loop {
            // The order matters: what the program wrote before it fell asleep can then be read.
            let is_done = self.control.is_asleep() && !self.has_unread_input();
            let is_gone = match self.read() {
                Err(LineError::Closed) => true,
                read => read.map(|()| false)?,
            };
            if let Some(line) = self.take_line() {
                return Ok(Some(line));
            }
            if is_done || is_gone || is_last_look {
                return Ok((!self.buffer.is_empty()).then(|| self.partial_line()));
            }
            if self.clock.has_noted_nothing() {
                self.clock.note_waits(&mut self.control);
            }
            let now = Instant::now();
            if now >= deadline {
                match self.more_time(SETTLING) {
                    Ok(later) => deadline = later,
                    // What it has written meanwhile can be read.
                    Err(_) => is_last_look = true,
                }
            }
            let limit = self.limits.output.0;
            wait(&self.stdout, PollFlags::POLLIN, &mut self.stderr, limit, now + GLANCE)?;
        }
    }

    /// Whether the program has not yet read all that it was sent.
    fn has_unread_input(&self) -> bool {
        let Some(stdin) = &self.stdin else { return false };
        let mut waiting = 0;
        // SAFETY: the descriptor is open, and the call writes one integer to memory that holds one.
        let asked = unsafe { count_unread(stdin.as_raw_fd(), &raw mut waiting) };
        asked.is_ok() && waiting > 0
    }

    /// The beginning of a line that the program has not finished yet.
    pub(crate) fn partial_line(&self) -> String {
        String::from_utf8_lossy(&self.buffer).into_owned()
    }

    /// Whether it has used at least this much processor time since its clock was started.
    pub(crate) fn has_computed(&mut self, time: Duration) -> bool {
        self.clock.processor_time(&mut self.control) >= time
    }

    /// Whether one of its lines ended in CR LF, which is tolerated.
    pub(crate) fn writes_carriage_returns(&self) -> bool {
        self.carriage_returns
    }

    /// The program's own process, past the stages of the sandbox.
    pub(crate) fn program(&self) -> Option<u32> {
        self.clock.program()
    }

    /// Discards what the program has written without being asked.
    ///
    /// # Errors
    /// [`LineError::Flood`] if it wrote too much, [`LineError::Closed`] if it has closed its
    /// output.
    pub fn drain(&mut self) -> Result<(), LineError> {
        let limit = self.limits.output.0;
        while wait(&self.stdout, PollFlags::POLLIN, &mut self.stderr, limit, Instant::now())? {
            self.read()?;
            self.buffer.clear();
            self.searched = 0;
        }
        self.buffer.clear();
        self.searched = 0;
        Ok(())
    }

    fn read(&mut self) -> Result<(), LineError> {
        let mut chunk = [0; 8192];
        match self.stdout.read(&mut chunk) {
            Ok(0) => {
                self.is_closed = true;
                Err(LineError::Closed)
            }
            Ok(count) => {
                self.written += count as u64;
                if self.written > self.limits.output.0 {
                    return Err(LineError::Flood);
                }
                self.buffer.extend_from_slice(&chunk[..count]);
                Ok(())
            }
            Err(error)
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) =>
            {
                Ok(())
            }
            Err(error) => Err(LineError::Broken(error.to_string())),
        }
    }

    fn take_line(&mut self) -> Option<String> {
        let end = self.buffer[self.searched..].iter().position(|&byte| byte == b'\n');
        let Some(end) = end else {
            self.searched = self.buffer.len();
            return None;
        };
        let end = self.searched + end;
        let text = String::from_utf8_lossy(&self.buffer[..end]);
        self.carriage_returns |= text.ends_with('\r');
        let text = text.trim_end_matches('\r').to_owned();
        self.buffer.drain(..=end);
        self.searched = 0;
        Some(text)
    }

    /// Whether it is still running; returns at once.
    pub fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Whether it may still write something, as far as is known without waiting. The supervisor of
    /// a program that has ended lives on for a moment.
    pub(crate) fn may_answer(&mut self) -> bool {
        !self.is_closed && self.is_alive()
    }

    /// Waits up to `grace` for the program to end by itself, then ends it and everything that it
    /// has started. No process of it is left afterwards.
    ///
    /// The supervisor is asked to end (SIGTERM) so that it can still report; only if that takes
    /// longer than [`LAST_WORDS`] is it killed, and then the kernel kills the rest with it.
    pub fn end(mut self, grace: Duration) -> ProgramReport {
        let mut said = Vec::new();
        if !grace.is_zero() {
            self.control.wake();
        }
        let by_itself = self.await_end(Instant::now() + grace, &mut said);
        if !by_itself {
            let _ = kill(Pid::from_raw(self.child.id() as i32), Signal::SIGTERM);
            if !self.await_end(Instant::now() + LAST_WORDS, &mut said) {
                let _ = self.child.kill();
                let _ = self.child.wait();
            }
        }
        let text = String::from_utf8_lossy(&said);
        let report = text.lines().rev().find_map(|line| serde_json::from_str(line).ok());
        let mut report: ProgramReport =
            report.unwrap_or_else(|| ProgramReport::of(ProgramEnd::Stopped));
        report.said = self.stderr.last_lines();
        if let (ProgramEnd::Exited(code), Some(line)) = (&report.ending, report.said.last())
            && let Some(why) = refusal(*code, line)
        {
            report.ending = ProgramEnd::NotStarted(why);
        }
        report.log = self.stderr.take();
        report
    }

    /// What it has written to standard error since the last call; if that was much, only the
    /// beginning and the end.
    pub(crate) fn take_stderr(&mut self) -> Option<String> {
        self.stderr.drain(u64::MAX);
        self.stderr.take()
    }

    /// Whether it may have written to standard error before its last line: what it writes there
    /// first can be read as soon as the line can.
    pub(crate) fn may_have_complained(&self) -> bool {
        self.stderr.has_new()
    }

    /// Waits for the end and reads the report. Returns whether the end has come.
    fn await_end(&mut self, deadline: Instant, said: &mut Vec<u8>) -> bool {
        let mut chunk = [0; 4096];
        loop {
            // Both are read while waiting, since a full pipe would block the writer.
            self.stderr.drain(u64::MAX);
            while let Ok(count @ 1..) = self.report.read(&mut chunk) {
                said.extend_from_slice(&chunk[..count]);
            }
            match self.child.try_wait() {
                Ok(None) => {}
                _ => {
                    self.stderr.drain(u64::MAX);
                    while let Ok(count @ 1..) = self.report.read(&mut chunk) {
                        said.extend_from_slice(&chunk[..count]);
                    }
                    return true;
                }
            }
            let now = Instant::now();
            if now >= deadline {
                return false;
            }
            let pause = (deadline - now).min(GLANCE);
            let mut source = [PollFd::new(self.report.as_fd(), PollFlags::POLLIN)];
            if poll(&mut source, timeout(pause)).is_ok_and(|ready| ready > 0) {
                // A closed pipe is always ready, so `poll` returns at once until the process has
                // ended.
                std::thread::yield_now();
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.is_alive() {
            let _ = kill(Pid::from_raw(self.child.id() as i32), Signal::SIGTERM);
            if !self.await_end(Instant::now() + LAST_WORDS, &mut Vec::new()) {
                let _ = self.child.kill();
                let _ = self.child.wait();
            }
        }
    }
}

/// Waits for a pipe until `deadline`, and meanwhile reads the program's standard error, which may
/// amount to `limit` bytes. Returns whether the pipe is ready.
fn wait(
    pipe: &impl AsFd,
    events: PollFlags,
    stderr: &mut StandardError,
    limit: u64,
    deadline: Instant,
) -> Result<bool, LineError> {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let mut sources = vec![PollFd::new(pipe.as_fd(), events)];
        sources.extend(stderr.descriptor().map(|pipe| PollFd::new(pipe, PollFlags::POLLIN)));
        let ready = match poll(&mut sources, timeout(left)) {
            Ok(0) | Err(nix::errno::Errno::EINTR) => [false; 2],
            Ok(_) => [0, 1].map(|at| sources.get(at).is_some_and(is_ready)),
            Err(error) => return Err(LineError::Broken(error.to_string())),
        };
        let [pipe_ready, stderr_ready] = ready;
        if stderr_ready && !stderr.drain(limit) {
            return Err(LineError::Flood);
        }
        if pipe_ready || left.is_zero() || Instant::now() >= deadline {
            return Ok(pipe_ready);
        }
    }
}

fn is_ready(source: &PollFd<'_>) -> bool {
    source.revents().is_some_and(|events| !events.is_empty())
}

/// A time in the whole milliseconds of `poll`, rounded up.
fn timeout(time: Duration) -> PollTimeout {
    let ms = time.as_micros().div_ceil(1000).min(i32::MAX as u128);
    PollTimeout::try_from(ms as i32).unwrap_or(PollTimeout::MAX)
}
