//! Results as a Parquet file, the form that notebooks and DuckDB read fastest: the columns of the
//! other tables, one row per seat, texts in dictionaries, compressed with Snappy.
//!
//! A feature, since the format's library takes long to compile and few need it.

use std::io::Write;
use std::sync::Arc;

use ::parquet::basic::Compression;
use ::parquet::column::writer::ColumnWriter;
use ::parquet::data_type::ByteArray;
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::parser::parse_message_type;
use quintain_store::{Filter, Store, StoreError};

/// The columns of a [`quintain_store::SeatRow`], in its order.
const SCHEMA: &str = "message results {
    REQUIRED BYTE_ARRAY id (UTF8);
    REQUIRED BYTE_ARRAY game (UTF8);
    REQUIRED BYTE_ARRAY scenario (UTF8);
    REQUIRED INT64 seed (INTEGER(64, false));
    REQUIRED INT32 seat;
    REQUIRED BYTE_ARRAY player (UTF8);
    REQUIRED DOUBLE score;
    REQUIRED BYTE_ARRAY ending (UTF8);
    REQUIRED BOOLEAN truncated;
    OPTIONAL BYTE_ARRAY fault (UTF8);
    REQUIRED INT64 turns;
    REQUIRED INT64 elapsed_us;
}";

/// Why an export failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ParquetExportError {
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The output cannot be written.
    #[error("the export cannot be written: {0}")]
    Write(#[from] std::io::Error),
}

/// The number of rows that are collected in memory before they are written as a row group.
const GROUP: usize = 100_000;

/// The rows of a group, column by column.
#[derive(Default)]
struct Columns {
    id: Vec<ByteArray>,
    game: Vec<ByteArray>,
    scenario: Vec<ByteArray>,
    seed: Vec<i64>,
    seat: Vec<i32>,
    player: Vec<ByteArray>,
    score: Vec<f64>,
    ending: Vec<ByteArray>,
    truncated: Vec<bool>,
    /// The faults of those rows that have one.
    fault: Vec<ByteArray>,
    /// The definition level of each row's fault: 1 where it has one, otherwise 0.
    fault_levels: Vec<i16>,
    turns: Vec<i64>,
    elapsed_us: Vec<i64>,
}

/// Writes the results of the matches in `store` that `filter` selects as a Parquet file, with one
/// row per seat, in groups of 100 000 rows or a few more.
///
/// # Errors
/// If the store cannot be read or `out` cannot be written.
pub fn write_results(
    store: &Store,
    filter: &Filter,
    out: impl Write + Send,
) -> Result<(), ParquetExportError> {
    let schema = Arc::new(parse_message_type(SCHEMA).expect("the schema is well-formed"));
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(concat!("quintain ", env!("CARGO_PKG_VERSION")).to_owned())
        .build();
    let mut file =
        SerializedFileWriter::new(out, schema, Arc::new(properties)).map_err(export_error)?;
    let mut columns = Columns::default();
    store.matches(filter, |row| {
        for seat in row.seats() {
            let text = |text: &str| ByteArray::from(text.as_bytes().to_vec());
            columns.id.push(text(seat.id));
            columns.game.push(text(seat.game));
            columns.scenario.push(text(seat.scenario));
            columns.seed.push(seat.seed.cast_signed());
            columns.seat.push(seat.seat as i32);
            columns.player.push(text(seat.player));
            columns.score.push(seat.score);
            columns.ending.push(text(seat.ending));
            columns.truncated.push(seat.truncated);
            columns.fault.extend(seat.fault.map(text));
            columns.fault_levels.push(i16::from(seat.fault.is_some()));
            columns.turns.push(seat.turns.into());
            columns.elapsed_us.push(seat.elapsed_us.cast_signed());
        }
        if columns.seed.len() >= GROUP {
            std::mem::take(&mut columns).write(&mut file).map_err(export_error)?;
        }
        Ok::<(), ParquetExportError>(())
    })?;
    if !columns.seed.is_empty() {
        columns.write(&mut file).map_err(export_error)?;
    }
    file.close().map_err(export_error)?;
    Ok(())
}

fn export_error(error: ParquetError) -> ParquetExportError {
    match error {
        ParquetError::External(source) => ParquetExportError::Write(std::io::Error::other(source)),
        error => ParquetExportError::Write(std::io::Error::other(error)),
    }
}

impl Columns {
    /// Writes the columns as one row group. The writer asks for them in the order of the schema, so
    /// columns of the same type are handed out in that order.
    fn write<W: Write + Send>(
        self,
        file: &mut SerializedFileWriter<W>,
    ) -> Result<(), ParquetError> {
        let mut group = file.next_row_group()?;
        let mut texts = [self.id, self.game, self.scenario, self.player, self.ending].into_iter();
        let mut numbers = [self.seed, self.turns, self.elapsed_us].into_iter();
        while let Some(mut column) = group.next_column()? {
            match column.untyped() {
                ColumnWriter::ByteArrayColumnWriter(writer) => {
                    if writer.get_descriptor().max_def_level() > 0 {
                        writer.write_batch(&self.fault, Some(&self.fault_levels), None)?;
                    } else {
                        let values = texts.next().unwrap_or_default();
                        writer.write_batch(&values, None, None)?;
                    }
                }
                ColumnWriter::Int64ColumnWriter(writer) => {
                    writer.write_batch(&numbers.next().unwrap_or_default(), None, None)?;
                }
                ColumnWriter::Int32ColumnWriter(writer) => {
                    writer.write_batch(&self.seat, None, None)?;
                }
                ColumnWriter::DoubleColumnWriter(writer) => {
                    writer.write_batch(&self.score, None, None)?;
                }
                ColumnWriter::BoolColumnWriter(writer) => {
                    writer.write_batch(&self.truncated, None, None)?;
                }
                _ => unreachable!("the schema has no other types"),
            }
            column.close()?;
        }
        group.close()?;
        Ok(())
    }
}
