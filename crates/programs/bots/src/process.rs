//! A running program: lines to it and from it, each within a time limit. This module knows nothing
//! of what the lines mean, nor of how the program is run: that is a [`Body`], confined by the
//! sandbox (`confined`) or not at all ([`crate::unconfined`]).
//!
//! Every wait is bounded twice: by the program's own clock, which in the sandbox does not count
//! the time that the program waited for a core, and by wall time ([`MAX_WALL_TIME_FACTOR`] times
//! the limit, and at least [`MIN_PATIENCE`]), so that a program that gets no core cannot hold up a
//! match for ever. That is no fault of the program, as long as looks at it show that it waits for a
//! core; one that mostly sleeps is late after [`SLEEPING_FACTOR`] times its limit and
//! [`SLEEPING`].
//!
//! A program runs only while it has something to do: from a question to its answer, and while it is
//! sent something that it must read. Otherwise the supervisor of a sandbox may stop it.

use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use quintain_core::MAX_WALL_TIME_FACTOR;

use crate::limits::Limits;
use crate::report::ProgramReport;

/// How often the stop flag is checked while waiting for a line.
const STOP_CHECK: Duration = Duration::from_millis(50);
/// How long to wait for a program that goes on after it has answered.
const SETTLING: Duration = Duration::from_millis(100);
/// How often a process that is about to end is checked.
pub(crate) const GLANCE: Duration = Duration::from_millis(1);

/// After this much wall time, or a quarter of what a program may think, its waits are noted. That
/// costs some 50 µs, and more with more threads.
const LONG: Duration = Duration::from_millis(5);

/// How long a program that waits for a core is waited for at least, however short its limit is.
const MIN_PATIENCE: Duration = Duration::from_secs(10);

/// The multiple of its limit, and the time beyond that, after which a program is late that does not
/// wait for a core most of the time, whatever its waits add up to.
const SLEEPING_FACTOR: u32 = 3;
const SLEEPING: Duration = Duration::from_secs(1);

/// How long after a look at a program that is late in wall time the next one comes, about: this,
/// and a part of the wall time so far.
const NEXT_LOOK: Duration = Duration::from_millis(8);
const LOOKS: u32 = 64;

/// The time by which all answers of a match together may exceed their limits. A machine does things
/// to a program that no counter of waits shows: it searches memory for a page, serves an interrupt,
/// loses a core to its host for less than the unit in which that is counted. That takes
/// milliseconds now and then, and a limit may be as short.
const RESERVE: Duration = Duration::from_millis(20);

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

/// What a clock says of a program that has not answered, or answered late as it seemed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Judgement {
    /// How long it has been thinking.
    pub(crate) thought: Duration,
    /// Its processor time meanwhile, in shares of its cores; zero if it is not known.
    pub(crate) used: Duration,
    /// Whether it runs or waits for a core, or has not even been started: a wait that has not ended
    /// is in no counter yet.
    pub(crate) runs: bool,
    /// Whether it ran and waited for a core at fewer than half of the looks since it was late in
    /// wall time.
    pub(crate) sleeps: bool,
}

/// What there is to wait for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Awaited {
    /// The program's input takes more, or is closed.
    Room,
    /// The program has written more, or has closed its output.
    Output,
}

/// How a program is run: its processes, its pipes and its clock. Nothing here blocks but
/// [`Body::wait`] and [`Body::end`].
pub(crate) trait Body: Send {
    /// Writes to the program's input what it takes at once; [`ErrorKind::WouldBlock`] if that is
    /// nothing, [`ErrorKind::BrokenPipe`] if it is closed.
    fn write(&mut self, text: &[u8]) -> io::Result<usize>;
    /// Closes the program's input.
    fn close_input(&mut self);
    /// Reads what the program has written; 0 bytes if it has closed its output, and
    /// [`ErrorKind::WouldBlock`] if there is nothing.
    fn read(&mut self, chunk: &mut [u8]) -> io::Result<usize>;
    /// Waits until `deadline`, and meanwhile reads the program's standard error, which may amount
    /// to `limit` bytes. Returns whether what is awaited has come.
    fn wait(&mut self, what: Awaited, limit: u64, deadline: Instant) -> Result<bool, LineError>;

    /// Lets the program run.
    fn wake(&mut self);
    /// Notes that the program has nothing to do until the next question.
    fn rest(&mut self);
    /// Starts the program's clock.
    fn start_clock(&mut self);
    /// Starts the program's clock again: what it has used so far is not charged to any answer.
    fn restart_clock(&mut self);
    /// Whether it has read some of its input, of which it was sent so many bytes; `None` if that
    /// cannot be known.
    fn has_begun_reading(&self, sent: usize) -> Option<bool>;
    /// The wall time since the clock was started.
    fn wall_time(&self) -> Duration;
    /// The time that the program has been thinking since the clock was started.
    fn thinking_time(&mut self) -> Duration;
    /// Its processor time since its last answer, in shares of its cores; zero if it is not known.
    fn processor_time(&mut self) -> Duration;
    /// Judges a program that has not answered, or whose answer seems late.
    fn judge(&mut self) -> Judgement;
    /// Whether it is time to note how long the program has waited for a core so far.
    fn wants_note(&self) -> bool;
    /// Notes how long it has waited for a core so far.
    fn note_waits(&mut self);
    /// Whether it has read all that it was sent and, as far as can be known, waits for more.
    fn is_waiting(&mut self) -> bool;

    /// Has its memory measured now.
    fn weigh(&mut self);
    /// Its memory when last measured, in bytes.
    fn memory(&self) -> u64;
    /// The program's own process, once it runs.
    fn program(&self) -> Option<u32>;
    /// Whether it is still running; returns at once.
    fn is_alive(&mut self) -> bool;
    /// Waits up to `grace` for the program to end by itself, then ends it and everything that it
    /// has started.
    fn end(&mut self, grace: Duration) -> ProgramReport;

    /// Begins a new allowance of standard error.
    fn renew_allowance(&mut self);
    /// Takes what it has written to standard error since the last call.
    fn take_stderr(&mut self) -> Option<String>;
    /// Whether some of that has been read already.
    fn has_stderr(&self) -> bool;
}

/// How long to wait for the next look after this wall time. No program can know when it comes, and
/// be awake for it.
fn time_to_look(wall: Duration) -> Duration {
    let most = NEXT_LOOK + wall / LOOKS;
    let drawn = RandomState::new().hash_one(wall) % u64::from(u32::MAX);
    most.mul_f64(drawn as f64 / f64::from(u32::MAX)) + most / 4
}

/// A running program.
pub struct Process {
    body: Box<dyn Body>,
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
    /// A program that has been started. The `folders` that only it uses are deleted with it.
    pub(crate) fn new(body: Box<dyn Body>, limits: Limits, folders: Vec<TempDir>) -> Process {
        Process {
            body,
            limits,
            buffer: Vec::new(),
            searched: 0,
            written: 0,
            carriage_returns: false,
            is_closed: false,
            stop: None,
            reserve: RESERVE,
            _folders: folders,
        }
    }

    /// Has the memory of all its processes measured now.
    pub(crate) fn weigh(&mut self) {
        self.body.weigh();
    }

    /// The memory of all its processes when last measured, in bytes.
    pub(crate) fn memory(&self) -> u64 {
        self.body.memory()
    }

    /// The limits it runs under.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Begins a new allowance of output, and of time beyond its limits, at the start of a match.
    pub fn renew_allowance(&mut self) {
        self.written = 0;
        self.reserve = RESERVE;
        self.body.renew_allowance();
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
            match self.body.write(rest) {
                Ok(count) => (rest, last) = (&rest[count..], None),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if let Some(why) = last {
                        return Err(why);
                    }
                    self.body.wake();
                    if self.body.wants_note() {
                        self.body.note_waits();
                    }
                    let look = deadline.min(Instant::now() + STOP_CHECK);
                    let limit = self.limits.output.0;
                    if self.body.wait(Awaited::Room, limit, look)? {
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
        self.body.start_clock();
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
        let judgement = self.body.judge();
        let allowed = time + self.reserve;
        let left = allowed.saturating_sub(judgement.thought);
        if left.is_zero() && !(judgement.runs && judgement.used < allowed) {
            return Err(LineError::Late);
        }
        let wall = self.body.wall_time();
        if judgement.sleeps && wall > time.saturating_mul(SLEEPING_FACTOR) + SLEEPING {
            return Err(LineError::Late);
        }
        if wall > time.saturating_mul(MAX_WALL_TIME_FACTOR).max(MIN_PATIENCE) {
            return Err(LineError::Starved(wall));
        }
        Ok(Instant::now() + left.min(time_to_look(wall)).max(GLANCE))
    }

    /// Closes the program's standard input.
    pub fn close_input(&mut self) {
        self.body.close_input();
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

    /// Asks a process that has just been started: it may take `start` of its clock until it begins
    /// to read, and `time` after that. Without the question it can think about nothing.
    ///
    /// # Errors
    /// As for [`Process::ask`].
    pub(crate) fn ask_at_start(
        &mut self,
        text: &[u8],
        start: Duration,
        time: Duration,
    ) -> Result<Line, LineError> {
        if self.body.has_begun_reading(text.len()).is_none() {
            return self.ask(text, start + time);
        }
        if self.is_stopped() {
            return Err(LineError::Late);
        }
        self.start_clock();
        self.send(text, start)?;
        let mut deadline = Instant::now() + start;
        let limit = self.limits.output.0;
        while self.body.has_begun_reading(text.len()) == Some(false) {
            if self.body.wait(Awaited::Output, limit, Instant::now() + GLANCE)? {
                break;
            }
            if self.is_stopped() {
                return Err(LineError::Late);
            }
            if self.body.wants_note() {
                self.body.note_waits();
            }
            if Instant::now() >= deadline {
                deadline = self.more_time(start)?;
            }
        }
        self.body.restart_clock();
        self.read_line(time)
    }

    /// The time that the program has been thinking since its clock was started.
    pub(crate) fn thinking_time(&mut self) -> Duration {
        self.body.thinking_time()
    }

    /// Notes that the program has nothing to do until the next question: its supervisor may stop
    /// it.
    pub fn rest(&mut self) {
        self.body.rest();
    }

    /// Lets the program run and starts its clock.
    pub fn start_clock(&mut self) {
        self.body.wake();
        self.body.start_clock();
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
        let mut deadline = Instant::now() + time.saturating_sub(self.body.wall_time());
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
            if self.body.wants_note() {
                look = look.min(Instant::now() + LONG.min(time / 4));
            }
            let limit = self.limits.output.0;
            if self.body.wait(Awaited::Output, limit, look)? {
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
            if self.body.wants_note() {
                self.body.note_waits();
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
        let mut thought = self.body.thinking_time();
        if thought > time {
            thought = thought.min(self.body.judge().thought);
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
            let is_done = self.body.is_waiting();
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
            if self.body.wants_note() {
                self.body.note_waits();
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
            self.body.wait(Awaited::Output, limit, now + GLANCE)?;
        }
    }

    /// The beginning of a line that the program has not finished yet.
    pub(crate) fn partial_line(&self) -> String {
        String::from_utf8_lossy(&self.buffer).into_owned()
    }

    /// Whether it has used at least this much processor time since its clock was started.
    pub(crate) fn has_computed(&mut self, time: Duration) -> bool {
        self.body.processor_time() >= time
    }

    /// Whether one of its lines ended in CR LF, which is tolerated.
    pub(crate) fn writes_carriage_returns(&self) -> bool {
        self.carriage_returns
    }

    /// The program's own process, past the stages of the sandbox.
    pub(crate) fn program(&self) -> Option<u32> {
        self.body.program()
    }

    /// Discards what the program has written without being asked.
    ///
    /// # Errors
    /// [`LineError::Flood`] if it wrote too much, [`LineError::Closed`] if it has closed its
    /// output.
    pub fn drain(&mut self) -> Result<(), LineError> {
        let limit = self.limits.output.0;
        while self.body.wait(Awaited::Output, limit, Instant::now())? {
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
        match self.body.read(&mut chunk) {
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
        self.body.is_alive()
    }

    /// Whether it may still write something, as far as is known without waiting. The supervisor of
    /// a program that has ended lives on for a moment.
    pub(crate) fn may_answer(&mut self) -> bool {
        !self.is_closed && self.is_alive()
    }

    /// Waits up to `grace` for the program to end by itself, then ends it and everything that it
    /// has started. No process of it is left afterwards, except one that has left its group where
    /// nothing confines it.
    pub fn end(mut self, grace: Duration) -> ProgramReport {
        self.body.end(grace)
    }

    /// What it has written to standard error since the last call; if that was much, only the
    /// beginning and the end.
    pub(crate) fn take_stderr(&mut self) -> Option<String> {
        self.body.take_stderr()
    }

    /// Whether it may have written to standard error before its last line: what it writes there
    /// first can be read as soon as the line can.
    pub(crate) fn may_have_complained(&self) -> bool {
        self.body.has_stderr()
    }
}
