//! Regret: the distance between the scores of players and the bounds that a game has proved, or
//! what players gave away compared with perfect play.

use std::collections::BTreeMap;

use quintain_stats::{Interval, mean_with_interval};
use serde::Serialize;

use crate::result::mean_by_player;

/// How far a player falls short of a proved bound on the score, or of perfect play.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Regret {
    /// The player.
    pub player: String,
    /// Matches whose bound is known, with repetitions of the same match counted once.
    pub n: u64,
    /// The mean distance from the bound, in points of the score; 0 is perfect.
    pub mean: f64,
    /// 95 % interval of the mean.
    pub interval: Option<Interval>,
    /// The greatest distance.
    pub worst: f64,
    /// Matches in which the bound was reached.
    pub reached: u64,
    /// Whether it is what the player gave away by the exact values of its positions, and not the
    /// distance of its score from a bound.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub exact: bool,
}

/// The distances of players from the bounds, match by match.
#[derive(Clone, Debug, Default)]
pub struct Distances {
    of: BTreeMap<String, Vec<f64>>,
    exact: bool,
}

impl Distances {
    /// Those from perfect play, by exact values.
    pub fn exact() -> Distances {
        Distances { exact: true, ..Distances::default() }
    }

    /// Adds a match, with the distance of each seat whose bound is known.
    pub fn add<'a>(&mut self, seats: impl IntoIterator<Item = (&'a str, f64)>) {
        for (player, distance) in mean_by_player(seats) {
            self.of.entry(player.to_owned()).or_default().push(distance);
        }
    }
}

impl Distances {
    /// Computes the regret of each of these players whose distances are known.
    pub(crate) fn into_regrets<'a>(
        mut self,
        players: impl Iterator<Item = &'a String>,
    ) -> Vec<Regret> {
        let of = |player: &String| {
            let mut distances = self.of.remove(player)?;
            let reached = distances.iter().filter(|distance| **distance <= 1e-9).count() as u64;
            let (mean, _, interval) = mean_with_interval(&mut distances)?;
            // Sorted by now.
            let (n, worst) = (distances.len() as u64, distances[distances.len() - 1]);
            let exact = self.exact;
            Some(Regret { player: player.clone(), n, mean, interval, worst, reached, exact })
        };
        players.filter_map(of).collect()
    }
}
