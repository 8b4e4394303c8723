//! Plays many matches of a trivial game through a NATS server and prints the rate:
//! `cargo run --release -p quintain-fleet --example queue -- ADDRESS [MATCHES] [WORKERS]
//! [WORK]`. Workers are processes of one thread; WORK 6000 makes a match cost some 15 µs
//! more.

#[path = "../../arena/tests/arena/count.rs"]
#[allow(dead_code)]
mod count;

use std::error::Error;
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{SystemTime, UNIX_EPOCH};

use quintain_arena::{Shard, Tournament, run_on};
use quintain_fleet::{Fleet, FleetOptions, NatsServer, WorkerOptions, work};
use quintain_store::Store;

/// Processor time of a process, all threads, in seconds (Linux, to 10 ms).
fn processor(process: &str) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = after_name.split_whitespace().skip(11).take(2);
    ticks.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// Processor time of the server, if it runs on this machine.
fn server_processor() -> f64 {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let names = processes.filter_map(|process| process.file_name().into_string().ok());
    let is_server = |id: &String| {
        std::fs::read_to_string(format!("/proc/{id}/comm")).is_ok_and(|n| n.trim() == "nats-server")
    };
    names.filter(is_server).map(|id| processor(&id)).sum()
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [mode, address] = &arguments[..]
        && mode == "worker"
    {
        let stop = Arc::new(AtomicBool::new(false));
        let options = WorkerOptions {
            threads: 1,
            stop,
            idle: None,
            name: None,
            make_player: None,
            make_module: None,
            lists_programs: false,
            owner: None,
            pace: None,
        };
        work(&address.parse()?, &count::catalog(), &options, |_| {})?;
        return Ok(());
    }
    let address = arguments.first().ok_or("which server? such as nats://127.0.0.1:4222")?;
    let number = |index: usize, usual: u64| {
        arguments.get(index).map_or(Ok(usual), |text| text.parse::<u64>())
    };
    let (matches, workers, work) = (number(1, 100_000)?, number(2, 2)?, number(3, 0)?);
    let server: NatsServer = address.parse()?;
    // The name is unique, so that nothing left at the server by an earlier run is taken up.
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis();
    let text = format!(
        "name = 'queue {now}'\ngame = 'count'\nscenarios = ['table?work={work}']\n\
         players = ['random', 'steady']\nseeds = {}",
        matches.div_ceil(2)
    );
    let tournament = Tournament::parse(&text, "queue.toml", &count::catalog())?;
    let directory = tempfile::tempdir()?;
    let mut store = Store::open(&directory.path().join("store.db"))?;
    let own = std::env::current_exe()?;
    let started = (0..workers).map(|_| Command::new(&own).args(["worker", address]).spawn());
    let mut children = started.collect::<Result<Vec<Child>, _>>()?;
    let fleet = Fleet::new(server, &tournament, Shard::WHOLE, FleetOptions::default());
    let stop = Arc::new(AtomicBool::new(false));
    let before = (processor("self"), server_processor());
    let summary = run_on(&fleet, &tournament, Shard::WHOLE, &mut store, &stop, &mut |_| {})?;
    let seconds = summary.elapsed.as_secs_f64();
    let each = |used: f64| used * 1e6 / summary.played as f64;
    let playing: f64 = children.iter().map(|worker| processor(&worker.id().to_string())).sum();
    println!(
        "{} matches by {workers} workers in {seconds:.2} s: {:.0} a second; processor time a \
         match: coordinator {:.1} µs, server {:.1} µs, workers {:.1} µs",
        summary.played,
        summary.played as f64 / seconds,
        each(processor("self") - before.0),
        each(server_processor() - before.1),
        each(playing),
    );
    for worker in &mut children {
        worker.kill()?;
        worker.wait()?;
    }
    Ok(())
}
