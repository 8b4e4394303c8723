//! The tree of PUCT: a node for each seat that moves in a position, an arm for each of its actions
//! with its prior. The tree chooses arms and keeps their statistics; it knows no rules and
//! evaluates nothing.
//!
//! As in UCT's tree, a node of an open tree stands for all positions that the same actions may lead
//! to: every visit supplies the actions on offer, and arms are added for new ones.

use std::collections::HashMap;

use quintain_core::{Rng, Seat};

use super::evaluator::SeatChoice;
use super::options::{Options, Root};
use crate::arms::{Tally, greatest};
use crate::exponential::{dirichlet, gumbel};

/// One seat's decision in one position. If several seats move at once, their nodes lie side by
/// side, and `has_sibling` tells that another follows.
#[derive(Clone, Debug)]
pub(super) struct Node<A> {
    pub(super) seat: Seat,
    pub(super) has_sibling: bool,
    pub(super) arms: Vec<Arm<A>>,
    /// Whether the evaluator has only guessed, and will be asked again. Of several nodes side by
    /// side, the first tells.
    pub(super) is_guessed: bool,
    /// The values backed up to here, its own evaluation included.
    tally: Tally,
}

/// One action of a node.
#[derive(Clone, Debug)]
pub(super) struct Arm<A> {
    pub(super) action: A,
    /// The logit and the probability from the evaluator, noise included.
    logit: f64,
    prior: f64,
    pub(super) tally: Tally,
    /// The number of descents through it whose leaf is not evaluated yet.
    pending: u32,
    /// Its certain worth to the seat, once that is proven.
    pub(super) proven: Option<f64>,
    /// Gumbel's draw; only at a root that uses them. Arms that are not considered have none.
    draw: f64,
}

impl<A> Arm<A> {
    fn new(action: A, logit: f64, prior: f64) -> Self {
        let tally = Tally::default();
        Arm { action, logit, prior, tally, pending: 0, proven: None, draw: 0.0 }
    }

    /// Its worth: the proven one, or the mean of the values that came through it, if any did.
    pub(super) fn mean(&self) -> Option<f64> {
        self.proven.or_else(|| (self.tally.visits > 0).then(|| self.tally.mean()))
    }

    fn tries(&self) -> u32 {
        self.tally.visits + self.pending
    }
}

/// The scale of utilities: from the worst to the best, by the rules, by the evaluator, or as seen
/// so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) is_fixed: bool,
}

impl Scale {
    /// A utility on the scale from 0 to 1.
    fn of(self, utility: f64) -> f64 {
        let spread = self.high - self.low;
        if spread > 0.0 { (utility - self.low) / spread } else { 0.5 }
    }
}

pub(super) struct Tree<A> {
    pub(super) nodes: Vec<Node<A>>,
    /// The first node of the position that belongs to a key.
    pub(super) children: HashMap<u64, u32>,
    pub(super) scale: Scale,
    /// The least and the greatest utility by the rules.
    bounds: Option<(f64, f64)>,
    pub(super) options: Options,
    /// At a root by Gumbel: for each visit, how many tries the arm to be tried has had.
    schedule: Vec<u32>,
}

impl<A: Clone + PartialEq> Tree<A> {
    pub(super) fn new(options: Options) -> Self {
        let scale = Scale { low: 0.0, high: 0.0, is_fixed: false };
        Tree {
            nodes: Vec::new(),
            children: HashMap::new(),
            scale,
            bounds: None,
            options,
            schedule: Vec::new(),
        }
    }

    /// Empties the tree.
    pub(super) fn clear(&mut self, range: Option<(f64, f64)>) {
        self.nodes.clear();
        self.children.clear();
        self.schedule.clear();
        let (low, high) = range.unwrap_or((f64::INFINITY, f64::NEG_INFINITY));
        self.scale = Scale { low, high, is_fixed: range.is_some() };
        self.bounds = range;
    }

    /// Takes as the scale the part of the rules' bounds in which values lie. A value outside that
    /// part, such as that of a dead end, is below or above the scale.
    pub(super) fn narrow(&mut self, (low, high): (f64, f64)) {
        if let Some((least, most)) = self.bounds
            && low < high
        {
            self.scale = Scale { low: low.max(least), high: high.min(most), is_fixed: true };
        }
    }

    /// The greatest possible worth, if the rules give it.
    fn most(&self) -> Option<f64> {
        self.bounds.map(|(_, most)| most)
    }

    /// Adds the nodes of an evaluated position; returns the index of the first.
    pub(super) fn add_position(&mut self, choices: Vec<SeatChoice<A>>, values: &[f64]) -> u32 {
        let first = self.nodes.len() as u32;
        let last = choices.len() - 1;
        for (index, SeatChoice { seat, actions, logits }) in choices.into_iter().enumerate() {
            let logits = logits.into_iter().map(f64::from);
            let arm = |(action, logit)| Arm::new(action, logit, 0.0);
            let arms = actions.into_iter().zip(logits).map(arm).collect();
            let tally = Tally::default();
            let mut node = Node { seat, has_sibling: index < last, arms, is_guessed: false, tally };
            node.set_priors();
            node.tally.add(values[seat.index()]);
            self.nodes.push(node);
        }
        first
    }

    /// Whether the position of a node, so far guessed, has been visited often enough to be
    /// evaluated. It is due once.
    pub(super) fn is_due(&mut self, node: u32, visits: u32) -> bool {
        let here = &mut self.nodes[node as usize];
        let is_due = here.is_guessed && here.tally.visits >= visits;
        here.is_guessed &= !is_due;
        is_due
    }

    /// Takes over a second evaluation of the position whose first node is `first`. In an open tree,
    /// actions that are not on offer in the position that was evaluated keep their logits.
    pub(super) fn look_again(&mut self, first: u32, choices: Vec<SeatChoice<A>>, values: &[f64]) {
        for (node, choice) in self.nodes[first as usize..].iter_mut().zip(choices) {
            for (action, logit) in choice.actions.iter().zip(choice.logits) {
                let arm = node.arm(action);
                node.arms[arm].logit = logit.into();
            }
            node.set_priors();
            node.tally.add(values[choice.seat.index()]);
        }
    }

    /// Adds noise to the root's nodes, and plans its visits.
    pub(super) fn begin_root(&mut self, simulations: u64, rng: &mut Rng) {
        let Options { root, noise, concentration, considered, .. } = self.options;
        for node in &mut self.nodes {
            let count = node.arms.len();
            if root == Root::Gumbel {
                for arm in &mut node.arms {
                    arm.draw = if noise > 0.0 { noise * gumbel(rng) } else { 0.0 };
                }
                let mut ranks: Vec<f64> =
                    node.arms.iter().map(|arm| arm.draw + arm.logit).collect();
                ranks.sort_by(|a, b| b.total_cmp(a));
                let least = ranks[count.min(considered as usize) - 1];
                for arm in node.arms.iter_mut().filter(|arm| arm.draw + arm.logit < least) {
                    arm.draw = f64::NEG_INFINITY;
                }
            } else if noise > 0.0 && count > 1 {
                let shares = dirichlet(concentration / count as f64, count, rng);
                for (arm, share) in node.arms.iter_mut().zip(shares) {
                    arm.prior = (1.0 - noise) * arm.prior + noise * share;
                }
            }
        }
        if root == Root::Gumbel {
            let most = self.nodes.iter().map(|node| node.arms.len()).max().unwrap_or(1);
            self.schedule = sequential_halving(most.min(considered as usize), simulations as usize);
        }
    }

    /// The arm to try in a node; in an open tree, among those whose actions are `offered`.
    pub(super) fn select(&mut self, node: u32, offered: Option<&[A]>) -> u32 {
        let is_root = self.is_root(node);
        let (scale, options) = (self.scale, self.options);
        let here = &mut self.nodes[node as usize];
        let offered: Option<Vec<usize>> =
            offered.map(|actions| actions.iter().map(|action| here.arm(action)).collect());
        let here = &self.nodes[node as usize];
        let all = 0..here.arms.len();
        let candidates: Vec<usize> = offered.unwrap_or_else(|| all.collect());
        let arms = || candidates.iter().map(|index| (*index, &here.arms[*index]));
        let tries: u32 = arms().map(|(_, arm)| arm.tries()).sum();
        let planned = self.schedule.get(tries as usize).copied().filter(|_| is_root);
        if let Some(planned) = planned {
            let bonus = here.bonus(scale);
            let due = arms().filter(|(_, arm)| arm.tries() == planned && arm.draw.is_finite());
            let best = due.max_by(|(a, first), (b, second)| {
                let rank = |index: usize, arm: &Arm<A>| arm.draw + arm.logit + bonus[index];
                rank(*a, first).total_cmp(&rank(*b, second)).then(b.cmp(a))
            });
            if let Some((best, _)) = best {
                return best as u32;
            }
        }
        let total: f64 = arms().map(|(_, arm)| arm.prior).sum();
        let unit = if total > 0.0 { 1.0 / total } else { 0.0 };
        let width = options.exploration * f64::from(tries).sqrt().max(1.0) * unit;
        let untried = scale.of(here.value()) - options.first_play;
        let bound = |arm: &Arm<A>| {
            if let Some(proven) = arm.proven {
                // There is nothing to find out: the arm is tried only if all others promise less.
                return scale.of(proven);
            }
            // A pending descent counts as one that got the worst value.
            let value = match arm.tries() {
                0 => untried,
                tries => {
                    let known = arm.mean().map_or(0.0, |mean| scale.of(mean));
                    known * f64::from(arm.tally.visits) / f64::from(tries)
                }
            };
            value + width * arm.prior / f64::from(1 + arm.tries())
        };
        greatest(candidates[0], arms().map(|(index, arm)| (index, bound(arm)))) as u32
    }

    /// Whether no value can be less.
    fn is_least(&self, value: f64) -> bool {
        self.bounds.is_some_and(|(least, _)| value <= least)
    }

    fn is_root(&self, node: u32) -> bool {
        // The root's nodes are the first ones, side by side.
        self.nodes[..node as usize].iter().all(|before| before.has_sibling)
    }

    /// Records that a descent went through an arm.
    pub(super) fn enter(&mut self, node: u32, arm: u32) {
        self.nodes[node as usize].arms[arm as usize].pending += 1;
    }

    /// Backs up the value of a descent that went through an arm.
    pub(super) fn update(&mut self, node: u32, arm: u32, value: f64) {
        let here = &mut self.nodes[node as usize];
        here.tally.add(value);
        let arm = &mut here.arms[arm as usize];
        arm.pending -= 1;
        arm.tally.add(value);
        self.see(value);
    }

    /// Whether the seat of a node moves alone.
    fn is_alone(&self, node: u32) -> bool {
        let here = node as usize;
        !self.nodes[here].has_sibling && (here == 0 || !self.nodes[here - 1].has_sibling)
    }

    /// Records the certain worth of the last arm of a path to its seat, and what that proves of the
    /// positions above. A position with an arm of the greatest possible worth, or with all arms
    /// proven, is worth its best arm (Winands, Björnsson & Saito 2008, for wins and losses). What
    /// is good for one of two seats is equally bad for the other.
    pub(super) fn prove(&mut self, path: &[(u32, u32)], value: f64) {
        let (mut value, mut seat) = (value, None);
        for &(node, arm) in path.iter().rev() {
            if !self.is_alone(node) {
                return;
            }
            let most = self.most();
            let here = &mut self.nodes[node as usize];
            let own = if seat.is_none_or(|seat| seat == here.seat) { value } else { -value };
            here.arms[arm as usize].proven = Some(own);
            let Some(worth) = here.proven(most) else { return };
            (value, seat) = (worth, Some(here.seat));
        }
    }

    /// Whether the worth of the position of a node is certain.
    pub(super) fn is_decided(&self, node: u32) -> bool {
        let most = self.most();
        self.is_alone(node) && self.nodes[node as usize].proven(most).is_some()
    }

    /// Widens the scale, unless it is fixed.
    pub(super) fn see(&mut self, value: f64) {
        if !self.scale.is_fixed {
            self.scale.low = self.scale.low.min(value);
            self.scale.high = self.scale.high.max(value);
        }
    }

    /// The arm to play in the end. If the node is decided, it is the best arm; otherwise the most
    /// visited of those that are not certainly lost. Ties are broken by Gumbel's score or by the
    /// mean, then by the prior, then by order.
    pub(super) fn best(&self, node: u32) -> &Arm<A> {
        let here = &self.nodes[node as usize];
        let bonus = here.bonus(self.scale);
        let is_decided = self.is_decided(node);
        let worth = |arm: &Arm<A>| match arm.proven {
            Some(proven) if is_decided || self.is_least(proven) => proven,
            _ if is_decided => f64::NEG_INFINITY,
            _ => f64::INFINITY,
        };
        let rank = |(index, arm): &(usize, &Arm<A>)| {
            let second = match self.options.root {
                Root::Gumbel => arm.draw + arm.logit + bonus[*index],
                Root::Puct => arm.mean().map_or(f64::NEG_INFINITY, |mean| mean),
            };
            (arm.tally.visits, second, arm.prior)
        };
        let best = here.arms.iter().enumerate().reduce(|best, other| {
            let (a, b) = (rank(&best), rank(&other));
            let order = worth(other.1).total_cmp(&worth(best.1));
            let order =
                order.then(b.0.cmp(&a.0)).then(b.1.total_cmp(&a.1)).then(b.2.total_cmp(&a.2));
            if order.is_gt() { other } else { best }
        });
        best.expect("a node has an arm").1
    }

    /// The distribution from which the search would now draw: shares of visits, or by Gumbel the
    /// prior, improved by what was learned about each action.
    pub(super) fn shares(&self, node: u32) -> Vec<f64> {
        let here = &self.nodes[node as usize];
        if self.is_decided(node) {
            // All arms that are certainly the best, with equal shares.
            let proven = |arm: &Arm<A>| arm.proven.unwrap_or(f64::NEG_INFINITY);
            let best = here.arms.iter().map(proven).fold(f64::NEG_INFINITY, f64::max);
            let count = here.arms.iter().filter(|arm| proven(arm) == best).count() as f64;
            let share = |arm: &Arm<A>| if proven(arm) == best { 1.0 / count } else { 0.0 };
            return here.arms.iter().map(share).collect();
        }
        let visits: u32 = here.arms.iter().map(|arm| arm.tally.visits).sum();
        if self.options.root == Root::Gumbel || visits == 0 {
            let bonus = here.bonus(self.scale);
            let mut shares: Vec<f64> =
                here.arms.iter().zip(bonus).map(|(arm, bonus)| arm.logit + bonus).collect();
            crate::exponential::softmax(&mut shares);
            return shares;
        }
        here.arms.iter().map(|arm| f64::from(arm.tally.visits) / f64::from(visits)).collect()
    }
}

impl<A: Clone + PartialEq> Node<A> {
    /// The certain worth of the position to the seat, if its arms prove that; `most` is the
    /// greatest possible worth.
    fn proven(&self, most: Option<f64>) -> Option<f64> {
        let best = self.arms.iter().filter_map(|arm| arm.proven).reduce(f64::max)?;
        let is_most = most.is_some_and(|most| best >= most);
        (is_most || self.arms.iter().all(|arm| arm.proven.is_some())).then_some(best)
    }

    /// The mean of the values backed up to here.
    pub(super) fn value(&self) -> f64 {
        self.tally.mean()
    }

    fn set_priors(&mut self) {
        let mut priors: Vec<f64> = self.arms.iter().map(|arm| arm.logit).collect();
        crate::exponential::softmax(&mut priors);
        for (arm, prior) in self.arms.iter_mut().zip(priors) {
            arm.prior = prior;
        }
    }

    /// The index of the arm of an action. An action that was not on offer when the node was
    /// evaluated gets a new arm with the least of the priors.
    fn arm(&mut self, action: &A) -> usize {
        if let Some(known) = self.arms.iter().position(|arm| arm.action == *action) {
            return known;
        }
        let least = |of: fn(&Arm<A>) -> f64| self.arms.iter().map(of).fold(f64::INFINITY, f64::min);
        let (logit, prior) = (least(|arm| arm.logit), least(|arm| arm.prior));
        self.arms.push(Arm { draw: f64::NEG_INFINITY, ..Arm::new(action.clone(), logit, prior) });
        self.arms.len() - 1
    }

    /// What a root by Gumbel adds to logits: a monotone function of the mean value; for actions
    /// that were never tried, of the node's own value. It has more weight with more visits
    /// (Danihelka et al. 2022, eq. 8, with their constants 50 and 1).
    fn bonus(&self, scale: Scale) -> Vec<f64> {
        let most = self.arms.iter().map(|arm| arm.tally.visits).max().unwrap_or(0);
        // The mixed value of their appendix D: the node's own evaluation and the actions that were
        // tried, weighted by their priors.
        let tried: f64 =
            self.arms.iter().filter(|arm| arm.tally.visits > 0).map(|arm| arm.prior).sum();
        let visits: u32 = self.arms.iter().map(|arm| arm.tally.visits).sum();
        let own = self.tally.total - self.arms.iter().map(|arm| arm.tally.total).sum::<f64>();
        let mixed = if tried > 0.0 {
            let weighed = self.arms.iter().filter_map(|arm| Some(arm.prior * arm.mean()?));
            let weighed: f64 = weighed.sum();
            (own + f64::from(visits) * weighed / tried) / f64::from(1 + visits)
        } else {
            own
        };
        let weight = f64::from(50 + most);
        self.arms.iter().map(|arm| weight * scale.of(arm.mean().unwrap_or(mixed))).collect()
    }
}

/// How many tries an arm has had before each of `simulations` visits when `count` arms are halved
/// sequentially: all of them are tried equally often, then the better half, down to two.
fn sequential_halving(count: usize, simulations: usize) -> Vec<u32> {
    let mut schedule = Vec::with_capacity(simulations);
    if count <= 1 {
        schedule.extend(0..simulations as u32);
        return schedule;
    }
    let phases = count.next_power_of_two().trailing_zeros() as usize;
    let mut tries = vec![0; count];
    let mut left = count;
    while schedule.len() < simulations {
        for _ in 0..(simulations / (phases * left)).max(1) {
            schedule.extend_from_slice(&tries[..left]);
            tries[..left].iter_mut().for_each(|tries| *tries += 1);
        }
        left = (left / 2).max(2);
    }
    schedule.truncate(simulations);
    schedule
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exponential::exp;

    #[test]
    fn halving_tries_all_arms_and_ends_with_two() {
        assert_eq!(sequential_halving(4, 8), [0, 0, 0, 0, 1, 1, 2, 2]);
        assert_eq!(sequential_halving(1, 3), [0, 1, 2]);
        assert_eq!(sequential_halving(3, 2), [0, 0]);
        assert_eq!(sequential_halving(16, 200).len(), 200);
    }

    #[test]
    fn an_exponential_is_what_priors_are_made_of() {
        let choice = SeatChoice { seat: Seat::new(0), actions: vec![1, 2], logits: vec![0.0, 1.0] };
        let mut tree = Tree::new(Options::default());
        tree.clear(None);
        tree.add_position(vec![choice], &[0.5]);
        let arms = &tree.nodes[0].arms;
        assert!((arms[1].prior / arms[0].prior - exp(1.0)).abs() < 1e-12);
    }
}
