//! The organiser's forms: who may send them, what wants to be confirmed first, and what comes
//! after.

use std::sync::Arc;

use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use quintain_web::Problem;
use serde::Deserialize;

use crate::contest::Contest;
use crate::error::HostError;
use crate::pages;
use crate::requests::access::{Host, actor, blocking, form_and_fields, html, require_organiser};
use crate::state::Participant;

/// Returns the organiser, if it is the organiser who sends a form.
pub(super) async fn organiser_of(
    host: &Arc<Host>,
    headers: &HeaderMap,
) -> Result<Participant, Problem> {
    require_organiser(actor(host, headers).await?)
}

/// Adds a link back to the organiser's page to a problem.
pub(super) fn back(problem: Problem) -> Problem {
    problem.leading_to("/organiser", "the organiser's page")
}

/// A participant.
#[derive(Deserialize)]
pub(super) struct Name {
    pub(super) name: String,
}

/// Whether what cannot be taken back is really wanted.
#[derive(Deserialize)]
pub(super) struct Confirmation {
    #[serde(default)]
    pub(super) confirm: bool,
}

/// Why what a form asks for is not done.
pub(super) enum Undone {
    /// It wants to be confirmed: what would happen, and the field that confirms it.
    Unconfirmed(String, &'static str),
    Refused(Problem),
}

impl From<Problem> for Undone {
    fn from(problem: Problem) -> Undone {
        Undone::Refused(problem)
    }
}

impl From<HostError> for Undone {
    fn from(error: HostError) -> Undone {
        match error {
            HostError::Unconfirmed { what, option } => Undone::Unconfirmed(what, option),
            error => Undone::Refused(error.into()),
        }
    }
}

/// Does what the organiser's form asks for, and returns to their page; or asks whether they want
/// what it does, with the same form once more.
pub(super) async fn change<T: for<'a> Deserialize<'a> + Send + 'static>(
    host: &Arc<Host>,
    request: Request,
    work: impl FnOnce(&Contest, &str, T) -> Result<(), Undone> + Send + 'static,
) -> Result<Response, Problem> {
    let who = organiser_of(host, request.headers()).await?;
    let to = request.uri().path().to_owned();
    let (wanted, fields) = form_and_fields::<T>(request).await?;
    finish(host, (&to, "/organiser"), fields, move |contest| work(contest, &who.name, wanted)).await
}

/// Does what a form that was sent to an address asks for, and then returns to a page.
pub(super) async fn finish(
    host: &Arc<Host>,
    (to, next): (&str, &str),
    fields: Vec<(String, String)>,
    work: impl FnOnce(&Contest) -> Result<(), Undone> + Send + 'static,
) -> Result<Response, Problem> {
    let done = blocking(host, move |contest| match work(contest) {
        Ok(()) => Ok(None),
        Err(Undone::Unconfirmed(what, option)) => Ok(Some((what, option))),
        Err(Undone::Refused(problem)) => Err(problem),
    });
    Ok(match done.await.map_err(back)? {
        None => Redirect::to(next).into_response(),
        Some((what, option)) => {
            let page = pages::organiser::confirmation(to, &fields, &what, option);
            (StatusCode::CONFLICT, html(page)).into_response()
        }
    })
}
