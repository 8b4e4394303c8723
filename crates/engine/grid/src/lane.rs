//! The integer types that make up bit boards. Boards of them are in [`crate::rows`].

use std::fmt;
use std::ops::{BitAnd, BitOr, BitXor, Not, Shl, Shr};

/// An unsigned integer that holds one row of a board.
pub trait Lane:
    Copy
    + Eq
    + std::hash::Hash
    + fmt::Debug
    + Send
    + Sync
    + 'static
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    /// The lane with no cell.
    const ZERO: Self;
    /// The lane with only column 0.
    const ONE: Self;
    /// How many cells a lane holds.
    const WIDTH: usize;

    /// The number of cells in the lane.
    fn count(self) -> u32;
    /// The first column in the lane; `WIDTH` for an empty one.
    fn first(self) -> u32;
    /// The last column in the lane that is not after this one; the lane must not be empty.
    fn last_up_to(self, col: u32) -> u32;
    /// The lane without its first cell.
    fn without_first(self) -> Self;
    /// The cells from this column on, up to the first cell that is not in the lane.
    fn run(self, from: u32) -> Self;
    /// The cells one step from those in a board of such lanes.
    fn neighbours<const N: usize>(lanes: &[Self; N]) -> [Self; N];
}
