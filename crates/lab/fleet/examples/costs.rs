//! What a coordinator does with a record, step by step, and what each step costs:
//! `cargo run --release -p quintain-fleet --example costs [RECORDS]`. The records are those of
//! the trivial game of the example `queue`; longer ones cost more to read, check and write.

#[path = "../../arena/tests/arena/count.rs"]
#[allow(dead_code)]
mod count;

use std::error::Error;
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use quintain_arena::Tournament;
use quintain_core::Record;
use quintain_store::{RecordRow, Store};

fn main() -> Result<(), Box<dyn Error>> {
    let records = std::env::args().nth(1).map_or(Ok(100_000), |text| text.parse::<u64>())?;
    let text =
        format!("game = 'count'\nplayers = ['random', 'steady']\nseeds = {}", records.div_ceil(2));
    let tournament = Tournament::parse(&text, "costs.toml", &count::catalog())?;
    let schedule = tournament.schedule();
    let stop = Arc::new(AtomicBool::new(false));
    let played = (0..schedule.len()).map(|index| schedule.play(index, &stop));
    let texts =
        played.map(|record| Ok(record?.to_json())).collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    let measure = |what: &str, step: &mut dyn FnMut() -> Result<(), Box<dyn Error>>| {
        let begun = Instant::now();
        step()?;
        let each = begun.elapsed().as_secs_f64() * 1e6 / texts.len() as f64;
        println!("{each:6.2} µs  {what}");
        Ok::<(), Box<dyn Error>>(())
    };
    let mut read: Vec<Record> = Vec::new();
    measure("read the text, check digest and id", &mut || {
        read = texts.iter().map(|text| Record::from_json(text)).collect::<Result<_, _>>()?;
        Ok(())
    })?;
    measure("the id of the fixture with its number", &mut || {
        (0..schedule.len()).for_each(|index| drop(black_box(schedule.fixture(index).id())));
        Ok(())
    })?;
    measure("play it through the rules", &mut || {
        let mut numbered = (0..).zip(&read);
        numbered.try_for_each(|(index, record)| Ok(schedule.verify(index, record)?))
    })?;
    let mut rows = Vec::new();
    measure("make a row of it", &mut || {
        rows = read.iter().map(|record| RecordRow::new(record, Duration::ZERO)).collect();
        Ok(())
    })?;
    for size in [16, 128, 1024, 8192] {
        let folder = tempfile::tempdir()?;
        let mut store = Store::open(&folder.path().join("store.db"))?;
        let id = store.enter(&tournament.store_entry())?;
        measure(&format!("write it, {size} in a transaction"), &mut || {
            for rows in rows.chunks(size) {
                store.insert(Some(id), rows)?;
            }
            Ok(())
        })?;
    }
    Ok(())
}
