//! The published lessons, for everybody.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use quintain_web::Problem;

use super::access::{Host, Shared, blocking, html, refuse};
use crate::contest::Contest;
use crate::lessons::pack;
use crate::pages::lessons as page;
use crate::state::LessonSet;

pub(super) fn routes() -> Router<Arc<Host>> {
    Router::new().route("/lessons", get(latest)).route("/lessons/{set}", get(one_set))
}

/// The latest set.
async fn latest(State(host): Shared) -> Result<Response, Problem> {
    let page = blocking(&host, |contest| {
        let state = contest.read_state();
        let (numbers, set) = (state.list_lesson_sets()?, state.latest_lesson_set()?);
        drop(state);
        Ok(page::page(&contest.config, set.as_ref(), &numbers))
    });
    Ok(html(page.await?))
}

/// A set by its number, or with `.zip` after it, its files.
async fn one_set(State(host): Shared, Path(name): Path<String>) -> Result<Response, Problem> {
    let (number, is_zip) = match name.strip_suffix(".zip") {
        Some(number) => (number, true),
        None => (name.as_str(), false),
    };
    let number = number.parse().map_err(|_| missing())?;
    let answer = blocking(&host, move |contest| {
        let set = find(contest, number)?;
        if is_zip {
            let zip = pack(&set).map_err(refuse)?;
            let name = format!("attachment; filename=\"lessons-{number}.zip\"");
            let kind = [(CONTENT_TYPE, "application/zip".to_owned()), (CONTENT_DISPOSITION, name)];
            return Ok((kind, zip).into_response());
        }
        let numbers = contest.read_state().list_lesson_sets()?;
        Ok(html(page::page(&contest.config, Some(&set), &numbers)))
    });
    answer.await
}

fn find(contest: &Contest, number: i64) -> Result<LessonSet, Problem> {
    contest.read_state().lesson_set(number)?.ok_or_else(missing)
}

fn missing() -> Problem {
    let text = "there is no such set of lessons";
    Problem::new(StatusCode::NOT_FOUND, text).leading_to("/lessons", "the lessons")
}
