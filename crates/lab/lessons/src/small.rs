//! The smallest position found in which the player decides the same way and is wrong (delta
//! debugging: a step that keeps the mistake is kept, one that does not is undone).

use std::collections::HashSet;

use quintain_core::{ActionWorth, Budget, Study, StudyPosition};
use quintain_play::Mistake;

use crate::exact::{EXACT_POSITIONS, Judged};
use crate::lost::{Lost, Small};
use crate::task::{GAP, LessonError, NO_BOARD, ROUNDING, Taught};
use crate::weighing::{Search, Work, scaled};

/// The most positions searched for the exact worths of one position.
const MOST_POSITIONS: u64 = 60_000;
/// The same as long as no position with exact values is known: there may be hundreds to try.
const FIRST_POSITIONS: u64 = 3_000;
/// The budget with which positions are weighed while they become smaller.
const WHILE_SHRINKING: f64 = 0.1;

/// A position in which the player makes a mistake.
#[derive(Clone)]
pub(crate) struct Tested {
    pub(crate) position: StudyPosition,
    pub(crate) mistake: ActionWorth,
    /// The best action first.
    pub(crate) better: Vec<ActionWorth>,
    /// All actions that are mistakes.
    pub(crate) mistakes: Vec<String>,
    pub(crate) is_exact: bool,
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
    /// The most positions searched for exact values.
    positions: u64,
    /// The budgets at which searches must agree, where there are no exact values.
    budgets: &'a [f64],
}

impl Lost<'_> {
    /// Makes a lesson of the last mistake among the decisions whose exact worth can be found: as
    /// matches go on, positions become small. If the whole match was judged, all can be found.
    ///
    /// Where both players would have to mix their moves, a mistake costs something on average and
    /// often nothing in the end; such a lesson is only made if there is no clearer one.
    pub(crate) fn teach_ending(
        &self,
        judged: Option<&Judged>,
        work: &mut Work,
    ) -> Result<Option<Taught>, LessonError> {
        let entry = self.teacher.catalog.entry(self.game.name())?;
        let Some(study) = entry.study() else { return Ok(None) };
        let mut unclear = None;
        for turn in (0..self.positions.len()).rev() {
            if self.is_stopped() || work.left == 0 {
                break;
            }
            let state = &self.positions[turn];
            let Some(played) = self.played(turn) else { continue };
            if judged.is_some_and(|judged| !judged.is_mistake(turn)) {
                continue;
            }
            let seen = state.observation(self.seat);
            let Ok(start) = study.begin_at(self.game.scenario(), &seen) else { break };
            let most = if judged.is_some() { EXACT_POSITIONS } else { MOST_POSITIONS };
            let Some(worths) = self.find_worths(study, &start, most, work) else { break };
            let Some(first) = judge(&start, played, worths, true) else { continue };
            let Some(seed) = self.find_seed(&start, played)? else { continue };
            let last = self.shrink(study, first, seed, &[], work)?;
            match self.finish(study, &last, seed, turn as u32)? {
                Small::Lesson(taught) if taught.is_confirmed => {
                    return Ok(Some(*taught));
                }
                Small::Lesson(taught) => unclear = unclear.or(Some(*taught)),
                _ => {}
            }
        }
        Ok(unclear)
    }

    /// Makes a small board of a decision's position.
    pub(crate) fn teach_small(
        &self,
        mistake: &Mistake,
        work: &mut Work,
    ) -> Result<Small, LessonError> {
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
        // A board on which the mistake is proved needs no search.
        let mut last = self.shrink(study, first.clone(), seed, &[], work)?;
        if !last.is_exact && !self.look.is_content_with_whole() {
            // Boards that only searches tell about take long.
            return Ok(Small::Impossible(NO_BOARD.to_owned()));
        }
        if !last.is_exact {
            if self.costs_at_all_budgets(mistake, self.look, work)?.is_none() {
                return Ok(Small::NoMistake);
            }
            last = self.shrink(study, first, seed, &[WHILE_SHRINKING], work)?;
            if last.position == start {
                let why = match self.is_stopped() {
                    true => "there was no time for a smaller one",
                    false => NO_BOARD,
                };
                return Ok(Small::Impossible(why.to_owned()));
            }
        }
        // What is a mistake on a part of the board may be none in the match.
        let costs_in_match = self.costs_in_match(mistake)?;
        if costs_in_match == Some(false) {
            return Ok(Small::NoMistake);
        }
        let mut made = self.finish(study, &last, seed, turn)?;
        if let Small::Lesson(taught) = &mut made {
            taught.costs_in_match = costs_in_match.is_some();
        }
        Ok(made)
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
        let repeats = || self.repeats(position, claim.mistake, claim.seed, self.teacher.stop);
        if is_quick && !repeats()? {
            return Ok(Test::NotRepeated);
        }
        if let Some(worths) = self.find_worths(study, position, claim.positions, work) {
            let Some(tested) = judge(position, claim.mistake, worths, true) else {
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

    /// What all actions are worth in a position, if at most so many positions tell.
    fn find_worths(
        &self,
        study: &dyn Study,
        position: &StudyPosition,
        most: u64,
        work: &mut Work,
    ) -> Option<Vec<ActionWorth>> {
        let worths =
            study.worths(position, self.seat_on_boards, most.min(work.left), self.teacher.stop);
        work.left = work.left.saturating_sub(worths.searched);
        worths.actions
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
        for action in state.actions(self.seat_on_boards) {
            if action == claim.mistake || action == claim.better {
                match search.weigh(state.as_ref(), self.seat_on_boards, &action, work)? {
                    Some(worth) => worths.push(worth),
                    None => return Ok(None),
                }
            }
        }
        Ok(judge(position, claim.mistake, worths, false))
    }

    /// Takes steps to simpler positions as long as the mistake remains. Where there are no exact
    /// values, searches with these budgets must agree; without any, such positions are left out.
    fn shrink(
        &self,
        study: &dyn Study,
        first: Tested,
        seed: u64,
        budgets: &[f64],
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
                let claim = Claim {
                    mistake: &mistake,
                    better: &better,
                    seed,
                    positions: if now.is_exact { MOST_POSITIONS } else { FIRST_POSITIONS },
                    // What is proved stays proved.
                    budgets: if now.is_exact { &[] } else { budgets },
                };
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
