//! The closed loops on which champions sweep the torus.
//!
//! On a torus, straight lines close. Two loops that wind around it differently (once
//! around the columns, once around the rows, once around both either way) must cross, and
//! players on them find each other's trails; two loops of the same class are parallel and
//! may never meet. So there are four classes to draw from: along the longer side, across
//! it, and two diagonals.
//!
//! A true diagonal on a board with sides 15 and 22 closes only after 330 steps. Diagonals
//! here go around both sides once in as many steps as the longer side has cells, by going
//! straight now and then (Bresenham's line, 1965).

use crate::rules::observation::Observation;
use crate::rules::torus::Move;

/// A class of loops: how often it goes around the board to the east and to the south, −1, 0 or 1
/// each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Class {
    pub east: i8,
    pub south: i8,
}

/// The sides of the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Sides {
    pub width: i32,
    pub height: i32,
}

impl Sides {
    pub(crate) fn of(seen: &Observation) -> Self {
        Sides { width: seen.width.into(), height: seen.height.into() }
    }

    /// The longer side.
    pub(crate) fn longer(self) -> i32 {
        self.width.max(self.height)
    }

    /// Whether a player that goes along the longer side sees the whole breadth of the board,
    /// so that no trail beside it stays hidden.
    pub(crate) fn is_thin(self) -> bool {
        self.width.min(self.height) <= 3
    }

    /// Whether rows are at least as long as columns.
    pub(crate) fn is_wide(self) -> bool {
        self.width >= self.height
    }

    /// The classes: along, across and the two diagonals. All but the one across advance
    /// along the longer side on every step, in the same direction, so that a trail tells
    /// where its owner comes from.
    pub(crate) fn classes(self) -> [Class; 4] {
        if self.is_wide() {
            [(1, 0), (0, -1), (1, -1), (1, 1)].map(|(east, south)| Class { east, south })
        } else {
            [(0, -1), (1, 0), (1, -1), (-1, -1)].map(|(east, south)| Class { east, south })
        }
    }

    /// The class of the loop that the trail of `unit` belongs to, as far as the nine cells in
    /// sight show it. Two cells in a row along the longer side are no proof of a straight
    /// loop, since diagonals go straight now and then (but not on a square).
    pub(crate) fn class_of_trail(self, seen: &Observation, unit: usize) -> Option<Class> {
        let has = |(along, across): (i32, i32)| {
            let to =
                if self.is_wide() { Move::by(along, across) } else { Move::by(across, -along) };
            seen.at(to).trail.contains(unit)
        };
        // The most cells on one of three adjacent lines.
        let most = |line: &dyn Fn(i32, i32) -> (i32, i32)| {
            let count = |shift: i32| {
                let cells = (-1..=1).map(|step| line(step, shift));
                cells.filter(|(x, y)| x.abs() <= 1 && y.abs() <= 1 && has((*x, *y))).count()
            };
            (-1..=1).map(count).max().unwrap_or(0)
        };
        let along = most(&|step, shift| (step, shift));
        let across = most(&|step, shift| (shift, step));
        let falling = most(&|step, shift| (step, step + shift));
        let rising = most(&|step, shift| (step, shift - step));
        let [row, column, one, other] = self.classes();
        // On tall boards, east is across and south is back.
        let (falling_class, rising_class) =
            if self.is_wide() { (other, one) } else { (one, other) };
        if along == 3 {
            Some(row)
        } else if across == 3 {
            Some(column)
        } else if rising >= 2 {
            Some(rising_class)
        } else if falling >= 2 {
            Some(falling_class)
        } else if along >= 2 && self.width == self.height {
            Some(row)
        } else if across >= 2 {
            Some(column)
        } else {
            None
        }
    }

    /// The class of the same kind whose loops cross those of this one: the other diagonal, or the
    /// other straight class.
    pub(crate) fn crossing(self, class: Class) -> Class {
        let [along, across, one, other] = self.classes();
        match class {
            _ if class == along => across,
            _ if class == across => along,
            _ if class == one => other,
            _ => one,
        }
    }

    /// The number of times that a loop of this class meets each loop of the class that crosses it.
    pub(crate) fn crossings(self, class: Class) -> i32 {
        if class.is_diagonal() { 2 } else { 1 }
    }

    /// How many steps along a loop of class `own` it is from here to the loop of class `other` that
    /// runs through this neighbour. (Exact on squares, within a step elsewhere, where diagonals
    /// bend.)
    pub(crate) fn ahead(self, to: Move, own: Class, other: Class) -> f64 {
        let velocity = |class: Class| {
            let lap = f64::from(self.lap(class));
            let share = |sign: i8, side: i32| f64::from(sign) * f64::from(side) / lap;
            (share(class.east, self.width), share(class.south, self.height))
        };
        let area = |one: (f64, f64), other: (f64, f64)| one.0 * other.1 - one.1 * other.0;
        let (x, y) = to.offset();
        let other = velocity(other);
        area((x.into(), y.into()), other) / area(velocity(own), other)
    }

    /// The number of steps once around a loop of this class.
    pub(crate) fn lap(self, class: Class) -> i32 {
        let east = if class.east == 0 { 0 } else { self.width };
        let south = if class.south == 0 { 0 } else { self.height };
        east.max(south).max(1)
    }
}

impl Class {
    /// Whether it goes around both sides.
    pub(crate) fn is_diagonal(self) -> bool {
        self.east != 0 && self.south != 0
    }

    /// The step along it where it does not bend.
    pub(crate) fn onward(self) -> Move {
        Move::by(self.east.into(), self.south.into())
    }

    /// Whether a unit's trail is in sight so many steps along this class from a neighbour.
    pub(crate) fn has_trail(self, seen: &Observation, from: Move, steps: i32, unit: usize) -> bool {
        let ((x, y), (east, south)) = (from.offset(), self.onward().offset());
        let (x, y) = (x + steps * east, y + steps * south);
        x.abs() <= 1 && y.abs() <= 1 && seen.at(Move::by(x, y)).trail.contains(unit)
    }

    /// The same loop the other way around.
    pub(crate) fn reversed(self) -> Class {
        Class { east: -self.east, south: -self.south }
    }
}

/// A walk around a loop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    pub class: Class,
    pub steps: i32,
}

impl Line {
    pub(crate) fn new(class: Class) -> Self {
        Line { class, steps: 0 }
    }

    /// A walk whose first step is not one of those on which diagonals go straight.
    pub(crate) fn away(class: Class, sides: Sides) -> Self {
        let mut line = Line::new(class);
        while line.clone().step(sides) != class.onward() {
            line.steps += 1;
        }
        line
    }

    /// The next step.
    pub(crate) fn step(&mut self, sides: Sides) -> Move {
        let lap = sides.lap(self.class);
        let at = self.steps % lap;
        // The difference of two rounded shares is 0 or 1 (a side is at most a lap long), and
        // over a whole lap they add up to the side.
        let share = |side: i32| (at + 1) * side / lap - at * side / lap;
        let to = Move::by(
            i32::from(self.class.east) * share(sides.width),
            i32::from(self.class.south) * share(sides.height),
        );
        self.steps += 1;
        to
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_closes_after_as_many_steps_as_its_longer_side() {
        for (width, height) in [(15, 22), (35, 35), (76, 50)] {
            let sides = Sides { width, height };
            for class in sides.classes() {
                let mut line = Line::new(class);
                let (mut east, mut south) = (0, 0);
                for _ in 0..sides.lap(class) {
                    let (columns, rows) = line.step(sides).offset();
                    (east, south) = (east + columns, south + rows);
                }
                let around = (i32::from(class.east) * width, i32::from(class.south) * height);
                assert_eq!((east, south), around);
            }
        }
    }
}
