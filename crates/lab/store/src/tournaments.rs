//! The tournaments of a store.

use std::collections::BTreeMap;

use quintain_core::{Objective, ScenarioSets, Scoring, did_you_mean};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error as WordError, StrDeserializer};

use crate::error::StoreError;
use crate::row::id_bytes;
use crate::running;
use crate::store::Store;
use crate::tournament_id::TournamentId;

/// A tournament as the store knows it.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct TournamentInfo {
    /// Its number.
    pub id: TournamentId,
    /// Its name.
    pub name: String,
    /// The game.
    pub game: String,
    /// Its format, in a word.
    pub format: String,
    /// Which scores are good.
    pub objective: Objective,
    /// How scores are compared.
    pub scoring: Scoring,
    /// Matches when complete.
    pub fixtures: u64,
    /// Matches in the store.
    pub played: u64,
    /// All that decides its fixtures, in JSON.
    pub definition: String,
    /// Its file, as it was read at the last run.
    pub file: String,
    /// When it was last run, in milliseconds since 1970.
    pub run_at: i64,
    /// When it was run, as local time: `2015-08-07 12:00`.
    pub run_on: String,
    /// Whether a process plays it now.
    pub is_running: bool,
    /// Whether players were left out of it, who could not be started.
    pub is_partial: bool,
    /// The tournament of the same name that counts instead, if there is one: the last one run in
    /// which nobody was left out or, if there is none, the last one.
    pub superseded_by: Option<TournamentId>,
}

/// What of a definition is read here.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Definition {
    scenarios: Vec<String>,
    seeds: u64,
}

impl TournamentInfo {
    fn read_definition(&self) -> Definition {
        serde_json::from_str(&self.definition).unwrap_or_default()
    }

    /// On how many seeds of each scenario it is played; 0 if its definition does not say so.
    pub fn seeds(&self) -> u64 {
        self.read_definition().seeds
    }

    /// The sets of scenarios that it was played on, each of which counts as one scenario; records
    /// name the instances.
    pub fn scenario_sets(&self) -> ScenarioSets {
        let scenarios = self.read_definition().scenarios;
        ScenarioSets::among(scenarios.iter().map(String::as_str))
    }
}

impl Store {
    /// All tournaments, most recently run first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn tournaments(&self) -> Result<Vec<TournamentInfo>, StoreError> {
        let read = || {
            let mut statement = self.connection.prepare(
                "SELECT tournament, name, game, format, goal, contest, fixtures, file, run_at,
                    (SELECT count(*) FROM tournament_records AS l
                     WHERE l.tournament = t.tournament), definition,
                    coalesce(strftime('%Y-%m-%d %H:%M', run_at / 1000, 'unixepoch', 'localtime'),
                             ''), instr(definition, '\"left_out\":') > 0
                 FROM tournaments AS t ORDER BY run_at DESC, tournament DESC",
            )?;
            let rows = statement.query_map([], |row| {
                Ok(TournamentInfo {
                    id: TournamentId(row.get(0)?),
                    name: row.get(1)?,
                    game: row.get(2)?,
                    format: row.get(3)?,
                    objective: word(row, 4)?,
                    scoring: word(row, 5)?,
                    fixtures: row.get::<_, i64>(6)?.cast_unsigned(),
                    definition: row.get(10)?,
                    file: row.get(7)?,
                    run_at: row.get(8)?,
                    played: row.get::<_, i64>(9)?.cast_unsigned(),
                    run_on: row.get(11)?,
                    is_running: false,
                    is_partial: row.get(12)?,
                    superseded_by: None,
                })
            })?;
            rows.collect::<Result<Vec<_>, rusqlite::Error>>()
        };
        let mut all: Vec<TournamentInfo> = read().map_err(|error| self.fail(error))?;
        for info in &mut all {
            info.is_running = running::is_held(&self.path, &info.id.0.to_string());
        }
        let mut current: BTreeMap<String, TournamentId> = BTreeMap::new();
        let (partial, whole): (Vec<_>, Vec<_>) = all.iter().partition(|info| info.is_partial);
        for info in whole.into_iter().chain(partial) {
            current.entry(info.name.clone()).or_insert(info.id);
        }
        for info in &mut all {
            info.superseded_by = Some(current[&info.name]).filter(|current| *current != info.id);
        }
        Ok(all)
    }

    /// The tournaments that a record counts for.
    ///
    /// # Errors
    /// If the store cannot be read.
    ///
    /// # Panics
    /// If `id` is not a whole id.
    pub fn tournaments_of(&self, id: &str) -> Result<Vec<TournamentInfo>, StoreError> {
        let read = || {
            let mut statement = self.connection.prepare_cached(
                "SELECT t.tournament FROM tournaments AS t WHERE EXISTS
                    (SELECT 1 FROM tournament_records AS l WHERE l.tournament = t.tournament
                     AND l.record = (SELECT record FROM records WHERE id = ?1))",
            )?;
            let numbers = statement.query_map([id_bytes(id)], |row| row.get(0))?;
            numbers.collect::<Result<Vec<i64>, rusqlite::Error>>()
        };
        let numbers = read().map_err(|error| self.fail(error))?;
        let mut all = self.tournaments()?;
        all.retain(|known| numbers.contains(&known.id.0));
        Ok(all)
    }

    /// The tournament of this number.
    ///
    /// # Errors
    /// If there is none; the text lists what there is.
    pub fn tournament_by_number(&self, number: i64) -> Result<TournamentInfo, StoreError> {
        let mut all = self.tournaments()?;
        match all.iter().position(|known| known.id.0 == number) {
            Some(place) => Ok(all.swap_remove(place)),
            None => Err(StoreError::UnknownTournament(format!(
                "{}: there is no tournament {number} among its {}",
                self.path.display(),
                all.len()
            ))),
        }
    }

    /// The tournament that counts among those of this name; without a name, among those of the
    /// name that was run last.
    ///
    /// # Errors
    /// If there is none; the text suggests one.
    pub fn tournament(&self, name: Option<&str>) -> Result<TournamentInfo, StoreError> {
        let all = self.tournaments()?;
        let is_meant = |known: &&TournamentInfo| name.is_none_or(|name| known.name == name);
        let last = all.iter().find(is_meant);
        let counts = last.map(|last| last.superseded_by.unwrap_or(last.id));
        let found = all.iter().find(|known| Some(known.id) == counts);
        found.cloned().ok_or_else(|| {
            let mut names: Vec<&str> = all.iter().map(|known| known.name.as_str()).collect();
            names.sort_unstable();
            names.dedup();
            StoreError::UnknownTournament(match name {
                Some(name) => did_you_mean("tournament", name, names),
                None => format!("{}: the store has no tournaments yet", self.path.display()),
            })
        })
    }
}

/// Reads a column whose word serde knows.
fn word<'a, T: Deserialize<'a>>(row: &'a rusqlite::Row<'_>, index: usize) -> rusqlite::Result<T> {
    let text = row.get_ref(index)?.as_str()?;
    let reader: StrDeserializer<'a, WordError> = text.into_deserializer();
    T::deserialize(reader).map_err(|error| {
        let kind = rusqlite::types::Type::Text;
        rusqlite::Error::FromSqlConversionFailure(index, kind, Box::new(error))
    })
}
