//! Beam search (Lowerre 1976) with undo along the tree: of every level only the `width` best
//! positions are kept, but none is copied. One position is moved from one kept node to
//! the next, back to their common ancestor and down again; nodes of a level stand in
//! the order of their parents, so that the path between neighbours is short. Equal positions, by
//! their hash, are kept once.
//!
//! ```
//! use quintain_core::Meter;
//! use quintain_search::beam::{Branch, Branching, search};
//!
//! /// Numbers below 4 are chosen one after the other, none twice; the sum should be large.
//! struct Choosing(Vec<u64>);
//!
//! impl Branching for Choosing {
//!     type Step = u64;
//!     fn branches(&mut self, out: &mut Vec<Branch<u64>>) {
//!         let sum: u64 = self.0.iter().sum();
//!         // The set chosen is the position: 1 then 2 is the same as 2 then 1.
//!         let set: u64 = self.0.iter().map(|number| 1 << number).sum();
//!         for step in (0..4).filter(|step| !self.0.contains(step)) {
//!             out.push(Branch { step, key: (sum + step) as f64, hash: set | 1 << step });
//!         }
//!     }
//!     fn step(&mut self, step: u64) {
//!         self.0.push(step);
//!     }
//!     fn undo(&mut self) {
//!         self.0.pop();
//!     }
//! }
//!
//! let (depth, width) = (2, 3);
//! let steps = search(&mut Choosing(Vec::new()), depth, width, &mut Meter::of(100));
//! assert_eq!(steps.map(|steps| steps.iter().sum::<u64>()), Some(3 + 2));
//! ```

use std::collections::HashSet;

use quintain_core::Meter;

/// A position that makes steps and takes them back.
pub trait Branching {
    /// One step.
    type Step: Copy;

    /// Appends the steps possible here to `out`; none where a line ends.
    fn branches(&mut self, out: &mut Vec<Branch<Self::Step>>);

    /// Makes a step.
    fn step(&mut self, step: Self::Step);

    /// Takes the last step back.
    fn undo(&mut self);
}

/// A possible step.
#[derive(Clone, Copy, Debug)]
pub struct Branch<S> {
    /// The step.
    pub step: S,
    /// How good the position after it looks; greater is better. Only compared within a level.
    pub key: f64,
    /// A hash of the position after it. Positions with equal hashes are taken for equal.
    pub hash: u64,
}

/// A kept node: the index of its parent in the level above, and the step from there.
#[derive(Clone, Copy)]
struct Node<S> {
    parent: u32,
    step: S,
}

/// A candidate for the next level.
struct Child<S> {
    node: Node<S>,
    key: f64,
    hash: u64,
}

/// Searches `depth` levels with at most `width` nodes each and returns the steps to the best node
/// of the last level; if all lines end earlier, of the deepest level there is. Expanding a node
/// takes one unit of `meter`; if it is spent before the search is done, the result is `None`. The
/// position is left as it was.
pub fn search<B: Branching>(
    position: &mut B,
    depth: usize,
    width: usize,
    meter: &mut Meter,
) -> Option<Vec<B::Step>> {
    // levels[0] is the root's children.
    let mut levels: Vec<Vec<Node<B::Step>>> = Vec::with_capacity(depth);
    let mut branches = Vec::new();
    let mut children: Vec<Child<B::Step>> = Vec::new();
    let mut walker = Walker { path: Vec::new() };
    let mut known = HashSet::new();
    let mut best_of_level = 0;
    while levels.len() < depth {
        children.clear();
        known.clear();
        let count = levels.last().map_or(1, Vec::len);
        for parent in 0..count {
            if !meter.spend() {
                walker.return_to_root(position);
                return None;
            }
            walker.go_to(position, &levels, parent as u32);
            branches.clear();
            position.branches(&mut branches);
            let child = |branch: &Branch<B::Step>| Child {
                node: Node { parent: parent as u32, step: branch.step },
                key: branch.key,
                hash: branch.hash,
            };
            children.extend(branches.iter().map(child));
        }
        if children.is_empty() {
            break;
        }
        keep_best(&mut children, width, &mut known);
        // `max_by` takes the last of equals; from behind, that is the first.
        let better = |a: &usize, b: &usize| children[*a].key.total_cmp(&children[*b].key);
        best_of_level = (0..children.len()).rev().max_by(better).unwrap_or(0);
        levels.push(children.iter().map(|child| child.node).collect());
    }
    walker.return_to_root(position);
    let mut steps = Vec::with_capacity(levels.len());
    let mut at = best_of_level;
    for level in levels.iter().rev() {
        steps.push(level[at].step);
        at = level[at].parent as usize;
    }
    steps.reverse();
    Some(steps)
}

/// Keeps the best `width` children, each position once, in the order of their parents. Ties are
/// broken by hash, so that the result does not depend on how the selection orders equals.
fn keep_best<S>(children: &mut Vec<Child<S>>, width: usize, known: &mut HashSet<u64>) {
    children.retain(|child| known.insert(child.hash));
    if children.len() > width {
        let better =
            |a: &Child<S>, b: &Child<S>| b.key.total_cmp(&a.key).then_with(|| a.hash.cmp(&b.hash));
        children.select_nth_unstable_by(width - 1, better);
        children.truncate(width);
        children.sort_unstable_by_key(|child| (child.node.parent, child.hash));
    }
}

/// Knows where the position stands: the index, on each level, of the node it came through.
struct Walker {
    path: Vec<u32>,
}

impl Walker {
    /// Moves the position to node `index` of the last level; to the root if there is no level yet.
    fn go_to<B: Branching>(&mut self, position: &mut B, levels: &[Vec<Node<B::Step>>], index: u32) {
        let Some(depth) = levels.len().checked_sub(1) else { return };
        // Up from the target until the path that was walked before: `above` are the nodes passed,
        // `common` is how many levels the two paths share.
        let mut above = Vec::new();
        let (mut level, mut at) = (depth, index);
        let common = loop {
            if self.path.get(level) == Some(&at) {
                break level + 1;
            }
            above.push(at);
            if level == 0 {
                break 0;
            }
            at = levels[level][at as usize].parent;
            level -= 1;
        };
        while self.path.len() > common {
            position.undo();
            self.path.pop();
        }
        for at in above.into_iter().rev() {
            position.step(levels[self.path.len()][at as usize].step);
            self.path.push(at);
        }
    }

    /// Takes all steps back.
    fn return_to_root<B: Branching>(&mut self, position: &mut B) {
        while self.path.pop().is_some() {
            position.undo();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Digits 0 to 2 are appended; the key is the sum of a table over the positions.
    struct Digits {
        worth: Vec<[u8; 3]>,
        digits: Vec<u8>,
    }

    impl Digits {
        fn key(&self, digits: &[u8]) -> f64 {
            digits.iter().zip(&self.worth).map(|(d, worth)| f64::from(worth[usize::from(*d)])).sum()
        }
    }

    impl Branching for Digits {
        type Step = u8;

        fn branches(&mut self, out: &mut Vec<Branch<u8>>) {
            // After a 2 only smaller digits follow, so that lines end at different places.
            let bound = if self.digits.last() == Some(&2) { 2 } else { 3 };
            for digit in 0..bound {
                let mut after = self.digits.clone();
                after.push(digit);
                let hash = after.iter().fold(1, |hash, digit| hash * 3 + u64::from(*digit));
                out.push(Branch { step: digit, key: self.key(&after), hash });
            }
        }

        fn step(&mut self, digit: u8) {
            self.digits.push(digit);
        }

        fn undo(&mut self) {
            self.digits.pop();
        }
    }

    /// The same by copying every position.
    fn slow(root: &Digits, depth: usize, width: usize) -> f64 {
        let mut level = vec![Vec::new()];
        for _ in 0..depth {
            let mut next: Vec<(f64, u64, Vec<u8>)> = Vec::new();
            for digits in level {
                let mut at = Digits { worth: root.worth.clone(), digits };
                let mut branches = Vec::new();
                at.branches(&mut branches);
                for branch in branches {
                    let mut digits = at.digits.clone();
                    digits.push(branch.step);
                    next.push((branch.key, branch.hash, digits));
                }
            }
            next.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            next.truncate(width);
            level = next.into_iter().map(|(_, _, digits)| digits).collect();
        }
        level.iter().map(|digits| root.key(digits)).fold(f64::NEG_INFINITY, f64::max)
    }

    proptest! {
        #[test]
        fn undoing_along_the_tree_finds_what_copying_finds(
            worth in proptest::collection::vec(prop::array::uniform3(0u8..9), 1..7),
            width in 1usize..9,
        ) {
            let depth = worth.len();
            let mut root = Digits { worth, digits: Vec::new() };
            let steps = search(&mut root, depth, width, &mut Meter::of(u64::MAX)).unwrap();
            prop_assert_eq!(steps.len(), depth);
            prop_assert!(root.digits.is_empty());
            prop_assert_eq!(root.key(&steps), slow(&root, depth, width));
        }
    }

    #[test]
    fn without_units_nothing_is_found_and_the_position_is_back() {
        let mut root = Digits { worth: vec![[1, 2, 3]; 5], digits: Vec::new() };
        assert!(search(&mut root, 5, 4, &mut Meter::of(6)).is_none());
        assert!(root.digits.is_empty());
    }
}
