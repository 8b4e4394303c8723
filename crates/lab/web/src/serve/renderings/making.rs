//! Makes a rendering for the client that asks for it, when it is the client's turn.

use std::net::IpAddr;
use std::sync::Arc;

use axum::http::StatusCode;
use quintain_core::panics;

use super::{NewJob, Rendered, Rendering, Work};
use crate::serve::problem::Problem;
use crate::serve::shared::Shared;

/// Returns what was made by `make`, now or before, for the client at this address.
///
/// # Errors
/// [`Problem`] if the client waits for too many already, or it cannot be made within the limits.
pub(in crate::serve) async fn render_for(
    shared: &Arc<Shared>,
    address: IpAddr,
    what: Rendering,
    make: impl FnOnce(&Shared, &Work) -> Result<Vec<u8>, Problem> + Send + 'static,
) -> Rendered {
    let renderings = &shared.renderings;
    if let Some(kept) = renderings.kept(&what) {
        return Ok(kept);
    }
    let place = renderings.quota.take(address);
    let _place = place.map_err(|full| full.problem("replays"))?;
    let (_interest, mut result, new) = renderings.join(&what);
    if let Some(job) = new {
        tokio::spawn(work_on(Arc::clone(shared), address, what, job, Box::new(make)));
    }
    // The sender sends before it is dropped, unless the server ends.
    let made = result.wait_for(Option::is_some).await;
    made.ok().and_then(|made| made.clone()).unwrap_or_else(|| {
        Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, "the server is ending"))
    })
}

type Make = Box<dyn FnOnce(&Shared, &Work) -> Result<Vec<u8>, Problem> + Send>;

/// Waits for the client's turn and for a thread, makes the rendering, and tells all who wait.
async fn work_on(shared: Arc<Shared>, address: IpAddr, what: Rendering, job: NewJob, make: Make) {
    let NewJob { work, sender } = job;
    let turns = shared.renderings.turns.of(address);
    let slots = Arc::clone(&shared.renderings.slots);
    let permits = async {
        let turn = turns.acquire_owned().await;
        (turn, slots.acquire_owned().await)
    };
    let made = tokio::select! {
        permits = permits => {
            let (worker, at) = (Arc::clone(&shared), Arc::clone(&work));
            let task = tokio::task::spawn_blocking(move || {
                // Held until the thread is free again.
                let _permits = permits;
                at.begin();
                panics::catch(|| make(&worker, &at))
            });
            match task.await {
                Ok(Ok(made)) => made.map(Into::into),
                _ => {
                    let text = "this is a bug in quintain: please report it";
                    Err(Problem::new(StatusCode::INTERNAL_SERVER_ERROR, text))
                }
            }
        }
        () = work.abandoned.notified() => {
            Err(Problem::new(StatusCode::REQUEST_TIMEOUT, "nobody waits for this"))
        }
    };
    shared.renderings.finish(&what, &made, &sender);
    let _ = sender.send(Some(made));
}
