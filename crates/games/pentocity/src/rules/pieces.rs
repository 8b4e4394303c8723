//! The pieces that can be asked for: the 63 fixed pentominoes (residences) and the 25 rectangles
//! with sides 1 to 5 (factories), each with a number. Where they may stand is in
//! [`crate::rules::board`].
//!
//! Shapes are not reflected: there are 18 one-sided pentominoes, and a mirror image has the small
//! letter. Which of two images has the capital follows the original's request sequencers.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A cell of a shape, row and column from the top left of its bounding box.
pub type Offset = (u8, u8);

/// The one-sided pentominoes, drawn, in rotation 0.
const ONE_SIDED: [(char, [Offset; 5]); 18] = [
    ('F', [(0, 1), (0, 2), (1, 0), (1, 1), (2, 1)]),
    ('f', [(0, 0), (0, 1), (1, 1), (1, 2), (2, 1)]),
    ('I', [(0, 0), (0, 1), (0, 2), (0, 3), (0, 4)]),
    ('L', [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0)]),
    ('l', [(0, 0), (0, 1), (0, 2), (0, 3), (1, 3)]),
    ('N', [(0, 1), (1, 1), (2, 0), (2, 1), (3, 0)]),
    ('n', [(0, 0), (1, 0), (2, 0), (2, 1), (3, 1)]),
    ('P', [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2)]),
    ('p', [(0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]),
    ('T', [(0, 0), (1, 0), (1, 1), (1, 2), (2, 0)]),
    ('U', [(0, 0), (0, 1), (1, 1), (2, 0), (2, 1)]),
    ('V', [(0, 0), (0, 1), (0, 2), (1, 2), (2, 2)]),
    ('W', [(0, 0), (1, 0), (1, 1), (2, 1), (2, 2)]),
    ('X', [(0, 1), (1, 0), (1, 1), (1, 2), (2, 1)]),
    ('Y', [(0, 0), (0, 1), (0, 2), (0, 3), (1, 1)]),
    ('y', [(0, 0), (0, 1), (0, 2), (0, 3), (1, 2)]),
    ('Z', [(0, 0), (1, 0), (1, 1), (1, 2), (2, 2)]),
    ('z', [(0, 2), (1, 0), (1, 1), (1, 2), (2, 0)]),
];

/// The letters of the one-sided pentominoes.
pub const LETTERS: [char; 18] = {
    let mut letters = [' '; 18];
    let mut index = 0;
    while index < 18 {
        letters[index] = ONE_SIDED[index].0;
        index += 1;
    }
    letters
};

/// The longest side of a factory, and of any shape.
pub const LONGEST: u8 = 5;

/// A shape in one rotation, with the data for laying it on a bit board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Rows of its bounding box.
    pub height: u8,
    /// Columns of its bounding box.
    pub width: u8,
    /// Its cells in reading order.
    pub cells: Vec<Offset>,
    /// Its rows as bits: bit `j` of row `i` is the cell `(i, j)`.
    pub rows: [u8; 5],
    /// The cells beside the shape, in rows and columns that begin one above and left of the
    /// bounding box.
    pub beside: [u8; 7],
    /// For each edge of the outline, the cell on the other side of it, relative to the top left of
    /// the bounding box. These are the cells beside the shape, some of them several times.
    pub edges: Vec<(i8, i8)>,
}

impl Shape {
    fn new(cells: &[Offset]) -> Shape {
        let mut cells = cells.to_vec();
        cells.sort_unstable();
        let height = cells.iter().map(|cell| cell.0).max().map_or(0, |row| row + 1);
        let width = cells.iter().map(|cell| cell.1).max().map_or(0, |col| col + 1);
        let mut rows = [0; 5];
        for &(row, col) in &cells {
            rows[usize::from(row)] |= 1 << col;
        }
        let mut beside = [0; 7];
        for &(row, col) in &cells {
            let (row, bit) = (usize::from(row) + 1, 1u8 << (col + 1));
            beside[row - 1] |= bit;
            beside[row + 1] |= bit;
            beside[row] |= bit << 1 | bit >> 1;
        }
        for (row, own) in rows.iter().enumerate() {
            beside[row + 1] &= !(own << 1);
        }
        let mut edges = Vec::new();
        for &(row, col) in &cells {
            let (row, col) = (row as i8, col as i8);
            for (row, col) in [(row - 1, col), (row, col + 1), (row + 1, col), (row, col - 1)] {
                if !cells.iter().any(|own| (own.0 as i8, own.1 as i8) == (row, col)) {
                    edges.push((row, col));
                }
            }
        }
        Shape { height, width, cells, rows, beside, edges }
    }
}

/// Turns cells by a quarter: (i, j) → (j, max i − i).
fn turn(cells: &[Offset]) -> Vec<Offset> {
    let last = cells.iter().map(|cell| cell.0).max().unwrap_or(0);
    let mut turned: Vec<Offset> = cells.iter().map(|&(row, col)| (col, last - row)).collect();
    turned.sort_unstable();
    turned
}

struct Table {
    shapes: Vec<Shape>,
    /// For each piece: its letter (` ` for factories), the first piece among its rotations, and the
    /// number of rotations.
    kin: Vec<(char, u8, u8)>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table { shapes: Vec::new(), kin: Vec::new() };
    for (letter, cells) in ONE_SIDED {
        let first = table.shapes.len() as u8;
        let mut positions = vec![cells.to_vec()];
        positions[0].sort_unstable();
        for _ in 1..4 {
            positions.push(turn(&positions[positions.len() - 1]));
        }
        let count = if positions[1] == positions[0] {
            1
        } else if positions[2] == positions[0] {
            2
        } else {
            4
        };
        for position in &positions[..count] {
            table.shapes.push(Shape::new(position));
            table.kin.push((letter, first, count as u8));
        }
    }
    for height in 1..=LONGEST {
        for width in 1..=LONGEST {
            let cells: Vec<Offset> =
                (0..height).flat_map(|row| (0..width).map(move |col| (row, col))).collect();
            let own = table.shapes.len() as u8;
            table.shapes.push(Shape::new(&cells));
            table.kin.push((' ', own, if height == width { 1 } else { 2 }));
        }
    }
    table
});

/// A building as it is asked for: a shape in a rotation. Stored as a number below [`Piece::COUNT`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Piece(u8);

impl Piece {
    /// The number of pieces.
    pub const COUNT: usize = 88;
    /// The number of residences, which come first.
    pub const RESIDENCES: usize = 63;

    /// All pieces.
    pub fn all() -> impl DoubleEndedIterator<Item = Piece> {
        (0..Piece::COUNT as u8).map(Piece)
    }

    /// The pentomino of a letter, turned.
    pub fn residence(letter: char, turns: u8) -> Option<Piece> {
        let first = TABLE.kin.iter().position(|kin| kin.0 == letter && letter != ' ')?;
        let (_, first, count) = TABLE.kin[first];
        (turns < count).then(|| Piece(first + turns))
    }

    /// The rectangle of these sides.
    pub fn factory(height: u8, width: u8) -> Option<Piece> {
        let fits = |side| (1..=LONGEST).contains(&side);
        let index = || Piece::RESIDENCES as u8 + (height - 1) * LONGEST + width - 1;
        (fits(height) && fits(width)).then(|| Piece(index()))
    }

    /// The residence or factory with these cells, wherever they lie.
    ///
    /// # Errors
    /// If they are not a pentomino, or not a rectangle with sides 1 to 5.
    pub fn of_cells(is_factory: bool, cells: &[(i64, i64)]) -> Result<Piece, PieceError> {
        let refuse = || {
            let cells = cells.iter().take(PieceError::SHOWN).copied().collect();
            PieceError::Cells { is_factory, cells }
        };
        let top = cells.iter().map(|cell| cell.0).min().ok_or_else(refuse)?;
        let left = cells.iter().map(|cell| cell.1).min().ok_or_else(refuse)?;
        let mut at: Vec<Offset> = cells
            .iter()
            .map(|&(row, col)| {
                let offset = |value: i64, first: i64| {
                    value.checked_sub(first).and_then(|offset| u8::try_from(offset).ok())
                };
                Some((offset(row, top)?, offset(col, left)?))
            })
            .collect::<Option<_>>()
            .ok_or_else(refuse)?;
        at.sort_unstable();
        let pieces = Piece::all().filter(|piece| piece.is_factory() == is_factory);
        let mut known = pieces.filter(|piece| piece.shape().cells == at);
        known.next().ok_or_else(refuse)
    }

    /// Its number.
    #[inline(always)]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// Whether it is a factory; otherwise it is a residence.
    #[inline(always)]
    pub fn is_factory(self) -> bool {
        usize::from(self.0) >= Piece::RESIDENCES
    }

    /// Its cells.
    #[inline(always)]
    pub fn shape(self) -> &'static Shape {
        &TABLE.shapes[self.index()]
    }

    /// How many cells it has.
    #[inline(always)]
    pub fn size(self) -> u32 {
        self.shape().cells.len() as u32
    }

    /// How many distinct rotations it has: 1, 2 or 4.
    #[inline(always)]
    pub fn rotations(self) -> u8 {
        TABLE.kin[self.index()].2
    }

    /// This piece, turned `times` times.
    #[inline(always)]
    pub fn rotated(self, times: u8) -> Piece {
        let (letter, first, count) = TABLE.kin[self.index()];
        if letter == ' ' {
            let index = self.0 - Piece::RESIDENCES as u8;
            let (row, col) = (index / LONGEST, index % LONGEST);
            let (row, col) = if times.is_multiple_of(2) { (row, col) } else { (col, row) };
            Piece(Piece::RESIDENCES as u8 + row * LONGEST + col)
        } else {
            Piece(first + (self.0 - first + times) % count)
        }
    }

    /// The letter of a residence; ` ` of a factory.
    pub fn letter(self) -> char {
        TABLE.kin[self.index()].0
    }

    /// `residence` or `factory`.
    pub fn kind(self) -> &'static str {
        if self.is_factory() { "factory" } else { "residence" }
    }
}

/// Why something is not a piece.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum PieceError {
    /// No piece has these cells.
    Cells {
        /// Whether a factory was expected; otherwise a residence.
        is_factory: bool,
        /// The first of the cells, rows and columns.
        cells: Vec<(i64, i64)>,
    },
    /// No piece has this name.
    Name(String),
}

impl PieceError {
    /// The most cells that an error keeps.
    const SHOWN: usize = 30;
}

impl fmt::Display for PieceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PieceError::Cells { is_factory, cells } => {
                let what = if *is_factory { "rectangle with sides 1 to 5" } else { "pentomino" };
                let cells: Vec<String> =
                    cells.iter().map(|(row, col)| format!("{row},{col}")).collect();
                write!(f, "the cells {} do not form a {what}", cells.join(" "))
            }
            PieceError::Name(text) => write!(
                f,
                "“{text}” is neither a pentomino (a letter of {}, perhaps with 1 to 3 turns, as in \
                 L2) nor a rectangle with sides 1 to 5 (as in 3x4)",
                LETTERS.iter().collect::<String>()
            ),
        }
    }
}

impl std::error::Error for PieceError {}

/// The JSON form is the text.
impl Serialize for Piece {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Piece {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Piece, D::Error> {
        let text = String::deserialize(from)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// `3x4` for a factory, `L` or `L2` (turned twice) for a residence.
impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (letter, first, _) = TABLE.kin[self.index()];
        if letter == ' ' {
            let shape = self.shape();
            return write!(f, "{}x{}", shape.height, shape.width);
        }
        match self.0 - first {
            0 => write!(f, "{letter}"),
            turns => write!(f, "{letter}{turns}"),
        }
    }
}

impl FromStr for Piece {
    type Err = PieceError;

    fn from_str(text: &str) -> Result<Piece, PieceError> {
        let refuse = || PieceError::Name(text.to_owned());
        if let Some((height, width)) = text.split_once('x').filter(|sides| !sides.1.is_empty()) {
            let side = |text: &str| text.parse::<u8>().ok();
            let piece = side(height).zip(side(width)).and_then(|(h, w)| Piece::factory(h, w));
            return piece.ok_or_else(refuse);
        }
        let mut signs = text.chars();
        let letter = signs.next().ok_or_else(refuse)?;
        let turns = match signs.as_str() {
            "" => 0,
            "1" => 1,
            "2" => 2,
            "3" => 3,
            _ => return Err(refuse()),
        };
        Piece::residence(letter, turns).ok_or_else(refuse)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_63_fixed_pentominoes_and_25_rectangles_all_different() {
        assert_eq!(TABLE.shapes.len(), Piece::COUNT);
        assert_eq!(Piece::all().filter(|piece| !piece.is_factory()).count(), Piece::RESIDENCES);
        for piece in Piece::all() {
            let twins = Piece::all().filter(|other| {
                other.is_factory() == piece.is_factory()
                    && other.shape().cells == piece.shape().cells
            });
            assert_eq!(twins.count(), 1, "{piece}");
        }
    }

    #[test]
    fn a_form_reads_back_what_it_prints() {
        for piece in Piece::all() {
            assert_eq!(piece.to_string().parse::<Piece>(), Ok(piece));
            let cells: Vec<(i64, i64)> = piece
                .shape()
                .cells
                .iter()
                .map(|&(i, j)| (i64::from(i) + 7, i64::from(j)))
                .collect();
            assert_eq!(Piece::of_cells(piece.is_factory(), &cells), Ok(piece));
        }
    }

    #[test]
    fn only_pentominoes_and_rectangles_are_accepted() {
        for text in ["", "Q", "L4", "X1", "0x1", "6x1", "3x", "ll", "1x1x1"] {
            assert!(
                text.parse::<Piece>().unwrap_err().to_string().contains("is neither a pentomino"),
                "{text}"
            );
        }
        let error_of = |is_factory, cells: &[(i64, i64)]| {
            Piece::of_cells(is_factory, cells).unwrap_err().to_string()
        };
        assert!(
            error_of(false, &[(0, 0), (0, 1), (0, 2), (0, 3)]).contains("do not form a pentomino")
        );
        assert!(
            error_of(false, &[(0, 0), (1, 1), (0, 2), (0, 3), (0, 4)]).contains("form a pentomino")
        );
        assert!(error_of(true, &[(0, 0), (0, 1), (1, 0)]).contains("do not form a rectangle"));
        assert!(error_of(true, &[]).contains("do not form a rectangle"));
        assert!(
            error_of(true, &[(i64::MIN, 0), (i64::MAX, 0)]).contains("do not form a rectangle")
        );
    }

    #[test]
    fn four_turns_lead_back_and_a_rotation_index_is_so_many_turns() {
        for piece in Piece::all() {
            for times in 0..4 {
                let mut cells = piece.shape().cells.clone();
                for _ in 0..times {
                    cells = turn(&cells);
                }
                assert_eq!(piece.rotated(times).shape().cells, cells, "{piece} × {times}");
            }
            let mut positions: Vec<Piece> = (0..4).map(|times| piece.rotated(times)).collect();
            positions.sort();
            positions.dedup();
            assert_eq!(positions.len(), usize::from(piece.rotations()));
        }
    }

    #[test]
    fn the_cells_beside_a_shape_are_its_neighbours_outside_of_it() {
        let plus = Piece::residence('X', 0).unwrap().shape();
        assert_eq!(plus.beside, [0b00100, 0b01010, 0b10001, 0b01010, 0b00100, 0, 0]);
    }
}
