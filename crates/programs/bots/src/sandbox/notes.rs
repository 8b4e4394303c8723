//! What the arena and the supervisor of a program note for each other, in memory that both have
//! mapped. A note is written and read at every question, and a system call for each would cost more
//! than most answers do.
//!
//! The arena notes that the program thinks, and then checks whether it is stopped; the supervisor
//! notes that it is stopped, and then checks whether it thinks. At least one side must see the
//! other's note, so both sides agree on one order of these accesses (`SeqCst`).
//!
//! The program never gets the memory: the file's descriptor is closed in the supervisor before the
//! program's process is created, and a mapping ends with `exec`.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use memmap2::{MmapOptions, MmapRaw};
use nix::fcntl::{FcntlArg, SealFlag, fcntl};
use nix::sys::memfd::{MFdFlags, memfd_create};

/// The notes, as laid out in memory. They begin as all zeros.
#[repr(C)]
struct Page {
    /// Even while the program is idle, odd while it thinks.
    turn: AtomicU32,
    stopped: AtomicU32,
    spins: AtomicU32,
    children: AtomicU32,
    /// In nanoseconds.
    others: AtomicU64,
    /// In bytes.
    memory: AtomicU64,
}

/// One side's view of the notes.
pub(super) struct Notes {
    mapping: MmapRaw,
}

impl Notes {
    /// New notes, and the file through which the other side finds them.
    pub(super) fn new() -> io::Result<(Notes, OwnedFd)> {
        let flags = MFdFlags::MFD_CLOEXEC | MFdFlags::MFD_ALLOW_SEALING;
        let file = File::from(memfd_create("quintain", flags)?);
        file.set_len(size_of::<Page>() as u64)?;
        let seals = SealFlag::F_SEAL_SHRINK | SealFlag::F_SEAL_GROW | SealFlag::F_SEAL_SEAL;
        fcntl(&file, FcntlArg::F_ADD_SEALS(seals))?;
        let file = OwnedFd::from(file);
        Ok((Notes::of(&file)?, file))
    }

    /// The notes in a file that the other side has made.
    pub(super) fn of(file: &OwnedFd) -> io::Result<Notes> {
        let mapping = MmapOptions::new().len(size_of::<Page>()).map_raw(file.as_raw_fd())?;
        Ok(Notes { mapping })
    }

    fn page(&self) -> &Page {
        // SAFETY: the mapping has the size of a page of notes, begins where memory pages do, and
        // lives as long as `self`. Its file is sealed against shrinking, so that all of it is
        // there. Any bytes are valid values of these fields, and both sides access them only as
        // atomics.
        unsafe { &*self.mapping.as_ptr().cast() }
    }

    /// Notes that the program has a question, if it has none yet.
    pub(super) fn begin_turn(&self) {
        if !self.turn().1 {
            self.page().turn.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// Notes that the program has no question any more.
    pub(super) fn end_turn(&self) {
        if self.turn().1 {
            self.page().turn.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// The number of the current question or of the pause after it, and whether the program thinks.
    pub(super) fn turn(&self) -> (u32, bool) {
        let turn = self.page().turn.load(Ordering::SeqCst);
        (turn, turn % 2 == 1)
    }

    pub(super) fn note_stopped(&self, stopped: bool) {
        self.page().stopped.store(stopped.into(), Ordering::SeqCst);
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.page().stopped.load(Ordering::SeqCst) != 0
    }

    /// Notes that the program ran while it was idle.
    pub(super) fn note_spinning(&self) {
        self.page().spins.store(1, Ordering::Release);
    }

    pub(super) fn spins(&self) -> bool {
        self.page().spins.load(Ordering::Acquire) != 0
    }

    /// Notes whether the program has more than one process, and what all but the first have used.
    pub(super) fn note_others(&self, has_children: bool, used: Duration) {
        let used = used.as_nanos().min(u64::MAX.into()) as u64;
        self.page().others.store(used, Ordering::Release);
        self.page().children.store(has_children.into(), Ordering::Release);
    }

    /// Notes how much memory all processes have, in bytes.
    pub(super) fn note_memory(&self, memory: u64) {
        self.page().memory.store(memory, Ordering::Release);
    }

    pub(super) fn memory(&self) -> u64 {
        self.page().memory.load(Ordering::Acquire)
    }

    pub(super) fn has_children(&self) -> bool {
        self.page().children.load(Ordering::Acquire) != 0
    }

    /// The processor time of all processes but the first.
    pub(super) fn others(&self) -> Duration {
        Duration::from_nanos(self.page().others.load(Ordering::Acquire))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_see_the_shared_numbers() {
        let (arena, file) = Notes::new().unwrap();
        let supervisor = Notes::of(&file).unwrap();
        drop(file);
        assert_eq!(supervisor.turn(), (0, false));
        arena.begin_turn();
        arena.begin_turn();
        assert_eq!(supervisor.turn(), (1, true), "a question that goes on is no other one");
        supervisor.note_stopped(true);
        supervisor.note_others(true, Duration::from_millis(3));
        assert!(arena.is_stopped() && arena.has_children() && !arena.spins());
        assert_eq!(arena.others(), Duration::from_millis(3));
        arena.end_turn();
        assert_eq!(supervisor.turn(), (2, false));
    }

    #[test]
    fn the_shared_memory_cannot_shrink() {
        let (_notes, file) = Notes::new().unwrap();
        assert!(File::from(file).set_len(0).is_err());
    }
}
