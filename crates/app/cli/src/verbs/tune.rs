//! `quintain tune`: optimises a player's parameters, and reports what they gain on seeds not used
//! for training.

use std::collections::HashSet;
use std::io::{IsTerminal, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressStyle};
use quintain_arena::{ChosenMatches, FixtureNumbers, Shard, Tournament, run_on, seed_matters};
use quintain_core::{AnyEntry, Budget, Catalog, Outcome, PlayerHandle, SEED, ScenarioSet, Setup};
use quintain_report::{Detail, render_comparison};
use quintain_store::Store;
use quintain_tune::{
    Evaluator, GainMeasure, Generation, MatchToPlay, Method, PlayMatches, TuneError, TuningLog,
    TuningOptions, TuningResult, parse_axes, plot, tune,
};

use crate::context::Context;
use crate::failure::Failure;
use crate::full_names::{Naming, find_field, find_scenarios};
use crate::lists::format_count;
use crate::messages::print_notice;
use crate::plain::clean_lines;
use crate::server::HandOut;
use crate::usage::{draw_seed, first_seed, positive};
use crate::verbs::compare::{PlayedBy, QuestionArgs};
use crate::verbs::new::usual_scenario;
use crate::{fleet, options, screen, sources, stop};

/// The generations of the evolution by default, and the steps of SPSA.
const GENERATIONS: usize = 20;
const STEPS: usize = 2000;
/// The most lines of progress where there is no terminal.
const MOST_LINES: usize = 50;
/// The first seed of the comparison at the end, beyond those of training and the held-out ones.
const VERIFICATION: u64 = 1 << 41;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The player to start from: NAME, GAME/NAME or "NAME?parameter=value"
    player: String,
    #[arg(short, long, help = options::with(options::GAME, "(unless a player's name includes it)"))]
    game: Option<String>,
    #[arg(short, long, help = options::with(options::SCENARIO, options::USUAL_SCENARIO))]
    scenario: Vec<String>,
    /// A numeric parameter to tune, and its range (may be given several times)
    #[arg(long, value_name = "NAME[=LEAST..MOST]", required = true)]
    param: Vec<String>,
    #[arg(short, long, value_name = "PLAYER", alias = "opponent", help = options::with(
        options::AGAINST,
        "(in games between rivals; may be given several times) [default: the player before tuning]",
    ))]
    against: Vec<String>,
    #[arg(short, long, default_value = "", hide_default_value = true, help = options::BUDGET)]
    budget: String,
    /// How better values are found
    #[arg(long, value_enum, default_value = "cma-es")]
    method: MethodName,
    /// The total number of generations, or of steps of spsa [default: 20, or 2000 steps]
    #[arg(long, value_name = "N", value_parser = positive::<NonZeroUsize>)]
    #[arg(allow_negative_numbers = true)]
    generations: Option<NonZeroUsize>,
    /// The number of candidates per generation [default: chosen by the number of parameters]
    #[arg(long, value_name = "N", value_parser = positive::<NonZeroUsize>)]
    #[arg(allow_negative_numbers = true)]
    population: Option<NonZeroUsize>,
    #[arg(long, value_name = "N", default_value = "8", value_parser = positive::<u64>)]
    #[arg(allow_negative_numbers = true, help = options::with(
        options::SEEDS,
        "(in a generation; every generation has new ones)",
    ))]
    seeds: u64,
    #[arg(long, default_value = "1", value_parser = first_seed, alias = "first-seed")]
    #[arg(allow_negative_numbers = true, help = options::with(
        options::SEED,
        "(of the matches; --draws is that of the evolution)",
    ))]
    seed: u64,
    /// The number of held-out seeds, on which the gain is measured at the end [default: 40, or as
    /// in the file of --keep]
    #[arg(long, value_name = "N", value_parser = positive::<u64>)]
    #[arg(allow_negative_numbers = true)]
    held_out: Option<u64>,
    /// How gains are measured if scores are independent [default: relative, or as in the file of
    /// --keep]
    #[arg(long, value_enum)]
    gain: Option<Gain>,
    /// The seed of the evolution's own random numbers
    #[arg(long, value_name = "SEED", default_value = "1", value_parser = first_seed)]
    #[arg(allow_negative_numbers = true)]
    draws: u64,
    /// Save the progress to this file after every generation, and resume from there
    #[arg(long, value_name = "FILE")]
    keep: Option<PathBuf>,
    #[arg(long, value_name = "FILE", help = options::with(options::PLOT, "(gains by generation)"))]
    plot: Option<PathBuf>,
    #[command(flatten)]
    played_by: PlayedBy,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum MethodName {
    /// Evolution: for some parameters and clear differences
    CmaEs,
    /// Simultaneous perturbation, with Fishtest's settings: for many parameters and results that
    /// are mostly noise; needs tens of thousands of matches
    Spsa,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Gain {
    /// Board by board, in percent of the mean magnitude of the two scores: a rare enormous score
    /// counts for no more than two ordinary ones
    Relative,
    /// In percent of the mean score, so that enormous scores count in full
    Mean,
}

impl From<TuneError> for Failure {
    fn from(error: TuneError) -> Self {
        match error {
            TuneError::Usage(problem) => Failure::Usage(problem),
            TuneError::Failed(problem) => Failure::Failed(problem),
            TuneError::Stopped => Failure::Stopped,
            error => Failure::Failed(error.to_string()),
        }
    }
}

pub(crate) fn run(args: &Args, context: &Context<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    let catalog = context.catalog;
    sources::check_folders([&args.keep, &args.plot])?;
    let names = std::iter::once(&args.player).chain(&args.against);
    let naming = Naming { otherwise: &["--game GAME"], ..Naming::default() };
    let given = args.game.as_deref();
    let field = find_field(names.map(String::as_str), given, catalog, naming)?;
    let mut scenarios = find_scenarios(field.scenario, &args.scenario)?;
    let budget: Budget = args.budget.parse()?;
    let entry = catalog.entry(field.game)?;
    if scenarios.is_empty() {
        scenarios.push(default_scenario(entry)?);
    }
    let threads = args.played_by.threads();
    if args.played_by.on.is_none() {
        let seats = entry.game(&scenarios[0].replace(SEED, "1")).map_or(1, |game| game.seats());
        context.warn_of_memory(threads, &lineups(&field.players, seats));
    }
    let stop = stop::watch_signals_with_notice("stopping: this generation is dropped…");
    let mut evaluator = Evaluator::new(
        catalog,
        field.game,
        &scenarios,
        &field.players[0],
        &field.players[1..],
        budget,
        threads,
        Arc::clone(&stop),
    )?;
    if let Some(address) = &args.played_by.on {
        let elsewhere = Elsewhere::new(address, args, &evaluator, budget, (catalog, entry), &stop)?;
        evaluator = evaluator.played_by(Box::new(elsewhere));
    }
    let options = tuning_options(args, entry, evaluator.baseline())?;
    let display = ProgressDisplay::new(options.generations);
    let tuned = tune(&evaluator, &options, &mut |log, number| {
        display.generation(number, &log.generations[number], log.unit());
    });
    display.clear();
    if matches!(tuned, Err(TuneError::Stopped)) {
        print_notice(&describe_stop(args.keep.as_deref()));
    }
    let tuned = tuned?;
    if tuned.log.generations.iter().all(|all| all.gains.iter().all(|gain| *gain == 0.0)) {
        print_notice(
            "all gains are 0: on these boards the parameters change nothing that counts; try other \
             scenarios, more seeds or wider ranges",
        );
    }
    write_result(&tuned, &options, out)?;
    if let Some(path) = &args.plot {
        sources::write(path, plot_log(&tuned.log), out)?;
    }
    match args.method {
        MethodName::Spsa => {
            out.flush()?;
            let players = [tuned.player.as_str(), evaluator.baseline()];
            verify(args, players, (field.game, &scenarios), (context, &stop), out)
        }
        MethodName::CmaEs => Ok(()),
    }
}

/// The line-ups of the player to be tuned, the first, with each of the others. Without others, the
/// player meets itself.
fn lineups(players: &[String], seats: usize) -> Vec<Vec<&str>> {
    let against = if players.len() > 1 { &players[1..] } else { players };
    let lineups = against.iter().map(|other| {
        let mut lineup = vec![other.as_str(); seats];
        lineup[0] = &players[0];
        lineup
    });
    lineups.collect()
}

/// What the command line asks of a tuning that starts from this player.
fn tuning_options(
    args: &Args,
    entry: &dyn AnyEntry,
    baseline: &str,
) -> Result<TuningOptions, Failure> {
    let (method, generations) = match args.method {
        MethodName::CmaEs => (Method::CmaEs, GENERATIONS),
        MethodName::Spsa => (Method::Spsa, STEPS),
    };
    Ok(TuningOptions {
        method,
        axes: parse_axes(entry, baseline, &args.param)?,
        generations: args.generations.map_or(generations, NonZeroUsize::get),
        population: args.population.map_or(0, NonZeroUsize::get),
        seeds: args.seeds,
        first: args.seed,
        held_out: args.held_out,
        measure: args.gain.map(|gain| match gain {
            Gain::Relative => GainMeasure::Relative,
            Gain::Mean => GainMeasure::Mean,
        }),
        draws: args.draws,
        log_file: args.keep.clone(),
    })
}

/// Says where a tuning that was stopped can go on, if it is kept in a file.
fn describe_stop(kept: Option<&Path>) -> String {
    match kept {
        Some(path) => format!(
            "stopped; complete generations are in {}, and the same command resumes from there",
            path.display()
        ),
        None => "stopped; with --keep FILE, tuning could resume where it was".to_owned(),
    }
}

/// Compares the tuned player with the one before, on seeds that were not used for tuning.
fn verify(
    args: &Args,
    [tuned, before]: [&str; 2],
    (game, scenarios): (&str, &[String]),
    (context, stop): (&Context<'_>, &Arc<AtomicBool>),
    out: &mut dyn Write,
) -> Result<(), Failure> {
    if tuned == before {
        return Ok(writeln!(out, "no parameter has moved; more --generations are needed")?);
    }
    let question = QuestionArgs {
        players: vec![tuned.to_owned(), before.to_owned()],
        game: Some(game.to_owned()),
        scenario: scenarios.to_vec(),
        seed: Some(VERIFICATION),
        budget: args.budget.clone(),
        ..QuestionArgs::default()
    };
    let found = question.find(context.catalog, None)?;
    print_notice(&format!(
        "comparing it with {before}, in at most {} matches",
        found.config.matches
    ));
    let title = format!("compare {tuned} with {before}");
    let (comparison, _) = args.played_by.compare(
        (&found, &title),
        &Arc::default(),
        context.catalog,
        None,
        stop,
        &mut |_| {},
    )?;
    let answer = render_comparison(&comparison, Detail::Answer, screen::terminal_width());
    out.write_all(clean_lines(&answer).as_bytes())?;
    if comparison.stopped { Err(Failure::Stopped) } else { Ok(()) }
}

/// The workers at a server, who play the matches of a tuning.
struct Elsewhere<'a> {
    server: fleet::Server,
    hand_out: &'a HandOut,
    name: String,
    /// What all generations of this tuning have in common, and nobody else.
    series: String,
    game: String,
    scenarios: Vec<ScenarioSet>,
    budget: Budget,
    stop: Arc<AtomicBool>,
}

impl<'a> Elsewhere<'a> {
    fn new(
        address: &str,
        args: &'a Args,
        evaluator: &Evaluator<'_>,
        budget: Budget,
        (catalog, entry): (&Catalog, &dyn AnyEntry),
        stop: &Arc<AtomicBool>,
    ) -> Result<Elsewhere<'a>, Failure> {
        let set = |text: &str| ScenarioSet::find(catalog, entry.name(), text);
        Ok(Elsewhere {
            server: fleet::server(address, &args.played_by.hand_out.credentials)?,
            hand_out: &args.played_by.hand_out,
            name: format!("tune {}", evaluator.baseline()),
            series: format!("tune {:x}", draw_seed()),
            game: entry.name().to_owned(),
            scenarios: evaluator.scenarios().map(set).collect::<Result<_, _>>()?,
            budget,
            stop: Arc::clone(stop),
        })
    }

    /// The matches as a tournament, each once.
    fn tournament(&self, matches: &[MatchToPlay<'_>]) -> Result<Tournament, TuneError> {
        let mut players: Vec<PlayerHandle> = Vec::new();
        let mut number = |player: &PlayerHandle| {
            let known = players.iter().position(|known| known.spec == player.spec);
            known.unwrap_or_else(|| {
                players.push(player.clone());
                players.len() - 1
            })
        };
        let mut fixtures: Vec<FixtureNumbers> = Vec::new();
        let mut listed = HashSet::new();
        for MatchToPlay { scenario, seed, lineup } in matches {
            let lineup: Vec<usize> = lineup.iter().map(|player| number(player)).collect();
            if listed.insert((*scenario, *seed, lineup.clone())) {
                fixtures.push(FixtureNumbers { scenario: *scenario, seed: *seed, lineup });
            }
        }
        let names: Vec<_> = players.iter().map(|player| (&player.spec, player.version)).collect();
        let scenarios: Vec<&str> = self.scenarios.iter().map(ScenarioSet::text).collect();
        let id = serde_json::json!({
            "tuning": names,
            "game": self.game,
            "scenarios": scenarios,
            "budget": self.budget,
            "matches": fixtures
                .iter()
                .map(|one| (one.scenario, one.seed, &one.lineup))
                .collect::<Vec<_>>(),
        });
        Tournament::of_matches(ChosenMatches {
            id: id.to_string(),
            name: self.name.clone(),
            game: self.game.clone(),
            scenarios: self.scenarios.clone(),
            players,
            fixtures,
            budget: self.budget,
        })
        .map_err(|error| TuneError::Failed(error.to_string()))
    }
}

impl PlayMatches for Elsewhere<'_> {
    fn play(&self, matches: &[MatchToPlay<'_>]) -> Result<Vec<Outcome>, TuneError> {
        if matches.is_empty() {
            return Ok(Vec::new());
        }
        let failed = |error: &dyn std::fmt::Display| TuneError::Failed(error.to_string());
        let tournament = self.tournament(matches)?;
        let (server, series) = (&self.server, Some(&*self.series));
        let executor = fleet::executor(server, &tournament, Shard::WHOLE, self.hand_out, series);
        let mut store = Store::in_memory().map_err(|error| failed(&error))?;
        let stop = &self.stop;
        let run = run_on(&*executor, &tournament, Shard::WHOLE, &mut store, stop, &mut |_| {});
        run.map_err(|error| failed(&error))?;
        if stop.load(Ordering::SeqCst) {
            return Err(TuneError::Stopped);
        }
        let outcome_of = |next: &MatchToPlay<'_>| {
            let game = self.scenarios[next.scenario].instance(next.seed);
            let setup = Setup::new(next.seed).with_budget(self.budget);
            let id = game.fixture(&setup, &next.lineup).id();
            let found = store.find(&id).map_err(|error| failed(&error))?;
            let stored = found.ok_or_else(|| failed(&"no worker could play one of the matches"))?;
            Ok(stored.record().map_err(|error| failed(&error))?.outcome)
        };
        matches.iter().map(outcome_of).collect()
    }
}

/// Returns the scenario to tune on if none is named: the one on which `compare` would compare, with
/// an instance for every seed where the seed decides nothing else.
fn default_scenario(entry: &dyn AnyEntry) -> Result<String, Failure> {
    let scenario = usual_scenario(entry);
    if seed_matters(entry.game(&scenario)?.as_ref(), 1) {
        return Ok(scenario);
    }
    Ok(ScenarioSet::text_of(entry, &scenario).unwrap_or(scenario))
}

/// Plots the course of the tuning.
fn plot_log(log: &TuningLog) -> String {
    let of = |gain: fn(&Generation) -> f64| log.generations.iter().map(gain).collect();
    let title = format!("gain over the player before tuning, {}", log.unit());
    let curves = [("best candidate", of(Generation::best)), ("mean", of(Generation::mean))];
    quintain_report::plots::curves(&title, "generation", &curves)
}

fn write_result(
    tuned: &TuningResult,
    options: &TuningOptions,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let log = &tuned.log;
    let unit = log.unit();
    writeln!(out, "{}", describe_result(tuned))?;
    if log.method == Method::CmaEs {
        writeln!(out, "mean gain by generation, {unit}")?;
        writeln!(out, "  {}", plot::render_text(log))?;
    }
    if let Some(last) = log.generations.last() {
        let longest = options.axes.iter().map(|axis| axis.name.len()).max().unwrap_or(0);
        for (axis, middle) in options.axes.iter().zip(&last.middle) {
            let (name, from) = (&axis.name, axis.format_value(axis.start));
            writeln!(out, "  {name:longest$}  {from} → {}", axis.format_value(*middle))?;
        }
    }
    let (ran, all) = log.boards();
    let saved = if ran < all { ", the others saved by dropping candidates" } else { "" };
    writeln!(out, "{ran} of {all} boards played{saved}")?;
    for look in log.earlier_looks() {
        writeln!(
            out,
            "earlier look, after {}: {} over {}",
            format_count(look.generations, "generation"),
            format_gain(look.gain, look.interval),
            format_count(look.boards, "board"),
        )?;
    }
    Ok(())
}

/// The player that was found, and what it gains on boards that it was not tuned on.
fn describe_result(tuned: &TuningResult) -> String {
    let (held, unit, player) = (&tuned.held_out, tuned.log.unit(), &tuned.player);
    let verdict = match (held.gain == 0.0, held.is_certain()) {
        (true, _) => "as good as before",
        (_, true) if held.gain > 0.0 => "better than before",
        (_, true) => "worse than before",
        _ => "perhaps no better than before",
    };
    let of_mean = tuned.held_out_mean.map_or(String::new(), |(gain, interval)| {
        let interval = interval.map(|interval| (interval.low, interval.high));
        let unit = GainMeasure::Mean.unit();
        format!(", {} {unit}", format_gain(gain, interval))
    });
    let (gain, boards) = (format_gain(held.gain, held.interval), held.boards);
    format!("{player}: {verdict}, {gain} {unit}{of_mean} on {boards} boards kept for this")
}

/// Formats a gain with the half width of its interval, if it has one.
fn format_gain(gain: f64, interval: Option<(f64, f64)>) -> String {
    let margin =
        interval.map_or(String::new(), |(low, high)| format!(" ± {:.1}", (high - low) / 2.0));
    format!("{gain:+.1}{margin}")
}

/// The display of the progress: a bar in a terminal, otherwise one line per generation.
enum ProgressDisplay {
    Bar(ProgressBar),
    Lines(usize),
}

impl ProgressDisplay {
    fn new(generations: usize) -> ProgressDisplay {
        if !std::io::stderr().is_terminal() {
            return ProgressDisplay::Lines(generations);
        }
        let bar = ProgressBar::new(generations as u64);
        let style = ProgressStyle::with_template(
            "generation {pos} of {len} {bar:24} {eta} left, {wide_msg}",
        )
        .expect("the template is well-formed")
        .progress_chars("━╸─");
        bar.set_style(style);
        ProgressDisplay::Bar(bar)
    }

    fn generation(&self, number: usize, generation: &Generation, unit: &str) {
        let state = format!(
            "best {:+.1}, mean {:+.1} {unit}, step {:.2}",
            generation.best(),
            generation.mean(),
            generation.step
        );
        match self {
            ProgressDisplay::Bar(bar) => {
                bar.set_position(number as u64 + 1);
                bar.set_message(state);
            }
            ProgressDisplay::Lines(of) if !(number + 1).is_multiple_of(of.div_ceil(MOST_LINES)) => {
            }
            ProgressDisplay::Lines(of) => {
                print_notice(&format!("generation {} of {of}: {state}", number + 1))
            }
        }
    }

    fn clear(&self) {
        if let ProgressDisplay::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}
