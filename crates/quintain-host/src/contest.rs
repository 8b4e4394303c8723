//! A contest in its folder: what its file says, its database, its players. What runs it is
//! [`crate::referee`].

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use quintain_bots::{Programs, Settings};
use quintain_core::{AnyGame, Catalog, PlayerHandle, SpecError};

use crate::config::{self, Config};
use crate::error::HostError;
use crate::ladder::Ladder;
use crate::program;
use crate::state::{State, Version};
use crate::token;

/// The store of records in the contest's folder.
pub(crate) const STORE: &str = "matches.sqlite";
/// The organiser's name.
const ORGANISER: &str = "organiser";
/// Letters of a name, at most.
const LONGEST_NAME: usize = 32;

/// A contest that is open.
pub(crate) struct Contest {
    pub(crate) folder: PathBuf,
    pub(crate) config: Config,
    /// The contest's game alone, without programs.
    pub(crate) catalog: Catalog,
    /// All games, to tell a program's other games from slips.
    pub(crate) all_games: Catalog,
    launcher: PathBuf,
    state: Mutex<State>,
    pub(crate) ladder: Mutex<Ladder>,
    /// The programs of versions that play, each found once.
    programs: Mutex<HashMap<i64, Arc<Programs>>>,
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Begins a contest in a folder: its file, and the organiser's token, which is returned.
///
/// # Errors
/// If there is a contest already, the game is unknown, or the folder cannot be written.
pub fn init(folder: &Path, game: &str, catalog: &Catalog) -> Result<String, HostError> {
    let entry = catalog.entry(game).map_err(|error| HostError::Usage(error.to_string()))?;
    let file = folder.join(config::FILE);
    if file.exists() {
        return Err(HostError::Usage(format!("{} is there already", file.display())));
    }
    let failed = |source| HostError::File { path: file.clone(), source };
    fs::create_dir_all(folder).map_err(failed)?;
    let token = token::new_token()?;
    State::open(folder)?.invite(ORGANISER, &token::digest_of(&token), true)?;
    fs::write(&file, config::template(entry)).map_err(failed)?;
    Ok(token)
}

/// A new token for a participant, who is entered if need be; an older token ends.
///
/// # Errors
/// If the name cannot be one, or there are too many participants.
pub fn invite(folder: &Path, name: &str, catalog: &Catalog) -> Result<String, HostError> {
    let config = Config::load(folder, catalog)?;
    invite_into(&mut State::open(folder)?, &config, name)
}

pub(crate) fn invite_into(
    state: &mut State,
    config: &Config,
    name: &str,
) -> Result<String, HostError> {
    let can_be = !name.is_empty()
        && !name.starts_with('-')
        && name.len() <= LONGEST_NAME
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    if !can_be {
        return Err(HostError::Usage(format!(
            "a name has 1 to {LONGEST_NAME} letters, digits, - and _; {name:?} has not"
        )));
    }
    let known = state.participant_named(name)?;
    let is_house = known.as_ref().is_some_and(|known| known.is_house);
    if is_house || config.house.iter().any(|player| player == name) {
        return Err(HostError::Usage(format!(
            "{name} is a player of the house; take another name"
        )));
    }
    let most = config.limits.participants;
    if known.is_none() && state.count_participants()? >= most {
        return Err(HostError::Usage(format!(
            "there are {most} participants, the most that host.toml allows"
        )));
    }
    let token = token::new_token()?;
    let is_organiser = known.is_some_and(|known| known.is_organiser);
    state.invite(name, &token::digest_of(&token), is_organiser)?;
    Ok(token)
}

impl Contest {
    /// Opens a contest. `launcher` is an executable that calls
    /// [`quintain_bots::take_over_if_asked`] first.
    pub(crate) fn open(
        folder: &Path,
        catalog: &Catalog,
        launcher: &Path,
    ) -> Result<Contest, HostError> {
        let config = Config::load(folder, catalog)?;
        let folder = folder
            .canonicalize()
            .map_err(|source| HostError::File { path: folder.to_owned(), source })?;
        let mut state = State::open(&folder)?;
        state.set_house(&config.house)?;
        program::clear_parts(&folder)
            .map_err(|source| HostError::File { path: folder.clone(), source })?;
        let wrong = |error: SpecError| HostError::Usage(error.to_string());
        let game = catalog.game(&config.game, &config.scenarios[0]).map_err(wrong)?;
        let mut ladder = Ladder::new(game.scoring(), game.objective());
        state.played()?.iter().for_each(|played| ladder.count(played));
        let contest = Contest {
            folder,
            catalog: catalog.clone().only(&config.game),
            all_games: catalog.clone(),
            launcher: launcher.to_owned(),
            config,
            state: Mutex::new(state),
            ladder: Mutex::new(ladder),
            programs: Mutex::default(),
        };
        // Whether programs can be confined here is found out before anybody hands one in.
        contest.programs_of(PathBuf::new()).protections()?;
        Ok(contest)
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    pub(crate) fn store(&self) -> PathBuf {
        self.folder.join(STORE)
    }

    pub(crate) fn game(&self, scenario: &str) -> Result<Arc<dyn AnyGame>, SpecError> {
        self.catalog.game(&self.config.game, scenario)
    }

    fn programs_of(&self, file: PathBuf) -> Arc<Programs> {
        let protocols = self.all_games.entries().flat_map(|entry| {
            let name = entry.name();
            entry.protocols().iter().map(move |protocol| (name, *protocol))
        });
        Programs::new(Settings {
            launcher: self.launcher.clone(),
            file,
            protection: self.config.sandbox.protection(),
            protocols: protocols.collect(),
        })
    }

    /// The programs among which a version's is found, under `bot:` and its name as a player.
    pub(crate) fn programs(&self, version: &Version) -> Result<Arc<Programs>, String> {
        if let Some(known) = lock(&self.programs).get(&version.id) {
            return Ok(Arc::clone(known));
        }
        let limits = &self.config.program;
        let file = program::write_entry(&self.folder, &version.digest, &version.player(), limits);
        let programs = self.programs_of(file.map_err(|refused| refused.0)?);
        Ok(Arc::clone(lock(&self.programs).entry(version.id).or_insert(programs)))
    }

    /// Lets go of the programs that are neither on the ladder nor asked for: their processes end.
    pub(crate) fn keep_programs(&self, active: &[Version]) {
        lock(&self.programs).retain(|id, _| active.iter().any(|version| version.id == *id));
    }

    /// A version as a player.
    pub(crate) fn player(&self, version: &Version) -> Result<PlayerHandle, String> {
        let said = |error: SpecError| error.to_string();
        let game = &self.config.game;
        // Those of the house have no files.
        if version.digest.is_empty() {
            return self.catalog.player(game, &version.name).map_err(said);
        }
        let [named, _] = self.programs(version)?.sources();
        let catalog = self.catalog.clone().with_external(named);
        catalog.player(game, &format!("bot:{}", version.player())).map_err(said)
    }
}
