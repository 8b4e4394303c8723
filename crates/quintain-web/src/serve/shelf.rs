//! Matches under way as files beside the store, so that they outlive the server: one file each, named
//! by the session's id and written anew after every move. What it holds (the seed above all) is the
//! server's secret; pages get an id alone.

use std::fs::{self, DirBuilder};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::play::NewMatchRequest;

/// Digits of a session's id.
const ID: usize = 32;

/// A match as it is kept: enough to play it again up to where it stood.
#[derive(Serialize, Deserialize)]
pub(super) struct KeptMatch {
    /// What was asked for, with the seed and all that was played.
    pub(super) request: NewMatchRequest,
    pub(super) is_own: bool,
    pub(super) record: Option<String>,
}

/// The folder of the files.
pub(super) struct Shelf {
    folder: PathBuf,
}

impl Shelf {
    /// Beside this store. The folder is made with the first match.
    pub(super) fn open(store: &Path) -> Shelf {
        let mut folder = store.as_os_str().to_owned();
        folder.push("-play");
        Shelf { folder: folder.into() }
    }

    /// The file of an id; none if it can be no id, for it comes from outside.
    fn file(&self, id: &str) -> Option<PathBuf> {
        let is_id = id.len() == ID && id.bytes().all(|digit| digit.is_ascii_hexdigit());
        is_id.then(|| self.folder.join(format!("{id}.json")))
    }

    /// Keeps how a match stands.
    pub(super) fn put(&self, id: &str, kept: &KeptMatch) -> io::Result<()> {
        let file = self.file(id).ok_or(io::ErrorKind::InvalidInput)?;
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.recursive(true).create(&self.folder)?;
        // A server that ends in the middle leaves the file of the move before.
        let half = file.with_extension("half");
        fs::write(&half, serde_json::to_vec(kept)?)?;
        fs::rename(half, file)
    }

    /// The match of this id, if it is there and nobody has left it for longer than `idle`.
    pub(super) fn take(&self, id: &str, idle: Duration) -> Option<KeptMatch> {
        let file = self.file(id).filter(|file| !is_older(file, idle))?;
        serde_json::from_slice(&fs::read(file).ok()?).ok()
    }

    /// Forgets a match.
    pub(super) fn remove(&self, id: &str) {
        if let Some(file) = self.file(id) {
            // It may never have been kept.
            fs::remove_file(file).ok();
        }
    }

    /// Forgets what was left for longer than `idle`, unless it `is_open`.
    pub(super) fn sweep(&self, idle: Duration, is_open: impl Fn(&str) -> bool) {
        let Ok(files) = fs::read_dir(&self.folder) else { return };
        for file in files.flatten().map(|file| file.path()) {
            let id = file.file_stem().and_then(|id| id.to_str());
            if id.is_some_and(|id| !is_open(id)) && is_older(&file, idle) {
                fs::remove_file(file).ok();
            }
        }
    }
}

fn is_older(file: &Path, idle: Duration) -> bool {
    let changed = fs::metadata(file).and_then(|known| known.modified());
    changed.is_ok_and(|changed| changed.elapsed().is_ok_and(|age| age >= idle))
}
