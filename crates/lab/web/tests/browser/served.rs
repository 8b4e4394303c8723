//! A server of pages as a thread of the test, and the tournaments and matches that it shows.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use quintain_arena::{Shard, Threads, Tournament, run_on};
use quintain_core::{Record, Setup};
use quintain_games::catalog;
use quintain_store::{RecordRow, Store};
use quintain_web::standalone::{LIMIT, render_page};
use quintain_web::{Options, Replay, serve};

/// Opens the store of a folder.
pub fn open_store(folder: &Path) -> Store {
    Store::open(&folder.join("s.sqlite")).unwrap()
}

/// Plays a tournament, or a share of it, into the store of a folder.
pub fn play_tournament(folder: &Path, text: &str, share: Shard) {
    let tournament = Tournament::parse(text, "cup.toml", &catalog()).unwrap();
    let mut store = open_store(folder);
    run_on(&Threads(1), &tournament, share, &mut store, &Arc::default(), &mut |_| {}).unwrap();
}

/// Plays a match.
pub fn play_match(game: &str, players: &[&str], scenario: &str, seed: u64) -> Record {
    let catalog = catalog();
    let entry = catalog.entry(game).unwrap();
    let rules = entry.game(scenario).unwrap();
    let players: Vec<_> = players.iter().map(|player| entry.player(player).unwrap()).collect();
    let seats: Vec<_> = players.iter().collect();
    rules.play(&Setup::new(seed).with_notes(true), &seats, None).unwrap()
}

/// Puts the record of a match into the store of a folder.
pub fn keep(folder: &Path, record: &Record) {
    open_store(folder).insert(None, &[RecordRow::new(record, Duration::ZERO)]).unwrap();
}

/// Writes the page of a match into a folder; returns its size.
pub fn write_page(folder: &Path, name: &str, record: &Record) -> usize {
    let game = catalog().game_of(record).unwrap();
    let page = render_page(Replay::of(game.as_ref(), record).unwrap(), LIMIT).unwrap();
    std::fs::write(folder.join(name), &page).unwrap();
    page.len()
}

/// A server of the store of a folder, which ends with the test.
pub struct Server {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    pub fn start(folder: &Path) -> Server {
        Server::start_at(folder, SocketAddr::from(([127, 0, 0, 1], 0)))
    }

    fn start_at(folder: &Path, address: SocketAddr) -> Server {
        let (store, catalog) = (folder.join("s.sqlite"), catalog());
        let (matches, frames) = (<_>::default(), vec!["*".to_owned()]);
        let options = Options { store, catalog, allow_play: true, matches, frames, workers: None };
        let (sender, bound) = mpsc::channel();
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            let ready = |address| sender.send(address).unwrap();
            serve(options, address, ready, || flag.load(Ordering::Relaxed)).unwrap();
        });
        Server { address: bound.recv().unwrap(), stop, thread: Some(thread) }
    }

    /// Ends it, and starts another one at the same address.
    pub fn restart(self, folder: &Path) -> Server {
        let address = self.address;
        drop(self);
        Server::start_at(folder, address)
    }

    pub fn at(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
