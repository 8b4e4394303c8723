//! What a report keeps of every match: enough for plots of scores and for tables that
//! compare players seed by seed.

use std::collections::BTreeMap;

use quintain_arena::StandingsError;
use quintain_store::{Filter, Store, StoreError, TournamentInfo};

/// A player's part in one match.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct PlayerMatch {
    /// The match's seed.
    pub(crate) seed: u64,
    /// The mean score of its seats.
    pub(crate) score: f64,
    /// How long the match took.
    pub(crate) seconds: f64,
}

/// By player and scenario, the matches, in an order that does not depend on that of
/// arrival.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Results(BTreeMap<String, BTreeMap<String, Vec<PlayerMatch>>>);

impl Results {
    /// Those of a tournament.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub(crate) fn of(store: &Store, tournament: &TournamentInfo) -> Result<Self, StandingsError> {
        let mut results = Results::default();
        store.matches(&Filter::tournament(tournament.id), |row| {
            // A player with several seats counts once, as in the standings.
            let mut of_match: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
            for (player, score) in row.players.iter().zip(&row.scores) {
                let (sum, seats) = of_match.entry(player).or_default();
                *sum += score;
                *seats += 1.0;
            }
            for (player, (sum, seats)) in of_match {
                let (score, seconds) = (sum / seats, row.elapsed.as_secs_f64());
                results.add(player, &row.scenario, PlayerMatch { seed: row.seed, score, seconds });
            }
            Ok::<(), StoreError>(())
        })?;
        let key = |played: &PlayerMatch| (played.seed, played.score);
        for list in results.0.values_mut().flat_map(BTreeMap::values_mut) {
            list.sort_by(|a, b| {
                let ((a, x), (b, y)) = (key(a), key(b));
                a.cmp(&b).then(x.total_cmp(&y))
            });
        }
        Ok(results)
    }

    /// With one match more.
    pub(crate) fn add(&mut self, player: &str, scenario: &str, played: PlayerMatch) {
        let own = self.0.entry(player.to_owned()).or_default();
        own.entry(scenario.to_owned()).or_default().push(played);
    }

    /// All scores of a player.
    pub(crate) fn scores(&self, player: &str) -> Vec<f64> {
        let scenarios = self.0.get(player).into_iter().flat_map(BTreeMap::values);
        scenarios.flatten().map(|played| played.score).collect()
    }

    /// A player's matches on a scenario.
    pub(crate) fn of_player(&self, player: &str, scenario: &str) -> Option<&[PlayerMatch]> {
        Some(self.0.get(player)?.get(scenario)?)
    }

    /// A player's mean score on each scenario and seed.
    pub(crate) fn keyed(&self, player: &str) -> BTreeMap<(&str, u64), f64> {
        let mut sums: BTreeMap<(&str, u64), (f64, f64)> = BTreeMap::new();
        for (scenario, list) in self.0.get(player).into_iter().flatten() {
            for played in list {
                let sum = sums.entry((scenario, played.seed)).or_default();
                *sum = (sum.0 + played.score, sum.1 + 1.0);
            }
        }
        sums.into_iter().map(|(key, (sum, count))| (key, sum / count)).collect()
    }
}
