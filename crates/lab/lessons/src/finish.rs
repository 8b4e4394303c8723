//! The small position is verified, and becomes a lesson.

use quintain_core::{AnyGame, PlayerHandle, Setup, Study};
use quintain_play::Continuation;

use crate::lesson::{Lesson, Verification, lines_of};
use crate::lost::{Care, Lost, OTHER_SEEDS, Small};
use crate::opponent::seeds_from;
use crate::rivals::has_lost;
use crate::small::Tested;
use crate::task::{LessonError, Taught, Teacher};
use crate::weighing::{Decision, Search, Work, scaled};
use crate::wording::{compare_on_board, is_lost};

/// How often the player must repeat the mistake in the end.
const REPEATS: usize = 3;
/// The budget with which turns are counted in haste.
const FOR_COUNTING: f64 = 0.1;

impl Lost<'_> {
    /// Verifies the smallest position, and makes the lesson. If the work is stopped meanwhile, it
    /// is done once more, in the time that is left for checks or in haste.
    pub(crate) fn finish(
        &self,
        study: &dyn Study,
        last: &Tested,
        seed: u64,
        turn: u32,
    ) -> Result<Small, LessonError> {
        loop {
            let care = self.care();
            let made = self.finish_with(care, study, last, seed, turn);
            match made {
                Ok(Small::Lesson(_)) => return made,
                _ if care.is_stopped() => {}
                _ => return made,
            }
        }
    }

    fn finish_with(
        &self,
        care: Care<'_>,
        study: &dyn Study,
        last: &Tested,
        seed: u64,
        turn: u32,
    ) -> Result<Small, LessonError> {
        let repeats = if care.is_hasty { 1 } else { REPEATS - 1 };
        for _ in 0..repeats {
            if !self.repeats(&last.position, &last.mistake.action, seed, care.stop)? {
                return Ok(Small::NotRepeated);
            }
        }
        let game = self.build(&last.position)?;
        let state = game.begin(seed);
        let better = &last.better[0];
        let pair = (last.mistake.action.as_str(), better.action.as_str());
        let own = self.seat_on_boards;
        let decision = Decision { game: game.as_ref(), state: state.as_ref(), seat: own, seed };
        let replies = [&last.mistake, better].map(|worth| worth.reply.as_str());
        let verified = self.verify(care, decision, pair, replies)?;
        let verified = Verification { exact: last.is_exact, ..verified };
        if !last.is_exact && !self.is_better(&verified) {
            return Ok(Small::NoMistake);
        }
        let opponent = self.find_opponent(decision, pair, &mut |other| {
            self.is_beaten_by(other, game.as_ref(), seed)
        })?;
        let worths = (&last.mistake, better);
        let who = (own, state.acting().len() == 1);
        let sentence = compare_on_board(study, &last.position, who, worths, last.is_exact);
        let is_lost = is_lost(&last.mistake, last.is_exact);
        let lesson = Lesson {
            scenario: game.scenario().to_owned(),
            files: vec![lines_of(&last.position.file)],
            seed,
            seat: own,
            mistakes: last.mistakes.clone(),
            better: last.better.iter().map(|worth| worth.action.clone()).collect(),
            sentence,
            opponent,
            ..self.blank(turn, verified)
        }
        .with_messages(self.teacher.catalog)?;
        let size = Some(study.size(&last.position));
        let turns = self.count_turns(care, game.as_ref(), seed)?;
        let other_seeds = self.try_other_seeds(OTHER_SEEDS, &mut |seed| {
            self.repeats(&last.position, &last.mistake.action, seed, care.stop)
        })?;
        let whole = None;
        let costs_in_match = true;
        let is_confirmed = self.is_confirmed(&lesson.verified);
        Ok(Small::Lesson(Box::new(Taught {
            lesson,
            size,
            is_confirmed,
            is_lost,
            costs_in_match,
            whole,
            turns,
            other_seeds,
        })))
    }

    /// Whether an opponent beats the player from the start of a board, whatever the seed.
    fn is_beaten_by(
        &self,
        opponent: &PlayerHandle,
        game: &dyn AnyGame,
        seed: u64,
    ) -> Result<bool, LessonError> {
        let mut line_up = vec![opponent; game.seats()];
        line_up[self.seat_on_boards.index()] = self.player;
        for seed in seeds_from(seed) {
            let mut setup = Setup::new(seed).with_budget(self.record.fixture.budget);
            setup.stop = self.teacher.stop.cloned();
            let played = game.play(&setup, &line_up, None);
            if self.is_stopped() || !has_lost(&played?, self.seat_on_boards, game.objective()) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Plays on from both actions with ten times the budget, or in haste. The replies are those
    /// that seem to be worst for the mistake and for the better action, which are tried first.
    pub(crate) fn verify(
        &self,
        care: Care<'_>,
        decision: Decision<'_>,
        (mistake, better): (&str, &str),
        replies: [&str; 2],
    ) -> Result<Verification, LessonError> {
        let Teacher { judge: player, budget, nodes, .. } = *self.teacher;
        let Decision { game, state, seat, seed } = decision;
        let budget = scaled(budget, care.factor);
        let search = Search { game, player, budget, seed, stop: care.stop };
        // Verification has work of its own, so that a lesson that was found is never lost.
        let mut work = Work { left: nodes };
        let mut weigh = |action: &str, first: &str, least: f64| {
            let worth = search.weigh_down_to(state, seat, (action, first), least, &mut work)?;
            let worth = worth.ok_or(LessonError::Spent { nodes })?;
            Ok::<f64, LessonError>(worth.least)
        };
        let gain = |score: f64| game.objective().gain(score);
        // Nothing is less than the least score, and what is no more than the mistake is no better.
        let least =
            game.score_range().map_or(f64::NEG_INFINITY, |(low, high)| gain(low).min(gain(high)));
        let mistake = weigh(mistake, replies[0], least)?;
        let better = weigh(better, replies[1], gain(mistake))?;
        let player = player.spec.clone();
        Ok(Verification { exact: false, player, budget, better, mistake, continuations: 0 })
    }

    /// The turns of a match that begins in a position, against the judge; in haste, those of a
    /// match that the judge plays alone.
    fn count_turns(
        &self,
        care: Care<'_>,
        game: &dyn AnyGame,
        seed: u64,
    ) -> Result<u32, LessonError> {
        let Teacher { judge, budget, nodes, stop, .. } = *self.teacher;
        if !care.is_hasty {
            let mut setup = Setup::new(seed).with_budget(self.record.fixture.budget);
            setup.stop = stop.cloned();
            let mut line_up = vec![judge; game.seats()];
            line_up[self.seat_on_boards.index()] = self.player;
            let played = game.play(&setup, &line_up, None);
            if !self.is_stopped() {
                return Ok(played?.outcome.metrics.get("turns").map_or(0, |turns| *turns as u32));
            }
        }
        let budget = scaled(budget, FOR_COUNTING);
        let way = Continuation { game, player: judge, opponent: None, budget, seed, stop: None };
        let playout = way.play(game.begin(seed).as_ref(), &mut { nodes })?;
        Ok(playout.map_or(0, |playout| playout.turns))
    }

    /// With how many other seeds the player makes the mistake, if not with all. None if it was
    /// stopped.
    pub(crate) fn try_other_seeds(
        &self,
        number: u64,
        repeats: &mut dyn FnMut(u64) -> Result<bool, LessonError>,
    ) -> Result<Option<(u64, u64)>, LessonError> {
        let mut same = 0;
        for other in 1..=number {
            if self.is_stopped() {
                return Ok(None);
            }
            same += u64::from(repeats(self.record.fixture.seed.wrapping_add(other))?);
        }
        Ok((same < number && !self.is_stopped()).then_some((same, number)))
    }
}
