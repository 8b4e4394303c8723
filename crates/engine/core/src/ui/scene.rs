//! What a position looks like, as plain data: cells, lines, outlines and labels in named layers,
//! their meanings in words, and what is shown beside the board. Games say *what* is to be seen, by
//! role ([`Paint`]); `quintain-scene` decides how a role looks in a terminal, an SVG or a page.

use serde::{Deserialize, Serialize};

/// How the cells are arranged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Lattice {
    /// Squares in rows and columns.
    #[default]
    Square,
    /// Hexagons in rows, odd rows shifted right by half a cell.
    Hex,
}

/// A cell of the drawing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Point {
    /// The column from the left, from 0.
    pub column: i32,
    /// The row from the top, from 0.
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
    /// An empty cell.
    Floor,
    /// A cell that can never be entered.
    Wall,
    /// Something of the game that belongs to no seat, told apart by number.
    Thing(u8),
    /// What a seat has left behind or owns.
    Seat(u16),
    /// Where a seat is.
    Head(u16),
    /// What a seat could get.
    Claim(u16),
    /// Something that counts in favour.
    Good,
    /// Something that counts against.
    Bad,
    /// A quantity from cold (0) to hot (255).
    Heat(u8),
    /// Something to be noticed: the last move, a meeting, a crash.
    Accent,
    /// A building, told apart from others by its kind; around each building belongs an outline.
    Roof(u8),
    /// A way from cell to cell. Cells of it that lie side by side are joined.
    Road,
    /// A surface of water.
    Water,
    /// A surface that is green.
    Green,
}

/// One thing to draw.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mark {
    /// A whole cell, with a character for display without colour (or a space).
    Cell {
        /// Which cell.
        at: Point,
        /// What it is.
        paint: Paint,
        /// The character shown in the cell.
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
    /// A line around some cells that belong together.
    Outline {
        /// The cells.
        cells: Vec<Point>,
        /// What they are; [`Paint::Accent`] stands out from all others.
        paint: Paint,
    },
    /// A short text at a cell.
    Label {
        /// Which cell.
        at: Point,
        /// The text.
        text: String,
    },
    /// A ring around a seat's head, in as many parts as there are seats: those of some seats are
    /// filled.
    Ring {
        /// Whose head; its cell is in the same layer, before the ring.
        seat: u16,
        /// The seats whose parts are filled, in ascending order.
        held: Vec<u16>,
        /// The number of parts.
        of: u16,
    },
}

/// Marks that are shown or hidden together.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Layer {
    /// Its name: `board`, `territory`.
    pub name: String,
    /// Whether it is hidden until requested.
    pub overlay: bool,
    /// Its marks; later ones are drawn over earlier ones.
    pub marks: Vec<Mark>,
    /// What its marks mean, for a legend.
    #[serde(default)]
    pub legend: Vec<Meaning>,
    /// Whether the cells that it leaves out are dimmed while it is shown.
    #[serde(default)]
    pub dims: bool,
}

/// The name of the overlay with what a program drew on the board, if there is one program, or with
/// what all programs drew.
pub const DRAWINGS: &str = "drawings";

impl Layer {
    /// The name of the overlay with the drawings of one of several players.
    pub fn drawings_of(player: &str) -> String {
        format!("{DRAWINGS} of {player}")
    }

    /// Whether programs drew it rather than the game.
    pub fn is_drawing(&self) -> bool {
        is_drawing(&self.name)
    }

    /// Dims the cells that it leaves out while it is shown.
    pub fn dimming(&mut self) -> &mut Layer {
        self.dims = true;
        self
    }

    /// Whether it is shown if these overlays are; [`DRAWINGS`] stands for the drawings of all
    /// players.
    pub fn is_shown(&self, overlays: &[&str]) -> bool {
        let has = |name: &str| overlays.contains(&name);
        !self.overlay || has(&self.name) || self.is_drawing() && has(DRAWINGS)
    }

    /// Adds to the legend what marks like this one mean.
    pub fn means(&mut self, sign: Sign, text: impl Into<String>) -> &mut Layer {
        self.legend.push(Meaning { sign, text: text.into() });
        self
    }
}

/// Whether an overlay of this name is drawn by programs.
pub fn is_drawing(overlay: &str) -> bool {
    let rest = overlay.strip_prefix(DRAWINGS);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(" of "))
}

/// A line of a legend.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Meaning {
    /// What it looks like.
    pub sign: Sign,
    /// What it means, in a few words.
    pub text: String,
}

/// A mark without a place, as a legend shows it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sign {
    /// A cell, with its character.
    Cell(Paint, char),
    /// A line.
    Line(Paint),
    /// An outline.
    Outline(Paint),
    /// Cells about which nothing is shown, if the drawing has any.
    Unseen,
}

/// Something beside the board.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Panel {
    /// What it is, in a word or two; the same on every turn.
    pub title: String,
    /// What is in it.
    pub body: PanelBody,
}

/// See [`Panel`].
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PanelBody {
    /// A small drawing without a panel of its own: a piece that comes next.
    Picture(Scene),
    /// Names and what belongs to each: `("ponds", "+4")`.
    Figures(Vec<(String, String)>),
    /// Running text, parts of which are highlighted.
    Text(Vec<Span>),
    /// Quantities of which each has a greatest value.
    Bars(Vec<Bar>),
}

/// A quantity and the most that it can be.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Bar {
    /// What it is, in a word.
    pub name: String,
    /// What it belongs to.
    pub paint: Paint,
    /// How much it is.
    pub value: u32,
    /// The most that it can be.
    pub of: u32,
}

/// A part of a text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Span {
    /// The text.
    pub text: String,
    /// Whether it is highlighted.
    pub lit: bool,
}

/// A drawing of one position.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Scene {
    /// How the cells are arranged.
    pub lattice: Lattice,
    /// Columns.
    pub width: i32,
    /// Rows.
    pub height: i32,
    /// Layers from the bottom up; the first is the board itself.
    pub layers: Vec<Layer>,
    /// One line about the position.
    pub caption: String,
    /// What is beside the board.
    #[serde(default)]
    pub panels: Vec<Panel>,
    /// The slices that the drawing consists of, if it shows a box.
    #[serde(default)]
    pub slices: Option<Slices>,
}

/// A box, drawn as slices side by side with one column between two. A line between two slices is
/// an edge of the box.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Slices {
    /// The upper left cell of the first slice.
    pub first: Point,
    /// Columns of each slice.
    pub columns: i32,
    /// Rows of each slice.
    pub rows: i32,
    /// The number of slices.
    pub count: i32,
}

impl Scene {
    /// An empty drawing of squares.
    pub fn square(width: usize, height: usize) -> Self {
        Scene { width: width as i32, height: height as i32, ..Scene::default() }
    }

    /// A board of squares. `cell` gives the paint of each cell, counted row by row from the top
    /// left, and a character for display without colour.
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
    pub fn layer(&mut self, name: &str, marks: Vec<Mark>) -> &mut Layer {
        self.add(name, false, marks)
    }

    /// Adds a layer that is shown on request.
    pub fn overlay(&mut self, name: &str, marks: Vec<Mark>) -> &mut Layer {
        self.add(name, true, marks)
    }

    fn add(&mut self, name: &str, overlay: bool, marks: Vec<Mark>) -> &mut Layer {
        let (name, legend) = (name.to_owned(), Vec::new());
        self.layers.push(Layer { name, overlay, marks, legend, dims: false });
        self.layers.last_mut().expect("one was added")
    }

    /// Puts something beside the board.
    pub fn panel(&mut self, title: &str, body: PanelBody) {
        self.panels.push(Panel { title: title.to_owned(), body });
    }

    /// The legend of the layers that are always shown and of these overlays.
    pub fn legend(&self, overlays: &[&str]) -> impl Iterator<Item = &Meaning> {
        let shown = self.layers.iter().filter(|layer| layer.is_shown(overlays));
        shown.flat_map(|layer| &layer.legend)
    }

    /// Centres the scene in a drawing of at least this size. Only games on squares have drawings
    /// that grow during a match.
    #[must_use]
    pub fn padded(mut self, width: i32, height: i32) -> Scene {
        let (right, down) = ((width - self.width).max(0) / 2, (height - self.height).max(0) / 2);
        (self.width, self.height) = (self.width.max(width), self.height.max(height));
        if (right, down) == (0, 0) {
            return self;
        }
        let move_by = |at: &mut Point| *at = Point::new(at.column + right, at.row + down);
        self.slices.iter_mut().for_each(|slices| move_by(&mut slices.first));
        for mark in self.layers.iter_mut().flat_map(|layer| &mut layer.marks) {
            match mark {
                Mark::Ring { .. } => {}
                Mark::Cell { at, .. } | Mark::Label { at, .. } => move_by(at),
                Mark::Line { from, to, .. } => {
                    move_by(from);
                    move_by(to);
                }
                Mark::Outline { cells, .. } => cells.iter_mut().for_each(&move_by),
            }
        }
        self
    }

    /// The names of the layers that are shown on request.
    pub fn overlays(&self) -> impl Iterator<Item = &str> {
        self.layers.iter().filter(|layer| layer.overlay).map(|layer| layer.name.as_str())
    }

    /// Whether every mark lies on the drawing.
    pub fn is_within_bounds(&self) -> bool {
        self.layers.iter().flat_map(|layer| &layer.marks).all(|mark| self.contains(mark))
    }

    /// Whether a mark lies on the drawing.
    pub fn contains(&self, mark: &Mark) -> bool {
        let inside =
            |at: &Point| (0..self.width).contains(&at.column) && (0..self.height).contains(&at.row);
        match mark {
            Mark::Ring { .. } => true,
            Mark::Cell { at, .. } | Mark::Label { at, .. } => inside(at),
            Mark::Line { from, to, .. } => inside(from) && inside(to),
            Mark::Outline { cells, .. } => cells.iter().all(&inside),
        }
    }
}
