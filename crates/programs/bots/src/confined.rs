//! A program in the sandbox of Linux, with the processes that confine it. There are no threads: the
//! pipes do not block, and waiting is one call of `poll`.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;

use crate::clock::Clock;
use crate::error_pipe::ErrorPipe;
use crate::process::{Awaited, Body, GLANCE, Judgement, LineError, Process};
use crate::report::{ProgramEnd, ProgramReport};
use crate::sandbox::{Control, SandboxLaunch, let_inherit, refusal};

/// How long a program that was asked to end may take to report, before its supervisor is killed.
const LAST_WORDS: Duration = Duration::from_millis(400);

nix::ioctl_read_bad!(
    /// The number of unread bytes in a pipe.
    count_unread,
    nix::libc::FIONREAD,
    nix::libc::c_int
);

/// A program in the sandbox.
struct Confined {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    report: ChildStderr,
    stderr: ErrorPipe,
    clock: Clock,
    control: Control,
}

impl Process {
    /// Starts a program in the sandbox. The `folders` that only it uses are deleted with it.
    ///
    /// # Errors
    /// What the system says if it cannot start a process.
    pub fn start(launch: &SandboxLaunch, folders: Vec<TempDir>) -> io::Result<Process> {
        let limits = launch.limits.clone();
        Ok(Process::new(Box::new(Confined::start(launch)?), limits, folders))
    }
}

impl Confined {
    fn start(launch: &SandboxLaunch) -> io::Result<Confined> {
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
        let confined = Confined {
            child,
            stdin: Some(stdin),
            stdout,
            report,
            stderr: ErrorPipe::new(stderr)?,
            clock,
            control,
        };
        let no_wait = |fd: &dyn AsFd| fcntl(fd.as_fd(), FcntlArg::F_SETFL(OFlag::O_NONBLOCK));
        no_wait(&confined.stdout).map_err(io::Error::from)?;
        no_wait(confined.stdin.as_ref().expect("it is there")).map_err(io::Error::from)?;
        no_wait(&confined.report).map_err(io::Error::from)?;
        Ok(confined)
    }

    /// How many bytes that the program was sent it has not read yet, if that can be known.
    fn count_unread_input(&self) -> Option<usize> {
        let stdin = self.stdin.as_ref()?;
        let mut waiting = 0;
        // SAFETY: the descriptor is open, and the call writes one integer to memory that holds one.
        let asked = unsafe { count_unread(stdin.as_raw_fd(), &raw mut waiting) };
        asked.ok().and_then(|_| usize::try_from(waiting).ok())
    }

    /// Asks the supervisor to end the program (SIGTERM), so that it can still report. Only if that
    /// takes longer than [`LAST_WORDS`] is it killed, and then the kernel kills the rest with it.
    fn terminate(&mut self, said: &mut Vec<u8>) {
        let _ = kill(Pid::from_raw(self.child.id() as i32), Signal::SIGTERM);
        if !self.await_end(Instant::now() + LAST_WORDS, said) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
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

impl Body for Confined {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        match &mut self.stdin {
            Some(stdin) => stdin.write(text),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn close_input(&mut self) {
        self.stdin = None;
    }

    fn read(&mut self, chunk: &mut [u8]) -> io::Result<usize> {
        self.stdout.read(chunk)
    }

    fn wait(&mut self, what: Awaited, limit: u64, deadline: Instant) -> Result<bool, LineError> {
        let stderr = &mut self.stderr;
        match (what, &self.stdin) {
            (Awaited::Room, Some(stdin)) => {
                wait(stdin, PollFlags::POLLOUT, stderr, limit, deadline)
            }
            (Awaited::Room, None) => Ok(true),
            (Awaited::Output, _) => wait(&self.stdout, PollFlags::POLLIN, stderr, limit, deadline),
        }
    }

    fn wake(&mut self) {
        self.control.wake();
    }

    fn rest(&mut self) {
        self.clock.pause(&mut self.control);
        self.control.rest();
    }

    fn start_clock(&mut self) {
        self.clock.start(&self.control);
    }

    fn restart_clock(&mut self) {
        self.clock.restart(&mut self.control);
    }

    fn has_begun_reading(&self, sent: usize) -> Option<bool> {
        Some(self.count_unread_input()? < sent)
    }

    fn wall_time(&self) -> Duration {
        self.clock.wall_time()
    }

    fn thinking_time(&mut self) -> Duration {
        self.clock.thinking_time(&mut self.control)
    }

    fn processor_time(&mut self) -> Duration {
        self.clock.processor_time(&mut self.control)
    }

    fn judge(&mut self) -> Judgement {
        self.clock.judge(&mut self.control)
    }

    fn wants_note(&self) -> bool {
        self.clock.has_noted_nothing()
    }

    fn note_waits(&mut self) {
        self.clock.note_waits(&mut self.control);
    }

    fn is_waiting(&mut self) -> bool {
        self.control.is_asleep() && self.count_unread_input().is_none_or(|unread| unread == 0)
    }

    fn weigh(&mut self) {
        self.control.weigh();
    }

    fn memory(&self) -> u64 {
        self.control.memory()
    }

    fn program(&self) -> Option<u32> {
        self.clock.program()
    }

    fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    fn end(&mut self, grace: Duration) -> ProgramReport {
        let mut said = Vec::new();
        if !grace.is_zero() {
            self.control.wake();
        }
        if !self.await_end(Instant::now() + grace, &mut said) {
            self.terminate(&mut said);
        }
        let text = String::from_utf8_lossy(&said);
        let report = text.lines().rev().find_map(|line| serde_json::from_str(line).ok());
        let mut report: ProgramReport =
            report.unwrap_or_else(|| ProgramReport::of(ProgramEnd::Stopped));
        report.said = self.stderr.text.last_lines();
        if let (ProgramEnd::Exited(code), Some(line)) = (&report.ending, report.said.last())
            && let Some(why) = refusal(*code, line)
        {
            report.ending = ProgramEnd::NotStarted(why);
        }
        report.log = self.stderr.text.take();
        report
    }

    fn renew_allowance(&mut self) {
        self.stderr.text.renew_allowance();
    }

    fn take_stderr(&mut self) -> Option<String> {
        self.stderr.drain(u64::MAX);
        self.stderr.text.take()
    }

    fn has_stderr(&self) -> bool {
        self.stderr.text.has_new()
    }
}

impl Drop for Confined {
    fn drop(&mut self) {
        if self.is_alive() {
            self.terminate(&mut Vec::new());
        }
    }
}

/// Waits for a pipe until `deadline`, and meanwhile reads the program's standard error, which may
/// amount to `limit` bytes. Returns whether the pipe is ready.
fn wait(
    pipe: &impl AsFd,
    events: PollFlags,
    stderr: &mut ErrorPipe,
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
