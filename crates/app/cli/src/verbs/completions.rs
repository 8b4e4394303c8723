//! `quintain completions`: completion in a shell. The printed script calls this program with the
//! line so far whenever someone presses the key. The program knows its verbs and options, and the
//! names of games, players, scenarios and tournaments.

use std::ffi::{OsStr, OsString};
use std::io::Write;

use clap::Command;
use clap_complete::Shell;
use clap_complete::engine::{
    ArgValueCandidates, ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter,
};
use clap_complete::env::{CompleteEnv, Shells};
use quintain_core::{AnyEntry, Catalog, Listed};

use crate::failure::Failure;
use crate::{bundled, catalog};

/// The environment variable that the script sets when it asks.
const VARIABLE: &str = "QUINTAIN_COMPLETE";

#[derive(clap::Args)]
#[command(after_help = "For example, in ~/.bashrc: source <(quintain completions bash)")]
pub(crate) struct Args {
    /// The shell
    shell: Shell,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let shells = Shells::builtins();
    let shell = shells.completer(&args.shell.to_string());
    let shell = shell.expect("both lists have the same shells");
    shell.write_registration(VARIABLE, "quintain", "quintain", "quintain", &mut *out)?;
    Ok(())
}

/// Answers a shell if it asks for a completion; returns whether it did.
pub(crate) fn answer_if_asked(command: fn() -> Command) -> Result<bool, clap::Error> {
    if std::env::var_os(VARIABLE).is_none() {
        return Ok(false);
    }
    let with_names =
        || command().mut_subcommands(|verb| add_names(verb.get_name().to_owned(), verb));
    let here = std::env::current_dir().ok();
    CompleteEnv::with_factory(with_names)
        .var(VARIABLE)
        .try_complete(std::env::args_os(), here.as_deref())
}

/// Adds completion with names to the arguments of a verb.
fn add_names(verb: String, command: Command) -> Command {
    let command = command.mut_subcommands(|sub| add_names(verb.clone(), sub));
    command.mut_args(|arg| match (&*verb, arg.get_id().as_str()) {
        ("tournament", "file") => arg.add(ArgValueCompleter::new(tournaments)),
        ("players", "wanted") => arg.add(ArgValueCandidates::new(|| games_and_players(true))),
        ("compare", "players") => arg.add(ArgValueCandidates::new(|| games_and_players(false))),
        ("watch", "against") => arg.add(ArgValueCandidates::new(|| players(true))),
        ("match" | "play" | "compare" | "tune", "players" | "player" | "against") => {
            arg.add(ArgValueCandidates::new(|| players(false)))
        }
        ("scenarios", "wanted") | ("games", "schema") | (_, "game") => {
            arg.add(ArgValueCandidates::new(games))
        }
        (_, "scenario" | "scenarios") => arg.add(ArgValueCandidates::new(scenarios)),
        _ => arg,
    })
}

fn candidate(name: impl Into<OsString>, about: &str) -> CompletionCandidate {
    CompletionCandidate::new(name).help(Some(about.to_owned().into()))
}

fn games() -> Vec<CompletionCandidate> {
    let known = catalog::catalog();
    known.entries().map(|entry| candidate(entry.name(), entry.summary())).collect()
}

/// Returns the game that the line names so far, after the command's own name.
fn game_of(line: impl Iterator<Item = String>, known: &Catalog) -> Option<&'static str> {
    line.skip_while(|word| word != "--").skip(2).find_map(|word| {
        let game = word.split([':', '/']).next()?;
        known.entries().map(|entry| entry.name()).find(|name| *name == game)
    })
}

/// Returns the game that the current line names so far.
fn game() -> Option<&'static str> {
    let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    game_of(words, &catalog::catalog())
}

/// Lists the players of the line's game by name; those of all games, or where required, with the
/// game's name before.
fn players(with_game: bool) -> Vec<CompletionCandidate> {
    let (known, game) = (catalog::catalog(), game());
    let entries = known.entries().filter(|entry| game.is_none_or(|game| entry.name() == game));
    let of_entry = |entry: &dyn AnyEntry| -> Vec<CompletionCandidate> {
        let name = |player: &Listed| match game {
            Some(_) if !with_game => player.name().to_owned(),
            _ => format!("{}/{}", entry.name(), player.name()),
        };
        entry
            .players()
            .iter()
            .map(|player| candidate(name(player), player.description.summary))
            .collect()
    };
    entries.flat_map(of_entry).collect()
}

/// Lists the scenarios of the line's game.
fn scenarios() -> Vec<CompletionCandidate> {
    let known = catalog::catalog();
    let entry = game().and_then(|game| known.entry(game).ok());
    let listed = entry.map(AnyEntry::scenarios).unwrap_or_default();
    listed.iter().map(|scenario| candidate(scenario.name(), scenario.description.summary)).collect()
}

/// Lists games and players, where either may stand.
fn games_and_players(with_game: bool) -> Vec<CompletionCandidate> {
    games().into_iter().chain(players(with_game)).collect()
}

/// Lists bundled tournaments, and files.
fn tournaments(current: &OsStr) -> Vec<CompletionCandidate> {
    let begun = current.to_string_lossy();
    let names = bundled::all_names().into_iter().filter(|name| name.starts_with(&*begun));
    let files =
        PathCompleter::file().filter(|path| path.extension().is_some_and(|end| end == "toml"));
    names.map(CompletionCandidate::new).chain(files.complete(current)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_game_of_a_line_is_played() {
        let known = catalog::catalog();
        let game = |line: &str| game_of(line.split(' ').map(str::to_owned), &known);
        assert_eq!(game("quintain -- quintain match tron"), Some("tron"));
        assert_eq!(game("quintain -- quintain match hextris:icfp2015 tron"), Some("hextris"));
        assert_eq!(game("quintain -- quintain watch mybot --against tron/basic"), Some("tron"));
        assert_eq!(game("quintain -- quintain compare space"), None);
        // A program with the name of a game.
        assert_eq!(game("tron -- tron match"), None);
    }
}
