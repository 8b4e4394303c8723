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
const PATIENCE: f64 = 30.0;
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
pub fn main() {
    let mut rng = Rng::from_seed(7);
    let mut sizer = BatchSizer::new();
    let mut events: BinaryHeap<Reverse<(u64, u64, Event)>> = BinaryHeap::new();
    let mut order = 0;
    let mut at = |events: &mut BinaryHeap<_>, seconds: f64, event: Event| {
        order += 1;
        events.push(Reverse(((seconds * 1e9) as u64, order, event)));
    };
    let mut workers: Vec<Worker> = (0..WORKERS)
        .map(|number| {
            let slow = number % STRAGGLERS == 0;
            Worker { version: 1, slow, life: 0, holds: None }
        })
        .collect();
    // The batches that are published, by number: first match and length.
    let mut batches: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
    let (mut queue, mut idle) = (VecDeque::<u64>::new(), VecDeque::<usize>::new());
    let (mut next, mut number) = (0u64, 0u64);
    let mut stored = vec![false; MATCHES as usize];
    let mut lost: Vec<(u64, u64)> = Vec::new();
    let (mut done, mut out, mut again) = (0u64, 0u64, 0u64);
    let (mut published, mut backups, mut backed_up) = (0.0, 0, 0u64);
    let (mut deaths, mut losses, mut given_back) = (0u64, 0u64, 0u64);
    let mut played_by = [0u64; 3];
    let (mut busy_until, mut last_stored) = (0.0f64, 0.0f64);
    let (mut stall, mut stalled_at) = (0.0f64, 0.0f64);
    for worker in 0..WORKERS {
        at(&mut events, worker as f64 * 1e-5, Event::Request(worker));
        at(&mut events, UPGRADE + worker as f64 / REPLACED, Event::Replace(worker));
    }
    at(&mut events, 1.0, Event::Look);
    let mut now = 0.0;
    while done < MATCHES {
        while out < sizer.window() && (next < MATCHES || !lost.is_empty()) {
            let (first, size) = match lost.pop() {
                Some(again) => again,
                None => {
                    let size = sizer.next_size(MATCHES - next).min(MATCHES - next);
                    next += size;
                    (next - size, size)
                }
            };
            number += 1;
            published = now;
            batches.insert(number, (first, size));
            queue.push_back(number);
            out += size;
            busy_until = busy_until.max(now) + BATCH;
        }
        while let (Some(&batch), Some(&worker)) = (queue.front(), idle.front()) {
            queue.pop_front();
            idle.pop_front();
            let Some(&(_, size)) = batches.get(&batch) else {
                idle.push_front(worker);
                continue;
            };
            let (life, slow) = (workers[worker].life, workers[worker].slow);
            workers[worker].holds = Some((batch, life));
            if rng.below(DEATHS) == 0 {
                deaths += 1;
                workers[worker].holds = None;
                workers[worker].life += 1;
                at(&mut events, now + PATIENCE, Event::Silent(batch));
                at(&mut events, now + PATIENCE / 3.0, Event::Request(worker));
                continue;
            }
            let pace = if slow { SLOWNESS } else { 0.5 + rng.below(1000) as f64 / 1000.0 };
            let time = 2.0 * DELAY + size as f64 * MATCH * pace;
            at(&mut events, now + time, Event::Finished(worker, batch));
        }
        let Some(Reverse((nanoseconds, _, event))) = events.pop() else { break };
        now = nanoseconds as f64 / 1e9;
        match event {
            Event::Request(worker) => idle.push_back(worker),
            Event::Finished(worker, batch) => {
                let life = workers[worker].life;
                if workers[worker].holds != Some((batch, life)) {
                    continue;
                }
                workers[worker].holds = None;
                idle.push_back(worker);
                let Some(&(_, size)) = batches.get(&batch) else { continue };
                played_by[usize::from(workers[worker].version)] += size;
                if rng.below(LOSSES) == 0 {
                    // It stays unanswered until the queue has run dry.
                    losses += 1;
                    continue;
                }
                busy_until = busy_until.max(now) + size as f64 * RECORD;
                at(&mut events, busy_until, Event::Stored(batch));
            }
            Event::Silent(batch) => {
                if batches.contains_key(&batch) {
                    queue.push_front(batch);
                }
            }
            Event::Stored(batch) => {
                let Some((first, size)) = batches.remove(&batch) else { continue };
                let before = done;
                for index in first..first + size {
                    again += u64::from(stored[index as usize]);
                    done += u64::from(!stored[index as usize]);
                    stored[index as usize] = true;
                }
                out = out.saturating_sub(size);
                if done == before {
                    continue;
                }
                (0..size.min(64)).for_each(|_| sizer.record_match(Duration::from_secs_f64(MATCH)));
                if now - last_stored > stall {
                    (stall, stalled_at) = (now - last_stored, now);
                }
                last_stored = now;
            }
            Event::Look => {
                let in_play = workers.iter().filter(|worker| worker.holds.is_some()).count() as u64;
                sizer.observe(in_play, queue.len() as u64);
                if !queue.is_empty() {
                    published = now;
                }
                let nothing_left = next == MATCHES && lost.is_empty() && queue.is_empty();
                let delay = sizer.backup_delay(backups).map(|delay| delay.as_secs_f64());
                let takes_long = delay.is_some_and(|delay| now - published >= delay);
                if nothing_left && (in_play == 0 || takes_long) {
                    // Matches without an answer are published again, one by one: they got lost, or
                    // are with a slow worker.
                    let open = batches.values().flat_map(|&(first, size)| first..first + size);
                    lost.extend(open.filter(|&one| !stored[one as usize]).map(|one| (one, 1)));
                    backed_up += lost.len() as u64;
                    backups += 1;
                    out = 0;
                }
                at(&mut events, now + 1.0, Event::Look);
            }
            Event::Replace(worker) => {
                let old = &mut workers[worker];
                old.version = 2;
                old.life += 1;
                if let Some((batch, _)) = old.holds.take() {
                    given_back += 1;
                    queue.push_front(batch);
                    at(&mut events, now + 1.0, Event::Request(worker));
                }
            }
        }
    }
    println!(
        "{done} of {MATCHES} matches by {WORKERS} workers in {now:.0} s, {again} of which came twice \
         and count once; {deaths} batches died with their worker, {losses} packets were lost, \
         {given_back} batches given back by the upgrade, {backed_up} matches handed out again at \
         the end; {} matches by the old version, {} by the new one; nothing was \
         stored for {stall:.2} s at most, up to second {stalled_at:.0}",
        played_by[1], played_by[2],
    );
    assert!(done == MATCHES && stall < 5.0);
}
