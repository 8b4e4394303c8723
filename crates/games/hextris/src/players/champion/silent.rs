//! Games in which no phrase can be spoken: points come from locks and lines alone. So there is no need to look for
//! paths, except along the placements of the best game, and all time goes to [`trials`](super::trials): whole games
//! with the weights that are usually best, and with others near them; then the best game played again from one of
//! its units on, in turn with wide beams. Long games that end early are not played widely, since there is no time for
//! many boards a unit, but led past their ends by playing again.

use quintain_core::{Meter, Rng};

use super::beam::FinishedGame;
use super::evaluation::BoardWeights;
use super::trials::Trials;
use super::{Champion, Clock, Game, Pace};

/// The shares of the meter for whole games, for each wide beam, and for playing again between them.
const FIRST: f64 = 0.25;
const WIDELY: f64 = 0.3;
const AGAIN: f64 = 0.3;

/// A game is short if a wide beam can have so many boards for each unit: then it may find room where narrow ones do not.
const WIDE: f64 = 16.0;

/// So many boards without paths take no longer than one with paths, which is what a node stands for.
const BOARDS_A_NODE: u64 = 4;

impl Champion {
    /// Plays until the meter is spent, which counts nodes or time; the first game has been played already.
    pub(super) fn play_silently(
        &self,
        game: &mut Game<'_, '_>,
        first: FinishedGame,
        pace: &Pace,
        meter: &mut Meter,
        rng: &mut Rng,
    ) {
        if meter.deadline().is_some() {
            return self.play_boards(game, first, pace, meter, rng);
        }
        let mut boards = meter.part(BOARDS_A_NODE as f64);
        game.clock = Clock::new(&boards);
        self.play_boards(game, first, pace, &mut boards, rng);
        meter.charge(boards.spent() / BOARDS_A_NODE);
    }

    /// The same with a meter that counts boards or time.
    fn play_boards(
        &self,
        game: &mut Game<'_, '_>,
        first: FinishedGame,
        pace: &Pace,
        meter: &mut Meter,
        rng: &mut Rng,
    ) {
        let input = game.input;
        let mut trials = Trials::new(input, game.precomputed, self.settings, pace.width, first);
        let board = input.instance.problem().board();
        let mut part = meter.part(FIRST);
        let cells = board.width() * board.height();
        trials.play_first(BoardWeights::first_tried(cells, false), &mut part);
        trials.play_near(&mut part, rng);
        let is_short = WIDELY * pace.widest >= WIDE;
        meter.charge(part.spent());
        let mut settings = trials.leaders().best().unwrap_or(self.settings);
        let mut offered = 0;
        loop {
            if trials.points() > offered {
                offered = trials.points();
                game.follow(&trials, self.listing(2), meter);
            }
            if game.clock.share_left(meter) <= 0.02 {
                return;
            }
            if trials.survives() || is_short {
                let mut part = game.part(WIDELY, meter);
                trials.play_widely(input, settings, &mut part);
                meter.charge(part.spent());
                settings = trials.leaders().best().unwrap_or(self.settings);
                settings.weights = settings.weights.vary(rng);
            }
            let mut part = game.part(AGAIN, meter);
            if part.left() == 0 {
                return;
            }
            trials.play_again(&mut part, rng);
            meter.charge(part.spent());
        }
    }
}
