//! Simultaneous perturbation stochastic approximation (Spall 1992; the gains of his
//! “Implementation”, 1998): all parameters are moved at once, by a random sign each, and the two
//! players that lie on either side meet. What a pair of games says is mostly noise, so each moves
//! the parameters only a little, and many pairs add up.
//!
//! The settings are those of Fishtest, Stockfish's testing framework: `alpha` 0.602, `gamma` 0.101,
//! `A` a tenth of the pairs, and for each parameter the perturbation at the end, `c_end`, a
//! twentieth of its range, and the learning rate at the end, `r_end` 0.002. A pair of games counts
//! from −2, both lost by the player on the positive side, to 2.

use quintain_core::Rng;

use crate::axis::Axis;

const ALPHA: f64 = 0.602;
const GAMMA: f64 = 0.101;
/// `A`, as a share of all pairs.
const STABILITY: f64 = 0.1;
/// `c_end`, in first steps of [`Axis`]: a step is a fifth of the range.
const C_END: f64 = 0.25;
const R_END: f64 = 0.002;

/// The course of an approximation. Parameters are in first steps from their start, see [`Axis`].
pub(crate) struct Spsa {
    at: Vec<f64>,
    /// Pairs of games in all.
    total: f64,
    /// Pairs of games so far.
    pairs: u64,
}

/// The two players that meet next.
pub(crate) struct Perturbation {
    /// The sign of each parameter.
    signs: Vec<f64>,
    /// How far each parameter is moved.
    pub(crate) size: f64,
}

impl Spsa {
    /// Begins at the start of every axis, for so many pairs of games in all.
    pub(crate) fn new(axes: usize, total: u64) -> Spsa {
        Spsa { at: vec![0.0; axes], total: total as f64, pairs: 0 }
    }

    /// Where the parameters are now.
    pub(crate) fn at(&self) -> &[f64] {
        &self.at
    }

    /// Draws a direction.
    pub(crate) fn perturb(&self, rng: &mut Rng) -> Perturbation {
        let signs = self.at.iter().map(|_| if rng.below(2) == 0 { -1.0 } else { 1.0 }).collect();
        Perturbation { signs, size: self.size() }
    }

    /// `c` of the next pair.
    fn size(&self) -> f64 {
        C_END * (self.total / self.next_pair()).powf(GAMMA)
    }

    /// The number of the next pair, from 1.
    fn next_pair(&self) -> f64 {
        (self.pairs + 1) as f64
    }

    /// Takes in the sum of the results of some pairs, which all had the same perturbation.
    pub(crate) fn tell(
        &mut self,
        perturbation: &Perturbation,
        sum: f64,
        pairs: u64,
        axes: &[Axis],
    ) {
        let stability = STABILITY * self.total;
        let a_end = R_END * C_END * C_END;
        let a = a_end * ((stability + self.total) / (stability + self.next_pair())).powf(ALPHA);
        let rate = a / (perturbation.size * perturbation.size);
        for ((at, sign), axis) in self.at.iter_mut().zip(&perturbation.signs).zip(axes) {
            let moved = *at + rate * perturbation.size * sum * sign;
            *at = axis.steps(axis.value(moved));
        }
        self.pairs += pairs;
    }
}

impl Perturbation {
    /// The values on the positive side (1) or the negative one (−1), within the ranges. Whole
    /// numbers are rounded at random, so that a perturbation of less than one counts.
    pub(crate) fn values(&self, at: &[f64], side: f64, axes: &[Axis], rng: &mut Rng) -> Vec<f64> {
        let moved = at.iter().zip(&self.signs).zip(axes);
        moved
            .map(|((at, sign), axis)| {
                let value = axis.value(at + side * sign * self.size);
                let whole =
                    (value + rng.unit()).floor().clamp(axis.least.ceil(), axis.most.floor());
                if axis.whole { whole } else { value }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use quintain_core::Streams;

    use super::*;

    fn axis(name: &str, least: f64, most: f64, start: f64, whole: bool) -> Axis {
        let scale = (most - least) / 5.0;
        Axis { name: name.to_owned(), start, scale, least, most, whole }
    }

    /// The chance that the first of two players wins, by how far each is from the best values.
    fn chance(one: &[f64], other: &[f64]) -> f64 {
        let elo = |at: &[f64]| -1.5 * (at[0] - 70.0).powi(2) - 20.0 * (at[1] - 3.0).powi(2);
        1.0 / (1.0 + 10_f64.powf((elo(other) - elo(one)) / 400.0))
    }

    fn tuned(pairs: u64, draws: u64) -> Vec<f64> {
        let axes = [axis("weight", 0.0, 100.0, 50.0, false), axis("depth", 1.0, 8.0, 6.0, true)];
        let (mut spsa, streams) = (Spsa::new(2, pairs), Streams::new(draws));
        for number in 0..pairs / 4 {
            let rng = &mut streams.address("tuning", number);
            let perturbation = spsa.perturb(rng);
            let mut sides =
                [1.0, -1.0].map(|side| perturbation.values(spsa.at(), side, &axes, rng));
            let [plus, minus] = &mut sides;
            let won = chance(plus, minus);
            let sum = (0..8).map(|_| if rng.unit() < won { 1.0 } else { -1.0 }).sum();
            spsa.tell(&perturbation, sum, 4, &axes);
        }
        axes.iter().zip(spsa.at()).map(|(axis, at)| axis.value(*at)).collect()
    }

    #[test]
    fn parameters_approach_the_best_values_through_the_noise_of_single_games() {
        for draws in 0..10 {
            let found = tuned(20_000, draws);
            assert!((found[0] - 70.0).abs() < 6.0, "{found:?}");
            assert!((found[1] - 3.0).abs() < 1.2, "{found:?}");
        }
    }

    #[test]
    fn settings_end_where_fishtest_lets_them_end() {
        let axes = [axis("weight", 0.0, 100.0, 50.0, false)];
        let mut spsa = Spsa::new(1, 1000);
        spsa.pairs = 999;
        let last = Perturbation { signs: vec![1.0], size: spsa.size() };
        let value = last.values(spsa.at(), 1.0, &axes, &mut Streams::new(1).address("x", 0));
        assert!((value[0] - 55.0).abs() < 1e-9, "a twentieth of the range: {value:?}");
        spsa.tell(&last, 2.0, 1, &axes);
        let moved = axes[0].value(spsa.at()[0]) - 50.0;
        assert!((moved - 2.0 * R_END * 5.0).abs() < 1e-9, "result × r_end × c_end: {moved}");
    }
}
