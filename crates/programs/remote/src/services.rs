//! The services that have been named.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use quintain_bots::{Programs, ServiceEntry};
use quintain_core::{
    ExternalError, ExternalPlayer, ExternalSource, ForeignProtocol, Lifecycle, did_you_mean,
};

use crate::chats::without_file;
use crate::foreign::ForeignPlayer;
use crate::player::ServicePlayer;
use crate::service::Service;

/// A source of players `http:NAME`, `http://ADDRESS` and `https://ADDRESS`.
pub struct Services {
    scheme: &'static str,
    programs: Arc<Programs>,
    known: Mutex<HashMap<String, Arc<Service>>>,
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
                let file = self.programs.file().map_err(|error| {
                    fail(without_file(&error, rest, "url = \"http://127.0.0.1:9000\""))
                })?;
                file.service(rest).map_err(|error| fail(error.to_string()))?.clone()
            }
        };
        let service = Arc::new(Service::of(&entry).map_err(fail)?);
        known.insert(spec.to_owned(), Arc::clone(&service));
        Ok(service)
    }

    /// The protocol of another referee that a service speaks, and its game.
    fn protocol(
        &self,
        service: &Service,
    ) -> Result<Option<(&'static str, &ForeignProtocol)>, String> {
        let Some(name) = &service.protocol else { return Ok(None) };
        let all = &self.programs.settings().protocols;
        // Others start a program for each question, or for a plan.
        let mut fitting = all.iter().filter(|(_, known)| known.lifecycle == Lifecycle::Match);
        let found = fitting.clone().find(|(_, known)| known.name == name);
        let (game, protocol) = found.ok_or_else(|| {
            let names = fitting.by_ref().map(|(_, known)| known.name);
            did_you_mean("protocol of services", name, names.chain([quintain_protocol::NAME]))
        })?;
        Ok(Some((*game, protocol)))
    }
}

impl ExternalSource for Services {
    fn prefix(&self) -> &str {
        self.scheme
    }

    fn resolve(&self, spec: &str, game: &str) -> Result<String, ExternalError> {
        let service = self.find(spec)?;
        let fail = |problem: String| ExternalError::from(format!("{spec}: {problem}"));
        if let Some((owner, protocol)) = self.protocol(&service).map_err(fail)?
            && owner != game
        {
            return Err(fail(format!("its protocol {} is for {owner}, not {game}", protocol.name)));
        }
        service.target.check().map_err(fail)?;
        Ok(spec.to_owned())
    }

    fn foreign_protocol(&self, spec: &str) -> Option<&'static str> {
        let service = self.find(spec).ok()?;
        Some(self.protocol(&service).ok()??.1.name)
    }

    fn version(&self, spec: &str) -> u32 {
        self.find(spec).map_or(0, |service| service.version)
    }

    fn open(&self, spec: &str) -> Result<Box<dyn ExternalPlayer>, ExternalError> {
        let service = self.find(spec)?;
        let fail = |problem: String| ExternalError::from(format!("{spec}: {problem}"));
        Ok(match self.protocol(&service).map_err(fail)? {
            Some((_, protocol)) => Box::new(ForeignPlayer::new(service, protocol).map_err(fail)?),
            None => Box::new(ServicePlayer::new(service)),
        })
    }
}
