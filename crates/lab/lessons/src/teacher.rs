//! From a lost match to a lesson: which decision lost it, and the smallest position found in which
//! the player decides the same way and is wrong (delta debugging: a step that keeps the mistake is
//! kept, one that does not is undone).

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use quintain_core::{
    ActionWorth, AnyGame, AnyMatch, Budget, Catalog, PlayerHandle, Record, RecordError, Scoring,
    Seat, Setup, SpecError, Study, StudyPosition, kept_file, replay,
};
use quintain_play::{AnalysisError, Analyst, Mistake};

use crate::asking::Question;
use crate::lesson::{FORMAT, Lesson, Origin, Verification, lines_of};
use crate::rivals::{compare_with_best, has_lost, ladder};
use crate::weighing::{Search, Work, scaled};
use crate::wording::{compare_on_board, compare_scores};

/// By how much of the range of scores a better action is better, at least.
const GAP: f64 = 0.25;
/// Differences smaller than this are rounding.
const ROUNDING: f64 = 1e-9;
/// The most positions searched for the exact worths of one position.
const MOST_POSITIONS: u64 = 60_000;
/// The budget of decisions while the match is reviewed, and how many of them there are: what
/// looks like a mistake is checked afterwards.
const FOR_REVIEW: f64 = 0.2;
const REVIEWED: u64 = 8000;
/// Without rivals there are at most as many decisions as in this number of matches, or as the least
/// number. The strong players of such games may think for long, whatever the budget.
const REVIEWED_ALONE: u64 = 5;
const REVIEWED_LEAST: u64 = 1000;
/// The budgets at which a decision must look like a mistake before it is made smaller, and, if that
/// is impossible, before it is verified. The last words have exact values or [`VERIFICATION`].
const CHECKS: [f64; 3] = [0.2, 0.5, 1.0];
const CHECKS_OF_WHOLE: [f64; 1] = [1.0];
/// The budget with which positions are weighed while they become smaller.
const WHILE_SHRINKING: f64 = 0.1;
/// The budget at which the lesson is verified.
const VERIFICATION: f64 = 10.0;
/// Other seeds with which a player is asked, to see whether it decides at random.
const OTHER_SEEDS: u64 = 9;
/// The seeds on which an opponent must win to be named.
const OPPONENT_SEEDS: u64 = 3;
/// How often the player must repeat the mistake in the end.
const REPEATS: usize = 3;

/// Who makes lessons, and how much work that may take.
#[derive(Clone, Copy)]
pub struct Teacher<'a> {
    /// The games and players.
    pub catalog: &'a Catalog,
    /// The strong player that reviews the match and plays on from positions.
    pub judge: &'a PlayerHandle,
    /// Its budget for each decision; the lesson is verified with ten times as much.
    pub budget: Budget,
    /// The most nodes in all.
    pub nodes: u64,
    /// When set, ends the work: the smallest position so far makes the lesson.
    pub stop: Option<&'a Arc<AtomicBool>>,
}

/// A lesson with what its file does not say.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Taught {
    /// The lesson.
    pub lesson: Lesson,
    /// The size of its board, if it has become smaller.
    pub size: Option<String>,
    /// Why its position is that of the whole match, if it is.
    pub whole: Option<String>,
    /// The turns from its position to the end.
    pub turns: u32,
    /// The weakest player of the game that wins from its position, so that anybody who is to play
    /// on from there has the simplest opponent.
    pub opponent: Option<String>,
    /// For a player that decides at random: with how many of the other seeds that were tried it
    /// makes a mistake too.
    pub other_seeds: Option<(u64, u64)>,
}

/// Why there is no lesson.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LessonError {
    /// The player did not lose.
    #[error("{player} {result}, so there is no lost decision; name a match that it lost")]
    NotLost {
        /// The player.
        player: String,
        /// What it did instead: `drew` or `won`.
        result: &'static str,
    },
    /// It lost by a fault.
    #[error(
        "{player} forfeited by {fault}: there is no decision to learn from; mend the program first"
    )]
    Forfeit {
        /// The player.
        player: String,
        /// Its fault.
        fault: String,
    },
    /// There is no mistake.
    #[error(
        "no single decision of {player} lost this match, as far as {judge} sees with {budget}: \
         the position was lost from the start, or it slipped away bit by bit"
    )]
    NoMistake {
        /// The player.
        player: String,
        /// The player that looked for it.
        judge: String,
        /// Its budget.
        budget: Box<Budget>,
    },
    /// In a game without rivals, nothing would have been better.
    #[error(
        "no other decision of {player} would have gained anything on this seed, as far as {judge} \
         sees with {budget}"
    )]
    NoGain {
        /// The player.
        player: String,
        /// The player that looked for it.
        judge: String,
        /// Its budget.
        budget: Box<Budget>,
    },
    /// The player decides otherwise when it is asked again.
    #[error(
        "{player} does not repeat its mistake when it is asked again; if it decides at random, \
         let it use the seed that it is given"
    )]
    NotRepeated {
        /// The player.
        player: String,
    },
    /// The work is used up.
    #[error("{nodes} nodes were not enough to be certain of a mistake; allow more")]
    Spent {
        /// The nodes allowed.
        nodes: u64,
    },
    /// The record does not replay.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A player or a scenario is refused.
    #[error(transparent)]
    Refused(#[from] SpecError),
    /// The strong player failed.
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
}

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
        let mistakes = self.find_mistakes(record, seat, game.as_ref(), &mut work)?;
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
    /// after which the match was lost; otherwise the costliest first.
    fn find_mistakes(
        &self,
        record: &Record,
        seat: Seat,
        game: &dyn AnyGame,
        work: &mut Work,
    ) -> Result<Vec<Mistake>, LessonError> {
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
        Ok(mistakes)
    }
}

/// The difference in scores that makes a mistake.
fn gap_of(game: &dyn AnyGame) -> f64 {
    match (game.scoring(), game.score_range()) {
        (Scoring::Adversarial, Some((low, high))) => GAP * (high - low),
        _ => ROUNDING,
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

/// What became of a decision.
enum Small {
    Lesson(Box<Taught>),
    /// No match can begin in its position; says why.
    Impossible(String),
    /// The player decides otherwise there.
    NotRepeated,
    /// It turns out to be no mistake.
    NoMistake,
}

/// A lost match.
struct Lost<'a> {
    teacher: &'a Teacher<'a>,
    record: &'a Record,
    seat: Seat,
    player: &'a PlayerHandle,
    game: &'a dyn AnyGame,
    /// The positions of the match, by turn.
    positions: Vec<Box<dyn AnyMatch>>,
}

/// A position in which the player makes a mistake.
#[derive(Clone)]
struct Tested {
    position: StudyPosition,
    mistake: ActionWorth,
    /// The best action first.
    better: Vec<ActionWorth>,
    /// All actions that are mistakes.
    mistakes: Vec<String>,
    is_exact: bool,
}

impl Tested {
    /// Whether the mistake loses or draws for certain, and the better action draws or wins: nobody
    /// has to mix moves.
    fn is_clear(&self) -> bool {
        let is_certain = |worth: &ActionWorth| (2.0 * worth.least).fract() < ROUNDING;
        is_certain(&self.mistake) && self.better.first().is_some_and(is_certain)
    }
}

/// The result of a test.
enum Test {
    Mistake(Tested),
    NotRepeated,
    NoMistake,
}

/// What is tested.
#[derive(Clone, Copy)]
struct Claim<'a> {
    /// The action that the player must take.
    mistake: &'a str,
    /// The action that is better, where there are no exact values.
    better: &'a str,
    /// The seed with which the player is asked.
    seed: u64,
    /// The budgets at which searches must agree, where there are no exact values.
    budgets: &'a [f64],
}

impl Lost<'_> {
    /// Makes a lesson of the last mistake among the decisions whose exact worth can be found: as
    /// matches go on, positions become small.
    ///
    /// Where both players would have to mix their moves, a mistake costs something on average and
    /// often nothing in the end; such a lesson is only made if there is no clearer one.
    fn teach_ending(&self, work: &mut Work) -> Result<Option<Taught>, LessonError> {
        let entry = self.teacher.catalog.entry(self.game.name())?;
        let Some(study) = entry.study() else { return Ok(None) };
        let mut unclear = None;
        for turn in (0..self.positions.len()).rev() {
            let state = &self.positions[turn];
            let Some(played) = self.played(turn) else { continue };
            let seen = state.observation(self.seat);
            let Ok(start) = study.begin_at(self.game.scenario(), &seen) else { break };
            let worths = study.worths(&start, self.seat, MOST_POSITIONS.min(work.left));
            let Some(worths) = worths else { break };
            work.left = work.left.saturating_sub(worths.searched);
            let Some(first) = judge(&start, played, worths.actions, true) else { continue };
            let Some(seed) = self.find_seed(&start, played)? else { continue };
            let last = self.shrink(study, first, seed, work)?;
            match self.finish(study, &last, seed, turn as u32)? {
                Small::Lesson(taught) if self.is_confirmed(&taught.lesson.verified) => {
                    return Ok(Some(*taught));
                }
                Small::Lesson(taught) => unclear = unclear.or(Some(*taught)),
                _ => {}
            }
        }
        Ok(unclear)
    }

    /// What the seat played on a turn, if it decided there.
    fn played(&self, turn: usize) -> Option<&str> {
        self.played_by(self.seat, turn)
    }

    /// The number of actions in the record before a turn.
    fn actions_before(&self, turn: usize) -> usize {
        self.positions[..turn].iter().map(|state| state.acting().len()).sum()
    }

    fn played_by(&self, seat: Seat, turn: usize) -> Option<&str> {
        let before = self.actions_before(turn);
        let acting = self.positions[turn].acting();
        let own = acting.iter().position(|other| *other == seat)?;
        self.record.action_texts().nth(before + own)
    }

    /// Makes a small board of a decision's position.
    fn teach_small(&self, mistake: &Mistake, work: &mut Work) -> Result<Small, LessonError> {
        let entry = self.teacher.catalog.entry(self.game.name())?;
        let Some(study) = entry.study() else {
            let why = format!("{} has no smaller boards", self.game.name());
            return Ok(Small::Impossible(why));
        };
        let turn = mistake.turn;
        let state = &self.positions[turn as usize];
        let seen = state.observation(self.seat);
        let start = match study.begin_at(self.game.scenario(), &seen) {
            Ok(start) => start,
            Err(why) => return Ok(Small::Impossible(why)),
        };
        let Some(seed) = self.find_seed(&start, &mistake.played)? else {
            return Ok(Small::NotRepeated);
        };
        if !self.costs_at_all_budgets(mistake, &CHECKS, work)? {
            return Ok(Small::NoMistake);
        }
        // The search below each smaller position weighs these two.
        let worth = |action: &str| ActionWorth {
            action: action.to_owned(),
            expected: 0.0,
            least: 0.0,
            reply: String::new(),
        };
        let first = Tested {
            position: start.clone(),
            mistake: worth(&mistake.played),
            better: vec![worth(&mistake.best)],
            mistakes: vec![mistake.played.clone()],
            is_exact: false,
        };
        let last = self.shrink(study, first, seed, work)?;
        if last.position == start {
            return Ok(Small::Impossible("no smaller board was found".to_owned()));
        }
        self.finish(study, &last, seed, turn)
    }

    /// Whether the better action would have been better at every budget, given what the others
    /// did.
    fn costs_at_all_budgets(
        &self,
        mistake: &Mistake,
        checks: &[f64],
        work: &mut Work,
    ) -> Result<bool, LessonError> {
        for factor in checks {
            let budget = scaled(self.teacher.budget, *factor);
            let Some(scores) = self.score_both(mistake, budget, work)? else { return Ok(false) };
            let [better, worse] = scores.map(|score| self.game.objective().gain(score));
            if better - worse < gap_of(self.game) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The scores after the better action and after the mistake, given what the others did. None
    /// if the work is used up.
    fn score_both(
        &self,
        mistake: &Mistake,
        budget: Budget,
        work: &mut Work,
    ) -> Result<Option<[f64; 2]>, LessonError> {
        let state = &self.positions[mistake.turn as usize];
        let Teacher { judge: player, stop, .. } = *self.teacher;
        let seed = self.record.fixture.seed;
        let search = Search { game: self.game, player, budget, seed, stop };
        let mut scores = [0.0; 2];
        for (score, own) in scores.iter_mut().zip([&mistake.best, &mistake.played]) {
            let joint: Vec<&str> = state
                .acting()
                .iter()
                .map(|seat| match *seat == self.seat {
                    true => own.as_str(),
                    false => self.played_by(*seat, mistake.turn as usize).unwrap_or_default(),
                })
                .collect();
            match search.score(state.as_ref(), self.seat, &joint, work)? {
                Some(found) => *score = found,
                None => return Ok(None),
            }
        }
        Ok(Some(scores))
    }

    /// The seed with which the player makes the mistake in a position: that of the match, or
    /// another one if it decides at random.
    fn find_seed(
        &self,
        position: &StudyPosition,
        mistake: &str,
    ) -> Result<Option<u64>, LessonError> {
        for seed in std::iter::once(self.record.fixture.seed).chain(1..=OTHER_SEEDS) {
            if self.ask(position, seed)?.as_deref() == Some(mistake) {
                return Ok(Some(seed));
            }
        }
        Ok(None)
    }

    /// What the player does in a position; none if it fails there.
    fn ask(&self, position: &StudyPosition, seed: u64) -> Result<Option<String>, LessonError> {
        let game = self.build(position)?;
        if game.accepts(self.player).is_err() {
            return Ok(None);
        }
        let budget = self.record.fixture.budget;
        let question =
            Question { game: game.as_ref(), seed, budget, actions: &[], seat: self.seat };
        Ok(question.ask(self.player)?.ok())
    }

    fn build(&self, position: &StudyPosition) -> Result<Arc<dyn AnyGame>, SpecError> {
        self.teacher.catalog.game(self.game.name(), &position.scenario)
    }

    /// Whether the player makes the mistake in a position, and it is one there. What takes least
    /// time comes first.
    fn test(
        &self,
        study: &dyn Study,
        position: &StudyPosition,
        claim: Claim<'_>,
        work: &mut Work,
    ) -> Result<Test, LessonError> {
        let is_quick = !self.player.is_external();
        let repeats = || {
            let answer = self.ask(position, claim.seed)?;
            Ok::<bool, LessonError>(answer.as_deref() == Some(claim.mistake))
        };
        if is_quick && !repeats()? {
            return Ok(Test::NotRepeated);
        }
        let worths = study.worths(position, self.seat, MOST_POSITIONS.min(work.left));
        let is_exact = worths.is_some();
        work.left = work.left.saturating_sub(worths.as_ref().map_or(0, |found| found.searched));
        if let Some(worths) = worths {
            let Some(tested) = judge(position, claim.mistake, worths.actions, is_exact) else {
                return Ok(Test::NoMistake);
            };
            return match is_quick || repeats()? {
                true => Ok(Test::Mistake(tested)),
                false => Ok(Test::NotRepeated),
            };
        }
        if !is_quick && !repeats()? {
            return Ok(Test::NotRepeated);
        }
        let mut found = None;
        for factor in claim.budgets {
            let tested =
                self.search(position, claim, scaled(self.teacher.budget, *factor), work)?;
            match tested {
                Some(tested) => found = Some(tested),
                None => return Ok(Test::NoMistake),
            }
        }
        Ok(found.map_or(Test::NoMistake, Test::Mistake))
    }

    /// Whether the mistake is one in a position, by search.
    fn search(
        &self,
        position: &StudyPosition,
        claim: Claim<'_>,
        budget: Budget,
        work: &mut Work,
    ) -> Result<Option<Tested>, LessonError> {
        let game = self.build(position)?;
        let state = game.begin(claim.seed);
        let search = Search {
            game: game.as_ref(),
            player: self.teacher.judge,
            budget,
            seed: claim.seed,
            stop: self.teacher.stop,
        };
        let mut worths = Vec::new();
        for action in state.actions(self.seat) {
            if action == claim.mistake || action == claim.better {
                match search.weigh(state.as_ref(), self.seat, &action, work)? {
                    Some(worth) => worths.push(worth),
                    None => return Ok(None),
                }
            }
        }
        Ok(judge(position, claim.mistake, worths, false))
    }

    /// Takes steps to simpler positions as long as the mistake remains.
    fn shrink(
        &self,
        study: &dyn Study,
        first: Tested,
        seed: u64,
        work: &mut Work,
    ) -> Result<Tested, LessonError> {
        let mut tried = HashSet::new();
        let mut now = first;
        'smaller: loop {
            for position in study.simpler(&now.position) {
                if work.left == 0 || self.is_stopped() {
                    return Ok(now);
                }
                if !tried.insert(position.file.clone()) {
                    continue;
                }
                let (mistake, better) = (now.mistake.action.clone(), now.better[0].action.clone());
                let claim =
                    Claim { mistake: &mistake, better: &better, seed, budgets: &[WHILE_SHRINKING] };
                match self.test(study, &position, claim, work)? {
                    Test::Mistake(tested) if tested.is_clear() || !now.is_clear() => {
                        now = tested;
                        continue 'smaller;
                    }
                    _ => {}
                }
            }
            return Ok(now);
        }
    }

    fn is_stopped(&self) -> bool {
        self.teacher.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Verifies the smallest position, and makes the lesson.
    fn finish(
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
        let verified = self.verify(
            game.as_ref(),
            state.as_ref(),
            (&last.mistake.action, &better.action),
            seed,
        )?;
        let verified = Verification { exact: last.is_exact, ..verified };
        if !last.is_exact && !self.is_confirmed(&verified) {
            return Ok(Small::NoMistake);
        }
        let sentence = compare_on_board(study, &last.position, self.seat, &last.mistake, better);
        let lesson = Lesson {
            scenario: game.scenario().to_owned(),
            files: vec![lines_of(&last.position.file)],
            seed,
            mistakes: last.mistakes.clone(),
            better: last.better.iter().map(|worth| worth.action.clone()).collect(),
            sentence,
            ..self.blank(turn, verified)
        }
        .with_messages(self.teacher.catalog)?;
        let size = Some(study.size(&last.position));
        let turns = self.count_turns(game.as_ref(), seed)?;
        let other_seeds = self.try_other_seeds(&last.position, seed, &last.mistake.action)?;
        let opponent = self.find_opponent(game.as_ref(), seed)?;
        let whole = None;
        Ok(Small::Lesson(Box::new(Taught { lesson, size, whole, turns, opponent, other_seeds })))
    }

    /// Whether playing on gives more after the better action.
    fn is_confirmed(&self, verified: &Verification) -> bool {
        let [better, mistake] =
            [verified.better, verified.mistake].map(|score| self.game.objective().gain(score));
        better > mistake + ROUNDING
    }

    /// The weakest player of the game, up to the judge, that beats the player on a board, whatever
    /// the seed.
    fn find_opponent(&self, game: &dyn AnyGame, seed: u64) -> Result<Option<String>, LessonError> {
        let Teacher { catalog, judge, .. } = *self.teacher;
        for name in ladder(catalog.entry(game.name())?) {
            let other = catalog.player(game.name(), &name)?;
            if other.spec == self.player.spec || game.accepts(&other).is_err() {
                continue;
            }
            let mut line_up = vec![&other; game.seats()];
            line_up[self.seat.index()] = self.player;
            let mut wins = true;
            for seed in (0..OPPONENT_SEEDS).map(|number| seed.wrapping_add(number)) {
                let setup = Setup::new(seed).with_budget(self.record.fixture.budget);
                let record = game.play(&setup, &line_up, None)?;
                wins = wins && has_lost(&record, self.seat, game.objective());
            }
            if wins {
                return Ok(Some(name));
            }
            if other.spec == judge.spec {
                break;
            }
        }
        Ok(None)
    }

    /// A lesson without its position.
    fn blank(&self, turn: u32, verified: Verification) -> Lesson {
        let fixture = &self.record.fixture;
        Lesson {
            format: FORMAT,
            game: fixture.game.clone(),
            rules: fixture.versions.game,
            scenario: String::new(),
            files: Vec::new(),
            seed: fixture.seed,
            budget: fixture.budget,
            actions: String::new(),
            seat: self.seat,
            mistakes: Vec::new(),
            better: Vec::new(),
            sentence: String::new(),
            verified,
            origin: Some(Origin { record: self.record.id.clone(), turn }),
            messages: Vec::new(),
        }
    }

    /// Plays on from both actions with ten times the budget.
    fn verify(
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
    fn teach_whole(
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
        };
        for _ in 0..2 {
            if question.ask(self.player)?.ok().as_deref() != Some(mistake.played.as_str()) {
                return Ok(Small::NotRepeated);
            }
        }
        if !self.costs_at_all_budgets(mistake, &CHECKS_OF_WHOLE, work)? {
            return Ok(Small::NoMistake);
        }
        let verified = self.verify_whole(mistake)?;
        let gain = |score: f64| self.game.objective().gain(score);
        if gain(verified.better) < gain(verified.mistake) + gap_of(self.game) {
            return Ok(Small::NoMistake);
        }
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
            ..self.blank(mistake.turn, verified)
        }
        .with_messages(self.teacher.catalog)?;
        let turns = (self.positions.len() - 1) as u32 - mistake.turn;
        let whole = whole.cloned();
        let (size, opponent, other_seeds) = (None, None, None);
        Ok(Small::Lesson(Box::new(Taught { lesson, size, whole, turns, opponent, other_seeds })))
    }
}

/// What is wrong with an action, given what all are worth; none if nothing is.
fn judge(
    position: &StudyPosition,
    mistake: &str,
    worths: Vec<ActionWorth>,
    is_exact: bool,
) -> Option<Tested> {
    let own = worths.iter().find(|worth| worth.action == mistake)?.clone();
    let best = worths.iter().map(|worth| worth.least).fold(f64::MIN, f64::max);
    if best - own.expected < GAP {
        return None;
    }
    let is_other = |worth: &&ActionWorth| worth.action != mistake && best - worth.expected >= GAP;
    // What the player does comes first.
    let others = worths.iter().filter(is_other).map(|worth| worth.action.clone());
    let mistakes = std::iter::once(mistake.to_owned()).chain(others).collect();
    let mut better: Vec<ActionWorth> =
        worths.into_iter().filter(|worth| worth.least > best - ROUNDING).collect();
    better.sort_by(|a, b| b.expected.total_cmp(&a.expected));
    Some(Tested { position: position.clone(), mistake: own, better, mistakes, is_exact })
}
