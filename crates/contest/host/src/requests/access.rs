//! Who sends a request and what they may do, and the limits of what is read from them.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Form;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::rejection::FormRejection;
use axum::extract::{FromRequest, Request, State};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, COOKIE, HOST, HeaderName, ORIGIN,
};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use quintain_bots::limits::Size;
use quintain_web::Problem;
use quintain_web::pages::{Head, Page};
use serde::Deserialize;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};

use super::uploads::Uploads;
use crate::contest::Contest;
use crate::error::HostError;
use crate::kit::Kit;
use crate::pages;
use crate::state::{Banned, Participant, PublishedLesson};

/// Maximum number of requests processed at the same time.
const MAX_AT_WORK: usize = 16;
/// Maximum size of a form in bytes.
pub(super) const MAX_FORM: usize = 4 << 10;
/// How fast the body of a request must arrive.
const PACE: Pace = Pace { grace: Duration::from_secs(10), rate: 32 << 10 };

/// The slowest pace at which a body may arrive: so many bytes a second, after a time of grace.
#[derive(Clone, Copy)]
struct Pace {
    grace: Duration,
    rate: u32,
}

/// State shared by all requests.
pub(super) struct Host {
    pub(super) contest: Arc<Contest>,
    /// The name of the cookie with a session. Browsers send cookies to every port of a machine, so
    /// each contest has its own name.
    pub(super) session_cookie: String,
    /// Each kit with the reason why it cannot be submitted here, if there is one.
    pub(super) kits: Vec<(Kit, Option<String>)>,
    pub(super) uploads: Arc<Uploads>,
    /// Lessons that were uploaded and wait for the organiser's word, with the name of the draft.
    pub(super) lesson_draft: Mutex<Option<(String, Vec<PublishedLesson>)>>,
    at_work: Arc<Semaphore>,
    /// Only one is made and sent at a time.
    pub(super) downloads: Arc<Semaphore>,
    /// The address by which others on the network reach this machine, if it accepts them.
    pub(super) network: Option<IpAddr>,
}

pub(super) type Shared = State<Arc<Host>>;

impl Host {
    pub(super) fn new(contest: Arc<Contest>, kits: Vec<Kit>, network: Option<IpAddr>) -> Host {
        let offered = |kit: Kit| {
            let why_not = kit.why_not(&contest.config.build);
            (kit, why_not)
        };
        let kits = kits.into_iter().map(offered).collect();
        let (uploads, at_work) = (Uploads::new(), Arc::new(Semaphore::new(MAX_AT_WORK)));
        let named =
            blake3::derive_key("quintain host: name of the cookie", contest.secret.as_bytes());
        let named: String = named[..4].iter().map(|byte| format!("{byte:02x}")).collect();
        Host {
            contest,
            session_cookie: format!("quintain_session_{named}"),
            kits,
            uploads,
            lesson_draft: Mutex::default(),
            at_work,
            downloads: Arc::new(Semaphore::new(1)),
            network,
        }
    }
}

impl From<HostError> for Problem {
    fn from(error: HostError) -> Problem {
        let status = match error {
            HostError::Usage(_) => StatusCode::BAD_REQUEST,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Problem::new(status, error)
    }
}

pub(super) fn refuse(why: impl ToString) -> Problem {
    Problem::new(StatusCode::UNPROCESSABLE_ENTITY, why)
}

pub(super) fn forbidden(why: &str) -> Problem {
    Problem::new(StatusCode::FORBIDDEN, why)
}

/// Runs work on files away from the threads that serve requests.
pub(super) async fn blocking<T: Send + 'static>(
    host: &Arc<Host>,
    work: impl FnOnce(&Contest) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    // The semaphore is never closed. The turn lasts as long as the work, even if the sender of the
    // request is gone before.
    let turn = Arc::clone(&host.at_work).acquire_owned().await;
    let contest = Arc::clone(&host.contest);
    let in_turn = move || {
        let _turn = turn;
        work(&contest)
    };
    let done = tokio::task::spawn_blocking(in_turn).await;
    done.unwrap_or_else(|_| {
        let text = "this is a bug in quintain: please report it";
        Err(Problem::new(StatusCode::INTERNAL_SERVER_ERROR, text))
    })
}

pub(super) fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Returns the session that a browser sent.
pub(super) fn session_of(host: &Host, headers: &HeaderMap) -> Option<String> {
    let cookies = text(headers, &COOKIE)?.split(';');
    let mut pairs = cookies.filter_map(|cookie| cookie.trim().split_once('='));
    pairs.find(|(name, _)| *name == host.session_cookie).map(|(_, value)| value.to_owned())
}

/// Returns whether a form was sent by one of our own pages.
pub(super) fn is_own(headers: &HeaderMap) -> bool {
    let origin = text(headers, &ORIGIN).and_then(|origin| origin.split_once("://"));
    origin.is_some_and(|(_, at)| Some(at) == text(headers, &HOST))
}

/// Returns the visitor of a page, if they are signed in.
pub(super) async fn visitor(
    host: &Arc<Host>,
    headers: &HeaderMap,
) -> Result<Option<Participant>, Problem> {
    let Some(session) = session_of(host, headers) else { return Ok(None) };
    blocking(host, move |contest| Ok(contest.read_state().session_holder(&session)?)).await
}

pub(super) async fn require_visitor(
    host: &Arc<Host>,
    headers: &HeaderMap,
) -> Result<Participant, Problem> {
    let unknown = || {
        let text = "sign in first, with the token of your invitation";
        Problem::new(StatusCode::UNAUTHORIZED, text).leading_to("/sign-in", "sign in")
    };
    match visitor(host, headers).await? {
        Some(who) => Ok(who),
        None => require_no_ban(host, headers).await.and(Err(unknown())),
    }
}

/// Returns who changes something by a form.
pub(super) async fn actor(host: &Arc<Host>, headers: &HeaderMap) -> Result<Participant, Problem> {
    match is_own(headers) {
        true => require_visitor(host, headers).await,
        false => Err(forbidden("this was not sent by a page of this contest")),
    }
}

/// Returns who submits by a token in the header, their own or their repository's.
pub(super) async fn submitter(
    host: &Arc<Host>,
    headers: &HeaderMap,
) -> Result<Participant, Problem> {
    let token = text(headers, &AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer "));
    let token = token.unwrap_or_default().to_owned();
    let found = blocking(host, move |contest| {
        let state = contest.read_state();
        match state.submitter(&token)? {
            Some(who) => Ok(who),
            None => Err(match state.banned_with_token(&token)? {
                Some(who) => banned(&who),
                None => Problem::new(StatusCode::UNAUTHORIZED, "this token is not known here"),
            }),
        }
    });
    found.await
}

pub(super) fn require_organiser(who: Participant) -> Result<Participant, Problem> {
    match who.is_organiser {
        true => Ok(who),
        false => Err(forbidden("only the organiser may do this")),
    }
}

/// Returns the most bytes that the body of a request can have.
pub(super) fn body_length(headers: &HeaderMap, most: usize) -> usize {
    content_length(headers).map_or(most, |length| length.min(most))
}

fn content_length(headers: &HeaderMap) -> Option<usize> {
    text(headers, &CONTENT_LENGTH)?.parse().ok()
}

/// Limits a request's body to `most` bytes, which must arrive at a certain pace.
pub(super) async fn body(request: Request, most: usize) -> Result<Request, Problem> {
    let (parts, body) = request.into_parts();
    if content_length(&parts.headers).is_some_and(|length| length > most) {
        let text = format!("this is too large: {} is the most", Size(most as u64));
        return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, text));
    }
    let bytes = gather(body, most, PACE).await?;
    Ok(Request::from_parts(parts, Body::from(bytes)))
}

/// Reads a body of at most `most` bytes, for as long as it keeps pace.
async fn gather(body: Body, most: usize, pace: Pace) -> Result<Bytes, Problem> {
    let (begun, mut pieces) = (Instant::now(), body.into_data_stream());
    let mut bytes = Vec::new();
    loop {
        let due = Duration::from_secs_f64(bytes.len() as f64 / f64::from(pace.rate));
        match timeout_at(begun + pace.grace + due, pieces.next()).await {
            Ok(None) => return Ok(bytes.into()),
            Ok(Some(Ok(piece))) if bytes.len() + piece.len() <= most => bytes.extend(piece),
            Ok(Some(_)) => {
                let size = Size(most as u64);
                let text = format!("more than {size} was sent, or not all of it arrived");
                return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, text));
            }
            Err(_) => {
                let text = format!(
                    "this arrives too slowly: at least {} a second are needed",
                    Size(pace.rate.into())
                );
                return Err(Problem::new(StatusCode::REQUEST_TIMEOUT, text));
            }
        }
    }
}

/// Reads a form, and all of its fields as they were sent.
pub(super) async fn form_and_fields<T: for<'a> Deserialize<'a>>(
    request: Request,
) -> Result<(T, Vec<(String, String)>), Problem> {
    let (parts, body) = body(request, MAX_FORM).await?.into_parts();
    let bytes = to_bytes(body, MAX_FORM).await.map_err(refuse)?;
    let again = || Request::from_parts(parts.clone(), Body::from(bytes.clone()));
    Ok((form(again()).await?, form(again()).await?))
}

pub(super) async fn form<T: for<'a> Deserialize<'a>>(request: Request) -> Result<T, Problem> {
    form_within(request, MAX_FORM).await
}

/// Reads a form of at most this many bytes.
pub(super) async fn form_within<T: for<'a> Deserialize<'a>>(
    request: Request,
    most: usize,
) -> Result<T, Problem> {
    let request = body(request, most).await?;
    let read: Result<Form<T>, FormRejection> = Form::from_request(request, &()).await;
    read.map(|Form(form)| form).map_err(|refused| reword(refused.status(), &refused.body_text()))
}

/// Maximum size of a refusal by an extractor.
const REFUSAL: usize = 4 << 10;

/// Says in words what the extractors of the framework refuse in terms of Rust.
pub(super) async fn reword_refusals(request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    let kind = text(response.headers(), &CONTENT_TYPE).unwrap_or_default();
    let status = response.status();
    if !status.is_client_error() || !kind.starts_with("text/plain") {
        return response;
    }
    let text = to_bytes(response.into_body(), REFUSAL).await.unwrap_or_default();
    reword(status, &String::from_utf8_lossy(&text)).into_response()
}

/// Words that stand for those of the framework.
const REWORDED: [(&str, &str); 6] = [
    ("Failed to deserialize query string: ", "the address: "),
    ("Failed to deserialize form body: ", "the form: "),
    ("invalid digit found in string", "a whole number is expected"),
    ("cannot parse integer from empty string", "a whole number is expected"),
    ("number too large to fit in target type", "a smaller number is expected"),
    ("provided string was not `true` or `false`", "true or false is expected"),
];

fn reword(status: StatusCode, text: &str) -> Problem {
    let value = text.split_once("Cannot parse `").and_then(|(_, rest)| rest.split_once("` to a "));
    if let Some((value, _)) = value {
        let text = format!("there is no such page: “{value}” is not a number");
        return Problem::new(StatusCode::NOT_FOUND, text);
    }
    let mut text = text.to_owned();
    for (from, to) in REWORDED {
        text = text.replace(from, to);
    }
    let missing = text.split_once("missing field `").and_then(|(_, rest)| rest.split_once('`'));
    if let Some((field, _)) = missing {
        text = format!("the form has no {field}");
    }
    Problem::new(status, text)
}

pub(super) fn html(page: Page) -> Response {
    ([(CACHE_CONTROL, "no-store")], page).into_response()
}

/// Returns the head of pages for whoever sends these headers.
pub(super) async fn head_for(host: Arc<Host>, headers: HeaderMap) -> Head {
    let session = session_of(&host, &headers);
    let found = blocking(&host, move |contest| {
        let state = contest.read_state();
        let who = session.map(|session| state.session_holder(&session)).transpose()?.flatten();
        let has_lessons = !state.list_lesson_sets()?.is_empty();
        Ok(pages::head(&contest.config.name, who.as_ref(), state.hides_names()?, has_lessons))
    });
    // A page without a visitor is better than none, for example one about a full disk.
    found.await.unwrap_or_else(|_| pages::head(&host.contest.config.name, None, true, false))
}

/// Returns the contest's address from the point of view of the requester.
pub(super) fn own_address(host: &Host, headers: &HeaderMap) -> String {
    let scheme = if host.contest.config.https { "https" } else { "http" };
    let at = text(headers, &HOST).unwrap_or_default();
    // An organiser at the host machine invites others, who reach it by another address.
    let port = match at.parse::<SocketAddr>() {
        Ok(own) if own.ip().is_loopback() => Some(own.port()),
        _ => at.strip_prefix("localhost:").and_then(|port| port.parse().ok()),
    };
    let base = &host.contest.config.path;
    match (host.network, port) {
        (Some(network), Some(port)) => {
            format!("{scheme}://{}{base}", SocketAddr::new(network, port))
        }
        _ => format!("{scheme}://{at}{base}"),
    }
}

/// Says what a banned participant reads, wherever they come.
pub(super) fn banned(who: &Banned) -> Problem {
    let who = match who {
        Banned::Person => "you are".to_owned(),
        Banned::Team(team) => format!("your team “{team}” is"),
    };
    forbidden(&format!(
        "{who} banned from this contest: nobody signs in or submits any more, and nothing was \
         deleted. Ask the organiser"
    ))
}

/// Returns why somebody with a session is not signed in, if it is a ban.
pub(super) async fn require_no_ban(host: &Arc<Host>, headers: &HeaderMap) -> Result<(), Problem> {
    let Some(session) = session_of(host, headers) else { return Ok(()) };
    blocking(host, move |contest| match contest.read_state().banned_in_session(&session)? {
        Some(who) => Err(banned(&who)),
        None => Ok(()),
    })
    .await
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use futures_util::stream;

    use super::*;

    fn run<T>(work: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(work)
    }

    #[test]
    fn refusals_are_sentences_without_terms_of_rust() {
        for (text, said) in [
            (
                "Invalid URL: Cannot parse `abc` to a `i64`",
                "there is no such page: “abc” is not a number",
            ),
            (
                "Failed to deserialize form body: version: invalid digit found in string",
                "the form: version: a whole number is expected",
            ),
            ("Failed to deserialize form body: missing field `name`", "the form has no name"),
        ] {
            assert_eq!(reword(StatusCode::BAD_REQUEST, text).text, said);
        }
    }

    #[test]
    fn a_body_that_stops_on_its_way_is_given_up_and_a_steady_one_is_read() {
        let pieces = [&b"ab"[..], b"cd"].map(|piece| Ok::<_, Infallible>(Bytes::from(piece)));
        // What is there in time is read, however little time there is.
        let pace = Pace { grace: Duration::from_millis(1), rate: 1 << 20 };
        let whole = Body::from_stream(stream::iter(pieces.clone()));
        assert_eq!(run(gather(whole, 4, pace)).unwrap(), "abcd");
        let large = Body::from_stream(stream::iter(pieces.clone()));
        let refused = run(gather(large, 3, pace)).unwrap_err();
        assert_eq!(refused.status, StatusCode::PAYLOAD_TOO_LARGE);
        let stopped = Body::from_stream(stream::iter(pieces).chain(stream::pending()));
        let refused = run(gather(stopped, 100, pace)).unwrap_err();
        assert_eq!(refused.status, StatusCode::REQUEST_TIMEOUT);
        assert!(refused.text.contains("at least 1MB a second"), "{}", refused.text);
    }
}
