//! Recognizes stores of results among a program's files: they hold other players' records, and are
//! shown to no program.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use crate::open::open_file;

/// Whether a file is an SQLite database or one of its companions.
pub(crate) fn is_store(path: &Path) -> bool {
    is_companion(path) || open_file(path).is_ok_and(|file| holds_store(&file))
}

/// Whether a file's name is that of a companion of an SQLite database.
pub(crate) fn is_companion(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    ["-wal", "-shm", "-journal"].iter().any(|end| name.ends_with(end))
}

/// Whether an open file, from which nothing has been read yet, is an SQLite database.
pub(crate) fn holds_store(mut file: &File) -> bool {
    let mut head = [0; 16];
    let is_store = file.read_exact(&mut head).is_ok() && &head == b"SQLite format 3\0";
    file.seek(SeekFrom::Start(0)).is_ok() && is_store
}
