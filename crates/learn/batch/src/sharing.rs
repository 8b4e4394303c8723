//! Shares the states of a batch among threads, where that pays: handing work to a thread takes as
//! long as stepping a few dozen states of a fast game.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use quintain_core::now;

use crate::arrays::Arrays;
use crate::error::{BatchError, StateError};

/// Threads that share the work of a batch with the calling thread.
pub trait HelperThreads: Sync {
    /// How many there are besides the caller.
    fn count(&self) -> usize;

    /// Runs `work(0)` on the caller's thread and `work(1)` to `work(count)` on the helpers, and
    /// returns when all are done.
    fn run(&self, work: &(dyn Fn(usize) + Sync));
}

/// The least work that is worth sharing: several times what it takes to notify threads that are
/// awake.
const WORTH_SHARING: Duration = Duration::from_micros(10);
/// The least work that makes a part of its own worthwhile, and the least number of states in a part
/// while costs are unknown.
const WORTH_A_PART: Duration = Duration::from_micros(3);
const PART: usize = 16;

/// After this many shared calls, one thread works alone once, to measure what that takes now.
const CALLS_SHARED: u32 = 128;
/// How many calls one thread does alone after sharing was slower, as it is when other programs need
/// the cores. The number doubles each time that sharing is still slower, up to the maximum.
const CALLS_ALONE: u32 = 16;
const MAX_CALLS_ALONE: u32 = 16384;
/// How many calls, or how much time, sharing is tried for before it is judged. Threads have to wake
/// up, and the system at first puts them on the core that woke them.
const CALLS_TRIED: u32 = 32;
const TIME_TRIED: Duration = Duration::from_millis(10);

/// Does `work` on every state with its own arrays, also on helpers if `cost` says that it is worth
/// it, until `stop` is set. Returns the updated cost, as far as it can be measured.
///
/// Each thread steps the states it had the last time, which are in its core's cache. When it is
/// done, it takes over the part of any thread that has not begun. Smaller parts would be taken over
/// more often and cost more than they gain, since a state that changes threads moves its memory to
/// another cache.
///
/// # Errors
/// If it was stopped, or the error of the first state that failed.
pub(crate) fn share<S: Send>(
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
                // Keeps the error of the state with the lowest index, whichever thread fails first.
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
    let begun = now();
    let took = || begun.map_or(Duration::ZERO, |begun| begun.elapsed());
    let Some(helpers) = helpers.filter(|_| cost.is_worth_sharing(count)) else {
        run(0, slots, arrays);
        return finish(cost.after_alone(took(), count));
    };
    let threads = helpers.count() + 1;
    let part_size = count.div_ceil(threads).max(cost.least_part());
    let parts = slots.chunks_mut(part_size).zip(arrays.parts(part_size));
    let parts: Vec<_> = parts.map(|part| Mutex::new(Some(part))).collect();
    helpers.run(&|thread| {
        for number in (thread..parts.len()).chain(0..thread.min(parts.len())) {
            let part = parts[number].lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some((slots, arrays)) = part {
                run(number * part_size, slots, arrays);
            }
        }
    });
    finish(cost.after_sharing(took(), count))
}

/// What the work on one state has taken recently, and whether to share the next call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    /// The time by one thread; none as long as it is unknown.
    alone: Option<Duration>,
    /// The time by all threads, from start to finish; none if unknown, or reset because sharing was
    /// slower.
    shared: Option<Duration>,
    /// How many calls have been shared since one thread worked alone.
    calls_shared: u32,
    /// How long the shared calls have taken since sharing began, until it has been tried.
    time_tried: Duration,
    /// Whether sharing has been tried for long enough since it began.
    is_tried: bool,
    /// How many calls one thread still does alone.
    calls_alone: u32,
    /// How many calls it will do alone when sharing is slower the next time.
    next_alone: u32,
}

impl Default for Cost {
    fn default() -> Cost {
        Cost {
            alone: None,
            shared: None,
            calls_shared: 0,
            time_tried: Duration::ZERO,
            is_tried: false,
            calls_alone: 0,
            next_alone: CALLS_ALONE,
        }
    }
}

impl Cost {
    fn is_worth_sharing(&self, count: usize) -> bool {
        match (self.alone, self.shared) {
            (None, None) => count >= 2 * PART,
            (None, Some(_)) => false,
            (Some(alone), _) => {
                count > 1 && self.calls_alone == 0 && alone * count as u32 >= WORTH_SHARING
            }
        }
    }

    /// How many states make a part of their own worthwhile.
    fn least_part(&self) -> usize {
        let least = self
            .alone
            .map_or(PART as u128, |alone| WORTH_A_PART.as_nanos() / alone.as_nanos().max(1));
        (least as usize).max(1)
    }

    /// The cost after one thread has done `count` states in the time `took`.
    fn after_alone(mut self, took: Duration, count: usize) -> Cost {
        self.alone = Some(average(self.alone, took, count));
        self.calls_alone = self.calls_alone.saturating_sub(1);
        self
    }

    /// The cost after all threads have done `count` states in the time `took`.
    fn after_sharing(mut self, took: Duration, count: usize) -> Cost {
        let shared = average(self.shared, took, count);
        self.shared = Some(shared);
        self.calls_shared += 1;
        if !self.is_tried {
            self.time_tried += took;
            self.is_tried = self.calls_shared >= CALLS_TRIED || self.time_tried >= TIME_TRIED;
        }
        if self.is_tried && self.alone.is_some_and(|alone| shared > alone) {
            let calls_alone = self.next_alone;
            let next_alone = (2 * calls_alone).min(MAX_CALLS_ALONE);
            self = Cost { alone: self.alone, calls_alone, next_alone, ..Cost::default() };
        } else if self.calls_shared == CALLS_SHARED {
            self.calls_alone = 1;
            self.next_alone = CALLS_ALONE;
            self.calls_shared = 0;
        }
        self
    }
}

/// The average time per state. Earlier calls weigh most, since a call in which many episodes end,
/// or in which a thread waits for a core, is not typical.
fn average(before: Option<Duration>, took: Duration, count: usize) -> Duration {
    let now = took / count.max(1) as u32;
    before.map_or(now, |before| (before * 7 + now) / 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATES: usize = 1000;

    /// How many of `calls` calls are shared, if a call takes the times `alone` and `shared`.
    fn shared_calls(cost: &mut Cost, calls: u32, alone: Duration, shared: Duration) -> u32 {
        let mut sum = 0;
        for _ in 0..calls {
            let is_shared = cost.is_worth_sharing(STATES);
            sum += u32::from(is_shared);
            *cost = if is_shared {
                cost.after_sharing(shared, STATES)
            } else {
                cost.after_alone(alone, STATES)
            };
        }
        sum
    }

    #[test]
    fn faster_sharing_is_kept_and_one_thread_is_measured_now_and_then() {
        let (alone, shared) = (Duration::from_micros(100), Duration::from_micros(60));
        let sum = shared_calls(&mut Cost::default(), 10_000, alone, shared);
        assert!((9900..9950).contains(&sum), "{sum} calls were shared");
    }

    #[test]
    fn short_work_is_not_shared() {
        let (alone, shared) = (Duration::from_micros(8), Duration::from_micros(6));
        // The first call, when nothing is known.
        assert_eq!(shared_calls(&mut Cost::default(), 10_000, alone, shared), 1);
    }

    #[test]
    fn slower_sharing_is_tried_ever_less_often() {
        let (alone, shared) = (Duration::from_micros(100), Duration::from_millis(4));
        let sum = shared_calls(&mut Cost::default(), 10_000, alone, shared);
        assert!((20..80).contains(&sum), "{sum} calls were shared");
    }

    #[test]
    fn sharing_returns_when_the_cores_are_free() {
        let (alone, shared) = (Duration::from_micros(100), Duration::from_micros(60));
        let mut cost = Cost::default();
        shared_calls(&mut cost, 10_000, alone, Duration::from_millis(4));
        shared_calls(&mut cost, MAX_CALLS_ALONE, alone, shared);
        assert!(shared_calls(&mut cost, 1000, alone, shared) > 980);
    }

    #[test]
    fn threads_may_be_slow_to_wake() {
        let (alone, shared) = (Duration::from_micros(100), Duration::from_micros(60));
        let mut cost = Cost::default();
        shared_calls(&mut cost, 3, alone, 3 * alone);
        assert!(shared_calls(&mut cost, 1000, alone, shared) > 980);
    }

    #[test]
    fn one_slow_call_does_not_end_sharing() {
        let (alone, shared) = (Duration::from_micros(100), Duration::from_micros(60));
        let mut cost = Cost::default();
        shared_calls(&mut cost, 200, alone, shared);
        shared_calls(&mut cost, 1, alone, Duration::from_millis(4));
        assert!(shared_calls(&mut cost, 1000, alone, shared) > 970);
    }
}
