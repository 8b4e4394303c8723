//! What a worker's threads have done in the last minute: how long they have played which
//! tournament.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

/// The time that is counted together, and how many such times make a minute.
const PART: Duration = Duration::from_secs(10);
const PARTS: usize = 6;

/// The seconds of threads by tournament, in parts of a minute, the latest last.
#[derive(Default)]
pub(super) struct LastMinute(VecDeque<(Instant, BTreeMap<String, f64>)>);

impl LastMinute {
    /// Adds the time that a batch has taken a thread.
    pub(super) fn add(&mut self, tournament: &str, took: Duration) {
        self.add_at(Instant::now(), tournament, took);
    }

    fn add_at(&mut self, now: Instant, tournament: &str, took: Duration) {
        if self.0.back().is_none_or(|(since, _)| now.duration_since(*since) >= PART) {
            self.0.push_back((now, BTreeMap::new()));
        }
        if let Some((_, seconds)) = self.0.back_mut() {
            *seconds.entry(tournament.to_owned()).or_default() += took.as_secs_f64();
        }
    }

    /// The seconds of each tournament.
    pub(super) fn seconds(&mut self) -> Vec<(String, f64)> {
        self.seconds_at(Instant::now())
    }

    fn seconds_at(&mut self, now: Instant) -> Vec<(String, f64)> {
        self.0.retain(|(since, _)| now.duration_since(*since) < PART * PARTS as u32);
        let mut all: BTreeMap<String, f64> = BTreeMap::new();
        for (tournament, seconds) in self.0.iter().flat_map(|(_, part)| part) {
            *all.entry(tournament.clone()).or_default() += seconds;
        }
        all.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_played_more_than_a_minute_ago_is_forgotten() {
        let (mut minute, begun) = (LastMinute::default(), Instant::now());
        let at = |second| begun + Duration::from_secs(second);
        for second in 0..70 {
            let tournament = if second < 20 { "early" } else { "late" };
            minute.add_at(at(second), tournament, Duration::from_millis(500));
        }
        let expected = vec![("early".to_owned(), 5.0), ("late".to_owned(), 25.0)];
        assert_eq!(minute.seconds_at(at(69)), expected);
        assert_eq!(minute.seconds_at(at(200)), []);
    }
}
