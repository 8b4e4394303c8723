//! Simulates ten thousand workers with stragglers, losses and a rolling upgrade:
//! `cargo run --release -p quintain-fleet --example rollout`. One line says what became of every
//! match; the program fails if one is lost, or if nothing was stored for five seconds.
//!
//! This is a discrete-event simulation in which time is drawn, and nothing sleeps. The rule for the
//! size and number of batches is the real one. The queue, the redelivery after a patience, and the
//! publication of what got lost follow the coordinator's, written again in a few lines. Workers of
//! two versions are at work at once: both use the same messages, and each batch is played by
//! whichever worker pulls it.

#[path = "../src/batch_sizer.rs"]
#[allow(dead_code, reason = "nobody is started or ended by the work that is left here")]
mod batch_sizer;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::time::Duration;

use batch_sizer::BatchSizer;
use quintain_core::Rng;

const WORKERS: usize = 10_000;
const MATCHES: u64 = 30_000_000;
/// Times in seconds. A match takes one on average; records are stored at the measured rate.
const MATCH: f64 = 1.0;
const RECORD: f64 = 25e-6;
const BATCH: f64 = 500e-6;
const DELAY: f64 = 0.05;
const SILENCE_TIMEOUT: f64 = 30.0;
/// One worker in this many is a straggler, and takes this many times as long.
const STRAGGLERS: usize = 100;
const SLOWNESS: f64 = 20.0;
/// One batch in this many dies with its worker, which is replaced by another.
const DEATHS: usize = 2_000;
/// One packet in this many is dropped by the server after the batch was acknowledged.
const LOSSES: usize = 20_000;
/// The upgrade: when it begins, and how many workers it replaces per second.
const UPGRADE: f64 = 60.0;
const REPLACED: f64 = 20.0;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A worker asks for a batch.
    Request(usize),
    /// A worker has played a batch.
    Finished(usize, u64),
    /// A batch without a sign of life is given to another.
    Silent(u64),
    /// Records are in the store.
    Stored(u64),
    /// The coordinator looks at its queues.
    Look,
    /// The next worker is replaced by one of the new version, giving back what it plays.
    Replace(usize),
}

struct Worker {
    version: u8,
    slow: bool,
    /// Changes when the worker is replaced: what it was playing before then belongs to nobody.
    life: u32,
    holds: Option<(u64, u32)>,
}

/// Runs the simulation.
/// What happened in the end.
#[derive(Default)]
struct Counts {
    again: u64,
    backed_up: u64,
    deaths: u64,
    losses: u64,
    given_back: u64,
    /// Matches by the version of the worker.
    played_by: [u64; 3],
}

struct Simulation {
    rng: Rng,
    sizer: BatchSizer,
    events: BinaryHeap<Reverse<(u64, u64, Event)>>,
    /// The number of events so far, which orders those of one moment.
    order: u64,
    now: f64,
    workers: Vec<Worker>,
    /// The batches that are published, by number: first match and length.
    batches: BTreeMap<u64, (u64, u64)>,
    queue: VecDeque<u64>,
    idle: VecDeque<usize>,
    /// The next match to be published, and the number of the last batch.
    next: u64,
    number: u64,
    stored: Vec<bool>,
    /// Matches to be published again: first and length.
    lost: Vec<(u64, u64)>,
    done: u64,
    out: u64,
    published: f64,
    backups: u32,
    busy_until: f64,
    last_stored: f64,
    /// The longest time in which nothing was stored, and its end.
    stall: f64,
    stalled_at: f64,
    counts: Counts,
}

/// Runs the simulation, which fails if a match is lost or nothing is stored for five seconds.
pub fn main() {
    let mut simulation = Simulation::new();
    simulation.run();
    simulation.report();
    assert!(simulation.done == MATCHES && simulation.stall < 5.0);
}

impl Simulation {
    fn new() -> Simulation {
        let worker = |number: usize| Worker {
            version: 1,
            slow: number.is_multiple_of(STRAGGLERS),
            life: 0,
            holds: None,
        };
        let mut simulation = Simulation {
            rng: Rng::from_seed(7),
            sizer: BatchSizer::new(),
            events: BinaryHeap::new(),
            order: 0,
            now: 0.0,
            workers: (0..WORKERS).map(worker).collect(),
            batches: BTreeMap::new(),
            queue: VecDeque::new(),
            idle: VecDeque::new(),
            next: 0,
            number: 0,
            stored: vec![false; MATCHES as usize],
            lost: Vec::new(),
            done: 0,
            out: 0,
            published: 0.0,
            backups: 0,
            busy_until: 0.0,
            last_stored: 0.0,
            stall: 0.0,
            stalled_at: 0.0,
            counts: Counts::default(),
        };
        for worker in 0..WORKERS {
            simulation.at(worker as f64 * 1e-5, Event::Request(worker));
            simulation.at(UPGRADE + worker as f64 / REPLACED, Event::Replace(worker));
        }
        simulation.at(1.0, Event::Look);
        simulation
    }

    fn at(&mut self, seconds: f64, event: Event) {
        self.order += 1;
        self.events.push(Reverse(((seconds * 1e9) as u64, self.order, event)));
    }

    fn run(&mut self) {
        while self.done < MATCHES {
            self.publish();
            self.hand_out();
            let Some(Reverse((nanoseconds, _, event))) = self.events.pop() else { break };
            self.now = nanoseconds as f64 / 1e9;
            match event {
                Event::Request(worker) => self.idle.push_back(worker),
                Event::Finished(worker, batch) => self.finish(worker, batch),
                Event::Silent(batch) => {
                    if self.batches.contains_key(&batch) {
                        self.queue.push_front(batch);
                    }
                }
                Event::Stored(batch) => self.store(batch),
                Event::Look => self.look(),
                Event::Replace(worker) => self.replace(worker),
            }
        }
    }

    /// Publishes batches while fewer matches are out than workers can use.
    fn publish(&mut self) {
        while self.out < self.sizer.window() && (self.next < MATCHES || !self.lost.is_empty()) {
            let (first, size) = match self.lost.pop() {
                Some(again) => again,
                None => {
                    let size = self.sizer.next_size(MATCHES - self.next).min(MATCHES - self.next);
                    self.next += size;
                    (self.next - size, size)
                }
            };
            self.number += 1;
            self.published = self.now;
            self.batches.insert(self.number, (first, size));
            self.queue.push_back(self.number);
            self.out += size;
            self.busy_until = self.busy_until.max(self.now) + BATCH;
        }
    }

    /// Gives the batches that wait to the workers that are idle.
    fn hand_out(&mut self) {
        while let (Some(&batch), Some(&worker)) = (self.queue.front(), self.idle.front()) {
            self.queue.pop_front();
            self.idle.pop_front();
            let Some(&(_, size)) = self.batches.get(&batch) else {
                self.idle.push_front(worker);
                continue;
            };
            let (life, slow) = (self.workers[worker].life, self.workers[worker].slow);
            self.workers[worker].holds = Some((batch, life));
            if self.rng.below(DEATHS) == 0 {
                self.counts.deaths += 1;
                self.workers[worker].holds = None;
                self.workers[worker].life += 1;
                self.at(self.now + SILENCE_TIMEOUT, Event::Silent(batch));
                self.at(self.now + SILENCE_TIMEOUT / 3.0, Event::Request(worker));
                continue;
            }
            let pace = if slow { SLOWNESS } else { 0.5 + self.rng.below(1000) as f64 / 1000.0 };
            let time = 2.0 * DELAY + size as f64 * MATCH * pace;
            self.at(self.now + time, Event::Finished(worker, batch));
        }
    }

    fn finish(&mut self, worker: usize, batch: u64) {
        let life = self.workers[worker].life;
        if self.workers[worker].holds != Some((batch, life)) {
            return;
        }
        self.workers[worker].holds = None;
        self.idle.push_back(worker);
        let Some(&(_, size)) = self.batches.get(&batch) else { return };
        self.counts.played_by[usize::from(self.workers[worker].version)] += size;
        if self.rng.below(LOSSES) == 0 {
            // It stays unanswered until the queue has run dry.
            self.counts.losses += 1;
            return;
        }
        self.busy_until = self.busy_until.max(self.now) + size as f64 * RECORD;
        self.at(self.busy_until, Event::Stored(batch));
    }

    fn store(&mut self, batch: u64) {
        let Some((first, size)) = self.batches.remove(&batch) else { return };
        let before = self.done;
        for stored in &mut self.stored[first as usize..(first + size) as usize] {
            self.counts.again += u64::from(*stored);
            self.done += u64::from(!*stored);
            *stored = true;
        }
        self.out = self.out.saturating_sub(size);
        if self.done == before {
            return;
        }
        for _ in 0..size.min(64) {
            self.sizer.record_match(Duration::from_secs_f64(MATCH));
        }
        if self.now - self.last_stored > self.stall {
            (self.stall, self.stalled_at) = (self.now - self.last_stored, self.now);
        }
        self.last_stored = self.now;
    }

    fn look(&mut self) {
        let in_play = self.workers.iter().filter(|worker| worker.holds.is_some()).count() as u64;
        self.sizer.observe(in_play, self.queue.len() as u64);
        if !self.queue.is_empty() {
            self.published = self.now;
        }
        let nothing_left = self.next == MATCHES && self.lost.is_empty() && self.queue.is_empty();
        let delay = self.sizer.backup_delay(self.backups).map(|delay| delay.as_secs_f64());
        let takes_long = delay.is_some_and(|delay| self.now - self.published >= delay);
        if nothing_left && (in_play == 0 || takes_long) {
            // Matches without an answer are published again, one by one: they got lost, or are with
            // a slow worker.
            let open = self.batches.values().flat_map(|&(first, size)| first..first + size);
            let open = open.filter(|&one| !self.stored[one as usize]).map(|one| (one, 1));
            self.lost.extend(open);
            self.counts.backed_up += self.lost.len() as u64;
            self.backups += 1;
            self.out = 0;
        }
        self.at(self.now + 1.0, Event::Look);
    }

    fn replace(&mut self, worker: usize) {
        let old = &mut self.workers[worker];
        old.version = 2;
        old.life += 1;
        if let Some((batch, _)) = old.holds.take() {
            self.counts.given_back += 1;
            self.queue.push_front(batch);
            self.at(self.now + 1.0, Event::Request(worker));
        }
    }

    fn report(&self) {
        let Simulation { done, now, stall, stalled_at, .. } = self;
        let Counts { again, backed_up, deaths, losses, given_back, played_by } = &self.counts;
        println!(
            "{done} of {MATCHES} matches by {WORKERS} workers in {now:.0} s, {again} of which came \
             twice and count once; {deaths} batches died with their worker, {losses} packets were \
             lost, {given_back} batches given back by the upgrade, {backed_up} matches handed out \
             again at the end; {} matches by the old version, {} by the new one; nothing was \
             stored for {stall:.2} s at most, up to second {stalled_at:.0}",
            played_by[1], played_by[2],
        );
    }
}
