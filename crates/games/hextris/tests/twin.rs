//! The rules compared with a slow twin that keeps cells in sets and every position a unit has had:
//! on random problems, whatever is spoken, the two must agree.

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;
use quintain_hextris::{
    Board, Cell, Command, Instance, LetterEffect, LetterError, Phrases, Problem, Unit, command_of,
};

/// A point of the plane: q to the east, r to the south-east.
type Point = (i32, i32);

fn point(Cell { x, y }: Cell) -> Point {
    (x - y.div_euclid(2), y)
}

fn column((q, r): Point) -> i32 {
    q + r.div_euclid(2)
}

/// Cells and pivot.
type Placement = (BTreeSet<Point>, Point);

/// The same game in the plain form.
struct Plain<'a> {
    instance: &'a Instance,
    full: BTreeSet<Point>,
    came: usize,
    now: Option<Placement>,
    had: Vec<Placement>,
    before: u64,
    moves: u64,
}

impl<'a> Plain<'a> {
    fn new(instance: &'a Instance) -> Self {
        let board = instance.problem().board();
        let cells = (0..board.height() as i32)
            .flat_map(|y| (0..board.width() as i32).map(move |x| Cell { x, y }));
        let full = cells.filter(|cell| board.is_full(cell.x, cell.y)).map(point).collect();
        let mut plain =
            Plain { instance, full, came: 0, now: None, had: Vec::new(), before: 0, moves: 0 };
        plain.spawn();
        plain
    }

    fn size(&self) -> (i32, i32) {
        let board = self.instance.problem().board();
        (board.width() as i32, board.height() as i32)
    }

    fn has_room(&self, place: &Placement) -> bool {
        let (width, height) = self.size();
        place.0.iter().all(|cell| {
            (0..width).contains(&column(*cell))
                && (0..height).contains(&cell.1)
                && !self.full.contains(cell)
        })
    }

    fn spawn(&mut self) {
        self.now = None;
        self.had.clear();
        if self.came == self.instance.problem().length() {
            return;
        }
        let unit = self.instance.nth(self.came);
        let cells: BTreeSet<Point> = unit.members().iter().map(|cell| point(*cell)).collect();
        let top = cells.iter().map(|cell| cell.1).min().unwrap();
        let up = |cell: &Point| (cell.0, cell.1 - top);
        let risen: BTreeSet<Point> = cells.iter().map(up).collect();
        let pivot = up(&point(unit.pivot()));
        // Among all shifts, the one with equal room on both sides, or one less on the left.
        let (width, _) = self.size();
        let left = risen.iter().map(|cell| column(*cell)).min().unwrap();
        let right = risen.iter().map(|cell| column(*cell)).max().unwrap();
        let room = |shift: i32| (left + shift, width - 1 - right - shift);
        let shift = (-200..200).find(|by| (0..=1).contains(&(room(*by).1 - room(*by).0))).unwrap();
        let aside = |cell: &Point| (cell.0 + shift, cell.1);
        let place = (risen.iter().map(aside).collect(), aside(&pivot));
        if self.has_room(&place) {
            self.came += 1;
            self.had.push(place.clone());
            self.now = Some(place);
        }
    }

    fn speak(&mut self, letter: u8) -> Result<LetterEffect, LetterError> {
        let Some(command) = command_of(letter) else { return Err(LetterError::Unknown) };
        let Some((cells, pivot)) = &self.now else { return Err(LetterError::Over) };
        let turned = |cell: &Point| {
            let (dq, dr) = (cell.0 - pivot.0, cell.1 - pivot.1);
            (pivot.0 - dr, pivot.1 + dq + dr)
        };
        let move_cell = |cell: &Point| match command {
            Command::West => (cell.0 - 1, cell.1),
            Command::East => (cell.0 + 1, cell.1),
            Command::SouthWest => (cell.0 - 1, cell.1 + 1),
            Command::SouthEast => (cell.0, cell.1 + 1),
            Command::Clockwise => turned(cell),
            // Five turns one way are one turn the other way.
            Command::CounterClockwise => (0..5).fold(*cell, |cell, _| turned(&cell)),
        };
        let next = (cells.iter().map(move_cell).collect(), move_cell(pivot));
        if self.has_room(&next) {
            if self.had.contains(&next) {
                return Err(LetterError::Repeated);
            }
            self.had.push(next.clone());
            self.now = Some(next);
            return Ok(LetterEffect::Moved);
        }
        let size = cells.len() as u64;
        self.full.extend(cells.iter().copied());
        let mut lines = 0;
        let (width, height) = self.size();
        let mut row = height - 1;
        while row >= 0 {
            if self.full.iter().filter(|cell| cell.1 == row).count() as i32 == width {
                lines += 1;
                let kept = self.full.iter().filter(|cell| cell.1 != row).map(|cell| {
                    let (x, y) = (column(*cell), cell.1);
                    point(Cell { x, y: if y < row { y + 1 } else { y } })
                });
                self.full = kept.collect();
            } else {
                row -= 1;
            }
        }
        let points = size + 100 * (1 + lines) * lines / 2;
        let bonus = if self.before > 1 { (self.before - 1) * points / 10 } else { 0 };
        self.moves += points + bonus;
        self.before = lines;
        self.spawn();
        Ok(LetterEffect::Locked { lines: lines as u32 })
    }
}

fn unit(width: usize) -> impl Strategy<Value = Unit> {
    let cell = || (-2i32..3, -2i32..3).prop_map(|(x, y)| Cell { x, y });
    (prop::collection::btree_set(cell(), 1..5), cell()).prop_map(move |(members, pivot)| {
        Unit::new(members.into_iter().collect(), pivot, width).expect("small units are sound")
    })
}

proptest! {
    #[test]
    fn rows_of_bits_play_as_sets_of_cells_do(
        units in (2usize..8).prop_flat_map(|width| {
            (Just(width), prop::collection::vec(unit(width), 1..4))
        }),
        height in 2usize..9,
        full in prop::collection::vec(any::<u8>(), 9),
        seed in any::<u32>(),
        text in "[pbaldk]{0,300}",
    ) {
        let (width, units) = units;
        let mut board = Board::new(width, height).unwrap();
        for (y, bits) in full.iter().take(height).enumerate().skip(3) {
            let row = u128::from(*bits) & board.full_row();
            // A row that is full from the start is never removed before a lock there.
            board.rows_mut()[y] = if row == board.full_row() { 0 } else { row };
        }
        let problem = Problem::new(0, board, units, 20, vec![seed]).unwrap();
        let instance = Instance::new(Arc::new(problem), seed, Arc::new(Phrases::contest()));
        let mut state = instance.start();
        let mut plain = Plain::new(&instance);
        for letter in text.bytes() {
            prop_assert_eq!(instance.speak(&mut state, letter), plain.speak(letter));
            prop_assert_eq!(state.came as usize, plain.came);
            prop_assert_eq!(state.moves, plain.moves);
            prop_assert_eq!(state.walk.is_some(), plain.now.is_some());
            let rows = state.board.rows().iter().enumerate();
            let cells: BTreeSet<Point> = rows
                .flat_map(|(y, row)| {
                    let full = (0..width).filter(move |x| row >> x & 1 == 1);
                    full.map(move |x| point(Cell { x: x as i32, y: y as i32 }))
                })
                .collect();
            prop_assert_eq!(&cells, &plain.full);
        }
    }
}
