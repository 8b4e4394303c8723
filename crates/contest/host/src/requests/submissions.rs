//! Programs that are submitted, by page and by command.

use std::sync::Arc;
use std::time::{Instant, SystemTime};

use axum::body::to_bytes;
use axum::extract::{DefaultBodyLimit, Path, Query, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use quintain_web::Problem;
use serde::Deserialize;
use serde_json::json;

use super::access::{
    Host, Shared, actor, blocking, body, body_length, forbidden, refuse, submitter,
};
use super::upload_form::read_upload;
use crate::archive::{Refused, Tree, TreeLimits};
use crate::build::describe_missing_tool;
use crate::contest::Contest;
use crate::disk::Usage;
use crate::lock::lock;
use crate::program;
use crate::state::{CHECK, Participant, Stage, Version, time_of};
use crate::trouble::TroubleKind;

pub(super) fn routes() -> Router<Arc<Host>> {
    Router::new()
        // The body is read up to the contest's own limit.
        .route("/me/submit", post(submit_by_page).layer(DefaultBodyLimit::disable()))
        .route("/api/submissions", post(submit_by_command))
        .route("/api/submissions/{number}", get(submission))
}

async fn submit_by_page(State(host): Shared, request: Request) -> Result<Response, Problem> {
    let who = actor(&host, request.headers()).await?;
    let (upload, place) = read_upload(&host, &who, request).await?;
    let read = move |limits| upload.into_tree(limits);
    let arrived = place.time_of_arrival();
    let turn = place.unpack().await;
    let work = move |contest: &Contest| {
        let _turn = turn;
        hand_in(contest, &who, arrived, read)
    };
    let version = blocking(&host, work).await?;
    // The same files are the same version as before, which has been checked already.
    let is_known = matches!(version.stage, Stage::Passed | Stage::Failed);
    let to = if is_known { format!("/me?again={}", version.number) } else { "/me".to_owned() };
    Ok(Redirect::to(&to).into_response())
}

#[derive(Deserialize)]
struct FileName {
    #[serde(default)]
    name: String,
}

async fn submit_by_command(
    State(host): Shared,
    Query(file): Query<FileName>,
    request: Request,
) -> Result<Response, Problem> {
    let who = submitter(&host, request.headers()).await?;
    let most = host.contest.config.limits.upload.0 as usize;
    let place = host.uploads.enter(who.id, body_length(request.headers(), most)).await?;
    let request = body(request, most).await?;
    let bytes = to_bytes(request.into_body(), most).await.map_err(refuse)?;
    let read = move |limits| Tree::read(&file.name, &bytes, limits);
    let arrived = place.time_of_arrival();
    let turn = place.unpack().await;
    let version = blocking(&host, move |contest| {
        let _turn = turn;
        let version = hand_in(contest, &who, arrived, read)?;
        describe(contest, &who, &version)
    });
    Ok((StatusCode::CREATED, Json(version.await?)).into_response())
}

async fn submission(
    State(host): Shared,
    Path(number): Path<i64>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let who = submitter(&host, &headers).await?;
    let version = blocking(&host, move |contest| {
        let versions = contest.read_state().versions_of(who.id)?;
        let found = versions.into_iter().find(|version| version.number == number);
        let missing = || Problem::new(StatusCode::NOT_FOUND, format!("no version {number}"));
        describe(contest, &who, &found.ok_or_else(missing)?)
    });
    Ok(Json(version.await?).into_response())
}

/// Describes a version for its author, including whether it is the one that plays. The author is
/// looked up again after the version, as the check may have ended in the meantime.
fn describe(
    contest: &Contest,
    who: &Participant,
    version: &Version,
) -> Result<serde_json::Value, Problem> {
    let now = contest.read_state().find_participant(&who.name)?;
    let active = now.and_then(|who| who.active);
    let is_active = active == Some(version.id);
    let finals = lock(&contest.finals);
    let final_begun = finals.as_ref().is_some_and(|finals| !finals.includes(version.id));
    let waits = match version.stage {
        Stage::Waiting => checks_go_on_at(contest, who)?,
        _ => None,
    };
    let log = match waits {
        Some(at) => {
            let at = contest.config.zone.write(time_of(at));
            format!("{}; this one waits until {at}", used_up(contest))
        }
        None => version.log.clone(),
    };
    Ok(json!({
        "version": version.number, "digest": version.digest, "stage": version.stage.word(),
        "log": log, "active": is_active, "other_active": active.is_some() && !is_active,
        "final_begun": final_begun,
    }))
}

/// Returns when a participant's programs are checked again, if checks have used up their time.
fn checks_go_on_at(contest: &Contest, who: &Participant) -> Result<Option<i64>, Problem> {
    let quota = contest.config.limits.check_quota();
    Ok(contest.read_state().used_up_until(who.id, CHECK, quota)?)
}

/// Says how much time a participant's checks have used.
fn used_up(contest: &Contest) -> String {
    let most = contest.config.limits.check_time;
    format!("checks and builds of your programs took {most} within an hour, which is the most")
}

/// Accepts what was submitted, and logs what became of it.
fn hand_in(
    contest: &Contest,
    who: &Participant,
    arrived: SystemTime,
    read: impl FnOnce(TreeLimits) -> Result<Tree, Refused>,
) -> Result<Version, Problem> {
    let accepted = accept(contest, who, arrived, read);
    let by = who.member.as_ref().map(|member| &member.name);
    match &accepted {
        Ok(Version { number, digest, .. }) => {
            let more = json!({ "who": who.name, "by": by, "version": number, "digest": digest });
            contest.events.log("submission", "accepted", more);
        }
        Err(problem) => {
            let more = json!({ "who": who.name, "by": by, "why": problem.text });
            contest.events.log("submission", "refused", more);
        }
    }
    accepted
}

/// Accepts what was submitted, and stores it on the disk before its sender gets an answer. What
/// arrived in time is in time, however long it waited for its turn.
fn accept(
    contest: &Contest,
    who: &Participant,
    arrived: SystemTime,
    read: impl FnOnce(TreeLimits) -> Result<Tree, Refused>,
) -> Result<Version, Problem> {
    let limits = &contest.config.limits;
    if let Some(why) = contest.closed_at(arrived, who)? {
        return Err(forbidden(&why));
    }
    let most = limits.version_limits();
    let too_many = || {
        let text = format!(
            "at most {} versions an hour and {} in all are allowed; this is one more",
            most.per_hour, most.all
        );
        Problem::new(StatusCode::TOO_MANY_REQUESTS, text)
    };
    if let Some(at) = checks_go_on_at(contest, who)? {
        let at = contest.config.zone.write(time_of(at));
        let text = format!("{}; submit again after {at}", used_up(contest));
        return Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, text));
    }
    // Checked before anything is unpacked; the check that counts is made when the version is
    // entered.
    if !contest.read_state().may_hand_in(who.id, most)? {
        return Err(too_many());
    }
    let tree = read_program(contest, who, read)?;
    let space = |why: String| Problem::new(StatusCode::INSUFFICIENT_STORAGE, why);
    Usage::of(contest, who.id)?.check(contest, &tree).map_err(space)?;
    let unkept = |error: std::io::Error| {
        let text = format!("it could not be stored: {error}");
        let what = format!("what is submitted cannot be stored: {error}");
        contest.troubles.occur(TroubleKind::Submissions, &what);
        Problem::new(StatusCode::INSUFFICIENT_STORAGE, text)
    };
    // From here on until the version is entered, its files are not taken for unused ones.
    let _files_come = contest.files.read();
    let digest = program::keep(&contest.folder, &tree).map_err(unkept)?;
    let mut state = contest.write_state();
    let number = state.hand_in(who, &digest, most)?.ok_or_else(too_many)?;
    let versions = state.versions_of(who.id)?;
    let found = versions.into_iter().find(|version| version.number == number);
    found.ok_or_else(|| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "the version is gone"))
}

/// Reads what was submitted as a program that can be built and run here.
fn read_program(
    contest: &Contest,
    who: &Participant,
    read: impl FnOnce(TreeLimits) -> Result<Tree, Refused>,
) -> Result<Tree, Problem> {
    let begun = Instant::now();
    let builds = &contest.config.build;
    let read = || {
        let tree = program::program_in(read(contest.config.limits.tree())?, builds)?;
        program::plan_of(&tree, builds).map(|plan| (tree, plan))
    };
    let read = read();
    let missing = read.as_ref().ok().and_then(|(_, plan)| builds.find_missing_tool(plan.tools()));
    if let Some(tool) = missing {
        // That costs its author nothing.
        let text = describe_missing_tool(tool, "then submit it again");
        return Err(Problem::new(StatusCode::NOT_IMPLEMENTED, text));
    }
    // Also if it is accepted: the same files can be sent again and again.
    contest.write_state().spend_on_check(who.id, begun.elapsed().as_secs_f64())?;
    read.map(|(tree, _)| tree).map_err(refuse)
}
