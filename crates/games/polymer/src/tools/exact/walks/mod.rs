//! The least cost of a walk from cell to cell that may cross itself but never turns back: the
//! relaxation behind the walk bound of [`super::segment`]. Each of the monomers to come of one end
//! takes a step, and costs something by its charge and its cell.
//!
//! Costs above 254 count as 255.

mod boards;
mod eight;

use super::costs::{Costs, KindCosts};
use crate::rules::torus::Torus;
use boards::BoardWalks;
use eight::EightWalks;

/// Walks from a head.
pub(super) struct Walks(Kind);

enum Kind {
    Any(Box<BoardWalks>),
    Eight(Box<EightWalks>),
}

impl Walks {
    pub(super) fn new(torus: &Torus) -> Walks {
        if (torus.width(), torus.height()) == (8, 8) {
            Walks(Kind::Eight(Box::new(EightWalks::new())))
        } else {
            Walks(Kind::Any(Box::new(BoardWalks::new(torus))))
        }
    }

    /// The costs of taking a cell of this colour, by its kind.
    pub(super) fn set_costs(
        &mut self,
        costs: Costs,
        colour: usize,
        kinds: &[u8],
        table: &KindCosts,
    ) {
        match &mut self.0 {
            Kind::Any(walks) => walks.set_costs(costs, colour, kinds, table),
            Kind::Eight(walks) => walks.set_costs(costs, colour, kinds, table),
        }
    }

    /// Forgets all walks.
    pub(super) fn clear(&mut self) {
        match &mut self.0 {
            Kind::Any(walks) => walks.clear(),
            Kind::Eight(walks) => walks.clear(),
        }
    }

    /// Adds the walk of one step in this direction. All begin on cells of one colour.
    pub(super) fn begin(&mut self, way: usize, cell: usize, cost: u8) {
        match &mut self.0 {
            Kind::Any(walks) => walks.begin(way, cell, cost),
            Kind::Eight(walks) => walks.begin(way, cell, cost),
        }
    }

    /// The least cost of all walks.
    pub(super) fn least(&self) -> u8 {
        match &self.0 {
            Kind::Any(walks) => walks.least(),
            Kind::Eight(walks) => walks.least(),
        }
    }

    /// Makes all walks longer by one step.
    pub(super) fn step(&mut self, costs: Costs) {
        match &mut self.0 {
            Kind::Any(walks) => walks.step(costs),
            Kind::Eight(walks) => walks.step(costs),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::costs::{KINDS, NEVER};
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
            kinds in prop::collection::vec(0..KINDS as u8, 64),
            table in prop::array::uniform32(prop_oneof![0u8..20, Just(NEVER)]),
            steps in 1usize..6,
        ) {
            let torus = Torus::new(2 * width, 2 * height).unwrap();
            let mut walks = Walks::new(&torus);
            let kinds = &kinds[..torus.cells()];
            let costs: Vec<u8> = kinds.iter().map(|kind| table[usize::from(*kind)]).collect();
            for colour in 0..2 {
                walks.set_costs(Costs::Plus, colour, kinds, &table);
            }
            let begin = torus.next_of::<4>(0);
            walks.clear();
            for (way, cell) in begin.into_iter().enumerate() {
                walks.begin(way, usize::from(cell), costs[usize::from(cell)]);
            }
            (1..steps).for_each(|_| walks.step(Costs::Plus));
            let ways = (0..4).map(|way| slow(&torus, &costs, steps, way, begin[way]));
            prop_assert_eq!(u32::from(walks.least()), ways.min().unwrap().min(255));
        }
    }
}
