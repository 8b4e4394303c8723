//! What is written can be read back with the reader of the format's own library.

#[path = "fixture/mod.rs"]
#[allow(dead_code)]
mod fixture;

use fixture::{EXPORTED, store_of};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};
use quintain_store::{Filter, SeatRow, Store, StoreError};

/// A row of the table as the reader should show it.
fn fields(row: &SeatRow<'_>) -> Vec<Field> {
    let text = |text: &str| Field::Str(text.to_owned());
    vec![
        text(row.id),
        text(row.game),
        text(row.scenario),
        Field::ULong(row.seed),
        Field::Int(row.seat as i32),
        text(row.player),
        Field::Double(row.score),
        text(row.ending),
        Field::Bool(row.truncated),
        row.fault.map_or(Field::Null, text),
        Field::Long(row.turns.into()),
        Field::Long(row.elapsed_us.cast_signed()),
    ]
}

fn read_back(store: &Store, filter: &Filter) -> Vec<Row> {
    let file = tempfile::tempfile().unwrap();
    quintain_report::parquet::write_results(store, filter, &file).unwrap();
    let reader = SerializedFileReader::new(file).unwrap();
    reader.get_row_iter(None).unwrap().collect::<Result<_, _>>().unwrap()
}

#[test]
fn rows_that_are_read_back_are_those_of_the_store() {
    let (store, filter) = (store_of(EXPORTED), Filter { sorted: true, ..Filter::default() });
    let mut expected = Vec::new();
    store
        .matches(&filter, |row| {
            expected.extend(row.seats().map(|seat| fields(&seat)));
            Ok::<(), StoreError>(())
        })
        .unwrap();
    let faults = expected.iter().filter(|row| row[9] != Field::Null).count();
    assert_eq!(expected.len(), 240);
    assert!(faults > 0 && faults < 240);

    let read = read_back(&store, &filter);
    let columns: Vec<&str> = read[0].get_column_iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        columns,
        [
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
            "elapsed_us"
        ]
    );
    let read: Vec<Vec<Field>> = read
        .iter()
        .map(|row| row.get_column_iter().map(|(_, field)| field.clone()).collect())
        .collect();
    assert_eq!(read, expected);
}

#[test]
fn an_empty_table_is_a_table_too() {
    let nobody = Filter { player: Some("nobody".to_owned()), ..Filter::default() };
    assert!(read_back(&store_of(EXPORTED), &nobody).is_empty());
}
