//! Responses to requests that cannot be answered: one line of text, as JSON for programs and as a
//! page for people.

use std::time::Duration;

use axum::Json;
use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use quintain_arena::StandingsError;
use quintain_core::{RecordError, SpecError};
use quintain_store::StoreError;

use crate::overview::NoSuchPlayer;
use crate::pages::{self, Links};

/// The reason why there is no answer.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The status of the response.
    pub status: StatusCode,
    /// What is wrong, in one line.
    pub text: String,
    /// Address and text of a link to continue with, if it differs from what the path suggests.
    onward: Option<(&'static str, &'static str)>,
    /// After how long it is worth trying again.
    again: Option<Duration>,
}

impl Problem {
    /// Makes a problem with this status.
    pub fn new(status: StatusCode, text: impl ToString) -> Problem {
        // It may quote what a client or a store says.
        Problem { status, text: pages::clean_lines(&text.to_string()), onward: None, again: None }
    }

    /// Adds a link to continue with.
    #[must_use]
    pub fn leading_to(self, address: &'static str, word: &'static str) -> Problem {
        Problem { onward: Some((address, word)), ..self }
    }

    /// Says after how long it is worth trying again, which programs then do by themselves.
    #[must_use]
    pub fn retry_after(self, again: Duration) -> Problem {
        Problem { again: Some(again), ..self }
    }

    pub(crate) fn not_found(text: impl ToString) -> Problem {
        Problem::new(StatusCode::NOT_FOUND, text)
    }

    pub(crate) fn bad_request(text: impl ToString) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, text)
    }

    pub(crate) fn method_not_allowed(text: impl ToString) -> Problem {
        Problem::new(StatusCode::METHOD_NOT_ALLOWED, text)
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Problem {
        let status = match error {
            StoreError::Missing(_)
            | StoreError::UnknownRecord(_)
            | StoreError::AmbiguousRecord { .. }
            | StoreError::UnknownTournament(_)
            | StoreError::UnknownTest(_) => StatusCode::NOT_FOUND,
            StoreError::Locked(_) => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Problem::new(status, error)
    }
}

impl From<StandingsError> for Problem {
    fn from(error: StandingsError) -> Problem {
        match error {
            StandingsError::Store(error) => error.into(),
            error => Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error),
        }
    }
}

impl From<RecordError> for Problem {
    fn from(error: RecordError) -> Problem {
        Problem::new(StatusCode::UNPROCESSABLE_ENTITY, error)
    }
}

impl From<NoSuchPlayer> for Problem {
    fn from(error: NoSuchPlayer) -> Problem {
        Problem::not_found(error)
    }
}

impl From<SpecError> for Problem {
    fn from(error: SpecError) -> Problem {
        Problem::bad_request(error)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = Json(serde_json::json!({ "error": self.text }));
        let mut response = (self.status, body).into_response();
        if let Some(again) = self.again {
            response.headers_mut().insert(RETRY_AFTER, again.as_secs().into());
        }
        response.extensions_mut().insert(self);
        response
    }
}

/// Maximum size of a refusal by the router or an extractor.
const REFUSAL: usize = 4 << 10;

/// Makes problems of refusals by the router and its extractors, which are plain text.
pub(super) async fn of_refusals(request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let number = path.strip_prefix("/api").unwrap_or(path).strip_prefix("/tournaments/");
    let number = number.and_then(|rest| rest.split('/').next());
    let wrong_number = number.filter(|number| number.parse::<i64>().is_err()).map(str::to_owned);
    let response = next.run(request).await;
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let is_text = kind.is_some_and(|kind| kind.starts_with("text/plain"));
    let status = response.status();
    if !is_text || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    if let Some(tournament) = wrong_number {
        let problem = format!("there is no tournament “{tournament}”: tournaments have numbers");
        return Problem::not_found(problem).into_response();
    }
    let text = to_bytes(response.into_body(), REFUSAL).await.unwrap_or_default();
    Problem::new(status, String::from_utf8_lossy(&text)).into_response()
}

/// Turns problems into pages, except for the API.
pub(super) async fn as_page(State(links): State<Links>, request: Request, next: Next) -> Response {
    let path_onward = pages::onward(request.uri().path(), links);
    let is_page = !request.uri().path().starts_with("/api/");
    let response = next.run(request).await;
    let problem = response.extensions().get::<Problem>().cloned();
    match problem.filter(|_| is_page) {
        Some(problem) => {
            let page = pages::problem(&problem.text, problem.onward.unwrap_or(path_onward));
            (problem.status, page).into_response()
        }
        None => response,
    }
}
