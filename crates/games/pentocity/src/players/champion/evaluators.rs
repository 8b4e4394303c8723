//! The views of a match, one for each set of weights that its requests have ([`set_for`]).

use super::view::View;
use super::weight_sets::set_for;
use super::weights::Weights;
use crate::rules::board::Board;
use crate::rules::pieces::Piece;
use crate::rules::state::Ruleset;

/// Views of one board, each with its weights.
pub(super) struct Evaluators(Vec<(View, Weights)>);

impl Evaluators {
    /// Views of an empty board, one for each of the weights.
    pub(super) fn new(side: usize, scoring: Ruleset, weights: Vec<Weights>) -> Evaluators {
        let views =
            weights.into_iter().map(|weights| (View::new(side, scoring, &weights), weights));
        Evaluators(views.collect())
    }

    /// Whether they were made for boards of this side and this reading of the rules.
    pub(super) fn fits(&self, side: usize, scoring: Ruleset) -> bool {
        let view = &self.0[0].0;
        view.board().side() == side && view.scoring() == scoring
    }

    /// The view and the weights for a request; the view shows the board.
    pub(super) fn of(&mut self, request: Piece, board: &Board) -> (&mut View, &Weights) {
        let number = set_for(request, self.0.len());
        let (view, weights) = &mut self.0[number];
        view.follow(board);
        (view, weights)
    }

    /// The weights whose part that belongs to no request counts, such as the plan's.
    pub(super) fn common(&self) -> &Weights {
        &self.0[0].1
    }
}
