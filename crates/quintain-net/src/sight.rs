//! How networks see positions: what an encoding shows them, and what they say it is worth.

use quintain_core::Layout;

/// Why a network does not fit a scenario, in a line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Misfit(pub(crate) String);

/// How a network sees the positions of a scenario, and what its values are worth there.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Sight {
    /// What each feature is multiplied by; empty if the network is shown none.
    pub(crate) feature_scale: Vec<f32>,
    /// Seats, where the network is told which one it plays; otherwise 0.
    pub(crate) seats: usize,
    /// The utilities that a value of -1 and of 1 stands for.
    pub(crate) range: (f64, f64),
}

/// The board that a network sees of an encoding, and its planes.
pub fn shape(layout: &Layout) -> ([usize; 2], usize) {
    match layout.board[..] {
        _ if layout.is_words => ([1, 1], 8 * layout.seat_board_len()),
        [rows, columns] => ([rows, columns], layout.values.into()),
        _ => ([1, layout.board_len()], layout.values.into()),
    }
}

/// Seats that a network must be told apart: none where every seat sees the board as its own.
pub fn distinguished_seats(layout: &Layout) -> usize {
    let sees_its_own = layout.is_words || !layout.seat_values.is_empty() || layout.seats == 1;
    if sees_its_own { 0 } else { layout.seats }
}
