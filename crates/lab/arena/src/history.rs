//! What a store knows about one program: its versions, their results against each opponent, and
//! the matches that each lost. All matches of the store are used, whoever had them played.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use quintain_core::{AnyGame, Catalog, Scoring};
use quintain_standings::game_between;
use quintain_stats::WinDrawLoss;
use quintain_store::{Filter, MatchRow, Store, StoreError};
use serde::Serialize;

/// How many of a version's losses are kept.
const LOSSES: usize = 3;

/// A program in one game.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GameHistory {
    /// The game.
    pub game: String,
    /// Its versions, in the order in which they first played.
    pub versions: Vec<VersionHistory>,
}

/// A version of a program in one game.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct VersionHistory {
    /// The version, as in `bot:NAME@HASH`.
    pub hash: String,
    /// When its first match was stored, in milliseconds since 1970.
    pub first_played: i64,
    /// Its results, the opponent that it met most often first.
    pub results: Vec<OpponentResult>,
    /// The matches that its author should look at first, the worst first.
    pub losses: Vec<Loss>,
}

/// The results of a version against the same opponents.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct OpponentResult {
    /// The players in the other seats; none if it had all seats.
    pub opponents: Vec<String>,
    /// Among rivals, how its matches ended; each counts once.
    pub games: Option<WinDrawLoss>,
    /// The mean of its scores.
    pub mean: f64,
    /// Its matches.
    pub matches: u64,
    /// Those of them that it forfeited.
    pub forfeits: u64,
}

/// A match that a player lost or, if it was alone, the score that it made there.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Loss {
    /// The record's id.
    pub id: String,
    /// Why it forfeited, if it did.
    pub fault: Option<String>,
    /// Its gain minus the best of the others; its own gain if scores are independent.
    pub margin: f64,
    /// Its score.
    pub score: f64,
    /// The others, among rivals.
    pub others: Vec<String>,
    /// The turns of the match.
    pub turns: u32,
    /// The match's seed.
    pub seed: u64,
}

impl Loss {
    /// A match from the point of view of a player's author; none if the player was not there, or
    /// did not lose although there are rivals.
    pub fn of(row: &MatchRow, game: &dyn AnyGame, player: &str) -> Option<Loss> {
        let rivals = game.scoring() == Scoring::Adversarial;
        let gain = |seat: usize| game.objective().gain(row.scores[seat]);
        let seats = || 0..row.players.len().min(row.scores.len());
        let own = seats().filter(|seat| row.players[*seat] == player);
        let own = own.min_by(|one, other| gain(*one).total_cmp(&gain(*other)))?;
        let theirs = seats().filter(|seat| row.players[*seat] != player);
        let fault = row.fault.as_ref().filter(|(seat, _)| row.players[*seat] == player);
        // Nobody loses to a seat that forfeited, whatever the scores say.
        let fallen = row.fault.as_ref().map(|(seat, _)| *seat).filter(|_| rivals);
        let mut best = theirs.clone().filter(|seat| Some(*seat) != fallen).map(gain).peekable();
        if fault.is_none() && fallen.is_some() && best.peek().is_none() {
            return None;
        }
        let best = best.fold(f64::NEG_INFINITY, f64::max);
        let margin = if rivals && best.is_finite() { gain(own) - best } else { gain(own) };
        if fault.is_none() && rivals && margin >= 0.0 {
            return None;
        }
        let mut others: Vec<String> = match rivals {
            true => theirs.map(|seat| row.players[seat].clone()).collect(),
            false => Vec::new(),
        };
        others.dedup();
        Some(Loss {
            id: row.id.clone(),
            fault: fault.map(|(_, why)| why.clone()),
            margin,
            score: row.scores[own],
            others,
            turns: row.turns,
            seed: row.seed,
        })
    }

    /// Sorts losses, and keeps the first few: those by a fault, then those by the largest margin
    /// and soonest.
    pub fn keep_worst(losses: &mut Vec<Loss>, most: usize) {
        losses.sort_by(|one, other| {
            let faults = other.fault.is_some().cmp(&one.fault.is_some());
            let margins = one.margin.total_cmp(&other.margin);
            faults.then(margins).then(one.turns.cmp(&other.turns))
        });
        losses.truncate(most);
    }
}

/// Everything that a store knows about the program of this name in a `bots.toml`, by game.
/// Matches on scenarios that cannot be built any more do not count.
///
/// # Errors
/// If the store cannot be read.
pub fn history(
    store: &Store,
    catalog: &Catalog,
    name: &str,
) -> Result<Vec<GameHistory>, StoreError> {
    let mut collected =
        Collected { store, catalog, games: BTreeMap::new(), found: BTreeMap::new() };
    for player in store.players()?.iter().filter(|player| name_of(player) == Some(name)) {
        let filter = Filter { player: Some(player.clone()), sorted: true, ..Filter::default() };
        store.matches(&filter, |row| collected.add(row, player))?;
    }
    let mut games: BTreeMap<String, Vec<VersionHistory>> = BTreeMap::new();
    for ((game, hash), version) in collected.found {
        games.entry(game).or_default().push(version.finish(hash));
    }
    Ok(games
        .into_iter()
        .map(|(game, mut versions)| {
            versions.sort_by_key(|version| version.first_played);
            GameHistory { game, versions }
        })
        .collect())
}

/// The name in a player's text, if it is a program of a `bots.toml`: `mine` for `bot:mine@1f0c`.
fn name_of(player: &str) -> Option<&str> {
    let name = player.strip_prefix("bot:")?.split('?').next()?;
    Some(name.rsplit_once('@').map_or(name, |(name, _)| name))
}

/// What was found so far.
struct Collected<'a> {
    store: &'a Store,
    catalog: &'a Catalog,
    /// The games by name and scenario, as far as they can be built.
    games: BTreeMap<(String, String), Option<Arc<dyn AnyGame>>>,
    /// By game and hash.
    found: BTreeMap<(String, String), CollectedVersion>,
}

struct CollectedVersion {
    first_played: i64,
    results: BTreeMap<Vec<String>, OpponentResult>,
    losses: Vec<Loss>,
}

impl Collected<'_> {
    /// Adds a match in which the program sat as `player`.
    fn add(&mut self, row: &MatchRow, player: &str) -> Result<(), StoreError> {
        let place = (row.game.clone(), row.scenario.clone());
        let game = match self.games.entry(place) {
            Entry::Occupied(known) => known.get().clone(),
            Entry::Vacant(new) => {
                let built = self.catalog.game_in_store(&row.game, &row.scenario).ok();
                new.insert(built).clone()
            }
        };
        let Some(game) = game else { return Ok(()) };
        let Some(hash) = self.hash(row, player)? else { return Ok(()) };
        let version =
            self.found.entry((row.game.clone(), hash)).or_insert_with(|| CollectedVersion {
                first_played: row.played_at,
                results: BTreeMap::new(),
                losses: Vec::new(),
            });
        version.add(row, game.as_ref(), player);
        Ok(())
    }

    /// The version that played: named by the player's text or, for the program as it was then, in
    /// the record.
    fn hash(&self, row: &MatchRow, player: &str) -> Result<Option<String>, StoreError> {
        if let Some((_, hash)) = player.split('?').next().and_then(|text| text.rsplit_once('@')) {
            return Ok(Some(hash.to_owned()));
        }
        let record = self.store.get(&row.id)?.record()?;
        let seat = record.fixture.seats.iter().position(|seat| seat == player);
        let version = seat.and_then(|seat| record.fixture.versions.players.get(seat).copied());
        Ok(version.map(|version| format!("{version:08x}")))
    }
}

impl CollectedVersion {
    fn add(&mut self, row: &MatchRow, game: &dyn AnyGame, player: &str) {
        self.first_played = self.first_played.min(row.played_at);
        self.losses.extend(Loss::of(row, game, player));
        Loss::keep_worst(&mut self.losses, LOSSES);
        // Kept by `compare` to be watched, since it was lost: it says nothing about how often.
        if row.elapsed.is_zero() {
            return;
        }
        let mean = |is_own: bool| {
            let scores = row.players.iter().zip(&row.scores);
            let scores = scores.filter(|(other, _)| (*other == player) == is_own);
            let (sum, count) =
                scores.fold((0.0, 0.0), |(sum, count), (_, score)| (sum + score, count + 1.0));
            (count > 0.0).then(|| sum / count)
        };
        let (Some(own), theirs) = (mean(true), mean(false)) else { return };
        let mut opponents: Vec<String> =
            row.players.iter().filter(|other| *other != player).cloned().collect();
        opponents.sort();
        opponents.dedup();
        let rivals = game.scoring() == Scoring::Adversarial;
        let Some(theirs) = theirs.or(Some(own).filter(|_| !rivals)) else { return };
        let result = self.results.entry(opponents.clone()).or_insert_with(|| OpponentResult {
            opponents,
            games: rivals.then(WinDrawLoss::default),
            mean: 0.0,
            matches: 0,
            forfeits: 0,
        });
        result.matches += 1;
        result.mean += (own - result.mean) / result.matches as f64;
        let fallen = row.fault.as_ref().and_then(|(seat, _)| row.players.get(*seat));
        let is_own_fault = fallen.is_some_and(|fallen| fallen == player);
        result.forfeits += u64::from(is_own_fault);
        if let Some(games) = &mut result.games {
            let gain = |score| game.objective().gain(score);
            // Several opponents count as one, and only of a single one can it be said that it fell.
            let is_their_fault = fallen.is_some() && !is_own_fault && result.opponents.len() == 1;
            *games += game_between((gain(own), is_own_fault), (gain(theirs), is_their_fault));
        }
    }

    fn finish(self, hash: String) -> VersionHistory {
        let CollectedVersion { first_played, results, losses } = self;
        let mut results: Vec<OpponentResult> = results.into_values().collect();
        results.sort_by_key(|result| std::cmp::Reverse(result.matches));
        VersionHistory { hash, first_played, results, losses }
    }
}

#[cfg(test)]
mod tests {
    use super::name_of;

    #[test]
    fn all_versions_of_a_program_have_its_name() {
        assert_eq!(name_of("bot:mine"), Some("mine"));
        assert_eq!(name_of("bot:mine@9c01d2d1"), Some("mine"));
        assert_eq!(name_of("bot:mine@9c01d2d1?depth=2"), Some("mine"));
        assert_eq!(name_of("bot:mine-too"), Some("mine-too"));
        assert_eq!(name_of("exec:\"sh bot.sh\""), None);
    }
}
