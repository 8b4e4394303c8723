//! `quintain worker`: plays matches of whatever tournaments are handed out at a server.

use std::io::Write;
use std::num::NonZeroUsize;
use std::time::Duration;

use quintain_arena::RunOptions;
use quintain_core::Catalog;
use quintain_fleet::WorkerOptions;
use quintain_scene::clean;

use crate::failure::Failure;
use crate::lists::format_count;
use crate::server::{Credentials, server};
use crate::stop;
use crate::usage::{positive, seconds};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The NATS server, such as nats://host:4222; several of a cluster joined by commas
    #[arg(long, value_name = "ADDRESS")]
    on: String,
    /// Threads that play [default: one a core]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = positive::<NonZeroUsize>)]
    threads: Option<NonZeroUsize>,
    /// End after so many seconds without anything to play
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = seconds)]
    idle: Option<f64>,
    #[command(flatten)]
    credentials: Credentials,
}

pub(crate) fn run(args: &Args, catalog: &Catalog, out: &mut dyn Write) -> Result<(), Failure> {
    let server = server(&args.on, &args.credentials)?;
    let options = WorkerOptions {
        threads: args.threads.map_or(RunOptions::default().threads, NonZeroUsize::get),
        stop: stop::watch_signals(),
        idle: args.idle.map(Duration::from_secs_f64),
    };
    eprintln!("worker on {server}, {}", format_count(options.threads, "thread"));
    let summary =
        quintain_fleet::work(&server, catalog, &options, |line| eprintln!("{}", clean(line)))?;
    let batches = if summary.batches == 1 { "batch" } else { "batches" };
    Ok(writeln!(out, "{} matches in {} {batches} played", summary.matches, summary.batches)?)
}
