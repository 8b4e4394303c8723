//! From a lost match to a lesson: which decision lost it, then the smallest position found.

use quintain_core::{AnyGame, PlayerHandle, Record, Scoring, Seat, replay};
use quintain_play::{Analyst, MatchReview, Mistake};

use crate::exact::Judged;
use crate::lost::{Lost, Small};
use crate::rivals::compare_with_best;
use crate::task::{LessonError, Look, Taught, Teacher, gap_of};
use crate::weighing::{Work, nodes_of, scaled};

/// The share of the nodes that a review of a match between rivals may take, as its inverse.
const SHARE: u64 = 12;
/// The same for a review after which there is no other.
const LAST_SHARE: u64 = 3;

impl Teacher<'_> {
    /// Makes a lesson of a match that a seat lost (or, in games without rivals, played). `player`
    /// is the player of that seat. A closer look follows one that finds nothing.
    ///
    /// # Errors
    /// [`LessonError`] says why there is none.
    pub fn teach(
        &self,
        record: &Record,
        seat: Seat,
        player: &PlayerHandle,
    ) -> Result<Taught, LessonError> {
        let mut look = Look::Quick;
        loop {
            let made = self.look(look, record, seat, player);
            let may_find_more = made.as_ref().is_err_and(|why| self.may_find_more(record, why));
            match look.closer().filter(|_| may_find_more) {
                Some(closer) => look = closer,
                None => return made,
            }
        }
    }

    /// Whether a closer look at a match could find a lesson where another one found none. Without
    /// rivals, all are the same.
    pub fn may_find_more(&self, record: &Record, problem: &LessonError) -> bool {
        let may = matches!(
            problem,
            LessonError::NoMistake { .. }
                | LessonError::NotRepeated { .. }
                | LessonError::Unseen { .. }
        );
        let game = self.catalog.game_of(record);
        may && game.is_ok_and(|game| game.scoring() == Scoring::Adversarial)
    }

    /// The same with one look at the match.
    ///
    /// # Errors
    /// As [`Teacher::teach`].
    pub fn look(
        &self,
        look: Look,
        record: &Record,
        seat: Seat,
        player: &PlayerHandle,
    ) -> Result<Taught, LessonError> {
        let game = self.catalog.game_of(record)?;
        check_lost(record, seat, game.as_ref(), &player.spec)?;
        let mut work = Work { left: self.nodes };
        let mut positions = Vec::new();
        replay(game.as_ref(), record, &mut |state, _| positions.push(state.fork()))?;
        let mut lesson =
            Lost { teacher: self, look, record, seat, player, game: game.as_ref(), positions };
        let judged = lesson.judge_exactly(&work)?;
        // The ending stays the same, however closely one looks.
        if look == Look::Quick
            && let Some(taught) = lesson.teach_ending(judged.as_ref(), &mut work)?
        {
            return Ok(taught);
        }
        if lesson.is_stopped() {
            return Err(LessonError::Stopped);
        }
        let (review, mistakes) = match (&judged, game.scoring()) {
            (Some(judged), _) => (None, judged.mistakes()),
            (None, Scoring::Adversarial) if matches!(look, Look::Quick | Look::Steady) => {
                (None, lesson.find_fall(&mut work)?.into_iter().collect())
            }
            (None, Scoring::Adversarial) => {
                let (review, mistakes) =
                    self.find_mistakes(look, record, seat, game.as_ref(), &mut work)?;
                (Some(review), mistakes)
            }
            (None, Scoring::Independent) => {
                let (review, mistakes) = lesson.review_alone(&mut work)?;
                (Some(review), mistakes)
            }
        };
        let mut is_repeated = mistakes.is_empty();
        // Why each has no smaller board.
        let mut reasons = vec![None; mistakes.len()];
        if game.scoring() == Scoring::Adversarial {
            for (mistake, reason) in mistakes.iter().zip(&mut reasons) {
                let made = lesson.teach_small(mistake, &mut work)?;
                is_repeated |= matches!(made, Small::NoMistake);
                *reason = match made {
                    Small::Lesson(taught) => return Ok(*taught),
                    Small::Impossible(why) => Some(why),
                    Small::NotRepeated => Some(not_repeated_since(mistake.turn).to_owned()),
                    Small::NoMistake => Some("no smaller board was found".to_owned()),
                };
            }
        }
        for (mistake, reason) in mistakes.iter().zip(&reasons) {
            lesson.seat = mistake.seat;
            let is_late = lesson.is_stopped();
            let mut made = lesson.teach_whole(mistake, reason.as_ref(), &mut work)?;
            let is_cut_short = lesson.is_stopped() && !matches!(made, Small::Lesson(_));
            if is_cut_short && !is_late {
                made = lesson.teach_whole(mistake, reason.as_ref(), &mut work)?;
            }
            match made {
                Small::Lesson(taught) => return Ok(*taught),
                Small::NotRepeated | Small::Impossible(_) => {}
                Small::NoMistake => is_repeated = true,
            }
            // There is time for one in haste.
            if is_cut_short {
                break;
            }
        }
        Err(match () {
            () if lesson.is_stopped() => LessonError::Stopped,
            () if work.left == 0 => LessonError::Spent { nodes: self.nodes },
            () => lesson.no_mistake(judged.as_ref(), review, is_repeated),
        })
    }

    /// The seat's decisions between rivals that cost much, with the review that found them: the
    /// last one first, since it is the one after which the match was lost.
    fn find_mistakes(
        &self,
        look: Look,
        record: &Record,
        seat: Seat,
        game: &dyn AnyGame,
        work: &mut Work,
    ) -> Result<(MatchReview, Vec<Mistake>), LessonError> {
        let Teacher { judge: player, stop, .. } = *self;
        let budget = scaled(self.budget, look.factor());
        let share = if look == Look::Thorough { LAST_SHARE } else { SHARE };
        let decisions = work.decisions(budget).min(self.nodes / share / nodes_of(budget));
        let analyst = Analyst { game, player, budget, decisions, stop };
        let review = analyst.review(record, &mut |_| ())?;
        work.take(review.decisions, budget);
        let least = gap_of(game);
        let is_own = |mistake: &&Mistake| mistake.seat == seat && mistake.cost >= least;
        let mut mistakes: Vec<Mistake> = review.mistakes.iter().filter(is_own).cloned().collect();
        mistakes.sort_by_key(|mistake| std::cmp::Reverse(mistake.turn));
        Ok((review, mistakes))
    }
}

impl Lost<'_> {
    /// Why no decision gave a lesson though there was work and time enough.
    fn no_mistake(
        &self,
        judged: Option<&Judged>,
        review: Option<MatchReview>,
        is_repeated: bool,
    ) -> LessonError {
        let player = self.player.spec.clone();
        if let Some(judged) = judged
            && judged.mistakes().is_empty()
        {
            return LessonError::NoExactMistake { player, most: judged.greatest_cost() };
        }
        let Some(review) = review else {
            let Teacher { judge, budget, .. } = *self.teacher;
            let budget = scaled(budget, self.look.factor());
            let (judge, budget) = (judge.spec.clone(), Box::new(budget));
            return match is_repeated {
                true => LessonError::NoMistake { player, judge, budget },
                false => LessonError::NotRepeated { player },
            };
        };
        let (judge, budget) = (review.player, Box::new(review.budget));
        let (seen, turns) = (review.turns.len().saturating_sub(1), self.positions.len() - 1);
        // Nothing can be said about turns that nobody has looked at.
        match self.game.scoring() {
            _ if !review.complete => LessonError::Unseen { judge, budget, seen, turns },
            _ if !is_repeated => LessonError::NotRepeated { player },
            Scoring::Adversarial => LessonError::NoMistake { player, judge, budget },
            Scoring::Independent if self.game.hides_start() => {
                LessonError::OnlyLuck { player, judge, budget }
            }
            Scoring::Independent => LessonError::NoGain { player, judge, budget },
        }
    }
}

/// Why a mistake of a turn is not made on a board that looks the same.
fn not_repeated_since(turn: u32) -> &'static str {
    match turn {
        0 => "the player decides otherwise on a copy of the board",
        _ => "the mistake depends on the turns before",
    }
}

/// Refuses matches from which there is nothing to learn.
fn check_lost(
    record: &Record,
    seat: Seat,
    game: &dyn AnyGame,
    player: &str,
) -> Result<(), LessonError> {
    let player = player.to_owned();
    if let Some(fault) = record.outcome.fault.as_ref().filter(|fault| fault.seat == seat) {
        return Err(LessonError::Forfeit { player, fault: fault.fault.kind.to_string() });
    }
    if game.scoring() == Scoring::Independent {
        return Ok(());
    }
    match compare_with_best(record, seat, game.objective()) {
        std::cmp::Ordering::Less => Ok(()),
        std::cmp::Ordering::Equal => Err(LessonError::NotLost { player, result: "drew" }),
        std::cmp::Ordering::Greater => Err(LessonError::NotLost { player, result: "won" }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_on_the_first_turn_depends_on_no_turns_before() {
        assert!(not_repeated_since(1).contains("the turns before"));
        assert!(!not_repeated_since(0).contains("before"));
    }
}
