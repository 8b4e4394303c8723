//! The pruned-enriched Rosenbluth method (Grassberger 1997). A walk is grown step by step; each
//! step is drawn by how good it looks, and the walk carries a weight that corrects for the draw.
//! Weights are compared with the mean weight of all walks of this length so far: heavy walks
//! continue twice with half the weight, and half of the light ones are given up. The result is a
//! sample at temperature T; here only its best walk is used.

use std::sync::Arc;

use quintain_core::{Meter, Rng, Unit, parameters};
use quintain_search::beam::{Branch, Branching};

use crate::players::beam::growth::Growth;
use crate::players::solver::{Incumbent, SolverInput, WalkSolver};
use crate::players::tuned::GrowthWeights;
use crate::rules::instance::Instance;
use crate::rules::torus::by_ways;

parameters! {
    /// The pruned-enriched Rosenbluth method.
    pub(super) struct Perm {
        /// The temperature T, in contacts.
        temperature: f64 = 0.4, in 0.01..=100.0;
        /// The weight p against free cells beside monomers when steps are drawn.
        compact: f64 = 0.1, in 0.0..=10.0;
        /// The weight g for agreement of the charges around free cells when steps are drawn.
        attraction: f64 = 0.05, in 0.0..=10.0;
        /// Steps tried where the budget sets no limit.
        steps: u64 = 200_000, in 1..=1_000_000_000_000u64;
    }
}

impl WalkSolver for Perm {
    fn lay(&self, input: SolverInput<'_, '_>) {
        let SolverInput { instance, prefix, meter, rng, best, .. } = input;
        let weights = GrowthWeights { compact: self.compact, attraction: self.attraction };
        let settings = PermSettings { temperature: self.temperature, weights };
        perm(instance, prefix, settings, meter, rng, best);
    }

    fn work(&self) -> (Unit, u64) {
        (Unit::Nodes, self.steps)
    }
}

/// From this many times the mean weight on, a walk continues twice.
const HEAVY: f64 = 1.0;
/// Below this share of the threshold above, a walk may be given up.
const LIGHT: f64 = 0.2;

/// The settings of [`perm`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PermSettings {
    /// The temperature T, in contacts.
    pub temperature: f64,
    /// The weights by which steps are drawn, in addition to their immediate gain.
    pub weights: GrowthWeights,
}

struct Tours<'a, 'b, const WAYS: usize> {
    growth: Growth<WAYS>,
    settings: PermSettings,
    length: usize,
    /// For each length: ln of the sum of the weights of all walks that reached it.
    sums: Vec<f64>,
    /// For each length: how many walks reached it.
    counts: Vec<u64>,
    tours: u64,
    meter: &'a mut Meter,
    rng: &'a mut Rng,
    best: &'a mut Incumbent<'b>,
}

/// Grows walks over `prefix` (at least its first cell), tour after tour, until the meter is spent;
/// each tour and each step tried is a unit.
pub fn perm(
    instance: &Arc<Instance>,
    prefix: &[u16],
    settings: PermSettings,
    meter: &mut Meter,
    rng: &mut Rng,
    best: &mut Incumbent<'_>,
) {
    by_ways!(instance.torus(), perm_on(instance, prefix, settings, meter, rng, best));
}

fn perm_on<const WAYS: usize>(
    instance: &Arc<Instance>,
    prefix: &[u16],
    settings: PermSettings,
    meter: &mut Meter,
    rng: &mut Rng,
    best: &mut Incumbent<'_>,
) {
    let length = instance.len();
    let mut tours = Tours::<WAYS> {
        growth: Growth::new(Arc::clone(instance), prefix, settings.weights, usize::MAX),
        settings,
        length,
        sums: vec![f64::NEG_INFINITY; length + 1],
        counts: vec![0; length + 1],
        tours: 0,
        meter,
        rng,
        best,
    };
    while tours.meter.spend() {
        tours.tours += 1;
        tours.go_on(None, 0.0);
    }
}

impl<const WAYS: usize> Tours<'_, '_, WAYS> {
    /// Continues from the walk that `here` led to (or the prefix); `weight` is the logarithm of its
    /// weight.
    fn go_on(&mut self, here: Option<&Branch<u16>>, weight: f64) {
        let r = self.growth.r();
        let laid = self.growth.len();
        if laid == self.length {
            if self.best.get().is_none_or(|best| r > best.r) {
                self.best.offer(&self.growth.walk(), r);
            }
            return;
        }
        if !self.meter.spend() {
            return;
        }
        let (copies, weight) = self.thin_out(laid, weight);
        let mut branches: Vec<Branch<u16>> = Vec::with_capacity(WAYS);
        if copies > 0 {
            self.growth.branches(here, &mut branches);
        }
        if branches.is_empty() {
            return;
        }
        let best = branches.iter().map(|branch| branch.key).fold(f64::MIN, f64::max);
        let cold = 1.0 / self.settings.temperature;
        let likes: Vec<f64> =
            branches.iter().map(|branch| ((branch.key - best) * cold).exp()).collect();
        let all: f64 = likes.iter().sum();
        for _ in 0..copies {
            let drawn = self.rng.weighted(&likes);
            let branch = branches[drawn];
            self.growth.step(branch.step);
            let gain = f64::from(self.growth.r() - r);
            self.go_on(Some(&branch), weight + gain * cold - (likes[drawn] / all).ln());
            self.growth.undo();
        }
    }

    /// How many times a walk continues, and with what weight.
    fn thin_out(&mut self, laid: usize, weight: f64) -> (u32, f64) {
        let sum = &mut self.sums[laid];
        let (high, low) = (sum.max(weight), sum.min(weight));
        *sum = high + (low - high).exp().ln_1p();
        self.counts[laid] += 1;
        let mean = *sum - (self.tours as f64).ln();
        // Lengths that many walks have reached are harder to pass (Hsu et al. 2003).
        let crowd = 2.0 * (self.counts[laid] as f64 / self.tours as f64).ln();
        let heavy = HEAVY.ln() + mean + crowd;
        let half = std::f64::consts::LN_2;
        if weight > heavy {
            (2, weight - half)
        } else if weight < heavy + LIGHT.ln() {
            (u32::from(self.rng.chance(0.5)), weight + half)
        } else {
            (1, weight)
        }
    }
}
