//! The champion: places and phrases sought together. A [beam](self) of boards, each with
//! several strands of speech; the ways of every unit by dynamic programming over the
//! positions and the automaton that hears the phrases. It knows nothing about any problem
//! beforehand.

mod beam;
pub mod outlook;
mod said;
mod steps;
mod voice;
mod ways;

use quintain_core::{Meter, Rng, Unit};

use crate::solvers::{Best, Solving, Task};
pub use beam::Settings;
use beam::{Beam, Width};
use steps::Steps;
use voice::Voice;

/// The champion.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Champion {
    /// What its beams go by.
    pub settings: Settings,
    /// Boards a step, in one run; 0 for as many as there is time for.
    pub width: usize,
}

impl Solving for Champion {
    fn solve(&self, task: &Task<'_>, meter: &mut Meter, _rng: &mut Rng, best: &mut Best<'_>) {
        if task.start.walk.is_none() {
            return;
        }
        let course = task.course;
        let units = course.problem().units();
        let came = task.start.came as usize - 1;
        let mut periods: Vec<u8> =
            (came..course.queue().len()).map(|n| course.nth(n).period()).collect();
        periods.sort_unstable();
        periods.dedup();
        let voice = Voice::new(course.phrases(), &periods);
        let steps: Vec<Steps> = units.iter().map(Steps::new).collect();
        let mut run = |width, settings, meter: &mut Meter| {
            let beam = Beam::new(task, &voice, &steps, settings);
            if let Some(ended) = beam.run(width, meter) {
                let score = best.offer(&ended.text());
                debug_assert_eq!(score, u64::try_from(ended.points).ok());
            }
        };
        if self.width > 0 {
            return run(Width::Fixed(self.width), self.settings, meter);
        }
        run(Width::Fixed(1), self.settings, meter);
        for share in [0.15, 1.0] {
            let mut part = meter.part(share);
            run(Width::Filling, self.settings, &mut part);
            meter.charge(part.spent());
        }
    }

    fn work(&self) -> (Unit, u64) {
        (Unit::Nodes, 10_000)
    }
}
