//! A trained network with its search as a program that needs no files: it speaks the protocol of
//! programs, and built for `wasm32-wasip1` it is a module that any contest of Quintain takes. The
//! network is chosen when this is built (docs/league.md):
//!
//! ```sh
//! NETWORK=$PWD/network.safetensors PLAYER='puct?net=tron&simulations=100' \
//!     cargo build --release --target wasm32-wasip1 -p network-module
//! ```

use std::error::Error;
use std::io::{stdin, stdout};

use quintain_core::{Budget, Catalog, Entry, Rules};
use quintain_net::file::NetworkFile;
use quintain_protocol::serve::PlayerServer;

static NETWORK: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/network"));

/// The player, whose network has the name of its game. The network alone decides if none is given.
const PLAYER: Option<&str> = option_env!("PLAYER");

/// Gives a game this network in place of the one that comes with it.
fn with_network<R: Rules>(entry: Entry<R>) -> Entry<R> {
    quintain_net::add_to(entry.network(NETWORK))
}

fn main() -> Result<(), Box<dyn Error>> {
    let catalog = Catalog::new()
        .with(with_network(quintain_tron::entry()))
        .with(with_network(quintain_polymer::entry()))
        .with(with_network(quintain_gather::entry()))
        .with(with_network(quintain_hextris::entry()))
        .with(with_network(quintain_pentocity::entry()));
    let network = NetworkFile::read("the network", NETWORK)?;
    let game = network.header.game.as_str();
    let player = PLAYER.map_or_else(|| format!("net?file={game}"), str::to_owned);
    let player = catalog.player(game, &player)?;
    let server =
        PlayerServer { catalog: &catalog, game, player: &player, budget: Budget::default() };
    server.serve(&mut stdin().lock(), &mut stdout().lock())?;
    Ok(())
}
