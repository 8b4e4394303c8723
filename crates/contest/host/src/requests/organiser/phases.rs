//! Forms about the phases: pausing, choosing and moving them, and undoing a final.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::response::{Redirect, Response};
use axum::routing::post;
use quintain_web::Problem;
use serde::Deserialize;

use super::forms::{Confirmation, change, organiser_of};
use crate::admin::{PhaseChoice, choose_phase_by, undo_final_by};
use crate::requests::access::{Host, Shared, blocking, form};
use crate::schedule::move_phase_by;

pub(super) fn routes() -> Router<Arc<Host>> {
    Router::new()
        .route("/organiser/pause", post(pause))
        .route("/organiser/phase", post(phase))
        .route("/organiser/move-phase", post(move_phase))
        .route("/organiser/undo-final", post(undo_final))
}

#[derive(Deserialize)]
struct Pause {
    paused: bool,
}

async fn pause(State(host): Shared, request: Request) -> Result<Redirect, Problem> {
    let who = organiser_of(&host, request.headers()).await?;
    let Pause { paused } = form(request).await?;
    blocking(&host, move |contest| Ok(contest.write_state().pause(&who.name, paused)?)).await?;
    Ok(Redirect::to("/organiser"))
}

/// A phase, or none to follow what the times say.
#[derive(Deserialize)]
struct ChosenPhase {
    #[serde(default)]
    phase: String,
    /// Whether this may begin the final.
    #[serde(default)]
    begin: bool,
    /// Whether this may stop it.
    #[serde(default)]
    confirm: bool,
}

async fn phase(State(host): Shared, request: Request) -> Result<Response, Problem> {
    change(&host, request, |contest, by, ChosenPhase { phase, begin, confirm }| {
        let name = Some(phase.as_str()).filter(|phase| !phase.is_empty());
        let chosen = PhaseChoice { name, begins_final: begin, is_confirmed: confirm };
        choose_phase_by(by, &contest.config, &mut contest.write_state(), chosen)?;
        Ok(())
    })
    .await
}

/// When a phase is to begin, in the contest's time zone; without a time, as host.toml says.
#[derive(Deserialize)]
struct MovedPhase {
    phase: String,
    #[serde(default)]
    from: String,
    #[serde(default)]
    confirm: bool,
}

async fn move_phase(State(host): Shared, request: Request) -> Result<Response, Problem> {
    change(&host, request, |contest, by, MovedPhase { phase, from, confirm }| {
        let to = Some(from.as_str()).filter(|from| !from.is_empty());
        let (config, mut state) = (&contest.config, contest.write_state());
        Ok(move_phase_by(by, config, &mut state, (&phase, to), confirm)?)
    })
    .await
}

async fn undo_final(State(host): Shared, request: Request) -> Result<Response, Problem> {
    change(&host, request, |contest, by, Confirmation { confirm }| {
        let (config, store) = (&contest.config, contest.store());
        undo_final_by(by, config, &mut contest.write_state(), &store, confirm)?;
        Ok(contest.drop_undone_final()?)
    })
    .await
}
