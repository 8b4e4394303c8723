//! The searches as players of any game's roster. Their parameters are the searches' own options.

use quintain_core::parameters::NoParameters;
use quintain_core::{Entry, Rules};

use crate::alpha_beta::{self, AlphaBeta};
use crate::flat_monte_carlo::{self, FlatMonteCarlo};
use crate::greedy::{self, Greedy};
use crate::random::Random;
use crate::uct::{self, Uct};

/// Adds the players `random`, `greedy`, `flat-monte-carlo`, `uct` and `alpha-beta` to a game's
/// roster.
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
            |_, options: &greedy::Options| Ok(Box::new(Greedy::new(*options))),
        )
        .player(
            "flat-monte-carlo",
            1,
            "the action whose random playouts end best",
            "Auer, Cesa-Bianchi & Fischer 2002",
            |_, options: &flat_monte_carlo::Options| Ok(Box::new(FlatMonteCarlo::new(*options))),
        )
        .player(
            "uct",
            1,
            "Monte Carlo tree search",
            "Kocsis & Szepesvári 2006",
            |_, options: &uct::Options| Ok(Box::new(Uct::new(*options))),
        )
        .player(
            "alpha-beta",
            1,
            "the best line against the best replies (two rivals, no chance, nothing hidden)",
            "Knuth & Moore 1975; Marsland & Campbell 1982",
            |rules: &R, options: &alpha_beta::Options| {
                alpha_beta::check_suitable(rules).map_err(|reason| reason.to_string())?;
                Ok(Box::new(AlphaBeta::new(*options)))
            },
        )
}
