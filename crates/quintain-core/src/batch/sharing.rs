//! The states of a batch shared out among threads, where that pays: to wake a thread takes longer
//! than to step a few states of most games.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::arrays::Arrays;
use super::error::{BatchError, StateError};
use crate::clock;

/// Threads that share the work of a batch with its caller.
pub trait HelperThreads: Sync {
    /// How many there are besides the caller.
    fn count(&self) -> usize;

    /// Runs `work(0)` on the caller's thread and `work(1)` to `work(count)` on the helpers',
    /// and returns when all of them have.
    fn run(&self, work: &(dyn Fn(usize) + Sync));
}

/// What the work on one state has cost lately; nothing as long as that is not known.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cost(Option<Duration>);

/// The least work that is worth waking threads for: several times what waking takes.
const WORTH_WAKING: Duration = Duration::from_micros(40);
/// The least work worth a part of its own, and the least number of states while costs are unknown.
const WORTH_A_PART: Duration = Duration::from_micros(3);
const PART: usize = 16;

/// How often the caller checks whether the helpers are done before it sleeps: some 20 µs.
const SPINS: u32 = 1000;

/// Does the same to every state with its own arrays, on helpers too where `cost` says that it is
/// worth it, unless `stop` is set. Returns what it has cost, as far as that can be told.
///
/// Each thread begins with the states it had the last time, which are in its core's cache, and
/// then takes parts that no other thread has begun.
///
/// # Errors
/// If it was stopped; or what went wrong with the first state with which something did.
pub(super) fn share<S: Send>(
    slots: &mut [S],
    arrays: Arrays<'_>,
    helpers: Option<&dyn HelperThreads>,
    cost: Cost,
    stop: Option<&AtomicBool>,
    work: impl Fn(usize, &mut S, &mut Arrays<'_>) -> Result<(), StateError> + Sync,
) -> Result<Cost, BatchError> {
    let is_stopped = || stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
    let first_wrong: Mutex<Option<(usize, StateError)>> = Mutex::default();
    let run = |first: usize, slots: &mut [S], mut arrays: Arrays<'_>| {
        for (index, slot) in slots.iter_mut().enumerate() {
            if is_stopped() {
                return;
            }
            if let Err(error) = work(first + index, slot, &mut arrays.at(index)) {
                // Whichever thread is the first, it is that of the lowest number.
                let mut wrong = first_wrong.lock().unwrap_or_else(PoisonError::into_inner);
                if wrong.is_none_or(|(other, _)| first + index < other) {
                    *wrong = Some((first + index, error));
                }
            }
        }
    };
    let finish = |cost: Cost| {
        if is_stopped() {
            return Err(BatchError::Stopped);
        }
        let wrong = *first_wrong.lock().unwrap_or_else(PoisonError::into_inner);
        wrong.map_or(Ok(cost), |(state, error)| Err(error.of(state)))
    };
    let count = slots.len();
    let begun = clock::now();
    let took = || begun.map_or(Duration::ZERO, |begun| begun.elapsed());
    let (least, is_worth) = match cost.0 {
        None => (PART, count >= 2 * PART),
        Some(cost) => {
            let least = WORTH_A_PART.as_nanos() / cost.as_nanos().max(1);
            ((least as usize).max(1), cost * count as u32 >= WORTH_WAKING && count > 1)
        }
    };
    let Some(helpers) = helpers.filter(|_| is_worth) else {
        run(0, slots, arrays);
        return finish(cost.update(took(), count));
    };
    let threads = helpers.count() + 1;
    let part_size = count.div_ceil(4 * threads).max(least);
    let parts = slots.chunks_mut(part_size).zip(arrays.parts(part_size));
    let parts: Vec<_> = parts.map(|part| Mutex::new(Some(part))).collect();
    let left = AtomicUsize::new(parts.len());
    let run_from = |thread: usize| {
        let first = thread * parts.len() / threads;
        for number in (first..parts.len()).chain(0..first) {
            let part = parts[number].lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some((slots, arrays)) = part {
                run(number * part_size, slots, arrays);
                left.fetch_sub(1, Ordering::Release);
            }
        }
    };
    helpers.run(&|thread| {
        run_from(thread);
        // To be woken takes the caller longer than the others still need, as a rule.
        for _ in 0..if thread == 0 { SPINS } else { 0 } {
            if left.load(Ordering::Acquire) == 0 {
                break;
            }
            std::hint::spin_loop();
        }
    });
    finish(cost.update(took() * threads.min(parts.len()) as u32, count))
}

impl Cost {
    /// The cost after so many states have taken so much thread time: mostly what it was, since
    /// a step in which many episodes end, or a thread waits for a core, is none like the others.
    fn update(self, took: Duration, count: usize) -> Cost {
        let now = took / count.max(1) as u32;
        Cost(Some(self.0.map_or(now, |before| (before * 7 + now) / 8)))
    }
}
