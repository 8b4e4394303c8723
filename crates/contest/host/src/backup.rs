//! Backups of a running contest, and restoring them.
//!
//! Each part refers only to parts that are copied after it: first the contest's database, then the
//! store with the records of its matches, then the files that were handed in. Records deleted in
//! the meantime are marked as gone.

use std::fs;
use std::path::Path;

use crate::config;
use crate::contest::{HIDDEN_STORE, STORE, keep_private};
use crate::error::{HostError, file_error};
use crate::maps;
use crate::program::TREES;
use crate::state::{self, copy_database, damage, mark_gone_since};

/// Copies a contest into a new folder, while it runs.
///
/// # Errors
/// If the folder is not empty, there is no contest, or either cannot be read or written.
pub fn backup(folder: &Path, to: &Path) -> Result<(), HostError> {
    let file = folder.join(config::FILE);
    if !file.is_file() {
        return Err(HostError::Usage(format!("{} is not a contest", folder.display())));
    }
    begin(to)?;
    copy_database(&folder.join(state::FILE), &to.join(state::FILE))?;
    // A record that is revealed meanwhile is in both, or at least in the second one.
    for store in [HIDDEN_STORE, STORE] {
        if folder.join(store).exists() {
            copy_database(&folder.join(store), &to.join(store))?;
        }
    }
    if folder.join(STORE).exists() {
        mark_gone_since(&to.join(state::FILE), &folder.join(state::FILE))?;
    }
    maps::copy_folder(folder, to)?;
    copy_trees(&folder.join(TREES), &to.join(TREES))?;
    // Copied last, because a folder without it is not a contest: an unfinished backup stays
    // recognisable.
    fs::copy(&file, to.join(config::FILE)).map_err(file_error(&file))?;
    Ok(())
}

/// Restores a contest from a backup, which is left unchanged: a folder, or a zip from the
/// organiser's page.
///
/// # Errors
/// As [`backup`], and if a database of the backup is damaged or its zip cannot be unpacked.
pub fn restore(from: &Path, to: &Path) -> Result<(), HostError> {
    if !from.is_file() {
        return restore_folder(from, to);
    }
    // Next to the future contest, where there is room for it.
    let beside = to.parent().filter(|parent| !parent.as_os_str().is_empty());
    let beside = beside.unwrap_or(Path::new("."));
    let unpacked = tempfile::tempdir_in(beside).map_err(file_error(beside))?;
    let failed = file_error(from);
    let file = fs::File::open(from).map_err(&failed)?;
    let zip = zip::ZipArchive::new(file).and_then(|mut zip| zip.extract(unpacked.path()));
    zip.map_err(|error| failed(std::io::Error::other(error)))?;
    // The content lies in a single folder.
    let inner = fs::read_dir(unpacked.path()).map_err(&failed)?.filter_map(Result::ok);
    let contest = inner.map(|entry| entry.path()).find(|path| path.join(config::FILE).is_file());
    let contest = contest.ok_or_else(|| {
        HostError::Usage(format!("{} is not a backup of a contest", from.display()))
    })?;
    restore_folder(&contest, to)
}

fn restore_folder(backup_folder: &Path, to: &Path) -> Result<(), HostError> {
    for name in [state::FILE, HIDDEN_STORE, STORE] {
        let file = backup_folder.join(name);
        if file.exists()
            && let Some(what) = damage(&file)?
        {
            return Err(HostError::Usage(format!("{} is damaged: {what}", file.display())));
        }
    }
    backup(backup_folder, to)
}

/// Creates a new folder, or accepts an empty one.
fn begin(to: &Path) -> Result<(), HostError> {
    fs::create_dir_all(to).map_err(file_error(to))?;
    match fs::read_dir(to).map_err(file_error(to))?.next() {
        None => keep_private(to).map(drop),
        Some(_) => Err(HostError::Usage(format!("{} is not empty", to.display()))),
    }
}

/// Copies the finished trees; those still being written do not count.
fn copy_trees(from: &Path, to: &Path) -> Result<(), HostError> {
    fs::create_dir_all(to).map_err(file_error(to))?;
    let Ok(trees) = fs::read_dir(from) else { return Ok(()) };
    for tree in trees {
        let tree = tree.map_err(file_error(from))?;
        if !tree.file_name().to_string_lossy().starts_with("part-") {
            copy_tree(&tree.path(), &to.join(tree.file_name()))?;
        }
    }
    Ok(())
}

/// Copies a tree, unless it is deleted in the meantime.
fn copy_tree(from: &Path, to: &Path) -> Result<(), HostError> {
    match copy_folder(from, to) {
        Err(_) if !from.exists() => fs::remove_dir_all(to).or(Ok(())),
        copied => copied,
    }
}

fn copy_folder(from: &Path, to: &Path) -> Result<(), HostError> {
    fs::create_dir(to).map_err(file_error(to))?;
    for entry in fs::read_dir(from).map_err(file_error(from))? {
        let path = entry.map_err(file_error(from))?.path();
        let Some(name) = path.file_name() else { continue };
        if path.is_symlink() {
            continue;
        } else if path.is_dir() {
            copy_folder(&path, &to.join(name))?;
        } else if path.extension().is_none_or(|ending| ending != "part") {
            // Lists of programs are rewritten whenever they are needed; one may be replaced right
            // now.
            match fs::copy(&path, to.join(name)) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(file_error(&path)(error));
                }
                _ => {}
            }
        }
    }
    Ok(())
}
