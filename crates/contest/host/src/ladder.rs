//! The ladder: the standings of the active versions from the matches between them, as
//! [`quintain_standings`] computes them. A new version begins without matches and without a rating;
//! its first opponents follow from the rating of the version before it.

use std::collections::{BTreeMap, HashMap};
use std::ops::Deref;

use quintain_core::{Objective, Scoring};
use quintain_standings::{
    LadderRow, MatchResult, ScoringRule, SeedComparison, StandingsBuilder, WorstSeed, game_between,
};
use quintain_stats::WinDrawLoss;

use crate::matchmaking::{Contender, UNKNOWN};
use crate::seats::{FirstSeatScores, SeatTable};
use crate::state::{Pairing, PlayedMatch, Version};

/// Two versions that met, and their games as the first sees them.
pub(crate) type Games = (i64, i64, WinDrawLoss);

/// A version and its row of the ladder.
#[derive(Clone, Debug)]
pub(crate) struct Rung {
    pub(crate) version: Version,
    pub(crate) row: LadderRow,
}

impl Deref for Rung {
    type Target = LadderRow;

    fn deref(&self) -> &LadderRow {
        &self.row
    }
}

/// All matches so far, and those under way.
pub(crate) struct Ladder {
    rule: ScoringRule,
    /// Whether there is a table by seat.
    has_seat_table: bool,
    played: usize,
    under_way: BTreeMap<i64, Pairing>,
    /// Number of matches by version, and by pair of versions; both include those under way.
    matches: HashMap<i64, u64>,
    meetings: HashMap<(i64, i64), u64>,
    /// The results of all matches; versions go by their ids.
    results: StandingsBuilder,
    /// Scores of matches between two versions at two seats, if there is a table by seat.
    first_seat: FirstSeatScores,
    /// The rows as they were last computed.
    computed: Option<ComputedRows>,
    /// For each participant, the version that was rated last, and its rating.
    latest: HashMap<i64, (i64, f64)>,
    /// For each version, the rating of the one before it.
    priors: HashMap<i64, f64>,
}

/// Rows by version, the best first, after a number of matches.
struct ComputedRows {
    played: usize,
    rows: Vec<(i64, LadderRow)>,
}

/// The standard deviation, in points, by which matchmaking expects a version's strength to differ
/// from that of the version before.
const CHANGE: f64 = 200.0;

/// Combines two estimates with standard errors into one, weighting each by its precision.
fn together((a, a_error): (f64, f64), (b, b_error): (f64, f64)) -> (f64, f64) {
    let (a_weight, b_weight) = (a_error.powi(-2), b_error.powi(-2));
    let all = a_weight + b_weight;
    ((a * a_weight + b * b_weight) / all, all.sqrt().recip())
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
        let rule = ScoringRule { objective, scoring };
        Ladder {
            rule,
            has_seat_table,
            played: 0,
            under_way: BTreeMap::new(),
            matches: HashMap::new(),
            meetings: HashMap::new(),
            results: StandingsBuilder::new(rule),
            first_seat: FirstSeatScores::new(),
            computed: None,
            latest: HashMap::new(),
            priors: HashMap::new(),
        }
    }

    /// Returns an empty ladder for the same game.
    pub(crate) fn empty(&self) -> Ladder {
        Ladder::new(self.rule.scoring, self.rule.objective, false)
    }

    /// Returns whether every match is played by a single version in all seats.
    pub(crate) fn is_solo(&self) -> bool {
        self.rule.scoring == Scoring::Independent
    }

    /// Adds a match that is under way.
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
    pub(crate) fn abandon(&mut self, id: i64) {
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
        let players: Vec<String> = pairing.seats.iter().map(ToString::to_string).collect();
        let result = MatchResult {
            scenario: &pairing.scenario,
            seed: pairing.seed,
            players: &players.iter().map(String::as_str).collect::<Vec<_>>(),
            scores,
            fault: fault.as_ref().map(|(seat, _)| (*seat, "fault")),
            truncated: false,
            ending: "",
        };
        if let Err(error) = self.results.add(&result) {
            tracing::error!(%error, id = pairing.id, "a match cannot be counted");
        }
        if self.has_seat_table
            && let ([first, second], [score, _]) = (&pairing.seats[..], &scores[..])
            && first != second
        {
            self.first_seat.entry((*first, *second)).or_default().push((pairing.id, *score));
        }
    }

    /// Returns the games of each pair of versions in a match, in both orders.
    pub(crate) fn games_of(&self, played: &PlayedMatch) -> Vec<Games> {
        let at_fault = played.fault.as_ref().map(|(seat, _)| *seat);
        let seats = || {
            let seats = played.pairing.seats.iter().zip(&played.scores).enumerate();
            seats.map(|(seat, (version, score))| {
                (*version, (self.rule.objective.gain(*score), at_fault == Some(seat)))
            })
        };
        let mut games = Vec::new();
        for (own, mine) in seats() {
            for (other, theirs) in seats().filter(|(other, _)| *other != own) {
                games.push((own, other, game_between(mine, theirs)));
            }
        }
        games
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
        self.computed.as_ref().map_or(0, |computed| computed.rows.len())
    }

    /// Returns the standings of these versions from all matches, the best first.
    pub(crate) fn standings(&mut self, versions: &[Version]) -> Vec<Rung> {
        self.compute(versions, 0);
        self.rungs(versions)
    }

    /// Returns the standings as they were a few matches ago, if these versions were there already.
    /// Where there are many, fitting ratings again for each match would take most of the time.
    pub(crate) fn recent_standings(&mut self, versions: &[Version]) -> Vec<Rung> {
        self.compute(versions, versions.len() / 4);
        self.rungs(versions)
    }

    /// Computes the rows of these versions, unless they were computed at most `max_age` matches
    /// ago.
    fn compute(&mut self, versions: &[Version], max_age: usize) {
        let is_recent = |computed: &ComputedRows| {
            self.played - computed.played <= max_age
                && computed.rows.len() == versions.len()
                && versions
                    .iter()
                    .all(|version| computed.rows.iter().any(|(id, _)| *id == version.id))
        };
        if self.computed.as_ref().is_some_and(is_recent) {
            return;
        }
        // Tied versions are in the order of their ids.
        let mut ids: Vec<i64> = versions.iter().map(|version| version.id).collect();
        ids.sort_unstable();
        let names: Vec<String> = ids.iter().map(ToString::to_string).collect();
        let rows = self.results.ladder(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let rows: Vec<(i64, LadderRow)> =
            rows.into_iter().filter_map(|row| Some((row.player.parse().ok()?, row))).collect();
        if !self.is_solo() {
            for version in versions {
                let row = rows.iter().find(|(id, _)| *id == version.id);
                let rating = row.and_then(|(_, row)| row.measure);
                self.remember(version.participant, version.id, rating);
            }
        }
        self.computed = Some(ComputedRows { played: self.played, rows });
    }

    /// Returns the rungs of versions whose rows are computed.
    fn rungs(&self, versions: &[Version]) -> Vec<Rung> {
        let rows = self.computed.iter().flat_map(|computed| &computed.rows);
        let rung = |(id, row): &(i64, LadderRow)| {
            let version = versions.iter().find(|version| version.id == *id)?.clone();
            // Counts are those of now.
            let matches = self.results.count_matches(&row.player);
            let faults = self.results.count_faults(&row.player);
            Some(Rung { version, row: LadderRow { matches, faults, ..row.clone() } })
        };
        rows.filter_map(rung).collect()
    }

    /// Remembers the rating of a participant's version, if it has one; a newer version is at first
    /// assumed to be just as strong.
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
            let own = interval.map_or(UNKNOWN, |of| (of.high - of.low) / 3.92);
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

    /// Returns the seeds on which some of the others did better than a version that played them
    /// alone.
    pub(crate) fn worst_seeds(
        &self,
        version: i64,
        others: &[Version],
        max: usize,
    ) -> Vec<WorstSeed> {
        let others: Vec<String> = others.iter().map(|other| other.id.to_string()).collect();
        let others: Vec<&str> = others.iter().map(String::as_str).collect();
        self.results.worst_seeds(&version.to_string(), &others, max)
    }

    /// Compares two versions on the seeds that both have played alone, by scenario.
    pub(crate) fn compare(&self, own: i64, other: i64) -> Vec<SeedComparison> {
        match self.is_solo() {
            true => self.results.compare(&own.to_string(), &other.to_string()),
            false => Vec::new(),
        }
    }

    /// Returns how well everybody did at each of two seats.
    pub(crate) fn seat_table(&self, versions: &[Version]) -> SeatTable {
        SeatTable::of(&self.first_seat, versions, self.rule.objective)
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
        // The best and the middle one have played all seeds, and two that always score 0 only the
        // first seeds.
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
        let found: Vec<(i64, u64, f64)> =
            rungs.iter().map(|rung| (rung.version.id, rung.rank, rung.measure.unwrap())).collect();
        let (id_of, rank_of): (Vec<i64>, Vec<u64>) =
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
        // Lower is better: on three of four seeds the first is ahead of the second; the third has
        // played nothing.
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
