//! The catalog: all games, each entered once, and the sources of external players. All lookups by
//! text go through it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::entry::Entry;
use crate::erased::{AnyEntry, AnyGame, PlayerHandle};
use crate::external::ExternalSource;
use crate::files::{FilesOfRecords, reading_as_record};
use crate::matches::Setup;
use crate::record::{Fixture, Record, RecordError};
use crate::rules::Rules;
use crate::spec_error::SpecError;
use crate::suggest::did_you_mean;

/// The result of asking the players of a record again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReplayVerdict {
    /// They made the same decisions.
    Same,
    /// They could not be asked, or their decisions prove nothing; says why.
    NotPossible(String),
}

/// All games, by name. `quintain_games::catalog()` has those of Quintain.
///
/// # Example
/// Shows how many seats a game has, and the message for a misspelt name:
/// ```
/// use quintain_core::{Catalog, SpecError};
///
/// fn count_seats(games: &Catalog) -> Result<usize, SpecError> {
///     Ok(games.game("tron", "obstacles")?.seats())
/// }
///
/// let error = count_seats(&Catalog::new()).unwrap_err();
/// assert!(error.to_string().contains("tron"));
/// ```
#[derive(Default, Clone)]
pub struct Catalog {
    entries: Vec<Arc<dyn AnyEntry>>,
    external: Vec<Arc<dyn ExternalSource>>,
    files_of_records: FilesOfRecords,
}

impl Catalog {
    /// A catalog without games.
    pub fn new() -> Self {
        Catalog::default()
    }

    /// Adds a game.
    pub fn with<R: Rules>(mut self, entry: Entry<R>) -> Self {
        self.entries.push(Arc::new(Arc::new(entry)));
        self
    }

    /// The same catalog with this game alone, or with no game if it does not have this one.
    #[must_use]
    pub fn only(mut self, game: &str) -> Self {
        self.entries.retain(|entry| entry.name() == game);
        self
    }

    /// Adds a source of external players, which replaces any source with the same prefix.
    pub fn with_external(mut self, source: Arc<dyn ExternalSource>) -> Self {
        self.external.retain(|known| known.prefix() != source.prefix());
        self.external.push(source);
        self
    }

    /// Sets which files [`game_of`](Catalog::game_of) reads.
    #[must_use]
    pub fn with_files_of_records(self, files_of_records: FilesOfRecords) -> Self {
        Catalog { files_of_records, ..self }
    }

    /// All entries, in the order in which they were added.
    pub fn entries(&self) -> impl Iterator<Item = &dyn AnyEntry> {
        self.entries.iter().map(AsRef::as_ref)
    }

    /// The game of this name.
    ///
    /// # Errors
    /// If there is none; the text suggests one.
    pub fn entry(&self, name: &str) -> Result<&dyn AnyEntry, SpecError> {
        self.entries().find(|entry| entry.name() == name).ok_or_else(|| {
            let has =
                |entry: &&dyn AnyEntry| entry.players().iter().any(|player| player.name() == name);
            SpecError::UnknownGame(match self.entries().find(has) {
                Some(entry) => format!(
                    "“{name}” is a player, not a game; name the game before it, such as {}",
                    entry.name()
                ),
                None => did_you_mean("game", name, self.entries().map(|entry| entry.name())),
            })
        })
    }

    /// A game on a scenario.
    ///
    /// # Errors
    /// If either is unknown, or a parameter is wrong.
    pub fn game(&self, game: &str, scenario: &str) -> Result<Arc<dyn AnyGame>, SpecError> {
        self.entry(game)?.game(scenario)
    }

    /// A player for a game, from its roster or from outside (`PREFIX:REST`).
    ///
    /// # Errors
    /// If there is no player of that name, or a parameter is wrong.
    pub fn player(&self, game: &str, player: &str) -> Result<PlayerHandle, SpecError> {
        match self.source_of(player) {
            Some(source) => {
                let spec = source.resolve(player, game)?;
                Ok(PlayerHandle::external(spec, Arc::clone(source)))
            }
            None => {
                let roster = self.entry(game)?;
                roster.player(player).map_err(|unknown| {
                    let is_known = roster.players().iter().any(|known| known.name() == player);
                    let meant = self.external.iter().filter(|_| !is_known);
                    match meant.filter_map(|source| source.suggest(player)).next() {
                        Some(meant) => SpecError::UnknownPlayer(format!(
                            "unknown {game} player “{player}”; did you mean {meant}?"
                        )),
                        None => unknown,
                    }
                })
            }
        }
    }

    /// Replays a record and checks that the match ends as recorded.
    ///
    /// # Errors
    /// If the game, its version or its scenario is not in this catalog, an action is refused, the
    /// outcome differs, or a built-in player failed as only a program can.
    pub fn verify(&self, record: &Record) -> Result<(), RecordError> {
        self.game_of(record)?.verify(record)?;
        record.check_fault()
    }

    /// The source of an external player.
    fn source_of(&self, player: &str) -> Option<&Arc<dyn ExternalSource>> {
        let prefix = player.split_once(':').map(|(prefix, _)| prefix);
        self.external.iter().find(|source| Some(source.prefix()) == prefix)
    }

    /// Plays a record's match again, asks the players for their decisions, and compares them. If
    /// the players are not available, may decide differently each time, or are still thinking when
    /// `stop` is set, it returns the reason.
    ///
    /// # Errors
    /// If the game is not in this catalog, or the players decide differently.
    pub fn verify_players(
        &self,
        record: &Record,
        stop: Option<&Arc<AtomicBool>>,
    ) -> Result<ReplayVerdict, RecordError> {
        let game = self.game_of(record)?;
        let Fixture { game: name, seats, seed, budget, versions, .. } = &record.fixture;
        let mut players = Vec::new();
        for (spec, recorded) in seats.iter().zip(&versions.players) {
            let varies =
                || ReplayVerdict::NotPossible(format!("{spec} may decide differently each time"));
            // A record may come from a stranger, so the programs that it names are not even looked
            // up.
            if self.source_of(spec).is_some_and(|source| !source.is_reproducible(spec)) {
                return Ok(varies());
            }
            let player = match self.player(name, spec) {
                Ok(player) => player,
                Err(error) => return Ok(ReplayVerdict::NotPossible(error.to_string())),
            };
            let version = player.version;
            if version != *recorded {
                let why =
                    format!("{spec} has version {version} here, but version {recorded} played");
                return Ok(ReplayVerdict::NotPossible(why));
            }
            if !player.is_reproducible(budget) {
                return Ok(varies());
            }
            players.push(player);
        }
        let notes = !record.notes.is_empty();
        let setup = Setup::new(*seed).with_budget(*budget).with_notes(notes);
        let setup = Setup { stop: stop.cloned(), ..setup };
        let played = match game.play(&setup, &players.iter().collect::<Vec<_>>(), None) {
            // Players decided in haste.
            _ if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) => {
                return Ok(ReplayVerdict::NotPossible("their decisions take too long".to_owned()));
            }
            Ok(played) => played,
            Err(error) => return Ok(ReplayVerdict::NotPossible(error.to_string())),
        };
        match record.difference(&played) {
            None => Ok(ReplayVerdict::Same),
            Some(problem) => Err(RecordError::Decisions { id: record.id.clone(), problem }),
        }
    }

    /// The game a record was played on. If its scenario names a file, the store it came from holds
    /// the text; otherwise see [`FilesOfRecords`].
    ///
    /// # Errors
    /// If the game, its version or its scenario is not in this catalog.
    pub fn game_of(&self, record: &Record) -> Result<Arc<dyn AnyGame>, RecordError> {
        let unplayable =
            |problem: String| RecordError::Unplayable { id: record.id.clone(), problem };
        let fixture = &record.fixture;
        let entry = self.entry(&fixture.game).map_err(|error| unplayable(error.to_string()))?;
        let (theirs, ours) = (fixture.versions.game, entry.version());
        if theirs != ours {
            let game = &fixture.game;
            return Err(unplayable(format!(
                "played by version {theirs} of {game}'s rules; these are version {ours}"
            )));
        }
        let game = self.game_in_store(&fixture.game, &fixture.scenario);
        game.map_err(|error| unplayable(error.to_string()))
    }

    /// The game on a scenario that a store names, in a record or a tournament: like
    /// [`Catalog::game`], but it reads no other files than [`Catalog::game_of`] does.
    ///
    /// # Errors
    /// As [`Catalog::game`].
    pub fn game_in_store(&self, game: &str, scenario: &str) -> Result<Arc<dyn AnyGame>, SpecError> {
        reading_as_record(self.files_of_records, || self.game(game, scenario))
    }
}
