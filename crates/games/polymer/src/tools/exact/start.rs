//! Which monomer is best laid first. The size of the tree of branch and bound depends on it by
//! orders of magnitude, and nothing about the sequence tells it beforehand. So the tree's size is
//! estimated for every monomer, by stratified sampling (Chen 1992): level by level, segments with
//! the same bound are taken to have trees of the same size, and one of them, drawn at random,
//! stands for all. The monomers that promise the smallest trees are sampled more often, until one
//! is left.

use std::collections::BTreeMap;
use std::sync::Arc;

use quintain_core::{Meter, Rng, Streams};

use super::segment::{End, Segment};
use super::verdict::ExactVerdict;
use crate::rules::instance::Instance;

/// One segment for all those of its level with the same bound.
struct Stratum {
    /// How many segments it stands for.
    count: f64,
    steps: Vec<(End, u16)>,
}

/// An estimate of the size of the tree.
fn sample(
    segment: &mut Segment,
    target: i32,
    rng: &mut Rng,
    meter: &mut Meter,
) -> Result<f64, ExactVerdict> {
    let mut level = vec![Stratum { count: 1.0, steps: Vec::new() }];
    let mut size = 0.0;
    while !level.is_empty() {
        let mut next: BTreeMap<i32, Stratum> = BTreeMap::new();
        for Stratum { count, steps } in level {
            segment.go(&steps);
            if segment.is_whole() {
                return Err(ExactVerdict::Walk(segment.walk()));
            }
            if !meter.spend() {
                return Err(ExactVerdict::Open);
            }
            size += count;
            let (end, cells) = segment.branches(target);
            for (cell, bound) in cells {
                let stratum =
                    next.entry(bound).or_insert_with(|| Stratum { count: 0.0, steps: Vec::new() });
                stratum.count += count;
                if rng.unit() * stratum.count < count {
                    stratum.steps.clone_from(&steps);
                    stratum.steps.push((end, cell));
                }
            }
        }
        level = next.into_values().collect();
    }
    Ok(size)
}

/// A monomer to begin with, a segment of it alone, and the sum of the estimates of its tree.
struct Candidate {
    first: usize,
    segment: Segment,
    sum: f64,
}

/// The best monomer to begin with. If a walk above the target was found, that, otherwise
/// [`ExactVerdict::Open`].
pub(super) fn best(
    instance: &Arc<Instance>,
    target: i32,
    meter: &mut Meter,
) -> (usize, ExactVerdict) {
    /// How many samples each monomer gets the first time, and how many times as many in each later
    /// round, for one in as many of the monomers.
    const SAMPLES: u32 = 4;
    const FACTOR: u32 = 3;
    /// How many times too low the least estimate may be.
    const TOO_LOW: f64 = 20.0;
    let mut rng = Streams::new(0).address("polymer proof", 0);
    let mut candidates: Vec<Candidate> = (0..instance.len())
        .map(|first| Candidate {
            first,
            segment: Segment::new(Arc::clone(instance), first),
            sum: 0.0,
        })
        .collect();
    let mut samples = SAMPLES;
    let mut taken = 0;
    let before = meter.spent();
    loop {
        for Candidate { first, segment, sum } in &mut candidates {
            for _ in 0..samples {
                match sample(segment, target, &mut rng, meter) {
                    Ok(size) => *sum += size,
                    Err(verdict) => return (*first, verdict),
                }
            }
        }
        taken += samples;
        candidates.sort_by(|one, other| one.sum.total_cmp(&other.sum));
        let least = candidates[0].sum / f64::from(taken);
        // Sampling should not take longer than the search. But the least of many estimates is too
        // low.
        if candidates.len() == 1 || TOO_LOW * least < (meter.spent() - before) as f64 {
            return (candidates[0].first, ExactVerdict::Open);
        }
        let kept = candidates.len().div_ceil(FACTOR as usize).min(candidates.len() - 1);
        candidates.truncate(kept);
        samples *= FACTOR;
    }
}
