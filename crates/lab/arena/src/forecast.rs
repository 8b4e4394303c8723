//! How long a tournament will take and how much store it needs, before it is played. Some of its
//! matches are played to measure it, and none of them is kept.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use quintain_core::panics;
use quintain_store::{Filter, RecordRow, Store, StoreError};

use crate::executor::RunError;
use crate::schedule::Schedule;
use crate::shard::Shard;
use crate::tournament::Tournament;
use crate::workers::{lock, run_workers};

/// The most matches that are played to measure a tournament.
const SAMPLE: u64 = 64;
/// The least number of matches after which a tournament may be known to be short.
const FEW: u64 = 4;
/// How much longer than the mean of a few matches the others may take, to be safe.
const SAFETY: f64 = 10.0;
/// The most stored matches whose times are read.
const READ: u64 = 10_000;
/// The bytes that a store needs for each byte of a record's text, and for its columns and its
/// places in indices. Stores of 3000 matches of tron (523 bytes each) and 2000 of gather (2429
/// bytes) are foretold within 2 %.
const PER_BYTE: f64 = 1.25;
const PER_RECORD: f64 = 75.0;

/// How long to measure.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// The threads that play.
    pub threads: usize,
    /// The longest time to measure.
    pub limit: Duration,
    /// Measuring ends early if the tournament certainly takes less than this.
    pub short: Option<Duration>,
}

/// How long a tournament will take and how much store it needs.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Forecast {
    /// The matches of the tournament, or of the share of it.
    pub matches: u64,
    /// The number of these that are in the store.
    pub stored: u64,
    /// The number of matches whose time is known, played or read from the store.
    pub measured: u64,
    /// Whether these are in the store.
    pub is_read: bool,
    /// Whether a match was not over when time was up, so that all take longer than this.
    pub is_least: bool,
    /// The mean time of a match in seconds; 0 if there is nothing to play.
    seconds: f64,
    /// The mean bytes of a match in the store.
    bytes: f64,
    threads: usize,
}

impl Forecast {
    /// The matches that are not in the store.
    pub fn left(&self) -> u64 {
        self.matches.saturating_sub(self.stored)
    }

    /// The time that these take.
    pub fn time(&self) -> Duration {
        let seconds = self.left() as f64 * self.seconds / self.threads.max(1) as f64;
        // More than any clock counts.
        Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
    }

    /// The bytes that their records need.
    pub fn bytes(&self) -> f64 {
        self.left() as f64 * self.bytes
    }
}

/// Foretells the time and size of what is left to play of a tournament. Times are those of its
/// matches in the store, if a whole round is there; otherwise some matches, spread over the whole
/// tournament, are played.
///
/// # Errors
/// If the store cannot be read or the system gives no thread.
pub fn forecast(
    tournament: &Tournament,
    share: Shard,
    store: Option<&Store>,
    effort: Effort,
    stop: &AtomicBool,
) -> Result<Forecast, RunError> {
    let schedule = tournament.schedule();
    let mut forecast = Forecast {
        matches: share.of_all(tournament.count_matches()),
        stored: 0,
        measured: 0,
        is_read: false,
        is_least: false,
        seconds: 0.0,
        bytes: 0.0,
        threads: effort.threads,
    };
    if let Some(store) = store {
        read(&mut forecast, tournament, store)?;
    }
    if forecast.left() == 0 || forecast.measured >= READ.min(schedule.round_length()) {
        return Ok(forecast);
    }
    measure(&mut forecast, schedule, share, effort, stop).map_err(RunError::Thread)?;
    Ok(forecast)
}

/// Reads how many of the matches are in the store, and how long they took.
fn read(forecast: &mut Forecast, tournament: &Tournament, store: &Store) -> Result<(), StoreError> {
    let all = store.tournaments()?;
    let Some(known) = all.iter().find(|known| known.definition == tournament.definition()) else {
        return Ok(());
    };
    // Once its question is answered, nothing more is played.
    if tournament.question().is_some() && known.played >= known.fixtures {
        forecast.matches = known.played;
    }
    forecast.stored = known.played.min(forecast.matches);
    let (mut seconds, mut bytes) = (0.0, 0.0);
    let filter = Filter { limit: Some(READ), ..Filter::tournament(known.id) };
    store.for_each_record(&filter, |stored| {
        forecast.measured += 1;
        seconds += stored.elapsed.as_secs_f64();
        bytes += stored_bytes(stored.json.len());
        Ok::<(), StoreError>(())
    })?;
    if forecast.measured > 0 {
        let measured = forecast.measured as f64;
        (forecast.seconds, forecast.bytes) = (seconds / measured, bytes / measured);
        forecast.is_read = true;
    }
    Ok(())
}

/// The bytes that a store needs for a record with a text of this size.
fn stored_bytes(text: usize) -> f64 {
    PER_BYTE * text as f64 + PER_RECORD
}

/// What was measured so far.
#[derive(Default)]
struct Sum {
    over: u64,
    seconds: f64,
    bytes: f64,
}

/// Plays some of the matches and keeps nothing but their time and size.
fn measure(
    forecast: &mut Forecast,
    schedule: &Schedule,
    share: Shard,
    effort: Effort,
    stop: &AtomicBool,
) -> std::io::Result<()> {
    let begun = Instant::now();
    let (cursor, sum) = (AtomicU64::new(0), Mutex::new(Sum::default()));
    let (cut, cut_seconds) = (AtomicU64::new(0), Mutex::new(0.0));
    let all: Vec<u64> =
        spread(schedule.len()).filter(|&index| share.has(index)).take(SAMPLE as usize).collect();
    let work = |flag: &Arc<AtomicBool>| {
        while !flag.load(Ordering::Relaxed)
            && let Some(&index) = all.get(cursor.fetch_add(1, Ordering::Relaxed) as usize)
        {
            let begun = Instant::now();
            let played = panics::catch(|| schedule.play(index, flag));
            let elapsed = begun.elapsed();
            if flag.load(Ordering::Relaxed) {
                cut.fetch_add(1, Ordering::Relaxed);
                *lock(&cut_seconds) += elapsed.as_secs_f64();
                return;
            }
            // A match that cannot be played is reported when it is its turn.
            if let Ok(Ok(record)) = played {
                let row = RecordRow::new(&record, elapsed);
                let mut sum = lock(&sum);
                sum.over += 1;
                sum.seconds += elapsed.as_secs_f64();
                sum.bytes += stored_bytes(row.size());
            }
        }
    };
    let left = forecast.left() as f64 / effort.threads.max(1) as f64;
    run_workers(effort.threads, work, &mut |_| {
        let sum = lock(&sum);
        let mean = sum.seconds / sum.over.max(1) as f64;
        let is_short = effort
            .short
            .is_some_and(|short| sum.over >= FEW && mean * left * SAFETY < short.as_secs_f64());
        is_short || begun.elapsed() >= effort.limit || stop.load(Ordering::Relaxed)
    })?;
    let (sum, cut) = (lock(&sum), cut.into_inner());
    forecast.is_read = false;
    forecast.measured = sum.over;
    forecast.bytes = sum.bytes / sum.over.max(1) as f64;
    let mean = sum.seconds / sum.over.max(1) as f64;
    // Matches that were cut off took at least as long; they count if they took longer than others.
    let cut_seconds = *lock(&cut_seconds);
    forecast.is_least = cut > 0 && cut_seconds / cut as f64 > mean;
    forecast.seconds = match forecast.is_least {
        true => (sum.seconds + cut_seconds) / (sum.over + cut) as f64,
        false => mean,
    };
    Ok(())
}

/// Numbers of fixtures, spread evenly over all, none twice: multiples of the golden ratio.
fn spread(all: u64) -> impl Iterator<Item = u64> {
    let mut seen = std::collections::HashSet::new();
    (1..=4 * SAMPLE.min(all))
        .map(move |step| {
            let place = step.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            ((u128::from(place) * u128::from(all)) >> 64) as u64
        })
        .filter(move |index| seen.insert(*index))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_spread_over_the_whole_tournament() {
        let mut sample: Vec<u64> = spread(1_000_000).take(64).collect();
        sample.sort_unstable();
        let gaps = sample.windows(2).map(|pair| pair[1] - pair[0]);
        assert!(gaps.max().unwrap() < 50_000 && sample[0] < 50_000, "{sample:?}");
        assert_eq!(spread(3).collect::<std::collections::BTreeSet<u64>>().len(), 3);
        assert!(spread(1 << 53).all(|index| index < 1 << 53));
    }
}
