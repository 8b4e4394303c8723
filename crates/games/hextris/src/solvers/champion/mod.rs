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
use beam::{Beam, Mode, Width};
use steps::Steps;
use voice::Voice;

/// The champion.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Champion {
    /// What its beams go by.
    pub settings: Settings,
    /// Boards a step, in one run; 0 for as many as there is time for.
    pub width: usize,
    /// Only places, without phrases.
    pub silent: bool,
}

impl Champion {
    fn mode(&self) -> Mode<'static> {
        if self.silent { Mode::Silent } else { Mode::Spoken }
    }

    /// What a beam of this width without phrases comes to: the points of its locks, and
    /// those that phrases would earn on the way. For tuning.
    pub fn estimate(&self, task: &Task<'_>, width: usize) -> i64 {
        let known = Known::new(task);
        let beam = Beam::new(task, &known.voice, &known.steps, self.settings, Mode::Silent);
        beam.run(Width::Fixed(width), &mut Meter::of(u64::MAX)).map_or(0, |ended| ended.points)
    }
}

/// What does not change during a game.
struct Known {
    voice: Voice,
    steps: Vec<Steps>,
}

impl Known {
    fn new(task: &Task<'_>) -> Known {
        let course = task.course;
        let came = (task.start.came as usize).saturating_sub(1);
        let mut periods: Vec<u8> =
            (came..course.queue().len()).map(|n| course.nth(n).period()).collect();
        periods.sort_unstable();
        periods.dedup();
        let steps = course.problem().units().iter().map(Steps::new).collect();
        Known { voice: Voice::new(course.phrases(), &periods), steps }
    }
}

impl Solving for Champion {
    fn solve(&self, task: &Task<'_>, meter: &mut Meter, rng: &mut Rng, best: &mut Best<'_>) {
        if task.start.walk.is_none() {
            return;
        }
        let Known { voice, steps } = Known::new(task);
        let mut run = |width, mode: Mode<'_>, settings, meter: &mut Meter| {
            let beam = Beam::new(task, &voice, &steps, settings, mode);
            let ended = beam.run(width, meter);
            if let Some(ended) = ended.as_ref().filter(|_| mode != Mode::Silent) {
                let score = best.offer(&ended.text());
                debug_assert_eq!(score, u64::try_from(ended.points).ok());
            }
            ended
        };
        if self.width > 0 {
            run(Width::Fixed(self.width), self.mode(), self.settings, meter);
            return;
        }
        // Something at once.
        let silent = run(Width::Fixed(2), Mode::Silent, self.settings, meter);
        let Some(silent) = silent else { return };
        let guide = silent.positions();
        run(Width::Filling, Mode::Guided(&guide), Settings { listed: 4, ..self.settings }, meter);
        // Which weights suit the problem.
        let mut settings = self.settings;
        let mut known = silent.points;
        let mut part = meter.part(0.2);
        while !part.is_spent() {
            let tried = Settings { weights: settings.weights.varied(rng), ..settings };
            let ended = run(Width::Fixed(4), Mode::Silent, tried, &mut part);
            if let Some(ended) = ended.filter(|ended| ended.points > known) {
                (settings, known) = (tried, ended.points);
            }
        }
        meter.charge(part.spent());
        for share in [0.2, 1.0] {
            let mut part = meter.part(share);
            run(Width::Filling, Mode::Spoken, settings, &mut part);
            meter.charge(part.spent());
        }
    }

    fn work(&self) -> (Unit, u64) {
        (Unit::Nodes, 10_000)
    }
}
