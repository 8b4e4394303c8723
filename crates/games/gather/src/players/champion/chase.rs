//! Following a trail backwards: its owner comes around its loop and is met head-on, at closing speed 2.

use super::super::line::{Class, Line, Sides};
use crate::rules::observation::Observation;
use crate::rules::torus::Move;

/// A chase after the owner of one unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chase {
    /// The unit.
    pub unit: usize,
    /// The number of steps made.
    pub steps: i32,
    /// The class of the trail's loop, once the cells in sight have shown it.
    class: Option<Class>,
    /// Behind the trail's beginning there is no trail to follow, but the owner's loop must lead there, so the
    /// chase goes on along it.
    beyond: Option<Line>,
}

impl Chase {
    /// Starts a chase after the owner of `unit`, whose loop may be known already.
    pub(super) fn new(unit: usize, class: Option<Class>) -> Self {
        Chase { unit, steps: 0, class, beyond: None }
    }

    /// The next step.
    pub(super) fn step(&mut self, seen: &Observation, sides: Sides) -> Move {
        self.steps += 1;
        let has = |to: Move| seen.at(to).trail.contains(self.unit);
        let near = || Move::STEPS.into_iter().find(|to| has(*to));
        let here = has(Move::Stay);
        if here && self.class.is_none() {
            self.class = sides.class_of_trail(seen, self.unit);
        }
        // It is not on the trail yet, or has strayed from it.
        if !here
            && self.beyond.is_none()
            && let Some(to) = near()
        {
            return to;
        }
        // Two cells of a diagonal may look like a row; the next cells will tell.
        let Some(class) = self.class else { return near().unwrap_or(Move::Stay) };
        let back = class.reversed();
        let straight = if sides.is_wide() {
            Move::by(back.east.into(), 0)
        } else {
            Move::by(0, back.south.into())
        };
        // Never along another loop of the same owner that crosses this one.
        let courses = [Move::by(back.east.into(), back.south.into()), straight];
        let bends = sides.width != sides.height && straight != Move::Stay;
        let onward = courses.into_iter().take(1 + usize::from(bends)).find(|to| has(*to));
        if let Some(to) = onward {
            self.beyond = None;
            return to;
        }
        self.beyond.get_or_insert_with(|| Line::new(back)).step(sides)
    }
}
