//! Ctrl-C during long work. Python hears of signals on its main thread only, and only when that
//! runs: so the work is done on another thread, while this one looks for signals.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use pyo3::prelude::*;

use crate::catalog::refuse;

/// How often signals are looked for.
const TICK: Duration = Duration::from_millis(20);
/// How long work that was told to stop is waited for. What goes on after that goes on alone, and
/// comes to nothing.
const PATIENCE: Duration = Duration::from_millis(150);

/// Does the work without holding the interpreter. When a signal raises an exception (Ctrl-C
/// does), sets `stop` and returns with the exception.
pub(crate) fn heed_signals<T: Send + 'static>(
    py: Python<'_>,
    stop: &Arc<AtomicBool>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (sender, mut receiver) = channel();
    let worker = std::thread::Builder::new().name("quintain".to_owned());
    let worker = worker.spawn(move || {
        // Nobody listens any more if the work was given up.
        let _ = sender.send(work());
    });
    let worker = worker.map_err(|error| refuse(format!("no thread can be started: {error}")))?;
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
