//! The searches as players for the roster of any game. Their parameters are the searches' own
//! options.

use quintain_core::parameters::NoParameters;
use quintain_core::{Description, Entry, Rules};

use crate::alpha_beta::{self, AlphaBeta};
use crate::flat_monte_carlo::{self, FlatMonteCarlo};
use crate::greedy::{self, Greedy};
use crate::random::Random;
use crate::uct::{self, Uct};

/// Adds the player `random` to a game's roster. `summary` says from which actions it draws.
pub fn add_random<R: Rules>(entry: Entry<R>, summary: &'static str) -> Entry<R> {
    let info = Description { name: "random", version: 1, summary, source: "–" };
    entry.player(info, |_, _: &NoParameters| Ok(Box::new(Random)))
}

/// Adds the players `random`, `greedy`, `flat-monte-carlo`, `uct` and `alpha-beta` to a game's
/// roster.
pub fn add_to<R: Rules>(entry: Entry<R>) -> Entry<R> {
    add_random(entry, "any action, all equally likely")
        .player(
            Description {
                name: "greedy",
                version: 1,
                summary: "takes the action after which the position looks best",
                source: "one-step look-ahead with the game's estimate",
            },
            |_, options: &greedy::Options| Ok(Box::new(Greedy::new(*options))),
        )
        .player(
            Description {
                name: "flat-monte-carlo",
                version: 1,
                summary: "takes the action whose random playouts end best",
                source: "Auer, Cesa-Bianchi & Fischer 2002",
            },
            |_, options: &flat_monte_carlo::Options| Ok(Box::new(FlatMonteCarlo::new(*options))),
        )
        .anytime()
        .player(
            Description {
                name: "uct",
                version: 1,
                summary: "Monte Carlo tree search",
                source: "Kocsis & Szepesvári 2006",
            },
            |_, options: &uct::Options| Ok(Box::new(Uct::new(*options))),
        )
        .anytime()
        .player(
            Description {
                name: "alpha-beta",
                version: 1,
                summary: "alpha-beta search: the best line against the best replies (two rivals, \
                    no chance, nothing hidden)",
                source: "Knuth & Moore 1975; Marsland & Campbell 1982",
            },
            |rules: &R, options: &alpha_beta::Options| {
                alpha_beta::check_suitable(rules)?;
                Ok(Box::new(AlphaBeta::new(*options)))
            },
        )
        .anytime()
}
