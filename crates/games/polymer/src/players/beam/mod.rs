//! Beam search with undo along the tree: one beam of a given width, or one that is as wide as the
//! budget allows. How walks grow and are compared is in [`growth`]; beams improve whole walks in
//! [`stretches`].

pub(crate) mod growth;
pub(crate) mod population;
pub(crate) mod stretches;

use std::sync::Arc;

use quintain_core::{Meter, Rng, Unit, parameters};
use quintain_search::beam;

use crate::players::solver::{Incumbent, SolverInput, WalkSolver};
use crate::players::tuned::{GrowthWeights, tuned};
use crate::rules::instance::Instance;
use crate::rules::torus::by_ways;
use growth::Growth;

parameters! {
    /// Beam search with undo along the tree.
    pub(super) struct Beam {
        /// Walks kept at each length; 0 for as many as the budget allows.
        width: usize = 0, in 0..=10_000_000;
        /// The weight p against free cells beside monomers.
        compact: f64 = tuned().beam.weights.compact, in 0.0..=10.0;
        /// The weight g for agreement of the charges around free cells.
        attraction: f64 = tuned().beam.weights.attraction, in 0.0..=10.0;
        /// Walks examined where the budget sets no limit.
        nodes: u64 = 200_000, in 1..=1_000_000_000_000u64;
    }
}

impl WalkSolver for Beam {
    fn lay(&self, input: SolverInput<'_, '_>) {
        let SolverInput { instance, prefix, meter, rng, best, .. } = input;
        if self.width == 0 {
            return grow_in_beams(instance, prefix, 1.0, meter, rng, best);
        }
        let weights = GrowthWeights { compact: self.compact, attraction: self.attraction };
        let width = BeamWidth::Walks(self.width);
        let disturbance = rng.bits();
        let options = BeamOptions { weights, width, enough: usize::MAX, disturbance };
        grow_beam(instance, prefix, options, meter, best);
    }

    fn work(&self) -> (Unit, u64) {
        (Unit::Nodes, if self.width == 0 { self.nodes } else { u64::MAX })
    }
}

/// The width of a beam.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BeamWidth {
    /// This many walks of every length.
    Walks(usize),
    /// As many as the meter allows.
    Full,
}

/// The settings of a beam.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BeamOptions {
    /// The weights by which walks are compared.
    pub weights: GrowthWeights,
    /// How many walks are kept.
    pub width: BeamWidth,
    /// A free region of this many cells counts as room enough; the rest is not looked at.
    pub enough: usize,
    /// If this is not 0, keys are disturbed a little, differently for each number. Without this, a
    /// beam is soon full of walks that differ little.
    pub disturbance: u64,
}

/// Grows one beam from `prefix` on; returns whether it laid a whole walk.
pub fn grow_beam(
    instance: &Arc<Instance>,
    prefix: &[u16],
    options: BeamOptions,
    meter: &mut Meter,
    best: &mut Incumbent<'_>,
) -> bool {
    by_ways!(instance.torus(), grow_on(instance, prefix, options, meter, best))
}

fn grow_on<const WAYS: usize>(
    instance: &Arc<Instance>,
    prefix: &[u16],
    BeamOptions { weights, width, enough, disturbance }: BeamOptions,
    meter: &mut Meter,
    best: &mut Incumbent<'_>,
) -> bool {
    /// The most nodes that are kept, of eight bytes each.
    const MAX_NODES: usize = 16_000_000;
    let growth = Growth::<WAYS>::new(Arc::clone(instance), prefix, weights, enough);
    // Walks with the same head and the same last monomers would go on in the same ways, so one of
    // them is kept.
    let mut growth = growth.disturbed(disturbance).telling_apart_by(tuned().beam.window);
    let more = instance.len() - prefix.len();
    let steps = match width {
        BeamWidth::Walks(width) => beam::search(&mut growth, more, width, meter),
        BeamWidth::Full => {
            beam::search_in_full(&mut growth, more, (MAX_NODES / more.max(1)).max(1), meter)
        }
    };
    let Some(steps) = steps.filter(|steps| steps.len() == more) else { return false };
    let walk: Vec<u16> = prefix.iter().copied().chain(steps).collect();
    best.offer(&walk, instance.worth(&walk));
    true
}

/// Grows beams over a share of the meter: a narrow one, so that there is a walk soon, then one as
/// wide as possible. A beam three times as wide is worth more than three beams, so there are
/// several wide ones only if one ended dead or was as wide as memory allows. Walks that care little
/// for compactness have better contacts but reach a dead end sooner. So after a dead end, beams
/// care more, and look further for room. If more than half of the torus is filled, beams take all
/// of the time only once one has come through. Each beam is disturbed differently, so that threads
/// lay different walks.
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
    let is_dense = instance.is_dense();
    let tuned = &tuned().beam;
    let mut enough = room_enough(is_dense);
    let mut compact = tuned.weights.compact;
    let mut width = BeamWidth::Walks(tuned.narrow);
    // Whether wide beams are likely to come through.
    let mut is_sure = !is_dense;
    loop {
        let is_risky = width == BeamWidth::Full && !is_sure;
        let own_share = if is_risky { tuned.unsure_share } else { 1.0 };
        let mut own = part.part(own_share);
        let weights = GrowthWeights { compact, attraction: 2.0 * compact };
        let options = BeamOptions { weights, width, enough, disturbance: rng.bits() };
        let is_whole = grow_beam(instance, prefix, options, &mut own, best);
        part.charge(own.spent());
        if more == 0 || own.spent() == 0 || part.is_spent() || is_late(&part, more) {
            break;
        }
        if !is_whole {
            enough = enough.saturating_mul(tuned.enough_factor);
            compact = (compact + tuned.compact_step).min(tuned.compact_max);
        }
        is_sure = is_whole && (width == BeamWidth::Full || !is_dense);
        width = BeamWidth::Full;
    }
    meter.charge(part.spent());
}

/// How many free cells count as room enough at first.
fn room_enough(is_dense: bool) -> usize {
    let tuned = &tuned().beam;
    if is_dense { tuned.enough_where_dense } else { tuned.enough }
}

/// Grows one narrow beam, and others that care more for compactness until one comes through or the
/// last has.
pub(crate) fn grow_narrow(
    instance: &Arc<Instance>,
    meter: &mut Meter,
    rng: &mut Rng,
    best: &mut Incumbent<'_>,
) {
    let tuned = &tuned().beam;
    let mut enough = room_enough(instance.is_dense());
    for &compact in &tuned.narrow_compact {
        let weights = GrowthWeights { compact, attraction: 2.0 * compact };
        let width = BeamWidth::Walks(tuned.narrow);
        let options = BeamOptions { weights, width, enough, disturbance: rng.bits() };
        if grow_beam(instance, &[0], options, meter, best) || meter.is_spent() {
            return;
        }
        enough *= tuned.enough_factor;
    }
}

/// Whether another beam is not worth starting, because less is left than a narrow one takes.
fn is_late(meter: &Meter, more: u64) -> bool {
    const NODES_A_SECOND: f64 = 500_000.0;
    let nodes = (tuned().beam.narrow as u64 * more) as f64;
    let left = meter.time_left().map(|left| left.as_secs_f64());
    (meter.left() as f64) < nodes || left.is_some_and(|left| left * NODES_A_SECOND < nodes)
}
