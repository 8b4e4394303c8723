//! `quintain workers`: who works on what at a server.

use std::io::Write;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use indicatif::HumanDuration;
use quintain_fleet::{Coordinator, Worker, status};
use quintain_scene::clean;

use crate::failure::Failure;
use crate::lists::format_count;
use crate::server::{Credentials, server};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The NATS server, such as nats://host:4222; several of a cluster joined by commas
    #[arg(long, value_name = "ADDRESS")]
    on: String,
    /// As JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    credentials: Credentials,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let server = server(&args.on, &args.credentials)?;
    let status = status(&server)?;
    if args.json {
        let text = serde_json::to_string_pretty(&status).expect("a status has JSON");
        return Ok(writeln!(out, "{text}")?);
    }
    match status.coordinators.len() {
        0 => writeln!(out, "no tournament is handed out at {server}")?,
        count => writeln!(out, "{} handed out at {server}", format_count(count, "tournament"))?,
    }
    for coordinator in &status.coordinators {
        let Coordinator { tournament, game, who, total, done, rate, seen_ms, .. } = coordinator;
        let (tournament, game, who) = (clean(tournament), clean(game), clean(who));
        let said = format!("{tournament} ({game}): {done} of {total} matches, {rate:.0}/s");
        writeln!(out, "  {said}; coordinator {who}, {}", describe_last_seen(*seen_ms))?;
    }
    let threads = status.workers.iter().map(|worker| worker.threads).sum();
    let (workers, threads) =
        (format_count(status.workers.len(), "worker"), format_count(threads, "thread"));
    writeln!(out, "{workers} with {threads}")?;
    for worker in &status.workers {
        let Worker { who, version, threads, played, playing, refuses, seen_ms, .. } = worker;
        let batch = |(name, count): &(String, usize)| format!("{} ({count})", clean(name));
        let playing: Vec<String> = playing.iter().map(batch).collect();
        let playing = match playing.is_empty() {
            true => "waiting".to_owned(),
            false => format!("playing {}", playing.join(", ")),
        };
        let (who, version, threads) =
            (clean(who), clean(version), format_count(*threads, "thread"));
        let seen = describe_last_seen(*seen_ms);
        writeln!(out, "  {who} ({version}), {threads}: {playing}; {played} played; {seen}")?;
        for line in refuses {
            writeln!(out, "    refuses {}", clean(line))?;
        }
    }
    Ok(())
}

/// How long ago somebody was heard of.
fn describe_last_seen(seen_ms: u64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let ago = now.saturating_sub(Duration::from_millis(seen_ms));
    match ago.as_secs() {
        0..10 => "there now".to_owned(),
        _ => format!("silent for {}", HumanDuration(Duration::from_secs(ago.as_secs()))),
    }
}
