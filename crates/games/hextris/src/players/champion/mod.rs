//! The champion, which seeks places and phrases together: a [`beam`] of boards, each with several hypotheses
//! of what has been spoken. The command strings of every unit are found by dynamic programming over its
//! positions and the automaton that hears the phrases. It knows nothing about any problem beforehand:
//! everything happens within the time of one game.
//!
//! That time is spent in four parts: first a quick game, so that there is something to hand out; then trials
//! of which weights of the evaluation suit the problem, by narrow beams without phrases; then the best three
//! of these with phrases; and the best of those until the end, as wide as time allows. On a board where even
//! one game takes long, phrases along the best places of the trials take the place of the third part.

mod beam;
mod evaluation;
mod path_search;
mod phrase_scorer;
mod phrase_value;
mod reach;
mod spoken_text;
mod steps;

use std::time::Instant;

use quintain_core::{Meter, Rng, Unit, parameters};

use crate::players::solver::{Incumbent, SolverInput, TextSolver};
pub use beam::BeamSettings;
use beam::{Beam, FinishedGame, Mode, Width};
pub use evaluation::{BoardWeights, FEATURES};
use phrase_scorer::PhraseScorer;
pub use reach::Reach;
use steps::Steps;

parameters! {
    /// Places and phrases sought together.
    pub(crate) struct ChampionParameters {
        /// Boards kept from unit to unit, in a single run; 0 for as many as there is time for,
        /// after trials of which weights suit the problem.
        width: usize = 0, in 0..=1_000_000;
        /// States of speech carried from unit to unit.
        carried: usize = 8, in 1..=24;
        /// States of speech at a position on the way.
        listed: usize = 8, in 2..=24;
        /// States more than this many points worse than the best at a position are dropped.
        margin: i32 = 10, in 0..=1_000;
    }
}

impl From<&ChampionParameters> for Champion {
    fn from(given: &ChampionParameters) -> Champion {
        let &ChampionParameters { width, carried, listed, margin } = given;
        let settings = BeamSettings { carried, listed, margin, ..BeamSettings::default() };
        Champion { settings, width, ..Champion::default() }
    }
}

/// The champion, with its settings.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Champion {
    /// The settings of its beams, before other weights are tried.
    pub settings: BeamSettings,
    /// Boards per step, in one run; 0 for as many as there is time for.
    pub width: usize,
    /// Whether only places are sought, without phrases.
    pub silent: bool,
}

impl Champion {
    fn mode(&self) -> Mode<'static> {
        if self.silent { Mode::Silent } else { Mode::Spoken }
    }

    /// Tries which weights suit the problem: those to be tried first, then others near the best so far, until
    /// the meter is spent. Replaces `silent` with the best game.
    fn try_weights(
        &self,
        mut first_tried: impl Iterator<Item = BoardWeights>,
        width: usize,
        run: &mut Run<'_>,
        silent: &mut FinishedGame,
        meter: &mut Meter,
        rng: &mut Rng,
    ) -> Leaders {
        let mut leaders = Leaders::new();
        while !meter.is_spent() {
            let weights = first_tried
                .next()
                .unwrap_or_else(|| leaders.best().unwrap_or(self.settings).weights.vary(rng));
            let tried = BeamSettings { weights, ..self.settings };
            if let Some(ended) = run(Width::Fixed(width), Mode::Silent, tried, meter) {
                leaders.enter(ended.points, tried);
                if ended.points > silent.points {
                    *silent = ended;
                }
            }
        }
        leaders
    }

    /// Estimates the result of a beam of this width without phrases: the points of its locks, and those that
    /// phrases are guessed to earn on the way. For tuning weights.
    pub fn estimate(&self, input: &SolverInput<'_>, width: usize) -> i64 {
        let precomputed = Precomputed::new(input);
        let beam =
            Beam::new(input, &precomputed.scorer, &precomputed.steps, self.settings, Mode::Silent);
        beam.run(Width::Fixed(width), &mut Meter::of(u64::MAX)).map_or(0, |ended| ended.points)
    }
}

/// Runs a beam, and offers what it speaks.
type Run<'a> = dyn FnMut(Width, Mode<'_>, BeamSettings, &mut Meter) -> Option<FinishedGame> + 'a;

/// The width of the beams that choose weights: wide enough to tell weights apart, narrow enough to try many.
/// Where the time is too short for that, they have one board: many weights tell more than many boards.
const TRIED: usize = 4;

/// A board is large if a first game takes more than this share of the meter.
const LARGE: f64 = 0.05;

/// How much of a meter is left, whether it counts time or nodes.
struct Clock {
    began: Instant,
    work: u64,
}

impl Clock {
    fn new(meter: &Meter) -> Clock {
        Clock { began: Instant::now(), work: meter.left() }
    }

    /// The share of the meter that is left.
    fn share_left(&self, meter: &mut Meter) -> f64 {
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

/// The best three settings, with the points that were reached by them.
struct Leaders(Vec<(i64, BeamSettings)>);

impl Leaders {
    fn new() -> Leaders {
        Leaders(Vec::new())
    }

    fn enter(&mut self, points: i64, settings: BeamSettings) {
        if self.0.iter().all(|known| known.1 != settings) {
            let place = self.0.partition_point(|known| known.0 >= points);
            self.0.insert(place, (points, settings));
            self.0.truncate(3);
        }
    }

    fn best(&self) -> Option<BeamSettings> {
        self.0.first().map(|known| known.1)
    }
}

/// Everything that is computed once per game.
struct Precomputed {
    scorer: PhraseScorer,
    steps: Vec<Steps>,
}

impl Precomputed {
    fn new(input: &SolverInput<'_>) -> Precomputed {
        let instance = input.instance;
        let came = (input.start.came as usize).saturating_sub(1);
        let mut periods: Vec<u8> =
            (came..instance.queue().len()).map(|n| instance.nth(n).period()).collect();
        periods.sort_unstable();
        periods.dedup();
        let steps = instance.problem().units().iter().map(Steps::new).collect();
        Precomputed { scorer: PhraseScorer::new(instance.phrases(), &periods), steps }
    }
}

impl TextSolver for Champion {
    fn solve(
        &self,
        input: &SolverInput<'_>,
        meter: &mut Meter,
        rng: &mut Rng,
        best: &mut Incumbent<'_>,
    ) {
        if input.start.walk.is_none() {
            return;
        }
        let Precomputed { scorer, steps } = Precomputed::new(input);
        let mut run = |width, mode: Mode<'_>, settings, meter: &mut Meter| {
            let beam = Beam::new(input, &scorer, &steps, settings, mode);
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
        // First a quick game: places by one board at a time, then phrases along these places. On the clock,
        // the places may take two fifths of the time. The rest is for phrases along the places found, so that
        // something is spoken however little time there is.
        let silent = match meter.deadline() {
            None => run(Width::Fixed(1), Mode::Silent, self.settings, meter),
            Some(_) => {
                let mut part = meter.part(0.4);
                let silent = run(Width::Fixed(1), Mode::Silent, self.settings, &mut part);
                meter.charge(part.spent());
                silent
            }
        };
        let Some(mut silent) = silent else { return };
        let silent_share = 1.0 - clock.share_left(meter);
        // Longer lists pay only where there will hardly be time for another game.
        let listing = |listed| BeamSettings { listed, ..self.settings };
        let quick = listing(if silent_share > LARGE { 4 } else { 2 });
        run(Width::Filling, Mode::Guided(&silent.positions()), quick, meter);
        let is_large = 1.0 - clock.share_left(meter) > LARGE;
        let mut part = meter.part(if is_large { 0.3 } else { 0.25 });
        let is_short = silent_share * (BoardWeights::FIRST_TRIED * TRIED) as f64 > 0.25;
        let width = if is_short { 1 } else { TRIED };
        let board = input.instance.problem().board();
        let first_tried = BoardWeights::first_tried(board.width() * board.height());
        let leaders = self.try_weights(first_tried, width, &mut run, &mut silent, &mut part, rng);
        meter.charge(part.spent());
        if is_large {
            run(Width::Filling, Mode::Guided(&silent.positions()), listing(4), meter);
        }
        // Beams without phrases only guess what phrases earn, so the best of them run again with phrases. On
        // a large board there is hardly time for one.
        let mut spoken = Leaders::new();
        let mut settings = leaders.best().unwrap_or(self.settings);
        if !is_large {
            for (_, settings) in &leaders.0 {
                let mut part = meter.part(0.12);
                if let Some(ended) = run(Width::Filling, Mode::Spoken, *settings, &mut part) {
                    spoken.enter(ended.points, *settings);
                }
                meter.charge(part.spent());
            }
            settings = spoken.best().unwrap_or(settings);
        }
        // The rest of the time goes to the best of those, and to weights near them.
        while clock.share_left(meter) > 0.03 {
            let ended = run(Width::Filling, Mode::Spoken, settings, meter);
            if let Some(ended) = ended {
                spoken.enter(ended.points, settings);
            }
            settings = spoken.best().unwrap_or(self.settings);
            settings.weights = settings.weights.vary(rng);
        }
    }

    fn work(&self) -> (Unit, u64) {
        (Unit::Nodes, 10_000)
    }
}
