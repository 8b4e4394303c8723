//! Proofs of version 2: the tree is over segments of walks, which grow at both ends from the
//! monomer that is laid first. The mark of a segment is
//!
//! - `<` or `>`: it grows at the front or at the back of the chain; the marks of all segments that
//!   are one longer follow, in the order of the steps R, D, L, U;
//! - `o`: the walk is whole;
//! - `x`: there is no room for the rest;
//! - `p`, two digits and four letters: a bound by prices cuts it off. The digits are the halves
//!   that a plus and a minus on the first monomer's colour count for each contact with others to
//!   come; their partners on the other colour count what is left of two halves. The letters are the
//!   prices of a plus and of a minus on this colour, then on the other, with `n` for 0, `m` for −1,
//!   `o` for 1 and so on.
//!
//! The bound by prices is that of the search, written from its description alone there: a cell's
//! price is what it would be worth to a monomer to come, less the price of the monomer's sign, or
//! nothing. Whatever the four prices are, this gives a bound.
//!
//! What each cell offers, how many of its neighbours are empty, and R_nc are kept up to date while
//! monomers are laid and taken back. Everything else is computed again for each mark.

use std::ops::Range;

use super::error::ProofError;
use super::laid;
use super::marks::Marks;
use crate::rules::instance::{Instance, Interaction};

struct Checker<'a> {
    instance: &'a Instance,
    target: i32,
    marks: Marks<'a>,
    first: usize,
    /// The monomers at the front and at the back of the segment.
    front: usize,
    back: usize,
    /// The cells of the laid monomers, by index.
    cells: Vec<usize>,
    /// The index of the monomer on each cell.
    on: Vec<Option<usize>>,
    /// What the laid monomers beside each cell offer to a +1 there.
    offer: Vec<i32>,
    /// The empty neighbours of each cell.
    empty: Vec<i32>,
    /// R_nc of the laid monomers.
    gained: i32,
    /// What a minus, a neutral monomer and a plus is worth on each cell, less the cell's price, if
    /// it has a monomer to come on both sides; [`NEVER`] if it cannot be there. For one bound only.
    inner: Vec<[i32; 3]>,
    /// The price of each empty cell; for one bound only.
    price: Vec<i32>,
    /// The greatest sums of walks to each cell that can go on to the right, down, to the left and
    /// up; [`NEVER`] between bounds.
    onward: Vec<[i32; 4]>,
    /// Whether a cell is in the list of those near a head; no cell is between bounds.
    is_near: Vec<bool>,
}

/// The worth of what is impossible: sums that contain it stay below half of it, all others far
/// above.
const NEVER: i32 = i32::MIN / 2;

/// What a bound by prices is given by.
struct Prices {
    /// By colour, what a plus and what a minus counts for each contact with others to come, in
    /// halves.
    weights: [[i32; 2]; 2],
    /// By colour, the prices of a plus and of a minus, in halves.
    signs: [[i32; 2]; 2],
}

/// The monomers to come at one end: `count` of them, the next one after `head` has index `next`.
#[derive(Clone, Copy)]
struct Rest {
    head: usize,
    next: usize,
    count: usize,
    is_front: bool,
}

impl Rest {
    /// The index of the monomer to come at this place.
    fn index(self, place: usize) -> usize {
        if self.is_front { self.next - place } else { self.next + place }
    }
}

/// The empty cells near a head: those at odd distances and those at even ones, each list beginning
/// with the nearest.
struct Near {
    cells: [Vec<usize>; 2],
    /// By place of a monomer to come, how many cells of its list it can be on.
    until: Vec<usize>,
}

impl Near {
    /// The cells on which the monomer at this place can be.
    fn at(&self, place: usize) -> &[usize] {
        &self.cells[place % 2][..self.until[place]]
    }
}

/// The greatest sums of walks that go on to the right, down, to the left and up, from those of
/// walks whose last step went to the right, down, to the left and up: none turns back.
fn go_on([right, down, left, up]: [i32; 4]) -> [i32; 4] {
    let (across, along) = (right.max(left), down.max(up));
    [right.max(along), down.max(across), left.max(along), up.max(across)]
}

/// Verifies the marks.
pub(super) fn check(
    instance: &Instance,
    target: i32,
    first: usize,
    marks: Marks<'_>,
) -> Result<(), ProofError> {
    let cells = instance.torus().cells();
    let mut checker = Checker {
        instance,
        target,
        marks,
        first,
        front: first,
        back: first,
        cells: vec![0; instance.len()],
        on: vec![None; cells],
        offer: vec![0; cells],
        empty: vec![4; cells],
        gained: 0,
        inner: vec![[NEVER; 3]; cells],
        price: vec![0; cells],
        onward: vec![[NEVER; 4]; cells],
        is_near: vec![false; cells],
    };
    checker.lay(first, 0);
    checker.node()?;
    checker.marks.end()
}

impl Checker<'_> {
    /// The problem with the segment.
    fn problem(&self, problem: &str) -> ProofError {
        let cells: Vec<u16> =
            self.cells[self.front..=self.back].iter().map(|cell| *cell as u16).collect();
        let from = self.front + 1;
        let steps = crate::notation::steps_of(self.instance.torus(), &cells);
        ProofError(match steps.as_str() {
            "" => format!("monomer {from} alone: {problem}"),
            steps => format!("monomers {from} and on, laid {steps}: {problem}"),
        })
    }

    fn node(&mut self) -> Result<(), ProofError> {
        let n = self.instance.len();
        let is_whole = self.front == 0 && self.back + 1 == n;
        match self.marks.next_unless_stopped()? {
            Some('<') if self.front > 0 => self.grow(self.front, self.front - 1),
            Some('>') if self.back + 1 < n => self.grow(self.back, self.back + 1),
            Some('o') if is_whole && self.gained <= self.target => Ok(()),
            Some('o') if is_whole => {
                let (gained, target) = (self.gained, self.target);
                Err(self.problem(&format!("R_nc {gained}; expected at most {target}")))
            }
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
            Some('<') => Err(self.problem("“<”, but the front of the chain is laid already")),
            Some('>') => Err(self.problem("“>”, but the back of the chain is laid already")),
            Some('o') => Err(self.problem("“o”, but the walk is not whole")),
            Some(other) => {
                Err(self.problem(&format!("“{other}” is not a mark; expected <, >, o, x or p")))
            }
            None => Err(self.problem("the proof ends here; expected a mark")),
        }
    }

    /// Verifies all segments that are longer by this monomer, the one beside the head.
    fn grow(&mut self, head: usize, index: usize) -> Result<(), ProofError> {
        let ends = (self.front, self.back);
        let laid = &self.cells[self.front..=self.back];
        let cells = laid::next_cells(self.instance, laid, self.cells[head], &self.on);
        let gained = self.gained;
        (self.front, self.back) = (self.front.min(index), self.back.max(index));
        for cell in cells {
            let offer = self.offer_without(cell, head);
            self.gained = gained + self.charge(index) * offer;
            self.lay(index, cell);
            debug_assert_eq!(self.gained, self.count_gain());
            self.node()?;
            self.take_back(index);
        }
        self.gained = gained;
        (self.front, self.back) = ends;
        Ok(())
    }

    fn lay(&mut self, index: usize, cell: usize) {
        self.cells[index] = cell;
        self.on[cell] = Some(index);
        for next in self.around(cell) {
            self.offer[next] += self.instance.sign() * self.charge(index);
            self.empty[next] -= 1;
        }
    }

    fn take_back(&mut self, index: usize) {
        let cell = self.cells[index];
        self.on[cell] = None;
        for next in self.around(cell) {
            self.offer[next] -= self.instance.sign() * self.charge(index);
            self.empty[next] += 1;
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
            return Err(self.problem("expected two digits from 0 to 2 and four letters after p"));
        };
        let (plus, minus) = (plus as i32, minus as i32);
        let weights = match self.instance.interaction() {
            Interaction::Charge => [[plus, minus], [2 - minus, 2 - plus]],
            Interaction::Hp => [[plus, 0], [2 - plus, 0]],
        };
        Ok(Prices { weights, signs: [[a, b], [c, d]] })
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
        let laid = &self.cells[self.front..=self.back];
        laid::count_gain(self.instance, self.front, laid, &self.on)
    }

    /// What the laid monomers offer a +1 on a cell beside this head, without the head itself.
    fn offer_without(&self, cell: usize, head: usize) -> i32 {
        self.offer[cell] - self.instance.sign() * self.charge(head)
    }

    /// The monomers to come at the front and at the back.
    fn to_come(&self) -> [Rest; 2] {
        let (front, back) = (self.front, self.back);
        let count = self.instance.len() - 1 - back;
        [
            Rest { head: front, next: front.wrapping_sub(1), count: front, is_front: true },
            Rest { head: back, next: back + 1, count, is_front: false },
        ]
    }

    /// What the monomer to come at this place, the first or the last of its end, is worth on an
    /// empty cell at most, in halves, without a price.
    fn worth(&self, prices: &Prices, rest: Rest, place: usize, cell: usize) -> i32 {
        let index = rest.index(place);
        let [plus, minus] = prices.weights[self.colour(index)];
        let weight = match self.charge(index) {
            0 => 0,
            1 => plus,
            _ => minus,
        };
        let bonds = i32::from(place > 0) + i32::from(place + 1 < rest.count);
        let sides = (self.empty[cell] - bonds).max(0);
        let offer = match place {
            0 => self.offer_without(cell, rest.head),
            _ => self.offer[cell],
        };
        2 * self.charge(index) * offer + weight * sides
    }

    /// Notes the price of every empty cell, and what it is worth to monomers with two bonds to
    /// others to come, which need two empty neighbours. Returns the sum of all prices.
    fn set_prices(&mut self, prices: &Prices) -> i32 {
        let torus = self.instance.torus();
        let mut sum = 0;
        for cell in 0..self.on.len() {
            self.inner[cell] = [NEVER; 3];
            self.price[cell] = 0;
            let sides = self.empty[cell] - 2;
            if self.on[cell].is_some() || sides < 0 {
                continue;
            }
            let colour = torus.colour(cell);
            let [plus, minus] = prices.weights[colour];
            let [plus_price, minus_price] = prices.signs[colour];
            let offer = 2 * self.offer[cell];
            let (plus, minus) = (offer + plus * sides, -offer + minus * sides);
            let price = (plus - plus_price).max(minus - minus_price).max(0);
            self.inner[cell] = [minus - price, -price, plus - price];
            self.price[cell] = price;
            sum += price;
        }
        sum
    }

    /// The bound by prices; `None` if no walk goes on.
    fn bound(&mut self, prices: &Prices) -> Option<i32> {
        let mut bound = 2 * self.gained + self.set_prices(prices);
        for rest in self.to_come() {
            if rest.count > 0 {
                bound += self.best_walk(prices, rest)?;
            }
        }
        Some(bound.div_euclid(2))
    }

    /// The greatest sum of a walk that never turns back, less the prices of its cells; `None` if
    /// there is no walk.
    fn best_walk(&mut self, prices: &Prices, rest: Rest) -> Option<i32> {
        let near = self.near(rest);
        for (way, cell) in self.around(self.cells[rest.head]).into_iter().enumerate() {
            if self.on[cell].is_none() {
                let mut sums = [NEVER; 4];
                sums[way] = self.worth(prices, rest, 0, cell) - self.price[cell];
                self.onward[cell] = go_on(sums);
            }
        }
        for place in 1..rest.count {
            let is_last = place + 1 == rest.count;
            let kind = (self.charge(rest.index(place)) + 1) as usize;
            for &cell in near.at(place) {
                let worth = match is_last {
                    true => self.worth(prices, rest, place, cell) - self.price[cell],
                    false => self.inner[cell][kind],
                };
                if worth == NEVER {
                    self.onward[cell] = [NEVER; 4];
                    continue;
                }
                let [right, below, left, above] = self.around(cell);
                let before = [
                    self.onward[left][0],
                    self.onward[above][1],
                    self.onward[right][2],
                    self.onward[below][3],
                ];
                self.onward[cell] = go_on(before.map(|sum| sum + worth));
            }
        }
        let ends = near.at(rest.count - 1).iter().flat_map(|cell| self.onward[*cell]);
        let best = ends.max().filter(|best| *best > NEVER / 2);
        for cell in near.cells.iter().flatten() {
            self.onward[*cell] = [NEVER; 4];
            self.is_near[*cell] = false;
        }
        best
    }

    /// The empty cells to which as many steps from the head lead as there are monomers to come.
    fn near(&mut self, rest: Rest) -> Near {
        let torus = self.instance.torus();
        let mut near = Near { cells: [Vec::new(), Vec::new()], until: vec![0; rest.count] };
        let mut last = vec![self.cells[rest.head]];
        for place in 0..rest.count {
            let cells = &mut near.cells[place % 2];
            let before = cells.len();
            for next in last.into_iter().flat_map(|cell| torus.next_of::<4>(cell)) {
                let next = usize::from(next);
                if self.on[next].is_none() && !self.is_near[next] {
                    self.is_near[next] = true;
                    cells.push(next);
                }
            }
            near.until[place] = cells.len();
            last = cells[before..].to_vec();
        }
        near
    }

    /// Whether the rest of both ends fits into the free regions beside their heads, and there are
    /// enough cells for the monomers whose bonds lead to others to come.
    fn has_room(&self) -> bool {
        let torus = self.instance.torus();
        let to_come = self.to_come();
        let count = |rest: Rest, places: Range<usize>, colour: usize| {
            places.filter(|place| self.colour(rest.index(*place)) == colour).count()
        };
        let free = (0..torus.cells()).filter(|cell| self.on[*cell].is_none());
        let enough = |colour: usize| {
            let inner = to_come.map(|rest| count(rest, 1..rest.count.max(2) - 1, colour));
            let wide = free.clone().filter(|cell| torus.colour(*cell) == colour);
            wide.filter(|cell| self.empty[*cell] >= 2).count() >= inner.iter().sum::<usize>()
        };
        if !enough(0) || !enough(1) {
            return false;
        }
        // For each end, the regions into which its rest fits; an end of which nothing is to come
        // fits anywhere.
        let regions = self.regions();
        let fits = |end: usize, region: &[usize], used: [usize; 2]| {
            let rest = to_come[end];
            let head = self.cells[rest.head];
            let touches = region.iter().any(|cell| torus.touch(head, *cell));
            let room = |colour: usize| {
                let cells = region.iter().filter(|cell| torus.colour(**cell) == colour).count();
                cells >= count(rest, 0..rest.count, colour) + used[colour]
            };
            rest.count == 0 || touches && room(0) && room(1)
        };
        let needs = [0, 1].map(|colour| count(to_come[0], 0..to_come[0].count, colour));
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
