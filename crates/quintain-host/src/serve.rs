//! A contest, served: the pages beside those of the store of its matches, and the referee.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use quintain_core::Catalog;
use quintain_store::Store;
use quintain_web::Options;

use crate::contest::Contest;
use crate::error::HostError;
use crate::referee::Referee;
use crate::requests;

/// Serves a contest until `stop` returns true. `launcher` is an executable that calls
/// [`quintain_bots::take_over_if_asked`] before anything else; `ready` is called with the bound
/// address once requests are answered.
///
/// # Errors
/// [`HostError`] if the contest cannot be opened, its programs cannot be confined as it wants, or the
/// address cannot be bound.
pub fn serve(
    folder: &Path,
    catalog: &Catalog,
    launcher: &Path,
    address: SocketAddr,
    ready: impl FnOnce(SocketAddr),
    stop: impl Fn() -> bool,
) -> Result<(), HostError> {
    let contest = Arc::new(Contest::open(folder, catalog, launcher)?);
    let store = contest.store();
    Store::open(&store)?;
    let options = Options {
        store,
        catalog: catalog.clone(),
        allow_play: false,
        matches: <_>::default(),
        workers: None,
    };
    let referee = Referee::start(&contest)?;
    let site = requests::router(Arc::clone(&contest));
    let served = quintain_web::serve_with(options, Some(site), address, ready, stop);
    referee.end();
    Ok(served?)
}
