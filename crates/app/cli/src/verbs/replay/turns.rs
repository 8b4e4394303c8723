//! A recorded match, each of its turns as text.

use std::borrow::Cow;

use quintain_core::ui::Point;
use quintain_core::{AnyGame, Record};
use quintain_scene::{Room, TerminalStyle, clean};
use quintain_web::headline;

use crate::board::{self, Page, View};
use crate::positions::Position;

/// A record with its positions.
pub(super) struct Replay<'a> {
    pub(super) game: &'a dyn AnyGame,
    pub(super) record: &'a Record,
    pub(super) positions: Vec<Position>,
}

impl Replay<'_> {
    /// Renders a turn: what was played, the board, the players.
    pub(super) fn page(&self, turn: usize, view: View<'_>) -> String {
        let state = self.positions[turn].state.as_ref();
        let board = view.position(&self.record.fixture, state, &self.scores(turn));
        format!("{}\n{board}", self.line(turn))
    }

    /// Renders the same as a page for a terminal of this size.
    pub(super) fn render_page(
        &self,
        turn: usize,
        view: View<'_>,
        room: Room,
        focus: Option<Point>,
    ) -> String {
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
            below.insert_str(0, &board::ending(self.game, fixture, &self.record.outcome));
        }
        below
    }

    /// Returns all information about a turn, wrapped to this many columns.
    pub(super) fn text(&self, turn: usize, view: View<'_>, columns: usize) -> Vec<String> {
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
    pub(super) fn scores(&self, turn: usize) -> Vec<f64> {
        match turn + 1 == self.positions.len() {
            true => self.record.outcome.scores.clone(),
            false => self.positions[turn].state.scores(),
        }
    }

    /// Returns the meaning of the signs on a turn's board.
    pub(super) fn legend(&self, turn: usize, view: View<'_>) -> String {
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
}
