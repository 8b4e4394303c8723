//! Whether one player is better than another, with as few matches as the answer takes. Paired
//! matches on common seeds are judged after every cycle, until a sequential test decides or the
//! matches are used up. Unlike in a tournament, a candidate with a verdict plays no more; only two
//! candidates go on together until it is known which of them does better.
//!
//! **A round** is one seed on one scenario. Where seats are rivals, every candidate meets every
//! reference there twice, with the seats swapped; where scores stand for themselves, every player
//! plays alone, in all seats. The matches of one seed share their start, so together they are one
//! observation. The tests are [`quintain_stats::ThreeWayTest`] for rivals and
//! [`quintain_stats::DifferenceTest`] for scores.
//!
//! **A cycle** is one seed on every scenario. Only whole cycles are judged, so every scenario
//! counts equally, and the order in which scenarios are named decides nothing.
//!
//! **Order.** Cycles are judged in the order of the schedule, whichever match ends first. So quick
//! matches cannot bias the answer, and it is the same with any number of threads. Matches played
//! ahead of a verdict are neither counted nor kept.

mod between;
mod candidate;
mod comparison;
mod config;
mod elsewhere;
mod judgement;
mod review;
mod rounds;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use quintain_core::{Record, panics};
use quintain_store::{RecordRow, Store};

pub use between::BetweenCandidates;
pub use comparison::{CandidateResult, CompareProgress, Comparison, Effect, LostMatch};
pub use config::{CompareError, ComparisonConfig, DEFAULT_RISKS, DrawGame, ScoreMeasure};
pub use elsewhere::{MakeExecutor, compare_on};
pub use review::{Review, review};
use rounds::{Match, MatchAnswer, Rounds, ScheduledMatch};

use crate::ordered::run_ordered;
use crate::run::RunOptions;

/// Plays until every candidate has its verdict or the matches are used up. Matches that are already
/// in the store are not played again, and those that count are kept there.
///
/// # Errors
/// If the config makes no sense, a match cannot be played, the store fails, or another process
/// plays the same comparison into it.
pub fn compare(
    config: &ComparisonConfig,
    store: Option<&mut Store>,
    options: &RunOptions,
    progress: &mut dyn FnMut(CompareProgress),
) -> Result<Comparison, CompareError> {
    let mut rounds = Rounds::new(config)?;
    let held = store.as_deref().map(|store| store.hold_matches(&config.key(), "this comparison"));
    let _lock = held.transpose()?;
    let store = Mutex::new(store);
    let mut failed = None;
    let play = |scheduled: ScheduledMatch, hurry: &Arc<AtomicBool>| -> MatchAnswer {
        let next = config.match_of(scheduled);
        if let Some(store) = &*store.lock().unwrap_or_else(PoisonError::into_inner)
            && let Some(stored) = store.find(&next.id()).map_err(CompareError::from)?
        {
            return Ok((stored.record().map_err(CompareError::from)?, None));
        }
        let Match { game, seats, setup } = next;
        let setup = setup.with_stop(Arc::clone(hurry));
        let begun = Instant::now();
        let played = panics::catch(|| game.play(&setup, &seats, None));
        let elapsed = begun.elapsed();
        match played {
            Ok(Ok(record)) => Ok((record, Some(elapsed))),
            Ok(Err(refused)) => Err(refused.into()),
            Err(panicked) => Err(CompareError::Panic(panicked)),
        }
    };
    let mut keep = |rounds: &mut Rounds<'_>| {
        progress(rounds.progress());
        let new = rounds.take_new();
        if new.is_empty() || failed.is_some() {
            return;
        }
        if let Some(store) = &mut *store.lock().unwrap_or_else(PoisonError::into_inner) {
            failed = store_records(store, &new).err();
        }
    };
    let threads = options.threads;
    run_ordered(&mut rounds, threads, &options.stop, play, &mut keep)
        .map_err(CompareError::Thread)?;
    keep(&mut rounds);
    match failed {
        Some(error) => Err(error),
        None => rounds.answer(),
    }
}

fn store_records(store: &mut Store, new: &[(Record, Duration)]) -> Result<(), CompareError> {
    let rows: Vec<RecordRow> =
        new.iter().map(|(record, elapsed)| RecordRow::new(record, *elapsed)).collect();
    match store.insert(None, &rows)?.conflicts.into_iter().next() {
        Some(id) => Err(CompareError::Conflict(id)),
        None => Ok(()),
    }
}
