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

use std::time::Instant;

use quintain_core::{Meter, Rng, Unit};

use crate::solvers::{Best, Solving, Task};
pub use beam::Settings;
use beam::{Beam, Ended, Mode, Width};
use outlook::Weights;
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

    /// Goes on where one game with given places took the share `taken` of the meter: no
    /// time to try many weights, and hardly for more than one board at a time.
    fn solve_large(
        &self,
        clock: &Clock,
        taken: f64,
        run: &mut dyn FnMut(Width, Mode<'_>, Settings, &mut Meter) -> Option<Ended>,
        meter: &mut Meter,
        rng: &mut Rng,
    ) {
        let mut leaders = Leaders::new();
        for weights in Weights::PRESETS {
            let tried = Settings { weights, ..self.settings };
            if let Some(ended) = run(Width::Fixed(1), Mode::Silent, tried, meter) {
                leaders.enter(ended.points, tried);
            }
        }
        let mut settings = leaders.best().unwrap_or(self.settings);
        while clock.left(meter) > 0.1 {
            // Seeking places with phrases takes about so many times as long.
            if clock.left(meter) > 3.0 * taken {
                run(Width::Filling, Mode::Spoken, settings, meter);
            } else {
                let mut part = meter.part(0.3);
                let silent = run(Width::Filling, Mode::Silent, settings, &mut part);
                meter.charge(part.spent());
                if let Some(silent) = silent {
                    run(Width::Filling, Mode::Guided(&silent.positions()), settings, meter);
                }
            }
            settings.weights = settings.weights.varied(rng);
        }
    }

    /// What a beam of this width without phrases comes to: the points of its locks, and
    /// those that phrases would earn on the way. For tuning.
    pub fn estimate(&self, task: &Task<'_>, width: usize) -> i64 {
        let known = Known::new(task);
        let beam = Beam::new(task, &known.voice, &known.steps, self.settings, Mode::Silent);
        beam.run(Width::Fixed(width), &mut Meter::of(u64::MAX)).map_or(0, |ended| ended.points)
    }
}

/// How wide the beams are by which weights are chosen.
const TRIED: usize = 4;

/// How much of a meter is left.
struct Clock {
    began: Instant,
    work: u64,
}

impl Clock {
    fn new(meter: &Meter) -> Clock {
        Clock { began: Instant::now(), work: meter.left() }
    }

    /// As a share of what there was.
    fn left(&self, meter: &mut Meter) -> f64 {
        if meter.is_spent() {
            return 0.0;
        }
        match meter.deadline() {
            None => meter.left() as f64 / self.work as f64,
            Some(deadline) => {
                let now = Instant::now();
                let left = deadline.saturating_duration_since(now).as_secs_f64();
                left / (left + (now - self.began).as_secs_f64())
            }
        }
    }
}

/// The best three settings by what was reached with them.
struct Leaders(Vec<(i64, Settings)>);

impl Leaders {
    fn new() -> Leaders {
        Leaders(Vec::new())
    }

    fn enter(&mut self, points: i64, settings: Settings) {
        if self.0.iter().all(|known| known.1 != settings) {
            let place = self.0.partition_point(|known| known.0 >= points);
            self.0.insert(place, (points, settings));
            self.0.truncate(3);
        }
    }

    fn best(&self) -> Option<Settings> {
        self.0.first().map(|known| known.1)
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
        let clock = Clock::new(meter);
        // Something at once.
        let Some(silent) = run(Width::Fixed(1), Mode::Silent, self.settings, meter) else { return };
        let guide = silent.positions();
        let quick = Settings { listed: 4, ..self.settings };
        run(Width::Filling, Mode::Guided(&guide), quick, meter);
        let taken = 1.0 - clock.left(meter);
        if taken > 0.15 {
            self.solve_large(&clock, taken, &mut run, meter, rng);
            return;
        }
        // Which weights suit the problem.
        let mut leaders = Leaders::new();
        let mut part = meter.part(0.25);
        for weights in Weights::PRESETS {
            let tried = Settings { weights, ..self.settings };
            if let Some(ended) = run(Width::Fixed(TRIED), Mode::Silent, tried, &mut part) {
                leaders.enter(ended.points, tried);
            }
        }
        while !part.is_spent() {
            let weights = leaders.best().unwrap_or(self.settings).weights.varied(rng);
            let tried = Settings { weights, ..self.settings };
            if let Some(ended) = run(Width::Fixed(TRIED), Mode::Silent, tried, &mut part) {
                leaders.enter(ended.points, tried);
            }
        }
        meter.charge(part.spent());
        // The best of them again, with phrases.
        let mut spoken = Leaders::new();
        for (_, settings) in &leaders.0 {
            let mut part = meter.part(0.12);
            if let Some(ended) = run(Width::Filling, Mode::Spoken, *settings, &mut part) {
                spoken.enter(ended.points, *settings);
            }
            meter.charge(part.spent());
        }
        let mut settings = spoken.best().unwrap_or(self.settings);
        while clock.left(meter) > 0.03 {
            let ended = run(Width::Filling, Mode::Spoken, settings, meter);
            if let Some(ended) = ended {
                spoken.enter(ended.points, settings);
            }
            settings = spoken.best().unwrap_or(self.settings);
            settings.weights = settings.weights.varied(rng);
        }
    }

    fn work(&self) -> (Unit, u64) {
        (Unit::Nodes, 10_000)
    }
}
