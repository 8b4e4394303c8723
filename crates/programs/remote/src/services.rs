//! The services that have been named.

use std::collections::HashMap;
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use quintain_bots::{Programs, ServiceEntry};
use quintain_core::{ExternalError, ExternalPlayer, ExternalSource};
use ureq::Agent;
use ureq::http::{HeaderName, HeaderValue, Uri};

use crate::ask::{agent, is_local};
use crate::player::ServicePlayer;

/// How long a service on this machine may take to accept a connection before anything is played.
const CONNECT: Duration = Duration::from_secs(5);

/// A source of players `http:NAME`, `http://ADDRESS` and `https://ADDRESS`.
pub struct Services {
    scheme: &'static str,
    programs: Arc<Programs>,
    known: Mutex<HashMap<String, Arc<Service>>>,
}

/// A service that can be asked.
pub(crate) struct Service {
    pub(crate) agent: Agent,
    pub(crate) url: String,
    /// Headers of every request, which may be secret: they appear in no message.
    pub(crate) headers: Vec<(String, String)>,
    /// The time for an answer where the match sets no limit.
    pub(crate) answer: Duration,
    version: u32,
}

impl Services {
    /// The sources of services, which the file of these programs may name.
    pub fn sources(programs: &Arc<Programs>) -> [Arc<dyn ExternalSource>; 2] {
        ["http", "https"].map(|scheme| {
            let known = Mutex::default();
            Arc::new(Services { scheme, programs: Arc::clone(programs), known }) as _
        })
    }

    fn find(&self, spec: &str) -> Result<Arc<Service>, ExternalError> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(service) = known.get(spec) {
            return Ok(Arc::clone(service));
        }
        let fail = |problem: String| ExternalError::from(format!("{spec}: {problem}"));
        let rest = spec.split_once(':').map_or("", |(_, rest)| rest);
        let entry = match rest.starts_with("//") {
            true => ServiceEntry::new(spec),
            false if self.scheme == "https" || rest.is_empty() => {
                return Err(fail("expected an address, such as http://127.0.0.1:9000".to_owned()));
            }
            false => {
                let file = self.programs.file().map_err(|error| fail(error.to_string()))?;
                file.service(rest).map_err(|error| fail(error.to_string()))?.clone()
            }
        };
        let service = Arc::new(Service::of(&entry).map_err(fail)?);
        known.insert(spec.to_owned(), Arc::clone(&service));
        Ok(service)
    }
}

impl Service {
    fn of(entry: &ServiceEntry) -> Result<Service, String> {
        let url = entry.url.clone();
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
        Ok(Service { agent: agent(&url), url, headers, answer, version })
    }

    /// Checks that something listens at an address of this machine. Others may be behind a proxy.
    fn check(&self) -> Result<(), String> {
        if !is_local(&self.url) {
            return Ok(());
        }
        let uri: Uri = self.url.parse().map_err(|_| format!("“{}” is no address", self.url))?;
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

impl ExternalSource for Services {
    fn prefix(&self) -> &str {
        self.scheme
    }

    fn resolve(&self, spec: &str, _game: &str) -> Result<String, ExternalError> {
        let checked = self.find(spec)?.check();
        checked.map_err(|problem| ExternalError::from(format!("{spec}: {problem}")))?;
        Ok(spec.to_owned())
    }

    fn version(&self, spec: &str) -> u32 {
        self.find(spec).map_or(0, |service| service.version)
    }

    fn open(&self, spec: &str) -> Result<Box<dyn ExternalPlayer>, ExternalError> {
        Ok(Box::new(ServicePlayer::new(self.find(spec)?)))
    }
}
