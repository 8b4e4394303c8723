//! A copy of all files of a program, made once before its first process starts. Every process
//! runs from the copy, so that what plays is what was hashed for the program's version, even if
//! somebody edits a file in the middle of a tournament.
//!
//! Left out are files of other kinds than a program's own: stores (they hold other players'
//! records), names that begin with a dot, folders that a build tool marks as a cache
//! (`CACHEDIR.TAG`), and what is neither a file, a folder nor a link. Links are copied as links:
//! one that leads out of the folder leads nowhere for the program, so that nobody can have a
//! file copied that they could not read themselves.

use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use quintain_core::digest;
use tempfile::TempDir;

use crate::sandbox::{Readable, is_store};
use crate::temporary::Temporary;

/// The most that a program's own files may be. What is larger belongs into `read`, which is
/// shown where it is.
const MOST_BYTES: u64 = 256 << 20;
const MOST_FILES: usize = 10_000;

/// Copies of a program's files, and a digest of them.
pub(crate) struct Snapshot {
    /// What the copies are shown as.
    pub(crate) readable: Vec<Readable>,
    /// The digest of all names and contents.
    pub(crate) digest: String,
    /// The copies, deleted with this value.
    _copies: TempDir,
    _within: Arc<Temporary>,
}

/// Why a program's files could not be copied.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SnapshotError {
    /// There is too much.
    #[error(
        "{0} holds more than {megabytes} MB or {MOST_FILES} files, which is too much to copy \
         before every run; give the program a folder of its own (`folder` in bots.toml) and list \
         large files under `read`",
        megabytes = MOST_BYTES >> 20
    )]
    TooLarge(String),
    /// A file cannot be read or written; what the system says.
    #[error("{0}: {1}")]
    Io(String, io::Error),
}

/// Copying, with what is counted and noted on the way.
struct Copying<'a> {
    root: PathBuf,
    in_place: &'a [PathBuf],
    bytes: u64,
    files: usize,
    /// A line for every entry: its name, kind and content's digest.
    listing: String,
}

impl Snapshot {
    /// Copies a folder and further files. What is to be shown `in_place` in the folder is not
    /// copied: an empty file or folder keeps its place.
    pub(crate) fn take(
        temporary: &Arc<Temporary>,
        folder: &Path,
        files: &[PathBuf],
        in_place: &[PathBuf],
    ) -> Result<Snapshot, SnapshotError> {
        let at = |path: &Path| {
            let path = path.display().to_string();
            move |error| SnapshotError::Io(path, error)
        };
        let copies = temporary.new_folder().map_err(at(&std::env::temp_dir()))?;
        let mut copying = Copying {
            root: folder.to_owned(),
            in_place,
            bytes: 0,
            files: 0,
            listing: String::new(),
        };
        let copy = copies.path().join("folder");
        copying.folder(folder, &copy)?;
        let mut readable = vec![Readable { source: copy, at: folder.to_owned() }];
        for (number, file) in files.iter().enumerate() {
            let copy = copies.path().join(number.to_string());
            copying.file(file, &copy)?;
            readable.push(Readable { source: copy, at: file.clone() });
        }
        let digest = digest(copying.listing.as_bytes());
        Ok(Snapshot { readable, digest, _copies: copies, _within: Arc::clone(temporary) })
    }
}

impl Copying<'_> {
    fn folder(&mut self, from: &Path, to: &Path) -> Result<(), SnapshotError> {
        let failed = |path: &Path, error| SnapshotError::Io(path.display().to_string(), error);
        fs::create_dir(to).map_err(|error| failed(to, error))?;
        let entries = fs::read_dir(from).map_err(|error| failed(from, error))?;
        let mut entries: Vec<PathBuf> =
            entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        // The digest must not depend on the order in which a disk lists a folder.
        entries.sort();
        for entry in entries {
            let name = entry.file_name().unwrap_or_default();
            if name.to_string_lossy().starts_with('.') {
                continue;
            }
            let to = to.join(name);
            // An entry may be gone by now.
            let Ok(kind) = entry.symlink_metadata().map(|data| data.file_type()) else { continue };
            if self.in_place.contains(&entry) {
                let made = if kind.is_dir() { fs::create_dir(&to) } else { fs::write(&to, "") };
                made.map_err(|error| failed(&to, error))?;
            } else if kind.is_symlink() {
                let target = fs::read_link(&entry).map_err(|error| failed(&entry, error))?;
                self.note(&entry, 'l', target.as_os_str().as_encoded_bytes())?;
                symlink(target, &to).map_err(|error| failed(&to, error))?;
            } else if kind.is_dir() && !entry.join("CACHEDIR.TAG").exists() {
                self.note(&entry, 'd', b"")?;
                self.folder(&entry, &to)?;
            } else if kind.is_file() && !is_store(&entry) {
                self.file(&entry, &to)?;
            }
        }
        Ok(())
    }

    fn file(&mut self, from: &Path, to: &Path) -> Result<(), SnapshotError> {
        let failed = |error| SnapshotError::Io(from.display().to_string(), error);
        let mut file = fs::File::open(from).map_err(failed)?;
        let mode = file.metadata().map_err(failed)?.permissions().mode();
        let left = MOST_BYTES - self.bytes;
        let mut content = Vec::new();
        file.by_ref().take(left + 1).read_to_end(&mut content).map_err(failed)?;
        if content.len() as u64 > left {
            return Err(self.too_large());
        }
        self.bytes += content.len() as u64;
        let runs = mode & 0o111 != 0;
        self.note(from, if runs { 'x' } else { 'f' }, &content)?;
        fs::write(to, content).map_err(failed)?;
        let mode = if runs { 0o755 } else { 0o644 };
        fs::set_permissions(to, fs::Permissions::from_mode(mode)).map_err(failed)
    }

    /// Counts an entry and notes what it holds.
    fn note(&mut self, path: &Path, kind: char, content: &[u8]) -> Result<(), SnapshotError> {
        self.files += 1;
        if self.files > MOST_FILES {
            return Err(self.too_large());
        }
        let name = path.strip_prefix(&self.root).unwrap_or(path).display();
        self.listing += &format!("{kind} {} {name}\n", digest(content));
        Ok(())
    }

    fn too_large(&self) -> SnapshotError {
        SnapshotError::TooLarge(self.root.display().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(folder: &Path) -> Snapshot {
        Snapshot::take(&Temporary::of_this_process().unwrap(), folder, &[], &[]).unwrap()
    }

    #[test]
    fn the_digest_changes_with_every_name_content_and_right_of_a_program_and_with_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("main.py"), "import helper").unwrap();
        fs::create_dir(path("data")).unwrap();
        fs::write(path("data/helper.py"), "x = 1").unwrap();
        let mut seen = vec![take(folder.path()).digest];
        let mut expect_change = |changed: bool, what: &str| {
            let new = take(folder.path()).digest;
            assert_eq!(!seen.contains(&new), changed, "{what}");
            seen.push(new);
        };
        expect_change(false, "nothing");
        fs::write(path("results.sqlite"), b"SQLite format 3\0 and more").unwrap();
        fs::write(path(".hidden"), "").unwrap();
        fs::create_dir(path("target")).unwrap();
        fs::write(path("target/CACHEDIR.TAG"), "").unwrap();
        expect_change(false, "a store, a hidden file and a cache");
        fs::write(path("data/helper.py"), "x = 2").unwrap();
        expect_change(true, "a changed import");
        fs::set_permissions(path("main.py"), fs::Permissions::from_mode(0o755)).unwrap();
        expect_change(true, "a right");
        fs::rename(path("data/helper.py"), path("data/helpers.py")).unwrap();
        expect_change(true, "a name");
        symlink("/etc/passwd", path("link")).unwrap();
        expect_change(true, "a link");
    }

    #[test]
    fn a_link_is_copied_as_a_link_and_a_store_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        symlink("/etc/passwd", folder.path().join("link")).unwrap();
        fs::write(folder.path().join("results.sqlite"), b"SQLite format 3\0 and more").unwrap();
        let snapshot = take(folder.path());
        let copy = &snapshot.readable[0].source;
        assert!(copy.join("link").is_symlink());
        assert!(!copy.join("results.sqlite").exists());
    }
}
