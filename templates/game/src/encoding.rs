//! The game for learners: actions as numbers and boards as bytes. The Python package makes
//! batches and environments from it.

use quintain_core::{BuildError, CellEncoding, Layout};

use crate::rules::{CELLS, Cell, NewGame, SIDE, State};

/// Action n marks the cell with index n; a byte is 0 for a free cell, 1 for a mark of seat 0
/// and 2 for one of seat 1.
pub(crate) fn encode(rules: &NewGame, _start: &State) -> Result<CellEncoding<NewGame>, BuildError> {
    Ok(CellEncoding {
        rules: rules.clone(),
        layout: Layout::new(2, CELLS, [SIDE, SIDE], 3).with_seat_values([1]),
        action: |_, number| Cell(number as u8 + 1),
        cell: |_, state, index| state.mark(index).map_or(0, |seat| seat.index() as u8 + 1),
    })
}
