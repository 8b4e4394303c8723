//! The effect of commands on a unit, for rows of bits: by parity of the pivot's row, rotation and
//! command, the rotation after it and the shift of the leftmost cell. Also where a unit has been in
//! its row, in 32 bits. Which positions can be reached is in [`super::reach`].

use crate::rules::commands::Command;
use crate::rules::units::{Position, Unit};

/// Where a command leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Step {
    /// The rotation after it.
    pub rotation: u8,
    /// The number of columns by which the leftmost cell moves.
    pub shift: i16,
}

/// The commands of one unit, in the order of [`Command::ALL`].
#[derive(Clone, Debug)]
pub(super) struct Steps([[[Step; 6]; 6]; 2]);

impl Steps {
    pub(super) fn new(unit: &Unit) -> Steps {
        let mut steps = [[[Step::default(); 6]; 6]; 2];
        for (parity, table) in steps.iter_mut().enumerate() {
            for rotation in 0..unit.period() {
                // Any column will do: only differences count.
                let from = Position { x: 0, y: parity as i16, rotation };
                for command in Command::ALL {
                    let to = from.after(command, unit.period());
                    let shift = (unit.left(to) - unit.left(from)) as i16;
                    table[usize::from(rotation)][command as usize] =
                        Step { rotation: to.rotation, shift };
                }
            }
        }
        Steps(steps)
    }

    /// The commands of a rotation with the pivot in row `y`.
    #[inline]
    pub(super) fn of(&self, y: i32, rotation: usize) -> &[Step; 6] {
        &self.0[(y & 1) as usize][rotation]
    }
}

/// Where a unit has been in the pivot's row, relative to its place: a window of five columns around
/// its own, with six bits per column, one for each rotation; and one bit per side for whether it
/// has been anywhere beyond.
///
/// The window moves with the unit, and what leaves it on one side is remembered only as that bit.
/// When the unit comes back towards that side, every column that enters the window there counts as
/// taken in all rotations. So a step that is allowed never brings the unit back. Some steps that
/// would not bring it back are given up too, which is the price of 32 bits in place of six whole
/// rows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct SeenSteps(u32);

/// The window: bits 12 to 17 are the column of the unit itself.
const COLUMNS: u32 = 0x3FFF_FFFF;
/// Whether it has been more than two columns away on either side.
const FAR_WEST: u32 = 1 << 30;
const FAR_EAST: u32 = 1 << 31;

impl SeenSteps {
    /// The start of a unit that has just come down to this row.
    #[inline]
    pub(super) fn start(rotation: u8) -> SeenSteps {
        SeenSteps(1 << (12 + rotation))
    }

    /// The memory of a unit that came to this row earlier and has `seen` these columns.
    pub(super) fn restore(unit: &Unit, position: Position, seen: &[u128; 6]) -> SeenSteps {
        let mut window = 0;
        for rotation in 0..unit.period() {
            let at = unit.left(Position { rotation, ..position });
            let taken = seen[usize::from(rotation)];
            for column in -2..=2 {
                let left = at + column;
                if (0..128).contains(&left) && taken >> left & 1 == 1 {
                    window |= 1 << ((column + 2) * 6 + i32::from(rotation));
                }
            }
            if at - 2 > 0 && at - 2 < 128 && taken & ((1 << (at - 2)) - 1) != 0 {
                window |= FAR_WEST;
            }
            if at + 3 < 128 && taken >> (at + 3).max(0) != 0 {
                window |= FAR_EAST;
            }
        }
        SeenSteps(window)
    }

    /// The memory after a command that stays in the row and leads to `rotation`; `None` if the unit
    /// has, or may have, been there.
    #[inline]
    pub(super) fn after(self, command: Command, rotation: u8) -> Option<SeenSteps> {
        let here = 1 << (12 + rotation);
        let window = match command {
            Command::West => {
                let gone = if self.0 >> 24 & 0x3F != 0 { FAR_EAST } else { self.0 & FAR_EAST };
                let came = if self.0 & FAR_WEST != 0 { 0x3F } else { 0 };
                (self.0 << 6) & COLUMNS | came | gone | self.0 & FAR_WEST
            }
            Command::East => {
                let gone = if self.0 & 0x3F != 0 { FAR_WEST } else { self.0 & FAR_WEST };
                let came = if self.0 & FAR_EAST != 0 { 0x3F << 24 } else { 0 };
                (self.0 & COLUMNS) >> 6 | came | gone | self.0 & FAR_EAST
            }
            _ => self.0,
        };
        if window & here != 0 { None } else { Some(SeenSteps(window | here)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Command::{Clockwise, CounterClockwise, East, West};

    /// Follows commands within a row for a unit with this period.
    fn walk(commands: &[Command], period: u8) -> Option<SeenSteps> {
        let mut position = Position { x: 0, y: 0, rotation: 0 };
        let mut seen = SeenSteps::start(0);
        for command in commands {
            position = position.after(*command, period);
            seen = seen.after(*command, position.rotation)?;
        }
        Some(seen)
    }

    #[test]
    fn a_unit_may_not_step_back_nor_turn_around() {
        assert_eq!(walk(&[East, West], 6), None);
        assert_eq!(walk(&[Clockwise, CounterClockwise], 6), None);
        assert_eq!(walk(&[Clockwise, Clockwise], 2), None);
        assert!(walk(&[Clockwise, Clockwise], 3).is_some());
        assert!(walk(&[East, Clockwise, West], 6).is_some());
        assert_eq!(walk(&[East, Clockwise, West, CounterClockwise], 6), None);
    }

    #[test]
    fn distant_steps_are_dropped_only_on_the_side_where_the_unit_came_from() {
        assert!(walk(&[East, East, East, East], 6).is_some());
        assert!(walk(&[East, East, Clockwise, West, West], 6).is_some());
        assert_eq!(walk(&[East, East, East, Clockwise, West, West, West, Clockwise], 6), None);
    }
}
