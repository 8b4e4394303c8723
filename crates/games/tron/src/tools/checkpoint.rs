//! The values that a search has found, in a file, so that a long search can be stopped and resumed.
//! The file has a word, the board, and each position's key with its value.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Write};
use std::path::Path;

use super::solver::Solver;

/// The first bytes of a file.
const WORD: &[u8; 8] = b"qtronv1\n";
/// More than any table of values holds.
const MOST_BYTES: u64 = 64 << 30;
/// The bytes of a key and its value.
const ENTRY: usize = 24;

/// Takes up the values in a file, if there is one.
///
/// # Errors
/// If it cannot be read, or holds something else than values of this board; says what.
pub(super) fn load(path: &Path, solver: &mut Solver) -> Result<(), String> {
    let name = path.display();
    let is_none = |known: fs::Metadata| !known.is_file() || known.len() > MOST_BYTES;
    if fs::metadata(path).is_ok_and(is_none) {
        return Err(format!("{name} is no checkpoint of this tool; name another file"));
    }
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(format!("cannot read {name}: {error}")),
    };
    let mut file = BufReader::new(file);
    let mut head = [0; WORD.len() + size_of::<u128>()];
    let read = file.read_exact(&mut head);
    if read.is_err() || !head.starts_with(WORD) {
        return Err(format!("{name} is no checkpoint of this tool; name another file"));
    }
    if head[WORD.len()..] != solver.board().identity().to_le_bytes() {
        return Err(format!("{name} is of another board; name another file"));
    }
    let mut entry = [0; ENTRY];
    loop {
        match file.read_exact(&mut entry) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(()),
            Err(error) => return Err(format!("cannot read {name}: {error}")),
        }
        let key = u128::from_le_bytes(entry[..16].try_into().expect("16 bytes"));
        let value = f64::from_le_bytes(entry[16..].try_into().expect("8 bytes"));
        if !(0.0..=1.0).contains(&value) {
            return Err(format!("{name} is damaged: {value} is no value; delete it"));
        }
        solver.values_mut().put(key, value);
    }
}

/// Writes all values that are known. The file is whole, or the one before.
///
/// # Errors
/// If it cannot be written.
pub(super) fn save(path: &Path, solver: &Solver) -> io::Result<()> {
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let mut out = BufWriter::new(File::create(&part)?);
    out.write_all(WORD)?;
    out.write_all(&solver.board().identity().to_le_bytes())?;
    for (key, value) in solver.values().entries() {
        out.write_all(&key.to_le_bytes())?;
        out.write_all(&value.to_le_bytes())?;
    }
    out.into_inner()?.sync_all()?;
    fs::rename(part, path)
}
