//! The searches as players of any game's roster, each with its parameters.

use quintain_core::parameters::NoParameters;
use quintain_core::{Entry, Rules, parameters};

use crate::alpha_beta::{self, AlphaBeta, Together};
use crate::flat_monte_carlo::{self, Allocation, FlatMonteCarlo};
use crate::greedy::{self, Greedy, Replies};
use crate::random::Random;
use crate::uct::{self, Choice, Scale, Selection, Uct};

parameters! {
    /// Parameters of `greedy`.
    pub struct GreedyParameters {
        /// How the replies of others who move at the same time are weighed.
        replies: Replies = greedy::Options::default().replies;
        /// Positions sampled where chance moves or something is hidden.
        samples: u32 = greedy::Options::default().samples, in 1..=10_000;
    }
}

parameters! {
    /// Parameters of `flat-monte-carlo`.
    pub struct FlatMonteCarloParameters {
        /// How playouts are shared out among the actions.
        allocation: Allocation = flat_monte_carlo::Options::default().allocation;
        /// Weight of uncertainty in UCB1, for values on a scale from 0 to 1.
        exploration: f64 = flat_monte_carlo::Options::default().exploration, in 0.0..=100.0;
        /// Turns of a playout before the position is estimated.
        playout: u32 = flat_monte_carlo::Options::default().playout;
        /// Playouts a decision where the budget sets no limit.
        iterations: u64 = flat_monte_carlo::Options::default().iterations, in 1..=1_000_000_000;
    }
}

parameters! {
    /// Parameters of `uct`.
    pub struct UctParameters {
        /// Weight of uncertainty, for values on a scale from 0 to 1.
        exploration: f64 = uct::Options::default().exploration, in 0.0..=100.0;
        /// Which action of a node is tried next.
        selection: Selection = uct::Options::default().selection;
        /// Which action is played in the end: the most tried or the best on average.
        choice: Choice = uct::Options::default().choice;
        /// On what scale exploration is measured: the rules' score range, or what was seen.
        scale: Scale = uct::Options::default().scale;
        /// Turns of a playout before the position is estimated.
        playout: u32 = uct::Options::default().playout;
        /// Nodes of the tree at most.
        nodes: u32 = uct::Options::default().nodes, in 1..=100_000_000;
        /// Iterations a decision where the budget sets no limit.
        iterations: u64 = uct::Options::default().iterations, in 1..=1_000_000_000;
    }
}

parameters! {
    /// Parameters of `alpha-beta`.
    pub struct AlphaBetaParameters {
        /// Turns to look ahead at most.
        depth: u32 = alpha_beta::Options::default().depth, in 1..=1_000;
        /// How turns on which both seats move are taken: the rival answers, or a matrix game.
        together: Together = alpha_beta::Options::default().together;
        /// Entries of the transposition table at most.
        table: usize = alpha_beta::Options::default().table, in 1..=100_000_000;
        /// Nodes a decision where the budget sets no limit.
        nodes: u64 = alpha_beta::Options::default().nodes, in 1..=1_000_000_000;
    }
}

/// Adds `random`, `greedy`, `flat-monte-carlo`, `uct` and `alpha-beta` to a game's roster.
pub fn add_to<R: Rules>(entry: Entry<R>) -> Entry<R> {
    entry
        .player("random", 1, "any action, all equally likely", "–", |_, _: &NoParameters| {
            Ok(Box::new(Random))
        })
        .player(
            "greedy",
            1,
            "the action after which the position looks best",
            "one-step look-ahead by the game's estimate",
            |_, &GreedyParameters { replies, samples }| {
                Ok(Box::new(Greedy::new(greedy::Options { replies, samples })))
            },
        )
        .player(
            "flat-monte-carlo",
            1,
            "the action whose random playouts end best",
            "Auer, Cesa-Bianchi & Fischer 2002",
            |_, given: &FlatMonteCarloParameters| {
                let &FlatMonteCarloParameters { allocation, exploration, playout, iterations } =
                    given;
                let options =
                    flat_monte_carlo::Options { allocation, exploration, playout, iterations };
                Ok(Box::new(FlatMonteCarlo::new(options)))
            },
        )
        .player(
            "uct",
            1,
            "Monte Carlo tree search",
            "Kocsis & Szepesvári 2006",
            |_, given: &UctParameters| {
                let &UctParameters {
                    exploration,
                    selection,
                    choice,
                    scale,
                    playout,
                    nodes,
                    iterations,
                } = given;
                let options = uct::Options {
                    exploration,
                    selection,
                    choice,
                    scale,
                    playout,
                    nodes,
                    iterations,
                };
                Ok(Box::new(Uct::new(options)))
            },
        )
        .player(
            "alpha-beta",
            1,
            "the best line against the best replies (two rivals, no chance, nothing hidden)",
            "Knuth & Moore 1975; Marsland & Campbell 1982",
            |game: &R, given: &AlphaBetaParameters| {
                alpha_beta::suits(game)?;
                let &AlphaBetaParameters { depth, together, table, nodes } = given;
                let options = alpha_beta::Options { depth, together, table, nodes };
                Ok(Box::new(AlphaBeta::new(options)))
            },
        )
}
