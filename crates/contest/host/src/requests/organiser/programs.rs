//! What participants submitted: a page for each, the files, and programs that are alike.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::{get, post};
use quintain_web::Problem;
use serde::Deserialize;

use super::downloads::file;
use super::forms::{back, organiser_of};
use crate::contest::Contest;
use crate::kit::Kit;
use crate::requests::access::{
    Host, Shared, blocking, form, html, refuse, require_organiser, require_visitor,
};
use crate::state::{Participant, Version};
use crate::{pages, program, similarity};

pub(super) fn routes() -> Router<Arc<Host>> {
    Router::new()
        .route("/organiser/participants/{id}", get(programs))
        .route("/organiser/program.zip", post(download_program))
        .route("/organiser/similarity", get(list_similar))
        .route("/organiser/similarity/{first}/{second}", get(compare))
}

/// Finds a participant by number.
fn find_by_id(contest: &Contest, id: i64) -> Result<Participant, Problem> {
    let all = contest.read_state().participants()?;
    let found = all.into_iter().find(|who| who.id == id && !who.is_house);
    let missing =
        || Problem::new(StatusCode::NOT_FOUND, "there is no participant with that number");
    found.ok_or_else(|| back(missing()))
}

async fn programs(
    State(host): Shared,
    Path(id): Path<i64>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    require_organiser(require_visitor(&host, &headers).await?)?;
    let page = blocking(&host, move |contest| {
        let whose = find_by_id(contest, id)?;
        let versions = contest.read_state().versions_of(id)?;
        Ok(pages::programs::page_of(&contest.config.zone, &whose, &versions))
    });
    Ok(html(page.await?))
}

/// A version of a participant.
#[derive(Deserialize)]
struct ProgramChoice {
    participant: i64,
    version: i64,
}

/// Downloads what a participant submitted, unchanged.
async fn download_program(State(host): Shared, request: Request) -> Result<Response, Problem> {
    let who = organiser_of(&host, request.headers()).await?;
    let ProgramChoice { participant, version } = form(request).await?;
    let turn = host.uploads.pack().await;
    let packed = blocking(&host, move |contest| {
        let _turn = turn;
        let whose = find_by_id(contest, participant)?;
        let versions = contest.read_state().versions_of(participant)?;
        let found = versions.into_iter().find(|known| known.number == version);
        let missing = || Problem::new(StatusCode::NOT_FOUND, "there is no such version");
        let found = found.ok_or_else(|| back(missing()))?;
        let tree = program::read_kept(&contest.folder, &found.digest).map_err(refuse)?;
        let zip = tree.zip().map_err(refuse)?;
        let what = format!("downloaded version {version} of {}", whose.name);
        contest.write_state().log_action(&who.name, &what)?;
        Ok((format!("{}-{version}.zip", whose.name), zip))
    });
    let (name, zip) = packed.await?;
    Ok(file("application/zip", &name, zip.into()))
}

fn all_kits(host: &Host) -> Vec<Kit> {
    host.kits.iter().map(|(kit, _)| kit.clone()).collect()
}

/// Lists the programs that are alike.
async fn list_similar(State(host): Shared, headers: HeaderMap) -> Result<Response, Problem> {
    require_organiser(require_visitor(&host, &headers).await?)?;
    let kits = all_kits(&host);
    let page = blocking(&host, move |contest| {
        Ok(pages::similarity::list(&similarity::find(contest, &kits)?))
    });
    Ok(html(page.await?))
}

/// Shows the code of two versions side by side.
async fn compare(
    State(host): Shared,
    Path((first, second)): Path<(i64, i64)>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    require_organiser(require_visitor(&host, &headers).await?)?;
    let kits = all_kits(&host);
    let page = blocking(&host, move |contest| {
        let missing = || Problem::new(StatusCode::NOT_FOUND, "there is no such version");
        let find = |id| contest.read_state().version(id)?.ok_or_else(missing);
        let (first, second): (Version, Version) = (find(first)?, find(second)?);
        let files = similarity::side_by_side(contest, &kits, [&first, &second]);
        Ok(pages::similarity::side_by_side([&first, &second], &files))
    });
    Ok(html(page.await.map_err(back)?))
}
