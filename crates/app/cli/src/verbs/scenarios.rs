//! `quintain scenarios`: where matches can be played.

use std::io::Write;

use quintain_core::Catalog;

use crate::failure::Failure;
use crate::lists::{self, Listing};
use crate::options;

#[derive(clap::Args)]
#[command(after_help = "To set parameters, write \"NAME?parameter=value&parameter=value\" \
    (the shell needs the quotes). A game's first scenario is its default.")]
pub(crate) struct Args {
    /// Only the scenarios of this game, or only this scenario
    #[arg(value_name = "GAME|GAME:SCENARIO")]
    wanted: Option<String>,
    #[arg(long, help = options::JSON)]
    json: bool,
}

pub(crate) fn run(args: &Args, catalog: &Catalog, out: &mut dyn Write) -> Result<(), Failure> {
    let listing = Listing { noun: "scenario", separator: ':', of: |entry| entry.scenarios() };
    lists::run(&listing, args.wanted.as_deref(), args.json, catalog, out)
}
