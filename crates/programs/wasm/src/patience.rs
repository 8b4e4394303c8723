//! How long the arena waits for a module, whatever fuel it has left. Fuel decides matches, since it
//! is the same on every machine; the time that a unit takes is not. Where a unit takes far longer
//! than it should (memory beyond the caches, denormal numbers on some processors, a machine that
//! swaps), the arena gives up, and the match is void: time never decides who wins.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use quintain_core::ThinkingClock;

use crate::limits::FUEL_PER_NANOSECOND;

/// The thinking time that any question may take, and the multiple of its fuel's time that it may
/// take besides.
const LEAST: Duration = Duration::from_secs(5);
const MULTIPLE: u32 = 10;

/// Why a module that runs is not waited for any longer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum GivenUp {
    /// The match was given up.
    Match,
    /// It took longer than this.
    TooLong(Duration),
}

/// How long to wait for a question that is being answered.
pub(crate) struct Patience<'a> {
    limit: Duration,
    stop: Option<&'a AtomicBool>,
    /// Starts at the first look: reading it would cost more than most answers take.
    clock: Option<ThinkingClock>,
}

impl Patience<'_> {
    /// Patience for a question with this much fuel, in a match that is given up when `stop` is set.
    pub(crate) fn new(fuel: u64, stop: Option<&AtomicBool>) -> Patience<'_> {
        Patience { limit: limit(fuel), stop, clock: None }
    }

    /// Looks whether to wait on; called between slices of fuel.
    pub(crate) fn look(&mut self) -> Result<(), GivenUp> {
        if self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Err(GivenUp::Match);
        }
        let clock = self.clock.get_or_insert_with(ThinkingClock::start);
        if clock.elapsed() > self.limit {
            return Err(GivenUp::TooLong(self.limit));
        }
        Ok(())
    }
}

/// The longest time for this much fuel.
fn limit(fuel: u64) -> Duration {
    LEAST + MULTIPLE * Duration::from_nanos(fuel / FUEL_PER_NANOSECOND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_fuel_has_more_time() {
        assert_eq!(limit(0), Duration::from_secs(5));
        assert_eq!(limit(5_000_000_000), Duration::from_secs(15));
    }

    #[test]
    fn a_question_that_takes_too_long_or_is_not_wanted_any_more_is_given_up() {
        let stop = AtomicBool::new(false);
        let mut patience = Patience::new(0, Some(&stop));
        assert_eq!(patience.look(), Ok(()));
        patience.limit = Duration::ZERO;
        assert_eq!(patience.look(), Err(GivenUp::TooLong(Duration::ZERO)));
        stop.store(true, Ordering::Relaxed);
        assert_eq!(patience.look(), Err(GivenUp::Match));
    }
}
