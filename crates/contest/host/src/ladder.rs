//! The ladder: standings of the active versions, computed from the matches between them. Where seats are
//! rivals, it has Bradley–Terry ratings with intervals; where everybody plays alone, mean ranks over
//! common seeds. A new version begins without matches and without a rating; its first opponents follow
//! from the rating of the version before it.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use quintain_core::{Objective, Scoring};
use quintain_stats::bradley_terry::fit_ratings;
use quintain_stats::{WinDrawLoss, mean_with_interval};

use crate::common_seeds::{self, Comparison, Gains};
use crate::matchmaking::{Contender, UNKNOWN};
use crate::seats::{FirstSeatScores, SeatTable};
use crate::state::{Pairing, PlayedMatch, Version};

/// A measure with its interval, as far as they exist.
type Measure = (Option<f64>, Option<(f64, f64)>);

/// Two versions that met, and the points of the first: 1 is a win, 0 a loss, ½ a draw.
pub(crate) type Points = (i64, i64, f64);

/// What is known about a version on the ladder.
#[derive(Clone, Debug)]
pub(crate) struct Rung {
    pub(crate) version: Version,
    /// The rank from 1, by the measure. Equal measures share a rank, and versions without one come last.
    pub(crate) rank: usize,
    /// The rating, or the mean rank as a share: 0 is always first, 1 always last.
    pub(crate) measure: Option<f64>,
    /// The 95 % interval of it, where there is one.
    pub(crate) interval: Option<(f64, f64)>,
    /// Where everybody plays alone, for each scenario: the number of seeds, and the mean score.
    pub(crate) scores: BTreeMap<String, (u64, f64)>,
    /// Where everybody plays alone: the common seeds on which it did better than the next version on the
    /// ladder, as well and worse.
    pub(crate) beside_next: Option<WinDrawLoss>,
    /// Number of matches played.
    pub(crate) matches: u64,
    pub(crate) faults: u64,
}

/// All matches so far, reduced to what standings need. Where seats are rivals, its size grows with the
/// number of pairs that have met and not with the number of matches.
pub(crate) struct Ladder {
    scoring: Scoring,
    objective: Objective,
    /// Whether there is a table by seat.
    has_seat_table: bool,
    played: usize,
    under_way: BTreeMap<i64, Pairing>,
    /// Number of matches by version, and by pair of versions; both include those under way.
    matches: HashMap<i64, u64>,
    meetings: HashMap<(i64, i64), u64>,
    faults: HashMap<i64, u64>,
    /// By pair of versions, from the first one's point of view.
    results: HashMap<(i64, i64), WinDrawLoss>,
    /// The gain of each version that plays alone, by scenario and seed.
    gains: Gains,
    /// Scores of matches between two versions at two seats, if there is a table by seat.
    first_seat: FirstSeatScores,
    /// The measures as they were last computed.
    found: Option<MeasuresByVersion>,
    /// For each participant, the version that was rated last, and its rating.
    latest: HashMap<i64, (i64, f64)>,
    /// For each version, the rating of the one before it.
    priors: HashMap<i64, f64>,
}

/// A seed on which others were better than a version that played it alone.
pub(crate) struct WorstSeed<'a> {
    pub(crate) scenario: &'a str,
    pub(crate) seed: u64,
    pub(crate) score: f64,
    /// The best score of the others there.
    pub(crate) best: f64,
    /// How many others were better, and how many others there are.
    pub(crate) better: usize,
    pub(crate) others: usize,
}

/// Measures of versions after a number of matches.
struct MeasuresByVersion {
    played: usize,
    measures: HashMap<i64, Measure>,
    /// Where everybody plays alone: the mean scores, and the comparison with the next version.
    scores: HashMap<i64, BTreeMap<String, (u64, f64)>>,
    beside_next: HashMap<i64, WinDrawLoss>,
}

/// The standard deviation, in points, by which matchmaking expects a version's strength to differ from
/// that of the version before.
const CHANGE: f64 = 200.0;
/// Minimum number of seeds for an interval of a mean rank. On fewer, all may be alike by chance, and the
/// interval empty.
const FEWEST: usize = 5;
/// Measures that differ by no more than this share (by this amount, if they are below 1) count as equal:
/// iteration leaves rounding errors in ratings.
const ROUNDING: f64 = 1e-6;

/// Combines two estimates with standard errors into one, weighting each by its precision.
fn together((a, a_error): (f64, f64), (b, b_error): (f64, f64)) -> (f64, f64) {
    let (a_weight, b_weight) = (a_error.powi(-2), b_error.powi(-2));
    let all = a_weight + b_weight;
    ((a * a_weight + b * b_weight) / all, all.sqrt().recip())
}

/// Visits all pairs who have played a seed, in both orders: one, the other, and 1 if the other was
/// better, ½ if both were as good, otherwise 0.
fn for_each_pair(played: &[(usize, f64)], mut each: impl FnMut(usize, usize, f64)) {
    for &(own, mine) in played {
        for &(other, theirs) in played.iter().filter(|(other, _)| *other != own) {
            let is_behind = match mine.total_cmp(&theirs) {
                Ordering::Less => 1.0,
                Ordering::Equal => 0.5,
                Ordering::Greater => 0.0,
            };
            each(own, other, is_behind);
        }
    }
}

/// Returns each version of a match once.
fn versions_in(pairing: &Pairing) -> Vec<i64> {
    let mut seated = pairing.seats.clone();
    seated.sort_unstable();
    seated.dedup();
    seated
}

impl Ladder {
    pub(crate) fn new(scoring: Scoring, objective: Objective, has_seat_table: bool) -> Ladder {
        Ladder {
            scoring,
            objective,
            has_seat_table,
            played: 0,
            under_way: BTreeMap::new(),
            matches: HashMap::new(),
            meetings: HashMap::new(),
            faults: HashMap::new(),
            results: HashMap::new(),
            gains: Gains::new(),
            first_seat: FirstSeatScores::new(),
            found: None,
            latest: HashMap::new(),
            priors: HashMap::new(),
        }
    }

    /// Returns an empty ladder for the same game.
    pub(crate) fn empty(&self) -> Ladder {
        Ladder::new(self.scoring, self.objective, false)
    }

    /// Returns whether every match is played by a single version in all seats.
    pub(crate) fn is_solo(&self) -> bool {
        self.scoring == Scoring::Independent
    }

    /// Notes a match as under way.
    pub(crate) fn plan(&mut self, pairing: Pairing) {
        let seated = versions_in(&pairing);
        for &own in &seated {
            *self.matches.entry(own).or_default() += 1;
            for &other in seated.iter().filter(|&&other| other != own) {
                *self.meetings.entry((own, other)).or_default() += 1;
            }
        }
        self.under_way.insert(pairing.id, pairing);
    }

    /// Drops a match that was under way and is not played.
    pub(crate) fn forget(&mut self, id: i64) {
        let Some(pairing) = self.under_way.remove(&id) else { return };
        let seated = versions_in(&pairing);
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

    /// Counts the result of a match; callers must do so only once.
    pub(crate) fn count(&mut self, played: &PlayedMatch) {
        let PlayedMatch { pairing, scores, fault, .. } = played;
        self.played += 1;
        if !self.under_way.contains_key(&pairing.id) {
            self.plan(pairing.clone());
        }
        self.under_way.remove(&pairing.id);
        if let Some(version) = fault.as_ref().and_then(|(seat, _)| pairing.seats.get(*seat)) {
            *self.faults.entry(*version).or_default() += 1;
        }
        if self.is_solo() {
            let gains = scores.iter().map(|score| self.objective.gain(*score));
            let mean = gains.sum::<f64>() / scores.len().max(1) as f64;
            if let Some(version) = pairing.seats.first() {
                let seed = (pairing.scenario.clone(), pairing.seed);
                self.gains.entry(seed).or_default().insert(*version, mean);
            }
            return;
        }
        if self.has_seat_table
            && let ([first, second], [score, _]) = (&pairing.seats[..], &scores[..])
            && first != second
        {
            self.first_seat.entry((*first, *second)).or_default().push((pairing.id, *score));
        }
        for (own, other, points) in self.points_of(played) {
            let cell = self.results.entry((own, other)).or_default();
            match points {
                1.0 => cell.wins += 1,
                0.0 => cell.losses += 1,
                _ => cell.draws += 1,
            }
        }
    }

    /// Returns the points for each pair of versions in a match, in both orders.
    pub(crate) fn points_of(&self, played: &PlayedMatch) -> Vec<Points> {
        let gains = || played.scores.iter().map(|score| self.objective.gain(*score));
        let seats = || played.pairing.seats.iter().zip(gains());
        let mut points = Vec::new();
        for (own, mine) in seats() {
            for (other, theirs) in seats().filter(|(other, _)| *other != own) {
                points.push((
                    *own,
                    *other,
                    match mine.total_cmp(&theirs) {
                        Ordering::Greater => 1.0,
                        Ordering::Equal => 0.5,
                        Ordering::Less => 0.0,
                    },
                ));
            }
        }
        points
    }

    /// Returns the number of matches played.
    pub(crate) fn count_played(&self) -> usize {
        self.played
    }

    /// Returns the number of matches under way.
    pub(crate) fn count_under_way(&self) -> usize {
        self.under_way.len()
    }

    /// Returns the number of versions whose measures were computed last.
    pub(crate) fn count_measured(&self) -> usize {
        self.found.as_ref().map_or(0, |found| found.measures.len())
    }

    /// Returns the standings of these versions from all matches, the best first.
    pub(crate) fn standings(&mut self, versions: &[Version]) -> Vec<Rung> {
        if !self.is_found_for(versions, 0) {
            self.find(versions);
        }
        self.rungs(versions)
    }

    /// Returns the standings as they were a few matches ago, if these versions were there already. Where
    /// there are many, fitting ratings again for each match would take most of the time.
    pub(crate) fn recent_standings(&mut self, versions: &[Version]) -> Vec<Rung> {
        if !self.is_found_for(versions, versions.len() / 4) {
            self.find(versions);
        }
        self.rungs(versions)
    }

    fn is_found_for(&self, versions: &[Version], late: usize) -> bool {
        self.found.as_ref().is_some_and(|found| {
            self.played - found.played <= late
                && found.measures.len() == versions.len()
                && versions.iter().all(|version| found.measures.contains_key(&version.id))
        })
    }

    fn find(&mut self, versions: &[Version]) {
        let measures = match self.is_solo() {
            true => self.mean_ranks(versions),
            false => self.ratings(versions),
        };
        if !self.is_solo() {
            for (version, (measure, _)) in versions.iter().zip(&measures) {
                self.remember(version.participant, version.id, *measure);
            }
        }
        let measures = versions.iter().map(|version| version.id).zip(measures).collect();
        let (scores, beside_next) = (self.mean_scores(), HashMap::new());
        let played = self.played;
        self.found = Some(MeasuresByVersion { played, measures, scores, beside_next });
        if self.is_solo() {
            let beside_next = self.compare_neighbours(&self.rungs(versions));
            if let Some(found) = &mut self.found {
                found.beside_next = beside_next;
            }
        }
    }

    /// Returns the mean score of each version that plays alone, by scenario.
    fn mean_scores(&self) -> HashMap<i64, BTreeMap<String, (u64, f64)>> {
        let mut scores: HashMap<i64, BTreeMap<String, (u64, f64)>> = HashMap::new();
        for ((scenario, _), gains) in &self.gains {
            for (version, gain) in gains {
                let of_version = scores.entry(*version).or_default();
                let (seeds, mean) = of_version.entry(scenario.clone()).or_default();
                *seeds += 1;
                // A gain is a score, with the opposite sign where lower is better.
                *mean += (self.objective.gain(*gain) - *mean) / *seeds as f64;
            }
        }
        scores
    }

    /// Compares each rung but the last with the next one.
    fn compare_neighbours(&self, rungs: &[Rung]) -> HashMap<i64, WinDrawLoss> {
        let compare = |pair: &[Rung]| {
            let [own, next] = [&pair[0], &pair[1]].map(|rung| rung.version.id);
            Some((own, common_seeds::count_seeds(&self.gains, own, next)?))
        };
        rungs.windows(2).filter_map(compare).collect()
    }

    /// Notes the rating of a participant's version, if it has one; a newer version is at first assumed
    /// to be just as strong.
    pub(crate) fn remember(&mut self, participant: i64, version: i64, rating: Option<f64>) {
        if let Some((before, known)) = self.latest.get(&participant)
            && *before < version
        {
            self.priors.entry(version).or_insert(*known);
        }
        let is_latest = self.latest.get(&participant).is_none_or(|(before, _)| *before <= version);
        if let Some(rating) = rating.filter(|_| is_latest) {
            self.latest.insert(participant, (version, rating));
        }
    }

    /// Returns the rungs of versions whose measures are computed.
    fn rungs(&self, versions: &[Version]) -> Vec<Rung> {
        let measure_of = |version: &Version| {
            let found = self.found.as_ref().and_then(|found| found.measures.get(&version.id));
            found.copied().unwrap_or((None, None))
        };
        let count = |counts: &HashMap<i64, u64>, version: &Version| {
            counts.get(&version.id).copied().unwrap_or(0)
        };
        let mut under_way: HashMap<i64, u64> = HashMap::new();
        for seated in self.under_way.values().flat_map(versions_in) {
            *under_way.entry(seated).or_default() += 1;
        }
        let rung = |version: &Version| {
            let (measure, interval) = measure_of(version);
            // The counts of matches include those under way, for choosing the next ones.
            let all = count(&self.matches, version);
            let matches = all.saturating_sub(count(&under_way, version));
            let faults = count(&self.faults, version);
            let found = self.found.as_ref();
            let beside_next = found.and_then(|found| found.beside_next.get(&version.id)).copied();
            let scores = found.and_then(|found| found.scores.get(&version.id)).cloned();
            let (scores, version) = (scores.unwrap_or_default(), version.clone());
            Rung { version, rank: 0, measure, interval, scores, beside_next, matches, faults }
        };
        let mut rungs: Vec<Rung> = versions.iter().map(rung).collect();
        let sign = if self.is_solo() { 1.0 } else { -1.0 };
        let key = |rung: &Rung| rung.measure.map_or(f64::INFINITY, |measure| sign * measure);
        rungs.sort_by(|a, b| key(a).total_cmp(&key(b)).then(a.version.id.cmp(&b.version.id)));
        // Equal measures share a rank: 1, 2, 2, 4. Versions with the same results have the same rating
        // except for rounding.
        let mut above = (None, 0);
        for (at, rung) in rungs.iter_mut().enumerate() {
            let own = key(rung);
            let is_level = above.0.is_some_and(|above: f64| {
                above == own || (above - own).abs() <= ROUNDING * above.abs().max(1.0)
            });
            rung.rank = if is_level { above.1 } else { at + 1 };
            above = (Some(own), rung.rank);
        }
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

    /// Returns the mean rank of each version as a share: how often another version is better on a common
    /// seed, averaged over the other versions. If all have played all seeds, this is the mean of the
    /// ranks on them. When somebody is new, it keeps seeds that only a few have played from counting more
    /// for those few than for the others.
    fn mean_ranks(&self, versions: &[Version]) -> Vec<Measure> {
        let places: HashMap<i64, usize> =
            versions.iter().enumerate().map(|(at, version)| (version.id, at)).collect();
        let seeds: Vec<Vec<(usize, f64)>> = self
            .gains
            .values()
            .map(|gains| {
                gains.iter().filter_map(|(id, gain)| Some((*places.get(id)?, *gain))).collect()
            })
            .collect();
        let n = versions.len();
        // For each pair: the number of common seeds, and on how many of them the second was better.
        let (mut common, mut behind) = (vec![0.0_f64; n * n], vec![0.0_f64; n * n]);
        for played in &seeds {
            for_each_pair(played, |own, other, is_behind| {
                common[own * n + other] += 1.0;
                behind[own * n + other] += is_behind;
            });
        }
        let share = |own: usize, other: usize| {
            let at = own * n + other;
            (common[at] > 0.0).then(|| behind[at] / common[at])
        };
        let mean = |own: usize| {
            let shares: Vec<f64> = (0..n).filter_map(|other| share(own, other)).collect();
            (!shares.is_empty())
                .then(|| (shares.iter().sum::<f64>() / shares.len() as f64, shares.len() as f64))
        };
        let means: Vec<Option<(f64, f64)>> = (0..n).map(mean).collect();
        // The contribution of each seed, such that the mean of these is the mean rank.
        let mut parts: Vec<Vec<f64>> = vec![Vec::new(); n];
        for played in seeds.iter().filter(|played| played.len() > 1) {
            let mut part = vec![0.0; n];
            for_each_pair(played, |own, other, is_behind| {
                let at = own * n + other;
                part[own] += (is_behind - behind[at] / common[at]) / common[at];
            });
            for (own, _) in played {
                parts[*own].push(part[*own]);
            }
        }
        let ranks = parts.into_iter().zip(means).map(|(mut parts, mean)| {
            let Some((mean, others)) = mean else { return Vec::new() };
            let seeds = parts.len() as f64;
            parts.iter_mut().for_each(|part| *part = mean + *part * seeds / others);
            parts
        });
        let measure = |mut ranks: Vec<f64>| match mean_with_interval(&mut ranks) {
            Some((mean, _, interval)) => {
                let interval = interval.filter(|_| ranks.len() >= FEWEST);
                // A mean rank lies between always first and always last, whatever Student's t says.
                let clip = |end: f64| end.clamp(0.0, 1.0);
                (Some(mean), interval.map(|interval| (clip(interval.low), clip(interval.high))))
            }
            None => (None, None),
        };
        ranks.map(measure).collect()
    }

    /// Returns these versions as matchmaking sees them, in the same order.
    pub(crate) fn contenders(&mut self, versions: &[Version]) -> Vec<Contender> {
        let standings = self.recent_standings(versions);
        let by_id: HashMap<i64, &Rung> =
            standings.iter().map(|rung| (rung.version.id, rung)).collect();
        let rung = |version: &Version| by_id.get(&version.id).copied();
        let contender = |version: &Version| {
            let rung = rung(version);
            let interval = rung.and_then(|rung| rung.interval);
            // A 95 % interval spans 3.92 standard errors.
            let own = interval.map_or(UNKNOWN, |(low, high)| (high - low) / 3.92);
            let measure = rung.and_then(|rung| rung.measure);
            let (rating, standard_error) = match (measure, self.priors.get(&version.id)) {
                (Some(rating), Some(prior)) => together((rating, own), (*prior, CHANGE)),
                (None, Some(prior)) => (*prior, CHANGE),
                (rating, None) => (rating.unwrap_or(0.0), own),
            };
            let matches = self.matches.get(&version.id).copied().unwrap_or(0);
            Contender { rating, standard_error, matches }
        };
        versions.iter().map(contender).collect()
    }

    /// Returns the seeds that a version played alone and on which some of the others were better. Seeds
    /// with the largest share of better versions come first.
    pub(crate) fn worst_seeds(
        &self,
        version: i64,
        others: &[Version],
        most: usize,
    ) -> Vec<WorstSeed<'_>> {
        let mut seeds: Vec<WorstSeed<'_>> = Vec::new();
        for ((scenario, seed), gains) in &self.gains {
            let Some(own) = gains.get(&version) else { continue };
            let others = others.iter().filter(|other| other.id != version);
            let others: Vec<f64> =
                others.filter_map(|other| gains.get(&other.id)).copied().collect();
            let better = others.iter().filter(|gain| *gain > own).count();
            if better > 0 {
                let best = others.iter().copied().fold(f64::MIN, f64::max);
                seeds.push(WorstSeed {
                    scenario,
                    seed: *seed,
                    score: self.objective.gain(*own),
                    best: self.objective.gain(best),
                    better,
                    others: others.len(),
                });
            }
        }
        let share = |worst: &WorstSeed<'_>| worst.better as f64 / worst.others as f64;
        seeds.sort_by(|a, b| share(b).total_cmp(&share(a)));
        seeds.truncate(most);
        seeds
    }

    /// Compares two versions on the seeds that both have played alone, by scenario.
    pub(crate) fn compare(&self, own: i64, other: i64) -> Vec<Comparison> {
        common_seeds::compare(&self.gains, own, other)
    }

    /// Returns how well everybody did at each of two seats.
    pub(crate) fn seat_table(&self, versions: &[Version]) -> SeatTable {
        SeatTable::of(&self.first_seat, versions, self.objective)
    }

    /// Returns how often two versions have met, including matches under way.
    pub(crate) fn count_meetings(&self, a: i64, b: i64) -> u64 {
        self.meetings.get(&(a, b)).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::{Kind, Stage};

    fn version(id: i64, participant: i64) -> Version {
        let (name, digest, built, log) = Default::default();
        let display_name: String = name;
        let name = format!("p{participant}");
        Version {
            id,
            participant,
            name,
            display_name,
            number: id,
            digest,
            built,
            stage: Stage::Passed,
            log,
            at: 0,
        }
    }

    fn win_of(id: i64, winner: i64, loser: i64) -> PlayedMatch {
        let seats = vec![winner, loser];
        let pairing =
            Pairing { id, kind: Kind::Ladder, slot: None, scenario: "s".into(), seed: 1, seats };
        PlayedMatch {
            pairing,
            record: id.to_string(),
            scores: vec![1.0, 0.0],
            fault: None,
            is_kept: true,
        }
    }

    #[test]
    fn seeds_that_only_the_strong_have_played_make_nobody_weak() {
        let mut ladder = Ladder::new(Scoring::Independent, Objective::Maximize, false);
        // The best and the middle one have played all seeds, and two that always score 0 only the first
        // seeds.
        let mut id = 0;
        for (of, seeds, score) in [(1, 100, 9.0), (2, 100, 5.0), (3, 20, 0.0), (4, 5, 0.0)] {
            for seed in 0..seeds {
                id += 1;
                let mut played = win_of(id, of, of);
                played.pairing.seats = vec![of];
                played.pairing.seed = seed;
                played.scores = vec![score];
                ladder.count(&played);
            }
        }
        let all = [1, 2, 3, 4].map(|of| version(of, of));
        let rungs = ladder.standings(&all);
        let found: Vec<(i64, usize, f64)> =
            rungs.iter().map(|rung| (rung.version.id, rung.rank, rung.measure.unwrap())).collect();
        let (id_of, rank_of): (Vec<i64>, Vec<usize>) =
            found.iter().map(|(id, rank, _)| (*id, *rank)).unzip();
        assert_eq!((id_of, rank_of), (vec![1, 2, 3, 4], vec![1, 2, 3, 3]));
        for ((_, _, measure), expected) in found.iter().zip([0.0, 1.0 / 3.0, 2.5 / 3.0, 2.5 / 3.0])
        {
            assert!((measure - expected).abs() < 1e-9, "{found:?}");
        }
    }

    #[test]
    fn a_new_version_meets_the_neighbours_of_the_one_before_and_is_rated_by_itself() {
        let mut ladder = Ladder::new(Scoring::Adversarial, Objective::Maximize, false);
        // One beats two, and two beats three.
        for (id, (winner, loser)) in (0..).zip([(1, 2), (2, 3), (1, 2), (2, 3), (1, 3)]) {
            ladder.count(&win_of(id, winner, loser));
        }
        let before = [version(1, 1), version(2, 2), version(3, 3)];
        let strong = ladder.standings(&before)[0].measure.unwrap();
        assert!(strong > 0.0);
        let after = [version(9, 1), version(2, 2), version(3, 3)];
        let rung = |ladder: &mut Ladder| {
            ladder.standings(&after).into_iter().find(|rung| rung.version.id == 9).unwrap()
        };
        assert_eq!(rung(&mut ladder).measure, None, "it has no matches");
        let first = ladder.contenders(&after)[0];
        assert_eq!((first.rating, first.standard_error, first.matches), (strong, CHANGE, 0));
        // It loses: its rating is its own, and matchmaking believes a little of both.
        ladder.count(&win_of(10, 3, 9));
        let own = rung(&mut ladder).measure.unwrap();
        let now = ladder.contenders(&after)[0];
        assert!(own < now.rating && now.rating < strong, "{own} {} {strong}", now.rating);
        assert!(now.standard_error < CHANGE);
    }

    #[test]
    fn matches_under_way_are_not_shown_as_played_and_count_for_whoever_chooses() {
        let mut ladder = Ladder::new(Scoring::Adversarial, Objective::Maximize, false);
        let versions = [version(1, 1), version(2, 2)];
        let won = win_of(1, 1, 2);
        ladder.plan(won.pairing.clone());
        ladder.plan(win_of(2, 2, 1).pairing);
        let shown = |ladder: &mut Ladder| -> Vec<u64> {
            ladder.standings(&versions).iter().map(|rung| rung.matches).collect()
        };
        assert_eq!((shown(&mut ladder), ladder.count_under_way()), (vec![0, 0], 2));
        ladder.count(&won);
        assert_eq!((shown(&mut ladder), ladder.count_under_way()), (vec![1, 1], 1));
        let chosen_by: Vec<u64> =
            ladder.contenders(&versions).iter().map(|contender| contender.matches).collect();
        assert_eq!(chosen_by, [2, 2]);
    }

    #[test]
    fn whoever_plays_alone_is_compared_with_the_next_on_common_seeds() {
        let mut ladder = Ladder::new(Scoring::Independent, Objective::Minimize, false);
        // Lower is better: on three of four seeds the first is ahead of the second; the third has played
        // nothing.
        let scores = [(1, 5.0, 6.0), (2, 5.0, 9.0), (3, 8.0, 7.0), (4, 1.0, 2.0)];
        for (seed, first, second) in scores {
            for (version, score) in [(1, first), (2, second)] {
                let mut played = win_of(10 * seed as i64 + version, version, version);
                played.pairing.seed = seed;
                played.pairing.seats = vec![version];
                played.scores = vec![score];
                ladder.count(&played);
            }
        }
        let rungs = ladder.standings(&[version(3, 3), version(2, 2), version(1, 1)]);
        let beside: Vec<_> = rungs.iter().map(|rung| (rung.version.id, rung.beside_next)).collect();
        let ahead = WinDrawLoss { wins: 3, draws: 0, losses: 1 };
        assert_eq!(beside, [(1, Some(ahead)), (2, None), (3, None)]);
        let [on_all] = &ladder.compare(1, 2)[..] else { panic!("one scenario") };
        assert_eq!(on_all.lead.difference, 1.25);
    }

    #[test]
    fn the_surer_estimate_weighs_more() {
        let (rating, error) = together((0.0, 100.0), (100.0, 50.0));
        assert!((rating - 80.0).abs() < 1e-9 && error < 50.0);
    }
}
