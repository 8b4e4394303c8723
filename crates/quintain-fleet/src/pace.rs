//! How many fixtures go into a batch, and how many batches wait: from the time that matches
//! were measured to take, and from how many batches are being played.
//!
//! Batches last a few seconds, so that messages are few and a worker's death costs little;
//! towards the end they shrink with what is left, so that no worker has the last one to
//! itself (guided self-scheduling, Polychronopoulos & Kuck 1987).

use std::time::Duration;

/// How long a batch should take on one thread.
const BATCH_TIME: Duration = Duration::from_secs(2);
/// Batches a second that a coordinator hands out with ease: where more threads play,
/// batches last longer.
const BATCHES_A_SECOND: f64 = 250.0;
/// Fixtures of a batch before any match was measured.
const FIRST: u64 = 4;
/// Fixtures of a batch at most; far below what a message may hold.
const MOST: u64 = 2000;
/// How much a batch may grow over the last.
const GROWTH: u64 = 4;
/// The weight of the newest match in the mean.
const WEIGHT: f64 = 1.0 / 64.0;
/// Batches that wait or are played, at first and at most.
const FEWEST_OUT: u64 = 16;
const MOST_OUT: u64 = 1 << 16;

/// Measures matches and sizes batches.
pub(crate) struct Pace {
    /// The mean time of a match in seconds, the latest weighing most.
    mean: Option<f64>,
    size: u64,
    out: u64,
    in_play: u64,
}

impl Pace {
    pub(crate) fn new() -> Pace {
        Pace { mean: None, size: FIRST, out: FEWEST_OUT, in_play: 1 }
    }

    /// A match took this long.
    pub(crate) fn played(&mut self, elapsed: Duration) {
        let seconds = elapsed.as_secs_f64();
        self.mean = Some(match self.mean {
            None => seconds,
            Some(mean) => mean + WEIGHT * (seconds - mean),
        });
    }

    /// So many batches are being played and so many wait: twice as many as are played may
    /// be out, so that nobody waits and little has to be played again if all is lost.
    pub(crate) fn observe(&mut self, in_play: u64, waiting: u64) {
        self.in_play = in_play.max(1);
        let ran_dry = waiting == 0;
        let wanted = 2 * in_play + FEWEST_OUT;
        self.out = if ran_dry { wanted.max(self.out) } else { wanted }.min(MOST_OUT);
    }

    /// Fixtures of the next batch, where so many are left to be published.
    pub(crate) fn batch(&mut self, left: u64) -> u64 {
        let wanted = match self.mean {
            None => FIRST,
            Some(mean) => {
                let time = BATCH_TIME.as_secs_f64().max(self.in_play as f64 / BATCHES_A_SECOND);
                (time / mean.max(1e-9)) as u64
            }
        };
        self.size = wanted.clamp(1, (self.size * GROWTH).min(MOST));
        self.size.min(left.div_ceil(2 * self.in_play)).max(1)
    }

    /// Fixtures that may be out at one time.
    pub(crate) fn window(&self) -> u64 {
        self.out * self.size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(milliseconds: u64) -> Pace {
        let mut pace = Pace::new();
        for _ in 0..2000 {
            pace.played(Duration::from_millis(milliseconds));
        }
        pace
    }

    #[test]
    fn a_batch_lasts_about_two_seconds() {
        let mut slow = pace(500);
        assert_eq!(slow.batch(1_000_000), 4);
        let mut slower = pace(60_000);
        assert_eq!(slower.batch(1_000_000), 1);
        let mut quick = pace(10);
        let sizes: Vec<u64> = (0..5).map(|_| quick.batch(1_000_000)).collect();
        assert_eq!(sizes, [16, 64, 200, 200, 200], "it grows by degrees");
        slow.observe(8000, 8000);
        let sizes: Vec<u64> = (0..3).map(|_| slow.batch(10_000_000)).collect();
        assert_eq!(sizes, [16, 64, 64], "longer where very many play");
    }

    #[test]
    fn batches_shrink_towards_the_end() {
        let mut pace = pace(1);
        pace.observe(10, 10);
        let mut left = 10_000;
        let mut last = u64::MAX;
        while left > 0 {
            let size = pace.batch(left);
            if left < 5_000 {
                assert!(size <= last && size <= left.div_ceil(20).max(1));
                last = size;
            }
            left -= size.min(left);
        }
        assert_eq!(last, 1);
    }

    #[test]
    fn what_is_out_grows_with_those_who_play_and_is_bounded() {
        let mut pace = Pace::new();
        let mut out = Vec::new();
        for _ in 0..6 {
            // Workers take whatever there is.
            pace.observe(pace.out, 0);
            out.push(pace.out);
        }
        assert_eq!(out, [48, 112, 240, 496, 1008, 2032]);
        for _ in 0..12 {
            pace.observe(pace.out, 0);
        }
        assert_eq!(pace.out, MOST_OUT);
        pace.observe(2, 900);
        assert_eq!(pace.out, 20, "it shrinks when batches wait");
    }
}
