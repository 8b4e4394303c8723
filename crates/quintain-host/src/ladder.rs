//! The ladder: standings of the versions that are on it, from the matches between them. Where seats
//! are rivals, ratings by the Bradley–Terry model with intervals; where everybody plays alone, mean
//! ranks over common seeds. A new version begins without matches and without a rating.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, HashSet};

use quintain_core::{Objective, Scoring};
use quintain_stats::bradley_terry::fit_ratings;
use quintain_stats::ranks::rank;
use quintain_stats::{WinDrawLoss, mean_with_interval};

use crate::matchmaking::{Contender, UNKNOWN};
use crate::state::{Pairing, Played, Version};

/// A measure with its interval, as far as there are any.
type Measure = (Option<f64>, Option<(f64, f64)>);

/// What is known of a version.
#[derive(Clone, Debug)]
pub(crate) struct Rung {
    pub(crate) version: Version,
    /// From 1, in the order of the measure; those without one are last.
    pub(crate) rank: usize,
    /// The rating, or the mean rank as a share: 0 is always first, 1 always last.
    pub(crate) measure: Option<f64>,
    /// The 95 % interval of it, where there is one.
    pub(crate) interval: Option<(f64, f64)>,
    pub(crate) matches: u64,
    pub(crate) faults: u64,
}

/// All matches so far, counted once each: what standings need of them and no more.
pub(crate) struct Ladder {
    scoring: Scoring,
    objective: Objective,
    counted: HashSet<i64>,
    under_way: BTreeMap<i64, Pairing>,
    /// Matches by version, and by two versions, those under way too.
    matches: HashMap<i64, u64>,
    meetings: HashMap<(i64, i64), u64>,
    faults: HashMap<i64, u64>,
    /// By two versions, as the first saw it.
    results: HashMap<(i64, i64), WinDrawLoss>,
    /// The gain of each version alone, by scenario and seed.
    gains: BTreeMap<(String, u64), BTreeMap<i64, f64>>,
}

/// Each version of a match once.
fn seated(pairing: &Pairing) -> Vec<i64> {
    let mut seated = pairing.seats.clone();
    seated.sort_unstable();
    seated.dedup();
    seated
}

impl Ladder {
    pub(crate) fn new(scoring: Scoring, objective: Objective) -> Ladder {
        Ladder {
            scoring,
            objective,
            counted: HashSet::new(),
            under_way: BTreeMap::new(),
            matches: HashMap::new(),
            meetings: HashMap::new(),
            faults: HashMap::new(),
            results: HashMap::new(),
            gains: BTreeMap::new(),
        }
    }

    /// Whether every match is played by one version alone, in all seats.
    pub(crate) fn is_solo(&self) -> bool {
        self.scoring == Scoring::Independent
    }

    /// Notes a match that is under way.
    pub(crate) fn plan(&mut self, pairing: Pairing) {
        let seated = seated(&pairing);
        for &own in &seated {
            *self.matches.entry(own).or_default() += 1;
            for &other in seated.iter().filter(|&&other| other != own) {
                *self.meetings.entry((own, other)).or_default() += 1;
            }
        }
        self.under_way.insert(pairing.id, pairing);
    }

    /// Forgets a match that was under way and is not played.
    pub(crate) fn forget(&mut self, id: i64) {
        let Some(pairing) = self.under_way.remove(&id) else { return };
        let seated = seated(&pairing);
        let less = |count: Option<&mut u64>| {
            if let Some(count) = count {
                *count = count.saturating_sub(1);
            }
        };
        for &own in &seated {
            less(self.matches.get_mut(&own));
            for &other in seated.iter().filter(|&&other| other != own) {
                less(self.meetings.get_mut(&(own, other)));
            }
        }
    }

    /// Counts how a match ended, once however often it is told.
    pub(crate) fn count(&mut self, played: &Played) {
        let Played { pairing, scores, fault, .. } = played;
        if !self.counted.insert(pairing.id) {
            return;
        }
        if !self.under_way.contains_key(&pairing.id) {
            self.plan(pairing.clone());
        }
        self.under_way.remove(&pairing.id);
        if let Some(version) = fault.as_ref().and_then(|(seat, _)| pairing.seats.get(*seat)) {
            *self.faults.entry(*version).or_default() += 1;
        }
        let gains: Vec<f64> = scores.iter().map(|score| self.objective.gain(*score)).collect();
        if self.is_solo() {
            let mean = gains.iter().sum::<f64>() / gains.len().max(1) as f64;
            if let Some(version) = pairing.seats.first() {
                let seed = (pairing.scenario.clone(), pairing.seed);
                self.gains.entry(seed).or_default().insert(*version, mean);
            }
            return;
        }
        for (own, mine) in pairing.seats.iter().zip(&gains) {
            for (other, theirs) in pairing.seats.iter().zip(&gains) {
                if own == other {
                    continue;
                }
                let cell = self.results.entry((*own, *other)).or_default();
                match mine.total_cmp(theirs) {
                    Ordering::Greater => cell.wins += 1,
                    Ordering::Equal => cell.draws += 1,
                    Ordering::Less => cell.losses += 1,
                }
            }
        }
    }

    /// Matches that have been played.
    pub(crate) fn played(&self) -> usize {
        self.counted.len()
    }

    /// The standings of these versions, the best first.
    pub(crate) fn standings(&self, versions: &[Version]) -> Vec<Rung> {
        let measures = match self.is_solo() {
            true => self.mean_ranks(versions),
            false => self.ratings(versions),
        };
        let count = |counts: &HashMap<i64, u64>, version: &Version| {
            counts.get(&version.id).copied().unwrap_or(0)
        };
        let rung = |(version, (measure, interval)): (&Version, Measure)| Rung {
            version: version.clone(),
            rank: 0,
            measure,
            interval,
            matches: count(&self.matches, version),
            faults: count(&self.faults, version),
        };
        let mut rungs: Vec<Rung> = versions.iter().zip(measures).map(rung).collect();
        let sign = if self.is_solo() { 1.0 } else { -1.0 };
        let key = |rung: &Rung| rung.measure.map_or(f64::INFINITY, |measure| sign * measure);
        rungs.sort_by(|a, b| key(a).total_cmp(&key(b)).then(a.version.id.cmp(&b.version.id)));
        rungs.iter_mut().enumerate().for_each(|(at, rung)| rung.rank = at + 1);
        rungs
    }

    fn ratings(&self, versions: &[Version]) -> Vec<Measure> {
        let games = |own: &Version, other: &Version| {
            self.results.get(&(own.id, other.id)).copied().unwrap_or_default()
        };
        let row = |own| versions.iter().map(|other| games(own, other)).collect();
        let matrix: Vec<Vec<WinDrawLoss>> = versions.iter().map(row).collect();
        let measure = |elo: Option<quintain_stats::Elo>| match elo {
            Some(elo) => (Some(elo.rating), Some((elo.low, elo.high))),
            None => (None, None),
        };
        fit_ratings(&matrix).into_iter().map(measure).collect()
    }

    fn mean_ranks(&self, versions: &[Version]) -> Vec<Measure> {
        let mut ranks: Vec<Vec<f64>> = vec![Vec::new(); versions.len()];
        for gains in self.gains.values() {
            let known = versions.iter().map(|version| gains.get(&version.id));
            let (places, merits): (Vec<usize>, Vec<f64>) =
                known.enumerate().filter_map(|(at, gain)| Some((at, *gain?))).unzip();
            if merits.len() > 1 {
                let last = (merits.len() - 1) as f64;
                for (at, rank) in places.into_iter().zip(rank(&merits, 0.0)) {
                    ranks[at].push((rank.fractional - 1.0) / last);
                }
            }
        }
        let measure = |mut ranks: Vec<f64>| match mean_with_interval(&mut ranks) {
            Some((mean, _, interval)) => {
                (Some(mean), interval.map(|interval| (interval.low, interval.high)))
            }
            None => (None, None),
        };
        ranks.into_iter().map(measure).collect()
    }

    /// Those versions as matchmaking sees them, in their order.
    pub(crate) fn contenders(&self, versions: &[Version]) -> Vec<Contender> {
        let standings = self.standings(versions);
        let rung = |version: &Version| standings.iter().find(|rung| rung.version.id == version.id);
        let contender = |version: &Version| {
            let rung = rung(version);
            let interval = rung.and_then(|rung| rung.interval);
            Contender {
                rating: rung.and_then(|rung| rung.measure).unwrap_or(0.0),
                // A 95 % interval has 3.92 standard errors.
                standard_error: interval.map_or(UNKNOWN, |(low, high)| (high - low) / 3.92),
                matches: rung.map_or(0, |rung| rung.matches),
            }
        };
        versions.iter().map(contender).collect()
    }

    /// How often two versions have met or are about to.
    pub(crate) fn met(&self, a: i64, b: i64) -> u64 {
        self.meetings.get(&(a, b)).copied().unwrap_or(0)
    }
}
