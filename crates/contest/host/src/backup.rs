//! Backups of a running contest, and restoring them.
//!
//! Each part refers only to parts that are copied after it: first the contest's database, then the
//! store with the records of its matches, then the files that were submitted. Records deleted in
//! the meantime are marked as gone.

use std::fs;
use std::path::Path;

use crate::archive;
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
    archive::unpack(file, unpacked.path())
        .map_err(|why| HostError::Usage(format!("{}: {why}", from.display())))?;
    // The content lies in a single folder.
    let inner = fs::read_dir(unpacked.path()).map_err(&failed)?.filter_map(Result::ok);
    let contest = inner.map(|entry| entry.path()).find(|path| path.join(config::FILE).is_file());
    let contest = contest.ok_or_else(|| {
        HostError::Usage(format!("{} is not a backup of a contest", from.display()))
    })?;
    restore_folder(&contest, to)
}

fn restore_folder(backup_folder: &Path, to: &Path) -> Result<(), HostError> {
    for (name, is_folder) in [(config::FILE, false), (TREES, true), (maps::MAPS, true)] {
        is_there(&backup_folder.join(name), is_folder)?;
    }
    for name in [state::FILE, HIDDEN_STORE, STORE] {
        let file = backup_folder.join(name);
        // SQLite reads these too.
        for ending in ["-wal", "-shm", "-journal"] {
            is_there(&backup_folder.join(format!("{name}{ending}")), false)?;
        }
        if is_there(&file, false)?
            && let Some(what) = damage(&file)?
        {
            return Err(HostError::Usage(format!("{} is damaged: {what}", file.display())));
        }
    }
    backup(backup_folder, to)
}

/// Returns whether a file or folder of a backup is there. A backup may come from somebody else: a
/// link in its place could lead to our own files, and a pipe has no end.
///
/// # Errors
/// If something else is in its place.
fn is_there(path: &Path, is_folder: bool) -> Result<bool, HostError> {
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(file_error(path)(error)),
    };
    let (expected, fits) = match is_folder {
        true => ("folder", found.is_dir()),
        false => ("file", found.is_file()),
    };
    if fits {
        return Ok(true);
    }
    let path = path.display();
    Err(HostError::Usage(format!("{path}: expected a {expected}, found a link or something else")))
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
        } else if !path.is_file() {
            // Waiting for a pipe would take for ever.
            continue;
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

#[cfg(test)]
mod tests {
    use std::io::Write;

    use rusqlite::Connection;
    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;
    use crate::state::State;

    /// Makes a folder with what a backup needs.
    fn backup_in(folder: &Path) {
        fs::create_dir_all(folder.join(TREES).join("tree")).unwrap();
        fs::write(folder.join(config::FILE), "game = \"tron\"").unwrap();
        fs::write(folder.join(TREES).join("tree/bot.py"), "print()").unwrap();
        drop(State::open(folder).unwrap());
    }

    fn refusal(from: &Path, to: &Path) -> String {
        restore(from, to).unwrap_err().to_string()
    }

    #[test]
    fn a_zip_from_elsewhere_writes_nothing_outside_and_fills_no_disk() {
        let place = tempfile::tempdir().unwrap();
        let (zip, to) = (place.path().join("evil.zip"), place.path().join("new/contest"));
        fs::create_dir(place.path().join("new")).unwrap();
        type Build = fn(&mut ZipWriter<fs::File>);
        let plain = SimpleFileOptions::default;
        let evils: [(&str, Build); 4] = [
            ("grow more than 200-fold", |zip| {
                zip.start_file("c/maps/zeros", SimpleFileOptions::default()).unwrap();
                zip.write_all(&vec![0; 3 << 20]).unwrap();
            }),
            ("is a link or a device", |zip| {
                zip.add_symlink("c/maps", "..", SimpleFileOptions::default()).unwrap();
            }),
            ("is not the path of a file inside", |zip| {
                zip.start_file("c/../../outside", SimpleFileOptions::default()).unwrap();
            }),
            ("too long or too deep", |zip| {
                let deep = "a/".repeat(50) + "x";
                zip.start_file(deep, SimpleFileOptions::default()).unwrap();
            }),
        ];
        for (why, build) in evils {
            let mut writer = ZipWriter::new(fs::File::create(&zip).unwrap());
            writer.start_file("c/host.toml", plain()).unwrap();
            build(&mut writer);
            writer.finish().unwrap();
            let refused = refusal(&zip, &to);
            assert!(refused.contains(why), "{refused}");
            let left = fs::read_dir(place.path().join("new")).unwrap().count();
            assert_eq!((left, place.path().join("outside").exists()), (0, false), "{why}");
        }
    }

    #[test]
    fn nothing_in_a_database_from_elsewhere_runs() {
        let place = tempfile::tempdir().unwrap();
        for (what, sql) in [
            ("trigger t", "CREATE TRIGGER t AFTER INSERT ON audit BEGIN DELETE FROM audit; END"),
            ("view v", "CREATE VIEW v AS SELECT 1"),
            ("computed column b", "CREATE TABLE x (a, b GENERATED ALWAYS AS (a + 1) VIRTUAL)"),
        ] {
            let from = place.path().join(what);
            backup_in(&from);
            Connection::open(from.join(state::FILE)).unwrap().execute_batch(sql).unwrap();
            let refused = refusal(&from, &place.path().join("to"));
            assert!(refused.contains(&format!("the {what} does not belong")), "{refused}");
        }
        // A database that was put into a contest by hand fires no trigger either.
        let own = place.path().join("trigger t");
        State::open(&own).unwrap().set("host", "x", Some("y"), "set x").unwrap();
        let audit = Connection::open(own.join(state::FILE)).unwrap();
        let count = audit.query_row("SELECT count(*) FROM audit", [], |row| row.get::<_, i64>(0));
        assert!(count.unwrap() > 0);
    }

    #[cfg(unix)]
    #[test]
    fn pipes_and_links_in_a_backup_hold_nobody_up_and_lead_nowhere() {
        let place = tempfile::tempdir().unwrap();
        let pipe = |path: &Path| {
            assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
        };
        let from = place.path().join("from");
        backup_in(&from);
        pipe(&from.join(TREES).join("tree/pipe"));
        let to = place.path().join("to");
        restore(&from, &to).unwrap();
        let tree = fs::read_dir(to.join(TREES).join("tree")).unwrap();
        let names: Vec<_> = tree.map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["bot.py"]);
        for name in [HIDDEN_STORE, "matches.sqlite-wal"] {
            pipe(&from.join(name));
            let refused = refusal(&from, &place.path().join("other"));
            assert!(refused.contains(name) && refused.contains("expected a file"), "{refused}");
            fs::remove_file(from.join(name)).unwrap();
        }
        std::os::unix::fs::symlink(place.path(), from.join(maps::MAPS)).unwrap();
        let refused = refusal(&from, &place.path().join("other"));
        assert!(refused.contains("expected a folder"), "{refused}");
    }
}
