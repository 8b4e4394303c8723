//! `quintain replay`: a recorded match, turn by turn; or a single turn as a picture.

mod pictures;
mod stepper;
mod turns;

use std::io::Write;
use std::path::PathBuf;

use pictures::Drawn;
use quintain_core::{AnyGame, Catalog, Record};
use quintain_scene::GIF_ACROSS;
use quintain_web::standalone;
use turns::Replay;

use crate::board::{self, View};
use crate::failure::Failure;
use crate::positions::positions;
use crate::usage::whole;
use crate::waiting::Waiting;
use crate::{options, screen, sources};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// A record: a file, or the first digits of its id in the store [default: the store's last
    /// match]
    record: Option<String>,
    #[arg(long, value_name = "FILE")]
    #[arg(help = options::with(options::STORE, options::DEFAULT_STORE))]
    store: Option<PathBuf>,
    /// Show only the position after this many turns
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<usize>)]
    turn: Option<usize>,
    /// Show only what programs said: standard error, notes in words
    #[arg(long, conflicts_with_all = ["turn", "svg", "html", "gif"])]
    log: bool,
    #[arg(long, value_name = "NAME", help = options::OVERLAY)]
    overlay: Vec<String>,
    /// Draw a turn (the last one, or --turn) as SVG into a file; - is standard output
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write the match as a self-contained web page that replays it; - is standard output
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write the page even if it has more than 300 kB
    #[arg(long, requires = "html")]
    any_size: bool,
    /// Draw the match as a short loop (GIF); - is standard output
    #[arg(long, value_name = "FILE")]
    gif: Option<PathBuf>,
    /// The approximate width of the GIF's board in pixels, 480 to 1920
    #[arg(long, value_name = "PIXELS", requires = "gif", default_value_t = GIF_ACROSS)]
    #[arg(value_parser = across)]
    size: usize,
}

fn across(text: &str) -> Result<usize, String> {
    let read = text.parse().ok().filter(|pixels| (GIF_ACROSS..=1920).contains(pixels));
    read.ok_or_else(|| format!("expected a whole number from {GIF_ACROSS} to 1920"))
}

pub(crate) fn run(args: &Args, catalog: &Catalog, out: &mut dyn Write) -> Result<(), Failure> {
    let store = args.store.as_deref();
    let record = match &args.record {
        Some(named) => sources::find_record(named, store)?,
        None => sources::find_newest(None, store)?,
    };
    if args.log {
        return write_log(&record, out);
    }
    sources::check_folders([&args.html, &args.svg, &args.gif])?;
    let game = catalog.game_of(&record)?;
    if args.html.is_some() {
        write_page(args, game.as_ref(), &record, out)?;
    }
    if args.svg.is_some() || args.gif.is_some() {
        return write_pictures(args, game.as_ref(), &record, out);
    }
    if args.html.is_some() {
        return Ok(());
    }
    let positions = positions(game.as_ref(), &record)?;
    let last = positions.len() - 1;
    check_turn(args.turn, last)?;
    board::check_overlays(&positions[last].state.scene(None), &args.overlay)?;
    show(args, game.as_ref(), &Replay { game: game.as_ref(), record: &record, positions }, out)
}

fn check_turn(turn: Option<usize>, last: usize) -> Result<(), Failure> {
    match turn.filter(|turn| *turn > last) {
        None => Ok(()),
        Some(turn) => Err(Failure::Usage(format!(
            "--turn {turn} is after the end: the match has turns 0 to {last}"
        ))),
    }
}

/// Writes the web page.
fn write_page(
    args: &Args,
    game: &dyn AnyGame,
    record: &Record,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let Some(path) = &args.html else { return Ok(()) };
    let turns = record.outcome.metrics.get("turns").map_or(0, |turns| *turns as u64);
    let waiting = Waiting::new("drawing", turns);
    let mut turn = 0;
    let replay = quintain_web::Replay::of_while(game, record, &mut |_| {
        turn += 1;
        waiting.set(turn);
        true
    })?;
    drop(waiting);
    let replay = replay.expect("it was not ended");
    let limit = if args.any_size { usize::MAX } else { standalone::LIMIT };
    let page = standalone::render_page(replay, limit).map_err(|too_large| {
        Failure::Failed(format!("{too_large}; --any-size writes it however large it is"))
    })?;
    sources::write(path, page, out)
}

/// Writes the picture of a turn, and the loop.
fn write_pictures(
    args: &Args,
    game: &dyn AnyGame,
    record: &Record,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let drawn = Drawn::new(game, record, &args.overlay)?;
    check_turn(args.turn, drawn.last)?;
    if let Some(path) = &args.svg {
        sources::write(path, drawn.draw_turn(args.turn.unwrap_or(drawn.last))?, out)?;
    }
    if let Some(path) = &args.gif {
        sources::write(path, drawn.draw_loop(args.size)?, out)?;
    }
    Ok(())
}

/// Shows one turn; or all turns, one by one at a terminal, then the result.
fn show(
    args: &Args,
    game: &dyn AnyGame,
    replay: &Replay<'_>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let Replay { record, positions, .. } = replay;
    let last = positions.len() - 1;
    let view = View::of_output(&args.overlay);
    if let Some(turn) = args.turn {
        writeln!(out, "{}", board::heading(&record.fixture))?;
        let page = replay.page(turn, view) + &replay.legend(turn, view);
        return Ok(out.write_all(page.as_bytes())?);
    }
    let scene = positions[last].state.scene(None);
    let result = if screen::is_interactive() {
        stepper::run(replay, args.overlay.clone())?;
        view.result(game, record, &scene)
    } else {
        writeln!(out, "{}", board::heading(&record.fixture))?;
        write!(out, "{}", replay.legend(last, view))?;
        for turn in 0..=last {
            writeln!(out, "\n{}", replay.page(turn, view).trim_end())?;
        }
        writeln!(out)?;
        view.verdict(game, record, &scene)
    };
    Ok(out.write_all(result.as_bytes())?)
}

/// Writes the programs' output, turn by turn.
fn write_log(record: &Record, out: &mut dyn Write) -> Result<(), Failure> {
    writeln!(out, "{}", board::heading(&record.fixture))?;
    if record.log.is_empty() && record.notes.is_empty() {
        writeln!(out, "no program said anything, on standard error or in notes")?;
    }
    for line in board::log_lines(&record.notes, &record.log) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}
