//! A program as a player: it is started under its limits, its idle processes are kept for the next
//! match, and its answers are timed. [`crate::programs`] knows which programs there are.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use quintain_core::{Fault, FaultKind, ForeignProtocol, Question};
use quintain_protocol::quote_line;
use tempfile::TempDir;

use crate::answer_times::AnswerTimes;
use crate::bots_file::BotEntry;
use crate::confinement::Confinement;
use crate::connection::Connection;
use crate::idle::Waiting;
use crate::launch::{Launch, Readable, SCRATCH};
use crate::limits::Limits;
use crate::process::Process;
use crate::slips::Slip;
use crate::snapshot::Snapshot;
use crate::temporary::Temporary;

/// How long an idle process may take to end after `bye`.
const FAREWELL: Duration = Duration::from_millis(250);

/// A program that can be seated: how it is run, its processes that wait for their next match, and
/// how long its answers took.
pub struct Bot {
    name: String,
    launch: Launch,
    confinement: Confinement,
    entry: BotEntry,
    protocol: Option<(&'static str, ForeignProtocol)>,
    version: u32,
    /// The games that it says it plays, once it has been asked; an empty list means any game.
    games: OnceLock<Vec<String>>,
    /// Why it could not be asked which games it plays. The next connection fails for that reason,
    /// so that no one waits twice for a program that does not answer.
    failed: Mutex<Option<Fault>>,
    idle: Arc<Waiting>,
    times: Mutex<AnswerTimes>,
    /// The explanation of its last mistake, where one is known.
    slip: Mutex<Option<Slip>>,
    carriage_returns: AtomicBool,
    /// Whether it is worth waiting for an answer that is late, to say how late it is.
    waits_for_late: AtomicBool,
    /// Whether it has ever answered a question.
    has_answered: AtomicBool,
    /// Its files, packed once, or why they cannot be.
    packed: OnceLock<Result<Vec<u8>, String>>,
    temporary: Arc<Temporary>,
    /// Deleted after the last process has ended.
    snapshot: Snapshot,
}

/// The environment variables of every program. Those of Windows come beside the user's own.
fn usual_environment(scratch: &Path) -> Vec<(String, String)> {
    let home = scratch.display().to_string();
    let pairs = if cfg!(windows) {
        // As LANG elsewhere: without it, Python reads and writes in the code page of the user.
        vec![("TEMP", home.clone()), ("TMP", home), ("PYTHONUTF8", "1".to_owned())]
    } else {
        let path = std::env::var("PATH").unwrap_or_else(|_| "/usr/bin:/bin".to_owned());
        let places = [("PATH", path), ("HOME", home.clone()), ("TMPDIR", home)];
        places.into_iter().chain([("LANG", "C.UTF-8".to_owned())]).collect()
    };
    pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// What is known of a program before it runs.
pub(crate) struct ProgramFiles {
    pub(crate) launch: Launch,
    pub(crate) entry: BotEntry,
    /// The digest of its command, its files, those that it may read, and its protocol.
    pub(crate) version: u32,
    /// The copy of its files.
    pub(crate) snapshot: Snapshot,
}

/// Whether a program that says it plays `games` plays `game`; an empty list means any game.
pub(crate) fn names(games: &[String], game: &str) -> bool {
    games.is_empty() || games.iter().any(|known| known == game)
}

impl Bot {
    /// A program with the text that names it as a player. No process is started yet.
    pub(crate) fn new(
        name: &str,
        program: ProgramFiles,
        protocol: Option<(&'static str, ForeignProtocol)>,
        confinement: Confinement,
        temporary: Arc<Temporary>,
    ) -> Bot {
        let ProgramFiles { launch, entry, version, snapshot } = program;
        Bot {
            name: name.to_owned(),
            launch,
            confinement,
            entry,
            protocol,
            version,
            games: OnceLock::new(),
            failed: Mutex::default(),
            idle: Waiting::new(),
            times: Mutex::default(),
            slip: Mutex::default(),
            carriage_returns: AtomicBool::new(false),
            waits_for_late: AtomicBool::new(false),
            has_answered: AtomicBool::new(false),
            packed: OnceLock::new(),
            temporary,
            snapshot,
        }
    }

    /// A new temporary folder, deleted with the returned value.
    pub(crate) fn new_folder(&self) -> std::io::Result<TempDir> {
        self.temporary.new_folder()
    }

    /// How it is confined, in words.
    pub fn confinement(&self) -> String {
        self.confinement.to_string()
    }

    /// The foreign protocol that it speaks, with the name of the game it belongs to.
    pub(crate) fn protocol(&self) -> Option<(&'static str, ForeignProtocol)> {
        self.protocol
    }

    /// The version of the program: a digest of its command, its files, those that it may
    /// read, and its protocol.
    pub(crate) fn version(&self) -> u32 {
        self.version
    }

    /// The copy of its working folder that plays.
    pub(crate) fn copied_folder(&self) -> &Path {
        self.snapshot.folder()
    }

    /// The copies of texts about it, which it does not see.
    pub(crate) fn about(&self) -> &Path {
        self.snapshot.about()
    }

    /// Its entry in the `bots.toml`.
    pub(crate) fn entry(&self) -> &BotEntry {
        &self.entry
    }

    /// Its working folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.launch.folder
    }

    /// The copies of its files that play, each with the place that it was copied from.
    pub(crate) fn copies(&self) -> &[Readable] {
        &self.snapshot.readable
    }

    /// Those copies, packed.
    pub(crate) fn packed_files(&self) -> Result<&[u8], String> {
        let packed = self.packed.get_or_init(|| self.tar_files());
        packed.as_deref().map_err(Clone::clone)
    }

    /// Adds processor time that our own side spent on a question.
    pub(crate) fn record_overhead(&self, spent: Duration) {
        let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        times.arbiter += spent;
        times.measured += 1;
    }

    /// The text that names it as a player.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The folder of the program's own, where its files are edited; none for a command without one
    /// and for a kept version.
    pub fn own_folder(&self) -> Option<&Path> {
        let is_own = !self.entry.folder.as_os_str().is_empty() && !self.name.contains('@');
        is_own.then_some(self.launch.folder.as_path())
    }

    /// The command, as a shell would read it.
    pub fn command(&self) -> String {
        self.entry.command.to_string()
    }

    /// Explains why it could not be started, and names the build step if the program may not have
    /// been built.
    pub fn explain(&self, fault: &Fault) -> String {
        match self.entry.build_step(&self.launch.folder) {
            Some(step) => format!("{fault}; did you build it? {step}"),
            None => fault.to_string(),
        }
    }

    /// Explains in a line why it never starts, with the last that it wrote to standard error.
    pub fn explain_unstarted(&self, fault: &Fault) -> String {
        let last = fault.said.iter().rev().find(|line| !line.trim().is_empty());
        let said = last.map_or(String::new(), |line| format!(" ({})", quote_line(line.trim())));
        let step = match self.entry.build_step(&self.launch.folder) {
            Some(step) => format!("; did you build it? {step}"),
            None => String::new(),
        };
        format!("{fault}{said}{step}")
    }

    /// Whether it plays this game; a program that speaks Quintain's protocol is started and asked.
    ///
    /// # Errors
    /// The fault of a program that cannot be started or does not answer.
    pub fn plays(&self, game: &str) -> Result<bool, Fault> {
        self.other_games(game).map(|games| games.is_none())
    }

    /// The games that it plays, if it declares them and this one is not among them. It is asked
    /// only once; if that fails, it is not asked again before a match has failed for the same
    /// reason.
    ///
    /// # Errors
    /// The fault of a program that cannot be started or does not answer.
    pub fn other_games(&self, game: &str) -> Result<Option<Vec<String>>, Fault> {
        if let Some((theirs, _)) = self.protocol {
            return Ok((theirs != game).then(|| vec![theirs.to_owned()]));
        }
        let games = match self.games.get() {
            Some(games) => games,
            None => {
                let failed = || self.failed.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(fault) = failed().clone() {
                    return Err(fault);
                }
                let connected = self.connect();
                let connection = connected.inspect_err(|fault| *failed() = Some(fault.clone()))?;
                let games = connection.ready.games.clone();
                self.give_back(connection);
                self.games.get_or_init(|| games)
            }
        };
        Ok((!names(games, game)).then(|| games.clone()))
    }

    /// The limits of each of its processes.
    pub fn limits(&self) -> &Limits {
        &self.entry.limits
    }

    /// The name of the foreign protocol that it speaks, if it does not speak Quintain's.
    pub fn foreign_protocol(&self) -> Option<&'static str> {
        self.protocol.map(|(_, protocol)| protocol.name)
    }

    /// Returns the times of its answers since the last call.
    pub fn take_times(&self) -> AnswerTimes {
        std::mem::take(&mut *self.times.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the explanation of its last mistake, where one is known. Each is returned only once.
    pub fn take_slip(&self) -> Option<Slip> {
        self.slip.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Notes the explanation of a mistake.
    pub(crate) fn note_slip(&self, slip: Option<Slip>) {
        if slip.is_some() {
            *self.slip.lock().unwrap_or_else(PoisonError::into_inner) = slip;
        }
    }

    /// Whether one of its lines ended in CR LF, which is tolerated.
    pub fn writes_carriage_returns(&self) -> bool {
        self.carriage_returns.load(Ordering::Relaxed)
    }

    /// From now on, a late answer is waited for a while longer, to say how late it is.
    pub(crate) fn wait_for_late_answers(&self) {
        self.waits_for_late.store(true, Ordering::Relaxed);
    }

    /// Whether a late answer is waited for a while longer.
    pub(crate) fn waits_for_late_answers(&self) -> bool {
        self.waits_for_late.load(Ordering::Relaxed)
    }

    /// Whether it has answered a question since it was looked up.
    pub(crate) fn has_answered(&self) -> bool {
        self.has_answered.load(Ordering::Relaxed)
    }

    /// Records the time of an answer.
    pub(crate) fn record_time(&self, time: Duration) {
        self.has_answered.store(true, Ordering::Relaxed);
        self.times.lock().unwrap_or_else(PoisonError::into_inner).add(time);
    }

    /// The time limit for an answer: the match's, or else the program's own. For the first answer
    /// of a match it is at least `first_answer`, since programs then load what they need.
    pub(crate) fn time_for(&self, question: &Question) -> Duration {
        let limits = self.limits();
        let time = question.time.unwrap_or(limits.answer.0);
        if question.turn == 0 { time.max(limits.first_answer.0) } else { time }
    }

    /// Starts a process of the program.
    pub(crate) fn run(&self) -> Result<Process, Fault> {
        self.run_with(&[], None)
    }

    /// Starts a process of the program with further arguments and a folder that it may read. Each
    /// process has its own scratch folder, so that simultaneous matches cannot share one.
    pub(crate) fn run_with(
        &self,
        arguments: &[String],
        given: Option<TempDir>,
    ) -> Result<Process, Fault> {
        self.start(false, arguments, given)
    }

    /// Starts a process; with `pairs`, it may create sockets connected to each other.
    pub(crate) fn run_job(&self, pairs: bool) -> Result<Process, Fault> {
        self.start(pairs, &[], None)
    }

    fn start(
        &self,
        pairs: bool,
        arguments: &[String],
        given: Option<TempDir>,
    ) -> Result<Process, Fault> {
        let failed = |error: std::io::Error| self.start_fault(&error);
        let mut launch = self.launch.clone();
        let mut folders = Vec::new();
        if self.confinement.has_private_root() {
            launch.scratch = SCRATCH.into();
        } else {
            let scratch = self.new_folder().map_err(failed)?;
            launch.scratch = scratch.path().to_owned();
            folders.push(scratch);
        }
        let own = std::mem::take(&mut launch.environment);
        launch.environment = usual_environment(&launch.scratch).into_iter().chain(own).collect();
        launch.arguments.extend_from_slice(arguments);
        launch.readable.extend(given.iter().map(|folder| Readable::in_place(folder.path())));
        folders.extend(given);
        let started = match &self.confinement {
            #[cfg(target_os = "linux")]
            Confinement::Sandbox(sandbox) => {
                Process::start(&sandbox.launch(&launch, pairs), folders)
            }
            Confinement::None => {
                // A program that nothing confines may create any sockets.
                let _ = pairs;
                Process::start_unconfined(&launch, folders)
            }
        };
        started.map_err(failed)
    }

    /// Writes the files that a process is given to read.
    pub(crate) fn write_files(
        &self,
        files: &[(String, String)],
        to: &TempDir,
    ) -> Result<(), Fault> {
        files.iter().try_for_each(|(name, text)| {
            std::fs::write(to.path().join(name), text).map_err(|error| self.start_fault(&error))
        })
    }

    fn start_fault(&self, error: &std::io::Error) -> Fault {
        Fault::new(FaultKind::Crash, format!("{} could not be started: {error}", self.name))
    }

    /// Returns a connection that waits for a match, or a new one.
    pub(crate) fn connect(&self) -> Result<Connection, Fault> {
        loop {
            let Some(mut connection) = self.idle.pop() else {
                let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner).take();
                return failed.map_or_else(|| self.open(), Err);
            };
            // Anything it has written since its last match would be taken for an answer in this
            // one.
            let is_silent = matches!(connection.process.surplus_line(), Ok(None));
            if !connection.process.may_answer() {
                continue;
            }
            if is_silent {
                return Ok(connection);
            }
            connection.close(FAREWELL);
        }
    }

    /// Starts a process and greets it.
    pub(crate) fn open(&self) -> Result<Connection, Fault> {
        let begun = Instant::now();
        let opened = Connection::open(&self.name, self.run()?, begun, self.limits().start.0);
        opened.map_err(|(fault, slip)| {
            self.note_slip(slip);
            fault
        })
    }

    /// Takes back a connection that has finished a match, to be used for the next one.
    pub(crate) fn give_back(&self, connection: Connection) {
        if connection.process.writes_carriage_returns() {
            self.carriage_returns.store(true, Ordering::Relaxed);
        }
        if self.entry.matches.is_some_and(|most| connection.matches >= most.get()) {
            connection.close(FAREWELL);
            return;
        }
        self.idle.push(connection, FAREWELL);
    }
}

impl Drop for Bot {
    fn drop(&mut self) {
        for connection in self.idle.take_all() {
            connection.close(FAREWELL);
        }
    }
}
