//! The options of the server: what is served, and what visitors may do.

use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;
use axum::http::HeaderMap;
use maud::Markup;
use quintain_core::Catalog;

use crate::headline::MatchNumber;
use crate::pages::Links;
use crate::serve::{Base, HeadFor};

/// The options of the server.
pub struct Options {
    /// The file of the store to show; it need not exist yet.
    pub store: PathBuf,
    /// The games, with the players that people may meet.
    pub catalog: Catalog,
    /// Whether people may play. Their matches are written into the store.
    pub allow_play: bool,
    /// Limits on the number of matches that people play at the same time.
    pub matches: MatchLimits,
    /// The origins whose pages may show matches in a frame, such as `https://example.org`, or `*`
    /// for all.
    pub frames: Vec<String>,
    /// The NATS server whose workers are listed, if any.
    pub workers: Option<FleetServer>,
}

/// Checks the origin of pages that may show matches in a frame.
///
/// # Errors
/// A sentence that says what was expected.
pub fn check_origin(text: &str) -> Result<String, String> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let is_host = |host: &str| {
        !host.is_empty() && host.chars().all(|c| c.is_ascii_alphanumeric() || "-.:*".contains(c))
    };
    match text == "*" || rest.is_some_and(is_host) {
        true => Ok(text.to_owned()),
        false => Err("expected an origin such as https://example.org, or * for all".to_owned()),
    }
}

/// What the server of a site knows of the matches in its store. It is asked on threads that may
/// wait for files.
pub trait MatchContext: Send + Sync {
    /// Returns the name of a record's player for people, if it is another one.
    fn display_name(&self, player: &str) -> Option<String>;

    /// Returns the player whom people call so, if there is one: the opposite.
    fn find_player(&self, display_name: &str) -> Option<String>;

    /// Returns the number of a match by the id of its record, if the site numbers its matches:
    /// people then see it in place of the seed.
    fn number(&self, record: &str) -> MatchNumber {
        let _ = record;
        MatchNumber::None
    }

    /// Renders what the page of a match says besides, by the id of its record, for whoever sends a
    /// request with these headers.
    fn about(&self, record: &str, headers: &HeaderMap) -> Markup;
}

/// Pages of another server, which replace the first page.
pub struct Site {
    /// The pages.
    pub pages: Router,
    /// The links in the head of pages for nobody in particular; the first leads to the first page.
    /// Where a path leads nowhere, they say which part of the site it belongs to.
    pub links: Links,
    /// The head of all pages, including those of the store, for each visitor.
    pub head: HeadFor,
    /// What it knows of the store's matches.
    pub matches: Option<Arc<dyn MatchContext>>,
    /// The path below which the site is.
    pub base: Base,
    /// Whether the site is reached through a proxy of this machine, under another name. If so, the
    /// address of a client is the last one that the proxy reports (`X-Forwarded-For`).
    pub is_behind_proxy: bool,
}

/// How many matches people may play at the same time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MatchLimits {
    /// In all.
    pub all: usize,
    /// For one address. A class behind one router shares an address.
    pub each: usize,
}

impl Default for MatchLimits {
    fn default() -> MatchLimits {
        MatchLimits { all: 32, each: 8 }
    }
}

/// A server where workers meet.
#[cfg(feature = "fleet")]
pub type FleetServer = quintain_fleet::NatsServer;
/// Placeholder: without the feature `fleet` there is no server to name.
#[cfg(not(feature = "fleet"))]
pub type FleetServer = std::convert::Infallible;
