//! Beam search with undo along the tree: one beam of a given width, or beams of growing width
//! until the budget is spent. How walks grow and are compared is in [`growth`].

pub(crate) mod growth;

use std::sync::Arc;

use quintain_core::{Meter, Rng, Unit, parameters};
use quintain_search::beam;

use crate::players::solver::{Incumbent, SolverInput, WalkSolver};
use crate::rules::instance::Instance;
use growth::{Growth, GrowthWeights};

parameters! {
    /// Beam search with undo along the tree.
    pub(super) struct Beam {
        /// Walks kept of every length; 0 for growing widths until the budget is spent.
        width: usize = 0, in 0..=10_000_000;
        /// The weight p against free neighbours.
        compact: f64 = 0.1, in 0.0..=10.0;
        /// The weight g for agreement of the charges around free cells.
        attraction: f64 = 0.05, in 0.0..=10.0;
        /// Walks looked at where the budget sets no limit.
        nodes: u64 = 200_000, in 1..=1_000_000_000_000u64;
    }
}

impl WalkSolver for Beam {
    fn lay(&self, input: SolverInput<'_, '_>) {
        let SolverInput { instance, prefix, meter, rng, best, .. } = input;
        if self.width == 0 {
            return grow_in_beams(instance, prefix, 1.0, meter, rng, best);
        }
        let taste = GrowthWeights { compact: self.compact, attraction: self.attraction };
        grow_beam(instance, prefix, taste, self.width, meter, best);
    }

    fn work(&self) -> (Unit, u64) {
        (Unit::Nodes, if self.width == 0 { self.nodes } else { u64::MAX })
    }
}

/// One beam from `prefix` on; whether it laid a whole walk.
pub fn grow_beam(
    instance: &Arc<Instance>,
    prefix: &[u16],
    taste: GrowthWeights,
    width: usize,
    meter: &mut Meter,
    best: &mut Incumbent<'_>,
) -> bool {
    match instance.torus().ways() {
        4 => grow_on::<4>(instance, prefix, taste, width, meter, best),
        _ => grow_on::<6>(instance, prefix, taste, width, meter, best),
    }
}

fn grow_on<const WAYS: usize>(
    instance: &Arc<Instance>,
    prefix: &[u16],
    taste: GrowthWeights,
    width: usize,
    meter: &mut Meter,
    best: &mut Incumbent<'_>,
) -> bool {
    let mut growth = Growth::<WAYS>::new(Arc::clone(instance), prefix, taste);
    let more = instance.len() - prefix.len();
    let steps = beam::search(&mut growth, more, width, meter);
    let Some(steps) = steps.filter(|steps| steps.len() == more) else { return false };
    let walk: Vec<u16> = prefix.iter().copied().chain(steps).collect();
    best.offer(&walk, instance.worth(&walk));
    true
}

/// Beams over a share of the meter: the first narrow and of the usual taste, later ones
/// wider and of varied taste, as long as another one is likely to end in time. Walks that
/// care little for compactness have the better contacts and sooner a dead end: after one,
/// beams care more.
pub fn grow_in_beams(
    instance: &Arc<Instance>,
    prefix: &[u16],
    share: f64,
    meter: &mut Meter,
    rng: &mut Rng,
    best: &mut Incumbent<'_>,
) {
    let mut part = meter.part(share);
    let more = (instance.len() - prefix.len()) as u64;
    let mut width = 24.0f64;
    let mut least = 0.05;
    let mut taste = GrowthWeights { compact: 0.1, attraction: 0.05 };
    loop {
        let before = part.spent();
        let begin = std::time::Instant::now();
        let is_whole = grow_beam(instance, prefix, taste, width as usize, &mut part, best);
        let used = part.spent() - before;
        if more == 0 || part.is_spent() || used == 0 {
            break;
        }
        // The next beam takes as long as its width says.
        width *= 1.5;
        let late = part.deadline().is_some_and(|deadline| {
            std::time::Instant::now() + begin.elapsed().mul_f64(1.5) > deadline
        });
        let short = part.left() < used + used / 2;
        if late || short {
            width /= 1.5;
            if part.left() < used || late && begin.elapsed() > std::time::Duration::from_secs(1) {
                break;
            }
        }
        if !is_whole {
            least = (taste.compact + 0.05).min(0.3);
        }
        taste = GrowthWeights { compact: least + 0.2 * rng.unit(), attraction: 0.12 * rng.unit() };
    }
    meter.charge(part.spent());
}
