//! Matches under way as files beside the store, so that they outlive the server: one file each,
//! named by the session's id and rewritten after every move. The content (above all the seed) is
//! the server's secret; pages get only the id.

use std::fs::{self, DirBuilder};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use quintain_core::read_text_up_to;
use serde::{Deserialize, Serialize};

use crate::play::NewMatchRequest;

/// Number of digits of a session's id.
const ID: usize = 32;
/// Maximum number of matches that are kept and not open; the oldest go.
const KEPT: usize = 1000;
/// Time between two sweeps, and the number of saves after which the next one comes sooner. A sweep
/// looks at every file, and anybody can cause one by a request.
const SWEEP_EVERY: Duration = Duration::from_secs(30);
const SWEEP_AFTER: usize = 200;
/// Maximum number of bytes of a match.
const BYTES: u64 = 4 << 20;

/// A stored match: enough to replay it up to its current state.
#[derive(Serialize, Deserialize)]
pub(super) struct KeptMatch {
    /// The request for the match with its seed and all actions played.
    pub(super) request: NewMatchRequest,
    pub(super) is_own: bool,
    pub(super) record: Option<String>,
}

/// The folder of the files.
pub(super) struct Shelf {
    folder: PathBuf,
    swept: Mutex<Swept>,
}

/// When the shelf was last swept, and the number of saves since.
#[derive(Default)]
struct Swept {
    at: Option<Instant>,
    saves: usize,
}

impl Shelf {
    /// Returns the shelf beside this store. The folder is created with the first match.
    pub(super) fn open(store: &Path) -> Shelf {
        let mut folder = store.as_os_str().to_owned();
        folder.push("-play");
        Shelf { folder: folder.into(), swept: Mutex::default() }
    }

    /// Returns the file of an id, which comes from outside; none if it is not a valid id.
    fn file(&self, id: &str) -> Option<PathBuf> {
        let is_id = id.len() == ID && id.bytes().all(|digit| digit.is_ascii_hexdigit());
        is_id.then(|| self.folder.join(format!("{id}.json")))
    }

    /// Saves the state of a match.
    pub(super) fn put(&self, id: &str, kept: &KeptMatch) -> io::Result<()> {
        let file = self.file(id).ok_or(io::ErrorKind::InvalidInput)?;
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.recursive(true).create(&self.folder)?;
        // If the server ends halfway, the file of the previous move remains.
        let half = file.with_extension("half");
        fs::write(&half, serde_json::to_vec(kept)?)?;
        self.swept.lock().unwrap_or_else(PoisonError::into_inner).saves += 1;
        fs::rename(half, file)
    }

    /// Returns the match with this id, if it exists and was used within `idle`.
    pub(super) fn take(&self, id: &str, idle: Duration) -> Option<KeptMatch> {
        let file = self.file(id).filter(|file| !is_older(file, idle))?;
        // Whoever can write beside the store may have put anything there.
        serde_json::from_str(&read_text_up_to(&file, BYTES).ok()?).ok()
    }

    /// Removes a match.
    pub(super) fn remove(&self, id: &str) {
        if let Some(file) = self.file(id) {
            // It may never have been saved.
            fs::remove_file(file).ok();
        }
    }

    /// Returns whether it is time to sweep at `now`; if so, the next time is later.
    fn is_due(&self, now: Instant) -> bool {
        let mut swept = self.swept.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = swept.saves >= SWEEP_AFTER
            || swept.at.is_none_or(|at| now.saturating_duration_since(at) >= SWEEP_EVERY);
        if is_due {
            *swept = Swept { at: Some(now), saves: 0 };
        }
        is_due
    }

    /// Now and then, removes the matches that have not been used within `idle`, and the oldest of
    /// too many, unless they are open.
    pub(super) fn sweep(&self, idle: Duration, is_open: impl Fn(&str) -> bool) {
        if !self.is_due(Instant::now()) {
            return;
        }
        let Ok(files) = fs::read_dir(&self.folder) else { return };
        let mut closed = Vec::new();
        for file in files.flatten().map(|file| file.path()) {
            let id = file.file_stem().and_then(|id| id.to_str());
            if id.is_none_or(&is_open) {
                continue;
            }
            let changed = fs::symlink_metadata(&file).and_then(|known| known.modified());
            closed.push((changed.ok(), file));
        }
        closed.sort_unstable_by(|a, b| b.cmp(a));
        for (place, (_, file)) in closed.into_iter().enumerate() {
            if place >= KEPT || is_older(&file, idle) {
                fs::remove_file(file).ok();
            }
        }
    }
}

fn is_older(file: &Path, idle: Duration) -> bool {
    let changed = fs::metadata(file).and_then(|known| known.modified());
    changed.is_ok_and(|changed| changed.elapsed().is_ok_and(|age| age >= idle))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_requests_cause_one_sweep() {
        let folder = tempfile::tempdir().unwrap();
        let shelf = Shelf::open(&folder.path().join("store"));
        let begun = Instant::now();
        assert!(shelf.is_due(begun));
        assert!((0..1000).all(|_| !shelf.is_due(begun)));
        assert!(shelf.is_due(begun + SWEEP_EVERY));
        // Saved matches fill the disk, so they hurry the next sweep.
        let request = serde_json::from_str(r#"{"game":"tron","scenario":"empty"}"#).unwrap();
        let kept = KeptMatch { request, is_own: true, record: None };
        for save in 0..SWEEP_AFTER {
            assert!(!shelf.is_due(begun + SWEEP_EVERY), "{save} saves");
            shelf.put(&format!("{save:032x}"), &kept).unwrap();
        }
        assert!(shelf.is_due(begun + SWEEP_EVERY));
        assert!(!shelf.is_due(begun + SWEEP_EVERY));
    }
}
