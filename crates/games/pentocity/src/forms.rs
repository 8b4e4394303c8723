//! What can be asked for: the 63 fixed pentominoes (residences) and the 25 rectangles
//! with sides 1 to 5 (factories), each under a number. Where they may stand is in
//! [`crate::land`].
//!
//! Shapes are not reflected: 18 one-sided pentominoes, a mirror image under the small
//! letter. Which of two images has the capital follows the original's request sequencers.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

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

/// A shape in one position, with what is needed to lay it on a bit board.
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
    /// The cells beside it, in rows and columns that begin one above and left of the
    /// bounding box.
    pub beside: [u8; 7],
    /// For each edge of its outline, the cell on the other side of it, from the top left
    /// of the bounding box: cells beside it, some of them several times.
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

/// Turns cells by (i, j) → (j, max i − i).
fn turned(cells: &[Offset]) -> Vec<Offset> {
    let last = cells.iter().map(|cell| cell.0).max().unwrap_or(0);
    let mut turned: Vec<Offset> = cells.iter().map(|&(row, col)| (col, last - row)).collect();
    turned.sort_unstable();
    turned
}

struct Table {
    shapes: Vec<Shape>,
    /// For each form: the letter (` ` for factories), the first form of its turns, how
    /// many turns there are.
    kin: Vec<(char, u8, u8)>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table { shapes: Vec::new(), kin: Vec::new() };
    for (letter, cells) in ONE_SIDED {
        let first = table.shapes.len() as u8;
        let mut positions = vec![cells.to_vec()];
        positions[0].sort_unstable();
        for _ in 1..4 {
            positions.push(turned(&positions[positions.len() - 1]));
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

/// A building as it is asked for: which shape, in which position. A number below
/// [`Form::COUNT`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Form(u8);

impl Form {
    /// How many there are.
    pub const COUNT: usize = 88;
    /// How many of them are residences: those with the first numbers.
    pub const RESIDENCES: usize = 63;

    /// All of them.
    pub fn all() -> impl Iterator<Item = Form> {
        (0..Form::COUNT as u8).map(Form)
    }

    /// The pentomino of a letter, turned.
    pub fn residence(letter: char, turns: u8) -> Option<Form> {
        let first = TABLE.kin.iter().position(|kin| kin.0 == letter && letter != ' ')?;
        let (_, first, count) = TABLE.kin[first];
        (turns < count).then(|| Form(first + turns))
    }

    /// The rectangle of these sides.
    pub fn factory(height: u8, width: u8) -> Option<Form> {
        let fits = |side| (1..=LONGEST).contains(&side);
        let index = || Form::RESIDENCES as u8 + (height - 1) * LONGEST + width - 1;
        (fits(height) && fits(width)).then(|| Form(index()))
    }

    /// The residence or factory with these cells, wherever they lie.
    ///
    /// # Errors
    /// If they are no pentomino, or no rectangle of sides 1 to 5.
    pub fn of_cells(is_factory: bool, cells: &[(i64, i64)]) -> Result<Form, String> {
        let what = if is_factory { "rectangle with sides 1 to 5" } else { "pentomino" };
        let refuse = || {
            let cells: Vec<String> =
                cells.iter().take(30).map(|(row, col)| format!("{row},{col}")).collect();
            format!("the cells {} are no {what}", cells.join(" "))
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
        let forms = Form::all().filter(|form| form.is_factory() == is_factory);
        let mut known = forms.filter(|form| form.shape().cells == at);
        known.next().ok_or_else(refuse)
    }

    /// Its number.
    #[inline(always)]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// Whether it is a factory; otherwise a residence.
    #[inline(always)]
    pub fn is_factory(self) -> bool {
        usize::from(self.0) >= Form::RESIDENCES
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

    /// How many positions it can be turned to: 1, 2 or 4.
    #[inline(always)]
    pub fn rotations(self) -> u8 {
        TABLE.kin[self.index()].2
    }

    /// It, turned so many times.
    #[inline(always)]
    pub fn rotated(self, times: u8) -> Form {
        let (letter, first, count) = TABLE.kin[self.index()];
        if letter == ' ' {
            let index = self.0 - Form::RESIDENCES as u8;
            let (row, col) = (index / LONGEST, index % LONGEST);
            let (row, col) = if times.is_multiple_of(2) { (row, col) } else { (col, row) };
            Form(Form::RESIDENCES as u8 + row * LONGEST + col)
        } else {
            Form(first + (self.0 - first + times) % count)
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

/// `3x4` for a factory, `L` or `L2` (turned twice) for a residence.
impl fmt::Display for Form {
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

impl FromStr for Form {
    type Err = String;

    fn from_str(text: &str) -> Result<Form, String> {
        let refuse = || {
            format!(
                "“{text}” is no pentomino (a letter of {}, perhaps with 1 to 3 turns, as in L2) \
                 and no rectangle with sides 1 to 5 (as in 3x4)",
                LETTERS.iter().collect::<String>()
            )
        };
        if let Some((height, width)) = text.split_once('x').filter(|sides| !sides.1.is_empty()) {
            let side = |text: &str| text.parse::<u8>().ok();
            let form = side(height).zip(side(width)).and_then(|(h, w)| Form::factory(h, w));
            return form.ok_or_else(refuse);
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
        Form::residence(letter, turns).ok_or_else(refuse)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_63_fixed_pentominoes_and_25_rectangles_all_different() {
        assert_eq!(TABLE.shapes.len(), Form::COUNT);
        assert_eq!(Form::all().filter(|form| !form.is_factory()).count(), Form::RESIDENCES);
        for form in Form::all() {
            let twins = Form::all().filter(|other| {
                other.is_factory() == form.is_factory() && other.shape().cells == form.shape().cells
            });
            assert_eq!(twins.count(), 1, "{form}");
        }
    }

    #[test]
    fn a_form_reads_back_what_it_prints() {
        for form in Form::all() {
            assert_eq!(form.to_string().parse::<Form>(), Ok(form));
            let cells: Vec<(i64, i64)> =
                form.shape().cells.iter().map(|&(i, j)| (i64::from(i) + 7, i64::from(j))).collect();
            assert_eq!(Form::of_cells(form.is_factory(), &cells), Ok(form));
        }
    }

    #[test]
    fn what_is_no_pentomino_and_no_rectangle_is_refused() {
        for text in ["", "Q", "L4", "X1", "0x1", "6x1", "3x", "ll", "1x1x1"] {
            assert!(text.parse::<Form>().unwrap_err().contains("is no pentomino"), "{text}");
        }
        let said =
            |is_factory, cells: &[(i64, i64)]| Form::of_cells(is_factory, cells).unwrap_err();
        assert!(said(false, &[(0, 0), (0, 1), (0, 2), (0, 3)]).contains("are no pentomino"));
        assert!(said(false, &[(0, 0), (1, 1), (0, 2), (0, 3), (0, 4)]).contains("no pentomino"));
        assert!(said(true, &[(0, 0), (0, 1), (1, 0)]).contains("are no rectangle"));
        assert!(said(true, &[]).contains("are no rectangle"));
        assert!(said(true, &[(i64::MIN, 0), (i64::MAX, 0)]).contains("are no rectangle"));
    }

    #[test]
    fn four_turns_lead_back_and_a_rotation_index_is_so_many_turns() {
        for form in Form::all() {
            for times in 0..4 {
                let mut cells = form.shape().cells.clone();
                for _ in 0..times {
                    cells = turned(&cells);
                }
                assert_eq!(form.rotated(times).shape().cells, cells, "{form} × {times}");
            }
            let mut positions: Vec<Form> = (0..4).map(|times| form.rotated(times)).collect();
            positions.sort();
            positions.dedup();
            assert_eq!(positions.len(), usize::from(form.rotations()));
        }
    }

    #[test]
    fn the_cells_beside_a_shape_are_its_neighbours_outside_of_it() {
        let plus = Form::residence('X', 0).unwrap().shape();
        assert_eq!(plus.beside, [0b00100, 0b01010, 0b10001, 0b01010, 0b00100, 0, 0]);
    }
}
