//! Tasks done on many threads, their results taken in order. A result that comes early waits for
//! its turn, so what is made of the results cannot depend on which thread was quick.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// Stacks are only used as far as searches go down, so they may be large.
const STACK: usize = 16 << 20;

/// What gives out tasks and takes their results. It is asked from one thread at a time.
pub(super) trait Course: Send {
    type Task: Send;
    type Result: Send;

    /// The next task, or nothing when there are no more. It may be asked before the results of
    /// earlier tasks are in.
    fn next(&mut self) -> Option<Self::Task>;

    /// Takes the result of the next task in order; whether to go on.
    fn take(&mut self, result: Self::Result) -> bool;
}

struct Shared<'a, C: Course> {
    course: &'a mut C,
    given: u64,
    taken: u64,
    waiting: BTreeMap<u64, C::Result>,
    over: bool,
}

/// How often the calling thread looks whether it should stop.
const TICK: Duration = Duration::from_millis(50);

/// Does the tasks of `course` on so many threads until there are no more, `take` says so, or `stop`
/// is set. A task done ahead of its turn keeps its result back, and no thread runs ahead by more
/// than a few tasks. `work` is handed a flag that is set when its result no longer matters; `told`
/// is called now and then, on this thread.
///
/// # Errors
/// If the system gives no thread.
pub(super) fn run<C: Course>(
    course: &mut C,
    threads: usize,
    stop: &AtomicBool,
    work: impl Fn(C::Task, &Arc<AtomicBool>) -> C::Result + Sync,
    told: &mut dyn FnMut(&mut C),
) -> std::io::Result<()> {
    let threads = threads.max(1);
    let shared = Shared { course, given: 0, taken: 0, waiting: BTreeMap::new(), over: false };
    let (shared, moved) = (Mutex::new(shared), Condvar::new());
    let hurry = Arc::new(AtomicBool::new(false));
    let locked = || shared.lock().unwrap_or_else(PoisonError::into_inner);
    let labour = || {
        while let Some((number, task)) = next_task(locked(), &moved, 2 * threads as u64) {
            let result = work(task, &hurry);
            let mut state = locked();
            state.waiting.insert(number, result);
            state.take_what_is_due();
            moved.notify_all();
        }
    };
    thread::scope(|scope| {
        let mut started = Ok(());
        for number in 0..threads {
            let builder = thread::Builder::new().name(format!("match-{number}")).stack_size(STACK);
            if let Err(error) = builder.spawn_scoped(scope, labour) {
                locked().over = true;
                started = Err(error);
                break;
            }
        }
        let mut state = locked();
        while !state.over {
            let waited = moved.wait_timeout(state, TICK).unwrap_or_else(PoisonError::into_inner);
            state = waited.0;
            state.over |= stop.load(Ordering::Relaxed);
            told(state.course);
        }
        hurry.store(true, Ordering::Relaxed);
        moved.notify_all();
        started
    })
}

/// The next task with its number, as soon as there is one; nothing when all is over.
fn next_task<C: Course>(
    mut state: MutexGuard<'_, Shared<'_, C>>,
    moved: &Condvar,
    ahead: u64,
) -> Option<(u64, C::Task)> {
    loop {
        if state.over {
            return None;
        }
        if state.given < state.taken + ahead {
            match state.course.next() {
                Some(task) => {
                    state.given += 1;
                    return Some((state.given - 1, task));
                }
                None if state.given == state.taken => {
                    state.over = true;
                    moved.notify_all();
                    return None;
                }
                // The results that are still to come may bring new tasks.
                None => {}
            }
        }
        state = moved.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
}

impl<C: Course> Shared<'_, C> {
    fn take_what_is_due(&mut self) {
        while !self.over
            && let Some(result) = self.waiting.remove(&self.taken)
        {
            self.taken += 1;
            self.over = !self.course.take(result);
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

    impl Course for Sum {
        type Task = u64;
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
            let work = |task: u64, _: &Arc<AtomicBool>| {
                // Some tasks take longer than others.
                (0..(task * 7919) % 5000).fold(task, |a, b| std::hint::black_box(a ^ b ^ b))
            };
            run(&mut sum, threads, &AtomicBool::new(false), work, &mut |_| {}).unwrap();
            assert_eq!(sum.taken, (0..100).collect::<Vec<u64>>());
        }
    }

    #[test]
    fn a_course_without_tasks_is_over_at_once() {
        struct Nothing;
        impl Course for Nothing {
            type Task = ();
            type Result = ();
            fn next(&mut self) -> Option<()> {
                None
            }
            fn take(&mut self, (): ()) -> bool {
                true
            }
        }
        let stop = AtomicBool::new(false);
        run(&mut Nothing, 3, &stop, |(), _| (), &mut |_| {}).unwrap();
    }

    #[test]
    fn a_wish_to_stop_is_heard() {
        let mut sum = Sum { next: 0, taken: Vec::new() };
        run(&mut sum, 2, &AtomicBool::new(true), |task, _| task, &mut |_| {}).unwrap();
        assert!(sum.taken.len() <= 100);
    }
}
