//! Which monomer is best laid first. The size of the tree of branch and bound depends on it by orders of
//! magnitude, and nothing about the sequence tells it beforehand. So the search is begun from several monomers,
//! and each tree's size is estimated from its first part: where a segment has k branches, each is taken to
//! hold one k-th of its tree (Knuth 1975). Those that promise the smallest trees are tried for longer, until
//! one is left.

use std::sync::Arc;

use quintain_core::Meter;

use super::segment::Segment;
use super::verdict::ExactVerdict;
use crate::rules::instance::Instance;

/// A short search.
struct Probe {
    first: usize,
    /// The segments that it may still look at.
    left: u64,
    /// The part of the tree that was closed, of 1.
    closed: f64,
}

impl Probe {
    /// Searches below the segment, which holds this share of the tree.
    fn below(
        &mut self,
        segment: &mut Segment,
        target: i32,
        share: f64,
        meter: &mut Meter,
    ) -> ExactVerdict {
        if segment.is_whole() {
            return ExactVerdict::Walk(segment.walk());
        }
        if self.left == 0 || !meter.spend() {
            return ExactVerdict::Open;
        }
        self.left -= 1;
        let (end, cells) = segment.branches(target);
        if cells.is_empty() {
            self.closed += share;
        }
        let part = share / cells.len() as f64;
        for cell in cells {
            segment.lay(end, cell);
            let verdict = self.below(segment, target, part, meter);
            segment.unlay();
            if verdict != ExactVerdict::None {
                return verdict;
            }
        }
        ExactVerdict::None
    }
}

/// The best monomer to begin with, of both ends of the chain and every third between them. If a short search
/// came to its end, its verdict, otherwise [`ExactVerdict::Open`].
pub(super) fn best(
    instance: &Arc<Instance>,
    target: i32,
    meter: &mut Meter,
) -> (usize, ExactVerdict) {
    const STEP: usize = 3;
    /// How many segments each search looks at the first time, and how many times as many in each later round,
    /// for one in as many of the candidates.
    const BRIEF: u64 = 1000;
    const FACTOR: usize = 3;
    let last = instance.len() - 1;
    let mut candidates: Vec<usize> = (0..last).step_by(STEP).chain([last]).collect();
    let mut brief = BRIEF;
    while candidates.len() > 1 {
        let mut estimates = Vec::with_capacity(candidates.len());
        for first in candidates {
            let mut segment = Segment::new(Arc::clone(instance), first);
            let mut probe = Probe { first, left: brief, closed: 0.0 };
            match probe.below(&mut segment, target, 1.0, meter) {
                ExactVerdict::Open if meter.is_spent() => return (first, ExactVerdict::Open),
                ExactVerdict::Open => estimates.push(probe),
                verdict => return (first, verdict),
            }
        }
        // All have looked at as many segments, so the greatest closed part is the smallest tree.
        estimates.sort_by(|one, other| other.closed.total_cmp(&one.closed));
        let kept = estimates.len().div_ceil(FACTOR).min(estimates.len() - 1);
        candidates = estimates[..kept].iter().map(|probe| probe.first).collect();
        brief *= FACTOR as u64;
    }
    (candidates[0], ExactVerdict::Open)
}
