//! `quintain match`: one match, played and shown.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use quintain_arena::{Row, Store};
use quintain_core::{AnyEntry, AnyGame, AnyMatch, Budget, Catalog, Fixture, Record, Seated, Setup};

use crate::board::{self, View};
use crate::failure::Failure;
use crate::lists::counted;
use crate::screen::{self, Screen};
use crate::{sources, stop};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The game; `quintain games` lists them
    game: String,
    /// A player for each seat, NAME or "NAME?parameter=value"; none for a match worth watching
    players: Vec<String>,
    /// Where to play, NAME or "NAME?parameter=value" [default: the game's first scenario]
    #[arg(short, long)]
    scenario: Option<String>,
    /// The seed of all chance in the match
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// What each player may think: nodes=N, iterations=N, move=TIME, match=TIME
    #[arg(short, long, default_value = "", hide_default_value = true)]
    budget: Budget,
    /// Show every turn
    #[arg(long, conflicts_with = "json")]
    show: bool,
    /// Milliseconds between turns shown in a terminal
    #[arg(long, value_name = "MS", default_value_t = 80)]
    delay: u64,
    /// An overlay to show with the board (may be given several times)
    #[arg(long, value_name = "NAME")]
    overlay: Vec<String>,
    /// Print the record as JSON
    #[arg(long)]
    json: bool,
    /// Write the record to a file
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Keep the record in a store
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, catalog: &Catalog, out: &mut dyn Write) -> Result<(), Failure> {
    let entry = catalog.entry(&args.game)?;
    let (game, players) = chosen(args, entry, catalog)?;
    let seats: Vec<&Seated> = players.iter().collect();
    check_seats(game.as_ref(), &seats)?;
    let mut setup = Setup { seed: args.seed, budget: args.budget, notes: true, ..Setup::default() };
    let view = View { style: screen::style(), overlays: &args.overlay };
    board::check_overlays(&game.begin(setup.seed).scene(None), &args.overlay)?;

    let mut store = args.store.as_deref().map(Store::open).transpose()?;
    let begun = Instant::now();
    let watching = screen::is_interactive() && !args.json;
    let record = if watching && (args.show || args.players.is_empty()) {
        let stop = stop::on_request();
        setup.stop = Some(Arc::clone(&stop));
        let fixture = game.fixture(&setup, &seats);
        let mut show = Show::open(view, &fixture, Duration::from_millis(args.delay), stop)?;
        let played = game.play(&setup, &seats, Some(&mut |now| show.turn(now)));
        show.close()?;
        played?
    } else if args.show {
        let fixture = game.fixture(&setup, &seats);
        let stop = Arc::new(AtomicBool::new(false));
        setup.stop = Some(Arc::clone(&stop));
        let mut written = writeln!(out, "{}", board::heading(&fixture));
        let record = game.play(
            &setup,
            &seats,
            Some(&mut |now| {
                if written.is_ok() {
                    let page = view.position(&fixture, now, &[]);
                    written =
                        write!(out, "\nturn {}\n{page}", now.turn()).and_then(|()| out.flush());
                    // Nobody reads on: the rest is of no use.
                    stop.store(written.is_err(), Ordering::SeqCst);
                }
            }),
        )?;
        written?;
        writeln!(out)?;
        record
    } else {
        game.play(&setup, &seats, None)?
    };
    tracing::info!(id = record.id, "played");
    if let Some(store) = &mut store {
        let rows = [Row::new(&record, begun.elapsed())];
        if let Some(id) = store.insert(None, &rows)?.conflicts.first() {
            let store = store.path().display();
            return Err(Failure::Failed(format!(
                "the store {store} has record {id} with another course of this match; \
                 it was kept as it was"
            )));
        }
    }
    report(args, game.as_ref(), &record, view, out)
}

/// The game and the players that the arguments name, or those of the showcase.
fn chosen(
    args: &Args,
    entry: &dyn AnyEntry,
    catalog: &Catalog,
) -> Result<(Arc<dyn AnyGame>, Vec<Seated>), Failure> {
    let (show_scenario, show_players) = entry.showcase();
    let scenarios = entry.scenarios();
    let usual = match args.players.is_empty() {
        true => show_scenario,
        false => scenarios.first().map_or(show_scenario, |first| first.name),
    };
    let game = entry.game(args.scenario.as_deref().unwrap_or(usual))?;
    let names: Vec<&String> = match args.players.is_empty() {
        true => show_players.iter().cycle().take(game.seats()).collect(),
        false => args.players.iter().collect(),
    };
    let players: Result<Vec<Seated>, _> =
        names.into_iter().map(|name| catalog.seat(&args.game, name)).collect();
    Ok((game, players?))
}

fn check_seats(game: &dyn AnyGame, players: &[&Seated]) -> Result<(), Failure> {
    if players.len() != game.seats() {
        let (name, scenario) = (game.name(), game.scenario());
        let (seats, given) = (counted(game.seats(), "seat"), counted(players.len(), "player"));
        return Err(Failure::Usage(format!(
            "{name}:{scenario} has {seats}, but {given} {} given; name one for each seat",
            if players.len() == 1 { "was" } else { "were" },
        )));
    }
    for player in players {
        game.accepts(player)?;
    }
    Ok(())
}

fn report(
    args: &Args,
    game: &dyn AnyGame,
    record: &Record,
    view: View<'_>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let json = record.to_json() + "\n";
    if let Some(path) = &args.save {
        sources::write(path, &json, out)?;
    }
    if args.json {
        return Ok(out.write_all(json.as_bytes())?);
    }
    let positions = crate::positions::positions(game, record)?;
    let last = positions.last().expect("there is a first position").state.scene(None);
    writeln!(out, "{}", board::heading(&record.fixture))?;
    out.write_all(view.result(game, record, &last).as_bytes())?;
    if let Some(path) = &args.store {
        let (path, id) = (path.display(), &record.id[..8]);
        writeln!(out, "record in {path}; watch it: quintain replay {id} --store {path}")?;
    }
    if let Some(path) = args.save.as_ref().filter(|path| path.as_os_str() != "-") {
        writeln!(out, "record in {0}; watch it: quintain replay {0}", path.display())?;
    }
    Ok(())
}

/// A match shown while it is played, in a terminal taken over.
struct Show<'a> {
    view: View<'a>,
    fixture: &'a Fixture,
    delay: Duration,
    stop: Arc<AtomicBool>,
    screen: Option<Screen>,
    failed: Option<std::io::Error>,
}

impl<'a> Show<'a> {
    fn open(
        view: View<'a>,
        fixture: &'a Fixture,
        delay: Duration,
        stop: Arc<AtomicBool>,
    ) -> Result<Self, Failure> {
        Ok(Show { view, fixture, delay, stop, screen: Some(Screen::open()?), failed: None })
    }

    fn turn(&mut self, now: &dyn AnyMatch) {
        let Some(screen) = self.screen.as_ref().filter(|_| !self.is_stopped()) else { return };
        let heading = board::heading(self.fixture);
        let page = format!("{heading}\n{}", self.view.position(self.fixture, now, &[]));
        let status = format!("turn {}  (Ctrl-C stops)", now.turn());
        if let Err(error) = screen.show(&page, &status) {
            self.failed = Some(error);
            self.stop.store(true, Ordering::SeqCst);
        }
        let until = Instant::now() + self.delay;
        while !self.is_stopped() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(20).min(until - Instant::now()));
        }
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    /// Gives the terminal back.
    fn close(mut self) -> Result<(), Failure> {
        self.screen = None;
        match self.failed.take() {
            Some(error) => Err(error.into()),
            None if self.is_stopped() => Err(Failure::Stopped),
            None => Ok(()),
        }
    }
}
