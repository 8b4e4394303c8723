//! Layers flattened to what is visible: one paint and character per cell, then lines, outlines and
//! labels. Both renderers draw from this, so that they show the same.

use std::collections::{HashMap, HashSet};

use quintain_core::ui::{Layer, Mark, Paint, Point, Scene, Sign};

use crate::palette::look;
use crate::sanitize::{clean, is_plain};

/// The visible content of one cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cell {
    pub(crate) paint: Paint,
    /// The scene's character; a space if it gave none.
    pub(crate) glyph: char,
    /// Whether a program wrote the character: then it is shown on any paint.
    pub(crate) written: bool,
    /// Whether nothing is known about the cell, in a drawing whose legend says what that means.
    pub(crate) unseen: bool,
}

impl Cell {
    /// The scene's character, or the palette's where there is none.
    pub(crate) fn visible_glyph(self) -> char {
        if self.glyph == ' ' { look(self.paint).glyph } else { self.glyph }
    }
}

/// A flattened scene. Everything in it lies on the board.
pub(crate) struct Composed {
    pub(crate) width: usize,
    pub(crate) height: usize,
    cells: Vec<Cell>,
    pub(crate) lines: Vec<(Point, Point, Paint)>,
    /// Outlines, those meant to be noticed last.
    pub(crate) outlines: Vec<(Vec<Point>, Paint)>,
    pub(crate) labels: Vec<(Point, String)>,
    /// Rings: where, the parts that are filled, and the number of parts.
    pub(crate) rings: Vec<(Point, Vec<u16>, u16)>,
    /// The cells that a layer which dims all others leaves out.
    pub(crate) dimmed: Vec<Point>,
}

impl Composed {
    pub(crate) fn cell(&self, column: usize, row: usize) -> Cell {
        self.cells[row * self.width + column]
    }
}

/// Flattens the layers that are always shown and the named overlays, from the bottom up. An
/// overlay's cell without a character keeps that of the cell below it.
pub(crate) fn compose(scene: &Scene, overlays: &[&str]) -> Composed {
    let (width, height) = (scene.width.max(0) as usize, scene.height.max(0) as usize);
    let unseen = scene.legend(&[]).any(|meaning| meaning.sign == Sign::Unseen);
    let empty = Cell { paint: Paint::Floor, glyph: ' ', written: false, unseen };
    let mut composed = Composed {
        width,
        height,
        cells: vec![empty; width * height],
        lines: Vec::new(),
        outlines: Vec::new(),
        labels: Vec::new(),
        rings: Vec::new(),
        dimmed: Vec::new(),
    };
    let place = |at: &Point| {
        let inside = (0..scene.width).contains(&at.column) && (0..scene.height).contains(&at.row);
        inside.then(|| at.row as usize * width + at.column as usize)
    };
    for layer in &scene.layers {
        if !layer.is_shown(overlays) {
            continue;
        }
        if layer.dims {
            composed.dimmed = cells_without_marks(scene, layer);
        }
        let mut heads = HashMap::new();
        for mark in &layer.marks {
            match mark {
                Mark::Cell { at, paint, glyph } => {
                    if let Paint::Head(seat) = paint {
                        heads.insert(*seat, *at);
                    }
                    let Some(index) = place(at) else { continue };
                    let below = composed.cells[index];
                    let is_kept = layer.overlay && below.paint != Paint::Floor;
                    let (glyph, written) = match *glyph {
                        ' ' if is_kept => (below.glyph, below.written),
                        glyph if is_plain(glyph) => (glyph, layer.is_drawing() && glyph != ' '),
                        _ => (' ', false),
                    };
                    composed.cells[index] = Cell { paint: *paint, glyph, written, unseen: false };
                }
                Mark::Line { from, to, paint } if place(from).is_some() && place(to).is_some() => {
                    composed.lines.push((*from, *to, *paint));
                }
                Mark::Outline { cells, paint } => {
                    let inside = cells.iter().copied().filter(|at| place(at).is_some());
                    composed.outlines.push((inside.collect(), *paint));
                }
                Mark::Label { at, text } if place(at).is_some() => {
                    composed.labels.push((*at, clean(text)));
                }
                Mark::Ring { seat, held, of } => {
                    let at = heads.get(seat).filter(|at| place(at).is_some());
                    composed.rings.extend(at.map(|at| (*at, held.clone(), *of)));
                }
                Mark::Line { .. } | Mark::Label { .. } => {}
            }
        }
    }
    composed.outlines.sort_by_key(|(_, paint)| *paint == Paint::Accent);
    composed
}

fn cells_without_marks(scene: &Scene, layer: &Layer) -> Vec<Point> {
    let marked = layer.marks.iter().filter_map(|mark| match mark {
        Mark::Cell { at, .. } => Some(*at),
        _ => None,
    });
    let marked: HashSet<Point> = marked.collect();
    let all = (0..scene.height).flat_map(|row| (0..scene.width).map(move |column| (column, row)));
    let all = all.map(|(column, row)| Point::new(column, row));
    all.filter(|at| !marked.contains(at)).collect()
}

/// The cells that represent a seat in a legend: its head, if the scene draws heads, and what it
/// leaves behind; `None` where the seat has no such cell.
pub(crate) fn seat_cells(scene: &Scene, seat: u16) -> Vec<Option<Cell>> {
    let marks = || scene.layers.iter().filter(|layer| !layer.overlay).flat_map(|l| &l.marks);
    let last = |wanted: Paint| {
        let mut cells = marks().filter_map(|mark| match mark {
            Mark::Cell { paint, glyph, .. } if *paint == wanted => {
                let glyph = if is_plain(*glyph) { *glyph } else { ' ' };
                Some(Cell { paint: *paint, glyph, written: false, unseen: false })
            }
            _ => None,
        });
        cells.next_back()
    };
    let any_head = marks().any(|mark| matches!(mark, Mark::Cell { paint: Paint::Head(_), .. }));
    let head = any_head.then(|| last(Paint::Head(seat)));
    head.into_iter().chain([last(Paint::Seat(seat))]).collect()
}
