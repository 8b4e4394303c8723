//! A small board as bits. Rows lie side by side with one bit between them that is never open, so
//! that a shift by one never leads from one row into the next.

use crate::rules::direction::Direction;
use crate::rules::state::{State, WALL};
use quintain_core::Seat;

/// The most bits that a board may take: what a [key](Board::key) leaves beside two heads.
pub(crate) const BITS: usize = 114;
/// The bits of a head's cell in a key.
const HEAD: usize = 7;

/// A set of cells.
pub(crate) type Cells = u128;

/// A position: the cells that can be entered, and the two heads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Position {
    pub(crate) open: Cells,
    pub(crate) heads: [u8; 2],
}

/// What is the same in all positions of a board.
#[derive(Debug)]
pub(crate) struct Board {
    /// The distance between a cell and the one below it, in bits.
    stride: usize,
    /// The cells of one of the two colours of a chessboard.
    dark: Cells,
    /// The symmetries of the walls, the identity first.
    symmetries: Vec<Symmetry>,
    /// The number in the layout of each cell of a [`State`]; none of walls.
    places: Vec<Option<u8>>,
    /// Whether rows and columns are exchanged, which can take fewer bits.
    is_transposed: bool,
}

/// A map of the board onto itself: where each bit goes, eight at a time.
#[derive(Debug)]
struct Symmetry {
    images: [u8; Cells::BITS as usize],
    of_bytes: Vec<[Cells; 256]>,
}

impl Symmetry {
    fn new(images: [u8; Cells::BITS as usize]) -> Symmetry {
        let bytes = BITS.div_ceil(8);
        let image = |byte: usize, bits: usize| {
            let set = (0..8).filter(|bit| bits >> bit & 1 == 1);
            set.map(|bit| 1 << images[8 * byte + bit]).sum()
        };
        let of_byte = |byte| std::array::from_fn(|bits| image(byte, bits));
        Symmetry { images, of_bytes: (0..bytes).map(of_byte).collect() }
    }

    #[inline]
    fn apply(&self, bits: Cells) -> Cells {
        let byte = |number: usize| (bits >> (8 * number) & 0xff) as usize;
        self.of_bytes.iter().enumerate().map(|(number, images)| images[byte(number)]).sum()
    }
}

impl Board {
    /// The board of a position; none if it is too large.
    pub(crate) fn new(state: &State) -> Option<Board> {
        let (width, height) = (state.width(), state.height());
        let is_open = |row: usize, column: usize| state.cells()[row * width + column] != WALL;
        let rows: Vec<usize> =
            (0..height).filter(|&row| (0..width).any(|column| is_open(row, column))).collect();
        let columns: Vec<usize> =
            (0..width).filter(|&column| (0..height).any(|row| is_open(row, column))).collect();
        let (&top, &bottom) = (rows.first()?, rows.last()?);
        let (&left, &right) = (columns.first()?, columns.last()?);
        let (mut down, mut across) = (bottom - top + 1, right - left + 1);
        let is_transposed = down > across;
        if is_transposed {
            (down, across) = (across, down);
        }
        let stride = across + 1;
        if stride * down > BITS {
            return None;
        }
        let place = |row: usize, column: usize| {
            let (row, column) = (row - top, column - left);
            let (row, column) = if is_transposed { (column, row) } else { (row, column) };
            (row * stride + column) as u8
        };
        let cells = (0..height).flat_map(|row| (0..width).map(move |column| (row, column)));
        let places: Vec<Option<u8>> =
            cells.map(|(row, column)| is_open(row, column).then(|| place(row, column))).collect();
        let all = places.iter().flatten().fold(0, |all, place| all | 1 << place);
        let symmetries = symmetries_of(all, down, across);
        let dark = (0..down * stride).filter(|bit| (bit / stride + bit % stride) % 2 == 1);
        let dark = dark.fold(0, |dark, bit| dark | 1 << bit);
        Some(Board { stride, dark, symmetries, places, is_transposed })
    }

    /// A number that only boards with the same cells in the same layout share.
    pub(crate) fn identity(&self) -> u128 {
        let all = self.places.iter().flatten().fold(0, |all, place| all | 1 << place);
        all | (self.stride as u128) << BITS
    }

    /// A position of this board in bits.
    ///
    /// # Panics
    /// If it is a position of another board.
    pub(crate) fn position(&self, state: &State) -> Position {
        let free = self.places.iter().enumerate().filter(|(cell, _)| state.is_free(*cell));
        let open = free.fold(0, |open, (_, place)| open | 1 << place.expect("no wall is free"));
        let head = |seat| self.places[state.head(Seat::new(seat))].expect("no head is in a wall");
        Position { open, heads: [head(0), head(1)] }
    }

    /// The cell that a head enters in a direction.
    pub(crate) fn target(&self, head: u8, direction: Direction) -> Cells {
        let (near, far) = (1, self.stride as u32);
        let (across, along) = if self.is_transposed { (near, far) } else { (far, near) };
        let cell: Cells = 1 << head;
        match direction {
            Direction::Up => cell >> across,
            Direction::Right => cell << along,
            Direction::Down => cell << across,
            Direction::Left => cell >> along,
        }
    }

    /// The cells of the colour that a head's own cell has on a chessboard.
    pub(crate) fn like(&self, head: u8) -> Cells {
        if self.dark >> head & 1 == 1 { self.dark } else { !self.dark }
    }

    /// The open cells beside these.
    #[inline]
    pub(crate) fn beside(&self, cells: Cells, open: Cells) -> Cells {
        let far = self.stride;
        (cells << 1 | cells >> 1 | cells << far | cells >> far) & open
    }

    /// The open cells that a head can reach.
    #[inline]
    pub(crate) fn reach(&self, head: u8, open: Cells) -> Cells {
        let mut reached = self.beside(1 << head, open);
        loop {
            let wider = reached | self.beside(reached, open);
            if wider == reached {
                return reached;
            }
            reached = wider;
        }
    }

    /// A number that positions share which are the same but for a symmetry or for who is who, and
    /// whether the two players change places in it.
    #[inline]
    pub(crate) fn key(&self, position: Position) -> (Cells, bool) {
        let images = self.symmetries.iter().map(|symmetry| {
            let [a, b] = position.heads.map(|head| Cells::from(symmetry.images[usize::from(head)]));
            let (first, second) = (a.min(b), a.max(b));
            let key = symmetry.apply(position.open) | first << BITS | second << (BITS + HEAD);
            (key, a > b)
        });
        images.min().expect("the identity is a symmetry")
    }
}

/// The symmetries of the set of cells `all` on a layout of rows of `across` cells.
fn symmetries_of(all: Cells, down: usize, across: usize) -> Vec<Symmetry> {
    let stride = across + 1;
    let mut found = Vec::new();
    for number in 0..8 {
        let (flips_rows, flips_columns, swaps) =
            (number & 1 == 1, number & 2 == 2, number & 4 == 4);
        if swaps && down != across {
            continue;
        }
        let mut images: [u8; Cells::BITS as usize] = std::array::from_fn(|bit| bit as u8);
        for (row, column) in (0..down).flat_map(|row| (0..across).map(move |c| (row, c))) {
            let to_row = if flips_rows { down - 1 - row } else { row };
            let to_column = if flips_columns { across - 1 - column } else { column };
            let (to_row, to_column) = if swaps { (to_column, to_row) } else { (to_row, to_column) };
            images[row * stride + column] = (to_row * stride + to_column) as u8;
        }
        let symmetry = Symmetry::new(images);
        if symmetry.apply(all) == all {
            found.push(symmetry);
        }
    }
    found
}
