//! The spiral that hybrid and groovy walk.

use crate::rules::torus::Move;

/// Legs of 1, 2, 3, … steps, with a quarter turn clockwise after each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spiral {
    to: Move,
    leg: u32,
    left: u32,
}

impl Spiral {
    /// Starts a spiral whose first leg goes in this direction.
    pub(crate) fn new(to: Move) -> Self {
        Spiral { to, leg: 1, left: 1 }
    }

    /// The next step.
    pub(crate) fn step(&mut self) -> Move {
        if self.left == 0 {
            self.leg += 1;
            self.left = self.leg;
            self.to = self.to.clockwise();
        }
        self.left -= 1;
        self.to
    }

    /// The steps of the current leg.
    pub(crate) fn arm(&self) -> u32 {
        self.leg
    }
}
