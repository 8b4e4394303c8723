//! How much is tried, and what was found.

use quintain_core::Budget;

/// How much [`check_game`](crate::check_game) tries.
#[derive(Clone, Debug)]
pub struct TestEffort {
    /// Random games for each scenario.
    pub games: u64,
    /// Matches of each player for each scenario.
    pub matches: u64,
    /// The players' thinking budget in these matches.
    pub budget: Budget,
    /// A game that takes more turns than this is reported as endless.
    pub turns: u32,
    /// Scenarios to try besides each one's defaults.
    pub scenarios: Vec<String>,
}

impl Default for TestEffort {
    fn default() -> Self {
        TestEffort {
            games: 5,
            matches: 1,
            budget: Budget { iterations: Some(10), nodes: Some(50), ..Budget::default() },
            turns: 1_000_000,
            scenarios: Vec::new(),
        }
    }
}

/// No more failures than this are sought: one broken rule shows on every turn.
const MAX_FAILURES: usize = 100;

/// What [`check_game`](crate::check_game) found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct ConformanceReport {
    /// The number of single comparisons made.
    pub checks: u64,
    /// What is wrong, one line each (the first hundred).
    pub failures: Vec<String>,
    /// What could not be judged, and why, one line each.
    pub unjudged: Vec<String>,
}

impl ConformanceReport {
    pub(crate) fn check(&mut self, is_right: bool, failure: impl FnOnce() -> String) {
        self.checks += 1;
        if !is_right && !self.has_too_many_failures() {
            self.failures.push(failure());
        }
    }

    pub(crate) fn has_too_many_failures(&self) -> bool {
        self.failures.len() >= MAX_FAILURES
    }

    /// Prints what could not be judged to standard error, which tests show with `--nocapture`.
    ///
    /// # Panics
    /// If anything is wrong.
    pub fn assert_clean(&self) {
        for line in &self.unjudged {
            eprintln!("not judged: {line}");
        }
        assert!(self.failures.is_empty(), "{}", self.failures.join("\n"));
        assert!(self.checks > 0, "nothing was checked");
    }
}
