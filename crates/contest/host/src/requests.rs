//! Requests to a contest: who asks, whether they may, and what is done. A request with a cookie
//! must come from our own pages before anything is changed for its sender; a token in the header is
//! sufficient by itself. No body is read before its sender is known, and each sender has only a few
//! read at once.

mod access;
mod exploits;
mod health;
mod lessons;
mod matches;
mod organiser;
mod own;
mod public;
mod sign_in;
mod submissions;
mod upload_form;
mod uploads;

use std::net::IpAddr;
use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn;
use quintain_web::{HeadFor, MatchContext};

use crate::contest::Contest;
use crate::kit::Kit;
use access::Host;

/// The site of a contest.
pub(crate) struct ContestSite {
    pub(crate) pages: Router,
    /// The head of each page for its visitor.
    pub(crate) head: HeadFor,
    /// What the contest knows of the matches in its store.
    pub(crate) matches: Arc<dyn MatchContext>,
}

/// Returns the site of a contest.
pub(crate) fn site(contest: Arc<Contest>, kits: Vec<Kit>, network: Option<IpAddr>) -> ContestSite {
    let host = Arc::new(Host::new(contest, kits, network));
    let router = Router::new()
        .merge(public::routes())
        .merge(lessons::routes())
        .merge(exploits::routes())
        .merge(sign_in::routes())
        .merge(submissions::routes())
        .merge(own::routes())
        .merge(organiser::routes())
        .merge(health::routes())
        .layer(from_fn(access::reword_refusals))
        .with_state(Arc::clone(&host));
    let matches = Arc::new(matches::ContestMatches(Arc::clone(&host)));
    let head: HeadFor =
        Arc::new(move |headers| Box::pin(access::head_for(Arc::clone(&host), headers)));
    ContestSite { pages: router, head, matches }
}
