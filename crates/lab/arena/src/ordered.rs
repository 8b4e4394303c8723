//! Jobs done by several threads, with results taken in order. A result that comes early waits for
//! its turn, so what is made of the results cannot depend on which thread was quick.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::workers::{lock, run_workers};

/// Gives out jobs and takes their results. It is called from one thread at a time.
pub(crate) trait OrderedSource: Send {
    type Job: Send;
    type Result: Send;

    /// The next job, or `None` if there are no more. May be called before the results of earlier
    /// jobs are in.
    fn next(&mut self) -> Option<Self::Job>;

    /// Takes the result of the next job in order; returns whether to go on.
    fn take(&mut self, result: Self::Result) -> bool;
}

struct Shared<'a, S: OrderedSource> {
    source: &'a mut S,
    given: u64,
    taken: u64,
    waiting: BTreeMap<u64, S::Result>,
    over: bool,
}

/// Does the jobs of `source` on that many threads until there are no more, `take` returns `false`,
/// or `stop` is set. The result of a job done early is held back, and no thread runs ahead by more
/// than a few jobs. `work` gets a flag that is set when its result no longer matters; `report` is
/// called now and then, on this thread.
///
/// # Errors
/// If the system gives no thread.
pub(crate) fn run_ordered<S: OrderedSource>(
    source: &mut S,
    threads: usize,
    stop: &AtomicBool,
    work: impl Fn(S::Job, &Arc<AtomicBool>) -> S::Result + Sync,
    report: &mut dyn FnMut(&mut S),
) -> std::io::Result<()> {
    let shared = Shared { source, given: 0, taken: 0, waiting: BTreeMap::new(), over: false };
    let (shared, moved) = (Mutex::new(shared), Condvar::new());
    let ahead = 2 * threads.max(1) as u64;
    let labour = |hurry: &Arc<AtomicBool>| {
        while let Some((number, job)) = next_job(lock(&shared), &moved, ahead) {
            let result = work(job, hurry);
            let mut state = lock(&shared);
            state.waiting.insert(number, result);
            state.take_what_is_due();
            // Set if a thread could not be started: the others must not go on without it.
            state.over |= hurry.load(Ordering::Relaxed);
            moved.notify_all();
        }
    };
    let mut tick = |_| {
        let mut state = lock(&shared);
        state.over |= stop.load(Ordering::Relaxed);
        if state.over {
            moved.notify_all();
        }
        report(state.source);
        state.over
    };
    run_workers(threads, labour, &mut tick)
}

/// The next job with its number, as soon as there is one; `None` when all is over.
fn next_job<S: OrderedSource>(
    mut state: MutexGuard<'_, Shared<'_, S>>,
    moved: &Condvar,
    ahead: u64,
) -> Option<(u64, S::Job)> {
    loop {
        if state.over {
            return None;
        }
        if state.given < state.taken + ahead {
            match state.source.next() {
                Some(job) => {
                    state.given += 1;
                    return Some((state.given - 1, job));
                }
                None if state.given == state.taken => {
                    state.over = true;
                    moved.notify_all();
                    return None;
                }
                // The results still to come may bring new jobs.
                None => {}
            }
        }
        state = moved.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
}

impl<S: OrderedSource> Shared<'_, S> {
    fn take_what_is_due(&mut self) {
        while !self.over
            && let Some(result) = self.waiting.remove(&self.taken)
        {
            self.taken += 1;
            self.over = !self.source.take(result);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives out numbers until the sum of the results taken is large enough.
    struct Sum {
        next: u64,
        taken: Vec<u64>,
    }

    impl OrderedSource for Sum {
        type Job = u64;
        type Result = u64;

        fn next(&mut self) -> Option<u64> {
            self.next += 1;
            Some(self.next - 1)
        }

        fn take(&mut self, result: u64) -> bool {
            self.taken.push(result);
            self.taken.len() < 100
        }
    }

    #[test]
    fn results_are_taken_in_order_however_many_threads_there_are() {
        for threads in [1, 2, 7] {
            let mut sum = Sum { next: 0, taken: Vec::new() };
            let work = |job: u64, _: &Arc<AtomicBool>| {
                // Some jobs take longer than others.
                (0..(job * 7919) % 5000).fold(job, |a, b| std::hint::black_box(a ^ b ^ b))
            };
            run_ordered(&mut sum, threads, &AtomicBool::new(false), work, &mut |_| {}).unwrap();
            assert_eq!(sum.taken, (0..100).collect::<Vec<u64>>());
        }
    }

    #[test]
    fn a_source_without_jobs_is_over_at_once() {
        struct Nothing;
        impl OrderedSource for Nothing {
            type Job = ();
            type Result = ();
            fn next(&mut self) -> Option<()> {
                None
            }
            fn take(&mut self, (): ()) -> bool {
                true
            }
        }
        let stop = AtomicBool::new(false);
        run_ordered(&mut Nothing, 3, &stop, |(), _| (), &mut |_| {}).unwrap();
    }

    #[test]
    fn a_request_to_stop_is_noticed() {
        let mut sum = Sum { next: 0, taken: Vec::new() };
        run_ordered(&mut sum, 2, &AtomicBool::new(true), |job, _| job, &mut |_| {}).unwrap();
        assert!(sum.taken.len() <= 100);
    }
}
