//! A trained network with its search as a program that needs no files: it speaks the protocol of
//! programs, and built for `wasm32-wasip1` it is a module that any contest of Quintain takes. The
//! network is chosen when this is built ([how](../../../docs/league.md)).

use std::error::Error;
use std::io::{stdin, stdout};

use quintain_core::{Budget, Catalog, Entry, Rules};
use quintain_net::file::NetworkFile;
use quintain_protocol::serve::PlayerServer;

static NETWORK: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/network"));

/// The player, which calls its network by the name of the game; without one, the network alone.
const PLAYER: Option<&str> = option_env!("PLAYER");

/// A game with this network in place of its own.
fn with_network<R: Rules>(entry: &Entry<R>) -> Entry<R> {
    quintain_net::add_to(entry.bare().network(NETWORK))
}

fn main() -> Result<(), Box<dyn Error>> {
    let catalog = Catalog::new();
    #[cfg(game = "tron")]
    let catalog = catalog.with(with_network(&quintain_tron::entry()));
    #[cfg(game = "polymer")]
    let catalog = catalog.with(with_network(&quintain_polymer::entry()));
    #[cfg(game = "gather")]
    let catalog = catalog.with(with_network(&quintain_gather::entry()));
    #[cfg(game = "hextris")]
    let catalog = catalog.with(with_network(&quintain_hextris::entry()));
    #[cfg(game = "pentocity")]
    let catalog = catalog.with(with_network(&quintain_pentocity::entry()));

    let network = NetworkFile::read("the network", NETWORK)?;
    let game = network.header.game.as_str();
    let player = PLAYER.map_or_else(|| format!("net?file={game}"), str::to_owned);
    let player = catalog.player(game, &player)?;
    let server =
        PlayerServer { catalog: &catalog, game, player: &player, budget: Budget::default() };
    server.serve(&mut stdin().lock(), &mut stdout().lock())?;
    Ok(())
}
