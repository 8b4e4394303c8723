//! Finds where a tournament over many machines saturates, by simulation where machines are
//! missing: `cargo run --release -p quintain-fleet --example saturation`.
//!
//! This is a discrete-event simulation (workers behind delayed links, one server, one coordinator
//! with its store) that uses the real rule for the size and number of batches. The cost of each
//! step is measured on one machine by the example `queue` and is listed in [`Costs`]. The
//! simulation knows nothing of lost messages, disks that stall or networks that fill up.

#[path = "../src/batch_sizer.rs"]
#[allow(dead_code, reason = "no worker is slow here")]
mod batch_sizer;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::time::Duration;

use batch_sizer::BatchSizer;

/// Seconds of processor time, as `queue` has measured them.
struct Costs {
    /// The coordinator's cost of a record: inflate, check, insert, and its part of the commit.
    record: f64,
    /// The coordinator's cost of a batch: number, encode, publish, acknowledge.
    batch: f64,
    /// The server's cost of a batch, from its publication to the acknowledgement of its records.
    server_batch: f64,
    /// The server's cost of a record: its bytes, in and out.
    server_record: f64,
}

const COSTS: Costs =
    Costs { record: 25e-6, batch: 500e-6, server_batch: 500e-6, server_record: 2e-6 };

/// What happens, when, and to whom. Times are nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A worker's request for a batch is at the server.
    Request,
    /// A worker's records of this many matches are at the server.
    Finished(u64),
    /// They are at the coordinator.
    Stored(u64),
}

/// A resource that does one thing after another.
#[derive(Default)]
struct Serial {
    free: f64,
    busy: f64,
}

impl Serial {
    /// Returns when work that comes at `now` is done.
    fn take(&mut self, now: f64, cost: f64) -> f64 {
        self.free = self.free.max(now) + cost;
        self.busy += cost;
        self.free
    }
}

struct Outcome {
    seconds: f64,
    coordinator: f64,
    server: f64,
    /// The most matches that were out at one time.
    out: u64,
}

fn simulate(threads: u64, match_time: f64, delay: f64, matches: u64) -> Outcome {
    let (mut coordinator, mut server) = (Serial::default(), Serial::default());
    let mut sizer = BatchSizer::new();
    let mut events = BinaryHeap::new();
    let at = |seconds: f64| Reverse((seconds * 1e9) as u64);
    let (mut queue, mut waiting) = (VecDeque::new(), 0u64);
    let (mut published, mut done, mut playing, mut most_out) = (0u64, 0u64, 0u64, 0u64);
    let mut looked = 0.0;
    for thread in 0..threads {
        // The threads do not all start at the same moment.
        events.push((at(delay + thread as f64 * 1e-5), Event::Request));
    }
    let mut now = 0.0;
    while done < matches {
        while published < matches && published - done < sizer.window() {
            let size = sizer.next_size(matches - published).min(matches - published);
            let sent = coordinator.take(now, COSTS.batch);
            server.take(sent, COSTS.server_batch / 2.0);
            queue.push_back(size);
            published += size;
        }
        most_out = most_out.max(published - done);
        while waiting > 0
            && let Some(size) = queue.pop_front()
        {
            waiting -= 1;
            playing += 1;
            let given = server.take(now, COSTS.server_batch / 4.0);
            let over = given + delay + size as f64 * match_time;
            events.push((at(over + delay), Event::Finished(size)));
            events.push((at(over + delay), Event::Request));
        }
        let Some((Reverse(nanoseconds), event)) = events.pop() else { break };
        now = now.max(nanoseconds as f64 / 1e9);
        match event {
            Event::Request => waiting += 1,
            Event::Finished(size) => {
                playing -= 1;
                let cost = COSTS.server_batch / 4.0 + size as f64 * COSTS.server_record;
                events.push((at(server.take(now, cost)), Event::Stored(size)));
            }
            Event::Stored(size) => {
                let stored = coordinator.take(now, size as f64 * COSTS.record);
                now = now.max(stored);
                for _ in 0..size.min(64) {
                    sizer.record_match(Duration::from_secs_f64(match_time));
                }
                done += size;
            }
        }
        if now - looked >= 1.0 {
            looked = now;
            sizer.observe(playing, queue.len() as u64);
        }
    }
    let share = |resource: &Serial| resource.busy / now;
    Outcome {
        seconds: now,
        coordinator: share(&coordinator),
        server: share(&server),
        out: most_out,
    }
}

fn main() {
    println!(
        "workers × threads  match      link   matches/s  of ideal  coordinator  server  out     \
         10^8 matches"
    );
    for (workers, threads) in [(1, 8), (10, 8), (100, 8), (1000, 8)] {
        for match_time in [0.001, 0.01, 0.1, 1.0, 10.0] {
            for delay in [0.0005, 0.1] {
                let all = workers * threads;
                let ideal = all as f64 / match_time;
                // Long enough that the beginning and the end carry little weight.
                let matches = (ideal * 300.0).min(3e7) as u64;
                let outcome = simulate(all, match_time, delay, matches);
                let rate = matches as f64 / outcome.seconds;
                println!(
                    "{workers:7} × {threads:<7} {:>8} ms {:>6} ms {rate:>10.0} {:>8.0} % {:>10.0} \
                     % \
                     {:>6.0} %  {:<7} {:>8.1} h",
                    match_time * 1e3,
                    delay * 1e3,
                    100.0 * rate / ideal,
                    100.0 * outcome.coordinator,
                    100.0 * outcome.server,
                    outcome.out,
                    1e8 / rate / 3600.0,
                );
            }
        }
    }
}
