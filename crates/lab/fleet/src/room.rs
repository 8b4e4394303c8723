//! Whether the server has room for messages. A server whose disk is full, or whose limit is
//! reached, answers everybody and stores nothing; without a word about it, a tournament would
//! merely seem to stand still.

use std::sync::atomic::{AtomicBool, Ordering};

use async_nats::jetstream::context::PublishError;

use crate::error::{format_error, is_full};

/// Tells the user when the server has no room left, and when it has room again.
pub(crate) struct RoomWatch {
    server: String,
    is_full: AtomicBool,
}

impl RoomWatch {
    pub(crate) fn new(server: String) -> RoomWatch {
        RoomWatch { server, is_full: AtomicBool::new(false) }
    }

    /// Takes note of whether a message was stored.
    pub(crate) fn note<T>(&self, stored: &Result<T, PublishError>) {
        match stored {
            Ok(_) => {
                if self.is_full.swap(false, Ordering::Relaxed) {
                    tracing::warn!("the NATS server {} has room again", self.server);
                }
            }
            Err(error) => {
                let problem = format_error(error);
                if is_full(&problem) && !self.is_full.swap(true, Ordering::Relaxed) {
                    tracing::warn!(
                        "the NATS server {} has no room left ({problem}): free space on its disk, \
                         or raise its max_file_store; trying again",
                        self.server
                    );
                }
            }
        }
    }
}
