//! `quintain new`: begins a player, a tournament or a game of one's own, each of which plays at
//! once.

mod files;
mod game;
mod player;
mod programs;
mod tournament;

use std::io::Write;
use std::num::NonZeroU32;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use quintain_languages::{Starter, starters};

use crate::context::Context;
use crate::failure::Failure;
use crate::options;
use crate::usage::{first_seed, positive};
use game::new_game;
use player::new_player;
use programs::Programs;
pub(crate) use tournament::usual_scenario;
use tournament::{TournamentPlan, new_tournament};

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
        #[arg(short, long, help = options::with(options::GAME, "[default: the first of them]"))]
        game: Option<String>,
        /// The programming language
        #[arg(long, value_parser = language_parser(), default_value = "python", ignore_case = true)]
        lang: &'static Starter,
    },
    /// Create a tournament file with comments, for the game's players and those of bots.toml
    Tournament {
        /// The tournament's name; the file is NAME.toml
        name: String,
        #[arg(short, long, help = options::with(options::GAME, "[default: the first of them]"))]
        game: Option<String>,
        #[arg(short, long, help = options::with(options::SCENARIO, options::USUAL_SCENARIO))]
        scenario: Vec<String>,
        #[arg(long, value_name = "N", allow_negative_numbers = true)]
        #[arg(value_parser = positive::<NonZeroU32>, help = options::with(
            options::SEEDS,
            "[default: 10, or 1 where seeds change nothing]",
        ))]
        seeds: Option<NonZeroU32>,
        #[arg(long, allow_negative_numbers = true, value_parser = first_seed)]
        #[arg(help = options::with(options::SEED, "[default: drawn at random]"))]
        seed: Option<u64>,
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

pub(crate) fn run(args: &Args, context: &Context<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    let catalog = context.catalog;
    let programs = &Programs::of(context);
    let first = || catalog.entries().next().map_or("", |entry| entry.name());
    match &args.command {
        NewCommand::Player { name, game, lang } => {
            let game = game.as_deref().unwrap_or_else(first);
            new_player(name, game, lang, catalog, programs, out)
        }
        NewCommand::Tournament { name, game, scenario, seeds, seed, player } => {
            let game = game.as_deref().unwrap_or_else(first);
            let plan = TournamentPlan {
                game,
                scenarios: scenario,
                seeds: seeds.map(NonZeroU32::get),
                seed: *seed,
                players: player,
            };
            new_tournament(name, &plan, catalog, programs, out)
        }
        NewCommand::Game { name, workbench } => new_game(name, workbench.as_deref(), catalog, out),
    }
}

/// Returns the parser of `--lang`, which knows all languages of the table.
fn language_parser() -> impl TypedValueParser<Value = &'static Starter> {
    let value = |starter: &'static Starter| {
        let value =
            PossibleValue::new(&*starter.name).aliases(starter.aliases.iter().map(|one| &**one));
        match &starter.summary {
            Some(summary) => value.help(&**summary),
            None => value,
        }
    };
    let known: Vec<PossibleValue> = starters().iter().map(value).collect();
    PossibleValuesParser::new(known)
        .map(|name| Starter::find(&name).expect("the parser knows only languages of the table"))
}
