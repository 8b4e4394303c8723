//! Forms about lessons: choosing, publishing and withdrawing them.

use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use quintain_web::Problem;
use serde::Deserialize;

use super::forms::{Undone, back, change, organiser_of};
use crate::contest::Contest;
use crate::error::CONFIRM;
use crate::lock::lock;
use crate::requests::access::{Host, Shared, blocking, html, refuse};
use crate::requests::upload_form::read_upload;
use crate::token::new_token;
use crate::{lessons, pages};

pub(super) fn routes() -> Router<Arc<Host>> {
    Router::new()
        // The body is read up to the contest's own limit.
        .route("/organiser/lessons", post(offer_lessons).layer(DefaultBodyLimit::disable()))
        .route("/organiser/publish-lessons", post(publish_lessons))
        .route("/organiser/withdraw-lessons", post(withdraw_lessons))
}

/// Where lessons that were chosen are published.
const PUBLISH: &str = "/organiser/publish-lessons";

/// Checks lessons that the organiser has chosen, and asks whether they are to be published.
async fn offer_lessons(State(host): Shared, request: Request) -> Result<Response, Problem> {
    let who = organiser_of(&host, request.headers()).await?;
    let (upload, place) = read_upload(&host, &who, request).await.map_err(back)?;
    let turn = place.unpack().await;
    let work = move |contest: &Contest| {
        let _turn = turn;
        let tree = upload.into_tree(lessons::upload_limits()).map_err(refuse)?;
        Ok(lessons::check_uploaded(contest, &tree)?)
    };
    let checked = blocking(&host, work).await.map_err(back)?;
    let count = checked.len();
    let draft = new_token().map_err(|error| back(error.into()))?;
    *lock(&host.lesson_draft) = Some((draft.clone(), checked));
    let what = format!(
        "this publishes {count} {} as a set: everybody sees them, and the check of programs tries \
         them",
        if count == 1 { "lesson" } else { "lessons" }
    );
    let fields = [("draft".to_owned(), draft)];
    let page = pages::organiser::confirmation(PUBLISH, &fields, &what, CONFIRM);
    Ok((StatusCode::CONFLICT, html(page)).into_response())
}

/// Lessons that were chosen before, by the name of the draft.
#[derive(Deserialize)]
struct Draft {
    draft: String,
}

async fn publish_lessons(State(host): Shared, request: Request) -> Result<Response, Problem> {
    let waiting = Arc::clone(&host);
    change(&host, request, move |contest, by, Draft { draft }| {
        let mut waiting = lock(&waiting.lesson_draft);
        let Some((_, lessons)) = waiting.take_if(|(name, _)| *name == draft) else {
            let text = "these lessons are not here any more: choose the files again";
            return Err(Undone::Refused(refuse(text)));
        };
        contest.write_state().publish_lessons(by, &lessons)?;
        Ok(())
    })
    .await
}

/// A published set that is to be withdrawn.
#[derive(Deserialize)]
struct Withdrawal {
    set: i64,
    #[serde(default)]
    confirm: bool,
}

async fn withdraw_lessons(State(host): Shared, request: Request) -> Result<Response, Problem> {
    change(&host, request, |contest, by, Withdrawal { set, confirm }| {
        if !confirm {
            let what = format!("nobody sees lesson set {set} any more, and it is deleted");
            return Err(Undone::Unconfirmed(what, CONFIRM));
        }
        Ok(lessons::withdraw_by(by, &mut contest.write_state(), set)?)
    })
    .await
}
