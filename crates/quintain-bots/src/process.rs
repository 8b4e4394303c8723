//! A running program: lines to it and from it, each with a time by which it must have
//! come. No threads: the pipes do not block, and waiting is one call of `poll`. What
//! the lines mean is not known here.

use std::io::{ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;

use crate::clock::Clock;
use crate::limits::Limits;
use crate::sandbox::{Ending, Plan, Report};

/// How long the report of a program that was told to end may take, before its
/// supervisor is killed.
const LAST_WORDS: Duration = Duration::from_millis(400);
/// How often a wish to stop is looked for.
const HEED: Duration = Duration::from_millis(50);
/// How often a process that ends is looked at.
const GLANCE: Duration = Duration::from_millis(1);
/// A clock that is slowed by other programs may at most run this much slower.
const MOST_PATIENCE: u32 = 20;

/// Why no line came.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoLine {
    /// The time was up.
    Late,
    /// The program has closed its output, or is gone.
    Closed,
    /// The line is longer than it may be.
    Long,
    /// It wrote more than it may in all.
    Flood,
    /// The pipes failed.
    Broken(String),
}

/// A program that runs.
pub struct Process {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    report: ChildStderr,
    limits: Limits,
    /// What has been read and not yet been given out.
    buffer: Vec<u8>,
    /// Bytes of the buffer that are known to hold no line end.
    searched: usize,
    written: u64,
    clock: Clock,
    stop: Option<Arc<AtomicBool>>,
    _scratch: TempDir,
    _given: Option<TempDir>,
}

/// A line, and how long its writer took.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// The text without its end; what is no UTF-8 is replaced.
    pub text: String,
    /// The time from the question, less the time spent waiting for a core.
    pub thought: Duration,
}

impl Process {
    /// Starts a program. Its scratch folder is `scratch`, which it takes with it, as well
    /// as a folder that it was given to read.
    ///
    /// # Errors
    /// If the system starts no process.
    pub fn start(
        plan: &Plan,
        scratch: TempDir,
        given: Option<TempDir>,
    ) -> std::io::Result<Process> {
        let mut child = plan
            .command()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()?;
        let stdin = child.stdin.take().expect("standard input is a pipe");
        let stdout = child.stdout.take().expect("standard output is a pipe");
        let report = child.stderr.take().expect("standard error is a pipe");
        let clock = Clock::of(child.id());
        let process = Process {
            child,
            stdin: Some(stdin),
            stdout,
            report,
            limits: plan.limits.clone(),
            buffer: Vec::new(),
            searched: 0,
            written: 0,
            clock,
            stop: None,
            _scratch: scratch,
            _given: given,
        };
        let no_wait = |fd: &dyn AsFd| fcntl(fd.as_fd(), FcntlArg::F_SETFL(OFlag::O_NONBLOCK));
        no_wait(&process.stdout).map_err(std::io::Error::from)?;
        no_wait(process.stdin.as_ref().expect("it is there")).map_err(std::io::Error::from)?;
        no_wait(&process.report).map_err(std::io::Error::from)?;
        Ok(process)
    }

    /// What it may use.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Begins a new allowance of output.
    pub fn renew_allowance(&mut self) {
        self.written = 0;
    }

    /// Writes text to the program, by `deadline`.
    ///
    /// # Errors
    /// [`NoLine`] `Late` if it does not read, `Closed` if it is gone.
    pub fn tell(&mut self, text: &[u8], deadline: Instant) -> Result<(), NoLine> {
        let Some(stdin) = &mut self.stdin else { return Err(NoLine::Closed) };
        let mut rest = text;
        while !rest.is_empty() {
            match stdin.write(rest) {
                Ok(count) => rest = &rest[count..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if !wait(&*stdin, PollFlags::POLLOUT, deadline)? {
                        return Err(NoLine::Late);
                    }
                }
                Err(error) if error.kind() == ErrorKind::BrokenPipe => return Err(NoLine::Closed),
                Err(error) => return Err(NoLine::Broken(error.to_string())),
            }
        }
        Ok(())
    }

    /// Closes the program's standard input.
    pub fn close_input(&mut self) {
        self.stdin = None;
    }

    /// Writes text and reads the line that answers it, within `time` of the program's clock.
    ///
    /// # Errors
    /// Why no line came.
    pub fn ask(&mut self, text: &[u8], time: Duration) -> Result<Line, NoLine> {
        self.clock.start();
        let latest = Instant::now() + time.saturating_mul(MOST_PATIENCE) + time;
        self.tell(text, latest)?;
        self.line(time)
    }

    /// Gives up waiting, as if it were late, once `stop` is set.
    pub fn heed(&mut self, stop: Option<Arc<AtomicBool>>) {
        self.stop = stop;
    }

    fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Reads a line, within `time` of the program's clock since it was started.
    ///
    /// # Errors
    /// Why no line came.
    pub fn line(&mut self, time: Duration) -> Result<Line, NoLine> {
        let mut deadline = Instant::now() + time.saturating_sub(self.clock.passed());
        loop {
            if let Some(text) = self.line_in_buffer() {
                let thought = self.clock.thought();
                return if thought > time { Err(NoLine::Late) } else { Ok(Line { text, thought }) };
            }
            if self.buffer.len() as u64 > self.limits.line.0 {
                return Err(NoLine::Long);
            }
            let look = match self.stop {
                Some(_) => deadline.min(Instant::now() + HEED),
                None => deadline,
            };
            if !wait(&self.stdout, PollFlags::POLLIN, look)? {
                if self.is_stopped() {
                    return Err(NoLine::Late);
                }
                if look < deadline {
                    continue;
                }
                // By our watch it is late; by its own it may only have waited for a core.
                let left = time.saturating_sub(self.clock.thought());
                let late = left.is_zero() && !self.clock.is_kept_waiting(time);
                if late || self.clock.passed() > time.saturating_mul(MOST_PATIENCE) {
                    return Err(NoLine::Late);
                }
                deadline = Instant::now() + left.max(GLANCE);
                continue;
            }
            self.read()?;
        }
    }

    /// Starts the program's clock, where no question does.
    pub fn start_clock(&mut self) {
        self.clock.start();
    }

    /// Reads all that it writes, until it has closed its output, within `time` of its
    /// clock since it was started.
    ///
    /// # Errors
    /// Why that did not come.
    pub fn rest(&mut self, time: Duration) -> Result<Line, NoLine> {
        let mut text = String::new();
        loop {
            match self.line(time) {
                Ok(line) => {
                    text.push_str(&line.text);
                    text.push('\n');
                }
                Err(NoLine::Closed) => {
                    text.push_str(&String::from_utf8_lossy(&self.buffer));
                    return Ok(Line { text, thought: self.clock.thought() });
                }
                Err(why) => return Err(why),
            }
        }
    }

    /// What it has said without being asked, if anything: a line or the beginning of one.
    ///
    /// # Errors
    /// If its pipe fails or is closed.
    pub fn unasked(&mut self) -> Result<Option<String>, NoLine> {
        if self.buffer.is_empty() {
            if !wait(&self.stdout, PollFlags::POLLIN, Instant::now())? {
                return Ok(None);
            }
            self.read()?;
        }
        let begun = || String::from_utf8_lossy(&self.buffer).into_owned();
        Ok(Some(begun().lines().next().unwrap_or_default().to_owned()))
    }

    /// Drops what the program has said unasked.
    ///
    /// # Errors
    /// If it said too much, or has closed its output.
    pub fn drain(&mut self) -> Result<(), NoLine> {
        while wait(&self.stdout, PollFlags::POLLIN, Instant::now())? {
            self.read()?;
            self.buffer.clear();
            self.searched = 0;
        }
        self.buffer.clear();
        self.searched = 0;
        Ok(())
    }

    fn read(&mut self) -> Result<(), NoLine> {
        let mut chunk = [0; 8192];
        match self.stdout.read(&mut chunk) {
            Ok(0) => Err(NoLine::Closed),
            Ok(count) => {
                self.written += count as u64;
                if self.written > self.limits.output.0 {
                    return Err(NoLine::Flood);
                }
                self.buffer.extend_from_slice(&chunk[..count]);
                Ok(())
            }
            Err(error)
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) =>
            {
                Ok(())
            }
            Err(error) => Err(NoLine::Broken(error.to_string())),
        }
    }

    fn line_in_buffer(&mut self) -> Option<String> {
        let end = self.buffer[self.searched..].iter().position(|&byte| byte == b'\n');
        let Some(end) = end else {
            self.searched = self.buffer.len();
            return None;
        };
        let end = self.searched + end;
        let text = String::from_utf8_lossy(&self.buffer[..end]).trim_end_matches('\r').to_owned();
        self.buffer.drain(..=end);
        self.searched = 0;
        Some(text)
    }

    /// Whether it still runs, as far as is known without waiting.
    pub fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Lets it end by itself if it does so within `grace`, then ends it and all that it
    /// has started. Nothing of it is left afterwards.
    pub fn end(mut self, grace: Duration) -> Report {
        let mut said = Vec::new();
        let kind = self.await_end(Instant::now() + grace, &mut said);
        if !kind {
            let _ = kill(Pid::from_raw(self.child.id() as i32), Signal::SIGTERM);
            if !self.await_end(Instant::now() + LAST_WORDS, &mut said) {
                let _ = self.child.kill();
                let _ = self.child.wait();
            }
        }
        let text = String::from_utf8_lossy(&said);
        let report = text.lines().rev().find_map(|line| serde_json::from_str(line).ok());
        report.unwrap_or(Report { ending: Ending::Stopped, said: Vec::new(), cpu_ms: 0, memory: 0 })
    }

    /// Waits for the end and takes in the report; whether it has come.
    fn await_end(&mut self, deadline: Instant, said: &mut Vec<u8>) -> bool {
        let mut chunk = [0; 4096];
        loop {
            // The report is read while waiting: its pipe must not be full.
            while let Ok(count @ 1..) = self.report.read(&mut chunk) {
                said.extend_from_slice(&chunk[..count]);
            }
            match self.child.try_wait() {
                Ok(None) => {}
                _ => {
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
            if poll(&mut source, timeout(pause)).is_ok_and(|told| told > 0) {
                // A closed report pipe is told at once, again and again, until the end is seen.
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

/// Waits for a pipe, until `deadline`; whether it is ready.
fn wait(pipe: &impl AsFd, events: PollFlags, deadline: Instant) -> Result<bool, NoLine> {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let mut source = [PollFd::new(pipe.as_fd(), events)];
        match poll(&mut source, timeout(left)) {
            Ok(0) if left.is_zero() || Instant::now() >= deadline => return Ok(false),
            Ok(0) | Err(nix::errno::Errno::EINTR) => {}
            Ok(_) => return Ok(true),
            Err(error) => return Err(NoLine::Broken(error.to_string())),
        }
    }
}

/// A time in the whole milliseconds of `poll`, rounded up.
fn timeout(time: Duration) -> PollTimeout {
    let ms = time.as_micros().div_ceil(1000).min(i32::MAX as u128);
    PollTimeout::try_from(ms as i32).unwrap_or(PollTimeout::MAX)
}
