//! What a decision costs in a game whose start nobody can know. On the seed of the match, another
//! action may have been better by luck alone: it happened to lead to somebody. So both actions are
//! weighed on other starts from which everybody has seen the same until then, and every one of them
//! goes on with other random numbers. A decision is a mistake if it costs something on average, by
//! more than chance explains.

use quintain_core::{AnyMatch, Budget, now};
use quintain_play::{MatchReview, Mistake};

use crate::lesson::Verification;
use crate::lost::{Care, Lost};
use crate::task::{LessonError, ROUNDING};
use crate::weighing::{Search, Work};

/// The starts on which every decision is weighed, on which the costliest are, and on which a lesson
/// is verified. Each time they are others, so that no choice rests on luck.
const STARTS: [usize; 3] = [30, 200, 400];
/// The starts on which a lesson is verified once the time is over.
pub(crate) const STARTS_IN_HASTE: u64 = STARTS[0] as u64;
/// The fewest starts that are an average.
const FEWEST: usize = 8;
/// The decisions that are weighed a second time.
const WEIGHED: usize = 10;
/// How often starts are drawn, in groups, to find those that look the same.
const GROUPS: u64 = 4;
/// The mean cost of a mistake is at least as many of its standard errors.
const CERTAIN: f64 = 2.0;
/// The nodes that averages may take, as a multiple of those for a lesson: players of such games
/// search few of those that they may.
const WORK: u64 = 1000;
/// The share of the time left in which all decisions are weighed, as its inverse.
const SHARE_OF_TIME: u32 = 2;

/// What two actions lead to on average.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Averages {
    /// The mean scores, that after the better action first.
    pub(crate) scores: [f64; 2],
    /// The mean gain of the better action, and its standard error.
    gain: f64,
    error: f64,
    pub(crate) starts: u32,
}

impl Averages {
    /// Whether the better action is better by more than chance explains.
    pub(crate) fn is_certain(&self) -> bool {
        self.gain > ROUNDING && self.gain > CERTAIN * self.error
    }
}

/// Which starts are drawn.
#[derive(Clone, Copy)]
pub(crate) enum Draw {
    First,
    Second,
    Verification,
}

impl Lost<'_> {
    /// The decisions that cost something on average, the costliest first. `review` names those in
    /// which the judge would have done something else; turns for which there was no time are taken
    /// out of it.
    pub(crate) fn weigh_on_starts(
        &self,
        review: &mut MatchReview,
    ) -> Result<Vec<Mistake>, LessonError> {
        let budget = self.teacher.budget;
        let work = &mut self.work_for_averages();
        let until = self.time_left().and_then(|left| Some(now()? + left / SHARE_OF_TIME));
        let mut weighed: Vec<(f64, Mistake)> = Vec::new();
        let mut looked_at = review.turns.len();
        for (place, seen) in review.turns.iter().enumerate() {
            if self.is_stopped() || until.is_some_and(|end| now().is_some_and(|now| now > end)) {
                looked_at = place;
                break;
            }
            let moves = seen.moves.iter().filter(|own| own.played != own.best);
            let mistakes = moves.map(|own| {
                let (played, best) = (own.played.clone(), own.best.clone());
                Mistake::new(seen.turn, own.seat, played, best, 0.0)
            });
            let mistakes: Vec<Mistake> = mistakes.filter(|one| self.is_own(one)).collect();
            if mistakes.is_empty() {
                continue;
            }
            let starts = self.draw_starts(seen.turn, Draw::First);
            for mistake in mistakes {
                let Some(averages) =
                    self.average(&mistake, &starts, budget, self.patient(), work)?
                else {
                    break;
                };
                if averages.gain > ROUNDING {
                    weighed.push((averages.gain, mistake));
                }
            }
        }
        if looked_at < review.turns.len() {
            review.turns.truncate(looked_at + 1);
            review.complete = false;
        }
        weighed.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.turn.cmp(&b.1.turn)));
        let mut mistakes = Vec::new();
        for (_, mut mistake) in weighed.into_iter().take(WEIGHED) {
            if self.is_stopped() {
                break;
            }
            let starts = self.draw_starts(mistake.turn, Draw::Second);
            let averages = self.average(&mistake, &starts, budget, self.patient(), work)?;
            if let Some(averages) = averages.filter(Averages::is_certain) {
                mistake.cost = averages.gain;
                mistakes.push(mistake);
            }
        }
        mistakes.sort_by(|a, b| b.cost.total_cmp(&a.cost).then(a.turn.cmp(&b.turn)));
        Ok(mistakes)
    }

    fn work_for_averages(&self) -> Work {
        Work { left: self.teacher.nodes.saturating_mul(WORK) }
    }

    /// Positions of a turn after other starts, from which everybody has seen the same.
    pub(crate) fn draw_starts(&self, turn: u32, draw: Draw) -> Vec<Box<dyn AnyMatch>> {
        let wanted = STARTS[draw as usize];
        let mut found = Vec::new();
        for group in 0..GROUPS {
            if found.len() >= wanted || self.is_stopped() {
                break;
            }
            let luck = draw as u64 * GROUPS + group;
            let (draws, most) = (2 * wanted as u32, wanted - found.len());
            found.extend(self.game.positions_alike(self.record, turn, luck, draws, most));
        }
        found
    }

    /// What a decision costs on average. None if there are too few starts, or the work is used up.
    pub(crate) fn average(
        &self,
        mistake: &Mistake,
        starts: &[Box<dyn AnyMatch>],
        budget: Budget,
        care: Care<'_>,
        work: &mut Work,
    ) -> Result<Option<Averages>, LessonError> {
        if starts.len() < FEWEST {
            return Ok(None);
        }
        let (mut sums, mut gains) = ([0.0; 2], Vec::with_capacity(starts.len()));
        for (number, start) in starts.iter().enumerate() {
            let (player, stop) = (self.teacher.judge, care.stop);
            // What is drawn from here on is not what was drawn in the match.
            let seed = self.record.fixture.seed.wrapping_add(1 + number as u64);
            let search = Search { game: self.game, player, budget, seed, stop };
            let mut scores = [0.0; 2];
            for (score, own) in scores.iter_mut().zip([&mistake.best, &mistake.played]) {
                // Everybody sees the same, so everybody does the same.
                let joint = self.joint_with(mistake.seat, own, mistake.turn as usize);
                match search.score(start.as_ref(), mistake.seat, &joint, work)? {
                    Some(found) => *score = found,
                    None => return Ok(None),
                }
            }
            sums = [sums[0] + scores[0], sums[1] + scores[1]];
            let [better, worse] = scores.map(|score| self.game.objective().gain(score));
            gains.push(better - worse);
        }
        let number = starts.len() as f64;
        let gain = gains.iter().sum::<f64>() / number;
        let squares: f64 = gains.iter().map(|one| (one - gain).powi(2)).sum();
        let error = (squares / (number - 1.0) / number).sqrt();
        let (scores, starts) = (sums.map(|sum| sum / number), starts.len() as u32);
        Ok(Some(Averages { scores, gain, error, starts }))
    }

    /// Verifies a decision on starts that had no part in finding it.
    pub(crate) fn verify_on_starts(
        &self,
        care: Care<'_>,
        mistake: &Mistake,
        budget: Budget,
    ) -> Result<Option<Verification>, LessonError> {
        let draw = if care.is_hasty { Draw::First } else { Draw::Verification };
        let starts = self.draw_starts(mistake.turn, draw);
        let mut work = self.work_for_averages();
        let averages = self.average(mistake, &starts, budget, care, &mut work)?;
        Ok(averages.filter(Averages::is_certain).map(|averages| {
            let [better, mistake] = averages.scores;
            let (player, continuations) = (self.teacher.judge.spec.clone(), averages.starts);
            Verification { exact: false, player, budget, better, mistake, continuations }
        }))
    }
}
