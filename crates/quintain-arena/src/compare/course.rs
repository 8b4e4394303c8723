//! Which matches a comparison plays in which order, and their results put together by rounds.

use std::collections::VecDeque;
use std::time::Duration;

use quintain_core::{AnyGame, PlayerHandle, Record, Scoring, digest};

use super::comparison::{Compared, Comparison, Progress};
use super::config::{CompareError, Question};
use super::judgement::{Judgement, Side};
use super::ordered::Course;

/// A match to be played, with the round that it belongs to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task {
    round: u64,
    who: Who,
}

/// Who plays. Candidates and references are numbered in the order in which they were named.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Who {
    /// A candidate on the even seats and a reference on the odd ones, or the other way round.
    Meet { candidate: usize, reference: usize, swapped: bool },
    /// A candidate on all seats.
    Candidate(usize),
    /// A reference on all seats.
    Reference(usize),
}

/// A match ready to be played.
pub(super) struct Match<'a> {
    pub(super) game: &'a dyn AnyGame,
    pub(super) seats: Vec<&'a PlayerHandle>,
    pub(super) seed: u64,
}

/// A record, and how long the match took if it was played now.
pub(super) type Played = Result<(Record, Option<Duration>), CompareError>;

impl Question {
    pub(super) fn match_of(&self, task: Task) -> Match<'_> {
        let scenarios = self.games.len() as u64;
        let game = self.games[(task.round % scenarios) as usize].as_ref();
        let seated = |seat: usize| match task.who {
            Who::Meet { candidate, swapped, .. } if (seat % 2 == 1) == swapped => {
                &self.candidates[candidate]
            }
            Who::Meet { reference, .. } | Who::Reference(reference) => &self.references[reference],
            Who::Candidate(candidate) => &self.candidates[candidate],
        };
        let seats = (0..game.seats()).map(seated).collect();
        Match { game, seats, seed: self.first_seed + task.round / scenarios }
    }

    fn is_rivalry(&self) -> bool {
        self.games[0].scoring() == Scoring::Adversarial
    }

    fn check(&self) -> Result<(), CompareError> {
        let wrong = |problem: String| Err(CompareError::Question(problem));
        let first = &self.games[0];
        for game in &self.games {
            let read = |game: &dyn AnyGame| (game.objective(), game.scoring());
            if read(game.as_ref()) != read(first.as_ref()) {
                return wrong(format!(
                    "scores on {} are read in another way than on {}; compare on one at a time",
                    game.scenario(),
                    first.scenario()
                ));
            }
            if self.is_rivalry() && game.seats() != first.seats() {
                return wrong(format!(
                    "{} has {} seats, but {} has {}; compare on one at a time",
                    game.scenario(),
                    game.seats(),
                    first.scenario(),
                    first.seats()
                ));
            }
        }
        if self.is_rivalry() && first.seats() < 2 {
            return wrong(format!("{} has one seat, so rivals cannot meet", first.scenario()));
        }
        Ok(())
    }
}

/// Rounds on a scenario without any difference after which there is no point in more of them.
const UNVARYING: u64 = 6;

/// One candidate's course.
struct Candidate {
    judgement: Judgement,
    compared: Compared,
    /// What its first round on each scenario looked like.
    first: Vec<Vec<String>>,
    /// Whether a later round looked otherwise.
    varied: bool,
}

impl Candidate {
    fn is_undecided(&self) -> bool {
        self.compared.verdict.is_none() && !self.compared.unvarying
    }

    /// Notes whether the rounds differ at all, from what was done in the matches of the next one.
    fn look(&mut self, actions: Vec<String>, scenarios: usize) {
        let round = self.compared.rounds as usize;
        match self.first.get(round % scenarios) {
            None => self.first.push(actions),
            Some(first) => self.varied |= *first != actions,
        }
        let enough = UNVARYING * scenarios as u64;
        self.compared.unvarying = !self.varied && self.compared.rounds + 1 >= enough;
    }
}

/// The rounds of a comparison as they are given out, and as their results come in.
pub(super) struct Rounds<'a> {
    question: &'a Question,
    candidates: Vec<Candidate>,
    /// The next round to be given out.
    next_round: u64,
    /// Tasks of it that have not been given out.
    queue: VecDeque<Task>,
    /// Tasks given out whose results are not in, in order; the last of its round is marked.
    expected: VecDeque<(Task, bool)>,
    /// Matches of rounds that were given out but not judged.
    promised: u64,
    /// Results of the round at hand.
    round: Vec<(Who, Record, Option<Duration>)>,
    /// Matches counted.
    matches: u64,
    /// What was played, counts, and has not been fetched to be kept.
    new: Vec<(Record, Duration)>,
    error: Option<CompareError>,
    /// There is nothing more to be asked.
    over: bool,
}

impl<'a> Rounds<'a> {
    pub(super) fn new(question: &'a Question) -> Result<Rounds<'a>, CompareError> {
        question.check()?;
        let candidates = question.candidates.iter().map(|candidate| {
            let judgement = Judgement::new(question)?;
            let compared = judgement.compared(candidate.spec.clone());
            Ok(Candidate { judgement, compared, first: Vec::new(), varied: false })
        });
        let candidates = candidates.collect::<Result<Vec<_>, CompareError>>()?;
        let rounds = Rounds {
            question,
            candidates,
            next_round: 0,
            queue: VecDeque::new(),
            expected: VecDeque::new(),
            promised: 0,
            round: Vec::new(),
            matches: 0,
            new: Vec::new(),
            error: None,
            over: false,
        };
        let least = rounds.tasks(0).len() as u64;
        if least > question.matches {
            return Err(CompareError::Question(format!(
                "a round takes {least} matches, but {} are allowed in all; allow more",
                question.matches
            )));
        }
        Ok(rounds)
    }

    pub(super) fn progress(&self) -> Progress {
        Progress { matches: self.matches, undecided: self.undecided().count() }
    }

    /// Records to be kept, with the time that each took.
    pub(super) fn take_new(&mut self) -> Vec<(Record, Duration)> {
        std::mem::take(&mut self.new)
    }

    pub(super) fn answer(self) -> Result<Comparison, CompareError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let question = self.question;
        let first = &question.games[0];
        Ok(Comparison {
            game: first.name().to_owned(),
            scenarios: question.games.iter().map(|game| game.scenario().to_owned()).collect(),
            goal: first.objective(),
            contest: first.scoring(),
            references: question.references.iter().map(|player| player.spec.clone()).collect(),
            first_seed: question.first_seed,
            budget: question.budget,
            delta: question.delta,
            risks: question.risks,
            matches: self.matches,
            most_matches: question.matches,
            stopped: !self.over && self.undecided().next().is_some(),
            candidates: self
                .candidates
                .into_iter()
                .map(|candidate| candidate.judgement.finished(candidate.compared))
                .collect(),
        })
    }

    fn undecided(&self) -> impl Iterator<Item = usize> {
        let candidates = self.candidates.iter().enumerate();
        candidates.filter(|(_, candidate)| candidate.is_undecided()).map(|(at, _)| at)
    }

    /// The matches of a round for those that have no verdict now.
    fn tasks(&self, round: u64) -> VecDeque<Task> {
        let references = 0..self.question.references.len();
        let mut who = Vec::new();
        if self.question.is_rivalry() {
            for candidate in self.undecided() {
                for reference in references.clone() {
                    let meet = |swapped| Who::Meet { candidate, reference, swapped };
                    who.extend([meet(false), meet(true)]);
                }
            }
        } else {
            who.extend(references.map(Who::Reference));
            who.extend(self.undecided().map(Who::Candidate));
        }
        who.into_iter().map(|who| Task { round, who }).collect()
    }

    /// Judges the round whose results are all in.
    fn judge(&mut self) {
        let round = std::mem::take(&mut self.round);
        let undecided: Vec<usize> = self.undecided().collect();
        let of = |at: usize| {
            let his = move |who: &Who| match *who {
                Who::Meet { candidate, .. } | Who::Candidate(candidate) => candidate == at,
                Who::Reference(_) => true,
            };
            round.iter().filter(move |(who, ..)| his(who))
        };
        for &at in &undecided {
            let candidate = &mut self.candidates[at];
            if !candidate.varied {
                let actions = of(at).map(|(_, record, _)| digest(record.actions.as_bytes()));
                candidate.look(actions.collect(), self.question.games.len());
            }
            let Candidate { judgement, compared, .. } = candidate;
            let outcomes = of(at).map(|(who, record, _)| (side(*who), &record.outcome));
            let outcomes: Vec<_> = outcomes.collect();
            compared.matches += outcomes.len() as u64;
            judgement.count(&outcomes, compared);
        }
        let counts = |who: &Who| match *who {
            Who::Meet { candidate, .. } | Who::Candidate(candidate) => {
                undecided.contains(&candidate)
            }
            Who::Reference(_) => true,
        };
        let counted: Vec<_> = round.into_iter().filter(|(who, ..)| counts(who)).collect();
        self.matches += counted.len() as u64;
        self.new.extend(counted.into_iter().filter_map(|(_, record, took)| Some((record, took?))));
    }
}

fn side(who: Who) -> Side {
    match who {
        Who::Meet { swapped: false, .. } => Side::Even,
        Who::Meet { swapped: true, .. } => Side::Odd,
        Who::Candidate(_) => Side::All,
        Who::Reference(_) => Side::None,
    }
}

impl Course for Rounds<'_> {
    type Task = Task;
    type Result = Played;

    fn next(&mut self) -> Option<Task> {
        if self.queue.is_empty() {
            let tasks = self.tasks(self.next_round);
            let cost = tasks.len() as u64;
            if self.matches + self.promised + cost > self.question.matches {
                return None;
            }
            self.promised += cost;
            self.next_round += 1;
            self.queue = tasks;
        }
        let task = self.queue.pop_front()?;
        self.expected.push_back((task, self.queue.is_empty()));
        Some(task)
    }

    fn take(&mut self, result: Played) -> bool {
        let (task, last) = self.expected.pop_front().expect("every result was asked for");
        match result {
            Ok((record, took)) => self.round.push((task.who, record, took)),
            Err(error) => {
                self.error = Some(error);
                return false;
            }
        }
        if last {
            self.promised -= self.round.len() as u64;
            self.judge();
            let round = self.tasks(0).len() as u64;
            self.over =
                self.undecided().next().is_none() || self.matches + round > self.question.matches;
        }
        !self.over
    }
}
