//! What language models have answered so far, for whoever waits for a long match.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use quintain_remote::Chats;
use quintain_scene::clean;

use crate::messages::print_notice;
use crate::verbs::Verb;

/// Time between two messages.
const EVERY: Duration = Duration::from_secs(10);

/// Prints now and then what was asked, until it is dropped.
pub(crate) struct ChatProgress {
    _end: Option<Sender<()>>,
}

impl ChatProgress {
    /// Begins, if the verb has no other display of its progress.
    pub(crate) fn start(chats: &Arc<Chats>, verb: &Verb) -> ChatProgress {
        if !matches!(verb, Verb::Match(_) | Verb::Climb(_)) {
            return ChatProgress { _end: None };
        }
        let (end, ended) = channel();
        let chats = Arc::clone(chats);
        thread::spawn(move || {
            let mut last = Vec::new();
            while ended.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                let totals = chats.totals();
                for (name, totals) in totals.iter().filter(|known| !last.contains(*known)) {
                    print_notice(&format!("{}: {}", clean(name), totals.progress()));
                }
                last = totals;
            }
        });
        ChatProgress { _end: Some(end) }
    }
}
