//! Walks on any torus. For each direction of the last step there is a board with the least cost of
//! each cell; a step takes the least of the three boards that do not lead back, moved by one cell.
//! Boards have a border of one cell, which holds the other side of the torus, so that a board is
//! moved as a whole.

use super::super::costs::{Costs, KindCosts, NEVER};
use crate::rules::torus::Torus;

type Board = Vec<u8>;

pub(super) struct BoardWalks {
    width: usize,
    height: usize,
    /// The colour of each cell, and its place on a board.
    colours: Vec<usize>,
    places: Vec<usize>,
    costs: [Board; 4],
    /// The least costs by the direction of the last step: right, down, left, up.
    arrived: [Board; 4],
    /// The least costs of what may go on in each direction.
    leaving: [Board; 4],
}

impl BoardWalks {
    pub(super) fn new(torus: &Torus) -> BoardWalks {
        let (width, height) = (torus.width(), torus.height());
        let places = (0..torus.cells())
            .map(|cell| (cell / width + 1) * (width + 2) + cell % width + 1)
            .collect();
        let board = || vec![NEVER; (width + 2) * (height + 2)];
        let boards = || std::array::from_fn(|_| board());
        let colours = (0..torus.cells()).map(|cell| torus.colour(cell)).collect();
        BoardWalks {
            width,
            height,
            colours,
            places,
            costs: boards(),
            arrived: boards(),
            leaving: boards(),
        }
    }

    pub(super) fn set_costs(
        &mut self,
        costs: Costs,
        colour: usize,
        kinds: &[u8],
        table: &KindCosts,
    ) {
        let board = &mut self.costs[costs as usize];
        for (cell, kind) in kinds.iter().enumerate() {
            if self.colours[cell] == colour {
                board[self.places[cell]] = table[usize::from(*kind)];
            }
        }
    }

    /// Forgets all walks.
    pub(super) fn clear(&mut self) {
        self.arrived.iter_mut().for_each(|board| board.fill(NEVER));
    }

    /// Adds the walk of one step in this direction.
    pub(super) fn begin(&mut self, way: usize, cell: usize, cost: u8) {
        self.arrived[way][self.places[cell]] = cost;
    }

    /// The least cost of all walks.
    pub(super) fn least(&self) -> u8 {
        let least = |board: &Board| board.iter().fold(NEVER, |least, cost| least.min(*cost));
        self.arrived.iter().map(least).min().unwrap_or(NEVER)
    }

    /// Makes all walks longer by one step.
    pub(super) fn step(&mut self, costs: Costs) {
        let stride = self.width + 2;
        let rows = stride..stride * (self.height + 1);
        let costs = &self.costs[costs as usize][rows.clone()];
        let places = rows.len();
        let [right, down, left, up] =
            self.arrived.each_ref().map(|board| &board[stride..stride + places]);
        let [to_right, to_down, to_left, to_up] =
            self.leaving.each_mut().map(|board| &mut board[stride..stride + places]);
        for place in 0..places {
            let across = right[place].min(left[place]);
            let along = down[place].min(up[place]);
            to_right[place] = right[place].min(along);
            to_down[place] = down[place].min(across);
            to_left[place] = left[place].min(along);
            to_up[place] = up[place].min(across);
        }
        let [to_right, down, to_left, up] = &mut self.leaving;
        for row in 1..=self.height {
            let start = row * stride;
            to_right[start] = to_right[start + self.width];
            to_left[start + self.width + 1] = to_left[start + 1];
        }
        down.copy_within(self.height * stride..(self.height + 1) * stride, 0);
        up.copy_within(stride..2 * stride, (self.height + 1) * stride);
        let begins = [stride - 1, 0, stride + 1, 2 * stride];
        for (way, begin) in begins.into_iter().enumerate() {
            let from = &self.leaving[way][begin..begin + rows.len()];
            let sums = costs.iter().zip(from).map(|(cost, from)| cost.saturating_add(*from));
            for (arrived, sum) in self.arrived[way][rows.clone()].iter_mut().zip(sums) {
                *arrived = sum;
            }
        }
    }
}
