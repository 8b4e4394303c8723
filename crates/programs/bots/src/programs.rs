//! The programs that can be seated: those of a `bots.toml` (`bot:NAME`), kept versions of them
//! (`bot:NAME@HASH`, see [`crate::versions`]) and those whose command is part of the player's own
//! text (`exec:"COMMAND"`). This module finds and remembers them; [`crate::bot`] runs them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Once, OnceLock, PoisonError};

use cpu_time::ThreadTime;
use quintain_core::{
    Answer, ExternalError, ExternalPlayer, ExternalSource, Fault, ForeignProtocol, LogContent,
    MatchStart, Outcome, Question, did_you_mean,
};
use serde_json::Value;

use crate::answer_times::AnswerTimes;
use crate::bot::{Bot, ProgramFiles};
use crate::bots_file::{BotEntry, BotsFile, find_folder};
use crate::command::{Command, ResolvedCommand};
use crate::confinement::{Confinement, UNCONFINED};
use crate::error::{CommandError, ProgramError};
use crate::faults::Unstarted;
use crate::foreign::Foreign;
use crate::kept::{Kept, hash_of};
use crate::launch::{Launch, Readable};
use crate::listed::{digest_listed, usual_memory};
use crate::open::{resolve, resolve_own};
use crate::protection::Protection;
#[cfg(target_os = "linux")]
use crate::sandbox::{Protections, Sandbox};
use crate::session::Session;
use crate::snapshot::Snapshot;
use crate::stale::warn_of_stale;
use crate::temporary::Temporary;
use crate::version::Version;
use quintain_protocol as protocol;

/// Where programs come from and how they are confined.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The executable that calls [`crate::take_over_if_asked`].
    pub launcher: PathBuf,
    /// The `bots.toml`; it need not exist.
    pub file: PathBuf,
    /// The protection under which programs run.
    pub protection: Protection,
    /// The foreign protocols that games define, each with the name of its game.
    pub protocols: Vec<(&'static str, ForeignProtocol)>,
}

/// All programs that can be seated; each is looked up once and then kept.
pub struct Programs {
    settings: Settings,
    /// Whether somebody else writes the programs' files.
    pub(crate) builds_for_strangers: bool,
    #[cfg(target_os = "linux")]
    protections: OnceLock<Result<Protections, ProgramError>>,
    file: OnceLock<Result<BotsFile, ProgramError>>,
    bots: Mutex<BTreeMap<String, Arc<Bot>>>,
    /// Why kept versions are not used, if that is so; found out once.
    pub(crate) tracked: OnceLock<Option<String>>,
    /// The versions that have been named by a revision, by what names them.
    pub(crate) revisions: Mutex<BTreeMap<String, String>>,
}

impl Programs {
    /// The programs under these settings. Nothing is read or started yet.
    pub fn new(settings: Settings) -> Arc<Programs> {
        Programs::with(settings, false)
    }

    /// The same for programs whose files somebody else writes: they are built in the sandbox.
    pub fn of_strangers(settings: Settings) -> Arc<Programs> {
        Programs::with(settings, true)
    }

    fn with(settings: Settings, builds_for_strangers: bool) -> Arc<Programs> {
        Arc::new(Programs {
            settings,
            builds_for_strangers,
            #[cfg(target_os = "linux")]
            protections: OnceLock::new(),
            file: OnceLock::new(),
            bots: Mutex::default(),
            tracked: OnceLock::new(),
            revisions: Mutex::default(),
        })
    }

    /// The sources for the catalog: `bot:NAME` and `exec:"COMMAND"`. A program that says only at
    /// its match that it plays other games loses that match by a fault.
    pub fn sources(self: &Arc<Self>, unstarted: Unstarted) -> [Arc<dyn ExternalSource>; 2] {
        self.make_sources(false, unstarted)
    }

    /// As [`Programs::sources`], but a program that is resolved for a game is first started and
    /// asked whether it plays that game. This is for callers who can name another player before
    /// anything is played. A program that never says that it is ready is refused, unless programs
    /// that never start forfeit their matches.
    pub fn asking_sources(self: &Arc<Self>, unstarted: Unstarted) -> [Arc<dyn ExternalSource>; 2] {
        self.make_sources(true, unstarted)
    }

    fn make_sources(
        self: &Arc<Self>,
        asks: bool,
        unstarted: Unstarted,
    ) -> [Arc<dyn ExternalSource>; 2] {
        ["bot", "exec"].map(|prefix| -> Arc<dyn ExternalSource> {
            Arc::new(Source { prefix, asks, unstarted, programs: Arc::clone(self) })
        })
    }

    /// Where programs come from and how they are confined.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What confines programs on this machine. The first call finds out what works.
    ///
    /// # Errors
    /// [`ProgramError::Protection`] if full protection is wanted and something is missing.
    #[cfg(target_os = "linux")]
    pub fn protections(&self) -> Result<Protections, ProgramError> {
        let found = self.protections.get_or_init(|| {
            if matches!(self.settings.protection, Protection::Off | Protection::Unconfined) {
                return Ok(Protections::NONE);
            }
            let found = Protections::probe(&self.settings.launcher);
            let warn = |missing: &str| {
                static WARNING: Once = Once::new();
                WARNING.call_once(|| tracing::warn!("programs run without {missing}"));
            };
            let launcher = &self.settings.launcher;
            found
                .require(self.settings.protection, launcher, warn)
                .map_err(ProgramError::Protection)
        });
        found.clone()
    }

    /// How programs are confined here. If they are not since the system cannot, that is said once.
    fn confinement(&self, temporary: &Temporary) -> Result<Confinement, ProgramError> {
        #[cfg(target_os = "linux")]
        if self.settings.protection != Protection::Unconfined {
            let protections = self.protections()?;
            let groups = temporary.groups().filter(|_| protections.group).map(Path::to_owned);
            let launcher = self.settings.launcher.clone();
            return Ok(Confinement::Sandbox(Sandbox { launcher, protections, groups }));
        }
        let _ = temporary;
        if cfg!(not(target_os = "linux")) && self.settings.protection == Protection::Full {
            return Err(ProgramError::NoSandbox);
        }
        // On Linux, the user asked for it.
        if cfg!(not(target_os = "linux")) {
            static WARNING: Once = Once::new();
            WARNING.call_once(|| tracing::warn!("{UNCONFINED}"));
        }
        Ok(Confinement::None)
    }

    /// Checks that programs can be run here as it is asked for.
    ///
    /// # Errors
    /// [`ProgramError`] if they cannot.
    pub fn check_confinement(&self) -> Result<(), ProgramError> {
        #[cfg(target_os = "linux")]
        return self.protections().map(drop);
        #[cfg(not(target_os = "linux"))]
        match self.settings.protection {
            Protection::Full => Err(ProgramError::NoSandbox),
            _ => Ok(()),
        }
    }

    /// The programs of the file, read at the first call.
    ///
    /// # Errors
    /// [`ProgramError`] if the file does not exist, cannot be read or is malformed.
    pub fn file(&self) -> Result<&BotsFile, ProgramError> {
        self.file.get_or_init(|| BotsFile::load(&self.settings.file)).as_ref().map_err(Clone::clone)
    }

    /// As [`Programs::file`], but `None` if the file does not exist.
    ///
    /// # Errors
    /// [`ProgramError`] if it exists and cannot be read or is malformed.
    pub fn file_if_any(&self) -> Result<Option<&BotsFile>, ProgramError> {
        if self.settings.file.exists() { self.file().map(Some) } else { Ok(None) }
    }

    /// The times of all programs that have answered since the last call, ordered by name.
    pub fn take_times(&self) -> Vec<(String, AnswerTimes)> {
        let bots = self.bots.lock().unwrap_or_else(PoisonError::into_inner);
        let times = bots.values().map(|bot| (bot.name().to_owned(), bot.take_times()));
        times.filter(|(_, times)| times.answers > 0).collect()
    }

    /// The path of the `bots.toml`.
    pub fn file_path(&self) -> &Path {
        &self.settings.file
    }

    /// The program that a player's text names, `bot:NAME` or `exec:"COMMAND"`.
    ///
    /// # Errors
    /// [`ProgramError`] if the text names no program, or the program cannot be found.
    pub fn bot(&self, spec: &str) -> Result<Arc<Bot>, ProgramError> {
        let version = match self.find_revision_of(spec)? {
            Some(version) => Some(version),
            None => self.find_version_of(spec)?,
        };
        let full = version.as_ref().map_or(spec.to_owned(), Version::player);
        if version.is_some() {
            self.refuse_tracked_versions(&full)?;
        }
        let mut bots = self.bots.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = bots.get(&full) {
            return Ok(Arc::clone(known));
        }
        let (entry, base) = match (spec.split_once(':'), &version) {
            (_, Some(version)) => (version.entry()?, version.folder().to_owned()),
            (Some(("bot", name)), None) => (self.file()?.bot(name)?.clone(), self.base()?),
            (Some(("exec", command)), None) => {
                (BotEntry::new(Command::parse_quoted(command)?), current_folder()?)
            }
            _ => return Err(ProgramError::Prefix(spec.to_owned())),
        };
        let bot = Arc::new(self.make_known(&full, entry, &base, version.as_ref())?);
        bots.insert(full, Arc::clone(&bot));
        Ok(bot)
    }

    /// The folder of the `bots.toml`, to which the folders of its programs are relative.
    pub(crate) fn base(&self) -> Result<PathBuf, ProgramError> {
        Ok(current_folder()?.join(self.settings.file.parent().unwrap_or(Path::new(""))))
    }

    /// A program as it is now, from an entry whose folder is relative to `base`.
    pub(crate) fn make(
        &self,
        spec: &str,
        entry: BotEntry,
        base: &Path,
    ) -> Result<Bot, ProgramError> {
        self.make_known(spec, entry, base, None)
    }

    /// The same; a kept version must still have its hash.
    fn make_known(
        &self,
        spec: &str,
        entry: BotEntry,
        base: &Path,
        kept: Option<&Version>,
    ) -> Result<Bot, ProgramError> {
        let folder = find_folder(spec, &entry, base)?;
        let command = find_command(spec, &entry, &folder)?;
        // A kept version stays as it was, however it was built.
        if !spec.contains('@') {
            warn_of_stale(spec, &entry, &folder, &command.files);
        }
        let protocol = match entry.protocol.as_str() {
            protocol::NAME => None,
            name => Some(self.find_protocol(spec, name)?),
        };
        let unusable = |error: &dyn std::fmt::Display| ProgramError::Files {
            bot: spec.to_owned(),
            problem: error.to_string(),
        };
        let temporary = Temporary::of_this_process(&self.settings.launcher)
            .map_err(|error| unusable(&error))?;
        let is_own = !entry.folder.as_os_str().is_empty();
        let listed = entry.read.iter().map(|path| find_listed(&folder, path));
        let listed: Vec<PathBuf> =
            listed.collect::<Result<_, _>>().map_err(|error| unusable(&error))?;
        // The file that names programs may hold something that is meant for only one of them.
        let bots_file = resolve(&self.settings.file).ok();
        let left_out: Vec<PathBuf> = listed.iter().cloned().chain(bots_file).collect();
        let snapshot = Snapshot::take(&temporary, &folder, is_own, &command.files, &left_out);
        let snapshot = snapshot.map_err(|error| unusable(&error))?;
        let beside = (!listed.is_empty()).then(|| digest_listed(&listed, usual_memory()));
        let beside = beside.transpose().map_err(|error| unusable(&format!("read: {error}")))?;
        if let Some(version) = kept {
            let first_folder = self.folder_of(version.name()).ok();
            let kept = Kept {
                entry: &entry,
                folder: &folder,
                first_folder: first_folder.as_deref(),
                listing: &snapshot.listing,
                named: &command.files,
                beside: beside.as_deref(),
            };
            if !kept.has_hash(version.hash()) {
                return Err(unusable(&describe_changed(version, &listed)));
            }
        }
        let version = version(&entry, &snapshot, beside.as_deref());
        let in_place = command.installed.iter().chain(&listed);
        let mut readable: Vec<Readable> = in_place.map(|path| Readable::in_place(path)).collect();
        readable.extend(snapshot.readable.iter().cloned());
        let confinement = self.confinement(&temporary)?;
        if !confinement.has_private_root() {
            // The program runs where its files are.
            readable.iter_mut().for_each(|readable| readable.source.clone_from(&readable.at));
        }
        let launch = Launch {
            program: command.program,
            arguments: entry.command.arguments().to_vec(),
            folder,
            scratch: PathBuf::new(),
            readable,
            environment: entry.environment.clone().into_iter().collect(),
            limits: entry.limits.clone(),
        };
        let program = ProgramFiles { launch, entry, version, snapshot };
        Ok(Bot::new(spec, program, protocol, confinement, temporary))
    }

    fn find_protocol(
        &self,
        spec: &str,
        name: &str,
    ) -> Result<(&'static str, ForeignProtocol), ProgramError> {
        let all = &self.settings.protocols;
        let found = all.iter().find(|(_, protocol)| protocol.name == name);
        found.copied().ok_or_else(|| {
            let names = all.iter().map(|(_, protocol)| protocol.name).chain([protocol::NAME]);
            let problem = did_you_mean("protocol", name, names);
            ProgramError::UnknownProtocol { bot: spec.to_owned(), problem }
        })
    }
}

fn current_folder() -> Result<PathBuf, ProgramError> {
    std::env::current_dir().map_err(|error| ProgramError::System(error.to_string()))
}

/// Finds the files of a program's command.
fn find_command(
    spec: &str,
    entry: &BotEntry,
    folder: &Path,
) -> Result<ResolvedCommand, ProgramError> {
    let found = entry.command.find(folder).map_err(|source| match source {
        CommandError::NotInFolder { program, folder: place } if entry.build.is_some() => {
            let step = entry.build_step(folder).unwrap_or_default();
            CommandError::NotBuilt { program, folder: place, step }
        }
        source => source,
    });
    found.map_err(|source| ProgramError::Command { bot: spec.to_owned(), source })
}

/// A file or folder that a program may read besides its own, with all links resolved.
fn find_listed(folder: &Path, path: &Path) -> Result<PathBuf, String> {
    let shown = path.display();
    let found = resolve_own(&folder.join(path));
    let found = found.map_err(|error| match error.kind() {
        std::io::ErrorKind::Other => format!("read: {error}"),
        _ => format!("read: there is no {shown} (paths are relative to {})", folder.display()),
    })?;
    let whole = ["/", "/dev", "/etc", "/proc", "/sys", "/tmp", "/usr"];
    if whole.iter().any(|root| found == Path::new(root)) || found.starts_with("/proc") {
        return Err(format!("read: {shown} is part of the system; name a folder within it"));
    }
    Ok(found)
}

/// The version of a program: a digest of its command, its protocol, all of its own files and, if it
/// reads others `beside` them, of those. Records of different versions belong to different
/// fixtures, so that results of an edited program are never mixed with old ones.
fn version(entry: &BotEntry, snapshot: &Snapshot, beside: Option<&str>) -> u32 {
    let hash = hash_of(&entry.command.to_string(), &entry.protocol, &snapshot.digest, beside);
    u32::from_str_radix(&hash, 16).expect("a digest is hexadecimal")
}

/// Says what is wrong with a kept version that has another hash than its name says.
fn describe_changed(version: &Version, listed: &[PathBuf]) -> String {
    let (folder, name) = (version.folder().display(), version.name());
    let read = match listed.is_empty() {
        true => "",
        false => ", or what it lists under read",
    };
    format!(
        "what is kept in {folder} is not this version: its files, its command{read} changed; \
         delete that folder, and name a commit to build it again: {name}@git:REVISION"
    )
}

struct Source {
    prefix: &'static str,
    /// Whether programs are asked which games they play.
    asks: bool,
    unstarted: Unstarted,
    programs: Arc<Programs>,
}

impl ExternalSource for Source {
    fn prefix(&self) -> &str {
        self.prefix
    }

    fn resolve(&self, spec: &str, game: &str) -> Result<String, ExternalError> {
        let spec = match spec.split_once(':') {
            Some(("exec", command)) => {
                let command = Command::parse_quoted(command).map_err(ProgramError::from)?;
                format!("exec:\"{command}\"")
            }
            _ => spec.trim().to_owned(),
        };
        let bot = self.programs.bot(&spec)?;
        let game = game.to_owned();
        if let Some((theirs, protocol)) = bot.protocol().filter(|(theirs, _)| *theirs != game) {
            let protocol = protocol.name;
            return Err(ProgramError::OtherGame { bot: spec, protocol, theirs, game }.into());
        }
        if self.asks {
            match bot.other_games(&game) {
                Ok(None) => {}
                Ok(Some(games)) => {
                    return Err(ProgramError::NotItsGame { bot: spec, game, games }.into());
                }
                Err(fault) if self.unstarted == Unstarted::Void => {
                    let (problem, check) = (bot.explain_unstarted(&fault), name_for_check(&spec));
                    return Err(ProgramError::NeverStarts { bot: spec, problem, check }.into());
                }
                Err(_) => {}
            }
        }
        // A version may be named by its first digits.
        Ok(bot.name().to_owned())
    }

    fn suggest(&self, name: &str) -> Option<String> {
        let file = self.programs.file_if_any().ok().flatten().filter(|_| self.prefix == "bot")?;
        let name = name.split('@').next().unwrap_or(name);
        file.names().any(|known| known == name).then(|| format!("bot:{name}"))
    }

    fn version(&self, spec: &str) -> u32 {
        self.programs.bot(spec).map_or(0, |bot| bot.version())
    }

    fn foreign_protocol(&self, spec: &str) -> Option<&'static str> {
        self.programs.bot(spec).ok().and_then(|bot| bot.foreign_protocol())
    }

    fn packed(&self, spec: &str) -> Option<Result<Arc<[u8]>, String>> {
        if self.prefix == "exec" {
            let list = "it is a command; list it in bots.toml and name it bot:NAME";
            return Some(Err(list.to_owned()));
        }
        let bot = self.programs.bot(spec).map_err(|error| error.to_string());
        Some(bot.and_then(|bot| bot.pack(self.unstarted)))
    }

    fn open(&self, spec: &str) -> Result<Box<dyn ExternalPlayer>, ExternalError> {
        let bot = self.programs.bot(spec)?;
        Ok(match bot.protocol() {
            None => {
                let player = Session::new(Arc::clone(&bot), self.unstarted);
                Box::new(TimedPlayer { player, bot })
            }
            Some((_, protocol)) => {
                let player = Foreign::new(Arc::clone(&bot), protocol, self.unstarted);
                Box::new(TimedPlayer { player, bot })
            }
        })
    }
}

/// A player's text as `quintain bot check` takes it.
pub fn name_for_check(player: &str) -> String {
    match player.strip_prefix("exec:") {
        Some(command) => format!("-- {}", command.trim_matches('"')),
        None => player.to_owned(),
    }
}

/// One in this many turns is measured: asking twice for a thread's time takes a microsecond.
const MEASURED: u32 = 8;

/// Times a player: the processor time of this thread during its questions is the overhead
/// of asking a program.
struct TimedPlayer<P> {
    player: P,
    bot: Arc<Bot>,
}

impl<P: ExternalPlayer> ExternalPlayer for TimedPlayer<P> {
    fn start(&mut self, start: &MatchStart, setting: &Value) -> Result<(), Fault> {
        self.player.start(start, setting)
    }

    fn answer(&mut self, question: &Question) -> Result<Answer, Fault> {
        if !question.turn.is_multiple_of(MEASURED) {
            return self.player.answer(question);
        }
        let before = ThreadTime::now();
        let answer = self.player.answer(question);
        let spent = before.elapsed();
        self.bot.record_overhead(spent);
        answer
    }

    fn settle(&mut self) -> Result<(), Fault> {
        self.player.settle()
    }

    fn finish(&mut self, outcome: &Outcome) {
        self.player.finish(outcome);
    }

    fn take_log(&mut self) -> Vec<(u32, LogContent)> {
        self.player.take_log()
    }
}
