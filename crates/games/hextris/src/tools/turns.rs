//! The order in which the games of one call are solved, and how long each may take. There are three
//! passes over all games: a quick one by a solver that takes hardly any time, so that none is left
//! with nothing; a short one by the solver that was asked for; and the main one, in which the time
//! left is shared by weight. Where there are only a few seconds a game, a part of the time is left
//! for further turns at the games that have gained most by more time. This module holds no clock:
//! the caller that takes a turn says how much time is left.

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
pub(super) const LEAST: Duration = Duration::from_secs(1);
/// A turn of a second is prolonged by waits for a core, to no more than this and as far as others
/// keep their second.
const LONGEST_SECOND: Duration = Duration::from_secs(4);
/// Where games have less than this on average, a part of the time is kept for further turns:
const FEW_SECONDS: Duration = Duration::from_secs(4);
/// this share of what a second for each leaves over.
const FURTHER_SHARE: f64 = 0.5;
/// A further turn starts over, so it is this many times as long as the longest before,
const FURTHER: u32 = 3;
/// or, at the end, at least this many times.
const FURTHER_AT_LEAST: u32 = 2;

/// One turn at a game.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Turn {
    /// The game, by its index in the list of weights.
    pub(crate) game: usize,
    /// How long it may take, if time is limited.
    pub(crate) time: Option<Duration>,
    /// How long it may take by the clock on a busy machine, where it waits for a core.
    pub(crate) at_most: Option<Duration>,
    pub(crate) pass: Pass,
}

/// The passes over all games, in this order.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Pass {
    Quick,
    Short,
    Main,
    Further,
}

/// What is known of a game after its longest turn.
#[derive(Clone, Copy)]
struct Progress {
    time: Duration,
    score: u64,
    /// The logarithm of the factor by which the score has grown for every doubling of the time; 0
    /// after one turn.
    growth: f64,
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
    /// Whether further turns follow the main pass.
    has_further: bool,
    /// The time that the main pass leaves to further turns; none before it begins.
    for_further: Option<Duration>,
    /// None before a game's first turn, when it is solved, and where no further turns follow.
    progress: Vec<Option<Progress>>,
}

impl Turns {
    /// Creates the turns for games of these weights, `takers` at a time, in `whole` on the clock.
    /// Without a time limit, or if every game has its own taker, there is only the main pass.
    pub(crate) fn new(weights: Vec<f64>, takers: usize, whole: Option<Duration>) -> Turns {
        // The heaviest game comes first, so that no long one is left to a single taker at the end.
        let mut main: Vec<usize> = (0..weights.len()).collect();
        main.sort_by(|a, b| weights[*b].total_cmp(&weights[*a]));
        // Where all have to share the time, the lightest game comes first, so that most have
        // something soon.
        let shared = whole.filter(|_| weights.len() > takers);
        let lightest = || main.iter().rev().copied();
        let quick = shared.map(|_| lightest().collect()).unwrap_or_default();
        let average = |whole: Duration| whole.mul_f64(takers as f64 / weights.len() as f64);
        let short = shared.map(|whole| average(whole).mul_f64(SURVEY_SHARE).min(LEAST));
        let short = short.filter(|each| *each >= SHORTEST);
        let short = short.map(|each| lightest().map(|game| (game, each)).collect());
        let short = short.unwrap_or_default();
        let has_further = shared.is_some_and(|whole| average(whole) < FEW_SECONDS);
        let progress = vec![None; weights.len()];
        let (main, for_further) = (main.into(), None);
        Turns { quick, short, main, weights, takers, whole, has_further, for_further, progress }
    }

    /// Returns the next turn when `left` of the time is left; `None` when all have been taken.
    pub(crate) fn take(&mut self, left: Option<Duration>) -> Option<Turn> {
        let of = |game, time, pass| Some(Turn { game, time, at_most: time, pass });
        if let Some(game) = self.quick.pop_front() {
            let share = QUICK_SHARE * self.takers as f64 / (self.quick.len() + 1) as f64;
            let time = left.map(|left| left.mul_f64(share.min(QUICK_SHARE)).min(LEAST));
            return of(game, time, Pass::Quick);
        }
        if let Some((game, time)) = self.short.pop_front() {
            return of(game, Some(time), Pass::Short);
        }
        if self.main.is_empty() {
            let (game, time) = self.choose_further(left?)?;
            return of(game, Some(time), Pass::Further);
        }
        let time = left.map(|left| self.share(left));
        let game = self.main.pop_front()?;
        // The games that come after it keep their second.
        let reserved = LEAST.mul_f64(self.main.len() as f64 / self.takers as f64);
        let prolonged = left.map(|left| left.saturating_sub(reserved).min(LONGEST_SECOND));
        Some(Turn { game, time, at_most: time.max(prolonged), pass: Pass::Main })
    }

    /// The time of the next main turn, if `left` of the whole is left: in proportion to the
    /// weights, but at least a second, if there is a second for each.
    fn share(&mut self, left: Duration) -> Duration {
        let games = self.main.len();
        let takers = self.takers.min(games) as f64;
        let least = LEAST.as_secs_f64().min(left.as_secs_f64() * takers / games as f64);
        let spare = left.saturating_sub(Duration::from_secs_f64(least * games as f64 / takers));
        let share = if self.has_further { FURTHER_SHARE } else { 0.0 };
        let for_further = *self.for_further.get_or_insert(spare.mul_f64(share));
        let shared = left.saturating_sub(for_further);
        // The lightest games have their second as long as their share would be less; the others
        // share the rest.
        let mut rest = shared.as_secs_f64() * takers;
        let mut weights: f64 = self.main.iter().map(|game| self.weights[*game]).sum();
        for game in self.main.iter().skip(1).rev() {
            let weight = self.weights[*game];
            if rest * weight >= least * weights {
                break;
            }
            rest -= least;
            weights -= weight;
        }
        let time = rest * self.weights[self.main[0]] / weights;
        left.min(Duration::from_secs_f64(time.max(least)))
    }

    /// Chooses the game whose score has grown most for the time that it would take to go on, and
    /// how long its turn is; none if `left` is too short for a turn that could find more.
    fn choose_further(&mut self, left: Duration) -> Option<(usize, Duration)> {
        let known = self.progress.iter_mut().enumerate();
        let growing = known.filter_map(|(game, progress)| Some((game, progress.as_mut()?)));
        let possible = growing
            .filter(|(_, progress)| progress.growth > 0.0)
            .filter(|(_, progress)| FURTHER_AT_LEAST * progress.time <= left);
        let pays = |progress: &Progress| progress.growth / progress.time.as_secs_f64();
        let (game, best) = possible.max_by(|a, b| pays(a.1).total_cmp(&pays(b.1)))?;
        // Nobody else takes the same game meanwhile.
        best.growth = 0.0;
        let usual = FURTHER * best.time;
        let is_last = left < usual + FURTHER_AT_LEAST * LEAST;
        Some((game, if is_last { left } else { usual }))
    }

    /// Notes the best score of a game after a turn of the solver that was asked for.
    pub(crate) fn report(&mut self, turn: &Turn, score: u64) {
        if turn.pass == Pass::Main {
            self.short.retain(|(game, _)| *game != turn.game);
        }
        let Some(time) = turn.time.filter(|_| self.has_further) else { return };
        let progress = &mut self.progress[turn.game];
        let growth = progress.filter(|before| before.time < time).map_or(0.0, |before| {
            let doublings = time.div_duration_f64(before.time).log2();
            ((score + 1) as f64 / (before.score + 1) as f64).ln() / doublings
        });
        *progress = Some(Progress { time, score, growth });
    }

    /// Leaves out the turns to come of a game for which nothing better can be found.
    pub(crate) fn leave_out(&mut self, game: usize) {
        self.short.retain(|(other, _)| *other != game);
        self.main.retain(|other| *other != game);
        self.progress[game] = None;
    }

    /// Moves a short turn that came to nothing to the end of the short pass, with twice the time,
    /// as long as the pass has any; `left` of the whole time is left.
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

    /// Takes all turns, each of which overruns its time by this factor. Returns the games in order,
    /// with the time given to each and how much of the whole was left by then.
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
    fn light_games_have_a_second_and_the_others_share_the_rest_by_weight() {
        let weights = vec![300.0, 200.0, 1.0, 1.0];
        let taken = play(Turns::new(weights, 1, Some(30 * SECOND)), 30 * SECOND, 1.0);
        let main: Vec<f64> = taken
            .iter()
            .filter(|(turn, _)| turn.pass == Pass::Main)
            .map(|(turn, _)| turn.time.unwrap().as_secs_f64())
            .collect();
        assert_eq!(main[2..], [1.0, 1.0]);
        assert!((main[0] / main[1] - 1.5).abs() < 1e-6, "{main:?}");
    }

    #[test]
    fn of_a_few_seconds_a_game_the_rest_goes_to_what_grows_most_for_its_time() {
        let mut turns = Turns::new(vec![1.0; 10], 1, Some(35 * SECOND));
        let mut left = 35 * SECOND;
        let (mut main, mut further) = (Vec::new(), Vec::new());
        while let Some(turn) = turns.take(Some(left)) {
            let time = turn.time.unwrap();
            match turn.pass {
                // It takes no time.
                Pass::Quick => continue,
                Pass::Short => {}
                Pass::Main => main.push(time),
                Pass::Further => further.push((turn.game, time)),
            }
            left -= time;
            // The score of game 2 is proportional to its time, and that of the others hardly grows.
            let seconds = time.as_secs_f64();
            let score = if turn.game == 2 { 1e6 * seconds } else { 1e6 * seconds.powf(0.01) };
            turns.report(&turn, score as u64);
        }
        assert!(main.iter().all(|time| *time > 2 * SECOND), "{main:?}");
        assert_eq!(further[0].0, 2);
        assert!(further[0].1 > 2 * main[0]);
        // What is left is too short for game 2 to find more.
        assert_eq!(further.len(), 2);
        assert_ne!(further[1].0, 2);
        assert_eq!(left, Duration::ZERO);
    }

    #[test]
    fn waits_prolong_a_second_as_far_as_all_others_keep_theirs() {
        let mut turns = Turns::new(vec![1.0; 3], 1, Some(9 * SECOND));
        let mut left = 9 * SECOND;
        let main = loop {
            let turn = turns.take(Some(left)).unwrap();
            if turn.pass == Pass::Main {
                break turn;
            }
            assert_eq!(turn.at_most, turn.time);
            left = 5 * SECOND;
        };
        assert!(main.time < Some(2 * SECOND) && main.at_most == Some(3 * SECOND), "{main:?}");
        for left in [2 * SECOND, SECOND] {
            let next = turns.take(Some(left)).unwrap();
            assert_eq!((next.time, next.at_most), (Some(SECOND), Some(SECOND)));
        }
    }

    #[test]
    fn fruitless_turns_are_repeated_with_twice_the_time_until_little_is_left() {
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
