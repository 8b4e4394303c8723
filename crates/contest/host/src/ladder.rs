//! The ladder: the standings of the active versions from the matches between them, as
//! [`quintain_standings`] computes them. A new version begins without matches and without a rating,
//! whatever its author's version before was worth. It is provisional until its measure is rather
//! sure, and ranks behind those that are not.

use std::collections::{BTreeMap, HashMap};
use std::ops::Deref;

use quintain_core::{Objective, Scoring};
use quintain_final::standings;
pub(crate) use quintain_final::standings::Games;
use quintain_standings::{LadderRow, ScoringRule, SeedComparison, StandingsBuilder, WorstSeed};
use quintain_stats::studentised_range;

use crate::error::HostError;
use crate::matchmaking::{Contender, SPREAD, UNKNOWN, favor_newcomers};
use crate::seats::{FirstSeatScores, SeatTable};
use crate::shares::Shares;
use crate::state::{Pairing, PlayedMatch, State, Version};

/// A version and its row of the ladder.
#[derive(Clone, Debug)]
pub(crate) struct Rung {
    pub(crate) version: Version,
    pub(crate) row: LadderRow,
    /// Whether too little is known about its measure for a rank among the others.
    pub(crate) is_provisional: bool,
}

impl Deref for Rung {
    type Target = LadderRow;

    fn deref(&self) -> &LadderRow {
        &self.row
    }
}

/// The matches of a ladder so far, and those under way.
pub(crate) struct Ladder {
    rule: ScoringRule,
    /// Whether there is a table by seat.
    has_seat_table: bool,
    /// Its number; none for the matches of the final.
    id: Option<i64>,
    /// The state's revision from which it was loaded.
    revision: Option<String>,
    played: usize,
    under_way: BTreeMap<i64, Pairing>,
    /// Number of matches by version, and by pair of versions; both include those under way.
    matches: HashMap<i64, u64>,
    meetings: HashMap<(i64, i64), u64>,
    /// Number of matches by sequence of seeds and version.
    turns: HashMap<(i64, i64), u64>,
    /// The results of all matches; versions go by their ids.
    results: StandingsBuilder,
    /// Scores of matches between two versions at two seats, if there is a table by seat.
    first_seat: FirstSeatScores,
    /// The rows as they were last computed.
    computed: Option<ComputedRows>,
}

/// Rows by version, the best first, after a number of matches.
struct ComputedRows {
    played: usize,
    rows: Vec<ComputedRow>,
}

#[derive(Clone)]
struct ComputedRow {
    version: i64,
    /// The version of which it is a hidden copy.
    copy_of: Option<i64>,
    is_provisional: bool,
    row: LadderRow,
}

/// After so many matches a version is no longer provisional if its interval is narrower than this,
/// in points or as a share of all ranks; and after so many in any case: whoever loses every match
/// has a wide interval for ever.
const MIN_MATCHES: u64 = SPREAD;
const MAX_PROVISIONAL: u64 = 60;
const NARROW_RATING: f64 = 300.0;
const NARROW_RANK: f64 = 0.3;

/// Returns whether a version's measure is still too unsure for a rank among the others.
fn is_provisional(row: &LadderRow, is_solo: bool) -> bool {
    let narrow = if is_solo { NARROW_RANK } else { NARROW_RATING };
    let is_wide = row.interval.is_none_or(|interval| interval.high - interval.low > narrow);
    row.matches < MIN_MATCHES || (is_wide && row.matches < MAX_PROVISIONAL)
}

/// Returns the standard error of a measure: its 95 % interval spans 3.92 of them.
fn standard_error(row: &LadderRow) -> Option<f64> {
    row.interval.map(|interval| (interval.high - interval.low) / 3.92)
}

impl Ladder {
    /// Returns a ladder without matches.
    pub(crate) fn new(scoring: Scoring, objective: Objective, has_seat_table: bool) -> Ladder {
        let rule = ScoringRule { objective, scoring };
        Ladder {
            rule,
            has_seat_table,
            id: None,
            revision: None,
            played: 0,
            under_way: BTreeMap::new(),
            matches: HashMap::new(),
            meetings: HashMap::new(),
            turns: HashMap::new(),
            results: StandingsBuilder::new(rule),
            first_seat: FirstSeatScores::new(),
            computed: None,
        }
    }

    /// Loads a ladder by its number. Nothing may be entered meanwhile.
    pub(crate) fn load(&self, state: &State, id: i64) -> Result<Ladder, HostError> {
        let mut ladder = Ladder::new(self.rule.scoring, self.rule.objective, self.has_seat_table);
        (ladder.id, ladder.revision) = (Some(id), state.ladder_revision()?);
        state.for_each_counted(id, |played| ladder.enter(&played))?;
        state.list_under_way(id)?.into_iter().for_each(|pairing| ladder.plan(pairing));
        Ok(ladder)
    }

    /// Returns whether it is this ladder at this revision of the state.
    pub(crate) fn is(&self, id: i64, revision: Option<&String>) -> bool {
        self.id == Some(id) && self.revision.as_ref() == revision
    }

    /// Returns its number.
    pub(crate) fn id(&self) -> Option<i64> {
        self.id
    }

    /// Returns how matches are scored.
    pub(crate) fn rule(&self) -> ScoringRule {
        self.rule
    }

    /// Returns whether every match is played by a single version in all seats.
    pub(crate) fn is_solo(&self) -> bool {
        self.rule.scoring == Scoring::Independent
    }

    /// Adds a match that is under way.
    pub(crate) fn plan(&mut self, pairing: Pairing) {
        let seated = pairing.versions();
        for &own in &seated {
            *self.matches.entry(own).or_default() += 1;
            if let Some(sequence) = pairing.sequence {
                *self.turns.entry((sequence, own)).or_default() += 1;
            }
            for &other in seated.iter().filter(|&&other| other != own) {
                *self.meetings.entry((own, other)).or_default() += 1;
            }
        }
        self.under_way.insert(pairing.id, pairing);
    }

    /// Drops a match that was under way and is not played.
    pub(crate) fn abandon(&mut self, id: i64) {
        let Some(pairing) = self.under_way.remove(&id) else { return };
        let seated = pairing.versions();
        let less = |count: Option<&mut u64>| {
            if let Some(count) = count {
                *count = count.saturating_sub(1);
            }
        };
        for &own in &seated {
            less(self.matches.get_mut(&own));
            if let Some(sequence) = pairing.sequence {
                less(self.turns.get_mut(&(sequence, own)));
            }
            for &other in seated.iter().filter(|&&other| other != own) {
                less(self.meetings.get_mut(&(own, other)));
            }
        }
    }

    /// Counts the result of a match that is under way; one that is not has been counted already,
    /// or belongs to another ladder.
    pub(crate) fn count(&mut self, played: &PlayedMatch) {
        let PlayedMatch { pairing, scores, .. } = played;
        if self.under_way.remove(&pairing.id).is_none() {
            return;
        }
        self.played += 1;
        let at = (pairing.scenario.as_str(), pairing.seed);
        let added =
            standings::add(&mut self.results, at, &pairing.seats, scores, played.fault_seat());
        if let Err(error) = added {
            tracing::error!(%error, id = pairing.id, "a match cannot be counted");
        }
        if self.has_seat_table
            && let ([first, second], [score, _]) = (&pairing.seats[..], &scores[..])
            && first != second
        {
            self.first_seat.entry((*first, *second)).or_default().push((pairing.id, *score));
        }
    }

    /// Enters a match that was not under way before.
    pub(crate) fn enter(&mut self, played: &PlayedMatch) {
        self.plan(played.pairing.clone());
        self.count(played);
    }

    /// Returns the games of each pair of versions in a match, in both orders.
    pub(crate) fn games_of(&self, played: &PlayedMatch) -> Vec<Games> {
        let PlayedMatch { pairing, scores, .. } = played;
        standings::games(self.rule, &pairing.seats, scores, played.fault_seat())
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

    /// Returns the standings of these versions from all matches, the best first, without hidden
    /// copies.
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
                    .all(|version| computed.rows.iter().any(|row| row.version == version.id))
        };
        if self.computed.as_ref().is_some_and(is_recent) {
            return;
        }
        // Tied versions are in the order of their ids.
        let mut sorted: Vec<&Version> = versions.iter().collect();
        sorted.sort_unstable_by_key(|version| version.id);
        let names: Vec<String> = sorted.iter().map(|version| version.id.to_string()).collect();
        let rows = self.results.ladder_rows(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let of_row = |row: LadderRow| {
            let id: i64 = row.player.parse().ok()?;
            let at = sorted.binary_search_by_key(&id, |version| version.id).ok()?;
            let version = sorted[at];
            Some(ComputedRow {
                version: version.id,
                copy_of: version.copy_of,
                is_provisional: self.id.is_some() && is_provisional(&row, self.is_solo()),
                row,
            })
        };
        let mut rows = rank_again(rows.into_iter().filter_map(of_row).collect());
        let shown = rows.iter_mut().filter(|row| row.copy_of.is_none());
        self.results.compare_with_next(shown.map(|row| &mut row.row));
        self.computed = Some(ComputedRows { played: self.played, rows });
    }

    fn computed_rows(&self) -> &[ComputedRow] {
        self.computed.as_ref().map_or(&[], |computed| &computed.rows)
    }

    /// Returns the rungs of versions whose rows are computed.
    fn rungs(&self, versions: &[Version]) -> Vec<Rung> {
        let rung = |computed: &ComputedRow| {
            let version = versions.iter().find(|version| version.id == computed.version)?.clone();
            let row = &computed.row;
            // Counts are those of now.
            let matches = self.results.count_matches(&row.player);
            let faults = self.results.count_faults(&row.player);
            let row = LadderRow { matches, faults, ..row.clone() };
            Some(Rung { version, row, is_provisional: computed.is_provisional })
        };
        let shown = self.computed_rows().iter().filter(|row| row.copy_of.is_none());
        shown.filter_map(rung).collect()
    }

    /// Returns a row's measure so that more is better.
    fn merit(&self, row: &LadderRow) -> Option<f64> {
        row.measure.map(|measure| if self.is_solo() { -measure } else { measure })
    }

    /// Returns how many ranks identical programs stand apart: the largest distance between a hidden
    /// copy and its original. None if there is no pair of which enough is known.
    pub(crate) fn copies_apart(&self) -> Option<u64> {
        let rows = self.computed_rows();
        let merit = |row: &ComputedRow| self.merit(&row.row).filter(|_| !row.is_provisional);
        let apart = |copy: &ComputedRow| {
            let original = rows.iter().find(|row| Some(row.version) == copy.copy_of)?;
            let (one, other) = (merit(copy)?, merit(original)?);
            let others =
                rows.iter().filter(|row| row.copy_of.is_none() && row.version != original.version);
            let between = |merit: &f64| *merit > one.min(other) && *merit <= one.max(other);
            Some(others.filter_map(merit).filter(between).count() as u64)
        };
        rows.iter().filter(|row| row.copy_of.is_some()).filter_map(apart).max()
    }

    /// Returns the ranks that each of these rungs may truly have, as far as its matches tell: where
    /// the difference of two measures is certain, with 95 % for all differences together (Tukey),
    /// one is better. Then they are widened by how far identical programs stand apart.
    pub(crate) fn certain_ranks(&self, rungs: &[Rung]) -> Vec<Option<(u64, u64)>> {
        let count = rungs.len();
        let errors = studentised_range::quantile(0.95, count.max(2), f64::INFINITY)
            / std::f64::consts::SQRT_2;
        let estimate = |rung: &Rung| {
            let row = Some(&rung.row).filter(|_| !rung.is_provisional)?;
            Some((self.merit(row)?, standard_error(row)?))
        };
        let estimates: Vec<Option<(f64, f64)>> = rungs.iter().map(estimate).collect();
        let is_better = |one: &Option<(f64, f64)>, other: &Option<(f64, f64)>| {
            let (Some((one, a)), Some((other, b))) = (one, other) else { return false };
            one - other > errors * a.hypot(*b)
        };
        let apart = self.copies_apart().unwrap_or_default();
        let range = |own: &Option<(f64, f64)>| {
            let better = estimates.iter().filter(|other| is_better(other, own)).count() as u64;
            let worse = estimates.iter().filter(|other| is_better(own, other)).count() as u64;
            let best = (1 + better).saturating_sub(apart).max(1);
            Some((best, (count as u64 - worse + apart).min(count as u64)))
        };
        estimates.iter().map(range).collect()
    }

    /// Returns these versions as matchmaking sees them, in the same order.
    pub(crate) fn contenders(&mut self, versions: &[Version], shares: &Shares) -> Vec<Contender> {
        self.compute(versions, versions.len() / 4);
        let by_id: HashMap<i64, &ComputedRow> =
            self.computed_rows().iter().map(|row| (row.version, row)).collect();
        let contender = |version: &Version| {
            let computed = by_id.get(&version.id);
            let error = computed.and_then(|computed| standard_error(&computed.row));
            Contender {
                rating: computed.and_then(|computed| computed.row.measure).unwrap_or_default(),
                standard_error: error.unwrap_or(UNKNOWN),
                matches: self.matches.get(&version.id).copied().unwrap_or(0),
                seconds: shares.due(version.id),
                head_start: 0.0,
                is_provisional: computed.is_none_or(|computed| computed.is_provisional),
                is_done: false,
                is_held: shares.is_held(version.id),
                is_examiner: false,
            }
        };
        let mut contenders: Vec<Contender> = versions.iter().map(contender).collect();
        favor_newcomers(&mut contenders, shares.mean_cost());
        contenders
    }

    /// Returns how many matches of a sequence of seeds a version has played, or has under way.
    pub(crate) fn count_turns(&self, sequence: i64, version: i64) -> u64 {
        self.turns.get(&(sequence, version)).copied().unwrap_or(0)
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

/// Ranks versions that are not provisional before all others, and gives hidden copies no place in
/// the others' ranks.
fn rank_again(mut rows: Vec<ComputedRow>) -> Vec<ComputedRow> {
    let settled = |row: &ComputedRow| row.copy_of.is_none() && !row.is_provisional;
    let ranks: Vec<(u64, bool, bool)> =
        rows.iter().map(|row| (row.row.rank, row.copy_of.is_none(), settled(row))).collect();
    let all_settled = ranks.iter().filter(|(.., settled)| *settled).count();
    for row in &mut rows {
        let own = row.row.rank;
        let before = |wanted: bool| {
            let better = ranks
                .iter()
                .filter(|(rank, is_shown, settled)| *rank < own && *is_shown && *settled == wanted);
            better.count()
        };
        let before = match row.is_provisional {
            true => all_settled + before(false),
            false => before(true),
        };
        row.row.rank = before as u64 + 1;
    }
    rows.sort_by_key(|row| row.row.rank);
    rows
}

#[cfg(test)]
mod tests {
    use quintain_stats::WinDrawLoss;

    use super::*;
    use crate::state::Stage;

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
            copy_of: None,
            submitter: None,
        }
    }

    fn win_of(id: i64, winner: i64, loser: i64) -> PlayedMatch {
        let seats = vec![winner, loser];
        let pairing = Pairing { id, scenario: "s".into(), seed: 1, seats, ..Pairing::default() };
        let (record, scores) = (id.to_string(), vec![1.0, 0.0]);
        PlayedMatch { pairing, record, scores, is_kept: true, ..PlayedMatch::default() }
    }

    /// Enters matches that a version plays alone, one on each seed.
    fn play_alone(ladder: &mut Ladder, first: i64, of: i64, seeds: u64, score: f64) {
        for seed in 0..seeds {
            let mut played = win_of(first + seed as i64, of, of);
            played.pairing.seats = vec![of];
            played.pairing.seed = seed;
            played.scores = vec![score];
            ladder.enter(&played);
        }
    }

    #[test]
    fn players_alone_are_compared_with_the_one_who_stands_below_them() {
        let mut ladder = Ladder::new(Scoring::Independent, Objective::Maximize, false);
        ladder.id = Some(1);
        play_alone(&mut ladder, 0, 1, 100, 5.0);
        play_alone(&mut ladder, 100, 2, 100, 3.0);
        // The best by far, but provisional, and so the last.
        play_alone(&mut ladder, 200, 3, 4, 9.0);
        let rungs = ladder.standings(&[1, 2, 3].map(|of| version(of, of)));
        let beside = |wins, losses| Some(WinDrawLoss { wins, losses, ..WinDrawLoss::default() });
        let found: Vec<_> = rungs.iter().map(|rung| (rung.version.id, rung.beside_next)).collect();
        assert_eq!(found, [(1, beside(100, 0)), (2, beside(0, 4)), (3, None)]);
    }

    #[test]
    fn seeds_that_only_the_strong_have_played_make_nobody_weak() {
        let mut ladder = Ladder::new(Scoring::Independent, Objective::Maximize, false);
        // The best and the middle one have played all seeds, and two that always score 0 only the
        // first seeds.
        for (of, seeds, score) in [(1, 100, 9.0), (2, 100, 5.0), (3, 20, 0.0), (4, 5, 0.0)] {
            play_alone(&mut ladder, 1000 * of, of, seeds, score);
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
    fn a_new_version_is_provisional_and_ranks_behind_those_that_are_not() {
        let mut ladder = Ladder::new(Scoring::Adversarial, Objective::Maximize, false);
        ladder.id = Some(1);
        let mut id = 0;
        let mut play = |ladder: &mut Ladder, winner, loser| {
            id += 1;
            ladder.enter(&win_of(id, winner, loser));
        };
        // One beats two in two of three matches, and two does the same to three.
        for turn in 0..60 {
            for (strong, weak) in [(1, 2), (2, 3), (1, 3)] {
                let (winner, loser) = if turn % 3 == 0 { (weak, strong) } else { (strong, weak) };
                play(&mut ladder, winner, loser);
            }
        }
        // The last one's author submits another version, which beats the last a few times.
        let versions = [version(1, 1), version(2, 2), version(3, 4), version(9, 3)];
        for _ in 0..4 {
            play(&mut ladder, 9, 3);
        }
        let rank_of = |ladder: &mut Ladder, id: i64| {
            let rungs = ladder.standings(&versions);
            let rung = rungs.iter().find(|rung| rung.version.id == id).unwrap();
            (rung.rank, rung.is_provisional)
        };
        assert_eq!(rank_of(&mut ladder, 9), (4, true));
        assert_eq!(rank_of(&mut ladder, 1), (1, false));
        // Its author's rating does not matter: it begins as unknown.
        let [.., new] = ladder.contenders(&versions, &Shares::default())[..] else { panic!() };
        assert!(new.is_provisional && new.matches == 4, "{new:?}");
        // Against everybody it turns out to be the best.
        for turn in 0..30 {
            for other in [1, 2, 3] {
                let (winner, loser) = if turn % 5 == 0 { (other, 9) } else { (9, other) };
                play(&mut ladder, winner, loser);
            }
        }
        assert_eq!(rank_of(&mut ladder, 9), (1, false));
    }

    #[test]
    fn hidden_copies_have_no_rank_and_leave_the_others_ranks_alone() {
        let row = |version: i64, rank: u64, copy_of: Option<i64>, is_provisional: bool| {
            let row = LadderRow { rank, ..LadderRow::default() };
            ComputedRow { version, copy_of, is_provisional, row }
        };
        let ranked = rank_again(vec![
            row(1, 1, Some(4), false),
            row(2, 2, None, true),
            row(3, 3, None, false),
            row(4, 3, None, false),
            row(5, 5, None, true),
            row(6, 6, None, false),
        ]);
        let ranks: Vec<(i64, u64)> = ranked
            .iter()
            .filter(|row| row.copy_of.is_none())
            .map(|row| (row.version, row.row.rank))
            .collect();
        assert_eq!(ranks, [(3, 1), (4, 1), (6, 3), (2, 4), (5, 5)]);
    }

    #[test]
    fn copies_measure_the_noise_by_which_certain_ranks_are_widened() {
        let mut ladder = Ladder::new(Scoring::Adversarial, Objective::Maximize, false);
        ladder.id = Some(1);
        let mut id = 0;
        // Each beats those after it in two of three matches; the copy of the second does as well as
        // the fourth.
        for turn in 0..240 {
            for (strong, weak) in [(1, 2), (2, 3), (3, 4), (4, 5), (1, 9), (9, 5), (3, 9)] {
                id += 1;
                let is_upset = turn % 3 == 0;
                let (winner, loser) = if is_upset { (weak, strong) } else { (strong, weak) };
                ladder.enter(&win_of(id, winner, loser));
            }
        }
        let mut versions: Vec<Version> = (1..=5).map(|id| version(id, id)).collect();
        let rungs = ladder.standings(&versions);
        assert_eq!(ladder.copies_apart(), None);
        assert_eq!(ladder.certain_ranks(&rungs)[1], Some((2, 2)));
        versions.push(Version { copy_of: Some(2), ..version(9, 9) });
        let rungs = ladder.standings(&versions);
        let shown: Vec<i64> = rungs.iter().map(|rung| rung.version.id).collect();
        assert_eq!(shown, [1, 2, 3, 4, 5], "the copy is not shown");
        assert_eq!(rungs.iter().map(|rung| rung.rank).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
        let apart = ladder.copies_apart().unwrap();
        assert!((1..=2).contains(&apart), "{apart}");
        assert_eq!(ladder.certain_ranks(&rungs)[2], Some((3 - apart, 3 + apart)));
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
            ladder.contenders(&versions, &Shares::default()).iter().map(|of| of.matches).collect();
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
                ladder.enter(&played);
            }
        }
        let rungs = ladder.standings(&[version(3, 3), version(2, 2), version(1, 1)]);
        let beside: Vec<_> = rungs.iter().map(|rung| (rung.version.id, rung.beside_next)).collect();
        let ahead = WinDrawLoss { wins: 3, draws: 0, losses: 1 };
        assert_eq!(beside, [(1, Some(ahead)), (2, None), (3, None)]);
        let [on_all] = &ladder.compare(1, 2)[..] else { panic!("one scenario") };
        assert_eq!(on_all.lead.difference, 1.25);
    }
}
