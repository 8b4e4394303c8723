//! A request to stop that comes by itself when work has taken too long.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::task::JoinHandle;

/// Sets `stop` after a time, unless it is dropped before.
pub(super) struct Deadline {
    pub(super) stop: Arc<AtomicBool>,
    timer: JoinHandle<()>,
}

impl Deadline {
    /// Begins to wait for so long. It has to be made in the server's runtime.
    pub(super) fn after(time: Duration) -> Deadline {
        let stop = Arc::new(AtomicBool::new(false));
        let timer = tokio::spawn({
            let stop = Arc::clone(&stop);
            async move {
                tokio::time::sleep(time).await;
                stop.store(true, Ordering::Relaxed);
            }
        });
        Deadline { stop, timer }
    }
}

impl Drop for Deadline {
    fn drop(&mut self) {
        self.timer.abort();
    }
}
