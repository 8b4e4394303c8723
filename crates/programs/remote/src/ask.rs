//! One request and its answer by HTTP.

use std::io;
use std::time::{Duration, Instant};

use quintain_core::{Fault, FaultKind};
use serde_json::Value;
use ureq::http::{Response, StatusCode, Uri};
use ureq::{Body, Error};

use crate::answer::{HttpAnswer, is_overload};
use crate::slips::{explain_error, explain_status};
use crate::target::Target;

/// The most bytes of an answer that are read.
const MAX_ANSWER: u64 = 1 << 20;
/// The most letters of an answer that a message quotes.
const QUOTED: usize = 120;

/// Why nothing came back, or not all.
pub(crate) struct Unanswered {
    pub(crate) fault: Fault,
    /// How long to wait before asking again, if the other side says so.
    pub(crate) retry_after: Option<Duration>,
    pub(crate) hope: Hope,
}

/// Whether the same question may be answered later.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Hope {
    No,
    /// If the other side has answered before: then it is neither the address nor the set-up.
    IfAnsweredBefore,
    Yes,
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
    let answer = post(target, uri, question, time).map_err(|unanswered| unanswered.fault)?;
    let HttpAnswer { status, location, text, .. } = answer;
    let said = quote(&text);
    match status {
        StatusCode::OK => Ok(text),
        status => {
            let kind = if is_overload(status) { FaultKind::Outage } else { FaultKind::Protocol };
            let hint = explain_status(uri, status, &text, location.as_deref());
            Err(Fault::new(kind, format!("it answered {status}: {said}{hint}")))
        }
    }
}

/// Posts JSON, and returns what comes back, without secrets.
///
/// # Errors
/// If there is no whole answer in time, and whether there may be one later.
pub(crate) fn post(
    target: &Target,
    uri: &Uri,
    body: &[u8],
    time: Duration,
) -> Result<HttpAnswer, Unanswered> {
    let begun = Instant::now();
    let send = || -> Result<Response<Body>, Error> {
        let left = time.saturating_sub(begun.elapsed()).max(Duration::from_millis(1));
        let request = target.agent.post(uri).config().timeout_global(Some(left)).build();
        let request = target
            .headers
            .iter()
            .fold(request, |request, (name, value)| request.header(name.as_str(), value.as_str()));
        request.content_type("application/json").send(body)
    };
    let mut answer = send();
    // A kept connection may have been closed at the other end meanwhile. Questions carry all that
    // there is to know, so asking twice changes nothing.
    if answer.as_ref().is_err_and(is_closed) && begun.elapsed() < time {
        answer = send();
    }
    let mut answer = answer.map_err(|error| {
        let fault = fault_of(target, &error, time);
        let hope = match fault.kind {
            FaultKind::Outage if is_closed(&error) => Hope::Yes,
            FaultKind::Outage => Hope::IfAnsweredBefore,
            _ => Hope::No,
        };
        Unanswered { fault, retry_after: None, hope }
    })?;
    let status = answer.status();
    let header = |name: &str| answer.headers().get(name).and_then(|value| value.to_str().ok());
    let retry_after = header("retry-after").and_then(|wait| wait.trim().parse::<f64>().ok());
    let retry_after = retry_after.and_then(|wait| Duration::try_from_secs_f64(wait).ok());
    let location = header("location").map(|location| target.redact(location.to_owned()));
    let bytes = answer.body_mut().with_config().limit(MAX_ANSWER).read_to_vec();
    let bytes = bytes.map_err(|error| match is_closed(&error) {
        true => {
            let problem = "it closed the connection in the middle of its answer";
            let fault = Fault::new(FaultKind::Outage, problem);
            Unanswered { fault, retry_after, hope: Hope::Yes }
        }
        false => {
            let fault = fault_of(target, &error, time);
            Unanswered { fault, retry_after, hope: Hope::No }
        }
    })?;
    let text = target.redact(String::from_utf8_lossy(&bytes).into_owned());
    Ok(HttpAnswer { status, retry_after, location, text })
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
        Error::Timeout(_) => out_of_time(time),
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
            let proxy = target.proxy().map_or(String::new(), |proxy| {
                format!(
                    " (asked through the proxy {proxy} of HTTPS_PROXY, HTTP_PROXY or ALL_PROXY)"
                )
            });
            let problem = format!("it cannot be reached: {}{proxy}{hint}", plain(error));
            Fault::new(FaultKind::Outage, target.redact(problem))
        }
    }
}

/// The fault of whoever did not answer in this time.
pub(crate) fn out_of_time(time: Duration) -> Fault {
    // Tenths of a second tell nobody anything, except where there are no more.
    let unit = if time < Duration::from_secs(1) { 1 } else { 100 };
    let time = Duration::from_millis((time.as_millis() as u64 + unit / 2) / unit * unit);
    Fault::new(FaultKind::Timeout, format!("no answer within {time:?}"))
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
    fn times_without_an_answer_are_rounded() {
        for (micros, said) in [(5_998_731, "6s"), (50_000, "50ms"), (1_500_000, "1.5s")] {
            let fault = out_of_time(Duration::from_micros(micros));
            assert_eq!(fault.detail, format!("no answer within {said}"));
        }
    }

    #[test]
    fn a_long_answer_is_cut_in_messages() {
        assert_eq!(quote("<html>\n<body>"), "“<html>…”");
        assert_eq!(quote(""), "“”");
        assert_eq!(quote(&"x".repeat(200)).chars().count(), QUOTED + 3);
    }
}
