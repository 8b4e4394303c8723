//! One service: its address, and what every request to it has.

use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use quintain_bots::ServiceEntry;
use ureq::Agent;
use ureq::http::{HeaderName, HeaderValue, Uri};

use crate::ask::{agent, is_local};

/// How long a service on this machine may take to accept a connection before anything is played.
const CONNECT: Duration = Duration::from_secs(5);

/// A service that can be asked.
pub(crate) struct Service {
    pub(crate) agent: Agent,
    pub(crate) uri: Uri,
    /// Headers of every request, which may be secret: they appear in no message.
    pub(crate) headers: Vec<(String, String)>,
    /// The time for an answer where the match sets no limit.
    pub(crate) answer: Duration,
    pub(crate) version: u32,
}

impl Service {
    pub(crate) fn of(entry: &ServiceEntry) -> Result<Service, String> {
        let url = &entry.url;
        let uri: Uri = url.parse().map_err(|error| format!("“{url}” is no address: {error}"))?;
        let scheme = uri.scheme_str().unwrap_or_default();
        if !matches!(scheme, "http" | "https") || uri.host().is_none_or(str::is_empty) {
            return Err(format!("“{url}”: expected an address, such as http://127.0.0.1:9000"));
        }
        let mut headers = Vec::new();
        for (name, variable) in &entry.header_from_env {
            let value = std::env::var(variable).map_err(|_| {
                format!("the environment variable {variable}, for the header {name}, is not set")
            })?;
            let is_header =
                name.parse::<HeaderName>().is_ok() && HeaderValue::from_str(&value).is_ok();
            if !is_header {
                return Err(format!("{name}, with the value of {variable}, is not a header"));
            }
            headers.push((name.clone(), value));
        }
        let (answer, version) = (entry.answer.0, entry.version);
        Ok(Service { agent: agent(&uri), uri, headers, answer, version })
    }

    /// Checks that something listens at an address of this machine. Others may be behind a proxy.
    pub(crate) fn check(&self) -> Result<(), String> {
        let uri = &self.uri;
        if !is_local(uri) {
            return Ok(());
        }
        let port =
            uri.port_u16().unwrap_or(if uri.scheme_str() == Some("https") { 443 } else { 80 });
        let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
        let found = (host, port).to_socket_addrs().into_iter().flatten();
        let mut tried = found.map(|address| TcpStream::connect_timeout(&address, CONNECT));
        match tried.any(|connected| connected.is_ok()) {
            true => Ok(()),
            false => Err(format!("nothing listens at {host}:{port}; start the service first")),
        }
    }
}
