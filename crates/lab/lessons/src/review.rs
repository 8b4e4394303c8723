//! Which decisions of a match without rivals cost most. Every turn is looked at: by the judge, if
//! there is work and time for that, with a smaller budget, or first by a quicker player. What seems
//! a mistake to these is weighed by the judge with its whole budget.

use std::time::{Duration, Instant};

use quintain_core::{Budget, PlayerHandle, now};
use quintain_play::{Analyst, Continuation, MatchReview, Mistake};

use crate::lost::Lost;
use crate::rivals::ladder;
use crate::task::{LessonError, ROUNDING};
use crate::weighing::{Search, Work, scaled};

/// The player that every game has, and that plays at random.
const RANDOM: &str = "random";
/// The budget of a quick look.
const QUICK: f64 = 0.2;
/// The share of the nodes, and of the time left, that a look at every turn may take.
const SHARE: u64 = 2;
const SHARE_OF_TIME: u32 = 3;
/// The most decisions from which the time of the others is estimated: few, then more if these would
/// take little of the time left.
const TIMED: [u64; 2] = [8, 200];
const TIME_FOR_TIMING: u32 = 30;
/// The most players that are tried in place of a judge that is too slow.
const QUICKER: usize = 4;
/// The most mistakes of a quick look that the judge weighs.
const WEIGHED: usize = 5;

/// Who looks at every turn, and how closely.
struct Look {
    player: PlayerHandle,
    budget: Budget,
    decisions: u64,
    /// The time that one decision takes.
    time: Duration,
    is_affordable: bool,
}

impl Lost<'_> {
    /// Reviews the match, and returns its mistakes, the costliest first, with the player and the
    /// budget that looked for them.
    pub(crate) fn review_alone(
        &self,
        work: &mut Work,
    ) -> Result<(MatchReview, Vec<Mistake>), LessonError> {
        let teacher = self.teacher;
        let Look { player, budget, decisions, .. } = self.choose_look(work)?;
        let analyst = Analyst {
            game: self.game,
            player: &player,
            budget,
            decisions: decisions.min(work.decisions(budget)),
            stop: teacher.stop,
        };
        let mut review = analyst.review(self.record, &mut |_| ())?;
        work.take(review.decisions, budget);
        if self.game.hides_start() {
            let mistakes = self.weigh_on_starts(&mut review)?;
            return Ok((review, mistakes));
        }
        let is_close = player.spec == teacher.judge.spec && budget == teacher.budget;
        let mut mistakes: Vec<Mistake> =
            review.mistakes.iter().filter(|mistake| self.is_own(mistake)).cloned().collect();
        if !is_close {
            mistakes = self.weigh_closely(&review, mistakes, work)?;
        }
        Ok((review, mistakes))
    }

    /// Where nobody is a rival, a player may sit at several seats and go wrong at each.
    pub(crate) fn is_own(&self, mistake: &Mistake) -> bool {
        let seats = &self.record.fixture.seats;
        seats.get(mistake.seat.index()) == seats.get(self.seat.index())
    }

    /// The judge with its whole budget, if it can afford to look at every turn; otherwise with a
    /// smaller one; otherwise the strongest of the quicker players, or the quickest.
    fn choose_look(&self, work: &mut Work) -> Result<Look, LessonError> {
        let teacher = self.teacher;
        let judge = teacher.judge;
        let whole = self.time_look(judge, teacher.budget, work)?;
        if whole.is_affordable {
            return Ok(whole);
        }
        let mut best = self.time_look(judge, scaled(teacher.budget, QUICK), work)?;
        let entry = teacher.catalog.entry(self.game.name())?;
        for name in ladder(entry).into_iter().rev().take(QUICKER) {
            if best.is_affordable || self.is_stopped() {
                break;
            }
            let other = teacher.catalog.player(self.game.name(), &name)?;
            // Whoever plays at random judges nobody.
            let is_judge = name != RANDOM && other.spec != self.player.spec;
            let is_new = is_judge && other.spec != judge.spec;
            if is_new && self.game.accepts(&other).is_ok() {
                let next = self.time_look(&other, best.budget, work)?;
                if next.is_affordable || next.time < best.time {
                    best = next;
                }
            }
        }
        Ok(best)
    }

    /// What a look at every turn takes a player, as estimated from its first decisions.
    fn time_look(
        &self,
        player: &PlayerHandle,
        budget: Budget,
        work: &mut Work,
    ) -> Result<Look, LessonError> {
        let most_work = work.decisions(budget) / SHARE;
        let (seed, stop) = (self.record.fixture.seed, self.teacher.stop);
        let way = Continuation { game: self.game, player, opponent: None, budget, seed, stop };
        let (mut playout, mut time) = (None, Duration::ZERO);
        for timed in TIMED {
            let share = self.time_left().map(|left| left / TIME_FOR_TIMING);
            if share.is_some_and(|share| time * timed as u32 > share) {
                break;
            }
            let started = now();
            let granted = timed.min(most_work);
            let mut left = granted;
            playout = way.play(self.positions[0].as_ref(), &mut left)?;
            let asked = granted - left;
            work.take(asked, budget);
            time = started.map_or(Duration::ZERO, |at| at.elapsed() / (asked.max(1) as u32));
        }
        // A match may last longer if nobody goes wrong.
        let turns = self.positions.len() as u64 - 1;
        let longest = playout.map_or(turns, |playout| u64::from(playout.turns)).max(turns);
        let seats = self.game.seats() as u64;
        // With several seats, their moves are weighed, too.
        let weighing = if seats > 1 { 2 } else { 1 };
        let needed = seats * weighing * turns * (2 * longest + 1 - turns) / 2;
        let most_time = match self.time_left() {
            Some(left) => (left / SHARE_OF_TIME).as_nanos() / time.as_nanos().max(1),
            None => u128::MAX,
        };
        let most = most_work.min(u64::try_from(most_time).unwrap_or(u64::MAX));
        // An estimate may be too low.
        let (player, decisions) = (player.clone(), (2 * needed).min(most));
        Ok(Look { player, budget, decisions, time, is_affordable: needed <= most })
    }

    /// The time until the lesson must be done, if that is known.
    pub(crate) fn time_left(&self) -> Option<Duration> {
        let until = self.teacher.until?;
        Some(until.saturating_duration_since(now()?))
    }

    /// Weighs the costliest mistakes with the judge's whole budget, as far as there is time.
    fn weigh_closely(
        &self,
        review: &MatchReview,
        mistakes: Vec<Mistake>,
        work: &mut Work,
    ) -> Result<Vec<Mistake>, LessonError> {
        let until = self.time_left().and_then(|left| Some(now()? + left / SHARE_OF_TIME));
        let is_late = |until: Instant| now().is_some_and(|now| now > until);
        let mut weighed = Vec::new();
        for mut mistake in mistakes.into_iter().take(WEIGHED) {
            if self.is_stopped() || !weighed.is_empty() && until.is_some_and(is_late) {
                break;
            }
            let Some((best, cost)) = self.weigh_mistake(review, &mistake, work)? else { continue };
            if cost > ROUNDING {
                (mistake.best, mistake.cost) = (best, cost);
                weighed.push(mistake);
            }
        }
        weighed.sort_by(|a, b| b.cost.total_cmp(&a.cost).then(a.turn.cmp(&b.turn)));
        Ok(weighed)
    }

    /// What the judge would do instead of a mistake, and by how much that is better. None if the
    /// work is used up, or the judge would do the same.
    fn weigh_mistake(
        &self,
        review: &MatchReview,
        mistake: &Mistake,
        work: &mut Work,
    ) -> Result<Option<(String, f64)>, LessonError> {
        let (seat, turn) = (mistake.seat, mistake.turn as usize);
        let (player, budget, stop) = (self.teacher.judge, self.teacher.budget, self.teacher.stop);
        let seed = self.record.fixture.seed;
        let way = Continuation { game: self.game, player, opponent: None, budget, seed, stop };
        let mut play = |from: usize| {
            let granted = work.decisions(budget);
            let mut left = granted;
            let playout = way.play(self.positions[from].as_ref(), &mut left);
            work.take(granted - left, budget);
            playout
        };
        let (Some(before), Some(after)) = (play(turn)?, play(turn + 1)?) else { return Ok(None) };
        let own = before.first.into_iter().find(|(other, _)| *other == seat);
        let Some((_, best)) = own else { return Ok(None) };
        let state = self.positions[turn].as_ref();
        if state.do_the_same(seat, &best, &mistake.played) {
            return Ok(None);
        }
        let score = |scores: &[f64]| scores.get(seat.index()).copied().unwrap_or_default();
        let better = match self.game.seats() {
            1 => Some(score(&before.scores)),
            _ => {
                let search = Search { game: self.game, player, budget, seed, stop };
                let joint = self.joint_with(seat, &best, turn);
                search.score(state, seat, &joint, work)?
            }
        };
        let Some(better) = better else { return Ok(None) };
        let gain = |score: f64| self.game.objective().gain(score);
        let mut worse = gain(score(&after.scores));
        if self.game.seats() == 1 {
            // Alone, one can still do what was known to be good later on.
            let later = review.turns.iter().filter(|seen| seen.turn > mistake.turn);
            worse = later.map(|seen| gain(score(&seen.values))).fold(worse, f64::max);
        }
        Ok(Some((best, gain(better) - worse)))
    }
}
