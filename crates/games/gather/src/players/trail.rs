//! Walking along the trail of a unit, cell by cell, and turning round at its end.

use quintain_core::choices;

use crate::rules::observation::Observation;
use crate::rules::torus::Move;

choices! {
    /// Which cells of a trail are followed.
    pub(crate) enum FollowedCells {
        /// Those along one axis: a trail that a flower laid, which goes straight.
        Axis = "axis",
        /// Any neighbouring ones: whatever trail of the unit there is.
        Any = "any",
    }
}

/// A walk along the trail of one unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Follower {
    /// The unit.
    pub unit: usize,
    /// The last step.
    heading: Move,
    /// Steps taken; along an axis, those since it turned round.
    pub steps: u32,
    cells: FollowedCells,
    turned: bool,
}

impl Follower {
    /// Starts along `unit`'s trail, first in this direction if it goes there.
    pub(crate) fn new(unit: usize, heading: Move, cells: FollowedCells) -> Self {
        Follower { unit, heading, steps: 0, cells, turned: false }
    }

    /// The next step: straight on, else (on any cells) to any side, else back. `None` if the trail
    /// is nowhere around, or if an axis has been followed to both ends.
    pub(crate) fn step(&mut self, seen: &Observation) -> Option<Move> {
        let goes = |to: Move| leads_away(seen, to) && seen.at(to).trail.contains(self.unit);
        let (heading, back) = (self.heading, self.heading.opposite());
        let ahead = goes(heading).then_some(heading);
        let to = match self.cells {
            FollowedCells::Any => {
                let aside =
                    || Move::STEPS.into_iter().filter(|to| *to != back).find(|to| goes(*to));
                ahead.or_else(aside).or(goes(back).then_some(back))
            }
            FollowedCells::Axis => ahead.or((goes(back) && !self.turned).then_some(back)),
        }?;
        if self.cells == FollowedCells::Axis && to == back {
            (self.turned, self.steps) = (true, 0);
        }
        self.heading = to;
        self.steps += 1;
        Some(to)
    }
}

/// Whether a move leads to another cell: on a board one cell wide, some do not.
pub(crate) fn leads_away(seen: &Observation, to: Move) -> bool {
    let (east, south) = to.offset();
    east != 0 && seen.width > 1 || south != 0 && seen.height > 1
}

/// The units of this cell's trail that the seat lacks.
pub(crate) fn lacking_here(seen: &Observation) -> impl Iterator<Item = usize> + '_ {
    let here = &seen.at(Move::Stay).trail;
    let lacking = if here.is_within(&seen.holds) { None } else { Some(here.minus(&seen.holds)) };
    let units: Vec<usize> = lacking.iter().flat_map(|units| units.iter()).collect();
    units.into_iter()
}
