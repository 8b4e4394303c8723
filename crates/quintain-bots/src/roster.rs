//! The programs that can be seated: those of a `bots.toml` (`bot:NAME`) and those whose
//! command stands in the player's own text (`exec:"COMMAND"`). Processes that have
//! finished a match wait here for the next.

mod command;
mod file;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use cpu_time::ThreadTime;
use quintain_core::{
    Answer, ExternalPlayer, ExternalSource, Fault, FaultKind, ForeignProtocol, MatchStart, Outcome,
    Question, did_you_mean, digest,
};
use serde_json::Value;
use tempfile::TempDir;

use crate::check::Times;
use crate::foreign::Foreign;
use crate::limits::Limits;
use crate::process::Process;
use crate::sandbox::{Plan, Protection, Protections};
use crate::session::{Known, Session, greet, part};

pub use command::Command;
pub use file::{BotEntry, BotsFile};

/// The name of the protocol that needs no adapter.
pub const OWN_PROTOCOL: &str = "quintain";

/// How long a process may take to end after goodbye.
const FAREWELL: Duration = Duration::from_millis(250);

/// Where programs come from and how they are run, for the life of a command.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The executable that calls [`crate::sandbox::take_over_if_asked`].
    pub launcher: PathBuf,
    /// The file that names programs.
    pub file: PathBuf,
    /// How much protection is wanted.
    pub protection: Protection,
    /// The foreign protocols of the games, each with the game's name.
    pub dialects: Vec<(&'static str, ForeignProtocol)>,
}

/// The programs of one command, behind both prefixes.
pub struct Roster {
    settings: Settings,
    protections: OnceLock<Result<Protections, String>>,
    file: OnceLock<Result<BotsFile, String>>,
    bots: Mutex<BTreeMap<String, Arc<Bot>>>,
}

impl Roster {
    /// The programs that can be had under these settings. Nothing is read or tried yet.
    pub fn new(settings: Settings) -> Arc<Roster> {
        Arc::new(Roster {
            settings,
            protections: OnceLock::new(),
            file: OnceLock::new(),
            bots: Mutex::default(),
        })
    }

    /// The sources for the catalog: `bot:NAME` and `exec:"COMMAND"`.
    pub fn sources(self: &Arc<Self>) -> [Arc<dyn ExternalSource>; 2] {
        let named = Source { prefix: "bot", roster: Arc::clone(self) };
        let commands = Source { prefix: "exec", roster: Arc::clone(self) };
        [Arc::new(named), Arc::new(commands)]
    }

    /// What confines programs here, tried once.
    ///
    /// # Errors
    /// If strict protection is wanted and something is missing.
    pub fn protections(&self) -> Result<Protections, String> {
        let found = self.protections.get_or_init(|| {
            if self.settings.protection == Protection::Off {
                return Ok(Protections::NONE);
            }
            let found = Protections::probe(&self.settings.launcher);
            let missing = found.missing();
            match (missing.is_empty(), self.settings.protection) {
                (true, _) => Ok(found),
                (false, Protection::Strict) => Err(format!(
                    "strict protection is wanted, but this machine lacks {}",
                    missing.join(" and ")
                )),
                (false, _) => {
                    tracing::warn!("programs run without {}", missing.join(" and without "));
                    Ok(found)
                }
            }
        });
        found.clone()
    }

    /// The programs of the file, by name.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn file(&self) -> Result<&BotsFile, String> {
        self.file.get_or_init(|| BotsFile::load(&self.settings.file)).as_ref().map_err(Clone::clone)
    }

    /// As [`Roster::file`], where it may be absent.
    ///
    /// # Errors
    /// If it is there and cannot be read.
    pub fn file_if_any(&self) -> Result<Option<&BotsFile>, String> {
        if self.settings.file.exists() { self.file().map(Some) } else { Ok(None) }
    }

    /// The programs that have answered since this was last asked, in the order of their
    /// names, and how long that took.
    pub fn times(&self) -> Vec<(String, Times)> {
        let bots = self.bots.lock().unwrap_or_else(PoisonError::into_inner);
        let times = bots.values().map(|bot| (bot.name().to_owned(), bot.take_times()));
        times.filter(|(_, times)| times.answers > 0).collect()
    }

    /// Where the file is looked for.
    pub fn file_path(&self) -> &Path {
        &self.settings.file
    }

    /// The program of a player's text, known before or looked up now.
    ///
    /// # Errors
    /// One line on what is wrong with it.
    pub fn bot(&self, spec: &str) -> Result<Arc<Bot>, String> {
        let mut bots = self.bots.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = bots.get(spec) {
            return Ok(Arc::clone(known));
        }
        let entry = match spec.split_once(':') {
            Some(("bot", name)) => self.file()?.named(name)?.clone(),
            Some(("exec", command)) => BotEntry::of(Command::in_quotes(command)?),
            _ => return Err(format!("“{spec}” is neither bot:NAME nor exec:\"COMMAND\"")),
        };
        let bot = Arc::new(self.make(spec, entry)?);
        bots.insert(spec.to_owned(), Arc::clone(&bot));
        Ok(bot)
    }

    fn make(&self, spec: &str, entry: BotEntry) -> Result<Bot, String> {
        let here = std::env::current_dir().map_err(|error| error.to_string())?;
        let base = match spec.starts_with("bot:") {
            true => here.join(self.settings.file.parent().unwrap_or(Path::new(""))),
            false => here,
        };
        let folder = base.join(&entry.folder);
        let folder = folder
            .canonicalize()
            .map_err(|error| format!("{spec}: folder {}: {error}", folder.display()))?;
        let found = entry.command.find(&folder).map_err(|problem| format!("{spec}: {problem}"))?;
        let dialect = match entry.protocol.as_str() {
            OWN_PROTOCOL => None,
            name => Some(self.dialect(name).map_err(|problem| format!("{spec}: {problem}"))?),
        };
        let mut readable = found.readable.clone();
        readable.extend(entry.read.iter().map(|path| folder.join(path)));
        let version = found.version(&entry);
        let plan = Plan {
            launcher: self.settings.launcher.clone(),
            program: found.program,
            arguments: entry.command.arguments().to_vec(),
            folder,
            scratch: PathBuf::new(),
            readable,
            environment: entry.environment.clone().into_iter().collect(),
            limits: entry.limits.clone(),
            protections: self.protections()?,
        };
        Ok(Bot {
            name: spec.to_owned(),
            plan,
            entry,
            dialect,
            version,
            idle: Mutex::default(),
            times: Mutex::default(),
        })
    }

    fn dialect(&self, name: &str) -> Result<(&'static str, ForeignProtocol), String> {
        let all = &self.settings.dialects;
        let found = all.iter().find(|(_, dialect)| dialect.name == name);
        found.copied().ok_or_else(|| {
            let names = all.iter().map(|(_, dialect)| dialect.name).chain([OWN_PROTOCOL]);
            did_you_mean("protocol", name, names)
        })
    }
}

struct Source {
    prefix: &'static str,
    roster: Arc<Roster>,
}

impl ExternalSource for Source {
    fn prefix(&self) -> &str {
        self.prefix
    }

    fn resolve(&self, spec: &str, game: &str) -> Result<String, String> {
        let spec = match spec.split_once(':') {
            Some(("exec", command)) => {
                format!("exec:\"{}\"", Command::in_quotes(command)?)
            }
            _ => spec.trim().to_owned(),
        };
        let bot = self.roster.bot(&spec)?;
        match &bot.dialect {
            Some((theirs, dialect)) if *theirs != game => Err(format!(
                "{spec} speaks {}, a protocol of {theirs}; it cannot play {game}",
                dialect.name
            )),
            _ => Ok(spec),
        }
    }

    fn version(&self, spec: &str) -> u32 {
        self.roster.bot(spec).map_or(0, |bot| bot.version)
    }

    fn open(&self, spec: &str) -> Result<Box<dyn ExternalPlayer>, String> {
        let bot = self.roster.bot(spec)?;
        Ok(match bot.dialect {
            None => Box::new(Measured { player: Session::new(Arc::clone(&bot)), bot }),
            Some((_, dialect)) => {
                Box::new(Measured { player: Foreign::new(Arc::clone(&bot), dialect), bot })
            }
        })
    }
}

/// A player whose questions are counted: what they cost the arbiter is its program's
/// overhead.
struct Measured<P> {
    player: P,
    bot: Arc<Bot>,
}

impl<P: ExternalPlayer> ExternalPlayer for Measured<P> {
    fn start(&mut self, opening: &MatchStart, setting: &Value) -> Result<(), Fault> {
        self.player.start(opening, setting)
    }

    fn answer(&mut self, question: &Question) -> Result<Answer, Fault> {
        let before = ThreadTime::now();
        let answer = self.player.answer(question);
        let spent = before.elapsed();
        self.bot.times.lock().unwrap_or_else(PoisonError::into_inner).arbiter += spent;
        answer
    }

    fn finish(&mut self, outcome: &Outcome) {
        self.player.finish(outcome);
    }
}

/// A program that can be seated.
pub struct Bot {
    name: String,
    plan: Plan,
    entry: BotEntry,
    dialect: Option<(&'static str, ForeignProtocol)>,
    version: u32,
    idle: Mutex<Vec<Known>>,
    times: Mutex<Times>,
}

impl Bot {
    /// Its text as a player.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What is run.
    pub fn command(&self) -> String {
        self.entry.command.to_string()
    }

    /// What it may use.
    pub fn limits(&self) -> &Limits {
        &self.entry.limits
    }

    /// The foreign protocol that it speaks, if it does not speak Quintain's.
    pub fn dialect(&self) -> Option<&'static str> {
        self.dialect.map(|(_, dialect)| dialect.name)
    }

    /// How long its answers have taken since this was last asked.
    pub fn take_times(&self) -> Times {
        std::mem::take(&mut *self.times.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Counts the time of an answer.
    pub(crate) fn count(&self, time: Duration) {
        self.times.lock().unwrap_or_else(PoisonError::into_inner).add(time);
    }

    /// The time for an answer: the match's, or the program's own limit; for the first
    /// answer of a match at least the time that is granted for it.
    pub(crate) fn time_for(&self, question: &Question) -> Duration {
        let limits = self.limits();
        let time = question.time.unwrap_or(limits.answer.0);
        if question.turn == 0 { time.max(limits.first_answer.0) } else { time }
    }

    /// A new process of the program.
    pub(crate) fn run(&self) -> Result<Process, Fault> {
        self.run_with(&[], None)
    }

    /// A new process of the program, with further arguments and a folder to read.
    pub(crate) fn run_with(
        &self,
        arguments: &[String],
        given: Option<TempDir>,
    ) -> Result<Process, Fault> {
        let failed = |error: std::io::Error| self.failed(&error);
        let scratch = folder().map_err(failed)?;
        let mut plan = self.plan.clone();
        plan.scratch = scratch.path().to_owned();
        let home = scratch.path().display().to_string();
        let path = std::env::var("PATH").unwrap_or_else(|_| "/usr/bin:/bin".to_owned());
        let usual = [("PATH", path), ("HOME", home.clone()), ("TMPDIR", home)];
        let usual = usual.into_iter().chain([("LANG", "C.UTF-8".to_owned())]);
        let own = std::mem::take(&mut plan.environment);
        plan.environment = usual.map(|(name, value)| (name.to_owned(), value)).chain(own).collect();
        plan.arguments.extend_from_slice(arguments);
        plan.readable.extend(given.iter().map(|folder| folder.path().to_owned()));
        Process::start(&plan, scratch, given).map_err(failed)
    }

    /// A folder that a process may be given to read.
    pub(crate) fn given(&self, files: &[(String, String)], to: &TempDir) -> Result<(), Fault> {
        files.iter().try_for_each(|(name, text)| {
            std::fs::write(to.path().join(name), text).map_err(|error| self.failed(&error))
        })
    }

    fn failed(&self, error: &std::io::Error) -> Fault {
        Fault::new(FaultKind::Crash, format!("{} could not be started: {error}", self.name))
    }

    /// A process that waits for a match, or a new one, greeted.
    pub(crate) fn process(&self) -> Result<Known, Fault> {
        loop {
            let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let Some(mut known) = idle else { return greet(self.run()?, self.limits().start.0) };
            if known.process.is_alive() {
                return Ok(known);
            }
        }
    }

    /// Takes back a process that has finished a match.
    pub(crate) fn give_back(&self, known: Known) {
        if self.entry.matches.is_some_and(|most| known.matches >= most.get()) {
            part(known, FAREWELL);
            return;
        }
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(known);
    }
}

impl Drop for Bot {
    fn drop(&mut self) {
        let idle = std::mem::take(self.idle.get_mut().unwrap_or_else(PoisonError::into_inner));
        for known in idle {
            part(known, FAREWELL);
        }
    }
}

/// A new folder for a process, which goes with it.
pub(crate) fn folder() -> std::io::Result<TempDir> {
    tempfile::Builder::new().prefix("quintain-").tempdir()
}

/// The version of a program: what its command, its files and its protocol are now.
pub(crate) fn version_of(parts: &[Vec<u8>]) -> u32 {
    let digest = digest(&parts.concat());
    u32::from_str_radix(&digest[..8], 16).expect("a digest is hexadecimal")
}
