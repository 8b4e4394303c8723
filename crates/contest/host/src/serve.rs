//! Serves a contest: its pages, the pages of its store of matches, and the referee.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::path::Path;
use std::sync::Arc;

use quintain_core::{Catalog, FilesOfRecords};
use quintain_store::Store;
use quintain_web::{Options, Site};

use crate::config::example_of;
use crate::contest::Contest;
use crate::elsewhere::{Elsewhere, Workers};
use crate::error::HostError;
use crate::kit::Kit;
use crate::pages::LINKS;
use crate::referee::Referee;
use crate::requests;

/// Options for serving a contest.
pub struct ServeOptions<'a> {
    /// The contest's folder.
    pub folder: &'a Path,
    /// All games.
    pub catalog: &'a Catalog,
    /// An executable that calls [`quintain_bots::take_over_if_asked`] before anything else.
    pub launcher: &'a Path,
    /// Where to listen.
    pub address: SocketAddr,
    /// Returns the starter kits; called with the name of the contest's game and its scenarios.
    pub kits: &'a dyn Fn(&str, &[String]) -> Vec<Kit>,
    /// Who plays the matches; if none, threads of this machine.
    pub workers: Option<Arc<dyn Workers>>,
}

/// Returns this machine's address in its network, taken from a route to elsewhere; nothing is sent.
pub fn own_address() -> Option<IpAddr> {
    // An address reserved for documentation (RFC 5737), which nobody has.
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    let own = socket.local_addr().ok()?.ip();
    (!own.is_unspecified() && !own.is_loopback()).then_some(own)
}

/// Serves a contest until `stop` returns true. `ready` is called with the bound address once
/// requests are answered.
///
/// # Errors
/// [`HostError`] if the contest cannot be opened, its programs cannot be confined as its file
/// requires, or the address cannot be bound.
pub fn serve(
    serving: &ServeOptions<'_>,
    ready: impl FnOnce(SocketAddr),
    stop: impl Fn() -> bool,
) -> Result<(), HostError> {
    let ServeOptions { folder, catalog, launcher, address, kits, ref workers } = *serving;
    let contest = Arc::new(Contest::open(folder, catalog, launcher)?);
    let store = contest.store();
    Store::open(&store)?;
    let options = Options {
        store,
        catalog: catalog.clone().with_files_of_records(FilesOfRecords::Never),
        allow_play: false,
        matches: <_>::default(),
        frames: Vec::new(),
        workers: None,
    };
    let elsewhere = workers.clone().map(|workers| Elsewhere::new(&contest, workers)).transpose()?;
    let referee = Referee::start(&contest, elsewhere)?;
    let config = &contest.config;
    let scenarios: Vec<String> =
        config.scenarios.iter().map(|scenario| example_of(config.pinned(scenario))).collect();
    let kits = kits(&contest.config.game, &scenarios);
    let network = if address.ip().is_unspecified() { own_address() } else { None };
    let requests::ContestSite { pages, head, matches } =
        requests::site(Arc::clone(&contest), kits, network);
    let (base, is_behind_proxy) = (config.path.clone(), config.https);
    let matches = Some(matches);
    let site = Site { pages, links: LINKS, head, matches, base, is_behind_proxy };
    let served = quintain_web::serve_with(options, Some(site), address, ready, stop);
    referee.end();
    Ok(served?)
}
