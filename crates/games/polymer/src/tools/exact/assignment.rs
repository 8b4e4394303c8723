//! The cell-assignment bound of branch and bound: every monomer to come takes an empty cell of its
//! colour, and its greatest possible worth there follows from the cell.
//!
//! Let o be what the monomers around a cell offer to a +1, and f the number of its empty
//! neighbours. On this cell, a monomer of charge q that is neither the next nor the last of an end
//! gains q·o from laid ones. Two of the empty neighbours are for its bonds, so that f ≥ 2, and it
//! touches at most g = f − 2 others of the monomers to come. A contact between two monomers to come
//! is seen from both ends, and may be counted for λ at one end and for 1 − λ at the other: cells of
//! the first cell's colour, with a plus there and a minus on the other colour, for λ and 1 − λ, a
//! minus there and a plus on the other colour for μ and 1 − μ. Whatever λ and μ are, the best
//! assignment of monomers to cells bounds their gain; the least over λ, μ ∈ {0, ½, 1} is taken.
//! Sums are in halves.
//!
//! Why the weights: it is not known which of the two ends of a contact between monomers to come has
//! the better cell, and counting the contact in full at both ends would double it. With λ and 1 − λ
//! it is counted once, for any λ, so each choice gives a bound. Which bound is the least depends on
//! where the free cells are; no choice is best everywhere.
//!
//! The best assignment of the pluses, the minuses and the rest of a colour to its cells is, by
//! duality, the least over prices α, β of Σ max(0, a − α, b − β) + α·pluses + β·minuses. Here a and
//! b are the worth of a plus and of a minus on a cell, and α and β are what one more plus or minus
//! would cost. Any prices give a bound, so the search for the least may stop anywhere. It does not
//! miss the least, since the sum is L♮-convex (Murota 2003): if no step of one price, or of both
//! together, leads down, nothing does. The prices of the last call are nearly right for the next,
//! because one more monomer changes little.

use super::costs::{KINDS, KindCosts, NEVER};

/// How many cells of each kind there are.
pub(super) type Cells = [i16; KINDS];

/// The kinds of cells with f ≥ 2 come first.
pub(super) const WIDE: usize = 16;

/// o and g of each kind.
const KIND: [(i16, i16); 9] =
    [(0, 2), (-1, 1), (0, 1), (1, 1), (-2, 0), (-1, 0), (0, 0), (1, 0), (2, 0)];

/// Twice the worth of a sign on each kind of cell, by its weight.
const fn worths(sign: i16) -> [Cells; 3] {
    // No price makes up for a kind that takes none.
    let mut table = [[-100; KINDS]; 3];
    let mut weight = 0;
    while weight < 3 {
        let mut kind = 0;
        while kind < KIND.len() {
            let (o, g) = KIND[kind];
            table[weight][kind] = 2 * sign * o + weight as i16 * g;
            kind += 1;
        }
        weight += 1;
    }
    table
}

const PLUS: [Cells; 3] = worths(1);
const MINUS: [Cells; 3] = worths(-1);

/// The index of a kind.
#[inline]
pub(super) fn kind(offer: i8, empty: u8) -> usize {
    // There are 4 − f taken neighbours, so that the offer is never larger.
    const MIDDLES: [usize; 5] = [27, 19, 6, 2, 0];
    MIDDLES[usize::from(empty)].wrapping_add_signed(isize::from(offer))
}

/// The offer and the number of empty neighbours of each kind.
#[inline]
pub(super) fn offer_and_empty(kind: usize) -> (i32, i32) {
    let kind = kind as i32;
    match kind {
        0 => (0, 4),
        1..=3 => (kind - 2, 3),
        4..=8 => (kind - 6, 2),
        16..=22 => (kind - 19, 1),
        _ => (kind - 27, 0),
    }
}

/// All kinds of empty cells.
pub(super) fn kinds() -> impl Iterator<Item = usize> {
    (0..KIND.len()).chain(WIDE..KINDS)
}

/// Monomers to come of one colour.
#[derive(Clone, Copy, Default)]
pub(super) struct Demand {
    /// Pluses (or H) and minuses.
    pub(super) signs: [i32; 2],
    /// All of them, including neutral ones.
    pub(super) all: i32,
}

/// The halves of a contact that a plus and a minus of one colour count for each empty side.
pub(super) type Weights = [usize; 2];

/// Prices from −`MAX_PRICE` to `MAX_PRICE` are tried. No cell is worth more than 4 halves or less
/// than −4 to a sign: beyond these prices no monomer is placed, or all of them are, and nothing
/// changes any more.
const MAX_PRICE: i16 = 6;
const PRICES: usize = 2 * MAX_PRICE as usize + 1;

/// What each kind of cell is worth at most after paying the price of a sign, by weights and prices.
static GAINS: [[[[[i16; WIDE]; PRICES]; PRICES]; 3]; 3] = {
    let mut table = [[[[[0; WIDE]; PRICES]; PRICES]; 3]; 3];
    let mut at = 0;
    while at < 9 * PRICES * PRICES * WIDE {
        let (kind, rest) = (at % WIDE, at / WIDE);
        let (b, rest) = (rest % PRICES, rest / PRICES);
        let (a, rest) = (rest % PRICES, rest / PRICES);
        let plus = PLUS[rest / 3][kind] - (a as i16 - MAX_PRICE);
        let minus = MINUS[rest % 3][kind] - (b as i16 - MAX_PRICE);
        let more = if plus > minus { plus } else { minus };
        table[rest / 3][rest % 3][a][b][kind] = if more > 0 { more } else { 0 };
        at += 1;
    }
    table
};

/// Twice the worth of the best assignment at these prices, a bound on that of all assignments.
#[inline]
pub(super) fn worth(cells: &Cells, demand: Demand, weights: Weights, prices: [i16; 2]) -> i32 {
    let [a, b] = prices.map(|price| (price + MAX_PRICE) as usize);
    let gains = &GAINS[weights[0]][weights[1]][a][b];
    let mut sum = 0;
    for kind in 0..WIDE {
        sum += i32::from(cells[kind]) * i32::from(gains[kind]);
    }
    let [pluses, minuses] = demand.signs;
    sum + i32::from(prices[0]) * pluses + i32::from(prices[1]) * minuses
}

/// Twice the worth of the best assignment to cells. The search starts at `prices` and leaves there
/// the prices at which it ended.
pub(super) fn best(cells: &Cells, demand: Demand, weights: Weights, prices: &mut [i16; 2]) -> i32 {
    const STEPS: [[i16; 2]; 6] = [[1, 0], [0, 1], [1, 1], [-1, 0], [0, -1], [-1, -1]];
    let mut least = worth(cells, demand, weights, *prices);
    loop {
        let mut better = None;
        for step in STEPS {
            let next = [prices[0] + step[0], prices[1] + step[1]];
            if next.iter().all(|price| (-MAX_PRICE..=MAX_PRICE).contains(price)) {
                let worth = worth(cells, demand, weights, next);
                if worth < least {
                    (least, better) = (worth, Some(next));
                }
            }
        }
        let Some(next) = better else { return least };
        *prices = next;
    }
}

/// The price of a cell, and what monomers lose there against the prices of their signs, by its
/// kind.
pub(super) struct PriceTables {
    pub(super) price: KindCosts,
    pub(super) plus: KindCosts,
    pub(super) minus: KindCosts,
}

impl PriceTables {
    /// For the prices of pluses and minuses. Cells of kinds that none of these monomers can take
    /// are free.
    pub(super) fn new(weights: Weights, prices: [i16; 2]) -> PriceTables {
        let mut tables =
            PriceTables { price: [0; KINDS], plus: [NEVER; KINDS], minus: [NEVER; KINDS] };
        for kind in 0..KIND.len() {
            let plus = PLUS[weights[0]][kind] - prices[0];
            let minus = MINUS[weights[1]][kind] - prices[1];
            let price = plus.max(minus).max(0);
            tables.price[kind] = price as u8;
            tables.plus[kind] = (price - plus) as u8;
            tables.minus[kind] = (price - minus) as u8;
        }
        tables
    }

    /// What neutral monomers lose.
    pub(super) fn neutral(&self) -> KindCosts {
        let mut costs = [NEVER; KINDS];
        costs[..KIND.len()].copy_from_slice(&self.price[..KIND.len()]);
        costs
    }
}

/// All pairs of weights of the two colours of cells for which every contact counts in full: first
/// between charges, then between H and H, where there is only λ.
pub(super) const WEIGHTINGS: [&[[Weights; 2]]; 2] = [
    &[
        [[2, 2], [0, 0]],
        [[0, 0], [2, 2]],
        [[2, 0], [2, 0]],
        [[0, 2], [0, 2]],
        [[1, 1], [1, 1]],
        [[1, 2], [0, 1]],
        [[2, 1], [1, 0]],
        [[1, 0], [2, 1]],
        [[0, 1], [1, 2]],
    ],
    &[[[2, 0], [0, 0]], [[0, 0], [2, 0]], [[1, 0], [1, 0]]],
];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The same by trying every assignment, cell by cell.
    fn slow(cells: &[(i16, i16)], signs: [i32; 2], weights: Weights) -> Option<i32> {
        let Some((&(o, g), rest)) = cells.split_first() else {
            return (signs == [0, 0]).then_some(0);
        };
        let (o, g) = (i32::from(o), i32::from(g));
        let weights_of = weights.map(|weight| weight as i32);
        let with =
            |worth: i32, signs: [i32; 2]| slow(rest, signs, weights).map(|others| others + worth);
        let plus = (signs[0] > 0)
            .then(|| with(2 * o + weights_of[0] * g, [signs[0] - 1, signs[1]]))
            .flatten();
        let minus = (signs[1] > 0)
            .then(|| with(-2 * o + weights_of[1] * g, [signs[0], signs[1] - 1]))
            .flatten();
        [with(0, signs), plus, minus].into_iter().flatten().max()
    }

    proptest! {
        #[test]
        fn an_assignment_is_the_best_of_all(
            kinds in prop::collection::vec(0..KIND.len(), 0..8),
            plus in 0i32..5,
            minus in 0i32..5,
            weights in prop::array::uniform2(0usize..=2),
        ) {
            let mut counts = [0; KINDS];
            kinds.iter().for_each(|kind| counts[*kind] += 1);
            let cells: Vec<(i16, i16)> = kinds.iter().map(|kind| KIND[*kind]).collect();
            let signs = [plus, minus];
            if let Some(worth) = slow(&cells, signs, weights) {
                let demand = Demand { signs, all: plus + minus };
                for mut prices in [[0, 0], [5, -3]] {
                    prop_assert_eq!(best(&counts, demand, weights, &mut prices), worth);
                }
            }
        }
    }

    #[test]
    fn kinds_are_distinguished() {
        for (number, (o, g)) in KIND.into_iter().enumerate() {
            assert_eq!(kind(o as i8, (g + 2) as u8), number);
        }
        assert_eq!(offer_and_empty(kind(3, 1)), (3, 1));
        assert_eq!(offer_and_empty(kind(-4, 0)), (-4, 0));
    }
}
