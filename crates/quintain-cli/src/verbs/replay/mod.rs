//! `quintain replay`: a recorded match, turn by turn; or one turn of it as a picture.

mod stepper;

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use quintain_core::{Catalog, Note, Record};
use quintain_scene::{PictureText, clean, render_gif, render_svg};
use quintain_ui::Scene;
use quintain_web::standalone;

use crate::board::{self, View};
use crate::failure::Failure;
use crate::positions::{Position, positions};
use crate::usage::whole;
use crate::{screen, sources};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// A record: a file, or the first digits of its id in the store
    record: String,
    /// The store to look in [default: quintain.sqlite, or $QUINTAIN_STORE]
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
    /// Only the position after this many turns
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<usize>)]
    turn: Option<usize>,
    /// An overlay to show with the board (may be given several times)
    #[arg(long, value_name = "NAME")]
    overlay: Vec<String>,
    /// Draw a turn (the last one, or --turn) as SVG into a file; - is standard output
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write the match as one web page that plays it, needing nothing else; - is standard output
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Draw the match as a short loop (GIF); - is standard output
    #[arg(long, value_name = "FILE")]
    gif: Option<PathBuf>,
}

/// Pictures of a loop at most: of a longer match, turns are left out evenly.
const PICTURES: usize = 240;
/// How long a loop should take, and a picture of it at least and at most.
const LOOP: Duration = Duration::from_secs(16);
const PICTURE: (Duration, Duration) = (Duration::from_millis(60), Duration::from_millis(400));

pub(crate) fn run(args: &Args, catalog: &Catalog, out: &mut dyn Write) -> Result<(), Failure> {
    let record = sources::find_record(&args.record, args.store.as_deref())?;
    let game = catalog.game_of(&record)?;
    if let Some(path) = &args.html {
        let page = standalone::render_page(
            quintain_web::Replay::of(game.as_ref(), &record)?,
            standalone::LIMIT,
        );
        sources::write(path, page, out)?;
        if args.svg.is_none() {
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
        let picture = replay.picture(args.turn.unwrap_or(last), &args.overlay);
        return sources::write(path, picture, out);
    }
    if let Some(path) = &args.gif {
        return sources::write(path, replay.pictures(&args.overlay)?, out);
    }
    let view = View { style: screen::style(), overlays: &args.overlay };
    if let Some(turn) = args.turn {
        writeln!(out, "{}", board::heading(&record.fixture))?;
        return Ok(out.write_all(replay.page(turn, view).as_bytes())?);
    }
    if screen::is_interactive() {
        stepper::run(&replay, args.overlay.clone())?;
    } else {
        writeln!(out, "{}", board::heading(&record.fixture))?;
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

/// A record with its positions.
struct Replay<'a> {
    record: &'a Record,
    positions: Vec<Position>,
}

impl Replay<'_> {
    /// A turn: what was played, the board, who is who.
    fn page(&self, turn: usize, view: View<'_>) -> String {
        let position = &self.positions[turn];
        // A note belongs to the decision that led here.
        let notes: Vec<Note> = self
            .record
            .notes
            .iter()
            .filter(|note| note.turn as usize + 1 == turn)
            .cloned()
            .collect();
        let board = view.position(&self.record.fixture, position.state.as_ref(), &notes);
        format!("{}\n{board}", self.line(turn))
    }

    /// The turn's number and what was played.
    fn line(&self, turn: usize) -> String {
        let played: Vec<String> = self.positions[turn]
            .played
            .iter()
            .map(|(seat, action)| format!("seat {seat} {}", clean(action)))
            .collect();
        match played.is_empty() {
            true => format!("turn {turn}"),
            false => format!("turn {turn}: {}", played.join(", ")),
        }
    }

    /// The match as a GIF.
    fn pictures(&self, overlays: &[String]) -> Result<Vec<u8>, Failure> {
        let overlays: Vec<&str> = overlays.iter().map(String::as_str).collect();
        let last = self.positions.len() - 1;
        let count = self.positions.len().min(PICTURES);
        let turns = (0..count).map(|number| number * last / (count - 1).max(1));
        let scenes: Vec<Scene> = turns.map(|turn| self.positions[turn].state.scene(None)).collect();
        let pause = (LOOP / count as u32).clamp(PICTURE.0, PICTURE.1);
        render_gif(&scenes, &overlays, pause)
            .map_err(|error| Failure::Failed(format!("the match cannot be drawn: {error}")))
    }

    fn picture(&self, turn: usize, overlays: &[String]) -> String {
        let overlays: Vec<&str> = overlays.iter().map(String::as_str).collect();
        let title = format!("{}, turn {turn}", board::heading(&self.record.fixture));
        let still = PictureText { title: &title, names: &self.record.fixture.seats };
        render_svg(&self.positions[turn].state.scene(None), &overlays, &still)
    }
}
