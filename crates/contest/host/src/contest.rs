//! A contest in its folder: its configuration, its database, its players. [`crate::referee`] runs
//! it.

use std::collections::HashMap;
use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, RwLock};
use std::time::{Duration, Instant, SystemTime};

use quintain_bots::{Programs, Settings};
use quintain_core::{
    AnyGame, Catalog, ExternalSource, PlayerHandle, ScenarioSet, SpecError, open_at_once,
};

use crate::archive::Refused;
use crate::build::Recipe;
use crate::config::{self, Config, Phase};
use crate::error::{HostError, file_error};
use crate::events::Events;
use crate::finals::{self, FinalTerms, Finals};
use crate::formula::Formula;
use crate::ladder::Ladder;
use crate::lock::lock;
use crate::maps;
use crate::module;
use crate::new_contest::{NewContest, write_new_file};
use crate::program::{self, ListedProgram, Start};
use crate::salted::salted;
use crate::schedule::{PHASE, Schedule};
use crate::shares::Shares;
use crate::state::{Participant, State, Version, time_of};
use crate::token;
use crate::trends::Trends;
use crate::trouble::{Trouble, TroubleKind, Troubles};
use crate::voids::Voids;

/// The store of records in the contest's folder, and that of records that are secret for now.
pub(crate) const STORE: &str = "matches.sqlite";
pub(crate) const HIDDEN_STORE: &str = "hidden.sqlite";
/// The setting with the time that participants have used, and how often it is saved.
const SHARES: &str = "shares";
const SHARES_SAVED: Duration = Duration::from_secs(5);
/// Folder within the contest's: downloads that are being packed.
pub(crate) const DOWNLOADS: &str = "downloads";
/// The organiser's name.
pub(crate) const ORGANISER: &str = "organiser";
/// The lock file, locked by the process that runs the contest.
const LOCK: &str = "host.lock";

/// An open contest.
pub(crate) struct Contest {
    pub(crate) folder: PathBuf,
    pub(crate) config: Config,
    /// The contest's game only, without programs.
    pub(crate) catalog: Catalog,
    /// All games, to distinguish a program's other games from slips.
    pub(crate) all_games: Catalog,
    launcher: PathBuf,
    /// The database for writing; a writer waits for the disk.
    state: Mutex<State>,
    /// The same database for reading only, so that pages do not wait for the disk.
    looked_at: Mutex<State>,
    pub(crate) ladder: Mutex<Ladder>,
    /// How participants fared lately on a ladder, as read at a time.
    trends: Mutex<Option<(i64, Instant, Trends)>>,
    /// How much of the machine's time participants have used.
    pub(crate) shares: Mutex<Shares>,
    pub(crate) voids: Mutex<Voids>,
    shares_saved: Mutex<Instant>,
    /// Set once the final has begun.
    pub(crate) finals: Mutex<Option<Finals>>,
    /// The secret behind the seeds of matches outside the final.
    pub(crate) secret: String,
    pub(crate) events: Events,
    /// What keeps the contest from going on.
    pub(crate) troubles: Troubles,
    /// Read while files are stored and entered, written while files that nobody needs are deleted.
    pub(crate) files: RwLock<()>,
    /// When old files were looked for last.
    cleaned: Mutex<Option<Instant>>,
    /// The space that stored trees take, by digest.
    pub(crate) tree_sizes: Mutex<HashMap<String, u64>>,
    scenario_sets: Mutex<HashMap<String, Arc<ScenarioSet>>>,
    /// Set once the host ends: no match is begun, and nothing is waited for.
    pub(crate) is_ending: Arc<AtomicBool>,
    /// The versions that play, each looked up once.
    playing: Mutex<HashMap<i64, Playing>>,
    /// Held by the process that runs the contest; it is released when the process ends, however
    /// that happens.
    _lock: Option<File>,
}

/// A version that can take a seat.
#[derive(Clone)]
pub(crate) enum Playing {
    /// A program, listed under `bot:` and its player name.
    Program(Arc<Programs>),
    /// A WebAssembly module, known under `wasm:` and its player name.
    Module(Arc<dyn ExternalSource>),
}

/// Creates a contest in a folder: its file, and the organiser's token, which is returned.
///
/// # Errors
/// If there is a contest already, the new contest is not possible, or the folder cannot be written.
pub fn init(folder: &Path, new: &NewContest, catalog: &Catalog) -> Result<String, HostError> {
    let mut new = new.clone();
    let maps = maps::adopt(catalog, &new.game, &mut new.scenarios).map_err(HostError::Usage)?;
    let text = write_new_file(&new, catalog).map_err(HostError::Usage)?;
    let file = folder.join(config::FILE);
    if file.exists() {
        return Err(HostError::Usage(format!("{} exists already", file.display())));
    }
    let failed = file_error(&file);
    fs::create_dir_all(folder).map_err(&failed)?;
    keep_private(folder)?;
    let token = token::new_token()?;
    State::open(folder)?.enter_organiser(ORGANISER, &token)?;
    maps.iter().try_for_each(|map| maps::take_in(folder, map))?;
    fs::write(&file, text).map_err(&failed)?;
    Ok(token)
}

/// Keeps all other users of the machine out of a contest's folder, which has everybody's programs
/// and the secret behind the seeds; returns whether they could look into it before.
#[cfg(unix)]
pub(crate) fn keep_private(folder: &Path) -> Result<bool, HostError> {
    use std::os::unix::fs::PermissionsExt;

    let failed = file_error(folder);
    let found = fs::metadata(folder).map_err(&failed)?.permissions().mode() & 0o777;
    let was_open = found & 0o077 != 0;
    if was_open {
        let own = fs::Permissions::from_mode(found & 0o700);
        fs::set_permissions(folder, own).map_err(&failed)?;
    }
    Ok(was_open)
}

/// On Windows, a user's folders are private already.
#[cfg(not(unix))]
pub(crate) fn keep_private(_: &Path) -> Result<bool, HostError> {
    Ok(false)
}

/// Returns what to tell the organiser about who could read the folder, or still can.
fn privacy_warning(
    folder: &Path,
    was_open: Result<bool, HostError>,
) -> Result<Option<String>, HostError> {
    let what = format!("read {}: the programs, and the secret behind the seeds", folder.display());
    match was_open {
        Ok(false) => Ok(None),
        Ok(true) => Ok(Some(format!("other users of this machine could {what}; now only you can"))),
        // The folder is another user's, who alone can close it.
        Err(HostError::File { source, .. }) if source.kind() == ErrorKind::PermissionDenied => {
            Ok(Some(format!(
                "other users of this machine can {what}; the folder belongs to another user, who \
                 can close it with chmod 700"
            )))
        }
        Err(error) => Err(error),
    }
}

/// Returns the current phase: the one that the organiser chose, or else the one by the clock.
pub(crate) fn phase_now<'a>(config: &'a Config, state: &State) -> Result<&'a Phase, HostError> {
    phase_at(config, state, SystemTime::now())
}

fn phase_at<'a>(config: &'a Config, state: &State, at: SystemTime) -> Result<&'a Phase, HostError> {
    let chosen = state.setting(PHASE)?;
    Ok(Schedule::of(config, state)?.phase(at, chosen.as_deref()))
}

/// Deletes downloads that were still being packed when a host was killed.
fn clear_downloads(folder: &Path) {
    let _ = fs::remove_dir_all(folder.join(DOWNLOADS));
}

/// How often trends are read.
const TRENDS_READ: Duration = Duration::from_secs(5);
/// How often old files are looked for.
const BETWEEN_CLEANINGS: Duration = Duration::from_secs(3600);
/// The pause before the database is tried again.
const RETRY: Duration = Duration::from_millis(500);
/// How often, and with which pause, to try for the lock: a process that only checks whether it is
/// held takes it for a moment.
const TRIES: u32 = 10;
const PAUSE: Duration = Duration::from_millis(10);

/// Locks the contest for this process, until it ends.
fn take_lock(folder: &Path) -> Result<File, HostError> {
    let path = folder.join(LOCK);
    let failed = file_error(&path);
    let mut file = File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(&path)
        .map_err(&failed)?;
    let mut tries = 1;
    loop {
        match file.try_lock() {
            Ok(()) => break,
            Err(TryLockError::WouldBlock) if tries < TRIES => {
                tries += 1;
                std::thread::sleep(PAUSE);
            }
            Err(TryLockError::WouldBlock) => {
                return Err(HostError::Usage(format!(
                    "{} is served already{}; one host serves a contest, so end that one first",
                    folder.display(),
                    read_holder(&mut file)
                        .map_or(String::new(), |holder| format!(", by process {}", holder.process)),
                )));
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
    }
    file.set_len(0).map_err(&failed)?;
    write_holder(&mut file, None).map_err(&failed)?;
    Ok(file)
}

/// The size of the lock file in bytes. It is written in place, as a full disk has no room for more.
const LOCK_SIZE: usize = 4096;
/// The most bytes of a trouble in it.
const MAX_TROUBLE: usize = 2048;

/// Writes into the lock file what other processes may want to know: the process id, and what keeps
/// the contest from going on.
fn write_holder(file: &mut File, trouble: Option<&Trouble>) -> std::io::Result<()> {
    let line = |trouble: &Trouble| {
        let end = trouble.what.floor_char_boundary(MAX_TROUBLE);
        format!("{} {}", trouble.since, trouble.what[..end].replace(['\n', '\r'], " "))
    };
    let text = format!("{}\n{}\n", std::process::id(), trouble.map_or(String::new(), line));
    let mut bytes = text.into_bytes();
    bytes.resize(LOCK_SIZE, b' ');
    file.rewind()?;
    file.write_all(&bytes)
}

/// The process that runs a contest, as its lock file has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Holder {
    /// Its id; 0 if it is unknown.
    pub(crate) process: u32,
    /// What keeps the contest from going on: since when, in seconds since 1970, and what.
    pub(crate) trouble: Option<(i64, String)>,
}

fn read_holder(file: &mut File) -> Option<Holder> {
    let mut text = String::new();
    let _ = file.take(LOCK_SIZE as u64).read_to_string(&mut text);
    let mut lines = text.lines();
    let process = lines.next()?.trim().parse().ok()?;
    let trouble = lines.next().and_then(|line| line.split_once(' '));
    let trouble = trouble.and_then(|(since, what)| Some((since.parse().ok()?, what.to_owned())));
    Some(Holder { process, trouble })
}

/// Returns the process that runs a contest, if there is one.
pub(crate) fn find_holder(folder: &Path) -> Result<Option<Holder>, HostError> {
    let path = folder.join(LOCK);
    // A contest that was never run has no lock file.
    let Ok(mut file) = open_at_once(&path) else { return Ok(None) };
    match file.try_lock_shared() {
        Ok(()) => Ok(None),
        Err(TryLockError::WouldBlock) => {
            let unknown = Holder { process: 0, trouble: None };
            Ok(Some(read_holder(&mut file).unwrap_or(unknown)))
        }
        Err(TryLockError::Error(error)) => Err(file_error(&path)(error)),
    }
}

/// Notes the digests of files that scenarios name without a digest, and refuses those that changed.
fn note_maps(state: &mut State, config: &Config) -> Result<(), HostError> {
    for map in config.maps.iter().filter(|map| map.file.pinned != map.scenario) {
        let key = format!("digest of {}", map.scenario);
        match state.setting(&key)? {
            None => {
                let what = format!("noted the file of {}", map.scenario);
                state.set(ORGANISER, &key, Some(&map.file.digest), &what)?;
            }
            Some(noted) if noted == map.file.digest => {}
            Some(noted) => {
                return Err(HostError::Usage(format!(
                    "{}: its file has changed since the contest began (digest {}, not {noted}), \
                     and one ladder cannot mix two boards; put the file back, or begin another \
                     contest",
                    map.scenario, map.file.digest
                )));
            }
        }
    }
    Ok(())
}

impl Contest {
    /// Opens a contest in order to run it. `launcher` is an executable that calls
    /// [`quintain_bots::take_over_if_asked`] first.
    pub(crate) fn open(
        folder: &Path,
        catalog: &Catalog,
        launcher: &Path,
    ) -> Result<Contest, HostError> {
        let config = Config::load(folder, catalog)?;
        let held = take_lock(folder)?;
        if let Some(warning) = privacy_warning(folder, keep_private(folder))? {
            tracing::warn!("{warning}");
        }
        let mut state = State::open(folder)?;
        state.set_house(&config.house)?;
        config.maps.iter().try_for_each(|map| maps::take_in(folder, map))?;
        note_maps(&mut state, &config)?;
        drop(state);
        program::clear_parts(folder).map_err(file_error(folder))?;
        clear_downloads(folder);
        let reported = Mutex::new(held.try_clone().map_err(file_error(folder))?);
        let contest = Contest { _lock: Some(held), ..Contest::read(folder, catalog, launcher)? };
        contest.troubles.report_to(move |trouble| {
            let _ = write_holder(&mut lock(&reported), trouble);
        });
        let is_over = lock(&contest.finals).as_ref().is_some_and(Finals::is_over);
        if is_over {
            // An earlier version may have played it, or this one ended before it noted that.
            finals::record_end(&mut contest.write_state())?;
        }
        contest.report_missing()?;
        let is_published = lock(&contest.finals).as_ref().is_some_and(Finals::is_published);
        contest.write_state().hide_names(contest.config.hidden_names && !is_published)?;
        if let Some(finals) = lock(&contest.finals).as_mut() {
            finals.read_names(&contest.read_state())?;
        }
        contest.refuse_missed_final()?;
        // Finds out whether programs can be confined here before anybody submits one.
        contest.check_confinement()?;
        Ok(contest)
    }

    /// Finds out whether programs can be confined here.
    pub(crate) fn check_confinement(&self) -> Result<(), HostError> {
        if cfg!(not(target_os = "linux")) {
            return Err(HostError::NoSandbox);
        }
        Ok(self.programs_of(PathBuf::new()).check_confinement()?)
    }

    /// Opens a contest for reading, while another process may run it.
    pub(crate) fn read(
        folder: &Path,
        catalog: &Catalog,
        launcher: &Path,
    ) -> Result<Contest, HostError> {
        let config = Config::load(folder, catalog)?;
        let folder = folder.canonicalize().map_err(file_error(folder))?;
        let mut state = State::open(&folder)?;
        let wrong = |error: SpecError| HostError::Usage(error.to_string());
        let game = ScenarioSet::find(catalog, &config.game, config.pinned(&config.scenarios[0]))
            .map_err(wrong)?;
        let game = game.game();
        let has_seat_table = !config.seats.is_empty();
        let ladder = Ladder::new(game.scoring(), game.objective(), has_seat_table);
        let phase = phase_now(&config, &state)?;
        let id = config.ladder_of(&mut state, phase)?;
        let ladder = ladder.load(&state, id)?;
        let used = state.setting(SHARES)?.and_then(|used| serde_json::from_str(&used).ok());
        let secret = state.secret("secret")?;
        finals::make_secret(&mut state)?;
        let events = Events::new(&folder);
        let contest = Contest {
            looked_at: Mutex::new(State::open(&folder)?),
            state: Mutex::new(state),
            folder,
            catalog: catalog.clone().only(&config.game),
            all_games: catalog.clone(),
            launcher: launcher.to_owned(),
            config,
            ladder: Mutex::new(ladder),
            trends: Mutex::default(),
            shares: Mutex::new(Shares::of_saved(used.unwrap_or_default())),
            voids: Mutex::default(),
            shares_saved: Mutex::new(Instant::now()),
            finals: Mutex::default(),
            secret,
            events,
            troubles: Troubles::default(),
            files: RwLock::default(),
            cleaned: Mutex::default(),
            tree_sizes: Mutex::default(),
            scenario_sets: Mutex::default(),
            is_ending: Arc::default(),
            playing: Mutex::default(),
            _lock: None,
        };
        let finals = Finals::load(&contest.read_state(), || contest.final_terms())?;
        *lock(&contest.finals) = finals;
        Ok(contest)
    }

    /// Refuses to begin a final only because its time has passed when the host starts: it is played
    /// once, and the time may be a slip.
    fn refuse_missed_final(&self) -> Result<(), HostError> {
        let phase = self.phase()?;
        let from = self.schedule()?.time(phase);
        let Some(from) = from.filter(|_| phase.rounds.is_some()) else { return Ok(()) };
        if self.has_chosen_phase()? || lock(&self.finals).is_some() {
            return Ok(());
        }
        let (folder, name) = (self.folder.display(), &phase.name);
        let from = self.config.zone.write(from);
        Err(HostError::Usage(format!(
            "the time of {name:?} ({from}) has passed, and the final is played once: to begin it, \
             quintain host phase {folder} {name} --begin; otherwise correct `from` in host.toml"
        )))
    }

    /// Returns how everybody has fared lately on the current ladder, read at most a moment ago.
    pub(crate) fn trends(&self) -> Result<Trends, HostError> {
        let ladder = lock(&self.ladder).id().unwrap_or_default();
        let mut known = lock(&self.trends);
        if let Some((of, at, trends)) = &*known
            && *of == ladder
            && at.elapsed() < TRENDS_READ
        {
            return Ok(trends.clone());
        }
        let trends = Trends::read(&self.read_state(), ladder)?;
        *known = Some((ladder, Instant::now(), trends.clone()));
        Ok(trends)
    }

    /// Returns when the phases begin.
    pub(crate) fn schedule(&self) -> Result<Schedule<'_>, HostError> {
        Schedule::of(&self.config, &self.read_state())
    }

    /// Returns the formula for points, as host.toml has it now.
    pub(crate) fn formula(&self) -> Result<Option<Formula>, HostError> {
        self.config.read_formula(&self.folder)
    }

    /// Tells the organiser which matches of a final that was over are missing: they are not played
    /// again.
    fn report_missing(&self) -> Result<(), HostError> {
        let missing = lock(&self.finals).as_ref().map(Finals::list_missing).unwrap_or_default();
        let Some(what) = finals::describe_missing(&missing) else { return Ok(()) };
        tracing::warn!("{what}");
        self.write_state().log_action("host", &what)
    }

    /// Drops the final if it was undone, perhaps by another process.
    pub(crate) fn drop_undone_final(&self) -> Result<(), HostError> {
        let mut finals = lock(&self.finals);
        if finals.is_some() && finals::planned(&self.read_state())?.is_none() {
            *finals = None;
        }
        Ok(())
    }

    /// Returns what determines the schedule of the final besides who is in it.
    pub(crate) fn final_terms(&self) -> Result<FinalTerms, HostError> {
        let wrong = |error: SpecError| HostError::Usage(error.to_string());
        let with_seats = |scenario: &String| {
            self.game(scenario).map(|game| (scenario.clone(), game.seats())).map_err(wrong)
        };
        let scenarios: Result<_, HostError> =
            self.config.final_scenarios().iter().map(with_seats).collect();
        let game = self.game(&self.config.scenarios[0]).map_err(wrong)?;
        let has_seat_table = !self.config.seats.is_empty();
        Ok(FinalTerms {
            scenarios: scenarios?,
            rounds: self.config.final_rounds().unwrap_or(0),
            ladder: Ladder::new(game.scoring(), game.objective(), has_seat_table),
        })
    }

    /// Locks the database for writing.
    pub(crate) fn write_state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Enters what happened, as often as it takes while the database fails, as on a full disk: a
    /// match that nobody enters or gives up would stay under way.
    pub(crate) fn retry<T>(
        &self,
        mut enter: impl FnMut() -> Result<T, HostError>,
    ) -> Result<T, HostError> {
        loop {
            match enter() {
                Err(HostError::State(error)) if !self.is_ending.load(Ordering::SeqCst) => {
                    let what = format!("the ladder waits: {}", HostError::State(error));
                    self.troubles.occur(TroubleKind::Matches, &what);
                    std::thread::sleep(RETRY);
                }
                done => return done,
            }
        }
    }

    /// Locks the database for reading: it has everything that was entered. A holder of this guard
    /// must take no other lock.
    pub(crate) fn read_state(&self) -> MutexGuard<'_, State> {
        lock(&self.looked_at)
    }

    pub(crate) fn store(&self) -> PathBuf {
        self.folder.join(STORE)
    }

    pub(crate) fn hidden_store(&self) -> PathBuf {
        self.folder.join(HIDDEN_STORE)
    }

    /// Saves the time that participants have used, now and then: after a restart nobody begins
    /// again.
    pub(crate) fn save_shares(&self) -> Result<(), HostError> {
        {
            let mut saved = lock(&self.shares_saved);
            if saved.elapsed() < SHARES_SAVED {
                return Ok(());
            }
            *saved = Instant::now();
        }
        let used = serde_json::to_string(lock(&self.shares).accounts()).unwrap_or_default();
        self.write_state().set_quietly(SHARES, &used)
    }

    /// Returns one of the contest's scenarios, built once.
    fn scenario_set(&self, scenario: &str) -> Result<Arc<ScenarioSet>, SpecError> {
        if let Some(known) = lock(&self.scenario_sets).get(scenario) {
            return Ok(Arc::clone(known));
        }
        let (game, pinned) = (&self.config.game, self.config.pinned(scenario));
        let set = Arc::new(ScenarioSet::find(&self.catalog, game, pinned)?);
        lock(&self.scenario_sets).insert(scenario.to_owned(), Arc::clone(&set));
        Ok(set)
    }

    /// Returns the contest's game on one of its scenarios, for what is the same on every seed.
    pub(crate) fn game(&self, scenario: &str) -> Result<Arc<dyn AnyGame>, SpecError> {
        self.scenario_set(scenario).map(|set| Arc::clone(set.game()))
    }

    /// Returns the contest's game on one of its scenarios with a seed.
    pub(crate) fn game_of(&self, scenario: &str, seed: u64) -> Result<Arc<dyn AnyGame>, SpecError> {
        self.scenario_set(scenario).map(|set| set.instance(seed))
    }

    /// Returns the current phase.
    pub(crate) fn phase(&self) -> Result<&Phase, HostError> {
        phase_now(&self.config, &self.read_state())
    }

    /// Returns why a participant can neither submit nor change to another version now, if it is
    /// so: the deadline has passed, for them too.
    pub(crate) fn closed_for(&self, who: &Participant) -> Result<Option<String>, HostError> {
        self.closed_at(SystemTime::now(), who)
    }

    /// The same for what arrived at some time, and may have waited since then.
    pub(crate) fn closed_at(
        &self,
        at: SystemTime,
        who: &Participant,
    ) -> Result<Option<String>, HostError> {
        let state = self.read_state();
        let phase = phase_now(&self.config, &state)?;
        if phase.takes_programs() {
            return Ok(None);
        }
        let has_begun = finals::planned(&state)?.is_some();
        if phase_at(&self.config, &state, at)?.takes_programs() && !has_begun {
            return Ok(None);
        }
        if who.extended.is_some_and(|until| at < time_of(until)) && !has_begun {
            return Ok(None);
        }
        let deadline = match state.setting(PHASE)? {
            None => Schedule::of(&self.config, &state)?.deadline_before(phase),
            Some(_) => None,
        };
        let write = |at| self.config.zone.write(at);
        let since = match (who.extended, deadline) {
            _ if has_begun => "programs are no longer accepted: the final has begun".to_owned(),
            (Some(until), _) => format!("your extension ended at {}", write(time_of(until))),
            (None, Some(at)) => format!("programs were accepted until {}", write(at)),
            (None, None) => format!("programs are not accepted in the phase “{}”", phase.name),
        };
        let ask = "Whoever needs more time asks the organiser, who can extend it";
        Ok(Some(if has_begun { since } else { format!("{since}. {ask}") }))
    }

    /// Whether the organiser chose the phase, so that the clock begins none.
    pub(crate) fn has_chosen_phase(&self) -> Result<bool, HostError> {
        Ok(self.read_state().setting(PHASE)?.is_some())
    }

    /// Creates a folder for a job's files, which is deleted with the returned value.
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

    /// Returns a version's program or module.
    pub(crate) fn playing(&self, version: &Version) -> Result<Playing, String> {
        if let Some(known) = lock(&self.playing).get(&version.id) {
            return Ok(known.clone());
        }
        let found = self.find(version)?;
        Ok(lock(&self.playing).entry(version.id).or_insert(found).clone())
    }

    fn find(&self, version: &Version) -> Result<Playing, String> {
        let to_text = |refused: Refused| refused.0;
        let sources = program::read_kept(&self.folder, &version.digest).map_err(to_text)?;
        let plan = program::plan_of(&sources, &self.config.build).map_err(to_text)?;
        let (player, limits) = (version.player(), &self.config.program);
        match &plan.start {
            Start::Module(file) => {
                let file = program::files_of(&self.folder, version.files()).join(file);
                module::source(&player, &file, limits.memory.0).map(Playing::Module)
            }
            Start::Command { command, protocol } => {
                let read = plan.recipe.as_ref().map_or(&[][..], Recipe::read);
                let listed = ListedProgram::new(command, protocol.as_deref(), read, limits);
                let file = program::write_entry(&self.folder, version.files(), &player, &listed);
                Ok(Playing::Program(self.programs_of(file.map_err(to_text)?)))
            }
        }
    }

    /// Drops the versions that are neither on the ladder nor in the final, which ends their
    /// processes.
    pub(crate) fn keep_playing(&self, active: &[Version]) {
        let finals = lock(&self.finals);
        let roster = finals.as_ref().map_or(&[][..], |finals| finals.roster());
        let is_kept = |id: i64| active.iter().chain(roster).any(|version| version.id == id);
        lock(&self.playing).retain(|id, _| is_kept(*id));
    }

    /// Drops all versions, which ends their processes, except in matches that are under way.
    pub(crate) fn end_processes(&self) {
        // Dropped after the lock is released, as processes take a moment to end.
        let ended = std::mem::take(&mut *lock(&self.playing));
        drop(ended);
    }

    /// Returns whether it is time again to delete what is no longer kept.
    pub(crate) fn is_cleaning_due(&self) -> bool {
        let mut cleaned = lock(&self.cleaned);
        let is_due = cleaned.is_none_or(|at| at.elapsed() >= BETWEEN_CLEANINGS);
        if is_due {
            *cleaned = Some(Instant::now());
        }
        is_due
    }

    /// Drops a version whose files have changed, so that it is looked up again.
    pub(crate) fn drop_player(&self, version: &Version) {
        lock(&self.playing).remove(&version.id);
    }

    /// Returns a version as a player.
    pub(crate) fn player(&self, version: &Version) -> Result<PlayerHandle, String> {
        let to_text = |error: SpecError| error.to_string();
        let game = &self.config.game;
        if version.is_house() {
            return self.catalog.player(game, &version.name).map_err(to_text);
        }
        let (source, prefix) = match self.playing(version)? {
            Playing::Program(programs) => {
                let [named, _] = programs.sources(quintain_bots::Unstarted::Forfeit);
                (named, "bot")
            }
            Playing::Module(module) => (module, "wasm"),
        };
        let source = salted(source, self.salt_of(version));
        let catalog = self.catalog.clone().with_external(source);
        catalog.player(game, &format!("{prefix}:{}", version.player())).map_err(to_text)
    }

    /// Returns what the version in records is mixed with: for a hidden copy a secret.
    pub(crate) fn salt_of(&self, version: &Version) -> Option<String> {
        let secret = || format!("{}\ncopy {}", self.secret, version.id);
        version.copy_of.map(|_| blake3::hash(secret().as_bytes()).to_hex().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_arrived_before_the_deadline_is_in_time_however_long_it_waits() {
        let (place, catalog) = (tempfile::tempdir().unwrap(), quintain_games::catalog());
        let cup = place.path().join("cup");
        let new = NewContest { game: "tron".to_owned(), ..NewContest::default() };
        init(&cup, &new, &catalog).unwrap();
        let mut settings =
            fs::OpenOptions::new().append(true).open(cup.join(config::FILE)).unwrap();
        let phase = "[[phases]]\nname = 'frozen'\nfrom = 2020-01-31T19:00:00Z\nsubmissions = false";
        writeln!(settings, "{phase}").unwrap();
        crate::invitation::invite(&cup, "ada", &catalog).unwrap();
        let contest = Contest::read(&cup, &catalog, Path::new("/nonexistent")).unwrap();
        let ada = contest.read_state().find_participant("ada").unwrap().unwrap();
        let deadline = time_of(1_580_497_200);
        let before = deadline - Duration::from_millis(1);
        assert_eq!(contest.closed_at(before, &ada).unwrap(), None);
        for late in [deadline, SystemTime::now()] {
            let why = contest.closed_at(late, &ada).unwrap().unwrap();
            assert!(why.contains("programs were accepted until 2020-01-31 19:00 UTC"), "{why}");
        }
    }

    #[test]
    fn a_folder_that_belongs_to_another_user_gives_a_warning() {
        let folder = Path::new("cup");
        let warning = |kind: ErrorKind| {
            privacy_warning(folder, Err(file_error(folder)(std::io::Error::from(kind))))
        };
        let text = warning(ErrorKind::PermissionDenied).unwrap().unwrap();
        assert!(text.contains("can read cup") && text.contains("chmod 700"), "{text}");
        assert!(!text.contains('\n'), "{text}");
        assert!(warning(ErrorKind::NotFound).is_err());
        assert_eq!(privacy_warning(folder, Ok(false)).unwrap(), None);
        assert!(privacy_warning(folder, Ok(true)).unwrap().unwrap().contains("could read cup"));
    }
}
