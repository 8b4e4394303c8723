//! Completes a placement: with the road it needs, and with a pond and a field where they pay off.
//! Each is laid on the view for a trial, so that the next is evaluated with it, and cleared at the
//! end.
//!
//! The move's effect on the rest of the board is added last ([`super::access`]).

use quintain_grid::Cell;

use super::access::Access;
use super::kind::Kind;
use super::patches;
use super::rank::RankedPlacement;
use super::view::{SCALE, View};
use super::weights::Weights;
use crate::rules::board::{Board, Cells};
use crate::rules::paths::Prefer;
use crate::rules::pieces::Piece;
use crate::rules::placements::{Placement, shortest_road};
use crate::rules::state::{BONUS, Build, Ruleset};

/// Data for completing placements that stays the same within one decision: prices from the weights,
/// and the board before the move.
pub(super) struct CompletionContext {
    scoring: Ruleset,
    /// The worth of a bonus.
    bonus: i32,
    /// The cost of a cell of road, and of a cell of a pond or field.
    road: i32,
    pond: i32,
    by_pond: Cells,
    by_field: Cells,
    road_ends: Cells,
    access: Access,
}

impl CompletionContext {
    pub(super) fn new(
        board: &Board,
        open: &Cells,
        scoring: Ruleset,
        weights: &Weights,
        is_factory: bool,
        seen: &[u16; Piece::COUNT],
    ) -> CompletionContext {
        let side = board.side() as f32;
        let full = 1.0 - board.empty().count() as f32 / (side * side);
        let units = |value: f32| (value * SCALE).round() as i32;
        let cell = |kind: usize| units(weights.on(kind, 0) + weights.on(kind, 1) * full);
        let bonus = weights.rest(if is_factory { "factory-bonus" } else { "residence-bonus" });
        let earns = scoring == Ruleset::Simulator || !is_factory;
        CompletionContext {
            access: Access::new(board, open, scoring, weights, seen),
            scoring,
            bonus: if earns { units(bonus * BONUS as f32) } else { 0 },
            road: cell(2),
            pond: cell(3),
            by_pond: board.ponds().neighbours() & *board.empty(),
            by_field: board.fields().neighbours() & *board.empty(),
            road_ends: board.road_ends(),
        }
    }
}

/// Returns the building with the best road, pond and field, and the worth of the move; nothing if
/// no road can be laid.
pub(super) fn complete(
    view: &mut View,
    context: &CompletionContext,
    ranked: &RankedPlacement,
) -> Option<(i32, Build)> {
    let placement = ranked.placement;
    let (piece, at) = (placement.piece, placement.at);
    let own = Board::cells_of(piece, at);
    let cells: Vec<Cell> = own.cells().collect();
    let kind = if piece.is_factory() { Kind::Factory } else { Kind::Residence };
    let mut worth = ranked.worth;
    let mut build =
        Build { rotation: placement.rotation, at, road: vec![], water: vec![], park: vec![] };
    view.lay(kind, &cells);
    let mut served = (own.neighbours() - own) & *view.board().empty();
    let mut can_build = true;
    if !ranked.has_road {
        match find_road(view, context, placement, &served) {
            Some((cost, road)) => {
                worth += cost;
                view.lay(Kind::Road, &road);
                road.iter().for_each(|&cell| served.remove(cell));
                build.road = road;
            }
            None => can_build = false,
        }
    }
    if can_build && context.bonus > 0 {
        worth += context.bonus * (i32::from(ranked.has_pond) + i32::from(ranked.has_field));
        worth += lay_patches(view, context, ranked, served, &mut build);
    }
    view.clear(&[&cells, &build.road, &build.water, &build.park]);
    if can_build {
        worth += context.access.worth(piece, &build);
    }
    can_build.then_some((worth, build))
}

/// Returns the road that a placement needs, and its worth; nothing if none can be laid. Most roads
/// are short, and the best of those is found exactly; a longer one is a shortest path.
fn find_road(
    view: &View,
    context: &CompletionContext,
    Placement { piece, at, .. }: Placement,
    served: &Cells,
) -> Option<(i32, Vec<Cell>)> {
    let found =
        patches::best(view, Kind::Road, at, served, &context.road_ends, false, context.road);
    found.or_else(|| {
        let (none, prefer) = (Cells::EMPTY, Prefer::Least);
        let road = shortest_road(view.board(), context.scoring, piece, at, &none, prefer)?;
        Some((patches::worth(view, Kind::Road, &road, context.road), road))
    })
}

/// Lays the pond and the field that a building lacks where they pay off; returns what they add to
/// the worth of the move. The better of the two comes first; the other is then evaluated again.
fn lay_patches(
    view: &mut View,
    context: &CompletionContext,
    ranked: &RankedPlacement,
    mut served: Cells,
    build: &mut Build,
) -> i32 {
    let mut worth = 0;
    let mut missing: Vec<Kind> = Vec::with_capacity(2);
    if !ranked.has_pond {
        missing.push(Kind::Water);
    }
    if !ranked.has_field {
        missing.push(Kind::Park);
    }
    while !missing.is_empty() {
        let find = |&kind: &Kind| {
            let joined = if kind == Kind::Water { &context.by_pond } else { &context.by_field };
            let found = patches::best(view, kind, build.at, &served, joined, true, context.pond)?;
            (found.0 + context.bonus > 0).then_some((kind, found))
        };
        let found: Vec<_> = missing.iter().filter_map(find).collect();
        let Some((kind, (cost, patch))) = found.into_iter().max_by_key(|found| found.1.0) else {
            break;
        };
        worth += cost + context.bonus;
        view.lay(kind, &patch);
        patch.iter().for_each(|&cell| served.remove(cell));
        if kind == Kind::Water {
            build.water = patch
        } else {
            build.park = patch
        }
        missing.retain(|other| *other != kind);
    }
    worth
}
