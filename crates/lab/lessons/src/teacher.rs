//! From a lost match to a lesson: which decision lost it, then the smallest position found.

use quintain_core::{AnyGame, PlayerHandle, Record, Scoring, Seat, replay};
use quintain_play::{Analyst, MatchReview, Mistake};

use crate::exact::Judged;
use crate::lost::{Lost, Small, is_set};
use crate::rivals::compare_with_best;
use crate::task::{LessonError, Look, NO_BOARD, Taught, Teacher, gap_of};
use crate::weighing::{Work, nodes_of, scaled};

/// The share of the nodes that a review of a match between rivals may take, as its inverse.
const SHARE: u64 = 12;
/// The same for a review after which there is no other.
const LAST_SHARE: u64 = 3;

/// What looks at a match have found.
#[derive(Default)]
pub(crate) struct Findings {
    /// What exact values say of it, if it was asked and they say something.
    judged: Option<Option<Judged>>,
    /// The decisions that seem to have lost it and gave no small board.
    falls: Vec<Fall>,
}

impl Findings {
    /// Whether there is something for [`Look::Whole`].
    pub(crate) fn has_falls(&self) -> bool {
        !self.falls.is_empty()
    }
}

/// A decision that seems to have lost a match.
#[derive(Clone)]
pub(crate) struct Fall {
    pub(crate) mistake: Mistake,
    /// The look that has seen it.
    pub(crate) look: Look,
    /// Why it gave no small board.
    pub(crate) reason: Option<String>,
}

impl Teacher<'_> {
    /// Whether a closer look at a match could find a lesson where another one found none. Without
    /// rivals, all are the same.
    pub(crate) fn may_find_more(&self, record: &Record, problem: &LessonError) -> bool {
        let may = matches!(
            problem,
            LessonError::NoMistake { .. }
                | LessonError::NotRepeated { .. }
                | LessonError::Unseen { .. }
        );
        let game = self.catalog.game_of(record);
        may && game.is_ok_and(|game| game.scoring() == Scoring::Adversarial)
    }

    /// Whether the search was stopped.
    pub(crate) fn is_stopped(&self) -> bool {
        is_set(self.stop)
    }

    /// One look at a match, as a part of [`Teacher::teach`]. `findings` are those of the looks at
    /// this match before. If it is late, what they have seen is not made smaller.
    pub(crate) fn look(
        &self,
        look: Look,
        record: &Record,
        (seat, player): (Seat, &PlayerHandle),
        findings: &mut Findings,
        is_late: bool,
    ) -> Result<Taught, LessonError> {
        let game = self.catalog.game_of(record)?;
        let game = game.as_ref();
        check_lost(record, seat, game, &player.spec)?;
        let mut work = Work { left: self.nodes };
        let mut positions = Vec::new();
        replay(game, record, &mut |state, _| positions.push(state.fork()))?;
        let mut lesson = Lost {
            teacher: self,
            look,
            record,
            seat,
            seat_on_boards: seat,
            player,
            game,
            positions,
        };
        lesson.seat_on_boards = lesson.find_seat_on_boards()?;
        if findings.judged.is_none() {
            findings.judged = Some(lesson.judge_exactly(&work)?);
        }
        let judged = findings.judged.as_ref().and_then(Option::as_ref);
        let is_alone = game.scoring() == Scoring::Independent;
        if look == Look::Ending
            && !is_alone
            && let Some(taught) = lesson.teach_ending(judged, &mut work)?
        {
            return Ok(taught);
        }
        if lesson.is_stopped() && look != Look::Whole {
            return Err(LessonError::Stopped);
        }
        let (mut review, mut falls) = (None, Vec::new());
        let mut add = |mistakes: Vec<Mistake>| {
            falls.extend(mistakes.into_iter().map(|mistake| Fall { mistake, look, reason: None }));
        };
        match (look, judged) {
            _ if is_alone => {
                let (seen, mistakes) = lesson.review_alone(&mut work)?;
                review = Some(seen);
                add(mistakes);
            }
            (Look::Ending, _) => {}
            (Look::Whole, _) => falls = std::mem::take(&mut findings.falls),
            (Look::Quick, Some(judged)) => add(judged.mistakes()),
            // There are no others.
            (_, Some(_)) => {}
            (Look::Quick | Look::Steady, None) => {
                add(lesson.find_fall(&mut work)?.into_iter().collect());
            }
            (Look::Close | Look::Thorough, None) => {
                let (seen, mistakes) = self.find_mistakes(look, record, seat, game, &mut work)?;
                review = Some(seen);
                add(mistakes);
            }
        }
        let no_lesson = match lesson.teach_one(&mut falls, is_late, &mut work)? {
            Ok(taught) => return Ok(taught),
            Err(is_repeated) => lesson.no_lesson(judged, review, is_repeated, &work),
        };
        findings.falls.append(&mut falls);
        Err(no_lesson)
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
    /// Makes a lesson of one of several decisions: a small board or, if that is enough for the
    /// look, the board of the match. Otherwise returns whether there is none that is not repeated,
    /// and leaves those to be tried on the board of the match, with why they have no small boards.
    fn teach_one(
        &mut self,
        falls: &mut Vec<Fall>,
        is_late: bool,
        work: &mut Work,
    ) -> Result<Result<Taught, bool>, LessonError> {
        let is_alone = self.game.scoring() == Scoring::Independent;
        let why_no_boards = if is_alone { None } else { self.why_no_boards()? };
        let has_boards = !is_alone && why_no_boards.is_none();
        let mut is_repeated = falls.is_empty();
        if has_boards && !(is_late && self.look == Look::Whole) {
            for fall in falls.iter_mut() {
                let made = self.teach_small(&fall.mistake, work)?;
                is_repeated |= matches!(made, Small::NoMistake);
                fall.reason = match made {
                    Small::Lesson(taught) => return Ok(Ok(*taught)),
                    Small::Impossible(why) => Some(why),
                    Small::NotRepeated => Some(not_repeated_since(fall.mistake.turn).to_owned()),
                    Small::NoMistake => Some(NO_BOARD.to_owned()),
                };
            }
        }
        if has_boards && !self.look.is_content_with_whole() {
            return Ok(Err(is_repeated));
        }
        for mut fall in std::mem::take(falls) {
            self.seat = fall.mistake.seat;
            fall.reason = fall.reason.take().or_else(|| why_no_boards.clone());
            let made = self.teach_fall(&fall, work)?;
            match made {
                Small::Lesson(taught) => return Ok(Ok(*taught)),
                Small::NotRepeated | Small::Impossible(_) => {}
                Small::NoMistake => is_repeated = true,
            }
            // There is time for one in haste.
            if self.care().is_hasty {
                break;
            }
        }
        Ok(Err(is_repeated))
    }

    /// Makes a lesson of a decision on the board of the match. What is stopped is done once more,
    /// in the time that is left for checks or in haste.
    fn teach_fall(&self, fall: &Fall, work: &mut Work) -> Result<Small, LessonError> {
        loop {
            let care = self.care();
            let made = self.teach_whole(care, fall, work)?;
            if matches!(made, Small::Lesson(_)) || !care.is_stopped() {
                return Ok(made);
            }
        }
    }

    /// Why no decision gave a lesson.
    fn no_lesson(
        &self,
        judged: Option<&Judged>,
        review: Option<MatchReview>,
        is_repeated: bool,
        work: &Work,
    ) -> LessonError {
        match () {
            () if self.is_stopped() => LessonError::Stopped,
            () if work.left == 0 => LessonError::Spent { nodes: self.teacher.nodes },
            () => self.no_mistake(judged, review, is_repeated),
        }
    }

    /// The same though there was work and time enough.
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
