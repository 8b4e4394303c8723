//! Improves a whole walk one stretch at a time: some dozens of monomers are cut out, and a narrow
//! beam regrows them between the ends (large neighbourhood search, Shaw 1998), from either end. A
//! loss is accepted by the Metropolis rule. Pulls and turns move a few monomers at a time and pass
//! through worse walks; a stretch of forty goes from one good fold to another at once.
//!
//! Several walks change side by side, each at its own temperature, and neighbours swap temperatures
//! (replica exchange): the hot ones leave what the first walk looks like, and the cold ones refine
//! what they find.

use std::sync::Arc;

use quintain_core::{Meter, Rng};
use quintain_search::annealing::Metropolis;
use quintain_search::beam;
use quintain_search::replica_exchange::swap_neighbours;

use super::growth::Growth;
use crate::players::replicas::replica_temperatures;
use crate::players::solver::Incumbent;
use crate::players::tuned::{GrowthWeights, StretchOptions, tuned};
use crate::rules::instance::Instance;
use crate::rules::torus::by_ways;

/// Regrows stretches of the best walk until the meter is spent; each walk that a beam looks at is a
/// unit. Does nothing if there is no walk yet.
pub fn regrow_stretches(
    instance: &Arc<Instance>,
    options: StretchOptions,
    meter: &mut Meter,
    rng: &mut Rng,
    best: &mut Incumbent<'_>,
) {
    by_ways!(instance.torus(), regrow_on(instance, options, meter, rng, best));
}

fn regrow_on<const WAYS: usize>(
    instance: &Arc<Instance>,
    options: StretchOptions,
    meter: &mut Meter,
    rng: &mut Rng,
    best: &mut Incumbent<'_>,
) {
    let Some(walk) = best.get().map(|best| best.walk.clone()) else { return };
    let n = walk.len();
    if n < 2 || options.lengths[1] == 0 {
        return;
    }
    let stretches = Stretches::<WAYS>::new(instance, &walk, options.weights, options.width);
    let mut replicas = vec![stretches; options.replicas.max(1)];
    let [cold, hot] = options.temperatures;
    let temperatures = replica_temperatures(replicas.len(), cold, hot);
    let rules: Vec<Metropolis> = temperatures.iter().map(|t| Metropolis::at(*t)).collect();
    for round in 0.. {
        for (stretches, metropolis) in replicas.iter_mut().zip(&rules) {
            for _ in 0..tuned().stretches.block {
                let Some((first, last)) = random_stretch(n, options.lengths, rng) else { continue };
                if !stretches.regrow(instance, first, last, metropolis, meter, rng) {
                    return;
                }
                if best.get().is_none_or(|best| stretches.r() > best.r) {
                    best.offer(stretches.walk(), stretches.r());
                }
            }
        }
        let r = |stretches: &Stretches<WAYS>| i64::from(stretches.r());
        swap_neighbours(&mut replicas, &temperatures, round, rng, r);
    }
}

/// The first monomer and the last of a stretch of a chain of `n`, or none if that is nothing or the
/// whole chain. Some stretches reach beyond an end of the chain, so that short ones are grown at
/// its ends too.
pub(super) fn random_stretch(
    n: usize,
    lengths: [usize; 2],
    rng: &mut Rng,
) -> Option<(usize, usize)> {
    let longest = lengths[1].clamp(1, n.saturating_sub(1).max(1));
    let shortest = lengths[0].clamp(1, longest);
    let length = shortest + rng.below(longest - shortest + 1);
    let begin = rng.below(n + length / 2) as i64 - (3 * length / 4) as i64;
    let first = begin.max(0) as usize;
    let last = (begin + length as i64 - 1).min(n as i64 - 1) as usize;
    (first <= last && last - first + 1 < n).then_some((first, last))
}

/// A whole walk whose stretches are regrown.
#[derive(Clone)]
pub(super) struct Stretches<const WAYS: usize> {
    growth: Growth<WAYS>,
    walk: Vec<u16>,
    width: usize,
}

impl<const WAYS: usize> Stretches<WAYS> {
    /// A walk whose stretches are grown by beams of this width.
    pub(super) fn new(
        instance: &Arc<Instance>,
        walk: &[u16],
        weights: GrowthWeights,
        width: usize,
    ) -> Self {
        let growth = Growth::of_whole(Arc::clone(instance), walk, weights);
        Stretches { growth, walk: walk.to_vec(), width }
    }

    /// The cells of the monomers.
    pub(super) fn walk(&self) -> &[u16] {
        &self.walk
    }

    /// R of the walk.
    pub(super) fn r(&self) -> i32 {
        self.growth.r()
    }

    /// Lays another walk of the same chain instead.
    pub(super) fn lay(&mut self, instance: &Instance, walk: &[u16]) {
        for (cell, charge) in self.walk.iter().zip(instance.monomers()) {
            self.growth.remove(*cell, *charge);
        }
        for (cell, charge) in walk.iter().zip(instance.monomers()) {
            self.growth.put(*cell, *charge);
        }
        self.walk.copy_from_slice(walk);
    }

    /// Regrows the monomers `first..=last`, which must not be all; returns whether the meter
    /// lasted.
    pub(super) fn regrow(
        &mut self,
        instance: &Instance,
        first: usize,
        last: usize,
        metropolis: &Metropolis,
        meter: &mut Meter,
        rng: &mut Rng,
    ) -> bool {
        let charges = instance.monomers();
        // Grow from an end that is attached: from either if both are.
        let has_both = first > 0 && last + 1 < self.walk.len();
        let up = if has_both { rng.chance(0.5) } else { first > 0 };
        let index = |place: usize| if up { first + place } else { last - place };
        let length = last - first + 1;
        let anchor = self.walk[if up { first - 1 } else { last + 1 }];
        let target = has_both.then(|| self.walk[if up { last + 1 } else { first - 1 }]);
        let before = self.growth.r();
        let was: Vec<u16> = (0..length).map(|place| self.walk[index(place)]).collect();
        let fill = |growth: &mut Growth<WAYS>, cells: &[u16]| {
            for (place, cell) in cells.iter().enumerate() {
                growth.put(*cell, charges[index(place)]);
            }
        };
        let empty = |growth: &mut Growth<WAYS>, cells: &[u16]| {
            for (place, cell) in cells.iter().enumerate() {
                growth.remove(*cell, charges[index(place)]);
            }
        };
        empty(&mut self.growth, &was);
        let disturbance = rng.bits();
        let to_lay = (0..length).map(|place| charges[index(place)]);
        self.growth.set_out(to_lay, anchor, target, disturbance);
        let found = beam::search(&mut self.growth, length, self.width, meter);
        let Some(found) = found else {
            fill(&mut self.growth, &was);
            return false;
        };
        if found.len() < length {
            fill(&mut self.growth, &was);
            return true;
        }
        fill(&mut self.growth, &found);
        if !metropolis.accepts(self.growth.r() - before, rng) {
            empty(&mut self.growth, &found);
            fill(&mut self.growth, &was);
            return true;
        }
        for (place, cell) in found.into_iter().enumerate() {
            self.walk[index(place)] = cell;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::check_walk;
    use crate::players::annealing::fold::snake;
    use crate::rules::instance::Interaction;
    use crate::rules::torus::Torus;
    use crate::scenarios::{Charges, draw_charges};

    fn check(torus: Torus, n: usize, lengths: [usize; 2]) {
        let monomers = draw_charges(Charges::Uniform, n, 5);
        let instance = Arc::new(Instance::new(torus, Interaction::Charge, monomers).unwrap());
        let walk = snake(instance.torus(), n);
        let before = instance.worth(&walk);
        let mut improvements = 0;
        let mut found = |_: &_| improvements += 1;
        let mut best = Incumbent::new(&mut found);
        best.offer(&walk, before);
        let options = StretchOptions { lengths, ..tuned().stretches.cold };
        let mut rng = Rng::from_seed(1);
        regrow_stretches(&instance, options, &mut Meter::of(20_000), &mut rng, &mut best);
        let best = best.take().unwrap();
        check_walk(&instance, &best.walk).unwrap();
        assert_eq!(instance.worth(&best.walk), best.r);
        assert!(best.r > before + 2, "{n}: {} from {before}", best.r);
        assert!(improvements > 1);
    }

    #[test]
    fn regrown_stretches_leave_a_whole_walk_that_is_better() {
        check(Torus::new(8, 8).unwrap(), 40, [4, 20]);
        check(Torus::new(7, 5).unwrap(), 24, [20, 60]);
        check(Torus::new(16, 16).unwrap(), 100, [20, 60]);
        check(Torus::with_layers(6, 6, 6).unwrap(), 60, [10, 30]);
    }
}
