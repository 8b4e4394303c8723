//! Whether progress has stopped: then a forecast made of the pace so far would say “1 second left”
//! for as long as the last match takes, or until a worker that died is noticed.

use std::time::{Duration, Instant};

use indicatif::HumanDuration;

/// No silence is mentioned before it has lasted this long.
const SHORT: Duration = Duration::from_secs(5);

/// When a count changed last.
pub(crate) struct Silence {
    count: u64,
    since: Instant,
}

impl Silence {
    pub(crate) fn new() -> Silence {
        Silence { count: 0, since: Instant::now() }
    }

    /// Notes the count; returns for how long it has been the same.
    pub(crate) fn note(&mut self, count: u64) -> Duration {
        if count != self.count {
            (self.count, self.since) = (count, Instant::now());
        }
        self.since.elapsed()
    }
}

/// Describes a silence that is far longer than the rest should take.
pub(crate) fn describe_silence(forecast: Duration, silent: Duration) -> Option<String> {
    (silent >= SHORT && silent / 2 >= forecast).then(|| {
        let silent = HumanDuration(Duration::from_secs(silent.as_secs()));
        format!("waiting, nothing new for {silent}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forecast_gives_way_to_a_long_silence() {
        let seconds = Duration::from_secs;
        assert_eq!(describe_silence(seconds(1), seconds(2)), None);
        assert_eq!(describe_silence(seconds(40), seconds(60)), None);
        let waiting = describe_silence(seconds(1), Duration::from_millis(28_700)).unwrap();
        assert_eq!(waiting, "waiting, nothing new for 28 seconds");
    }

    #[test]
    fn a_count_that_changes_in_either_direction_ends_the_silence() {
        let mut silence = Silence::new();
        let begun = silence.since;
        silence.note(0);
        assert_eq!(silence.since, begun);
        silence.note(3);
        let later = silence.since;
        assert!(later >= begun);
        silence.note(3);
        assert_eq!(silence.since, later);
        silence.note(2);
        assert_eq!(silence.count, 2);
    }
}
