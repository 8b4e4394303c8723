//! `quintain match`: one match, played and shown.

mod misplaced;
mod seats;
mod show;

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use quintain_core::{
    AnyEntry, AnyGame, Budget, Catalog, KeptNotes, LogEntry, Note, PlayerHandle, Record, Scoring,
    Setup, replay,
};
use quintain_scene::quote;

use crate::board::{self, View};
use crate::context::Context;
use crate::failure::Failure;
use crate::full_names::{find_misplaced, find_place};
use crate::usage::whole;
use crate::{options, screen, sources};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The game: see `quintain games`. GAME:SCENARIO names the scenario, too
    game: String,
    /// A player for each seat, NAME or "NAME?parameter=value": see `quintain players GAME`. If the
    /// seats do not compete, one player may take them all; if no player is named, players and a
    /// scenario worth watching are chosen
    players: Vec<String>,
    #[arg(short, long, help = options::with(
        options::SCENARIO,
        "[default: the game's first; if no player is named, one worth watching]",
    ))]
    scenario: Option<String>,
    #[arg(long, default_value_t = 1, allow_negative_numbers = true, value_parser = whole::<u64>)]
    #[arg(help = options::SEED)]
    seed: u64,
    #[arg(short, long, default_value = "", hide_default_value = true, help = options::BUDGET)]
    budget: String,
    /// Show every turn (the default on a terminal if no player is named)
    #[arg(long, conflicts_with = "json")]
    show: bool,
    /// Milliseconds between turns that are shown on a terminal
    #[arg(long, value_name = "MS", default_value_t = 80, allow_negative_numbers = true)]
    #[arg(value_parser = whole::<u64>)]
    delay: u64,
    #[arg(long, value_name = "NAME", help = options::OVERLAY)]
    overlay: Vec<String>,
    #[arg(long, help = options::with(options::JSON, "(the record: the same as --format json)"))]
    json: bool,
    #[arg(long, value_enum, default_value_t = Format::Text, help = options::FORMAT)]
    format: Format,
    #[arg(long, value_name = "FILE", help = options::SAVE)]
    save: Option<PathBuf>,
    #[arg(long, value_name = "FILE", help = options::with(options::STORE, "[default: none]"))]
    store: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// The last board and who won
    Text,
    /// The record
    Json,
}

impl Args {
    fn is_json(&self) -> bool {
        self.json || self.format == Format::Json
    }

    /// Notes are kept for a record that is written somewhere. What is shown is never more than one
    /// turn's.
    fn kept_notes(&self) -> KeptNotes {
        match self.is_json() || self.save.is_some() || self.store.is_some() {
            true => KeptNotes::All,
            false => KeptNotes::Last,
        }
    }
}

pub(crate) fn run(args: &Args, context: &Context<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    let catalog = context.catalog;
    if let Some((place, player)) = find_misplaced(&args.game, catalog) {
        let given = misplaced::Given {
            game: &args.game,
            scenario: args.scenario.as_deref(),
            players: &args.players,
        };
        return Err(misplaced::correct(&given, place, player, catalog));
    }
    sources::check_folders([&args.save])?;
    let (name, scenario) = find_place(&args.game, args.scenario.as_deref())?;
    let entry = catalog.entry(name)?;
    let (game, players) = select_players(args, entry, scenario, catalog)?;
    let seats: Vec<&PlayerHandle> = players.iter().collect();
    seats::check_seats(entry, game.as_ref(), &seats)?;
    // Parsed here rather than by clap, which would repeat the input.
    let budget: Budget = args.budget.parse()?;
    let setup = Setup::new(args.seed).with_budget(budget).with_notes(args.kept_notes());
    let view = View::of_output(&args.overlay);
    board::check_overlays(&game.begin(setup.seed).scene(None), &args.overlay)?;

    context.warn_of_memory(1, &[seats.iter().map(|seated| seated.spec.as_str()).collect()]);
    let mut store = args.store.as_deref().map(sources::open_store).transpose()?;
    let begun = Instant::now();
    let record =
        if !args.is_json() && screen::is_interactive() && (args.show || args.players.is_empty()) {
            let delay = Duration::from_millis(args.delay);
            show::play_in_terminal(game.as_ref(), setup, &seats, view, delay)?
        } else if args.show && !args.is_json() {
            show::play_as_text(game.as_ref(), setup, &seats, view, out)?
        } else {
            let mut live = LiveLog::default();
            let record =
                game.play(&setup, &seats, Some(&mut |now| live.log(now.notes(), now.log())))?;
            live.log_rest(&record.log);
            record
        };
    tracing::info!(id = record.id, "played");
    if let Some(store) = &mut store {
        sources::keep_record(store, &record, begun.elapsed())?;
    }
    report(args, catalog, game.as_ref(), (&record, view), out)
}

/// Logs what programs say while they play (`-v`).
#[derive(Default)]
struct LiveLog {
    logged: Vec<LogEntry>,
}

impl LiveLog {
    fn log(&mut self, notes: &[Note], log: &[LogEntry]) {
        board::log_lines(notes, log).iter().for_each(|line| tracing::info!("{line}"));
        if let Some(last) = log.last() {
            self.logged.retain(|entry| entry.turn + 1 >= last.turn);
        }
        self.logged.extend_from_slice(log);
    }

    /// Logs what came after the last turn: messages about a fault, or about the end.
    fn log_rest(&mut self, log: &[LogEntry]) {
        let last = self.logged.last().map_or(0, |entry| entry.turn);
        let is_new = |entry: &&LogEntry| entry.turn >= last && !self.logged.contains(entry);
        let rest: Vec<LogEntry> = log.iter().filter(is_new).cloned().collect();
        self.log(&[], &rest);
    }
}

/// Returns the game and the players that the arguments name, or those of the showcase.
fn select_players(
    args: &Args,
    entry: &dyn AnyEntry,
    scenario: Option<&str>,
    catalog: &Catalog,
) -> Result<(Arc<dyn AnyGame>, Vec<PlayerHandle>), Failure> {
    let (show_scenario, show_players) = entry.showcase();
    let scenarios = entry.scenarios();
    let usual = match args.players.is_empty() {
        true => show_scenario,
        false => scenarios.first().map_or(show_scenario, |first| first.name()),
    };
    let game = entry.game(scenario.unwrap_or(usual))?;
    let seated = |name: &str| catalog.player(entry.name(), name);
    let all = entry.players();
    let names: Vec<&str> = match args.players.is_empty() {
        // Where seats are rivals, each player has to be named.
        false if args.players.len() == 1 && game.scoring() == Scoring::Independent => {
            vec![&args.players[0]; game.seats()]
        }
        false => args.players.iter().map(String::as_str).collect(),
        true => {
            let able = |name: &&str| seated(name).is_ok_and(|who| game.accepts(&who).is_ok());
            let mut names: Vec<&str> =
                show_players.iter().map(String::as_str).filter(able).collect();
            if names.len() < show_players.len() {
                // Some players of the showcase cannot play here (with more seats, for example), so
                // others that can are used.
                let others = all.iter().map(|known| known.name());
                let shown =
                    |name: &str| names.iter().any(|known| known.split('?').next() == Some(name));
                let others: Vec<&str> = others.filter(|name| !shown(name)).filter(able).collect();
                names.extend(others);
            }
            names.into_iter().cycle().take(game.seats()).collect()
        }
    };
    let players: Result<Vec<PlayerHandle>, _> = names.into_iter().map(seated).collect();
    Ok((game, players?))
}

fn report(
    args: &Args,
    catalog: &Catalog,
    game: &dyn AnyGame,
    (record, view): (&Record, View<'_>),
    out: &mut dyn Write,
) -> Result<(), Failure> {
    if let Some(path) = &args.save {
        sources::write(path, sources::format_record(record), out)?;
    }
    if args.is_json() {
        return Ok(writeln!(out, "{}", record.to_json())?);
    }
    let last = replay(game, record, &mut |_, _| {})?.scene(None);
    if args.show && !screen::is_interactive() {
        // The last turn's board is directly above.
        writeln!(out, "\n{}", view.verdict(game, record, &last).trim_end())?;
    } else {
        writeln!(out, "{}", board::heading(&record.fixture))?;
        out.write_all(view.result(game, record, &last).as_bytes())?;
        if screen::is_interactive() && !args.show && !args.players.is_empty() {
            writeln!(out, "to see every turn, add --show")?;
        }
    }
    if let Some(path) = &args.store {
        writeln!(out, "{}", sources::describe_stored(path, record))?;
    }
    let save = args.save.as_deref().filter(|path| path.as_os_str() != "-");
    if let Some(path) = save {
        let path = path.display().to_string();
        writeln!(out, "record in {path}; watch it: quintain replay {}", quote(&path))?;
    }
    for hint in board::hints(catalog, record, args.store.as_deref(), save) {
        writeln!(out, "{hint}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        args: Args,
    }

    #[test]
    fn all_notes_are_kept_only_for_written_records() {
        let kept = |options: &str| {
            let line = format!("match tron {options}");
            Command::parse_from(line.split_whitespace()).args.kept_notes()
        };
        for shown in ["", "--show", "--overlay reach", "--format text"] {
            assert_eq!(kept(shown), KeptNotes::Last, "{shown}");
        }
        for written in
            ["--json", "--format json", "--save -", "--store s.sqlite", "--show --save -"]
        {
            assert_eq!(kept(written), KeptNotes::All, "{written}");
        }
    }
}
