//! What one of a pair does that has found no trail on its first loop.
//!
//! Then both are probably on parallel loops of one class (in a quarter of all matches), so drawing
//! again would fail as often. But now the loops themselves tell the two apart. Both change, in the
//! same round, to the class that crosses the first, and come to each other's old loop: if one does
//! so after b steps, the other does after p − b, where p is the distance between two crossings. The
//! one with the shorter way, b < p / 2, is the one that *finds*; the other just goes on. The one
//! that finds goes around the first class, beside the other's old loop. There it must come across
//! the other's second loop, which it then follows backwards like any trail.
//!
//! If it was not alone on its class after all, but is being followed on its first loop, its
//! follower sees where it turned off ([`Chase::turn`]).

use super::super::line::{Class, Line, Sides};
use super::chase::Chase;
use crate::rules::observation::Observation;
use crate::rules::torus::Move;

/// Steps from the old loop of the other to the way beside it, on which that loop is out of sight.
const BESIDE: f64 = 2.0;

/// Diagonals bend where sides differ, and are seen this much earlier, in steps.
const BEND: f64 = 0.5;

/// Ways that differ by less may be equally long.
const CLOSE: f64 = 0.25;

/// A player on its second loop.
#[derive(Clone, Debug)]
pub(super) struct SecondLoop {
    first: Class,
    line: Line,
    /// The steps of `line` that count as made when it began.
    start: i32,
    part: Part,
    /// Decides where the ways are equally long.
    coin: bool,
}

#[derive(Clone, Copy, Debug)]
enum Part {
    /// It has not come to the other's old loop.
    Open,
    /// It finds the other, and goes on along the second loop for so many steps from its beginning.
    Approach(f64),
    /// It finds the other, and goes around beside the other's old loop.
    Search,
    /// It follows the other's second loop.
    Follow(Chase),
    /// The other finds it.
    Passive,
}

impl SecondLoop {
    /// Leaves a loop of class `first`.
    pub(super) fn new(first: Class, sides: Sides, coin: bool) -> Self {
        let line = Line::away(sides.crossing(first), sides);
        SecondLoop { first, line, start: line.steps, part: Part::Open, coin }
    }

    /// Whether it follows a trail.
    pub(super) fn follows(&self) -> bool {
        matches!(self.part, Part::Follow(_))
    }

    /// The next step.
    pub(super) fn step(&mut self, seen: &Observation, sides: Sides) -> Move {
        let second = sides.crossing(self.first);
        let foreign = Move::ALL.into_iter().find_map(|to| {
            let unit = seen.at(to).trail.minus(&seen.holds).iter().next()?;
            Some((to, unit))
        });
        let made = f64::from(self.line.steps - self.start);
        match (self.part, foreign) {
            (Part::Open, Some((to, unit))) => self.decide(seen, sides, made, to, unit),
            (Part::Approach(until), _) if made >= until => {
                self.part = Part::Search;
                self.line = Line::new(self.first);
            }
            (Part::Search, Some((_, unit))) if sides.class_of_trail(seen, unit) == Some(second) => {
                self.part = Part::Follow(Chase::new(unit, Some(second)));
            }
            _ => {}
        }
        match &mut self.part {
            Part::Follow(chase) => chase.step(seen, sides),
            _ => self.line.step(sides),
        }
    }

    /// Decides who finds whom, when the other's trail comes into sight.
    fn decide(&mut self, seen: &Observation, sides: Sides, made: f64, to: Move, unit: usize) {
        let second = sides.crossing(self.first);
        let class = sides.class_of_trail(seen, unit);
        let runs = Move::ALL.into_iter().find(|to| self.runs(seen, sides, *to, unit));
        if runs.is_none() && class != Some(self.first) {
            // Neither on the first class nor, like this one, on the second: it follows this one.
            if class.is_some_and(|class| class != second) {
                self.part = Part::Passive;
            }
            return;
        }
        let way = made + sides.ahead(runs.unwrap_or(to), second, self.first);
        let between = f64::from(sides.lap(second)) / f64::from(sides.crossings(second));
        let bends = second.is_diagonal() && sides.width != sides.height;
        let middle = between / 2.0 - if bends { BEND } else { 0.0 };
        let finds = if (way - middle).abs() < CLOSE { self.coin } else { way < middle };
        self.part = if finds { Part::Approach(way + BESIDE) } else { Part::Passive };
    }

    /// Whether the trail runs along the first class on this neighbour.
    fn runs(&self, seen: &Observation, sides: Sides, to: Move, unit: usize) -> bool {
        let has = |steps: i32| self.first.has_trail(seen, to, steps, unit);
        // Bent diagonals have two cells in a row, too.
        let is_proof = sides.width == sides.height || self.first != sides.classes()[0];
        has(0) && if is_proof { has(1) || has(-1) } else { has(1) && has(-1) }
    }
}
