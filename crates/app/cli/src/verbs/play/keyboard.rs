//! A person at the keyboard. The game says what a key means; this module decides what it leads to
//! and what is shown, separately from the terminal, so that it can be tested without one.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use quintain_core::ui::{Gesture, Key, Keyboard, Mark, Paint, Point, Pointed, Pointing, Scene};
use quintain_play::{HumanMatch, PlayError};
use quintain_scene::{Room, clean, cut_to_width};
use quintain_web::headline;
use unicode_width::UnicodeWidthStr;

use crate::board::{self, Page, View, format_number};
use crate::lists::format_count;

/// A person at the keyboard.
pub(super) struct KeyboardPlayer {
    pub(super) keyboard: Keyboard,
    pub(super) human_match: HumanMatch,
    /// Why the last key had no effect, or why the match does not continue.
    refused: String,
    pub(super) is_playing: bool,
    /// For games with pointing: the cell, how the piece is turned, and what is marked.
    cursor: Point,
    turns: u8,
    marks: Vec<(char, Point)>,
    /// Whether the help for the keys is shown in place of the board.
    pub(super) helps: bool,
}

impl KeyboardPlayer {
    pub(super) fn new(keyboard: Keyboard, human_match: HumanMatch) -> KeyboardPlayer {
        let scene = human_match.state().scene(Some(human_match.seat()));
        let cursor = Point::new(scene.width / 2, scene.height / 2);
        KeyboardPlayer {
            keyboard,
            human_match,
            refused: String::new(),
            is_playing: true,
            cursor,
            turns: 0,
            marks: Vec::new(),
            helps: false,
        }
    }

    /// Returns the position, with the meaning of the cursor drawn over it.
    pub(super) fn scene(&self) -> Scene {
        let mut scene = self.human_match.state().scene(Some(self.human_match.seat()));
        if let Some(pointed) = self.interpret_cursor().filter(|_| !self.human_match.is_over()) {
            let allowed = self.human_match.state().check(self.human_match.seat(), &pointed.action);
            let paint = if allowed.is_ok() { Paint::Good } else { Paint::Bad };
            let inside = |at: &Point| {
                (0..scene.width).contains(&at.column) && (0..scene.height).contains(&at.row)
            };
            let cells = pointed.cells.into_iter().filter(inside);
            let marks = cells.map(|at| Mark::Cell { at, paint, glyph: ' ' }).collect();
            scene.layer("thought", marks);
        }
        scene
    }

    /// Returns the meaning of the cursor, in games with pointing.
    fn interpret_cursor(&self) -> Option<Pointed> {
        let Pointing { action, .. } = self.keyboard.pointing?;
        let (state, seat) = (self.human_match.state(), self.human_match.seat());
        action(&Gesture {
            at: self.cursor,
            turns: self.turns,
            marks: &self.marks,
            observation: &state.observation(seat),
            offered: &state.actions(seat),
        })
    }

    /// Renders the page for a terminal: the heading, the standing, and the board around the cursor.
    pub(super) fn page(&self, heading: &str, view: View<'_>, room: Room) -> String {
        let scene = self.scene();
        let above = format!("{heading}\n{}\n", self.format_standing());
        let focus = self.keyboard.pointing.map(|_| self.cursor);
        // Always exactly one line, so that the board does not move.
        let meaning = focus.map_or(String::new(), |_| {
            cut_to_width(&self.meaning_of_cursor(), room.columns).into_owned() + "\n"
        });
        let below = meaning + &self.forfeit();
        let legend = String::new();
        view.render_page(&Page { above, scene: &scene, focus, below, legend }, room)
    }

    /// Returns the turn and the scores, in one line.
    fn format_standing(&self) -> String {
        let (state, names) = (self.human_match.state(), &self.human_match.fixture().seats);
        let mut line = format!("turn {}", state.turn());
        for (seat, (name, score)) in names.iter().zip(self.human_match.scores()).enumerate() {
            let score = format_number(score);
            line += &match names.len() {
                1 => format!("  score {score}"),
                _ => format!("  {} {}: {score}", headline::letter(seat), clean(name)),
            };
        }
        line
    }

    /// Returns what the keys do, and what the signs of the board mean.
    pub(super) fn help(&self, view: View<'_>) -> String {
        let mut lines = vec![self.keyboard.help.to_owned()];
        if let Some(pointing) = self.keyboard.pointing {
            lines.push(pointing.help.to_owned());
            lines.push("arrows point at a cell, Space or Enter acts there".to_owned());
            let marks = pointing.marks.iter().map(|(key, name)| format!("{key} marks {name}"));
            lines.extend(marks);
        }
        if self.human_match.game().seats() == 1 {
            lines.push("Backspace undoes the last move".to_owned());
        }
        lines.push(if self.q_ends() { "q or Esc ends" } else { "Esc ends" }.to_owned());
        format!("{}\n\n{}", lines.join("\n"), view.legend(&self.scene()))
    }

    /// Does what a key means; returns whether the key has any meaning.
    pub(super) fn press(&mut self, key: Key) -> bool {
        self.refused.clear();
        if let Some(action) = (self.keyboard.action)(key) {
            self.play(&action);
        } else if let Some(pointing) = self.keyboard.pointing {
            self.point(key, &pointing);
        } else {
            return false;
        }
        true
    }

    fn play(&mut self, action: &str) {
        match self.human_match.play(action) {
            Ok(()) => self.marks.clear(),
            Err(error @ (PlayError::Over | PlayError::Action(_))) => {
                self.refused = format!("the last key was refused: {error}");
            }
            Err(error) => self.refused = error.to_string(),
        }
    }

    fn point(&mut self, key: Key, pointing: &Pointing) {
        let (right, down) = match key {
            Key::Left => (-1, 0),
            Key::Right => (1, 0),
            Key::Up => (0, -1),
            Key::Down => (0, 1),
            Key::Character('t') => {
                self.turns = (self.turns + 1) % 4;
                return;
            }
            Key::Character(' ') => {
                if let Some(pointed) = self.interpret_cursor() {
                    self.play(&pointed.action);
                }
                return;
            }
            Key::Character(letter) if pointing.marks.iter().any(|(own, _)| *own == letter) => {
                let mark = (letter, self.cursor);
                let before = self.marks.len();
                self.marks.retain(|known| *known != mark);
                if self.marks.len() == before {
                    self.marks.push(mark);
                }
                return;
            }
            _ => return,
        };
        let scene = self.human_match.state().scene(Some(self.human_match.seat()));
        let Point { column, row } = self.cursor;
        self.cursor = Point::new(
            (column + right).clamp(0, scene.width - 1),
            (row + down).clamp(0, scene.height - 1),
        );
    }

    fn undo(&mut self) {
        self.refused.clear();
        self.human_match.undo();
    }

    /// Returns whether q ends the match, as in a replay; not if the game has another use for it.
    fn q_ends(&self) -> bool {
        let marks = self.keyboard.pointing.map_or(&[][..], |pointing| pointing.marks);
        (self.keyboard.action)(Key::Character('q')).is_none()
            && marks.iter().all(|(key, _)| *key != 'q')
    }

    /// Returns a short text about the key that ends the match.
    fn end_key(&self) -> &'static str {
        if self.q_ends() { "q ends" } else { "Esc ends" }
    }

    /// Does what a key of the terminal asks for.
    pub(super) fn obey(&mut self, key: KeyEvent) {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        // Any key closes the help.
        if std::mem::take(&mut self.helps) && !control {
            return;
        }
        match key.code {
            KeyCode::Char('?') if (self.keyboard.action)(Key::Character('?')).is_none() => {
                self.helps = true;
            }
            KeyCode::Esc => self.is_playing = false,
            KeyCode::Char('q') if !control && self.q_ends() => self.is_playing = false,
            KeyCode::Char('c' | 'd') if control => self.is_playing = false,
            KeyCode::Char('z') if control => self.undo(),
            KeyCode::Backspace => self.undo(),
            KeyCode::Char(letter) if !control => {
                self.press(Key::Character(letter));
            }
            KeyCode::Enter => {
                self.press(Key::Character(' '));
            }
            KeyCode::Left => {
                self.press(Key::Left);
            }
            KeyCode::Right => {
                self.press(Key::Right);
            }
            KeyCode::Up => {
                self.press(Key::Up);
            }
            KeyCode::Down => {
                self.press(Key::Down);
            }
            KeyCode::Home => {
                self.press(Key::Home);
            }
            KeyCode::End => {
                self.press(Key::End);
            }
            KeyCode::PageUp => {
                self.press(Key::PageUp);
            }
            KeyCode::PageDown => {
                self.press(Key::PageDown);
            }
            _ => {}
        }
    }

    /// Returns the status line for this many columns: what a key could not do, or as much of the
    /// help as fits.
    pub(super) fn status(&self, columns: usize) -> String {
        if self.helps {
            return "any key closes the help".to_owned();
        }
        if self.human_match.is_over() {
            let result = self.result();
            return format!("{}  {}", result.lines().next().unwrap_or_default(), self.end_key());
        }
        if !self.refused.is_empty() {
            return self.refused.clone();
        }
        // In order of appearance, each with its priority for being left out if there is little
        // room.
        let mut parts: Vec<(u8, String)> = Vec::new();
        if let Some(pointing) = self.keyboard.pointing {
            parts.push((2, "arrows point  Space acts  t rotates".to_owned()));
            let marks = pointing.marks.iter().map(|(key, name)| format!("{key} {name}"));
            parts.push((4, marks.collect::<Vec<_>>().join("  ")));
        }
        parts.push((3, self.keyboard.help.to_owned()));
        if self.human_match.game().seats() == 1 {
            parts.push((5, "Backspace undoes".to_owned()));
        }
        parts.push((1, format!("? help  {}", self.end_key())));
        parts.retain(|(_, part)| !part.is_empty());
        let join = |parts: &[(u8, String)]| {
            parts.iter().map(|(_, part)| part.as_str()).collect::<Vec<_>>().join("  ")
        };
        while join(&parts).width() > columns && parts.len() > 1 {
            let first = (0..parts.len()).max_by_key(|at| parts[*at].0).expect("there are some");
            parts.remove(first);
        }
        join(&parts)
    }

    /// Describes what acting at the cursor would gain, or why it is not possible.
    fn meaning_of_cursor(&self) -> String {
        let pointed = self.interpret_cursor().filter(|_| !self.human_match.is_over());
        let Some(Pointed { action, .. }) = pointed else { return String::new() };
        let (state, seat) = (self.human_match.state(), self.human_match.seat());
        match (state.check(seat, &action), self.human_match.gain(&action)) {
            (Err(refused), _) => format!("not here: {refused}"),
            (Ok(()), Some(gain)) => format!("{gain:+} points"),
            (Ok(()), None) => String::new(),
        }
    }

    pub(super) fn result(&self) -> String {
        let (state, seat) = (self.human_match.state(), self.human_match.seat());
        let score = self.human_match.scores().get(seat.index()).copied().unwrap_or_default();
        let (score, actions) =
            (format_number(score), format_count(state.turn() as usize, "action"));
        let Some(outcome) = self.human_match.outcome() else {
            let refused = match self.refused.is_empty() {
                true => String::new(),
                false => format!("{}\n", self.refused),
            };
            return format!("score {score} after {actions}, not finished\n{refused}");
        };
        let ending = clean(&outcome.ending);
        format!("score {score} after {actions}, {ending}\n{}", self.forfeit())
    }

    /// Describes who failed and how, if someone did, in a few lines.
    fn forfeit(&self) -> String {
        let outcome = self.human_match.outcome();
        outcome.map_or(String::new(), |outcome| board::forfeit(self.human_match.fixture(), outcome))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use quintain_core::{
        Answer, Budget, ExternalError, ExternalPlayer, ExternalSource, Fault, FaultKind,
        MatchStart, Question, Seat,
    };
    use quintain_play::{HumanMatchConfig, HumanPlayers};
    use serde_json::Value;

    use super::*;

    /// Returns a player on a scenario, written GAME:SCENARIO.
    fn at(place: &str, opponent: &str) -> KeyboardPlayer {
        let (game, scenario) = place.split_once(':').unwrap();
        let catalog = crate::catalog::catalog();
        let keyboard = catalog.entry(game).unwrap().keyboard().unwrap();
        let config = HumanMatchConfig {
            game: game.to_owned(),
            scenario: scenario.to_owned(),
            seed: 1,
            name: "Ada".to_owned(),
            seat: 0,
            opponent: opponent.to_owned(),
            budget: Budget::default(),
        };
        KeyboardPlayer::new(keyboard, HumanMatch::begin(&catalog, &config).unwrap())
    }

    /// An external player that fails whenever it is asked, and counts how often.
    struct Failing(u32);

    impl ExternalSource for Failing {
        fn prefix(&self) -> &str {
            "failing"
        }

        fn resolve(&self, spec: &str, _game: &str) -> Result<String, ExternalError> {
            Ok(spec.to_owned())
        }

        fn open(&self, _spec: &str) -> Result<Box<dyn ExternalPlayer>, ExternalError> {
            Ok(Box::new(Failing(0)))
        }
    }

    impl ExternalPlayer for Failing {
        fn start(&mut self, _start: &MatchStart, _setting: &Value) -> Result<(), Fault> {
            Ok(())
        }

        fn answer(&mut self, question: &Question) -> Result<Answer, Fault> {
            self.0 += 1;
            assert_eq!(self.0, 1, "it is asked no more once it has failed: {question:?}");
            let said = vec!["Traceback".to_owned()];
            Err(Fault::new(FaultKind::Crash, "exit code 1").with_output(said))
        }
    }

    #[test]
    fn an_opponent_that_fails_forfeits_and_leaves_a_record() {
        let catalog = crate::catalog::catalog().with_external(Arc::new(Failing(0)));
        let keyboard = catalog.entry("tron").unwrap().keyboard().unwrap();
        let config = HumanMatchConfig {
            game: "tron".to_owned(),
            scenario: "empty?width=7&height=7".to_owned(),
            seed: 1,
            name: "Ada".to_owned(),
            seat: 0,
            opponent: "failing:x".to_owned(),
            budget: Budget::default(),
        };
        let human_match = HumanMatch::begin(&catalog, &config).unwrap();
        let mut player = KeyboardPlayer::new(keyboard, human_match);
        (0..4).for_each(|_| obey(&mut player, KeyCode::Up));
        assert_eq!(
            player.result(),
            "score 1 after 0 actions, forfeit\n\
             B (failing:x) forfeits: crash: exit code 1\n  | Traceback\n"
        );
        assert!(player.status(80).ends_with("forfeit  q ends"), "{}", player.status(80));
        let (record, _) = player.human_match.record().unwrap();
        assert_eq!(record.outcome.scores, [1.0, 0.0]);
        catalog.clone().with_external(Arc::new(HumanPlayers)).verify(&record).unwrap();
    }

    fn player() -> KeyboardPlayer {
        at("hextris:drawn?size=21", "random")
    }

    fn obey(player: &mut KeyboardPlayer, code: KeyCode) {
        player.obey(KeyEvent::new(code, KeyModifiers::NONE));
    }

    #[test]
    fn keys_play_and_backspace_takes_back() {
        let mut player = player();
        let observe =
            |player: &KeyboardPlayer| player.human_match.state().observation(Seat::new(0));
        let first = observe(&player);
        obey(&mut player, KeyCode::Left);
        obey(&mut player, KeyCode::Char(' '));
        assert_eq!(player.human_match.actions().len(), 2);
        let second = observe(&player);
        obey(&mut player, KeyCode::Char('b'));
        obey(&mut player, KeyCode::Backspace);
        assert_eq!(observe(&player), second);
        (0..5).for_each(|_| obey(&mut player, KeyCode::Backspace));
        assert!(player.human_match.actions().is_empty() && observe(&player) == first);
    }

    #[test]
    fn illegal_keys_are_reported_and_change_nothing() {
        let mut player = player();
        obey(&mut player, KeyCode::Left);
        obey(&mut player, KeyCode::Right);
        assert_eq!(player.human_match.actions().len(), 1);
        assert!(player.status(80).contains("a position it already had"), "{}", player.status(80));
        obey(&mut player, KeyCode::Char('ä'));
        assert!(player.status(100).contains("Backspace"));
    }

    fn plain_view() -> View<'static> {
        View { style: quintain_scene::TerminalStyle::Plain, overlays: &[], columns: None }
    }

    #[test]
    fn a_page_fits_into_a_small_terminal_and_follows_the_cursor() {
        let mut player = at("pentocity:stars", "random");
        let room = Room { columns: 80, rows: 24 };
        let view = plain_view();
        let page = player.page("pentocity:stars", view, room);
        let lines: Vec<&str> = page.lines().collect();
        assert!(lines.len() < room.rows && lines.iter().all(|line| line.width() <= 80), "{page}");
        assert!(lines[1].starts_with("turn 0  score 0"), "{page}");
        assert!(page.contains("asked for:") || page.contains("request"), "{page}");
        assert!(lines[2].contains("+...."), "the board goes on above: {page}");
        (0..60).for_each(|_| obey(&mut player, KeyCode::Up));
        let page = player.page("pentocity:stars", view, room);
        assert!(page.lines().nth(2).is_some_and(|line| line.starts_with("+---")), "{page}");
        let tiny = player.page("pentocity:stars", view, Room { columns: 30, rows: 24 });
        assert!(tiny.starts_with("needs 4") && tiny.contains("has 30×24"), "{tiny}");
    }

    #[test]
    fn a_question_mark_explains_the_keys() {
        let mut player = player();
        obey(&mut player, KeyCode::Char('?'));
        let view = plain_view();
        assert!(player.helps && player.help(view).contains("Backspace undoes"));
        obey(&mut player, KeyCode::Esc);
        assert!(!player.helps && player.is_playing && player.human_match.actions().is_empty());
    }

    #[test]
    fn escape_q_and_ctrl_c_quit() {
        let mut player = player();
        obey(&mut player, KeyCode::Esc);
        assert!(!player.is_playing);
        let mut player = at("tron:empty?width=7&height=7", "space");
        obey(&mut player, KeyCode::Char('q'));
        assert!(!player.is_playing);
        // Where q is a move, it does not end the match, and nothing says that it does.
        let mut player = self::player();
        assert!(player.status(200).ends_with("Esc ends"));
        obey(&mut player, KeyCode::Char('q'));
        assert!(player.is_playing);
        let mut player = self::player();
        player.obey(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL));
        assert!(!player.is_playing && player.human_match.actions().is_empty());
    }

    #[test]
    fn every_key_moves_all_seats_and_the_end_is_a_record() {
        let mut player = at("tron:empty?width=7&height=7", "space");
        for _ in 0..30 {
            obey(&mut player, KeyCode::Up);
        }
        let (record, _) = player.human_match.record().unwrap();
        assert_eq!(record.fixture.seats, ["human:Ada", "space"]);
        crate::catalog::catalog().verify(&record).unwrap();
        assert!(player.status(80).ends_with("q ends") && !player.status(80).contains("Backspace"));
    }

    #[test]
    fn small_terminals_get_the_most_important_lines() {
        let player = at("pentocity:stars?side=20", "random");
        let point = "arrows point  Space acts  t rotates";
        let [wide, usual, narrow, least] = [200, 80, 60, 20].map(|columns| player.status(columns));
        assert!(wide.starts_with(point) && wide.contains("w water") && wide.contains("Backspace"));
        assert!(usual.starts_with(point) && usual.contains("x rejects"), "{usual}");
        assert_eq!(narrow, format!("{point}  ? help  q ends"));
        assert_eq!(least, "? help  q ends");
        let room = Room { columns: 80, rows: 24 };
        let view = plain_view();
        let page = player.page("pentocity:stars", view, room);
        assert!(page.lines().last().is_some_and(|line| line.starts_with("not here: ")), "{page}");
    }

    #[test]
    fn a_building_is_pointed_at_turned_and_built() {
        let mut player = at("pentocity:stars?side=20", "random");
        (0..12).for_each(|_| obey(&mut player, KeyCode::Up));
        (0..12).for_each(|_| obey(&mut player, KeyCode::Left));
        assert_eq!(player.cursor, Point::new(0, 0));
        assert!(player.meaning_of_cursor().contains("points"), "{}", player.meaning_of_cursor());
        obey(&mut player, KeyCode::Enter);
        assert_eq!(player.human_match.state().turn(), 1);
        obey(&mut player, KeyCode::Enter);
        assert!(player.status(80).contains("taken"), "{}", player.status(80));
        obey(&mut player, KeyCode::Char('t'));
        assert_eq!(player.turns, 1);
        obey(&mut player, KeyCode::Char('w'));
        assert_eq!(player.marks, [('w', Point::new(0, 0))]);
        obey(&mut player, KeyCode::Char('w'));
        assert!(player.marks.is_empty());
        obey(&mut player, KeyCode::Char('x'));
        assert_eq!(player.human_match.actions().last().map(String::as_str), Some("reject"));
    }
}
