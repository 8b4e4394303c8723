//! The champion chooses by size and density: short and sparse chains are annealed
//! several times, each run longer than the last; long ones are laid by beams of growing
//! width and varied taste, and the best of them is polished.

use std::sync::Arc;

use quintain_core::{Meter, Rng};

use crate::rules::{Instance, Interaction};
use crate::solvers::growth::Taste;
use crate::solvers::{Best, Cooling, anneal, grow};

/// Up to this many monomers annealing from anywhere is as good as a beam.
const SHORT: usize = 110;

/// Lays the whole chain over `prefix` (at least its first cell).
pub fn champion(
    instance: &Arc<Instance>,
    prefix: &[u16],
    meter: &mut Meter,
    rng: &mut Rng,
    best: &mut Best<'_>,
) {
    if prefix.len() > 1 {
        // The moves of annealing know no fixed part.
        return beams(instance, prefix, 1.0, meter, rng, best);
    }
    if instance.interaction() == Interaction::Hp || instance.len() <= SHORT {
        return runs(instance, meter, rng, best);
    }
    beams(instance, prefix, 0.5, meter, rng, best);
    polish(instance, meter, rng, best);
}

/// Annealing runs: the last takes half of all, the one before half of the rest.
pub fn runs(instance: &Arc<Instance>, meter: &mut Meter, rng: &mut Rng, best: &mut Best<'_>) {
    for share in [1.0 / 16.0, 1.0 / 15.0, 1.0 / 7.0, 1.0 / 6.0, 0.4, 1.0] {
        let mut part = meter.part(share);
        anneal(instance, None, Cooling::suiting(instance), &mut part, rng, best);
        meter.charge(part.spent());
        if meter.is_spent() {
            return;
        }
    }
}

/// Anneals on from the best, at temperatures that keep most of it.
pub fn polish(instance: &Arc<Instance>, meter: &mut Meter, rng: &mut Rng, best: &mut Best<'_>) {
    let start = best.get().map(|best| best.walk.clone());
    let cooling = match start {
        Some(_) => Cooling::polishing(instance),
        None => Cooling::suiting(instance),
    };
    anneal(instance, start.as_deref(), cooling, meter, rng, best);
}

/// Beams over a share of the meter: the first narrow and of the usual taste, later ones
/// wider and of varied taste, as long as another one is likely to end in time. Walks that
/// care little for compactness have the better contacts and sooner a dead end: after one,
/// beams care more.
pub fn beams(
    instance: &Arc<Instance>,
    prefix: &[u16],
    share: f64,
    meter: &mut Meter,
    rng: &mut Rng,
    best: &mut Best<'_>,
) {
    let mut part = meter.part(share);
    let more = (instance.len() - prefix.len()) as u64;
    let mut width = 24.0f64;
    let mut least = 0.05;
    let mut taste = Taste { compact: 0.1, attraction: 0.05 };
    loop {
        let before = part.spent();
        let begin = std::time::Instant::now();
        let is_whole = grow(instance, prefix, taste, width as usize, &mut part, best);
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
        taste = Taste { compact: least + 0.2 * rng.unit(), attraction: 0.12 * rng.unit() };
    }
    meter.charge(part.spent());
}
