//! The tree of UCT, in flat arrays that are kept between searches: a node for each seat that moves
//! in a position, an arm for each of its actions. The tree chooses arms and keeps their statistics;
//! it knows no rules and plays no moves.
//!
//! A *closed* tree is for games without chance and hidden information: a node is one position,
//! whose actions are known when it is made. In an *open* tree (open-loop search) a node stands for
//! all positions that the same actions may lead to. So every visit supplies the actions on offer,
//! and arms are added as new actions appear.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};

use quintain_core::{GOLDEN_GAMMA, Rng, Seat};

use crate::arms::{CachedArm, Choice, Selection, UpperBound, greatest};
use crate::logarithm::ln;

/// Stands for no node or no arm, instead of an index.
pub(super) const NONE: u32 = u32::MAX;

/// One seat's decision in one position. If several seats move at once, their nodes lie side by
/// side, and [`Node::has_sibling`] tells that another follows.
pub(super) struct Node {
    /// The index of the first arm. In a closed tree the arms lie side by side; in an open one
    /// they form a ring, as arms of other nodes are made between them.
    first: u32,
    count: u32,
    visits: u32,
    pub(super) seat: Seat,
    pub(super) has_sibling: bool,
}

/// An arm, with the node to which its action leads. Each visit changes one arm of a node but
/// compares all of them.
type Arm = CachedArm<u32>;

/// The additional data of an arm in an open tree.
struct OpenArm {
    /// The next arm of the ring.
    next: u32,
    /// How often the action was on offer.
    available: u32,
}

/// A hasher for keys made by [`mix`], which are their own hash.
#[derive(Default)]
pub(super) struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn write(&mut self, _: &[u8]) {
        unreachable!("keys are written as u64");
    }
    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
    fn finish(&self) -> u64 {
        self.0
    }
}

/// The tree. Positions are identified by the joint actions that lead to them: by the arm's child if
/// one seat moves, by `joints` if several do.
pub(super) struct Tree<A> {
    pub(super) nodes: Vec<Node>,
    arms: Vec<Arm>,
    actions: Vec<A>,
    /// Means of squared values, one entry per arm; only for UCB1-Tuned.
    squares: Vec<f64>,
    /// One entry per arm; only in an open tree, where the actions on offer and the seats that move
    /// depend on chance and on the determinization.
    open: Vec<OpenArm>,
    /// Children of joint actions, by [`mix`] of the node and the arms; [`NONE`] after the first
    /// visit.
    joints: HashMap<u64, u32, BuildHasherDefault<IdentityHasher>>,
    /// The arms on offer in the current node.
    offered: Vec<u32>,
    is_open: bool,
    keeps_squares: bool,
}

impl<A: Clone + PartialEq> Tree<A> {
    pub(super) fn new() -> Self {
        Tree {
            nodes: Vec::new(),
            arms: Vec::new(),
            actions: Vec::new(),
            squares: Vec::new(),
            open: Vec::new(),
            joints: HashMap::default(),
            offered: Vec::new(),
            is_open: false,
            keeps_squares: false,
        }
    }

    /// Empties the tree but keeps its memory.
    pub(super) fn clear(&mut self, is_open: bool, selection: Selection) {
        self.nodes.clear();
        self.arms.clear();
        self.actions.clear();
        self.squares.clear();
        self.open.clear();
        self.joints.clear();
        self.is_open = is_open;
        self.keeps_squares = selection == Selection::Ucb1Tuned;
    }

    /// Adds a node: in a closed tree with its arms, in an open one without.
    pub(super) fn add_node(&mut self, seat: Seat, has_sibling: bool, actions: &mut Vec<A>) {
        let first = self.arms.len() as u32;
        let count = actions.len() as u32;
        self.nodes.push(Node { first, count, visits: 0, seat, has_sibling });
        for action in actions.drain(..) {
            self.add_arm(action);
        }
    }

    fn add_arm(&mut self, action: A) {
        self.arms.push(Arm::new(NONE));
        self.actions.push(action);
        if self.keeps_squares {
            self.squares.push(0.0);
        }
    }

    pub(super) fn action(&self, arm: u32) -> &A {
        &self.actions[arm as usize]
    }

    /// The arm to try in a node of a closed tree: first the untried ones in random order, then the
    /// one with the greatest upper confidence bound.
    #[inline]
    pub(super) fn select(&mut self, node: u32, bound: UpperBound, rng: &mut Rng) -> u32 {
        let Node { first, count, visits, .. } = self.nodes[node as usize];
        if visits < count {
            // The arms before this one are tried, those after it are not: swapping actions among
            // the untried ones shuffles them (Fisher–Yates).
            let next = first + visits;
            let pick = next + rng.below((count - visits) as usize) as u32;
            self.actions.swap(next as usize, pick as usize);
            return next;
        }
        let log = ln(visits);
        let width = bound.width(log);
        let arms = (first..).zip(&self.arms[first as usize..(first + count) as usize]);
        let bound_of = |(index, arm): (u32, &Arm)| {
            (index, bound.of(log, width, arm, || self.squares[index as usize]))
        };
        greatest(first, arms.map(bound_of))
    }

    /// The arm to try in a node of an open tree, of those on offer: each round counts
    /// for the arms it offered (Cowling, Powley & Whitehouse 2012).
    pub(super) fn select_open(
        &mut self,
        node: u32,
        actions: &mut Vec<A>,
        bound: UpperBound,
        rng: &mut Rng,
    ) -> u32 {
        self.offered.clear();
        let mut near = self.nodes[node as usize].first;
        for action in actions.drain(..) {
            if self.nodes[node as usize].count == 0 {
                near = self.arms.len() as u32;
                self.nodes[node as usize].first = near;
            }
            near = self.open_arm(node, near, action);
            self.open[near as usize].available += 1;
            self.offered.push(near);
        }
        let untried = |arm: &&u32| self.arms[**arm as usize].visits == 0;
        let count = self.offered.iter().filter(untried).count();
        if count > 0 {
            let pick = rng.below(count);
            return *self.offered.iter().filter(untried).nth(pick).expect("one of those counted");
        }
        let bounds = self.offered.iter().map(|&index| {
            let log = ln(self.open[index as usize].available);
            let arm = &self.arms[index as usize];
            (index, bound.of(log, bound.width(log), arm, || self.squares[index as usize]))
        });
        greatest(NONE, bounds)
    }

    /// Returns the arm of an action, and makes it if there is none. Offers come in much the same
    /// order every time, so the ring is searched from the arm found before.
    fn open_arm(&mut self, node: u32, near: u32, action: A) -> u32 {
        let new = self.arms.len() as u32;
        if self.nodes[node as usize].count > 0 {
            let mut arm = near;
            loop {
                if self.actions[arm as usize] == action {
                    return arm;
                }
                arm = self.open[arm as usize].next;
                if arm == near {
                    break;
                }
            }
            let next = std::mem::replace(&mut self.open[near as usize].next, new);
            self.open.push(OpenArm { next, available: 0 });
        } else {
            self.open.push(OpenArm { next: new, available: 0 });
        }
        self.nodes[node as usize].count += 1;
        self.add_arm(action);
        new
    }

    /// Where the chosen `arms` of the position at node `at` lead: to a node; or, the first time, to
    /// none; or, the second time, to a slot for a node that the caller makes and passes to
    /// [`Tree::attach`]. `acting` are the seats that move next.
    #[inline]
    pub(super) fn descend(&mut self, at: u32, arms: &[(u32, u32)], acting: &[Seat]) -> Descent {
        if let ([(_, arm)], false) = (arms, self.is_open) {
            let Arm { visits, link, .. } = self.arms[*arm as usize];
            return match (visits, link) {
                (0, _) => Descent::FirstVisit,
                (_, NONE) => Descent::Expand(ChildSlot::Arm(*arm)),
                (_, child) => Descent::Child(child),
            };
        }
        let mut key = mix(u64::from(at), 1);
        for (_, arm) in arms {
            key = mix(key, u64::from(*arm));
        }
        if self.is_open {
            // Chance may let other seats move next; that is another node.
            for seat in acting {
                key = mix(key, seat.index() as u64);
            }
        }
        match self.joints.entry(key) {
            Entry::Vacant(vacant) => {
                vacant.insert(NONE);
                Descent::FirstVisit
            }
            Entry::Occupied(known) => match *known.get() {
                NONE => Descent::Expand(ChildSlot::Joint(key)),
                child => Descent::Child(child),
            },
        }
    }

    /// Puts node `child` into the slot that [`Tree::descend`] returned.
    pub(super) fn attach(&mut self, slot: ChildSlot, child: u32) {
        match slot {
            ChildSlot::Arm(arm) => self.arms[arm as usize].link = child,
            ChildSlot::Joint(key) => {
                self.joints.insert(key, child);
            }
        }
    }

    /// Backs up one value: adds it to the mean of `arm` and counts a visit of both `node` and
    /// `arm`.
    #[inline]
    pub(super) fn update(&mut self, node: u32, arm: u32, value: f64) {
        self.nodes[node as usize].visits += 1;
        let share = self.arms[arm as usize].add(value);
        if self.keeps_squares {
            let squares = &mut self.squares[arm as usize];
            *squares += (value * value - *squares) * share;
        }
    }

    /// The best action of a node and its mean value, if any was tried. Ties by the first measure
    /// are broken by the other, then by order.
    pub(super) fn best(&self, node: u32, choice: Choice) -> Option<(&A, f64)> {
        let Node { first, count, .. } = self.nodes[node as usize];
        let mut best: Option<(u32, (f64, f64))> = None;
        let mut arm = first;
        for _ in 0..count {
            let Arm { visits, mean, .. } = self.arms[arm as usize];
            let rank = choice.rank(visits, mean);
            if visits > 0 && best.is_none_or(|(_, best)| rank > best) {
                best = Some((arm, rank));
            }
            arm = if self.is_open { self.open[arm as usize].next } else { arm + 1 };
        }
        best.map(|(arm, _)| (self.action(arm), self.arms[arm as usize].mean))
    }
}

/// Where a step down the tree leads; see [`Tree::descend`].
pub(super) enum Descent {
    /// To this node.
    Child(u32),
    /// To no node, and none is to be made yet.
    FirstVisit,
    /// To a node that has to be made and attached there.
    Expand(ChildSlot),
}

/// Where a child node is attached.
pub(super) enum ChildSlot {
    /// The arm of the only seat that moves.
    Arm(u32),
    /// The key of a joint action.
    Joint(u64),
}

/// Folds a word into a key by multiplication (as wyhash does). Two joint actions
/// share a key with a chance of about 2⁻⁶⁴.
#[inline]
fn mix(key: u64, word: u64) -> u64 {
    let product = u128::from(key ^ GOLDEN_GAMMA)
        * u128::from(word.wrapping_mul(0xA076_1D64_78BD_642F) ^ 0xE703_7ED1_A0B4_28DB);
    (product as u64) ^ ((product >> 64) as u64)
}
