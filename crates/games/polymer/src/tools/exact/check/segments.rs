//! Proofs of version 2: the tree is over segments of walks, which grow at both ends from the monomer that is
//! laid first. The mark of a segment is
//!
//! - `<` or `>`: it grows at the front or at the back of the chain; the marks of all segments that are one longer
//!   follow, in the order of the steps R, D, L, U;
//! - `o`: the walk is whole;
//! - `x`: there is no room for the rest;
//! - `p`, two digits and four letters: a bound by prices cuts it off. The digits are the halves that a plus and
//!   a minus on the first monomer's colour count for each contact with others to come; their partners on the
//!   other colour count what is left of two halves. The letters are the prices of a plus and of a minus on this
//!   colour, then on the other, with `n` for 0, `m` for −1, `o` for 1 and so on.
//!
//! The bound by prices is that of the search, written anew from its description there: a cell's price is what
//! it would be worth to a monomer to come, less the price of the monomer's sign, or nothing. Whatever the four
//! prices are, this gives a bound.

use std::collections::BTreeMap;

use super::error::ProofError;
use super::laid;
use crate::rules::instance::{Instance, Interaction};

struct Checker<'a> {
    instance: &'a Instance,
    target: i32,
    marks: std::str::Chars<'a>,
    /// The monomers from the front to the back of the segment, and their cells.
    front: usize,
    cells: Vec<usize>,
    first: usize,
    /// The index of the monomer on each cell.
    on: Vec<Option<usize>>,
}

/// What a bound by prices is given by.
struct Prices {
    /// By colour, what a plus and what a minus counts for each contact with others to come, in halves.
    weights: [[i32; 2]; 2],
    /// By colour, the prices of a plus and of a minus, in halves.
    signs: [[i32; 2]; 2],
}

/// Verifies the marks.
pub(super) fn check(
    instance: &Instance,
    target: i32,
    first: usize,
    marks: &str,
) -> Result<(), ProofError> {
    let mut on = vec![None; instance.torus().cells()];
    on[0] = Some(first);
    let (marks, cells) = (marks.chars(), vec![0]);
    let mut checker = Checker { instance, target, marks, front: first, cells, first, on };
    checker.node()?;
    match checker.marks.next() {
        None => Ok(()),
        Some(_) => Err("marks are left over at the end".into()),
    }
}

impl Checker<'_> {
    fn back(&self) -> usize {
        self.front + self.cells.len() - 1
    }

    /// The problem with the segment.
    fn problem(&self, problem: &str) -> ProofError {
        let cells: Vec<u16> = self.cells.iter().map(|cell| *cell as u16).collect();
        let steps = crate::notation::steps_of(self.instance.torus(), &cells);
        ProofError(format!("monomers {} and on, laid {steps}: {problem}", self.front + 1))
    }

    fn node(&mut self) -> Result<(), ProofError> {
        let n = self.instance.len();
        match self.marks.next() {
            Some('<') if self.front > 0 => {
                for cell in self.next(self.cells[0]) {
                    self.front -= 1;
                    self.cells.insert(0, cell);
                    self.on[cell] = Some(self.front);
                    self.node()?;
                    self.on[cell] = None;
                    self.cells.remove(0);
                    self.front += 1;
                }
                Ok(())
            }
            Some('>') if self.back() + 1 < n => {
                for cell in self.next(self.cells[self.cells.len() - 1]) {
                    self.cells.push(cell);
                    self.on[cell] = Some(self.back());
                    self.node()?;
                    self.on[cell] = None;
                    self.cells.pop();
                }
                Ok(())
            }
            Some('o') if self.cells.len() == n && self.count_gain() <= self.target => Ok(()),
            Some('x') if !self.has_room() => Ok(()),
            Some('x') => Err(self.problem("there is room")),
            Some('p') => {
                let prices = self.read_prices()?;
                match self.bound(&prices) {
                    Some(bound) if bound > self.target => {
                        Err(self.problem("cut off, but a walk above the target may follow"))
                    }
                    _ => Ok(()),
                }
            }
            other => Err(self.problem(&format!("unexpected mark {other:?}"))),
        }
    }

    fn read_prices(&mut self) -> Result<Prices, ProofError> {
        let mut digit = || self.marks.next().and_then(|mark| mark.to_digit(3));
        let digits = [digit(), digit()];
        let mut letter = || {
            let mark = self.marks.next().filter(char::is_ascii_lowercase)?;
            Some(mark as i32 - 'n' as i32)
        };
        let letters = [letter(), letter(), letter(), letter()];
        let ([Some(plus), Some(minus)], [Some(a), Some(b), Some(c), Some(d)]) = (digits, letters)
        else {
            return Err(self.problem("expected two digits and four letters after p"));
        };
        let (plus, minus) = (plus as i32, minus as i32);
        let weights = match self.instance.interaction() {
            Interaction::Charge => [[plus, minus], [2 - minus, 2 - plus]],
            Interaction::Hp => [[plus, 0], [2 - plus, 0]],
        };
        Ok(Prices { weights, signs: [[a, b], [c, d]] })
    }

    fn next(&self, head: usize) -> Vec<usize> {
        laid::next_cells(self.instance, &self.cells, head, &self.on)
    }

    fn charge(&self, index: usize) -> i32 {
        i32::from(self.instance.monomers()[index])
    }

    fn colour(&self, index: usize) -> usize {
        (index + self.first) % 2
    }

    fn around(&self, cell: usize) -> [usize; 4] {
        self.instance.torus().next_of::<4>(cell).map(usize::from)
    }

    fn count_gain(&self) -> i32 {
        laid::count_gain(self.instance, self.front, &self.cells, &self.on)
    }

    /// What the laid monomers offer a +1 on a cell, without this one.
    fn offer(&self, cell: usize, without: Option<usize>) -> i32 {
        let touched = self.around(cell).into_iter().filter_map(|next| self.on[next]);
        let touched = touched.filter(|index| Some(*index) != without);
        touched.map(|index| self.instance.sign() * self.charge(index)).sum()
    }

    fn empty(&self, cell: usize) -> i32 {
        self.around(cell).into_iter().filter(|next| self.on[*next].is_none()).count() as i32
    }

    /// The monomers to come, from each head on.
    fn to_come(&self) -> [Vec<usize>; 2] {
        [(0..self.front).rev().collect(), (self.back() + 1..self.instance.len()).collect()]
    }

    fn heads(&self) -> [usize; 2] {
        [self.front, self.back()]
    }

    /// What a monomer to come is worth on a cell at most, in halves, without a price; `None` if it cannot be
    /// there. `place` counts from the head, and `left` monomers follow.
    fn worth(
        &self,
        prices: &Prices,
        index: usize,
        (head, place, left): (usize, usize, usize),
        cell: usize,
    ) -> Option<i32> {
        if self.instance.torus().colour(cell) != self.colour(index) || self.on[cell].is_some() {
            return None;
        }
        let weights = prices.weights[self.colour(index)];
        let weight = match self.charge(index) {
            0 => 0,
            1 => weights[0],
            _ => weights[1],
        };
        let bonds = i32::from(place > 0) + i32::from(left > 0);
        let sides = self.empty(cell) - bonds;
        if bonds == 2 && sides < 0 {
            return None;
        }
        let offer = self.offer(cell, (place == 0).then_some(head));
        Some(2 * self.charge(index) * offer + weight * sides.max(0))
    }

    /// The price of an empty cell.
    fn price(&self, prices: &Prices, cell: usize) -> i32 {
        let colour = self.instance.torus().colour(cell);
        let sides = self.empty(cell) - 2;
        if sides < 0 {
            return 0;
        }
        let offer = self.offer(cell, None);
        let [plus, minus] = prices.weights[colour];
        let worth = [2 * offer + plus * sides, -2 * offer + minus * sides];
        let less = |sign: usize| worth[sign] - prices.signs[colour][sign];
        less(0).max(less(1)).max(0)
    }

    /// The bound by prices; `None` if no walk goes on.
    fn bound(&self, prices: &Prices) -> Option<i32> {
        let free: Vec<usize> = (0..self.on.len()).filter(|cell| self.on[*cell].is_none()).collect();
        let price: BTreeMap<usize, i32> =
            free.iter().map(|cell| (*cell, self.price(prices, *cell))).collect();
        let mut bound = 2 * self.count_gain() + price.values().sum::<i32>();
        for (rest, head) in self.to_come().into_iter().zip(self.heads()) {
            if rest.is_empty() {
                continue;
            }
            // The greatest sums of walks by their last two cells.
            let start = self.cells[head - self.front];
            let mut walks = BTreeMap::from([((start, start), 0)]);
            for (place, index) in rest.iter().enumerate() {
                let left = rest.len() - 1 - place;
                let mut longer = BTreeMap::new();
                for ((before, cell), sum) in walks {
                    for next in self.around(cell).into_iter().filter(|next| *next != before) {
                        let worth = self.worth(prices, *index, (head, place, left), next);
                        if let Some(worth) = worth {
                            let sum = sum + worth - price[&next];
                            let best = longer.entry((cell, next)).or_insert(sum);
                            *best = sum.max(*best);
                        }
                    }
                }
                walks = longer;
            }
            bound += walks.values().max()?;
        }
        Some(bound.div_euclid(2))
    }

    /// Whether the rest of both ends fits into the free regions beside their heads, and there are enough cells
    /// for the monomers whose bonds lead to others to come.
    fn has_room(&self) -> bool {
        let torus = self.instance.torus();
        let to_come = self.to_come();
        let count = |indices: &[usize], colour: usize| {
            indices.iter().filter(|index| self.colour(**index) == colour).count()
        };
        let free = (0..torus.cells()).filter(|cell| self.on[*cell].is_none());
        let enough = |colour: usize| {
            let inner = to_come.iter().map(|rest| {
                let inner = rest.get(1..rest.len().max(2) - 1).unwrap_or_default();
                count(inner, colour)
            });
            let wide = free.clone().filter(|cell| torus.colour(*cell) == colour);
            wide.filter(|cell| self.empty(*cell) >= 2).count() >= inner.sum()
        };
        if !enough(0) || !enough(1) {
            return false;
        }
        // For each end, the regions into which its rest fits; an end of which nothing is to come fits anywhere.
        let regions = self.regions();
        let fits = |end: usize, region: &[usize], used: [usize; 2]| {
            let rest = &to_come[end];
            let head = self.cells[self.heads()[end] - self.front];
            let touches = region.iter().any(|cell| torus.touch(head, *cell));
            let room = |colour: usize| {
                let cells = region.iter().filter(|cell| torus.colour(**cell) == colour).count();
                cells >= count(rest, colour) + used[colour]
            };
            rest.is_empty() || touches && room(0) && room(1)
        };
        let needs = [0, 1].map(|colour| count(&to_come[0], colour));
        let choices = || 0..regions.len().max(1);
        let region = |number: usize| regions.get(number).map(Vec::as_slice).unwrap_or_default();
        choices().filter(|front| fits(0, region(*front), [0, 0])).any(|front| {
            choices().any(|back| {
                let used = if front == back { needs } else { [0, 0] };
                fits(1, region(back), used)
            })
        })
    }

    /// The free regions.
    fn regions(&self) -> Vec<Vec<usize>> {
        let mut seen: Vec<bool> = self.on.iter().map(Option::is_some).collect();
        let mut regions = Vec::new();
        for start in 0..seen.len() {
            if seen[start] {
                continue;
            }
            let mut region = vec![start];
            seen[start] = true;
            let mut at = 0;
            while at < region.len() {
                for next in self.around(region[at]) {
                    if !seen[next] {
                        seen[next] = true;
                        region.push(next);
                    }
                }
                at += 1;
            }
            regions.push(region);
        }
        regions
    }
}
