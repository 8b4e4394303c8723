//! From a lost match to a lesson: which decision lost it, then the smallest position found.

use quintain_core::{AnyGame, PlayerHandle, Record, Scoring, Seat, replay};
use quintain_play::{Analyst, MatchReview, Mistake};

use crate::lost::{Lost, Small};
use crate::rivals::compare_with_best;
use crate::task::{LessonError, Taught, Teacher, gap_of};
use crate::weighing::{Work, nodes_of, scaled};

/// The budget of decisions while a match between rivals is reviewed, and the share of the nodes
/// that they may take, as its inverse: what looks like a mistake is checked afterwards.
const FOR_REVIEW: f64 = 0.2;
const SHARE: u64 = 12;

impl Teacher<'_> {
    /// Makes a lesson of a match that a seat lost (or, in games without rivals, played). `player`
    /// is the player of that seat.
    ///
    /// # Errors
    /// [`LessonError`] says why there is none.
    pub fn teach(
        &self,
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
            Lost { teacher: self, record, seat, player, game: game.as_ref(), positions };
        if let Some(taught) = lesson.teach_ending(&mut work)? {
            return Ok(taught);
        }
        if lesson.is_stopped() {
            return Err(LessonError::Stopped);
        }
        let (review, mistakes) = match game.scoring() {
            Scoring::Adversarial => self.find_mistakes(record, seat, game.as_ref(), &mut work)?,
            Scoring::Independent => lesson.review_alone(&mut work)?,
        };
        let mut is_repeated = mistakes.is_empty();
        let mut whole = None;
        if game.scoring() == Scoring::Adversarial {
            for mistake in &mistakes {
                match lesson.teach_small(mistake, &mut work)? {
                    Small::Lesson(taught) => return Ok(*taught),
                    Small::Impossible(why) => whole = Some(why),
                    Small::NotRepeated => {}
                    Small::NoMistake => is_repeated = true,
                }
            }
            let why = match is_repeated {
                true => "no smaller board was found",
                false => "the mistake depends on the turns before",
            };
            whole = whole.or(Some(why.to_owned()));
        }
        for mistake in &mistakes {
            lesson.seat = mistake.seat;
            match lesson.teach_whole(mistake, whole.as_ref(), &mut work)? {
                Small::Lesson(taught) => return Ok(*taught),
                Small::NotRepeated | Small::Impossible(_) => {}
                Small::NoMistake => is_repeated = true,
            }
        }
        let player = player.spec.clone();
        let (judge, budget) = (review.player, Box::new(review.budget));
        let (seen, turns) = (review.turns.len() - 1, lesson.positions.len() - 1);
        Err(match () {
            () if lesson.is_stopped() => LessonError::Stopped,
            () if work.left == 0 => LessonError::Spent { nodes: self.nodes },
            // Nothing can be said about turns that nobody has looked at.
            () if !review.complete => LessonError::Unseen { judge, budget, seen, turns },
            () if !is_repeated => LessonError::NotRepeated { player },
            () => match game.scoring() {
                Scoring::Adversarial => LessonError::NoMistake { player, judge, budget },
                Scoring::Independent => LessonError::NoGain { player, judge, budget },
            },
        })
    }

    /// The seat's decisions between rivals that cost much, with the review that found them: the
    /// last one first, since it is the one after which the match was lost.
    fn find_mistakes(
        &self,
        record: &Record,
        seat: Seat,
        game: &dyn AnyGame,
        work: &mut Work,
    ) -> Result<(MatchReview, Vec<Mistake>), LessonError> {
        let Teacher { judge: player, stop, .. } = *self;
        let budget = scaled(self.budget, FOR_REVIEW);
        let decisions = work.decisions(budget).min(self.nodes / SHARE / nodes_of(budget));
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
