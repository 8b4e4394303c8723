//! Positions as arrays in a file: one `.npy` file of records, which `numpy.load(file,
//! mmap_mode="r")` maps into memory without reading it. A file is written under a temporary name
//! and renamed when it is complete.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use quintain_core::Layout;

/// The fields of a record, in order: their names, NumPy types, and sides.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Form {
    /// The sides of the board as a seat sees it.
    pub board: Vec<usize>,
    /// The number of features.
    pub features: usize,
    /// The number of actions.
    pub actions: usize,
}

/// One position as one seat saw it, and its final value.
#[derive(Clone, PartialEq, Debug)]
pub struct Position {
    /// The number of the match in the run.
    pub number: u64,
    /// The turn of that match.
    pub turn: u32,
    /// The seat that saw the position and moved.
    pub seat: u16,
    /// The board.
    pub board: Vec<u8>,
    /// The features.
    pub features: Vec<i32>,
    /// 1 for each legal action, by number.
    pub legal: Vec<u8>,
    /// What a policy should learn: a share for each action, by number.
    pub policy: Vec<f32>,
    /// The worth of the position to the seat according to the search, in utility.
    pub search_value: f32,
    /// Its worth at the end of the match.
    pub value: f32,
    /// Its worth by the rules' own estimate; not a number if nobody asked for it.
    pub estimate: f32,
}

impl Form {
    /// The form of the shards of an encoding with this layout.
    pub fn of(layout: &Layout) -> Form {
        let board = match layout.is_words {
            true => vec![layout.seat_board_len()],
            false => layout.board.clone(),
        };
        Form { board, features: layout.features.len(), actions: layout.actions }
    }

    /// The type of a record, as NumPy writes it.
    fn descr(&self) -> String {
        let sides: Vec<String> = self.board.iter().map(ToString::to_string).collect();
        format!(
            "[('match', '<u8'), ('turn', '<u4'), ('seat', '<u2'), ('board', '|u1', ({},)), \
             ('features', '<i4', ({},)), ('legal', '|u1', ({actions},)), \
             ('policy', '<f4', ({actions},)), ('search_value', '<f4'), ('value', '<f4'), \
             ('estimate', '<f4')]",
            sides.join(", "),
            self.features,
            actions = self.actions,
        )
    }
}

/// Writes a shard; the file appears only when it is complete.
///
/// # Errors
/// If it cannot be written.
pub fn write(path: &Path, form: &Form, positions: &[Position]) -> io::Result<()> {
    let partial = path.with_extension("npy.partial");
    let mut file = BufWriter::new(File::create(&partial)?);
    let descr = form.descr();
    let count = positions.len();
    let mut header = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': ({count},), }}");
    // Magic, version and length take 12 bytes; the data begins at a multiple of 64.
    let padding = 63 - (12 + header.len()) % 64;
    header.extend(std::iter::repeat_n(' ', padding));
    header.push('\n');
    file.write_all(b"\x93NUMPY\x02\x00")?;
    file.write_all(&(header.len() as u32).to_le_bytes())?;
    file.write_all(header.as_bytes())?;
    for position in positions {
        file.write_all(&position.number.to_le_bytes())?;
        file.write_all(&position.turn.to_le_bytes())?;
        file.write_all(&position.seat.to_le_bytes())?;
        file.write_all(&position.board)?;
        for feature in &position.features {
            file.write_all(&feature.to_le_bytes())?;
        }
        file.write_all(&position.legal)?;
        for share in &position.policy {
            file.write_all(&share.to_le_bytes())?;
        }
        file.write_all(&position.search_value.to_le_bytes())?;
        file.write_all(&position.value.to_le_bytes())?;
        file.write_all(&position.estimate.to_le_bytes())?;
    }
    file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
    fs::rename(partial, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_begins_at_a_multiple_of_64_and_has_the_length_that_the_header_says() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npy");
        let form = Form { board: vec![2, 3], features: 1, actions: 2 };
        let position = Position {
            number: 7,
            turn: 1,
            seat: 0,
            board: vec![1; 6],
            features: vec![-1],
            legal: vec![1, 0],
            policy: vec![1.0, 0.0],
            search_value: 0.5,
            value: 1.0,
            estimate: 0.25,
        };
        write(&path, &form, &[position.clone(), position]).unwrap();
        let bytes = fs::read(&path).unwrap();
        let header = u32::from_le_bytes(bytes[8..12].try_into().unwrap()) as usize + 12;
        assert_eq!(header % 64, 0);
        let record = 8 + 4 + 2 + 6 + 4 + 2 + 8 + 4 + 4 + 4;
        assert_eq!(bytes.len(), header + 2 * record);
        assert!(String::from_utf8_lossy(&bytes[..header]).contains("('board', '|u1', (2, 3,))"));
    }
}
