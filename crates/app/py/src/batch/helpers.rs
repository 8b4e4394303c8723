//! Threads that stay awake for a moment between the calls of a batch: a learner's next step comes
//! some microseconds after the last, and waking a sleeping thread takes longer than half a step.
//! Only `quintain_core` knows how work is divided among them, and whether that pays.

use std::any::Any;
use std::cell::UnsafeCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use quintain_batch::HelperThreads;

use crate::calls::lock;

/// How long a helper looks for the next call before it sleeps.
const AWAKE: Duration = Duration::from_micros(200);
/// How often it looks before it checks the clock again.
const LOOKS: u32 = 64;
/// How often the caller checks whether the helpers are done before it yields its core.
const LOOKS_BEFORE_YIELDING: u32 = 1024;

/// The state shared by the caller and the helpers.
struct Shared {
    /// The number of calls so far: a helper works once for each.
    calls: AtomicUsize,
    /// The work of the call. Written while no helper works, read by helpers that saw `calls` grow.
    work: UnsafeCell<Option<Work>>,
    /// How many helpers still work on the call.
    working: AtomicUsize,
    /// How many helpers sleep, or are about to.
    asleep: AtomicUsize,
    is_over: AtomicBool,
    /// The panic of a helper's work: the caller resumes it.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
    bed: Mutex<()>,
    wake: Condvar,
}

/// Work that is borrowed from the caller for the duration of its call.
type Work = *const (dyn Fn(usize) + Sync);

// SAFETY: only `work` is not `Sync`. It is written by `run`, which holds the only call at a time
// (`Helpers::turn`) and returns only when no helper works any more. Helpers may read it because
// `calls` grows (released, acquired) after it is written. What it points to is `Sync`.
unsafe impl Sync for Shared {}
// SAFETY: as above; the pointer is used only while `run` waits for its users.
unsafe impl Send for Shared {}

/// Threads that help the caller, which works too.
pub(super) struct Helpers {
    shared: Arc<Shared>,
    /// One call at a time.
    turn: Mutex<()>,
    count: usize,
}

impl Helpers {
    /// Starts this many helpers.
    pub(super) fn start(count: usize) -> std::io::Result<Helpers> {
        let shared = Arc::new(Shared {
            calls: AtomicUsize::new(0),
            work: UnsafeCell::new(None),
            working: AtomicUsize::new(0),
            asleep: AtomicUsize::new(0),
            is_over: AtomicBool::new(false),
            panic: Mutex::new(None),
            bed: Mutex::new(()),
            wake: Condvar::new(),
        });
        let mut helpers = Helpers { shared, turn: Mutex::new(()), count: 0 };
        for number in 1..=count {
            let shared = Arc::clone(&helpers.shared);
            thread::Builder::new()
                .name(format!("batch {number}"))
                .spawn(move || shared.help(number))?;
            helpers.count = number;
        }
        Ok(helpers)
    }
}

impl HelperThreads for Helpers {
    fn count(&self) -> usize {
        self.count
    }

    fn run(&self, work: &(dyn Fn(usize) + Sync)) {
        let _turn = lock(&self.turn);
        let shared = &*self.shared;
        // SAFETY: only the lifetime changes. No helper uses the work after `working` has reached
        // zero, and only then does this function return or resume a panic.
        let lasting = unsafe {
            std::mem::transmute::<*const (dyn Fn(usize) + Sync + '_), Work>(std::ptr::from_ref(
                work,
            ))
        };
        // SAFETY: no helper works: the previous call has waited for all, and this is the only call.
        unsafe { *shared.work.get() = Some(lasting) };
        shared.working.store(self.count, Ordering::Relaxed);
        // Sequentially consistent, as is `asleep`: either a helper that goes to sleep sees this
        // call, or this call sees that the helper sleeps.
        shared.calls.fetch_add(1, Ordering::SeqCst);
        if shared.asleep.load(Ordering::SeqCst) > 0 {
            drop(lock(&shared.bed));
            shared.wake.notify_all();
        }
        let own = catch_unwind(AssertUnwindSafe(|| work(0)));
        let mut looks: u32 = 0;
        while shared.working.load(Ordering::Acquire) > 0 {
            looks = looks.wrapping_add(1);
            if looks.is_multiple_of(LOOKS_BEFORE_YIELDING) {
                thread::yield_now()
            } else {
                std::hint::spin_loop()
            }
        }
        let panicked = lock(&shared.panic).take();
        if let Err(panic) = own {
            resume_unwind(panic);
        }
        if let Some(panic) = panicked {
            resume_unwind(panic);
        }
    }
}

impl Drop for Helpers {
    /// Tells the helpers to end, and does not wait until they have.
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::SeqCst);
        self.shared.calls.fetch_add(1, Ordering::SeqCst);
        drop(lock(&self.shared.bed));
        self.shared.wake.notify_all();
    }
}

impl Shared {
    /// Works at every call, until the helpers should end.
    fn help(&self, number: usize) {
        let mut done = 0;
        loop {
            done = self.wait_for_more_than(done);
            if self.is_over.load(Ordering::SeqCst) {
                return;
            }
            // SAFETY: the call has been seen, and it waits for this helper.
            let work = unsafe { &*(*self.work.get()).expect("a call has its work") };
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| work(number))) {
                *lock(&self.panic) = Some(panic);
            }
            self.working.fetch_sub(1, Ordering::Release);
        }
    }

    /// Waits until there have been more than `done` calls: first awake, then asleep.
    fn wait_for_more_than(&self, done: usize) -> usize {
        let begun = Instant::now();
        while begun.elapsed() < AWAKE {
            for _ in 0..LOOKS {
                let calls = self.calls.load(Ordering::Acquire);
                if calls > done {
                    return calls;
                }
                std::hint::spin_loop();
            }
            // The caller may need this core.
            thread::yield_now();
        }
        let mut bed = lock(&self.bed);
        self.asleep.fetch_add(1, Ordering::SeqCst);
        let calls = loop {
            let calls = self.calls.load(Ordering::SeqCst);
            if calls > done {
                break calls;
            }
            bed = self.wake.wait(bed).unwrap_or_else(PoisonError::into_inner);
        };
        self.asleep.fetch_sub(1, Ordering::SeqCst);
        calls
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::*;

    #[test]
    fn everyone_works_once_a_call() {
        let helpers = Helpers::start(3).expect("three threads");
        let done: Vec<AtomicU64> = (0..4).map(|_| AtomicU64::new(0)).collect();
        for call in 1..=1000 {
            helpers.run(&|thread| {
                done[thread].fetch_add(1, Ordering::Relaxed);
            });
            assert!(done.iter().all(|done| done.load(Ordering::Relaxed) == call));
        }
    }

    #[test]
    fn those_that_have_fallen_asleep_are_woken() {
        let helpers = Helpers::start(2).expect("two threads");
        for _ in 0..3 {
            while helpers.shared.asleep.load(Ordering::SeqCst) < 2 {
                thread::yield_now();
            }
            let done = AtomicUsize::new(0);
            helpers.run(&|_| {
                done.fetch_add(1, Ordering::Relaxed);
            });
            assert_eq!(done.load(Ordering::Relaxed), 3);
        }
    }

    #[test]
    fn a_panic_reaches_the_caller_when_all_are_done_and_the_next_call_works() {
        let helpers = Helpers::start(2).expect("two threads");
        let done = AtomicUsize::new(0);
        for wrong in 0..3 {
            let call = || {
                helpers.run(&|thread| {
                    assert_ne!(thread, wrong);
                    done.fetch_add(1, Ordering::Relaxed);
                });
            };
            assert!(catch_unwind(AssertUnwindSafe(call)).is_err());
        }
        assert_eq!(done.load(Ordering::Relaxed), 6);
        helpers.run(&|_| {
            done.fetch_add(1, Ordering::Relaxed);
        });
        assert_eq!(done.load(Ordering::Relaxed), 9);
    }

    #[test]
    fn they_go_when_nobody_needs_them_any_more() {
        let helpers = Helpers::start(2).expect("two threads");
        let shared = Arc::downgrade(&helpers.shared);
        drop(helpers);
        while shared.strong_count() > 0 {
            thread::yield_now();
        }
    }
}
