//! What a player remembers of the cells it has seen, to tell the age of a trail.
//!
//! Trails carry no time. But if a cell was seen in round 40 without a unit and has it in
//! round 60, that part of the trail was laid in between: each look at a cell bounds the age
//! of what appears on it later. A trail on a cell never seen before may be of any age.
//!
//! Players do not know where they are on the board, so cells have coordinates relative to
//! where the player began.

use std::collections::HashMap;

use super::line::Sides;
use crate::rules::observation::Observation;
use crate::rules::torus::Move;

/// The cells seen so far.
#[derive(Clone, Debug)]
pub(crate) struct Map {
    /// The player's place relative to where it began.
    at: (i32, i32),
    cells: HashMap<(i32, i32), Known>,
}

#[derive(Clone, Debug, Default)]
struct Known {
    /// The round after the one in which it was last seen: anything new on the cell was not there
    /// before that round.
    looked: u32,
    /// Each unit on the trail, with the round before which it was not there; 0 if it was
    /// there at the first look.
    laid: Vec<(u16, u32)>,
}

impl Map {
    pub(crate) fn new() -> Self {
        Map { at: (0, 0), cells: HashMap::new() }
    }

    /// Updates the player's own place by the step that it made.
    pub(crate) fn go(&mut self, to: Move, sides: Sides) {
        self.at = self.neighbour(to, sides);
    }

    fn neighbour(&self, to: Move, sides: Sides) -> (i32, i32) {
        let (east, south) = to.offset();
        ((self.at.0 + east).rem_euclid(sides.width), (self.at.1 + south).rem_euclid(sides.height))
    }

    /// Notes what is seen.
    pub(crate) fn look(&mut self, seen: &Observation, sides: Sides) {
        for to in Move::ALL {
            let place = self.neighbour(to, sides);
            let known = self.cells.entry(place).or_default();
            let trail = &seen.at(to).trail;
            // Units never leave a trail, so an equal count means that nothing is new.
            if trail.len() > known.laid.len() {
                for unit in trail.iter() {
                    let unit = unit as u16;
                    if !known.laid.iter().any(|(laid, _)| *laid == unit) {
                        known.laid.push((unit, known.looked));
                    }
                }
            }
            known.looked = seen.round + 1;
        }
    }

    /// The round before which the trail of `unit` on this neighbour was not there.
    pub(crate) fn trail_free_until(&self, to: Move, unit: usize, sides: Sides) -> u32 {
        let known = self.cells.get(&self.neighbour(to, sides));
        let laid = known.and_then(|known| {
            known.laid.iter().find(|(laid, _)| usize::from(*laid) == unit).map(|(_, round)| *round)
        });
        laid.unwrap_or(0)
    }
}
