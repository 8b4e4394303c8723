//! The data behind the pages of a tournament: its standings, and every player's scores on every
//! scenario. The arena computes the statistics; this module only collects them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::OnceLock;

use quintain_arena::{StandingsError, standings_and_results_of};
use quintain_core::{Scoring, did_you_mean};
use quintain_report::{Reason, find_notable};
use quintain_standings::{Standings, mean_by_player};
use quintain_stats::all_pairs::MIN_SEEDS;
use quintain_stats::paired;
use quintain_stats::{PairedDifference, WinDrawLoss};
use quintain_store::{Filter, MatchRow, PlayerName, Store, StoreError, TournamentInfo};
use serde::Serialize;

use crate::match_entry::{MatchEntry, match_entry};

/// A snapshot of a tournament.
pub(crate) struct Overview {
    pub(crate) info: TournamentInfo,
    pub(crate) standings: Standings,
    /// What people call players whose own names are digests.
    pub(crate) names: BTreeMap<String, PlayerName>,
    /// The scores by scenario and player, in order: for each match, the mean over the player's
    /// seats.
    pub(crate) scores: BTreeMap<String, BTreeMap<String, Vec<f64>>>,
    /// The matches worth watching, each with the reason, once somebody has asked for them.
    notable: OnceLock<Vec<(Reason, MatchEntry)>>,
}

impl Overview {
    /// Makes the overview from the records that are in the store now.
    pub(crate) fn of(store: &Store, info: TournamentInfo) -> Result<Overview, StandingsError> {
        let mut scores: BTreeMap<String, BTreeMap<String, Vec<f64>>> = BTreeMap::new();
        let mut played = 0;
        let standings = standings_and_results_of(store, &info, |result| {
            played += 1;
            if !scores.contains_key(result.scenario) {
                scores.insert(result.scenario.to_owned(), BTreeMap::new());
            }
            let here = scores.get_mut(result.scenario).expect("it was just put there");
            let seats = result.players.iter().copied().zip(result.scores.iter().copied());
            for (player, score) in mean_by_player(seats) {
                match here.get_mut(player) {
                    Some(known) => known.push(score),
                    None => drop(here.insert(player.to_owned(), vec![score])),
                }
            }
        })?;
        for list in scores.values_mut().flat_map(BTreeMap::values_mut) {
            list.sort_unstable_by(f64::total_cmp);
        }
        // The rows are more recent than the count that came with the tournament.
        let mut info = info;
        info.played = played;
        let names = store.player_names()?;
        let mut overview = Overview { info, standings, names, scores, notable: OnceLock::new() };
        // The tests are for a number of seeds that was fixed before; who looks again and again
        // would sooner or later see something that is certain.
        if overview.is_played_now() {
            overview.standings.withhold_certainty();
        }
        Ok(overview)
    }

    /// Whether matches are still to be played.
    pub(crate) fn is_incomplete(&self) -> bool {
        self.info.played < self.info.fixtures
    }

    /// Whether somebody plays the matches that are still to be played.
    pub(crate) fn is_played_now(&self) -> bool {
        self.info.is_running && self.is_incomplete()
    }

    /// Returns the matches worth watching, each with the reason.
    pub(crate) fn notable(&self, store: &Store) -> Result<&[(Reason, MatchEntry)], StoreError> {
        if let Some(known) = self.notable.get() {
            return Ok(known);
        }
        let show = |row: &MatchRow| match_entry(row, None);
        let found = find_notable(store, &self.info, &self.standings, show)?;
        Ok(self.notable.get_or_init(|| found))
    }

    /// Returns the players, best first.
    pub(crate) fn players(&self) -> impl Iterator<Item = &str> {
        self.standings.overall.iter().map(|row| row.player.as_str())
    }

    /// Returns the rating of a player where seats are rivals, otherwise its mean gain.
    pub(crate) fn strength(&self, player: &str) -> Option<f64> {
        let row = self.standings.overall.iter().find(|row| row.player == player)?;
        match self.info.scoring {
            Scoring::Adversarial => row.elo.as_ref().map(|elo| elo.rating),
            Scoring::Independent => Some(self.info.objective.gain(row.summary.mean)),
        }
    }

    /// Returns the games of two rivals, seen by the first; `None` where scores are independent.
    pub(crate) fn games_between(&self, player: &str, other: &str) -> Option<&WinDrawLoss> {
        let versus = self.standings.versus.as_ref()?;
        let place = |player| versus.players.iter().position(|own| own == player);
        versus.matrix.get(place(player)?)?.get(place(other)?)
    }

    /// Returns two different players by name; without names, the best two.
    pub(crate) fn pair<'a>(
        &'a self,
        a: &'a str,
        b: &'a str,
    ) -> Result<(&'a str, &'a str), NoSuchPlayer> {
        let mut best = self.players();
        let mut choose = |name: &'a str, other: &str| match name {
            "" => best
                .find(|known| *known != other)
                .ok_or_else(|| NoSuchPlayer("a comparison needs two players".to_owned())),
            name if self.players().any(|known| known == name) => Ok(name),
            name => Err(NoSuchPlayer(did_you_mean("player", name, self.players()))),
        };
        let first = choose(a, b)?;
        Ok((first, choose(b, first)?))
    }
}

/// The error for a name that is not in the tournament.
#[derive(Debug)]
pub(crate) struct NoSuchPlayer(pub(crate) String);

impl fmt::Display for NoSuchPlayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A comparison of two players on the same seeds.
#[derive(Serialize)]
pub(crate) struct Comparison {
    pub(crate) a: String,
    pub(crate) b: String,
    /// Every combination of scenario and seed that each of the two has played; where both play the
    /// same on every seed, the first one.
    pub(crate) pairs: Vec<Pair>,
    /// The mean of a's score minus b's, with its standard error and 95 % interval.
    pub(crate) difference: Option<PairedDifference>,
    /// On how many of them a was better, equal, worse.
    pub(crate) better: [u64; 3],
}

/// One scenario and seed, with each player's mean score over its matches there.
#[derive(Serialize)]
pub(crate) struct Pair {
    pub(crate) scenario: String,
    pub(crate) seed: u64,
    pub(crate) a: f64,
    pub(crate) b: f64,
}

/// Summarizes differences on common seeds. On fewer than the standings need for a judgement there
/// is no interval, which readers would take for one.
pub(crate) fn summarize(differences: Vec<f64>) -> Option<PairedDifference> {
    let mut paired = paired::summarize(differences)?;
    paired.interval = paired.interval.filter(|_| paired.n >= MIN_SEEDS as u64);
    Some(paired)
}

impl Comparison {
    /// Returns the two, the better one first: who won more of the games between them, or where
    /// there are none, did better on more of the common seeds.
    pub(crate) fn better_first(&self, overview: &Overview) -> (&str, &str) {
        let games = overview.games_between(&self.a, &self.b).filter(|games| games.games() > 0);
        let (more, fewer) = match games {
            Some(games) => (games.wins, games.losses),
            None => (self.better[0], self.better[2]),
        };
        if fewer > more { (&self.b, &self.a) } else { (&self.a, &self.b) }
    }

    /// Returns the seeds on which the one who does worse fell furthest behind the other, the worst
    /// first.
    pub(crate) fn worst_seeds(&self, overview: &Overview) -> Vec<&Pair> {
        let goal = overview.info.objective;
        let is_a_better = self.better_first(overview).0 == self.a;
        let behind = |pair: &Pair| {
            let lead = goal.gain(pair.a) - goal.gain(pair.b);
            if is_a_better { lead } else { -lead }
        };
        let mut lost: Vec<&Pair> = self.pairs.iter().filter(|pair| behind(pair) > 0.0).collect();
        lost.sort_by(|one, other| behind(other).total_cmp(&behind(one)));
        lost
    }

    pub(crate) fn of(
        store: &Store,
        overview: &Overview,
        a: &str,
        b: &str,
    ) -> Result<Comparison, StoreError> {
        let goal = overview.info.objective;
        // Sum and number of each player's scores by scenario and seed, and whether all of these
        // matches repeat those on another seed.
        type Sums = [(f64, u32, bool); 2];
        let mut by_fixture: BTreeMap<(String, u64), Sums> = BTreeMap::new();
        let sets = overview.info.scenario_sets();
        for (place, player) in [a, b].into_iter().enumerate() {
            let filter =
                Filter { player: Some(player.to_owned()), ..Filter::tournament(overview.info.id) };
            store.matches(&filter, |row| {
                let seats = row.players.iter().map(String::as_str).zip(row.scores.iter().copied());
                let own = mean_by_player(seats).find(|(own, _)| *own == player);
                let Some((_, score)) = own else { return Ok(()) };
                let scenario = sets.set_of(&row.scenario).to_owned();
                let is_repeat =
                    overview.standings.repeats.contains(&scenario, &row.players, row.seed);
                let sums = by_fixture.entry((scenario, row.seed)).or_insert([(0.0, 0, true); 2]);
                let (sum, matches, repeats) = sums[place];
                sums[place] = (sum + score, matches + 1, repeats && is_repeat);
                Ok::<(), StoreError>(())
            })?;
        }
        let mean =
            |(sum, matches, _): (f64, u32, bool)| (matches > 0).then(|| sum / f64::from(matches));
        let pairs: Vec<Pair> = by_fixture
            .into_iter()
            .filter(|(_, [a, b])| !(a.2 && b.2))
            .filter_map(|((scenario, seed), sums)| {
                Some(Pair { scenario, seed, a: mean(sums[0])?, b: mean(sums[1])? })
            })
            .collect();
        let difference = summarize(pairs.iter().map(|pair| pair.a - pair.b).collect());
        let mut better = [0; 3];
        for pair in &pairs {
            let lead = goal.gain(pair.a) - goal.gain(pair.b);
            better[if lead > 0.0 {
                0
            } else if lead == 0.0 {
                1
            } else {
                2
            }] += 1;
        }
        Ok(Comparison { a: a.to_owned(), b: b.to_owned(), pairs, difference, better })
    }
}
