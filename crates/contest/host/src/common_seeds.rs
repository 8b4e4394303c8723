//! Compares two versions of a single-player game on the seeds that both have played: how often each
//! did better, and by how much. Effects of the seed cancel out, so that this shows sooner than the
//! means which version is ahead.

use std::collections::BTreeMap;

use quintain_stats::WinDrawLoss;
use quintain_stats::paired::{PairedDifference, summarize};

/// The gain of each version, by scenario and seed.
pub(crate) type Gains = BTreeMap<(String, u64), BTreeMap<i64, f64>>;

/// The result of comparing two versions on one scenario.
pub(crate) struct Comparison {
    pub(crate) scenario: String,
    /// Wins, draws and losses: the seeds on which the first did better, as well and worse.
    pub(crate) seeds: WinDrawLoss,
    /// By how much it did better on average, in points of the score.
    pub(crate) lead: PairedDifference,
}

/// Returns the gain of the one minus the gain of the other, for each seed that both have played.
fn differences(gains: &Gains, own: i64, other: i64) -> impl Iterator<Item = (&str, f64)> {
    gains.iter().filter_map(move |((scenario, _), gains)| {
        Some((scenario.as_str(), gains.get(&own)? - gains.get(&other)?))
    })
}

fn count(differences: impl Iterator<Item = f64>) -> WinDrawLoss {
    let mut seeds = WinDrawLoss::default();
    for difference in differences {
        match difference {
            0.0 => seeds.draws += 1,
            above if above > 0.0 => seeds.wins += 1,
            _ => seeds.losses += 1,
        }
    }
    seeds
}

/// Counts the common seeds of all scenarios on which the first did better, as well and worse; none
/// if there are no common seeds.
pub(crate) fn count_seeds(gains: &Gains, own: i64, other: i64) -> Option<WinDrawLoss> {
    let seeds = count(differences(gains, own, other).map(|(_, difference)| difference));
    Some(seeds).filter(|seeds| seeds.games() > 0)
}

/// Compares two versions on each scenario on which they have common seeds.
pub(crate) fn compare(gains: &Gains, own: i64, other: i64) -> Vec<Comparison> {
    let mut by_scenario: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (scenario, difference) in differences(gains, own, other) {
        by_scenario.entry(scenario).or_default().push(difference);
    }
    let comparison = |(scenario, differences): (&str, Vec<f64>)| {
        let seeds = count(differences.iter().copied());
        Some(Comparison { scenario: scenario.to_owned(), seeds, lead: summarize(differences)? })
    };
    by_scenario.into_iter().filter_map(comparison).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On small seeds 1 to 4 the first has 5, 7, 9, 20 and the second 4, 7, 10; on large ones it
    /// has 100 and the second 50.
    fn gains() -> Gains {
        let played = [
            ("small", 1, vec![(1, 5.0), (2, 4.0)]),
            ("small", 2, vec![(1, 7.0), (2, 7.0)]),
            ("small", 3, vec![(1, 9.0), (2, 10.0)]),
            ("small", 4, vec![(1, 20.0)]),
            ("large", 1, vec![(1, 100.0), (2, 50.0), (3, 1.0)]),
        ];
        let of = |(scenario, seed, gains): (&str, u64, Vec<(i64, f64)>)| {
            ((scenario.to_owned(), seed), gains.into_iter().collect())
        };
        played.into_iter().map(of).collect()
    }

    #[test]
    fn only_seeds_that_both_have_played_count() {
        let seeds = count_seeds(&gains(), 1, 2).unwrap();
        assert_eq!((seeds.wins, seeds.draws, seeds.losses), (2, 1, 1));
        let seeds = count_seeds(&gains(), 2, 1).unwrap();
        assert_eq!((seeds.wins, seeds.draws, seeds.losses), (1, 1, 2));
        assert!(count_seeds(&gains(), 1, 9).is_none());
    }

    #[test]
    fn scenarios_are_compared_apart_since_their_scores_are_of_other_sizes() {
        let [large, small] = &compare(&gains(), 1, 2)[..] else { panic!("two scenarios") };
        assert_eq!((large.scenario.as_str(), large.lead.difference), ("large", 50.0));
        assert_eq!((small.scenario.as_str(), small.lead.difference), ("small", 0.0));
        assert!(large.lead.interval.is_none(), "one seed says nothing about the others");
        let interval = small.lead.interval.unwrap();
        assert!(interval.low < -2.0 && interval.high > 2.0, "±1 on three seeds: {interval:?}");
    }
}
