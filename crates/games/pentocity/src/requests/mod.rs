//! The sources of requests: weighted mixtures in phases, lists, and a source that looks at the
//! board; the class's own are in [`Class`]. Their names and parameters as scenarios are in
//! [`crate::scenarios`].

mod class;
mod distribution;
mod source;
mod weights;

use quintain_core::Rng;

use crate::rules::pieces::Piece;
use crate::rules::placements::Placements;

pub use class::{Class, ClassSource};
pub use source::{RequestHistory, RequestSource};
pub use weights::Weights;

/// Draws from weights that may change once, on a request counted from 0.
#[derive(Clone, PartialEq, Debug)]
pub struct Mixture {
    /// From the first request on.
    pub first: Weights,
    /// The request on which other weights begin, and these weights.
    pub then: Option<(usize, Weights)>,
}

impl RequestSource for Mixture {
    fn next(&self, history: &RequestHistory<'_>, rng: &mut Rng) -> Piece {
        match &self.then {
            Some((from, weights)) if history.requests() >= *from => weights.draw(rng),
            _ => self.first.draw(rng),
        }
    }
}

/// Asks for the pieces of a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct List {
    /// The requests; at least one.
    pub pieces: Vec<Piece>,
    /// Whether the list begins again after its end.
    pub repeat: bool,
}

impl RequestSource for List {
    fn next(&self, history: &RequestHistory<'_>, _rng: &mut Rng) -> Piece {
        self.pieces[history.requests() % self.pieces.len()]
    }

    fn length(&self) -> Option<usize> {
        (!self.repeat).then_some(self.pieces.len())
    }
}

/// Draws several requests and asks for the one that has the fewest placements left.
#[derive(Clone, PartialEq, Debug)]
pub struct Contrary {
    /// The weights of the draws.
    pub weights: Weights,
    /// How many are drawn.
    pub draws: usize,
}

impl RequestSource for Contrary {
    fn next(&self, history: &RequestHistory<'_>, rng: &mut Rng) -> Piece {
        let room = |piece: Piece| Placements::of(history.board, piece, history.scoring).count();
        let drawn = (0..self.draws.max(1)).map(|_| self.weights.draw(rng));
        drawn.min_by_key(|piece| room(*piece)).expect("at least one is drawn")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::board::Board;
    use crate::rules::state::{Ruleset, Totals};

    /// The first requests of a request source, on an empty board.
    pub(super) fn requests(source: &dyn RequestSource, count: usize, seed: u64) -> Vec<Piece> {
        let board = Board::new(50);
        let mut totals = Totals::default();
        let mut rng = Rng::from_seed(seed);
        (0..count)
            .map(|_| {
                let history =
                    RequestHistory { board: &board, totals: &totals, scoring: Ruleset::Simulator };
                let piece = source.next(&history, &mut rng);
                if piece.is_factory() {
                    totals.factories_asked += 1;
                } else {
                    totals.residences_asked += 1;
                }
                piece
            })
            .collect()
    }

    fn words(source: &dyn RequestSource, count: usize) -> String {
        let pieces: Vec<String> =
            requests(source, count, 1).iter().map(ToString::to_string).collect();
        pieces.join(" ")
    }

    #[test]
    fn a_list_ends_or_repeats() {
        let pieces: Vec<Piece> = ["X", "2x3"].iter().map(|text| text.parse().unwrap()).collect();
        let once = List { pieces: pieces.clone(), repeat: false };
        assert_eq!(once.length(), Some(2));
        let again = List { pieces, repeat: true };
        assert_eq!((again.length(), words(&again, 5)), (None, "X 2x3 X 2x3 X".to_owned()));
    }

    #[test]
    fn a_mixture_changes_on_its_request() {
        let one = |text: &str| Weights::of([(text.parse().unwrap(), 1.0)]);
        let mixture = Mixture { first: one("V"), then: Some((2, one("4x4"))) };
        assert_eq!(words(&mixture, 4), "V V 4x4 4x4");
    }

    #[test]
    fn the_contrary_asks_for_what_has_the_least_room() {
        let weights = Weights::of(["1x1", "5x5"].map(|text| (text.parse().unwrap(), 1.0)));
        let asked = requests(&Contrary { weights, draws: 30 }, 20, 1);
        assert!(asked.iter().all(|piece| piece.to_string() == "5x5"));
    }
}
