//! The matches of a tournament and the figures computed from them: means, paired differences,
//! ratios, shares, points of one player against another, ranks.

use std::collections::{BTreeMap, HashMap};

use quintain_core::Note;

use crate::estimate::Estimate;

/// What is kept of a played match.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct MeasuredMatch {
    /// The scenario, in canonical text.
    pub scenario: String,
    /// The seed.
    pub seed: u64,
    /// The player of each seat, in canonical text.
    pub players: Vec<String>,
    /// The score of each seat.
    pub scores: Vec<f64>,
    /// The game's metrics, by name.
    pub metrics: BTreeMap<String, f64>,
    /// Whether a limit cut it off.
    pub truncated: bool,
    /// What players noted with their decisions.
    pub notes: Vec<Note>,
    /// The wall-clock time in seconds.
    pub seconds: f64,
}

/// A figure of a match; `None` where the match does not have it.
pub type Figure<'a> = &'a dyn Fn(&MeasuredMatch) -> Option<f64>;

/// The score of the first seat.
pub fn score(game: &MeasuredMatch) -> Option<f64> {
    game.scores.first().copied()
}

/// The wall-clock time in seconds.
pub fn seconds(game: &MeasuredMatch) -> Option<f64> {
    Some(game.seconds)
}

/// The metric with this name.
pub fn metric(name: &'static str) -> impl Fn(&MeasuredMatch) -> Option<f64> {
    move |game| game.metrics.get(name).copied()
}

/// The mean of the values that players noted under this name.
pub fn mean_note(name: &'static str) -> impl Fn(&MeasuredMatch) -> Option<f64> {
    move |game| {
        let values = game.notes.iter().filter(|note| note.name == name).map(|note| note.value);
        let (count, sum) = values.fold((0u32, 0.0), |(count, sum), value| (count + 1, sum + value));
        (count > 0).then(|| sum / f64::from(count))
    }
}

/// All matches of a tournament, in an order that depends on them alone.
#[derive(Clone, Debug, Default)]
pub struct PlayedMatches {
    games: Vec<MeasuredMatch>,
    /// The canonical texts of players, by their texts in the plan.
    names: HashMap<String, String>,
    /// The canonical texts of scenarios, by their texts in the plan.
    scenarios: HashMap<String, String>,
}

/// A scenario and a seed, which the two matches of a pair have in common.
type Key<'a> = (&'a str, u64);

impl PlayedMatches {
    pub(crate) fn new(
        games: Vec<MeasuredMatch>,
        names: HashMap<String, String>,
        scenarios: HashMap<String, String>,
    ) -> PlayedMatches {
        PlayedMatches { games, names, scenarios }
    }

    /// All matches.
    pub fn all(&self) -> &[MeasuredMatch] {
        &self.games
    }

    /// The matches on one scenario of the plan.
    pub fn on(&self, scenario: &str) -> PlayedMatches {
        let scenario = self.scenarios.get(scenario).map_or(scenario, String::as_str);
        let games = self.games.iter().filter(|game| game.scenario == scenario).cloned().collect();
        PlayedMatches { games, names: self.names.clone(), scenarios: self.scenarios.clone() }
    }

    /// These matches and others.
    pub fn with(mut self, others: PlayedMatches) -> PlayedMatches {
        self.games.extend(others.games);
        self.names.extend(others.names);
        self.scenarios.extend(others.scenarios);
        self
    }

    /// The matches in which a player has a seat.
    pub fn with_player<'a>(&'a self, player: &'a str) -> impl Iterator<Item = &'a MeasuredMatch> {
        let name = self.name(player);
        self.games.iter().filter(move |game| game.players.iter().any(|seated| seated == name))
    }

    fn name<'a>(&'a self, player: &'a str) -> &'a str {
        self.names.get(player).map_or(player, String::as_str)
    }

    /// The matches in which a player has all seats.
    pub fn of<'a>(&'a self, player: &'a str) -> impl Iterator<Item = &'a MeasuredMatch> {
        let name = self.name(player);
        self.games.iter().filter(move |game| game.players.iter().all(|seated| seated == name))
    }

    /// The values of a figure over the matches in which a player has all seats.
    pub fn values(&self, player: &str, figure: Figure<'_>) -> Vec<f64> {
        self.of(player).filter_map(figure).collect()
    }

    /// The mean of a figure over the matches in which a player has all seats.
    pub fn mean(&self, player: &str, figure: Figure<'_>) -> Estimate {
        Estimate::mean(self.values(player, figure))
    }

    /// The mean of a figure by scenario and seed.
    fn means_by_seed<'a>(&'a self, player: &'a str, figure: Figure<'_>) -> BTreeMap<Key<'a>, f64> {
        let mut sums: BTreeMap<Key<'_>, (f64, f64)> = BTreeMap::new();
        for game in self.of(player) {
            if let Some(value) = figure(game) {
                let sum = sums.entry((&game.scenario, game.seed)).or_default();
                *sum = (sum.0 + value, sum.1 + 1.0);
            }
        }
        sums.into_iter().map(|(key, (sum, count))| (key, sum / count)).collect()
    }

    /// The values of a figure for two players, paired by scenario and seed.
    pub fn pairs(&self, a: &str, b: &str, figure: Figure<'_>) -> Vec<(f64, f64)> {
        let theirs = self.means_by_seed(b, figure);
        let ours = self.means_by_seed(a, figure);
        ours.iter().filter_map(|(key, value)| Some((*value, *theirs.get(key)?))).collect()
    }

    /// The mean of a figure for player `a` minus that for `b`, on the same scenarios and seeds.
    pub fn difference(&self, a: &str, b: &str, figure: Figure<'_>) -> Estimate {
        Estimate::difference(self.pairs(a, b, figure))
    }

    /// The mean ratio (geometric) of a figure for `a` to that for `b`, on the same scenarios and
    /// seeds, as a change in percent.
    pub fn change(&self, a: &str, b: &str, figure: Figure<'_>) -> Estimate {
        let ratios = self.pairs(a, b, figure).into_iter().filter(|(_, b)| *b != 0.0);
        Estimate::mean_ratio(ratios.map(|(a, b)| a / b)).as_change()
    }

    /// The share of a player's matches for which `holds` is true.
    pub fn share(&self, player: &str, holds: impl Fn(&MeasuredMatch) -> bool) -> Estimate {
        Estimate::share_of(self.of(player).map(holds))
    }

    /// The mean of a value over the matches between two players with seats swapped, by scenario and
    /// seed; `of` computes the value from the points of `a`.
    fn meetings(&self, a: &str, b: &str, of: impl Fn(f64) -> f64) -> Vec<f64> {
        let (a, b) = (self.name(a), self.name(b));
        let mut sums: BTreeMap<Key<'_>, (f64, f64)> = BTreeMap::new();
        for game in &self.games {
            let seat = match game.players.as_slice() {
                [first, second] if first == a && second == b => 0,
                [first, second] if first == b && second == a => 1,
                _ => continue,
            };
            let sum = sums.entry((&game.scenario, game.seed)).or_default();
            *sum = (sum.0 + of(game.scores[seat]), sum.1 + 1.0);
        }
        sums.into_values().map(|(sum, count)| sum / count).collect()
    }

    /// The points of a player against another in percent, where a draw is half a point; the matches
    /// on one seed are one observation.
    pub fn points(&self, a: &str, b: &str) -> Estimate {
        Estimate::mean(self.meetings(a, b, |points| points)).as_percent()
    }

    /// The share of draws between two players in percent.
    pub fn draws(&self, a: &str, b: &str) -> Estimate {
        Estimate::mean(self.meetings(a, b, |points| f64::from(points == 0.5))).as_percent()
    }

    /// By scenario and seed, the mean of a value over a player's matches against the players of
    /// `field`; `of` computes the value from the player's points.
    fn means_against(
        &self,
        player: &str,
        field: &[&str],
        of: impl Fn(f64) -> f64,
    ) -> BTreeMap<Key<'_>, f64> {
        let name = self.name(player);
        let field: Vec<&str> = field.iter().map(|other| self.name(other)).collect();
        let mut sums: BTreeMap<Key<'_>, (f64, f64)> = BTreeMap::new();
        for game in &self.games {
            for (seat, other) in [(0, 1), (1, 0)] {
                if game.players[seat] == name && field.contains(&game.players[other].as_str()) {
                    let sum = sums.entry((&game.scenario, game.seed)).or_default();
                    *sum = (sum.0 + of(game.scores[seat]), sum.1 + 1.0);
                }
            }
        }
        sums.into_iter().map(|(key, (sum, count))| (key, sum / count)).collect()
    }

    /// The mean of a value over a player's matches against a field, in percent; the matches on one
    /// board are one observation. `of` computes it from the points (1 won, ½ drawn, 0 lost).
    pub fn share_against(&self, player: &str, field: &[&str], of: impl Fn(f64) -> f64) -> Estimate {
        Estimate::mean(self.means_against(player, field, of).into_values()).as_percent()
    }

    /// How much greater that mean is for one player than for another, against the same field on the
    /// same boards.
    pub fn more_against(
        &self,
        a: &str,
        b: &str,
        field: &[&str],
        of: impl Fn(f64) -> f64,
    ) -> Estimate {
        let (ours, theirs) = (self.means_against(a, field, &of), self.means_against(b, field, &of));
        let pairs = ours.iter().filter_map(|(key, value)| Some((*value, *theirs.get(key)?)));
        Estimate::difference(pairs).as_percent()
    }

    /// The mean of a figure over the matches in which a player has a seat, by scenario
    /// and block of seeds.
    fn means_by_block<'a>(
        &'a self,
        player: &'a str,
        figure: Figure<'_>,
        seeds: u64,
    ) -> BTreeMap<Key<'a>, f64> {
        let mut sums: BTreeMap<Key<'_>, (f64, f64)> = BTreeMap::new();
        for game in self.with_player(player) {
            if let Some(value) = figure(game) {
                let sum = sums.entry((&game.scenario, game.seed / seeds)).or_default();
                *sum = (sum.0 + value, sum.1 + 1.0);
            }
        }
        sums.into_iter().map(|(key, (sum, count))| (key, sum / count)).collect()
    }

    /// The rank of a player among these by a figure of which less is better, for each scenario and
    /// block of seeds; equal players share the middle of their places.
    pub fn ranks(&self, player: &str, among: &[&str], figure: Figure<'_>, seeds: u64) -> Vec<f64> {
        let own = self.means_by_block(player, figure, seeds);
        let others: Vec<BTreeMap<Key<'_>, f64>> = among
            .iter()
            .filter(|other| **other != player)
            .map(|other| self.means_by_block(other, figure, seeds))
            .collect();
        let rank = |(key, value): (&Key<'_>, &f64)| {
            let theirs = || others.iter().filter_map(|other| other.get(key));
            let ahead = theirs().filter(|other| *other < value).count() as f64;
            let level = theirs().filter(|other| *other == value).count() as f64;
            1.0 + ahead + level / 2.0
        };
        own.iter().map(rank).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(scenario: &str, seed: u64, players: &[&str], scores: &[f64]) -> MeasuredMatch {
        MeasuredMatch {
            scenario: scenario.to_owned(),
            seed,
            players: players.iter().map(|player| (*player).to_owned()).collect(),
            scores: scores.to_vec(),
            metrics: BTreeMap::new(),
            truncated: false,
            notes: Vec::new(),
            seconds: 0.0,
        }
    }

    fn games(games: Vec<MeasuredMatch>) -> PlayedMatches {
        PlayedMatches::new(games, HashMap::new(), HashMap::new())
    }

    #[test]
    fn only_common_scenarios_and_seeds_are_paired() {
        let games = games(vec![
            game("x", 1, &["a"], &[10.0]),
            game("x", 1, &["b"], &[7.0]),
            game("x", 2, &["a"], &[20.0]),
            game("y", 2, &["b"], &[1.0]),
            game("y", 3, &["a"], &[5.0]),
            game("y", 3, &["b"], &[4.0]),
        ]);
        assert_eq!(games.pairs("a", "b", &score), [(10.0, 7.0), (5.0, 4.0)]);
        assert_eq!(games.difference("a", "b", &score).value, 2.0);
    }

    #[test]
    fn the_two_matches_on_one_board_count_once() {
        let games = games(vec![
            game("x", 1, &["a", "b"], &[1.0, 0.0]),
            game("x", 1, &["b", "a"], &[0.5, 0.5]),
            game("x", 2, &["a", "b"], &[0.0, 1.0]),
            game("x", 2, &["b", "a"], &[0.5, 0.5]),
            game("x", 2, &["b", "c"], &[1.0, 0.0]),
        ]);
        let points = games.points("a", "b");
        assert_eq!((points.value, points.n), (50.0, 2));
        assert_eq!(games.points("b", "a").value, 50.0);
        assert_eq!(games.draws("a", "b").value, 50.0);
        // On the second board, b draws one match of three, a one of two.
        let is_draw = |points| f64::from(points == 0.5);
        let more = games.more_against("a", "b", &["a", "b", "c"], is_draw);
        assert!((more.value - 100.0 / 12.0).abs() < 1e-9, "{more:?}");
        let lost = games.share_against("a", &["b"], |points| f64::from(points == 0.0));
        assert_eq!((lost.value, lost.n), (25.0, 2));
    }

    #[test]
    fn ranks_are_by_scenario_and_block_and_equals_share_their_places() {
        let games = games(vec![
            game("x", 0, &["a"], &[3.0]),
            game("x", 0, &["b"], &[5.0]),
            game("x", 1, &["a"], &[9.0]),
            game("x", 1, &["b"], &[5.0]),
            game("y", 0, &["a"], &[1.0]),
            game("y", 0, &["b"], &[1.0]),
        ]);
        assert_eq!(games.ranks("a", &["a", "b"], &score, 2), [2.0, 1.5]);
        assert_eq!(games.ranks("a", &["a", "b"], &score, 1), [1.0, 2.0, 1.5]);
    }
}
