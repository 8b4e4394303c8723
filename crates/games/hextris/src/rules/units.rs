//! Units, the positions that they can have, and how commands move them. A position is a
//! pivot and a rotation; a unit that looks the same after a part of a full turn has fewer
//! rotations, so that equal positions (equal cells and pivot) are equal values.
//!
//! Odd rows of the honeycomb are shifted by half a cell, so the cells of a unit lie differently on
//! even and odd rows: shapes are precomputed for both.

use crate::rules::board::Board;
use crate::rules::commands::Command;
use crate::rules::errors::ProblemError;

/// A cell of the honeycomb: column from the left, row from the top; odd rows are shifted
/// half a cell to the right.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cell {
    /// Column.
    pub x: i32,
    /// Row.
    pub y: i32,
}

/// A step on the honeycomb in coordinates that do not depend on the row: `q` to the east,
/// `r` to the south-east.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Step {
    q: i32,
    r: i32,
}

impl Step {
    fn between(from: Cell, to: Cell) -> Step {
        let q = |cell: Cell| cell.x - (cell.y >> 1);
        Step { q: q(to) - q(from), r: to.y - from.y }
    }

    fn clockwise(self) -> Step {
        Step { q: -self.r, r: self.q + self.r }
    }

    fn from(self, cell: Cell) -> Cell {
        let y = cell.y + self.r;
        Cell { x: cell.x - (cell.y >> 1) + self.q + (y >> 1), y }
    }
}

/// Where a unit is: its pivot, which may be off the board, and its number of clockwise turns by
/// 60°, which is less than the unit's [`Unit::period`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Position {
    /// The pivot's column.
    pub x: i16,
    /// The pivot's row.
    pub y: i16,
    /// Turns clockwise by 60°.
    pub rotation: u8,
}

impl Position {
    /// Returns where a command would bring a unit with this period.
    #[inline]
    pub fn after(self, command: Command, period: u8) -> Position {
        let Position { x, y, rotation } = self;
        let odd = y & 1;
        match command {
            Command::West => Position { x: x - 1, ..self },
            Command::East => Position { x: x + 1, ..self },
            Command::SouthWest => Position { x: x - 1 + odd, y: y + 1, rotation },
            Command::SouthEast => Position { x: x + odd, y: y + 1, rotation },
            Command::Clockwise => {
                Position { rotation: if rotation + 1 == period { 0 } else { rotation + 1 }, ..self }
            }
            Command::CounterClockwise => {
                Position { rotation: if rotation == 0 { period - 1 } else { rotation - 1 }, ..self }
            }
        }
    }
}

/// The cells of a unit in one rotation, with its pivot on an even or an odd row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Columns from the pivot to the leftmost cell.
    pub left: i32,
    /// Rows from the pivot to the topmost cell.
    pub top: i32,
    /// Columns from the leftmost to the rightmost cell.
    pub span: i32,
    /// Rows from the topmost to the lowest cell.
    pub height: i32,
    /// The cells, row by row from the topmost; bit 0 is the leftmost column. Empty if the span is
    /// wider than any board.
    pub rows: Vec<u128>,
}

impl Shape {
    fn new(steps: &[Step], pivot: Cell) -> Shape {
        let cells: Vec<Cell> = steps.iter().map(|step| step.from(pivot)).collect();
        let least = |of: fn(&Cell) -> i32| cells.iter().map(of).min().unwrap_or(0);
        let most = |of: fn(&Cell) -> i32| cells.iter().map(of).max().unwrap_or(0);
        let (left, top) = (least(|cell| cell.x), least(|cell| cell.y));
        let span = most(|cell| cell.x) - left + 1;
        let height = most(|cell| cell.y) - top + 1;
        let mut rows = Vec::new();
        if span as usize <= Board::MAX_WIDTH && height as usize <= Board::MAX_HEIGHT {
            rows.resize(height as usize, 0);
            for cell in &cells {
                rows[(cell.y - top) as usize] |= 1 << (cell.x - left);
            }
        }
        Shape { left: left - pivot.x, top: top - pivot.y, span, height, rows }
    }
}

/// A unit: its shapes in all distinct rotations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unit {
    members: Vec<Cell>,
    pivot: Cell,
    period: u8,
    /// By rotation; on even and on odd rows.
    shapes: Vec<[Shape; 2]>,
    /// Likewise, a number shared by equal rows of cells.
    forms: Vec<[u8; 2]>,
    spawn: Position,
}

impl Unit {
    /// The greatest distance of cells and pivots from 0, so that positions fit in 16 bits.
    pub const MAX_COORDINATE: i32 = 2_000;

    /// Creates a unit as problems give it, for boards of this width.
    ///
    /// # Errors
    /// If there are no members, or one is listed twice or is unreasonably far away.
    pub fn new(mut members: Vec<Cell>, pivot: Cell, width: usize) -> Result<Unit, ProblemError> {
        if members.is_empty() {
            return Err(ProblemError("members: a unit needs at least one member".to_owned()));
        }
        let far = |cell: &Cell| {
            let limit = Unit::MAX_COORDINATE;
            cell.x.abs() > limit || cell.y.abs() > limit
        };
        if let Some(cell) = members.iter().chain([&pivot]).find(|cell| far(cell)) {
            let limit = Unit::MAX_COORDINATE;
            return Err(ProblemError(format!(
                "({}, {}) is too far away; expected −{limit} to {limit}",
                cell.x, cell.y
            )));
        }
        members.sort_unstable();
        if let Some(twice) = members.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(ProblemError(format!(
                "members: ({}, {}) is listed twice",
                twice[0].x, twice[0].y
            )));
        }
        let mut steps: Vec<Step> = members.iter().map(|cell| Step::between(pivot, *cell)).collect();
        steps.sort_unstable();
        let unturned = steps.clone();
        let mut shapes = Vec::new();
        loop {
            shapes.push([0, 1].map(|y| Shape::new(&steps, Cell { x: 0, y })));
            steps.iter_mut().for_each(|step| *step = step.clockwise());
            steps.sort_unstable();
            if steps == unturned {
                break;
            }
        }
        let mut distinct: Vec<&[u128]> = Vec::new();
        let mut form = |shape| {
            let rows: &[u128] = shape;
            let known = distinct.iter().position(|other| *other == rows);
            known.unwrap_or_else(|| {
                distinct.push(rows);
                distinct.len() - 1
            }) as u8
        };
        let forms = shapes.iter().map(|[even, odd]| [form(&even.rows), form(&odd.rows)]).collect();
        // The topmost cell goes to row 0; then the cells are centred, leaning left.
        let top = shapes[0][0].top;
        let y = -top;
        let shape = &shapes[0][(y & 1) as usize];
        let x = (width as i32 - shape.span).div_euclid(2) - shape.left;
        let spawn = Position { x: x as i16, y: y as i16, rotation: 0 };
        Ok(Unit { members, pivot, period: shapes.len() as u8, shapes, forms, spawn })
    }

    /// The members as the problem gives them, in order of columns.
    pub fn members(&self) -> &[Cell] {
        &self.members
    }

    /// The pivot as the problem gives it.
    pub fn pivot(&self) -> Cell {
        self.pivot
    }

    /// The number of cells.
    #[inline]
    pub fn size(&self) -> usize {
        self.members.len()
    }

    /// The number of turns by 60° after which it looks the same again: 1, 2, 3 or 6.
    #[inline]
    pub fn period(&self) -> u8 {
        self.period
    }

    /// Returns the position at which it enters the game, if there is room.
    #[inline]
    pub fn spawn(&self) -> Position {
        self.spawn
    }

    /// Its cells at a position.
    #[inline]
    pub fn shape(&self, position: Position) -> &Shape {
        &self.shapes[usize::from(position.rotation)][(position.y & 1) as usize]
    }

    /// Its cells in a rotation, with the pivot on even and on odd rows.
    #[inline]
    pub fn shapes(&self, rotation: u8) -> &[Shape; 2] {
        &self.shapes[usize::from(rotation)]
    }

    /// Whether it can be at a position: all its cells are on the board and free.
    #[inline]
    pub fn fits(&self, board: &Board, position: Position) -> bool {
        let shape = self.shape(position);
        let left = i32::from(position.x) + shape.left;
        let top = i32::from(position.y) + shape.top;
        if left < 0
            || top < 0
            || left + shape.span > board.width() as i32
            || top + shape.height > board.height() as i32
        {
            return false;
        }
        let rows = &board.rows()[top as usize..];
        shape.rows.iter().zip(rows).all(|(cells, full)| (cells << left) & full == 0)
    }

    /// Locks it on a board at a position where it [fits](Unit::fits): fills its cells and removes
    /// full rows. Returns the number of these rows.
    #[inline]
    pub fn lock(&self, board: &mut Board, position: Position) -> u32 {
        let shape = self.shape(position);
        let left = i32::from(position.x) + shape.left;
        let top = (i32::from(position.y) + shape.top) as usize;
        board.place(&shape.rows, left, top)
    }

    /// The column of the leftmost cell, the row of the topmost, and the form of the cells. They are
    /// equal for positions with equal cells, wherever the pivot is.
    #[inline]
    pub fn footprint(&self, position: Position) -> (i16, i16, u8) {
        let shape = self.shape(position);
        let form = self.forms[usize::from(position.rotation)][(position.y & 1) as usize];
        (position.x + shape.left as i16, position.y + shape.top as i16, form)
    }

    /// The column of the leftmost cell of a position on the board.
    #[inline]
    pub fn left(&self, position: Position) -> i32 {
        i32::from(position.x) + self.shape(position).left
    }

    /// Its cells at a position, row by row from the topmost.
    pub fn cells(&self, position: Position) -> impl Iterator<Item = Cell> + '_ {
        let shape = self.shape(position);
        let left = i32::from(position.x) + shape.left;
        let top = i32::from(position.y) + shape.top;
        shape.rows.iter().zip(top..).flat_map(move |(cells, y)| {
            let mut cells = *cells;
            std::iter::from_fn(move || {
                let column = cells.trailing_zeros() as i32;
                let is_any = cells != 0;
                cells &= cells.wrapping_sub(1);
                is_any.then_some(Cell { x: left + column, y })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(members: &[(i32, i32)], pivot: (i32, i32), width: usize) -> Unit {
        let cell = |(x, y)| Cell { x, y };
        Unit::new(members.iter().copied().map(cell).collect(), cell(pivot), width).unwrap()
    }

    #[test]
    fn a_unit_has_as_many_rotations_as_look_different() {
        assert_eq!(unit(&[(0, 0)], (0, 0), 10).period(), 1);
        assert_eq!(unit(&[(0, 0)], (1, 0), 10).period(), 6);
        assert_eq!(unit(&[(0, 0), (2, 0)], (1, 0), 10).period(), 3);
        // A ring of six around its pivot, and every other cell of it.
        let ring = [(1, 0), (2, 0), (0, 1), (2, 1), (1, 2), (2, 2)];
        assert_eq!(unit(&ring, (1, 1), 10).period(), 1);
        assert_eq!(unit(&[(1, 0), (2, 1), (1, 2)], (1, 1), 10).period(), 2);
    }

    #[test]
    fn a_unit_spawns_centred_and_leans_left() {
        let left = |unit: Unit| unit.left(unit.spawn());
        assert_eq!(left(unit(&[(0, 0)], (0, 0), 5)), 2);
        assert_eq!(left(unit(&[(0, 0)], (0, 0), 4)), 1);
        assert_eq!(left(unit(&[(0, 0), (1, 0)], (0, 0), 5)), 1);
        assert_eq!(left(unit(&[(7, 0), (8, 0)], (0, 0), 6)), 2);
        assert_eq!(left(unit(&[(0, 0), (1, 0), (2, 0), (3, 0)], (0, 0), 3)), -1);
    }

    #[test]
    fn a_unit_that_begins_lower_spawns_in_the_first_row_with_its_form_kept() {
        // On an odd row, the cell below in the same column is the lower left neighbour; on row 0
        // that neighbour is one column to the left.
        let low = unit(&[(3, 3), (3, 4)], (3, 3), 6);
        let cells: Vec<Cell> = low.cells(low.spawn()).collect();
        assert_eq!(cells, [Cell { x: 3, y: 0 }, Cell { x: 2, y: 1 }]);
    }

    #[test]
    fn turning_six_times_comes_back_and_any_turn_keeps_the_distance_to_the_pivot() {
        let unit = unit(&[(2, 0), (3, 1)], (0, 0), 20);
        let start = Position { x: 8, y: 8, rotation: 0 };
        let mut position = start;
        for _ in 0..6 {
            position = position.after(Command::Clockwise, unit.period());
            assert_eq!(
                position.after(Command::CounterClockwise, 6).after(Command::Clockwise, 6),
                position
            );
            assert_eq!(unit.cells(position).count(), 2);
        }
        assert_eq!(position, start);
    }
}
