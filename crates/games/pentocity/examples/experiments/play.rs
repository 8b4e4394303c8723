//! Plays games and makes means of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use cpu_time::ProcessTime;
use quintain_core::{AnyEntry, Entry, Setup};
use quintain_pentocity::{Pentocity, entry};

/// What many games of one player came to.
pub(crate) struct Games {
    /// The score on each seed.
    pub(crate) scores: Vec<f64>,
    /// The mean of each metric.
    pub(crate) metrics: BTreeMap<String, f64>,
    /// Milliseconds of CPU time a game.
    pub(crate) time: f64,
}

impl Games {
    /// The mean of a metric; 0 where no game had it.
    pub(crate) fn metric(&self, name: &str) -> f64 {
        self.metrics.get(name).copied().unwrap_or(0.0)
    }
}

/// Plays a player on a scenario on the seeds from 1.
pub(crate) fn games(player: &str, scenario: &str, runs: u64) -> Games {
    let entry: Arc<Entry<Pentocity>> = Arc::new(entry());
    let game = AnyEntry::game(&entry, scenario).unwrap_or_else(|error| panic!("{error}"));
    let seated = AnyEntry::seat(&entry, player).unwrap_or_else(|error| panic!("{error}"));
    let begin = ProcessTime::now();
    let (mut scores, mut metrics) = (Vec::new(), BTreeMap::new());
    for seed in 1..=runs {
        let setup = Setup { seed, ..Setup::default() };
        let record = game.play(&setup, &[&seated], None).unwrap_or_else(|error| panic!("{error}"));
        let outcome = record.outcome;
        assert!(outcome.fault.is_none(), "{player} on {scenario}: {:?}", outcome.fault);
        scores.push(outcome.scores[0]);
        for (name, value) in outcome.metrics {
            *metrics.entry(name).or_insert(0.0) += value / runs as f64;
        }
    }
    let time = begin.elapsed().as_secs_f64() * 1000.0 / runs as f64;
    Games { scores, metrics, time }
}

/// The mean, its standard error, and the standard deviation.
pub(crate) fn mean(values: &[f64]) -> (f64, f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, (variance / n).sqrt(), variance.sqrt())
}

/// A mean with half the width of its 95 % interval (normal).
pub(crate) fn interval(values: &[f64]) -> String {
    let (mean, error, _) = mean(values);
    format!("{mean:.0} ± {:.0}", 1.96 * error)
}

/// The paired difference of two runs of games, with its interval.
pub(crate) fn difference(these: &Games, those: &Games) -> String {
    let pairs = these.scores.iter().zip(&those.scores);
    let differences: Vec<f64> = pairs.map(|(a, b)| a - b).collect();
    let (mean, error, _) = mean(&differences);
    format!("{mean:+.0} ± {:.0}", 1.96 * error)
}

/// The middle value.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    if sorted.len().is_multiple_of(2) {
        (sorted[half - 1] + sorted[half]) / 2.0
    } else {
        sorted[half]
    }
}
