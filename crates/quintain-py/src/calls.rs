//! The threads that run Python code of users now, so that Ctrl-C reaches them: the interpreter
//! tells its main thread alone of signals.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

/// Calls of Python code in progress, by the threads that make them.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    threads: Mutex<Vec<u64>>,
    /// There are none any more.
    broken_off: AtomicBool,
}

impl Calls {
    /// Makes a call that [`Calls::break_off`] can end.
    pub(crate) fn make<T>(
        &self,
        py: Python<'_>,
        call: impl FnOnce() -> PyResult<T>,
    ) -> PyResult<T> {
        if self.broken_off.load(Ordering::Relaxed) {
            return Err(PyKeyboardInterrupt::new_err("broken off"));
        }
        let own: u64 = py.import("threading")?.call_method0("get_ident")?.extract()?;
        self.change(|threads| threads.push(own));
        let called = call();
        self.change(|threads| {
            if let Some(place) = threads.iter().rposition(|&thread| thread == own) {
                threads.swap_remove(place);
            }
        });
        called
    }

    /// Raises KeyboardInterrupt in every call, at the next step of Python code that it takes: one
    /// that waits outside of the interpreter hears of it when it has waited. None is made after it.
    pub(crate) fn break_off(&self, py: Python<'_>) {
        self.broken_off.store(true, Ordering::Relaxed);
        let mut threads = Vec::new();
        self.change(|now| threads.clone_from(now));
        for thread in threads {
            // Where the interpreter lacks ctypes the call is given up, as one that waits is.
            let _ = raise_in(py, thread);
        }
    }

    fn change(&self, change: impl FnOnce(&mut Vec<u64>)) {
        change(&mut self.threads.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

fn raise_in(py: Python<'_>, thread: u64) -> PyResult<()> {
    let ctypes = py.import("ctypes")?;
    let raise = ctypes.getattr("pythonapi")?.getattr("PyThreadState_SetAsyncExc")?;
    let kind = py.get_type::<PyKeyboardInterrupt>();
    let (thread, kind) =
        (ctypes.call_method1("c_ulong", (thread,))?, ctypes.call_method1("py_object", (kind,))?);
    raise.call1((thread, kind)).map(drop)
}
