//! Reads what was submitted: a zip or a single file becomes a [`Tree`] of files in memory, within
//! limits. Nothing reaches the disk before all of it has been checked. A tree's digest covers
//! names, modes and bytes, so it identifies a program's version.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{Cursor, Read, Write};
use std::path::Path;

use quintain_bots::limits::Size;
use quintain_core::{cut, read_bytes_up_to};
use zip::read::ZipFile;
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// Maximum depth of nested folders.
const DEPTH: usize = 12;
/// Maximum number of letters in a path, and in one name within it.
const PATH: usize = 400;
/// How much of a path a message shows, which may be long.
const SHOWN: usize = 80;
const NAME: usize = 120;
/// The most bytes that one byte of an archive may become, once the result is larger than `SMALL`.
const RATIO: u64 = 200;
const SMALL: u64 = 1 << 20;
/// Maximum number of folders around a tree of a backup: that of the backup, that of all trees,
/// and that of the tree.
const AROUND: usize = 3;
/// The signature of the record that ends a zip, and the length of that record's fixed part.
const END: &[u8; 4] = b"PK\x05\x06";
const END_LENGTH: usize = 22;

/// How much may be submitted at once.
#[derive(Clone, Copy, Debug)]
pub struct TreeLimits {
    /// Maximum number of files.
    pub files: usize,
    /// Maximum number of bytes of all files together.
    pub bytes: u64,
}

impl TreeLimits {
    /// For files that were checked before.
    pub(crate) const NONE: TreeLimits = TreeLimits { files: usize::MAX, bytes: u64::MAX };
}

/// A file of a tree.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct TreeFile {
    /// Whether it is executable.
    pub is_executable: bool,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// Files by path, with `/` between names.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    files: BTreeMap<String, TreeFile>,
    /// The paths as they were added, by their forms without capitals: comparing each with every
    /// other would take seconds for a thousand long ones.
    folded: BTreeMap<String, String>,
}

impl PartialEq for Tree {
    fn eq(&self, other: &Tree) -> bool {
        self.files == other.files
    }
}

impl Eq for Tree {}

/// The reason why something is not accepted.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Refused(pub(crate) String);

fn refuse<T>(why: impl Into<String>) -> Result<T, Refused> {
    Err(Refused(why.into()))
}

impl Tree {
    /// Reads an upload into a tree: a zip, or else one file of this name.
    ///
    /// # Errors
    /// [`Refused`] names the entry and the limit that are the reason.
    pub fn read(name: &str, bytes: &[u8], limits: TreeLimits) -> Result<Tree, Refused> {
        let is_zip = bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(END);
        if let Some(kind) = find_other_archive(bytes) {
            return refuse(format!("{name:?} is {kind}, which is not read here; submit a zip"));
        }
        let tree = match is_zip {
            true => Tree::unzip(bytes, limits)?,
            false if name.ends_with(".zip") => {
                return refuse(format!(
                    "{name:?} is named like a zip, but is not one, or not a whole one"
                ));
            }
            false => {
                let mut tree = Tree::default();
                tree.add(name, is_program(bytes), bytes.to_vec(), limits)?;
                tree
            }
        };
        match tree.files.is_empty() {
            true => refuse("there is no file in it"),
            false => Ok(tree.strip_single_folder()),
        }
    }

    fn unzip(bytes: &[u8], limits: TreeLimits) -> Result<Tree, Refused> {
        let count = count_entries(bytes)?;
        // Folders are entries too.
        let most = 2 * limits.files;
        if count > most {
            return refuse(format!("the zip has {count} entries; at most {most} are allowed"));
        }
        let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(broken_zip)?;
        if archive.len() != count {
            return refuse("the zip has two entries of one name, or more entries than it lists");
        }
        let mut tree = Tree::default();
        for index in 0..archive.len() {
            let entry = archive.by_index(index).map_err(broken_zip)?;
            let (name, mode) = name_and_mode(&entry)?;
            if entry.is_dir() || name.ends_with('/') {
                check_path(name.trim_end_matches('/'))?;
                continue;
            }
            if is_by_product(&name) {
                continue;
            }
            let mut content = Vec::new();
            let left = limits.bytes.saturating_sub(tree.bytes());
            let ratio = SMALL.max(RATIO * bytes.len() as u64).saturating_sub(tree.bytes());
            let most = left.min(ratio);
            let read = entry.take(most + 1).read_to_end(&mut content);
            read.map_err(|error| Refused(format!("{name:?} cannot be unpacked: {error}")))?;
            if content.len() as u64 > most {
                return refuse(match most < left {
                    true => format!("the contents of the zip grow more than {RATIO}-fold"),
                    false => too_large(limits),
                });
            }
            tree.add(&name, mode & 0o111 != 0, content, limits)?;
        }
        Ok(tree)
    }

    /// Reads a tree from an uncompressed `tar` archive.
    ///
    /// # Errors
    /// As [`Tree::read`].
    pub fn untar(bytes: &[u8], limits: TreeLimits) -> Result<Tree, Refused> {
        let broken = |error: std::io::Error| Refused(format!("it cannot be unpacked: {error}"));
        let mut tree = Tree::default();
        for entry in tar::Archive::new(bytes).entries().map_err(broken)? {
            let mut entry = entry.map_err(broken)?;
            let kind = entry.header().entry_type();
            let path = entry.path_bytes().into_owned();
            let path = String::from_utf8(path).map_err(|_| Refused("a name is not text".into()))?;
            if kind.is_dir() {
                continue;
            }
            if !kind.is_file() {
                return refuse(format!("{path:?} is a link or a device; only files are accepted"));
            }
            let mode = entry.header().mode().map_err(broken)?;
            let mut content = Vec::new();
            let most = limits.bytes.saturating_sub(tree.bytes());
            (&mut entry).take(most + 1).read_to_end(&mut content).map_err(broken)?;
            tree.add(&normal_path(&path), mode & 0o111 != 0, content, limits)?;
        }
        Ok(tree)
    }

    pub(crate) fn add(
        &mut self,
        path: &str,
        is_executable: bool,
        bytes: Vec<u8>,
        limits: TreeLimits,
    ) -> Result<(), Refused> {
        check_path(path)?;
        if self.files.len() >= limits.files {
            return refuse(format!("more than {} files", limits.files));
        }
        if self.bytes() + bytes.len() as u64 > limits.bytes {
            return refuse(too_large(limits));
        }
        let folded = path.to_lowercase();
        if let Some(known) = self.find_meeting(&folded) {
            return refuse(format!("{path:?} and {known:?} conflict with each other"));
        }
        self.folded.insert(folded, path.to_owned());
        self.files.insert(path.to_owned(), TreeFile { is_executable, bytes });
        Ok(())
    }

    /// The path that is the same as this one without capitals, or a folder on its way, or on whose
    /// way this one is.
    fn find_meeting(&self, folded: &str) -> Option<&String> {
        let inside = format!("{folded}/");
        let mut after = self.folded.range(inside.clone()..);
        let within = after.next().filter(|(known, _)| known.starts_with(&inside));
        let ways = folded.match_indices('/').map(|(end, _)| &folded[..end]).chain([folded]);
        let mut around = ways.filter_map(|way| self.folded.get(way));
        within.map(|(_, known)| known).or_else(|| around.next())
    }

    /// Makes a tree of files whose paths were those of a tree before.
    fn of(files: BTreeMap<String, TreeFile>) -> Tree {
        let folded = files.keys().map(|path| (path.to_lowercase(), path.clone())).collect();
        Tree { files, folded }
    }

    /// Unwraps a zip with a single folder, as zips of a folder often do.
    fn strip_single_folder(self) -> Tree {
        let first = self.files.keys().next().and_then(|path| path.split_once('/'));
        let Some((folder, _)) = first else { return self };
        let prefix = format!("{folder}/");
        if !self.files.keys().all(|path| path.starts_with(&prefix)) {
            return self;
        }
        let inner = self.files.into_iter();
        let files = inner.map(|(path, file)| (path[prefix.len()..].to_owned(), file)).collect();
        Tree::of(files).strip_single_folder()
    }

    /// Returns whether there is a file at this path.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// Returns the folders at the top level.
    pub(crate) fn folders(&self) -> BTreeSet<&str> {
        self.files.keys().filter_map(|path| Some(path.split_once('/')?.0)).collect()
    }

    /// Returns the content of one of its folders as a tree of its own; empty if there is none.
    pub(crate) fn inside(&self, folder: &str) -> Tree {
        let prefix = format!("{}/", folder.trim_end_matches('/'));
        let inner = self.files.iter().filter_map(|(path, file)| {
            Some((path.strip_prefix(&prefix)?.to_owned(), file.clone()))
        });
        Tree::of(inner.collect())
    }

    /// Makes a tree of files and their paths, as a browser sends them for a folder. Hidden files
    /// are left out, as in [`Tree::of_folder`].
    ///
    /// # Errors
    /// As [`Tree::read`].
    pub fn of_files(files: Vec<(String, Vec<u8>)>, limits: TreeLimits) -> Result<Tree, Refused> {
        let mut tree = Tree::default();
        for (path, bytes) in files {
            // Paths that lead outside are refused rather than left out.
            let is_out = |name: &str| !matches!(name, "." | "..") && is_left_out(name);
            if !path.split('/').any(is_out) && !is_by_product(&path) {
                tree.add(&path, is_program(&bytes), bytes, limits)?;
            }
        }
        match tree.files.is_empty() {
            true => refuse("there is no file in it"),
            false => Ok(tree.strip_single_folder()),
        }
    }

    /// Reads the files of a folder, without hidden files and links.
    ///
    /// # Errors
    /// If a file cannot be read, or a limit is exceeded.
    pub fn of_folder(folder: &Path, limits: TreeLimits) -> Result<Tree, Refused> {
        let mut tree = Tree::default();
        tree.add_folder(folder, "", limits)?;
        match tree.files.is_empty() {
            true => refuse(format!("there is no file in {}", folder.display())),
            false => Ok(tree),
        }
    }

    fn add_folder(&mut self, folder: &Path, at: &str, limits: TreeLimits) -> Result<(), Refused> {
        let unreadable =
            |path: &Path, error: std::io::Error| Refused(format!("{}: {error}", path.display()));
        let entries = fs::read_dir(folder).map_err(|error| unreadable(folder, error))?;
        for entry in entries {
            let path = entry.map_err(|error| unreadable(folder, error))?.path();
            let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
                return refuse(format!("{}: its name is not text", path.display()));
            };
            let data = path.symlink_metadata().map_err(|error| unreadable(&path, error))?;
            if is_left_out(name) || data.is_symlink() {
                continue;
            }
            let inside = format!("{at}{name}");
            if is_by_product(&inside) {
                continue;
            }
            if data.is_dir() {
                self.add_folder(&path, &format!("{inside}/"), limits)?;
            } else if data.is_file() {
                if data.len() > limits.bytes {
                    return refuse(too_large(limits));
                }
                // It may have become a pipe by now.
                let bytes = read_bytes_up_to(&path, limits.bytes);
                let bytes = bytes.map_err(|error| Refused(error.to_string()))?;
                let runs = may_run(&data).unwrap_or_else(|| is_program(&bytes));
                self.add(&inside, runs, bytes, limits)?;
            }
        }
        Ok(())
    }

    /// Packs the tree as a zip.
    ///
    /// # Errors
    /// If it is too large for one.
    pub fn zip(&self) -> Result<Vec<u8>, Refused> {
        let failed = |error: ZipError| Refused(format!("no zip can be made: {error}"));
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for (path, file) in &self.files {
            let mode = if file.is_executable { 0o755 } else { 0o644 };
            let options = SimpleFileOptions::default()
                .compression_method(CompressionMethod::Deflated)
                .unix_permissions(mode);
            zip.start_file(path.as_str(), options).map_err(failed)?;
            zip.write_all(&file.bytes).map_err(|error| failed(error.into()))?;
        }
        Ok(zip.finish().map_err(failed)?.into_inner())
    }

    /// Packs the tree as an uncompressed `tar` archive, with the same bytes every time.
    ///
    /// # Errors
    /// If a path is too long for `tar`.
    pub(crate) fn tar(&self) -> Result<Vec<u8>, Refused> {
        let failed = |error: std::io::Error| Refused(format!("it cannot be packed: {error}"));
        let all = self.files.iter();
        let all = all.map(|(path, file)| (path.as_str(), file.is_executable, &file.bytes[..]));
        quintain_bots::packed::tar(all).map_err(failed)
    }

    /// Returns the files by path.
    pub fn files(&self) -> &BTreeMap<String, TreeFile> {
        &self.files
    }

    /// Returns the total number of bytes of all files.
    pub fn bytes(&self) -> u64 {
        self.files.values().map(|file| file.bytes.len() as u64).sum()
    }

    /// Returns the digest of all names, modes and bytes.
    pub fn digest(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for (path, file) in &self.files {
            for part in [path.as_bytes(), &[u8::from(file.is_executable)], &file.bytes] {
                // A length before each part keeps neighbouring parts apart.
                hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
            }
        }
        hasher.finalize().to_hex().to_string()
    }

    /// Writes the files into a new folder, and waits until they are on the disk.
    ///
    /// # Errors
    /// If the disk is full or the folder cannot be written.
    pub fn write(&self, folder: &Path) -> std::io::Result<()> {
        for (path, file) in &self.files {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap_or(folder))?;
            let mut written = fs::File::create_new(&path)?;
            written.write_all(&file.bytes)?;
            set_rights(&written, file.is_executable)?;
            written.sync_all()?;
        }
        Ok(())
    }
}

/// Unpacks the zip of a backup into a folder. Unlike what is submitted, it may be of any size, but
/// grows no more than anything that was packed honestly.
///
/// # Errors
/// [`Refused`] names what is no plain file, leads outside, or grows too much; or what the system
/// says.
pub(crate) fn unpack(zip: fs::File, to: &Path) -> Result<(), Refused> {
    let size = zip.metadata().map_or(0, |data| data.len());
    let mut left = SMALL.max(RATIO.saturating_mul(size));
    let mut archive = ZipArchive::new(zip).map_err(broken_zip)?;
    for index in 0..archive.len() {
        let entry = archive.by_index(index).map_err(broken_zip)?;
        let (name, mode) = name_and_mode(&entry)?;
        // Folders come with their files.
        if entry.is_dir() || name.ends_with('/') {
            continue;
        }
        check_path_within(&name, PATH + AROUND * NAME, DEPTH + AROUND)?;
        let failed = |error: std::io::Error| Refused(format!("{name:?}: {error}"));
        let path = to.join(&name);
        fs::create_dir_all(path.parent().unwrap_or(to)).map_err(failed)?;
        let mut file = fs::File::create_new(&path).map_err(failed)?;
        let written = std::io::copy(&mut entry.take(left + 1), &mut file).map_err(failed)?;
        if written > left {
            return refuse(format!("the contents of the zip grow more than {RATIO}-fold"));
        }
        left -= written;
        set_rights(&file, mode & 0o111 != 0).map_err(failed)?;
    }
    Ok(())
}

fn broken_zip(error: ZipError) -> Refused {
    Refused(format!("the zip cannot be read: {error}"))
}

/// Returns the path of an entry of a zip, with `/` between names, and its mode. Refuses what is
/// neither a file nor a folder.
fn name_and_mode<R: Read>(entry: &ZipFile<'_, R>) -> Result<(String, u32), Refused> {
    let name = normal_path(&entry.name().map_err(broken_zip)?);
    // The file type in the Unix mode bits: none, a folder, a plain file.
    let mode = entry.unix_mode().unwrap_or(0);
    let kind = mode & 0o170_000;
    if entry.is_symlink() || !matches!(kind, 0 | 0o040_000 | 0o100_000) {
        return refuse(format!("{name:?} is a link or a device; only files are accepted"));
    }
    Ok((name, mode))
}

/// Returns whether a file or folder is hidden, and so no part of a program. Digests are kept, since
/// packages that cargo has vendored need them.
fn is_left_out(name: &str) -> bool {
    name.starts_with('.') && name != ".cargo-checksum.json"
}

/// Returns whether a file was left by a system that packs or shows folders, such as `__MACOSX/._a`.
fn is_by_product(path: &str) -> bool {
    const NAMES: [&str; 5] = ["__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini", "__pycache__"];
    path.split('/').any(|name| NAMES.contains(&name) || name.starts_with("._"))
}

/// Returns a path of an archive with `/` between names and without `./` before it: some programs
/// pack on Windows with `\`.
fn normal_path(path: &str) -> String {
    let path = path.replace('\\', "/");
    let mut rest = path.as_str();
    while let Some(inner) = rest.strip_prefix("./") {
        rest = inner;
    }
    rest.to_owned()
}

/// Returns what kind of archive this is, if it is one that is not read here.
fn find_other_archive(bytes: &[u8]) -> Option<&'static str> {
    const KINDS: [(&[u8], &str); 6] = [
        (b"\x1f\x8b", "a gzip or tar.gz"),
        (b"Rar!\x1a\x07", "a rar"),
        (b"7z\xbc\xaf\x27\x1c", "a 7z"),
        (b"\xfd7zXZ\0", "an xz or tar.xz"),
        (b"BZh", "a bzip2 or tar.bz2"),
        (b"\x28\xb5\x2f\xfd", "a zstd"),
    ];
    let kind = KINDS.iter().find(|(signature, _)| bytes.starts_with(signature));
    // The signature of a tar is behind its first name.
    let is_tar = || bytes.get(257..262) == Some(b"ustar");
    kind.map(|(_, kind)| *kind).or_else(|| is_tar().then_some("a tar"))
}

/// Returns whether a file may be run, where the system writes that with the file.
fn may_run(data: &fs::Metadata) -> Option<bool> {
    #[cfg(unix)]
    return Some(std::os::unix::fs::PermissionsExt::mode(&data.permissions()) & 0o111 != 0);
    #[cfg(not(unix))]
    {
        let _ = data;
        None
    }
}

/// Lets everybody read a file, and run it if it is executable, where the system has such rights.
fn set_rights(file: &fs::File, is_executable: bool) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        let mode = if is_executable { 0o755 } else { 0o644 };
        file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(mode))
    }
    #[cfg(not(unix))]
    {
        let _ = (file, is_executable);
        Ok(())
    }
}

/// Returns whether a file that comes without a mode may be run.
fn is_program(bytes: &[u8]) -> bool {
    bytes.starts_with(b"#!") || bytes.starts_with(b"\x7fELF")
}

fn too_large(limits: TreeLimits) -> String {
    format!("the files are larger than {} together", Size(limits.bytes))
}

/// Returns how many entries a zip claims to have.
fn count_entries(bytes: &[u8]) -> Result<usize, Refused> {
    let end = bytes.windows(4).rposition(|four| four == END);
    match end.and_then(|at| bytes.get(at..at + END_LENGTH)) {
        Some(end) => Ok(usize::from(u16::from_le_bytes([end[10], end[11]]))),
        None => refuse("the zip cannot be read: it has no end; was all of it sent?"),
    }
}

/// Checks that a path stays inside its folder and can be written on any system.
fn check_path(path: &str) -> Result<(), Refused> {
    check_path_within(path, PATH, DEPTH)
}

/// The same within another length and depth.
fn check_path_within(path: &str, most: usize, deepest: usize) -> Result<(), Refused> {
    let names: Vec<&str> = path.split('/').collect();
    let bad = |name: &&str| {
        name.is_empty()
            || **name == *"."
            || **name == *".."
            || name.len() > NAME
            || name.chars().any(|c| c.is_control() || matches!(c, '\\' | ':'))
    };
    if names.iter().any(bad) {
        return refuse(format!(
            "{:?} is not the path of a file inside the folder",
            cut(path, SHOWN)
        ));
    }
    if path.len() > most || names.len() > deepest {
        return refuse(format!(
            "{:?} is too long or too deep: at most {most} letters and {deepest} folders",
            cut(path, SHOWN)
        ));
    }
    Ok(())
}
