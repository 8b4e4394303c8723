//! Players whose versions cannot be compared with those of others. A record has the version of each
//! of its players, which is a digest of the program: with the same version as its original, a
//! hidden copy would tell everybody whose program it is.

use std::sync::Arc;

use quintain_core::{ExternalError, ExternalPlayer, ExternalSource};

/// Returns a source whose versions are mixed with a secret, if there is one.
pub(crate) fn salted(
    source: Arc<dyn ExternalSource>,
    salt: Option<String>,
) -> Arc<dyn ExternalSource> {
    match salt {
        Some(salt) => Arc::new(Salted { source, salt }),
        None => source,
    }
}

struct Salted {
    source: Arc<dyn ExternalSource>,
    salt: String,
}

impl ExternalSource for Salted {
    fn prefix(&self) -> &str {
        self.source.prefix()
    }

    fn resolve(&self, spec: &str, game: &str) -> Result<String, ExternalError> {
        self.source.resolve(spec, game)
    }

    fn version(&self, spec: &str) -> u32 {
        let mixed =
            blake3::hash(format!("{}\n{}", self.salt, self.source.version(spec)).as_bytes());
        let [a, b, c, d, ..] = *mixed.as_bytes();
        u32::from_le_bytes([a, b, c, d])
    }

    fn is_reproducible(&self, spec: &str) -> bool {
        self.source.is_reproducible(spec)
    }

    fn foreign_protocol(&self, spec: &str) -> Option<&'static str> {
        self.source.foreign_protocol(spec)
    }

    fn is_numbered(&self, spec: &str) -> bool {
        self.source.is_numbered(spec)
    }

    fn open(&self, spec: &str) -> Result<Box<dyn ExternalPlayer>, ExternalError> {
        self.source.open(spec)
    }
}
