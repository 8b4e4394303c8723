//! Matches under way as files beside the store, so that they outlive the server: one file each,
//! named by the session's id and rewritten after every move. The content (above all the seed) is
//! the server's secret; pages get only the id.

use std::fs::{self, DirBuilder};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use quintain_core::read_text_up_to;
use serde::{Deserialize, Serialize};

use crate::play::NewMatchRequest;

/// Number of digits of a session's id.
const ID: usize = 32;
/// Maximum number of matches that are kept and not open; the oldest go.
const KEPT: usize = 1000;
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
}

impl Shelf {
    /// Returns the shelf beside this store. The folder is created with the first match.
    pub(super) fn open(store: &Path) -> Shelf {
        let mut folder = store.as_os_str().to_owned();
        folder.push("-play");
        Shelf { folder: folder.into() }
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

    /// Removes the matches that have not been used within `idle`, and the oldest of too many,
    /// unless they are open.
    pub(super) fn sweep(&self, idle: Duration, is_open: impl Fn(&str) -> bool) {
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
