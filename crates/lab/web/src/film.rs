//! A recorded match as a short loop (GIF). Positions are drawn while the match is replayed, so that
//! no more than one is in memory.

use std::ops::ControlFlow;
use std::time::Duration;

use quintain_core::ui::Scene;
use quintain_core::{AnyGame, AnyMatch, Record, RecordError, replay_while};
use quintain_scene::{EncodingError, GifFrame, GifLine, GifSize, GifWriter, clean};

use crate::headline;

/// Maximum number of pictures in a loop; from a longer match, turns are left out evenly.
const MAX_PICTURES: usize = 240;
/// Maximum number of players named below a picture.
const MAX_NAMED: usize = 8;
/// How long a loop should take, and the minimum and maximum for each picture.
const LOOP_TIME: Duration = Duration::from_secs(16);
const PICTURE_TIME: (Duration, Duration) = (Duration::from_millis(60), Duration::from_millis(400));

/// Why a match cannot be drawn as a loop.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FilmError {
    /// Replaying the record does not give the recorded result.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// Its pictures have too many cells.
    #[error("a loop of {pictures} pictures with {cells} cells each is too much work")]
    TooLarge {
        /// The number of pictures.
        pictures: usize,
        /// The cells of each.
        cells: u64,
    },
    /// A picture cannot be encoded.
    #[error("the match cannot be drawn: {0}")]
    Encoding(#[from] EncodingError),
}

/// A recorded match to be drawn.
#[derive(Clone, Copy)]
pub struct Film<'a> {
    /// Its game.
    pub game: &'a dyn AnyGame,
    /// Its record.
    pub record: &'a Record,
    /// Its last turn.
    pub last: usize,
    /// The overlays to show.
    pub overlays: &'a [&'a str],
    /// The most cells that are drawn, in all pictures together; none where there is no limit. The
    /// same match is always drawn, or never, however busy the machine is.
    pub most_cells: Option<u64>,
}

impl Film<'_> {
    /// Renders the match as a GIF, with a board of this many pixels in width. Calls `go_on` before
    /// each turn with what is being done and the turn; if it returns false, there is no loop.
    ///
    /// # Errors
    /// See [`FilmError`].
    pub fn render(
        &self,
        across: usize,
        go_on: &mut dyn FnMut(&'static str, usize) -> bool,
    ) -> Result<Option<Vec<u8>>, FilmError> {
        let count = (self.last + 1).min(MAX_PICTURES);
        let turns: Vec<usize> =
            (0..count).map(|number| number * self.last / (count - 1).max(1)).collect();
        let mut size = GifSize { columns: 0, rows: 0, lines: 0 };
        let measured =
            self.visit(&turns, &mut |turn| go_on("measuring", turn), &mut |turn, state| {
                let board = state.board();
                size.columns = size.columns.max(board.width);
                size.rows = size.rows.max(board.height);
                size.lines = size.lines.max(self.lines(turn, state).len());
                Ok(())
            })?;
        if !measured {
            return Ok(None);
        }
        let cells = (size.columns.max(0) as u64).saturating_mul(size.rows.max(0) as u64);
        if self.most_cells.is_some_and(|most| cells.saturating_mul(count as u64) > most) {
            return Err(FilmError::TooLarge { pictures: count, cells });
        }
        let pause = (LOOP_TIME / count as u32).clamp(PICTURE_TIME.0, PICTURE_TIME.1);
        let mut gif = GifWriter::new(size, across, pause)?;
        let drawn =
            self.visit(&turns, &mut |turn| go_on("drawing", turn), &mut |turn, state| {
                let (scene, lines) = (self.scene(state), self.lines(turn, state));
                gif.push(&GifFrame { scene, lines }, self.overlays)
            })?;
        Ok(if drawn { Some(gif.finish()?) } else { None })
    }

    /// Draws a position, with overlays only if some are to be shown.
    pub fn scene(&self, state: &dyn AnyMatch) -> Scene {
        if self.overlays.is_empty() { state.board() } else { state.scene(None) }
    }

    /// Returns the scores after a turn; on the last one those of the match, which a forfeit may
    /// have decided.
    pub fn scores(&self, turn: usize, state: &dyn AnyMatch) -> Vec<f64> {
        match turn == self.last {
            true => self.record.outcome.scores.clone(),
            false => state.scores(),
        }
    }

    /// Calls `each` with the positions after these turns, which are in order. Returns false if
    /// `go_on` ended it.
    fn visit(
        &self,
        turns: &[usize],
        go_on: &mut dyn FnMut(usize) -> bool,
        each: &mut dyn FnMut(usize, &dyn AnyMatch) -> Result<(), EncodingError>,
    ) -> Result<bool, FilmError> {
        let mut wanted = turns.iter().peekable();
        let (mut turn, mut result) = (0, Ok(()));
        let last = replay_while(self.game, self.record, &mut |state, _| {
            if !go_on(turn) {
                return ControlFlow::Break(());
            }
            if wanted.next_if(|wanted| **wanted == turn).is_some() {
                result = each(turn, state);
            }
            turn += 1;
            if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        result?;
        Ok(last.is_some())
    }

    /// Returns the text below a picture of a turn: the players with their scores, the turn, and at
    /// the end the result.
    fn lines(&self, turn: usize, state: &dyn AnyMatch) -> Vec<GifLine> {
        let names = &self.record.fixture.seats;
        let scores = self.scores(turn, state);
        let line = |(seat, (name, score)): (usize, (&String, &f64))| {
            let name = clean(name);
            let score = (score * 1000.0).round() / 1000.0;
            let letter = if names.len() > 1 { headline::letter(seat) + " " } else { String::new() };
            let seat = u16::try_from(seat).ok().filter(|_| names.len() > 1);
            GifLine { seat, text: format!("{letter}{name}: {score}") }
        };
        let mut lines: Vec<GifLine> =
            names.iter().zip(&scores).enumerate().take(MAX_NAMED).map(line).collect();
        if names.len() > MAX_NAMED {
            let text = format!("and {} more", names.len() - MAX_NAMED);
            lines.push(GifLine { seat: None, text });
        }
        let place = headline::place_of(self.record);
        lines.push(GifLine { seat: None, text: format!("{place}, turn {turn} of {}", self.last) });
        if turn == self.last {
            let result = headline::result_of(self.game, self.record);
            let ending = clean(&self.record.outcome.ending);
            lines.push(GifLine { seat: None, text: format!("{result} ({ending})") });
        }
        lines
    }
}
