//! `quintain new`: begins a player, a tournament or a game of one's own, each of which plays at once.

mod example;
mod game;
mod kit;
mod languages;
mod player;
mod tournament;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use quintain_core::Catalog;

use crate::failure::{Failure, cannot_write};
use game::new_game;
#[cfg(all(feature = "host", target_os = "linux"))]
pub(crate) use kit::{Kit, kits};
use languages::Language;
use player::new_player;
use tournament::new_tournament;
pub(crate) use tournament::usual_scenario;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: NewCommand,
}

#[derive(clap::Subcommand)]
enum NewCommand {
    /// Create a folder with a program that plays, and its entry in bots.toml
    Player {
        /// The player's name: lowercase letters, digits, hyphens
        name: String,
        /// The game that it plays [default: the first of `quintain games`]
        #[arg(long)]
        game: Option<String>,
        /// The programming language
        #[arg(long, value_enum, default_value_t = Language::Python, ignore_case = true)]
        lang: Language,
    },
    /// Create a tournament file with comments, for the game's players and those of bots.toml
    Tournament {
        /// The tournament's name; the file is NAME.toml
        name: String,
        /// The game [default: the first of `quintain games`]
        #[arg(long)]
        game: Option<String>,
        /// A player to enter besides those of bots.toml, such as wasm:FILE (may be given several
        /// times)
        #[arg(long, value_name = "PLAYER")]
        player: Vec<String>,
    },
    /// Create a crate with a game in Rust, and the whole `quintain` command with that game
    ///
    /// In a checkout of quintain the game joins those of the workbench; anywhere else, it becomes a
    /// separate program with all verbs.
    Game {
        /// The game's name: lowercase letters, digits, single hyphens
        name: String,
        /// A checkout of quintain whose crates the game uses [default: those of the registry]
        #[arg(long, value_name = "DIR")]
        workbench: Option<PathBuf>,
    },
}

/// The existing programs.
pub(crate) struct Programs<'a> {
    /// The bots.toml found from here, or to be created here.
    pub(crate) file: PathBuf,
    /// Checks that the file, if it exists, can be read as one that names programs.
    pub(crate) check: &'a dyn Fn() -> Result<(), Failure>,
    /// Returns the programs that can be entered in a tournament of a game, and what is wrong with the
    /// others.
    pub(crate) entrants: &'a dyn Fn(&str) -> Result<Entrants, Failure>,
}

/// The programs of a bots.toml, sorted for one game.
#[derive(Default)]
pub(crate) struct Entrants {
    /// Players that can play it, such as `bot:mine`.
    pub(crate) able: Vec<String>,
    /// What is wrong with some of them, one line each.
    pub(crate) doubtful: Vec<String>,
    /// Why each of the others is left out, one line each.
    pub(crate) left_out: Vec<String>,
}

pub(crate) fn run(
    args: &Args,
    catalog: &Catalog,
    programs: &Programs<'_>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let first = || catalog.entries().next().map_or("", |entry| entry.name());
    match &args.command {
        NewCommand::Player { name, game, lang } => {
            let game = game.as_deref().unwrap_or_else(first);
            new_player(name, game, *lang, catalog, programs, out)
        }
        NewCommand::Tournament { name, game, player } => {
            let game = game.as_deref().unwrap_or_else(first);
            new_tournament(name, game, player, catalog, programs, out)
        }
        NewCommand::Game { name, workbench } => new_game(name, workbench.as_deref(), catalog, out),
    }
}

/// Maximum length of a name, in letters.
const LONGEST_NAME: usize = 40;

/// Checks that a name is valid for a file, a table and a crate.
fn check_name(name: &str) -> Result<(), Failure> {
    let is_allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let begins = name.starts_with(|c: char| c.is_ascii_lowercase());
    if begins && name.len() <= LONGEST_NAME && name.chars().all(is_allowed) && !name.ends_with('-')
    {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "“{name}”: expected a name of at most {LONGEST_NAME} lowercase letters, digits and hyphens \
         that begins with a letter and does not end with a hyphen, such as my-bot"
    )))
}

fn refuse_existing(path: &Path) -> Result<(), Failure> {
    match path.symlink_metadata() {
        Ok(_) => {
            Err(Failure::Usage(format!("{} exists already; choose another name", path.display())))
        }
        Err(_) => Ok(()),
    }
}

fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
    folder.and_then(|()| fs::write(path, text)).map_err(|error| cannot_write(path, &error))
}
