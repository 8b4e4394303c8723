//! One request and its answer by HTTP.

use std::io;
use std::time::{Duration, Instant};

use quintain_core::{Fault, FaultKind};
use serde_json::Value;
use ureq::http::{Response, StatusCode, Uri};
use ureq::{Body, Error};

use crate::slips::{explain_error, explain_status};
use crate::target::Target;

/// The most bytes of an answer that are read.
const MAX_ANSWER: u64 = 1 << 20;
/// The most letters of an answer that a message quotes.
const QUOTED: usize = 120;

/// What came back.
pub(crate) struct HttpAnswer {
    pub(crate) status: StatusCode,
    /// How long to wait before asking again, if the other side says so.
    pub(crate) retry_after: Option<Duration>,
    pub(crate) text: String,
}

/// Posts a question to a service, and returns the JSON of the answer.
///
/// # Errors
/// The fault of the service; an [outage](FaultKind::Outage), which voids the match, if it cannot
/// be reached or says that it is overloaded.
pub(crate) fn ask(target: &Target, question: &[u8], time: Duration) -> Result<Value, Fault> {
    let text = ask_text(target, &target.uri, question, time)?;
    serde_json::from_str(&text).map_err(|_| {
        let problem = format!("expected {{\"action\":…}}, got {}", quote(&text));
        Fault::new(FaultKind::Protocol, problem)
    })
}

/// Posts a question to an address of a service, and returns the body of the answer.
///
/// # Errors
/// As for [`ask`].
pub(crate) fn ask_text(
    target: &Target,
    uri: &Uri,
    question: &[u8],
    time: Duration,
) -> Result<String, Fault> {
    let HttpAnswer { status, text, .. } = post(target, uri, question, time)?;
    let said = quote(&text);
    match status {
        StatusCode::OK => Ok(text),
        status => {
            let kind = if is_overload(status) { FaultKind::Outage } else { FaultKind::Protocol };
            let hint = explain_status(uri, status, &text);
            Err(Fault::new(kind, format!("it answered {status}: {said}{hint}")))
        }
    }
}

/// Whether a status says that the same question may be answered later.
pub(crate) fn is_overload(status: StatusCode) -> bool {
    matches!(
        status,
        StatusCode::TOO_MANY_REQUESTS
            | StatusCode::BAD_GATEWAY
            | StatusCode::SERVICE_UNAVAILABLE
            | StatusCode::GATEWAY_TIMEOUT
    )
}

/// Posts JSON, and returns what comes back, without secrets.
///
/// # Errors
/// If there is no whole answer in time.
pub(crate) fn post(
    target: &Target,
    uri: &Uri,
    body: &[u8],
    time: Duration,
) -> Result<HttpAnswer, Fault> {
    let begun = Instant::now();
    let send = || {
        let left = time.saturating_sub(begun.elapsed()).max(Duration::from_millis(1));
        let request = target.agent.post(uri).config().timeout_global(Some(left)).build();
        let request = target
            .headers
            .iter()
            .fold(request, |request, (name, value)| request.header(name.as_str(), value.as_str()));
        read(request.content_type("application/json").send(body)?)
    };
    let mut answer = send();
    // A kept connection may have been closed at the other end meanwhile. Questions carry all that
    // there is to know, so asking twice changes nothing.
    if answer.as_ref().is_err_and(is_closed) && begun.elapsed() < time {
        answer = send();
    }
    let answer = answer.map_err(|error| fault_of(target, &error, time))?;
    Ok(HttpAnswer { text: target.redact(answer.text), ..answer })
}

fn read(mut answer: Response<Body>) -> Result<HttpAnswer, Error> {
    let status = answer.status();
    let wait = answer.headers().get("retry-after").and_then(|value| value.to_str().ok());
    let retry_after = wait.and_then(|wait| wait.trim().parse::<f64>().ok());
    let retry_after = retry_after.and_then(|wait| Duration::try_from_secs_f64(wait).ok());
    let bytes = answer.body_mut().with_config().limit(MAX_ANSWER).read_to_vec()?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(HttpAnswer { status, retry_after, text })
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

fn fault_of(target: &Target, error: &Error, time: Duration) -> Fault {
    match error {
        Error::Timeout(_) => Fault::new(FaultKind::Timeout, format!("no answer within {time:?}")),
        Error::BodyExceedsLimit(limit) => {
            let problem = format!("it answered with more than {} MB", limit >> 20);
            Fault::new(FaultKind::Flood, problem)
        }
        Error::LargeResponseHeader(_, limit) => {
            let problem = format!("it answered with a header of more than {} kB", limit >> 10);
            Fault::new(FaultKind::Flood, problem)
        }
        Error::Protocol(problem) => {
            let hint = explain_error(&target.uri, error);
            Fault::new(FaultKind::Protocol, format!("it does not speak HTTP: {problem}{hint}"))
        }
        error => {
            let hint = explain_error(&target.uri, error);
            let problem = format!("it cannot be reached: {}{hint}", plain(error));
            Fault::new(FaultKind::Outage, target.redact(problem))
        }
    }
}

/// What the system says, without the names of its parts.
fn plain(error: &Error) -> String {
    let text = error.to_string();
    let text = text.strip_prefix("io: ").or(text.strip_prefix("rustls: ")).unwrap_or(&text);
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
    fn a_long_answer_is_cut_in_messages() {
        assert_eq!(quote("<html>\n<body>"), "“<html>…”");
        assert_eq!(quote(""), "“”");
        assert_eq!(quote(&"x".repeat(200)).chars().count(), QUOTED + 3);
    }
}
