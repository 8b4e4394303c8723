//! The player: reads the position, and builds by its parameters or rejects.

use quintain_core::{BuildError, Decision, Fault, Player, Rng};

use super::parameters::{Joint, Report, Roads};
use super::{joint, placement, roads};
use crate::notation::Observation;
use crate::players::asking::ask;
use crate::requests::Class;
use crate::rules::Pentocity;
use crate::rules::board::Board;
use crate::rules::pieces::Piece;
use crate::rules::state::{Build, Move, Ruleset};

/// A player with these parameters.
pub(crate) struct Reporter {
    parameters: Report,
    /// Whether the tree of roads has been laid.
    has_tree: bool,
}

impl Reporter {
    pub(crate) fn new(parameters: Report) -> Reporter {
        Reporter { parameters, has_tree: false }
    }
}

/// Builds the player with these parameters.
pub(crate) fn build_report(
    _: &Pentocity,
    given: &Report,
) -> Result<Box<dyn Player<Pentocity>>, BuildError> {
    Ok(Box::new(Reporter::new(given.clone())))
}

impl Player<Pentocity> for Reporter {
    fn decide(&mut self, decision: &mut Decision<'_, Pentocity>) -> Result<Move, Fault> {
        let scoring = decision.rules().ruleset();
        let seen: Observation = decision.observation();
        let state = seen.state();
        let Some(request) = state.request() else {
            // The sequencer that the group submitted.
            return Ok(ask(&Class::G1.source(), state, scoring, decision.rng()));
        };
        let mut board = *state.board();
        let mut tree = Vec::new();
        if self.parameters.roads == Roads::Fractal && !self.has_tree {
            tree = roads::plan_tree(&board);
            tree.iter().for_each(|&cell| board.lay_road(cell));
        }
        let build = self.parameters.build(&board, request, scoring, decision.rng());
        Ok(match build {
            Some(mut build) => {
                self.has_tree = true;
                build.road.splice(0..0, tree);
                Move::Build(build)
            }
            None => Move::Reject,
        })
    }
}

impl Report {
    /// The building to build; nothing if there is none.
    fn build(
        &self,
        board: &Board,
        request: Piece,
        scoring: Ruleset,
        rng: &mut Rng,
    ) -> Option<Build> {
        let reading = self.reading(scoring);
        if self.joint != Joint::No {
            return joint::best(self, board, request, reading, rng);
        }
        let placement = placement::best(self, board, request, reading)?;
        let road = roads::find_road(self.roads, board, reading, placement.piece, placement.at)?;
        Some(self.complete(board, placement, road, rng))
    }
}
