//! Communication between the arena and the supervisor of a running program: whether the program has
//! a question to answer, and what all of its processes have used.
//!
//! A program may only think when it is asked. Between its questions the supervisor stops all of its
//! processes, so that one that spins takes no time from the others. Doing so at every question
//! would cost more than most answers do, so it is done late. The arena notes that the program is
//! idle, and the supervisor, which looks every few milliseconds, stops a program that has been idle
//! for two looks. Only a program that was seen running while it was idle is stopped at once from
//! then on.
//!
//! The notes of both sides are in memory that they share ([`super::notes`]); requests that need an
//! answer go over a socket. The supervisor also holds the write end of a pipe, which it gives to
//! the program as its standard error; the arena reads from the other end.

use std::io::{PipeReader, Read, Write, pipe};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use serde::{Deserialize, Serialize};

use super::notes::Notes;

/// How long the arena waits for an answer of the supervisor, which may itself wait for a core. A
/// supervisor that is gone closes its end of the socket, so only a busy machine takes this long.
const PATIENCE: Duration = Duration::from_secs(10);

/// What the arena asks for.
const STOP: u8 = b's';
const WAKE: u8 = b'w';
const MEASURE: u8 = b'm';
const LOOK: u8 = b'l';
const EXAMINE: u8 = b'e';
const WEIGH: u8 = b'g';

/// The supervisor's descriptors, by number: they are inherited through its stages.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct ControlEnd {
    notes: RawFd,
    socket: RawFd,
    stderr: RawFd,
}

/// The arena's side.
pub(crate) struct Control {
    notes: Notes,
    socket: UnixStream,
    /// The number of answers that had not come when the arena stopped waiting for them.
    overdue: u32,
}

/// What the supervisor answers. Which figures are meaningful depends on the request.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Figures {
    /// The processor time of all processes of the program, those that have ended included.
    pub(crate) used: Duration,
    /// How long all threads that are alive have waited for a core, added up.
    pub(crate) waited: Duration,
    /// Asked to look: whether a thread does not sleep. Asked to examine: whether one runs or waits
    /// for a core.
    pub(crate) is_active: bool,
}

/// The supervisor's side.
pub(super) struct SupervisorEnd {
    notes: Notes,
    pub(super) socket: UnixStream,
    /// What the program gets as its standard error.
    pub(super) stderr: Option<OwnedFd>,
}

/// A request of the arena.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Request {
    /// Stop the program: it is idle.
    Stop,
    /// Let it run: it has a question.
    Wake,
    /// Say what it has used.
    Measure,
    /// Say whether all of its processes sleep.
    Look,
    /// Say what it has used, how long it has waited for a core, and whether it runs.
    Examine,
    /// Note how much memory it has.
    Weigh,
}

impl Control {
    /// Creates a new pair, and the pipe from which to read the program's standard error. The
    /// descriptors of the second half live until they are dropped and must be inherited by the
    /// process that is to have them.
    pub(crate) fn pair() -> std::io::Result<(Control, PipeReader, ControlEnd, [OwnedFd; 3])> {
        let (notes, file) = Notes::new()?;
        let (socket, theirs) = UnixStream::pair()?;
        socket.set_read_timeout(Some(PATIENCE))?;
        let (stderr, written) = pipe()?;
        let given = [file, OwnedFd::from(theirs), OwnedFd::from(written)];
        let [notes_file, socket_file, stderr_file] = given.each_ref().map(AsRawFd::as_raw_fd);
        let end = ControlEnd { notes: notes_file, socket: socket_file, stderr: stderr_file };
        // The program counts as thinking from the start until it is ready.
        notes.begin_turn();
        Ok((Control { notes, socket, overdue: 0 }, stderr, end, given))
    }

    /// Returns the answer to a request; `None` if the supervisor is gone, or takes too long.
    fn request(&mut self, request: u8) -> Option<Figures> {
        self.socket.write_all(&[request]).ok()?;
        self.overdue += 1;
        let mut answer = [0; FIGURES];
        // Answers come in the order of requests, so the last one is the answer to this one.
        while self.overdue > 0 {
            self.socket.read_exact(&mut answer).ok()?;
            self.overdue -= 1;
        }
        Some(from_bytes(answer))
    }

    /// Lets the program run, and waits until it does.
    pub(crate) fn wake(&mut self) {
        self.notes.begin_turn();
        if self.notes.is_stopped() {
            self.request(WAKE);
        }
    }

    /// Notes that the program has nothing to do any more. A program that is known to run
    /// nonetheless is stopped.
    pub(crate) fn rest(&mut self) {
        self.notes.end_turn();
        if self.notes.spins() {
            self.request(STOP);
        }
    }

    /// Notes that the program runs while it is idle.
    pub(crate) fn note_spinning(&self) {
        self.notes.note_spinning();
    }

    /// Whether the program was seen with more than one process at the supervisor's last look.
    pub(crate) fn has_children(&self) -> bool {
        self.notes.has_children()
    }

    /// The processor time of the program's other processes as of that look.
    pub(crate) fn others(&self) -> Duration {
        self.notes.others()
    }

    /// Has the memory of all processes of the program measured now.
    pub(crate) fn weigh(&mut self) {
        self.request(WEIGH);
    }

    /// The memory of all processes of the program when last measured, in bytes.
    pub(crate) fn memory(&self) -> u64 {
        self.notes.memory()
    }

    /// The processor time of all processes of the program, those that have ended included.
    pub(crate) fn measure(&mut self) -> Option<Duration> {
        self.request(MEASURE).map(|figures| figures.used)
    }

    /// What the program has used and waited, and whether it runs.
    pub(crate) fn examine(&mut self) -> Option<Figures> {
        self.request(EXAMINE)
    }

    /// Whether every thread of the program sleeps, or it is gone.
    pub(crate) fn is_asleep(&mut self) -> bool {
        self.request(LOOK).is_none_or(|figures| !figures.is_active)
    }
}

impl ControlEnd {
    /// The numbers of its descriptors.
    pub(super) fn descriptors(self) -> [RawFd; 3] {
        [self.notes, self.socket, self.stderr]
    }

    /// Takes the inherited descriptors; no process that is started from now on inherits them.
    pub(super) fn take(self) -> std::io::Result<SupervisorEnd> {
        // SAFETY: the arena opened these for this process alone, which takes them once, at its
        // start, before it opens anything.
        let [notes, socket, stderr] =
            self.descriptors().map(|number| unsafe { OwnedFd::from_raw_fd(number) });
        for descriptor in [&notes, &socket, &stderr] {
            fcntl(descriptor, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC))?;
        }
        let socket = UnixStream::from(socket);
        socket.set_nonblocking(true)?;
        Ok(SupervisorEnd { notes: Notes::of(&notes)?, socket, stderr: Some(stderr) })
    }
}

impl SupervisorEnd {
    /// The number of the current question or of the pause after it, and whether the program thinks.
    pub(super) fn turn(&self) -> (u32, bool) {
        self.notes.turn()
    }

    pub(super) fn note_stopped(&self, stopped: bool) {
        self.notes.note_stopped(stopped);
    }

    /// Notes that the program ran while it was idle.
    pub(super) fn note_spinning(&self) {
        self.notes.note_spinning();
    }

    /// Notes whether the program has more than one process now, and what all but the first have
    /// used, those that have ended included.
    pub(super) fn note_others(&self, has_children: bool, used: Duration) {
        self.notes.note_others(has_children, used);
    }

    /// Notes how much memory the program has now, in bytes.
    pub(super) fn note_memory(&self, memory: u64) {
        self.notes.note_memory(memory);
    }

    /// Returns the next request, if one has come.
    ///
    /// # Errors
    /// The arena is gone.
    pub(super) fn next_request(&mut self) -> std::io::Result<Option<Request>> {
        let mut request = [0];
        match self.socket.read(&mut request) {
            Ok(0) => Err(std::io::ErrorKind::UnexpectedEof.into()),
            Ok(_) => Ok(Some(match request[0] {
                STOP => Request::Stop,
                WAKE => Request::Wake,
                LOOK => Request::Look,
                EXAMINE => Request::Examine,
                WEIGH => Request::Weigh,
                _ => Request::Measure,
            })),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Answers a request.
    pub(super) fn answer(&mut self, figures: Figures) {
        let _ = self.socket.write_all(&to_bytes(figures));
    }
}

/// The size of an answer.
const FIGURES: usize = 17;

/// Figures as they are sent between the two sides.
fn to_bytes(figures: Figures) -> [u8; FIGURES] {
    let nanoseconds =
        |time: Duration| (time.as_nanos().min(u128::from(u64::MAX)) as u64).to_le_bytes();
    let mut bytes = [u8::from(figures.is_active); FIGURES];
    bytes[..8].copy_from_slice(&nanoseconds(figures.used));
    bytes[8..16].copy_from_slice(&nanoseconds(figures.waited));
    bytes
}

fn from_bytes(bytes: [u8; FIGURES]) -> Figures {
    let (times, is_active) = (bytes.as_chunks::<8>().0, bytes[16] != 0);
    let time = |at: usize| Duration::from_nanos(u64::from_le_bytes(times[at]));
    Figures { used: time(0), waited: time(1), is_active }
}

/// Lets a child of this process inherit a descriptor.
pub(crate) fn let_inherit(descriptor: &OwnedFd) -> nix::Result<()> {
    fcntl(descriptor, FcntlArg::F_SETFD(FdFlag::empty())).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_came_too_late_is_not_taken_for_the_next() {
        let (mut control, _stderr, _end, _given) = Control::pair().unwrap();
        let (ours, theirs) = UnixStream::pair().unwrap();
        ours.set_read_timeout(Some(Duration::from_millis(1))).unwrap();
        control.socket = ours;
        assert_eq!(control.measure(), None, "nobody answers");
        let figures = |ms: u64| Figures {
            used: Duration::from_millis(ms),
            waited: Duration::from_millis(2 * ms),
            is_active: true,
        };
        let answer = |ms: u64| (&theirs).write_all(&to_bytes(figures(ms))).unwrap();
        answer(1);
        answer(2);
        assert_eq!(control.examine(), Some(figures(2)));
    }
}
