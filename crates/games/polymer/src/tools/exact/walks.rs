//! The least cost of a walk from cell to cell that may cross itself but never turns back: the relaxation
//! behind the walk bound of [`super::segment`]. Each of the monomers to come of one end takes a step, and
//! costs something by its charge and its cell.
//!
//! For each direction of the last step there is a board with the least cost of each cell; a step takes the
//! least of the three boards that do not lead back, moved by one cell. Boards have a border of one cell, which
//! holds the other side of the torus, so that a board is moved as a whole. Costs above 254 count as 255.

use crate::rules::torus::Torus;

/// The cost of a cell that cannot be taken.
pub(super) const NEVER: u8 = u8::MAX;

/// A table of costs by charge: of neutral monomers, of pluses, of minuses, and of the last of the chain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Costs {
    Neutral,
    Plus,
    Minus,
    Last,
}

impl Costs {
    /// The table for a monomer before the last.
    pub(super) fn of(monomer: i8) -> Costs {
        match monomer {
            0 => Costs::Neutral,
            1 => Costs::Plus,
            _ => Costs::Minus,
        }
    }
}

type Board = Vec<u8>;

/// Walks from a head.
pub(super) struct Walks {
    width: usize,
    height: usize,
    /// The place of each cell on a board.
    places: Vec<usize>,
    costs: [Board; 4],
    /// The least costs by the direction of the last step: right, down, left, up.
    arrived: [Board; 4],
    /// The least costs of what may go on in each direction.
    leaving: [Board; 4],
}

impl Walks {
    pub(super) fn new(torus: &Torus) -> Walks {
        let (width, height) = (torus.width(), torus.height());
        let places = (0..torus.cells())
            .map(|cell| (cell / width + 1) * (width + 2) + cell % width + 1)
            .collect();
        let board = || vec![NEVER; (width + 2) * (height + 2)];
        let boards = || std::array::from_fn(|_| board());
        Walks { width, height, places, costs: boards(), arrived: boards(), leaving: boards() }
    }

    /// The costs of taking a cell.
    #[inline]
    pub(super) fn set_cost(&mut self, costs: Costs, cell: usize, cost: u8) {
        self.costs[costs as usize][self.places[cell]] = cost;
    }

    /// Forgets all walks.
    pub(super) fn clear(&mut self) {
        self.arrived.iter_mut().for_each(|board| board.fill(NEVER));
    }

    /// Adds the walk of one step in this direction.
    pub(super) fn begin(&mut self, way: usize, cell: u16, cost: u8) {
        self.arrived[way][self.places[usize::from(cell)]] = cost;
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The least cost by trying all walks.
    fn slow(torus: &Torus, costs: &[u8], steps: usize, way: usize, cell: u16) -> u32 {
        let cost = u32::from(costs[usize::from(cell)]);
        if steps == 1 {
            return cost;
        }
        let next = torus.next_of::<4>(usize::from(cell));
        let ways = (0..4).filter(|turn| *turn != (way + 2) % 4);
        cost + ways.map(|way| slow(torus, costs, steps - 1, way, next[way])).min().unwrap_or(0)
    }

    proptest! {
        #[test]
        fn the_least_cost_is_that_of_the_cheapest_walk(
            width in 2usize..5,
            height in 2usize..5,
            costs in prop::collection::vec(prop_oneof![0u8..20, Just(NEVER)], 64),
            steps in 1usize..6,
        ) {
            let torus = Torus::new(2 * width, 2 * height).unwrap();
            let mut walks = Walks::new(&torus);
            for cell in 0..torus.cells() {
                walks.set_cost(Costs::Plus, cell, costs[cell]);
            }
            let begin = torus.next_of::<4>(0);
            walks.clear();
            for (way, cell) in begin.into_iter().enumerate() {
                walks.begin(way, cell, costs[usize::from(cell)]);
            }
            (1..steps).for_each(|_| walks.step(Costs::Plus));
            let ways = (0..4).map(|way| slow(&torus, &costs, steps, way, begin[way]));
            prop_assert_eq!(u32::from(walks.least()), ways.min().unwrap().min(255));
        }
    }
}
