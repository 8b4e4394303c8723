//! What is written is read back, by the reader of the format's own library.

use std::sync::Arc;

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};
use quintain_arena::{RunOptions, Tournament, run};
use quintain_core::parameters::NoParameters;
use quintain_core::{Catalog, Decision, Fault, Player, PlayerInfo};
use quintain_store::{Filter, SeatRow, Store, StoreError};
use quintain_tron::Tron;

/// Forfeits every match, so that some rows have a fault and others none.
struct Lost;

impl Player<Tron> for Lost {
    fn decide(&mut self, _: &mut Decision<'_, Tron>) -> Result<quintain_tron::Direction, Fault> {
        panic!("lost its way, “naïvely”")
    }
}

fn store() -> Store {
    let entry = quintain_tron::entry().player(
        PlayerInfo { name: "lost", version: 1, summary: "", source: "" },
        |_, _: &NoParameters| Ok(Box::new(Lost) as Box<dyn Player<Tron>>),
    );
    let text = "game = \"tron\"\nformat = \"versus\"\nscenarios = [\"riddles\"]\n\
                players = [\"random\", \"wall-hugger\", \"lost\"]\nseed = 7\nseeds = 3\n";
    let catalog = Catalog::new().with(entry);
    let tournament = Tournament::parse(text, "test.toml", &catalog).unwrap();
    let mut store = Store::in_memory().unwrap();
    let options = RunOptions { threads: 1, stop: Arc::default() };
    run(&tournament, &mut store, &options, &mut |_| {}).unwrap();
    store
}

/// A row of the table as the reader has to show it.
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
    quintain_parquet::write_results(store, filter, &file).unwrap();
    let reader = SerializedFileReader::new(file).unwrap();
    reader.get_row_iter(None).unwrap().collect::<Result<_, _>>().unwrap()
}

#[test]
fn rows_that_are_read_back_are_those_of_the_store() {
    let (store, filter) = (store(), Filter { sorted: true, ..Filter::default() });
    let mut expected = Vec::new();
    store
        .matches(&filter, |row| {
            expected.extend(row.seats().map(|seat| fields(&seat)));
            Ok::<(), StoreError>(())
        })
        .unwrap();
    let faults = expected.iter().filter(|row| row[9] != Field::Null).count();
    assert_eq!((expected.len(), faults), (2 * 18, 12));

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
    assert!(read_back(&store(), &nobody).is_empty());
}
