//! The road, pond and field of a building whose place is chosen.

use quintain_core::Rng;

use super::parameters::{Ponds, Report, Served};
use super::ponds;
use crate::rules::board::{Board, Cells};
use crate::rules::placements::Placement;
use crate::rules::state::{Build, Ruleset};

impl Report {
    /// The rules as the player reads them: without the parameter `rings`, only the border needs no
    /// road.
    pub(super) fn reading(&self, scoring: Ruleset) -> Ruleset {
        if self.rings { scoring } else { Ruleset::Report }
    }

    /// The building with its road, and with its pond and field.
    pub(super) fn complete(
        &self,
        board: &Board,
        placement: Placement,
        road: Vec<quintain_grid::Cell>,
        rng: &mut Rng,
    ) -> Build {
        let Placement { rotation, piece, at } = placement;
        let mut build = Build { rotation, at, road, water: vec![], park: vec![] };
        if piece.is_factory() || self.ponds == Ponds::None {
            return build;
        }
        let touches = |cells: &Cells| Board::touches(cells, piece, at);
        let (pond, field) = (touches(board.ponds()), touches(board.fields()));
        let (skip_pond, skip_field) = match self.served {
            Served::Either => (pond || field, pond || field),
            Served::Own => (pond, field),
            Served::Never => (false, false),
        };
        let mut site = ponds::Site::new(self, board, piece, at, &build.road);
        if !skip_field {
            build.park = site.best(board.fields(), rng);
            site.take(&build.park);
        }
        if !skip_pond {
            build.water = site.best(board.ponds(), rng);
        }
        build
    }
}
