//! Which workers lose matches on time that others do not lose. A player's loss on time may be its
//! own fault or the machine's: it is the machine's if the same player hardly ever loses elsewhere.
//!
//! For each player, the share of its matches that it lost on other workers says how many it should
//! have lost on one: at most, as that share is known from so many matches. Of the others, that half
//! counts on which the player lost most often, so that a few that report no losses cannot put
//! honest ones aside. A worker on which so many more were lost that chance explains it in less than
//! one case in a hundred thousand is slow, or its clock is wrong.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::roster::WorkerNumber;

/// The natural logarithm of one in a hundred thousand.
const CERTAIN: f64 = -11.5;
/// The natural logarithm of how rarely a share is larger than it is taken to be at most.
const SHARE_CERTAIN: f64 = -4.6;
/// The fewest losses of a slow worker.
const FEWEST: u64 = 3;

/// What a worker has lost on time, and what it should have lost.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TimeLosses {
    /// Host and process.
    pub who: String,
    /// Its matches.
    pub matches: u64,
    /// Those that a player lost on time.
    pub lost: u64,
    /// How many would be lost at the rate of the other workers.
    pub expected: f64,
    /// Whether its matches do not count.
    pub put_aside: bool,
}

#[derive(Clone, Copy, Default)]
struct Tally {
    matches: u64,
    lost: u64,
}

/// The matches of one player.
#[derive(Default)]
struct OfPlayer {
    all: Tally,
    workers: BTreeMap<WorkerNumber, Tally>,
}

/// All losses on time, by player and worker.
#[derive(Default)]
pub(crate) struct LossTable {
    players: BTreeMap<String, OfPlayer>,
    /// The matches of each worker, and how many of them were lost.
    own: BTreeMap<WorkerNumber, Tally>,
}

impl LossTable {
    /// Notes a worker's match between these players; one may have lost it on time.
    pub(crate) fn note(&mut self, worker: WorkerNumber, seats: &[String], loser: Option<&str>) {
        let mut players: Vec<&String> = seats.iter().collect();
        players.sort_unstable();
        players.dedup();
        for player in players {
            if !self.players.contains_key(player) {
                self.players.insert(player.clone(), OfPlayer::default());
            }
            let of_player = self.players.get_mut(player).expect("it was added");
            for tally in [&mut of_player.all, of_player.workers.entry(worker).or_default()] {
                tally.matches += 1;
                tally.lost += u64::from(loser == Some(player));
            }
        }
        let own = self.own.entry(worker).or_default();
        own.matches += 1;
        own.lost += u64::from(loser.is_some());
    }

    /// Forgets what a worker has played.
    pub(crate) fn forget(&mut self, worker: WorkerNumber) {
        self.own.remove(&worker);
        for of_player in self.players.values_mut() {
            if let Some(own) = of_player.workers.remove(&worker) {
                of_player.all.matches -= own.matches;
                of_player.all.lost -= own.lost;
            }
        }
    }

    /// The workers that have lost anything on time, those that have lost most first.
    pub(crate) fn losers(&self) -> Vec<WorkerNumber> {
        let mut losers: Vec<_> = self.own.iter().filter(|(_, own)| own.lost > 0).collect();
        losers.sort_by_key(|(_, own)| std::cmp::Reverse(own.lost));
        losers.into_iter().map(|(&worker, _)| worker).collect()
    }

    /// What a worker has lost, and what it should have lost, leaving out its name.
    pub(crate) fn losses_of(&self, worker: WorkerNumber) -> TimeLosses {
        self.weigh(worker).0
    }

    /// Whether chance hardly explains what a worker has lost.
    pub(crate) fn is_slow(&self, worker: WorkerNumber) -> bool {
        let (TimeLosses { lost, .. }, chance) = self.weigh(worker);
        lost >= FEWEST && chance < CERTAIN
    }

    /// What a worker has lost, and a bound on the natural logarithm of the chance to lose so many.
    fn weigh(&self, worker: WorkerNumber) -> (TimeLosses, f64) {
        let Tally { matches, lost } = self.own.get(&worker).copied().unwrap_or_default();
        let mut losses = TimeLosses { matches, lost, ..TimeLosses::default() };
        let (mut players, mut chance) = (0_u32, 0.0_f64);
        for OfPlayer { all, workers } in self.players.values() {
            let Some(own) = workers.get(&worker) else { continue };
            let rest = Tally { matches: all.matches - own.matches, lost: all.lost - own.lost };
            losses.expected += own.matches as f64 * rest.share().unwrap_or_else(|| own.rate());
            players += 1;
            let others = workers.iter().filter(|(other, _)| **other != worker);
            let others = pool_half(others.map(|(_, tally)| *tally).collect());
            chance = chance.min(bound_chance(*own, others.largest_share()));
        }
        // It is the least of so many chances.
        (losses, chance + f64::from(players.max(1)).ln())
    }
}

impl Tally {
    fn rate(self) -> f64 {
        self.lost as f64 / self.matches.max(1) as f64
    }

    /// The share that was lost, if anything was played.
    fn share(self) -> Option<f64> {
        (self.matches > 0).then(|| self.rate())
    }

    /// The largest share that is lost in the long run, as far as these matches tell: beyond it, so
    /// few losses would be too unlikely (Chernoff's bound).
    fn largest_share(self) -> f64 {
        let (matches, seen) = (self.matches as f64, self.rate());
        let (mut low, mut high) = (seen, 1.0);
        for _ in 0..40 {
            let middle = f64::midpoint(low, high);
            let is_likely = -matches * divergence(seen, middle) > SHARE_CERTAIN;
            if is_likely { low = middle } else { high = middle }
        }
        high
    }
}

/// The matches of that half of the workers, rounded up, on which the greatest shares were lost.
fn pool_half(mut workers: Vec<Tally>) -> Tally {
    workers.sort_by(|one, other| other.rate().total_cmp(&one.rate()));
    let half = workers.len().div_ceil(2);
    workers[..half].iter().fold(Tally::default(), |all, one| Tally {
        matches: all.matches + one.matches,
        lost: all.lost + one.lost,
    })
}

/// A bound on the natural logarithm of the chance to lose at least so many matches where such a
/// share is lost (Chernoff's bound on the tail of a binomial distribution).
fn bound_chance(own: Tally, share: f64) -> f64 {
    if own.rate() <= share { 0.0 } else { -(own.matches as f64) * divergence(own.rate(), share) }
}

/// How far a share that was seen is from the true one, as Kullback and Leibler measure it.
fn divergence(seen: f64, share: f64) -> f64 {
    let part = |seen: f64, share: f64| if seen == 0.0 { 0.0 } else { seen * (seen / share).ln() };
    part(seen, share) + part(1.0 - seen, 1.0 - share)
}

#[cfg(test)]
mod tests {
    use quintain_core::Rng;

    use super::*;

    fn seats(names: [&str; 2]) -> [String; 2] {
        names.map(str::to_owned)
    }

    #[test]
    fn a_worker_that_loses_what_others_do_not_is_slow_and_a_slow_player_is_not_its_fault() {
        let mut table = LossTable::default();
        for _ in 0..15 {
            for worker in 0..3 {
                let loser = (worker == 0).then_some("quick");
                table.note(worker, &seats(["quick", "other"]), loser);
                table.note(worker, &seats(["late", "other"]), Some("late"));
            }
        }
        assert_eq!(table.losers(), [0, 1, 2]);
        let losses = table.losses_of(0);
        assert_eq!((losses.matches, losses.lost), (30, 30));
        assert!(table.is_slow(0) && !table.is_slow(1) && !table.is_slow(2));
        table.forget(0);
        assert_eq!(table.losers(), [1, 2]);
    }

    #[test]
    fn a_few_that_report_no_losses_cannot_put_honest_workers_aside() {
        let mut table = LossTable::default();
        for number in 0..200 {
            let late = (number % 2 == 0).then_some("late");
            for honest in 0..3 {
                table.note(honest, &seats(["late", "other"]), late);
            }
            for liar in 3..5 {
                (0..5).for_each(|_| table.note(liar, &seats(["late", "other"]), None));
            }
        }
        assert_eq!(table.losers(), [0, 1, 2]);
        assert!((0..5).all(|worker| !table.is_slow(worker)));
    }

    #[test]
    fn two_slow_workers_of_five_are_found() {
        let mut table = LossTable::default();
        for _ in 0..60 {
            for worker in 0..5 {
                let loser = (worker < 2).then_some("quick");
                table.note(worker, &seats(["quick", "other"]), loser);
            }
        }
        assert!(table.is_slow(0) && table.is_slow(1));
        assert!((2..5).all(|worker| !table.is_slow(worker)));
    }

    #[test]
    fn whoever_plays_a_late_player_alone_is_not_blamed() {
        let mut table = LossTable::default();
        for _ in 0..100 {
            table.note(0, &seats(["late", "other"]), Some("late"));
            table.note(1, &seats(["quick", "other"]), None);
        }
        assert!(!table.is_slow(0) && !table.is_slow(1));
    }

    #[test]
    fn equal_workers_are_not_blamed_for_chance() {
        let mut rng = Rng::from_seed(1);
        let mut blamed = 0;
        for _ in 0..200 {
            let mut table = LossTable::default();
            for number in 0..300 {
                let loser = (rng.below(10) == 0).then_some("mine");
                table.note(number % 3, &seats(["mine", "other"]), loser);
                blamed += (0..3).filter(|&worker| table.is_slow(worker)).count();
            }
        }
        assert_eq!(blamed, 0, "looked at after each of 60 000 matches");
    }
}
