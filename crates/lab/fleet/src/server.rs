//! The address of a NATS server and the credentials for it, in NATS's own forms.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_nats::{
    Client, ConnectError, ConnectErrorKind, ConnectOptions, Event, ServerAddr, ServerError,
};
use percent_encoding::percent_decode_str;
use tokio::sync::{Notify, watch};

use crate::FleetError;
use crate::error::format_error;

/// How long a server may take to give its first answer.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(5);
/// How often a silent connection is pinged; after two pings without an answer it counts as lost.
const PING_INTERVAL: Duration = Duration::from_secs(5);
/// The longest pause between two attempts to reach a server that was lost.
const MAX_RECONNECT_DELAY: Duration = Duration::from_secs(2);

/// The address of a NATS server, or of several in one cluster, with credentials.
#[derive(Clone)]
pub struct NatsServer {
    addresses: Vec<ServerAddr>,
    /// User and password, instead of those in the addresses.
    pub user: Option<(String, String)>,
    /// A credentials file, as written by `nsc`.
    pub credentials: Option<PathBuf>,
    /// A file of certificates to trust in addition to the system's.
    pub authority: Option<PathBuf>,
    /// The client's own certificate and its key.
    pub certificate: Option<(PathBuf, PathBuf)>,
    /// The first word of the subjects on which the server's answers arrive, if it is not the usual
    /// one: `_INBOX` for workers, `_INBOX_coordinator` for coordinators.
    pub inbox: Option<String>,
    /// The options of a command line that log in as this client, for commands that are printed:
    /// ` --user NAME --password-file FILE`.
    pub login: String,
    /// The same for workers.
    pub worker_login: String,
}

/// A connection that repairs itself.
pub(crate) struct Connection {
    pub(crate) client: Client,
    /// Notified when the connection has been repaired: a request from before may never be answered,
    /// so it has to be made again.
    pub(crate) reconnected: Arc<Notify>,
    /// The server's last complaint that this user may not do something. Such a request is not
    /// answered.
    pub(crate) forbidden: watch::Receiver<Option<String>>,
}

impl fmt::Display for NatsServer {
    /// Leaves out passwords.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, address) in self.addresses.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            let (scheme, host) = (address.scheme(), address.host());
            let bracketed = if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
            write!(f, "{comma}{scheme}://{bracketed}:{}", address.port())?;
        }
        Ok(())
    }
}

impl fmt::Debug for NatsServer {
    /// Leaves out passwords.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NatsServer({self})")
    }
}

impl FromStr for NatsServer {
    type Err = FleetError;

    /// Reads `nats://HOST:PORT` or `tls://…`, several joined by commas.
    fn from_str(text: &str) -> Result<NatsServer, FleetError> {
        let wrong = |problem: &str| FleetError::Address {
            text: text.to_owned(),
            problem: problem.to_owned(),
        };
        let read = |one: &str| {
            let address = ServerAddr::from_str(one.trim()).map_err(|error| {
                let text = error.to_string();
                wrong(text.strip_prefix("NATS server URL is invalid: ").unwrap_or(&text))
            })?;
            match (address.scheme(), address.host()) {
                (_, "") => Err(wrong("it names no host")),
                ("nats" | "tls", _) => Ok(address),
                (scheme, _) => Err(wrong(&format!("{scheme} is not supported"))),
            }
        };
        let addresses = text.split(',').map(read).collect::<Result<Vec<_>, _>>()?;
        Ok(NatsServer {
            addresses,
            user: None,
            credentials: None,
            authority: None,
            certificate: None,
            inbox: None,
            login: String::new(),
            worker_login: String::new(),
        })
    }
}

impl NatsServer {
    /// Connects. From then on the client reconnects whenever the connection breaks.
    pub(crate) async fn connect(&self, name: &str, inbox: &str) -> Result<Connection, FleetError> {
        let (reconnected, (refused, forbidden)) = (Arc::new(Notify::new()), watch::channel(None));
        let options = ConnectOptions::new()
            .name(name)
            .custom_inbox_prefix(inbox)
            .connection_timeout(CONNECTION_TIMEOUT)
            .ping_interval(PING_INTERVAL)
            .max_reconnects(None)
            .reconnect_delay_callback(|tries| {
                Duration::from_millis(50 << tries.min(10)).min(MAX_RECONNECT_DELAY)
            });
        let options = self.follow_events(options, &reconnected, refused);
        let options = self.add_credentials(options).await?;
        let client = options.connect(&self.addresses[..]).await;
        let client = client.map_err(|error| self.describe_failure(&error))?;
        Ok(Connection { client, reconnected, forbidden })
    }

    /// Logs when the connection breaks and is repaired, notifies `reconnected`, and hands on
    /// complaints about rights to `refused`.
    fn follow_events(
        &self,
        options: ConnectOptions,
        reconnected: &Arc<Notify>,
        refused: watch::Sender<Option<String>>,
    ) -> ConnectOptions {
        let (shown, notice) = (self.to_string(), Arc::clone(reconnected));
        let is_away = Arc::new(AtomicBool::new(false));
        options.event_callback(move |event| {
            let (shown, notice) = (shown.clone(), Arc::clone(&notice));
            let (refused, is_away) = (refused.clone(), Arc::clone(&is_away));
            async move {
                match event {
                    Event::Disconnected => {
                        is_away.store(true, Ordering::Relaxed);
                        tracing::warn!("the NATS server {shown} is out of reach; trying again");
                    }
                    Event::Connected => {
                        match is_away.swap(false, Ordering::Relaxed) {
                            true => tracing::warn!("the NATS server {shown} is back"),
                            false => tracing::info!("connected to {shown}"),
                        }
                        notice.notify_waiters();
                    }
                    Event::ServerError(ServerError::Other(complaint))
                        if is_about_rights(&complaint) =>
                    {
                        tracing::debug!("{shown}: {complaint}");
                        let _ = refused.send(Some(complaint));
                    }
                    event => tracing::debug!("{shown}: {event}"),
                }
            }
        })
    }

    async fn add_credentials(
        &self,
        mut options: ConnectOptions,
    ) -> Result<ConnectOptions, FleetError> {
        // The first address that names a user applies to all.
        let named = self.addresses.iter().find_map(|at| Some((at.username()?, at.password())));
        let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        options = match named {
            _ if let Some((user, password)) = &self.user => {
                options.user_and_password(user.clone(), password.clone())
            }
            Some((user, Some(word))) => options.user_and_password(decoded(user), decoded(word)),
            Some((token, None)) => options.token(decoded(token)),
            None => options,
        };
        if let Some(file) = &self.credentials {
            options = options
                .credentials_file(file)
                .await
                .map_err(|error| credentials_error(file, &error))?;
        }
        if let Some(file) = &self.authority {
            check_pem(file, "CERTIFICATE", "certificate")?;
            options = options.add_root_certificates(file.clone());
        }
        if let Some((certificate, key)) = &self.certificate {
            check_pem(certificate, "CERTIFICATE", "certificate")?;
            check_pem(key, "PRIVATE KEY", "private key")?;
            options = options.add_client_certificate(certificate.clone(), key.clone());
        }
        Ok(options)
    }

    /// Says why there is no connection.
    fn describe_failure(&self, error: &ConnectError) -> FleetError {
        let (address, text) = (self.to_string(), error.to_string());
        // The kind's own words add nothing to the text that follows them.
        let problem = text.split_once(": ").map_or(text.as_str(), |(_, rest)| rest);
        let problem = problem.split(" (os error").next().unwrap_or_default().to_lowercase();
        let problem = match problem.trim_start_matches("nats: ") {
            corrupt if corrupt.contains("corrupt message") => {
                "the server there does not speak TLS (nats:// is without TLS)".to_owned()
            }
            problem => problem.to_owned(),
        };
        match error.kind() {
            _ if is_about_tls(error) => FleetError::Tls { address, problem },
            ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation => {
                FleetError::Refused { address, problem }
            }
            _ => FleetError::Unreachable { address, problem },
        }
    }
}

/// Whether a server's complaint is that a user may not do something.
fn is_about_rights(complaint: &str) -> bool {
    complaint.to_lowercase().contains("permissions violation")
}

/// Whether a connection failed because the two sides do not agree on certificates: the system
/// reports that as an I/O error.
fn is_about_tls(error: &ConnectError) -> bool {
    let text = format_error(error).to_lowercase();
    error.kind() == ConnectErrorKind::Tls
        || ["certificate", "tls", "fatal alert", "corrupt message"]
            .iter()
            .any(|word| text.contains(word))
}

/// Checks that a file has such a block, since a file without any counts as an empty list.
fn check_pem(file: &Path, block: &str, what: &str) -> Result<(), FleetError> {
    let bytes = std::fs::read(file).map_err(|error| credentials_error(file, &error))?;
    let text = String::from_utf8_lossy(&bytes);
    let begins = |line: &str| line.starts_with("-----BEGIN ") && line.contains(block);
    if text.lines().any(begins) {
        return Ok(());
    }
    let problem =
        format!("there is no {what} in it; expected PEM, with a line “-----BEGIN {block}-----”");
    Err(FleetError::Credentials { file: file.display().to_string(), problem })
}

fn credentials_error(file: &Path, error: &std::io::Error) -> FleetError {
    let text = error.to_string();
    let problem = text.split(" (os error").next().unwrap_or_default().to_lowercase();
    FleetError::Credentials { file: file.display().to_string(), problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_in_full_and_without_its_password() {
        let print = |text: &str| text.parse::<NatsServer>().unwrap().to_string();
        assert_eq!(print("localhost"), "nats://localhost:4222");
        assert_eq!(print("tls://ann:secret@host:4443"), "tls://host:4443");
        assert_eq!(print("nats://a:1, nats://[::1]:2"), "nats://a:1,nats://[::1]:2");
    }

    #[test]
    fn a_file_without_certificates_is_reported_before_connecting() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ca.pem");
        let error_of = |text: &str| {
            std::fs::write(&file, text).unwrap();
            check_pem(&file, "CERTIFICATE", "certificate").map_err(|error| error.to_string())
        };
        assert!(error_of("nonsense").unwrap_err().contains("no certificate in it; expected PEM"));
        assert!(error_of("").is_err());
        assert_eq!(error_of("# mine\n-----BEGIN CERTIFICATE-----\n"), Ok(()));
    }

    #[test]
    fn an_invalid_address_is_refused_with_the_expected_form() {
        let error_of = |text: &str| text.parse::<NatsServer>().map(drop).unwrap_err().to_string();
        for wrong in ["", "http://x", "nats://", "nats://host:port", "ws://x", "a,,b"] {
            assert!(
                error_of(wrong).contains("expected nats://HOST:PORT"),
                "{wrong}: {}",
                error_of(wrong)
            );
        }
    }
}
