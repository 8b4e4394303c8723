//! The `quintain` command, for any catalog of games: a program with a game of its own only has to
//! call [`run`]. The verbs are in `verbs`, one file each. The libraries do the work; this crate
//! reads requests and prints results.

// What is printed past `messages` and the wall in front of standard output is not cleaned.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod board;
#[cfg(feature = "programs")]
mod bots;
mod bundled;
mod catalog;
#[cfg(feature = "remote")]
mod chat_progress;
mod context;
mod failure;
#[cfg_attr(not(feature = "fleet"), path = "no_fleet.rs")]
mod fleet;
mod full_names;
mod help;
mod lists;
mod logging;
mod messages;
#[cfg(not(all(feature = "programs", feature = "remote", feature = "wasm")))]
mod missing;
mod open_test;
mod options;
mod plain;
mod positions;
mod screen;
mod server;
mod silence;
mod sources;
mod stop;
mod usage;
mod verbs;
mod waiting;

use std::ffi::OsString;
use std::io::{BufWriter, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser};

use context::Context;
use failure::Failure;
use quintain_core::Catalog;
use verbs::Verb;

/// A workbench for grid-game AI: write a player, match it, learn how good it is.
#[derive(Parser)]
#[command(name = "quintain", version, arg_required_else_help = true)]
#[command(after_help = first_command())]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
    /// Log main events; -vv logs details, -vvv everything
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    verbose: u8,
    #[cfg(feature = "programs")]
    #[command(flatten)]
    bots: bots::BotArgs,
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
    #[cfg(feature = "programs")]
    quintain_bots::take_over_if_asked();
    match verbs::completions::answer_if_asked(command) {
        Ok(true) => return ExitCode::SUCCESS,
        Ok(false) => {}
        Err(error) => return usage::exit_code(&error),
    }
    let home = std::env::var("HOME").or_else(|_| std::env::var("USERPROFILE")).ok();
    let arguments: Vec<OsString> =
        std::env::args_os().map(|argument| expand_home(argument, home.as_deref())).collect();
    let text = match arguments.len() {
        1 => Some(greeting()),
        _ => asks_for_build(&arguments).then(describe_build),
    };
    if let Some(text) = text {
        // If the reader is gone, it does not need the rest.
        let _ = writeln!(std::io::stdout(), "{text}");
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
            true => Box::new(BufWriter::new(plain::Wall::new(stdout, cli.verb.colours()))),
            false => Box::new(BufWriter::new(stdout)),
        };
        let result = call(&cli, &mut out);
        let flushed = out.flush().map_err(Failure::from);
        result.and(flushed)
    })
}

/// Replaces `~` before the path of an argument or of an option's value by the home folder. A shell
/// does so only at the beginning of a word: `--store=~/cup.sqlite` would need a folder called `~`.
fn expand_home(argument: OsString, home: Option<&str>) -> OsString {
    let (Some(text), Some(home)) = (argument.to_str(), home) else { return argument };
    let (option, value) = match text.split_once('=') {
        Some((option, value)) if option.starts_with('-') => (&text[..=option.len()], value),
        _ => ("", text),
    };
    let below = value.strip_prefix('~').and_then(|rest| {
        rest.strip_prefix('/').or_else(|| rest.strip_prefix('\\').filter(|_| cfg!(windows)))
    });
    match below {
        Some(path) => format!("{option}{home}/{path}").into(),
        None => argument,
    }
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
        ("remote", cfg!(feature = "remote")),
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

/// Returns the command, in which the help of each verb shows only the options that apply to it.
fn command() -> clap::Command {
    let command = Cli::command().mut_subcommand("tests", verbs::test_queue::show_login_once);
    #[cfg(feature = "programs")]
    let command = {
        let is_bots = |arg: &&clap::Arg| arg.get_help_heading() == Some(bots::HEADING);
        let hidden: Vec<clap::Arg> =
            command.get_arguments().filter(is_bots).map(|arg| arg.clone().hide(true)).collect();
        verbs::WITHOUT_PROGRAMS.iter().fold(command, |command, verb| {
            command.mut_subcommand(verb, |sub| sub.args(hidden.clone()))
        })
    };
    command
}

fn parse(arguments: Vec<OsString>) -> Result<Cli, clap::Error> {
    let command = help::with_tiers(command(), help::is_wanted(&arguments));
    let arguments = verbs::tools::move_game_forward(arguments, &command);
    #[cfg(feature = "programs")]
    let arguments = verbs::bot::move_name_back(arguments);
    let everywhere = server::with_variable(command.clone());
    let matches = match everywhere.try_get_matches_from(&arguments) {
        // An option for this machine, such as --threads, is stronger than the environment.
        Err(error) if error.kind() == ErrorKind::ArgumentConflict => {
            command.try_get_matches_from(&arguments)?
        }
        matches => matches?,
    };
    Cli::from_arg_matches(&matches)
}

/// Builds players from the packed programs that coordinators send to this worker.
#[cfg(feature = "host")]
fn program_maker(cli: &Cli) -> Result<Arc<fleet::MakePlayer>, Failure> {
    bots::program_maker(catalog::catalog(), &cli.bots)
}

#[cfg(not(feature = "host"))]
fn program_maker(_: &Cli) -> Result<Arc<fleet::MakePlayer>, Failure> {
    Err(failure::missing_feature("playing programs that are sent", "host"))
}

/// Builds players from modules that coordinators send to this worker.
#[cfg(feature = "wasm")]
fn module_maker() -> Option<Arc<fleet::MakePlayer>> {
    let modules = quintain_wasm::SentModules::default();
    Some(Arc::new(move |player: &str, bytes: &[u8]| match modules.make(player, bytes) {
        Ok(source) => Ok(Arc::new(source)),
        Err(problem) => Err(problem.to_string()),
    }))
}

#[cfg(not(feature = "wasm"))]
fn module_maker() -> Option<Arc<fleet::MakePlayer>> {
    None
}

fn call(cli: &Cli, out: &mut dyn Write) -> Result<(), Failure> {
    let catalog = catalog::catalog();
    if let Verb::Worker(args) = &cli.verb {
        #[cfg(feature = "programs")]
        let (catalog, lists_programs) =
            (bots::with_allowed(catalog, &cli.bots)?, cli.bots.bots.is_some());
        #[cfg(not(feature = "programs"))]
        let lists_programs = false;
        // Coordinators of version 0.1.0 send no modules. Others name these, so files elsewhere on
        // this machine are never used.
        #[cfg(feature = "wasm")]
        let catalog = catalog.with_external(Arc::new(quintain_wasm::Modules::of_this_folder()));
        #[cfg(not(feature = "wasm"))]
        let catalog = missing::refuse_modules(catalog);
        let make_player = args.takes_programs().then(|| program_maker(cli)).transpose()?;
        let catalog = (&catalog, lists_programs);
        return verbs::worker::run(args, catalog, [make_player, module_maker()], out);
    }
    #[cfg(feature = "programs")]
    let (catalog, programs) = {
        // Others put tests into the queue; whoever answers them runs no command of theirs.
        let takes_commands = !matches!(cli.verb, Verb::Tests(_));
        bots::with_programs(catalog, &cli.bots, cli.verb.folder(), takes_commands)?
    };
    #[cfg(not(feature = "programs"))]
    let catalog = missing::refuse_programs(catalog);
    #[cfg(feature = "remote")]
    let chats = quintain_remote::Chats::new(&programs, &catalog);
    #[cfg(feature = "remote")]
    let catalog = quintain_remote::Services::sources(&programs)
        .into_iter()
        .fold(catalog, quintain_core::Catalog::with_external)
        .with_external(Arc::clone(&chats) as _);
    #[cfg(not(feature = "remote"))]
    let catalog = missing::refuse_services(catalog);
    #[cfg(feature = "wasm")]
    let catalog = catalog.with_external(Arc::new(quintain_wasm::Modules::new()));
    #[cfg(not(feature = "wasm"))]
    let catalog = missing::refuse_modules(catalog);
    let context = Context {
        catalog: &catalog,
        #[cfg(feature = "programs")]
        programs: &programs,
        #[cfg(feature = "remote")]
        chats: &chats,
    };
    #[cfg(feature = "remote")]
    let progress = chat_progress::ChatProgress::start(&chats, &cli.verb);
    let result = cli.verb.run(&context, out);
    #[cfg(feature = "remote")]
    drop(progress);
    #[cfg(feature = "programs")]
    if !matches!(cli.verb, Verb::Bot(_)) {
        // The answer comes first.
        out.flush()?;
        bots::report_times(&programs);
        #[cfg(feature = "remote")]
        for (name, totals) in chats.take_totals() {
            messages::print_notice(&format!("{}: {totals}", quintain_scene::clean(&name)));
        }
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
    fn home_is_found_where_a_shell_leaves_its_sign() {
        for (given, expected) in [
            ("~/cup.toml", "/home/ada/cup.toml"),
            ("--store=~/cup.sqlite", "--store=/home/ada/cup.sqlite"),
            ("-o=~/report", "-o=/home/ada/report"),
            ("./~/cup.toml", "./~/cup.toml"),
            ("~bob/cup.toml", "~bob/cup.toml"),
            ("exec:\"a=~/b\"", "exec:\"a=~/b\""),
        ] {
            assert_eq!(expand_home(given.into(), Some("/home/ada")), expected);
            assert_eq!(expand_home(given.into(), None), given);
        }
    }

    #[test]
    fn the_commands_are_well_formed() {
        command().debug_assert();
    }

    #[cfg(feature = "programs")]
    #[test]
    fn options_may_follow_the_checked_program() {
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
        let text = parse(words.to_vec()).map(|_| ()).unwrap_err().to_string();
        assert!(text.contains("unexpected argument '--game'"), "{text}");
    }

    #[test]
    fn mistakes_in_arguments_are_reported_in_one_line() {
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
    fn training_verbs_point_to_python() {
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
    fn numbers_out_of_range_are_refused_with_the_range() {
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
        let has_time = |entry: &&dyn AnyEntry| {
            let mut options = entry.tool("solve").into_iter().flat_map(|tool| &tool.options);
            options.any(|option| option.name == "time")
        };
        let game = catalog.entries().find(has_time).unwrap().name();
        for time in ["abc", "-1", "0", "nan", "inf"] {
            let refusal = refusal(&["solve", game, "x", "--time", time]);
            let expected = "expected a time above 0 such as 40ms, 2min, or 30 for 30 seconds";
            assert!(refusal.ends_with(expected), "{refusal}");
        }
        assert!(refusal(&["replay", "x", "--turn", "-2"]).contains("expected a whole number"));
    }
}
