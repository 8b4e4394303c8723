//! What was built so far, building by building, for drawing the board. The history is not part of a
//! position: positions that differ only in it are equal, and observations have none, so searches
//! neither keep it nor pay for it. Only matches keep it, from their start.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use quintain_grid::Cell;

use crate::rules::pieces::Piece;

/// A building as it stands on the board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Building {
    /// The piece, turned as it stands.
    pub(crate) piece: Piece,
    /// The top left cell of its bounding box.
    pub(crate) at: Cell,
    /// Points for touching a pond and a field.
    pub(crate) bonus: u32,
    /// Road, water and park that were laid with it.
    pub(crate) laid: Vec<Cell>,
}

impl Building {
    /// Its cells.
    pub(crate) fn cells(&self) -> impl Iterator<Item = Cell> {
        let Cell { row, col } = self.at;
        self.piece.shape().cells.iter().map(move |(down, right)| Cell::new(row + down, col + right))
    }
}

/// The buildings in the order in which they were built, if a history is kept.
#[derive(Clone, Default, Debug)]
pub(crate) struct History(Option<Arc<Vec<Building>>>);

impl History {
    /// An empty history that is kept.
    pub(crate) fn empty() -> History {
        History(Some(Arc::default()))
    }

    /// Adds the building that `building` makes, if a history is kept.
    #[inline(always)]
    pub(crate) fn add(&mut self, building: impl FnOnce() -> Building) {
        if let Some(kept) = &mut self.0 {
            Arc::make_mut(kept).push(building());
        }
    }

    /// The buildings; none if no history is kept.
    pub(crate) fn buildings(&self) -> &[Building] {
        self.0.as_ref().map_or(&[], |kept| kept)
    }
}

/// See the head of this file.
impl PartialEq for History {
    fn eq(&self, _: &History) -> bool {
        true
    }
}

impl Eq for History {}

impl Hash for History {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}
