//! How long a program takes to answer, and what asking it costs. Only sums and the maximum are
//! kept; [`crate::process`] decides whether an answer is late.

use std::fmt;
use std::time::Duration;

/// The times of a program's answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct AnswerTimes {
    /// The number of answers.
    pub answers: u32,
    /// The time of all answers together, by the program's clock.
    pub total: Duration,
    /// The time of the slowest answer.
    pub most: Duration,
    /// Processor time that our own side spent on asking: the overhead of the protocol. Only some of
    /// the questions are measured.
    pub arbiter: Duration,
    /// The number of questions for which that was measured.
    pub measured: u32,
}

impl AnswerTimes {
    /// Counts an answer.
    pub(crate) fn add(&mut self, time: Duration) {
        self.answers += 1;
        self.total += time;
        self.most = self.most.max(time);
    }
}

impl fmt::Display for AnswerTimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let answers = self.answers.max(1);
        let noun = if self.answers == 1 { "answer" } else { "answers" };
        write!(
            f,
            "{} {noun}, {} on average, {} at most, and {} of the arena's own",
            self.answers,
            format_time(self.total / answers),
            format_time(self.most),
            format_time(self.arbiter / self.measured.max(1)),
        )
    }
}

/// Formats a time for people, in the unit that suits it.
pub fn format_time(time: Duration) -> String {
    match time.as_micros() {
        0..1000 => format!("{} µs", time.as_micros()),
        1000..1_000_000 => format!("{:.1} ms", time.as_secs_f64() * 1e3),
        _ => format!("{:.1} s", time.as_secs_f64()),
    }
}
