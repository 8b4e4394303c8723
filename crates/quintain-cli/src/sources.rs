//! Where records and stores are found: files, and the store of this folder.

use std::io::Read;
use std::path::{Path, PathBuf};

use quintain_core::{Record, RecordError, read_text_up_to};
use quintain_store::{Store, StoreError};

use crate::failure::{Failure, cannot_write};

/// The store where none is named.
const USUAL_STORE: &str = "quintain.sqlite";
/// Bytes of a file of records, at most: a million matches.
const MOST_BYTES: u64 = 1 << 30;

/// The store to use: the one named, that of `QUINTAIN_STORE`, or this folder's.
pub(crate) fn store_path(named: Option<&Path>) -> PathBuf {
    let variable = std::env::var_os("QUINTAIN_STORE").filter(|path| !path.is_empty());
    match (named, variable) {
        (Some(path), _) => path.to_owned(),
        (None, Some(path)) => path.into(),
        (None, None) => USUAL_STORE.into(),
    }
}

/// Opens a store to write, and makes it where there is none: in a folder that is there, so that a slip
/// of the finger does not begin another store elsewhere.
pub(crate) fn open_store(path: &Path) -> Result<Store, Failure> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    match folder.filter(|folder| !folder.exists()) {
        None => Ok(Store::open(path)?),
        Some(folder) => Err(Failure::Usage(format!(
            "{}: there is no folder {folder} for a store; make it (mkdir -p {folder}) or name another",
            path.display(),
            folder = folder.display()
        ))),
    }
}

/// The option by which another verb finds the same store; empty where it is found without.
pub(crate) fn store_option(named: Option<&Path>) -> String {
    named.map_or(String::new(), |path| format!(" --store {}", path.display()))
}

/// A file of records, whole.
fn read(path: &Path) -> Result<String, Failure> {
    if is_store(path) {
        let file = path.display();
        return Err(Failure::Usage(format!("{file} is a store: name it by --store {file}")));
    }
    read_text_up_to(path, MOST_BYTES)
        .map_err(|error| Failure::Usage(format!("cannot read {error}")))
}

/// Whether a file begins as stores do.
fn is_store(path: &Path) -> bool {
    const HEAD: &[u8] = b"SQLite format 3\0";
    let mut head = [0; HEAD.len()];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && head == HEAD
}

/// Writes a file, or to standard output for `-`.
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

/// A record as a file has it: what programs said in its match stands on a line below it.
pub(crate) fn format_record(record: &Record) -> String {
    let lines = std::iter::once(record.to_json()).chain(record.log_line());
    lines.map(|line| line + "\n").collect()
}

/// One record of a file, and where it stands.
pub(crate) struct RecordInFile {
    pub(crate) place: String,
    pub(crate) record: Result<Record, RecordError>,
}

/// The records of a file: one, or one a line.
pub(crate) fn read_records(path: &Path) -> Result<Vec<RecordInFile>, Failure> {
    let text = read(path)?;
    let lines: Vec<(usize, &str)> =
        text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).collect();
    let file = path.display();
    // A record that was laid out over several lines begins with a line that is no record.
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

/// The one record of a file.
pub(crate) fn read_record(path: &Path) -> Result<Record, Failure> {
    let mut found = read_records(path)?;
    if found.len() > 1 {
        let (file, count) = (path.display(), found.len());
        return Err(Failure::Usage(format!(
            "{file} holds {count} records, but one is wanted; take one line of it"
        )));
    }
    let RecordInFile { place, record } = found.remove(0);
    record.map_err(|error| Failure::Usage(format!("{place}: {error}")))
}

/// The record that the user means: in a file, or in the store by its first digits.
pub(crate) fn find_record(named: &str, store: Option<&Path>) -> Result<Record, Failure> {
    let file = Path::new(named);
    if file.is_file() {
        if Store::open_to_read(file).is_ok() {
            return Err(Failure::Usage(format!(
                "{named} is a store, not a record; name one of its records by its id, and the store by \
                 --store {named}"
            )));
        }
        return read_record(file);
    }
    Ok(open_store_for(named, &store_path(store))?.load(named)?)
}

/// The record that came last into the store, of a match in which this player has a seat if one is named.
pub(crate) fn find_newest(player: Option<&str>, store: Option<&Path>) -> Result<Record, Failure> {
    let path = store_path(store);
    let store = Store::open_to_read(&path).map_err(|error| match error {
        StoreError::Missing(path) => Failure::Usage(format!(
            "there is no store {} whose last match could be taken; name a record: a file, or an id \
             with --store",
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

/// The store in which to look for a record of this id.
pub(crate) fn open_store_for(id: &str, path: &Path) -> Result<Store, Failure> {
    if Path::new(id).exists() {
        return Err(Failure::Usage(format!("cannot read {id}: it is not a regular file")));
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
