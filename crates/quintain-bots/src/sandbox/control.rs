//! What passes between the arena and the supervisor of a running program: whether the program
//! has a question to answer, and what all of its processes have used.
//!
//! A program may only think when it is asked. Between its questions the supervisor stops all
//! of its processes, so that one that spins takes no time from the others. Doing so at every
//! question would cost more than most answers do, so it is done late: the arena notes in a
//! shared file that the program is idle, and the supervisor, which looks every few milliseconds,
//! stops what is idle for two looks. Only a program that was seen running while it was idle is
//! stopped at once from then on.
//!
//! The file is read and written by system calls rather than mapped, which orders the accesses:
//! the arena writes that the program thinks and then reads whether it is stopped; the supervisor
//! writes that it is stopped and then reads whether it thinks. One of them sees the other.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::sys::memfd::{MFdFlags, memfd_create};
use serde::{Deserialize, Serialize};

/// Offsets in the shared file.
const TURN: u64 = 0;
const STOPPED: u64 = 4;
const SPINS: u64 = 5;
const CHILDREN: u64 = 6;
const OTHERS: u64 = 8;
const LENGTH: u64 = 16;

/// How long the arena waits for the supervisor, which may itself wait for a core.
const PATIENCE: Duration = Duration::from_secs(2);

/// What the arena asks for.
const STOP: u8 = b's';
const WAKE: u8 = b'w';
const MEASURE: u8 = b'm';

/// The supervisor's descriptors, by number: they are inherited through its stages.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct ControlEnd {
    state: RawFd,
    socket: RawFd,
}

/// The arena's side.
pub(crate) struct Control {
    state: File,
    socket: UnixStream,
    /// Even while the program is idle, odd while it thinks.
    turn: u32,
    /// What the supervisor has noted, as it was when the program was last woken.
    notes: [u8; (LENGTH - STOPPED) as usize],
}

/// The supervisor's side.
pub(super) struct Supervised {
    state: File,
    pub(super) socket: UnixStream,
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
}

impl Control {
    /// A new pair. The descriptors of the second live until they are dropped and must be
    /// inherited by the process that is to have them.
    pub(crate) fn pair() -> std::io::Result<(Control, ControlEnd, [OwnedFd; 2])> {
        let state = File::from(memfd_create("quintain", MFdFlags::MFD_CLOEXEC)?);
        state.set_len(LENGTH)?;
        let (socket, theirs) = UnixStream::pair()?;
        socket.set_read_timeout(Some(PATIENCE))?;
        let given = [OwnedFd::from(state.try_clone()?), OwnedFd::from(theirs)];
        let end = ControlEnd { state: given[0].as_raw_fd(), socket: given[1].as_raw_fd() };
        // It thinks from the start: until it is ready.
        let mut control =
            Control { state, socket, turn: 0, notes: [0; (LENGTH - STOPPED) as usize] };
        control.note_turn();
        Ok((control, end, given))
    }

    fn note_turn(&mut self) {
        self.turn = self.turn.wrapping_add(1);
        let _ = self.state.write_all_at(&self.turn.to_le_bytes(), TURN);
    }

    fn flag(&self, at: u64) -> bool {
        self.notes[(at - STOPPED) as usize] != 0
    }

    fn thinks(&self) -> bool {
        self.turn % 2 == 1
    }

    fn request(&mut self, request: u8) -> Option<Duration> {
        self.socket.write_all(&[request]).ok()?;
        let mut answer = [0; 8];
        self.socket.read_exact(&mut answer).ok()?;
        Some(from_bytes(answer))
    }

    /// Lets the program run, and waits until it does.
    pub(crate) fn wake(&mut self) {
        if !self.thinks() {
            self.note_turn();
        }
        // All at once: these calls are made at every question.
        if self.state.read_exact_at(&mut self.notes, STOPPED).is_err() {
            self.notes.fill(0);
        }
        if self.flag(STOPPED) {
            self.request(WAKE);
        }
    }

    /// The program has nothing to do any more. One that is known to run nonetheless is stopped.
    pub(crate) fn rest(&mut self) {
        if self.thinks() {
            self.note_turn();
        }
        if self.flag(SPINS) {
            self.request(STOP);
        }
    }

    /// Whether the program was seen with more than one process at the supervisor's last look.
    pub(crate) fn has_children(&self) -> bool {
        self.flag(CHILDREN)
    }

    /// The processor time of the program's other processes as of that look.
    pub(crate) fn others(&self) -> Duration {
        let at = (OTHERS - STOPPED) as usize;
        from_bytes(self.notes[at..].try_into().expect("eight bytes are left"))
    }

    /// The processor time of all processes of the program, those that have ended included.
    pub(crate) fn measure(&mut self) -> Option<Duration> {
        self.request(MEASURE)
    }
}

impl ControlEnd {
    /// The numbers of its descriptors.
    pub(super) fn descriptors(self) -> [RawFd; 2] {
        [self.state, self.socket]
    }

    /// Takes the inherited descriptors; no process that is started from now on inherits them.
    pub(super) fn take(self) -> std::io::Result<Supervised> {
        // SAFETY: the arena opened these two for this process alone, which takes them once, at
        // its start, before it opens anything.
        let [state, socket] =
            self.descriptors().map(|number| unsafe { OwnedFd::from_raw_fd(number) });
        for descriptor in [&state, &socket] {
            fcntl(descriptor, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC))?;
        }
        let socket = UnixStream::from(socket);
        socket.set_nonblocking(true)?;
        Ok(Supervised { state: File::from(state), socket })
    }
}

impl Supervised {
    /// The number of the question or of the pause after it, and whether the program thinks.
    pub(super) fn turn(&self) -> (u32, bool) {
        let mut turn = [0; 4];
        let known = self.state.read_exact_at(&mut turn, TURN).is_ok();
        let turn = u32::from_le_bytes(turn);
        (turn, !known || turn % 2 == 1)
    }

    pub(super) fn note_stopped(&self, stopped: bool) {
        let _ = self.state.write_all_at(&[stopped.into()], STOPPED);
    }

    /// Notes that the program ran while it was idle.
    pub(super) fn note_spinning(&self) {
        let _ = self.state.write_all_at(&[1], SPINS);
    }

    /// Notes whether the program has more than one process now, and what all but the first have
    /// used, those that have ended included.
    pub(super) fn note_others(&self, has_children: bool, used: Duration) {
        let _ = self.state.write_all_at(&[has_children.into()], CHILDREN);
        let _ = self.state.write_all_at(&to_bytes(used), OTHERS);
    }

    /// The next request, if one has come.
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
                _ => Request::Measure,
            })),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Answers a request; the figure means something for [`Request::Measure`] only.
    pub(super) fn answer(&mut self, used: Duration) {
        let _ = self.socket.write_all(&to_bytes(used));
    }
}

/// A time as it passes between the two sides.
fn to_bytes(time: Duration) -> [u8; 8] {
    (time.as_nanos().min(u128::from(u64::MAX)) as u64).to_le_bytes()
}

fn from_bytes(time: [u8; 8]) -> Duration {
    Duration::from_nanos(u64::from_le_bytes(time))
}

/// Lets a child of this process inherit a descriptor.
pub(crate) fn let_inherit(descriptor: &OwnedFd) -> nix::Result<()> {
    fcntl(descriptor, FcntlArg::F_SETFD(FdFlag::empty())).map(drop)
}
