//! A program that nothing confines: it runs as the user does, with what every system has. It
//! belongs to a group of processes ([`crate::process_group`]) that is ended as a whole, and whose
//! memory, processes and processor time are looked at some twenty times a second, as far as the
//! system counts them. Its clock is wall time.
//!
//! No way to wait for several pipes is common to all systems. So a thread each writes the program's
//! input and reads its output and its standard error, and another one looks after the group. They
//! end with the program.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::launch::Launch;
use crate::limits::Limits;
use crate::process::{Awaited, Body, GLANCE, Judgement, LineError, Process};
use crate::process_group::{Group, Usage};
use crate::report::{ProgramEnd, ProgramReport};
use crate::standard_error::ErrorText;
use crate::temporary::RunningNote;
use crate::unrunnable::{explain, refuse_long_folder};

/// How many bytes that the program has not read yet are taken for it, as a pipe takes some.
const ROOM: usize = 64 << 10;
/// How many bytes of its output are read before somebody wants them.
const AHEAD: usize = 1 << 20;
/// How often the group is looked at.
const LOOK: Duration = Duration::from_millis(50);
/// A program that has written nothing for so long, and has been sent nothing that it has not read,
/// waits for more: nothing common to all systems tells whether it sleeps.
const QUIET: Duration = Duration::from_millis(10);
/// How long what a program wrote before its end may take to arrive here.
const ARRIVAL: Duration = Duration::from_millis(200);

/// What the threads of a program share.
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// What the program has been sent and has not been written to its pipe yet.
    unsent: VecDeque<u8>,
    /// Whether a part of that is just being written.
    is_writing: bool,
    /// Whether the program gets no more, since we have closed its input or it has.
    input_closed: bool,
    output: VecDeque<u8>,
    output_closed: bool,
    /// When the last of the output came.
    last_output: Instant,
    errors: ErrorText,
    errors_closed: bool,
    /// What the group used at the last look; of memory the most.
    usage: Usage,
    peak: u64,
    /// Why the group was ended at a look.
    ended: Option<ProgramEnd>,
    /// Whether the program is over, so that nobody need look at its group.
    is_over: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state, and wakes all who wait for a change.
    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let result = change(&mut self.lock());
        self.changed.notify_all();
        result
    }

    /// Waits for the next change, until `deadline`.
    fn wait<'a>(&self, state: MutexGuard<'a, State>, deadline: Instant) -> MutexGuard<'a, State> {
        let left = deadline.saturating_duration_since(Instant::now());
        let waited = self.changed.wait_timeout(state, left);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    fn wait_for_ever<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }
}

/// A program that nothing confines.
struct Unconfined {
    child: Child,
    group: Arc<Group>,
    shared: Arc<Shared>,
    status: Option<ExitStatus>,
    cores: u32,
    clock_started: Instant,
    used_at_start: Duration,
    note: Option<RunningNote>,
}

impl Process {
    /// Starts a program that nothing confines. The `folders` that only it uses are deleted with it.
    ///
    /// # Errors
    /// Why its file cannot be run.
    pub(crate) fn start_unconfined(launch: &Launch, folders: Vec<TempDir>) -> io::Result<Process> {
        let body = Unconfined::start(launch)?;
        Ok(Process::new(Box::new(body), launch.limits.clone(), folders))
    }
}

impl Unconfined {
    fn start(launch: &Launch) -> io::Result<Unconfined> {
        refuse_long_folder(&launch.folder, cfg!(windows))?;
        let mut command = Command::new(&launch.program);
        command.args(&launch.arguments).current_dir(&launch.folder);
        // Windows finds its own parts by its variables, and starts little without them.
        if !cfg!(windows) {
            command.env_clear();
        }
        command.envs(launch.environment.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let started = Group::start(command, &launch.limits);
        let (mut child, group) =
            started.map_err(|error| io::Error::other(explain(&launch.program, &error)))?;
        let note = RunningNote::of(child.id(), &launch.scratch);
        let group = Arc::new(group);
        let now = Instant::now();
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                unsent: VecDeque::new(),
                is_writing: false,
                input_closed: false,
                output: VecDeque::new(),
                output_closed: false,
                last_output: now,
                errors: ErrorText::default(),
                errors_closed: false,
                usage: Usage::default(),
                peak: 0,
                ended: None,
                is_over: false,
            }),
            changed: Condvar::new(),
        });
        let stdin = child.stdin.take().expect("standard input is a pipe");
        let stdout = child.stdout.take().expect("standard output is a pipe");
        let stderr = child.stderr.take().expect("standard error is a pipe");
        let limits = launch.limits.clone();
        spawn(&shared, move |shared| write_input(stdin, shared))?;
        spawn(&shared, move |shared| read_output(stdout, shared))?;
        spawn(&shared, move |shared| read_errors(stderr, shared))?;
        let watched = Arc::clone(&group);
        spawn(&shared, move |shared| watch(&watched, &limits, shared))?;
        Ok(Unconfined {
            child,
            group,
            shared,
            status: None,
            cores: launch.limits.cores.get(),
            clock_started: now,
            used_at_start: Duration::ZERO,
            note: Some(note),
        })
    }

    /// Looks whether the program has ended. What it has started then ends with it.
    fn look_for_end(&mut self) -> bool {
        if self.status.is_none()
            && let Ok(Some(status)) = self.child.try_wait()
        {
            self.status = Some(status);
            self.group.end(true);
        }
        self.status.is_some()
    }

    /// Waits for the end of the program. Returns whether it has come.
    fn await_end(&mut self, deadline: Instant) -> bool {
        while !self.look_for_end() {
            let now = Instant::now();
            if now >= deadline {
                return false;
            }
            std::thread::sleep((deadline - now).min(GLANCE));
        }
        true
    }

    fn end_at_once(&mut self) {
        if self.status.is_none() {
            self.group.end(false);
            let _ = self.child.kill();
            self.status = self.child.wait().ok();
            self.group.end(true);
        }
        self.note = None;
        self.shared.change(|state| state.is_over = true);
    }

    /// Waits until all that the program wrote to standard error has come. A process that has left
    /// the group may keep the pipe open.
    fn await_errors(&self) {
        let deadline = Instant::now() + ARRIVAL;
        let mut state = self.shared.lock();
        while !state.errors_closed && Instant::now() < deadline {
            state = self.shared.wait(state, deadline);
        }
    }
}

impl Body for Unconfined {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.shared.change(|state| {
            if state.input_closed {
                return Err(ErrorKind::BrokenPipe.into());
            }
            let count = text.len().min(ROOM.saturating_sub(state.unsent.len()));
            if count == 0 {
                return Err(ErrorKind::WouldBlock.into());
            }
            state.unsent.extend(&text[..count]);
            Ok(count)
        })
    }

    fn close_input(&mut self) {
        self.shared.change(|state| state.input_closed = true);
    }

    fn read(&mut self, chunk: &mut [u8]) -> io::Result<usize> {
        self.shared.change(|state| {
            if state.output.is_empty() && !state.output_closed {
                return Err(ErrorKind::WouldBlock.into());
            }
            state.output.read(chunk)
        })
    }

    fn wait(&mut self, what: Awaited, limit: u64, deadline: Instant) -> Result<bool, LineError> {
        loop {
            let state = self.shared.lock();
            if state.errors.total() > limit {
                return Err(LineError::Flood);
            }
            let has_come = match what {
                Awaited::Room => state.input_closed || state.unsent.len() < ROOM,
                Awaited::Output => state.output_closed || !state.output.is_empty(),
            };
            if has_come || Instant::now() >= deadline {
                return Ok(has_come);
            }
            let next = deadline.min(Instant::now() + LOOK);
            drop(self.shared.wait(state, next));
            // What it has started may keep its output open.
            self.look_for_end();
        }
    }

    fn wake(&mut self) {}

    fn rest(&mut self) {}

    fn start_clock(&mut self) {
        self.used_at_start = self.shared.lock().usage.processor;
        self.clock_started = Instant::now();
    }

    fn wall_time(&self) -> Duration {
        self.clock_started.elapsed()
    }

    /// Until its last output came, so that our own thread's way to the processor does not count.
    fn thinking_time(&mut self) -> Duration {
        match self.shared.lock().last_output.checked_duration_since(self.clock_started) {
            Some(thought) => thought,
            None => self.wall_time(),
        }
    }

    fn processor_time(&mut self) -> Duration {
        let used = self.shared.lock().usage.processor;
        used.saturating_sub(self.used_at_start) / self.cores
    }

    fn restart_clock(&mut self) {
        self.start_clock();
    }

    fn has_begun_reading(&self, _sent: usize) -> Option<bool> {
        None
    }

    fn judge(&mut self) -> Judgement {
        Judgement { thought: self.wall_time(), used: Duration::ZERO, runs: false, sleeps: true }
    }

    fn wants_note(&self) -> bool {
        false
    }

    fn note_waits(&mut self) {}

    fn is_waiting(&mut self) -> bool {
        let state = self.shared.lock();
        let since = state.last_output.max(self.clock_started);
        state.unsent.is_empty() && !state.is_writing && since.elapsed() >= QUIET
    }

    fn weigh(&mut self) {
        if let Some(usage) = self.group.usage() {
            self.shared.lock().usage = usage;
        }
    }

    fn memory(&self) -> u64 {
        self.shared.lock().usage.memory
    }

    fn program(&self) -> Option<u32> {
        Some(self.child.id())
    }

    fn is_alive(&mut self) -> bool {
        !self.look_for_end()
    }

    fn end(&mut self, grace: Duration) -> ProgramReport {
        let by_itself = self.await_end(Instant::now() + grace);
        let out_of_memory = self.group.out_of_memory();
        self.end_at_once();
        self.await_errors();
        let mut state = self.shared.lock();
        let ending = match (state.ended.take(), by_itself.then_some(self.status).flatten()) {
            (Some(ended), _) => ended,
            (None, Some(status)) => {
                let refused = out_of_memory.filter(|_| !status.success());
                refused.map_or_else(|| describe_end(status), ProgramEnd::Memory)
            }
            (None, None) => ProgramEnd::Stopped,
        };
        ProgramReport {
            said: state.errors.last_lines(),
            log: state.errors.take(),
            cpu_ms: state.usage.processor.as_millis() as u64,
            memory: state.peak.max(state.usage.memory),
            ..ProgramReport::of(ending)
        }
    }

    fn renew_allowance(&mut self) {
        self.shared.lock().errors.renew_allowance();
    }

    fn take_stderr(&mut self) -> Option<String> {
        self.shared.lock().errors.take()
    }

    fn has_stderr(&self) -> bool {
        self.shared.lock().errors.has_new()
    }
}

impl Drop for Unconfined {
    fn drop(&mut self) {
        self.end_at_once();
    }
}

/// Starts a thread that ends with the program.
fn spawn(shared: &Arc<Shared>, work: impl FnOnce(&Shared) + Send + 'static) -> io::Result<()> {
    let shared = Arc::clone(shared);
    let builder = std::thread::Builder::new().name("program".to_owned());
    builder.spawn(move || work(&shared)).map(drop)
}

fn describe_end(status: ExitStatus) -> ProgramEnd {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        let name = nix::sys::signal::Signal::try_from(signal)
            .map_or_else(|_| format!("signal {signal}"), |signal| signal.as_str().to_owned());
        return ProgramEnd::Killed(name);
    }
    ProgramEnd::Exited(status.code().unwrap_or(-1))
}

/// Writes to the program's input what it is sent, until its input is closed.
fn write_input(mut input: impl Write, shared: &Shared) {
    loop {
        let text = {
            let mut state = shared.lock();
            while state.unsent.is_empty() && !state.input_closed {
                state = shared.wait_for_ever(state);
            }
            if state.unsent.is_empty() {
                return;
            }
            state.is_writing = true;
            std::mem::take(&mut state.unsent)
        };
        let written = input.write_all(Vec::from(text).as_slice()).and_then(|()| input.flush());
        let is_over = shared.change(|state| {
            state.is_writing = false;
            state.input_closed |= written.is_err();
            written.is_err()
        });
        if is_over {
            return;
        }
    }
}

/// Reads what the program writes, and no more than [`AHEAD`] ahead.
fn read_output(mut output: impl Read, shared: &Shared) {
    let mut chunk = [0; 8192];
    loop {
        let read = output.read(&mut chunk);
        let mut state = shared.lock();
        match read {
            Ok(count @ 1..) => {
                state.last_output = Instant::now();
                state.output.extend(&chunk[..count]);
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            _ => {
                state.output_closed = true;
                shared.changed.notify_all();
                return;
            }
        }
        shared.changed.notify_all();
        while state.output.len() >= AHEAD && !state.is_over {
            state = shared.wait_for_ever(state);
        }
        if state.is_over {
            return;
        }
    }
}

/// Reads what the program writes to standard error.
fn read_errors(mut errors: impl Read, shared: &Shared) {
    let mut chunk = [0; 8192];
    loop {
        match errors.read(&mut chunk) {
            Ok(count @ 1..) => shared.change(|state| state.errors.keep(&chunk[..count])),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            _ => return shared.change(|state| state.errors_closed = true),
        }
    }
}

/// Looks at the group until the program is over, and ends it where it has used too much.
fn watch(group: &Group, limits: &Limits, shared: &Shared) {
    let mut state = shared.lock();
    while !state.is_over {
        drop(state);
        let usage = group.usage();
        state = shared.lock();
        if let Some(usage) = usage.filter(|_| !state.is_over) {
            state.usage = usage;
            state.peak = state.peak.max(usage.memory);
            let ended = excess(usage, limits);
            if ended.is_some() && state.ended.is_none() {
                state.ended = ended;
                group.end(false);
            }
        }
        let next = Instant::now() + LOOK;
        while !state.is_over && Instant::now() < next {
            state = shared.wait(state, next);
        }
    }
}

/// What of these limits is exceeded.
fn excess(usage: Usage, limits: &Limits) -> Option<ProgramEnd> {
    if usage.memory > limits.memory.0 {
        return Some(ProgramEnd::Memory(usage.memory));
    }
    if usage.processes > limits.processes {
        return Some(ProgramEnd::Processes(usage.processes));
    }
    let is_late = usage.processor > limits.cpu.0;
    is_late.then_some(ProgramEnd::Cpu(usage.processor.as_millis() as u64))
}
