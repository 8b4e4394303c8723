//! Who sends a request and what they may do, and the limits of what is read from them.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Form;
use axum::body::{Body, to_bytes};
use axum::extract::rejection::FormRejection;
use axum::extract::{FromRequest, Request, State};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_LENGTH, COOKIE, HOST, HeaderName, ORIGIN,
};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{Html, IntoResponse, Response};
use maud::Markup;
use quintain_bots::limits::Size;
use quintain_web::Problem;
use serde::Deserialize;
use tokio::sync::Semaphore;

use crate::contest::Contest;
use crate::error::HostError;
use crate::kit::Kit;
use crate::state::Participant;

/// Maximum number of uploads read at the same time.
const MAX_UPLOADS: usize = 4;
/// Maximum number of requests processed at the same time.
const MAX_AT_WORK: usize = 16;
/// Maximum size of a form in bytes.
pub(super) const MAX_FORM: usize = 4 << 10;
/// How long the body of a request may take.
const BODY_TIMEOUT: Duration = Duration::from_secs(60);

/// State shared by all requests.
pub(super) struct Host {
    pub(super) contest: Arc<Contest>,
    /// The name of the cookie with a session. Browsers send cookies to every port of a machine, so
    /// each contest has its own name.
    pub(super) session_cookie: String,
    /// Each kit with the reason why it cannot be handed in here, if there is one.
    pub(super) kits: Vec<(Kit, Option<String>)>,
    uploads: Semaphore,
    at_work: Semaphore,
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
        let (uploads, at_work) = (Semaphore::new(MAX_UPLOADS), Semaphore::new(MAX_AT_WORK));
        let named =
            blake3::derive_key("quintain host: name of the cookie", contest.secret.as_bytes());
        let named: String = named[..4].iter().map(|byte| format!("{byte:02x}")).collect();
        Host {
            contest,
            session_cookie: format!("quintain_session_{named}"),
            kits,
            uploads,
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
    // The semaphore is never closed.
    let _turn = host.at_work.acquire().await;
    let contest = Arc::clone(&host.contest);
    let done = tokio::task::spawn_blocking(move || work(&contest)).await;
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
    blocking(host, move |contest| Ok(contest.look().session_holder(&session)?)).await
}

pub(super) async fn require_visitor(
    host: &Arc<Host>,
    headers: &HeaderMap,
) -> Result<Participant, Problem> {
    let unknown = || {
        let text = "sign in first, with the token of your invitation";
        Problem::new(StatusCode::UNAUTHORIZED, text).leading_to("/sign-in", "sign in")
    };
    visitor(host, headers).await?.ok_or_else(unknown)
}

/// Returns who changes something by a form.
pub(super) async fn actor(host: &Arc<Host>, headers: &HeaderMap) -> Result<Participant, Problem> {
    match is_own(headers) {
        true => require_visitor(host, headers).await,
        false => Err(forbidden("this was not sent by a page of this contest")),
    }
}

/// Returns who hands in by a token in the header, their own or their repository's.
pub(super) async fn submitter(
    host: &Arc<Host>,
    headers: &HeaderMap,
) -> Result<Participant, Problem> {
    let token = text(headers, &AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer "));
    let token = token.unwrap_or_default().to_owned();
    let found = blocking(host, move |contest| {
        let state = contest.look();
        match state.submitter(&token)? {
            Some(who) => Ok(who),
            None if state.is_of_banned(&token)? => Err(banned()),
            None => Err(Problem::new(StatusCode::UNAUTHORIZED, "this token is not known here")),
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

/// Limits a request's body to `most` bytes, which must arrive in time.
pub(super) async fn body(request: Request, most: usize) -> Result<Request, Problem> {
    let (parts, body) = request.into_parts();
    let length = text(&parts.headers, &CONTENT_LENGTH).and_then(|length| length.parse().ok());
    let is_too_large = length.is_some_and(|length: usize| length > most);
    match tokio::time::timeout(BODY_TIMEOUT, to_bytes(body, most)).await {
        Ok(Ok(bytes)) => Ok(Request::from_parts(parts, Body::from(bytes))),
        Ok(Err(_)) => {
            let size = Size(most as u64);
            let text = match is_too_large {
                true => format!("this is too large: {size} is the most"),
                false => format!("more than {size} was sent, or not all of it arrived"),
            };
            Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, text))
        }
        Err(_) => {
            let text = "the body of the request did not arrive in time";
            Err(Problem::new(StatusCode::REQUEST_TIMEOUT, text))
        }
    }
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
    read.map(|Form(form)| form)
        .map_err(|refused| Problem::new(refused.status(), refused.body_text()))
}

pub(super) fn html(page: Markup) -> Response {
    ([(CACHE_CONTROL, "no-store")], Html(page.into_string())).into_response()
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
    match (host.network, port) {
        (Some(network), Some(port)) => format!("{scheme}://{}", SocketAddr::new(network, port)),
        _ => format!("{scheme}://{at}"),
    }
}

pub(super) fn banned() -> Problem {
    forbidden("the owner of this token was banned from this contest: ask its organiser")
}

/// Reserves one of the upload places, which limit how many uploads are in memory.
pub(super) fn upload_place(host: &Host) -> Result<tokio::sync::SemaphorePermit<'_>, Problem> {
    host.uploads.try_acquire().map_err(|_| {
        let text = "too many programs are being handed in; try again in a moment";
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, text)
    })
}
