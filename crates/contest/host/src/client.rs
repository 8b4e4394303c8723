//! Submits a program from the command line: packs and sends the files, then waits for the result
//! of the check.

use std::path::Path;
use std::time::Duration;

use quintain_core::{SETTINGS_LIMIT, read_bytes_up_to};
use serde::Deserialize;
use ureq::http::header::RETRY_AFTER;
use ureq::http::{Response, StatusCode};
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::{Agent, Body};

use crate::archive::{Tree, TreeLimits};
use crate::error::HostError;

/// More than this is not packed; the contest has limits of its own.
const MAX_PACKED: TreeLimits = TreeLimits { files: 10_000, bytes: 256 << 20 };
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);
/// How often the host is asked.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// How long a busy host is asked again, how often at most, and after which pause first, unless it
/// says itself.
const PATIENCE: Duration = Duration::from_secs(120);
const TRIES: u32 = 20;
const FIRST_PAUSE: Duration = Duration::from_secs(1);

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
    /// Whether another version by the same author plays; older hosts do not say.
    #[serde(default)]
    pub other_active: Option<bool>,
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

/// A connection to a contest, for somebody who submits programs.
pub struct Client {
    host: String,
    authorization: String,
    agent: Agent,
}

impl Client {
    /// Connects to a host with somebody's token. An HTTPS server is trusted by its certificate
    /// from a public authority, or from one of those in the file `ca` instead.
    ///
    /// # Errors
    /// If the address is none, or the file has no certificates.
    pub fn new(host: &str, token: &str, ca: Option<&Path>) -> Result<Client, HostError> {
        let tls = TlsConfig::builder();
        let host = address_of(host)?;
        let tls = match ca.filter(|_| host.starts_with("https://")) {
            Some(file) => tls.root_certs(read_certificates(file)?),
            None => tls,
        };
        let config = Agent::config_builder()
            .timeout_global(Some(ANSWER_TIMEOUT))
            .http_status_as_error(false)
            .tls_config(tls.build())
            // The token is meant for the named host only, not for hosts that it redirects to.
            .max_redirects(0);
        Ok(Client {
            host,
            authorization: format!("Bearer {}", token.trim()),
            agent: config.build().into(),
        })
    }

    /// Submits the files of a folder, or one file. A host that is busy is asked again for a while;
    /// `notice` is called with a line that says so.
    ///
    /// # Errors
    /// If they cannot be packed, the host cannot be reached, or it refuses them; then with the
    /// host's own words.
    pub fn submit(
        &self,
        path: &Path,
        notice: &mut dyn FnMut(&str),
    ) -> Result<SubmittedVersion, HostError> {
        if !path.exists() {
            return Err(HostError::Usage(format!(
                "there is no {}: name the folder of a program, a zip or its one file",
                path.display()
            )));
        }
        let refused = |why: crate::archive::Refused| HostError::Usage(why.0);
        let (name, bytes) = match path.is_dir() {
            true => {
                let tree = Tree::of_folder(path, MAX_PACKED).map_err(refused)?;
                (String::new(), tree.zip().map_err(refused)?)
            }
            false => {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                (name, read_bytes(path, MAX_PACKED.bytes)?)
            }
        };
        let at = format!("{}/api/submissions", self.host);
        self.ask(notice, || {
            self.agent
                .post(&at)
                .query("name", &name)
                .header("authorization", &self.authorization)
                .content_type("application/octet-stream")
                .send(&bytes[..])
        })
    }

    /// Waits until a version is checked, and returns the result.
    ///
    /// # Errors
    /// If the host cannot be reached or does not know the version.
    pub fn wait(
        &self,
        mut submitted: SubmittedVersion,
        notice: &mut dyn FnMut(&str),
    ) -> Result<SubmittedVersion, HostError> {
        let at = format!("{}/api/submissions/{}", self.host, submitted.version);
        while !submitted.is_checked() {
            std::thread::sleep(POLL_INTERVAL);
            let ask = || self.agent.get(&at).header("authorization", &self.authorization).call();
            submitted =
                self.ask(notice, ask).map_err(|error| still_in(error, submitted.version))?;
        }
        Ok(submitted)
    }

    /// Sends a request, again and again while the host is busy.
    fn ask(
        &self,
        notice: &mut dyn FnMut(&str),
        send: impl Fn() -> Result<Response<Body>, ureq::Error>,
    ) -> Result<SubmittedVersion, HostError> {
        let mut waited = Duration::ZERO;
        for tried in 0.. {
            match read(&self.host, send()) {
                Err(Refusal::Busy { error, after }) if tried < TRIES && waited < PATIENCE => {
                    // Those who are refused at once do not all come back at once.
                    let pause = after.unwrap_or(FIRST_PAUSE * 2_u32.pow(tried.min(4)));
                    let pause = pause + pause * (std::process::id() % 8) / 8;
                    notice(&format!("{error}; trying again in {} s", pause.as_secs()));
                    std::thread::sleep(pause);
                    waited += pause;
                }
                Err(Refusal::Busy { error, .. } | Refusal::Final(error)) => return Err(error),
                Ok(version) => return Ok(version),
            }
        }
        unreachable!("the tries end")
    }
}

fn read_bytes(file: &Path, most: u64) -> Result<Vec<u8>, HostError> {
    read_bytes_up_to(file, most).map_err(|error| HostError::Usage(error.to_string()))
}

/// Reads the certificates of a PEM file.
fn read_certificates(file: &Path) -> Result<RootCerts, HostError> {
    let bytes = read_bytes(file, SETTINGS_LIMIT)?;
    let found = parse_pem(&bytes).filter_map(|item| match item {
        Ok(PemItem::Certificate(certificate)) => Some(certificate),
        _ => None,
    });
    let found: Vec<Certificate<'static>> = found.collect();
    match found.is_empty() {
        true => Err(HostError::Usage(format!(
            "{} has no certificate in PEM form (-----BEGIN CERTIFICATE-----)",
            file.display()
        ))),
        false => Ok(RootCerts::new_with_certs(&found)),
    }
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

/// Why a host gave no version.
enum Refusal {
    /// It has no place now, and may say after how long it has.
    Busy { error: HostError, after: Option<Duration> },
    /// Asking again would not help.
    Final(HostError),
}

/// Returns whether a refusal is worth another try, and when, as far as the host says so. An hourly
/// limit, which it refuses by without a time, is not.
fn find_retry(answer: &Response<Body>) -> Option<Option<Duration>> {
    let after = answer.headers().get(RETRY_AFTER).and_then(|after| after.to_str().ok());
    let after = after.and_then(|after| after.parse().ok()).map(Duration::from_secs);
    match (answer.status(), after) {
        (StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS, Some(after)) => {
            (after <= PATIENCE).then_some(Some(after))
        }
        (StatusCode::SERVICE_UNAVAILABLE, None) => Some(None),
        _ => None,
    }
}

fn read(
    host: &str,
    answer: Result<Response<Body>, ureq::Error>,
) -> Result<SubmittedVersion, Refusal> {
    #[derive(Deserialize)]
    struct Explanation {
        error: String,
    }
    let unreachable = |error: &ureq::Error| {
        let problem = in_plain_words(&error.to_string());
        let arrived = if may_have_arrived(error) { MAY_BE_IN } else { "" };
        let problem = format!("{problem}{arrived}");
        Refusal::Final(HostError::Unreachable { host: host.to_owned(), problem })
    };
    let usage = |what: &str| HostError::Usage(format!("{host}: {what}"));
    let mut answer = answer.map_err(|error| unreachable(&error))?;
    let retry = find_retry(&answer);
    let body = answer.body_mut().read_to_string().map_err(|error| unreachable(&error))?;
    if matches!(answer.status(), StatusCode::OK | StatusCode::CREATED) {
        let no_contest = |_| Refusal::Final(usage("this is not a contest"));
        return serde_json::from_str(&body).map_err(no_contest);
    }
    let error = match serde_json::from_str::<Explanation>(&body) {
        Ok(refusal) => usage(&refusal.error),
        Err(_) if matches!(answer.status().as_u16(), 502 | 504) => {
            usage(&format!("answered {}{MAY_BE_IN}", answer.status()))
        }
        Err(_) => usage(&format!("answered {}", answer.status())),
    };
    Err(match retry {
        Some(after) => Refusal::Busy { error, after },
        None => Refusal::Final(error),
    })
}

/// Said of a request that may have arrived although no answer did.
const MAY_BE_IN: &str = "; what was submitted may have arrived all the same: submit the same files \
                         again, which are then the same version, or look at your page";

/// Says of a host that went away during a check that it has the version.
fn still_in(error: HostError, version: i64) -> HostError {
    match error {
        HostError::Unreachable { host, problem } => {
            let problem = problem.strip_suffix(MAY_BE_IN).unwrap_or(&problem);
            let problem = format!(
                "{problem}; version {version} is submitted, and is checked when the host runs \
                 again: see your page"
            );
            HostError::Unreachable { host, problem }
        }
        error => error,
    }
}

/// Returns whether a host may have read the request before the connection broke.
fn may_have_arrived(error: &ureq::Error) -> bool {
    use std::io::ErrorKind;
    use ureq::Timeout;

    match error {
        ureq::Error::Timeout(at) => !matches!(at, Timeout::Resolve | Timeout::Connect),
        ureq::Error::Protocol(_) => true,
        ureq::Error::Io(error) => matches!(
            error.kind(),
            ErrorKind::ConnectionReset
                | ErrorKind::ConnectionAborted
                | ErrorKind::BrokenPipe
                | ErrorKind::UnexpectedEof
                | ErrorKind::TimedOut
        ),
        _ => false,
    }
}

/// What the system says, without the names of its parts: `io: Connection refused (os error 111)`.
fn in_plain_words(error: &str) -> String {
    let error = error.strip_prefix("io: ").unwrap_or(error);
    let error = error.split(" (os error").next().unwrap_or(error);
    if error.contains("certificate") {
        return format!(
            "its certificate is not trusted ({error}); name the authority's file with --ca FILE"
        );
    }
    let mut letters = error.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::sync::Arc;

    use super::*;

    fn submit_to(host: &str, ca: Option<&Path>, notices: &mut Vec<String>) -> Result<i64, String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("bot.py");
        std::fs::write(&file, "# nothing\n").unwrap();
        let client = Client::new(host, "token", ca).map_err(|error| error.to_string())?;
        let submitted = client.submit(&file, &mut |notice| notices.push(notice.to_owned()));
        submitted.map(|version| version.version).map_err(|error| error.to_string())
    }

    /// Reads a request with a body of which the length is said.
    fn read_request(stream: &mut impl Read) {
        let (mut seen, mut buffer) = (Vec::new(), [0; 4096]);
        loop {
            let count = stream.read(&mut buffer).unwrap();
            seen.extend_from_slice(&buffer[..count]);
            let text = String::from_utf8_lossy(&seen).to_lowercase();
            let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
            let length = head.split("content-length: ").nth(1).unwrap().lines().next().unwrap();
            if body.len() >= length.trim().parse::<usize>().unwrap() {
                return;
            }
        }
    }

    const TAKEN: &str = "{\"version\": 7, \"digest\": \"\", \"stage\": \"waiting\", \"log\": \"\"}";

    fn answer(status: &str, header: &str, body: &str) -> String {
        let length = body.len();
        format!(
            "HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n{header}\r\n\
             {body}"
        )
    }

    /// A host that gives these answers one after the other.
    fn serve(answers: Vec<String>) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        std::thread::spawn(move || {
            for answer in answers {
                let (mut stream, _) = listener.accept().unwrap();
                read_request(&mut stream);
                stream.write_all(answer.as_bytes()).unwrap();
            }
        });
        address
    }

    #[test]
    fn a_busy_host_is_asked_again_and_a_refusal_is_final() {
        let busy = "{\"error\": \"too many programs\"}";
        let again = "retry-after: 0\r\n";
        let mut notices = Vec::new();
        let host = serve(vec![
            answer("503 Service Unavailable", again, busy),
            answer("429 Too Many Requests", again, busy),
            answer("201 Created", "", TAKEN),
        ]);
        assert_eq!(submit_to(&host, None, &mut notices), Ok(7));
        assert_eq!(notices.len(), 2);
        let notice = format!("http://{host}: too many programs; trying again in 0 s");
        assert_eq!(notices[0], notice);
        // An hourly limit, which says no time.
        let host = serve(vec![answer("429 Too Many Requests", "", busy)]);
        let refused = submit_to(&host, None, &mut notices).unwrap_err();
        assert_eq!((refused, notices.len()), (format!("http://{host}: too many programs"), 2));
    }

    #[test]
    fn an_https_server_with_an_authority_of_its_own_is_trusted_by_its_file() {
        use rustls::pki_types::pem::PemObject;
        use rustls::pki_types::{CertificateDer, PrivateKeyDer};

        let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/certificates");
        let certificate = CertificateDer::from_pem_file(files.join("server.pem")).unwrap();
        let key = PrivateKeyDer::from_pem_file(files.join("server.key")).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key)
            .unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let host = format!("https://localhost:{}", listener.local_addr().unwrap().port());
        std::thread::spawn(move || {
            let config = Arc::new(config);
            for stream in listener.incoming() {
                let session = rustls::ServerConnection::new(Arc::clone(&config)).unwrap();
                let mut stream = rustls::StreamOwned::new(session, stream.unwrap());
                // Who does not trust us hangs up.
                let mut first = [0];
                if stream.read(&mut first).is_ok_and(|count| count == 1) {
                    read_request(&mut first.chain(&mut stream));
                    stream.write_all(answer("201 Created", "", TAKEN).as_bytes()).unwrap();
                }
            }
        });
        let own = files.join("authority.pem");
        assert_eq!(submit_to(&host, Some(&own), &mut Vec::new()), Ok(7));
        let refused = submit_to(&host, None, &mut Vec::new()).unwrap_err();
        assert!(refused.contains("certificate") && refused.contains("--ca"), "{refused}");
        let none = submit_to(&host, Some(&files.join("server.key")), &mut Vec::new()).unwrap_err();
        assert!(none.contains("has no certificate in PEM form"), "{none}");
    }

    #[test]
    fn a_host_that_ends_without_an_answer_may_have_the_version() {
        // It reads what is submitted, and says nothing.
        let broken = submit_to(&serve(vec![String::new()]), None, &mut Vec::new()).unwrap_err();
        let gateway = serve(vec![answer("502 Bad Gateway", "", "")]);
        let gateway = submit_to(&gateway, None, &mut Vec::new()).unwrap_err();
        for error in [broken, gateway] {
            assert!(error.contains("may have arrived all the same: submit the same"), "{error}");
            assert_eq!(error.lines().count(), 1, "{error}");
        }
        // Once it has answered, it has it.
        let host = serve(vec![answer("201 Created", "", TAKEN)]);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("bot.py");
        std::fs::write(&file, "# nothing\n").unwrap();
        let client = Client::new(&host, "token", None).unwrap();
        let submitted = client.submit(&file, &mut |_| {}).unwrap();
        let error = client.wait(submitted, &mut |_| {}).unwrap_err().to_string();
        assert!(error.contains("; version 7 is submitted, and is checked when"), "{error}");
        assert!(!error.contains("may have arrived"), "{error}");
    }

    #[test]
    fn a_host_that_is_not_there_is_named_with_the_reason() {
        // Nobody listens on the discard port of this machine.
        let error = submit_to("http://127.0.0.1:9", None, &mut Vec::new()).unwrap_err();
        assert_eq!(error, "cannot reach http://127.0.0.1:9: connection refused");
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
