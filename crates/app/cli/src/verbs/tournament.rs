//! `quintain tournament`: plays the matches that a tournament file asks for and the store does not
//! have yet, and shows the standings.

mod answer;
pub(super) mod cost;

use std::io::{IsTerminal, Write};
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressStyle};
use quintain_arena::{
    Executor, Pairing, RunOptions, RunProgress, RunSummary, Shard, Threads, Tournament,
    describe_changes, run_on, standings_of,
};
use quintain_report::count_of;
use quintain_scene::{clean, quote};
use quintain_standings::{Certainty, describe_faults};
use quintain_store::{DIFFERENCE_CAUSES, Store, TournamentInfo};

use crate::board::{debug_command, format_number};
use crate::context::Context;
use crate::failure::Failure;
use crate::lists::format_count;
use crate::messages::{list_briefly, print_notice};
use crate::server::HandOut;
use crate::silence::{Silence, describe_silence};
use crate::usage::positive;
#[cfg(feature = "programs")]
use crate::verbs::compare::{note_names, pin_revision};
use crate::verbs::standings::{self, Format};
use crate::{bundled, fleet, options, server, sources, stop};

#[derive(Clone, clap::Args)]
pub(crate) struct Args {
    #[arg(value_name = "FILE|NAME", help = file_help())]
    pub(super) file: PathBuf,
    #[arg(long, value_name = "FILE")]
    #[arg(help = options::with(options::STORE, options::DEFAULT_STORE))]
    pub(super) store: Option<PathBuf>,
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = positive::<NonZeroUsize>, visible_alias = "concurrency")]
    #[arg(help = options::with(
        options::THREADS,
        "(within a match, one player thinks at a time) [default: one per core]",
    ))]
    threads: Option<NonZeroUsize>,
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = positive::<NonZeroU64>)]
    #[arg(help = options::with(options::SEEDS, "(instead of the file's number)"))]
    pub(super) seeds: Option<NonZeroU64>,
    /// Players that are rated in a series of tournaments, such as models: chat:a,chat:b
    #[arg(long = "with", value_name = "PLAYER", value_delimiter = ',')]
    pub(super) players: Vec<String>,
    /// Play only part PART of PARTS equal parts, such as 3/64, to share the work among machines.
    /// Give each part its own store, and merge the stores with `quintain merge`
    #[arg(long, value_name = "PART/PARTS")]
    pub(super) shard: Option<Shard>,
    #[arg(long, value_name = "ADDRESS", conflicts_with = "threads", help = options::with(
        options::ON,
        "(whose workers play the matches: see `quintain worker`)",
    ))]
    pub(super) on: Option<String>,
    #[arg(short = 'n', long, conflicts_with = "on", help = options::with(
        options::DRY_RUN,
        "(how many matches the file means, and about how long they take; to measure that, some are \
         played for up to 10 s and not kept, in which models are asked)",
    ))]
    pub(super) dry_run: bool,
    #[arg(short, long, help = options::with(options::YES, "(however long it takes)"))]
    yes: bool,
    #[arg(long, value_enum, default_value_t = Format::Table, help = options::FORMAT)]
    pub(super) format: Format,
    #[arg(short, long, help = options::QUIET)]
    pub(super) quiet: bool,
    #[command(flatten)]
    hand_out: HandOut,
}

fn file_help() -> String {
    format!(
        "The tournament file (TOML), or the name of one that comes with quintain: {}",
        bundled::names()
    )
}

impl Args {
    /// Returns the folder of the tournament's file.
    #[cfg(feature = "programs")]
    pub(crate) fn folder(&self) -> Option<&Path> {
        let folder =
            bundled::file_of(&self.file).is_file().then(|| self.file.parent()).flatten()?;
        Some(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
    }

    /// The same with another number of seeds.
    pub(super) fn with_seeds(&self, seeds: Option<NonZeroU64>) -> Args {
        Args { seeds, ..self.clone() }
    }

    pub(super) fn share(&self) -> Shard {
        self.shard.unwrap_or(Shard::WHOLE)
    }

    /// Whether all of it is played on this machine.
    fn is_whole(&self) -> bool {
        self.shard.is_none() && self.on.is_none()
    }

    /// The number of threads that play on this machine.
    pub(super) fn thread_count(&self) -> usize {
        self.threads.map_or(RunOptions::default().threads, NonZeroUsize::get)
    }

    /// Returns the executor that plays the matches.
    fn executor(&self, tournament: &Tournament) -> Result<Box<dyn Executor>, Failure> {
        let Some(address) = &self.on else {
            return Ok(Box::new(Threads(self.thread_count())));
        };
        let server = fleet::server(address, &self.hand_out.credentials)?;
        Ok(fleet::executor(&server, tournament, self.share(), &self.hand_out, None))
    }
}

pub(crate) fn run(args: &Args, context: &Context<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    let path = sources::store_path(args.store.as_deref());
    let tournament = load(args, context, &path)?;
    check_allocation(args, &tournament)?;
    if args.dry_run {
        warn_of_memory(context, &tournament, args.thread_count());
        return cost::print(&tournament, (args.share(), args.thread_count()), &path, out);
    }
    let mut store = sources::open_store(&path)?;
    name_revisions(args, context, &mut store)?;
    if !args.quiet {
        report_changes(&store, &tournament)?;
        warn_of_fixed_scenarios(&tournament);
        if args.on.is_none() {
            warn_of_memory(context, &tournament, args.thread_count());
        }
    }
    let summary = play(args, &tournament, &mut store, &watch_signals(args))?;
    let info = store.tournament_by_number(summary.tournament.number())?;
    let standings = standings_of(&store, &info)?;
    let certainty = standings.certainty.clone();
    standings::write(standings, (&store, &info, context.catalog), (args.format, false), out)?;
    let mut lines = describe_run(&path, &summary);
    if let Some(answer) = &summary.answer {
        lines = answer::describe(answer, summary.total) + &lines;
    }
    lines += &suggest_replays(args, context, &tournament, (&store, &summary))?;
    if let Some(seeds) = wanted_seeds(&tournament, &certainty).filter(|_| args.is_whole()) {
        let more = args.with_seeds(Some(seeds));
        lines.push_str(&format!("play more seeds: {}\n", command_again(&more)));
    }
    match args.format {
        Format::Table => out.write_all(lines.as_bytes())?,
        _ if args.quiet => {}
        _ => lines.lines().for_each(print_notice),
    }
    check_matches(&summary)?;
    report_left_out(&tournament, &info)
}

/// Loads the tournament that is to be played, with as many seeds as its last run, and says who is
/// left out of it.
fn load(args: &Args, context: &Context<'_>, path: &Path) -> Result<Tournament, Failure> {
    let catalog = context.catalog;
    // Parts of a tournament fit together only if all of them have the same players.
    let leaves_out = |player: &str| context.unusable(player).filter(|_| args.is_whole());
    let mut tournament = bundled::load(&args.file, args.seeds, catalog, &leaves_out)?;
    if let Some(player) = args.players.first() {
        return Err(Failure::Usage(format!(
            "--with {player} is for series of tournaments, such as `quintain tournament models`; \
             the players of {} stand in the file",
            args.file.display()
        )));
    }
    if args.seeds.is_none()
        && let Some(seeds) = find_more_seeds(path, &tournament)?
    {
        if !args.quiet {
            let (name, own) = (clean(tournament.name()), tournament.schedule().rounds());
            print_notice(&format!(
                "{name}: {seeds} seeds, as in its last run (--seeds {own} for the file's number)"
            ));
        }
        tournament = bundled::load(&args.file, Some(seeds), catalog, &leaves_out)?;
    }
    for why in tournament.left_out() {
        print_notice(&format!("left out: {}", clean(why)));
    }
    Ok(tournament)
}

/// Notes in the store what people call the versions that revisions are, and says which they are.
#[cfg(feature = "programs")]
fn name_revisions(args: &Args, context: &Context<'_>, store: &mut Store) -> Result<(), Failure> {
    let revisions = context.programs.named_revisions();
    let versions = revisions.iter().map(|(named, player)| (player, named));
    note_names(store, context.programs, versions)?;
    if !args.quiet {
        for (named, player) in &revisions {
            pin_revision(context.programs, (player, named), false)?;
        }
    }
    Ok(())
}

/// Without programs there are no revisions.
#[cfg(not(feature = "programs"))]
fn name_revisions(_: &Args, _: &Context<'_>, _: &mut Store) -> Result<(), Failure> {
    Ok(())
}

/// The commands that show what was played: a fault of each player that had one, and the first
/// match.
fn suggest_replays(
    args: &Args,
    context: &Context<'_>,
    tournament: &Tournament,
    (store, summary): (&Store, &RunSummary),
) -> Result<String, Failure> {
    let mut lines = String::new();
    let option = sources::store_option(args.store.as_deref());
    for player in summary.faults_of.keys() {
        if let Some(id) = store.find_fault(summary.tournament, player)? {
            let found = (&id[..8], option.as_str());
            let command = debug_command(context.catalog, tournament.game(), player, found);
            let debug = command
                .map_or(String::new(), |command| format!("; to ask it again: {}", clean(&command)));
            let player = clean(player);
            lines += &format!("a fault of {player}: quintain replay {}{option}{debug}\n", &id[..8]);
        }
    }
    let first = tournament.schedule().fixture(0).id();
    if store.get(&first).is_ok() {
        lines.push_str(&format!("watch one: quintain replay {}{option}\n", &first[..8]));
    }
    Ok(lines)
}

/// Ends the matches in progress when the user asks for it.
pub(super) fn watch_signals(args: &Args) -> Arc<AtomicBool> {
    stop::watch_signals_with_notice(match args.quiet {
        true => "",
        false => {
            "stopping: matches in progress are dropped, finished ones are kept (Ctrl-C again stops \
             at once)…"
        }
    })
}

/// Plays what the store lacks of a tournament.
pub(super) fn play(
    args: &Args,
    tournament: &Tournament,
    store: &mut Store,
    stop: &Arc<AtomicBool>,
) -> Result<RunSummary, Failure> {
    let executor = args.executor(tournament)?;
    let share = args.share();
    if !args.yes && args.on.is_none() {
        cost::confirm(tournament, (share, args.thread_count()), store, stop, &command_again(args))?;
    }
    let mut display = ProgressDisplay::new(tournament, args.shard, args.quiet);
    let summary = run_on(&*executor, tournament, share, store, stop, &mut |progress| {
        display.update(progress);
    });
    display.clear();
    let summary = summary?;
    tracing::info!(?summary, "played");
    if summary.stopped {
        // The run may have been stopped before it had counted the existing records.
        let played = store.count_played(summary.tournament)?;
        return Err(report_stop(args, store.path(), played, summary.total));
    }
    Ok(summary)
}

/// Reports, at the end, that the tournament was not the one that its file means.
fn report_left_out(tournament: &Tournament, info: &TournamentInfo) -> Result<(), Failure> {
    let who = match tournament.left_out().len() {
        0 => return Ok(()),
        1 => "one player was".to_owned(),
        count => format!("{count} players were"),
    };
    let counts = match info.superseded_by {
        Some(whole) => format!(
            "; for `quintain standings`, run {} counts, in which all played",
            whole.number()
        ),
        None => String::new(),
    };
    Err(Failure::Failed(format!(
        "{who} left out{counts}; fix that, then run the same command again to play the missing \
         matches"
    )))
}

/// The number of seeds of the last run of this very file, if that was given more by `--seeds`: the
/// same command goes on with them, rather than hide what they told.
fn find_more_seeds(path: &Path, tournament: &Tournament) -> Result<Option<NonZeroU64>, Failure> {
    if !path.exists() {
        return Ok(None);
    }
    let all = Store::open_to_read(path)?.tournaments()?;
    let last = all.iter().find(|known| known.name == tournament.name());
    let seeds = last.and_then(|last| standings::seeds_by_option(last, tournament));
    Ok(seeds.filter(|seeds| seeds.get() > tournament.schedule().rounds()))
}

/// The number of seeds that would tell the players of the nearest open question apart; `None` where
/// nothing is open, or the tournament decides by itself how much it plays.
fn wanted_seeds(tournament: &Tournament, certainty: &Certainty) -> Option<NonZeroU64> {
    if tournament.question().is_some() || certainty.is_withheld {
        return None;
    }
    let more = match certainty.missing_seeds {
        0 => certainty.open.as_ref()?.more_seeds?,
        missing => missing,
    };
    // So many would tell that players are equal for all that counts.
    const MOST: u64 = 20;
    let rounds = tournament.schedule().rounds();
    NonZeroU64::new(rounds + more).filter(|_| more <= MOST * rounds)
}

/// Refuses to share out a tournament that decides on the way what it plays.
fn check_allocation(args: &Args, tournament: &Tournament) -> Result<(), Failure> {
    let without = match (args.shard, &args.on) {
        (Some(_), _) => "leave out --shard".to_owned(),
        (_, Some(address)) => server::leave_out_on(address),
        _ => return Ok(()),
    };
    let (which, instead) = match (tournament.pairing(), tournament.question()) {
        (Pairing::Swiss { .. }, _) => ("a Swiss tournament", "have everybody meet everybody"),
        (Pairing::Knockout, _) => ("a knockout", "have everybody meet everybody"),
        (_, Some(_)) => ("allocate = \"close pairs\"", "write allocate = \"equal\""),
        _ => return Ok(()),
    };
    Err(Failure::Usage(format!(
        "{}: {which} needs all results at hand to go on; {without}, or {instead}",
        args.file.display()
    )))
}

/// Reports what has changed since the last run with this name, so that no one mistakes old results
/// for new ones, or wonders why matches are played again.
pub(super) fn report_changes(store: &Store, tournament: &Tournament) -> Result<(), Failure> {
    let all = store.tournaments()?;
    let counts =
        |known: &&TournamentInfo| known.name == tournament.name() && known.superseded_by.is_none();
    let Some(before) = all.iter().find(counts) else { return Ok(()) };
    let mut changes = describe_changes(&before.definition, tournament.definition());
    if before.seeds() < tournament.schedule().rounds() {
        // More seeds supersede nothing.
        changes.retain(|change| !change.starts_with("seeds: "));
    }
    if !changes.is_empty() {
        let (name, on) = (clean(tournament.name()), &before.run_on);
        let which = match tournament.left_out().is_empty() || before.is_partial {
            true => "which this run supersedes",
            false => "which still counts, because this run leaves out players",
        };
        print_notice(&format!("{name}: changed since its last run ({on}), {which}"));
        for change in changes {
            print_notice(&format!("  {}", clean(&change)));
        }
    }
    Ok(())
}

/// Warns, before matches are played, about scenarios where more seeds tell nothing more.
fn warn_of_fixed_scenarios(tournament: &Tournament) {
    let schedule = tournament.schedule();
    let fixed: Vec<String> = schedule.fixed_scenarios().map(clean).collect();
    if !fixed.is_empty() {
        print_notice(&format!(
            "on {} the seed does not change the problem: players that draw nothing at random play \
             the same match {} times",
            list_briefly(&fixed),
            schedule.rounds()
        ));
    }
}

/// Warns, before matches are played, if programs may take more memory than there is. The heaviest
/// match is looked for among the first.
pub(super) fn warn_of_memory(context: &Context<'_>, tournament: &Tournament, at_once: usize) {
    const LOOKED_AT: u64 = 1000;
    let schedule = tournament.schedule();
    let players: Vec<&str> = schedule.players().collect();
    let first = 0..schedule.round_length().min(LOOKED_AT);
    let lineups = first.map(|index| schedule.numbers(index).lineup);
    let lineups: Vec<Vec<&str>> =
        lineups.map(|lineup| lineup.iter().map(|&player| players[player]).collect()).collect();
    context.warn_of_memory(at_once, &lineups);
}

/// Describes what was done, and where the results are.
fn describe_run(path: &Path, summary: &RunSummary) -> String {
    let mut line = format!(
        "{} played in {:.1} s",
        count_of(summary.played, "match"),
        summary.elapsed.as_secs_f64()
    );
    if summary.skipped > 0 {
        line.push_str(&format!(", {} were already in the store", summary.skipped));
    }
    if summary.faults > 0 {
        line.push_str(&format!(", {} lost by a fault", summary.faults));
    }
    for (player, kinds) in &summary.faults_of {
        line.push_str(&format!("\n  {}: {}", clean(player), describe_faults(kinds)));
    }
    for remark in &summary.remarks {
        line.push_str(&format!("\n{}", clean(remark)));
    }
    format!("\n{line}\nrecords in {}\n", path.display())
}

fn report_stop(args: &Args, path: &Path, played: u64, total: u64) -> Failure {
    print_notice(&format!(
        "stopped with {played} of {total} matches played, all of them in {}\n\
         to continue:      {}\n\
         standings so far: quintain standings{}",
        path.display(),
        command_again(args),
        sources::store_option(args.store.as_deref()),
    ));
    Failure::Stopped
}

/// Returns the command that continues, with all options of this one except passwords.
pub(super) fn command_again(args: &Args) -> String {
    let mut words = vec!["quintain".to_owned(), "tournament".to_owned()];
    words.push(quote(&args.file.display().to_string()));
    if !args.players.is_empty() {
        words.extend(["--with".to_owned(), quote(&args.players.join(","))]);
    }
    let mut add = |option: &str, value: Option<String>| {
        if let Some(value) = value {
            words.extend([option.to_owned(), quote(&value)]);
        }
    };
    add("--shard", args.shard.map(|share| share.to_string()));
    add("--on", args.on.as_deref().map(server::hide_password));
    let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
    args.hand_out.options().into_iter().for_each(|(option, value)| add(option, value));
    add("--seeds", args.seeds.map(|seeds| seeds.to_string()));
    add("--threads", args.threads.map(|threads| threads.to_string()));
    add("--store", path(&args.store));
    words.extend(args.yes.then(|| "--yes".to_owned()));
    words.join(" ")
}

/// Reports matches that left no record, or a different one than before.
pub(super) fn check_matches(summary: &RunSummary) -> Result<(), Failure> {
    for problem in &summary.failures {
        print_notice(&format!("no record: {}", clean(problem)));
    }
    if summary.failed > 0 {
        return Err(Failure::Failed(format!(
            "{} of {} matches could not be played; run the same command again once that is fixed",
            summary.failed, summary.total
        )));
    }
    match summary.conflicts.first() {
        Some(id) => {
            let matches = format_count(summary.conflicts.len(), "match");
            Err(Failure::Failed(format!(
                "{matches} ended differently from the records that another process has \
                 stored meanwhile (first: {id}); {DIFFERENCE_CAUSES}"
            )))
        }
        None => Ok(()),
    }
}

/// The display of the progress: a bar in a terminal, otherwise a line now and then.
enum ProgressDisplay {
    Nothing,
    Bar(ProgressBar, Silence),
    Lines { name: String, next: Instant, silence: Silence },
}

/// Time between two lines where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(10);

impl ProgressDisplay {
    fn new(tournament: &Tournament, shard: Option<Shard>, quiet: bool) -> ProgressDisplay {
        if quiet {
            return ProgressDisplay::Nothing;
        }
        let (name, silence) = (clean(tournament.name()), Silence::new());
        if !std::io::stderr().is_terminal() {
            let total = tournament.count_matches();
            match shard {
                Some(share) => print_notice(&format!("{name}: shard {share} of {total} matches")),
                None => {
                    let most = if tournament.question().is_some() { "at most " } else { "" };
                    print_notice(&format!("{name}: {most}{total} matches"));
                }
            }
            return ProgressDisplay::Lines { name, next: Instant::now() + LINE_EVERY, silence };
        }
        let bar = ProgressBar::new(tournament.count_matches());
        let style = ProgressStyle::with_template("{prefix} {bar:24} {pos}/{len} {wide_msg}")
            .expect("the template is well-formed")
            .progress_chars("━╸─");
        bar.set_style(style);
        bar.set_prefix(name);
        ProgressDisplay::Bar(bar, silence)
    }

    fn update(&mut self, progress: &RunProgress) {
        match self {
            ProgressDisplay::Nothing => {}
            ProgressDisplay::Bar(bar, silence) => {
                bar.set_length(progress.total);
                bar.set_position(progress.skipped + progress.done);
                bar.set_message(describe_progress(progress, silence.note(progress.done)));
            }
            ProgressDisplay::Lines { name, next, silence } => {
                let silent = silence.note(progress.done);
                if Instant::now() >= *next {
                    *next = Instant::now() + LINE_EVERY;
                    let played = progress.skipped + progress.done;
                    let more = describe_progress(progress, silent);
                    let comma = if more.is_empty() { "" } else { ", " };
                    print_notice(&format!("{name}: {played} of {}{comma}{more}", progress.total));
                }
            }
        }
    }

    fn clear(&self) {
        if let ProgressDisplay::Bar(bar, _) = self {
            bar.finish_and_clear();
        }
    }
}

/// Describes the rate, the time left and the leader, where nothing new has come for so long.
fn describe_progress(progress: &RunProgress, silent: Duration) -> String {
    let rate = progress.done as f64 / progress.elapsed.as_secs_f64().max(1e-9);
    let left = progress.total.saturating_sub(progress.skipped + progress.done);
    let mut parts = Vec::new();
    if progress.done > 0 {
        let decimals = if rate < 10.0 { 1 } else { 0 };
        parts.push(format!("{rate:.decimals$}/s"));
        // No one needs forecasts of more than a century.
        let seconds = (left as f64 / rate).min(3.2e9);
        let forecast = Duration::from_secs_f64(seconds);
        let waiting = describe_silence(forecast, silent);
        parts.push(waiting.unwrap_or_else(|| format!("{} left", HumanDuration(forecast))));
    }
    if let Some(leader) = &progress.leader {
        parts.push(format!(
            "leader {} (mean {})",
            clean(&leader.player),
            format_number(leader.mean)
        ));
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use quintain_arena::Leader;

    #[test]
    fn the_resume_command_has_no_passwords() {
        #[derive(clap::Parser)]
        struct Line {
            #[command(flatten)]
            args: Args,
        }
        let words = [
            "quintain",
            "my cup.toml",
            "--shard",
            "1/4",
            "--on",
            "tls://ann:secret@b:1",
            "--ca",
            "ca.pem",
            "--patience",
            "2",
            "--twice",
            "0.5",
            "--store",
            "it's.sqlite",
        ];
        let line = <Line as clap::Parser>::parse_from(words);
        assert_eq!(
            command_again(&line.args),
            "quintain tournament 'my cup.toml' --shard 1/4 --on tls://ann:PASSWORD@b:1 \
             --ca ca.pem --patience 2s --twice 0.5 --store 'it'\\''s.sqlite'"
        );
    }

    #[test]
    fn progress_tells_rate_time_left_and_leader() {
        let leader = Leader { player: "champion".to_owned(), mean: 0.7125, seats: 8 };
        let mut progress = RunProgress {
            done: 100,
            skipped: 500,
            total: 1000,
            elapsed: Duration::from_secs(10),
            leader: Some(leader),
        };
        assert_eq!(
            describe_progress(&progress, Duration::ZERO),
            "10/s, 40 seconds left, leader champion (mean 0.713)"
        );
        progress.done = 0;
        progress.leader = None;
        assert_eq!(describe_progress(&progress, Duration::from_secs(60)), "");
    }
}
