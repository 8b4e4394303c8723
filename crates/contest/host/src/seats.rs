//! Performance by seat, for games whose two seats play different roles, such as a builder and a
//! requester: the mean score of each version at the first seat against each at the second, how much
//! each leaves to the others, and who did better against the same opponents.

use std::collections::BTreeMap;

use quintain_core::Objective;
use quintain_stats::WinDrawLoss;

use crate::state::Version;

/// Scores of the first seat with the numbers of their matches, by the versions at the first and
/// second seat.
pub(crate) type FirstSeatScores = BTreeMap<(i64, i64), Vec<(i64, f64)>>;

/// Number of iterations in which the two kinds of differences are fitted to each other. They
/// converge by a constant factor per iteration; where everybody has met everybody but themselves,
/// ten would do.
const ROUNDS: usize = 100;

/// A version at a seat, compared with the others at that seat.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// Its index in the list of versions.
    pub(crate) at: usize,
    /// How much higher the first seat's score is with this version than with the mean of all, with
    /// the others unchanged; none without a match.
    pub(crate) difference: Option<f64>,
    pub(crate) matches: usize,
}

/// The table of a game's two seats.
#[derive(Clone, Debug)]
pub(crate) struct SeatTable {
    /// The versions at the first seat, the best first.
    pub(crate) first: Vec<Place>,
    /// The versions at the second seat, the ones who leave least first.
    pub(crate) second: Vec<Place>,
    /// The mean score of the first seat over all pairs.
    pub(crate) mean: Option<f64>,
    means: BTreeMap<(usize, usize), f64>,
    duels: BTreeMap<(usize, usize), WinDrawLoss>,
}

impl SeatTable {
    /// Makes the table of these versions.
    pub(crate) fn of(
        scores: &FirstSeatScores,
        versions: &[Version],
        objective: Objective,
    ) -> SeatTable {
        let place = |id: i64| versions.iter().position(|version| version.id == id);
        let mut by_pair: BTreeMap<(usize, usize), Vec<(i64, f64)>> = BTreeMap::new();
        for ((first, second), scores) in scores {
            if let (Some(first), Some(second)) = (place(*first), place(*second)) {
                let mut scores = scores.clone();
                scores.sort_by_key(|(id, _)| *id);
                by_pair.insert((first, second), scores);
            }
        }
        let mean_of = |scores: &[(i64, f64)]| {
            scores.iter().map(|(_, score)| score).sum::<f64>() / scores.len() as f64
        };
        let means: BTreeMap<(usize, usize), f64> =
            by_pair.iter().map(|(pair, scores)| (*pair, mean_of(scores))).collect();
        let count = means.len() as f64;
        let mean = (count > 0.0).then(|| means.values().sum::<f64>() / count);
        let (first, second) = differences(&means, versions.len(), mean.unwrap_or(0.0));
        let matches = |is_theirs: &dyn Fn(&(usize, usize)) -> bool| -> usize {
            by_pair.iter().filter(|(pair, _)| is_theirs(pair)).map(|(_, of)| of.len()).sum()
        };
        let places = |differences: Vec<Option<f64>>, is_first: bool| {
            let mut places: Vec<Place> = differences
                .into_iter()
                .enumerate()
                .map(|(at, difference)| {
                    let own = |pair: &(usize, usize)| at == if is_first { pair.0 } else { pair.1 };
                    Place { at, difference, matches: matches(&own) }
                })
                .collect();
            let key = |place: &Place| {
                let gain = place.difference.map(|difference| objective.gain(difference));
                gain.map_or(f64::INFINITY, |gain| if is_first { -gain } else { gain })
            };
            places.sort_by(|a, b| key(a).total_cmp(&key(b)).then(a.at.cmp(&b.at)));
            places
        };
        SeatTable {
            first: places(first, true),
            second: places(second, false),
            mean,
            duels: duels(&by_pair, versions.len(), objective),
            means,
        }
    }

    /// Returns the mean score of one version at the first seat against another at the second, by
    /// their indices in the list of versions; none if they have not met in this way.
    pub(crate) fn mean_of(&self, first: usize, second: usize) -> Option<f64> {
        self.means.get(&(first, second)).copied()
    }

    /// Returns how often one version scored more at the first seat than another, against the same
    /// opponent. Their first matches with each opponent are compared, then their second ones, and
    /// so on.
    pub(crate) fn duel(&self, own: usize, other: usize) -> WinDrawLoss {
        self.duels.get(&(own, other)).copied().unwrap_or_default()
    }

    /// Counts a version's duels against each other version: won, lost and drawn.
    pub(crate) fn record(&self, own: usize) -> WinDrawLoss {
        let mut record = WinDrawLoss::default();
        for ((_, _), duel) in self.duels.iter().filter(|((of, _), _)| *of == own) {
            record += duel.as_duel();
        }
        record
    }
}

/// Estimates how much each version at the first seat and each at the second adds to the mean, by
/// least squares over the pairs that have met, so that it does not matter that nobody meets
/// themselves.
fn differences(
    means: &BTreeMap<(usize, usize), f64>,
    count: usize,
    mean: f64,
) -> (Vec<Option<f64>>, Vec<Option<f64>>) {
    let (mut first, mut second) = (vec![0.0; count], vec![0.0; count]);
    let fit = |own: &mut [f64], others: &[f64], is_first: bool| {
        let (mut sums, mut counts) = (vec![0.0; count], vec![0.0; count]);
        for ((a, b), value) in means {
            let (at, other) = if is_first { (*a, *b) } else { (*b, *a) };
            sums[at] += value - mean - others[other];
            counts[at] += 1.0;
        }
        for (at, own) in own.iter_mut().enumerate().filter(|(at, _)| counts[*at] > 0.0) {
            *own = sums[at] / counts[at];
        }
    };
    for _ in 0..ROUNDS {
        fit(&mut first, &second, true);
        fit(&mut second, &first, false);
    }
    let (mut met_first, mut met_second) = (vec![false; count], vec![false; count]);
    for (a, b) in means.keys() {
        (met_first[*a], met_second[*b]) = (true, true);
    }
    // Each kind's differences have mean 0, so that they can be reported separately.
    let centred = |values: Vec<f64>, met: Vec<bool>| -> Vec<Option<f64>> {
        let both = || values.iter().zip(&met);
        let known: Vec<f64> = both().filter(|(_, met)| **met).map(|(value, _)| *value).collect();
        let centre = known.iter().sum::<f64>() / known.len().max(1) as f64;
        both().map(|(value, met)| met.then_some(value - centre)).collect()
    };
    (centred(first, met_first), centred(second, met_second))
}

fn duels(
    by_pair: &BTreeMap<(usize, usize), Vec<(i64, f64)>>,
    count: usize,
    objective: Objective,
) -> BTreeMap<(usize, usize), WinDrawLoss> {
    let mut duels = BTreeMap::new();
    for own in 0..count {
        for other in (0..count).filter(|other| *other != own) {
            let mut duel = WinDrawLoss::default();
            for second in 0..count {
                let of = |first: usize| by_pair.get(&(first, second)).into_iter().flatten();
                for ((_, mine), (_, theirs)) in of(own).zip(of(other)) {
                    let lead = objective.gain(*mine).total_cmp(&objective.gain(*theirs));
                    duel += WinDrawLoss::of(lead);
                }
            }
            if duel != WinDrawLoss::default() {
                duels.insert((own, other), duel);
            }
        }
    }
    duels
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Stage;

    fn versions(count: i64) -> Vec<Version> {
        let version = |id| Version {
            id,
            participant: id,
            name: format!("p{id}"),
            display_name: format!("p{id}"),
            number: 1,
            digest: String::new(),
            built: String::new(),
            stage: Stage::Passed,
            log: String::new(),
            at: 0,
            copy_of: None,
            submitter: None,
        };
        (1..=count).map(version).collect()
    }

    /// Everybody has met everybody else: first seats score 1000, 1100 and 1200 points, of which the
    /// second seats take 0, 300 and 30.
    fn table() -> SeatTable {
        let mut scores = FirstSeatScores::new();
        for (first, earned) in [(1, 1000.0), (2, 1100.0), (3, 1200.0)] {
            for (second, taken) in [(1, 0.0), (2, 300.0), (3, 30.0)] {
                if first != second {
                    scores.insert((first, second), vec![(10 * first + second, earned - taken)]);
                }
            }
        }
        SeatTable::of(&scores, &versions(3), Objective::Maximize)
    }

    #[test]
    fn fitted_differences_are_those_behind_the_scores() {
        let table = table();
        let first: Vec<(usize, f64)> =
            table.first.iter().map(|place| (place.at, place.difference.unwrap().round())).collect();
        assert_eq!(first, [(2, 100.0), (1, 0.0), (0, -100.0)]);
        let second: Vec<(usize, f64)> = table
            .second
            .iter()
            .map(|place| (place.at, place.difference.unwrap().round()))
            .collect();
        assert_eq!(second, [(1, -190.0), (2, 80.0), (0, 110.0)], "who leaves least is first");
        assert_eq!((table.mean_of(0, 1), table.mean_of(0, 0)), (Some(700.0), None));
    }

    #[test]
    fn duels_compare_scores_against_the_same_opponent() {
        let table = table();
        // Both the first and the third have met only the second.
        assert_eq!(table.duel(2, 0), WinDrawLoss { wins: 1, draws: 0, losses: 0 });
        assert_eq!(table.duel(0, 2), WinDrawLoss { wins: 0, draws: 0, losses: 1 });
        assert_eq!(table.record(2), WinDrawLoss { wins: 2, draws: 0, losses: 0 });
        assert_eq!(table.record(0), WinDrawLoss { wins: 0, draws: 0, losses: 2 });
    }

    #[test]
    fn the_order_is_reversed_where_less_is_better() {
        let mut scores = FirstSeatScores::new();
        scores.insert((1, 2), vec![(1, 5.0), (2, 7.0)]);
        scores.insert((2, 1), vec![(3, 9.0)]);
        let table = SeatTable::of(&scores, &versions(3), Objective::Minimize);
        assert_eq!(table.mean_of(0, 1), Some(6.0));
        assert_eq!(table.first.iter().map(|place| place.matches).collect::<Vec<_>>(), [2, 1, 0]);
        assert_eq!(table.first[2].difference, None, "who has not played is last");
    }

    #[test]
    fn without_matches_the_table_is_empty() {
        let table = SeatTable::of(&FirstSeatScores::new(), &versions(2), Objective::Maximize);
        assert!(table.mean.is_none() && table.first.iter().all(|place| place.matches == 0));
    }
}
