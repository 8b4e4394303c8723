//! The host side of an instance: its input and output, its fuel clock, its random numbers and the
//! bound of its memory. [`crate::wasi`] has the functions through which a module reaches it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use quintain_core::Rng;
use wasmtime::{AsContextMut, ResourceLimiter, Trap};

use crate::limits::{FUEL_PER_NANOSECOND, MAX_LINE, MAX_OUTPUT};
use crate::module::MAX_ELEMENTS;
use crate::prices::{NEW_BYTES, NEW_MEMORY};

/// Units of fuel between two looks at the time, and whether the match was given up: a tenth of a
/// millisecond, or much longer in code whose units take long.
const SLICE: u64 = 500_000;
/// Bytes of standard error that are kept on a turn, and of its end, to show why the module failed;
/// and the number of lines of that end.
const MAX_STDERR: usize = 4096;
const MAX_LINES: usize = 20;

/// The data of an instance's store.
pub(crate) struct Host {
    pub(crate) wire: Wire,
    pub(crate) rng: Rng,
    /// The most bytes of linear memory.
    memory: u64,
}

impl Host {
    pub(crate) fn new(wire: Wire, seed: u64, memory: u64) -> Host {
        Host { wire, rng: Rng::from_seed(seed), memory }
    }
}

impl ResourceLimiter for Host {
    fn memory_growing(
        &mut self,
        _current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let granted = desired as u64 <= self.memory;
        if !granted {
            self.wire.lock().refused_memory = true;
        }
        Ok(granted)
    }

    fn table_growing(
        &mut self,
        _current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        Ok(desired as u64 <= MAX_ELEMENTS)
    }
}

/// The state shared by an instance and the code that asks it. Only one of them runs at a time.
#[derive(Clone, Default)]
pub(crate) struct Wire(Arc<Mutex<Ends>>);

impl Wire {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Ends> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The contents of a [`Wire`].
#[derive(Default)]
pub(crate) struct Ends {
    /// Input that has not been read yet.
    pub(crate) input: VecDeque<u8>,
    /// Output that has not been taken yet.
    pub(crate) output: Vec<u8>,
    pub(crate) stderr: StandardError,
    /// Bytes written to standard output in this match.
    written: u64,
    /// The length in bytes of its current, unfinished line.
    line: usize,
    /// Whether the instance waits for input.
    pub(crate) is_waiting: bool,
    /// Fuel at the beginning of the current question.
    pub(crate) given: u64,
    /// Fuel that was left when the instance began to wait.
    pub(crate) left: u64,
    /// Fuel burnt before the current question.
    pub(crate) burnt: u64,
    /// Whether more memory was asked for than is allowed.
    pub(crate) refused_memory: bool,
}

/// Why a module's match ends, besides traps.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum EndReason {
    #[error("it ended by itself, with status {0}")]
    Exit(i32),
    #[error("it wrote more than {MAX_OUTPUT} bytes in one match")]
    Output,
    #[error("it wrote more than {MAX_LINE} bytes without a line end")]
    Line,
}

impl Ends {
    /// Takes in what a module writes to standard output.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), EndReason> {
        self.written += bytes.len() as u64;
        if self.written > MAX_OUTPUT {
            return Err(EndReason::Output);
        }
        self.output.extend_from_slice(bytes);
        self.line = match bytes.iter().rposition(|byte| *byte == b'\n') {
            Some(end) => bytes.len() - end,
            None => self.line + bytes.len(),
        };
        if self.line > MAX_LINE { Err(EndReason::Line) } else { Ok(()) }
    }

    /// Keeps what a module writes to standard error.
    pub(crate) fn write_stderr(&mut self, bytes: &[u8]) -> Result<(), EndReason> {
        self.stderr.keep(bytes);
        if self.stderr.total > MAX_OUTPUT { Err(EndReason::Output) } else { Ok(()) }
    }
}

/// What a module has written to standard error.
#[derive(Default)]
pub(crate) struct StandardError {
    /// The beginning of the new text.
    new: Vec<u8>,
    left_out: usize,
    /// The end of the whole text.
    end: VecDeque<u8>,
    total: u64,
}

impl StandardError {
    fn keep(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let (kept, rest) = bytes.split_at(bytes.len().min(MAX_STDERR - self.new.len()));
        self.new.extend_from_slice(kept);
        self.left_out += rest.len();
        let tail = &bytes[bytes.len().saturating_sub(MAX_STDERR)..];
        self.end.extend(tail);
        self.end.drain(..self.end.len().saturating_sub(MAX_STDERR));
    }

    /// Returns what is new since the last call.
    pub(crate) fn take(&mut self) -> Option<String> {
        if self.new.is_empty() {
            return None;
        }
        let text = String::from_utf8_lossy(&std::mem::take(&mut self.new)).into_owned();
        Some(match std::mem::take(&mut self.left_out) {
            0 => text,
            left_out => format!("{text}\n… {left_out} bytes left out"),
        })
    }

    /// The last lines of the whole text.
    pub(crate) fn last_lines(&self) -> Vec<String> {
        let bytes: Vec<u8> = self.end.iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.lines().collect();
        let first = lines.len().saturating_sub(MAX_LINES);
        lines[first..].iter().map(|line| (*line).to_owned()).collect()
    }
}

/// Gives a store its fuel for a question.
pub(crate) fn fill(store: &mut impl AsContextMut<Data = Host>, fuel: u64) -> wasmtime::Result<()> {
    let mut store = store.as_context_mut();
    store.fuel_async_yield_interval(Some(SLICE))?;
    store.set_fuel(fuel)
}

/// Burns what the memory costs that an instance begins with.
pub(crate) fn pay_for_memory(
    store: &mut impl AsContextMut<Data = Host>,
    bytes: u64,
) -> wasmtime::Result<()> {
    burn(store, bytes / NEW_BYTES * u64::from(NEW_MEMORY))
}

/// Burns fuel for work that was done for the module.
pub(crate) fn burn(store: &mut impl AsContextMut<Data = Host>, units: u64) -> wasmtime::Result<()> {
    let mut store = store.as_context_mut();
    let left = store.get_fuel()?;
    match left.checked_sub(units) {
        Some(left) => store.set_fuel(left),
        None => {
            store.set_fuel(0)?;
            Err(Trap::OutOfFuel.into())
        }
    }
}

/// The current time as the module sees it, in nanoseconds: the fuel that it has burnt in this
/// match.
pub(crate) fn now(store: &mut impl AsContextMut<Data = Host>) -> wasmtime::Result<u64> {
    let store = store.as_context_mut();
    let left = store.get_fuel()?;
    let ends = store.data().wire.lock();
    Ok((ends.burnt + ends.given.saturating_sub(left)) / FUEL_PER_NANOSECOND)
}
