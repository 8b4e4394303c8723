//! Shows that a worker is there, and what it does, by an entry in the server's list of workers. The
//! entry is rewritten from time to time, and soon after there is news.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::sync::futures::Notified;
use tokio::time::sleep;

use super::State;
use super::lock::lock;
use crate::status::{Worker, now_ms};
use crate::wire::worker_key;

/// How often a worker reports its presence.
const REPORT_INTERVAL: Duration = Duration::from_secs(5);
/// How soon a worker reports when there is news.
const MIN_REPORT_INTERVAL: Duration = Duration::from_millis(250);

impl State {
    pub(super) async fn publish_presence(self: Arc<Self>) {
        loop {
            // News that comes while the entry is being written may not be in it.
            let reconnected = self.client.reconnected.notified();
            let worker = Worker {
                seen_ms: now_ms(),
                played: lock(&self.summary).matches,
                playing: self.leases.names(),
                preparing: {
                    let mut preparing = lock(&self.preparing).clone();
                    preparing.sort();
                    preparing.dedup();
                    preparing
                },
                minute: lock(&self.minute).seconds(),
                refuses: lock(&self.refuses).iter().map(|(_, line)| line.clone()).collect(),
                ..self.worker.clone()
            };
            let value = serde_json::to_vec(&worker).expect("a worker has JSON");
            let _ = self.client.workers.put(worker_key(&self.worker.who), value.into()).await;
            sleep(MIN_REPORT_INTERVAL).await;
            wait_for_news(&self.news, reconnected, REPORT_INTERVAL - MIN_REPORT_INTERVAL).await;
        }
    }
}

/// Waits until this worker should report again, at most for `most`. A server that was
/// restarted has forgotten which workers are there.
async fn wait_for_news(news: &Notify, reconnected: Notified<'_>, most: Duration) {
    tokio::select! {
        () = sleep(most) => {}
        () = news.notified() => {}
        () = reconnected => {}
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::timeout;

    use super::*;

    const LONG: Duration = Duration::from_secs(3600);
    /// The longest that the test waits.
    const BOUND: Duration = Duration::from_secs(60);

    #[test]
    fn news_and_a_new_connection_are_reported_early_even_if_they_came_before() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (news, connection) = (Notify::new(), Notify::new());
            news.notify_one();
            timeout(BOUND, wait_for_news(&news, connection.notified(), LONG)).await.unwrap();
            let reconnected = connection.notified();
            connection.notify_waiters();
            timeout(BOUND, wait_for_news(&news, reconnected, LONG)).await.unwrap();
            // Each kind of news is reported once.
            let again = wait_for_news(&news, connection.notified(), LONG);
            assert!(timeout(Duration::ZERO, again).await.is_err());
        });
    }
}
