//! A scene drawn into columns and rows: cells, the lines between them, outlines and labels.

use std::fmt::Write;

use quintain_core::ui::{Lattice, Paint, Point, Scene};
use unicode_width::UnicodeWidthChar;

use super::spots::{Line, Spot, cell_spots};
use super::style::TerminalStyle;
use crate::compose::{Cell, Composed, compose};
use crate::outline::border;
use crate::palette::look;

/// A drawn scene, without its frame.
pub(super) fn canvas(scene: &Scene, overlays: &[&str], style: TerminalStyle) -> Canvas {
    let composed = compose(scene, overlays);
    let mut canvas = Canvas::new(&composed, scene.lattice);
    for row in 0..composed.height {
        for column in 0..composed.width {
            canvas.draw_cell(column, row, composed.cell(column, row), style);
        }
    }
    let roomy = !composed.lines.is_empty() || scene.lattice == Lattice::Hex;
    for (cells, _) in composed.outlines.iter().filter(|_| !roomy) {
        canvas.draw_outline(cells, style);
    }
    for (from, to, paint) in &composed.lines {
        canvas.draw_line(*from, *to, *paint, style);
    }
    for (at, label) in &composed.labels {
        canvas.draw_label(*at, label);
    }
    canvas
}

/// What the lower edge of the frame says if not all of the board is shown.
const CUT: &str = " part of the board ";

const NORTH: u8 = 1;
const EAST: u8 = 2;
const SOUTH: u8 = 4;
const WEST: u8 = 8;
/// The box-drawing character for every set of sides.
const BOX: [char; 16] =
    [' ', '╵', '╶', '└', '╷', '│', '┌', '├', '╴', '┘', '─', '┴', '┐', '┤', '┬', '┼'];

/// The characters of a line along a row and along a column. Lines for the better and for the worse
/// differ from others and from each other without colour, too.
pub(super) fn straight(paint: Paint, style: TerminalStyle) -> [char; 2] {
    match (style, paint) {
        (TerminalStyle::Plain, Paint::Good) => ['=', '='],
        (TerminalStyle::Plain, Paint::Bad) => ['x', 'x'],
        (TerminalStyle::Plain, _) => ['-', '|'],
        (_, Paint::Good) => ['═', '║'],
        (_, Paint::Bad) => ['┄', '┆'],
        _ => ['─', '│'],
    }
}

pub(super) struct Canvas {
    pub(super) rows: Vec<Vec<Spot>>,
    /// Columns and rows from one cell to the next.
    pitch: (usize, usize),
    hex: bool,
}

impl Canvas {
    fn new(composed: &Composed, lattice: Lattice) -> Self {
        let pitch = if composed.lines.is_empty() { (2, 1) } else { (4, 2) };
        let hex = lattice == Lattice::Hex;
        // After the last cell there is no room needed for a line.
        let shift = if hex { pitch.0 / 2 } else { 0 };
        let width = (composed.width * pitch.0 + shift + 2).saturating_sub(pitch.0);
        let height = (composed.height * pitch.1 + 1).saturating_sub(pitch.1);
        let blank = Spot { text: Some(' '), ..Spot::default() };
        Canvas { rows: vec![vec![blank; width]; height], pitch, hex }
    }

    pub(super) fn place(&self, column: usize, row: usize) -> (usize, usize) {
        let shift = if self.hex && row % 2 == 1 { self.pitch.0 / 2 } else { 0 };
        (column * self.pitch.0 + shift, row * self.pitch.1)
    }

    fn draw_cell(&mut self, column: usize, row: usize, cell: Cell, style: TerminalStyle) {
        let (x, y) = self.place(column, row);
        let spots = cell_spots(cell, style);
        self.rows[y][x..x + 2].copy_from_slice(&spots);
    }

    /// The border of cells that stand without gaps: drawn below and to the right of a cell, which
    /// is above and to the left for its neighbours.
    fn draw_outline(&mut self, cells: &[Point], style: TerminalStyle) {
        for (at, side) in border(Lattice::Square, cells) {
            let (at, below) = match side {
                0 => (Point::new(at.column, at.row - 1), true),
                1 => (at, false),
                2 => (at, true),
                _ => (Point::new(at.column - 1, at.row), false),
            };
            if at.column < 0 || at.row < 0 {
                continue;
            }
            let (x, y) = self.place(at.column as usize, at.row as usize);
            let spots = &mut self.rows[y][x..x + 2];
            match (style, below) {
                (TerminalStyle::Plain, below) => {
                    let bar = if below { '_' } else { '|' };
                    let text = &mut spots[1].text;
                    *text = Some(match *text {
                        Some('|' | '_' | ']') if *text != Some(bar) => ']',
                        _ => bar,
                    });
                }
                (_, true) => spots.iter_mut().for_each(|spot| spot.underlined = true),
                // After a character two columns wide there is no room.
                (_, false) => spots[1].text = spots[1].text.map(|_| '▕'),
            }
            if spots[1].ink.is_none() {
                spots[1].ink = spots[0].ink;
            }
        }
    }

    /// Box-drawing characters along rows and columns, slashes elsewhere.
    fn draw_line(&mut self, from: Point, to: Point, paint: Paint, style: TerminalStyle) {
        let place = |at: Point| {
            let (x, y) = self.place(at.column as usize, at.row as usize);
            (x as i32, y as i32)
        };
        let ((x0, y0), (x1, y1)) = (place(from), place(to));
        let (dx, dy) = (x1 - x0, y1 - y0);
        if dx == 0 || dy == 0 {
            let (ahead, back) = match (dx.signum(), dy.signum()) {
                (1, _) => (EAST, WEST),
                (-1, _) => (WEST, EAST),
                (_, 1) => (SOUTH, NORTH),
                (_, -1) => (NORTH, SOUTH),
                _ => return,
            };
            for step in 0..=dx.abs().max(dy.abs()) {
                let (x, y) = (x0 + dx.signum() * step, y0 + dy.signum() * step);
                let sides = match (step == 0, (x, y) == (x1, y1)) {
                    (true, _) => ahead,
                    (_, true) => back,
                    _ => ahead | back,
                };
                self.connect(x as usize, y as usize, sides, paint, style);
            }
        } else {
            let steps = dx.abs().max(dy.abs());
            let rising = (dx > 0) != (dy > 0);
            for step in 1..steps {
                let along = |from: i32, by: i32| {
                    from + (f64::from(by) * f64::from(step) / f64::from(steps)).round() as i32
                };
                let slash = match (rising, style) {
                    (true, TerminalStyle::Plain) => '/',
                    (false, TerminalStyle::Plain) => '\\',
                    (true, _) => '╱',
                    (false, _) => '╲',
                };
                self.stroke(along(x0, dx) as usize, along(y0, dy) as usize, slash, paint, style);
            }
        }
    }

    fn connect(&mut self, x: usize, y: usize, sides: u8, paint: Paint, style: TerminalStyle) {
        let sides = self.rows[y][x].sides | sides;
        self.rows[y][x].sides = sides;
        let [along, down] = straight(paint, style);
        let plain = style == TerminalStyle::Plain;
        // Without half lines, ASCII draws the end of a line like the rest of it.
        let is_whole = plain || sides.count_ones() == 2;
        let text = match sides {
            sides if is_whole && sides & !(EAST | WEST) == 0 => along,
            sides if is_whole && sides & !(NORTH | SOUTH) == 0 => down,
            _ if plain => '+',
            sides => BOX[sides as usize],
        };
        self.stroke(x, y, text, paint, style);
    }

    fn stroke(&mut self, x: usize, y: usize, text: char, paint: Paint, style: TerminalStyle) {
        let spot = &mut self.rows[y][x];
        if !spot.taken {
            spot.text = Some(text);
            spot.ink = (style != TerminalStyle::Plain).then(|| look(paint).dark);
        }
    }

    /// Writes a label from its cell to the right, as far as the board goes.
    fn draw_label(&mut self, at: Point, label: &str) {
        let (mut x, y) = self.place(at.column as usize, at.row as usize);
        let row = &mut self.rows[y];
        for c in label.chars() {
            let width = c.width().unwrap_or(0);
            if width == 0 {
                continue;
            }
            if x + width > row.len() {
                return;
            }
            row[x].text = Some(c);
            row[x].bold = true;
            if width == 2 {
                row[x + 1].text = None;
            }
            x += width;
        }
    }

    /// The number of columns, without the frame.
    pub(super) fn width(&self) -> usize {
        self.rows.first().map_or(0, Vec::len)
    }

    pub(super) fn render_frame(&self, style: TerminalStyle) -> String {
        self.render_frame_cut(style, [false; 4])
    }

    /// Renders with a frame that is broken on those sides on which the board goes on: north, east,
    /// south, west.
    pub(super) fn render_frame_cut(&self, style: TerminalStyle, cut: [bool; 4]) -> String {
        let plain = style == TerminalStyle::Plain;
        let (sides, across, corners) = match plain {
            true => (['|', ':'], ['-', '.'], ['+'; 4]),
            false => (['│', '┊'], ['─', '┈'], ['┌', '┐', '└', '┘']),
        };
        let [north, east, south, west] = cut.map(usize::from);
        let edge = |cut: usize| across[cut].to_string().repeat(self.width());
        let mut foot = edge(south);
        let note = CUT.len();
        if cut.contains(&true) && note <= self.width() {
            // In the middle, so that both ends show whether the board goes on there.
            let (head, tail) = ((self.width() - note) / 2, (self.width() - note).div_ceil(2));
            let part = |columns: usize| across[south].to_string().repeat(columns);
            foot = part(head) + CUT + &part(tail);
        }
        let mut out = format!("{}{}{}\n", corners[0], edge(north), corners[1]);
        for row in &self.rows {
            let mut line = Line::default();
            for spot in row {
                line.push(*spot, style);
            }
            let _ = writeln!(out, "{}{}{}", sides[west], line.finish(style), sides[east]);
        }
        let _ = writeln!(out, "{}{foot}{}", corners[2], corners[3]);
        out
    }
}
