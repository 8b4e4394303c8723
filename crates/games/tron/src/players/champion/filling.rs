//! Filling: the longest path through one's own space once the players are apart.
//!
//! There are two methods. [`Filler::longest`] gives an upper bound, and the exact length once the
//! depth suffices. It is a depth-first search in which a line that reaches the depth limit counts
//! the cells walked plus the bound of the chambers still open, and a line whose bound does not beat
//! the best so far is cut (branch and bound). [`Filler::improve`] finds a complete path to walk: it
//! takes a greedy one and tries to leave it at every step (limited discrepancy search, Harvey and
//! Ginsberg 1995, with one discrepancy at a time).

use super::chambers::Evaluator;
use quintain_grid::{Cell, Lane, Rows};

use crate::Direction;

/// The error for a limit that was reached in the middle of a search.
pub(super) struct LimitReached;

/// A search for the longest path.
pub(super) struct Filler<'a, L: Lane, const N: usize> {
    pub(super) evaluator: &'a mut Evaluator<L, N>,
    pub(super) spend: &'a mut dyn FnMut() -> bool,
    pub(super) nodes: &'a mut u64,
}

impl<L: Lane, const N: usize> Filler<'_, L, N> {
    /// The longest path from the head as far as `depth` steps tell: cells walked plus the bound of
    /// what is left. Also returns its first step.
    pub(super) fn longest(
        &mut self,
        free: &Rows<L, N>,
        head: Cell,
        depth: u32,
    ) -> Result<(i32, Option<Direction>), LimitReached> {
        let bound = self.evaluator.longest_bound(free, head);
        let mut first = None;
        let most = self.deepen(free, head, depth, bound, -1, &mut first)?;
        Ok((most, first))
    }

    /// The longest path if it is longer than `known`; otherwise some value no greater than `known`.
    fn deepen(
        &mut self,
        free: &Rows<L, N>,
        head: Cell,
        depth: u32,
        bound: i32,
        known: i32,
        first: &mut Option<Direction>,
    ) -> Result<i32, LimitReached> {
        if depth == 0 {
            return Ok(bound);
        }
        let (steps, count) = self.steps(free, head)?;
        let mut most = 0;
        for &(behind, _, direction) in &steps[..count] {
            // Steps are ordered by their bound, so no later one is better either.
            if -behind <= most.max(known) {
                break;
            }
            let next = direction.step(head);
            let mut left = *free;
            left.remove(next);
            let longest = 1 + self.deepen(
                &left,
                next,
                depth - 1,
                -behind - 1,
                most.max(known) - 1,
                &mut None,
            )?;
            if longest > most {
                most = longest;
                *first = Some(direction);
            }
            // The bound of this position is reached, so nothing is longer.
            if most >= bound {
                break;
            }
        }
        Ok(most)
    }

    /// The open steps, best first: by the bound behind them (negated), then along walls, where
    /// there are the fewest exits.
    fn steps(&mut self, free: &Rows<L, N>, head: Cell) -> Result<(Steps, usize), LimitReached> {
        let mut steps = [(0, 0, Direction::Up); 4];
        let mut count = 0;
        for direction in Direction::ALL {
            let next = direction.step(head);
            if free.contains(next) {
                *self.nodes += 1;
                if !(self.spend)() {
                    return Err(LimitReached);
                }
                let mut left = *free;
                left.remove(next);
                let behind = 1 + self.evaluator.longest_bound(&left, next);
                let exits = Direction::ALL.iter().filter(|to| left.contains(to.step(next)));
                steps[count] = (-behind, exits.count(), direction);
                count += 1;
            }
        }
        steps[..count].sort_by_key(|&(behind, exits, _)| (behind, exits));
        Ok((steps, count))
    }

    /// Walks on greedily from the head and appends the steps to the path.
    fn walk_on(
        &mut self,
        mut free: Rows<L, N>,
        mut head: Cell,
        path: &mut Vec<Direction>,
    ) -> Result<(), LimitReached> {
        loop {
            let (steps, count) = self.steps(&free, head)?;
            if count == 0 {
                return Ok(());
            }
            path.push(steps[0].2);
            head = steps[0].2.step(head);
            free.remove(head);
        }
    }

    /// Lengthens the path as long as leaving it at one step helps. The path in `best` can be walked
    /// at any time, even when the limit stops this search.
    pub(super) fn improve(
        &mut self,
        free: &Rows<L, N>,
        head: Cell,
        best: &mut Vec<Direction>,
    ) -> Result<(), LimitReached> {
        if best.is_empty() {
            self.walk_on(*free, head, best)?;
        }
        loop {
            let known = best.len();
            let (mut left, mut at) = (*free, head);
            let mut walked = 0;
            while walked < best.len() {
                let (steps, count) = self.steps(&left, at)?;
                for &(behind, _, direction) in &steps[..count] {
                    // A deviation is followed to its end only if its bound promises more.
                    if direction == best[walked] || walked as i32 - behind <= best.len() as i32 {
                        continue;
                    }
                    let mut other = best[..walked].to_vec();
                    other.push(direction);
                    let next = direction.step(at);
                    let mut after = left;
                    after.remove(next);
                    self.walk_on(after, next, &mut other)?;
                    if other.len() > best.len() {
                        *best = other;
                    }
                }
                at = best[walked].step(at);
                left.remove(at);
                walked += 1;
            }
            if best.len() == known {
                return Ok(());
            }
        }
    }
}

/// Steps, each with the bound behind it (negated) and its number of exits.
type Steps = [(i32, usize, Direction); 4];
