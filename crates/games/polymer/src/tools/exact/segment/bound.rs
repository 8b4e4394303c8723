//! A bound on the R_nc of all walks that contain a segment.
//!
//! It relaxes what is left: every monomer to come takes an empty cell of its colour, at most one
//! for each cell. Let o be what the laid monomers around a cell offer to a +1, f the number of its
//! empty neighbours, and w the halves that a monomer counts for each contact with others to come
//! (the module `assignment` has these weights). On this cell a monomer of charge q gains at most
//!
//! - 2·q·o + w·(f − 2) halves, if its bonds lead to two others to come; then f ≥ 2;
//! - 2·q·(o − what the head offers) + w·(f − 1), if it is the next at an end, bonded to the head
//!   (w·f if it is the last of the chain as well);
//! - 2·q·o + w·(f − 1), if it is the last of the chain.
//!
//! Let every cell have a price π ≥ 0, paid by whoever takes it. As each cell is taken at most once,
//! the gains are at most Σ π and, for each end, the greatest sum of (gain − π) over all its
//! monomers, wherever they are. Two steps of this are tried:
//!
//! - *cell assignment*: monomers may lie anywhere. The best prices come with the solution.
//! - *walks*: with the same prices, the monomers of an end must lie on a walk from the head that
//!   never turns back, but may cross itself (the module `walks`). Its cost is the sum of what its
//!   monomers lose against the assignment. This finds what the assignment does not see: that the
//!   good cells are out of reach of each other, or that neutral monomers must take some of them.
//!
//! The first weighting is always tried, the others and the walks where they cut often enough.

use super::super::assignment::{self, Demand, PriceTables, WEIGHTINGS, Weights};
use super::super::costs::{Costs, KINDS, NEVER};
use super::{Cut, End, Multipliers, Segment};

/// Less than any worth.
const NONE: i32 = -1000;

/// The next monomer of an end, and the last of the chain there if that is another one.
#[derive(Clone, Copy, Default)]
struct Ahead {
    index: usize,
    /// The free cells beside the head: the direction, the cell, and twice the worth of its contacts
    /// with laid monomers.
    choices: [(usize, usize, i32); 4],
    count: usize,
    /// 1 if another monomer follows.
    bonds: i32,
    last: Option<usize>,
}

/// A weighting and the bound by assignment that it gives, in halves; with the greatest worth of the
/// next and of the last monomer of each end.
#[derive(Clone, Copy, Default)]
struct Assigned {
    number: usize,
    bound: i32,
    next: [i32; 2],
    last: [i32; 2],
}

impl Segment {
    /// A bound on the R_nc of all walks that contain this segment, in halves, above the target; or
    /// why there is none above the target.
    pub(in super::super) fn examine(&mut self, target: i32) -> Result<i32, Cut> {
        if self.is_whole() {
            return if self.gained > target { Ok(2 * self.gained) } else { Err(Cut::Whole) };
        }
        if self.laid[self.laid.len() - 1].is_split && !self.has_room() {
            return Err(Cut::Room);
        }
        let n = self.instance.len();
        let front = self.between(1, self.ends[0].saturating_sub(1));
        let back = self.between(self.ends[1] + 2, n - 1);
        let inner: [Demand; 2] = std::array::from_fn(|colour| {
            let [front, back] = [front[colour], back[colour]];
            Demand {
                signs: std::array::from_fn(|sign| front.signs[sign] + back.signs[sign]),
                all: front.all + back.all,
            }
        });
        for colour in 0..2 {
            let wide = self.kinds[colour][..assignment::WIDE].iter().sum::<i16>();
            if i32::from(wide) < inner[colour].all {
                return Err(Cut::Room);
            }
        }
        let mut ahead: [Option<Ahead>; 2] = [None; 2];
        for end in End::BOTH.into_iter().filter(|end| self.is_open(*end)) {
            let next = self.ahead(end);
            if next.count == 0 {
                return Err(Cut::Room);
            }
            ahead[end as usize] = Some(next);
        }
        self.by_assignment_and_walks(target, &inner, &ahead)
    }

    /// What comes at an open end.
    fn ahead(&self, end: End) -> Ahead {
        let index = self.next_index(end);
        let charge = i32::from(self.instance.monomers()[index]);
        let last = if end == End::Front { 0 } else { self.instance.len() - 1 };
        let head = self.ends[end as usize];
        let mut ahead = Ahead {
            index,
            bonds: i32::from(index != last),
            last: (index != last).then_some(last),
            ..Ahead::default()
        };
        let ways = self.instance.torus().next_of::<4>(usize::from(self.cells[head]));
        for (way, cell) in ways.into_iter().enumerate() {
            let at = usize::from(cell);
            if self.free_cells.is_free(cell) {
                let offer = i32::from(self.offer[at] - self.offer_of(head));
                ahead.choices[ahead.count] = (way, at, 2 * charge * offer);
                ahead.count += 1;
            }
        }
        ahead
    }

    /// How many halves a monomer counts for each contact with others to come.
    #[inline]
    fn weight(&self, index: usize, weights: [Weights; 2]) -> usize {
        match self.instance.monomers()[index] {
            0 => 0,
            monomer => weights[self.colour(index)][usize::from(monomer < 0)],
        }
    }

    /// The greatest worth of the next monomer of an end, for each weight.
    fn next_worths(&self, ahead: &Ahead) -> [i32; 3] {
        let mut best = [i32::MIN; 3];
        for (_, cell, worth) in &ahead.choices[..ahead.count] {
            let sides = (i32::from(self.empty[*cell]) - ahead.bonds).max(0);
            for (best, own) in best.iter_mut().zip(0..) {
                *best = (*best).max(worth + own * sides);
            }
        }
        best
    }

    /// The greatest worth of the last monomer of an end on any cell, for each weight.
    fn last_worths(&self, index: usize) -> [i32; 3] {
        let charge = i32::from(self.instance.monomers()[index]);
        let kinds = &self.kinds[self.colour(index)];
        let mut best = [NONE; 3];
        for (kind, count) in kinds.iter().enumerate() {
            if *count > 0 {
                let (offer, empty) = assignment::offer_and_empty(kind);
                let (worth, sides) = (2 * charge * offer, (empty - 1).max(0));
                for (best, own) in best.iter_mut().zip(0..) {
                    *best = (*best).max(worth + own * sides);
                }
            }
        }
        best.map(|best| if best == NONE { 0 } else { best })
    }

    /// The weightings that are tried.
    #[inline]
    fn weightings(&self) -> &'static [[Weights; 2]] {
        WEIGHTINGS[usize::from(self.instance.sign() > 0)]
    }

    fn by_assignment_and_walks(
        &mut self,
        target: i32,
        inner: &[Demand; 2],
        ahead: &[Option<Ahead>; 2],
    ) -> Result<i32, Cut> {
        let weightings = self.weightings();
        let worths = self.worths(ahead);
        let mut assigned = [Assigned::default(); 9];
        let laid = self.laid.len();
        let mut least = i32::MAX;
        // Every weighting gives a true bound, so the first one that cuts is enough; the one that
        // cut last is likely to cut again.
        for offset in 0..weightings.len() {
            if offset == 1 && !self.use_of_others[laid].is_worth_it() {
                return Ok(least);
            }
            let number = (self.weighting + offset) % weightings.len();
            let result = self.assign(number, inner, ahead, &worths);
            least = least.min(result.bound);
            if least <= 2 * target + 1 {
                self.use_of_others[laid].cuts += u32::from(offset > 0);
                return Err(self.cut_by(number));
            }
            assigned[offset] = result;
        }
        let assigned = &mut assigned[..weightings.len()];
        assigned.sort_by_key(|result| result.bound);
        self.by_walks(target, ahead, assigned, least)
    }

    /// The greatest worths of the next and of the last monomer of each end, for each weight.
    #[inline]
    fn worths(&self, ahead: &[Option<Ahead>; 2]) -> [[[i32; 3]; 2]; 2] {
        let mut next_worths = [[0; 3]; 2];
        let mut last_worths = [[0; 3]; 2];
        for end in 0..2 {
            if let Some(ahead) = &ahead[end] {
                next_worths[end] = self.next_worths(ahead);
                if let Some(last) = ahead.last {
                    last_worths[end] = self.last_worths(last);
                }
            }
        }
        [next_worths, last_worths]
    }

    /// The bound by assignment with a weighting; the [worths](Self::worths) are those of what is
    /// ahead.
    #[inline]
    fn assign(
        &mut self,
        number: usize,
        inner: &[Demand; 2],
        ahead: &[Option<Ahead>; 2],
        [next_worths, last_worths]: &[[[i32; 3]; 2]; 2],
    ) -> Assigned {
        let weights = self.weightings()[number];
        let mut result = Assigned { number, bound: 2 * self.gained, ..Assigned::default() };
        for end in 0..2 {
            let Some(ahead) = &ahead[end] else { continue };
            result.next[end] = next_worths[end][self.weight(ahead.index, weights)];
            result.last[end] =
                ahead.last.map_or(0, |last| last_worths[end][self.weight(last, weights)]);
            result.bound += result.next[end] + result.last[end];
        }
        for colour in 0..2 {
            let prices = &mut self.prices[number][colour];
            let (cells, demand) = (&self.kinds[colour], inner[colour]);
            result.bound += assignment::best(cells, demand, weights[colour], prices);
        }
        result
    }

    /// The bound with walks, if they are worth it: by those of the assignments, sorted by their
    /// bounds, that are nearest to cutting. The least bound so far is `least`.
    #[inline]
    fn by_walks(
        &mut self,
        target: i32,
        ahead: &[Option<Ahead>; 2],
        assigned: &[Assigned],
        mut least: i32,
    ) -> Result<i32, Cut> {
        /// How many weightings are tried with walks, and up to how many halves above the target.
        /// Walks rarely cost more than that.
        const WEIGHTINGS_WITH_WALKS: usize = 3;
        const MAX_EXCESS: i32 = 10;
        let laid = self.laid.len();
        if assigned[0].bound - 2 * target - 1 > MAX_EXCESS || !self.use_of_walks[laid].is_worth_it()
        {
            return Ok(least);
        }
        for result in assigned.iter().take(WEIGHTINGS_WITH_WALKS) {
            // The walks must cost this much to cut.
            let enough = result.bound - 2 * target - 1;
            let weights = self.weightings()[result.number];
            let cost = self.cost_of_walks(weights, result, ahead, enough);
            least = least.min(result.bound - cost);
            if least <= 2 * target + 1 {
                self.use_of_others[laid].cuts += 1;
                self.use_of_walks[laid].cuts += 1;
                return Err(self.cut_by(result.number));
            }
            // Where these walks cost little, others seldom cost much more.
            if 2 * cost < enough {
                break;
            }
        }
        Ok(least)
    }

    /// The cut by a weighting with its last prices; it is the first to be tried from now on.
    #[inline]
    fn cut_by(&mut self, number: usize) -> Cut {
        self.weighting = number;
        let (weights, prices) = (self.weightings()[number], self.prices[number]);
        Cut::Bound(Multipliers { weights, prices })
    }

    /// What walks lose against the assignment, in halves; if it is `enough`, not always in full.
    fn cost_of_walks(
        &mut self,
        weights: [Weights; 2],
        assigned: &Assigned,
        ahead: &[Option<Ahead>; 2],
        enough: i32,
    ) -> i32 {
        /// After how many steps to look whether the walks cost enough already.
        const CHECK: usize = 4;
        let n = self.instance.len();
        let tables: [_; 2] = std::array::from_fn(|colour| {
            PriceTables::new(weights[colour], self.prices[assigned.number][colour])
        });
        for (colour, tables) in tables.iter().enumerate() {
            self.walks.set_costs(Costs::Neutral, colour, &self.kind, &tables.neutral());
            self.walks.set_costs(Costs::Plus, colour, &self.kind, &tables.plus);
            self.walks.set_costs(Costs::Minus, colour, &self.kind, &tables.minus);
        }
        let mut total = 0;
        for end in End::BOTH {
            let Some(ahead) = &ahead[end as usize] else { continue };
            let own = self.weight(ahead.index, weights) as i32;
            self.walks.clear();
            let prices = &tables[self.colour(ahead.index)].price;
            for (way, cell, worth) in &ahead.choices[..ahead.count] {
                let sides = (i32::from(self.empty[*cell]) - ahead.bonds).max(0);
                let price = i32::from(prices[usize::from(self.kind[*cell])]);
                let worth = worth + own * sides - price;
                let cost = (assigned.next[end as usize] - worth) as u8;
                self.walks.begin(*way, *cell, cost);
            }
            if let Some(last) = ahead.last {
                let inner = match end {
                    End::Front => 1..ahead.index,
                    End::Back => ahead.index + 1..n - 1,
                };
                for step in 0..inner.len() {
                    let index = match end {
                        End::Front => inner.end - 1 - step,
                        End::Back => inner.start + step,
                    };
                    self.walks.step(Costs::of(self.instance.monomers()[index]));
                    if step % CHECK == CHECK - 1 && total + i32::from(self.walks.least()) >= enough
                    {
                        return enough;
                    }
                }
                let own = self.weight(last, weights) as i32;
                let charge = i32::from(self.instance.monomers()[last]);
                let colour = self.colour(last);
                let mut costs = [NEVER; KINDS];
                for kind in assignment::kinds() {
                    let (offer, empty) = assignment::offer_and_empty(kind);
                    let price = i32::from(tables[colour].price[kind]);
                    let worth = 2 * charge * offer + own * (empty - 1).max(0) - price;
                    costs[kind] = (assigned.last[end as usize] - worth).min(255) as u8;
                }
                self.walks.set_costs(Costs::Last, colour, &self.kind, &costs);
                self.walks.step(Costs::Last);
            }
            total += i32::from(self.walks.least());
            if total >= enough {
                break;
            }
        }
        total
    }
}
