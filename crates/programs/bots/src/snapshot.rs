//! A copy of all files of a program, made once before its first process starts. Every process runs
//! from the copy, so that what plays is exactly what was hashed for the program's version, even if
//! someone edits a file in the middle of a tournament.
//!
//! Files that are not a program's own are left out: stores (they hold other players' records),
//! texts about the program (they are no part of its version, so it must not see them), names that
//! begin with a dot, folders that a build tool marks as a cache (`CACHEDIR.TAG`) or that
//! Python keeps (`__pycache__`), and whatever is neither a file, a folder nor a link. Links are
//! copied as links: one that leads out of the folder leads nowhere for the program, so that no one
//! can have a file copied that they could not read themselves. Whoever may write to the folder may
//! also replace a file by a link while it is being copied. So a link is never opened, and
//! everything in a folder is found through the folder that was opened.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use quintain_core::digest;
use tempfile::TempDir;

use crate::launch::Readable;
use crate::open::{
    link, may_run, open_file, open_folder, open_target, open_target_folder, set_rights, within,
};
use crate::store_file::{holds_store, is_companion};
use crate::temporary::Temporary;

/// The most that a program's own files may amount to. Anything larger belongs in `read`, which is
/// shown in place.
const MAX_BYTES: u64 = 256 << 20;
const MAX_FILES: usize = 10_000;
/// The most files that are counted in a folder that is too large, to say how large it is.
const MAX_MEASURED: usize = 1_000_000;

/// Copies of a program's files, and a digest of them.
pub(crate) struct Snapshot {
    /// The copies, and where the program sees them.
    pub(crate) readable: Vec<Readable>,
    /// One line for every entry: its kind, its content's digest and its name.
    pub(crate) listing: String,
    /// The digest of the listing: of all names and contents.
    pub(crate) digest: String,
    /// The texts about the program, which it does not see.
    about: PathBuf,
    /// The copies, deleted with this value.
    _copies: TempDir,
    _within: Arc<Temporary>,
}

/// Why a program's files could not be copied.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SnapshotError {
    /// The files are too large, or too many.
    #[error(
        "{folder} holds {size}, which is too much to copy before every run (at most {megabytes} MB \
         and {MAX_FILES} files); give the program a folder of its own (`folder` in bots.toml) and \
         list large files under `read`",
        megabytes = MAX_BYTES >> 20
    )]
    TooLarge {
        /// What is too large.
        folder: String,
        /// Its size.
        size: String,
    },
    /// A file cannot be read or written, with what the system says.
    #[error("{0}: {1}")]
    Io(String, io::Error),
}

/// The state of copying, with what is counted and noted on the way.
struct FolderCopy<'a> {
    root: PathBuf,
    /// Where the copies are, which may be inside the folder itself.
    temporary: &'a Path,
    in_place: &'a [PathBuf],
    /// What the command names, which is the program's own whatever its name is.
    named: &'a [PathBuf],
    /// Where texts about the program are copied to, in folders as in its own.
    about: PathBuf,
    /// If only files of certain kinds are the program's own: their extensions.
    kinds: Option<Vec<OsString>>,
    bytes: u64,
    files: usize,
    /// One line for every entry: its name, kind and content's digest.
    listing: String,
}

impl Snapshot {
    /// Copies a folder and the files that a command names, in it or elsewhere. What is to be shown
    /// `in_place` in the folder is not copied: an empty file or folder takes its place.
    ///
    /// A folder that is the program's own counts as a whole for the digest. A folder that is not,
    /// such as the one that a tournament is run in, may hold much that changes. There, only the
    /// named files and others with the same extensions count.
    pub(crate) fn take(
        temporary: &Arc<Temporary>,
        folder: &Path,
        is_own: bool,
        files: &[PathBuf],
        in_place: &[PathBuf],
    ) -> Result<Snapshot, SnapshotError> {
        let at = |path: &Path| {
            let path = path.display().to_string();
            move |error| SnapshotError::Io(path, error)
        };
        let copies = temporary.new_folder().map_err(at(&std::env::temp_dir()))?;
        let kinds = files.iter().filter_map(|file| file.extension().map(OsString::from)).collect();
        let kinds = (!is_own).then_some(kinds);
        let mut copying = FolderCopy {
            root: folder.to_owned(),
            temporary: temporary.path(),
            in_place,
            named: files,
            about: copies.path().join("about"),
            kinds,
            bytes: 0,
            files: 0,
            listing: String::new(),
        };
        let copy = copies.path().join("folder");
        if !is_own && !files.is_empty() && files.iter().all(|file| !file.starts_with(folder)) {
            // The program is elsewhere, and nothing here was meant to be part of it.
            fs::create_dir(&copy).map_err(at(&copy))?;
        } else {
            copying.copy_folder(folder, open_target_folder(folder), &copy)?;
        }
        for file in files.iter().filter(|_| is_own) {
            // A file that the command itself names belongs to the program, even if a build tool
            // made it.
            let Ok(name) = file.strip_prefix(folder) else { continue };
            let copied = copy.join(name);
            // Nothing is written through a link.
            let is_link = |path: &&Path| path.starts_with(&copy) && path.is_symlink();
            if !copied.exists() && !copied.ancestors().any(|path| is_link(&path)) {
                let parent = copied.parent().unwrap_or(&copy);
                fs::create_dir_all(parent).map_err(at(parent))?;
                copying.copy_file(file, open_file(file), &copied)?;
            }
        }
        let mut readable = vec![Readable { source: copy, at: folder.to_owned() }];
        let named = files.iter().filter(|file| !is_own || !file.starts_with(folder));
        for (number, file) in named.enumerate() {
            let copy = copies.path().join(number.to_string());
            copying.kinds = None;
            copying.copy_file(file, open_target(file), &copy)?;
            readable.push(Readable { source: copy, at: file.clone() });
        }
        let FolderCopy { listing, about, .. } = copying;
        let digest = digest(listing.as_bytes());
        let _within = Arc::clone(temporary);
        Ok(Snapshot { readable, listing, digest, about, _copies: copies, _within })
    }
}

impl Snapshot {
    /// The copy of the folder.
    pub(crate) fn folder(&self) -> &Path {
        // The folder is copied first.
        &self.readable[0].source
    }

    /// The copies of texts about the program, in folders as in its own; there may be none. They
    /// are kept with a version, for whoever builds or edits it.
    pub(crate) fn about(&self) -> &Path {
        &self.about
    }
}

/// Whether an entry of a folder is never a program's own, judging by its name: it is hidden, or it
/// is where Python keeps compiled modules, which differ from run to run.
pub(crate) fn is_left_out(entry: &Path) -> bool {
    let name = entry.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with('.') || name == "__pycache__"
}

/// Whether a file is about a program and no part of what runs, judging by its name: changing it
/// does not make another version, so the program does not see it.
fn is_documentation(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let stem = name.split('.').next().unwrap_or_default();
    let is_text =
        ["", "md", "txt", "rst"].contains(&name.rsplit_once('.').map_or("", |(_, end)| end));
    name.ends_with(".md") || (is_text && ["readme", "license", "changelog"].contains(&stem))
}

/// The folder of a program's lessons, within its own.
pub const LESSONS: &str = "lessons";

/// Whether an entry is a folder of nothing but lessons (`0001.json`, …). They are about the program
/// and not for it: it cannot read the answers, and a new lesson does not make another version.
fn holds_lessons(entry: &Path) -> bool {
    let is_lesson = |file: fs::DirEntry| {
        let name = file.file_name().to_string_lossy().into_owned();
        let number = name.strip_suffix(".json");
        number.is_some_and(|n| n.len() == 4 && n.bytes().all(|digit| digit.is_ascii_digit()))
    };
    let is_named = entry.file_name().is_some_and(|name| name == LESSONS);
    let mut files = is_named.then(|| fs::read_dir(entry).ok()).flatten();
    files.as_mut().is_some_and(|files| files.all(|file| file.is_ok_and(is_lesson)))
}

/// Whether a folder belongs to a build tool, which may recreate it at any time.
pub(crate) fn is_cache(folder: &Path) -> bool {
    folder.join("CACHEDIR.TAG").exists()
}

/// Calls `visit` with every file in a folder and its subfolders that may be a program's own,
/// looking at no more than `most` entries. Returns whether that was all of them.
pub(crate) fn visit_files(folder: &Path, most: usize, visit: &mut dyn FnMut(PathBuf)) -> bool {
    let (mut folders, mut seen) = (vec![folder.to_owned()], 0);
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).into_iter().flatten().flatten() {
            seen += 1;
            if seen > most {
                return false;
            }
            let path = entry.path();
            match entry.file_type() {
                _ if is_left_out(&path) => {}
                Ok(kind) if kind.is_dir() && !is_cache(&path) => folders.push(path),
                Ok(kind) if kind.is_file() => visit(path),
                _ => {}
            }
        }
    }
    true
}

impl FolderCopy<'_> {
    /// Copies the folder with the path `from`, which is already `opened`.
    fn copy_folder(
        &mut self,
        from: &Path,
        opened: io::Result<fs::File>,
        to: &Path,
    ) -> Result<(), SnapshotError> {
        let failed = |path: &Path, error| SnapshotError::Io(path.display().to_string(), error);
        fs::create_dir(to).map_err(|error| failed(to, error))?;
        let opened = match opened {
            Err(error) if self.may_ignore(&error) => return Ok(()),
            opened => opened.map_err(|error| failed(from, error))?,
        };
        let within = within(&opened, from);
        let entries = fs::read_dir(&within).map_err(|error| failed(from, error))?;
        let mut names: Vec<OsString> =
            entries.filter_map(|entry| Some(entry.ok()?.file_name())).collect();
        // The digest must not depend on the order in which a disk lists a folder.
        names.sort();
        for name in names {
            let (entry, there, to) = (from.join(&name), within.join(&name), to.join(&name));
            if self.leaves_out(&entry) {
                continue;
            }
            // An entry may have disappeared by now.
            let Ok(kind) = there.symlink_metadata().map(|data| data.file_type()) else { continue };
            if self.in_place.contains(&entry) {
                let made = if kind.is_dir() { fs::create_dir(&to) } else { fs::write(&to, "") };
                made.map_err(|error| failed(&to, error))?;
            } else if kind.is_symlink() {
                let target = fs::read_link(&there).map_err(|error| failed(&entry, error))?;
                let to = match self.is_about(&entry) {
                    true => self.place_about(&entry)?,
                    false => {
                        self.add_to_listing(&entry, 'l', target.as_os_str().as_encoded_bytes())?;
                        to
                    }
                };
                link(&target, &to).map_err(|error| failed(&to, error))?;
            } else if kind.is_dir() && !is_cache(&there) {
                let is_about = self.is_about(&entry);
                if !is_about {
                    self.add_to_listing(&entry, 'd', b"")?;
                }
                self.copy_folder(&entry, open_folder(&there), &to)?;
                if is_about {
                    // One that holds something else of the program stays.
                    let _ = fs::remove_dir(&to);
                }
            } else if kind.is_file() && !is_companion(&entry) {
                let opened = open_file(&there);
                if !opened.as_ref().is_ok_and(holds_store) {
                    self.copy_file(&entry, opened, &to)?;
                }
            }
        }
        Ok(())
    }

    /// Whether something that cannot be read is simply not part of the program: an entry that was
    /// created and deleted beside it in the meantime, or one that may not be read in a folder that
    /// is not the program's own.
    fn may_ignore(&self, error: &io::Error) -> bool {
        match error.kind() {
            io::ErrorKind::NotFound => true,
            io::ErrorKind::PermissionDenied => self.kinds.is_some(),
            _ => false,
        }
    }

    fn leaves_out(&self, entry: &Path) -> bool {
        is_left_out(entry) || entry == self.temporary || holds_lessons(entry)
    }

    /// Whether something is about the program, and not for it.
    fn is_about(&self, entry: &Path) -> bool {
        is_documentation(entry) && !self.named.iter().any(|named| named == entry)
    }

    /// Where something about the program is copied to.
    fn place_about(&self, entry: &Path) -> Result<PathBuf, SnapshotError> {
        let place = self.about.join(entry.strip_prefix(&self.root).unwrap_or(entry));
        let made = place.parent().map_or(Ok(()), fs::create_dir_all);
        made.map_err(|error| SnapshotError::Io(place.display().to_string(), error))?;
        Ok(place)
    }

    /// Copies the file with the path `from`, which is already `opened`.
    fn copy_file(
        &mut self,
        from: &Path,
        opened: io::Result<fs::File>,
        to: &Path,
    ) -> Result<(), SnapshotError> {
        let failed = |error| SnapshotError::Io(from.display().to_string(), error);
        let mut file = match opened {
            Err(error) if self.may_ignore(&error) => return Ok(()),
            opened => opened.map_err(failed)?,
        };
        let metadata = file.metadata().map_err(failed)?;
        let left = MAX_BYTES - self.bytes;
        let mut content = Vec::new();
        file.by_ref().take(left + 1).read_to_end(&mut content).map_err(failed)?;
        if content.len() as u64 > left {
            return Err(self.too_large());
        }
        self.bytes += content.len() as u64;
        let runs = may_run(&metadata);
        let place;
        let to = match self.is_about(from) {
            true => {
                place = self.place_about(from)?;
                place.as_path()
            }
            false => {
                self.add_to_listing(from, if runs { 'x' } else { 'f' }, &content)?;
                to
            }
        };
        fs::write(to, content).map_err(failed)?;
        set_rights(to, runs).map_err(failed)
    }

    /// Counts an entry, and adds it with its content to the listing.
    fn add_to_listing(
        &mut self,
        path: &Path,
        kind: char,
        content: &[u8],
    ) -> Result<(), SnapshotError> {
        self.files += 1;
        if self.files > MAX_FILES {
            return Err(self.too_large());
        }
        let of_kind = |kinds: &Vec<OsString>| {
            path.extension().is_some_and(|extension| kinds.iter().any(|kind| kind == extension))
        };
        if !self.kinds.as_ref().is_none_or(of_kind) {
            return Ok(());
        }
        let name = path.strip_prefix(&self.root).unwrap_or(path);
        let name = match name.to_str().filter(|name| !name.contains('\n')) {
            // One version on every system.
            Some(name) if cfg!(windows) => name.replace('\\', "/"),
            Some(name) => name.to_owned(),
            // The name must not be mistaken for another entry.
            None => format!("{name:?}"),
        };
        self.listing += &format!("{kind} {} {name}\n", digest(content));
        Ok(())
    }

    fn too_large(&self) -> SnapshotError {
        let mut size = (0, 0);
        self.measure(&self.root, &mut size);
        let (bytes, files) = size;
        let more = if files >= MAX_MEASURED { "at least " } else { "" };
        let size = format!("{more}{} MB in {files} files", bytes >> 20);
        SnapshotError::TooLarge { folder: self.root.display().to_string(), size }
    }

    /// Adds up what would be copied from a folder, up to [`MAX_MEASURED`] files.
    fn measure(&self, folder: &Path, (bytes, files): &mut (u64, usize)) {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        for entry in entries.map(|entry| entry.path()).filter(|entry| !self.leaves_out(entry)) {
            if *files >= MAX_MEASURED || self.in_place.contains(&entry) {
                continue;
            }
            let Ok(metadata) = entry.symlink_metadata() else { continue };
            if metadata.is_dir() && !is_cache(&entry) {
                let mut size = (*bytes, *files);
                self.measure(&entry, &mut size);
                (*bytes, *files) = size;
            } else if metadata.is_file() {
                *bytes += metadata.len();
                *files += 1;
            }
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::File;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn take(folder: &Path) -> Snapshot {
        Snapshot::take(
            &Temporary::of_this_process(Path::new("/nonexistent")).unwrap(),
            folder,
            true,
            &[],
            &[],
        )
        .unwrap()
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
        fs::create_dir(path("data/__pycache__")).unwrap();
        fs::write(path("data/__pycache__/helper.cpython-311.pyc"), "").unwrap();
        expect_change(false, "a store, a hidden file and caches");
        fs::create_dir(path(LESSONS)).unwrap();
        fs::write(path("lessons/0001.json"), "{}").unwrap();
        expect_change(false, "a lesson");
        fs::write(path("data/helper.py"), "x = 2").unwrap();
        expect_change(true, "a changed import");
        fs::set_permissions(path("main.py"), fs::Permissions::from_mode(0o755)).unwrap();
        expect_change(true, "a right");
        fs::rename(path("data/helper.py"), path("data/helpers.py")).unwrap();
        expect_change(true, "a name");
        symlink("/etc/passwd", path("link")).unwrap();
        expect_change(true, "a link");
        fs::write(path("lessons/plan.py"), "").unwrap();
        expect_change(true, "a folder of that name with something else");
    }

    #[test]
    fn what_is_not_hashed_is_not_there_for_the_program() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let names = ["README.md", "notes.md", "LICENSE", "docs/a.md/README", "changelog.txt"];
        fs::write(path("bot.py"), "exec(open('README.md').read())").unwrap();
        fs::create_dir_all(path("docs/a.md")).unwrap();
        names.iter().for_each(|name| fs::write(path(name), "strong").unwrap());
        symlink("bot.py", path("link.md")).unwrap();
        fs::create_dir(path("is-there.md")).unwrap();
        fs::create_dir(path("data.md")).unwrap();
        fs::write(path("data.md/table.csv"), "1").unwrap();
        let before = take(folder.path());
        let at = before.folder();
        for name in names.iter().chain(&["link.md", "is-there.md", "docs/a.md"]) {
            assert!(at.join(name).symlink_metadata().is_err(), "{name}");
        }
        assert!(at.join("bot.py").is_file() && at.join("data.md/table.csv").is_file());
        // It is kept with a version, for whoever builds or edits it.
        let kept = before.about();
        assert_eq!(fs::read_to_string(kept.join("docs/a.md/README")).unwrap(), "strong");
        assert!(kept.join("link.md").is_symlink() && !kept.join("bot.py").exists());
        names.iter().for_each(|name| fs::write(path(name), "weak").unwrap());
        assert_eq!(take(folder.path()).digest, before.digest);
        // What the command names is the program's own, whatever its name is.
        let named = |text: &str| {
            fs::write(path("README.md"), text).unwrap();
            let temporary = Temporary::of_this_process(Path::new("/nonexistent")).unwrap();
            let named = [path("README.md")];
            Snapshot::take(&temporary, folder.path(), true, &named, &[]).unwrap()
        };
        let (one, other) = (named("strong"), named("weak"));
        assert!(one.folder().join("README.md").is_file() && one.digest != other.digest);
    }

    #[test]
    fn only_named_files_of_a_build_folder_are_copied() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir_all(path("target/release")).unwrap();
        fs::write(path("target/CACHEDIR.TAG"), "").unwrap();
        fs::write(path("target/release/bot"), "1").unwrap();
        fs::write(path("target/release/other"), "").unwrap();
        let take = || {
            let temporary = Temporary::of_this_process(Path::new("/nonexistent")).unwrap();
            let named = [path("target/release/bot")];
            Snapshot::take(&temporary, folder.path(), true, &named, &[]).unwrap()
        };
        let before = take();
        let copied = before.folder().join("target/release");
        assert!(copied.join("bot").is_file() && !copied.join("other").exists());
        fs::write(path("target/release/bot"), "2").unwrap();
        assert_ne!(take().digest, before.digest, "another build is another program");
    }

    #[test]
    fn a_shared_folder_gives_a_program_files_of_its_kind() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("main.py"), "import helper").unwrap();
        fs::write(path("helper.py"), "x = 1").unwrap();
        let take = || {
            let temporary = Temporary::of_this_process(Path::new("/nonexistent")).unwrap();
            let named = [path("main.py")];
            Snapshot::take(&temporary, folder.path(), false, &named, &[]).unwrap().digest
        };
        let before = take();
        fs::write(path("standings.txt"), "1. main").unwrap();
        assert_eq!(take(), before, "what a tournament writes is not the program");
        fs::write(path("helper.py"), "x = 2").unwrap();
        assert_ne!(take(), before, "what it imports is");
    }

    #[test]
    fn a_folder_in_which_the_command_names_nothing_is_not_copied() {
        let [here, elsewhere] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        fs::write(here.path().join("notes.py"), "").unwrap();
        let program = elsewhere.path().join("bot.py");
        fs::write(&program, "").unwrap();
        let temporary = Temporary::of_this_process(Path::new("/nonexistent")).unwrap();
        let snapshot = Snapshot::take(&temporary, here.path(), false, &[program], &[]).unwrap();
        let copies = &snapshot.readable;
        assert_eq!(fs::read_dir(&copies[0].source).unwrap().count(), 0);
        assert!(copies[1].source.is_file());
    }

    #[test]
    fn too_large_folders_are_refused_with_their_size() {
        let folder = tempfile::tempdir().unwrap();
        let large = File::create(folder.path().join("large.bin")).unwrap();
        large.set_len(MAX_BYTES + (1 << 20)).unwrap();
        fs::write(folder.path().join("bot.py"), "").unwrap();
        let temporary = Temporary::of_this_process(Path::new("/nonexistent")).unwrap();
        let refused = Snapshot::take(&temporary, folder.path(), true, &[], &[]).err().unwrap();
        assert!(refused.to_string().contains("holds 257 MB in 2 files"), "{refused}");
    }

    #[test]
    fn a_folder_with_the_copies_in_it_is_copied_once() {
        let folder = Temporary::of_this_process(Path::new("/nonexistent")).unwrap();
        let within = folder.path().parent().unwrap().join(".quintain-nowhere");
        let copying = FolderCopy {
            root: within.clone(),
            temporary: folder.path(),
            in_place: &[],
            named: &[],
            about: PathBuf::new(),
            kinds: None,
            bytes: 0,
            files: 0,
            listing: String::new(),
        };
        assert!(copying.leaves_out(folder.path()));
        assert!(!copying.leaves_out(&within.join("program.py")));
    }

    #[test]
    fn a_link_or_a_pipe_that_takes_the_place_of_a_file_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("secret"), "").unwrap();
        symlink("secret", path("link")).unwrap();
        nix::unistd::mkfifo(&path("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        let mut copying = FolderCopy {
            root: folder.path().to_owned(),
            temporary: Path::new("/nonexistent"),
            in_place: &[],
            named: &[],
            about: PathBuf::new(),
            kinds: None,
            bytes: 0,
            files: 0,
            listing: String::new(),
        };
        for name in ["link", "pipe"] {
            let from = path(name);
            let copied = copying.copy_file(&from, open_file(&from), &path("copy"));
            assert!(copied.is_err() && !path("copy").exists(), "{name}");
        }
    }

    #[test]
    fn named_files_are_not_written_through_a_link() {
        // In the copy this link leads to a different place.
        let place = tempfile::tempdir().unwrap();
        let path = |name: &str| place.path().join(name);
        fs::create_dir_all(path("outside/release")).unwrap();
        fs::write(path("outside/release/bot"), "").unwrap();
        fs::create_dir(path("folder")).unwrap();
        symlink("../outside", path("folder/target")).unwrap();
        let temporary = Temporary::of_this_process(Path::new("/nonexistent")).unwrap();
        let named = [path("folder/target/release/bot")];
        let taken = Snapshot::take(&temporary, &path("folder"), true, &named, &[]).unwrap();
        assert!(taken.folder().join("target").is_symlink());
        assert!(!taken.folder().with_file_name("outside").exists());
    }

    #[test]
    fn a_name_with_a_line_end_is_not_two_entries() {
        let [one, two] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        fs::write(one.path().join("a"), "1").unwrap();
        fs::write(one.path().join("b"), "2").unwrap();
        fs::write(two.path().join(format!("a\nf {} b", digest(b"2"))), "1").unwrap();
        assert_ne!(take(one.path()).digest, take(two.path()).digest);
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
