//! Forms about the ladder: checking programs again, restarting it, and striking matches out.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::post;
use quintain_web::Problem;
use serde::Deserialize;

use super::forms::{Confirmation, change};
use crate::admin::{Rejudged, rejudge_by, reset_by, strike_by};
use crate::requests::access::{Host, Shared, refuse};

pub(super) fn routes() -> Router<Arc<Host>> {
    Router::new()
        .route("/organiser/rejudge", post(rejudge))
        .route("/organiser/reset", post(reset))
        .route("/organiser/strike", post(strike))
}

/// Whose programs are checked again: all versions, or only one.
#[derive(Deserialize)]
struct Rejudge {
    name: String,
    #[serde(default)]
    version: String,
    #[serde(default)]
    force: bool,
}

async fn rejudge(State(host): Shared, request: Request) -> Result<Response, Problem> {
    change(&host, request, |contest, by, Rejudge { name, version, force }| {
        let which = match version.trim() {
            "" => Rejudged::Participant(&name),
            number => {
                let number = number.parse().map_err(|_| {
                    refuse(format!(
                        "{number:?} is not a version number: leave it out for all versions"
                    ))
                })?;
                Rejudged::Version(&name, number)
            }
        };
        rejudge_by(by, &contest.config, &mut contest.write_state(), which, force)?;
        Ok(())
    })
    .await
}

async fn reset(State(host): Shared, request: Request) -> Result<Response, Problem> {
    change(&host, request, |contest, by, Confirmation { confirm }| {
        reset_by(by, &contest.config, &mut contest.write_state(), confirm)?;
        Ok(())
    })
    .await
}

/// Matches by their numbers, and why they do not count; without a reason they count again.
#[derive(Deserialize)]
struct Strike {
    matches: String,
    #[serde(default)]
    reason: String,
}

async fn strike(State(host): Shared, request: Request) -> Result<Response, Problem> {
    change(&host, request, |contest, by, Strike { matches, reason }| {
        let matches: Vec<String> = matches.split(',').map(str::to_owned).collect();
        let reason = Some(reason.trim()).filter(|reason| !reason.is_empty());
        strike_by(by, &mut contest.write_state(), &matches, reason)?;
        Ok(())
    })
    .await
}
