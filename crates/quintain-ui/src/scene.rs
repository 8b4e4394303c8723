//! What a position looks like, as plain data: cells, lines and labels in named
//! layers. Games say *what* is to be seen, by role ([`Paint`]); how a role looks
//! in a terminal, an SVG or a page is the affair of `quintain-scene`.

use serde::{Deserialize, Serialize};

/// How cells lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Lattice {
    /// Squares in rows and columns.
    #[default]
    Square,
    /// Hexagons in rows, odd rows shifted right by half a cell.
    Hex,
}

/// A cell of the drawing: column from the left, row from the top.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Point {
    /// From the left, from 0.
    pub column: i32,
    /// From the top, from 0.
    pub row: i32,
}

impl Point {
    /// The cell in this column and row.
    pub const fn new(column: i32, row: i32) -> Self {
        Point { column, row }
    }
}

/// What a mark stands for; renderers choose colours and patterns that can be told
/// apart without colour.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Paint {
    /// Nothing there.
    Floor,
    /// Never to be entered.
    Wall,
    /// Something of the game that belongs to no seat, told apart by number.
    Thing(u8),
    /// What a seat has left behind or holds.
    Seat(u16),
    /// Where a seat is.
    Head(u16),
    /// What a seat could get.
    Claim(u16),
    /// Counts for the better.
    Good,
    /// Counts for the worse.
    Bad,
    /// From cold (0) to hot (255).
    Heat(u8),
    /// To be noticed: the last move, a meeting, a crash.
    Accent,
}

/// One thing to draw.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mark {
    /// A whole cell, with a character for those who see no colour (or a space).
    Cell {
        /// Which cell.
        at: Point,
        /// What it is.
        paint: Paint,
        /// Shown in the cell.
        glyph: char,
    },
    /// A line between the centres of two cells.
    Line {
        /// From this cell's centre.
        from: Point,
        /// To this one's.
        to: Point,
        /// What it is.
        paint: Paint,
    },
    /// A short text at a cell.
    Label {
        /// Which cell.
        at: Point,
        /// The text.
        text: String,
    },
}

/// Marks that are shown or hidden together.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Layer {
    /// Its name: `board`, `territory`.
    pub name: String,
    /// Hidden until asked for.
    pub overlay: bool,
    /// What is in it, later marks over earlier ones.
    pub marks: Vec<Mark>,
}

/// A drawing of one position.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Scene {
    /// How cells lie.
    pub lattice: Lattice,
    /// Columns.
    pub width: i32,
    /// Rows.
    pub height: i32,
    /// Layers from the bottom up; the first is the board itself.
    pub layers: Vec<Layer>,
    /// One line on the position.
    pub caption: String,
}

impl Scene {
    /// An empty drawing of squares.
    pub fn square(width: usize, height: usize) -> Self {
        Scene { width: width as i32, height: height as i32, ..Scene::default() }
    }

    /// A board of squares: what each cell is, counted row by row from the top left, with a
    /// character for those who see no colour.
    pub fn board(columns: usize, rows: usize, cell: impl Fn(usize) -> (Paint, char)) -> Self {
        let mut scene = Scene::square(columns, rows);
        let marks = (0..columns * rows).map(|index| {
            let (paint, glyph) = cell(index);
            let at = Point::new((index % columns) as i32, (index / columns) as i32);
            Mark::Cell { at, paint, glyph }
        });
        scene.layer("board", marks.collect());
        scene
    }

    /// Adds a layer that is always shown.
    pub fn layer(&mut self, name: &str, marks: Vec<Mark>) {
        self.layers.push(Layer { name: name.to_owned(), overlay: false, marks });
    }

    /// Adds a layer that is shown when asked for.
    pub fn overlay(&mut self, name: &str, marks: Vec<Mark>) {
        self.layers.push(Layer { name: name.to_owned(), overlay: true, marks });
    }

    /// The same in the middle of a drawing at least this large. Games whose drawings grow
    /// in the course of a match have squares.
    #[must_use]
    pub fn padded(mut self, width: i32, height: i32) -> Scene {
        let (right, down) = ((width - self.width).max(0) / 2, (height - self.height).max(0) / 2);
        (self.width, self.height) = (self.width.max(width), self.height.max(height));
        if (right, down) == (0, 0) {
            return self;
        }
        let move_by = |at: &mut Point| *at = Point::new(at.column + right, at.row + down);
        for mark in self.layers.iter_mut().flat_map(|layer| &mut layer.marks) {
            match mark {
                Mark::Cell { at, .. } | Mark::Label { at, .. } => move_by(at),
                Mark::Line { from, to, .. } => {
                    move_by(from);
                    move_by(to);
                }
            }
        }
        self
    }

    /// The names of the layers that are shown when asked for.
    pub fn overlays(&self) -> impl Iterator<Item = &str> {
        self.layers.iter().filter(|layer| layer.overlay).map(|layer| layer.name.as_str())
    }

    /// Whether every mark lies on the drawing.
    pub fn is_within_bounds(&self) -> bool {
        let inside =
            |at: &Point| (0..self.width).contains(&at.column) && (0..self.height).contains(&at.row);
        self.layers.iter().flat_map(|layer| &layer.marks).all(|mark| match mark {
            Mark::Cell { at, .. } | Mark::Label { at, .. } => inside(at),
            Mark::Line { from, to, .. } => inside(from) && inside(to),
        })
    }
}
