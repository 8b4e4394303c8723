//! Sources of records and stores: files, and the store of this folder.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use quintain_core::{Record, RecordError, open_at_once, read_text_up_to};
use quintain_scene::quote;
use quintain_store::{DEFAULT_STORE, DIFFERENCE_CAUSES, RecordRow, Store, StoreError};

use crate::failure::{Failure, cannot_write};

/// Maximum size of a file of records in bytes: a million matches.
const MAX_BYTES: u64 = 1 << 30;

/// Returns the store to use: the one named, that of `QUINTAIN_STORE`, or this folder's.
pub(crate) fn store_path(named: Option<&Path>) -> PathBuf {
    let variable = std::env::var_os("QUINTAIN_STORE").filter(|path| !path.is_empty());
    match (named, variable) {
        (Some(path), _) => path.to_owned(),
        (None, Some(path)) => path.into(),
        (None, None) => DEFAULT_STORE.into(),
    }
}

/// Opens a store for writing, and creates it if there is none. Its folder must exist, so that a
/// typing error does not begin another store elsewhere.
pub(crate) fn open_store(path: &Path) -> Result<Store, Failure> {
    check_folder(path)?;
    Ok(Store::open(path)?)
}

/// Checks that a file can be in the folder that its name says. Verbs that work for a while check
/// this first, so that no result is lost.
pub(crate) fn check_folder(path: &Path) -> Result<(), Failure> {
    if path.is_dir() {
        return Err(Failure::Usage(format!("{} is a folder; name a file", path.display())));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    match folder.filter(|folder| !folder.is_dir()) {
        None => Ok(()),
        Some(folder) => Err(Failure::Usage(format!(
            "{}: there is no folder {folder}; make it (mkdir -p {folder}) or name another",
            path.display(),
            folder = folder.display()
        ))),
    }
}

/// Checks the folders of all files that are named.
pub(crate) fn check_folders<'a>(
    paths: impl IntoIterator<Item = &'a Option<PathBuf>>,
) -> Result<(), Failure> {
    paths.into_iter().flatten().try_for_each(|path| check_folder(path))
}

/// Returns the option with which another verb finds the same store; empty if none is needed.
pub(crate) fn store_option(named: Option<&Path>) -> String {
    named.map_or(String::new(), |path| format!(" --store {}", quote(&path.display().to_string())))
}

/// Keeps the record of a match, and how long it took.
pub(crate) fn keep_record(
    store: &mut Store,
    record: &Record,
    took: Duration,
) -> Result<(), Failure> {
    let kept = store.insert(None, &[RecordRow::new(record, took)])?;
    match kept.conflicts.first() {
        None => Ok(()),
        Some(id) => Err(Failure::Failed(format!(
            "the store {} has record {id} with a different course of this match, which was left \
             unchanged; {DIFFERENCE_CAUSES}",
            store.path().display()
        ))),
    }
}

/// Says where a record was stored, and how to watch it.
pub(crate) fn describe_stored(store: &Path, record: &Record) -> String {
    let (id, option) = (&record.id[..8], store_option(Some(store)));
    format!("record in {}; watch it: quintain replay {id}{option}", store.display())
}

/// Reads a whole file of records.
fn read(path: &Path) -> Result<String, Failure> {
    if is_store(path) {
        let file = path.display();
        return Err(Failure::Usage(format!(
            "{file} is a store: name it with{}",
            store_option(Some(path))
        )));
    }
    read_text_up_to(path, MAX_BYTES).map_err(|error| Failure::Usage(format!("cannot read {error}")))
}

/// Returns whether a file begins as stores do.
fn is_store(path: &Path) -> bool {
    const HEAD: &[u8] = b"SQLite format 3\0";
    let mut head = [0; HEAD.len()];
    let read = open_at_once(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && head == HEAD
}

/// Writes to a file, or to standard output for `-`.
pub(crate) fn write(
    path: &Path,
    bytes: impl AsRef<[u8]>,
    out: &mut dyn std::io::Write,
) -> Result<(), Failure> {
    if path == Path::new("-") {
        return Ok(out.write_all(bytes.as_ref())?);
    }
    std::fs::write(path, bytes).map_err(|error| cannot_write(path, &error))
}

/// Formats a record as in a file: one line, with programs' output during the match.
pub(crate) fn format_record(record: &Record) -> String {
    record.to_json_with_log() + "\n"
}

/// One record of a file, and its place.
pub(crate) struct RecordInFile {
    pub(crate) place: String,
    pub(crate) record: Result<Record, RecordError>,
}

/// Reads the records of a file: a single one, or one per line.
pub(crate) fn read_records(path: &Path) -> Result<Vec<RecordInFile>, Failure> {
    let text = read(path)?;
    let lines: Vec<(usize, &str)> =
        text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).collect();
    let file = path.display();
    // One damaged record among others is named; a file of something else has no record at all.
    let is_object = |text: &str| serde_json::from_str::<serde_json::Map<_, _>>(text).is_ok();
    let may_be_one = lines.first().is_some_and(|(_, first)| first.trim_start().starts_with('{'));
    if lines.len() > 1 && !may_be_one && !lines.iter().any(|(_, line)| is_object(line)) {
        return Err(Failure::Usage(format!(
            "{file} holds no records; expected JSON, one record per line"
        )));
    }
    // A record that is laid out over several lines begins with a line that is not a record.
    let one_a_line = lines.len() > 1 && !matches!(lines[0].1.trim(), "{" | "[");
    if one_a_line {
        let mut records: Vec<RecordInFile> = Vec::new();
        for (line, text) in lines {
            let above = records.last_mut().and_then(|above| above.record.as_mut().ok());
            if !above.is_some_and(|above| above.read_log_line(text)) {
                let place = format!("{file}:{}", line + 1);
                records.push(RecordInFile { place, record: Record::from_json(text) });
            }
        }
        return Ok(records);
    }
    Ok(vec![RecordInFile { place: file.to_string(), record: Record::from_json(&text) }])
}

/// Reads the single record of a file.
pub(crate) fn read_record(path: &Path) -> Result<Record, Failure> {
    let mut found = read_records(path)?;
    if found.len() > 1 {
        let (file, count) = (path.display(), found.len());
        return Err(Failure::Usage(format!(
            "{file} holds {count} records, but only one is wanted; take one line of it"
        )));
    }
    let RecordInFile { place, record } = found.remove(0);
    record.map_err(|error| Failure::Usage(format!("{place}: {error}")))
}

/// Finds the record that the user means: in a file, or in the store by its first digits.
pub(crate) fn find_record(named: &str, store: Option<&Path>) -> Result<Record, Failure> {
    let file = Path::new(named);
    if file.is_file() {
        if Store::open_to_read(file).is_ok() {
            return Err(Failure::Usage(format!(
                "{named} is a store, not a record; name one of its records by its id, and the \
                 store with --store {named}"
            )));
        }
        return read_record(file);
    }
    Ok(open_store_for(named, &store_path(store))?.load(named)?)
}

/// Returns the newest record in the store; if a player is named, the newest in which it has a seat.
pub(crate) fn find_newest(player: Option<&str>, store: Option<&Path>) -> Result<Record, Failure> {
    let path = store_path(store);
    let store = Store::open_to_read(&path).map_err(|error| match error {
        StoreError::Missing(path) => Failure::Usage(format!(
            "there is no store {} from which to take the last match; name a record: a file, or an \
             id with --store",
            path.display()
        )),
        error => error.into(),
    })?;
    match store.newest(player)? {
        Some(id) => Ok(store.load(&id)?),
        None => {
            let of = player.map_or(String::new(), |player| format!(" of {player}"));
            Err(Failure::Usage(format!(
                "{} has no match{of}; name a record: a file, or an id with --store",
                path.display()
            )))
        }
    }
}

/// Opens the store in which to look for a record with this id.
pub(crate) fn open_store_for(id: &str, path: &Path) -> Result<Store, Failure> {
    if Path::new(id).exists() {
        let what =
            if Path::new(id).is_dir() { "it is a folder" } else { "it is not a regular file" };
        return Err(Failure::Usage(format!("cannot read {id}: {what}")));
    }
    if id.contains(['/', '.', '\\']) {
        return Err(Failure::Usage(format!("cannot read {id}: there is no such file")));
    }
    Store::open_to_read(path).map_err(|error| match error {
        StoreError::Missing(path) => Failure::Usage(format!(
            "there is no file {id}, and no store {} in which to look for a record {id}",
            path.display()
        )),
        error => error.into(),
    })
}
