//! Where a unit can come to, computed a row of bits at a time. For each row of the pivot and each
//! rotation, one number holds the columns of the leftmost cell in all positions of interest, so
//! that a command moves all of them at once by a shift. Units never move up, so one sweep from the
//! top finds everything. It does not tell the commands that lead there; [`crate::rules::paths`]
//! does, position by position, and is what this is tested against.

use crate::rules::board::Board;
use crate::rules::units::{Position, Unit};

/// The positions that a unit can reach. It is made once and used for every unit, so that it does
/// not allocate.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    /// The pivot's row that the first entry stands for.
    first: i32,
    /// By row of the pivot and rotation: where the leftmost cell can be at all.
    fits: Vec<[u128; 6]>,
    /// Likewise, where it can come to.
    reached: Vec<[u128; 6]>,
    /// Likewise, where it can lock.
    locks: Vec<[u128; 6]>,
}

/// Moves a row of bits by this many columns to the right, or to the left if negative.
#[inline]
pub(super) fn shift_bits(bits: u128, by: i32) -> u128 {
    match by {
        0..=127 => bits << by,
        -127..=-1 => bits >> -by,
        _ => 0,
    }
}

/// Spreads `bits` sideways through the runs of `room` in which they lie.
#[inline]
fn spread(bits: u128, room: u128) -> u128 {
    // Upwards all at once: adding a bit to the run of ones in which it lies carries through to the
    // end of the run (Myers 1999). Downwards by doubling: after steps of 1, 2, 4, … the bits have
    // gone as far as 127 columns, as long as every column between has room.
    let up = (((bits & room).wrapping_add(room)) ^ room) & room | bits;
    let mut down = up;
    let mut through = room;
    for step in [1, 2, 4, 8, 16, 32, 64] {
        down |= through & (down >> step);
        through &= through >> step;
    }
    down
}

/// By how many columns the leftmost cell moves, by rotation before the command.
struct Shifts {
    clockwise: [i32; 6],
    south_west: [i32; 6],
    south_east: [i32; 6],
}

impl Shifts {
    /// The moves from rows of this parity.
    fn new(unit: &Unit, odd: usize) -> Shifts {
        let period = usize::from(unit.period());
        let left = |rotation: usize, odd: usize| unit.shapes(rotation as u8)[odd].left;
        let by_rotation = |of: &dyn Fn(usize) -> i32| {
            let mut shifts = [0; 6];
            (0..period).for_each(|rotation| shifts[rotation] = of(rotation));
            shifts
        };
        let down = |rotation| left(rotation, 1 - odd) - left(rotation, odd);
        Shifts {
            clockwise: by_rotation(&|rotation| {
                left((rotation + 1) % period, odd) - left(rotation, odd)
            }),
            south_west: by_rotation(&|rotation| down(rotation) - 1 + odd as i32),
            south_east: by_rotation(&|rotation| down(rotation) + odd as i32),
        }
    }
}

impl Reach {
    /// Creates tables in which nothing is reached yet.
    pub fn new() -> Reach {
        Reach::default()
    }

    /// Finds what a unit that has just come to `start` can reach.
    pub fn sweep(&mut self, unit: &Unit, board: &Board, start: Position) {
        let period = usize::from(unit.period());
        self.first = i32::from(start.y);
        let last = (0..unit.period())
            .flat_map(|rotation| unit.shapes(rotation))
            .map(|shape| board.height() as i32 - shape.height - shape.top)
            .max()
            .unwrap_or(self.first);
        // One more row, into which nothing fits, because there is no room below the last one.
        let rows = (last - self.first + 2).max(2) as usize;
        for table in [&mut self.fits, &mut self.reached, &mut self.locks] {
            table.clear();
            table.resize(rows, [0; 6]);
        }
        for row in 0..rows - 1 {
            let y = self.first + row as i32;
            for rotation in 0..period {
                self.fits[row][rotation] = where_it_fits(unit, board, rotation as u8, y);
            }
        }
        self.reached[0][usize::from(start.rotation)] = 1 << unit.left(start);
        let shifts = [Shifts::new(unit, 0), Shifts::new(unit, 1)];
        for row in 0..rows - 1 {
            let odd = ((self.first + row as i32) & 1) as usize;
            let shifts = &shifts[odd];
            let fits = self.fits[row];
            let mut here = self.reached[row];
            if here == [0; 6] {
                continue;
            }
            turn_and_spread(&mut here, &fits, shifts, period);
            self.reached[row] = here;
            let below = self.fits[row + 1];
            for rotation in 0..period {
                let (bits, room) = (here[rotation], below[rotation]);
                let (west, east) = (shifts.south_west[rotation], shifts.south_east[rotation]);
                self.reached[row + 1][rotation] |=
                    (shift_bits(bits, west) | shift_bits(bits, east)) & room;
                let turned = (rotation + 1) % period;
                let back = (rotation + period - 1) % period;
                // A unit can lock where some command finds no room: where not all six ways are
                // free.
                let free = fits[rotation] << 1
                    & fits[rotation] >> 1
                    & shift_bits(room, -west)
                    & shift_bits(room, -east)
                    & shift_bits(fits[turned], -shifts.clockwise[rotation])
                    & shift_bits(fits[back], shifts.clockwise[back]);
                self.locks[row][rotation] = bits & !free;
            }
        }
    }

    /// The pivot's row that the first entry of the tables stands for.
    pub fn first_row(&self) -> i32 {
        self.first
    }

    /// By row of the pivot, beginning with the first, and rotation: where the leftmost cell can be.
    pub fn reachable(&self) -> &[[u128; 6]] {
        &self.reached
    }

    /// Likewise, where the unit can lock.
    pub fn locks(&self) -> &[[u128; 6]] {
        &self.locks
    }

    /// Likewise, where there is room at all.
    pub fn fits(&self) -> &[[u128; 6]] {
        &self.fits
    }

    /// Calls `place` with each reachable position in which the unit can lock, from the top down.
    pub fn for_each_lock(&self, unit: &Unit, mut place: impl FnMut(Position)) {
        for (row, locks) in self.locks.iter().enumerate() {
            let y = self.first + row as i32;
            for rotation in 0..unit.period() {
                let left = unit.shapes(rotation)[(y & 1) as usize].left;
                let mut bits = locks[usize::from(rotation)];
                while bits != 0 {
                    let x = bits.trailing_zeros() as i32 - left;
                    bits &= bits - 1;
                    place(Position { x: x as i16, y: y as i16, rotation });
                }
            }
        }
    }
}

/// Where the leftmost cell can be with the pivot in this row.
#[inline]
fn where_it_fits(unit: &Unit, board: &Board, rotation: u8, y: i32) -> u128 {
    let shape = &unit.shapes(rotation)[(y & 1) as usize];
    let top = y + shape.top;
    if top < 0 || top + shape.height > board.height() as i32 || shape.span > board.width() as i32 {
        return 0;
    }
    let mut taken = 0;
    for (cells, full) in shape.rows.iter().zip(&board.rows()[top as usize..]) {
        let mut cells = *cells;
        while cells != 0 {
            taken |= full >> cells.trailing_zeros();
            cells &= cells - 1;
        }
    }
    !taken & (board.full_row() >> (shape.span - 1))
}

/// Adds everything in the row that can be reached by turns and steps to the sides.
#[inline]
fn turn_and_spread(here: &mut [u128; 6], fits: &[u128; 6], shifts: &Shifts, period: usize) {
    loop {
        for rotation in 0..period {
            here[rotation] = spread(here[rotation], fits[rotation]);
        }
        let before = *here;
        for rotation in 0..period {
            let turned = (rotation + 1) % period;
            let by = shifts.clockwise[rotation];
            here[turned] |= shift_bits(before[rotation], by) & fits[turned];
            here[rotation] |= shift_bits(before[turned], -by) & fits[rotation];
        }
        if *here == before {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::paths::{Paths, Shortcuts};
    use crate::rules::units::Cell;
    use crate::rules::walk::Walk;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn cell() -> impl Strategy<Value = Cell> {
        (-2i32..4, -1i32..4).prop_map(|(x, y)| Cell { x, y })
    }

    proptest! {
        #[test]
        fn the_sweep_reaches_what_the_search_from_position_to_position_reaches(
            members in prop::collection::btree_set(cell(), 1..6),
            pivot in cell(),
            width in 4usize..14,
            full in prop::collection::vec(any::<u16>(), 12),
            more in prop::collection::vec(any::<u16>(), 12),
        ) {
            let unit = Unit::new(members.into_iter().collect(), pivot, width).unwrap();
            let mut board = Board::new(width, 16).unwrap();
            for (y, (a, b)) in full.iter().zip(&more).enumerate() {
                board.rows_mut()[y + 4] = u128::from(a & b) & board.full_row();
            }
            prop_assume!(unit.fits(&board, unit.spawn()));
            let mut paths = Paths::new();
            let walk = Walk::new(&unit, unit.spawn());
            paths.explore(&unit, &board, &walk, Shortcuts::default());
            let mut reach = Reach::new();
            reach.sweep(&unit, &board, unit.spawn());
            let mut locks = BTreeSet::new();
            reach.for_each_lock(&unit, |position| { locks.insert(position); });
            let blocked = |position: &&Position| {
                let commands = crate::rules::commands::Command::ALL.into_iter();
                commands.map(|c| position.after(c, unit.period())).any(|p| !unit.fits(&board, p))
            };
            let plain: BTreeSet<Position> =
                paths.positions().iter().filter(blocked).copied().collect();
            prop_assert_eq!(&locks, &plain);
            let reached: u32 = reach.reachable().iter().flatten().map(|row| row.count_ones()).sum();
            prop_assert_eq!(reached as usize, paths.positions().len());
            let prints: BTreeSet<_> = plain.iter().map(|p| unit.footprint(*p)).collect();
            prop_assert_eq!(prints.len(), paths.places().len());
        }
    }
}
