//! News about a tournament that is being played, possibly by another process: a single thread
//! watches the store, and notifies every page that listens.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use axum::extract::{ConnectInfo, Path, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use quintain_store::Store;
use tokio::sync::watch::Receiver;

use super::limits::Place;
use super::shared::{Shared, blocking};

/// How often the store is checked, and the minimum time between two pieces of news for a page.
const LOOK: Duration = Duration::from_millis(300);
const QUIET: Duration = Duration::from_millis(700);

/// Watches the store for as long as the server runs.
pub(super) fn watch(shared: &Arc<Shared>) {
    let (weak, path) = (Arc::downgrade(shared), shared.store.clone());
    thread::spawn(move || {
        let mut store: Option<Store> = None;
        let mut pulse = None;
        while let Some(shared) = weak.upgrade() {
            if store.is_none() {
                let opened = Store::open_to_read(&path).ok();
                store = opened.filter(|store| !store.is_placeholder());
            }
            let now = store.as_ref().map(Store::pulse);
            let now = match now {
                Some(Ok(now)) => Some(now),
                _ => {
                    store = None;
                    None
                }
            };
            if now != pulse {
                pulse = now;
                shared.news.send_modify(|news| *news += 1);
            }
            drop(shared);
            thread::sleep(LOOK);
        }
    });
}

struct Subscription {
    shared: Arc<Shared>,
    number: i64,
    news: Receiver<u64>,
    sent: Option<u64>,
    _place: Place,
}

/// `progress` events: how many matches have been played, out of how many.
pub(super) async fn events(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    Path(number): Path<i64>,
) -> Response {
    let info = blocking(Arc::clone(&shared), move |shared| shared.tournament(number)).await;
    if let Err(problem) = info {
        return problem.into_response();
    }
    let place = match shared.listeners.take(from.ip()) {
        Ok(place) => place,
        Err(full) => return full.problem("live pages").into_response(),
    };
    let news = shared.news.subscribe();
    let subscription = Subscription { shared, number, news, sent: None, _place: place };
    let events = stream::unfold(subscription, |mut subscription| async {
        loop {
            if subscription.sent.is_some() {
                subscription.news.changed().await.ok()?;
                tokio::time::sleep(QUIET).await;
                subscription.news.mark_unchanged();
            }
            let (shared, number) = (Arc::clone(&subscription.shared), subscription.number);
            let info = blocking(shared, move |shared| shared.tournament(number)).await.ok()?;
            if subscription.sent != Some(info.played) {
                subscription.sent = Some(info.played);
                let progress =
                    serde_json::json!({ "played": info.played, "fixtures": info.fixtures });
                let event = Event::default().event("progress").data(progress.to_string());
                return Some((Ok::<Event, Infallible>(event), subscription));
            }
        }
    });
    Sse::new(events).keep_alive(KeepAlive::default()).into_response()
}
