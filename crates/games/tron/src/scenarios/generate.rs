//! Boards made from a seed: obstacles, rings, rooms and corridors, symmetric so that no seat has
//! the better side, and always with a path between the starts.

use quintain_core::{Rng, choices};

use crate::rules::direction::Direction;
use crate::rules::state::State;

choices! {
    /// How a board and its starts repeat themselves.
    pub enum Symmetry {
        /// Turned by 180°.
        Point = "point",
        /// Left and right mirrored.
        Mirror = "mirror",
        /// Not at all.
        None = "none",
    }
}

/// What stands on the board.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Shape {
    /// Nothing.
    Empty,
    /// Single walls: this share of all cells.
    Obstacles(f64),
    /// Rings around the centre, this many cells apart, each with gaps.
    Rings(usize),
    /// Rooms with doors, this many cells a side.
    Rooms(usize),
    /// Pillars on every other cell, with this share of the gaps between them closed.
    Corridors(f64),
}

/// Where players start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Starts {
    /// Anywhere that the symmetry allows.
    Random,
    /// Top left and bottom right.
    Corners,
}

/// Makes boards.
#[derive(Clone, Debug)]
pub(crate) struct Generator {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) seats: usize,
    pub(crate) shape: Shape,
    pub(crate) symmetry: Symmetry,
    pub(crate) starts: Starts,
}

/// After this many boards without a path between the starts, walls are left out.
const TRIES: usize = 100;

impl Generator {
    /// Makes a new board with everyone at the start.
    pub(crate) fn generate(&self, rng: &mut Rng) -> State {
        for attempt in 0.. {
            let shape = if attempt < TRIES { self.shape } else { Shape::Empty };
            let mut walls = vec![false; self.width * self.height];
            self.build(shape, &mut walls, rng);
            self.make_symmetric(&mut walls);
            let Some(starts) = self.choose_starts(&mut walls, rng) else { continue };
            let mut state = State::empty(self.width, self.height, |row, column| {
                walls[row * self.width + column] || self.is_border(row, column)
            });
            // Without walls the starts are always connected.
            if shape != Shape::Empty && !are_connected(&state, &starts) {
                continue;
            }
            for cell in starts {
                state.place(cell / self.width, cell % self.width);
            }
            return state;
        }
        unreachable!("an empty board connects all starts")
    }

    /// Whether a board without walls has room for all starts, by whether some tries find them.
    pub(crate) fn has_room(&self) -> bool {
        let mut rng = Rng::from_seed(0);
        let mut walls = vec![false; self.width * self.height];
        (0..TRIES).any(|_| self.choose_starts(&mut walls, &mut rng).is_some())
    }

    fn is_border(&self, row: usize, column: usize) -> bool {
        row == 0 || column == 0 || row == self.height - 1 || column == self.width - 1
    }

    /// The image of `cell` under the symmetry.
    fn image(&self, cell: usize) -> usize {
        let (row, column) = (cell / self.width, cell % self.width);
        match self.symmetry {
            Symmetry::Point => self.width * self.height - 1 - cell,
            Symmetry::Mirror => row * self.width + self.width - 1 - column,
            Symmetry::None => cell,
        }
    }

    fn build(&self, shape: Shape, walls: &mut [bool], rng: &mut Rng) {
        let (width, height) = (self.width, self.height);
        for cell in 0..walls.len() {
            let (row, column) = (cell / width, cell % width);
            walls[cell] = match shape {
                Shape::Empty => false,
                Shape::Obstacles(density) => rng.chance(density),
                Shape::Rings(apart) => {
                    let depth = row.min(column).min(height - 1 - row).min(width - 1 - column);
                    let inner = height.min(width) / 2;
                    depth > 0
                        && depth.is_multiple_of(apart + 1)
                        && depth + 1 < inner
                        && !rng.chance(0.2)
                }
                Shape::Rooms(side) => {
                    let on_line = row.is_multiple_of(side + 1) || column.is_multiple_of(side + 1);
                    let crossing = row.is_multiple_of(side + 1) && column.is_multiple_of(side + 1);
                    on_line && (crossing || !rng.chance(1.0 / side as f64))
                }
                Shape::Corridors(closed) => {
                    let pillar = row.is_multiple_of(2) && column.is_multiple_of(2);
                    let gap = row.is_multiple_of(2) != column.is_multiple_of(2);
                    pillar || (gap && rng.chance(closed))
                }
            };
        }
    }

    fn make_symmetric(&self, walls: &mut [bool]) {
        for cell in 0..walls.len() {
            let image = self.image(cell);
            if image > cell {
                walls[image] = walls[cell];
            }
        }
    }

    /// Chooses a start for each seat: free, distinct, not next to one another.
    fn choose_starts(&self, walls: &mut [bool], rng: &mut Rng) -> Option<Vec<usize>> {
        if self.starts == Starts::Corners {
            let corners = [self.width + 1, self.width * self.height - self.width - 2];
            for corner in corners {
                walls[corner] = false;
            }
            return Some(corners.to_vec());
        }
        // Allocations are few and small: threads that start the episodes of a batch would otherwise
        // wait for one another in the allocator.
        let mut free: Vec<u16> = Vec::with_capacity(walls.len());
        let is_free =
            |cell: &usize| !walls[*cell] && !self.is_border(cell / self.width, cell % self.width);
        free.extend((0..walls.len()).filter(is_free).map(|cell| cell as u16));
        let mut starts: Vec<usize> = Vec::with_capacity(self.seats);
        for _ in 0..TRIES {
            let cell = usize::from(*rng.pick(&free)?);
            let both = [cell, self.image(cell)];
            let wanted = if self.symmetry == Symmetry::None { &both[..1] } else { &both };
            let apart = |a: usize, b: usize| {
                let rows = (a / self.width).abs_diff(b / self.width);
                rows + (a % self.width).abs_diff(b % self.width) > 2
            };
            let fits = wanted.len() <= self.seats - starts.len()
                && wanted.iter().all(|new| starts.iter().all(|old| apart(*new, *old)))
                && (wanted.len() == 1 || apart(wanted[0], wanted[1]));
            if fits {
                starts.extend(wanted);
            }
            if starts.len() == self.seats {
                return Some(starts);
            }
        }
        None
    }
}

/// Whether all starts lie in one region.
fn are_connected(state: &State, starts: &[usize]) -> bool {
    let mut seen = vec![false; state.cells.len()];
    let mut stack = vec![starts[0]];
    while let Some(cell) = stack.pop() {
        if !seen[cell] && state.is_free(cell) {
            seen[cell] = true;
            stack.extend(Direction::ALL.map(|direction| state.neighbour(cell, direction)));
        }
    }
    starts.iter().all(|start| seen[*start])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{Just, Strategy, prop_assert, prop_assert_eq, prop_oneof, proptest};

    fn shape() -> impl Strategy<Value = Shape> {
        prop_oneof![
            Just(Shape::Empty),
            (0.0..0.6).prop_map(Shape::Obstacles),
            (1usize..4).prop_map(Shape::Rings),
            (2usize..6).prop_map(Shape::Rooms),
            (0.0..0.6).prop_map(Shape::Corridors),
        ]
    }

    #[test]
    fn boards_without_room_for_the_starts_are_known() {
        let generator = |width, height, seats, symmetry| Generator {
            width,
            height,
            seats,
            shape: Shape::Empty,
            symmetry,
            starts: Starts::Random,
        };
        assert!(!generator(5, 5, 2, Symmetry::Mirror).has_room());
        assert!(!generator(5, 128, 2, Symmetry::Mirror).has_room());
        assert!(!generator(5, 6, 4, Symmetry::Point).has_room());
        assert!(!generator(5, 5, 3, Symmetry::None).has_room());
        assert!(generator(6, 5, 2, Symmetry::Mirror).has_room());
        assert!(generator(5, 5, 2, Symmetry::Point).has_room());
        assert!(generator(128, 128, 4, Symmetry::Point).has_room());
    }

    proptest! {
        #[test]
        fn every_board_is_symmetric_and_connects_its_starts(
            width in 7usize..40, height in 7usize..40, shape in shape(), point: bool, seed: u64,
        ) {
            let symmetry = if point { Symmetry::Point } else { Symmetry::Mirror };
            let generator = Generator {
                width, height, seats: 2, shape, symmetry, starts: Starts::Random,
            };
            let state = generator.generate(&mut Rng::from_seed(seed));
            prop_assert_eq!((state.width(), state.height(), state.seats()), (width, height, 2));
            for cell in 0..state.cells.len() {
                let image = generator.image(cell);
                prop_assert_eq!(state.is_free(cell), state.is_free(image));
            }
            let [first, second] = [0, 1].map(|seat| usize::from(state.heads[seat]));
            prop_assert_eq!(generator.image(first), second);
            let mut empty = state.clone();
            empty.cells[first] = 0;
            empty.cells[second] = 0;
            prop_assert!(are_connected(&empty, &[first, second]));
            prop_assert_eq!(&generator.generate(&mut Rng::from_seed(seed)), &state);
        }
    }
}
