//! Which tournament has the next free thread of a worker, where several want one: the one whose
//! batches have had the least time for its weight (start-time fair queueing, Goyal, Vin and Cheng
//! 1996). Who comes, or comes back, begins level with the others: time in which it wanted nothing
//! gives no right to more.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use tokio::sync::{Notify, Semaphore};
use tokio::time::sleep;

use super::lock::lock;

/// How long a thread stays free for a tournament that comes next but has no batch at hand.
const GRACE: Duration = Duration::from_millis(100);

/// The turns of a worker's tournaments.
#[derive(Default)]
pub(super) struct Turns {
    table: Mutex<Table>,
    changed: Notify,
}

impl Turns {
    /// Notes that a tournament has a batch to play.
    pub(super) fn want(&self, id: &str, weight: f64) {
        self.table().want(id, weight);
        self.changed.notify_waiters();
    }

    /// Notes that a tournament's queue is empty.
    pub(super) fn rest(&self, id: &str) {
        self.table().rest(id);
        self.changed.notify_waiters();
    }

    /// Waits until the next free thread is a tournament's, and takes its permit. `None` if there
    /// will be no more.
    pub(super) async fn take(&self, id: &str, free: &Semaphore) -> Option<()> {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            let permit = free.acquire().await.ok()?;
            if self.table().begin(id) {
                permit.forget();
                self.changed.notify_waiters();
                return Some(());
            }
            drop(permit);
            tokio::select! {
                () = changed => {}
                () = sleep(GRACE) => self.table().pass_over(id),
            }
        }
    }

    /// Charges a tournament for a batch that has taken a thread so long.
    pub(super) fn end(&self, id: &str, took: Duration) {
        self.table().end(id, took);
        self.changed.notify_waiters();
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        lock(&self.table)
    }
}

/// The time that tournaments have had, by their ids.
#[derive(Default)]
struct Table(HashMap<String, Share>);

#[derive(Clone, Copy)]
struct Share {
    weight: f64,
    /// Seconds of threads for its weight, from the level at which it came.
    used: f64,
    /// Seconds that its latest batch has taken: what one that is being played will presumably take.
    latest: f64,
    /// The number of its batches that are being played.
    playing: usize,
    /// Whether it has more to play.
    wants: bool,
}

impl Share {
    fn level(&self) -> f64 {
        self.used + self.playing as f64 * self.latest / self.weight
    }
}

impl Table {
    fn want(&mut self, id: &str, weight: f64) {
        let others = self.0.iter().filter(|(other, share)| *other != id && share.wants);
        let least = others.map(|(_, share)| share.level()).reduce(f64::min);
        let new = Share { weight, used: 0.0, latest: 0.0, playing: 0, wants: false };
        let share = self.0.entry(id.to_owned()).or_insert(new);
        share.weight = weight;
        if !share.wants {
            share.used = least.map_or(share.used, |least| share.used.max(least));
        }
        share.wants = true;
    }

    fn rest(&mut self, id: &str) {
        if let Some(share) = self.0.get_mut(id) {
            share.wants = false;
        }
    }

    /// Begins a batch, unless another tournament comes first.
    fn begin(&mut self, id: &str) -> bool {
        let Some(own) = self.0.get(id).map(Share::level) else { return true };
        if self.0.iter().any(|(other, share)| other != id && share.wants && share.level() < own) {
            return false;
        }
        if let Some(share) = self.0.get_mut(id) {
            share.playing += 1;
        }
        true
    }

    fn end(&mut self, id: &str, took: Duration) {
        if let Some(share) = self.0.get_mut(id) {
            share.latest = took.as_secs_f64();
            share.used += share.latest / share.weight;
            share.playing = share.playing.saturating_sub(1);
        }
    }

    /// Lets a tournament come before those that had a right to be first and did not come.
    fn pass_over(&mut self, id: &str) {
        let Some(own) = self.0.get(id).map(Share::level) else { return };
        for (other, share) in &mut self.0 {
            if other != id && share.level() < own {
                share.wants = false;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays batches on one thread until so many seconds are over; returns the seconds of each
    /// tournament. `batches` says how long a batch of each takes.
    fn play(table: &mut Table, tournaments: &[(&str, f64, u64)], seconds: u64) -> Vec<u64> {
        let mut had = vec![0; tournaments.len()];
        while had.iter().sum::<u64>() < seconds {
            for (id, weight, _) in tournaments {
                table.want(id, *weight);
            }
            let next = tournaments.iter().position(|(id, ..)| table.begin(id)).unwrap();
            let (id, _, batch) = tournaments[next];
            table.end(id, Duration::from_secs(batch));
            had[next] += batch;
        }
        had
    }

    #[test]
    fn equal_weights_have_equal_time_however_long_their_batches_are() {
        let had = play(&mut Table::default(), &[("a", 1.0, 1), ("b", 1.0, 7)], 10_000);
        assert!(had[0].abs_diff(had[1]) <= 7, "{had:?}");
    }

    #[test]
    fn time_is_shared_by_weight() {
        let all = [("a", 3.0, 2), ("b", 1.0, 5), ("c", 0.5, 1)];
        let had = play(&mut Table::default(), &all, 9_000);
        for (time, wanted) in had.iter().zip([6_000, 2_000, 1_000]) {
            assert!(time.abs_diff(wanted) <= 20, "{had:?}");
        }
    }

    #[test]
    fn who_wanted_nothing_for_a_while_has_no_right_to_more() {
        let mut table = Table::default();
        let [a, b] = [("a", 1.0, 1), ("b", 1.0, 1)];
        play(&mut table, &[a, b], 10);
        table.rest("b");
        play(&mut table, &[a], 1_000);
        assert_eq!(play(&mut table, &[a, b], 100), [50, 50]);
    }

    #[test]
    fn nobody_waits_for_a_tournament_that_does_not_come() {
        let mut table = Table::default();
        table.want("a", 1.0);
        table.want("b", 1.0);
        assert!(table.begin("a"));
        table.end("a", Duration::from_secs(1));
        assert!(!table.begin("a"), "b comes first");
        table.pass_over("a");
        assert!(table.begin("a"));
    }

    #[test]
    fn batches_that_are_being_played_count_as_the_latest() {
        let mut table = Table::default();
        play(&mut table, &[("a", 1.0, 4), ("b", 1.0, 4)], 8);
        assert!(table.begin("a"));
        assert!(!table.begin("a"), "its share is on the way");
        assert!(table.begin("b"));
    }
}
