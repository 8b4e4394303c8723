//! The threads of this machine that play matches: started together, asked to stop together, and
//! watched by the thread that started them. This is the arena's only thread pool:
//! [`Threads`](crate::Threads) has it take fixtures from a cursor, and a comparison has it play
//! matches in order (`ordered.rs`). These decide what the threads work on and where results go.
//!
//! Not a general pool such as rayon's: matches need deep stacks, a stop flag per thread that
//! players look at, and a caller that stays awake to report and to write.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// Stacks use memory only as far as searches go down, so they may be large.
const STACK: usize = 16 << 20;
/// How often the calling thread wakes up.
const TICK: Duration = Duration::from_millis(50);

/// A thread in which matches can be played, not yet spawned: named by its number, with a stack that
/// is deep enough for recursive searches.
pub fn match_thread(number: usize) -> thread::Builder {
    thread::Builder::new().name(format!("match-{number}")).stack_size(STACK)
}

/// Runs `work` on that many threads (at least one) until it has returned on each. Every thread gets
/// its own flag, which is set when it should stop. On the calling thread, `tick` is called every 50
/// ms and whenever a thread has finished, the last time with `true` when all have. Once `tick`
/// returns `true`, all flags are set.
///
/// # Errors
/// If the system gives no thread. Those already started are stopped and waited for.
pub(crate) fn run_workers(
    threads: usize,
    work: impl Fn(&Arc<AtomicBool>) + Sync,
    tick: &mut dyn FnMut(bool) -> bool,
) -> io::Result<()> {
    let working = WorkerCount::default();
    thread::scope(|scope| {
        // Each thread has its own flag: matches copy the handle at every decision, and a shared one
        // would have the cores fight for its counter.
        let mut flags: Vec<Arc<AtomicBool>> = Vec::new();
        let set_all = |flags: &[Arc<AtomicBool>]| {
            flags.iter().for_each(|flag| flag.store(true, Ordering::Relaxed));
        };
        if tick(false) {
            return Ok(());
        }
        let mut started = Ok(());
        for number in 0..threads.max(1) {
            let flag = Arc::new(AtomicBool::new(false));
            let (work, own) = (&work, Arc::clone(&flag));
            let until_the_end = working.enter();
            let run = move || {
                let _until_the_end = until_the_end;
                work(&own);
            };
            if let Err(error) = match_thread(number).spawn_scoped(scope, run) {
                set_all(&flags);
                started = Err(error);
                break;
            }
            flags.push(flag);
        }
        loop {
            let over = working.wait();
            if tick(over) {
                set_all(&flags);
            }
            if over {
                return started;
            }
        }
    })
}

/// The number of threads at work.
#[derive(Default)]
struct WorkerCount {
    count: Mutex<usize>,
    changed: Condvar,
}

/// A thread that counts as at work until this is dropped, even by a panic.
struct AtWork<'a>(&'a WorkerCount);

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        *lock(&self.0.count) -= 1;
        self.0.changed.notify_all();
    }
}

impl WorkerCount {
    fn enter(&self) -> AtWork<'_> {
        *lock(&self.count) += 1;
        AtWork(self)
    }

    /// Waits for a tick, or until a thread finishes; returns whether all have.
    fn wait(&self) -> bool {
        let count = lock(&self.count);
        if *count == 0 {
            return true;
        }
        let waited = self.changed.wait_timeout(count, TICK);
        *waited.unwrap_or_else(PoisonError::into_inner).0 == 0
    }
}

/// Locks a mutex even if another thread panicked while holding it: nothing panics halfway through a
/// change, so the data is whole.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
