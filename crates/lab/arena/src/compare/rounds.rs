//! The matches that a comparison plays, in their order, and their results gathered by round.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use quintain_core::{AnyGame, PlayerHandle, Record, Scoring, Setup, digest};
use quintain_store::{Filter, Store, StoreError};

use super::comparison::{CandidateResult, CompareProgress, Comparison, likely_matches};
use super::config::{CompareError, ComparisonConfig};
use super::judgement::{Judgement, Side};
use crate::ordered::OrderedSource;

/// A match to be played, with the round that it belongs to.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScheduledMatch {
    round: u64,
    who: Who,
}

/// Who plays a match. Candidates and references are numbered in the order in which they were named.
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
    pub(super) game: Arc<dyn AnyGame>,
    pub(super) seats: Vec<&'a PlayerHandle>,
    pub(super) setup: Setup,
}

impl Match<'_> {
    /// The match's id in a store.
    pub(super) fn id(&self) -> String {
        self.game.fixture(&self.setup, &self.seats).id()
    }
}

/// A record, and how long the match took if it was played now.
pub(super) type MatchAnswer = Result<(Record, Option<Duration>), CompareError>;

impl ComparisonConfig {
    /// The first seed of this comparison in a store, whatever `first_seed` is: the smallest seed
    /// whose first match is there. With it as the first seed, matches of the store are taken
    /// instead of being played again.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn find_first_seed(&self, store: &Store) -> Result<Option<u64>, StoreError> {
        let (Some(game), Some(candidate)) = (self.games.first(), self.candidates.first()) else {
            return Ok(None);
        };
        let who = match self.is_rivalry() && !self.references.is_empty() {
            true => Who::Meet { candidate: 0, reference: 0, swapped: false },
            false => Who::Candidate(0),
        };
        let filter = Filter {
            game: Some(game.name().to_owned()),
            player: Some(candidate.spec.clone()),
            ..Filter::default()
        };
        let mut found: Option<u64> = None;
        store.matches(&filter, |row| -> Result<(), StoreError> {
            let is_first = found.is_none_or(|found| row.seed < found);
            if is_first && self.prepare(0, row.seed, who).id() == row.id {
                found = Some(row.seed);
            }
            Ok(())
        })?;
        Ok(found)
    }

    pub(super) fn match_of(&self, ScheduledMatch { round, who }: ScheduledMatch) -> Match<'_> {
        let scenarios = self.games.len() as u64;
        self.prepare((round % scenarios) as usize, self.first_seed + round / scenarios, who)
    }

    /// A match on the scenario with index `place`.
    fn prepare(&self, place: usize, seed: u64, who: Who) -> Match<'_> {
        let game = match self.instances.get(&place) {
            Some(draw) => draw(seed),
            None => Arc::clone(&self.games[place]),
        };
        let seated = |seat: usize| match who {
            Who::Meet { candidate, swapped, .. } if (seat % 2 == 1) == swapped => {
                &self.candidates[candidate]
            }
            Who::Meet { reference, .. } | Who::Reference(reference) => &self.references[reference],
            Who::Candidate(candidate) => &self.candidates[candidate],
        };
        let seats = (0..game.seats()).map(seated).collect();
        Match { game, seats, setup: Setup::new(seed).with_budget(self.budget) }
    }

    fn is_rivalry(&self) -> bool {
        self.games[0].scoring() == Scoring::Adversarial
    }

    fn check(&self) -> Result<(), CompareError> {
        let wrong = |problem: String| Err(CompareError::Config(problem));
        let first = &self.games[0];
        for game in &self.games {
            let read = |game: &dyn AnyGame| (game.objective(), game.scoring());
            if read(game.as_ref()) != read(first.as_ref()) {
                return wrong(format!(
                    "scores on {} cannot be compared with those on {}; compare on one at a time",
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

/// After this many rounds on a scenario without any difference, more of them are pointless.
const UNVARYING: u64 = 6;

/// What is known about one candidate.
struct Candidate {
    judgement: Judgement,
    compared: CandidateResult,
    /// What was done in its first round on each scenario.
    first: Vec<Vec<String>>,
    /// Whether a later round differed from the first.
    varied: bool,
}

impl Candidate {
    fn is_undecided(&self) -> bool {
        self.compared.verdict.is_none() && !self.compared.unvarying
    }

    /// How many more matches are likely needed, see [`CandidateResult::likely_matches`].
    fn likely_more(&self) -> Option<u64> {
        let (evidence, decisive) = self.judgement.evidence();
        let likely = likely_matches(self.compared.matches, evidence, decisive)?;
        Some(likely.saturating_sub(self.compared.matches))
    }

    /// Notes whether rounds differ at all, given the actions in the matches of the next round.
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

/// The rounds of a comparison as they are given out and as their results come in.
pub(super) struct Rounds<'a> {
    config: &'a ComparisonConfig,
    candidates: Vec<Candidate>,
    /// The next round to be given out.
    next_round: u64,
    /// Matches of that round that have not been given out.
    queue: VecDeque<ScheduledMatch>,
    /// Matches given out whose results are not in, in order; the last of its round is marked.
    expected: VecDeque<(ScheduledMatch, bool)>,
    /// Matches of rounds that were given out but not judged.
    promised: u64,
    /// Results of the current round.
    round: Vec<(Who, Record, Option<Duration>)>,
    /// Matches counted.
    matches: u64,
    /// Those of them that were played now.
    played: u64,
    /// The ids of the matches counted.
    ids: Vec<String>,
    /// Matches that were played, count, and have not been fetched to be kept.
    new: Vec<(Record, Duration)>,
    error: Option<CompareError>,
    /// Whether there is nothing more to ask for.
    over: bool,
}

impl<'a> Rounds<'a> {
    pub(super) fn new(config: &'a ComparisonConfig) -> Result<Rounds<'a>, CompareError> {
        config.check()?;
        let candidates = config.candidates.iter().map(|candidate| {
            let judgement = Judgement::new(config)?;
            let compared = judgement.begin_result(candidate.spec.clone());
            Ok(Candidate { judgement, compared, first: Vec::new(), varied: false })
        });
        let candidates = candidates.collect::<Result<Vec<_>, CompareError>>()?;
        let rounds = Rounds {
            config,
            candidates,
            next_round: 0,
            queue: VecDeque::new(),
            expected: VecDeque::new(),
            promised: 0,
            round: Vec::new(),
            matches: 0,
            played: 0,
            ids: Vec::new(),
            new: Vec::new(),
            error: None,
            over: false,
        };
        let least = rounds.matches_of_round(0).len() as u64;
        if least > config.matches {
            return Err(CompareError::Config(format!(
                "a round takes {least} matches, but only {} are allowed in total; allow more",
                config.matches
            )));
        }
        Ok(rounds)
    }

    pub(super) fn progress(&self) -> CompareProgress {
        let undecided = self.undecided().map(|at| &self.candidates[at]);
        let more = undecided.map(Candidate::likely_more);
        let more: Option<u64> = more.sum();
        CompareProgress {
            matches: self.matches,
            played: self.played,
            undecided: self.undecided().count(),
            likely: more.map(|more| (self.matches + more).min(self.config.matches)),
        }
    }

    /// Records to be kept, with the time that each took.
    pub(super) fn take_new(&mut self) -> Vec<(Record, Duration)> {
        std::mem::take(&mut self.new)
    }

    pub(super) fn answer(self) -> Result<Comparison, CompareError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let config = self.config;
        let first = &config.games[0];
        Ok(Comparison {
            game: first.name().to_owned(),
            scenarios: config.games.iter().map(|game| game.scenario().to_owned()).collect(),
            objective: first.objective(),
            scoring: first.scoring(),
            references: config.references.iter().map(|player| player.spec.clone()).collect(),
            first_seed: config.first_seed,
            budget: config.budget,
            delta: config.delta,
            scale: config.scale,
            risks: config.risks,
            matches: self.matches,
            most_matches: config.matches,
            stopped: !self.over && self.undecided().next().is_some(),
            candidates: self
                .candidates
                .into_iter()
                .map(|candidate| candidate.judgement.finish(candidate.compared))
                .collect(),
            ids: self.ids,
        })
    }

    fn undecided(&self) -> impl Iterator<Item = usize> {
        let candidates = self.candidates.iter().enumerate();
        candidates.filter(|(_, candidate)| candidate.is_undecided()).map(|(at, _)| at)
    }

    /// The matches of a round for the candidates that have no verdict yet.
    fn matches_of_round(&self, round: u64) -> VecDeque<ScheduledMatch> {
        let references = 0..self.config.references.len();
        let mut who = Vec::new();
        if self.config.is_rivalry() {
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
        who.into_iter().map(|who| ScheduledMatch { round, who }).collect()
    }

    /// Judges the round, whose results are all in.
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
                candidate.look(actions.collect(), self.config.games.len());
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
        self.played += counted.iter().filter(|(.., took)| took.is_some()).count() as u64;
        self.ids.extend(counted.iter().map(|(_, record, _)| record.id.clone()));
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

impl OrderedSource for Rounds<'_> {
    type Job = ScheduledMatch;
    type Result = MatchAnswer;

    fn next(&mut self) -> Option<ScheduledMatch> {
        if self.queue.is_empty() {
            let matches_of_round = self.matches_of_round(self.next_round);
            let cost = matches_of_round.len() as u64;
            if self.matches + self.promised + cost > self.config.matches {
                return None;
            }
            self.promised += cost;
            self.next_round += 1;
            self.queue = matches_of_round;
        }
        let scheduled = self.queue.pop_front()?;
        self.expected.push_back((scheduled, self.queue.is_empty()));
        Some(scheduled)
    }

    fn take(&mut self, result: MatchAnswer) -> bool {
        let (scheduled, last) = self.expected.pop_front().expect("every result was asked for");
        match result {
            Ok((record, took)) => self.round.push((scheduled.who, record, took)),
            Err(error) => {
                self.error = Some(error);
                return false;
            }
        }
        if last {
            self.promised -= self.round.len() as u64;
            self.judge();
            let round = self.matches_of_round(0).len() as u64;
            self.over =
                self.undecided().next().is_none() || self.matches + round > self.config.matches;
        }
        !self.over
    }
}
