//! `quintain worker`: plays matches of all tournaments that are handed out at a server.

use std::io::Write;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use quintain_arena::RunOptions;
use quintain_core::Catalog;
use quintain_report::count_of;

use crate::failure::Failure;
use crate::lists::format_count;
use crate::messages::print_notice;
use crate::server::Credentials;
use crate::usage::{person, positive, time};
use crate::{fleet, options, stop};

#[derive(clap::Args)]
pub(crate) struct Args {
    #[arg(long, value_name = "ADDRESS")]
    #[arg(help = options::with(options::ON, options::CLUSTER))]
    on: String,
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = positive::<NonZeroUsize>)]
    #[arg(help = options::with(options::THREADS, options::ONE_PER_CORE))]
    threads: Option<NonZeroUsize>,
    /// End after this long without anything to play, such as 90s or 10min
    #[arg(long, value_name = "TIME", allow_negative_numbers = true, value_parser = time)]
    idle: Option<Duration>,
    /// Also play programs that coordinators and hosts of contests send; they are confined as
    /// --sandbox says, which must not be off
    #[arg(long)]
    take_programs: bool,
    /// Whose machine this is, for the list of workers and of what each machine has played
    #[arg(long, value_name = "NAME", value_parser = person)]
    owner: Option<String>,
    #[command(flatten)]
    credentials: Credentials,
}

impl Args {
    /// Returns whether this worker plays programs that hosts of contests send.
    pub(crate) fn takes_programs(&self) -> bool {
        self.take_programs
    }
}

/// Runs the worker. The catalog may have programs that this machine lists. `makers` make players
/// from programs that hosts send, and from modules that any coordinator sends.
pub(crate) fn run(
    args: &Args,
    (catalog, lists_programs): (&Catalog, bool),
    makers: [Option<Arc<fleet::MakePlayer>>; 2],
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let server = fleet::server(&args.on, &args.credentials)?;
    let threads = args.threads.map_or(RunOptions::default().threads, NonZeroUsize::get);
    print_notice(&format!("worker on {server}, {}", format_count(threads, "thread")));
    let stop = stop::watch_signals();
    let about = (args.idle, args.owner.clone(), lists_programs);
    let summary = fleet::work(&server, catalog, threads, stop, about, makers)?;
    let (matches, batches) = (summary.matches, summary.batches);
    Ok(writeln!(out, "{} in {} played", count_of(matches, "match"), count_of(batches, "batch"))?)
}
