//! What people call players whose own names are digests: the commits from which versions of
//! programs were built. The table is created with the first name; a store without it is just as
//! valid.

use std::collections::BTreeMap;

use rusqlite::params;
use serde::Serialize;

use crate::error::StoreError;
use crate::store::Store;

const CREATE: &str = "CREATE TABLE IF NOT EXISTS player_names (
    player TEXT PRIMARY KEY,
    name   TEXT NOT NULL,
    title  TEXT NOT NULL
) STRICT";

/// What people call a player.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PlayerName {
    /// The short name: `mine@git:1a2b3c4`.
    pub name: String,
    /// What it is about: the first line of a commit's message.
    pub title: String,
}

/// Whether a player may be called by a name: a version of a program (`bot:mine@1a2b`) by a revision
/// of the same program (`mine@git:1a2b3c4`). Names come with a store or a question, and nobody is
/// to pass one player off as another.
pub fn is_name_of(name: &str, player: &str) -> bool {
    let program = |text: &str| {
        let (program, version) = text.split_once('@')?;
        let program = program.strip_prefix("bot:").unwrap_or(program);
        (!program.is_empty() && !version.is_empty()).then(|| program.to_owned())
    };
    player.starts_with("bot:") && name.contains("@git:") && program(name) == program(player)
}

impl Store {
    /// Notes what people call players.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn note_player_names(
        &mut self,
        names: &BTreeMap<String, PlayerName>,
    ) -> Result<(), StoreError> {
        let known = self.player_names()?;
        if names.iter().all(|(player, name)| known.get(player) == Some(name)) {
            return Ok(());
        }
        self.write(|transaction| {
            transaction.execute_batch(CREATE)?;
            for (player, PlayerName { name, title }) in names {
                transaction.execute(
                    "INSERT OR REPLACE INTO player_names VALUES (?1, ?2, ?3)",
                    params![player, name, title],
                )?;
            }
            Ok(())
        })
    }

    /// What people call players, as far as that is known. No two have the same name, and each is
    /// [a revision of its program](is_name_of).
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn player_names(&self) -> Result<BTreeMap<String, PlayerName>, StoreError> {
        if !self.has_table("player_names")? {
            return Ok(BTreeMap::new());
        }
        let read = || {
            let all = "SELECT player, name, title FROM player_names";
            let mut statement = self.connection.prepare_cached(all)?;
            let rows = statement.query_map([], |row| {
                Ok((row.get::<_, String>(0)?, PlayerName { name: row.get(1)?, title: row.get(2)? }))
            })?;
            rows.collect::<rusqlite::Result<BTreeMap<_, _>>>()
        };
        let mut all = read().map_err(|error| self.fail(error))?;
        all.retain(|player, PlayerName { name, .. }| is_name_of(name, player));
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        all.values().for_each(|name| *counts.entry(name.name.clone()).or_default() += 1);
        Ok(all.into_iter().filter(|(_, name)| counts[&name.name] == 1).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_called_by_the_name_of_another_player() {
        let mut store = Store::in_memory().unwrap();
        for (player, name, is_shown) in [
            ("bot:mine@a", "mine@git:1", true),
            ("bot:mine@a", "bot:mine@git:1", true),
            ("space", "random", false),
            ("space", "space@git:1", false),
            ("bot:mine@a", "other@git:1", false),
            ("bot:mine@a", "champion", false),
        ] {
            assert_eq!(is_name_of(name, player), is_shown, "{name} of {player}");
            let named = PlayerName { name: name.to_owned(), title: String::new() };
            store.note_player_names(&[(player.to_owned(), named)].into()).unwrap();
            assert_eq!(store.player_names().unwrap().contains_key(player), is_shown, "{name}");
        }
    }

    #[test]
    fn the_last_name_of_a_player_counts_and_a_name_of_two_players_is_nobodys() {
        let mut store = Store::in_memory().unwrap();
        assert!(store.player_names().unwrap().is_empty());
        let name = |name: &str| PlayerName { name: name.to_owned(), title: "less".to_owned() };
        let mut note = |player: &str, named: &str| {
            store.note_player_names(&[(player.to_owned(), name(named))].into()).unwrap();
            store.player_names().unwrap()
        };
        assert_eq!(note("bot:mine@a", "mine@git:1")["bot:mine@a"], name("mine@git:1"));
        // Another commit with equal files.
        assert_eq!(note("bot:mine@a", "mine@git:2")["bot:mine@a"], name("mine@git:2"));
        assert_eq!(note("bot:mine@b", "mine@git:3").len(), 2);
        // The same commit, with another entry in bots.toml.
        let all = note("bot:mine@c", "mine@git:2");
        assert_eq!(all.keys().collect::<Vec<_>>(), ["bot:mine@b"]);
    }
}
