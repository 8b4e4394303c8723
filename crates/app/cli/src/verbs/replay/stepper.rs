//! Stepping through a match by keys. The effect of a key is decided separately from the terminal,
//! so that it can be tested without one.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use quintain_core::ui::{Point, is_drawing};
use quintain_core::{DRAWINGS, LogContent, Seat, overlay_of};
use quintain_scene::attention;

use super::turns::Replay;
use crate::board::View;
use crate::failure::Failure;
use crate::screen::{Input, Screen};

/// Time between two turns when the match plays by itself.
const PLAY_DELAY: Duration = Duration::from_millis(120);
/// Number of turns that a page key skips.
const PAGE: usize = 10;
/// Number of cells by which a key moves the visible part of a board larger than the terminal.
const PAN: i32 = 5;

/// Shows the match until the user quits.
pub(super) fn run(replay: &Replay<'_>, overlays: Vec<String>) -> Result<(), Failure> {
    let screen = Screen::open_with_keys()?;
    let mut stepper = Stepper::new(replay.positions.len() - 1, list_overlays(replay), overlays);
    loop {
        let key = next_event(&mut stepper, replay, &screen)?;
        if stepper.is_over(key) {
            return Ok(());
        }
    }
}

/// Lists the overlays of a match, those of its programs first, since there are keys for nine.
fn list_overlays(replay: &Replay<'_>) -> Vec<String> {
    let seats = replay.record.fixture.seats.len();
    let drew = |seat: Seat| {
        let mut entries = replay.record.log.iter().filter(move |entry| entry.seat == seat);
        entries.any(|entry| matches!(entry.content, LogContent::Drawing(_)))
    };
    let drawn = Seat::all(seats).filter(|seat| drew(*seat)).map(|seat| overlay_of(seat, seats));
    let scene = replay.positions[replay.positions.len() - 1].state.scene(None);
    let own = scene.layers.iter().filter(|layer| layer.overlay && !layer.is_drawing());
    drawn.chain(own.map(|layer| layer.name.clone())).collect()
}

/// Draws the page and waits for a key; returns none if the match plays by itself and no key comes.
fn next_event(
    stepper: &mut Stepper,
    replay: &Replay<'_>,
    screen: &Screen,
) -> Result<Option<KeyEvent>, Failure> {
    let patience = stepper.playing.then_some(PLAY_DELAY);
    loop {
        draw(stepper, replay, screen)?;
        match screen.wait(patience)? {
            Input::Key(key) => return Ok(Some(key)),
            Input::Nothing => return Ok(None),
            Input::Resized => {}
        }
    }
}

fn draw(stepper: &mut Stepper, replay: &Replay<'_>, screen: &Screen) -> Result<(), Failure> {
    let room = screen.room();
    let scene = replay.positions[stepper.turn].state.scene(None);
    (stepper.size, stepper.attention) = ((scene.width, scene.height), attention(&scene));
    let view = View::of_output(&stepper.shown);
    let page = if stepper.helps {
        stepper.help() + &replay.legend(stepper.turn, view)
    } else if stepper.scrolled.is_some() {
        let lines = replay.text(stepper.turn, view, room.columns);
        stepper.lines_in_sight(&lines, room.rows.saturating_sub(1)).join("\n")
    } else {
        replay.render_page(stepper.turn, view, room, stepper.focus)
    };
    Ok(screen.show(&page, &stepper.status())?)
}

/// The current view of the user.
struct Stepper {
    turn: usize,
    last: usize,
    /// All overlays.
    known: Vec<String>,
    /// The visible overlays.
    shown: Vec<String>,
    playing: bool,
    /// Whether the help for the keys is shown in place of the match.
    helps: bool,
    /// The number of lines scrolled past, if the turn's text is shown in place of the board.
    scrolled: Option<usize>,
    /// The cell in the middle of the visible part of a large board, once the user has chosen one.
    focus: Option<Point>,
    /// Columns and rows of the board on this turn.
    size: (i32, i32),
    /// Where something happened last on this turn: the middle of the visible part, unless there is
    /// a focus.
    attention: Point,
}

impl Stepper {
    /// Begins at the first turn of a match whose last turn is `last`, with its overlays and those
    /// shown.
    fn new(last: usize, known: Vec<String>, shown: Vec<String>) -> Stepper {
        let drawings = || known.iter().filter(|name| is_drawing(name)).cloned();
        let each = shown.into_iter().flat_map(|name| match name == DRAWINGS {
            // Those of all players, each of which has its own key.
            true => drawings().collect(),
            false => vec![name],
        });
        let shown = each.collect();
        let (playing, helps, scrolled, focus) = (false, false, None, None);
        let (size, attention) = ((0, 0), Point::new(0, 0));
        Stepper { turn: 0, last, known, shown, playing, helps, scrolled, focus, size, attention }
    }

    /// Moves the visible part of a large board this many steps to the right and down.
    fn pan(&mut self, right: i32, down: i32) {
        let from = self.focus.unwrap_or(self.attention);
        let clamp = |place: i32, size: i32| place.clamp(0, (size - 1).max(0));
        self.focus = Some(Point::new(
            clamp(from.column + PAN * right, self.size.0),
            clamp(from.row + PAN * down, self.size.1),
        ));
    }

    /// Does what the key asks for, or advances the match; returns whether the user wants to quit.
    fn is_over(&mut self, key: Option<KeyEvent>) -> bool {
        let Some(key) = key else {
            self.turn = self.last.min(self.turn + 1);
            self.playing = self.turn < self.last;
            return false;
        };
        if key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL) {
            return true;
        }
        let was_playing = std::mem::take(&mut self.playing);
        // Any key closes the help.
        if std::mem::take(&mut self.helps) {
            return false;
        }
        if let Some(scrolled) = self.scrolled.take() {
            self.scrolled = scroll(scrolled, key.code);
            return false;
        }
        if let Some((right, down)) = pan_direction(key) {
            self.playing = was_playing;
            self.pan(right, down);
            return false;
        }
        match key.code {
            KeyCode::Char('?') => self.helps = true,
            KeyCode::Char('c') => {
                self.playing = was_playing;
                self.focus = None;
            }
            KeyCode::Char('t') => self.scrolled = Some(0),
            KeyCode::Char('q') | KeyCode::Esc => return true,
            KeyCode::Right | KeyCode::Down | KeyCode::Char(' ' | 'l' | 'j') => self.turn += 1,
            KeyCode::Left | KeyCode::Up | KeyCode::Backspace | KeyCode::Char('h' | 'k') => {
                self.turn = self.turn.saturating_sub(1);
            }
            KeyCode::PageDown => self.turn += PAGE,
            KeyCode::PageUp => self.turn = self.turn.saturating_sub(PAGE),
            KeyCode::Home | KeyCode::Char('g') => self.turn = 0,
            KeyCode::End | KeyCode::Char('G') => self.turn = self.last,
            KeyCode::Char('p') => {
                self.playing = !was_playing;
                if self.turn == self.last {
                    self.turn = 0;
                }
            }
            KeyCode::Char(digit @ '1'..='9') => {
                self.playing = was_playing;
                self.switch(digit as usize - '1' as usize);
            }
            _ => self.playing = was_playing,
        }
        self.turn = self.turn.min(self.last);
        false
    }

    /// Returns the lines from the scroll position, which is limited so that `rows` are filled.
    fn lines_in_sight<'a>(&mut self, lines: &'a [String], rows: usize) -> &'a [String] {
        let last = lines.len().saturating_sub(rows.max(1));
        let from = self.scrolled.unwrap_or(0).min(last);
        self.scrolled = Some(from);
        &lines[from..]
    }

    /// Shows or hides an overlay by its number.
    fn switch(&mut self, number: usize) {
        if let Some(name) = self.known.get(number) {
            match self.shown.iter().position(|shown| shown == name) {
                Some(place) => drop(self.shown.remove(place)),
                None => self.shown.push(name.clone()),
            }
        }
    }

    fn help(&self) -> String {
        let overlays: String = (1..=9)
            .zip(&self.known)
            .map(|(number, name)| format!("{number:<22}{name}\n"))
            .collect();
        format!(
            "{:<22}next turn\n{:<22}previous turn\n{:<22}ten turns on, back\n{:<22}first, last \
             turn\n\
             {:<22}play or pause\n{:<22}other parts of a board too large for the terminal\n\
             {:<22}back to where something happens\n{:<22}all text about the turn, to scroll \
             through\n\
             {:<22}quit\n\n{}{overlays}\n",
            "→ ↓ Space l j",
            "← ↑ Backspace h k",
            "PgDn PgUp",
            "Home g, End G",
            "p",
            "Shift ← ↑ ↓ →, HJKL",
            "c",
            "t",
            "q Esc",
            if overlays.is_empty() { "" } else { "show or hide:\n" }
        )
    }

    fn status(&self) -> String {
        if self.helps {
            return "any key closes the help".to_owned();
        }
        if self.scrolled.is_some() {
            return "↓ ↑ PgDn PgUp scroll  any other key goes back".to_owned();
        }
        let (turn, last) = (self.turn, self.last);
        let mut line = format!("turn {turn}/{last}  arrows step  p plays  t text  ? help  q ends");
        for (number, name) in (1..=9).zip(&self.known) {
            let mark = if self.shown.contains(name) { "*" } else { "" };
            line.push_str(&format!("  {number} {name}{mark}"));
        }
        line
    }
}

/// Returns the next scroll position, or `None` for a key that ends scrolling.
fn scroll(from: usize, key: KeyCode) -> Option<usize> {
    match key {
        KeyCode::Down | KeyCode::Char(' ' | 'j') => Some(from + 1),
        KeyCode::Up | KeyCode::Char('k') => Some(from.saturating_sub(1)),
        KeyCode::PageDown => Some(from + PAGE),
        KeyCode::PageUp => Some(from.saturating_sub(PAGE)),
        KeyCode::Home | KeyCode::Char('g') => Some(0),
        _ => None,
    }
}

/// Returns how far to the right and down a key moves the board's visible part.
fn pan_direction(key: KeyEvent) -> Option<(i32, i32)> {
    let shifted = key.modifiers.contains(KeyModifiers::SHIFT);
    match key.code {
        KeyCode::Left if shifted => Some((-1, 0)),
        KeyCode::Right if shifted => Some((1, 0)),
        KeyCode::Up if shifted => Some((0, -1)),
        KeyCode::Down if shifted => Some((0, 1)),
        KeyCode::Char('H') => Some((-1, 0)),
        KeyCode::Char('L') => Some((1, 0)),
        KeyCode::Char('K') => Some((0, -1)),
        KeyCode::Char('J') => Some((0, 1)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stepper() -> Stepper {
        let known = vec!["territory".to_owned(), "heat".to_owned()];
        Stepper::new(25, known, Vec::new())
    }

    fn press(stepper: &mut Stepper, code: KeyCode) -> bool {
        stepper.is_over(Some(KeyEvent::new(code, KeyModifiers::NONE)))
    }

    #[test]
    fn keys_step_and_stay_within_the_match() {
        let mut stepper = stepper();
        for (code, turn) in [
            (KeyCode::Left, 0),
            (KeyCode::Right, 1),
            (KeyCode::Char(' '), 2),
            (KeyCode::Backspace, 1),
            (KeyCode::PageDown, 11),
            (KeyCode::PageUp, 1),
            (KeyCode::PageUp, 0),
            (KeyCode::End, 25),
            (KeyCode::PageDown, 25),
            (KeyCode::Right, 25),
            (KeyCode::Home, 0),
        ] {
            assert!(!press(&mut stepper, code));
            assert_eq!(stepper.turn, turn, "after {code:?}");
        }
    }

    #[test]
    fn a_question_mark_explains_the_keys() {
        let mut stepper = stepper();
        assert!(!press(&mut stepper, KeyCode::Char('?')));
        assert!(stepper.helps && stepper.help().contains("territory"));
        assert!(!press(&mut stepper, KeyCode::Char('q')) && !stepper.helps);
        assert_eq!(stepper.turn, 0);
    }

    #[test]
    fn text_scrolls_and_other_keys_close_it() {
        let mut stepper = stepper();
        press(&mut stepper, KeyCode::Char('t'));
        press(&mut stepper, KeyCode::Up);
        press(&mut stepper, KeyCode::PageDown);
        press(&mut stepper, KeyCode::Down);
        assert_eq!((stepper.scrolled, stepper.turn), (Some(11), 0));
        assert!(stepper.status().contains("scroll"));
        // Scrolling stops at the end, so that no extra steps are needed to scroll back.
        let lines: Vec<String> = (0..8).map(|line| line.to_string()).collect();
        assert_eq!(stepper.lines_in_sight(&lines, 3), ["5", "6", "7"]);
        press(&mut stepper, KeyCode::Up);
        assert_eq!(stepper.lines_in_sight(&lines, 3), ["4", "5", "6", "7"]);
        assert!(!press(&mut stepper, KeyCode::Esc) && stepper.scrolled.is_none());
    }

    #[test]
    fn q_escape_and_ctrl_c_quit() {
        assert!(press(&mut stepper(), KeyCode::Char('q')));
        assert!(press(&mut stepper(), KeyCode::Esc));
        let control_c = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        assert!(stepper().is_over(Some(control_c)));
        assert!(!press(&mut stepper(), KeyCode::Char('c')));
    }

    #[test]
    fn a_digit_switches_its_overlay_on_and_off() {
        let mut stepper = stepper();
        press(&mut stepper, KeyCode::Char('2'));
        assert_eq!(stepper.shown, ["heat"]);
        assert!(stepper.status().ends_with("1 territory  2 heat*"));
        press(&mut stepper, KeyCode::Char('2'));
        press(&mut stepper, KeyCode::Char('9'));
        assert!(stepper.shown.is_empty());
    }

    #[test]
    fn every_drawing_has_a_key() {
        let known = ["drawings of A", "drawings of C", "heat"].map(str::to_owned).to_vec();
        let mut stepper = Stepper::new(25, known, vec![DRAWINGS.to_owned()]);
        assert_eq!(stepper.shown, ["drawings of A", "drawings of C"]);
        press(&mut stepper, KeyCode::Char('1'));
        assert_eq!(stepper.shown, ["drawings of C"]);
    }

    #[test]
    fn a_large_board_pans_within_its_edges() {
        let mut stepper = stepper();
        (stepper.size, stepper.attention) = ((30, 12), Point::new(10, 10));
        let shift = |code| Some(KeyEvent::new(code, KeyModifiers::SHIFT));
        stepper.is_over(shift(KeyCode::Right));
        assert_eq!((stepper.focus, stepper.turn), (Some(Point::new(15, 10)), 0));
        press(&mut stepper, KeyCode::Char('J'));
        assert_eq!(stepper.focus, Some(Point::new(15, 11)));
        stepper.is_over(shift(KeyCode::Up));
        stepper.is_over(shift(KeyCode::Left));
        assert_eq!(stepper.focus, Some(Point::new(10, 6)));
        // The visible part stays the same from turn to turn, until the focus is given up.
        press(&mut stepper, KeyCode::Right);
        assert_eq!((stepper.focus, stepper.turn), (Some(Point::new(10, 6)), 1));
        press(&mut stepper, KeyCode::Char('c'));
        assert_eq!(stepper.focus, None);
    }

    #[test]
    fn a_match_plays_by_itself_to_its_end() {
        let mut stepper = stepper();
        press(&mut stepper, KeyCode::Char('p'));
        for turn in 1..=25 {
            assert!(stepper.playing && !stepper.is_over(None));
            assert_eq!(stepper.turn, turn);
        }
        assert!(!stepper.playing);
        press(&mut stepper, KeyCode::Char('p'));
        assert!(stepper.playing && stepper.turn == 0, "from the end it plays once more");
        press(&mut stepper, KeyCode::Char('1'));
        assert!(stepper.playing);
        press(&mut stepper, KeyCode::Right);
        assert!(!stepper.playing);
    }
}
