//! A contest in its folder: what its file says, its database, its players. What runs it is
//! [`crate::referee`].

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use quintain_bots::{Programs, Settings};
use quintain_core::{AnyGame, Catalog, ExternalSource, PlayerHandle, SpecError};

use crate::archive::Refused;
use crate::build::Recipe;
use crate::config::{self, Config, Phase};
use crate::error::HostError;
use crate::finals::Finals;
use crate::ladder::Ladder;
use crate::module;
use crate::program::{self, Listed, Start};
use crate::state::{Kind, State, Version};
use crate::token;

/// The store of records in the contest's folder.
pub(crate) const STORE: &str = "matches.sqlite";
/// The setting that names the phase, whatever the time.
pub(crate) const PHASE: &str = "phase";
/// The organiser's name.
pub(crate) const ORGANISER: &str = "organiser";
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
    /// Set once the final has begun.
    pub(crate) finals: Mutex<Option<Finals>>,
    /// Where seeds of matches come from, and those of the final.
    pub(crate) secret: String,
    pub(crate) final_secret: String,
    /// The versions that play, each found once.
    playing: Mutex<HashMap<i64, Playing>>,
}

/// A version that can be seated.
#[derive(Clone)]
pub(crate) enum Playing {
    /// A program, listed under `bot:` and its name as a player.
    Program(Arc<Programs>),
    /// A module of WebAssembly, known under `wasm:` and that name.
    Module(Arc<dyn ExternalSource>),
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
    /// Opens a contest to run it. `launcher` is an executable that calls
    /// [`quintain_bots::take_over_if_asked`] first.
    pub(crate) fn open(
        folder: &Path,
        catalog: &Catalog,
        launcher: &Path,
    ) -> Result<Contest, HostError> {
        let config = Config::load(folder, catalog)?;
        State::open(folder)?.set_house(&config.house)?;
        program::clear_parts(folder)
            .map_err(|source| HostError::File { path: folder.to_owned(), source })?;
        let contest = Contest::read(folder, catalog, launcher)?;
        // Whether programs can be confined here is found out before anybody hands one in.
        contest.programs_of(PathBuf::new()).protections()?;
        Ok(contest)
    }

    /// Opens a contest to look at it, while another process may run it.
    pub(crate) fn read(
        folder: &Path,
        catalog: &Catalog,
        launcher: &Path,
    ) -> Result<Contest, HostError> {
        let config = Config::load(folder, catalog)?;
        let folder = folder
            .canonicalize()
            .map_err(|source| HostError::File { path: folder.to_owned(), source })?;
        let mut state = State::open(&folder)?;
        let wrong = |error: SpecError| HostError::Usage(error.to_string());
        let game = catalog.game(&config.game, &config.scenarios[0]).map_err(wrong)?;
        let mut ladder = Ladder::new(game.scoring(), game.objective());
        for played in state.played(Kind::Ladder)? {
            ladder.count(&played);
        }
        let (secret, final_secret) = (state.secret("secret")?, state.secret("final")?);
        let contest = Contest {
            folder,
            catalog: catalog.clone().only(&config.game),
            all_games: catalog.clone(),
            launcher: launcher.to_owned(),
            config,
            state: Mutex::new(state),
            ladder: Mutex::new(ladder),
            finals: Mutex::default(),
            secret,
            final_secret,
            playing: Mutex::default(),
        };
        *lock(&contest.finals) = Finals::load(&contest)?;
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

    /// The phase of this moment.
    pub(crate) fn phase(&self) -> Result<&Phase, HostError> {
        let chosen = self.state().setting(PHASE)?;
        Ok(self.config.phase(SystemTime::now(), chosen.as_deref()))
    }

    /// A folder for what is written down for a job, deleted with the returned value.
    pub(crate) fn job_folder(&self) -> std::io::Result<tempfile::TempDir> {
        tempfile::tempdir()
    }

    pub(crate) fn programs_of(&self, file: PathBuf) -> Arc<Programs> {
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

    /// A version's program or module.
    pub(crate) fn playing(&self, version: &Version) -> Result<Playing, String> {
        if let Some(known) = lock(&self.playing).get(&version.id) {
            return Ok(known.clone());
        }
        let found = self.find(version)?;
        Ok(lock(&self.playing).entry(version.id).or_insert(found).clone())
    }

    fn find(&self, version: &Version) -> Result<Playing, String> {
        let said = |refused: Refused| refused.0;
        let sources = program::kept(&self.folder, &version.digest).map_err(said)?;
        let plan = program::plan_of(&sources, &self.config.build).map_err(said)?;
        let (player, limits) = (version.player(), &self.config.program);
        match &plan.start {
            Start::Module(file) => {
                let file = program::files_of(&self.folder, version.files()).join(file);
                module::source(&player, &file, limits.memory.0).map(Playing::Module)
            }
            Start::Command { command, protocol } => {
                let read = plan.recipe.as_ref().map_or(&[][..], Recipe::read);
                let listed = Listed::new(command, protocol.as_deref(), read, limits);
                let file = program::write_entry(&self.folder, version.files(), &player, &listed);
                Ok(Playing::Program(self.programs_of(file.map_err(said)?)))
            }
        }
    }

    /// Lets go of the versions that neither are on the ladder nor play in the final: their processes
    /// end.
    pub(crate) fn keep_playing(&self, active: &[Version]) {
        let finals = lock(&self.finals);
        let roster = finals.as_ref().map_or(&[][..], |finals| finals.roster());
        let is_kept = |id: i64| active.iter().chain(roster).any(|version| version.id == id);
        lock(&self.playing).retain(|id, _| is_kept(*id));
    }

    /// A version is to be looked for anew: its files are others now.
    pub(crate) fn forget(&self, version: &Version) {
        lock(&self.playing).remove(&version.id);
    }

    /// A version as a player.
    pub(crate) fn player(&self, version: &Version) -> Result<PlayerHandle, String> {
        let said = |error: SpecError| error.to_string();
        let game = &self.config.game;
        // Those of the house have no files.
        if version.digest.is_empty() {
            return self.catalog.player(game, &version.name).map_err(said);
        }
        let (source, prefix) = match self.playing(version)? {
            Playing::Program(programs) => {
                let [named, _] = programs.sources();
                (named, "bot")
            }
            Playing::Module(module) => (module, "wasm"),
        };
        let catalog = self.catalog.clone().with_external(source);
        catalog.player(game, &format!("{prefix}:{}", version.player())).map_err(said)
    }
}
