//! A comparison whose matches an [`Executor`] plays: workers on other machines, for example.
//!
//! The matches of all cycles are numbered in blocks, each a tournament of its own, and handed out
//! in the order of seeds. What comes back goes into the store in any order; it is judged from there
//! in the order of the schedule, so the answer is the one that a single machine gives. Once a
//! candidate has its verdict, its remaining matches are released: they need not be played.
//!
//! The store is all that a comparison remembers. If this process is killed, the next one judges
//! what is there and hands out the rest. If records are taken back, because a worker has lied,
//! everything is judged again.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use quintain_core::{PlayerHandle, ScenarioSet};
use quintain_store::{Store, StoreError, StoredRecord};
use serde_json::json;

use super::candidate::Who;
use super::comparison::{CompareProgress, Comparison};
use super::config::{CompareError, ComparisonConfig};
use super::rounds::{Rounds, ScheduledMatch};
use crate::executor::{Executor, RunError};
use crate::ledger::Ledger;
use crate::ordered::OrderedSource;
use crate::pending::PendingFixtures;
use crate::progress::Means;
use crate::shard::Shard;
use crate::tournament::{ChosenMatches, Tournament};

/// The most matches that are numbered at a time.
const BLOCK: u64 = 50_000;

/// Makes the executor of the matches of one block.
pub type MakeExecutor<'a> = &'a dyn Fn(&Tournament) -> Box<dyn Executor>;

/// Compares like [`compare`](super::compare()), but an executor plays the matches. `scenarios` are
/// those of the config, in the same order. All matches that are played are kept in the store, also
/// those that were under way at the verdict; they do not count. Also returns the executor's
/// remarks.
///
/// # Errors
/// If the config makes no sense, a match cannot be played, the store or the executor fails, or
/// another process plays the same comparison into the store.
pub fn compare_on(
    make_executor: MakeExecutor<'_>,
    config: &ComparisonConfig,
    scenarios: &[ScenarioSet],
    store: &mut Store,
    stop: &Arc<AtomicBool>,
    progress: &mut dyn FnMut(CompareProgress),
) -> Result<(Comparison, Vec<String>), CompareError> {
    let mut judge = Judge::new(config)?;
    let _lock = store.hold_matches(&config.key(), "this comparison")?;
    let mut remarks = Vec::new();
    loop {
        judge.advance(&|id| store.find(id))?;
        progress(judge.rounds.progress());
        if judge.is_over || stop.load(Ordering::Relaxed) {
            break;
        }
        let block = Block::at(config, judge.cycle());
        let tournament = block.tournament(config, scenarios)?;
        let executor = make_executor(&tournament);
        remarks.extend(block.play(&*executor, &tournament, &mut judge, store, stop, progress)?);
    }
    Ok((judge.rounds.answer()?, remarks))
}

impl ComparisonConfig {
    /// How many matches a store has already, of those with which the comparison begins.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn count_played(&self, store: &Store) -> Result<u64, StoreError> {
        let mut count = 0;
        for cycle in 0..self.most_cycles() {
            let mut found = 0;
            for scheduled in self.list_cycle(cycle, 0..self.candidates.len()) {
                found += u64::from(store.find(&self.match_of(scheduled).id())?.is_some());
            }
            if found == 0 {
                break;
            }
            count += found;
        }
        Ok(count)
    }

    /// What workers call it.
    pub fn name_for_workers(&self) -> String {
        let name = |players: &[PlayerHandle]| match players {
            [one] => one.spec.clone(),
            several => format!("{} players", several.len()),
        };
        format!("compare {} with {}", name(&self.candidates), name(&self.references))
    }
}

/// Judges records in the order of the schedule.
struct Judge<'a> {
    config: &'a ComparisonConfig,
    rounds: Rounds<'a>,
    /// The next match to be judged, whose record is not there yet.
    next: Option<ScheduledMatch>,
    /// Matches that were handed out.
    handed_out: HashSet<String>,
    /// For each candidate the cycle that brought its verdict.
    decided_in: Vec<Option<u64>>,
    /// The number of cycles that are judged.
    judged: u64,
    is_over: bool,
}

impl<'a> Judge<'a> {
    fn new(config: &'a ComparisonConfig) -> Result<Judge<'a>, CompareError> {
        Ok(Judge {
            config,
            rounds: Rounds::new(config)?,
            next: None,
            handed_out: HashSet::new(),
            decided_in: vec![None; config.candidates.len()],
            judged: 0,
            is_over: false,
        })
    }

    /// Starts over, since records that were judged were taken back.
    fn restart(&mut self) -> Result<(), CompareError> {
        self.rounds = Rounds::new(self.config)?;
        self.decided_in.fill(None);
        (self.next, self.judged, self.is_over) = (None, 0, false);
        Ok(())
    }

    /// Judges the records that are there, up to the first one that is not.
    fn advance(
        &mut self,
        find: &dyn Fn(&str) -> Result<Option<StoredRecord>, StoreError>,
    ) -> Result<(), CompareError> {
        while !self.is_over {
            let Some(scheduled) = self.next.take().or_else(|| self.rounds.next()) else {
                self.is_over = true;
                self.judged += 1;
                break;
            };
            let id = self.config.match_of(scheduled).id();
            let Some(stored) = find(&id)? else {
                self.next = Some(scheduled);
                break;
            };
            let took = self.handed_out.contains(&id).then_some(stored.elapsed);
            self.is_over = !self.rounds.take(Ok((stored.record()?, took)));
            self.note_verdicts(scheduled);
        }
        // Everything is in the store.
        drop(self.rounds.take_new());
        Ok(())
    }

    /// Notes how far the judgement is, after a match.
    fn note_verdicts(&mut self, last: ScheduledMatch) {
        let cycle = last.round / self.config.games.len() as u64;
        let undecided: Vec<usize> = self.rounds.undecided().collect();
        for (candidate, decided_in) in self.decided_in.iter_mut().enumerate() {
            if !undecided.contains(&candidate) {
                decided_in.get_or_insert(cycle);
            }
        }
        // Further matches of this cycle may be missing, unless it was the last one.
        self.judged = if self.is_over { cycle + 1 } else { cycle };
    }

    /// The cycle of the first match that is not judged.
    fn cycle(&self) -> u64 {
        self.next.map_or(0, |next| next.round / self.config.games.len() as u64)
    }

    /// How many candidates need further matches.
    fn count_open(&self) -> usize {
        if self.is_over { 0 } else { self.rounds.undecided().count() }
    }

    /// Which matches count, or will count as far as is known.
    fn needs(&self) -> impl Fn(ScheduledMatch) -> bool + use<> {
        let scenarios = self.config.games.len() as u64;
        let decided_in = self.decided_in.clone();
        let end = self.is_over.then_some(self.judged);
        move |ScheduledMatch { round, who }| {
            let cycle = round / scenarios;
            let last = match who {
                Who::Meet { candidate, .. } | Who::Candidate(candidate) => decided_in[candidate],
                Who::Reference(_) => None,
            };
            last.is_none_or(|last| cycle <= last) && end.is_none_or(|end| cycle < end)
        }
    }
}

/// The matches of some cycles.
struct Block {
    number: u64,
    matches: Vec<ScheduledMatch>,
}

impl Block {
    /// The block that a cycle is in. Which cycles make a block does not depend on results, so a
    /// process that goes on finds at the server what an earlier one has left there.
    fn at(config: &ComparisonConfig, cycle: u64) -> Block {
        let all = 0..config.candidates.len();
        let length = (BLOCK / config.list_cycle(0, all.clone()).len().max(1) as u64).max(1);
        let number = cycle / length;
        let cycles = number * length..((number + 1) * length).min(config.most_cycles());
        let matches = cycles.flat_map(|cycle| config.list_cycle(cycle, all.clone())).collect();
        Block { number, matches }
    }

    fn tournament(
        &self,
        config: &ComparisonConfig,
        scenarios: &[ScenarioSet],
    ) -> Result<Tournament, CompareError> {
        let players = config.candidates.iter().chain(&config.references);
        let players: Vec<_> = players.cloned().collect();
        let names: Vec<_> = players.iter().map(|player| (&player.spec, player.version)).collect();
        let id = json!({
            "comparison": config.key(),
            "scenarios": scenarios.iter().map(ScenarioSet::text).collect::<Vec<_>>(),
            "players": names,
            "seed": config.first_seed,
            "budget": config.budget,
            "block": [self.number, self.matches.len()],
        });
        Ok(Tournament::of_matches(ChosenMatches {
            id: id.to_string(),
            name: config.name_for_workers(),
            game: config.games[0].name().to_owned(),
            scenarios: scenarios.to_vec(),
            players,
            fixtures: self.matches.iter().map(|one| config.numbers_of(*one)).collect(),
            budget: config.budget,
        })?)
    }

    /// Has the matches played that are needed and not in the store, and judges what comes. Returns
    /// the executor's remarks.
    fn play(
        &self,
        executor: &dyn Executor,
        tournament: &Tournament,
        judge: &mut Judge<'_>,
        store: &mut Store,
        stop: &Arc<AtomicBool>,
        progress: &mut dyn FnMut(CompareProgress),
    ) -> Result<Vec<String>, CompareError> {
        let schedule = tournament.schedule();
        let mut missing = PendingFixtures::new(schedule, Shard::WHOLE);
        let mut open: Vec<(u64, ScheduledMatch)> = Vec::new();
        let needs = judge.needs();
        for (index, &scheduled) in (0..).zip(&self.matches) {
            let id = schedule.fixture(index).id();
            if store.find(&id)?.is_some() {
                missing.mark_present(index);
            } else if needs(scheduled) {
                judge.handed_out.insert(id);
                open.push((index, scheduled));
            } else {
                missing.leave_out(index);
            }
        }
        let ledger = Ledger::new(schedule, store, None, Means::of_nobody());
        let (mut retractions, mut failed) = (0, None);
        let mut undecided = judge.count_open();
        let mut follow = || {
            let judged = (|| {
                if retractions != ledger.count_retractions() {
                    retractions = ledger.count_retractions();
                    judge.restart()?;
                }
                judge.advance(&|id| ledger.find_id(id))
            })();
            failed = failed.take().or(judged.err());
            if failed.is_some() || ledger.has_failures() {
                ledger.halt();
            }
            if std::mem::replace(&mut undecided, judge.count_open()) > undecided {
                let needs = judge.needs();
                let (needed, released): (Vec<_>, Vec<_>) =
                    open.drain(..).partition(|(_, scheduled)| needs(*scheduled));
                open = needed;
                ledger.release(released.into_iter().map(|(index, _)| index));
            }
            progress(judge.rounds.progress());
        };
        executor.play(&missing, &ledger, stop, &mut follow).map_err(|error| match error {
            RunError::Store(error) => CompareError::Store(error),
            RunError::Thread(error) => CompareError::Thread(error),
            error @ RunError::Elsewhere(_) => CompareError::Elsewhere(error.to_string()),
        })?;
        let totals = ledger.close()?;
        if let Some(error) = failed {
            return Err(error);
        }
        if let Some(id) = totals.conflicts.into_iter().next() {
            return Err(CompareError::Conflict(id));
        }
        match totals.failures.into_iter().next() {
            Some(problem) => Err(CompareError::Elsewhere(format!("no record: {problem}"))),
            None => Ok(totals.remarks),
        }
    }
}
