//! What fits a terminal. Of a page: a section of the board that follows what matters, as much as
//! possible of the text beside it, and the caption. Of lines that scroll: all rows of the board,
//! with the text below it if there is no room beside it.

use quintain_core::ui::{Mark, Paint, Point, Scene};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::beside::{put_beside, render_side};
use super::canvas::{Canvas, canvas};
use super::style::TerminalStyle;
use crate::cut::cut_to_width;
use crate::sanitize::clean;

/// Columns and rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Room {
    /// Columns.
    pub columns: usize,
    /// Rows.
    pub rows: usize,
}

/// The columns of a board's frame.
const FRAME: usize = 2;
/// The least part of a larger board that is shown.
const LEAST: Room = Room { columns: 20, rows: 6 };

/// Draws a scene with these overlays shown and its panels, without the caption. If the panels have
/// no room beside the board within so many columns, they stand below it; if the board has none
/// either, the part around what happened last is shown.
pub fn render_board(
    scene: &Scene,
    overlays: &[&str],
    style: TerminalStyle,
    columns: Option<usize>,
) -> String {
    let mut canvas = canvas(scene, overlays, style);
    let lines = render_side(scene, style);
    let columns = columns.unwrap_or(usize::MAX);
    if FRAME + canvas.width() + beside_columns(&lines) <= columns {
        return put_beside(&canvas.render_frame(style), canvas.width(), &lines);
    }
    let place = attention(scene);
    let (column, row) = canvas.place(place.column.max(0) as usize, place.row.max(0) as usize);
    let shown = columns.saturating_sub(FRAME).max(LEAST.columns);
    let cut = canvas.crop(Room { columns: shown, rows: usize::MAX }, column, row);
    let below: String = lines.iter().map(|line| format!("{line}\n")).collect();
    canvas.render_frame_cut(style, cut) + &below
}

/// The number of columns of a drawn board with its frame.
pub fn board_columns(scene: &Scene, overlays: &[&str]) -> usize {
    FRAME + canvas(scene, overlays, TerminalStyle::Plain).width()
}

/// The columns that lines beside a board take, with the gap before them.
fn beside_columns(lines: &[String]) -> usize {
    lines.iter().map(|line| visible_width(line)).max().map_or(0, |widest| widest + 2)
}

/// Renders like [`render_text`](super::render_text), within limited room: of a board that is too
/// large, the part around `focus`, or around what happened last. The caption is one line.
///
/// # Errors
/// The least room that is needed, if this is not enough.
pub fn render_text_within(
    scene: &Scene,
    overlays: &[&str],
    style: TerminalStyle,
    room: Room,
    focus: Option<Point>,
) -> Result<String, Room> {
    let mut canvas = canvas(scene, overlays, style);
    let caption = clean(&scene.caption);
    let mut lines = render_side(scene, style);
    let columns = FRAME + beside_columns(&lines);
    let rows = 2 + usize::from(!caption.is_empty());
    let least = Room {
        columns: columns + canvas.width().min(LEAST.columns),
        rows: rows + canvas.rows.len().min(LEAST.rows),
    };
    if room.columns < least.columns || room.rows < least.rows {
        return Err(least);
    }
    let place = focus.unwrap_or_else(|| attention(scene));
    let (column, row) = canvas.place(place.column.max(0) as usize, place.row.max(0) as usize);
    let shown = Room { columns: room.columns - columns, rows: room.rows - rows };
    let cut = canvas.crop(shown, column, row);
    let height = canvas.rows.len() + 2;
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    let most = height.max(room.rows - usize::from(!caption.is_empty()));
    if lines.len() > most {
        lines.truncate(most - 1);
        lines.push("...".to_owned());
    }
    let mut out = put_beside(&canvas.render_frame_cut(style, cut), canvas.width(), &lines);
    if !caption.is_empty() {
        out.push_str(&cut_to_width(&caption, room.columns));
        out.push('\n');
    }
    Ok(out)
}

/// The columns of a line, whose escape sequences all end in `m`.
fn visible_width(line: &str) -> usize {
    let mut parts = line.split('\u{1b}');
    let first = parts.next().map_or(0, UnicodeWidthStr::width);
    first
        + parts.map(|part| part.split_once('m').map_or(0, |(_, text)| text.width())).sum::<usize>()
}

/// Where something happened last: the middle of heads and marked cells, or of the board if there
/// are none.
pub fn attention(scene: &Scene) -> Point {
    let layers = scene.layers.iter().filter(|layer| !layer.overlay);
    let mut places: Vec<Point> = Vec::new();
    for mark in layers.flat_map(|layer| &layer.marks) {
        match mark {
            Mark::Cell { at, paint: Paint::Head(_) | Paint::Accent, .. } => places.push(*at),
            Mark::Outline { cells, paint: Paint::Accent } => places.extend(cells),
            _ => {}
        }
    }
    let middle = |of: fn(&Point) -> i32, whole: i32| {
        let (least, most) = (places.iter().map(of).min(), places.iter().map(of).max());
        least.zip(most).map_or(whole / 2, |(least, most)| (least + most) / 2)
    };
    Point::new(middle(|at| at.column, scene.width), middle(|at| at.row, scene.height))
}

impl Canvas {
    /// Keeps as much as fits, with the given place in the middle as far as the board allows. Says
    /// on which sides something is left out: north, east, south, west.
    fn crop(&mut self, room: Room, column: usize, row: usize) -> [bool; 4] {
        let (width, height) = (self.width(), self.rows.len());
        // Whole cells, so that nothing flickers while the view moves.
        let columns = if width > room.columns { room.columns / 2 * 2 } else { width };
        let rows = height.min(room.rows);
        let left = (column / 2 * 2).saturating_sub(columns / 4 * 2).min(width - columns);
        let top = row.saturating_sub(rows / 2).min(height - rows);
        self.rows.truncate(top + rows);
        self.rows.drain(..top);
        for row in &mut self.rows {
            row.truncate(left + columns);
            row.drain(..left);
            // Half of a character two columns wide becomes a blank.
            if let Some(first) = row.first_mut() {
                first.text.get_or_insert(' ');
            }
            if let Some(last) = row.last_mut()
                && last.text.is_some_and(|text| text.width() == Some(2))
            {
                last.text = Some(' ');
            }
        }
        [top > 0, left + columns < width, top + rows < height, left > 0]
    }
}
