//! Plays many trivial matches into a store on disk and prints rate and memory as it
//! goes, then those of the standings: `cargo run --release -p quintain-arena --example
//! many_matches [MATCHES] [THREADS] [PLAYERS] [SCENARIOS] [WORK]`. WORK 6000 makes a match
//! cost some 15 µs more.

#[path = "../tests/arena/count.rs"]
#[allow(dead_code)]
mod count;

use std::error::Error;
use std::time::{Duration, Instant};

use quintain_arena::{RunOptions, Tournament, run, standings_of};
use quintain_store::Store;

/// Resident memory of this process and its peak, in MiB (Linux).
fn memory() -> (u64, u64) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let field = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name)).unwrap_or_default();
        line.split_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) / 1024
    };
    (field("VmRSS:"), field("VmHWM:"))
}

/// Processor time of this process, all threads, in seconds (Linux, to 10 ms): what a run costs even
/// if other programs share the cores.
fn processor() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = after_name.split_whitespace().skip(11).take(2);
    ticks.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let matches: u64 = arguments.next().map_or(Ok(1_000_000), |text| text.parse())?;
    let mut options = RunOptions::default();
    if let Some(threads) = arguments.next() {
        options.threads = threads.parse()?;
    }
    let players: usize = arguments.next().map_or(Ok(2), |text| text.parse())?;
    let scenarios: u64 = arguments.next().map_or(Ok(1), |text| text.parse())?;
    let work: u64 = arguments.next().map_or(Ok(0), |text| text.parse())?;
    let roster = ["random", "steady", "steady?add=2", "steady?add=3", "hooked", "herald"];
    let roster = roster.get(..players).filter(|some| some.len() >= 2);
    let roster = roster.ok_or("there are 2 to 6 players")?;
    let tables: Vec<String> =
        (0..scenarios).map(|more| format!("table?target={}&work={work}", 10 + more)).collect();
    // Each pair of players, on both sides.
    let each_seed = (players * (players - 1)) as u64 * scenarios.max(1);
    let text = format!(
        "name = 'many'\ngame = 'count'\nscenarios = {tables:?}\nplayers = {roster:?}\nseeds = {}",
        matches.div_ceil(each_seed)
    );
    let tournament = Tournament::parse(&text, "many.toml", &count::catalog())?;
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("store.db");

    let play = |title: &str| -> Result<(), Box<dyn Error>> {
        let mut store = Store::open(&path)?;
        let mut printed = Instant::now();
        let processor_before = processor();
        let summary = run(&tournament, &mut store, &options, &mut |progress| {
            if printed.elapsed() > Duration::from_secs(2) {
                let (now, _) = memory();
                println!("{:>9} done, {now} MiB", progress.done + progress.skipped);
                printed = Instant::now();
            }
        })?;
        let (now, peak) = memory();
        let seconds = summary.elapsed.as_secs_f64();
        let met = (summary.played + summary.skipped) as f64;
        println!(
            "{title}: {} played, {} skipped in {seconds:.2} s, {:.0} a second; \
             processor {:.2} µs each; {now} MiB, peak {peak} MiB",
            summary.played,
            summary.skipped,
            met / seconds,
            (processor() - processor_before) * 1e6 / met,
        );
        Ok(())
    };
    println!("{} threads", options.threads);
    play("first run")?;
    play("second run")?;

    let begun = Instant::now();
    let store = Store::open_to_read(&path)?;
    let standings = standings_of(&store, &store.tournament(None)?)?;
    let (now, peak) = memory();
    println!(
        "{players} players, {scenarios} scenarios: standings of {} matches in {:.2} s; {now} MiB, \
         peak {peak} MiB; store {} MiB",
        standings.matches,
        begun.elapsed().as_secs_f64(),
        std::fs::metadata(&path)?.len() >> 20,
    );
    Ok(())
}
