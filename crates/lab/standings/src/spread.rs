//! How far ratings and means might have been off on other seeds, by leaving out each seed in turn
//! (the jackknife; Tukey 1958). It holds where matches on one seed depend on one another, unlike
//! errors that take every match by itself, and with fewer seeds than resampling needs.

use quintain_stats::bradley_terry;
use quintain_stats::clustered::ClusteredSample;
use quintain_stats::summary::{Interval, student_t_975};

use crate::clusters::{Games, Meeting};

/// With fewer seeds no interval holds.
pub(crate) const MIN_SEEDS: usize = 5;
/// The most groups of seeds that are left out in turn.
const MAX_GROUPS: usize = 200;
/// Bounds the work of fitting the ratings of many players, by larger groups, of which there are at
/// least as many as this.
const FITTING: usize = 50_000_000;
const MIN_GROUPS: usize = 40;

/// Ratings without each group of seeds.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RatingSpread {
    /// For every player, how the rating would be if each group were all there is: the jackknife's
    /// pseudo-values, which spread like independent observations. `None` for players without one.
    pub(crate) values: Vec<Option<Vec<f64>>>,
}

impl RatingSpread {
    /// The spread of these ratings, which belong to these games.
    pub(crate) fn of(ratings: &[Option<f64>], games: &Games) -> RatingSpread {
        let Games { meetings, clusters, seeds } = games;
        let players = ratings.len();
        let most = (FITTING / players.pow(3).max(1)).clamp(MIN_GROUPS, MAX_GROUPS);
        let groups = most.min(*clusters);
        if *seeds < MIN_SEEDS {
            return RatingSpread { values: vec![None; players] };
        }
        // The games of each group, and of all together, in the upper halves of matrices.
        let at = |of: &Meeting| of.players[0] as usize * players + of.players[1] as usize;
        let mut by_group: Vec<Vec<&Meeting>> = vec![Vec::new(); groups];
        let (mut points, mut games) = (vec![0.0; players * players], vec![0.0; players * players]);
        for of in meetings {
            by_group[of.cluster as usize % groups].push(of);
            points[at(of)] += f64::from(of.points);
            games[at(of)] += f64::from(of.games);
        }
        let start: Vec<f64> = ratings.iter().map(|rating| rating.unwrap_or(0.0)).collect();
        let count = groups as f64;
        let mut values: Vec<Option<Vec<f64>>> =
            ratings.iter().map(|rating| rating.map(|_| Vec::with_capacity(groups))).collect();
        for group in by_group {
            let (mut points, mut games) = (points.clone(), games.clone());
            for of in group {
                points[at(of)] -= f64::from(of.points);
                games[at(of)] -= f64::from(of.games);
            }
            for i in 0..players {
                for j in i + 1..players {
                    games[j * players + i] = games[i * players + j];
                    points[j * players + i] = games[i * players + j] - points[i * players + j];
                }
            }
            let without = bradley_terry::refit_ratings(&points, &games, &start);
            for ((values, all), without) in values.iter_mut().zip(&start).zip(without) {
                if let Some(values) = values {
                    values.push(count * all - (count - 1.0) * without);
                }
            }
        }
        RatingSpread { values }
    }

    /// The 95 % interval of the distance of a player's rating from that of `anchor`, or from the
    /// mean of all.
    pub(crate) fn interval(
        &self,
        rating: f64,
        player: usize,
        anchor: Option<usize>,
    ) -> Option<Interval> {
        let own = self.values.get(player)?.as_ref()?;
        let other = anchor.map(|anchor| self.values[anchor].as_ref());
        let distance = |at: usize| match other {
            Some(Some(other)) => own[at] - other[at],
            _ => own[at],
        };
        interval(rating, (0..own.len()).map(distance))
    }
}

/// The 95 % interval of a mean score, where the matches of one seed are one observation; `None`
/// with too few seeds.
pub(crate) fn mean_interval(scores: &ClusteredSample) -> Option<Interval> {
    let without = scores.means_without_each();
    if without.len() < MIN_SEEDS {
        return None;
    }
    let (count, mean) = (without.len() as f64, scores.mean(&vec![1; scores.sums.len()])?);
    interval(mean, without.iter().map(|without| count * mean - (count - 1.0) * without))
}

/// Student's interval of a statistic with these pseudo-values; `None` if they are all the same,
/// which says nothing about other seeds.
pub(crate) fn interval(
    statistic: f64,
    values: impl ExactSizeIterator<Item = f64> + Clone,
) -> Option<Interval> {
    let count = values.len() as f64;
    let mean = values.clone().sum::<f64>() / count;
    let squares: f64 = values.map(|value| (value - mean).powi(2)).sum();
    let error = (squares / (count - 1.0) / count).sqrt();
    let half = student_t_975(count - 1.0) * error;
    (half > 1e-9 * statistic.abs())
        .then_some(Interval { low: statistic - half, high: statistic + half })
}
