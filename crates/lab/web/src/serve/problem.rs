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
    let wrong_number = wrong_number(request.uri().path());
    let response = next.run(request).await;
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let is_text = kind.is_some_and(|kind| kind.starts_with("text/plain"));
    let status = response.status();
    if !is_text || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    if let Some(text) = wrong_number {
        return Problem::not_found(text).into_response();
    }
    let text = to_bytes(response.into_body(), REFUSAL).await.unwrap_or_default();
    Problem::new(status, in_plain_words(&String::from_utf8_lossy(&text))).into_response()
}

/// Says what is wrong with an address whose tournament or test has something else than a number.
fn wrong_number(path: &str) -> Option<String> {
    let path = path.strip_prefix("/api").unwrap_or(path);
    let (kind, rest) = path.strip_prefix('/')?.split_once('/')?;
    let one = match kind {
        "tournaments" => "tournament",
        "tests" => "test",
        _ => return None,
    };
    let number = rest.split('/').next()?;
    let is_number = number.parse::<i64>().is_ok();
    (!is_number).then(|| format!("there is no {one} “{number}”: {kind} have numbers"))
}

/// Returns what an extractor says about the question of an address (`?order=…`) or about a body,
/// without the words of the library that read it; other text as it is.
fn in_plain_words(refusal: &str) -> String {
    let body = [
        "Failed to deserialize the JSON body into the target type: ",
        "Failed to parse the request body as JSON: ",
    ];
    if let Some(problem) = body.iter().find_map(|words| refusal.strip_prefix(words)) {
        return format!("the body of the request: {problem}");
    }
    let Some(refusal) = refusal.strip_prefix("Failed to deserialize query string: ") else {
        return refusal.to_owned();
    };
    let (part, problem) = refusal.split_once(": ").unwrap_or(("the address", refusal));
    let choices = |list: &str| list.replace("``, ", "").replace('`', "");
    if let Some((value, list)) = between(problem, "unknown variant `", "`, expected ") {
        return format!("{part}: unknown “{value}”; expected {}", choices(list));
    }
    if let Some((_, list)) = between(problem, "unknown field `", "`, expected ") {
        return format!("unknown “{part}” in the address; expected {}", choices(list));
    }
    if let Some((field, _)) = between(refusal, "missing field `", "`") {
        return format!("“{field}” is missing in the address");
    }
    let is_number = ["invalid digit", "number too ", "cannot parse integer"];
    match is_number.iter().any(|known| problem.starts_with(known)) {
        true => format!("{part}: expected a whole number from 0"),
        false => format!("{part}: {problem}"),
    }
}

/// Returns the text between a beginning and the first separator, and what follows.
fn between<'a>(text: &'a str, beginning: &str, separator: &str) -> Option<(&'a str, &'a str)> {
    text.strip_prefix(beginning)?.split_once(separator)
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
