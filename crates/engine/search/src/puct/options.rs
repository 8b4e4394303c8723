//! The options of PUCT.

use quintain_core::{choices, parameters};

choices! {
    /// How visits of the root are shared out.
    pub enum Root {
        /// By the same rule as everywhere in the tree.
        Puct = "puct",
        /// By sequential halving over actions drawn without replacement by their priors, which
        /// improves on the prior whatever the number of simulations (Danihelka et al. 2022).
        Gumbel = "gumbel",
    }
}

parameters! {
    /// The options of [`Puct`](super::Puct).
    #[derive(Copy)]
    pub struct Options {
        /// The weight of the prior, for values on a scale from 0 to 1.
        exploration: f64 = 1.0, in 0.0..=100.0;
        /// How far below its position's value an untried action is valued, on a scale from 0 to 1.
        first_play: f64 = 0.1, in -1.0..=1.0;
        /// Positions evaluated together; each is chosen as if those before it in the batch had
        /// lost.
        leaves: u32 = 1, in 1..=1024;
        /// How visits at the root are shared out.
        root: Root = Root::Puct;
        /// The most actions that a `gumbel` root considers.
        considered: u32 = 16, in 1..=1024;
        /// Weight of a root's random part: of Dirichlet noise in its priors, or of Gumbel's noise.
        noise: f64 = 0.0, in 0.0..=1.0;
        /// Concentration of Dirichlet noise, summed over all actions.
        concentration: f64 = 10.0, in 0.01..=1000.0;
        /// Whether to keep as certain what finished games prove about the positions above them.
        /// This works where seats move one after another and nothing is hidden or left to chance.
        proofs: bool = true;
        /// The most nodes of the tree.
        nodes: u32 = 1_000_000, in 1..=100_000_000;
        /// Simulations per decision where the budget sets no limit.
        simulations: u64 = 200, in 1..=1_000_000_000;
    }
}
