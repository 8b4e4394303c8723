//! Simulated annealing from a snake (Kirkpatrick et al. 1983), by the moves of
//! `solvers::fold`.

use quintain_core::{Unit, parameters};

use super::planned::{Laying, Task};
use crate::solvers::champion::{beams, runs};
use crate::solvers::{Cooling, anneal};

parameters! {
    /// Simulated annealing from a snake.
    pub(super) struct Annealing {
        /// The first temperature; 0 for what suits the instance.
        hot: f64 = 0.0, in 0.0..=100.0;
        /// The last temperature; 0 for what suits the instance.
        cold: f64 = 0.0, in 0.0..=100.0;
        /// Backbites, out of 256 moves.
        backbite: u32 = 4, in 0..=256;
        /// Bond-rebridgings, out of 256 moves.
        rebridge: u32 = 40, in 0..=256;
        /// Slides by an end, out of 256 moves.
        slide: u32 = 4, in 0..=256;
        /// Segments cut out and grown anew, out of 256 moves.
        regrow: u32 = 4, in 0..=256;
        /// The most monomers of such a segment.
        segment: usize = 8, in 1..=16;
        /// The most monomers that a move turns around; 0 for what suits the instance.
        longest: usize = 0, in 0..=65_000;
        /// One run over all the time, or several, each longer than the last.
        several: bool = false;
        /// Blocks of 256 moves where the budget sets no limit.
        blocks: u64 = 4_000, in 1..=1_000_000_000;
    }
}

impl Laying for Annealing {
    fn check(&self) -> Result<(), String> {
        if self.backbite + self.rebridge + self.slide + self.regrow > 256 {
            let problem = "backbite, rebridge, slide and regrow are more than 256 together";
            return Err(problem.to_owned());
        }
        Ok(())
    }

    fn lay(&self, task: Task<'_, '_>) {
        let Task { instance, prefix, meter, rng, best, .. } = task;
        if prefix.len() > 1 {
            // Moves know no fixed part: what is left is laid by beams.
            return beams(instance, prefix, 1.0, meter, rng, best);
        }
        if self.several {
            return runs(instance, meter, rng, best);
        }
        let mut cooling = Cooling::suiting(instance);
        let given = |own: f64, suiting: f64| if own > 0.0 { own } else { suiting };
        cooling.hot = given(self.hot, cooling.hot);
        cooling.cold = given(self.cold, cooling.cold);
        cooling.mix.backbite = self.backbite;
        cooling.mix.rebridge = self.rebridge;
        cooling.mix.slide = self.slide;
        cooling.mix.regrow = self.regrow;
        cooling.mix.segment = self.segment;
        if self.longest > 0 {
            cooling.mix.longest = self.longest;
        }
        anneal(instance, None, cooling, meter, rng, best);
    }

    fn work(&self) -> (Unit, u64) {
        (Unit::Nodes, self.blocks)
    }
}
