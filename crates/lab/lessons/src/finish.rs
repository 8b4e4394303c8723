//! The small position is verified, and becomes a lesson.

use quintain_core::{AnyGame, AnyMatch, PlayerHandle, Setup, Study, StudyPosition};

use crate::lesson::{Lesson, Verification, lines_of};
use crate::lost::{Lost, OTHER_SEEDS, Small};
use crate::opponent::seeds_from;
use crate::rivals::has_lost;
use crate::small::Tested;
use crate::task::{LessonError, Taught, Teacher};
use crate::weighing::{Search, VERIFICATION, Work, scaled};
use crate::wording::compare_on_board;

/// How often the player must repeat the mistake in the end.
const REPEATS: usize = 3;

impl Lost<'_> {
    /// Verifies the smallest position, and makes the lesson.
    pub(crate) fn finish(
        &self,
        study: &dyn Study,
        last: &Tested,
        seed: u64,
        turn: u32,
    ) -> Result<Small, LessonError> {
        for _ in 1..REPEATS {
            if self.ask(&last.position, seed)?.as_deref() != Some(last.mistake.action.as_str()) {
                return Ok(Small::NotRepeated);
            }
        }
        let game = self.build(&last.position)?;
        let state = game.begin(seed);
        let better = &last.better[0];
        let pair = (last.mistake.action.as_str(), better.action.as_str());
        let verified = self.verify(game.as_ref(), state.as_ref(), pair, seed)?;
        let verified = Verification { exact: last.is_exact, ..verified };
        if !last.is_exact && !self.is_confirmed(&verified) {
            return Ok(Small::NoMistake);
        }
        let opponent =
            self.find_opponent(game.as_ref(), state.as_ref(), pair, seed, &mut |other| {
                self.is_beaten_by(other, game.as_ref(), seed)
            })?;
        let sentence = compare_on_board(study, &last.position, self.seat, &last.mistake, better);
        let lesson = Lesson {
            scenario: game.scenario().to_owned(),
            files: vec![lines_of(&last.position.file)],
            seed,
            mistakes: last.mistakes.clone(),
            better: last.better.iter().map(|worth| worth.action.clone()).collect(),
            sentence,
            opponent,
            ..self.blank(turn, verified)
        }
        .with_messages(self.teacher.catalog)?;
        let size = Some(study.size(&last.position));
        let turns = self.count_turns(game.as_ref(), seed)?;
        let other_seeds = self.try_other_seeds(&last.position, seed, &last.mistake.action)?;
        let whole = None;
        Ok(Small::Lesson(Box::new(Taught { lesson, size, whole, turns, other_seeds })))
    }

    /// Whether an opponent beats the player from the start of a board, whatever the seed.
    fn is_beaten_by(
        &self,
        opponent: &PlayerHandle,
        game: &dyn AnyGame,
        seed: u64,
    ) -> Result<bool, LessonError> {
        let mut line_up = vec![opponent; game.seats()];
        line_up[self.seat.index()] = self.player;
        for seed in seeds_from(seed) {
            let setup = Setup::new(seed).with_budget(self.record.fixture.budget);
            if !has_lost(&game.play(&setup, &line_up, None)?, self.seat, game.objective()) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Plays on from both actions with ten times the budget.
    pub(crate) fn verify(
        &self,
        game: &dyn AnyGame,
        state: &dyn AnyMatch,
        (mistake, better): (&str, &str),
        seed: u64,
    ) -> Result<Verification, LessonError> {
        let Teacher { judge: player, budget, stop, nodes, .. } = *self.teacher;
        let budget = scaled(budget, VERIFICATION);
        let search = Search { game, player, budget, seed, stop };
        // Verification has work of its own, so that a lesson that was found is never lost.
        let mut work = Work { left: nodes };
        let mut weigh = |action: &str| {
            let worth = search.weigh(state, self.seat, action, &mut work)?;
            let worth = worth.ok_or(LessonError::Spent { nodes })?;
            Ok::<f64, LessonError>(worth.least)
        };
        let (mistake, better) = (weigh(mistake)?, weigh(better)?);
        let player = player.spec.clone();
        Ok(Verification { exact: false, player, budget, better, mistake })
    }

    /// The turns of a match that begins in a position, against the judge.
    fn count_turns(&self, game: &dyn AnyGame, seed: u64) -> Result<u32, LessonError> {
        let setup = Setup::new(seed).with_budget(self.record.fixture.budget);
        let mut line_up = vec![self.teacher.judge; game.seats()];
        line_up[self.seat.index()] = self.player;
        let record = game.play(&setup, &line_up, None)?;
        Ok(record.outcome.metrics.get("turns").map_or(0, |turns| *turns as u32))
    }

    /// With how many other seeds the player makes the mistake, if not with all.
    fn try_other_seeds(
        &self,
        position: &StudyPosition,
        seed: u64,
        mistake: &str,
    ) -> Result<Option<(u64, u64)>, LessonError> {
        let mut same = 0;
        for number in 1..=OTHER_SEEDS {
            let answer = self.ask(position, seed.wrapping_add(number))?;
            same += u64::from(answer.as_deref() == Some(mistake));
        }
        Ok((same < OTHER_SEEDS).then_some((same, OTHER_SEEDS)))
    }
}
