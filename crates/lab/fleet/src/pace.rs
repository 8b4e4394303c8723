//! How fast a machine computes, by a fixed piece of work. Where players have so much time, a slow
//! machine changes what they play, so its worker leaves such matches to others.
//!
//! The work is short and the quickest of several runs counts, so other programs that use the same
//! cores hardly matter. What they take from a match is not charged to its players either.

use std::time::{Duration, Instant};

use quintain_core::digest;

/// A machine that takes more than this many times as long as the coordinator's leaves matches with
/// a time limit to others.
pub(crate) const MOST_SLOWER: f64 = 3.0;
/// How often the work is done.
const RUNS: usize = 20;
/// The words of the table that the work walks through: more than fit into a core's first cache.
const WORDS: usize = 1 << 14;
/// The steps of the walk.
const STEPS: usize = 100_000;

/// Measures this machine: the time of the quickest run.
pub(crate) fn measure() -> Duration {
    let mut table: Vec<u32> =
        (0..WORDS as u32).map(|word| word.wrapping_mul(2_654_435_761)).collect();
    let runs = (0..RUNS).map(|_| {
        let begun = Instant::now();
        std::hint::black_box(work(&mut table));
        begun.elapsed()
    });
    runs.min().unwrap_or_default()
}

/// Arithmetic, branches and memory, as rules and searches mix them.
fn work(table: &mut [u32]) -> String {
    let mut at = 1_u32;
    for step in 0..STEPS as u32 {
        let place = (at ^ step) as usize % WORDS;
        at = at.rotate_left(5).wrapping_add(table[place]);
        if at & 3 == 0 {
            table[place] ^= at;
        }
    }
    digest(&at.to_le_bytes())
}

/// Why a worker of this pace leaves matches with a time limit to others, if it does, where the
/// coordinator's machine has the other pace.
pub(crate) fn too_slow(own: Duration, coordinators: Duration) -> Option<String> {
    let times = own.as_secs_f64() / coordinators.as_secs_f64().max(1e-9);
    (times > MOST_SLOWER).then(|| {
        format!(
            "its players have limited time, and this machine takes {times:.1} times as long as the \
             coordinator's for the same work; it plays matches with budgets of work"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_that_is_ten_times_as_slow_is_told_and_one_of_the_same_speed_is_not() {
        let pace = Duration::from_micros(300);
        assert_eq!(too_slow(pace, pace), None);
        assert_eq!(too_slow(2 * pace, pace), None);
        let told = too_slow(10 * pace, pace).unwrap();
        assert!(told.contains("takes 10.0 times as long"), "{told}");
        assert!(measure() > Duration::ZERO);
    }
}
