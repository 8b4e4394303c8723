//! A match that a person plays on a page, in the JSON that `play.js` sends and reads: its state,
//! what keys do, what a gesture would mean, what a module in the page is asked. Whatever answers
//! the page (the server, or the rules inside a single-file page) keeps the match and decides who
//! may ask.

mod questions;
mod requests;

use std::collections::HashMap;

use quintain_core::ui::{Gesture, Key, Keyboard, Mark, Paint, Point, Scene, Sign};
use quintain_core::{Catalog, Seat};
use quintain_play::{HumanMatch, PlayError};
use quintain_scene::clean;
use serde::Serialize;

pub use questions::ModuleQuestion;
pub use requests::{MoveRequest, NewMatchRequest, PointRequest, QuestionRequest};

use crate::replay::{Replay, Style};

/// Maximum number of offered actions that are listed.
const LISTED: usize = 64;

/// A match as the person sees it.
#[derive(Serialize)]
pub struct View {
    id: String,
    seat: usize,
    turn: u32,
    over: bool,
    /// Seats that have to move; those other than the person's are played by a module in the page.
    waiting: Vec<usize>,
    can_undo: bool,
    /// Whether the record is kept when it ends.
    is_kept: bool,
    /// The position as the person sees it.
    replay: Replay,
    /// The possible actions, if they can be listed.
    offered: Vec<String>,
    /// The record's id, once it is over and kept.
    record: Option<String>,
    controls: Controls,
}

impl View {
    /// Returns the state of a match that the page knows by this id.
    pub fn of(human_match: &HumanMatch, keyboard: &Keyboard, id: &str) -> View {
        let seat = human_match.seat();
        let players = &human_match.fixture().seats;
        let mut offered = human_match.state().actions(seat);
        if offered.len() > LISTED {
            offered.clear();
        }
        let position = human_match.state();
        let replay = Replay::of_position(human_match.game(), players, position, Some(seat));
        // A player that fails ends the match even if the rules would continue.
        let replay = Replay { outcome: human_match.outcome().cloned(), ..replay };
        View {
            id: id.to_owned(),
            seat: seat.index(),
            turn: human_match.state().turn(),
            over: human_match.is_over(),
            waiting: human_match.waiting().into_iter().map(Seat::index).collect(),
            can_undo: human_match.can_undo(),
            is_kept: false,
            replay,
            offered,
            record: None,
            controls: Controls::of(keyboard),
        }
    }

    /// Returns the same view with the state of its record; once a record is stored, no move can be
    /// taken back.
    pub fn with_record(self, record: Option<String>, is_kept: bool) -> View {
        View { can_undo: self.can_undo && record.is_none(), record, is_kept, ..self }
    }
}

/// Controls for playing by keys and by pointing.
#[derive(Serialize)]
struct Controls {
    help: &'static str,
    /// The action of each key, by the browser's name for the key.
    keys: HashMap<String, String>,
    /// What keys do, in words, if their action does not say it.
    names: HashMap<String, &'static str>,
    pointing: Option<PointingControls>,
}

#[derive(Serialize)]
struct PointingControls {
    help: &'static str,
    marks: &'static [(char, &'static str)],
    others: &'static [(char, &'static str)],
}

impl Controls {
    fn of(keyboard: &Keyboard) -> Controls {
        let named = [
            ("ArrowLeft", Key::Left),
            ("ArrowRight", Key::Right),
            ("ArrowUp", Key::Up),
            ("ArrowDown", Key::Down),
            ("Home", Key::Home),
            ("End", Key::End),
            ("PageUp", Key::PageUp),
            ("PageDown", Key::PageDown),
        ];
        let letters = (' '..='~').map(|letter| (letter.to_string(), Key::Character(letter)));
        let keys = named.map(|(name, key)| (name.to_owned(), key)).into_iter().chain(letters);
        let pointing = keyboard.pointing.map(|pointing| PointingControls {
            help: pointing.help,
            marks: pointing.marks,
            others: pointing.others,
        });
        let keys: Vec<(String, Key)> = keys.collect();
        let name = |(name, key): &(String, Key)| {
            let found = keyboard.names.iter().find(|(known, _)| known == key);
            found.map(|(_, words)| (name.clone(), *words))
        };
        let names = keys.iter().filter_map(name).collect();
        let keys = keys.into_iter();
        let keys = keys.filter_map(|(name, key)| Some((name, (keyboard.action)(key)?))).collect();
        Controls { help: keyboard.help, keys, names, pointing }
    }
}

/// The action that a strong player would take in the person's place.
#[derive(Serialize)]
pub struct Hint {
    action: String,
    by: String,
    /// What it does, as a sentence goes on after a name; empty if the game does not say, or others
    /// move at the same time.
    told: String,
    /// The cells of the board that it would change, if nobody else moves at the same time.
    cells: Vec<Point>,
    /// The same cells by what the legend says that will be there.
    parts: Vec<HintPart>,
}

/// Cells on which a move puts something of one kind.
#[derive(Serialize)]
struct HintPart {
    /// What it is, as the legend says.
    what: String,
    /// Its sign in the legend.
    sign: char,
    style: Style,
    cells: Vec<Point>,
}

impl Hint {
    /// Asks the game's strong player.
    ///
    /// # Errors
    /// If the match is over, or the player fails.
    pub fn ask(catalog: &Catalog, human_match: &HumanMatch) -> Result<Hint, PlayError> {
        let (game, seat) = (human_match.game().name(), human_match.seat());
        let player = catalog.entry(game).and_then(|entry| {
            let name = quintain_play::usual_player(entry);
            Ok((catalog.player(game, &name)?, name))
        });
        let (player, by) = player.map_err(|problem| PlayError::OtherPlayer {
            seat,
            name: "its adviser".to_owned(),
            problem: problem.to_string(),
        })?;
        let action = human_match.hint(&player)?;
        Ok(Hint::explain(human_match, action, by))
    }
}

impl Hint {
    /// Says what an action of the person would change on the board, as the person sees it.
    fn explain(human_match: &HumanMatch, action: String, by: String) -> Hint {
        let (before, seat) = (human_match.state(), human_match.seat());
        let mut after = before.fork();
        if before.acting() != [seat] || after.play(&[&action]).is_err() {
            let (told, cells, parts) = (String::new(), Vec::new(), Vec::new());
            return Hint { action, by, told, cells, parts };
        }
        let told = clean(&after.tell(seat, &action).unwrap_or_default());
        let scene = after.scene(Some(seat));
        let cells = quintain_play::cells_changed(&before.scene(Some(seat)), &scene);
        let parts = parts_of(&scene, &cells);
        Hint { action, by, told, cells, parts }
    }
}

/// Groups cells by what the legend says that is on them.
fn parts_of(scene: &Scene, cells: &[Point]) -> Vec<HintPart> {
    let mut paints: HashMap<Point, Paint> = HashMap::new();
    let shown = scene.layers.iter().filter(|layer| !layer.overlay);
    for mark in shown.flat_map(|layer| &layer.marks) {
        if let Mark::Cell { at, paint, .. } = mark {
            paints.insert(*at, *paint);
        }
    }
    let mut parts: Vec<HintPart> = Vec::new();
    for meaning in scene.legend(&[]) {
        let Sign::Cell(paint, sign) = meaning.sign else { continue };
        let own = cells.iter().filter(|cell| paints.get(cell) == Some(&paint));
        let own: Vec<Point> = own.copied().collect();
        // The first line of the legend with a paint says what it is, others what its signs say.
        if !own.is_empty() && !parts.iter().any(|part| part.cells == own) {
            let (what, style) = (clean(&meaning.text), Style::of(paint));
            parts.push(HintPart { what, sign, style, cells: own });
        }
    }
    parts
}

/// The action that a gesture means.
#[derive(Serialize)]
pub struct PointedAction {
    action: String,
    /// Cells as row and column.
    cells: Vec<(i32, i32)>,
    /// The rule that forbids it, if any.
    refused: Option<String>,
    /// By how much the score would change, if nobody else plays.
    gain: Option<f64>,
}

impl PointRequest {
    /// Returns what the gesture means, without playing it.
    pub fn meaning(&self, human_match: &HumanMatch, keyboard: &Keyboard) -> Option<PointedAction> {
        let pointing = keyboard.pointing?;
        let seat = human_match.seat();
        let marks: Vec<(char, Point)> =
            self.marks.iter().map(|(key, row, column)| (*key, Point::new(*column, *row))).collect();
        let gesture = Gesture {
            at: Point::new(self.column, self.row),
            turns: self.turns,
            marks: &marks,
            observation: &human_match.state().observation(seat),
            offered: &human_match.state().actions(seat),
        };
        let pointed = (pointing.action)(&gesture)?;
        let refused = human_match.state().check(seat, &pointed.action).err();
        Some(PointedAction {
            cells: pointed.cells.iter().map(|cell| (cell.row, cell.column)).collect(),
            refused: refused.map(|error| error.to_string()),
            gain: human_match.gain(&pointed.action),
            action: pointed.action,
        })
    }
}
