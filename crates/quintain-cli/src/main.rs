//! The `quintain` command. This file is its table of contents: one verb, one file
//! under `verbs`. What the verbs do is in the libraries; here it is asked for and shown.

mod board;
#[cfg(target_os = "linux")]
mod bots;
mod catalog;
mod failure;
mod lists;
mod logging;
mod positions;
mod screen;
mod server;
mod sources;
mod stop;
mod usage;
mod verbs;

use std::io::{BufWriter, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use failure::Failure;

/// A workbench for grid-game AI: write a player, tilt it at strong opponents, learn how good it is.
#[derive(Parser)]
#[command(name = "quintain", version, arg_required_else_help = true)]
#[command(after_help = "Start with: quintain match tron")]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
    /// Log to standard error: -v what happens, -vv in detail, -vvv everything
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    verbose: u8,
    #[cfg(target_os = "linux")]
    #[command(flatten)]
    bots: bots::BotArgs,
}

#[derive(Subcommand)]
enum Verb {
    /// List the games
    Games(verbs::games::Args),
    /// List players with their parameters
    Players(verbs::players::Args),
    /// List scenarios with their parameters
    Scenarios(verbs::scenarios::Args),
    /// Play one match
    Match(verbs::matches::Args),
    /// Play a tournament, or what is missing of it
    Tournament(verbs::tournament::Args),
    /// Is one player better than another? Play until that is sure
    Compare(verbs::compare::Args),
    /// Compare the players of a tournament
    Standings(verbs::standings::Args),
    /// Join stores, such as those of a tournament's shares
    Merge(verbs::merge::Args),
    /// List what the sources claim, as experiments
    Experiments(verbs::experiments::Args),
    /// Measure what the sources claim and say whether it is true
    Reproduce(verbs::reproduce::Args),
    /// Find better numbers for a player by evolution
    Tune(verbs::tune::Args),
    /// Write a report on a tournament: a page, Markdown, plots
    Report(verbs::report::Args),
    /// Step through a recorded match
    Replay(verbs::replay::Args),
    /// Check records by playing them again
    Verify(verbs::verify::Args),
    /// Write results or records for other programs
    Export(verbs::export::Args),
    /// Plan a whole game from an instance (single-seat games)
    Solve(verbs::tools::SolveArgs),
    /// Score a solution (single-seat games)
    Score(verbs::tools::ScoreArgs),
    /// Tabulate instances (games that have such)
    Stats(verbs::tools::StatsArgs),
    /// Rank solutions in a contest's table (games that have such)
    Leaderboard(verbs::tools::LeaderboardArgs),
    /// Look for the scenario that hurts a player most
    Adversary(verbs::tools::AdversaryArgs),
    /// Show tournaments and matches in the browser
    Serve(verbs::serve::Args),
    /// Play by keyboard, against players or alone
    Play(verbs::play::Args),
    /// Programs in any language as players: check one, or be one
    #[cfg(target_os = "linux")]
    Bot(verbs::bot::Args),
    /// Play matches of the tournaments that are handed out at a server
    Worker(verbs::worker::Args),
    /// Show who works on what at a server
    Workers(verbs::workers::Args),
    /// Print a shell's completion script
    Completions(verbs::completions::Args),
}

fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    quintain_bots::take_over_if_asked();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage::exit_code(&error),
    };
    logging::start(cli.verbose);
    failure::exit_code(|| {
        let mut out = BufWriter::new(std::io::stdout());
        let result = run(&cli, &mut out);
        let flushed = out.flush().map_err(Failure::from);
        result.and(flushed)
    })
}

fn run(cli: &Cli, out: &mut dyn Write) -> Result<(), Failure> {
    let catalog = catalog::catalog();
    if let Verb::Worker(args) = &cli.verb {
        #[cfg(target_os = "linux")]
        let catalog = bots::with_allowed(catalog, &cli.bots)?;
        return verbs::worker::run(args, &catalog, out);
    }
    #[cfg(target_os = "linux")]
    let (catalog, programs) = bots::with_programs(catalog, &cli.bots);
    let result = match &cli.verb {
        Verb::Games(args) => verbs::games::run(args, &catalog, out),
        Verb::Players(args) => verbs::players::run(args, &catalog, out),
        Verb::Scenarios(args) => verbs::scenarios::run(args, &catalog, out),
        Verb::Match(args) => verbs::matches::run(args, &catalog, out),
        Verb::Tournament(args) => verbs::tournament::run(args, &catalog, out),
        Verb::Compare(args) => verbs::compare::run(args, &catalog, out),
        Verb::Standings(args) => verbs::standings::run(args, &catalog, out),
        Verb::Merge(args) => verbs::merge::run(args, out),
        Verb::Experiments(args) => verbs::experiments::run(args, out),
        Verb::Reproduce(args) => verbs::reproduce::run(args, &catalog, out),
        Verb::Tune(args) => verbs::tune::run(args, &catalog, out),
        Verb::Report(args) => verbs::report::run(args, &catalog, out),
        Verb::Replay(args) => verbs::replay::run(args, &catalog, out),
        Verb::Verify(args) => verbs::verify::run(args, &catalog, out),
        Verb::Export(args) => verbs::export::run(args, out),
        Verb::Solve(args) => verbs::tools::solve(args, &catalog, out),
        Verb::Score(args) => verbs::tools::score(args, &catalog, out),
        Verb::Stats(args) => verbs::tools::stats(args, &catalog, out),
        Verb::Leaderboard(args) => verbs::tools::leaderboard(args, &catalog, out),
        Verb::Adversary(args) => verbs::tools::adversary(args, &catalog, out),
        Verb::Serve(args) => verbs::serve::run(args, &catalog::catalog(), out),
        Verb::Play(args) => verbs::play::run(args, &catalog, out),
        #[cfg(target_os = "linux")]
        Verb::Bot(args) => verbs::bot::run(args, &catalog, &programs, out),
        Verb::Worker(_) => unreachable!("it has a catalog of its own"),
        Verb::Workers(args) => verbs::workers::run(args, out),
        Verb::Completions(args) => verbs::completions::run(args, out),
    };
    #[cfg(target_os = "linux")]
    if !matches!(cli.verb, Verb::Bot(_)) {
        bots::tell_times(&programs);
    }
    result
}
