//! Shares of the machine: how many seconds of thread time everybody has used, so that the ladder
//! can let those who have used least go first. A match lasts as long as all of its players think,
//! and its record does not say for how long each of them did. So the times of all matches are
//! explained together: each player has a cost per match, and the players' costs add up to the time
//! of their matches. They are fitted by least squares of relative errors, so that what is known of
//! quick players from their matches with one another is not lost in those with slow ones. The time
//! of each match is then divided in proportion to its players' costs.
//!
//! Older matches count less and less. Programs, and how busy the machine is, change with time; if
//! all matches ever played were divided again whenever a cost is seen differently, accounts would
//! jump by more than a fair share of an hour.
//!
//! Whoever ends matches early makes them shorter than they would be without them, so their cost
//! would be nothing or less, and they would have used least for ever: every match would be against
//! them. So nobody's cost is less than a part of the median.
//!
//! Inputs and outputs are plain data and seconds, so simulations use it with a clock of their own.

use std::collections::{BTreeMap, HashMap, HashSet};

/// By how many seconds somebody may be ahead of everybody else for a while.
pub const HEAD_START: f64 = 2.0;
/// Updates of all costs at a time: later ones begin where these end.
const UPDATES: usize = 8;
/// The least cost of a match, as a part of the median: nobody is in every match. Programs that are
/// quicker than that by nature get less than their share of time, so it is small.
const LEAST_COST: f64 = 0.05;
/// What matches still count after each fit of the costs: there are about 50 matches of each player
/// whose time may be divided again.
const FADING: f64 = 0.99;
/// What is less than this part of a match is forgotten.
const FORGOTTEN: f64 = 1e-9;
/// The smallest time of a match, in seconds: shorter ones say nothing more.
const SHORTEST: f64 = 1e-6;
/// The cost of a match before anything is known, in seconds.
const FIRST_COST: f64 = 0.1;
/// Maximum number of matches under way of a player whose cost is not known. Workers get hundreds of
/// matches at a time, and if all of them were those of a newcomer who thinks a thousand times as
/// long as the others, nobody else would play until they are over.
const UNTRIED: u64 = 2;

/// The matches of one set of players: how many, and how many seconds they took.
#[derive(Clone, Copy, Default, Debug)]
struct Spent {
    matches: f64,
    seconds: f64,
}

/// The thread time used by owners of players, one player of each at a time.
#[derive(Clone, Default, Debug)]
pub struct Shares {
    /// By owner: seconds used. Only differences count.
    accounts: BTreeMap<i64, f64>,
    /// The owner of every player who was ever on the ladder.
    owners: HashMap<i64, i64>,
    /// The owners who are on the ladder.
    present: HashSet<i64>,
    /// The matches of each set of players, older ones in part.
    spent: HashMap<Vec<i64>, Spent>,
    /// By player: seconds per match.
    costs: HashMap<i64, f64>,
    /// By player: the seconds that its owner's account has of the matches that still count.
    charged: HashMap<i64, f64>,
    /// By player: the number of its matches under way.
    under_way: HashMap<i64, u64>,
    /// Matches since the costs were fitted.
    unfitted: usize,
}

impl Shares {
    /// Begins with what owners had used when this was last saved.
    pub fn of_saved(accounts: BTreeMap<i64, f64>) -> Shares {
        Shares { accounts, ..Shares::default() }
    }

    /// Returns what everybody has used, to be saved.
    pub fn accounts(&self) -> &BTreeMap<i64, f64> {
        &self.accounts
    }

    /// Enters who is on the ladder now: players with their owners. Nobody saves up time while they
    /// are away: whoever comes begins like those who have used least.
    pub fn enter(&mut self, entrants: impl Iterator<Item = (i64, i64)>) {
        let entrants: HashMap<i64, i64> = entrants.collect();
        let owners: HashSet<i64> = entrants.values().copied().collect();
        self.owners.extend(entrants);
        if owners == self.present {
            return;
        }
        let known = |owner: &&i64| match self.present.is_empty() {
            // After a restart, those who have an account were there.
            true => self.accounts.contains_key(owner),
            false => self.present.contains(owner),
        };
        let staying = owners.iter().filter(known).filter_map(|owner| self.accounts.get(owner));
        let least = staying.copied().min_by(f64::total_cmp);
        for owner in owners.iter().filter(|owner| !self.present.contains(owner)) {
            let own = self.accounts.entry(*owner).or_insert(f64::NEG_INFINITY);
            *own = own.max(least.unwrap_or(0.0));
        }
        self.present = owners;
    }

    /// Returns the seconds that an owner has used.
    pub fn used(&self, owner: i64) -> f64 {
        self.accounts.get(&owner).copied().unwrap_or_default()
    }

    /// Returns the seconds that a player's owner has used, or will have used after the matches
    /// under way.
    pub fn due(&self, player: i64) -> f64 {
        let used = self.owners.get(&player).map_or(0.0, |owner| self.used(*owner));
        let under_way = self.under_way.get(&player).copied().unwrap_or_default();
        used + under_way as f64 * self.cost(player)
    }

    /// Returns whether an owner has not used much more than those who have used least.
    pub fn may_go_ahead(&self, owner: i64) -> bool {
        let least = self.present.iter().map(|owner| self.used(*owner)).min_by(f64::total_cmp);
        least.is_none_or(|least| self.used(owner) - least <= HEAD_START)
    }

    /// Begins a match of these players, each listed once.
    pub fn begin(&mut self, players: &[i64]) {
        for player in players {
            *self.under_way.entry(*player).or_default() += 1;
        }
    }

    /// Ends a match that was begun.
    pub fn end(&mut self, players: &[i64]) {
        for player in players {
            if let Some(count) = self.under_way.get_mut(player) {
                *count = count.saturating_sub(1);
            }
        }
    }

    /// Returns the seconds that a player's match is expected to cost its owner.
    pub fn cost(&self, player: i64) -> f64 {
        self.costs.get(&player).copied().unwrap_or_else(|| self.mean_cost())
    }

    /// Returns the seconds that a match of these players, each listed once, is expected to take.
    pub fn cost_of(&self, players: &[i64]) -> f64 {
        players.iter().map(|player| self.cost(*player)).sum()
    }

    /// Returns whether a player has to wait until one of its matches is over, as nothing is known
    /// about its cost yet.
    pub fn is_held(&self, player: i64) -> bool {
        let under_way = self.under_way.get(&player).copied().unwrap_or_default();
        !self.costs.contains_key(&player) && under_way >= UNTRIED
    }

    /// Returns the mean of all players' costs.
    pub fn mean_cost(&self) -> f64 {
        let count = self.costs.len();
        if count == 0 { FIRST_COST } else { self.costs.values().sum::<f64>() / count as f64 }
    }

    /// Charges an owner alone.
    pub fn charge(&mut self, owner: i64, seconds: f64) {
        *self.accounts.entry(owner).or_default() += seconds;
    }

    /// Counts a match of these players, each listed once, that took a thread for this long.
    pub fn count(&mut self, players: &[i64], seconds: f64) {
        let mut key = players.to_vec();
        key.sort_unstable();
        let spent = self.spent.entry(key).or_default();
        spent.matches += 1.0;
        spent.seconds += seconds;
        // At first by what is known already.
        let all = self.cost_of(players);
        for &player in players {
            let own = seconds * self.cost(player) / all;
            self.book(player, own);
        }
        self.unfitted += 1;
        if self.unfitted * 4 >= self.present.len() {
            self.fit();
        }
    }

    /// Books seconds of a player's matches on its owner's account.
    fn book(&mut self, player: i64, seconds: f64) {
        *self.charged.entry(player).or_default() += seconds;
        if let Some(owner) = self.owners.get(&player) {
            *self.accounts.entry(*owner).or_default() += seconds;
        }
    }

    /// Lets older matches count less, and what accounts have of them.
    fn fade(&mut self) {
        self.spent.retain(|_, spent| {
            spent.matches *= FADING;
            spent.seconds *= FADING;
            spent.matches > FORGOTTEN
        });
        self.charged.values_mut().for_each(|charged| *charged *= FADING);
    }

    /// Fits the costs to all matches, and corrects the accounts accordingly.
    fn fit(&mut self) {
        self.unfitted = 0;
        self.fade();
        let mut matches: BTreeMap<i64, Vec<(&[i64], Spent)>> = BTreeMap::new();
        for (players, spent) in &self.spent {
            for player in players {
                matches.entry(*player).or_default().push((players, *spent));
            }
        }
        let mean = self.mean_cost();
        let cost =
            |costs: &HashMap<i64, f64>, player: &i64| costs.get(player).copied().unwrap_or(mean);
        for _ in 0..UPDATES {
            let mut updated = HashMap::new();
            for (own, matches) in &matches {
                // The cost that explains its matches best, given those of all others.
                let (mut weighted, mut weights) = (0.0, 0.0);
                for (players, spent) in matches {
                    let seconds = (spent.seconds / spent.matches).max(SHORTEST);
                    let others = players.iter().filter(|player| *player != own);
                    let others: f64 = others.map(|player| cost(&self.costs, player)).sum();
                    let weight = spent.matches / (seconds * seconds);
                    weighted += weight * (seconds - others);
                    weights += weight;
                }
                // Halfway, as the others move at the same time: what two players share is divided
                // between both.
                let best = (weighted / weights + cost(&self.costs, own)) / 2.0;
                updated.insert(*own, best.max(SHORTEST));
            }
            let least = LEAST_COST * median(updated.values().copied());
            updated.values_mut().for_each(|cost| *cost = cost.max(least));
            self.costs = updated;
        }
        let mut corrections: Vec<(i64, f64)> = Vec::new();
        for (own, matches) in &matches {
            let share = |(players, spent): &(&[i64], Spent)| {
                let all: f64 = players.iter().map(|player| cost(&self.costs, player)).sum();
                spent.seconds * cost(&self.costs, own) / all
            };
            let total: f64 = matches.iter().map(share).sum();
            corrections.push((*own, total - self.charged.get(own).copied().unwrap_or_default()));
        }
        for (player, correction) in corrections {
            self.book(player, correction);
        }
    }
}

/// Returns the median of some values, of which there are any.
fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_three() -> Shares {
        let mut shares = Shares::default();
        shares.enter([(1, 10), (2, 20), (3, 30)].into_iter());
        shares
    }

    #[test]
    fn whoever_makes_a_match_long_is_charged_for_it() {
        let mut shares = of_three();
        // Player 3 thinks for 9 s in each of its matches, and the others for 0.1 s.
        for _ in 0..20 {
            shares.count(&[1, 3], 9.1);
            shares.count(&[2, 1], 0.2);
            shares.count(&[3, 2], 9.1);
        }
        let used = [10, 20, 30].map(|owner| shares.used(owner));
        assert!((used[2] - 360.0).abs() < 4.0 && used[0] < 8.0 && used[1] < 8.0, "{used:?}");
        assert!((used.iter().sum::<f64>() - 368.0).abs() < 1e-6, "{used:?}");
        assert!((shares.cost(3) - 9.0).abs() < 0.1, "{}", shares.cost(3));
    }

    #[test]
    fn whoever_ends_matches_early_is_charged_all_the_same() {
        let mut shares = Shares::default();
        shares.enter((1..=5).map(|player| (player, 10 * player)));
        // Matches against player 1 are over soon; all others take longer, whoever plays.
        for _ in 0..20 {
            for (one, other) in [(2, 3), (2, 4), (2, 5), (3, 4), (3, 5), (4, 5)] {
                shares.count(&[one, other], 2.0);
            }
            (2..=5).for_each(|other| shares.count(&[1, other], 0.8));
        }
        let part = shares.cost(1) / shares.cost(2);
        assert!((part - LEAST_COST).abs() < 0.01, "{part}");
        // Of each of its matches, which last 0.8 s, it is charged its part.
        let charged = 80.0 * 0.8 * LEAST_COST / (1.0 + LEAST_COST);
        assert!((shares.used(10) - charged).abs() < 1.0, "{}", shares.used(10));
    }

    #[test]
    fn a_wrong_guess_at_first_is_corrected() {
        let mut shares = of_three();
        // Nothing is known yet: both seem to be slow.
        shares.count(&[1, 3], 10.0);
        assert!((shares.used(10) - 5.0).abs() < 1.0, "{}", shares.used(10));
        for _ in 0..30 {
            shares.count(&[1, 2], 0.1);
        }
        // Of each of those matches it takes at most all, and so of the first one.
        assert!(shares.used(10) < 31.5 * 0.1, "{}", shares.used(10));
    }

    #[test]
    fn what_changes_a_cost_later_does_not_divide_the_past_again() {
        let mut shares = Shares::default();
        shares.enter((1..=6).map(|player| (player, 10 * player)));
        let pairs = (1..=6).flat_map(|one| (one + 1..=6).map(move |other| [one, other]));
        let play = |shares: &mut Shares, cost_of_first: f64| {
            for pair in pairs.clone() {
                let cost = |player: i64| if player == 1 { cost_of_first } else { 1.0 };
                shares.count(&pair, cost(pair[0]) + cost(pair[1]));
            }
        };
        (0..300).for_each(|_| play(&mut shares, 1.0));
        let before = shares.used(10);
        assert!((before - 1500.0).abs() < 5.0, "{before}");
        (0..300).for_each(|_| play(&mut shares, 0.1));
        let after = shares.used(10) - before;
        assert!((after - 150.0).abs() < 15.0, "1500 matches of 0.1 s: {after}");
        assert!((shares.cost(1) - 0.1).abs() < 0.01, "{}", shares.cost(1));
    }

    #[test]
    fn of_a_newcomer_only_a_few_matches_are_under_way_until_their_cost_is_known() {
        let mut shares = of_three();
        for _ in 0..20 {
            shares.count(&[1, 2], 0.002);
        }
        for _ in 0..UNTRIED {
            assert!(!shares.is_held(3));
            shares.begin(&[1, 3]);
        }
        assert!(shares.is_held(3) && !shares.is_held(1));
        shares.end(&[1, 3]);
        assert!(!shares.is_held(3));
        shares.begin(&[1, 3]);
        shares.count(&[1, 3], 4.0);
        assert!(!shares.is_held(3) && shares.cost(3) > 3.0);
    }

    #[test]
    fn nobody_saves_up_time_while_away() {
        let mut shares = of_three();
        shares.charge(10, 50.0);
        shares.charge(20, 40.0);
        shares.charge(30, 60.0);
        // A newcomer, and one who comes back after others have used more.
        shares.enter([(1, 10), (2, 20), (4, 40)].into_iter());
        assert_eq!(shares.used(40), 40.0);
        shares.charge(10, 100.0);
        shares.charge(20, 100.0);
        shares.charge(40, 100.0);
        shares.enter([(1, 10), (2, 20), (3, 30), (4, 40)].into_iter());
        assert_eq!(shares.used(30), 140.0);
        // A new version has its author's account.
        shares.enter([(5, 10), (2, 20), (3, 30), (4, 40)].into_iter());
        assert_eq!(shares.used(10), 150.0);
    }

    #[test]
    fn what_was_saved_goes_on_after_a_restart() {
        let mut shares = of_three();
        shares.charge(10, 50.0);
        let mut restarted = Shares::of_saved(shares.accounts().clone());
        restarted.enter([(1, 10), (2, 20), (4, 40)].into_iter());
        assert_eq!([10, 20, 40].map(|owner| restarted.used(owner)), [50.0, 0.0, 0.0]);
    }
}
