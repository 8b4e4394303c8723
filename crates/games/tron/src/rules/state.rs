//! A position of light cycles: the board, the heads and which seats have fallen. The moves and
//! their effects are in [`crate::rules`].

use std::fmt;
use std::hash::{Hash, Hasher};

use quintain_core::Seat;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::rules::direction::Direction;

/// The most seats a board can have (codingame's limit).
pub const MAX_SEATS: usize = 4;
/// The greatest width and height, border included.
pub const MAX_SIDE: usize = 128;

/// The byte of a free cell in [`State::cells`].
pub(crate) const FREE: u8 = 0;
/// The byte of a wall of the board.
pub(crate) const WALL: u8 = 1;
/// The byte of the trail of seat 0; those of the other seats follow.
pub(crate) const TRAIL: u8 = 2;
/// The value in [`State::hits`] for a free cell that another seat entered too.
pub(crate) const MET: u8 = u8::MAX;

/// What a cell holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cell {
    /// Nothing.
    Free,
    /// A wall of the board.
    Wall,
    /// The trail (or head) of a seat.
    Trail(Seat),
}

impl Cell {
    /// Decodes the byte of a cell.
    fn of(number: u8) -> Cell {
        match number {
            FREE => Cell::Free,
            WALL => Cell::Wall,
            trail => Cell::Trail(Seat::new(usize::from(trail - TRAIL))),
        }
    }
}

/// A position: the board, the heads, and when each fallen seat fell.
///
/// Cells are numbered row by row; the outermost ring of cells is wall.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct State {
    pub(crate) width: u16,
    pub(crate) cells: Vec<u8>,
    pub(crate) seats: u8,
    pub(crate) heads: [u16; MAX_SEATS],
    /// The turn (from 1) on which each seat fell; 0 while it lives.
    pub(crate) fallen: [u16; MAX_SEATS],
    /// The number of seats still alive.
    pub(crate) living: u8,
    /// Turns played, those of a random opening included.
    pub(crate) turn: u16,
    /// The seat to move, when moves are sequential.
    pub(crate) to_move: u8,
    pub(crate) last: LastEvent,
    /// Where each head goes, as one more than the number of its direction, where the rules give
    /// heads a direction from the start; otherwise 0.
    pub(crate) headings: [u8; MAX_SEATS],
    /// What each seat crashed into: what the cell held, or [`MET`].
    pub(crate) hits: ForSpectators<[u8; MAX_SEATS]>,
    /// How many of the turns played were played at random before the match.
    pub(crate) opening: ForSpectators<u16>,
}

/// Shown to spectators only and not part of the position: positions that differ only in it are
/// equal, and a position read from text has the default (nothing was hit, there was no opening).
#[derive(Clone, Copy, Default)]
pub(crate) struct ForSpectators<T>(pub(crate) T);

impl<T> PartialEq for ForSpectators<T> {
    fn eq(&self, _: &ForSpectators<T>) -> bool {
        true
    }
}

impl<T> Eq for ForSpectators<T> {}

impl<T> Hash for ForSpectators<T> {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// What happened on the last turn, to tell how the game ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum LastEvent {
    /// Nobody crashed.
    #[default]
    Moves,
    /// Someone crashed.
    Crash,
    /// Two entered the same cell.
    HeadOn,
}

impl State {
    /// Returns a board without players. `is_wall` says which cells (row, column) are walls; the
    /// outermost ring must be among them.
    pub(crate) fn empty(
        width: usize,
        height: usize,
        is_wall: impl Fn(usize, usize) -> bool,
    ) -> Self {
        let wall = |cell| {
            let (row, column) = (cell / width, cell % width);
            let ring = row == 0 || column == 0 || row == height - 1 || column == width - 1;
            debug_assert!(!ring || is_wall(row, column), "the outermost ring is wall");
            if ring || is_wall(row, column) { WALL } else { FREE }
        };
        State {
            width: width as u16,
            cells: (0..width * height).map(wall).collect(),
            seats: 0,
            heads: [0; MAX_SEATS],
            fallen: [0; MAX_SEATS],
            living: 0,
            turn: 0,
            to_move: 0,
            last: LastEvent::Moves,
            headings: [0; MAX_SEATS],
            hits: ForSpectators::default(),
            opening: ForSpectators::default(),
        }
    }

    /// Places the head of the next seat on a free cell.
    pub(crate) fn place(&mut self, row: usize, column: usize) {
        let cell = row * self.width() + column;
        debug_assert_eq!(self.cells[cell], FREE, "a start on a taken cell");
        self.cells[cell] = TRAIL + self.seats;
        self.heads[usize::from(self.seats)] = cell as u16;
        self.seats += 1;
        self.living += 1;
    }

    /// The direction of the head of `seat`, where the rules give heads one.
    #[inline]
    pub(crate) fn heading(&self, seat: Seat) -> Option<Direction> {
        let number = self.headings[seat.index()].checked_sub(1)?;
        Some(Direction::ALL[usize::from(number)])
    }

    /// Gives the head of `seat` a direction.
    pub(crate) fn set_heading(&mut self, seat: Seat, direction: Direction) {
        self.headings[seat.index()] = direction as u8 + 1;
    }

    /// The number of columns, border included.
    #[inline]
    pub fn width(&self) -> usize {
        usize::from(self.width)
    }

    /// The number of rows, border included.
    pub fn height(&self) -> usize {
        self.cells.len() / self.width()
    }

    /// The number of seats at the start.
    pub fn seats(&self) -> usize {
        usize::from(self.seats)
    }

    /// The number of turns played, those of a random opening included.
    pub fn turn(&self) -> u32 {
        self.turn.into()
    }

    /// The cells by number: 0 is free, 1 is a wall, 2 and above are the trail or head of seat 0 and
    /// above.
    #[inline]
    pub fn cells(&self) -> &[u8] {
        &self.cells
    }

    /// Returns the turn of the match (from 1) on which a fallen seat fell; a random opening is
    /// played before the match.
    pub(crate) fn fell_on(&self, seat: Seat) -> u16 {
        self.fallen[seat.index()] - self.opening.0
    }

    /// The number of turns played at random before the match.
    pub(crate) fn opening_turns(&self) -> u32 {
        self.opening.0.into()
    }

    /// Returns what the cell with this number holds.
    pub fn cell(&self, cell: usize) -> Cell {
        Cell::of(self.cells[cell])
    }

    /// What a fallen seat crashed into; free if that is unknown or if two seats entered the cell.
    pub(crate) fn hit(&self, seat: Seat) -> Cell {
        match self.hits.0[seat.index()] {
            MET => Cell::Free,
            hit => Cell::of(hit),
        }
    }

    /// Whether a seat fell because another entered the same free cell.
    pub(crate) fn has_met(&self, seat: Seat) -> bool {
        self.hits.0[seat.index()] == MET
    }

    /// Whether the cell of this number can be entered.
    #[inline]
    pub fn is_free(&self, cell: usize) -> bool {
        self.cells[cell] == FREE
    }

    /// The number of the cell where the head of `seat` is (or was when it fell).
    #[inline]
    pub fn head(&self, seat: Seat) -> usize {
        usize::from(self.heads[seat.index()])
    }

    /// Whether `seat` is still in the game.
    #[inline]
    pub fn is_alive(&self, seat: Seat) -> bool {
        self.fallen[seat.index()] == 0
    }

    /// The seats still in the game.
    pub fn alive(&self) -> impl Iterator<Item = Seat> + '_ {
        Seat::all(self.seats()).filter(|seat| self.is_alive(*seat))
    }

    /// The number of the cell next to `cell`. Cells on the outermost ring have no
    /// neighbour beyond it; heads are never there.
    #[inline]
    pub fn neighbour(&self, cell: usize, direction: Direction) -> usize {
        match direction {
            Direction::Up => cell - self.width(),
            Direction::Right => cell + 1,
            Direction::Down => cell + self.width(),
            Direction::Left => cell - 1,
        }
    }

    /// The directions in which the head of `seat` meets a free cell.
    pub fn free_directions(&self, seat: Seat) -> impl Iterator<Item = Direction> + '_ {
        let head = self.head(seat);
        Direction::ALL.into_iter().filter(move |to| self.is_free(self.neighbour(head, *to)))
    }

    /// The free neighbours of the head of `seat`, one bit per direction.
    #[inline]
    pub(crate) fn free_mask(&self, seat: Seat) -> u32 {
        let head = self.head(seat);
        let width = self.width();
        let free = |cell: usize| u32::from(self.cells[cell] == FREE);
        free(head - width) | free(head + 1) << 1 | free(head + width) << 2 | free(head - 1) << 3
    }

    /// Gives a cell to the trail of `seat`.
    pub(crate) fn take(&mut self, cell: usize, seat: Seat) {
        self.cells[cell] = TRAIL + seat.index() as u8;
    }

    /// Returns the position with these seats' heads moved, each leaving a wall behind.
    pub(crate) fn with_heads(&self, heads: [(Seat, usize); 2]) -> State {
        let mut moved = self.clone();
        for (seat, cell) in heads {
            moved.enter(seat.index(), cell);
        }
        moved
    }

    #[inline]
    /// Moves the head of a seat onto a cell and leaves its trail there.
    pub(crate) fn enter(&mut self, seat: usize, cell: usize) {
        self.cells[cell] = TRAIL + seat as u8;
        self.heads[seat] = cell as u16;
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "turn {}\n{self}", self.turn)
    }
}
