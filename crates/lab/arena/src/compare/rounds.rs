//! The matches that a comparison plays, in their order, and their results gathered by round.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use quintain_core::{AnyGame, PlayerHandle, Record, Scoring, Setup, digest};
use quintain_store::{Filter, Store, StoreError};

use super::between::Between;
use super::candidate::{Candidate, PlayedMatch, Who};
use super::comparison::{CompareProgress, Comparison};
use super::config::{CompareError, ComparisonConfig};
use crate::ordered::OrderedSource;
use crate::schedule::FixtureNumbers;

/// A match to be played, with the round that it belongs to.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct ScheduledMatch {
    pub(super) round: u64,
    pub(super) who: Who,
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

    /// The matches of the first seed on the first scenario, one for each candidate and reference.
    fn first_matches(&self) -> impl Iterator<Item = Match<'_>> {
        let meet = |candidate: usize| {
            (0..self.references.len()).map(move |reference| Who::Meet {
                candidate,
                reference,
                swapped: false,
            })
        };
        let all = (0..self.candidates.len()).flat_map(meet);
        all.map(|who| self.prepare(0, self.first_seed, who))
    }

    /// What distinguishes this comparison's matches from those of others.
    pub(super) fn key(&self) -> String {
        let ids: String = self.first_matches().map(|first| first.id()).collect();
        format!("compare-{}", &digest(ids.as_bytes())[..12])
    }

    /// Who sits together, by seat.
    pub fn lineups(&self) -> Vec<Vec<&str>> {
        match self.is_rivalry() {
            true => self
                .first_matches()
                .map(|first| first.seats.into_iter().map(|seated| seated.spec.as_str()).collect())
                .collect(),
            false => {
                let seats = self.games.first().map_or(1, |game| game.seats());
                let all = self.candidates.iter().chain(&self.references);
                all.map(|seated| vec![seated.spec.as_str(); seats]).collect()
            }
        }
    }

    /// How many matches one seed takes on all scenarios, as long as no candidate has its verdict.
    pub fn matches_each_seed(&self) -> u64 {
        let (candidates, references) = (self.candidates.len(), self.references.len());
        let each = match self.is_rivalry() {
            true => 2 * candidates * references,
            false => candidates + references,
        };
        (each * self.games.len()) as u64
    }

    /// The matches of a cycle, a round on every scenario, for these candidates.
    pub(super) fn list_cycle(
        &self,
        cycle: u64,
        candidates: impl Iterator<Item = usize>,
    ) -> Vec<ScheduledMatch> {
        let references = 0..self.references.len();
        let mut who = Vec::new();
        if self.is_rivalry() {
            for candidate in candidates {
                for reference in references.clone() {
                    let meet = |swapped| Who::Meet { candidate, reference, swapped };
                    who.extend([meet(false), meet(true)]);
                }
            }
        } else {
            who.extend(references.map(Who::Reference));
            who.extend(candidates.map(Who::Candidate));
        }
        let scenarios = self.games.len() as u64;
        let rounds = cycle * scenarios..(cycle + 1) * scenarios;
        rounds.flat_map(|round| who.iter().map(move |&who| ScheduledMatch { round, who })).collect()
    }

    /// The most cycles that may be played: as many as if all candidates but one were decided at
    /// once.
    pub(super) fn most_cycles(&self) -> u64 {
        self.matches / (self.list_cycle(0, 0..1).len() as u64).max(1)
    }

    pub(super) fn match_of(&self, ScheduledMatch { round, who }: ScheduledMatch) -> Match<'_> {
        let scenarios = self.games.len() as u64;
        self.prepare((round % scenarios) as usize, self.first_seed + round / scenarios, who)
    }

    /// A match's scenario, seed and players by number.
    pub(super) fn numbers_of(&self, scheduled: ScheduledMatch) -> FixtureNumbers {
        let ScheduledMatch { round, who } = scheduled;
        let scenarios = self.games.len() as u64;
        let scenario = (round % scenarios) as usize;
        let seats = 0..self.games[scenario].seats();
        let lineup = seats.map(|seat| self.player_at(seat, who)).collect();
        FixtureNumbers { scenario, seed: self.first_seed + round / scenarios, lineup }
    }

    /// A match on the scenario with index `place`.
    fn prepare(&self, place: usize, seed: u64, who: Who) -> Match<'_> {
        let game = match self.instances.get(&place) {
            Some(draw) => draw(seed),
            None => Arc::clone(&self.games[place]),
        };
        let player = |number: usize| match number.checked_sub(self.candidates.len()) {
            Some(reference) => &self.references[reference],
            None => &self.candidates[number],
        };
        let seats = (0..game.seats()).map(|seat| player(self.player_at(seat, who))).collect();
        Match { game, seats, setup: Setup::new(seed).with_budget(self.budget) }
    }

    /// The number of the player at a seat: the candidates are numbered first, then the references.
    fn player_at(&self, seat: usize, who: Who) -> usize {
        match who {
            Who::Meet { candidate, swapped, .. } if (seat % 2 == 1) == swapped => candidate,
            Who::Meet { reference, .. } | Who::Reference(reference) => {
                self.candidates.len() + reference
            }
            Who::Candidate(candidate) => candidate,
        }
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

/// The rounds of a comparison as they are given out and as their results come in.
pub(super) struct Rounds<'a> {
    config: &'a ComparisonConfig,
    candidates: Vec<Candidate>,
    /// Which of two candidates does better.
    between: Option<Between>,
    /// The next cycle to be given out.
    next_cycle: u64,
    /// Matches of that cycle that have not been given out.
    queue: VecDeque<ScheduledMatch>,
    /// Matches given out whose results are not in, in order; the last of its cycle is marked.
    expected: VecDeque<(ScheduledMatch, bool)>,
    /// Matches of cycles that were given out but not judged.
    promised: u64,
    /// Results of the current cycle.
    cycle: Vec<(ScheduledMatch, Record, Option<Duration>)>,
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
        let is_known = |player: &PlayerHandle| player.is_reproducible(&config.budget);
        let references_are_known = config.references.iter().all(is_known);
        let candidates = config.candidates.iter().map(|candidate| {
            let always_decide_the_same = references_are_known && is_known(candidate);
            let (judgement, name) = (config.begin_judgement()?, candidate.spec.clone());
            let is_itself = config.references.iter().all(|other| other.spec == name);
            let mut candidate = Candidate::new(judgement, name, always_decide_the_same);
            candidate.is_itself = is_itself;
            Ok(candidate)
        });
        let candidates = candidates.collect::<Result<Vec<_>, CompareError>>()?;
        let rounds = Rounds {
            config,
            candidates,
            between: Between::new(config)?,
            next_cycle: 0,
            queue: VecDeque::new(),
            expected: VecDeque::new(),
            promised: 0,
            cycle: Vec::new(),
            matches: 0,
            played: 0,
            ids: Vec::new(),
            new: Vec::new(),
            error: None,
            over: false,
        };
        let least = rounds.matches_of_cycle(0).len() as u64;
        if least > config.matches {
            let unit = match config.games.len() {
                1 => "a round takes".to_owned(),
                several => format!("one seed on all {several} scenarios takes"),
            };
            return Err(CompareError::Config(format!(
                "{unit} {least} matches, but --matches allows only {}; raise it",
                config.matches
            )));
        }
        let seeds = config.matches / least.max(1);
        if config.first_seed.saturating_add(seeds) > i64::MAX as u64 {
            return Err(CompareError::Config(format!(
                "seeds from {} on: there are fewer than {seeds} below 2^63; choose a smaller \
                 --seed",
                config.first_seed
            )));
        }
        Ok(rounds)
    }

    pub(super) fn progress(&self) -> CompareProgress {
        let undecided = self.undecided().map(|at| &self.candidates[at]);
        let more = undecided.map(Candidate::likely_more);
        let more: Option<u64> = more.sum();
        let first = self.candidates.first();
        let (evidence, decisive) = first.map_or(([0.0; 2], 0.0), Candidate::evidence);
        CompareProgress {
            evidence,
            decisive,
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
                .map(|candidate| candidate.finish(config.games.len()))
                .collect(),
            between: self.between.map(Between::finish),
            ids: self.ids,
        })
    }

    pub(super) fn undecided(&self) -> impl Iterator<Item = usize> {
        // Two candidates go on together, unless both have no more to show.
        let are_open = self.between.as_ref().is_some_and(Between::is_undecided)
            && !self.candidates.iter().all(Candidate::is_unvarying);
        let candidates = self.candidates.iter().enumerate();
        let needed = candidates.filter(move |(_, candidate)| are_open || candidate.is_undecided());
        needed.map(|(at, _)| at)
    }

    /// The matches of a cycle, a round on every scenario, for the candidates that have no verdict
    /// yet.
    fn matches_of_cycle(&self, cycle: u64) -> VecDeque<ScheduledMatch> {
        self.config.list_cycle(cycle, self.undecided()).into()
    }

    /// Judges the cycle, whose results are all in.
    fn judge(&mut self) {
        let cycle = std::mem::take(&mut self.cycle);
        let undecided: Vec<usize> = self.undecided().collect();
        for round in cycle.chunk_by(|(one, ..), (other, ..)| one.round == other.round) {
            for &at in &undecided {
                self.count(at, round);
            }
            self.count_between(&undecided);
        }
        if let Some(between) = &mut self.between {
            between.judge();
        }
        for &at in &undecided {
            self.candidates[at].conclude();
        }
        // Matches given out before their candidate had its verdict do not count.
        let counts = |who: Who| match who {
            Who::Meet { candidate, .. } | Who::Candidate(candidate) => {
                undecided.contains(&candidate)
            }
            Who::Reference(_) => true,
        };
        let counted: Vec<_> = cycle.into_iter().filter(|(one, ..)| counts(one.who)).collect();
        self.matches += counted.len() as u64;
        self.played += counted.iter().filter(|(.., took)| took.is_some()).count() as u64;
        self.ids.extend(counted.iter().map(|(_, record, _)| record.id.clone()));
        self.new.extend(counted.into_iter().filter_map(|(_, record, took)| Some((record, took?))));
    }

    /// Compares the last round of two candidates, if both have played it.
    fn count_between(&mut self, played: &[usize]) {
        let (Some(between), [0, 1]) = (&mut self.between, played) else { return };
        if let [Some(one), Some(other)] = [0, 1].map(|at: usize| self.candidates[at].last_result())
        {
            between.count([one.0, other.0], [one.1, other.1]);
        }
    }

    /// Counts a round for the candidate with index `at`.
    fn count(&mut self, at: usize, round: &[(ScheduledMatch, Record, Option<Duration>)]) {
        let is_own = |who: Who| match who {
            Who::Meet { candidate, .. } | Who::Candidate(candidate) => candidate == at,
            Who::Reference(_) => true,
        };
        let own = round.iter().filter(|(one, ..)| is_own(one.who));
        let own: Vec<_> =
            own.map(|(one, record, _)| PlayedMatch { who: one.who, record }).collect();
        self.candidates[at].count(self.config.games[0].objective(), &own);
    }
}

impl OrderedSource for Rounds<'_> {
    type Job = ScheduledMatch;
    type Result = MatchAnswer;

    fn next(&mut self) -> Option<ScheduledMatch> {
        if self.queue.is_empty() {
            let matches_of_cycle = self.matches_of_cycle(self.next_cycle);
            let cost = matches_of_cycle.len() as u64;
            if self.matches + self.promised + cost > self.config.matches {
                return None;
            }
            self.promised += cost;
            self.next_cycle += 1;
            self.queue = matches_of_cycle;
        }
        let scheduled = self.queue.pop_front()?;
        self.expected.push_back((scheduled, self.queue.is_empty()));
        Some(scheduled)
    }

    fn take(&mut self, result: MatchAnswer) -> bool {
        let (scheduled, last) = self.expected.pop_front().expect("every result was asked for");
        match result {
            Ok((record, took)) => self.cycle.push((scheduled, record, took)),
            Err(error) => {
                self.error = Some(error);
                return false;
            }
        }
        if last {
            self.promised -= self.cycle.len() as u64;
            self.judge();
            let cycle = self.matches_of_cycle(0).len() as u64;
            self.over =
                self.undecided().next().is_none() || self.matches + cycle > self.config.matches;
        }
        !self.over
    }
}
