//! From a lost match to a lesson: which decision lost it, then the smallest position found.

use quintain_core::{AnyGame, PlayerHandle, Record, Scoring, Seat, replay};
use quintain_play::{Analyst, Mistake};

use crate::lost::{Lost, Small};
use crate::rivals::compare_with_best;
use crate::task::{LessonError, Taught, Teacher, gap_of};
use crate::weighing::{Work, scaled};

/// The budget of decisions while the match is reviewed, and how many of them there are: what
/// looks like a mistake is checked afterwards.
const FOR_REVIEW: f64 = 0.2;
const REVIEWED: u64 = 8000;
/// Without rivals there are at most as many decisions as in this number of matches, or as the least
/// number. The strong players of such games may think for long, whatever the budget.
const REVIEWED_ALONE: u64 = 5;
const REVIEWED_LEAST: u64 = 1000;

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
        let (mistakes, all_weighed) = self.find_mistakes(record, seat, game.as_ref(), &mut work)?;
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
        Err(match () {
            () if work.left == 0 => LessonError::Spent { nodes: self.nodes },
            // Nothing can be said about turns that nobody has looked at.
            () if !all_weighed => LessonError::Unseen {
                judge: self.judge.spec.clone(),
                budget: Box::new(self.budget),
            },
            () if !is_repeated => LessonError::NotRepeated { player },
            () => {
                let (judge, budget) = (self.judge.spec.clone(), Box::new(self.budget));
                match game.scoring() {
                    Scoring::Adversarial => LessonError::NoMistake { player, judge, budget },
                    Scoring::Independent => LessonError::NoGain { player, judge, budget },
                }
            }
        })
    }

    /// The seat's decisions that cost much: between rivals the last one first, since it is the one
    /// after which the match was lost; otherwise the costliest first. Also returns whether all of
    /// them were weighed: work may run out, or be stopped.
    fn find_mistakes(
        &self,
        record: &Record,
        seat: Seat,
        game: &dyn AnyGame,
        work: &mut Work,
    ) -> Result<(Vec<Mistake>, bool), LessonError> {
        let Teacher { judge: player, stop, .. } = *self;
        let budget = scaled(self.budget, FOR_REVIEW);
        let most = match game.scoring() {
            Scoring::Adversarial => REVIEWED,
            Scoring::Independent => {
                let decisions = record.action_texts().count() as u64;
                (REVIEWED_ALONE * decisions).clamp(REVIEWED_LEAST, REVIEWED)
            }
        };
        let decisions = work.decisions(budget).min(most);
        let analyst = Analyst { game, player, budget, decisions, stop };
        let review = analyst.review(record, &mut |_| ())?;
        work.take(review.decisions, budget);
        let least = gap_of(game);
        let mut mistakes = review.mistakes;
        // Where nobody is a rival, a player may sit at several seats and go wrong at each.
        let seated = |other: Seat| record.fixture.seats.get(other.index());
        let is_own = |other: Seat| match game.scoring() {
            Scoring::Adversarial => other == seat,
            Scoring::Independent => seated(other) == seated(seat),
        };
        mistakes.retain(|mistake| is_own(mistake.seat) && mistake.cost >= least);
        if game.scoring() == Scoring::Adversarial {
            mistakes.sort_by_key(|mistake| std::cmp::Reverse(mistake.turn));
        }
        Ok((mistakes, review.complete))
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
