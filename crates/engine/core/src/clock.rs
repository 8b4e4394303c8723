//! Thinking time: wall time without the time that a thread waited for a core. On a machine with
//! more work than cores, a player must not lose because others are computing. The kernel counts
//! these waits for every thread, in `/proc/thread-self/schedstat`. If it does not, thinking time is
//! wall time.
//!
//! A pause of the whole process (Ctrl-Z, a closed laptop) is not thinking time either, but no clock
//! of the kernel leaves it out. A thread that sleeps again and again notices such a pause because
//! it oversleeps.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{OnceLock, mpsc};
use std::time::{Duration, Instant};

/// The most wall time that thinking may take, however long it waits for a core, as a multiple of
/// the thinking time allowed.
pub const MAX_WALL_TIME_FACTOR: u32 = 20;

/// Whether there is a clock here: WebAssembly without WASI has none, and asking for the time there
/// aborts the program.
const HAS_CLOCK: bool = !cfg!(all(target_family = "wasm", target_os = "unknown"));

/// The time; none where there is no clock.
pub fn now() -> Option<Instant> {
    HAS_CLOCK.then(Instant::now)
}

/// A clock that stops while its thread waits for a core. It is meaningful only on the thread
/// that started it.
#[derive(Clone, Copy, Debug)]
pub struct ThinkingClock {
    started: Instant,
    waited: Duration,
}

impl ThinkingClock {
    /// Starts a clock.
    pub fn start() -> Self {
        ThinkingClock { waited: waiting_time(), started: Instant::now() }
    }

    /// The time since the start, without waits for a core.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed().saturating_sub(waiting_time().saturating_sub(self.waited))
    }
}

/// How long the calling thread has waited for a core since it started, as far as the kernel tells.
#[cfg(target_os = "linux")]
pub fn waiting_time() -> Duration {
    use std::fs::File;
    use std::os::unix::fs::FileExt;

    thread_local! {
        static COUNTERS: Option<File> = File::open("/proc/thread-self/schedstat").ok();
    }
    COUNTERS.with(|file| {
        let mut text = [0; 96];
        let length = file.as_ref().map_or(0, |file| file.read_at(&mut text, 0).unwrap_or(0));
        parse_wait(&text[..length])
    })
}

/// How long the calling thread has waited for a core; other systems do not count that.
#[cfg(not(target_os = "linux"))]
pub fn waiting_time() -> Duration {
    Duration::ZERO
}

/// The processor time of this process so far, of all its threads, to a hundredth of a second; none
/// where the system does not tell.
pub fn processor_time() -> Option<Duration> {
    parse_processor_time(&std::fs::read_to_string("/proc/self/stat").ok()?)
}

/// Reads the processor time from a line of `/proc/PID/stat`: the 14th and 15th field, in ticks. The
/// second field, the name, may hold spaces and brackets.
fn parse_processor_time(line: &str) -> Option<Duration> {
    const TICKS_PER_SECOND: u64 = 100;
    let (_, fields) = line.rsplit_once(')')?;
    let mut ticks = fields.split_ascii_whitespace().skip(11).map(str::parse::<u64>);
    let spent = ticks.next()?.ok()? + ticks.next()?.ok()?;
    Some(Duration::from_millis(spent * 1000 / TICKS_PER_SECOND))
}

/// How long the thread that notices pauses sleeps at a time.
const NAP: Duration = Duration::from_millis(25);
/// How long it may oversleep, besides its waits for a core, before that counts as a pause.
const OVERSLEPT: Duration = Duration::from_millis(250);
/// How long others wait for it at most; it may not be running.
const MAX_SETTLING_TIME: Duration = Duration::from_secs(5);

/// The total of the pauses that the watching thread has seen, in milliseconds.
static PAUSED_MS: AtomicU64 = AtomicU64::new(0);
/// How often that thread has looked.
static LOOKS: AtomicU64 = AtomicU64::new(0);

/// How long this process has been paused in all since the first call. A pause becomes known about
/// one [`NAP`] after its end: see [`settled_paused_time`].
pub fn paused_time() -> Duration {
    static WATCH: OnceLock<()> = OnceLock::new();
    WATCH.get_or_init(|| {
        let watch = std::thread::Builder::new().name("pauses".to_owned());
        let (begins, has_begun) = mpsc::channel::<()>();
        // Without the thread, pauses go unnoticed, and nothing else is lost.
        let _ = watch.spawn(move || {
            loop {
                let nap = ThinkingClock::start();
                // Releases the first caller. Later sends fail, since nobody receives them any more.
                let _ = begins.send(());
                std::thread::sleep(NAP);
                let overslept = nap.elapsed().saturating_sub(NAP);
                if overslept > OVERSLEPT {
                    PAUSED_MS.fetch_add(overslept.as_millis() as u64, Ordering::Relaxed);
                }
                LOOKS.fetch_add(1, Ordering::Release);
            }
        });
        // A pause before the thread's first nap would not be counted.
        let _ = has_begun.recv();
    });
    Duration::from_millis(PAUSED_MS.load(Ordering::Relaxed))
}

/// Like [`paused_time`], but waits first until a pause that has just ended is known.
pub fn settled_paused_time() -> Duration {
    paused_time();
    // On a busy machine the thread that looks may wait for a core, but not for ever.
    let (before, began) = (LOOKS.load(Ordering::Acquire), Instant::now());
    while LOOKS.load(Ordering::Acquire) == before && began.elapsed() < MAX_SETTLING_TIME {
        std::thread::sleep(NAP);
    }
    paused_time()
}

/// Reads the wait from the kernel's counters of a thread: the second number, in nanoseconds.
pub fn parse_wait(counters: &[u8]) -> Duration {
    let text = std::str::from_utf8(counters).unwrap_or("");
    let waited = text.split_ascii_whitespace().nth(1).and_then(|field| field.parse().ok());
    Duration::from_nanos(waited.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_kernel_counter_is_the_wait() {
        assert_eq!(parse_wait(b"1234 5000 67\n"), Duration::from_micros(5));
        assert_eq!(parse_wait(b""), Duration::ZERO);
    }

    #[test]
    fn the_processor_time_is_that_of_user_and_system() {
        let line = "7 (a) b (c) R 1 1 1 0 -1 4194304 90 0 0 0 150 25 9 9 20 0 1 0 5 6 7";
        assert_eq!(parse_processor_time(line), Some(Duration::from_millis(1750)));
        assert_eq!(parse_processor_time("7 (a) R 1"), None);
    }

    #[test]
    fn tests_have_a_clock() {
        assert!(now().is_some());
    }

    #[test]
    fn a_thinking_clock_counts_no_more_than_the_wall_clock() {
        let (wall, clock) = (Instant::now(), ThinkingClock::start());
        let sum: u64 = (0..100_000u64).map(std::hint::black_box).sum();
        std::hint::black_box(sum);
        let thought = clock.elapsed();
        assert!(thought <= wall.elapsed());
    }
}
