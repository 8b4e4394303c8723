//! The roster. Each strategy is a file of its own; generic players come from
//! `quintain-search`.

mod planned;

use quintain_core::Entry;
use quintain_core::parameters::NoParameters;
use quintain_search::greedy::{self, Greedy};
use quintain_search::random::Random;

use crate::rules::Polymer;

/// Registers all of them.
pub(crate) fn add_to(entry: Entry<Polymer>) -> Entry<Polymer> {
    entry
        .player(
            "random",
            1,
            "any free neighbour, all equally likely",
            "–",
            |_, _: &NoParameters| Ok(Box::new(Random)),
        )
        .player(
            "greedy",
            1,
            "the step with the best contacts at once",
            "one-step look-ahead by the game's estimate",
            |_, _: &NoParameters| Ok(Box::new(Greedy::new(greedy::Options::default()))),
        )
        .player(
            "uct",
            1,
            "the slides' agent: an ensemble of five trees votes for each step",
            "slides “CS5330 Randomized Algorithm Project”; Kocsis & Szepesvári 2006",
            planned::uct,
        )
        .player(
            "annealing",
            1,
            "simulated annealing with pull, backbite and bond-rebridging moves",
            "Kirkpatrick et al. 1983; Lesh et al. 2003; Mansfield 1982; Deutsch 1997",
            planned::annealing,
        )
        .player(
            "beam",
            1,
            "beam search with undo along the tree",
            "ours; see docs/polymer.md",
            planned::beam,
        )
        .player(
            "champion",
            1,
            "annealing for short chains, beam then polish for long ones",
            "ours; see docs/polymer.md",
            planned::champion_player,
        )
}
