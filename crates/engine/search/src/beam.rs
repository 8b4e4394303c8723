//! Beam search (Lowerre 1976) with undo along the tree: of every level only the `width` best
//! positions are kept, but none is copied. A single position is moved from one kept node to the
//! next, back to their common ancestor and down again; the nodes of a level are in the order of
//! their parents, so that the path between neighbours is short. Of positions with equal hashes, one
//! is kept.
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
//!     fn branches(&mut self, _: Option<&Branch<u64>>, out: &mut Vec<Branch<u64>>) {
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

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};
use std::time::Duration;

use quintain_core::{GOLDEN_GAMMA, Meter};

/// A position that can make steps and undo them.
pub trait Branching {
    /// One step.
    type Step: Copy;

    /// Whether the best of several children with the same hash is kept, instead of the first. Then
    /// the hash may stand for a group of positions of which one is enough.
    const KEEPS_BEST: bool = false;

    /// Appends the steps possible here to `out`; none if a line ends here. `here` is the branch
    /// that led here, or none at the root, so that the position need not keep keys and hashes that
    /// add up along a line.
    fn branches(&mut self, here: Option<&Branch<Self::Step>>, out: &mut Vec<Branch<Self::Step>>);

    /// Makes a step.
    fn step(&mut self, step: Self::Step);

    /// Undoes the last step.
    fn undo(&mut self);
}

/// A possible step.
#[derive(Clone, Copy, Debug)]
pub struct Branch<S> {
    /// The step.
    pub step: S,
    /// How good the position after the step looks; greater is better. Keys are only compared within
    /// a level.
    pub key: f64,
    /// A hash of the position after the step. Positions with equal hashes are taken to be equal.
    pub hash: u64,
}

/// A kept node: the number of its parent among the nodes, or [`NONE`], and the step from there.
#[derive(Clone, Copy)]
struct Node<S> {
    parent: u32,
    step: S,
}

/// The parent of the nodes of the first level, and the way to the root.
const NONE: u32 = u32::MAX;

/// A position that a level keeps, or may keep: its branch, and its parent.
struct Child<S> {
    parent: u32,
    branch: Branch<S>,
}

/// Searches `depth` levels with at most `width` nodes each (at least one) and returns the steps to
/// the best node of the last level; if all lines end earlier, of the deepest level reached.
/// Expanding a node takes one unit of `meter`; if it is spent before the search is done, the result
/// is `None`. The position is left as it was.
pub fn search<B: Branching>(
    position: &mut B,
    depth: usize,
    width: usize,
    meter: &mut Meter,
) -> Option<Vec<B::Step>> {
    search_by(position, depth, meter, |_, _| width.max(1))
}

/// The same with a beam that uses all that `meter` has left: at each level, what is left is shared
/// equally among the levels to come. The beam is never wider than `most` (at least one). If only
/// time is limited, the time that a node takes is measured during the search, so the width depends
/// on the machine.
pub fn search_in_full<B: Branching>(
    position: &mut B,
    depth: usize,
    most: usize,
    meter: &mut Meter,
) -> Option<Vec<B::Step>> {
    let pace = Pace::new(meter);
    search_by(position, depth, meter, |meter, levels| {
        pace.width(meter, levels).clamp(1, most.max(1))
    })
}

/// The limits of a search at the beginning, for estimating how many nodes it can still expand.
struct Pace {
    time: Option<Duration>,
    spent: u64,
}

impl Pace {
    fn new(meter: &Meter) -> Pace {
        Pace { time: meter.time_left(), spent: meter.spent() }
    }

    /// How many nodes each of the remaining `levels` can have.
    fn width(&self, meter: &Meter, levels: usize) -> usize {
        /// The share of the time kept in reserve, because a search that misses its last level has
        /// found nothing.
        const RESERVE: f64 = 0.03;
        /// This many nodes show how long a node takes; until then, levels are no wider.
        const FIRST: u64 = 64;
        let levels = levels.max(1) as u64;
        let mut nodes = meter.left();
        if let (Some(all), Some(left)) = (self.time, meter.time_left()) {
            let done = meter.spent() - self.spent;
            if done < FIRST {
                return FIRST as usize;
            }
            let took = all.saturating_sub(left).as_secs_f64();
            let usable = (left.as_secs_f64() - RESERVE * all.as_secs_f64()).max(0.0);
            nodes = nodes.min((done as f64 * usable / took.max(1e-9)) as u64);
        }
        usize::try_from(nodes / levels).unwrap_or(usize::MAX)
    }
}

/// [`search`] with a function for the width, which is called with the number of levels still to be
/// expanded, the one being chosen included.
fn search_by<B: Branching>(
    position: &mut B,
    depth: usize,
    meter: &mut Meter,
    width: impl Fn(&Meter, usize) -> usize,
) -> Option<Vec<B::Step>> {
    // The nodes of all levels, one after another, less those that were dropped.
    let mut nodes: Vec<Node<B::Step>> = Vec::new();
    let mut branches = Vec::new();
    // The last level once more, with keys and hashes, which are not needed further up.
    let mut kept: Vec<Child<B::Step>> = Vec::new();
    let mut children: Vec<Child<B::Step>> = Vec::new();
    let mut walker = Walker { path: Vec::new(), above: Vec::new() };
    let mut selection = Selection::default();
    let mut best = NONE;
    let mut levels = 0;
    let mut room = SMALL;
    while levels < depth {
        if nodes.len() > room {
            // The last level stays whole, so the best node keeps its distance from the end.
            let from_end = nodes.len() - best as usize;
            drop_dead(&mut nodes, kept.len(), &mut walker.path);
            best = (nodes.len() - from_end) as u32;
            room = nodes.len() + SMALL.max(LEVELS_WITH_DEAD * kept.len());
        }
        children.clear();
        selection.begin();
        let first = nodes.len() - kept.len();
        for index in 0..kept.len().max(1) {
            if !meter.spend() {
                walker.return_to_root(position);
                return None;
            }
            let parent = if levels == 0 { NONE } else { (first + index) as u32 };
            walker.go_to(position, &nodes, parent, levels);
            branches.clear();
            position.branches(kept.get(index).map(|child| &child.branch), &mut branches);
            for branch in &branches {
                selection.add(&mut children, Child { parent, branch: *branch }, B::KEEPS_BEST);
            }
        }
        if children.is_empty() {
            break;
        }
        selection.keep_best(&mut children, width(meter, depth - levels - 1));
        best = (nodes.len() + index_of_best(&children)) as u32;
        let node = |child: &Child<B::Step>| Node { parent: child.parent, step: child.branch.step };
        nodes.extend(children.iter().map(node));
        std::mem::swap(&mut kept, &mut children);
        levels += 1;
    }
    walker.return_to_root(position);
    Some(steps_to(best, &nodes))
}

/// The index of the child with the greatest key; of equal ones, the first.
fn index_of_best<S>(children: &[Child<S>]) -> usize {
    // `max_by` takes the last of equal ones; from behind, that is the first.
    let key = |index: &usize| children[*index].branch.key;
    (0..children.len()).rev().max_by(|a, b| key(a).total_cmp(&key(b))).unwrap_or(0)
}

/// The steps from the root to a node.
fn steps_to<S: Copy>(node: u32, nodes: &[Node<S>]) -> Vec<S> {
    let node_at = |index: u32| nodes.get(index as usize);
    let up = std::iter::successors(node_at(node), |node| node_at(node.parent));
    let mut steps: Vec<S> = up.map(|node| node.step).collect();
    steps.reverse();
    steps
}

/// This many nodes are soon looked up, dead or not.
const SMALL: usize = 4096;

/// After about this many levels, the nodes that have died are dropped.
const LEVELS_WITH_DEAD: usize = 8;

/// Drops the nodes that no node of the last level, of `last` nodes, descends from: most of them,
/// since most lines end soon. Those that are left lie close together, so that the way up from a
/// node to where it meets another line, which is gone at every step, stays in the processor's
/// caches. Nodes on `path` that are dropped become [`NONE`].
fn drop_dead<S: Copy>(nodes: &mut Vec<Node<S>>, last: usize, path: &mut [u32]) {
    let mut places = vec![NONE; nodes.len()];
    // Any number but `NONE` will do, until places are known.
    places[nodes.len() - last..].fill(0);
    for index in (0..nodes.len()).rev() {
        if places[index] != NONE
            && let Some(place) = places.get_mut(nodes[index].parent as usize)
        {
            *place = 0;
        }
    }
    let mut alive = 0;
    for index in 0..nodes.len() {
        if places[index] != NONE {
            let Node { parent, step } = nodes[index];
            let parent = places.get(parent as usize).copied().unwrap_or(NONE);
            nodes[alive] = Node { parent, step };
            places[index] = alive as u32;
            alive += 1;
        }
    }
    nodes.truncate(alive);
    for index in path {
        *index = places.get(*index as usize).copied().unwrap_or(NONE);
    }
}

/// A hasher for hashes of positions. It only multiplies them, so that tables find high bits set
/// even if the numbers are small.
#[derive(Default)]
struct Multiplied(u64);

impl Hasher for Multiplied {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(self.0 ^ u64::from(*byte)));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number.wrapping_mul(GOLDEN_GAMMA);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Buffers for choosing the best of a level, kept from level to level.
#[derive(Default)]
struct Selection {
    /// The index of the child with each hash.
    known: HashMap<u64, u32, BuildHasherDefault<Multiplied>>,
    /// Children that a better equal one replaces.
    replaced: Vec<bool>,
    keys: Vec<f64>,
    ties: Vec<u64>,
}

impl Selection {
    /// Begins a level.
    fn begin(&mut self) {
        self.known.clear();
        self.replaced.clear();
    }

    /// Adds a child unless one with its hash is there already, and, if the best of equal ones is
    /// kept, is not worse.
    #[inline]
    fn add<S>(&mut self, children: &mut Vec<Child<S>>, child: Child<S>, keeps_best: bool) {
        let index = children.len() as u32;
        match self.known.entry(child.branch.hash) {
            Entry::Vacant(vacant) => {
                vacant.insert(index);
            }
            Entry::Occupied(mut known) => {
                let before = *known.get() as usize;
                if !keeps_best || children[before].branch.key >= child.branch.key {
                    return;
                }
                // The children stay in the order of their parents.
                known.insert(index);
                self.replaced.resize(children.len(), false);
                self.replaced[before] = true;
            }
        }
        children.push(child);
    }

    /// Keeps the best `width` children, in the order of their parents. Ties are broken by hash, so
    /// that the result does not depend on how the selection orders equal ones. Only the keys are
    /// moved: sorting the children would take longer than expanding them.
    fn keep_best<S>(&mut self, children: &mut Vec<Child<S>>, width: usize) {
        if !self.replaced.is_empty() {
            let mut replaced = self.replaced.iter();
            children.retain(|_| !replaced.next().copied().unwrap_or(false));
        }
        if children.len() <= width {
            return;
        }
        self.keys.clear();
        self.keys.extend(children.iter().map(|child| child.branch.key));
        let (_, &mut least, _) = self.keys.select_nth_unstable_by(width - 1, |a, b| b.total_cmp(a));
        let above = |child: &Child<S>| child.branch.key.total_cmp(&least).is_gt();
        let is_tie = |child: &&Child<S>| child.branch.key.total_cmp(&least).is_eq();
        let room = width - children.iter().filter(|child| above(child)).count();
        self.ties.clear();
        self.ties.extend(children.iter().filter(is_tie).map(|child| child.branch.hash));
        let (_, &mut last, _) = self.ties.select_nth_unstable(room - 1);
        children.retain(|child| above(child) || is_tie(&child) && child.branch.hash <= last);
    }
}

/// Knows where the position is: the index, on each level, of the node on its path, or [`NONE`] if
/// that node was dropped.
struct Walker<S> {
    path: Vec<u32>,
    /// The nodes on the way down to the target, with the steps to them.
    above: Vec<(u32, S)>,
}

impl<S: Copy> Walker<S> {
    /// Moves the position to a node, which has this many steps above it.
    fn go_to<B: Branching<Step = S>>(
        &mut self,
        position: &mut B,
        nodes: &[Node<S>],
        target: u32,
        depth: usize,
    ) {
        // Go up from the target to the previous path: `above` are the nodes passed, `common` is how
        // many levels the two paths share.
        self.above.clear();
        let (mut common, mut at) = (depth, target);
        while common > 0 && self.path.get(common - 1) != Some(&at) {
            let node = nodes[at as usize];
            self.above.push((at, node.step));
            at = node.parent;
            common -= 1;
        }
        while self.path.len() > common {
            position.undo();
            self.path.pop();
        }
        while let Some((at, step)) = self.above.pop() {
            position.step(step);
            self.path.push(at);
        }
    }

    /// Undoes all steps.
    fn return_to_root<B: Branching<Step = S>>(&mut self, position: &mut B) {
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

        fn branches(&mut self, _: Option<&Branch<u8>>, out: &mut Vec<Branch<u8>>) {
            // After a 2 only smaller digits follow, so that lines end at different places.
            let bound = if self.digits.last() == Some(&2) { 2 } else { 3 };
            for digit in 0..bound {
                let mut after = self.digits.clone();
                after.push(digit);
                let hash =
                    after.iter().fold(1u64, |hash, digit| hash.wrapping_mul(3) + u64::from(*digit));
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
                at.branches(None, &mut branches);
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
    fn nodes_that_die_are_dropped_and_nothing_else_changes() {
        let worth = (0..40).map(|place| [7, 9, 8 + place % 3]).collect();
        let mut root = Digits { worth, digits: Vec::new() };
        let (depth, width) = (40, 1500);
        assert!(LEVELS_WITH_DEAD * width > SMALL && depth > 4 * LEVELS_WITH_DEAD, "several times");
        let steps = search(&mut root, depth, width, &mut Meter::of(u64::MAX)).unwrap();
        assert_eq!((steps.len(), root.digits.len()), (depth, 0));
        assert_eq!(root.key(&steps), slow(&root, depth, width));

        // A root with two children, of which the first has two and the second none.
        let node = |parent, step| Node { parent, step };
        let mut nodes = vec![node(NONE, 'a'), node(NONE, 'b'), node(0, 'c'), node(0, 'd')];
        let mut path = [1, 3];
        drop_dead(&mut nodes, 2, &mut path);
        let left: Vec<(u32, char)> = nodes.iter().map(|node| (node.parent, node.step)).collect();
        assert_eq!(left, [(NONE, 'a'), (0, 'c'), (0, 'd')]);
        assert_eq!(path, [NONE, 2]);
    }

    proptest! {
        #[test]
        fn a_beam_that_takes_all_there_is_spends_no_more(
            worth in proptest::collection::vec(prop::array::uniform3(0u8..9), 2..9),
            units in 40u64..400,
        ) {
            let depth = worth.len();
            let mut root = Digits { worth, digits: Vec::new() };
            let mut meter = Meter::of(units);
            let steps = search_in_full(&mut root, depth, usize::MAX, &mut meter).unwrap();
            prop_assert_eq!(steps.len(), depth);
            prop_assert!(meter.spent() <= units);
            // With all the units it needs, it is as wide as the tree and finds the best line.
            let mut meter = Meter::of(1_000_000);
            let best = search_in_full(&mut root, depth, usize::MAX, &mut meter).unwrap();
            prop_assert_eq!(root.key(&best), slow(&root, depth, usize::MAX));
            prop_assert!(root.key(&best) >= root.key(&steps));
        }
    }

    /// Digits are appended; only the last one matters for what comes.
    struct Chained {
        worth: Vec<[[u8; 3]; 3]>,
        digits: Vec<u8>,
    }

    impl Chained {
        fn key(&self, digits: &[u8]) -> f64 {
            let pairs = digits.iter().zip([&0].into_iter().chain(digits)).zip(&self.worth);
            pairs.map(|((d, last), w)| f64::from(w[usize::from(*last)][usize::from(*d)])).sum()
        }
    }

    impl Branching for Chained {
        type Step = u8;

        const KEEPS_BEST: bool = true;

        fn branches(&mut self, _: Option<&Branch<u8>>, out: &mut Vec<Branch<u8>>) {
            for digit in 0..3 {
                let after = [&self.digits[..], &[digit]].concat();
                out.push(Branch { step: digit, key: self.key(&after), hash: digit.into() });
            }
        }

        fn step(&mut self, digit: u8) {
            self.digits.push(digit);
        }

        fn undo(&mut self) {
            self.digits.pop();
        }
    }

    proptest! {
        #[test]
        fn one_position_of_each_group_is_enough_if_it_is_the_best(
            worth in proptest::collection::vec(
                prop::array::uniform3(prop::array::uniform3(0u8..9)),
                1..7,
            ),
        ) {
            let depth = worth.len();
            let mut root = Chained { worth, digits: Vec::new() };
            let mut lines = vec![Vec::new()];
            for _ in 0..depth {
                let more = |line: Vec<u8>| (0..3).map(move |digit| [&line[..], &[digit]].concat());
                lines = lines.into_iter().flat_map(more).collect();
            }
            let best = lines.iter().map(|line| root.key(line)).fold(0.0, f64::max);
            let steps = search(&mut root, depth, 3, &mut Meter::of(u64::MAX)).unwrap();
            prop_assert_eq!(root.key(&steps), best);
            prop_assert!(root.digits.is_empty());
        }
    }

    #[test]
    fn levels_share_the_time_that_is_left_at_the_pace_so_far() {
        // Half of the time has gone into a thousand nodes, and ten levels are left.
        let half = Duration::from_secs(100);
        let mut meter = Meter::new(u64::MAX, Some(std::time::Instant::now() + half));
        let pace = Pace { time: Some(2 * half), spent: meter.spent() };
        assert_eq!(pace.width(&meter, 10), 64, "nobody knows yet how long a node takes");
        for _ in 0..1000 {
            assert!(meter.spend());
        }
        // A hundred each, less what is kept back.
        let width = pace.width(&meter, 10);
        assert!((85..=95).contains(&width), "{width}");
        assert!((850..=950).contains(&pace.width(&meter, 1)));
    }

    #[test]
    fn without_units_nothing_is_found_and_the_position_is_back() {
        let mut root = Digits { worth: vec![[1, 2, 3]; 5], digits: Vec::new() };
        assert!(search(&mut root, 5, 4, &mut Meter::of(6)).is_none());
        assert!(root.digits.is_empty());
    }
}
