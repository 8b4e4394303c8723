//! Ctrl-C during long work. Python notices signals only on its main thread, and only while that
//! thread runs Python. So the work is done on another thread, while this one checks for signals.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, Builder};
use std::time::{Duration, Instant};

use pyo3::prelude::*;

use crate::calls::Calls;
use crate::catalog::refuse;

/// How often signals are checked for.
const TICK: Duration = Duration::from_millis(20);
/// How long to wait for work that was told to stop. Work that continues after that runs on alone,
/// and its result is dropped.
const STOP_TIMEOUT: Duration = Duration::from_millis(150);
/// Calls that take no longer than this may run without checks for signals,
const SHORT: Duration = Duration::from_millis(5);
/// once this many in a row have been as short.
const SHORT_ON_END: u32 = 16;

fn build_thread() -> Builder {
    Builder::new().name("quintain".to_owned())
}

fn no_thread(error: std::io::Error) -> PyErr {
    refuse(format!("cannot start a thread: {error}"))
}

/// Sends the result of the work, or the panic that it ends in.
fn work_and_send<T>(work: impl FnOnce() -> T, sender: &Sender<thread::Result<T>>) {
    // If the work was given up, nobody listens any more.
    let _ = sender.send(catch_unwind(AssertUnwindSafe(work)));
}

/// Waits for what is sent, without holding the interpreter.
fn receive<T: Send>(
    py: Python<'_>,
    receiver: &mut Receiver<T>,
    patience: Duration,
) -> Result<T, RecvTimeoutError> {
    py.detach(move || receiver.recv_timeout(patience))
}

/// Waits for the result of the work until a signal raises an exception.
fn listen<T: Send>(py: Python<'_>, receiver: &mut Receiver<thread::Result<T>>) -> PyResult<T> {
    loop {
        match receive(py, receiver, TICK) {
            Ok(done) => return Ok(done.unwrap_or_else(|panic| resume_unwind(panic))),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => unreachable!("panics are sent too"),
        }
    }
}

/// Does the work without holding the interpreter. If a signal raises an exception (Ctrl-C does),
/// breaks off its calls of Python code and returns the exception, whether or not the work has
/// ended.
pub(crate) fn heed_signals<T: Send + 'static>(
    py: Python<'_>,
    calls: &Calls,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (sender, mut receiver) = channel();
    build_thread().spawn(move || work_and_send(work, &sender)).map_err(no_thread)?;
    listen(py, &mut receiver).inspect_err(|_| {
        calls.break_off(py);
        let _ = receive(py, &mut receiver, STOP_TIMEOUT);
    })
}

/// Does work on borrowed data, without holding the interpreter. If a signal raises an exception,
/// sets `stop`, waits until the work has stopped, and returns the exception.
fn watch_signals<T: Send>(
    py: Python<'_>,
    stop: &AtomicBool,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    thread::scope(|scope| {
        let (sender, mut receiver) = channel();
        let worker = build_thread().spawn_scoped(scope, move || work_and_send(work, &sender));
        let worker = worker.map_err(no_thread)?;
        listen(py, &mut receiver).inspect_err(|_| {
            stop.store(true, Ordering::Relaxed);
            let _ = py.detach(|| worker.join());
        })
    })
}

/// Keeps track of how long calls take. Another thread costs more than most steps of a batch, so it
/// is not used where calls have always been short.
#[derive(Debug, Default)]
pub(crate) struct InterruptPacer {
    short_on_end: AtomicU32,
}

impl InterruptPacer {
    /// Does the work as [`watch_signals`] does, or directly where it has always been short.
    pub(crate) fn run<T: Send>(
        &self,
        py: Python<'_>,
        stop: &AtomicBool,
        work: impl FnOnce() -> T + Send,
    ) -> PyResult<T> {
        let short_on_end = self.short_on_end.load(Ordering::Relaxed);
        let begun = Instant::now();
        let done = match short_on_end < SHORT_ON_END {
            true => watch_signals(py, stop, work),
            false => Ok(py.detach(work)),
        };
        let is_short = begun.elapsed() <= SHORT;
        let now = if is_short { short_on_end.saturating_add(1) } else { 0 };
        self.short_on_end.store(now, Ordering::Relaxed);
        done
    }
}
