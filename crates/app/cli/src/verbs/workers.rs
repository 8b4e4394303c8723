//! `quintain workers`: the tournaments and workers at a server.

use std::io::Write;

use crate::failure::Failure;
use crate::fleet;
use crate::options;
use crate::server::Credentials;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[arg(long, value_name = "ADDRESS")]
    #[arg(help = options::with(options::ON, options::CLUSTER))]
    on: String,
    #[arg(long, help = options::JSON)]
    json: bool,
    #[command(flatten)]
    credentials: Credentials,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let server = fleet::server(&args.on, &args.credentials)?;
    fleet::write_status(&server, args.json, out)
}
