//! How networks see positions: what an encoding shows them, and the scale of their values.

use quintain_core::Layout;

/// Why a network does not fit a scenario, in a line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Misfit(pub(crate) String);

/// How a network sees the positions of a scenario, and the scale of its values there.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Sight {
    /// The factor of each feature; empty if the network is shown none.
    pub(crate) feature_scale: Vec<f32>,
    /// The number of seats, if the network is told which one it plays; otherwise 0.
    pub(crate) seats: usize,
    /// The utilities for which the values -1 and 1 stand.
    pub(crate) range: (f64, f64),
    /// The weight of the rules' estimate, to which the network's value is added.
    pub(crate) estimate: f32,
}

/// The board that a network sees in an encoding, and its number of planes.
pub fn shape(layout: &Layout) -> ([usize; 2], usize) {
    match layout.board[..] {
        _ if layout.is_words => ([1, 1], 8 * layout.seat_board_len()),
        [rows, columns] => ([rows, columns], layout.values.into()),
        _ => ([1, layout.board_len()], layout.values.into()),
    }
}

/// The number of seats that a network must distinguish: none if every seat sees the board as its
/// own.
pub fn distinguished_seats(layout: &Layout) -> usize {
    let sees_its_own = layout.is_words || !layout.seat_values.is_empty() || layout.seats == 1;
    if sees_its_own { 0 } else { layout.seats }
}
