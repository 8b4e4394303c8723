//! What is served, and what visitors may do.

use std::path::PathBuf;

use axum::Router;
use quintain_core::Catalog;

use crate::pages::Links;

/// The options of the server.
pub struct Options {
    /// The file of the store that is shown; it need not exist yet.
    pub store: PathBuf,
    /// The games, with the players that people may meet.
    pub catalog: Catalog,
    /// Whether people may play. Their matches are written into the store.
    pub allow_play: bool,
    /// The matches that people play at one time.
    pub matches: MatchLimits,
    /// The NATS server whose workers are listed, if any.
    pub workers: Option<FleetServer>,
}

/// Pages of another server, in place of the first page.
pub struct Site {
    /// The pages.
    pub pages: Router,
    /// What stands at the head of all pages, those of the store too.
    pub links: Links,
    /// Whether it is reached through a proxy of this machine, under a name of its own: then the address
    /// of a client is what the proxy says last (`X-Forwarded-For`).
    pub is_behind_proxy: bool,
}

/// How many matches people may play at one time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MatchLimits {
    /// In all.
    pub all: usize,
    /// Of one address. A class behind one router has one address.
    pub each: usize,
}

impl Default for MatchLimits {
    fn default() -> MatchLimits {
        MatchLimits { all: 32, each: 8 }
    }
}

/// A server at which workers meet.
#[cfg(feature = "fleet")]
pub type FleetServer = quintain_fleet::NatsServer;
/// Without the feature `fleet` there is no server to name.
#[cfg(not(feature = "fleet"))]
pub type FleetServer = std::convert::Infallible;
