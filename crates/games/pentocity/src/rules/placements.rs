//! The legal placements of a request, and the shortest road to one. The rules are in
//! [`crate::rules`], the geometry in [`crate::rules::board`].

use quintain_grid::Cell;

use crate::rules::board::{Board, Cells};
use crate::rules::paths::{Prefer, shortest};
use crate::rules::pieces::Piece;
use crate::rules::state::Ruleset;

/// All legal placements of a request: for each rotation, where the top left cell of the
/// bounding box may be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placements {
    request: Piece,
    anchors: [Cells; 4],
}

/// One placement: how the request is turned, and where the top left cell of its bounding box is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placement {
    /// The rotation.
    pub rotation: u8,
    /// The request in that rotation.
    pub piece: Piece,
    /// The top left cell of its bounding box.
    pub at: Cell,
}

impl Placements {
    /// The placements that some road could serve, or that need none.
    pub fn of(board: &Board, request: Piece, scoring: Ruleset) -> Placements {
        Placements::on_open(board, board.open(), request, scoring)
    }

    /// The same, if the cells that a road can reach ([`Board::open`]) are known already.
    pub(crate) fn on_open(
        board: &Board,
        open: Cells,
        request: Piece,
        scoring: Ruleset,
    ) -> Placements {
        // A building is connected, so on empty cells it lies either inside an open region or
        // outside of it.
        let no_road = scoring.rings_without_road();
        let served = if no_road > 1 { open | board.rings(no_road) } else { open };
        let all_served = (*board.empty() - served).is_empty();
        let mut places = Placements::anywhere(board, request);
        if !all_served {
            for rotation in 0..request.rotations() {
                let room = &mut places.anchors[usize::from(rotation)];
                *room = *room & board.anchors_meeting(&served, request.rotated(rotation));
            }
        }
        places
    }

    /// All placements with room for the building, whether a road can reach them or not.
    pub fn anywhere(board: &Board, request: Piece) -> Placements {
        let others = if request.is_factory() { board.residences() } else { board.factories() };
        let free = *board.empty() - others.neighbours();
        let mut anchors = [Cells::EMPTY; 4];
        for rotation in 0..request.rotations() {
            anchors[usize::from(rotation)] = board.find_anchors(&free, request.rotated(rotation));
        }
        Placements { request, anchors }
    }

    /// Keeps the places with the least count. For a rotation and its places, `least` returns the
    /// least count and the places that have it.
    pub fn narrow(&mut self, least: impl Fn(Piece, &Cells) -> Option<(u32, Cells)>) {
        let request = self.request;
        let found: Vec<Option<(u32, Cells)>> = (0..request.rotations())
            .map(|rotation| least(request.rotated(rotation), self.anchors(rotation)))
            .collect();
        let best = found.iter().flatten().map(|(count, _)| *count).min();
        for (anchors, found) in self.anchors.iter_mut().zip(found) {
            *anchors = match found {
                Some((count, cells)) if Some(count) == best => cells,
                _ => Cells::EMPTY,
            };
        }
    }

    /// Where the request may stand in this rotation.
    pub fn anchors(&self, rotation: u8) -> &Cells {
        &self.anchors[usize::from(rotation)]
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.anchors.iter().all(Cells::is_empty)
    }

    /// How many there are.
    pub fn count(&self) -> u32 {
        self.anchors.iter().map(Cells::count).sum()
    }

    /// All of them, by rotation, then in reading order.
    pub fn iter(&self) -> impl Iterator<Item = Placement> + '_ {
        (0..self.request.rotations()).flat_map(move |rotation| {
            let piece = self.request.rotated(rotation);
            self.anchors(rotation).cells().map(move |at| Placement { rotation, piece, at })
        })
    }
}

/// Whether a building there needs a road laid: it touches none, and lies too far from the border
/// for the ring road.
#[inline]
pub fn needs_road(board: &Board, scoring: Ruleset, piece: Piece, at: Cell) -> bool {
    !board.is_in_rings(piece, at, scoring.rings_without_road() as u8)
        && !Board::touches(board.roads(), piece, at)
}

/// A shortest road from a building to the roads or the border, over empty cells outside the
/// building and `kept`. The road is empty if the building needs none; nothing if no road exists.
/// Among equally short roads, `prefer` decides; it counts the neighbours that are taken on the
/// board now.
pub fn shortest_road(
    board: &Board,
    scoring: Ruleset,
    piece: Piece,
    at: Cell,
    kept: &Cells,
    prefer: Prefer,
) -> Option<Vec<Cell>> {
    if !needs_road(board, scoring, piece, at) {
        return Some(Vec::new());
    }
    let building = Board::cells_of(piece, at);
    let free = *board.empty() - building - *kept;
    let ends = board.road_ends() & free;
    shortest(&free, &building, &ends, usize::MAX, prefer, &board.occupied())
}
