//! One service: where it is, and how long it may take.

use std::time::Duration;

use quintain_bots::ServiceEntry;

use crate::target::Target;

/// A service that can be asked.
pub(crate) struct Service {
    pub(crate) target: Target,
    /// The time for an answer where the match sets no limit.
    pub(crate) answer: Duration,
    pub(crate) version: u32,
    /// The protocol of another referee that it speaks, by name.
    pub(crate) protocol: Option<String>,
}

impl Service {
    pub(crate) fn of(entry: &ServiceEntry) -> Result<Service, String> {
        let target = Target::new(&entry.url, &entry.header_from_env)?;
        let protocol = Some(entry.protocol.clone()).filter(|name| name != quintain_protocol::NAME);
        Ok(Service { target, answer: entry.answer.0, version: entry.version, protocol })
    }
}
