//! An encoding of a game's rules, of whatever type. Players and searches that work with numbers
//! use it beside the rules. Batches of states, which have to be faster, know the encoding's own
//! type.

use std::sync::Arc;

use crate::build_error::BuildError;
use crate::encoding::{Encoding, Layout, View};
use crate::rules::Rules;
use crate::seat::Seat;

/// Makes a game's encoding from the rules of a scenario and one of its positions.
pub type MakeEncoding<R> = Arc<
    dyn Fn(&R, &<R as Rules>::State) -> Result<Arc<dyn AnyEncoding<R>>, BuildError> + Send + Sync,
>;

/// An [`Encoding`] of these rules, of whatever type.
pub trait AnyEncoding<R: Rules>: Send + Sync {
    /// The shapes of actions and observations.
    fn layout(&self) -> &Layout;

    /// Appends the legal actions of a seat that moves, by number; none if numbers are not actions
    /// of the rules (but keystrokes of a longer action, say).
    fn actions(&self, state: &R::State, seat: Seat, out: &mut Vec<(usize, R::Action)>);

    /// Writes what a seat sees, as [`Encoding::write_seat`] does.
    fn write_seat(&self, state: &R::State, seat: Seat, board: &mut [u8], features: &mut [i32]);

    /// The number of bytes that a seat sees of the board.
    fn seat_board_len(&self) -> usize {
        self.layout().seat_board_len()
    }
}

/// An encoding with its layout, which is needed at every position.
pub(crate) struct EncodingWithLayout<E> {
    encoding: E,
    layout: Layout,
}

impl<E: Encoding> EncodingWithLayout<E> {
    pub(crate) fn new(encoding: E) -> Self {
        EncodingWithLayout { layout: encoding.layout(), encoding }
    }
}

impl<E: Encoding> AnyEncoding<E::Rules> for EncodingWithLayout<E> {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn actions(
        &self,
        state: &<E::Rules as Rules>::State,
        seat: Seat,
        out: &mut Vec<(usize, <E::Rules as Rules>::Action)>,
    ) {
        self.encoding.numbered_actions(state, seat, out);
    }

    fn write_seat(
        &self,
        state: &<E::Rules as Rules>::State,
        seat: Seat,
        board: &mut [u8],
        features: &mut [i32],
    ) {
        self.encoding.write_seat(&self.layout, state, seat, &mut View { board, features });
    }
}
