//! Calls of users' Python code: the exception that ends all work, and the threads that are in a
//! call, so that Ctrl-C reaches them, since the interpreter reports signals only to its main
//! thread.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::call::PyCallArgs;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

/// Calls of Python code during one piece of work.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    /// Set when all of the work should end.
    pub(crate) stop: Arc<AtomicBool>,
    /// The exception that ended it.
    raised: Mutex<Option<PyErr>>,
    /// The threads that are in a call now.
    threads: Mutex<Vec<u64>>,
}

impl Calls {
    /// Makes a call that [`Calls::break_off`] can end; refused once all work should end.
    pub(crate) fn make<T>(
        &self,
        py: Python<'_>,
        call: impl FnOnce() -> PyResult<T>,
    ) -> PyResult<T> {
        let own: u64 = py.import("threading")?.call_method0("get_ident")?.extract()?;
        if self.is_over() {
            return Err(PyKeyboardInterrupt::new_err("interrupted"));
        }
        lock(&self.threads).push(own);
        let result = call();
        let mut threads = lock(&self.threads);
        if let Some(place) = threads.iter().rposition(|&thread| thread == own) {
            threads.swap_remove(place);
        }
        result
    }

    /// Tells a listener how far the work is, unless it should end; an exception in the listener
    /// ends it.
    pub(crate) fn tell(&self, listener: &Py<PyAny>, now: impl for<'py> PyCallArgs<'py>) {
        if self.is_over() {
            return;
        }
        let answered = Python::attach(|py| self.make(py, || listener.call1(py, now).map(drop)));
        if let Err(error) = answered {
            self.end(error);
        }
    }

    /// Ends all work with an exception. Only the first one is kept.
    pub(crate) fn end(&self, error: PyErr) {
        let mut raised = lock(&self.raised);
        if raised.is_none() {
            *raised = Some(error);
        }
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether all work should end.
    pub(crate) fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Raises the exception that ended the work, if there is one.
    pub(crate) fn check(&self) -> PyResult<()> {
        let raised = lock(&self.raised).take();
        raised.map_or(Ok(()), Err)
    }

    /// Ends all work, and raises KeyboardInterrupt in every call at its next step of Python code. A
    /// call that waits outside the interpreter gets it when it has finished waiting.
    pub(crate) fn break_off(&self, py: Python<'_>) {
        self.stop.store(true, Ordering::Relaxed);
        let threads = lock(&self.threads).clone();
        for thread in threads {
            // If the interpreter lacks ctypes, the call is abandoned, like one that waits.
            let _ = raise_in(py, thread);
        }
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn raise_in(py: Python<'_>, thread: u64) -> PyResult<()> {
    let ctypes = py.import("ctypes")?;
    let raise = ctypes.getattr("pythonapi")?.getattr("PyThreadState_SetAsyncExc")?;
    let kind = py.get_type::<PyKeyboardInterrupt>();
    let (thread, kind) =
        (ctypes.call_method1("c_ulong", (thread,))?, ctypes.call_method1("py_object", (kind,))?);
    raise.call1((thread, kind)).map(drop)
}
