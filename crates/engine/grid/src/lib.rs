//! Square-grid geometry on bit boards: sets of cells, floods, territory,
//! components, articulation points.
//!
//! It has no rules of any game, no torus and no hexagons. Boards are rectangles of up to 128×128
//! cells; a game that wants a border keeps it inside that rectangle as cells that are not free.
//!
//! Every fast function here has a slow, obvious twin in [`plain`]. Property tests compare the two,
//! and the benchmarks use the twin as their baseline.
//!
//! ```
//! use quintain_grid::{Cell, Rows16, territory};
//!
//! let free = Rows16::parse("
//!     .....
//!     ..#..
//!     .....");
//! let split = territory(&free, &Rows16::of(Cell::new(1, 0)), &Rows16::of(Cell::new(1, 4)));
//! assert_eq!(split.mine.count(), 6);
//! assert_eq!(split.contested.count(), 2);
//! ```

mod articulation;
mod cell;
mod components;
mod flood;
mod lane;
mod rows;
mod step;
mod territory;

pub mod plain;

pub use articulation::{articulation_points, local_cuts};
pub use cell::Cell;
pub use components::{Components, components};
pub use flood::{Waves, distances, reach, waves};
pub use lane::Lane;
pub use rows::{Cells, Rows, Rows16, Rows32, Rows64, Rows128};
pub use territory::{Territory, territory};

#[cfg(test)]
mod random_boards;
