//! Following a trail backwards: its owner comes around its loop and is met head-on, at closing
//! speed 2.

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
    /// Behind the trail's beginning there is no trail to follow, but the owner's loop must lead
    /// there, so the chase goes on along it.
    beyond: Option<Line>,
    /// Whether the owner has left that loop, and this is another.
    has_turned: bool,
}

impl Chase {
    /// Starts a chase after the owner of `unit`, whose loop may be known already.
    pub(super) fn new(unit: usize, class: Option<Class>) -> Self {
        Chase { unit, steps: 0, class, beyond: None, has_turned: false }
    }

    /// If the trail branches here onto the class that crosses its own, goes on along the loop of
    /// that class: the owner has found nothing on the first and has left it.
    pub(super) fn turn(&mut self, seen: &Observation, sides: Sides) {
        let Some(class) = self.class else { return };
        let has = |x: i32, y: i32| seen.at(Move::by(x, y)).trail.contains(self.unit);
        let next = sides.crossing(class);
        let (east, south) = (i32::from(class.east), i32::from(class.south));
        let branches = if class.is_diagonal() {
            // The cells at the side of a diagonal, on which its own bends never are.
            let (x, y) = if sides.is_wide() { (east, -south) } else { (-east, south) };
            has(x, y) || has(-x, -y)
        } else {
            has(next.east.into(), next.south.into())
        };
        if !self.has_turned && branches && has(0, 0) {
            let back = Line::new(next.reversed());
            *self =
                Chase { has_turned: true, beyond: Some(back), ..Chase::new(self.unit, Some(next)) };
        }
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
