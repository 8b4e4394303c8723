//! Following a trail backwards, so that its owner, who comes around its loop, is met
//! head-on at closing speed 2.

use super::line::{Class, Line, Sides};
use crate::observation::Observation;
use crate::torus::Move;

/// After one unit's owner.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chase {
    /// The unit.
    pub unit: usize,
    /// Steps made.
    pub steps: i32,
    /// The last step along the trail.
    last: Option<Move>,
    /// Cells drifted across the longer side while on the trail.
    drift: i32,
    /// Beyond the trail's beginning: where the owner's loop must go on.
    beyond: Option<Line>,
}

impl Chase {
    pub(crate) fn new(unit: usize) -> Self {
        Chase { unit, steps: 0, last: None, drift: 0, beyond: None }
    }

    /// The next step.
    pub(crate) fn step(&mut self, seen: &Observation, sides: Sides) -> Move {
        self.steps += 1;
        let has = |to: Move| seen.at(to).trail.contains(self.unit);
        let wide = sides.is_wide();
        // Moves by how far they go along the longer side and across it, where a sweep
        // goes +1 along.
        let by = |along: i32, across: i32| {
            if wide { Move::by(along, across) } else { Move::by(across, -along) }
        };
        if self.beyond.is_none() && !has(Move::Stay) {
            // Not on it yet, or strayed from it.
            let near = Move::STEPS.into_iter().find(|to| has(*to));
            if let Some(to) = near {
                return to;
            }
        }
        let slope = self.drift.signum();
        if has(Move::Stay) || self.beyond.is_some() {
            for across in [slope, 0, -1, 1] {
                let back = by(-1, across);
                if has(back) {
                    self.beyond = None;
                    self.drift += across;
                    self.last = Some(back);
                    return back;
                }
            }
        }
        if self.beyond.is_none() && has(Move::Stay) {
            let ahead = [0, -1, 1].into_iter().find(|across| has(by(1, *across)));
            let along = ahead.is_some() || matches!(self.last, Some(last) if last == by(-1, 0));
            // A trail straight across: its owner goes north on a wide board, east on a tall one.
            let owner_across = if wide { -1 } else { 1 };
            let back = by(0, -owner_across);
            if !along && self.drift == 0 {
                if has(back) {
                    self.last = Some(back);
                    return back;
                }
                let class =
                    if wide { Class { east: 0, south: -1 } } else { Class { east: 1, south: 0 } };
                self.beyond = Some(Line::new(class.reversed()));
            } else {
                let slope = if self.drift != 0 { -slope } else { ahead.unwrap_or(0) } as i8;
                let class = if wide {
                    Class { east: 1, south: slope }
                } else {
                    Class { east: slope, south: -1 }
                };
                self.beyond = Some(Line::new(class.reversed()));
            }
        }
        match &mut self.beyond {
            Some(line) => line.step(sides),
            // The trail is nowhere around: nothing to go by.
            None => self.last.unwrap_or(Move::Stay),
        }
    }
}
