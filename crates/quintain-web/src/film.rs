//! A match as the viewer shows it: plain data, made from a record by playing it again.
//! Every turn holds what changed since the one before, layer by layer, so that two
//! thousand turns stay small and quick to draw. How it is drawn is the browser's affair
//! (`assets/board.js`); how a role looks is decided in [`quintain_scene::palette`].

mod tint;
mod track;

use std::collections::HashMap;

use quintain_core::{
    AnyGame, AnyMatch, Note, Objective, Outcome, Record, RecordError, Scoring, Seat, replay,
};
use quintain_scene::clean;
use quintain_ui::{Lattice, Mark, Scene};
use serde::Serialize;

pub use tint::{Shade, Tint};
pub use track::{Drawn, Track};

/// The version of this form.
pub const FORMAT: u32 = 1;

/// A match, turn by turn. All text in it is free of control characters.
#[derive(Clone, Debug, Serialize)]
pub struct Film {
    /// [`FORMAT`].
    pub format: u32,
    /// The record's id; none of a match that is still played.
    pub record: Option<String>,
    /// The game's name.
    pub game: String,
    /// The scenario's text.
    pub scenario: String,
    /// The seed, as text: JavaScript has no 64-bit numbers.
    pub seed: String,
    /// What players might think, in its text form.
    pub budget: String,
    /// The player of each seat.
    pub players: Vec<String>,
    /// Which scores are good.
    pub goal: Objective,
    /// How scores are compared.
    pub contest: Scoring,
    /// How cells lie.
    pub lattice: Lattice,
    /// Columns of the board.
    pub width: i32,
    /// Rows of the board.
    pub height: i32,
    /// How each role looks that occurs.
    pub paints: Vec<Tint>,
    /// What a cell can look like: the number of a paint, and a character or a space.
    pub looks: Vec<(usize, char)>,
    /// Lines between cells: from, to, and the number of a paint.
    pub strokes: Vec<(u32, u32, usize)>,
    /// Texts at cells.
    pub labels: Vec<(u32, String)>,
    /// The layers, from the bottom up.
    pub tracks: Vec<Track>,
    /// The position before the first turn, and after every turn.
    pub turns: Vec<TurnShown>,
    /// How it ended, once it has.
    pub outcome: Option<Outcome>,
    /// Overlays that are not in it, to keep it small.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// What is told beside the board.
#[derive(Clone, Debug, Serialize)]
pub struct TurnShown {
    /// One line on the position.
    pub caption: String,
    /// The score of each seat so far; nothing where they are as on the turn before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scores: Option<Vec<f64>>,
    /// What was played to get there, by seat.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub played: Vec<(Seat, String)>,
    /// What players noted on those decisions: seat, name, figure.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<(Seat, String, f64)>,
}

impl Film {
    /// The film of a finished match.
    ///
    /// # Errors
    /// If the record does not replay as it says.
    pub fn of(game: &dyn AnyGame, record: &Record) -> Result<Film, RecordError> {
        let mut camera = Camera::new(game, &record.fixture.seats);
        let mut notes = record.notes.iter().peekable();
        let mut turn = 0u32;
        replay(game, record, &mut |state, played| {
            // A note belongs to the decision that led here.
            let of_this = |note: &&Note| note.turn < turn;
            let noted: Vec<&Note> = std::iter::from_fn(|| notes.next_if(of_this)).collect();
            camera.shoot(state, None, played, &noted);
            turn += 1;
        })?;
        // What nobody noted has no overlay.
        camera.film.tracks.retain(|track| !track.overlay || track.shows_anything());
        let fixture = &record.fixture;
        let outcome = Outcome {
            ending: clean(&record.outcome.ending),
            fault: record.outcome.fault.clone().map(|mut fault| {
                fault.fault.detail = clean(&fault.fault.detail);
                fault.fault.said.iter_mut().for_each(|line| *line = clean(line));
                fault
            }),
            ..record.outcome.clone()
        };
        let seed = fixture.seed.to_string();
        let film = Film {
            record: Some(record.id.clone()),
            budget: fixture.budget.to_string(),
            outcome: Some(outcome),
            ..camera.film
        };
        Ok(Film { seed, ..film })
    }

    /// A still: one position of a match under way, to the referee or through the eyes
    /// of one seat.
    pub fn still(
        game: &dyn AnyGame,
        players: &[String],
        state: &dyn AnyMatch,
        eye: Option<Seat>,
    ) -> Film {
        let mut camera = Camera::new(game, players);
        camera.shoot(state, eye, &[], &[]);
        Film { outcome: state.outcome(), ..camera.film }
    }

    /// Which match it is, in a line.
    pub fn title(&self) -> String {
        let budget = match self.budget.is_empty() {
            true => String::new(),
            false => format!(", budget {}", self.budget),
        };
        format!("{}:{}, seed {}{budget}", self.game, self.scenario, self.seed)
    }

    /// The JSON form.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("films have a JSON form")
    }
}

/// Takes position after position.
struct Camera {
    film: Film,
    paints: HashMap<quintain_ui::Paint, usize>,
    looks: HashMap<(usize, char), u32>,
    strokes: HashMap<(u32, u32, usize), u32>,
    labels: HashMap<(u32, String), u32>,
    scores: Vec<f64>,
}

impl Camera {
    fn new(game: &dyn AnyGame, players: &[String]) -> Camera {
        let film = Film {
            format: FORMAT,
            record: None,
            game: game.name().to_owned(),
            scenario: clean(game.scenario()),
            seed: String::new(),
            budget: String::new(),
            players: players.iter().map(|name| clean(name)).collect(),
            goal: game.objective(),
            contest: game.scoring(),
            lattice: Lattice::Square,
            width: 0,
            height: 0,
            paints: Vec::new(),
            looks: Vec::new(),
            strokes: Vec::new(),
            labels: Vec::new(),
            tracks: Vec::new(),
            turns: Vec::new(),
            outcome: None,
            left_out: Vec::new(),
        };
        Camera {
            film,
            paints: HashMap::new(),
            looks: HashMap::new(),
            strokes: HashMap::new(),
            labels: HashMap::new(),
            scores: Vec::new(),
        }
    }

    fn shoot(
        &mut self,
        state: &dyn AnyMatch,
        eye: Option<Seat>,
        played: &[(Seat, &str)],
        notes: &[&Note],
    ) {
        let scene = state.scene(eye);
        if self.film.turns.is_empty() {
            (self.film.lattice, self.film.width, self.film.height) =
                (scene.lattice, scene.width.max(0), scene.height.max(0));
        }
        self.draw(&scene);
        let scores = state.scores();
        let changed = scores != self.scores;
        self.film.turns.push(TurnShown {
            caption: clean(&scene.caption),
            scores: changed.then(|| scores.clone()),
            played: played.iter().map(|(seat, action)| (*seat, clean(action))).collect(),
            notes: notes.iter().map(|note| (note.seat, clean(&note.name), note.value)).collect(),
        });
        self.scores = scores;
    }

    fn draw(&mut self, scene: &Scene) {
        let turn = self.film.turns.len();
        let cells = (self.film.width * self.film.height) as usize;
        let mut place = 0;
        let mut shown = vec![false; self.film.tracks.len()];
        for layer in &scene.layers {
            place = match self.film.tracks.iter().position(|track| track.name == layer.name) {
                Some(known) => known,
                None => {
                    // Above the layer that it came after, wherever that stands.
                    let at = if shown.contains(&true) { place + 1 } else { 0 };
                    let track = Track::new(clean(&layer.name), layer.overlay, cells, turn);
                    self.film.tracks.insert(at, track);
                    shown.insert(at, false);
                    at
                }
            };
            shown[place] = true;
            let drawn = self.drawn(&layer.marks, cells);
            self.film.tracks[place].push(drawn);
        }
        for (track, shown) in self.film.tracks.iter_mut().zip(shown) {
            if !shown {
                track.push(Drawn::blank(cells));
            }
        }
    }

    /// The marks of a layer, each by its number.
    fn drawn(&mut self, marks: &[Mark], cells: usize) -> Drawn {
        let (width, height) = (self.film.width, self.film.height);
        let place = |at: &quintain_ui::Point| {
            let inside = (0..width).contains(&at.column) && (0..height).contains(&at.row);
            inside.then(|| (at.row * width + at.column) as u32)
        };
        let mut drawn = Drawn::blank(cells);
        for mark in marks {
            match mark {
                Mark::Cell { at, paint, glyph } => {
                    let Some(cell) = place(at) else { continue };
                    let paint = self.paint(*paint);
                    let plain = clean(&glyph.to_string()).starts_with(*glyph);
                    let look = (paint, if plain { *glyph } else { ' ' });
                    let number = number(&mut self.looks, &mut self.film.looks, look);
                    drawn.cells[cell as usize] = number + 1;
                }
                Mark::Line { from, to, paint } => {
                    let (Some(from), Some(to)) = (place(from), place(to)) else { continue };
                    let stroke = (from, to, self.paint(*paint));
                    drawn.lines.insert(number(&mut self.strokes, &mut self.film.strokes, stroke));
                }
                Mark::Label { at, text } => {
                    let Some(cell) = place(at) else { continue };
                    let label = (cell, clean(text));
                    drawn.labels.insert(number(&mut self.labels, &mut self.film.labels, label));
                }
            }
        }
        drawn
    }

    fn paint(&mut self, paint: quintain_ui::Paint) -> usize {
        let paints = &mut self.film.paints;
        *self.paints.entry(paint).or_insert_with(|| {
            paints.push(Tint::of(paint));
            paints.len() - 1
        })
    }
}

/// The number of a value, which is listed under it from now on.
fn number<T: Clone + Eq + std::hash::Hash>(
    known: &mut HashMap<T, u32>,
    list: &mut Vec<T>,
    value: T,
) -> u32 {
    *known.entry(value).or_insert_with_key(|value| {
        list.push(value.clone());
        list.len() as u32 - 1
    })
}

#[cfg(test)]
pub(crate) mod tests;
