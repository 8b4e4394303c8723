//! Signals. The first Ctrl-C asks the current work to end without losing anything; a later one ends
//! the command. If a file may not grow, writing it fails with a message.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::{messages, screen};

/// Programs that start us (timeout, make) send a single request twice: to us and to our group.
const SAME_WISH: Duration = Duration::from_millis(500);

/// Makes a write beyond the limit on file sizes (`ulimit -f`) fail as on a full disk, instead of
/// letting the system end the command. Programs that we start are not protected: unlike an ignored
/// signal, a handler is not inherited.
pub(crate) fn survive_file_limit() {
    #[cfg(unix)]
    if let Err(error) =
        signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::new(AtomicBool::new(false)))
    {
        tracing::warn!("SIGXFSZ cannot be caught: {error}");
    }
}

/// Returns a flag that is set when the user (or the system, by SIGTERM or SIGHUP) asks to stop.
pub(crate) fn watch_signals() -> Arc<AtomicBool> {
    watch_signals_with_notice("")
}

/// Like [`watch_signals`], but also answers the first request at once with a message on standard
/// error, as the work may take some time to end.
pub(crate) fn watch_signals_with_notice(notice: &'static str) -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    set_at_signals(notice, &[Arc::clone(&stop)]);
    stop
}

/// The same for given flags.
pub(crate) fn set_at_signals(notice: &'static str, flags: &[Arc<AtomicBool>]) {
    let flags = flags.to_vec();
    let mut first: Option<Instant> = None;
    let installed = call_at_signals(move || {
        if !flags.iter().all(|flag| flag.load(Ordering::SeqCst)) && !notice.is_empty() {
            // Overwrites a progress bar, which is redrawn below.
            if screen::obeys_sequences() {
                messages::replace_line("");
            }
            messages::print_notice(notice);
        }
        // Set afterwards, so that the final messages of the work appear below.
        flags.iter().for_each(|flag| flag.store(true, Ordering::SeqCst));
        if first.get_or_insert_with(Instant::now).elapsed() > SAME_WISH {
            screen::restore();
            std::process::exit(130);
        }
    });
    if let Err(error) = installed {
        tracing::warn!("Ctrl-C cannot be caught: {error}");
    }
}

/// Sets a flag after some time. The flag returned tells that it was set for that reason.
pub(crate) fn stop_after(stop: &Arc<AtomicBool>, time: Duration) -> Arc<AtomicBool> {
    let (stop, late) = (Arc::clone(stop), Arc::new(AtomicBool::new(false)));
    let flag = Arc::clone(&late);
    let wait = move || {
        std::thread::sleep(time);
        if !stop.load(Ordering::SeqCst) {
            flag.store(true, Ordering::SeqCst);
            stop.store(true, Ordering::SeqCst);
        }
    };
    if let Err(error) = std::thread::Builder::new().name("time limit".to_owned()).spawn(wait) {
        tracing::warn!("the time cannot be limited: {error}");
    }
    late
}

/// Calls `answer` in a thread of its own whenever the user or the system asks to stop.
#[cfg(unix)]
fn call_at_signals(mut answer: impl FnMut() + Send + 'static) -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    let wait = move || signals.forever().for_each(|_| answer());
    std::thread::Builder::new().name("signals".to_owned()).spawn(wait).map(drop)
}

/// Calls `answer` in a thread of its own whenever the user presses Ctrl-C or closes the window.
#[cfg(windows)]
fn call_at_signals(answer: impl FnMut() + Send + 'static) -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(answer)
}
