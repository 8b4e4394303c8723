//! `quintain play`: a game played by keyboard, against players or alone; alone with undo. The
//! result is a record like any other and, where a game's files have a format for it, a solution.
//! [`keyboard`] decides what keys lead to, separately from the terminal.

mod keyboard;

use std::io::Write;
use std::path::PathBuf;

use quintain_core::ui::Key;
use quintain_core::{AnyEntry, Budget, Catalog};
use quintain_play::{HumanMatch, HumanMatchConfig};
use quintain_scene::quote;
use quintain_store::RecordRow;

use crate::board::{self, View};
use crate::failure::Failure;
use crate::full_names::{find_misplaced, find_place};
use crate::screen::{self, Input, Screen};
use crate::usage::whole;
use crate::{options, sources};
use keyboard::KeyboardPlayer;

/// The default budget of our players, which people have to wait for.
const DEFAULT_BUDGET: &str = "move=300ms";

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The game: see `quintain games`. GAME:SCENARIO names the scenario, too
    game: String,
    #[arg(short, long)]
    #[arg(help = options::with(options::SCENARIO, "[default: the game's first]"))]
    scenario: Option<String>,
    #[arg(short, long, value_name = "PLAYER", help = options::with(
        options::AGAINST,
        "(it has all other seats) [default: one that the game proposes]",
    ))]
    against: Option<String>,
    /// Your seat
    #[arg(long, default_value_t = 0, allow_negative_numbers = true, value_parser = whole::<usize>)]
    seat: usize,
    /// Your name in the record
    #[arg(long, default_value = "guest")]
    name: String,
    #[arg(long, default_value_t = 1, allow_negative_numbers = true, value_parser = whole::<u64>)]
    #[arg(help = options::SEED)]
    seed: u64,
    #[arg(short, long, help = options::with(
        options::BUDGET,
        "[default: move=300ms; for a program its own limit, as in `quintain match`]",
    ))]
    budget: Option<String>,
    #[arg(long, value_name = "NAME", help = options::OVERLAY)]
    overlay: Vec<String>,
    /// Keys to play first, before those at the keyboard
    #[arg(long, value_name = "KEYS", default_value = "")]
    keys: String,
    /// Write the moves to a file, in the game's format of solutions; - is standard output
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[arg(long, value_name = "FILE", help = options::with(options::SAVE, "(of a finished match)"))]
    save: Option<PathBuf>,
    #[arg(long, value_name = "FILE", help = options::with(
        options::STORE,
        "(a finished match is kept there) [default: none]",
    ))]
    store: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, catalog: &Catalog, out: &mut dyn Write) -> Result<(), Failure> {
    if let Some((place, player)) = find_misplaced(&args.game, catalog) {
        let against = match player {
            "" => String::new(),
            player => format!(" --against {}", quote(player)),
        };
        return Err(Failure::Usage(format!(
            "{}: expected GAME or GAME:SCENARIO, and opponents as --against PLAYER: quintain play \
             {}{against}",
            args.game,
            quote(place)
        )));
    }
    sources::check_folders([&args.out, &args.save, &args.store])?;
    let (name, scenario) = find_place(&args.game, args.scenario.as_deref())?;
    let entry = catalog.entry(name)?;
    let Some(keyboard) = entry.keyboard() else {
        let name = entry.name();
        return Err(Failure::Usage(format!(
            "{name} cannot be played by keyboard; try: quintain match {name}"
        )));
    };
    if args.out.is_some() && keyboard.solution.is_none() {
        let name = entry.name();
        return Err(Failure::Usage(format!(
            "{name} has no format for solutions; --save writes the record"
        )));
    }
    let human_match = HumanMatch::begin(catalog, &match_config(args, entry, scenario)?)?;
    if args.against.is_some() && human_match.game().seats() == 1 {
        let name = entry.name();
        return Err(Failure::Usage(format!(
            "{name} has one seat: there is nobody to play --against"
        )));
    }
    if args.keys.is_empty() && !screen::is_interactive() {
        let name = entry.name();
        return Err(Failure::Usage(format!(
            "there is no terminal to play in; give keys with --keys, or let players play: quintain \
             match {name}"
        )));
    }
    board::check_overlays(&human_match.state().scene(Some(human_match.seat())), &args.overlay)?;
    let mut player = KeyboardPlayer::new(keyboard, human_match);
    press_keys(&mut player, args, entry)?;
    let view = View::of_output(&args.overlay);
    let game = player.human_match.game();
    let heading = format!("{}:{}", game.name(), game.scenario());
    if screen::is_interactive() {
        play_on_screen(&mut player, &heading, view)?;
    }
    write!(out, "{heading}\n{}{}", view.board(&player.scene()), player.result())?;
    write_files(&player, args, catalog, out)
}

/// Presses the keys of `--keys`.
fn press_keys(
    player: &mut KeyboardPlayer,
    args: &Args,
    entry: &dyn AnyEntry,
) -> Result<(), Failure> {
    for (place, key) in args.keys.chars().enumerate() {
        if !player.press(Key::Character(key)) {
            return Err(Failure::Usage(format!(
                "--keys: key {}, “{key}”, means nothing in {}; {}",
                place + 1,
                entry.name(),
                player.keyboard.help
            )));
        }
    }
    Ok(())
}

/// Plays by the keyboard of a terminal.
fn play_on_screen(
    player: &mut KeyboardPlayer,
    heading: &str,
    view: View<'_>,
) -> Result<(), Failure> {
    let screen = Screen::open_with_keys()?;
    while player.is_playing {
        let room = screen.room();
        let page = match player.helps {
            true => player.help(view),
            false => player.page(heading, view, room),
        };
        screen.show(&page, &player.status(room.columns))?;
        if let Input::Key(key) = screen.wait(None)? {
            player.obey(key);
        }
    }
    Ok(())
}

/// Returns the configuration that the arguments ask for.
fn match_config(
    args: &Args,
    entry: &dyn AnyEntry,
    scenario: Option<&str>,
) -> Result<HumanMatchConfig, Failure> {
    let scenarios = entry.scenarios();
    let first = scenarios.first().map_or("", |first| first.name());
    let (_, players) = entry.showcase();
    let opponent = args.against.clone().or_else(|| players.first().cloned());
    let opponent = opponent.unwrap_or_default();
    let budget: Budget = match &args.budget {
        Some(given) => given.parse()?,
        // bot:NAME, exec:"COMMAND" and the like have limits of their own.
        None if opponent.split('?').next().is_some_and(|name| name.contains(':')) => {
            Budget::default()
        }
        None => DEFAULT_BUDGET.parse()?,
    };
    Ok(HumanMatchConfig {
        game: entry.name().to_owned(),
        scenario: scenario.unwrap_or(first).to_owned(),
        seed: args.seed,
        name: args.name.clone(),
        seat: args.seat,
        opponent,
        budget,
    })
}

/// Writes the files with what was played.
fn write_files(
    player: &KeyboardPlayer,
    args: &Args,
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    if let Some((record, elapsed)) = player.human_match.record() {
        if let Some(path) = &args.save {
            sources::write(path, sources::format_record(&record), out)?;
        }
        if let Some(path) = &args.store {
            sources::open_store(path)?.insert(None, &[RecordRow::new(&record, elapsed)])?;
            writeln!(out, "{}", sources::describe_stored(path, &record))?;
        }
        for hint in board::hints(catalog, &record, args.store.as_deref(), args.save.as_deref()) {
            writeln!(out, "{hint}")?;
        }
    } else if args.save.is_some() || args.store.is_some() {
        writeln!(out, "no record: the match is not finished")?;
    }
    let (Some(path), Some(solved)) = (&args.out, player.keyboard.solution) else {
        return Ok(());
    };
    let scenario = player.human_match.game().scenario();
    let solution = solved(scenario, player.human_match.actions())
        .map_err(|error| Failure::Failed(error.to_string()))?;
    sources::write(path, &solution, out)
}
