//! Decides how many fixtures go into a batch and how many batches are published ahead, from the
//! measured time of matches and the number of batches being played.
//!
//! A batch lasts a few seconds: long enough that messages are few, short enough that little
//! is played again when a worker dies. Towards the end batches shrink with the number of
//! fixtures left, so that no worker plays a last large one while the others are idle (guided
//! self-scheduling, Polychronopoulos & Kuck 1987). What is still being played long after that is
//! handed out a second time, since some worker is slow, frozen or gone (backup tasks, Dean &
//! Ghemawat 2004).

use std::time::Duration;

/// How long a batch should take on one thread.
const BATCH_TIME: Duration = Duration::from_secs(2);
/// The number of batches per second that a coordinator hands out easily: where more threads play,
/// batches last longer.
const BATCHES_A_SECOND: f64 = 250.0;
/// The number of fixtures in a batch before any match has been measured.
const FIRST_BATCH: u64 = 4;
/// The most fixtures in a batch; far below what a message may hold.
const MAX_BATCH: u64 = 2000;
/// The factor by which a batch may be larger than the one before.
const GROWTH: u64 = 4;
/// By how many seconds a batch may become longer than usual with each second of the tournament:
/// otherwise workers that began together would all be in long batches at once, and nothing would be
/// stored meanwhile.
const LENGTHENING: f64 = 0.25;
/// The weight of the newest match in the mean.
const WEIGHT: f64 = 1.0 / 64.0;
/// The last fixtures are handed out again after this many times the length of a batch, and not
/// before this time has passed.
const BACKUP_BATCHES: u32 = 3;
const BACKUP_TIME: Duration = Duration::from_secs(2);
/// The number of batches that wait or are being played: initially, and at most.
const MIN_OUT: u64 = 16;
const MAX_OUT: u64 = 1 << 16;

/// Decides the size of batches from measured matches.
pub(crate) struct BatchSizer {
    /// The exponential moving average of the time of a match, in seconds.
    mean: Option<f64>,
    size: u64,
    /// The number of fixtures of the last batch.
    last: u64,
    out: u64,
    in_play: u64,
    /// The number of observations of the queues, one a second.
    looks: u64,
}

impl BatchSizer {
    pub(crate) fn new() -> BatchSizer {
        BatchSizer {
            mean: None,
            size: FIRST_BATCH,
            last: FIRST_BATCH,
            out: MIN_OUT,
            in_play: 1,
            looks: 0,
        }
    }

    /// Records the time of one match.
    pub(crate) fn record_match(&mut self, elapsed: Duration) {
        let seconds = elapsed.as_secs_f64();
        self.mean = Some(match self.mean {
            None => seconds,
            Some(mean) => mean + WEIGHT * (seconds - mean),
        });
    }

    /// Records how many batches are being played and how many wait in the queue, once a second.
    ///
    /// Twice as many batches as are being played may be published: enough that no worker runs dry
    /// between two looks, and few enough that little is published again if the server loses them.
    /// While the queue is empty the number never falls: if fewer batches are being played then, the
    /// reason may be that workers had nothing to take.
    pub(crate) fn observe(&mut self, in_play: u64, waiting: u64) {
        self.looks += 1;
        self.in_play = in_play.max(1);
        let ran_dry = waiting == 0;
        let wanted = 2 * in_play + MIN_OUT;
        self.out = if ran_dry { wanted.max(self.out) } else { wanted }.min(MAX_OUT);
    }

    /// The number of fixtures for the next batch, when `left` have not been published yet.
    pub(crate) fn next_size(&mut self, left: u64) -> u64 {
        let wanted = match self.mean {
            None => FIRST_BATCH,
            Some(mean) => {
                let longest = BATCH_TIME.as_secs_f64() + LENGTHENING * self.looks as f64;
                let wanted = self.in_play as f64 / BATCHES_A_SECOND;
                let time = wanted.clamp(BATCH_TIME.as_secs_f64(), longest);
                (time / mean.max(1e-9)) as u64
            }
        };
        self.size = wanted.clamp(1, (self.size * GROWTH).min(MAX_BATCH));
        self.last = self.size.min(left.div_ceil(2 * self.in_play)).max(1);
        self.last
    }

    /// The time of a match on one thread, once one has been measured.
    pub(crate) fn match_time(&self) -> Option<Duration> {
        self.mean.map(Duration::from_secs_f64)
    }

    /// How long to wait after the last batch before fixtures without an answer are handed out
    /// again, if that has already been done `before` times. `None` before any match has been
    /// measured.
    pub(crate) fn backup_delay(&self, before: u32) -> Option<Duration> {
        let batch = Duration::from_secs_f64(self.mean? * self.last as f64);
        Some(
            batch
                .saturating_mul(BACKUP_BATCHES)
                .max(BACKUP_TIME)
                .saturating_mul(1 << before.min(16)),
        )
    }

    /// The number of fixtures that may be published and unanswered at one time.
    pub(crate) fn window(&self) -> u64 {
        self.out * self.size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizer_after(milliseconds: u64) -> BatchSizer {
        let mut sizer = BatchSizer::new();
        for _ in 0..2000 {
            sizer.record_match(Duration::from_millis(milliseconds));
        }
        sizer
    }

    #[test]
    fn a_batch_lasts_about_two_seconds() {
        let mut slow = sizer_after(500);
        assert_eq!(slow.next_size(1_000_000), 4);
        let mut slower = sizer_after(60_000);
        assert_eq!(slower.next_size(1_000_000), 1);
        let mut quick = sizer_after(10);
        let sizes: Vec<u64> = (0..5).map(|_| quick.next_size(1_000_000)).collect();
        assert_eq!(sizes, [16, 64, 200, 200, 200], "it grows by degrees");
        slow.observe(8000, 8000);
        assert_eq!(slow.next_size(10_000_000), 4, "longer where very many play, but by degrees");
        (0..300).for_each(|_| slow.observe(8000, 8000));
        let sizes: Vec<u64> = (0..3).map(|_| slow.next_size(10_000_000)).collect();
        assert_eq!(sizes, [16, 64, 64]);
    }

    #[test]
    fn matches_far_longer_than_a_batch_are_handed_out_again() {
        assert_eq!(BatchSizer::new().backup_delay(0), None);
        let mut slow = sizer_after(3_600_000);
        slow.next_size(10);
        let hours = |before| slow.backup_delay(before).unwrap().as_secs() / 3600;
        assert_eq!((hours(0), hours(1)), (3, 6));
        let mut quick = sizer_after(1);
        quick.next_size(1);
        assert_eq!(quick.backup_delay(0), Some(BACKUP_TIME));
    }

    #[test]
    fn batches_shrink_towards_the_end() {
        let mut sizer = sizer_after(1);
        sizer.observe(10, 10);
        let mut left = 10_000;
        let mut last = u64::MAX;
        while left > 0 {
            let size = sizer.next_size(left);
            if left < 5_000 {
                assert!(size <= last && size <= left.div_ceil(20).max(1));
                last = size;
            }
            left -= size.min(left);
        }
        assert_eq!(last, 1);
    }

    #[test]
    fn the_number_of_published_batches_grows_with_the_workers_and_is_bounded() {
        let mut sizer = BatchSizer::new();
        let mut out = Vec::new();
        for _ in 0..6 {
            // Workers take whatever there is.
            sizer.observe(sizer.out, 0);
            out.push(sizer.out);
        }
        assert_eq!(out, [48, 112, 240, 496, 1008, 2032]);
        for _ in 0..12 {
            sizer.observe(sizer.out, 0);
        }
        assert_eq!(sizer.out, MAX_OUT);
        sizer.observe(2, 900);
        assert_eq!(sizer.out, 20, "it shrinks when batches wait");
    }
}
