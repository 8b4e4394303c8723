//! Some matches of a tournament, a whole one or a stage of one: looked up in the store, and played
//! where they are missing there.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use quintain_store::{Filter, Store, StoreError, TournamentId};

use crate::executor::{Executor, RunError};
use crate::ledger::{Ledger, RunTotals};
use crate::pending::PendingFixtures;
use crate::progress::{Means, RunProgress};
use crate::shard::Shard;
use crate::tournament::Tournament;

/// How often progress is reported while records are looked up.
const TICK: Duration = Duration::from_millis(50);
/// Fixtures looked up in one transaction.
pub(crate) const LOOKED_UP: u64 = 4096;

/// What is to be told while fixtures are looked up and played: the means so far, the matches played
/// and those found in the store.
pub(crate) type ReportSoFar<'a> = &'a mut dyn FnMut(&Means, u64, u64);

/// What a run in stages has done so far.
pub(crate) struct Played {
    begun: Instant,
    pub(crate) totals: RunTotals,
    pub(crate) skipped: u64,
    pub(crate) total: u64,
}

impl Played {
    /// Nothing yet, of this many matches as far as is known.
    pub(crate) fn nothing_of(total: u64) -> Played {
        Played { begun: Instant::now(), totals: RunTotals::default(), skipped: 0, total }
    }
}

/// Plays a tournament in rounds. `next_pairs` says who meet next, the lower number first, by the
/// records of the rounds before; none if all rounds are played.
pub(crate) fn play_rounds(
    executor: &dyn Executor,
    tournament: &Tournament,
    (store, id): (&mut Store, TournamentId),
    stop: &Arc<AtomicBool>,
    progress: &mut dyn FnMut(&RunProgress),
    mut next_pairs: impl FnMut(&Store) -> Result<Option<Vec<(usize, usize)>>, StoreError>,
) -> Result<Played, RunError> {
    let total = tournament.count_matches();
    let mut played = Played::nothing_of(total);
    while let Some(pairs) = next_pairs(store)? {
        let mut missing = PendingFixtures::new(tournament.schedule(), Shard::WHOLE);
        missing
            .keep(|lineup| pairs.contains(&(lineup[0].min(lineup[1]), lineup[0].max(lineup[1]))));
        let is_complete = play_stage(
            executor,
            tournament,
            &mut missing,
            (store, id),
            stop,
            (&mut played, total),
            progress,
        )?;
        if !is_complete {
            break;
        }
    }
    Ok(played)
}

/// Looks the fixtures of a stage up in the store and plays those that are not there; `total` are
/// the matches of all stages, as far as they are known. Returns whether the stage is complete:
/// if the run was stopped or matches failed, nobody can tell who plays on.
pub(crate) fn play_stage(
    executor: &dyn Executor,
    tournament: &Tournament,
    missing: &mut PendingFixtures<'_>,
    (store, id): (&mut Store, TournamentId),
    stop: &Arc<AtomicBool>,
    (played, total): (&mut Played, u64),
    progress: &mut dyn FnMut(&RunProgress),
) -> Result<bool, RunError> {
    let share = missing.share();
    let (skipped, done, begun) = (played.skipped, played.totals.stored, played.begun);
    let mut totals = RunTotals::default();
    let found = play_missing(
        executor,
        tournament,
        missing,
        (store, id),
        stop,
        &mut totals,
        &mut |means, now, found| {
            progress(&means.progress(done + now, skipped + found, total, begun.elapsed()));
        },
    )?;
    let is_complete = totals.stored + found == share;
    played.skipped += found;
    played.total = total;
    played.totals.add(totals);
    Ok(is_complete)
}

/// Looks these fixtures up in the store and plays those that are not there. `totals` are those of
/// the run so far, to which these are added. Returns how many were found, without those of
/// `totals`.
pub(crate) fn play_missing(
    executor: &dyn Executor,
    tournament: &Tournament,
    missing: &mut PendingFixtures<'_>,
    (store, id): (&mut Store, TournamentId),
    stop: &Arc<AtomicBool>,
    totals: &mut RunTotals,
    report: ReportSoFar<'_>,
) -> Result<u64, RunError> {
    let schedule = tournament.schedule();
    let mut means = Means::new(schedule, tournament.objective());
    let before = totals.stored;
    adopt(missing, id, store, stop, &mut |found| {
        report(&means, before, found.saturating_sub(before));
    })?;
    // A stop may have come before these were looked up.
    let skipped = missing.present().saturating_sub(before);
    if missing.present() > 0 {
        store.matches(&Filter::tournament(id), |row| {
            means.add(&row.players, &row.scores);
            Ok::<(), StoreError>(())
        })?;
    }
    let ledger = Ledger::new(schedule, store, Some(id), means);
    executor.play(missing, &ledger, stop, &mut || {
        let done = before + ledger.count_stored();
        ledger.means(|means| report(means, done, skipped));
    })?;
    totals.add(ledger.close()?);
    Ok(skipped)
}

/// Looks up every fixture of the share in the store. `report` is called now and then with how many
/// were found.
fn adopt(
    missing: &mut PendingFixtures<'_>,
    tournament: TournamentId,
    store: &mut Store,
    stop: &AtomicBool,
    report: &mut dyn FnMut(u64),
) -> Result<(), StoreError> {
    if !store.has_records()? {
        return Ok(());
    }
    let schedule = missing.schedule();
    let mut tell = Instant::now() + TICK;
    let mut ids = Vec::new();
    let window = missing.window();
    for first in window.clone().step_by(LOOKED_UP as usize) {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let last = window.end.min(first + LOOKED_UP);
        let indices: Vec<u64> = (first..last).filter(|&index| missing.has(index)).collect();
        ids.clear();
        ids.extend(indices.iter().map(|&index| schedule.fixture(index).id()));
        for (index, found) in indices.into_iter().zip(store.adopt(tournament, &ids)?) {
            if found {
                missing.mark_present(index);
            }
        }
        if Instant::now() >= tell {
            report(missing.present());
            tell = Instant::now() + TICK;
        }
    }
    Ok(())
}
