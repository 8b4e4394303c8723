//! Playing a contest's matches on other machines: by workers, of which this crate knows only that
//! they are an [`Executor`]. Pairings, records and results stay with the host.

use std::collections::{HashMap, VecDeque};
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use quintain_arena::{Executor, Tournament};

use crate::admin::WORKERS;
use crate::archive::Refused;
use crate::contest::Contest;
use crate::error::{HostError, file_error};
use crate::lock::lock;
use crate::packed::{PackedFile, pack};
use crate::program::{self, Start};
use crate::state::{Pairing, Version};

/// Folder within the contest's for programs being sent. Every host recreates it.
const PACKED: &str = "sent";
/// How many matches may wait to be played here because they cannot be played elsewhere.
const MAX_HERE: usize = 8;

/// A packed program in a file, for workers to fetch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PackedProgram {
    /// The player's text.
    pub player: String,
    /// The BLAKE3 digest of the file's bytes, in hexadecimal digits.
    pub digest: String,
    /// The file's path. The file stays as long as the executor plays.
    pub file: PathBuf,
}

/// The workers that play a contest's matches.
pub trait Workers: Send + Sync {
    /// Called before the first round, to clear away what a killed host has left. `contest` is the
    /// same name whenever the contest is served.
    ///
    /// # Errors
    /// Why nobody can be reached; the host then tries again.
    fn begin(&self, contest: &str, stop: &AtomicBool) -> Result<(), String>;

    /// Returns an executor for a round of matches, with the programs that the round needs.
    fn executor(&self, round: &Tournament, programs: Vec<PackedProgram>) -> Box<dyn Executor>;

    /// Returns where workers meet the host, as people read it.
    fn server(&self) -> String;

    /// Returns the number of workers heard of there lately, if that is known.
    fn count(&self) -> Option<u64>;

    /// Returns the maximum size of a packed program, in bytes.
    fn max_bytes(&self) -> u64;
}

/// Matches played by workers, and what they need.
pub(crate) struct Elsewhere {
    pub(crate) workers: Arc<dyn Workers>,
    folder: PathBuf,
    /// The versions looked at so far, packed if they can be sent.
    packed: Mutex<HashMap<i64, Option<Arc<PackedFile>>>>,
    here: Mutex<VecDeque<Pairing>>,
    /// Number of files written so far.
    files: AtomicU64,
    /// The number of workers last recorded in the contest's state.
    recorded: Mutex<Option<u64>>,
}

impl Elsewhere {
    /// Prepares a contest that is being opened.
    pub(crate) fn new(
        contest: &Contest,
        workers: Arc<dyn Workers>,
    ) -> Result<Elsewhere, HostError> {
        let folder = contest.folder.join(PACKED);
        // Removes what a killed host has left.
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).map_err(file_error(&folder))?;
        let (packed, here) = (Mutex::default(), Mutex::default());
        let (files, recorded) = (AtomicU64::new(0), Mutex::default());
        Ok(Elsewhere { workers, folder, packed, here, files, recorded })
    }

    /// Returns a version, packed; none if it can be played only here, because it needs files of
    /// this machine or is too large to be sent.
    pub(crate) fn packed(
        &self,
        contest: &Contest,
        version: &Version,
    ) -> Result<Option<Arc<PackedFile>>, String> {
        if let Some(known) = lock(&self.packed).get(&version.id) {
            return Ok(known.clone());
        }
        let packed = self.pack(contest, version)?;
        Ok(lock(&self.packed).entry(version.id).or_insert(packed).clone())
    }

    fn pack(
        &self,
        contest: &Contest,
        version: &Version,
    ) -> Result<Option<Arc<PackedFile>>, String> {
        let to_text = |refused: Refused| refused.0;
        let sources = program::read_kept(&contest.folder, &version.digest).map_err(to_text)?;
        let plan = program::plan_of(&sources, &contest.config.build).map_err(to_text)?;
        let needs_more = plan.recipe.as_ref().is_some_and(|recipe| !recipe.read().is_empty());
        if needs_more && !matches!(plan.start, Start::Module(_)) {
            return Ok(None);
        }
        let tree = program::read_kept(&contest.folder, version.files()).map_err(to_text)?;
        let (start, limits) = (&plan.start, &contest.config.program);
        let bytes = pack(&tree, start, limits, contest.salt_of(version)).map_err(to_text)?;
        if bytes.len() as u64 > self.workers.max_bytes() {
            return Ok(None);
        }
        // Two threads may pack the same version at once, and each deletes its own file.
        let number = self.files.fetch_add(1, Ordering::Relaxed);
        let path = self.folder.join(number.to_string());
        let file = PackedFile::write(path, &bytes).map_err(|error| error.to_string())?;
        Ok(Some(Arc::new(file)))
    }

    /// Drops packed versions that are not among those that play.
    pub(crate) fn keep_packed(&self, is_kept: impl Fn(i64) -> bool) {
        lock(&self.packed).retain(|id, _| is_kept(*id));
    }

    /// Notes the number of workers whenever it changes, so that the contest's status can report it.
    pub(crate) fn record_workers(&self, contest: &Contest) {
        let count = self.workers.count();
        let mut recorded = lock(&self.recorded);
        if *recorded != count {
            let text = count.map_or(String::new(), |count| count.to_string());
            if contest.write_state().set_quietly(WORKERS, &text).is_ok() {
                *recorded = count;
            }
        }
    }

    /// Leaves a match to this machine.
    pub(crate) fn leave_here(&self, pairing: Pairing) {
        lock(&self.here).push_back(pairing);
    }

    /// Returns whether enough matches wait to be played here.
    pub(crate) fn has_enough_here(&self) -> bool {
        lock(&self.here).len() >= MAX_HERE
    }

    /// Takes the next match that is to be played here.
    pub(crate) fn next_for_here(&self) -> Option<Pairing> {
        lock(&self.here).pop_front()
    }
}
