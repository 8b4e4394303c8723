//! Signals. Ctrl-C: the first asks the work under way to end where nothing is lost, a later
//! one ends the command. A file that may not grow: writing it fails, in words.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::{messages, screen};

/// Programs that start us (timeout, make) send one wish twice, to us and to our group.
const SAME_WISH: Duration = Duration::from_millis(500);

/// Has a write beyond the limit on the size of files (`ulimit -f`) fail as on a full disk, where
/// the system would end the command. Programs that we start are not spared: a handler, unlike an
/// ignored signal, is not handed on to them.
pub(crate) fn survive_file_limit() {
    #[cfg(unix)]
    if let Err(error) =
        signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::new(AtomicBool::new(false)))
    {
        tracing::warn!("SIGXFSZ cannot be caught: {error}");
    }
}

/// A flag that is set when the user (or the system, by SIGTERM or SIGHUP) asks to stop.
pub(crate) fn watch_signals() -> Arc<AtomicBool> {
    watch_signals_and_say("")
}

/// As [`watch_signals`], and the first wish is answered at once by a word on standard error: work
/// may take its time to end.
pub(crate) fn watch_signals_and_say(said: &'static str) -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    let mut first: Option<Instant> = None;
    let installed = ctrlc::set_handler(move || {
        if !flag.load(Ordering::SeqCst) && !said.is_empty() {
            // Over a progress bar, which is drawn anew below.
            if std::io::stderr().is_terminal() {
                eprint!("\r\x1b[K");
            }
            messages::say(said);
        }
        // Afterwards, so that what the work says in the end stands below.
        flag.store(true, Ordering::SeqCst);
        if first.get_or_insert_with(Instant::now).elapsed() > SAME_WISH {
            screen::restore();
            std::process::exit(130);
        }
    });
    if let Err(error) = installed {
        tracing::warn!("Ctrl-C cannot be caught: {error}");
    }
    stop
}
