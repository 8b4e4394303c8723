//! `quintain workers`: the tournaments and workers at a server.

use std::io::Write;

use crate::failure::Failure;
use crate::fleet;
use crate::server::Credentials;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The NATS server, such as nats://host:4222; several servers of a cluster, separated by commas
    #[arg(long, value_name = "ADDRESS", env = "QUINTAIN_ON")]
    on: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    credentials: Credentials,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let server = fleet::server(&args.on, &args.credentials)?;
    fleet::write_status(&server, args.json, out)
}
