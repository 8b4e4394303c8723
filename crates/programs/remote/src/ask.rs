//! One question and its answer by HTTP.

use std::io;
use std::time::{Duration, Instant};

use quintain_core::{Fault, FaultKind};
use serde_json::Value;
use ureq::http::{Response, StatusCode, Uri};
use ureq::{Agent, Body, Error};

/// The most bytes of an answer that are read.
const MAX_ANSWER: u64 = 1 << 20;
/// The most letters of an answer that a message quotes.
const QUOTED: usize = 120;
/// Connections to one service that are kept for later questions.
const KEPT: usize = 16;

/// Makes the agent that asks a service and keeps its connections. A service on this machine is
/// never asked through a proxy.
pub(crate) fn agent(uri: &Uri) -> Agent {
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_idle_connections_per_host(KEPT)
        .user_agent(concat!("quintain/", env!("CARGO_PKG_VERSION")));
    let config = if is_local(uri) { config.proxy(None) } else { config };
    config.build().into()
}

/// Whether an address is on this machine.
pub(crate) fn is_local(uri: &Uri) -> bool {
    let host = uri.host().unwrap_or_default();
    let address = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

/// Posts a question, and returns the JSON of the answer.
///
/// # Errors
/// The fault of the service; an [outage](FaultKind::Outage), which voids the match, if it cannot
/// be reached or says that it is overloaded.
pub(crate) fn ask(
    agent: &Agent,
    uri: &Uri,
    headers: &[(String, String)],
    question: &[u8],
    time: Duration,
) -> Result<Value, Fault> {
    let begun = Instant::now();
    let post = || {
        let left = time.saturating_sub(begun.elapsed()).max(Duration::from_millis(1));
        let request = agent.post(uri).config().timeout_global(Some(left)).build();
        let request = headers
            .iter()
            .fold(request, |request, (name, value)| request.header(name.as_str(), value.as_str()));
        let answer = request.content_type("application/json").send(question)?;
        read(answer)
    };
    let mut answer = post();
    // A kept connection may have been closed at the other end meanwhile. Questions carry all that
    // there is to know, so asking twice changes nothing.
    if answer.as_ref().is_err_and(is_closed) && begun.elapsed() < time {
        answer = post();
    }
    let (status, text) = answer.map_err(|error| fault_of(&error, time))?;
    let said = quote(&text);
    match status {
        StatusCode::OK => serde_json::from_str(&text).map_err(|_| {
            let problem = format!("expected {{\"action\":…}}, got {said}");
            Fault::new(FaultKind::Protocol, problem)
        }),
        StatusCode::TOO_MANY_REQUESTS
        | StatusCode::BAD_GATEWAY
        | StatusCode::SERVICE_UNAVAILABLE
        | StatusCode::GATEWAY_TIMEOUT => {
            Err(Fault::new(FaultKind::Outage, format!("it answered {status}: {said}")))
        }
        status => Err(Fault::new(FaultKind::Protocol, format!("it answered {status}: {said}"))),
    }
}

fn read(mut answer: Response<Body>) -> Result<(StatusCode, String), Error> {
    let status = answer.status();
    let bytes = answer.body_mut().with_config().limit(MAX_ANSWER).read_to_vec()?;
    Ok((status, String::from_utf8_lossy(&bytes).into_owned()))
}

/// Whether a connection ended before there was an answer.
fn is_closed(error: &Error) -> bool {
    let Error::Io(error) = error else { return false };
    matches!(
        error.kind(),
        io::ErrorKind::UnexpectedEof
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::BrokenPipe
    )
}

fn fault_of(error: &Error, time: Duration) -> Fault {
    match error {
        Error::Timeout(_) => Fault::new(FaultKind::Timeout, format!("no answer within {time:?}")),
        Error::BodyExceedsLimit(limit) => {
            let problem = format!("it answered with more than {} MB", limit >> 20);
            Fault::new(FaultKind::Flood, problem)
        }
        Error::Protocol(problem) => {
            Fault::new(FaultKind::Protocol, format!("it does not speak HTTP: {problem}"))
        }
        error => Fault::new(FaultKind::Outage, format!("it cannot be reached: {}", plain(error))),
    }
}

/// What the system says, without the names of its parts.
fn plain(error: &Error) -> String {
    let text = error.to_string();
    let text = text.strip_prefix("io: ").unwrap_or(&text);
    text.split(" (os error").next().unwrap_or_default().to_lowercase()
}

/// The first line of an answer, in quotation marks.
pub(crate) fn quote(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    let short: String = line.chars().take(QUOTED).collect();
    let more = if short.len() < text.trim().len() { "…" } else { "" };
    format!("“{short}{more}”")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_this_machine_are_local() {
        for url in ["http://127.0.0.1:9000", "http://localhost/x", "http://[::1]:80/"] {
            assert!(is_local(&url.parse().unwrap()), "{url}");
        }
        for url in ["http://127.example.org:9000", "https://example.org", "nonsense"] {
            assert!(!is_local(&url.parse().unwrap()), "{url}");
        }
    }

    #[test]
    fn a_long_answer_is_cut_in_messages() {
        assert_eq!(quote("<html>\n<body>"), "“<html>…”");
        assert_eq!(quote(""), "“”");
        assert_eq!(quote(&"x".repeat(200)).chars().count(), QUOTED + 3);
    }
}
