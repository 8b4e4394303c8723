//! A lesson of the whole match up to a decision, where no smaller position is like it.

use quintain_core::{Scoring, kept_file};
use quintain_play::Mistake;

use crate::asking::Question;
use crate::lesson::{Lesson, Verification, lines_of};
use crate::lost::{Lost, Small};
use crate::task::{LessonError, Taught, Teacher, gap_of};
use crate::weighing::{VERIFICATION, Work, scaled};
use crate::wording::compare_scores;

impl Lost<'_> {
    /// Plays on from both actions of a match with ten times the budget: between rivals with the
    /// reply that is worst, otherwise with what the others did.
    fn verify_whole(&self, mistake: &Mistake) -> Result<Verification, LessonError> {
        let Teacher { judge, budget, nodes, .. } = *self.teacher;
        let seed = self.record.fixture.seed;
        if self.game.scoring() == Scoring::Adversarial {
            let state = &self.positions[mistake.turn as usize];
            let pair = (mistake.played.as_str(), mistake.best.as_str());
            return self.verify(self.game, state.as_ref(), pair, seed);
        }
        let budget = scaled(budget, VERIFICATION);
        let scores = self.score_both(mistake, budget, &mut Work { left: nodes })?;
        let [better, mistake] = scores.ok_or(LessonError::Spent { nodes })?;
        Ok(Verification { exact: false, player: judge.spec.clone(), budget, better, mistake })
    }

    /// Makes a lesson of the match up to a decision.
    pub(crate) fn teach_whole(
        &self,
        mistake: &Mistake,
        whole: Option<&String>,
        work: &mut Work,
    ) -> Result<Small, LessonError> {
        if work.left == 0 || self.is_stopped() {
            return Ok(Small::Impossible("the work is used up".to_owned()));
        }
        let fixture = &self.record.fixture;
        let played = self.actions_before(mistake.turn as usize);
        let actions: Vec<&str> = self.record.action_texts().take(played).collect();
        let question = Question {
            game: self.game,
            seed: fixture.seed,
            budget: fixture.budget,
            actions: &actions,
            seat: self.seat,
            stop: self.teacher.stop,
        };
        for _ in 0..2 {
            if question.ask(self.player)?.ok().as_deref() != Some(mistake.played.as_str()) {
                return Ok(Small::NotRepeated);
            }
        }
        if !self.costs_at_all_budgets(mistake, work)? {
            return Ok(Small::NoMistake);
        }
        let verified = self.verify_whole(mistake)?;
        let gain = |score: f64| self.game.objective().gain(score);
        if gain(verified.better) < gain(verified.mistake) + gap_of(self.game) {
            return Ok(Small::NoMistake);
        }
        let opponent = match self.game.scoring() {
            Scoring::Adversarial => {
                let state = self.positions[mistake.turn as usize].as_ref();
                let pair = (mistake.played.as_str(), mistake.best.as_str());
                self.find_opponent(self.game, state, pair, fixture.seed, &mut |_| Ok(true))?
            }
            Scoring::Independent => None,
        };
        let sentence = compare_scores(
            &self.teacher.judge.spec,
            (self.game.seats() > 1).then_some(self.seat),
            (&mistake.played, verified.mistake),
            (&mistake.best, verified.better),
        );
        let files = self.game.files().iter().filter_map(|digest| kept_file(digest));
        let lesson = Lesson {
            scenario: self.game.scenario().to_owned(),
            files: files.map(|text| lines_of(&text)).collect(),
            actions: actions.join(" "),
            mistakes: vec![mistake.played.clone()],
            better: vec![mistake.best.clone()],
            sentence,
            opponent,
            ..self.blank(mistake.turn, verified)
        }
        .with_messages(self.teacher.catalog)?;
        let turns = (self.positions.len() - 1) as u32 - mistake.turn;
        let whole = whole.cloned();
        let (size, other_seeds) = (None, None);
        Ok(Small::Lesson(Box::new(Taught { lesson, size, whole, turns, other_seeds })))
    }
}
