//! A recorded match as a picture of one turn, and as a short loop. Positions are drawn while the
//! match is replayed, so that no more than one is in memory.

use quintain_core::{AnyGame, AnyMatch, Record, replay};
use quintain_scene::{PictureText, clean, render_svg};
use quintain_web::{Film, headline};

use crate::board;
use crate::failure::Failure;
use crate::waiting::Waiting;

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

    fn film(&self) -> Film<'_> {
        Film {
            game: self.game,
            record: self.record,
            last: self.last,
            overlays: &self.overlays,
            most_cells: None,
        }
    }

    /// Renders the match as a GIF, with a board of this many pixels in width.
    pub(super) fn draw_loop(&self, across: usize) -> Result<Vec<u8>, Failure> {
        let mut waiting: Option<(&str, Waiting)> = None;
        let drawn = self.film().render(across, &mut |what, turn| {
            if waiting.as_ref().is_none_or(|(known, _)| *known != what) {
                waiting = Some((what, Waiting::new(what, self.last as u64)));
            }
            if let Some((_, waiting)) = &waiting {
                waiting.set(turn as u64);
            }
            true
        });
        let drawn = drawn.map_err(|error| Failure::Failed(error.to_string()))?;
        Ok(drawn.expect("it is never ended"))
    }

    /// Renders a turn as SVG.
    pub(super) fn draw_turn(&self, turn: usize) -> Result<String, Failure> {
        let waiting = Waiting::new("drawing", self.last as u64);
        let (mut drawn, mut at) = (String::new(), 0);
        replay(self.game, self.record, &mut |state, _| {
            if at == turn {
                drawn = self.still(turn, state);
            }
            at += 1;
            waiting.set(at as u64);
        })?;
        Ok(drawn)
    }

    fn still(&self, turn: usize, state: &dyn AnyMatch) -> String {
        let title = format!("{}, turn {turn}", headline::place_of(self.record));
        let scores = self.film().scores(turn, state);
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
        render_svg(&self.film().scene(state), &self.overlays, &text)
    }
}
