//! `quintain scenarios`: where matches can be played.

use std::io::Write;

use quintain_core::Catalog;

use crate::failure::Failure;
use crate::lists;

#[derive(clap::Args)]
#[command(after_help = "A scenario is set up as NAME?parameter=value&parameter=value, \
    in quotes for the shell. A game's first scenario is its default.")]
pub(crate) struct Args {
    /// Only this game's
    game: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, catalog: &Catalog, out: &mut dyn Write) -> Result<(), Failure> {
    lists::run(args.game.as_deref(), args.json, catalog, ':', |entry| entry.scenarios(), out)
}
