//! Evolution of vectors of numbers towards a low cost that can only be sampled: the separable
//! CMA-ES, for tuning weights and for finding hard instances.
//!
//! Ros & Hansen, “A Simple Modification in CMA-ES Achieving Linear Time and Space
//! Complexity” (2008): the covariance matrix is diagonal, so that it learns a step for
//! each number, from few samples. Costs may be noisy; only their order counts.
//!
//! ```
//! use quintain_core::Rng;
//! use quintain_search::evolution::Evolution;
//!
//! // The lowest cost is at (2, −1).
//! let cost = |x: &Vec<f64>| (x[0] - 2.0).powi(2) + 10.0 * (x[1] + 1.0).powi(2);
//! let (mut evolution, mut rng) = (Evolution::new(vec![0.0, 0.0], 0.5), Rng::from_seed(1));
//! for _ in 0..100 {
//!     let candidates = evolution.ask(&mut rng);
//!     let costs: Vec<f64> = candidates.iter().map(cost).collect();
//!     evolution.tell(&candidates, &costs);
//! }
//! assert!((evolution.mean()[0] - 2.0).abs() < 0.01);
//! ```

use quintain_core::Rng;

/// A normal distribution over vectors that moves towards lower costs.
#[derive(Clone, Debug)]
pub struct Evolution {
    mean: Vec<f64>,
    step: f64,
    variances: Vec<f64>,
    /// The evolution path of the mean in units of the variances, by which the step is adapted.
    step_path: Vec<f64>,
    /// The evolution path of the mean, by which the variances are adapted.
    path: Vec<f64>,
    /// The weights of the parents, the best first; they sum to 1.
    weights: Vec<f64>,
    population: usize,
    generation: u32,
}

impl Evolution {
    /// Begins at the vector `mean` with the same standard deviation, `step`, for each number.
    ///
    /// # Panics
    /// If the vector is empty or the step is not above 0.
    pub fn new(mean: Vec<f64>, step: f64) -> Evolution {
        assert!(!mean.is_empty() && step > 0.0, "evolution needs numbers and a step above 0");
        let population = 4 + (3.0 * (mean.len() as f64).ln()) as usize;
        let length = mean.len();
        let mut evolution = Evolution {
            mean,
            step,
            variances: vec![1.0; length],
            step_path: vec![0.0; length],
            path: vec![0.0; length],
            weights: Vec::new(),
            population,
            generation: 0,
        };
        evolution.set_weights();
        evolution
    }

    /// The same with `population` candidates per generation, at least four.
    pub fn with_population(mut self, population: usize) -> Evolution {
        self.population = population.max(4);
        self.set_weights();
        self
    }

    /// Sets the weights of the parents, which are the better half of a generation.
    fn set_weights(&mut self) {
        let parents = self.population / 2;
        let raw = (1..=parents).map(|rank| (parents as f64 + 0.5).ln() - (rank as f64).ln());
        let raw: Vec<f64> = raw.collect();
        let sum: f64 = raw.iter().sum();
        self.weights = raw.into_iter().map(|weight| weight / sum).collect();
    }

    /// The mean of the distribution: the vector to use in the end.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The number of candidates in a generation.
    pub fn population(&self) -> usize {
        self.population
    }

    /// The step size σ, which all numbers share.
    pub fn step(&self) -> f64 {
        self.step
    }

    /// Draws the candidates of the next generation: [`Evolution::population`] vectors.
    pub fn ask(&self, rng: &mut Rng) -> Vec<Vec<f64>> {
        let mut draw = || {
            let numbers = self.mean.iter().zip(&self.variances);
            numbers
                .map(|(mean, variance)| mean + self.step * variance.sqrt() * normal(rng))
                .collect()
        };
        (0..self.population).map(|_| draw()).collect()
    }

    /// Moves the distribution towards the candidates with the lowest costs; `costs[i]` is the cost
    /// of `candidates[i]`.
    ///
    /// # Panics
    /// If there is not exactly one cost for each candidate of [`Evolution::ask`].
    pub fn tell(&mut self, candidates: &[Vec<f64>], costs: &[f64]) {
        assert_eq!(candidates.len(), self.population, "candidates are those asked for");
        assert_eq!(candidates.len(), costs.len(), "each candidate has a cost");
        self.generation += 1;
        let mut order: Vec<usize> = (0..costs.len()).collect();
        order.sort_by(|a, b| costs[*a].total_cmp(&costs[*b]));
        let n = self.mean.len() as f64;
        let effective = 1.0 / self.weights.iter().map(|weight| weight * weight).sum::<f64>();
        let step_rate = (effective + 2.0) / (n + effective + 3.0);
        let damping =
            1.0 + step_rate + 2.0 * (((effective - 1.0) / (n + 1.0)).sqrt() - 1.0).max(0.0);
        let path_rate = 4.0 / (n + 4.0);
        let full = 2.0 / (effective * (n + std::f64::consts::SQRT_2).powi(2))
            + (1.0 - 1.0 / effective)
                * ((2.0 * effective - 1.0) / ((n + 2.0).powi(2) + effective)).min(1.0);
        // There are fewer numbers to learn than in a full matrix, so they may be learned faster.
        let rate = (full * (n + 2.0) / 3.0).min(1.0);
        let best: Vec<&Vec<f64>> =
            order[..self.weights.len()].iter().map(|index| &candidates[*index]).collect();

        let moved =
            |index: usize, candidate: &[f64]| (candidate[index] - self.mean[index]) / self.step;
        let drift: Vec<f64> = (0..self.mean.len())
            .map(|index| {
                let parents = self.weights.iter().zip(&best);
                parents.map(|(weight, candidate)| weight * moved(index, candidate)).sum()
            })
            .collect();
        let spread: Vec<f64> = (0..self.mean.len())
            .map(|index| {
                let parents = self.weights.iter().zip(&best);
                parents.map(|(weight, candidate)| weight * moved(index, candidate).powi(2)).sum()
            })
            .collect();
        let gain = (step_rate * (2.0 - step_rate) * effective).sqrt();
        for (index, drift) in drift.iter().enumerate() {
            let path = &mut self.step_path[index];
            *path = (1.0 - step_rate) * *path + gain * drift / self.variances[index].sqrt();
        }
        let length = self.step_path.iter().map(|part| part * part).sum::<f64>().sqrt();
        let expected = n.sqrt() * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n));
        let settled = (1.0 - (1.0 - step_rate).powi(2 * self.generation as i32)).sqrt();
        // A path that is far too long shows that the step is too small, not how to change the
        // variances.
        let counts = f64::from(u8::from(length / settled < (1.4 + 2.0 / (n + 1.0)) * expected));
        let gain = counts * (path_rate * (2.0 - path_rate) * effective).sqrt();
        for index in 0..self.mean.len() {
            let path = &mut self.path[index];
            *path = (1.0 - path_rate) * *path + gain * drift[index];
            let learned = *path * *path / effective + (1.0 - 1.0 / effective) * spread[index];
            let variance = &mut self.variances[index];
            *variance = ((1.0 - rate) * *variance + rate * learned).max(1e-20);
            self.mean[index] += self.step * drift[index];
        }
        // No more than a factor of e at once, whatever the noise.
        self.step *= (step_rate / damping * (length / expected - 1.0)).clamp(-1.0, 1.0).exp();
    }
}

/// A draw from the standard normal distribution (Box & Muller 1958).
fn normal(rng: &mut Rng) -> f64 {
    (-2.0 * (1.0 - rng.unit()).ln()).sqrt() * (std::f64::consts::TAU * rng.unit()).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evolve(cost: impl Fn(&[f64], &mut Rng) -> f64, generations: u32, seed: u64) -> Vec<f64> {
        let mut evolution = Evolution::new(vec![3.0; 8], 1.0);
        let mut rng = Rng::from_seed(seed);
        for _ in 0..generations {
            let candidates = evolution.ask(&mut rng);
            let costs: Vec<f64> =
                candidates.iter().map(|candidate| cost(candidate, &mut rng)).collect();
            evolution.tell(&candidates, &costs);
        }
        evolution.mean().to_vec()
    }

    #[test]
    fn it_finds_the_bottom_of_a_bowl() {
        let found = evolve(|x, _| x.iter().map(|x| (x - 1.0).powi(2)).sum(), 250, 1);
        assert!(found.iter().all(|x| (x - 1.0).abs() < 1e-4), "{found:?}");
    }

    #[test]
    fn it_learns_a_step_for_each_number() {
        let steep = |x: &[f64]| -> f64 {
            x.iter().enumerate().map(|(index, x)| 10f64.powi(index as i32) * x * x).sum()
        };
        let found = evolve(|x, _| steep(x), 600, 2);
        assert!(found.iter().all(|x| x.abs() < 1e-3), "{found:?}");
    }

    #[test]
    fn noise_does_not_mislead_it_far() {
        let cost =
            |x: &[f64], rng: &mut Rng| x.iter().map(|x| x * x).sum::<f64>() + 0.3 * rng.unit();
        let found = evolve(cost, 300, 3);
        assert!(found.iter().all(|x| x.abs() < 0.6), "{found:?}");
    }

    #[test]
    fn the_same_stream_evolves_the_same() {
        let cost = |x: &[f64], _: &mut Rng| x.iter().sum::<f64>().abs();
        assert_eq!(evolve(cost, 20, 4), evolve(cost, 20, 4));
    }
}
