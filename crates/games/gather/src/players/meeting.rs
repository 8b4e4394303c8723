//! How two neighbours meet without swapping cells: the conventions of the class, and who is where.
//! A convention says which of the two moves; it does not say what to do when it fails.

use quintain_core::choices;

use crate::rules::Gather;
use crate::rules::observation::Observation;
use crate::rules::torus::Move;

choices! {
    /// Who moves when two neighbours want to meet.
    pub(crate) enum Convention {
        /// “The player who must make the higher numbered move toward the other is
        /// designated the mover.”
        HigherMove = "higher-move",
        /// Cra-Z-y's: “the player with the lower move is expected to move”.
        Reciprocal = "reciprocal",
        /// The neighbouring cells are divided into two Ls: who sees the other to the
        /// north-west, north, north-east or east moves.
        OpposingLs = "opposing-ls",
    }
}

impl Convention {
    /// Whether the player that sees the other in this direction is the one to move.
    pub(crate) fn says_go(self, rules: &Gather, to: Move) -> bool {
        let higher = rules.number(to) > rules.number(to.opposite());
        match self {
            Convention::HigherMove => higher,
            Convention::Reciprocal => !higher,
            Convention::OpposingLs => matches!(to, Move::NW | Move::N | Move::NE | Move::E),
        }
    }
}

/// A player on a neighbouring cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Neighbour {
    /// Its number, as this seat calls it.
    pub id: usize,
    /// The move that leads to it; on thin boards the first of several.
    pub to: Move,
}

/// The players on neighbouring cells, each once, in the order of moves.
pub(crate) fn neighbours(seen: &Observation) -> Vec<Neighbour> {
    let mut found: Vec<Neighbour> = Vec::new();
    for to in Move::STEPS {
        let here = &seen.at(to).players;
        if here.is_empty() {
            continue;
        }
        for id in here.iter() {
            let known = id == usize::from(seen.me)
                || seen.at(Move::Stay).players.contains(id)
                || found.iter().any(|other| other.id == id);
            if !known {
                found.push(Neighbour { id, to });
            }
        }
    }
    found
}

/// The round in which each player was last met, and the last round that brought news.
#[derive(Clone, Debug)]
pub(crate) struct Acquaintances {
    met: Vec<Option<u32>>,
    held: usize,
    /// The round of the last new unit (0 at the start).
    pub news: u32,
}

impl Acquaintances {
    pub(crate) fn new(seen: &Observation) -> Self {
        let met = vec![None; usize::from(seen.players)];
        Acquaintances { met, held: seen.holds.len(), news: seen.round }
    }

    /// Notes who shares the cell, and whether something was learnt; returns true if so.
    pub(crate) fn notice(&mut self, seen: &Observation) -> bool {
        for id in seen.at(Move::Stay).players.iter().filter(|id| *id != usize::from(seen.me)) {
            self.met[id] = Some(seen.round);
        }
        let learnt = seen.holds.len() > self.held;
        if learnt {
            self.held = seen.holds.len();
            self.news = seen.round;
        }
        learnt
    }

    /// The round of the last meeting with this player.
    pub(crate) fn last_met(&self, id: usize) -> Option<u32> {
        self.met[id]
    }

    /// Whether this player was never met.
    pub(crate) fn is_stranger(&self, id: usize) -> bool {
        self.met[id].is_none()
    }
}
