//! Ctrl-C during long work. Python hears of signals on its main thread only, and only when that
//! runs: so the work is done on another thread, while this one looks for signals.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use pyo3::prelude::*;

use crate::calls::Calls;
use crate::catalog::refuse;

/// How often signals are looked for.
const TICK: Duration = Duration::from_millis(20);
/// How long work that was told to stop is waited for. What goes on after that goes on alone, and
/// comes to nothing.
const PATIENCE: Duration = Duration::from_millis(150);
/// Calls that take no longer than this may be done while nobody looks for signals,
const SHORT: Duration = Duration::from_millis(5);
/// once so many on end have been as short.
const SHORT_ON_END: u32 = 16;

fn no_thread(error: std::io::Error) -> PyErr {
    refuse(format!("no thread can be started: {error}"))
}

/// Does the work without holding the interpreter. When a signal raises an exception (Ctrl-C
/// does), sets `stop` and returns with the exception, whether or not the work has ended.
pub(crate) fn heed_signals<T: Send + 'static>(
    py: Python<'_>,
    stop: &Arc<AtomicBool>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    heed_signals_with(py, stop, &Calls::default(), work)
}

/// The same for work that calls Python code, which is told of the signal too.
pub(crate) fn heed_signals_with<T: Send + 'static>(
    py: Python<'_>,
    stop: &Arc<AtomicBool>,
    calls: &Calls,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (sender, mut receiver) = channel();
    let worker = std::thread::Builder::new().name("quintain".to_owned());
    let worker = worker.spawn(move || {
        // Nobody listens any more if the work was given up.
        let _ = sender.send(work());
    });
    let worker = worker.map_err(no_thread)?;
    let mut interrupted: Option<PyErr> = None;
    loop {
        let patience = if interrupted.is_some() { PATIENCE } else { TICK };
        let received;
        (receiver, received) = py.detach(move || {
            let received = receiver.recv_timeout(patience);
            (receiver, received)
        });
        match (received, interrupted.take()) {
            (Ok(result), None) => return Ok(result),
            (Err(RecvTimeoutError::Timeout), None) => {
                if let Err(error) = py.check_signals() {
                    stop.store(true, Ordering::Relaxed);
                    calls.break_off(py);
                    interrupted = Some(error);
                }
            }
            (Err(RecvTimeoutError::Disconnected), None) => {
                let panic = py.detach(|| worker.join()).expect_err("it has sent nothing");
                std::panic::resume_unwind(panic);
            }
            (_, Some(error)) => return Err(error),
        }
    }
}

/// Does work on what is borrowed, without holding the interpreter. When a signal raises an
/// exception, sets `stop`, waits until the work has given up, and returns with the exception.
pub(crate) fn watch_signals<T: Send>(
    py: Python<'_>,
    stop: &AtomicBool,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    py.detach(|| {
        std::thread::scope(|scope| {
            let (sender, receiver) = channel();
            let worker = std::thread::Builder::new().name("quintain".to_owned());
            let worker = worker.spawn_scoped(scope, move || {
                let _ = sender.send(work());
            });
            let worker = worker.map_err(no_thread)?;
            let mut interrupted: Option<PyErr> = None;
            loop {
                match receiver.recv_timeout(TICK) {
                    Ok(result) => return interrupted.map_or(Ok(result), Err),
                    Err(RecvTimeoutError::Timeout) if interrupted.is_none() => {
                        if let Err(error) = Python::attach(|py| py.check_signals()) {
                            stop.store(true, Ordering::Relaxed);
                            interrupted = Some(error);
                        }
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => {
                        let panic = worker.join().expect_err("it has sent nothing");
                        std::panic::resume_unwind(panic);
                    }
                }
            }
        })
    })
}

/// How long the calls of something take. Another thread costs more than most steps of a batch, so
/// it is spared where calls have always been short.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    short_on_end: AtomicU32,
}

impl Pace {
    /// Does the work as [`watch_signals`] does, or at once where it has always been short.
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
