//! Trials of which weights of the evaluation suit a problem, by narrow beams without phrases. First
//! whole games are played. Then the best game so far is played again from one of its units on, with
//! other weights, and what is better takes the place of its end. So a game that soon finds no room
//! is led past the place where it ended, again and again, although no single set of weights would
//! have led it there.

use std::num::NonZeroUsize;

use quintain_core::{Meter, Rng};

use crate::players::champion::beam::{Beam, BeamSettings, Checkpoint, FinishedGame, Mode, Width};
use crate::players::champion::evaluation::BoardWeights;
use crate::players::champion::precomputed::Precomputed;
use crate::players::champion::tuned::tuned;
use crate::players::solver::SolverInput;

/// The best three settings, with the points that were reached by them.
pub(super) struct Leaders(Vec<(i64, BeamSettings)>);

impl Leaders {
    pub(super) fn new() -> Leaders {
        Leaders(Vec::new())
    }

    pub(super) fn enter(&mut self, points: i64, settings: BeamSettings) {
        if self.0.iter().all(|known| known.1 != settings) {
            let place = self.0.partition_point(|known| known.0 >= points);
            self.0.insert(place, (points, settings));
            self.0.truncate(3);
        }
    }

    /// The settings, the best first.
    pub(super) fn settings(&self) -> impl Iterator<Item = BeamSettings> {
        self.0.iter().map(|known| known.1)
    }

    pub(super) fn best(&self) -> Option<BeamSettings> {
        self.settings().next()
    }

    /// The most points, or 0.
    pub(super) fn points(&self) -> i64 {
        self.0.first().map_or(0, |known| known.0)
    }
}

/// A game from one of the best game's units on.
#[derive(Clone, Copy)]
struct Trial {
    /// The number of units that the best game has placed before.
    from: usize,
    weights: BoardWeights,
    /// The boards kept from unit to unit.
    width: usize,
}

/// The best game without phrases, and what was learned on the way to it.
pub(super) struct Trials<'a> {
    /// The input for one trial, which has one thread.
    input: SolverInput<'a>,
    precomputed: &'a Precomputed,
    settings: BeamSettings,
    width: usize,
    /// Whether the best game is played again by wide beams too. They take longer, but end much
    /// later, and find more lines; narrow ones try more weights.
    leads_on: bool,
    /// How many trials run at once on the clock. A budget in nodes has one trial after the other,
    /// so that its result does not depend on the number of threads.
    threads: NonZeroUsize,
    leaders: Leaders,
    /// The weights and widths of the whole games that were played, which would end the same again.
    played: Vec<(BoardWeights, usize)>,
    best: FinishedGame,
    /// The weights by which the best game's units were placed.
    weights: Vec<BoardWeights>,
    /// Where the best game can be played again, unit by unit.
    checkpoints: Vec<Checkpoint>,
}

impl<'a> Trials<'a> {
    /// Begins with a first game without phrases, which was played by these settings.
    pub(super) fn new(
        input: &SolverInput<'a>,
        precomputed: &'a Precomputed,
        settings: BeamSettings,
        width: usize,
        first: FinishedGame,
    ) -> Self {
        let threads = NonZeroUsize::new(input.threads).unwrap_or(NonZeroUsize::MIN);
        let input = SolverInput { threads: 1, ..*input };
        let mut trials = Trials {
            input,
            precomputed,
            settings,
            width,
            leads_on: false,
            threads,
            leaders: Leaders::new(),
            played: Vec::new(),
            best: first,
            weights: Vec::new(),
            checkpoints: Vec::new(),
        };
        trials.take_stock(0, settings.weights);
        trials
    }

    /// From now on, whole games have this many boards a unit, and the best game is played again by
    /// wide beams too.
    pub(super) fn lead_on(&mut self, width: usize) {
        self.leads_on = true;
        self.width = width;
    }

    /// Whether the best game is played again by wide beams too.
    pub(super) fn leads_on(&self) -> bool {
        self.leads_on
    }

    /// The settings with which the best whole games were played.
    pub(super) fn leaders(&self) -> &Leaders {
        &self.leaders
    }

    /// The points of the best game, with those that phrases are guessed to earn.
    pub(super) fn points(&self) -> i64 {
        self.best.points
    }

    /// The best game.
    pub(super) fn best(&self) -> &FinishedGame {
        &self.best
    }

    /// Plays whole games with those of these weights that have not been tried yet, until the meter
    /// is spent.
    pub(super) fn play_first(
        &mut self,
        weights: impl Iterator<Item = BoardWeights>,
        meter: &mut Meter,
    ) {
        let width = self.width;
        let new = weights.filter(|weights| !self.played.contains(&(*weights, width)));
        let trials: Vec<Trial> = new.map(|weights| Trial { from: 0, weights, width }).collect();
        for batch in trials.chunks(self.batch(meter)) {
            if self.is_over(meter) {
                return;
            }
            self.play(batch, meter);
            self.played.extend(batch.iter().map(|trial| (trial.weights, width)));
        }
    }

    /// Plays whole games with weights near the best until the meter is spent.
    pub(super) fn play_near(&mut self, meter: &mut Meter, rng: &mut Rng) {
        while !self.is_over(meter) {
            let best = self.leaders.best().unwrap_or(self.settings).weights;
            let batch: Vec<Trial> = (0..self.batch(meter))
                .map(|_| Trial { from: 0, weights: best.vary(rng), width: self.width })
                .collect();
            self.play(&batch, meter);
        }
    }

    /// Plays the best game again from one of its units on, until the meter is spent.
    pub(super) fn play_again(&mut self, meter: &mut Meter, rng: &mut Rng) {
        while !self.is_over(meter) {
            let batch: Vec<Trial> = (0..self.batch(meter)).map(|_| self.draw(rng)).collect();
            self.play(&batch, meter);
        }
    }

    /// Plays a whole game with these settings by a beam as wide as the meter allows, on all threads
    /// of `input`.
    pub(super) fn play_widely(
        &mut self,
        input: &SolverInput<'_>,
        settings: BeamSettings,
        meter: &mut Meter,
    ) {
        let beam = Beam::new(input, self.precomputed, settings, Mode::Silent);
        let Some(ended) = beam.run(Width::Filling, meter) else { return };
        self.leaders.enter(ended.points, settings);
        if ended.points > self.best.points {
            self.go_on_from(ended, 0, settings.weights);
        }
    }

    /// The share of the units to come for which the best game has room.
    pub(super) fn share_placed(&self) -> f64 {
        self.checkpoints.len() as f64 / self.input.units_to_come() as f64
    }

    /// Whether the best game has room for nearly all of its units.
    pub(super) fn survives(&self) -> bool {
        self.share_placed() >= tuned().limits.survives
    }

    /// Whether the meter is spent, or the first game ended before its first unit.
    fn is_over(&self, meter: &mut Meter) -> bool {
        self.checkpoints.is_empty() || meter.is_spent()
    }

    /// How many trials run at once.
    fn batch(&self, meter: &Meter) -> usize {
        if meter.deadline().is_some() { self.threads.get() } else { 1 }
    }

    /// Draws a unit, every other time more likely near the end, and weights: presets, anywhere, or
    /// near those that the unit was placed by.
    fn draw(&self, rng: &mut Rng) -> Trial {
        let units = self.checkpoints.len();
        let back = if rng.chance(0.5) { rng.unit().powi(3) } else { rng.unit() };
        let from = units - 1 - ((units as f64 * back) as usize).min(units - 1);
        let chance = rng.unit();
        let weights = if chance < 0.5 {
            BoardWeights::draw_preset(rng)
        } else if chance < 0.7 {
            BoardWeights::draw(rng)
        } else {
            self.weights[from].vary(rng)
        };
        // Which width is best differs from board to board.
        let trials = &tuned().trials;
        let widths = match (self.leads_on, self.survives()) {
            (true, true) => &trials.again_where_led_on,
            (true, false) => &trials.again_where_lost,
            (false, _) if self.width == 1 => &[1][..],
            (false, _) => &trials.again,
        };
        let width = widths[rng.below(widths.len())];
        Trial { from, weights, width }
    }

    /// Plays some trials at once; the best game goes on from the best of them if that is better.
    fn play(&mut self, batch: &[Trial], meter: &mut Meter) {
        let play_one = |trial: &Trial| {
            let mut own = meter.part(1.0);
            let settings = BeamSettings { weights: trial.weights, ..self.settings };
            let beam = Beam::new(&self.input, self.precomputed, settings, Mode::Silent);
            let checkpoint = self.checkpoints[trial.from].clone();
            (beam.run_from(checkpoint, Width::Fixed(trial.width), &mut own), own.spent())
        };
        let ended: Vec<(Option<FinishedGame>, u64)> = match batch {
            [trial] => vec![play_one(trial)],
            _ => std::thread::scope(|scope| {
                let handles: Vec<_> =
                    batch.iter().map(|trial| scope.spawn(|| play_one(trial))).collect();
                let join = |handle: std::thread::ScopedJoinHandle<'_, _>| {
                    handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
                };
                handles.into_iter().map(join).collect()
            }),
        };
        let mut better: Option<(&Trial, FinishedGame)> = None;
        for (trial, (ended, spent)) in batch.iter().zip(ended) {
            meter.charge(spent);
            let Some(ended) = ended else { continue };
            if trial.from == 0 {
                let settings = BeamSettings { weights: trial.weights, ..self.settings };
                self.leaders.enter(ended.points, settings);
            }
            let most = better.as_ref().map_or(self.best.points, |(_, game)| game.points);
            if ended.points > most {
                better = Some((trial, ended));
            }
        }
        if let Some((trial, game)) = better {
            self.go_on_from(game, trial.from, trial.weights);
        }
    }

    /// Makes this the best game, whose units were placed by these weights from `from` on.
    fn go_on_from(&mut self, game: FinishedGame, from: usize, weights: BoardWeights) {
        self.best = game;
        self.take_stock(from, weights);
    }

    /// Notes where the best game can be played again, and that its units were placed by these
    /// weights from `from` on.
    fn take_stock(&mut self, from: usize, weights: BoardWeights) {
        let beam = Beam::new(&self.input, self.precomputed, self.settings, Mode::Silent);
        self.checkpoints = beam.replay(&self.best.positions());
        self.weights.truncate(from);
        self.weights.resize(self.checkpoints.len(), weights);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::rules::Instance;
    use crate::rules::phrases::Phrases;
    use crate::scenarios::generate::{Filling, Units, draw_problem};

    /// Plays trials on a drawn problem of a size.
    fn with_trials(
        size: usize,
        seed: u64,
        phrases: Phrases,
        work: impl FnOnce(&Beam<'_>, Trials<'_>),
    ) {
        let problem = draw_problem(size, Units::Usual, Filling::Usual, seed);
        let instance = Instance::new(Arc::new(problem), 0, Arc::new(phrases));
        let start = instance.start();
        let input = SolverInput::new(&instance, &start);
        let precomputed = Precomputed::new(&input);
        let settings = BeamSettings::default();
        let beam = Beam::new(&input, &precomputed, settings, Mode::Silent);
        let first = beam.run(Width::Fixed(1), &mut Meter::of(u64::MAX)).unwrap();
        work(&beam, Trials::new(&input, &precomputed, settings, 1, first));
    }

    #[test]
    fn a_game_played_again_with_the_same_weights_is_the_same_game() {
        with_trials(4, 5, Phrases::contest(), |beam, trials| {
            assert!(trials.checkpoints.len() > 40);
            for checkpoint in &trials.checkpoints {
                let meter = &mut Meter::of(u64::MAX);
                let again = beam.run_from(checkpoint.clone(), Width::Fixed(1), meter).unwrap();
                assert_eq!(again.points, trials.points());
                assert_eq!(again.positions(), trials.best().positions());
            }
        });
    }

    #[test]
    fn texts_lead_along_all_placements() {
        // Without phrases, the path search alone misses paths: the first one of size 4.
        for (size, seed) in [(4, 3), (1, 5), (9, 5), (20, 5)] {
            with_trials(size, seed, Phrases::new([""; 0]), |_, trials| {
                let guide = trials.best().positions();
                let settings = BeamSettings { listed: 2, ..trials.settings };
                let mode = Mode::Guided(&guide);
                let beam = Beam::new(&trials.input, trials.precomputed, settings, mode);
                let spoken = beam.run(Width::Fixed(1), &mut Meter::of(u64::MAX));
                let units = spoken.map_or(0, |spoken| spoken.units());
                assert_eq!(units, guide.len(), "size {size}");
            });
        }
    }

    #[test]
    fn a_game_that_ended_early_is_led_past_its_end() {
        with_trials(9, 201, Phrases::contest(), |beam, mut trials| {
            let (before, ended) = (trials.points(), trials.best().units());
            assert!(ended < 200, "of 400 units: {ended}");
            trials.play_again(&mut Meter::of(20_000), &mut Rng::from_seed(1));
            assert!(trials.points() > before + before / 5, "{before}, {}", trials.points());
            assert!(trials.best().units() > ended, "{ended}");
            assert_eq!(trials.weights.len(), trials.checkpoints.len());
            let last = trials.checkpoints.last().unwrap().clone();
            let ended = beam.run_from(last, Width::Fixed(1), &mut Meter::of(u64::MAX));
            assert!(ended.is_some(), "the last unit can be played again");
        });
    }
}
