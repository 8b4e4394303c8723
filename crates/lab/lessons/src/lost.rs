//! A lost match, and what can be asked about its decisions.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use quintain_core::{
    AnyGame, AnyMatch, Budget, PlayerHandle, Record, Scoring, Seat, SpecError, StudyPosition,
};
use quintain_play::Mistake;

use crate::asking::Question;
use crate::lesson::{FORMAT, Lesson, Origin, Verification};
use crate::task::{LessonError, Look, NO_BOARD, ROUNDING, Taught, Teacher, gap_of};
use crate::weighing::{Search, VERIFICATION, Work, scaled};

/// The budgets at which a decision must look like a mistake in the match, too, if it was proved on
/// a part of the board: the least first, because most that is none is seen with that.
const IN_MATCH: [f64; 3] = [0.5, 1.0, 4.0];
/// The budget at which a position is verified once the work was stopped: no lesson rests on less
/// than the search for it had.
const HASTY: f64 = 1.0;
/// Other seeds with which a player is asked, to see whether it decides at random.
pub(crate) const OTHER_SEEDS: u64 = 9;

/// What became of a decision.
pub(crate) enum Small {
    Lesson(Box<Taught>),
    /// No match can begin in its position; says why.
    Impossible(String),
    /// The player decides otherwise there.
    NotRepeated,
    /// It turns out to be no mistake.
    NoMistake,
}

/// What searches say of a decision.
enum Cost {
    /// Enough to be a mistake; with the scores of the greatest budget, those after the better
    /// action first.
    Enough([f64; 2]),
    Little,
    /// The work was used up.
    Unknown,
}

/// How carefully a position that was found is checked.
#[derive(Clone, Copy)]
pub(crate) struct Care<'a> {
    /// The budget of the judge, as a multiple of that of the search.
    pub(crate) factor: f64,
    /// None in haste: what is done then takes little time.
    pub(crate) stop: Option<&'a Arc<AtomicBool>>,
    /// Whether the work was stopped, so that only what is necessary is done.
    pub(crate) is_hasty: bool,
}

impl Care<'_> {
    /// Whether its work was stopped.
    pub(crate) fn is_stopped(&self) -> bool {
        is_set(self.stop)
    }
}

/// Whether a stop was requested.
pub(crate) fn is_set(stop: Option<&Arc<AtomicBool>>) -> bool {
    stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
}

/// A lost match.
pub(crate) struct Lost<'a> {
    pub(crate) teacher: &'a Teacher<'a>,
    /// How closely it is looked at.
    pub(crate) look: Look,
    pub(crate) record: &'a Record,
    pub(crate) seat: Seat,
    /// The seat that the player has on small boards.
    pub(crate) seat_on_boards: Seat,
    pub(crate) player: &'a PlayerHandle,
    pub(crate) game: &'a dyn AnyGame,
    /// The positions of the match, by turn.
    pub(crate) positions: Vec<Box<dyn AnyMatch>>,
}

impl Lost<'_> {
    /// What the seat played on a turn, if it decided there.
    pub(crate) fn played(&self, turn: usize) -> Option<&str> {
        self.played_by(self.seat, turn)
    }

    /// The number of actions in the record before a turn.
    pub(crate) fn actions_before(&self, turn: usize) -> usize {
        self.positions[..turn].iter().map(|state| state.acting().len()).sum()
    }

    pub(crate) fn played_by(&self, seat: Seat, turn: usize) -> Option<&str> {
        let before = self.actions_before(turn);
        let acting = self.positions[turn].acting();
        let own = acting.iter().position(|other| *other == seat)?;
        self.record.action_texts().nth(before + own)
    }

    /// The scores with the greatest of several budgets, if the better action would have been better
    /// with every one, given what the others did.
    pub(crate) fn costs_at_all_budgets(
        &self,
        mistake: &Mistake,
        look: Look,
        work: &mut Work,
    ) -> Result<Option<[f64; 2]>, LessonError> {
        let checks = match self.game.scoring() {
            Scoring::Adversarial => look.checks(),
            // The match was reviewed with a smaller budget, and will be with a greater one.
            Scoring::Independent => &[1.0],
        };
        Ok(match self.search_cost(mistake, checks, work)? {
            Cost::Enough(scores) => Some(scores),
            Cost::Little | Cost::Unknown => None,
        })
    }

    /// Whether the better action would have been better in the match, given what the others did, as
    /// far as searches with several budgets tell. None if there was no time for that.
    pub(crate) fn costs_in_match(&self, mistake: &Mistake) -> Result<Option<bool>, LessonError> {
        // The check has work of its own, so that a lesson that was found is never lost.
        let mut work = Work { left: self.teacher.nodes };
        Ok(match self.search_cost(mistake, &IN_MATCH, &mut work)? {
            _ if self.is_stopped() => None,
            Cost::Enough(_) => Some(true),
            Cost::Little => Some(false),
            Cost::Unknown => None,
        })
    }

    /// Whether a decision costs enough in the match with all of several budgets.
    fn search_cost(
        &self,
        mistake: &Mistake,
        factors: &[f64],
        work: &mut Work,
    ) -> Result<Cost, LessonError> {
        let mut cost = Cost::Unknown;
        for factor in factors {
            let budget = scaled(self.teacher.budget, *factor);
            let scores = self.score_both(self.patient(), mistake, budget, work)?;
            let Some(scores) = scores else { return Ok(Cost::Unknown) };
            let [better, worse] = scores.map(|score| self.game.objective().gain(score));
            if better - worse < gap_of(self.game) {
                return Ok(Cost::Little);
            }
            cost = Cost::Enough(scores);
        }
        Ok(cost)
    }

    /// What was played on a turn, with another action of one seat.
    pub(crate) fn joint_with<'b>(&'b self, seat: Seat, own: &'b str, turn: usize) -> Vec<&'b str> {
        let acting = self.positions[turn].acting().iter();
        acting
            .map(|other| match *other == seat {
                true => own,
                false => self.played_by(*other, turn).unwrap_or_default(),
            })
            .collect()
    }

    /// The scores after the better action and after the mistake, given what the others did. None
    /// if the work is used up.
    pub(crate) fn score_both(
        &self,
        care: Care<'_>,
        mistake: &Mistake,
        budget: Budget,
        work: &mut Work,
    ) -> Result<Option<[f64; 2]>, LessonError> {
        let state = &self.positions[mistake.turn as usize];
        let (player, seed, stop) = (self.teacher.judge, self.record.fixture.seed, care.stop);
        let search = Search { game: self.game, player, budget, seed, stop };
        let mut scores = [0.0; 2];
        for (score, own) in scores.iter_mut().zip([&mistake.best, &mistake.played]) {
            let joint = self.joint_with(self.seat, own, mistake.turn as usize);
            match search.score(state.as_ref(), self.seat, &joint, work)? {
                Some(found) => *score = found,
                None => return Ok(None),
            }
        }
        Ok(Some(scores))
    }

    /// The seed with which the player makes the mistake in a position: that of the match, or
    /// another one if it decides at random.
    pub(crate) fn find_seed(
        &self,
        position: &StudyPosition,
        mistake: &str,
    ) -> Result<Option<u64>, LessonError> {
        for seed in std::iter::once(self.record.fixture.seed).chain(1..=OTHER_SEEDS) {
            if self.is_stopped() {
                break;
            }
            if self.repeats(position, mistake, seed, self.teacher.stop)? {
                return Ok(Some(seed));
            }
        }
        Ok(None)
    }

    /// Whether the player makes a mistake in a position, however it writes it.
    pub(crate) fn repeats(
        &self,
        position: &StudyPosition,
        mistake: &str,
        seed: u64,
        stop: Option<&Arc<AtomicBool>>,
    ) -> Result<bool, LessonError> {
        let game = self.build(position)?;
        if game.accepts(self.player).is_err() {
            return Ok(false);
        }
        let (budget, seat) = (self.record.fixture.budget, self.seat_on_boards);
        let actions = &[];
        let question =
            Question { game: game.as_ref(), seed, luck: seed, budget, actions, seat, stop };
        let answer = question.ask(self.player)?.ok();
        // The answer of a player that was stopped means nothing.
        let answer = answer.filter(|_| !is_set(stop));
        Ok(answer.is_some_and(|own| game.begin(seed).do_the_same(seat, &own, mistake)))
    }

    pub(crate) fn build(&self, position: &StudyPosition) -> Result<Arc<dyn AnyGame>, SpecError> {
        self.teacher.catalog.game(self.game.name(), &position.scenario)
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.teacher.is_stopped()
    }

    /// A board that is like the first position in which the player decides, or why there is none.
    fn first_board(&self) -> Result<Result<StudyPosition, String>, LessonError> {
        let study = self.teacher.catalog.entry(self.game.name())?.study();
        let first = (0..self.positions.len()).find(|turn| self.played(*turn).is_some());
        Ok(match (study, first) {
            (Some(study), Some(turn)) => {
                let seen = self.positions[turn].observation(self.seat);
                study.begin_at(self.game.scenario(), &seen)
            }
            _ => Err(NO_BOARD.to_owned()),
        })
    }

    /// Why the game has no small boards that are like the match, if it has none.
    pub(crate) fn why_no_boards(&self) -> Result<Option<String>, LessonError> {
        Ok(self.first_board()?.err())
    }

    /// The seat of whoever decides on small boards: where players move in turn, the one that
    /// begins.
    pub(crate) fn find_seat_on_boards(&self) -> Result<Seat, LessonError> {
        let Ok(board) = self.first_board()? else { return Ok(self.seat) };
        let start = self.build(&board)?.begin(self.record.fixture.seed);
        let acting = start.acting();
        let is_own = acting.contains(&self.seat);
        Ok(acting.first().copied().filter(|_| !is_own).unwrap_or(self.seat))
    }

    /// The care that is taken while there is time.
    pub(crate) fn patient(&self) -> Care<'_> {
        Care { factor: VERIFICATION, stop: self.teacher.stop, is_hasty: false }
    }

    /// How careful it can be with a position that was found: once the search was stopped, there is
    /// some time left for checks.
    pub(crate) fn care(&self) -> Care<'_> {
        let stop = self.teacher.stop_checks.or(self.teacher.stop);
        match self.is_stopped() {
            false => self.patient(),
            true if !is_set(stop) => Care { factor: VERIFICATION, stop, is_hasty: false },
            true => Care { factor: HASTY, stop: None, is_hasty: true },
        }
    }

    /// Whether playing on gives more after the better action.
    pub(crate) fn is_better(&self, verified: &Verification) -> bool {
        let [better, mistake] =
            [verified.better, verified.mistake].map(|score| self.game.objective().gain(score));
        better > mistake + ROUNDING
    }

    /// Whether that is so with the budget of a verification, which there may have been no time for.
    pub(crate) fn is_confirmed(&self, verified: &Verification) -> bool {
        let budget = scaled(self.teacher.budget, VERIFICATION);
        verified.budget == budget && self.is_better(verified)
    }

    /// A lesson without its position.
    pub(crate) fn blank(&self, turn: u32, verified: Verification) -> Lesson {
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
            opponent: None,
            origin: Some(Origin { record: self.record.id.clone(), turn }),
            messages: Vec::new(),
        }
    }
}
