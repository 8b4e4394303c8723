//! Results and records for other programs, written as they are read: any number of them in constant
//! memory.

use std::io::{self, Write};

use quintain_store::{Filter, Store, StoreError};

/// The format of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ExportFormat {
    /// Comma-separated values with a header (RFC 4180).
    Csv,
    /// One JSON object per line.
    JsonLines,
}

/// Why an export failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The output cannot be written.
    #[error("the export cannot be written: {0}")]
    Write(#[from] io::Error),
}

/// The header of a table: the fields of [`quintain_store::SeatRow`].
const COLUMNS: [&str; 12] = [
    "id",
    "game",
    "scenario",
    "seed",
    "seat",
    "player",
    "score",
    "ending",
    "truncated",
    "fault",
    "turns",
    "elapsed_us",
];

/// Writes the results that the filter selects, one row per seat.
///
/// # Errors
/// If the store cannot be read or `out` cannot be written.
pub fn results(
    store: &Store,
    filter: &Filter,
    table: ExportFormat,
    mut out: impl Write,
) -> Result<(), ExportError> {
    match table {
        ExportFormat::Csv => {
            let failed = |error: csv::Error| match error.into_kind() {
                csv::ErrorKind::Io(error) => ExportError::Write(error),
                other => ExportError::Write(io::Error::other(format!("{other:?}"))),
            };
            let mut csv = csv::WriterBuilder::new().has_headers(false).from_writer(out);
            // Even if no row follows: an empty table is still a table.
            csv.write_record(COLUMNS).map_err(failed)?;
            store.matches(filter, |row| {
                for seat in row.seats() {
                    csv.serialize(seat).map_err(failed)?;
                }
                Ok::<(), ExportError>(())
            })?;
            Ok(csv.flush()?)
        }
        ExportFormat::JsonLines => {
            store.matches(filter, |row| {
                for seat in row.seats() {
                    serde_json::to_writer(&mut out, &seat).map_err(io::Error::from)?;
                    out.write_all(b"\n")?;
                }
                Ok::<(), ExportError>(())
            })?;
            Ok(out.flush()?)
        }
    }
}

/// Writes the records that the filter selects, one per line, exactly as they are stored: each with
/// its digest, ready to be verified anywhere.
///
/// # Errors
/// If the store cannot be read or `out` cannot be written.
pub fn records(store: &Store, filter: &Filter, mut out: impl Write) -> Result<(), ExportError> {
    store.for_each_record(filter, |stored| {
        out.write_all(stored.json.as_bytes())?;
        out.write_all(b"\n")?;
        Ok::<(), ExportError>(())
    })?;
    Ok(out.flush()?)
}
