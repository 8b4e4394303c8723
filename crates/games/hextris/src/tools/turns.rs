//! The order in which the games of one call are solved, and how long each may take. There are three passes over all
//! games: a quick one by a solver that takes hardly any time, so that none is left with nothing; a short one by the
//! solver that was asked for; and the main one, in which the time left is shared by weight. This module holds no
//! clock: the caller that takes a turn says how much time is left.

use std::collections::VecDeque;
use std::time::Duration;

/// The largest share of the time left for the quick pass.
const QUICK_SHARE: f64 = 0.2;
/// The largest share of the whole time for the short pass.
const SURVEY_SHARE: f64 = 0.05;
/// Beyond that, the short pass goes on only for games that have nothing yet, up to this share.
const RESCUE_SHARE: f64 = 0.9;
/// A short turn that would be shorter than this comes to nothing, and is left out.
const SHORTEST: Duration = Duration::from_millis(10);
/// The longest time for a first short turn, and what every main turn has if there is time for it.
const LEAST: Duration = Duration::from_secs(1);

/// One turn at a game.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Turn {
    /// The game, by its index in the list of weights.
    pub(crate) game: usize,
    /// How long it may take, if time is limited.
    pub(crate) time: Option<Duration>,
    pub(crate) pass: Pass,
}

/// The passes over all games, in this order.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Pass {
    Quick,
    Short,
    Main,
}

/// The turns to come.
pub(crate) struct Turns {
    weights: Vec<f64>,
    /// How many turns are taken at the same time.
    takers: usize,
    whole: Option<Duration>,
    quick: VecDeque<usize>,
    short: VecDeque<(usize, Duration)>,
    main: VecDeque<usize>,
}

impl Turns {
    /// Creates the turns for games of these weights, `takers` at a time, in `whole` on the clock. Without a
    /// time limit, or if every game has a taker of its own, there is only the main pass.
    pub(crate) fn new(weights: Vec<f64>, takers: usize, whole: Option<Duration>) -> Turns {
        // The heaviest game comes first, so that no long one is left to a single taker at the end.
        let mut main: Vec<usize> = (0..weights.len()).collect();
        main.sort_by(|a, b| weights[*b].total_cmp(&weights[*a]));
        // Where all have to share the time, the lightest game comes first, so that most have something soon.
        let shared = whole.filter(|_| weights.len() > takers);
        let lightest = || main.iter().rev().copied();
        let quick = shared.map(|_| lightest().collect()).unwrap_or_default();
        let each = |whole: Duration| {
            whole.mul_f64(SURVEY_SHARE * takers as f64 / weights.len() as f64).min(LEAST)
        };
        let short = shared.map(each).filter(|each| *each >= SHORTEST);
        let short = short.map(|each| lightest().map(|game| (game, each)).collect());
        let short = short.unwrap_or_default();
        Turns { quick, short, main: main.into(), weights, takers, whole }
    }

    /// Returns the next turn when `left` of the time is left; `None` when all have been taken.
    pub(crate) fn take(&mut self, left: Option<Duration>) -> Option<Turn> {
        if let Some(game) = self.quick.pop_front() {
            let share = QUICK_SHARE * self.takers as f64 / (self.quick.len() + 1) as f64;
            let time = left.map(|left| left.mul_f64(share.min(QUICK_SHARE)).min(LEAST));
            return Some(Turn { game, time, pass: Pass::Quick });
        }
        if let Some((game, time)) = self.short.pop_front() {
            return Some(Turn { game, time: Some(time), pass: Pass::Short });
        }
        let all: f64 = self.main.iter().map(|game| self.weights[*game]).sum();
        let game = self.main.pop_front()?;
        let takers = self.takers.min(self.main.len() + 1) as f64;
        let share = (self.weights[game] * takers / all).min(1.0);
        // The games that come after it keep at least what they need.
        let reserved = LEAST.mul_f64(self.main.len() as f64 / takers);
        let time = left.map(|left| {
            let most = left
                .saturating_sub(reserved)
                .max(left.mul_f64(takers / (self.main.len() + 1) as f64));
            left.mul_f64(share).min(most)
        });
        Some(Turn { game, time, pass: Pass::Main })
    }

    /// Leaves out the turns to come of a game for which nothing better can be found.
    pub(crate) fn leave_out(&mut self, game: usize) {
        self.short.retain(|(other, _)| *other != game);
        self.main.retain(|other| *other != game);
    }

    /// Moves a short turn that came to nothing to the end of the short pass, with twice the time, as long as
    /// the pass has any; `left` of the whole time is left.
    pub(crate) fn retry(&mut self, turn: Turn, left: Option<Duration>) {
        let (Some(time), Some(whole), Some(left)) = (turn.time, self.whole, left) else { return };
        if left >= whole.mul_f64(1.0 - RESCUE_SHARE) + 2 * time {
            self.short.push_back((turn.game, 2 * time));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// Takes all turns, each of which overruns its time by this factor. Returns the games in order, with the
    /// time given to each and how much of the whole was left by then.
    fn play(mut turns: Turns, whole: Duration, overrun: f64) -> Vec<(Turn, Duration)> {
        let mut left = whole;
        let mut taken = Vec::new();
        while let Some(turn) = turns.take(Some(left)) {
            taken.push((turn, left));
            left = left.saturating_sub(turn.time.unwrap().mul_f64(overrun));
        }
        taken
    }

    #[test]
    fn every_game_has_a_quick_turn_then_a_short_one_before_any_has_a_long_one() {
        let taken = play(Turns::new(vec![9.0, 1.0, 4.0], 1, Some(60 * SECOND)), 60 * SECOND, 1.0);
        let games: Vec<(usize, Pass)> =
            taken.iter().map(|(turn, _)| (turn.game, turn.pass)).collect();
        let of = |pass, games: [usize; 3]| games.map(|game| (game, pass));
        let expected =
            [of(Pass::Quick, [1, 2, 0]), of(Pass::Short, [1, 2, 0]), of(Pass::Main, [0, 2, 1])];
        assert_eq!(games, expected.concat());
        assert!(taken[..6].iter().all(|(turn, _)| turn.time == Some(SECOND)));
    }

    #[test]
    fn many_games_share_a_fifth_of_a_little_time_in_the_quick_pass_and_have_no_short_turns() {
        let taken = play(Turns::new(vec![1.0; 100], 2, Some(SECOND)), SECOND, 1.0);
        assert!(taken.iter().all(|(turn, _)| turn.pass != Pass::Short));
        assert_eq!(taken[0].0.time, Some(SECOND / 250));
    }

    #[test]
    fn a_game_that_is_left_out_has_no_more_turns() {
        let mut turns = Turns::new(vec![1.0, 2.0, 3.0], 1, Some(60 * SECOND));
        assert_eq!(turns.take(Some(60 * SECOND)).unwrap().game, 0);
        turns.leave_out(0);
        let taken = play(turns, 59 * SECOND, 1.0);
        assert!(taken.iter().all(|(turn, _)| turn.game != 0), "{taken:?}");
        assert_eq!(taken.len(), 6);
    }

    #[test]
    fn none_is_left_with_nothing_though_all_overrun_their_time_by_half() {
        let weights: Vec<f64> = (1..=45).map(f64::from).collect();
        let taken = play(Turns::new(weights, 1, Some(200 * SECOND)), 200 * SECOND, 1.5);
        for game in 0..45 {
            let first = taken.iter().find(|(turn, _)| turn.game == game).unwrap();
            assert!(first.1 > 130 * SECOND, "{first:?}");
        }
    }

    #[test]
    fn a_light_game_has_a_second_if_there_is_time_for_one_each() {
        let weights = vec![1000.0, 1000.0, 1.0];
        let taken = play(Turns::new(weights, 1, Some(20 * SECOND)), 20 * SECOND, 1.0);
        assert!(
            taken.iter().all(|(turn, _)| turn.pass != Pass::Main || turn.time >= Some(SECOND)),
            "{taken:?}"
        );
    }

    #[test]
    fn what_came_to_nothing_is_tried_again_with_twice_the_time_until_little_is_left() {
        let mut turns = Turns::new(vec![1.0, 1.0], 1, Some(40 * SECOND));
        for _ in 0..2 {
            assert_eq!(turns.take(Some(40 * SECOND)).unwrap().pass, Pass::Quick);
        }
        let first = turns.take(Some(40 * SECOND)).unwrap();
        turns.retry(first, Some(39 * SECOND));
        let second = turns.take(Some(39 * SECOND)).unwrap();
        assert!(second.pass == Pass::Short && second.game != first.game);
        let again = turns.take(Some(38 * SECOND)).unwrap();
        assert_eq!((again.game, again.time), (first.game, Some(2 * SECOND)));
        turns.retry(again, Some(7 * SECOND));
        assert_eq!(turns.take(Some(7 * SECOND)).unwrap().pass, Pass::Main);
    }

    #[test]
    fn without_a_limit_of_time_every_game_has_one_turn() {
        let mut turns = Turns::new(vec![1.0, 2.0], 1, None);
        let games: Vec<_> = std::iter::from_fn(|| turns.take(None)).collect();
        assert_eq!(games.iter().map(|turn| turn.game).collect::<Vec<_>>(), [1, 0]);
        assert!(games.iter().all(|turn| turn.time.is_none() && turn.pass == Pass::Main));
    }
}
