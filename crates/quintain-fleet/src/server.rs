//! The address of a NATS server and the credentials for it, in NATS's own forms.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use async_nats::{Client, ConnectError, ConnectErrorKind, ConnectOptions, Event, ServerAddr};
use percent_encoding::percent_decode_str;
use tokio::sync::Notify;

use crate::FleetError;
use crate::nats_client::format_error;

/// How long a server may take to answer the first time.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often a silent connection is pinged; after two pings without an answer it counts as
/// lost.
const PING: Duration = Duration::from_secs(5);
/// The longest pause between two tries to reach a server that was lost.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// The address of a NATS server, or of several in one cluster, with credentials.
#[derive(Clone)]
pub struct Server {
    addresses: Vec<ServerAddr>,
    /// User and password, in the place of those in the addresses.
    pub user: Option<(String, String)>,
    /// A credentials file, as `nsc` writes it.
    pub credentials: Option<PathBuf>,
    /// A file of certificates to trust beside the system's.
    pub authority: Option<PathBuf>,
    /// The client's own certificate and its key.
    pub certificate: Option<(PathBuf, PathBuf)>,
}

impl fmt::Display for Server {
    /// Without passwords.
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

impl fmt::Debug for Server {
    /// Without passwords.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Server({self})")
    }
}

impl FromStr for Server {
    type Err = FleetError;

    /// Reads `nats://HOST:PORT` or `tls://…`, several joined by commas.
    fn from_str(text: &str) -> Result<Server, FleetError> {
        let wrong = |problem: &str| FleetError::Address {
            text: text.to_owned(),
            problem: problem.to_owned(),
        };
        let read = |one: &str| {
            let address = ServerAddr::from_str(one.trim()).map_err(|error| {
                let said = error.to_string();
                wrong(said.strip_prefix("NATS server URL is invalid: ").unwrap_or(&said))
            })?;
            match (address.scheme(), address.host()) {
                (_, "") => Err(wrong("it names no host")),
                ("nats" | "tls", _) => Ok(address),
                (scheme, _) => Err(wrong(&format!("{scheme} is not spoken here"))),
            }
        };
        let addresses = text.split(',').map(read).collect::<Result<Vec<_>, _>>()?;
        Ok(Server { addresses, user: None, credentials: None, authority: None, certificate: None })
    }
}

impl Server {
    /// Connects. From then on the client reconnects whenever the connection breaks, and then
    /// notifies those that wait on the returned notice: a request from before may never be
    /// answered, so it has to be made again.
    pub(crate) async fn connect(&self, name: &str) -> Result<(Client, Arc<Notify>), FleetError> {
        let shown = self.to_string();
        let mended = Arc::new(Notify::new());
        let notice = Arc::clone(&mended);
        let mut options = ConnectOptions::new()
            .name(name)
            .connection_timeout(PATIENCE)
            .ping_interval(PING)
            .max_reconnects(None)
            .reconnect_delay_callback(|tries| {
                Duration::from_millis(50 << tries.min(10)).min(LONGEST_PAUSE)
            })
            .event_callback(move |event| {
                let (shown, notice) = (shown.clone(), Arc::clone(&notice));
                async move {
                    match event {
                        Event::Disconnected => {
                            tracing::warn!("the NATS server {shown} is out of reach; trying again");
                        }
                        Event::Connected => {
                            tracing::info!("connected to {shown}");
                            notice.notify_waiters();
                        }
                        event => tracing::debug!("{shown}: {event}"),
                    }
                }
            });
        // The first address that names a user speaks for all.
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
            check_readable(file)?;
            options = options.add_root_certificates(file.clone());
        }
        if let Some((certificate, key)) = &self.certificate {
            check_readable(certificate)?;
            check_readable(key)?;
            options = options.add_client_certificate(certificate.clone(), key.clone());
        }
        let client = options.connect(&self.addresses[..]).await.map_err(|error| {
            let (address, said) = (self.to_string(), error.to_string());
            // The kind's own words add nothing to what they are followed by.
            let problem = said.split_once(": ").map_or(said.as_str(), |(_, rest)| rest);
            let problem = problem.split(" (os error").next().unwrap_or_default().to_lowercase();
            let problem = problem.trim_start_matches("nats: ").to_owned();
            match error.kind() {
                _ if is_about_tls(&error) => FleetError::Tls { address, problem },
                ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation => {
                    FleetError::Refused { address, problem }
                }
                _ => FleetError::Unreachable { address, problem },
            }
        })?;
        Ok((client, mended))
    }
}

/// Whether a connection failed because the two sides do not agree on certificates: the system
/// reports that as an error of input or output.
fn is_about_tls(error: &ConnectError) -> bool {
    let text = format_error(error).to_lowercase();
    error.kind() == ConnectErrorKind::Tls
        || ["certificate", "tls", "fatal alert"].iter().any(|word| text.contains(word))
}

fn check_readable(file: &PathBuf) -> Result<(), FleetError> {
    std::fs::File::open(file).map(drop).map_err(|error| credentials_error(file, &error))
}

fn credentials_error(file: &std::path::Path, error: &std::io::Error) -> FleetError {
    let text = error.to_string();
    let problem = text.split(" (os error").next().unwrap_or_default().to_lowercase();
    FleetError::Credentials { file: file.display().to_string(), problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_in_full_and_without_its_password() {
        let shown = |text: &str| text.parse::<Server>().unwrap().to_string();
        assert_eq!(shown("localhost"), "nats://localhost:4222");
        assert_eq!(shown("tls://ann:secret@host:4443"), "tls://host:4443");
        assert_eq!(shown("nats://a:1, nats://[::1]:2"), "nats://a:1,nats://[::1]:2");
    }

    #[test]
    fn what_is_no_address_is_told_what_was_expected() {
        let said = |text: &str| text.parse::<Server>().map(drop).unwrap_err().to_string();
        for wrong in ["", "http://x", "nats://", "nats://host:port", "ws://x", "a,,b"] {
            assert!(said(wrong).contains("expected nats://HOST:PORT"), "{wrong}: {}", said(wrong));
        }
    }
}
