//! Games in which no phrase can be spoken: points come from locks and lines alone. So there is no
//! need to search for paths: any [plain path](super::plain_paths) to each place of the best game
//! will do. All time goes to [`trials`](super::trials): whole games with the weights that are
//! usually best, and with others near them; then the best game played again from one of its units
//! on, in turn with wide beams. Long games that end early are not played widely, since there is no
//! time for many boards a unit, but led past their ends by playing again.

use quintain_core::{Meter, Rng};

use super::evaluation::BoardWeights;
use super::trials::Trials;
use super::tuned::tuned;
use super::{BeamSettings, Champion, Clock, Game, Mode, Width, choose_width};

impl Champion {
    /// Plays until the meter is spent, which counts nodes or time.
    pub(super) fn play_silently(&self, game: &mut Game<'_, '_>, meter: &mut Meter, rng: &mut Rng) {
        if meter.deadline().is_some() {
            return self.play_boards(game, meter, rng);
        }
        let boards_a_node = tuned().silent.boards_a_node;
        let mut boards = meter.part(boards_a_node as f64);
        game.clock = Clock::new(&boards);
        self.play_boards(game, &mut boards, rng);
        meter.charge(boards.spent() / boards_a_node);
    }

    /// The same with a meter that counts boards or time.
    fn play_boards(&self, game: &mut Game<'_, '_>, meter: &mut Meter, rng: &mut Rng) {
        let (input, tuned) = (game.input, tuned());
        let cells = input.instance.problem().board().cells();
        let weights = BoardWeights::first_tried(cells, false).next().unwrap_or_default();
        let settings = BeamSettings { weights, ..self.settings };
        let Some(first) = game.run(Width::Fixed(1), Mode::Silent, settings, meter) else { return };
        let share = 1.0 - game.clock.share_left(meter);
        let units = input.units_to_come();
        let widest = first.units() as f64 / units as f64 / share;
        game.offer(&first, meter);
        // A game that ends early costs little, and with more boards it ends much later.
        let ended_early = first.units() < units;
        let width = if ended_early { tuned.trials.width } else { choose_width(share) };
        let mut trials = Trials::new(input, game.precomputed, settings, width, first);
        trials.lead_on(width);
        let mut part = meter.part(tuned.silent.first);
        trials.play_first(BoardWeights::first_tried(cells, false), &mut part);
        trials.play_near(&mut part, rng);
        meter.charge(part.spent());
        // In a short game, wide beams may find room where narrow ones do not.
        let is_short = tuned.silent.widely * widest >= tuned.limits.wide;
        let mut settings = trials.leaders().best().unwrap_or(settings);
        let mut offered = 0;
        loop {
            if trials.points() > offered {
                offered = trials.points();
                game.offer(trials.best(), meter);
            }
            let (spelling, left) = (game.spelling, game.clock.share_left(meter));
            if left <= 2.0 * spelling + 0.002 {
                return;
            }
            let keep = |share: f64| share.min(left - game.kept_for_spelling());
            if trials.survives() || is_short {
                let mut part = game.part(keep(tuned.silent.widely), meter);
                trials.play_widely(input, settings, &mut part);
                meter.charge(part.spent());
                settings = trials.leaders().best().unwrap_or(settings);
                settings.weights = settings.weights.vary(rng);
            }
            let mut part = game.part(keep(tuned.silent.again), meter);
            if part.left() == 0 {
                return;
            }
            trials.play_again(&mut part, rng);
            meter.charge(part.spent());
        }
    }
}
