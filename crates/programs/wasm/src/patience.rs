//! How long the arena waits for a module, whatever fuel it has left. Fuel decides matches, since it
//! is the same on every machine; the time that a unit takes is not. Where a unit takes far longer
//! than it should (memory beyond the caches, denormal numbers on some processors, a machine that
//! swaps), the arena gives up, and the match is void: time never decides who wins.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use quintain_core::ThinkingClock;

use crate::limits::FUEL_PER_NANOSECOND;

/// The multiple of its fuel's time that a question may take, and the thinking time that all
/// questions of a match together may take beyond that.
const MULTIPLE: u32 = 10;
const RESERVE: Duration = Duration::from_secs(5);
/// A question that takes longer is worth the clock that does not count waits for a core.
const LONG: Duration = Duration::from_millis(2);

/// Why a module that runs is not waited for any longer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum GivenUp {
    /// The match was given up.
    Match,
    /// A question took longer than this: its fuel's time, many times, and what was left for the
    /// match.
    TooLong(Duration),
}

/// How long a module is waited for in a match.
pub(crate) struct MatchPatience {
    /// What is left of [`RESERVE`].
    reserve: Duration,
    /// Whether a question has been a long one: then the next ones are measured from their start.
    was_long: bool,
}

impl MatchPatience {
    /// Patience for a match that begins.
    pub(crate) fn new() -> MatchPatience {
        MatchPatience { reserve: RESERVE, was_long: false }
    }

    /// Patience for a question with this much fuel, in a match that is given up when `stop` is set.
    pub(crate) fn of_question<'a>(&self, fuel: u64, stop: Option<&'a AtomicBool>) -> Patience<'a> {
        let limit = self.reserve.saturating_add(time_for(fuel));
        let clock = self.was_long.then(ThinkingClock::start);
        Patience { limit, stop, started: Instant::now(), clock }
    }

    /// Notes that a question has ended, for which this much fuel was burnt.
    pub(crate) fn note(&mut self, question: &Patience<'_>, burnt: u64) {
        self.was_long |= question.started.elapsed() > LONG;
        if let Some(clock) = &question.clock {
            let beyond = clock.elapsed().saturating_sub(time_for(burnt));
            self.reserve = self.reserve.saturating_sub(beyond);
        }
    }
}

/// How long to wait for a question that is being answered.
pub(crate) struct Patience<'a> {
    limit: Duration,
    stop: Option<&'a AtomicBool>,
    started: Instant,
    /// Starts late: reading it would cost more than most answers take.
    clock: Option<ThinkingClock>,
}

impl Patience<'_> {
    /// Looks whether to wait on; called between slices of fuel.
    pub(crate) fn look(&mut self) -> Result<(), GivenUp> {
        if self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Err(GivenUp::Match);
        }
        if self.started.elapsed() <= LONG {
            return Ok(());
        }
        let clock = self.clock.get_or_insert_with(ThinkingClock::start);
        if clock.elapsed() > self.limit {
            return Err(GivenUp::TooLong(self.limit));
        }
        Ok(())
    }
}

/// The longest time for this much fuel.
fn time_for(fuel: u64) -> Duration {
    MULTIPLE * Duration::from_nanos(fuel / FUEL_PER_NANOSECOND)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_reserve(ms: u64) -> MatchPatience {
        MatchPatience { reserve: Duration::from_millis(ms), was_long: true }
    }

    #[test]
    fn more_fuel_has_more_time() {
        assert_eq!(time_for(0), Duration::ZERO);
        assert_eq!(time_for(5_000_000_000), Duration::from_secs(10));
        let new = MatchPatience::new();
        assert_eq!(new.of_question(5_000_000_000, None).limit, Duration::from_secs(15));
    }

    /// Computes for a few milliseconds more than is long.
    fn take_long(question: &Patience<'_>) {
        while question.clock.as_ref().unwrap().elapsed() <= 2 * LONG {}
    }

    #[test]
    fn what_questions_take_beyond_their_fuel_adds_up_in_a_match() {
        let mut patience = with_reserve(6);
        let mut given_up = Ok(());
        for _ in 0..2 {
            let mut question = patience.of_question(0, None);
            take_long(&question);
            given_up = question.look();
            patience.note(&question, 0);
        }
        assert!(matches!(given_up, Err(GivenUp::TooLong(_))), "4 ms are left of 6 ms twice");
        let mut patience = with_reserve(6);
        let question = patience.of_question(1_000_000_000_000, None);
        take_long(&question);
        patience.note(&question, 1_000_000_000_000);
        assert_eq!(patience.reserve, Duration::from_millis(6), "its fuel is worth the time");
    }

    #[test]
    fn a_question_that_takes_too_long_or_is_not_wanted_any_more_is_given_up() {
        let stop = AtomicBool::new(false);
        let patience = with_reserve(0);
        let mut question = patience.of_question(0, Some(&stop));
        assert_eq!(question.look(), Ok(()));
        take_long(&question);
        assert_eq!(question.look(), Err(GivenUp::TooLong(Duration::ZERO)));
        stop.store(true, Ordering::Relaxed);
        assert_eq!(question.look(), Err(GivenUp::Match));
    }

    #[test]
    fn a_long_question_has_the_next_ones_measured_from_their_start() {
        let mut patience = MatchPatience::new();
        let short = patience.of_question(0, None);
        patience.note(&short, 0);
        assert!(short.clock.is_none());
        let long = Patience { started: Instant::now() - 2 * LONG, ..short };
        patience.note(&long, 0);
        assert!(patience.was_long && patience.of_question(0, None).clock.is_some());
    }
}
