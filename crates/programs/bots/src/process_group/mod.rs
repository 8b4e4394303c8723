//! A program and everything that it starts, as one group that can be ended and measured. This is
//! all that systems other than Linux offer against a program: a job object of Windows, which no
//! process leaves, or a process group of Unix, which one may leave on purpose.

use std::time::Duration;

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(crate) use unix::Group;
#[cfg(windows)]
pub(crate) use windows::Group;

/// What a group uses, as far as the system counts it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Usage {
    /// Memory, in bytes.
    pub(crate) memory: u64,
    /// Processes, on Unix with all their threads.
    pub(crate) processes: u32,
    /// Processor time.
    pub(crate) processor: Duration,
}
