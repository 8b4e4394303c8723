//! A recorded match as a picture of one turn, and as a short loop. Positions are drawn while the
//! match is replayed, so that no more than one is in memory.

use std::time::Duration;

use quintain_core::ui::Scene;
use quintain_core::{AnyGame, AnyMatch, Record, replay};
use quintain_scene::{GifFrame, GifLine, GifSize, GifWriter, PictureText, clean, render_svg};
use quintain_web::headline;

use crate::board;
use crate::failure::Failure;
use crate::waiting::Waiting;

/// Maximum number of pictures in a loop; from a longer match, turns are left out evenly.
const MAX_PICTURES: usize = 240;
/// Maximum number of players named below a picture.
const MAX_NAMED: usize = 8;
/// How long a loop should take, and the minimum and maximum for each picture.
const LOOP_TIME: Duration = Duration::from_secs(16);
const PICTURE_TIME: (Duration, Duration) = (Duration::from_millis(60), Duration::from_millis(400));

/// A record that is drawn, and its last turn.
pub(super) struct Drawn<'a> {
    game: &'a dyn AnyGame,
    record: &'a Record,
    pub(super) last: usize,
    /// The overlays to show.
    overlays: Vec<&'a str>,
}

impl<'a> Drawn<'a> {
    /// Replays a record, to know how long it is and which overlays it has.
    pub(super) fn new(
        game: &'a dyn AnyGame,
        record: &'a Record,
        overlays: &'a [String],
    ) -> Result<Drawn<'a>, Failure> {
        let mut turns = 0;
        let last = replay(game, record, &mut |_, _| turns += 1)?;
        if !overlays.is_empty() {
            board::check_overlays(&last.scene(None), overlays)?;
        }
        let overlays = overlays.iter().map(String::as_str).collect();
        Ok(Drawn { game, record, last: turns - 1, overlays })
    }

    /// Draws a position, with overlays only if some are to be shown.
    fn scene(&self, state: &dyn AnyMatch) -> Scene {
        if self.overlays.is_empty() { state.board() } else { state.scene(None) }
    }

    /// Renders the match as a GIF, with a board of this many pixels in width.
    pub(super) fn draw_loop(&self, across: usize) -> Result<Vec<u8>, Failure> {
        let count = (self.last + 1).min(MAX_PICTURES);
        let turns: Vec<usize> =
            (0..count).map(|number| number * self.last / (count - 1).max(1)).collect();
        let mut size = GifSize { columns: 0, rows: 0, lines: 0 };
        self.visit(&turns, "measuring", &mut |turn, state| {
            let board = state.board();
            size.columns = size.columns.max(board.width);
            size.rows = size.rows.max(board.height);
            size.lines = size.lines.max(self.picture_lines(turn, state).len());
            Ok(())
        })?;
        let failed = |error| Failure::Failed(format!("the match cannot be drawn: {error}"));
        let pause = (LOOP_TIME / count as u32).clamp(PICTURE_TIME.0, PICTURE_TIME.1);
        let mut gif = GifWriter::new(size, across, pause).map_err(failed)?;
        self.visit(&turns, "drawing", &mut |turn, state| {
            let (scene, lines) = (self.scene(state), self.picture_lines(turn, state));
            gif.push(&GifFrame { scene, lines }, &self.overlays).map_err(failed)
        })?;
        gif.finish().map_err(failed)
    }

    /// Calls `each` with the positions after these turns, which are in order, and says what it is
    /// doing if that takes long.
    fn visit(
        &self,
        turns: &[usize],
        what: &str,
        each: &mut dyn FnMut(usize, &dyn AnyMatch) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let waiting = Waiting::new(what, self.last as u64);
        let mut wanted = turns.iter().peekable();
        let (mut turn, mut result) = (0, Ok(()));
        replay(self.game, self.record, &mut |state, _| {
            if wanted.next_if(|wanted| **wanted == turn).is_some() && result.is_ok() {
                result = each(turn, state);
            }
            turn += 1;
            waiting.set(turn as u64);
        })?;
        result
    }

    /// Returns the scores after a turn; on the last one those of the match, which a forfeit may
    /// have decided.
    fn scores(&self, turn: usize, state: &dyn AnyMatch) -> Vec<f64> {
        match turn == self.last {
            true => self.record.outcome.scores.clone(),
            false => state.scores(),
        }
    }

    /// Returns the text below a picture of a turn: the players with their scores, the turn, and at
    /// the end the result.
    fn picture_lines(&self, turn: usize, state: &dyn AnyMatch) -> Vec<GifLine> {
        let names = &self.record.fixture.seats;
        let scores = self.scores(turn, state);
        let mut lines: Vec<GifLine> = names
            .iter()
            .zip(&scores)
            .enumerate()
            .take(MAX_NAMED)
            .map(|(seat, (name, score))| {
                let (name, score) = (clean(name), board::format_number(*score));
                let letter =
                    if names.len() > 1 { headline::letter(seat) + " " } else { String::new() };
                let seat = u16::try_from(seat).ok().filter(|_| names.len() > 1);
                GifLine { seat, text: format!("{letter}{name}: {score}") }
            })
            .collect();
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

    /// Renders a turn as SVG.
    pub(super) fn draw_turn(&self, turn: usize) -> Result<String, Failure> {
        let mut drawn = String::new();
        self.visit(&[turn], "drawing", &mut |turn, state| {
            drawn = self.still(turn, state);
            Ok(())
        })?;
        Ok(drawn)
    }

    fn still(&self, turn: usize, state: &dyn AnyMatch) -> String {
        let title = format!("{}, turn {turn}", headline::place_of(self.record));
        let scores = self.scores(turn, state);
        let names = &self.record.fixture.seats;
        let name = |(seat, (name, score)): (usize, (&String, &f64))| {
            let letter = if names.len() > 1 { headline::letter(seat) + " " } else { String::new() };
            format!("{letter}{}: {}", clean(name), board::format_number(*score))
        };
        let named: Vec<String> = names.iter().zip(&scores).enumerate().map(name).collect();
        let mut lines = Vec::new();
        if turn == self.last {
            let ending = clean(&self.record.outcome.ending);
            lines.push(format!("{} ({ending})", headline::result_of(self.game, self.record)));
        }
        let text = PictureText { title: &title, names: &named, lines: &lines, explained: true };
        render_svg(&self.scene(state), &self.overlays, &text)
    }
}
