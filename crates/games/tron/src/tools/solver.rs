//! The equilibrium of each position, by depth-first search.
//!
//! The scores after each pair of moves make a matrix game. Few of them must be known: the search
//! keeps a bound below and one above for each, solves the game of the lower bounds and that of the
//! upper ones, and searches only pairs of moves that both of these would play, until the two games
//! have the same value (the idea of double-oracle search; Bošanský, Lisý, Lanctot, Čermák and
//! Winands 2016). Once the heads can no longer meet, the longer way wins, and no game is left.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use quintain_search::matrix_game;

use super::board::{BITS, Board, Cells, Position};
use super::optimal::{worths_of_columns, worths_of_rows};
use super::table::Table;

/// The greatest number of moves of a head.
const MOVES: usize = 4;
/// Bounds that are closer than this are equal but for rounding.
const ROUNDING: f64 = 1e-11;
/// The share of the memory that lengths of ways take.
const FOR_LENGTHS: usize = 8;
/// Positions, or steps of ways, between two looks at whether to stop.
const LOOK: u64 = 1 << 12;
/// The most steps of ways for each position that is allowed.
const STEPS: u64 = 64;

/// The search was told to stop, or would take more work than is allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stopped;

/// The equilibrium of a position with all pairs of moves known.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Equilibrium {
    /// The score that the first seat expects.
    pub(crate) value: f64,
    /// The cells that each seat can enter; none if it must crash.
    pub(crate) moves: [Vec<u8>; 2],
    /// How often each seat makes each of its moves, in one of its perfect mixtures.
    pub(crate) shares: [Vec<f64>; 2],
    /// The score that the first seat expects after each of its moves, and each of the other's, if
    /// the opponent plays the perfect mixture that is worst for the move.
    pub(crate) scores: [Vec<f64>; 2],
}

/// A search with all that it remembers.
pub(crate) struct Solver {
    board: Board,
    values: Table,
    lengths: Table,
    searched: u64,
    /// The number of positions at which the search stops.
    most: u64,
    /// The steps of ways that were tried, and their number at which the search stops.
    steps: u64,
    most_steps: u64,
    stop: Arc<AtomicBool>,
}

/// A matrix of payoffs, of which some are only bounded.
struct Matrix {
    rows: usize,
    columns: usize,
    low: [f64; MOVES * MOVES],
    high: [f64; MOVES * MOVES],
}

impl Solver {
    /// A search of a board that remembers so many bytes of values.
    pub(crate) fn new(board: Board, memory: usize, stop: Arc<AtomicBool>) -> Self {
        let lengths = memory / FOR_LENGTHS;
        let (values, lengths) = (Table::new(memory - lengths), Table::new(lengths));
        let [most, most_steps] = [u64::MAX; 2];
        Solver { board, values, lengths, searched: 0, most, steps: 0, most_steps, stop }
    }

    /// The board.
    pub(crate) fn board(&self) -> &Board {
        &self.board
    }

    /// The values that are known.
    pub(crate) fn values(&self) -> &Table {
        &self.values
    }

    /// The values that are known, to add some.
    pub(crate) fn values_mut(&mut self) -> &mut Table {
        &mut self.values
    }

    /// The number of positions searched: of matrix games solved.
    pub(crate) fn searched(&self) -> u64 {
        self.searched
    }

    /// Allows so many positions more than were searched so far.
    pub(crate) fn allow(&mut self, positions: u64) {
        self.most = self.searched.saturating_add(positions);
        self.most_steps = self.steps.saturating_add(positions.saturating_mul(STEPS));
    }

    /// The score that the first seat expects.
    ///
    /// # Errors
    /// If the search was told to stop, or would take more positions than are allowed.
    pub(crate) fn value(&mut self, position: Position) -> Result<f64, Stopped> {
        match self.look_up(position)? {
            Known::Value(value) => Ok(value),
            Known::Open { position, key, is_swapped } => self.search(position, key, is_swapped),
        }
    }

    /// The equilibrium with the scores of all moves.
    ///
    /// # Errors
    /// As for [`Solver::value`].
    pub(crate) fn equilibrium(&mut self, position: Position) -> Result<Equilibrium, Stopped> {
        let moves = position
            .heads
            .map(|head| cells_of(self.board.beside(1 << head, position.open)).collect::<Vec<u8>>());
        if moves.iter().any(Vec::is_empty) {
            let value = self.value(position)?;
            let scores = moves.each_ref().map(|own| vec![value; own.len()]);
            // Any move will do.
            let first = |number: usize| f64::from(u8::from(number == 0));
            let shares = moves.each_ref().map(|own| (0..own.len()).map(first).collect());
            return Ok(Equilibrium { value, shares, moves, scores });
        }
        let columns = moves[1].len();
        let mut payoffs = Vec::new();
        for &a in &moves[0] {
            for &b in &moves[1] {
                payoffs.push(if a == b { 0.5 } else { self.value(moved(position, a, b))? });
            }
        }
        let matrix_game::Solution { value, rows: first, columns: second } =
            matrix_game::solve(&payoffs, columns);
        let scores =
            [worths_of_rows(&payoffs, value, &second), worths_of_columns(&payoffs, value, &first)];
        Ok(Equilibrium { value, moves, shares: [first, second], scores })
    }

    /// How many more moves each head can make, once the two can no longer meet.
    ///
    /// # Errors
    /// As for [`Solver::value`].
    pub(crate) fn moves_left(&mut self, position: Position) -> Result<Option<[u32; 2]>, Stopped> {
        let Position { open, heads: [a, b] } = position;
        let (first, second) = (self.board.reach(a, open), self.board.reach(b, open));
        if first & second != 0 {
            return Ok(None);
        }
        Ok(Some([self.longest_way(a, first)?, self.longest_way(b, second)?]))
    }

    /// What is known about a position without search.
    fn look_up(&mut self, position: Position) -> Result<Known, Stopped> {
        let Position { open, heads: [a, b] } = position;
        let (first, second) = (self.board.reach(a, open), self.board.reach(b, open));
        match (first, second) {
            (0, 0) => return Ok(Known::Value(0.5)),
            (0, _) => return Ok(Known::Value(0.0)),
            (_, 0) => return Ok(Known::Value(1.0)),
            _ => {}
        }
        if first & second == 0 {
            return Ok(Known::Value(self.compare_ways(a, first, b, second)?));
        }
        // Cells that nobody can reach make no difference.
        let position = Position { open: first | second, ..position };
        let (key, is_swapped) = self.board.key(position);
        Ok(match self.values.get(key) {
            Some(value) if is_swapped => Known::Value(1.0 - value),
            Some(value) => Known::Value(value),
            None => Known::Open { position, key, is_swapped },
        })
    }

    fn search(&mut self, position: Position, key: Cells, is_swapped: bool) -> Result<f64, Stopped> {
        let is_stopped = self.searched.is_multiple_of(LOOK) && self.stop.load(Ordering::Relaxed);
        if is_stopped || self.searched >= self.most {
            return Err(Stopped);
        }
        self.searched += 1;
        let moves = position.heads.map(|head| self.board.beside(1 << head, position.open));
        let [rows, columns] = moves.map(|own| own.count_ones() as usize);
        let mut matrix = Matrix::unknown(rows, columns);
        for (row, a) in cells_of(moves[0]).enumerate() {
            for (column, b) in cells_of(moves[1]).enumerate() {
                if a == b {
                    matrix.set(row, column, 0.5);
                } else if let Known::Value(value) = self.look_up(moved(position, a, b))? {
                    matrix.set(row, column, value);
                }
            }
        }
        let value = loop {
            let (row, column) = match matrix.next() {
                Next::Value(value) => break value,
                Next::Pair(row, column) => (row, column),
            };
            let [a, b] = [(moves[0], row), (moves[1], column)]
                .map(|(own, number)| cells_of(own).nth(number).expect("a move of the matrix"));
            let value = self.value(moved(position, a, b))?;
            matrix.set(row, column, value);
        };
        self.values.put(key, if is_swapped { 1.0 - value } else { value });
        Ok(value)
    }

    /// The first seat's score once the heads can no longer meet.
    fn compare_ways(&mut self, a: u8, first: Cells, b: u8, second: Cells) -> Result<f64, Stopped> {
        Ok(match self.longest_way(a, first)?.cmp(&self.longest_way(b, second)?) {
            std::cmp::Ordering::Less => 0.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Greater => 1.0,
        })
    }

    /// The greatest number of steps that a head can make in a room, all of which it can reach.
    fn longest_way(&mut self, head: u8, room: Cells) -> Result<u32, Stopped> {
        let most = self.bound_steps(head, room);
        if most <= 2 {
            return Ok(most);
        }
        let key = room | Cells::from(head) << BITS;
        if let Some(length) = self.lengths.get(key) {
            return Ok(length as u32);
        }
        let is_stopped = self.steps.is_multiple_of(LOOK) && self.stop.load(Ordering::Relaxed);
        if is_stopped || self.steps >= self.most_steps {
            return Err(Stopped);
        }
        self.steps += 1;
        let mut longest = 0;
        for cell in cells_of(self.board.beside(1 << head, room)) {
            let rest = self.board.reach(cell, room & !(1 << cell));
            if 1 + self.bound_steps(cell, rest) > longest {
                longest = longest.max(1 + self.longest_way(cell, rest)?);
            }
            if longest == most {
                break;
            }
        }
        self.lengths.put(key, f64::from(longest));
        Ok(longest)
    }

    /// A bound: a way alternates between the two colours of a chessboard.
    fn bound_steps(&self, head: u8, room: Cells) -> u32 {
        let own = self.board.like(head);
        let (same, other) = ((room & own).count_ones(), (room & !own).count_ones());
        if other > same { 2 * same + 1 } else { 2 * other }
    }
}

/// What is known about a position.
enum Known {
    Value(f64),
    /// Nothing; the position without the cells that nobody can reach, and its key.
    Open {
        position: Position,
        key: Cells,
        is_swapped: bool,
    },
}

/// What to do next about a matrix.
enum Next {
    /// Nothing; this is its value.
    Value(f64),
    /// To find out about this pair of moves.
    Pair(usize, usize),
}

impl Matrix {
    fn unknown(rows: usize, columns: usize) -> Matrix {
        Matrix { rows, columns, low: [0.0; MOVES * MOVES], high: [1.0; MOVES * MOVES] }
    }

    fn set(&mut self, row: usize, column: usize, value: f64) {
        self.low[row * self.columns + column] = value;
        self.high[row * self.columns + column] = value;
    }

    /// The pair of moves that both players would make most often if the unknown pairs turned out
    /// well for them. If all such pairs are known, the two games have one value: each player's
    /// mixture is worth at least the value of its own game, and both mixtures together are worth
    /// the same in both games.
    fn next(&self) -> Next {
        let (rows, columns) = (self.rows, self.columns);
        let size = rows * columns;
        let hopeful = Small::solve(&self.high[..size], rows, columns);
        let fearful = Small::solve(&self.low[..size], rows, columns);
        if hopeful.value - fearful.value < ROUNDING {
            return Next::Value(fearful.value);
        }
        let pairs = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        let open = pairs.filter(|(row, column)| {
            let pair = row * columns + column;
            self.low[pair] < self.high[pair]
        });
        let often = |(row, column): &(usize, usize)| hopeful.rows[*row] * fearful.columns[*column];
        let (row, column) =
            open.max_by(|a, b| often(a).total_cmp(&often(b))).expect("bounds differ somewhere");
        Next::Pair(row, column)
    }
}

/// The solution of a game of at most four moves each.
struct Small {
    value: f64,
    rows: [f64; MOVES],
    columns: [f64; MOVES],
}

impl Small {
    fn solve(payoffs: &[f64], rows: usize, columns: usize) -> Small {
        let mut worst = [f64::INFINITY; MOVES];
        let mut best = [f64::NEG_INFINITY; MOVES];
        for row in 0..rows {
            for column in 0..columns {
                let payoff = payoffs[row * columns + column];
                worst[row] = worst[row].min(payoff);
                best[column] = best[column].max(payoff);
            }
        }
        let row = (1..rows).fold(0, |top, row| if worst[row] > worst[top] { row } else { top });
        let column =
            (1..columns).fold(0, |top, other| if best[other] < best[top] { other } else { top });
        if worst[row] == best[column] {
            let pure = |own: usize| std::array::from_fn(|other| f64::from(u8::from(own == other)));
            return Small { value: worst[row], rows: pure(row), columns: pure(column) };
        }
        let solution = matrix_game::solve(payoffs, columns);
        let filled = |shares: &[f64]| {
            let mut all = [0.0; MOVES];
            all[..shares.len()].copy_from_slice(shares);
            all
        };
        Small {
            value: solution.value,
            rows: filled(&solution.rows),
            columns: filled(&solution.columns),
        }
    }
}

/// The position after both heads have moved to these cells.
pub(super) fn moved(position: Position, a: u8, b: u8) -> Position {
    Position { open: position.open & !(1 << a) & !(1 << b), heads: [a, b] }
}

/// The numbers of the cells of a set.
pub(super) fn cells_of(mut cells: Cells) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        (cells != 0).then(|| {
            let cell = cells.trailing_zeros() as u8;
            cells &= cells - 1;
            cell
        })
    })
}
