//! The `quintain` command, for any catalog of games: a program with a game of its own only has to call
//! [`run`]. This file is the command's table of contents: one verb, one file under `verbs`. The
//! libraries do the work; this crate reads requests and prints results.

mod board;
#[cfg(all(feature = "programs", target_os = "linux"))]
mod bots;
mod bundled;
mod catalog;
mod failure;
#[cfg_attr(not(feature = "fleet"), path = "no_fleet.rs")]
mod fleet;
mod full_names;
mod lists;
mod logging;
mod messages;
#[cfg(not(all(feature = "programs", feature = "wasm", target_os = "linux")))]
mod missing;
mod plain;
mod positions;
mod screen;
mod server;
mod short_help;
mod sources;
mod stop;
mod types;
mod usage;
mod verbs;

use std::ffi::OsString;
use std::io::{BufWriter, IsTerminal, Write};
#[cfg(all(feature = "programs", target_os = "linux"))]
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use failure::Failure;
use quintain_core::Catalog;

/// A workbench for grid-game AI: write a player, match it against strong ones, learn how good it is.
#[derive(Parser)]
#[command(name = "quintain", version, arg_required_else_help = true)]
#[command(after_help = first_command())]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
    /// Log to standard error: -v main events, -vv details, -vvv everything
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    verbose: u8,
    #[cfg(all(feature = "programs", target_os = "linux"))]
    #[command(flatten)]
    bots: bots::BotArgs,
}

#[derive(Subcommand)]
enum Verb {
    /// List the games, or print the rules of one
    Games(verbs::games::Args),
    /// List players with their parameters
    Players(verbs::players::Args),
    /// List scenarios with their parameters
    Scenarios(verbs::scenarios::Args),
    /// Play one match
    Match(verbs::matches::Args),
    /// Create a player, a tournament or a game of your own
    New(verbs::new::Args),
    /// Play a tournament, or the matches that it still lacks
    Tournament(verbs::tournament::Args),
    /// Is one player better than another? Play until the answer is clear
    Compare(verbs::compare::Args),
    /// Show the standings of a tournament
    Standings(verbs::standings::Args),
    /// List the tournaments of a store; delete or archive old ones
    Store(verbs::store::Args),
    /// Merge stores, such as those of a tournament's shards
    Merge(verbs::merge::Args),
    /// List the claims of the sources, as experiments
    Experiments(verbs::experiments::Args),
    /// Measure what the sources claim, and say whether it is true
    Reproduce(verbs::reproduce::Args),
    /// Tune the numeric parameters of a player by evolution
    Tune(verbs::tune::Args),
    /// Write a report on a tournament: a web page, Markdown and plots
    Report(verbs::report::Args),
    /// Step through a recorded match
    Replay(verbs::replay::Args),
    /// Have a strong player review a recorded match
    Analyse(verbs::analyse::Args),
    /// Check records by replaying them
    Verify(verbs::verify::Args),
    /// Write results or records for other programs
    Export(verbs::export::Args),
    /// Verbs on files, provided by the games
    #[command(flatten)]
    Tool(verbs::tools::ToolCall),
    /// Show tournaments and matches in the browser
    Serve(verbs::serve::Args),
    /// Run a contest: submissions, a ladder, pages
    #[cfg(all(feature = "host", target_os = "linux"))]
    Host(verbs::host::Args),
    /// Hand in a program to a contest
    #[cfg(all(feature = "host", target_os = "linux"))]
    Submit(verbs::host::SubmitArgs),
    /// Play with the keyboard, against players or alone
    Play(verbs::play::Args),
    /// Programs in any language as players: check one, or act as one
    #[cfg(all(feature = "programs", target_os = "linux"))]
    Bot(verbs::bot::Args),
    /// Test a program of yours after every save: is it better than before?
    #[cfg(all(feature = "programs", target_os = "linux"))]
    Watch(verbs::watch::Args),
    /// Play matches for the tournaments at a server
    Worker(verbs::worker::Args),
    /// Show the tournaments and workers at a server
    Workers(verbs::workers::Args),
    /// Print the JSON schema of a verb's JSON output
    Schema(verbs::schema::Args),
    /// Print the completion script for a shell
    Completions(verbs::completions::Args),
}

impl Verb {
    /// Returns the folder of the verb's file, where bots.toml is looked for first.
    #[cfg(all(feature = "programs", target_os = "linux"))]
    fn folder(&self) -> Option<&Path> {
        match self {
            Verb::Tournament(args) => args.folder(),
            _ => None,
        }
    }
}

/// Runs the command as it was called, with the games of a catalog: the whole `main` of a program.
///
/// ```no_run
/// # use std::process::ExitCode;
/// fn main() -> ExitCode {
///     quintain_cli::run(quintain_games::catalog)
/// }
/// ```
///
/// `games` is called whenever a catalog is needed, so it must return the same each time.
pub fn run(games: fn() -> Catalog) -> ExitCode {
    catalog::set_games(games);
    #[cfg(all(feature = "programs", target_os = "linux"))]
    quintain_bots::take_over_if_asked();
    match verbs::completions::answer_if_asked(command) {
        Ok(true) => return ExitCode::SUCCESS,
        Ok(false) => {}
        Err(error) => return usage::exit_code(&error),
    }
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let said = match arguments.len() {
        1 => Some(greeting()),
        _ => asks_for_build(&arguments).then(describe_build),
    };
    if let Some(said) = said {
        // If the reader is gone, it does not need the rest.
        let _ = writeln!(std::io::stdout(), "{said}");
        return ExitCode::SUCCESS;
    }
    let cli = match parse(arguments) {
        Ok(cli) => cli,
        Err(error) => return usage::exit_code(&error),
    };
    logging::start(cli.verbose);
    stop::survive_file_limit();
    failure::exit_code(|| {
        let stdout = std::io::stdout();
        let mut out: Box<dyn Write> = match stdout.is_terminal() {
            true => Box::new(BufWriter::new(plain::Wall::new(stdout))),
            false => Box::new(BufWriter::new(stdout)),
        };
        let result = call(&cli, &mut out);
        let flushed = out.flush().map_err(Failure::from);
        result.and(flushed)
    })
}

/// Returns what is shown if the command is called without arguments.
fn greeting() -> String {
    let catalog = catalog::catalog();
    let games: Vec<&str> = catalog.entries().map(|entry| entry.name()).collect();
    let game = games.first().copied().unwrap_or("GAME");
    let steps = [
        (format!("quintain match {game}"), "watch a match"),
        ("quintain tournament quick".to_owned(), "play a small tournament, see the standings"),
        ("quintain new player mybot".to_owned(), "create a player of your own, in Python"),
    ];
    let steps: Vec<String> =
        steps.iter().map(|(step, what)| format!("  {step:<28}{what}")).collect();
    format!(
        "quintain {}: write a player, match it, learn how good it is\n\n\
         Try:\n{}\n\n\
         Games: {}\n\
         All commands: quintain --help",
        env!("CARGO_PKG_VERSION"),
        steps.join("\n"),
        games.join(", "),
    )
}

/// Returns whether the arguments are just `--version --verbose`, in any order or abbreviated.
fn asks_for_build(arguments: &[OsString]) -> bool {
    let is = |names: [&str; 2]| arguments[1..].iter().any(|given| names.iter().any(|n| given == n));
    arguments.len() == 3 && is(["-V", "--version"]) && is(["-v", "--verbose"])
}

/// Describes the version, and the features that this program was built with.
fn describe_build() -> String {
    let features = [
        ("fleet", cfg!(feature = "fleet")),
        ("host", cfg!(feature = "host")),
        ("onnx", cfg!(feature = "onnx")),
        ("parquet", cfg!(feature = "parquet")),
        ("programs", cfg!(feature = "programs")),
        ("wasm", cfg!(feature = "wasm")),
    ];
    let list = |wanted: bool| {
        let names: Vec<&str> =
            features.iter().filter(|(_, is_in)| *is_in == wanted).map(|(name, _)| *name).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    };
    format!(
        "quintain {}\nfeatures: {}\nleft out: {}\nsandbox:  {}\nsystem:   {} on {}\nbuild:    {}",
        env!("CARGO_PKG_VERSION"),
        list(true),
        list(false),
        if cfg!(all(feature = "programs", target_os = "linux")) { "Linux" } else { "none" },
        std::env::consts::OS,
        std::env::consts::ARCH,
        if cfg!(debug_assertions) { "with debug assertions" } else { "optimised" },
    )
}

/// Returns a first command to try, the showcase of the catalog's first game; and where to read on.
fn first_command() -> String {
    let catalog = catalog::catalog();
    let game = catalog.entries().next().map_or("GAME", |first| first.name());
    format!(
        "Start with: quintain match {game}\nDocumentation: {}/tree/main/docs",
        env!("CARGO_PKG_REPOSITORY"),
    )
}

/// Verbs that start no program; their help leaves out the options for programs.
#[cfg(all(feature = "programs", target_os = "linux"))]
const WITHOUT_PROGRAMS: &[&str] = &[
    "games",
    "players",
    "scenarios",
    "standings",
    "store",
    "merge",
    "experiments",
    "report",
    "replay",
    "verify",
    "export",
    "serve",
    #[cfg(feature = "host")]
    "host",
    #[cfg(feature = "host")]
    "submit",
    "workers",
    "schema",
    "completions",
];

/// Returns the command, in which the help of each verb shows only the options that apply to it.
fn command() -> clap::Command {
    let command = Cli::command();
    #[cfg(all(feature = "programs", target_os = "linux"))]
    let command = {
        let is_bots = |arg: &&clap::Arg| arg.get_help_heading() == Some(bots::HEADING);
        let hidden: Vec<clap::Arg> =
            command.get_arguments().filter(is_bots).map(|arg| arg.clone().hide(true)).collect();
        WITHOUT_PROGRAMS.iter().fold(command, |command, verb| {
            command.mut_subcommand(verb, |sub| sub.args(hidden.clone()))
        })
    };
    command
}

fn parse(arguments: Vec<OsString>) -> Result<Cli, clap::Error> {
    let command = match short_help::is_wanted(&arguments) {
        true => short_help::with_short_help(command()),
        false => command(),
    };
    let arguments = verbs::tools::move_game_forward(arguments, &command);
    #[cfg(all(feature = "programs", target_os = "linux"))]
    let arguments = verbs::bot::move_name_back(arguments);
    Cli::from_arg_matches(&command.try_get_matches_from(arguments)?)
}

/// Returns a worker's maker of players from programs that hosts of contests send.
#[cfg(all(feature = "host", target_os = "linux"))]
fn program_maker(cli: &Cli) -> Result<Arc<fleet::MakePlayer>, Failure> {
    bots::program_maker(catalog::catalog(), &cli.bots)
}

#[cfg(not(all(feature = "host", target_os = "linux")))]
fn program_maker(_: &Cli) -> Result<Arc<fleet::MakePlayer>, Failure> {
    Err(failure::missing_feature("playing programs of contests", "host"))
}

fn call(cli: &Cli, out: &mut dyn Write) -> Result<(), Failure> {
    let catalog = catalog::catalog();
    if let Verb::Worker(args) = &cli.verb {
        #[cfg(all(feature = "programs", target_os = "linux"))]
        let catalog = bots::with_allowed(catalog, &cli.bots)?;
        // Others name these modules, so files elsewhere on this machine are never used.
        #[cfg(feature = "wasm")]
        let catalog = catalog.with_external(Arc::new(quintain_wasm::Modules::of_this_folder()));
        let make_player = args.takes_programs().then(|| program_maker(cli)).transpose()?;
        return verbs::worker::run(args, &catalog, make_player, out);
    }
    #[cfg(all(feature = "programs", target_os = "linux"))]
    let (catalog, programs) = bots::with_programs(catalog, &cli.bots, cli.verb.folder())?;
    #[cfg(not(all(feature = "programs", target_os = "linux")))]
    let catalog = missing::refuse_programs(catalog);
    #[cfg(feature = "wasm")]
    let catalog = catalog.with_external(Arc::new(quintain_wasm::Modules::new()));
    #[cfg(not(feature = "wasm"))]
    let catalog = missing::refuse_modules(catalog);
    let result = match &cli.verb {
        Verb::Games(args) => verbs::games::run(args, &catalog, out),
        Verb::Players(args) => verbs::players::run(args, &catalog, out),
        Verb::Scenarios(args) => verbs::scenarios::run(args, &catalog, out),
        Verb::Match(args) => verbs::matches::run(args, &catalog, out),
        Verb::New(args) => {
            #[cfg(all(feature = "programs", target_os = "linux"))]
            let known = verbs::new::Programs {
                file: programs.file_path().to_owned(),
                check: &|| Ok(programs.file_if_any().map(drop)?),
                entrants: &|game| bots::entrants(&programs, game, &catalog),
            };
            #[cfg(not(all(feature = "programs", target_os = "linux")))]
            let known = verbs::new::Programs {
                file: "bots.toml".into(),
                check: &|| Ok(()),
                entrants: &|_| Ok(verbs::new::Entrants::default()),
            };
            verbs::new::run(args, &catalog, &known, out)
        }
        Verb::Tournament(args) => verbs::tournament::run(args, &catalog, out),
        Verb::Compare(args) => verbs::compare::run(args, &catalog, out),
        Verb::Standings(args) => verbs::standings::run(args, &catalog, out),
        Verb::Store(args) => verbs::store::run(args, out),
        Verb::Merge(args) => verbs::merge::run(args, out),
        Verb::Experiments(args) => verbs::experiments::run(args, out),
        Verb::Reproduce(args) => verbs::reproduce::run(args, &catalog, out),
        Verb::Tune(args) => verbs::tune::run(args, &catalog, out),
        Verb::Report(args) => verbs::report::run(args, &catalog, out),
        Verb::Replay(args) => verbs::replay::run(args, &catalog, out),
        Verb::Analyse(args) => verbs::analyse::run(args, &catalog, out),
        Verb::Verify(args) => verbs::verify::run(args, &catalog, out),
        Verb::Export(args) => verbs::export::run(args, &catalog, out),
        Verb::Tool(call) => verbs::tools::run(call, &catalog, out),
        Verb::Serve(args) => verbs::serve::run(args, &catalog::catalog(), out),
        #[cfg(all(feature = "host", target_os = "linux"))]
        Verb::Host(args) => verbs::host::run(args, &catalog::catalog(), out),
        #[cfg(all(feature = "host", target_os = "linux"))]
        Verb::Submit(args) => verbs::host::submit(args, out),
        Verb::Play(args) => verbs::play::run(args, &catalog, out),
        #[cfg(all(feature = "programs", target_os = "linux"))]
        Verb::Bot(args) => verbs::bot::run(args, &catalog, &programs, out),
        #[cfg(all(feature = "programs", target_os = "linux"))]
        Verb::Watch(args) => verbs::watch::run(args, &catalog, &programs, out),
        Verb::Worker(_) => unreachable!("it has a catalog of its own"),
        Verb::Workers(args) => verbs::workers::run(args, out),
        Verb::Schema(args) => verbs::schema::run(args, out),
        Verb::Completions(args) => verbs::completions::run(args, out),
    };
    #[cfg(all(feature = "programs", target_os = "linux"))]
    if !matches!(cli.verb, Verb::Bot(_)) {
        bots::report_times(&programs);
    }
    result
}

#[cfg(test)]
mod tests {
    use quintain_core::AnyEntry;

    use super::*;
    use usage::message;

    fn refusal(arguments: &[&str]) -> String {
        let arguments = std::iter::once("quintain").chain(arguments.iter().copied());
        let error = parse(arguments.map(OsString::from).collect()).map(|_| ()).unwrap_err();
        message(&error)
    }

    #[test]
    fn the_commands_are_well_formed() {
        command().debug_assert();
    }

    #[cfg(all(feature = "programs", target_os = "linux"))]
    #[test]
    fn options_may_follow_the_program_that_is_checked() {
        let reorder = |line: &str| {
            let words = line.split(' ').map(OsString::from).collect();
            let moved = verbs::bot::move_name_back(words);
            let words: Vec<_> = moved.iter().map(|word| word.to_string_lossy()).collect();
            words.join(" ")
        };
        assert_eq!(reorder("q bot check bot:a --seed 3 -v"), "q bot check --seed 3 -v bot:a");
        assert_eq!(reorder("q -v bot check --seed 3 bot:a"), "q -v bot check --seed 3 bot:a");
        for line in ["q bot check ./my --seed 3", "q bot check -- x bot:a -v", "q match bot:a -v"] {
            assert_eq!(reorder(line), line);
        }
        let words = ["q", "bot", "check", "bot:a", "--game", "tron"].map(OsString::from);
        let said = parse(words.to_vec()).map(|_| ()).unwrap_err().to_string();
        assert!(said.contains("unexpected argument '--game'"), "{said}");
    }

    #[test]
    fn whatever_is_wrong_with_the_arguments_is_one_line() {
        assert_eq!(
            refusal(&["compare"]),
            "the following required arguments were not provided: <PLAYERS>...; \
             usage: quintain compare <PLAYERS>..."
        );
        assert_eq!(
            refusal(&["tornament"]),
            "unrecognized subcommand 'tornament'; did you mean 'tournament'?"
        );
        assert_eq!(
            refusal(&["standings", "--format", "xml"]),
            "invalid value 'xml' for '--format <FORMAT>' [possible values: table, json, csv, md]"
        );
        assert_eq!(
            refusal(&["match", "GAME", "--xyzzy"]),
            "unexpected argument '--xyzzy' found; usage: quintain match <GAME> [PLAYERS]..."
        );
    }

    #[test]
    fn verbs_of_training_are_told_where_it_is_done() {
        for verb in ["train", "learn"] {
            assert_eq!(
                refusal(&[verb, "tron", "--minutes", "10"]),
                format!(
                    "unrecognized subcommand '{verb}'; networks are trained in Python: \
                     python -m quintain.train --help"
                )
            );
        }
    }

    #[test]
    fn a_number_out_of_range_is_refused_with_what_was_expected() {
        for number in ["-1", "1.5", "x", "18446744073709551616"] {
            assert_eq!(
                refusal(&["match", "GAME", "--seed", number]),
                format!(
                    "invalid value '{number}' for '--seed <SEED>': \
                     expected a whole number from 0 to 18446744073709551615"
                )
            );
        }
        assert!(refusal(&["tournament", "x.toml", "--threads", "0"]).ends_with("number from 1"));
        let catalog = catalog::catalog();
        let solves = |entry: &&dyn AnyEntry| entry.tool("solve").is_some();
        let game = catalog.entries().find(solves).unwrap().name();
        for time in ["abc", "-1", "0", "nan", "inf"] {
            let refusal = refusal(&["solve", game, "x", "--time", time]);
            let expected = "expected a time above 0 such as 40ms, 2min, or 30 for 30 seconds";
            assert!(refusal.ends_with(expected), "{refusal}");
        }
        assert!(refusal(&["replay", "x", "--turn", "-2"]).contains("expected a whole number"));
    }
}
