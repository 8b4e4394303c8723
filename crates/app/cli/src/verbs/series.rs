//! A series of tournaments: its parts one after the other, then one rating over all of them. A file
//! without parts is a single tournament.

use std::collections::BTreeMap;
use std::io::Write;
use std::num::NonZeroU64;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use quintain_arena::Series;
use quintain_report::{StandingsFormat, count_of, render_series};
use quintain_scene::clean;
use quintain_standings::series::SeriesStandings;
use quintain_store::{Store, TournamentInfo};

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
    let source = source.with_seeds(args.seeds);
    if args.shard.is_some() {
        let file = args.file.display();
        return Err(Failure::Usage(format!(
            "{file}: a series has parts that are played in turn; leave out --shard, or share the \
             work with --on"
        )));
    }
    let series = Series::parse(&source.text, &source.file, &args.players, context.catalog)?;
    let path = sources::store_path(args.store.as_deref());
    if args.dry_run {
        let how = (args.share(), args.thread_count());
        return series.tournaments().try_for_each(|part| cost::print(part, how, &path, out));
    }
    let mut store = sources::open_store(&path)?;
    let Played { series, runs, left_out, done } =
        play_all(args, &source, series, context, &mut store)?;
    let standings = series.standings(&store, &runs)?;
    write_standings(args, &standings, out)?;
    let lines = describe_played(args, &series, &standings, &done, &path);
    match args.format {
        Format::Table => writeln!(out, "{lines}")?,
        _ if args.quiet => {}
        _ => lines.trim_start().lines().for_each(print_notice),
    }
    report_left_out(&left_out)
}

/// A series that was played to its end.
struct Played {
    /// The series without the players that were left out.
    series: Series,
    /// Its parts in the store.
    runs: Vec<TournamentInfo>,
    left_out: LeftOut,
    done: Done,
}

/// Plays the parts, and leaves out players that cannot play, until no others turn up.
fn play_all(
    args: &Args,
    source: &Source,
    mut series: Series,
    context: &Context<'_>,
    store: &mut Store,
) -> Result<Played, Failure> {
    let Source { text, file } = source;
    let stop = watch_signals(args);
    let mut left_out = match args.on.is_none() {
        true => find_refusals(&series, context),
        false => LeftOut::new(),
    };
    let mut done = Done::default();
    let mut new: Vec<String> = left_out.keys().cloned().collect();
    loop {
        for player in &new {
            print_notice(&format!("left out: {}: {}", clean(player), clean(&left_out[player])));
        }
        if let Some((player, why)) = left_out.first_key_value()
            && series.players().iter().all(|player| left_out.contains_key(player))
        {
            return Err(Failure::Failed(format!("nobody can play; {player}: {why}")));
        }
        if !new.is_empty() {
            let is_out = |player: &str| left_out.contains_key(player);
            series = Series::parse_without(text, file, &args.players, &is_out, context.catalog)?;
        }
        match play_parts(args, &series, context, (store, &stop), &mut done)? {
            Ok(runs) => return Ok(Played { series, runs, left_out, done }),
            Err(more) => {
                new = more.keys().cloned().collect();
                left_out.extend(more);
            }
        }
    }
}

fn write_standings(
    args: &Args,
    standings: &SeriesStandings,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let format = match args.format {
        Format::Table => StandingsFormat::Table { width: screen::terminal_width() },
        Format::Md => StandingsFormat::Markdown,
        Format::Csv => StandingsFormat::Csv,
        Format::Json => StandingsFormat::Json,
    };
    let text = render_series(standings, format);
    let text = match format {
        StandingsFormat::Json => escape_json(&text),
        _ => clean_lines(&text),
    };
    Ok(out.write_all(text.as_bytes())?)
}

/// Describes what was played, where the results are, and what to do next.
fn describe_played(
    args: &Args,
    series: &Series,
    standings: &SeriesStandings,
    done: &Done,
    path: &Path,
) -> String {
    let option = sources::store_option(args.store.as_deref());
    let mut lines = format!(
        "\n{} played in {:.1} s",
        count_of(done.played, "match"),
        done.elapsed.as_secs_f64()
    );
    lines += &format!("\nrecords in {}", path.display());
    if let Some(part) = series.tournaments().next() {
        lines += &format!("\none game: quintain standings {}{option}", clean(part.name()));
    }
    let seeds = standings.open.as_ref().and_then(|open| open.more_seeds);
    let own = series.tournaments().map(|part| part.schedule().rounds()).max().unwrap_or(0);
    // So many would tell that players are equal for all that counts.
    if let Some(more) = seeds.filter(|more| *more <= 20 * own) {
        let more = args.with_seeds(NonZeroU64::new(own + more));
        lines += &format!("\nplay more seeds: {}", command_again(&more));
    }
    lines
}

/// Reports, at the end, that not everybody was rated.
fn report_left_out(left_out: &LeftOut) -> Result<(), Failure> {
    let Some(player) = left_out.keys().next() else { return Ok(()) };
    Err(Failure::Failed(format!(
        "{}; fix that, then run the same command again to rate everybody",
        match left_out.len() {
            1 => format!("{} was left out", clean(player)),
            count => format!("{count} players were left out"),
        }
    )))
}

/// Players that cannot play, and why.
type LeftOut = BTreeMap<String, String>;

/// What was played in this run.
#[derive(Default)]
struct Done {
    played: u64,
    elapsed: Duration,
    /// The parts whose changes have been reported.
    reported: usize,
}

/// The models that refuse the first question of their first match for good: with a wrong key, for
/// example.
fn find_refusals(series: &Series, context: &Context<'_>) -> LeftOut {
    let Some(part) = series.tournaments().next() else { return LeftOut::new() };
    let is_model = |player: &&String| player.starts_with("chat:");
    let refusals = series.players().iter().filter(is_model).filter_map(|player| {
        let fixture = part.schedule().fixtures().find(|fixture| fixture.seats.contains(player))?;
        Some((player.clone(), context.find_refusal(player, &fixture)?))
    });
    refusals.collect()
}

/// Plays the parts one after the other. Returns them as they are in the store, or the players that
/// have refused to play on.
fn play_parts(
    args: &Args,
    series: &Series,
    context: &Context<'_>,
    (store, stop): (&mut Store, &Arc<AtomicBool>),
    done: &mut Done,
) -> Result<Result<Vec<TournamentInfo>, LeftOut>, Failure> {
    let mut runs = Vec::new();
    for (number, part) in series.tournaments().enumerate() {
        if !args.quiet && number >= done.reported {
            done.reported = number + 1;
            report_changes(store, part)?;
            if args.on.is_none() {
                warn_of_memory(context, part, args.thread_count());
            }
        }
        let summary = play(args, part, store, stop)?;
        done.played += summary.played;
        done.elapsed += summary.elapsed;
        if summary.failed > 0 {
            let given_up = series
                .players()
                .iter()
                .filter_map(|player| Some((player.clone(), context.given_up(player)?)));
            let given_up: LeftOut = given_up.collect();
            if !given_up.is_empty() {
                return Ok(Err(given_up));
            }
        }
        check_matches(&summary)?;
        runs.push(store.tournament_by_number(summary.tournament.number())?);
    }
    Ok(Ok(runs))
}
