//! What a report keeps of every match: enough for plots of scores and for tables that
//! compare players seed by seed.

use std::collections::BTreeMap;

use quintain_arena::StandingsError;
use quintain_standings::{Repeats, mean_by_player};
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
    /// Whether it is the same match as on another seed.
    pub(crate) is_repeat: bool,
}

/// The matches by player and scenario, in an order that does not depend on the order of arrival.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Results(BTreeMap<String, BTreeMap<String, Vec<PlayerMatch>>>);

impl Results {
    /// The results of a tournament.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub(crate) fn of(
        store: &Store,
        tournament: &TournamentInfo,
        repeats: &Repeats,
    ) -> Result<Self, StandingsError> {
        let mut results = Results::default();
        let sets = tournament.scenario_sets();
        store.matches(&Filter::tournament(tournament.id), |row| {
            let scenario = sets.set_of(&row.scenario);
            let is_repeat = repeats.contains(scenario, &row.players, row.seed);
            let seats = row.players.iter().map(String::as_str).zip(row.scores.iter().copied());
            for (player, score) in mean_by_player(seats) {
                let seconds = row.elapsed.as_secs_f64();
                let played = PlayerMatch { seed: row.seed, score, seconds, is_repeat };
                results.add(player, scenario, played);
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

    /// Adds one match.
    pub(crate) fn add(&mut self, player: &str, scenario: &str, played: PlayerMatch) {
        let own = self.0.entry(player.to_owned()).or_default();
        own.entry(scenario.to_owned()).or_default().push(played);
    }

    /// A player's scores on a scenario, without repeats.
    pub(crate) fn scores(&self, player: &str, scenario: &str) -> Vec<f64> {
        let own = self.of_player(player, scenario).unwrap_or_default();
        own.iter().filter(|played| !played.is_repeat).map(|played| played.score).collect()
    }

    /// A player's matches on a scenario.
    pub(crate) fn of_player(&self, player: &str, scenario: &str) -> Option<&[PlayerMatch]> {
        Some(self.0.get(player)?.get(scenario)?)
    }

    /// A player's mean score on each scenario and seed.
    pub(crate) fn mean_scores(&self, player: &str) -> BTreeMap<(&str, u64), f64> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plots_have_scores_of_one_scenario_and_each_match_once() {
        let mut results = Results::default();
        for seed in 1..=3 {
            let of = |score, is_repeat| PlayerMatch { seed, score, seconds: 0.1, is_repeat };
            results.add("same", "m", of(5.0, seed > 1));
            results.add("same", "n", of(5000.0 + seed as f64, false));
        }
        assert_eq!(results.scores("same", "m"), [5.0]);
        assert_eq!(results.scores("same", "n"), [5001.0, 5002.0, 5003.0]);
        assert!(results.scores("same", "o").is_empty());
    }
}
