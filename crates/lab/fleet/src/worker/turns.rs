//! Which tournament has the next free thread of a worker, where several want one: the one whose
//! batches have had the least time for its weight (start-time fair queueing, Goyal, Vin and Cheng
//! 1996). Who comes, or comes back, begins level with the others: time in which it wanted nothing
//! gives no right to more. Only a series of tournaments, such as the generations of a tuning, may
//! catch up a little. A batch pauses between two matches when a tournament waits that has had less.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use tokio::sync::{Notify, Semaphore};
use tokio::time::sleep;

use super::lock::lock;

/// How long a thread stays free for a tournament that comes next but has no batch at hand.
const GRACE: Duration = Duration::from_millis(100);
/// How long a batch plays at least before it pauses for another tournament.
const SLICE: Duration = Duration::from_millis(100);
/// How many seconds of a thread a series of tournaments may catch up that it has not wanted: tuning
/// wants nothing between two generations.
const CREDIT: f64 = 10.0;

/// The turns of a worker's tournaments. Tournaments of one series are one here.
#[derive(Default)]
pub(super) struct Turns {
    table: Mutex<Table>,
    changed: Notify,
}

/// Whether a batch begins, or goes on after a pause.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Entry {
    Begin,
    GoOn,
}

/// While this lives, a tournament has a batch at hand that waits for its turn.
struct InLine<'a> {
    turns: &'a Turns,
    id: &'a str,
    entry: Entry,
}

impl Drop for InLine<'_> {
    fn drop(&mut self) {
        self.turns.table().leave_line(self.id, self.entry);
        self.turns.changed.notify_waiters();
    }
}

impl Turns {
    /// Notes that a tournament has a batch to play. One of a series may catch up a little.
    pub(super) fn want(&self, id: &str, weight: f64, is_of_series: bool) {
        self.table().want(id, weight, if is_of_series { CREDIT } else { 0.0 });
        self.changed.notify_waiters();
    }

    /// Notes that a tournament's queue is empty.
    pub(super) fn rest(&self, id: &str) {
        self.table().rest(id);
        self.changed.notify_waiters();
    }

    /// Waits until the next free thread is a tournament's, and takes its permit. `None` if there
    /// will be no more.
    pub(super) async fn take(&self, id: &str, entry: Entry, free: &Semaphore) -> Option<()> {
        self.table().join_line(id, entry);
        let _in_line = InLine { turns: self, id, entry };
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            let permit = free.acquire().await.ok()?;
            if self.table().begin(id, entry) {
                permit.forget();
                return Some(());
            }
            drop(permit);
            tokio::select! {
                () = changed => {}
                () = sleep(GRACE) => self.table().pass_over(id),
            }
        }
    }

    /// Waits until a tournament may fetch a batch although no thread is free, since others have the
    /// threads to which it has a right.
    pub(super) async fn wait_until_owed(&self, id: &str) {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if self.table().is_owed(id) {
                return;
            }
            changed.await;
        }
    }

    /// Whether a batch that has played for so long pauses, since another tournament waits that has
    /// had less.
    pub(super) fn pauses(&self, id: &str, played: Duration) -> bool {
        played >= SLICE && self.table().pauses(id, played)
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
    /// The numbers of its batches at hand that wait: of all, and of those that have paused.
    waiting: usize,
    paused: usize,
    /// Whether it has more to play.
    wants: bool,
}

impl Share {
    fn new(weight: f64) -> Share {
        let (used, latest, playing) = (0.0, 0.0, 0);
        Share { weight, used, latest, playing, waiting: 0, paused: 0, wants: false }
    }

    fn level(&self) -> f64 {
        self.used + self.playing as f64 * self.latest / self.weight
    }
}

impl Table {
    /// Notes that a tournament has a batch to play. If it wanted nothing before, it begins level
    /// with the others, or so many seconds below.
    fn want(&mut self, id: &str, weight: f64, credit: f64) {
        let others = self.0.iter().filter(|(other, share)| *other != id && share.wants);
        let least = others.map(|(_, share)| share.level()).reduce(f64::min);
        let is_new = !self.0.contains_key(id);
        let share = self.0.entry(id.to_owned()).or_insert(Share::new(weight));
        share.weight = weight;
        if !share.wants {
            let credit = if is_new { 0.0 } else { credit / weight };
            share.used = least.map_or(share.used, |least| share.used.max(least - credit));
        }
        share.wants = true;
    }

    fn rest(&mut self, id: &str) {
        if let Some(share) = self.0.get_mut(id) {
            share.wants = share.waiting > 0;
        }
    }

    fn join_line(&mut self, id: &str, entry: Entry) {
        let share = self.0.entry(id.to_owned()).or_insert(Share::new(1.0));
        share.waiting += 1;
        share.paused += usize::from(entry == Entry::GoOn);
        // A batch at hand is wanted, even if the queue behind it is empty.
        share.wants = true;
    }

    fn leave_line(&mut self, id: &str, entry: Entry) {
        if let Some(share) = self.0.get_mut(id) {
            share.waiting -= 1;
            share.paused -= usize::from(entry == Entry::GoOn);
        }
    }

    /// Begins a batch, unless another tournament comes first, or another batch of this one that has
    /// paused.
    fn begin(&mut self, id: &str, entry: Entry) -> bool {
        let Some(share) = self.0.get(id) else { return true };
        let (own, has_paused) = (share.level(), share.paused > 0);
        let comes_first =
            |(other, share): (&String, &Share)| other != id && share.wants && share.level() < own;
        if (has_paused && entry == Entry::Begin) || self.0.iter().any(comes_first) {
            return false;
        }
        if let Some(share) = self.0.get_mut(id) {
            share.playing += 1;
        }
        true
    }

    /// Whether a tournament without a batch at hand has had less than one that is being played.
    fn is_owed(&self, id: &str) -> bool {
        let own = self.0.get(id).copied().unwrap_or(Share::new(1.0));
        let has_more = |(other, share): (&String, &Share)| {
            other != id && share.playing > 0 && (own.playing == 0 || share.level() > own.level())
        };
        own.waiting == 0 && self.0.iter().any(has_more)
    }

    /// Whether a tournament with a batch at hand has had less than this one, whose batch has played
    /// for so long.
    fn pauses(&self, id: &str, played: Duration) -> bool {
        let Some(share) = self.0.get(id) else { return false };
        let own = share.used + played.as_secs_f64() / share.weight;
        let waits = |(other, share): (&String, &Share)| {
            other != id && share.waiting > 0 && share.level() < own
        };
        self.0.iter().any(waits)
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
            if other != id && share.level() < own && share.waiting == 0 {
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
                table.want(id, *weight, 0.0);
            }
            let next =
                tournaments.iter().position(|(id, ..)| table.begin(id, Entry::Begin)).unwrap();
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
    fn a_series_catches_up_what_it_did_not_want_for_a_moment() {
        let mut table = Table::default();
        let [a, b] = [("a", 1.0, 1), ("b", 1.0, 1)];
        play(&mut table, &[a, b], 10);
        table.rest("b");
        play(&mut table, &[a], 4);
        table.want("b", 1.0, CREDIT);
        assert_eq!(play(&mut table, &[a, b], 20), [8, 12], "the four seconds that it is behind");
        table.rest("b");
        play(&mut table, &[a], 1_000);
        table.want("b", 1.0, CREDIT);
        assert_eq!(play(&mut table, &[a, b], 100), [45, 55], "no more than its credit");
    }

    #[test]
    fn a_batch_pauses_for_who_waits_and_has_had_less() {
        let mut table = Table::default();
        table.want("a", 1.0, 0.0);
        assert!(table.begin("a", Entry::Begin));
        table.want("b", 3.0, 0.0);
        let second = Duration::from_secs(1);
        assert!(!table.pauses("a", second), "b has no batch at hand");
        assert!(table.is_owed("b"), "so it fetches one, although no thread is free");
        table.join_line("b", Entry::Begin);
        assert!(!table.is_owed("b") && !table.is_owed("a"), "one is enough");
        assert!(table.pauses("a", second));
        table.end("a", second);
        table.join_line("a", Entry::GoOn);
        assert!(!table.begin("a", Entry::GoOn) && table.begin("b", Entry::Begin));
        table.leave_line("b", Entry::Begin);
        table.join_line("b", Entry::Begin);
        assert!(!table.pauses("b", 2 * second), "it has three times the weight");
        table.end("b", 4 * second);
        assert!(!table.begin("a", Entry::Begin), "what has paused comes first");
        assert!(table.begin("a", Entry::GoOn));
    }

    #[test]
    fn nobody_waits_for_a_tournament_that_does_not_come() {
        let mut table = Table::default();
        table.want("a", 1.0, 0.0);
        table.want("b", 1.0, 0.0);
        assert!(table.begin("a", Entry::Begin));
        table.end("a", Duration::from_secs(1));
        assert!(!table.begin("a", Entry::Begin), "b comes first");
        table.pass_over("a");
        assert!(table.begin("a", Entry::Begin));
    }

    #[test]
    fn batches_that_are_being_played_count_as_the_latest() {
        let mut table = Table::default();
        play(&mut table, &[("a", 1.0, 4), ("b", 1.0, 4)], 8);
        assert!(table.begin("a", Entry::Begin));
        assert!(!table.begin("a", Entry::Begin), "its share is on the way");
        assert!(table.begin("b", Entry::Begin));
    }
}
