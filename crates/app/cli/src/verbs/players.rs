//! `quintain players`: the rosters.

use std::io::Write;

use quintain_core::Catalog;

use crate::failure::Failure;
use crate::lists::{self, Listing};
use crate::options;

#[derive(clap::Args)]
#[command(after_help = "To set parameters, write \"NAME?parameter=value&parameter=value\" \
    (the shell needs the quotes).")]
pub(crate) struct Args {
    /// Only the players of this game, or only this player
    #[arg(value_name = "GAME|GAME/PLAYER")]
    wanted: Option<String>,
    #[arg(long, help = options::JSON)]
    json: bool,
}

pub(crate) fn run(args: &Args, catalog: &Catalog, out: &mut dyn Write) -> Result<(), Failure> {
    let listing = Listing { noun: "player", separator: '/', of: |entry| entry.players() };
    lists::run(&listing, args.wanted.as_deref(), args.json, catalog, out)
}
