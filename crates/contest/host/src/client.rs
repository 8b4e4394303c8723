//! Hands in a program from the command line: packs and sends the files, then waits for the result
//! of the check.

use std::path::Path;
use std::time::Duration;

use serde::Deserialize;
use ureq::Agent;
use ureq::http::StatusCode;

use crate::archive::{Tree, TreeLimits};
use crate::error::{HostError, file_error};

/// More than this is not packed; the contest has limits of its own.
const MAX_PACKED: TreeLimits = TreeLimits { files: 10_000, bytes: 256 << 20 };
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);
/// How often the host is asked.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// A version as the host describes it.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[non_exhaustive]
pub struct SubmittedVersion {
    /// Its number.
    pub version: i64,
    /// The digest of its files.
    pub digest: String,
    /// Its stage: waiting, checking, passed or failed.
    pub stage: String,
    /// The output of the check.
    pub log: String,
    /// Whether it is the version that plays; older hosts do not say.
    #[serde(default)]
    pub active: Option<bool>,
    /// Whether the final has begun without this version; older hosts do not say.
    #[serde(default)]
    pub final_begun: Option<bool>,
}

impl SubmittedVersion {
    /// Returns whether the check is over.
    pub fn is_checked(&self) -> bool {
        matches!(self.stage.as_str(), "passed" | "failed")
    }
}

/// Hands in the files of a folder, or one file, to a host.
///
/// # Errors
/// If they cannot be packed, the host cannot be reached, or it refuses them; then with the host's
/// own words.
pub fn submit(host: &str, token: &str, path: &Path) -> Result<SubmittedVersion, HostError> {
    let host = &address_of(host)?;
    if !path.exists() {
        return Err(HostError::Usage(format!(
            "there is no {}: name the folder of a program, a zip or its one file",
            path.display()
        )));
    }
    let refused = |why: crate::archive::Refused| HostError::Usage(why.0);
    let unreadable = file_error(path);
    let (name, bytes) = match path.is_dir() {
        true => {
            let tree = Tree::of_folder(path, MAX_PACKED).map_err(refused)?;
            (String::new(), tree.zip().map_err(refused)?)
        }
        false => {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            (name, std::fs::read(path).map_err(unreadable)?)
        }
    };
    let at = format!("{host}/api/submissions");
    let answer = agent()
        .post(&at)
        .query("name", &name)
        .header("authorization", &format!("Bearer {}", token.trim()))
        .content_type("application/octet-stream")
        .send(&bytes[..]);
    read(host, answer)
}

/// Waits until a version is checked, and returns the result.
///
/// # Errors
/// If the host cannot be reached or does not know the version.
pub fn wait(
    host: &str,
    token: &str,
    mut submitted: SubmittedVersion,
) -> Result<SubmittedVersion, HostError> {
    let host = &address_of(host)?;
    let number = submitted.version;
    let at = format!("{host}/api/submissions/{number}");
    while !submitted.is_checked() {
        std::thread::sleep(POLL_INTERVAL);
        let header = format!("Bearer {}", token.trim());
        submitted = read(host, agent().get(&at).header("authorization", &header).call())?;
    }
    Ok(submitted)
}

/// Returns a host's address: adds the scheme if it is missing, and removes the rest of an
/// invitation link.
///
/// # Errors
/// If it is not an address.
pub fn address_of(host: &str) -> Result<String, HostError> {
    let (scheme, place) = host.trim().split_once("://").unwrap_or(("http", host.trim()));
    let place = place.split("/sign-in").next().unwrap_or_default().trim_end_matches('/');
    match scheme {
        "http" | "https" if !place.is_empty() => Ok(format!("{scheme}://{place}")),
        _ => Err(HostError::Usage(format!(
            "{host:?} is not the address of a contest, such as http://127.0.0.1:8080"
        ))),
    }
}

fn agent() -> Agent {
    let config = Agent::config_builder()
        .timeout_global(Some(ANSWER_TIMEOUT))
        .http_status_as_error(false)
        // The token is meant for the named host only, not for hosts that it redirects to.
        .max_redirects(0);
    config.build().into()
}

fn read(
    host: &str,
    answer: Result<ureq::http::Response<ureq::Body>, ureq::Error>,
) -> Result<SubmittedVersion, HostError> {
    #[derive(Deserialize)]
    struct Refusal {
        error: String,
    }
    let unreachable = |error: &dyn std::fmt::Display| HostError::Unreachable {
        host: host.to_owned(),
        problem: in_plain_words(&error.to_string()),
    };
    let no_contest = |what: &str| HostError::Usage(format!("{host}: {what}"));
    let mut answer = answer.map_err(|error| unreachable(&error))?;
    let body = answer.body_mut().read_to_string().map_err(|error| unreachable(&error))?;
    if matches!(answer.status(), StatusCode::OK | StatusCode::CREATED) {
        return serde_json::from_str(&body).map_err(|_| no_contest("this is not a contest"));
    }
    let refusal = serde_json::from_str::<Refusal>(&body);
    Err(match refusal {
        Ok(refusal) => HostError::Usage(format!("{host}: {}", refusal.error)),
        Err(_) => no_contest(&format!("answered {}", answer.status())),
    })
}

/// What the system says, without the names of its parts: `io: Connection refused (os error 111)`.
fn in_plain_words(error: &str) -> String {
    let error = error.strip_prefix("io: ").unwrap_or(error);
    let error = error.split(" (os error").next().unwrap_or(error);
    let mut letters = error.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_that_is_not_there_is_named_with_the_reason() {
        // Nobody listens on the discard port of this machine.
        let address = "http://127.0.0.1:9";
        let error = read(address, agent().get(address).call()).unwrap_err();
        assert_eq!(error.to_string(), "cannot reach http://127.0.0.1:9: connection refused");
    }

    #[test]
    fn an_address_needs_no_scheme() {
        for (given, meant) in [
            ("127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("http://cup.example/", "http://cup.example"),
            ("https://cup.example", "https://cup.example"),
            ("http://cup.example:80/sign-in?token=1", "http://cup.example:80"),
        ] {
            assert_eq!(address_of(given).unwrap(), meant);
        }
        for bad in ["", "ftp://cup.example", "http://"] {
            assert!(address_of(bad).unwrap_err().to_string().contains("such as http"), "{bad}");
        }
    }
}
