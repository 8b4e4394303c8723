//! Walks on the torus of 8×8 cells. A walk changes colour with every step, so a board has the 32
//! cells of one colour: four of each row, from left to right. Two vectors of a processor hold it.

use super::super::costs::{Costs, KINDS, KindCosts, NEVER};

type Board = [u8; 32];

/// The colour and the place of a cell on the board of that colour.
fn place(cell: usize) -> (usize, usize) {
    let (row, column) = (cell / 8, cell % 8);
    ((row + column) % 2, row * 4 + column / 2)
}

/// Walks from a head.
pub(super) struct EightWalks {
    /// The costs, by colour.
    costs: [[Board; 2]; 4],
    /// The least costs by the direction of the last step: right, down, left, up.
    arrived: [Board; 4],
    leaving: [Framed; 4],
    /// The colour of the cells where the walks end.
    colour: usize,
}

/// A board between its last row and its first, so that it can be moved down and up.
type Framed = [u8; 40];

/// The least costs of what may go on in each direction.
#[inline(never)]
fn leave(arrived: &[Board; 4], leaving: &mut [Framed; 4]) {
    let [right, down, left, up] = arrived;
    let [to_right, to_down, to_left, to_up] = leaving;
    for place in 0..32 {
        let across = right[place].min(left[place]);
        let along = down[place].min(up[place]);
        to_right[place + 4] = right[place].min(along);
        to_down[place + 4] = down[place].min(across);
        to_left[place + 4] = left[place].min(along);
        to_up[place + 4] = up[place].min(across);
    }
    to_down.copy_within(32..36, 0);
    to_up.copy_within(4..8, 36);
}

/// Moves every second row to the right by so many cells, the even ones or the odd ones.
#[inline(never)]
fn turn(board: &mut Framed, parity: usize, cells: u32) {
    const NO: u32 = 0;
    const YES: u32 = u32::MAX;
    const ROWS: [[u32; 8]; 2] =
        [[YES, NO, YES, NO, YES, NO, YES, NO], [NO, YES, NO, YES, NO, YES, NO, YES]];
    let (rows, _) = board[4..36].as_chunks_mut::<4>();
    for (row, moves) in rows.iter_mut().zip(&ROWS[parity]) {
        let before = u32::from_le_bytes(*row);
        let after = before.rotate_left(8 * cells);
        *row = (before ^ ((before ^ after) & moves)).to_le_bytes();
    }
}

/// The costs of the walks after a step.
#[inline(never)]
fn arrive(leaving: &[Framed; 4], costs: &Board, arrived: &mut [Board; 4]) {
    let [to_right, to_down, to_left, to_up] = leaving;
    let [right, down, left, up] = arrived;
    for place in 0..32 {
        right[place] = to_right[place + 4].saturating_add(costs[place]);
        down[place] = to_down[place].saturating_add(costs[place]);
        left[place] = to_left[place + 4].saturating_add(costs[place]);
        up[place] = to_up[place + 8].saturating_add(costs[place]);
    }
}

impl EightWalks {
    pub(super) fn new() -> EightWalks {
        EightWalks {
            costs: [[[NEVER; 32]; 2]; 4],
            arrived: [[NEVER; 32]; 4],
            leaving: [[NEVER; 40]; 4],
            colour: 0,
        }
    }

    pub(super) fn set_costs(
        &mut self,
        costs: Costs,
        colour: usize,
        kinds: &[u8],
        table: &KindCosts,
    ) {
        let board = &mut self.costs[costs as usize][colour];
        let (places, _) = board.as_chunks_mut::<4>();
        let (cells, _) = kinds.as_chunks::<8>();
        for (row, (places, cells)) in places.iter_mut().zip(cells).enumerate() {
            let first = (row + colour) % 2;
            for (place, cost) in places.iter_mut().enumerate() {
                *cost = table[usize::from(cells[first + 2 * place]) % KINDS];
            }
        }
    }

    pub(super) fn clear(&mut self) {
        self.arrived = [[NEVER; 32]; 4];
    }

    pub(super) fn begin(&mut self, way: usize, cell: usize, cost: u8) {
        let (colour, place) = place(cell);
        self.colour = colour;
        self.arrived[way][place] = cost;
    }

    pub(super) fn least(&self) -> u8 {
        let [right, down, left, up] = &self.arrived;
        let mut least = NEVER;
        for place in 0..32 {
            let here = right[place].min(left[place]).min(down[place]).min(up[place]);
            least = least.min(here);
        }
        least
    }

    pub(super) fn step(&mut self, costs: Costs) {
        leave(&self.arrived, &mut self.leaving);
        // The cells of this colour lie left of those of the other in every second row.
        turn(&mut self.leaving[0], 1 - self.colour, 1);
        turn(&mut self.leaving[2], self.colour, 3);
        self.colour = 1 - self.colour;
        arrive(&self.leaving, &self.costs[costs as usize][self.colour], &mut self.arrived);
    }
}
