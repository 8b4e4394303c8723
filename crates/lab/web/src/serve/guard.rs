//! Checks for every request: that it is small, is not one too many, means this server by its name,
//! and changes nothing on behalf of a foreign page. Also the headers of every response, which make
//! a browser obey nothing but our own files.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, FromRequest, Request, State};
use axum::http::header::{
    CONNECTION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, HeaderName, HeaderValue, ORIGIN,
    REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::limits::client;
use super::problem::Problem;
use super::shared::CLIENT;

/// Maximum size of a request's body in bytes.
pub(super) const BODY: usize = 16 << 10;
/// Maximum number of letters in a URL.
const ADDRESS: usize = 2048;
/// Maximum number of bytes in the names and values of a request's header. The limit of a connection
/// is larger, but not exact.
pub(super) const HEADER: usize = 32 << 10;
/// Number of requests that one address may make at once, and then per second.
pub(super) const BURST: f64 = 400.0;
pub(super) const RATE: f64 = 100.0;
/// Maximum number of addresses remembered.
const REMEMBERED: usize = 4096;

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
                      connect-src 'self'; img-src 'self' data:; base-uri 'none'; \
                      form-action 'self'; frame-ancestors 'none'";

/// Where the pages are that may be shown in a frame.
const FRAMED: &str = "/embed/";

/// The policy for a worker that runs a person's own WebAssembly module: it may load our scripts and
/// compile the module, and reaches no server, ours included.
const WORKER_POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'";
const WORKER: &str = "/assets/module-worker.js";
/// Headers for sharing memory between the page and the worker, through which a module that reads
/// lines is given the next line. Browsers allow this for pages that are alone in their process and
/// load nothing from other servers.
const ALONE: [(HeaderName, &str); 2] = [
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-embedder-policy"), "require-corp"),
];

/// Returns the headers of a response by its path.
fn marks(path: &str) -> impl Iterator<Item = (HeaderName, &'static str)> + use<> {
    let is_worker = path == WORKER;
    let policy = if is_worker { WORKER_POLICY } else { POLICY };
    let has_module = path.starts_with("/play/") || path.starts_with("/matches/");
    let is_alone = is_worker || has_module;
    [
        (CONTENT_SECURITY_POLICY, policy),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        // Other servers learn nothing. Forms tell our server where they come from, which browsers
        // would hide with `no-referrer`.
        (REFERRER_POLICY, "same-origin"),
    ]
    .into_iter()
    .chain(ALONE.into_iter().filter(move |_| is_alone))
}

/// Checks requests, and limits how many each address may make.
pub(super) struct Guard {
    is_local: bool,
    buckets: Mutex<HashMap<IpAddr, Bucket>>,
    /// The policy of pages for a frame elsewhere, if there are such pages.
    framed: Option<HeaderValue>,
}

struct Bucket {
    left: f64,
    at: Instant,
}

impl Bucket {
    /// Takes one request, if there is one left.
    fn take(&mut self, now: Instant) -> bool {
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        self.left = (self.left + passed * RATE).min(BURST);
        self.at = now;
        let can = self.left >= 1.0;
        if can {
            self.left -= 1.0;
        }
        can
    }
}

impl Guard {
    pub(super) fn new(bound: SocketAddr) -> Guard {
        Guard { is_local: bound.ip().is_loopback(), buckets: Mutex::default(), framed: None }
    }

    /// The same where pages of these origins may show matches in a frame.
    pub(super) fn framed_by(self, origins: &[String]) -> Guard {
        let policy = POLICY.replace("frame-ancestors 'none'", &frame_ancestors(origins));
        let framed = HeaderValue::from_str(&policy).ok().filter(|_| !origins.is_empty());
        Guard { framed, ..self }
    }

    /// The same for a server behind a proxy of this machine, where the site may have any name.
    pub(super) fn behind_proxy(self, is_behind_proxy: bool) -> Guard {
        Guard { is_local: self.is_local && !is_behind_proxy, ..self }
    }

    fn lets_in(&self, address: IpAddr, now: Instant) -> bool {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= REMEMBERED && !buckets.contains_key(&address) {
            // An address without recent requests has a full bucket, so it can be forgotten.
            buckets.retain(|_, bucket| {
                now.saturating_duration_since(bucket.at).as_secs_f64() * RATE < BURST
            });
            // Whoever has very many addresses shuts nobody out by them.
            while buckets.len() >= REMEMBERED {
                let idlest = buckets.iter().min_by_key(|(_, bucket)| bucket.at);
                let Some(idlest) = idlest.map(|(address, _)| *address) else { break };
                buckets.remove(&idlest);
            }
        }
        let fresh = || Bucket { left: BURST, at: now };
        buckets.entry(address).or_insert_with(fresh).take(now)
    }

    /// Returns what is wrong with a request, if anything is.
    fn objection(&self, request: &Request) -> Option<Problem> {
        let headers = request.headers();
        let long = request.uri().path_and_query().is_some_and(|all| all.as_str().len() > ADDRESS);
        if long {
            return Some(Problem::new(StatusCode::URI_TOO_LONG, "the address is too long"));
        }
        let size = |(name, value): (&HeaderName, &HeaderValue)| name.as_str().len() + value.len();
        if headers.iter().map(size).sum::<usize>() > HEADER {
            let problem = format!("the header has more than {HEADER} bytes");
            return Some(Problem::new(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, problem));
        }
        let host = match only_host(request) {
            Ok(host) => host,
            Err(problem) => return Some(Problem::bad_request(problem)),
        };
        // Otherwise the pages of a foreign name that was made to point here would count as ours.
        if self.is_local && !is_local_name(host) {
            let problem = "this server answers to localhost only";
            return Some(Problem::new(StatusCode::FORBIDDEN, problem));
        }
        if matches!(*request.method(), Method::GET | Method::HEAD) {
            return None;
        }
        let foreign = text(headers, &ORIGIN)
            .is_some_and(|origin| origin.split_once("://").map_or(origin, |(_, at)| at) != host);
        foreign.then(|| {
            Problem::new(StatusCode::FORBIDDEN, "the request comes from a page of another server")
        })
    }
}

fn frame_ancestors(origins: &[String]) -> String {
    format!("frame-ancestors {}", origins.join(" "))
}

/// Returns the host that a request is for. It must be said once: proxies and servers may disagree
/// on which of two counts (RFC 9112, section 3.2).
fn only_host(request: &Request) -> Result<&str, &'static str> {
    let mut hosts = request.headers().get_all(HOST).iter();
    let host = match hosts.next().map(HeaderValue::to_str) {
        None => "",
        Some(Ok(host)) => host,
        Some(Err(_)) => return Err("the Host header is not text"),
    };
    if hosts.next().is_some() {
        return Err("the request has more than one Host header");
    }
    match request.uri().authority() {
        Some(authority) if !authority.as_str().eq_ignore_ascii_case(host) => {
            Err("the request's address names another host than its Host header")
        }
        _ => Ok(host),
    }
}

/// Accepts requests that change something only as JSON, which a form on a foreign page cannot send.
pub(super) async fn only_json(request: Request, next: Next) -> Response {
    let is_json = text(request.headers(), &CONTENT_TYPE)
        .is_some_and(|kind| kind.split(';').next() == Some("application/json"));
    if is_json || matches!(*request.method(), Method::GET | Method::HEAD) {
        return next.run(request).await;
    }
    let problem = "expected a body of application/json";
    Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, problem).into_response()
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Returns whether a `Host` header names this machine itself.
fn is_local_name(host: &str) -> bool {
    let Some(authority) = host.parse::<Authority>().ok().filter(|_| !host.contains('@')) else {
        return false;
    };
    let rest = host.strip_prefix(authority.host()).unwrap_or(host);
    let is_port = |rest: &str| {
        rest.strip_prefix(':').is_some_and(|port| port.chars().all(|sign| sign.is_ascii_digit()))
    };
    if !rest.is_empty() && !is_port(rest) {
        return false;
    }
    let name = authority.host().trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Accepts or refuses a request, and adds the headers to its response.
pub(super) async fn check(
    State(guard): State<Arc<Guard>>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    request: Request,
    next: Next,
) -> Response {
    let objection = match guard.lets_in(client(from.ip()), Instant::now()) {
        true => guard.objection(&request),
        false => {
            let text = "too many requests; wait a little";
            let again = Duration::from_secs_f64(BURST / RATE);
            Some(Problem::new(StatusCode::TOO_MANY_REQUESTS, text).retry_after(again))
        }
    };
    let marks = marks(request.uri().path());
    let framed = guard.framed.clone().filter(|_| request.uri().path().starts_with(FRAMED));
    let is_flood =
        objection.as_ref().is_some_and(|why| why.status == StatusCode::TOO_MANY_REQUESTS);
    let mut response = match objection {
        Some(problem) => problem.into_response(),
        None => CLIENT.scope(from.ip(), next.run(request)).await,
    };
    for (name, value) in marks {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    if let Some(policy) = framed {
        response.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
        response.headers_mut().remove(X_FRAME_OPTIONS);
    }
    if is_flood {
        // Otherwise the rest of a flood that waits in the connection would be read and refused too.
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// Reads the small body before anything else is done. So nothing has to wait for the rest of it
/// later, and a client that sends it too slowly is refused.
pub(super) async fn read_body(
    State(patience): State<Duration>,
    request: Request,
    next: Next,
) -> Response {
    let (parts, body) = request.into_parts();
    let request = Request::from_parts(parts.clone(), body);
    match tokio::time::timeout(patience, Bytes::from_request(request, &())).await {
        Ok(Ok(body)) => next.run(Request::from_parts(parts, Body::from(body))).await,
        Ok(Err(refused)) => Problem::new(refused.status(), refused.body_text()).into_response(),
        Err(_) => {
            let text = "the body of the request did not arrive in time";
            Problem::new(StatusCode::REQUEST_TIMEOUT, text).into_response()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_limits_only_the_address_it_comes_from() {
        let guard = Guard::new("127.0.0.1:80".parse().unwrap());
        let (one, other) = ("127.0.0.1".parse().unwrap(), "127.0.0.2".parse().unwrap());
        let now = Instant::now();
        assert_eq!((0..1000).filter(|_| guard.lets_in(one, now)).count(), BURST as usize);
        assert!(guard.lets_in(other, now));
        let later = now + Duration::from_secs(1);
        assert_eq!((0..1000).filter(|_| guard.lets_in(one, later)).count(), RATE as usize);
    }

    #[test]
    fn very_many_addresses_shut_nobody_out_and_are_not_all_remembered() {
        let guard = Guard::new("0.0.0.0:80".parse().unwrap());
        let now = Instant::now();
        let address = |n: u32| IpAddr::from(n.to_be_bytes());
        assert!((0..10_000).all(|n| guard.lets_in(address(n), now)));
        assert_eq!(guard.buckets.lock().unwrap().len(), REMEMBERED);
        assert!(guard.lets_in(address(20_000), now + Duration::from_secs(60)));
    }

    #[test]
    fn only_names_of_this_machine_are_its_own() {
        for own in ["localhost", "LOCALHOST:8080", "127.0.0.1:1", "127.8.8.8", "[::1]:8080"] {
            assert!(is_local_name(own), "{own}");
        }
        for foreign in ["", "evil.example", "localhost.evil.example:8080", "10.0.0.1", "[::2]"]
            .into_iter()
            .chain(["localhost:8080@evil.example", "localhost@evil.example", "[::1]evil.example"])
        {
            assert!(!is_local_name(foreign), "{foreign}");
        }
    }
}
