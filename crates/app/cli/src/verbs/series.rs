//! A series of tournaments: its parts one after the other, then one rating over all of them. A file
//! without parts is a single tournament.

use std::io::Write;
use std::num::NonZeroU64;
use std::time::Duration;

use quintain_arena::Series;
use quintain_report::{StandingsFormat, render_series};
use quintain_scene::clean;

use super::tournament::{
    self, Args, check_matches, command_again, cost, play, report_changes, warn_of_memory,
    watch_signals,
};
use crate::bundled::{self, Source};
use crate::context::Context;
use crate::failure::Failure;
use crate::messages::print_notice;
use crate::plain::{clean_lines, escape_json};
use crate::verbs::standings::Format;
use crate::{screen, sources};

/// Plays what a tournament's file asks for: one tournament, or a series of them.
pub(crate) fn run(args: &Args, context: &Context<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    let source = bundled::find(&args.file)?;
    match Series::is_series(&source.text) {
        true => run_series(args, source, context, out),
        false => tournament::run(args, context, out),
    }
}

fn run_series(
    args: &Args,
    source: Source,
    context: &Context<'_>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let Source { text, file } = source.with_seeds(args.seeds);
    if args.shard.is_some() {
        let file = args.file.display();
        return Err(Failure::Usage(format!(
            "{file}: a series has parts that are played in turn; leave out --shard, or share the \
             work with --on"
        )));
    }
    let series = Series::parse(&text, &file, &args.players, context.catalog)?;
    let path = sources::store_path(args.store.as_deref());
    if args.dry_run {
        let how = (args.share(), args.thread_count());
        return series.tournaments().try_for_each(|part| cost::print(part, how, &path, out));
    }
    let mut store = sources::open_store(&path)?;
    let stop = watch_signals(args);
    let (mut runs, mut played, mut elapsed) = (Vec::new(), 0, Duration::ZERO);
    for part in series.tournaments() {
        if !args.quiet {
            report_changes(&store, part)?;
            if args.on.is_none() {
                warn_of_memory(context, part, args.thread_count());
            }
        }
        let summary = play(args, part, &mut store, &stop)?;
        played += summary.played;
        elapsed += summary.elapsed;
        runs.push(store.tournament_by_number(summary.tournament.number())?);
        check_matches(&summary)?;
    }
    let standings = series.standings(&store, &runs)?;
    let format = match args.format {
        Format::Table => StandingsFormat::Table { width: screen::terminal_width() },
        Format::Md => StandingsFormat::Markdown,
        Format::Csv => StandingsFormat::Csv,
        Format::Json => StandingsFormat::Json,
    };
    let text = render_series(&standings, format);
    let text = match format {
        StandingsFormat::Json => escape_json(&text),
        _ => clean_lines(&text),
    };
    out.write_all(text.as_bytes())?;
    let option = sources::store_option(args.store.as_deref());
    let mut lines = format!("\n{played} matches played in {:.1} s", elapsed.as_secs_f64());
    lines += &format!("\nrecords in {}", path.display());
    if let Some(part) = series.tournaments().next() {
        lines += &format!("\none game: quintain standings {}{option}", clean(part.name()));
    }
    let seeds = standings.open.and_then(|open| open.more_seeds);
    let own = series.tournaments().map(|part| part.schedule().rounds()).max().unwrap_or(0);
    // So many would tell that players are equal for all that counts.
    if let Some(more) = seeds.filter(|more| *more <= 20 * own) {
        let more = args.with_seeds(NonZeroU64::new(own + more));
        lines += &format!("\nplay more seeds: {}", command_again(&more));
    }
    match args.format {
        Format::Table => writeln!(out, "{lines}")?,
        _ if args.quiet => {}
        _ => lines.trim_start().lines().for_each(print_notice),
    }
    Ok(())
}
