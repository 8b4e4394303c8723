//! Ctrl-C: the first asks the work under way to end where nothing is lost, the second
//! ends the command.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::screen;

/// A flag that is set when the user (or the system, by SIGTERM or SIGHUP) asks to stop.
pub(crate) fn on_request() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    let installed = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::SeqCst) {
            screen::restore();
            std::process::exit(130);
        }
    });
    if let Err(error) = installed {
        tracing::warn!("Ctrl-C cannot be caught: {error}");
    }
    stop
}
