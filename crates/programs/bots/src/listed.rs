//! The digest of what a program reads besides its own files: the files and folders that `read`
//! lists in bots.toml. They are shown in place and not copied, since they may be large. So their
//! contents count for the program's version: a program with another model is another program.
//!
//! Hashing gigabytes before every run would be slow. So the digest of a large file is remembered,
//! together with the file's size, its times and its place on the disk, in a file of the user's
//! cache folder. While these stay the same, the file is not read again.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use quintain_core::{digest, read_text};

use crate::open::open_target;

/// Files of at least this size are remembered.
const LARGE: u64 = 1 << 20;
/// The number of bytes read at once.
const BLOCK: usize = 1 << 20;
/// The most entries that may be listed, so that a mistake such as listing the root of a disk ends
/// soon.
const MAX_ENTRIES: usize = 200_000;
/// The most files that are remembered.
const MAX_REMEMBERED: usize = 10_000;

/// Digests of large files, by what the system says about them.
struct Remembered {
    file: Option<PathBuf>,
    digests: BTreeMap<String, String>,
    is_changed: bool,
}

impl Remembered {
    fn load(file: Option<PathBuf>) -> Remembered {
        let text = file.as_ref().and_then(|file| read_text(file).ok()).unwrap_or_default();
        let entry = |line: &str| {
            let (key, digest) = line.split_once(' ')?;
            Some((key.to_owned(), digest.to_owned()))
        };
        Remembered { file, digests: text.lines().filter_map(entry).collect(), is_changed: false }
    }

    /// The memory only saves time: if it cannot be written, the next run reads the files again.
    fn save(&self) {
        let Some(file) = self.file.as_ref().filter(|_| self.is_changed) else { return };
        let lines = self.digests.iter().take(MAX_REMEMBERED);
        let text: String = lines.map(|(key, digest)| format!("{key} {digest}\n")).collect();
        let part = file.with_extension(format!("{}", std::process::id()));
        let folder = file.parent().map_or(Ok(()), fs::create_dir_all);
        let written = folder.and_then(|()| fs::write(&part, text));
        let _ = written.and_then(|()| fs::rename(&part, file));
    }
}

/// The file of the user's cache folder in which digests are remembered.
pub(crate) fn usual_memory() -> Option<PathBuf> {
    let folder_of = |variable: &str| {
        std::env::var_os(variable).map(PathBuf::from).filter(|folder| folder.is_absolute())
    };
    Some(cache_folder(folder_of, cfg!(windows))?.join("quintain").join("digests"))
}

/// The user's cache folder, by the environment variables that name absolute paths.
fn cache_folder(folder_of: impl Fn(&str) -> Option<PathBuf>, windows: bool) -> Option<PathBuf> {
    if windows {
        return folder_of("LOCALAPPDATA");
    }
    folder_of("XDG_CACHE_HOME").or_else(|| Some(folder_of("HOME")?.join(".cache")))
}

/// The digest of all names and contents under these paths. Of the paths themselves only the last
/// name counts, not where they lie. `memory` is the file in which digests of large files are
/// remembered.
///
/// # Errors
/// If a file cannot be read, or there are too many.
pub(crate) fn digest_listed(paths: &[PathBuf], memory: Option<PathBuf>) -> io::Result<String> {
    let mut remembered = Remembered::load(memory);
    let mut listing = String::new();
    let mut entries = 0;
    for path in paths {
        let name = path.file_name().map(OsString::from).unwrap_or_default();
        list(path, Path::new(&name), &mut listing, &mut entries, &mut remembered)?;
    }
    remembered.save();
    Ok(digest(listing.as_bytes()))
}

/// Adds a line for a file or link, and lines for everything in a folder.
fn list(
    path: &Path,
    name: &Path,
    listing: &mut String,
    entries: &mut usize,
    remembered: &mut Remembered,
) -> io::Result<()> {
    *entries += 1;
    if *entries > MAX_ENTRIES {
        let problem = format!(
            "more than {MAX_ENTRIES} files are listed; name only the folder that is needed"
        );
        return Err(io::Error::other(problem));
    }
    let data = path.symlink_metadata()?;
    let shown = name.display();
    if data.is_symlink() {
        let target = fs::read_link(path)?;
        *listing += &format!("l {} {shown}\n", digest(target.as_os_str().as_encoded_bytes()));
    } else if data.is_dir() {
        let mut names: Vec<OsString> =
            fs::read_dir(path)?.map(|entry| Ok(entry?.file_name())).collect::<io::Result<_>>()?;
        // The digest must not depend on the order in which a disk lists a folder.
        names.sort();
        *listing += &format!("d {shown}\n");
        for entry in names {
            list(&path.join(&entry), &name.join(&entry), listing, entries, remembered)?;
        }
    } else if data.is_file() {
        *listing += &format!("f {} {shown}\n", digest_file(path, &data, remembered)?);
    }
    Ok(())
}

/// What the system says about a file: while it stays the same, so does the content.
#[cfg(unix)]
fn describe_file(_: &Path, data: &Metadata) -> String {
    use std::os::unix::fs::MetadataExt;

    format!(
        "{}:{}:{}:{}.{}:{}.{}",
        data.dev(),
        data.ino(),
        data.size(),
        data.mtime(),
        data.mtime_nsec(),
        data.ctime(),
        data.ctime_nsec()
    )
}

#[cfg(not(unix))]
fn describe_file(path: &Path, data: &Metadata) -> String {
    let nanoseconds = |time: io::Result<std::time::SystemTime>| {
        let since = time.ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        since.map_or(0, |since| since.as_nanos())
    };
    let place = digest(path.as_os_str().as_encoded_bytes());
    let (created, changed) = (nanoseconds(data.created()), nanoseconds(data.modified()));
    format!("{}:{}:{created}:{changed}", &place[..16], data.len())
}

/// The digest of a file's content, block by block.
fn digest_file(path: &Path, data: &Metadata, remembered: &mut Remembered) -> io::Result<String> {
    let key = describe_file(path, data);
    let is_large = data.len() >= LARGE;
    if let Some(known) = remembered.digests.get(&key).filter(|_| is_large) {
        return Ok(known.clone());
    }
    let mut file = open_target(path)?;
    let mut blocks = String::new();
    let mut block = Vec::new();
    loop {
        block.clear();
        if file.by_ref().take(BLOCK as u64).read_to_end(&mut block)? == 0 {
            break;
        }
        blocks += &digest(&block);
    }
    let digest = digest(blocks.as_bytes());
    if is_large {
        remembered.digests.insert(key, digest.clone());
        remembered.is_changed = true;
    }
    Ok(digest)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// A folder with a small file, a large one, a folder and a link.
    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("model")).unwrap();
        fs::write(at("model/names.txt"), "a b c").unwrap();
        fs::write(at("model/weights"), vec![7; 2 * LARGE as usize + 5]).unwrap();
        std::os::unix::fs::symlink("names.txt", at("model/link")).unwrap();
        folder
    }

    fn of(folder: &tempfile::TempDir) -> String {
        let memory = folder.path().join("memory");
        digest_listed(&[folder.path().join("model")], Some(memory)).unwrap()
    }

    #[test]
    fn each_system_has_its_cache_folder() {
        let of = |set: &[(&str, &str)], windows| {
            let named = |variable: &str| {
                let found = set.iter().find(|(name, _)| *name == variable);
                found.map(|(_, folder)| PathBuf::from(folder))
            };
            cache_folder(named, windows).map(|folder| folder.display().to_string())
        };
        let unix = [("HOME", "/home/ada"), ("XDG_CACHE_HOME", "/cache")];
        assert_eq!(of(&unix, false).as_deref(), Some("/cache"));
        assert_eq!(of(&unix[..1], false).as_deref(), Some("/home/ada/.cache"));
        let windows = [("LOCALAPPDATA", "C:/Users/ada/AppData/Local"), ("HOME", "/home/ada")];
        assert_eq!(of(&windows, true).as_deref(), Some("C:/Users/ada/AppData/Local"));
        assert_eq!(of(&windows[1..], true), None);
    }

    #[test]
    fn any_changed_byte_name_or_link_makes_another_digest() {
        let (one, other) = (folder(), folder());
        let first = of(&one);
        assert_eq!(first, of(&other), "the same content elsewhere is the same");
        let model = one.path().join("model");
        let mut weights = vec![7; 2 * LARGE as usize + 5];
        *weights.last_mut().unwrap() = 8;
        fs::write(model.join("weights"), weights).unwrap();
        let second = of(&one);
        fs::rename(model.join("names.txt"), model.join("others.txt")).unwrap();
        let third = of(&one);
        fs::remove_file(model.join("link")).unwrap();
        let fourth = of(&one);
        let all = [&first, &second, &third, &fourth];
        assert!((1..4).all(|at| !all[..at].contains(&all[at])), "{all:?}");
    }

    #[test]
    fn digests_of_untouched_large_files_are_remembered() {
        let folder = folder();
        let first = of(&folder);
        let memory = folder.path().join("memory");
        let kept = fs::read_to_string(&memory).unwrap();
        assert_eq!(kept.lines().count(), 1, "only the large one: {kept}");
        // The remembered digest is trusted, so the file was not read again.
        let (key, _) = kept.trim().split_once(' ').unwrap();
        fs::write(&memory, format!("{key} elsewhere\n")).unwrap();
        assert_ne!(of(&folder), first);
        fs::write(&memory, "nonsense").unwrap();
        assert_eq!(of(&folder), first);
    }
}
