//! Problems in the style of the contest, drawn from a seed. The 25 sizes, numbers of games and
//! lengths are those of the post's table; the units and what fills the board are of the contest's
//! kinds, but our own. Draws are fixed forever.

use quintain_core::{Rng, Streams, choices};

use crate::rules::board::Board;
use crate::rules::problem::Problem;
use crate::rules::units::{Cell, Unit};

/// A row of the post's table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    /// The number of games.
    pub seeds: usize,
    /// The number of units per game.
    pub length: usize,
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Roughly the kind of units that the problem of this size had.
    pub units: Units,
    /// Roughly what filled its board.
    pub filling: Filling,
}

choices! {
    /// Kinds of units.
    pub enum Units {
        /// What the contest's problem of this size had.
        Usual = "usual",
        /// One cell, turning in place.
        Single = "single",
        /// All connected units of up to three cells.
        Small = "small",
        /// Connected units of four cells.
        Four = "four",
        /// Connected units of five cells.
        Five = "five",
        /// Two to four cells that need not touch.
        Loose = "loose",
        /// Single cells that turn around a far pivot.
        Far = "far",
        /// A bar of four among many single cells.
        Bars = "bars",
        /// Rings and stars that look the same when turned, among far cells.
        Stars = "stars",
    }
}

choices! {
    /// What fills the board at the start.
    pub enum Filling {
        /// What the contest's problem of this size had.
        Usual = "usual",
        /// Nothing.
        Empty = "empty",
        /// Cells at random in the lower half.
        Noise = "noise",
        /// Rows with an opening at each end.
        Shelves = "shelves",
        /// Nearly full rows with a shaft.
        Shaft = "shaft",
        /// Nested hexagons.
        Rings = "rings",
        /// Pairs of cells in a pattern.
        Pattern = "pattern",
    }
}

const fn size(
    seeds: usize,
    length: usize,
    (width, height): (usize, usize),
    units: Units,
    filling: Filling,
) -> Size {
    Size { seeds, length, width, height, units, filling }
}

/// The sizes of the contest's problems 0 to 24 (the post's table).
pub const SIZES: [Size; 25] = [
    size(1, 100, (10, 10), Units::Loose, Filling::Empty),
    size(1, 100, (15, 15), Units::Single, Filling::Noise),
    size(10, 100, (15, 30), Units::Five, Filling::Empty),
    size(5, 100, (30, 20), Units::Loose, Filling::Noise),
    size(50, 200, (10, 15), Units::Four, Filling::Empty),
    size(10, 100, (30, 20), Units::Loose, Filling::Noise),
    size(50, 150, (10, 10), Units::Small, Filling::Empty),
    size(5, 100, (40, 20), Units::Loose, Filling::Noise),
    size(10, 400, (10, 8), Units::Bars, Filling::Empty),
    size(5, 400, (10, 8), Units::Bars, Filling::Shaft),
    size(1, 100, (10, 7), Units::Far, Filling::Shelves),
    size(5, 50, (10, 10), Units::Stars, Filling::Empty),
    size(10, 100, (15, 20), Units::Stars, Filling::Empty),
    size(1, 100, (15, 20), Units::Stars, Filling::Empty),
    size(1, 500, (50, 50), Units::Small, Filling::Rings),
    size(1, 100, (15, 20), Units::Loose, Filling::Empty),
    size(1, 100, (15, 20), Units::Small, Filling::Noise),
    size(1, 100, (15, 15), Units::Single, Filling::Shaft),
    size(1, 1000, (30, 30), Units::Far, Filling::Rings),
    size(1, 100, (15, 15), Units::Single, Filling::Shaft),
    size(1, 100, (15, 15), Units::Loose, Filling::Empty),
    size(1, 20, (10, 8), Units::Single, Filling::Pattern),
    size(1, 100, (10, 8), Units::Small, Filling::Pattern),
    size(1, 100, (10, 9), Units::Small, Filling::Shelves),
    size(1, 1620, (100, 40), Units::Far, Filling::Noise),
];

/// The last of the sizes, which count from 0.
pub(crate) const LAST_SIZE: usize = SIZES.len() - 1;

/// Draws a problem of a size.
///
/// # Panics
/// If there is no such size.
pub fn draw_problem(number: usize, units: Units, filling: Filling, seed: u64) -> Problem {
    let size = SIZES[number];
    let mut rng = Streams::new(seed).address("hextris problem", number as u64);
    let units = if units == Units::Usual { size.units } else { units };
    let filling = if filling == Filling::Usual { size.filling } else { filling };
    let mut board = Board::new(size.width, size.height).expect("sizes of the table are boards");
    fill(&mut board, filling, &mut rng);
    let drawn = draw_units(units, size.width, &mut rng);
    let mut seeds = vec![0];
    while seeds.len() < size.seeds {
        seeds.push(rng.below(1 << 15) as u32);
    }
    Problem::new(number as u32, board, drawn, size.length, seeds).expect("it has units and seeds")
}

fn fill(board: &mut Board, filling: Filling, rng: &mut Rng) {
    let (width, height) = (board.width(), board.height());
    let begin = (height / 3).max(2);
    match filling {
        Filling::Usual | Filling::Empty => {}
        Filling::Noise => {
            for y in begin..height {
                for x in 0..width {
                    if rng.chance(0.12) {
                        board.fill(x, y);
                    }
                }
            }
        }
        Filling::Shelves => {
            for y in (begin.max(3)..height).step_by(2) {
                (1..width - 1).for_each(|x| board.fill(x, y));
            }
        }
        Filling::Shaft => {
            let shaft = rng.below(width - 1);
            for y in height / 2..height {
                for x in (0..width).filter(|x| *x != shaft && *x != shaft + 1) {
                    if rng.chance(0.9) {
                        board.fill(x, y);
                    }
                }
            }
        }
        Filling::Rings => {
            let centre = Cell { x: width as i32 / 2, y: height as i32 * 5 / 8 };
            let most = height as i32 * 3 / 8 - 1;
            for y in 0..height {
                for x in 0..width {
                    let away = distance(centre, Cell { x: x as i32, y: y as i32 });
                    if away <= most && away % 6 == most % 6 && rng.chance(0.8) {
                        board.fill(x, y);
                    }
                }
            }
        }
        Filling::Pattern => {
            for y in begin..height {
                for x in (1 + y % 2 * 2..width - 1).step_by(4) {
                    board.fill(x, y);
                    board.fill(x + 1, y);
                }
            }
        }
    }
}

/// The number of steps from cell to cell.
fn distance(a: Cell, b: Cell) -> i32 {
    let q = |cell: Cell| cell.x - (cell.y >> 1);
    let (dq, dr) = (q(b) - q(a), b.y - a.y);
    (dq.abs() + dr.abs() + (dq + dr).abs()) / 2
}

fn neighbours(cell: Cell) -> [Cell; 6] {
    let Cell { x, y } = cell;
    let odd = y & 1;
    let at = |x, y| Cell { x, y };
    [
        at(x - 1, y),
        at(x + 1, y),
        at(x - 1 + odd, y - 1),
        at(x + odd, y - 1),
        at(x - 1 + odd, y + 1),
        at(x + odd, y + 1),
    ]
}

/// A connected unit of `count` cells, grown at random; its pivot is one of them.
fn grow_unit(count: usize, rng: &mut Rng) -> (Vec<Cell>, Cell) {
    let mut cells = vec![Cell { x: 4, y: 4 }];
    while cells.len() < count {
        let from = cells[rng.below(cells.len())];
        let next = neighbours(from)[rng.below(6)];
        if !cells.contains(&next) {
            cells.push(next);
        }
    }
    let pivot = cells[rng.below(cells.len())];
    raise_to_top(cells, pivot)
}

/// Moves the unit to the first rows and columns, by an even number of rows so that it keeps its
/// form.
fn raise_to_top(cells: Vec<Cell>, pivot: Cell) -> (Vec<Cell>, Cell) {
    let top = cells.iter().map(|cell| cell.y).min().unwrap_or(0) & !1;
    let left = cells.iter().map(|cell| cell.x).min().unwrap_or(0);
    let shift = |cell: Cell| Cell { x: cell.x - left, y: cell.y - top };
    (cells.into_iter().map(shift).collect(), shift(pivot))
}

/// Cells within a ring or star of symmetry 2, 3 or 6 around the pivot.
fn star(radius: i32, rng: &mut Rng) -> (Vec<Cell>, Cell) {
    let pivot = Cell { x: 8, y: 8 };
    let all = |radius: i32| {
        let near = move |cell: &Cell| distance(pivot, *cell) <= radius;
        (0..=16).flat_map(|y| (0..=16).map(move |x| Cell { x, y })).filter(near)
    };
    let period = [1, 1, 2, 3][rng.below(4)];
    let mut cells: Vec<Cell> = Vec::new();
    for cell in all(radius) {
        let orbit = orbit(pivot, cell, period);
        let first = orbit.iter().min() == Some(&cell);
        if first && distance(pivot, cell) > 0 && rng.chance(0.6) {
            cells.extend(orbit);
        }
    }
    if cells.is_empty() {
        cells.extend(orbit(pivot, Cell { x: 9, y: 8 }, 1));
    }
    cells.sort_unstable();
    cells.dedup();
    raise_to_top(cells, pivot)
}

/// The cells to which turns by `period` times 60° bring a cell.
fn orbit(pivot: Cell, cell: Cell, period: usize) -> Vec<Cell> {
    let q = |cell: Cell| cell.x - (cell.y >> 1);
    let (mut dq, mut dr) = (q(cell) - q(pivot), cell.y - pivot.y);
    let mut orbit = Vec::new();
    for turn in 0..6 {
        if turn % period == 0 {
            let y = pivot.y + dr;
            orbit.push(Cell { x: q(pivot) + dq + (y >> 1), y });
        }
        (dq, dr) = (-dr, dq + dr);
    }
    orbit
}

fn draw_units(kind: Units, width: usize, rng: &mut Rng) -> Vec<Unit> {
    let single = |pivot: Cell| (vec![Cell { x: 0, y: 0 }], pivot);
    let bar = |length: i32| {
        ((0..length).map(|x| Cell { x, y: 0 }).collect::<Vec<_>>(), Cell { x: length / 2, y: 0 })
    };
    let here = Cell { x: 0, y: 0 };
    let several = |least: usize, more: usize, rng: &mut Rng| least + rng.below(more);
    let mut forms = Vec::new();
    match kind {
        Units::Usual | Units::Single => forms.push(single(here)),
        Units::Small => {
            for _ in 0..several(3, 4, rng) {
                let cells = several(1, 3, rng);
                forms.push(grow_unit(cells, rng));
            }
        }
        Units::Four | Units::Five => {
            let cells = if kind == Units::Four { 4 } else { 5 };
            (0..several(8, 6, rng)).for_each(|_| forms.push(grow_unit(cells, rng)));
        }
        Units::Loose => {
            for _ in 0..several(4, 10, rng) {
                // Two or three cells of a small connected unit: without the others they need not
                // touch.
                let (mut cells, pivot) = grow_unit(several(3, 3, rng), rng);
                let keep = several(2, 3, rng);
                while cells.len() > keep {
                    cells.swap_remove(rng.below(cells.len()));
                }
                forms.push(raise_to_top(cells, pivot));
            }
        }
        Units::Far => {
            for _ in 0..several(6, 6, rng) {
                forms.push(single(Cell { x: several(1, 5, rng) as i32, y: 0 }));
            }
            forms.push(star(if width > 10 { 2 } else { 1 }, rng));
            forms.push(single(here));
        }
        Units::Bars => {
            forms.push(bar(4));
            let cells = several(1, 3, rng) as i32;
            (0..several(3, 5, rng)).for_each(|_| forms.push(bar(cells)));
        }
        Units::Stars => {
            forms.push(star(1, rng));
            forms.push(star(if width > 10 { 2 } else { 1 }, rng));
            (0..several(1, 4, rng)).for_each(|_| forms.push(single(Cell { x: 2, y: 0 })));
        }
    }
    let unit = |(cells, pivot)| Unit::new(cells, pivot, width).expect("small units are sound");
    forms.into_iter().map(unit).collect()
}
