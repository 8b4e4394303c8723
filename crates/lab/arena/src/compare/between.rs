//! Which of two candidates does better against the same references. Both play the same rounds, so
//! their results are compared round by round; they go on until that is known, too.

use quintain_core::Scoring;
use quintain_stats::likelihood::EloScale;
use quintain_stats::{DifferenceTest, Interval, Measure, Verdict, elo};
use serde::Serialize;

use super::config::{CompareError, ComparisonConfig};

/// How the first of two candidates fares compared with the second, against the same references.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct BetweenCandidates {
    /// Whether the first does better; none if the matches were used up before that was known.
    pub verdict: Option<Verdict>,
    /// The rounds that both played.
    pub rounds: u64,
    /// The mean result of each: its share of the points among rivals, otherwise its score.
    pub means: [f64; 2],
    /// What is compared.
    pub measure: Measure,
    /// The smallest difference looked for, in units of the measure.
    pub delta: Option<f64>,
    /// The difference as observed, more than 0 if the first did better.
    pub estimate: Option<f64>,
    /// Interval of the difference that holds at whatever time one looks.
    pub interval: Option<Interval>,
}

/// The running comparison of two candidates.
pub(super) struct Between {
    test: DifferenceTest,
    measure: Measure,
    delta: Option<f64>,
    verdict: Option<Verdict>,
    rounds: u64,
    sums: [f64; 2],
}

impl Between {
    /// None unless there are two candidates.
    pub(super) fn new(config: &ComparisonConfig) -> Result<Option<Between>, CompareError> {
        if config.candidates.len() != 2 {
            return Ok(None);
        }
        let (measure, delta) = match config.games[0].scoring() {
            Scoring::Independent => (config.score_measure()?, config.delta),
            // The share of the points, from 0 to 1.
            Scoring::Adversarial => {
                let share = |delta: f64| elo::expected_score(delta) - 0.5;
                let is_logistic = config.scale == EloScale::Logistic;
                (Measure::Mean { limit: 1.0 }, config.delta.filter(|_| is_logistic).map(share))
            }
        };
        let test = DifferenceTest::new(config.risks, measure, delta);
        Ok(Some(Between { test, measure, delta, verdict: None, rounds: 0, sums: [0.0; 2] }))
    }

    /// Counts a round that both have played. `gains` are what is compared, `results` what is told.
    pub(super) fn count(&mut self, gains: [f64; 2], results: [f64; 2]) {
        self.test.count(gains[0], &[gains[1]]);
        self.rounds += 1;
        for (sum, result) in self.sums.iter_mut().zip(results) {
            *sum += result;
        }
    }

    /// Judges the rounds counted so far: whole cycles of the scenarios.
    pub(super) fn judge(&mut self) {
        self.verdict = self.test.judge();
    }

    pub(super) fn is_undecided(&self) -> bool {
        self.verdict.is_none()
    }

    pub(super) fn finish(self) -> BetweenCandidates {
        BetweenCandidates {
            verdict: self.verdict,
            rounds: self.rounds,
            means: self.sums.map(|sum| sum / self.rounds.max(1) as f64),
            measure: self.measure,
            delta: self.delta,
            estimate: self.test.estimate(),
            interval: self.test.interval(),
        }
    }
}
