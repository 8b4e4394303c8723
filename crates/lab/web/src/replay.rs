//! A match as the viewer shows it: plain data, made by replaying a record. Every turn holds the
//! changes since the one before, layer by layer, so that two thousand turns stay small and quick to
//! draw. The browser decides how it is drawn (`assets/board.js`); [`quintain_scene::palette`]
//! defines how a role looks.
//!
//! The names of the JSON fields belong to the API (`serve/openapi.json`) and do not change within a
//! [`FORMAT`].

mod beside;
mod layer_track;
mod panel;
mod style;

use std::collections::HashMap;
use std::ops::ControlFlow;

use quintain_core::ui::{Lattice, Layer, Mark, Meaning, Paint, PanelBody, Scene, Sign, Slices};
use quintain_core::{
    AnyGame, AnyMatch, LogEntry, Note, Objective, Outcome, Record, RecordError, Scoring, Seat,
    SeatFault, replay_while,
};
use quintain_scene::clean;
use serde::Serialize;

use crate::headline;

pub use layer_track::{LayerState, LayerTrack};
pub use panel::{LegendLine, Picture, ReplayPanel, ReplayPanelBody};
pub use style::{Shade, Style};

/// The version of the JSON form.
pub const FORMAT: u32 = 1;

/// A match, turn by turn. No text in it contains control characters.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Replay {
    /// [`FORMAT`].
    pub format: u32,
    /// The record's id; none if the match is still being played.
    pub record: Option<String>,
    /// The game's name.
    pub game: String,
    /// The scenario's text.
    pub scenario: String,
    /// The seed, as text: JavaScript has no 64-bit numbers.
    pub seed: String,
    /// The budget of every player, as text.
    pub budget: String,
    /// The player of each seat.
    pub players: Vec<String>,
    /// Whether high or low scores are good.
    pub goal: Objective,
    /// Whether seats are rivals or each plays for its own score.
    pub contest: Scoring,
    /// Whether cells are squares or hexagons.
    pub lattice: Lattice,
    /// Columns of the board.
    pub width: i32,
    /// Rows of the board.
    pub height: i32,
    /// The style of each role that occurs.
    pub paints: Vec<Style>,
    /// The looks of cells: an index into `paints`, and a character or a space.
    pub looks: Vec<(usize, char)>,
    /// The lines that occur: from cell, to cell, and an index into `paints`.
    pub strokes: Vec<(u32, u32, usize)>,
    /// The outlines that occur: their cells, and an index into `paints`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outlines: Vec<(Vec<u32>, usize)>,
    /// The labels that occur: cell and text. Cells are numbered row by row, from 0.
    pub labels: Vec<(u32, String)>,
    /// The rings that occur: around whose head, the seats whose parts are filled, and the number of
    /// parts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rings: Vec<(u16, Vec<u16>, u16)>,
    /// The layers, from the bottom up.
    pub tracks: Vec<LayerTrack>,
    /// The meaning of marks, by layer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub legend: Vec<LegendLine>,
    /// The position before the first turn and after every turn.
    pub turns: Vec<ReplayTurn>,
    /// The outcome; none while the match is still being played.
    pub outcome: Option<Outcome>,
    /// Who won, in words, for whoever wants to know it before the end; empty if it is not over.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub result: String,
    /// Further figures of the outcome, by title.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<(String, f64)>,
    /// What decided the match, in one sentence without a full stop; empty if it is not over.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub decision: String,
    /// The names of overlays that were dropped to limit the size of a page.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// The texts and figures of a turn, shown beside the board.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ReplayTurn {
    /// One line about the position.
    pub caption: String,
    /// The score of each seat so far; nothing if the scores are the same as on the turn before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scores: Option<Vec<f64>>,
    /// The actions that led here, by seat.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub played: Vec<(Seat, String)>,
    /// The same in words, as a sentence goes on after the seat's name, for the first seats; empty
    /// if the game does not say.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub told: Vec<String>,
    /// The figures that players noted for those decisions: seat, name, value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<(Seat, String, f64)>,
    /// What programs wrote during them, line by line: seat and text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub log: Vec<(Seat, String)>,
    /// The panels beside the board. The list is empty if nothing has changed since the turn before,
    /// and a panel that has not changed is `None`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub panels: Vec<Option<ReplayPanel>>,
    /// The slices that the drawing consists of, if these have changed: the first one's cell,
    /// columns, rows, and their number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slices: Option<[i32; 5]>,
}

/// The most marks of overlays that are drawn, estimated as the product of overlays, cells and
/// turns. In a larger match, overlays would take longer than everything else together.
const OVERLAY_MARKS: u64 = 100_000_000;

/// The number of seats of a turn whose actions are told in words.
const TOLD: usize = 12;

/// Number of looks that are found without the table of all.
const RECENT: usize = 8;
/// More overlays than any small match has.
const MANY_OVERLAYS: usize = 64;
/// The most cells of a board whose overlays are drawn once, to know their names.
const OVERLAY_CELLS: u64 = 100_000;
/// The size of a turn without its content, of a text, and of a turn of a layer, in bytes.
const TURN_BYTES: usize = 200;
const TEXT_BYTES: usize = 48;
const TRACK_BYTES: usize = 24;

impl Replay {
    /// Makes the replay of a finished match. If the match is long and its board large, overlays are
    /// [left out](Replay::left_out).
    ///
    /// # Errors
    /// [`RecordError`] if replaying the recorded actions does not give the recorded result.
    pub fn of(game: &dyn AnyGame, record: &Record) -> Result<Replay, RecordError> {
        Ok(Replay::of_while(game, record, &mut |_| true)?.expect("it is never ended"))
    }

    /// Like [`Replay::of`]. Calls `go_on` after each turn with the number of bytes that the replay
    /// takes by then (approximate); if it returns false, there is no replay.
    ///
    /// # Errors
    /// As [`Replay::of`].
    pub fn of_while(
        game: &dyn AnyGame,
        record: &Record,
        go_on: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Option<Replay>, RecordError> {
        let built = ReplayBuilder::replay_record(game, record, (0, 0), go_on)?;
        let Some(mut builder) = built else { return Ok(None) };
        let (replay, largest) = (&builder.replay, builder.largest);
        if (replay.width, replay.height) != largest {
            let built = ReplayBuilder::replay_record(game, record, largest, go_on)?;
            let Some(again) = built else { return Ok(None) };
            builder = again;
        }
        // A forfeit decides the match, whatever the board says.
        if builder.scores != record.outcome.scores
            && let Some(last) = builder.replay.turns.last_mut()
        {
            last.scores = Some(record.outcome.scores.clone());
        }
        // Overlays come from notes: if nobody noted anything, none is offered.
        builder.replay.tracks.retain(|track| !track.overlay || track.shows_anything());
        let Replay { tracks, legend, .. } = &mut builder.replay;
        legend.retain(|line| tracks.iter().any(|track| track.name == line.layer));
        let fixture = &record.fixture;
        let mut outcome = record.outcome.clone();
        outcome.ending = clean(&outcome.ending);
        if let Some(SeatFault { fault, .. }) = &mut outcome.fault {
            fault.detail = clean(&fault.detail);
            fault.said.iter_mut().for_each(|line| *line = clean(line));
        }
        let seed = fixture.seed.to_string();
        let replay = Replay {
            record: Some(record.id.clone()),
            budget: fixture.budget.to_string(),
            result: headline::result_of(game, record),
            figures: game.figures(&outcome),
            outcome: Some(outcome),
            decision: clean(&game.decision(record)?),
            ..builder.replay
        };
        Ok(Some(Replay { seed, ..replay }))
    }

    /// Makes the replay of a single position of a match under way: as the referee sees it or, with
    /// an `observer`, limited to what that seat may see.
    pub fn of_position(
        game: &dyn AnyGame,
        players: &[String],
        state: &dyn AnyMatch,
        observer: Option<Seat>,
    ) -> Replay {
        let mut builder = ReplayBuilder::new(game, players);
        builder.push(state, observer, &[], &[]);
        Replay { outcome: state.outcome(), ..builder.replay }
    }

    /// Returns the heading of the match for people: the game, the scenario and the seed, and who
    /// played. It does not tell the result, so that one can watch the match.
    pub fn heading(&self) -> (String, String) {
        let place = headline::place(&self.game, &self.scenario, &self.seed);
        let budget = match self.budget.is_empty() {
            true => String::new(),
            false => format!(", budget {}", self.budget),
        };
        (format!("{place}{budget}"), headline::players(&self.players))
    }

    /// Returns the JSON form that the viewer reads.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("replays have a JSON form")
    }
}

/// Builds a replay position by position.
struct ReplayBuilder {
    replay: Replay,
    paints: HashMap<Paint, usize>,
    looks: HashMap<(usize, char), u32>,
    strokes: HashMap<(u32, u32, usize), u32>,
    outlines: HashMap<(Vec<u32>, usize), u32>,
    labels: HashMap<(u32, String), u32>,
    rings: HashMap<(u16, Vec<u16>, u16), u32>,
    /// The legend of each layer on the turn before.
    explained: Vec<(String, Vec<Meaning>)>,
    /// The slices on the turn before.
    slices: Option<[i32; 5]>,
    /// The panels beside the board on the turn before.
    panels: Vec<quintain_core::ui::Panel>,
    scores: Vec<f64>,
    /// The most columns and rows of any position; smaller ones are drawn in the middle.
    largest: (i32, i32),
    /// Whether overlays are drawn.
    has_overlays: bool,
    /// The number of bytes that the replay takes so far, approximate.
    bytes: usize,
}

impl ReplayBuilder {
    /// Adds all turns of a recorded match, on a board of at least this size, for as long as `go_on`
    /// agrees.
    fn replay_record(
        game: &dyn AnyGame,
        record: &Record,
        size: (i32, i32),
        go_on: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Option<ReplayBuilder>, RecordError> {
        let mut builder = ReplayBuilder::new(game, &record.fixture.seats);
        builder.largest = size;
        builder.leave_out_overlays(game, record);
        let mut notes = record.notes.iter().peekable();
        let mut turn = 0u32;
        let last = replay_while(game, record, &mut |state, played| {
            // A note belongs to the decision that led to this position.
            let of_this = |note: &&Note| note.turn < turn;
            let noted: Vec<&Note> = std::iter::from_fn(|| notes.next_if(of_this)).collect();
            builder.push(state, None, played, &noted);
            turn += 1;
            if go_on(builder.bytes) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        Ok(last.map(|_| builder))
    }

    /// Leaves out overlays if the match is long and the board large.
    fn leave_out_overlays(&mut self, game: &dyn AnyGame, record: &Record) {
        let start = game.begin(record.fixture.seed);
        let board = start.board();
        let turns = record.action_texts().count() / start.acting().len().max(1);
        let cells = board.width.max(1) as u64 * board.height.max(1) as u64;
        let fits = |overlays: usize| {
            cells.saturating_mul(turns as u64).saturating_mul(overlays as u64) <= OVERLAY_MARKS
        };
        if fits(MANY_OVERLAYS) {
            return;
        }
        // Where even one overlay is too much, not even their names are worth drawing them once.
        let names: Vec<String> = match cells <= OVERLAY_CELLS {
            true => start.scene(None).overlays().map(clean).collect(),
            false => vec!["all overlays".to_owned()],
        };
        self.has_overlays = fits(names.len());
        if !self.has_overlays {
            self.replay.left_out = names;
        }
    }

    fn new(game: &dyn AnyGame, players: &[String]) -> ReplayBuilder {
        let replay = Replay {
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
            outlines: Vec::new(),
            labels: Vec::new(),
            rings: Vec::new(),
            tracks: Vec::new(),
            legend: Vec::new(),
            turns: Vec::new(),
            outcome: None,
            result: String::new(),
            figures: Vec::new(),
            decision: String::new(),
            left_out: Vec::new(),
        };
        ReplayBuilder {
            replay,
            paints: HashMap::new(),
            looks: HashMap::new(),
            strokes: HashMap::new(),
            outlines: HashMap::new(),
            labels: HashMap::new(),
            rings: HashMap::new(),
            explained: Vec::new(),
            slices: None,
            panels: Vec::new(),
            scores: Vec::new(),
            largest: (0, 0),
            has_overlays: true,
            bytes: 0,
        }
    }

    fn push(
        &mut self,
        state: &dyn AnyMatch,
        observer: Option<Seat>,
        played: &[(Seat, &str)],
        notes: &[&Note],
    ) {
        let since = match self.has_overlays || self.replay.turns.is_empty() {
            true => None,
            false => state.board_since(),
        };
        let is_partial = since.is_some();
        let scene = since.unwrap_or_else(|| match self.has_overlays {
            true => state.scene(observer),
            false => state.board(),
        });
        let (width, height) = self.largest;
        self.largest = (width.max(scene.width), height.max(scene.height));
        if self.replay.turns.is_empty() {
            self.replay.lattice = scene.lattice;
            (self.replay.width, self.replay.height) = self.largest;
        }
        let scene = scene.padded(self.replay.width, self.replay.height);
        self.draw(&scene, is_partial);
        let panels = self.list_changed_panels(&scene.panels);
        self.panels = scene.panels;
        let slices = scene.slices.map(|slices| {
            let Slices { first, columns, rows, count } = slices;
            [first.column, first.row, columns, rows, count]
        });
        let slices_changed = slices != self.slices;
        self.slices = slices;
        let scores = state.scores();
        let changed = scores != self.scores;
        self.replay.turns.push(ReplayTurn {
            caption: clean(&scene.caption),
            scores: changed.then(|| scores.clone()),
            played: played.iter().map(|(seat, action)| (*seat, clean(action))).collect(),
            told: Vec::new(),
            notes: notes.iter().map(|note| (note.seat, clean(&note.name), note.value)).collect(),
            log: state.log().iter().flat_map(lines_of).collect(),
            panels,
            slices: slices.filter(|_| slices_changed),
        });
        if let Some(last) = self.replay.turns.last_mut() {
            last.told = describe_actions(state, played);
        }
        self.scores = scores;
        self.count_bytes();
    }

    /// Counts what the last turn takes.
    fn count_bytes(&mut self) {
        let Some(turn) = self.replay.turns.last() else { return };
        let numbers = |all: &[Vec<u32>]| all.last().map_or(0, |last| 4 * last.len());
        let signed = |all: &[Vec<i64>]| all.last().map_or(0, |last| 8 * last.len());
        let tracks = self.replay.tracks.iter().map(|track| {
            let LayerTrack { cells, lines, outlines, labels, rings, .. } = track;
            let marks = signed(lines) + signed(outlines) + signed(labels) + signed(rings);
            TRACK_BYTES + numbers(cells) + marks
        });
        let texts = turn.caption.len()
            + turn.played.iter().map(|(_, action)| action.len() + TEXT_BYTES).sum::<usize>()
            + turn.told.iter().map(|words| words.len() + TEXT_BYTES).sum::<usize>()
            + turn.log.iter().map(|(_, line)| line.len() + TEXT_BYTES).sum::<usize>()
            + turn.notes.iter().map(|(_, name, _)| name.len() + TEXT_BYTES).sum::<usize>()
            + turn.scores.as_ref().map_or(0, |scores| 8 * scores.len());
        self.bytes += TURN_BYTES + texts + tracks.sum::<usize>();
    }

    /// Draws a turn. With `is_partial`, the first layer has only what may have changed.
    fn draw(&mut self, scene: &Scene, is_partial: bool) {
        let turn = self.replay.turns.len();
        let cells = (self.replay.width * self.replay.height) as usize;
        let mut place = 0;
        let mut shown = vec![false; self.replay.tracks.len()];
        for (number, layer) in scene.layers.iter().enumerate() {
            place = match self.replay.tracks.iter().position(|track| track.name == layer.name) {
                Some(known) => known,
                None => {
                    // Above the layer that precedes it, wherever that is.
                    let at = if shown.contains(&true) { place + 1 } else { 0 };
                    let track = LayerTrack::new(clean(&layer.name), layer.overlay, cells, turn);
                    self.replay.tracks.insert(at, track);
                    shown.insert(at, false);
                    at
                }
            };
            shown[place] = true;
            self.replay.tracks[place].dims |= layer.dims;
            let drawn = self.layer_state(&layer.marks, (self.replay.width, self.replay.height));
            self.replay.tracks[place].push(drawn, is_partial && number == 0);
            self.explain(layer);
        }
        for (track, shown) in self.replay.tracks.iter_mut().zip(shown) {
            if !shown {
                track.push(LayerState::blank(), false);
            }
        }
    }

    /// Returns a layer's marks as indices into the lists of looks, strokes and labels.
    fn layer_state(&mut self, marks: &[Mark], (width, height): (i32, i32)) -> LayerState {
        let place = |at: &quintain_core::ui::Point| {
            let inside = (0..width).contains(&at.column) && (0..height).contains(&at.row);
            inside.then(|| (at.row * width + at.column) as u32)
        };
        let mut drawn = LayerState::blank();
        // Neighbours mostly look alike, and a board has few looks.
        let mut recent: [Option<((Paint, char), u32)>; RECENT] = [None; RECENT];
        for mark in marks {
            match mark {
                Mark::Cell { at, paint, glyph } => {
                    let Some(cell) = place(at) else { continue };
                    let look = (*paint, *glyph);
                    let known =
                        |seen: &Option<_>| matches!(seen, Some((known, _)) if *known == look);
                    let number = match recent.iter().position(known) {
                        Some(place) => {
                            recent[..=place].rotate_right(1);
                            recent[0].map_or(0, |(_, number)| number)
                        }
                        None => {
                            let number = self.look(*paint, *glyph);
                            recent.rotate_right(1);
                            recent[0] = Some((look, number));
                            number
                        }
                    };
                    drawn.cells.push((cell, number + 1));
                }
                Mark::Line { from, to, paint } => {
                    let (Some(from), Some(to)) = (place(from), place(to)) else { continue };
                    let stroke = (from, to, self.paint(*paint));
                    drawn.lines.insert(number(&mut self.strokes, &mut self.replay.strokes, stroke));
                }
                Mark::Outline { cells, paint } => {
                    let outline = (cells.iter().filter_map(place).collect(), self.paint(*paint));
                    let number = number(&mut self.outlines, &mut self.replay.outlines, outline);
                    drawn.outlines.insert(number);
                }
                Mark::Label { at, text } => {
                    let Some(cell) = place(at) else { continue };
                    let label = (cell, clean(text));
                    drawn.labels.insert(number(&mut self.labels, &mut self.replay.labels, label));
                }
                Mark::Ring { seat, held, of } => {
                    // Parts have the colours of the seats' heads.
                    for seat in 0..*of {
                        self.paint(Paint::Head(seat));
                    }
                    let ring = (*seat, held.clone(), *of);
                    drawn.rings.insert(number(&mut self.rings, &mut self.replay.rings, ring));
                }
            }
        }
        // Of several marks on a cell, the last one is seen. Mostly they are in order.
        if !drawn.cells.is_sorted_by(|one, next| one.0 < next.0) {
            drawn.cells.reverse();
            drawn.cells.sort_by_key(|(cell, _)| *cell);
            drawn.cells.dedup_by_key(|(cell, _)| *cell);
        }
        drawn
    }

    /// Returns the index of the look of a cell.
    fn look(&mut self, paint: Paint, glyph: char) -> u32 {
        let plain = clean(glyph.encode_utf8(&mut [0; 4])).starts_with(glyph);
        let look = (self.paint(paint), if plain { glyph } else { ' ' });
        number(&mut self.looks, &mut self.replay.looks, look)
    }

    fn paint(&mut self, paint: Paint) -> usize {
        let paints = &mut self.replay.paints;
        *self.paints.entry(paint).or_insert_with(|| {
            paints.push(Style::of(paint));
            paints.len() - 1
        })
    }
}

/// Returns what the first seats did in words, if the game says it of all of them.
fn describe_actions(state: &dyn AnyMatch, played: &[(Seat, &str)]) -> Vec<String> {
    let first = played.iter().take(TOLD);
    let told: Option<Vec<String>> =
        first.map(|(seat, action)| Some(clean(&state.tell(*seat, action)?))).collect();
    told.unwrap_or_default()
}

/// Returns what a program wrote as text, in lines.
fn lines_of(entry: &LogEntry) -> Vec<(Seat, String)> {
    entry.content.lines().iter().map(|line| (entry.seat, clean(line))).collect()
}

/// Returns the index of a value in a list, adding the value if it is new.
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
