//! A lesson of the whole match up to a decision, where no smaller position is like it.

use quintain_core::{Scoring, kept_file};
use quintain_play::{Continuation, Mistake};

use crate::alike::STARTS_IN_HASTE;
use crate::asking::Question;
use crate::lesson::{Lesson, Verification, lines_of};
use crate::lost::{Care, Lost, Small};
use crate::task::{LessonError, Look, Taught, Teacher, gap_of};
use crate::teacher::Fall;
use crate::weighing::{Decision, VERIFICATION, Work, nodes_of, scaled};
use crate::wording::{Explanation, compare_scores};

/// Other seeds with which a player is asked about a whole match: that may take long.
const OTHER_SEEDS: u64 = 3;
/// The most nodes that may be searched for a lesson once the time is over.
const FOR_HASTE: u64 = 200_000;

impl Lost<'_> {
    /// Plays on from both actions of a match with ten times the budget: between rivals with the
    /// reply that is worst, otherwise with what the others did. If the work is stopped meanwhile,
    /// it begins once more in the time for checks; after that, the scores that are known stand.
    fn verify_whole(
        &self,
        care: Care<'_>,
        mistake: &Mistake,
        known: [f64; 2],
    ) -> Result<Verification, LessonError> {
        let Teacher { judge, budget, nodes, .. } = *self.teacher;
        let player = judge.spec.clone();
        let [better, worse] = known;
        let hasty = Verification {
            exact: false,
            player: player.clone(),
            budget,
            better,
            mistake: worse,
            continuations: 0,
        };
        if care.is_hasty {
            return Ok(hasty);
        }
        let seed = self.record.fixture.seed;
        let verified = if self.game.scoring() == Scoring::Adversarial {
            let state = self.positions[mistake.turn as usize].as_ref();
            let pair = (mistake.played.as_str(), mistake.best.as_str());
            let decision = Decision { game: self.game, state, seat: self.seat, seed };
            self.verify(care, decision, pair, [self.reply_to(mistake.turn as usize); 2])
        } else {
            let budget = scaled(budget, VERIFICATION);
            let scores = self.score_both(care, mistake, budget, &mut Work { left: nodes })?;
            scores.ok_or(LessonError::Spent { nodes }).map(|[better, mistake]| Verification {
                exact: false,
                player,
                budget,
                better,
                mistake,
                continuations: 0,
            })
        };
        match care.is_stopped() {
            true => self.verify_whole(self.care(), mistake, known),
            false => verified,
        }
    }

    /// What the other did on a turn, where only one other decided.
    fn reply_to(&self, turn: usize) -> &str {
        let acting = self.positions[turn].acting();
        let mut others = acting.iter().filter(|other| **other != self.seat);
        match (others.next(), others.next()) {
            (Some(other), None) => self.played_by(*other, turn).unwrap_or_default(),
            _ => "",
        }
    }

    /// Checks a decision on the seed of the match or, where players cannot know how it started, on
    /// other starts. None if it is no mistake.
    fn verify_decision(
        &self,
        care: Care<'_>,
        (mistake, look): (&Mistake, Look),
        work: &mut Work,
    ) -> Result<Option<Verification>, LessonError> {
        let budget = self.teacher.budget;
        if self.game.hides_start() {
            return self.verify_on_starts(care, mistake, scaled(budget, care.factor));
        }
        let known = match self.is_stopped() {
            true => self.score_both(care, mistake, budget, work)?,
            false => self.costs_at_all_budgets(mistake, look, work)?,
        };
        known.map(|known| self.verify_whole(care, mistake, known)).transpose()
    }

    /// What a decision and the better one do, in words and to the figures at the end.
    fn explain(&self, mistake: &Mistake) -> Result<Explanation, LessonError> {
        let Teacher { judge: player, budget, nodes, .. } = *self.teacher;
        let (game, seed) = (self.game, self.record.fixture.seed);
        let care = self.care();
        let stop = care.stop;
        let way = Continuation { game, player, opponent: None, budget, seed, stop };
        let (mut words, mut figures) = (Vec::new(), Vec::new());
        let is_known = !game.hides_start() && !care.is_hasty;
        for own in [&mistake.played, &mistake.best] {
            let mut after = self.positions[mistake.turn as usize].fork();
            let joint = self.joint_with(self.seat, own, mistake.turn as usize);
            if after.play(&joint).is_err() {
                continue;
            }
            words.extend(after.tell(self.seat, own));
            // On other starts the end is another one.
            if is_known {
                figures.extend(way.figures(after.as_ref(), &mut { nodes })?);
            }
        }
        let figures = match <[_; 2]>::try_from(figures) {
            Ok([mistake, better]) => better
                .into_iter()
                .zip(mistake)
                .filter(|((title, _), (other, _))| title == other)
                .map(|((title, better), (_, mistake))| (title, [better, mistake]))
                .collect(),
            Err(_) => Vec::new(),
        };
        Ok(Explanation { words: words.try_into().ok(), figures })
    }

    /// The decisions from a turn to the end of the match.
    fn decisions_after(&self, turn: u32) -> u64 {
        let turns = self.positions[turn as usize..].iter();
        turns.map(|state| state.acting().len() as u64).sum()
    }

    /// Makes a lesson of the match up to a decision.
    pub(crate) fn teach_whole(
        &self,
        care: Care<'_>,
        Fall { mistake, look, reason }: &Fall,
        work: &mut Work,
    ) -> Result<Small, LessonError> {
        if work.left == 0 {
            return Ok(Small::Impossible("the work is used up".to_owned()));
        }
        // If the time is over, it is made in haste, unless it would take long all the same.
        let starts = if self.game.hides_start() { STARTS_IN_HASTE } else { 1 };
        let nodes = 2 * self.decisions_after(mistake.turn) * nodes_of(self.teacher.budget);
        let nodes = nodes * starts;
        if care.is_hasty && nodes > FOR_HASTE {
            return Ok(Small::Impossible("the time is over".to_owned()));
        }
        let fixture = &self.record.fixture;
        let turn = mistake.turn as usize;
        let state = self.positions[turn].as_ref();
        let actions: Vec<&str> =
            self.record.action_texts().take(self.actions_before(turn)).collect();
        let repeats = |luck: u64| {
            let question = Question {
                game: self.game,
                seed: fixture.seed,
                luck,
                budget: fixture.budget,
                actions: &actions,
                seat: self.seat,
                stop: care.stop,
            };
            // The answer of a player that was stopped means nothing.
            let answer = question.ask(self.player)?.ok().filter(|_| !care.is_stopped());
            let is_same = |own: &String| state.do_the_same(self.seat, own, &mistake.played);
            Ok::<bool, LessonError>(answer.as_ref().is_some_and(is_same))
        };
        if state.do_the_same(self.seat, &mistake.best, &mistake.played) {
            return Ok(Small::NoMistake);
        }
        for _ in 0..if care.is_hasty { 1 } else { 2 } {
            if !repeats(fixture.seed)? {
                return Ok(Small::NotRepeated);
            }
        }
        let Some(verified) = self.verify_decision(care, (mistake, *look), work)? else {
            return Ok(Small::NoMistake);
        };
        let gain = |score: f64| self.game.objective().gain(score);
        if gain(verified.better) < gain(verified.mistake) + gap_of(self.game) {
            return Ok(Small::NoMistake);
        }
        let opponent = match self.game.scoring() {
            Scoring::Adversarial => {
                let pair = (mistake.played.as_str(), mistake.best.as_str());
                let (game, seat, seed) = (self.game, self.seat, fixture.seed);
                let decision = Decision { game, state, seat, seed };
                self.find_opponent(decision, pair, &mut |_| Ok(true))?
            }
            Scoring::Independent => None,
        };
        let sentence = compare_scores(
            &verified,
            (self.game.seats() > 1).then_some(self.seat),
            (&mistake.played, &mistake.best),
            self.game.objective(),
            self.game.scoring(),
        );
        let sentence = match self.game.scoring() {
            Scoring::Adversarial => sentence,
            Scoring::Independent => sentence + &self.explain(mistake)?.tell(&verified),
        };
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
        let whole = reason.clone();
        let other_seeds = self.try_other_seeds(OTHER_SEEDS, &mut |luck| repeats(luck))?;
        let size = None;
        let (is_lost, costs_in_match) = (false, true);
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
}
