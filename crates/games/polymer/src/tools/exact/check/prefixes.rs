//! Proofs of version 1: the tree is over prefixes of walks, and a mark for each of them follows in
//! the order of a walk through the tree (steps in the order R, D, L, U): `o` is followed by the
//! marks of all prefixes that are one longer, `x` is cut off. The checker has to find out itself
//! which bound cuts.
//!
//! The bound by sums of offers: let a pair of classes be even plus with odd minus, or even minus
//! with odd plus (H with H of the other parity). A future contact of such a pair is between two
//! monomers to come, or between one to come and one already laid. Let S be the free sides of all
//! monomers to come, and X what the laid monomers can offer them. Then the pair gains at most
//! min(S₁ + X₁, S₂ + X₂), where X₁ is offered to class 2 by class 1. Each monomer to come takes one
//! empty cell, and there gains the sum of what the laid monomers beside the cell offer. So X₁ is
//! the sum of the greatest sums over empty cells, one cell for each monomer of class 2 to come. The
//! offer of the head is counted apart, since one of its free sides is for the next bond.
//!
//! The bound by assignment is that of the search's cell assignment, except that the offer of the
//! head is counted apart here too, and that the last monomer counts all of its three free sides.

use std::collections::BTreeMap;

use super::error::ProofError;
use super::laid;
use super::marks::Marks;
use crate::rules::instance::{Instance, Interaction};

struct Checker<'a> {
    instance: &'a Instance,
    target: i32,
    marks: Marks<'a>,
    walk: Vec<usize>,
    /// The index of the monomer on each cell.
    on: Vec<Option<usize>>,
}

/// Verifies the marks.
pub(super) fn check(instance: &Instance, target: i32, marks: Marks<'_>) -> Result<(), ProofError> {
    let mut on = vec![None; instance.torus().cells()];
    on[0] = Some(0);
    let mut checker = Checker { instance, target, marks, walk: vec![0], on };
    checker.node()?;
    checker.marks.end()
}

impl Checker<'_> {
    fn at(&self) -> String {
        let walk: Vec<u16> = self.walk.iter().map(|cell| *cell as u16).collect();
        match crate::notation::steps_of(self.instance.torus(), &walk).as_str() {
            "" => "at the start".to_owned(),
            steps => format!("after {steps}"),
        }
    }

    fn node(&mut self) -> Result<(), ProofError> {
        match self.marks.next_unless_stopped()? {
            Some('x') if self.is_hopeless() => Ok(()),
            Some('x') => Err(ProofError(format!(
                "{}: cut off, but a walk above the target may follow",
                self.at()
            ))),
            Some('o') if self.walk.len() == self.instance.len() => {
                let walk: Vec<u16> = self.walk.iter().map(|cell| *cell as u16).collect();
                let r_nc = self.instance.worth(&walk) - self.instance.chain();
                if r_nc <= self.target {
                    Ok(())
                } else {
                    Err(ProofError(format!("{}: R_nc {r_nc}", self.at())))
                }
            }
            Some('o') => {
                let head = self.walk[self.walk.len() - 1];
                for cell in laid::next_cells(self.instance, &self.walk, head, &self.on) {
                    self.on[cell] = Some(self.walk.len());
                    self.walk.push(cell);
                    self.node()?;
                    self.walk.pop();
                    self.on[cell] = None;
                }
                Ok(())
            }
            Some(other) => {
                Err(ProofError(format!("{}: “{other}” is not a mark; expected o or x", self.at())))
            }
            None => Err(ProofError(format!("{}: the proof ends here; expected o or x", self.at()))),
        }
    }

    /// Whether nothing above the target can follow from this prefix: by its gain and a bound on the
    /// rest, or for lack of room.
    fn is_hopeless(&self) -> bool {
        self.count_gain() + self.to_come() <= self.target
            || !self.has_room()
            || self.by_assignment().is_none_or(|bound| bound <= self.target)
    }

    fn charge(&self, index: usize) -> i32 {
        i32::from(self.instance.monomers()[index])
    }

    fn count_gain(&self) -> i32 {
        laid::count_gain(self.instance, 0, &self.walk, &self.on)
    }

    /// The bound by sums of offers.
    fn to_come(&self) -> i32 {
        let instance = self.instance;
        let torus = instance.torus();
        let (laid, n) = (self.walk.len(), instance.len());
        let is_free = |cell: usize| self.on[cell].is_none();
        let to_come = |parity: usize, charge: i32| {
            (laid..n).filter(move |index| index % 2 == parity && self.charge(*index) == charge)
        };
        let sides = |parity: usize, charge: i32| -> i32 {
            to_come(parity, charge).map(|index| if index + 1 == n { 3 } else { 2 }).sum()
        };
        let head = laid - 1;
        let around = |cell: usize| torus.next_of::<4>(cell).map(usize::from);
        let spare =
            around(self.walk[head]).into_iter().filter(|cell| is_free(*cell)).count() as i32;
        let spare = if laid == n { 0 } else { (spare - 1).max(0) };
        // What the laid monomers offer to those of this parity and charge.
        let offers = |parity: usize, charge: i32| -> i32 {
            let sum = |cell: usize| -> i32 {
                let touched = around(cell).into_iter().filter_map(|next| self.on[next]);
                let touched = touched.filter(|index| *index != head);
                touched.map(|index| instance.sign() * self.charge(index) * charge).sum()
            };
            let cells = (0..torus.cells()).filter(|cell| torus.colour(*cell) == parity);
            let mut sums: Vec<i32> =
                cells.filter(|cell| is_free(*cell)).map(sum).filter(|sum| *sum > 0).collect();
            sums.sort_unstable_by_key(|sum| -sum);
            let from_cells: i32 = sums.into_iter().take(to_come(parity, charge).count()).sum();
            let suits = head % 2 != parity && instance.sign() * self.charge(head) * charge > 0;
            (from_cells + if suits { spare } else { 0 }).min(sides(parity, charge))
        };
        let pair = |even: i32, odd: i32| {
            (sides(0, even) + offers(1, odd)).min(sides(1, odd) + offers(0, even))
        };
        match instance.interaction() {
            Interaction::Charge => pair(1, -1) + pair(-1, 1),
            Interaction::Hp => pair(1, 1),
        }
    }

    /// The number of empty cells beside a cell.
    fn count_empty(&self, cell: usize) -> i32 {
        let next = self.instance.torus().next_of::<4>(cell);
        next.into_iter().filter(|next| self.on[usize::from(*next)].is_none()).count() as i32
    }

    /// What the laid monomers beside a cell offer to a charge of +1 there, without the head.
    fn offer(&self, cell: usize) -> i32 {
        let head = self.walk.len() - 1;
        let next = self.instance.torus().next_of::<4>(cell);
        let touched = next.into_iter().filter_map(|next| self.on[usize::from(next)]);
        let touched = touched.filter(|index| *index != head);
        touched.map(|index| self.instance.sign() * self.charge(index)).sum()
    }

    /// How many halves a monomer of this index counts for each contact with others to come.
    fn weight(&self, index: usize, (lambda, mu): (i32, i32)) -> i32 {
        match (index % 2, self.charge(index)) {
            (_, 0) => 0,
            (0, 1) => lambda,
            (0, _) => mu,
            (_, 1) if self.instance.interaction() == Interaction::Hp => 2 - lambda,
            (_, 1) => 2 - mu,
            _ => 2 - lambda,
        }
    }

    /// The bound by assignment: the least over all weights and prices.
    /// None if there are not enough cells.
    fn by_assignment(&self) -> Option<i32> {
        let torus = self.instance.torus();
        let (laid, last) = (self.walk.len(), self.instance.len() - 1);
        if laid > last {
            return Some(self.count_gain());
        }
        let head = self.walk[laid - 1];
        let all: Vec<usize> = (0..torus.cells()).filter(|cell| self.on[*cell].is_none()).collect();
        let beside: Vec<usize> =
            all.iter().copied().filter(|cell| torus.touch(head, *cell)).collect();
        let spare = if self.charge(laid - 1) == 0 { 0 } else { beside.len() as i32 - 1 };
        let end = if laid < last && self.charge(last) != 0 { 6 } else { 0 };
        let mut least = i32::MAX;
        for weights in (0..=2).flat_map(|lambda| (0..=2).map(move |mu| (lambda, mu))) {
            let next = |cell: &usize| {
                let bonds = i32::from(laid < last);
                2 * self.charge(laid) * self.offer(*cell)
                    + self.weight(laid, weights) * (self.count_empty(*cell) - bonds).max(0)
            };
            let mut bound =
                2 * (self.count_gain() + spare) + end + beside.iter().map(next).max()?;
            for colour in 0..2 {
                bound += self.assign_inner(&all, colour, weights)?;
            }
            least = least.min(bound.div_euclid(2));
            if least <= self.target {
                break;
            }
        }
        Some(least)
    }

    /// The most halves that the monomers between the next one and the last gain on the cells of
    /// their colour among the empty ones: the least over all prices. None if there are not enough
    /// cells.
    fn assign_inner(&self, empty: &[usize], colour: usize, weights: (i32, i32)) -> Option<i32> {
        let torus = self.instance.torus();
        let cells = empty.iter().copied().filter(|cell| torus.colour(*cell) == colour);
        let cells: Vec<usize> = cells.filter(|cell| self.count_empty(*cell) >= 2).collect();
        let inner = self.walk.len() + 1..self.instance.len() - 1;
        let inner: Vec<usize> = inner.filter(|index| index % 2 == colour).collect();
        if cells.len() < inner.len() {
            return None;
        }
        // Cells that offer the same and have as many empty neighbours are worth the same.
        let mut alike: BTreeMap<(i32, i32), i32> = BTreeMap::new();
        for cell in cells {
            *alike.entry((self.offer(cell), self.count_empty(cell))).or_default() += 1;
        }
        let of_sign = |sign: i32| {
            let mut signed = inner.iter().filter(|index| self.charge(**index) == sign);
            let count = signed.clone().count() as i32;
            (signed.next().map_or(0, |index| self.weight(*index, weights)), count)
        };
        let [(plus_weight, pluses), (minus_weight, minuses)] = [of_sign(1), of_sign(-1)];
        let priced = |plus: i32, minus: i32| -> i32 {
            let best = |((offer, empty), count): (&(i32, i32), &i32)| {
                let as_plus = 2 * offer + plus_weight * (empty - 2) - plus;
                let as_minus = -2 * offer + minus_weight * (empty - 2) - minus;
                count * as_plus.max(as_minus).max(0)
            };
            alike.iter().map(best).sum::<i32>() + plus * pluses + minus * minuses
        };
        // No sign is worth more than four halves either way anywhere.
        let prices = (-4..=4).flat_map(|plus| (-4..=4).map(move |minus| (plus, minus)));
        Some(prices.map(|(plus, minus)| priced(plus, minus)).min().unwrap_or(0))
    }

    /// Whether some free region beside the head has enough cells, of both colours.
    fn has_room(&self) -> bool {
        let torus = self.instance.torus();
        let more = self.instance.len() - self.walk.len();
        if more == 0 {
            return true;
        }
        torus.next_of::<4>(self.walk[self.walk.len() - 1]).into_iter().any(|start| {
            let start = usize::from(start);
            if self.on[start].is_some() {
                return false;
            }
            let mut seen = vec![false; torus.cells()];
            let mut stack = vec![start];
            seen[start] = true;
            let mut have = [0; 2];
            while let Some(cell) = stack.pop() {
                have[usize::from(torus.colour(cell) != torus.colour(start))] += 1;
                for next in torus.next_of::<4>(cell).map(usize::from) {
                    if self.on[next].is_none() && !seen[next] {
                        seen[next] = true;
                        stack.push(next);
                    }
                }
            }
            have[0] >= more.div_ceil(2) && have[1] >= more / 2
        })
    }
}
