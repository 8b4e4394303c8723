//! `quintain replay`: a recorded match, turn by turn; or a single turn as a picture.

mod stepper;

use std::borrow::Cow;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use quintain_core::ui::Point;
use quintain_core::{AnyGame, Catalog, Record};
use quintain_scene::{
    GIF_ACROSS, GifFrame, GifLine, PictureText, Room, TerminalStyle, clean, render_gif, render_svg,
};
use quintain_web::{headline, standalone};

use crate::board::{self, Page, View};
use crate::failure::Failure;
use crate::positions::{Position, positions};
use crate::usage::whole;
use crate::{screen, sources};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// A record: a file, or the first digits of its id in the store [default: the store's last match]
    record: Option<String>,
    /// The store to look in [default: quintain.sqlite, or $QUINTAIN_STORE]
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
    /// Show only the position after this many turns
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<usize>)]
    turn: Option<usize>,
    /// Show only what programs said: standard error, notes in words
    #[arg(long, conflicts_with_all = ["turn", "svg", "html", "gif"])]
    log: bool,
    /// An overlay to show with the board (may be given several times)
    #[arg(long, value_name = "NAME")]
    overlay: Vec<String>,
    /// Draw a turn (the last one, or --turn) as SVG into a file; - is standard output
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write the match as a self-contained web page that replays it; - is standard output
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Draw the match as a short loop (GIF); - is standard output
    #[arg(long, value_name = "FILE")]
    gif: Option<PathBuf>,
    /// The approximate width of the GIF's board in pixels, 480 to 1920
    #[arg(long, value_name = "PIXELS", requires = "gif", default_value_t = GIF_ACROSS, value_parser = across)]
    size: usize,
}

fn across(text: &str) -> Result<usize, String> {
    let read = text.parse().ok().filter(|pixels| (GIF_ACROSS..=1920).contains(pixels));
    read.ok_or_else(|| format!("expected a whole number from {GIF_ACROSS} to 1920"))
}

/// Maximum number of pictures in a loop; from a longer match, turns are left out evenly.
const PICTURES: usize = 240;
/// Maximum number of players named below a picture.
const NAMED: usize = 8;
/// How long a loop should take, and the minimum and maximum for each picture.
const LOOP: Duration = Duration::from_secs(16);
const PICTURE: (Duration, Duration) = (Duration::from_millis(60), Duration::from_millis(400));

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
    if let Some(path) = &args.html {
        let page = standalone::render_page(
            quintain_web::Replay::of(game.as_ref(), &record)?,
            standalone::LIMIT,
        );
        sources::write(path, page, out)?;
        if args.svg.is_none() && args.gif.is_none() {
            return Ok(());
        }
    }
    let positions = positions(game.as_ref(), &record)?;
    let last = positions.len() - 1;
    if let Some(turn) = args.turn.filter(|turn| *turn > last) {
        return Err(Failure::Usage(format!(
            "--turn {turn} is after the end: the match has turns 0 to {last}"
        )));
    }
    board::check_overlays(&positions[last].state.scene(None), &args.overlay)?;
    let replay = Replay { record: &record, positions };
    if let Some(path) = &args.svg {
        let picture = replay.picture(game.as_ref(), args.turn.unwrap_or(last), &args.overlay);
        sources::write(path, picture, out)?;
    }
    if let Some(path) = &args.gif {
        sources::write(path, replay.pictures(game.as_ref(), &args.overlay, args.size)?, out)?;
    }
    if args.svg.is_some() || args.gif.is_some() {
        return Ok(());
    }
    let view = View::of_output(&args.overlay);
    if let Some(turn) = args.turn {
        writeln!(out, "{}", board::heading(&record.fixture))?;
        let page = replay.page(turn, view) + &replay.legend(turn, view);
        return Ok(out.write_all(page.as_bytes())?);
    }
    if screen::is_interactive() {
        stepper::run(&replay, args.overlay.clone())?;
    } else {
        writeln!(out, "{}", board::heading(&record.fixture))?;
        write!(out, "{}", replay.legend(last, view))?;
        for turn in 0..=last {
            writeln!(out, "\n{}", replay.page(turn, view).trim_end())?;
        }
        writeln!(out)?;
    }
    let scene = replay.positions[last].state.scene(None);
    let result = match screen::is_interactive() {
        true => view.result(game.as_ref(), &record, &scene),
        false => view.verdict(game.as_ref(), &record, &scene),
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

/// A record with its positions.
struct Replay<'a> {
    record: &'a Record,
    positions: Vec<Position>,
}

impl Replay<'_> {
    /// Renders a turn: what was played, the board, the players.
    fn page(&self, turn: usize, view: View<'_>) -> String {
        let state = self.positions[turn].state.as_ref();
        let board = view.position(&self.record.fixture, state, &self.scores(turn));
        format!("{}\n{board}", self.line(turn))
    }

    /// Renders the same as a page for a terminal of this size.
    fn render_page(&self, turn: usize, view: View<'_>, room: Room, focus: Option<Point>) -> String {
        let scene = self.positions[turn].state.scene(None);
        let below = self.below(turn, view);
        let above = format!("{}\n{}\n", board::heading(&self.record.fixture), self.line(turn));
        let legend = String::new();
        view.render_page(&Page { above, scene: &scene, focus, below, legend }, room)
    }

    /// Renders the part below the board of a turn.
    fn below(&self, turn: usize, view: View<'_>) -> String {
        let (fixture, state) = (&self.record.fixture, self.positions[turn].state.as_ref());
        let scores = self.scores(turn);
        let mut below = view.describe(&state.scene(None), fixture, state, &scores);
        if turn + 1 == self.positions.len() {
            below.insert_str(0, &board::ending(fixture, &self.record.outcome));
        }
        below
    }

    /// Returns all information about a turn, wrapped to this many columns.
    fn text(&self, turn: usize, view: View<'_>, columns: usize) -> Vec<String> {
        let mut text = format!("{}\n{}\n", board::heading(&self.record.fixture), self.line(turn));
        if let Some(before) = turn.checked_sub(1) {
            text += &format!(
                "\nNotes and output are from turn {before}, when these moves were decided.\n"
            );
        }
        text += &format!("\n{}", self.below(turn, View { style: TerminalStyle::Plain, ..view }));
        let lines = text.lines().flat_map(|line| textwrap::wrap(line, columns.max(20)));
        lines.map(Cow::into_owned).collect()
    }

    /// Returns the scores of a turn; on the last one those of the match, which a forfeit may have
    /// decided.
    fn scores(&self, turn: usize) -> Vec<f64> {
        match turn + 1 == self.positions.len() {
            true => self.record.outcome.scores.clone(),
            false => self.positions[turn].state.scores(),
        }
    }

    /// Returns the meaning of the signs on a turn's board.
    fn legend(&self, turn: usize, view: View<'_>) -> String {
        view.legend(&self.positions[turn].state.scene(None))
    }

    /// Returns the turn's number, and what was played.
    fn line(&self, turn: usize) -> String {
        let played: Vec<String> = self.positions[turn]
            .played
            .iter()
            .map(|(seat, action)| match self.record.fixture.seats.len() {
                1 => clean(action),
                _ => format!("{} {}", headline::letter(seat.index()), clean(action)),
            })
            .collect();
        match played.is_empty() {
            true => format!("turn {turn}"),
            false => format!("turn {turn}: {}", played.join(", ")),
        }
    }

    /// Renders the match as a GIF, with a board of this many pixels in width.
    fn pictures(
        &self,
        game: &dyn AnyGame,
        overlays: &[String],
        across: usize,
    ) -> Result<Vec<u8>, Failure> {
        let overlays: Vec<&str> = overlays.iter().map(String::as_str).collect();
        let last = self.positions.len() - 1;
        let count = self.positions.len().min(PICTURES);
        let turns = (0..count).map(|number| number * last / (count - 1).max(1));
        let frames: Vec<GifFrame> = turns
            .map(|turn| GifFrame {
                scene: self.positions[turn].state.scene(None),
                lines: self.words(game, turn),
            })
            .collect();
        let pause = (LOOP / count as u32).clamp(PICTURE.0, PICTURE.1);
        render_gif(&frames, &overlays, across, pause)
            .map_err(|error| Failure::Failed(format!("the match cannot be drawn: {error}")))
    }

    /// Returns the text below a picture of a turn: the players with their scores, the turn, and at the
    /// end the result.
    fn words(&self, game: &dyn AnyGame, turn: usize) -> Vec<GifLine> {
        let names = &self.record.fixture.seats;
        let scores = self.scores(turn);
        let mut lines: Vec<GifLine> = names
            .iter()
            .zip(&scores)
            .enumerate()
            .take(NAMED)
            .map(|(seat, (name, score))| {
                let (name, score) = (clean(name), board::format_number(*score));
                let letter =
                    if names.len() > 1 { headline::letter(seat) + " " } else { String::new() };
                let seat = u16::try_from(seat).ok().filter(|_| names.len() > 1);
                GifLine { seat, text: format!("{letter}{name}: {score}") }
            })
            .collect();
        if names.len() > NAMED {
            let text = format!("and {} more", names.len() - NAMED);
            lines.push(GifLine { seat: None, text });
        }
        let last = self.positions.len() - 1;
        let place = headline::place_of(self.record);
        lines.push(GifLine { seat: None, text: format!("{place}, turn {turn} of {last}") });
        if turn == last {
            let result = headline::result_of(game, self.record);
            let ending = clean(&self.record.outcome.ending);
            lines.push(GifLine { seat: None, text: format!("{result} ({ending})") });
        }
        lines
    }

    fn picture(&self, game: &dyn AnyGame, turn: usize, overlays: &[String]) -> String {
        let overlays: Vec<&str> = overlays.iter().map(String::as_str).collect();
        let title = format!("{}, turn {turn}", headline::place_of(self.record));
        let scores = self.scores(turn);
        let names = &self.record.fixture.seats;
        let name = |(seat, (name, score)): (usize, (&String, &f64))| {
            let letter = if names.len() > 1 { headline::letter(seat) + " " } else { String::new() };
            format!("{letter}{}: {}", clean(name), board::format_number(*score))
        };
        let named: Vec<String> = names.iter().zip(&scores).enumerate().map(name).collect();
        let mut lines = Vec::new();
        if turn + 1 == self.positions.len() {
            let ending = clean(&self.record.outcome.ending);
            lines.push(format!("{} ({ending})", headline::result_of(game, self.record)));
        }
        let still = PictureText { title: &title, names: &named, lines: &lines, explained: true };
        render_svg(&self.positions[turn].state.scene(None), &overlays, &still)
    }
}
