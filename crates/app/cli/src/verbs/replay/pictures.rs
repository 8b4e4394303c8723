//! A recorded match as a picture of one turn, and as a short loop.

use std::time::Duration;

use quintain_core::AnyGame;
use quintain_scene::{GifFrame, GifLine, PictureText, clean, render_gif, render_svg};
use quintain_web::headline;

use super::turns::Replay;
use crate::board;
use crate::failure::Failure;

/// Maximum number of pictures in a loop; from a longer match, turns are left out evenly.
const MAX_PICTURES: usize = 240;
/// Maximum number of players named below a picture.
const MAX_NAMED: usize = 8;
/// How long a loop should take, and the minimum and maximum for each picture.
const LOOP_TIME: Duration = Duration::from_secs(16);
const PICTURE_TIME: (Duration, Duration) = (Duration::from_millis(60), Duration::from_millis(400));

impl Replay<'_> {
    /// Renders the match as a GIF, with a board of this many pixels in width.
    pub(super) fn draw_loop(
        &self,
        game: &dyn AnyGame,
        overlays: &[String],
        across: usize,
    ) -> Result<Vec<u8>, Failure> {
        let overlays: Vec<&str> = overlays.iter().map(String::as_str).collect();
        let last = self.positions.len() - 1;
        let count = self.positions.len().min(MAX_PICTURES);
        let turns = (0..count).map(|number| number * last / (count - 1).max(1));
        let frames: Vec<GifFrame> = turns
            .map(|turn| GifFrame {
                scene: self.positions[turn].state.scene(None),
                lines: self.picture_lines(game, turn),
            })
            .collect();
        let pause = (LOOP_TIME / count as u32).clamp(PICTURE_TIME.0, PICTURE_TIME.1);
        render_gif(&frames, &overlays, across, pause)
            .map_err(|error| Failure::Failed(format!("the match cannot be drawn: {error}")))
    }

    /// Returns the text below a picture of a turn: the players with their scores, the turn, and at
    /// the end the result.
    fn picture_lines(&self, game: &dyn AnyGame, turn: usize) -> Vec<GifLine> {
        let names = &self.record.fixture.seats;
        let scores = self.scores(turn);
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

    /// Renders a turn as SVG.
    pub(super) fn draw_turn(&self, game: &dyn AnyGame, turn: usize, overlays: &[String]) -> String {
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
