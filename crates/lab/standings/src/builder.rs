//! Builds standings from results that come one by one.

use std::collections::HashMap;

use quintain_core::Scoring;
use quintain_stats::all_pairs::{AllPairs, Mark};
use quintain_stats::clustered::ClusteredSample;
use quintain_stats::{Elo, Interval, WinDrawLoss, bradley_terry};

use crate::clusters::Clusters;
use crate::comparison::Comparison;
use crate::counts::{Repetitions, ResultCounts};
use crate::normalised::normalise;
use crate::ranking::{places_over, table};
use crate::repeats::Repeats;
use crate::result::{BadResult, MatchResult, ScoringRule};
use crate::sorted_counts::SortedCounts;
use crate::spread::RatingSpread;
use crate::superiority::superiority;
use crate::table::{Certainty, ScenarioStandings, Standings, StandingsRow, Versus};
use crate::{endings, field, leagues, spread};

/// Results counted so far. Memory grows by 24 bytes for every player of every match and by 32 for
/// every pair of rivals in one; nothing else of a match is kept.
#[derive(Debug)]
pub struct StandingsBuilder {
    pub(crate) counts: ResultCounts,
}

impl StandingsBuilder {
    /// Makes an empty builder; scores will be read by `rule`.
    pub fn new(rule: ScoringRule) -> Self {
        Self { counts: ResultCounts::new(rule) }
    }

    /// Counts one more match, or nothing if it cannot be counted.
    ///
    /// # Errors
    /// If there is not one player and one score per seat, a score is not finite, or the seat at
    /// fault does not exist.
    pub fn add(&mut self, result: &MatchResult<'_>) -> Result<(), BadResult> {
        self.counts.add(result, &|| None)
    }

    /// Counts one more match whose actions are known: `course` gives a digest of them. A line-up
    /// whose actions and scores are the same on every seed of a scenario has played one match
    /// there, however often it was played. `course` is called only as long as its line-up may
    /// repeat matches.
    ///
    /// # Errors
    /// As [`StandingsBuilder::add`].
    pub fn add_with_course(
        &mut self,
        result: &MatchResult<'_>,
        course: &dyn Fn() -> Option<u64>,
    ) -> Result<(), BadResult> {
        self.counts.add(result, course)
    }

    /// Which players of the overall table certainly differ, and what more seeds would tell; the
    /// players are numbered in the order of these names. Computed without the rest of the
    /// standings.
    pub fn compare_players(&self) -> (Vec<&str>, AllPairs) {
        let all_counts = &self.counts;
        let players = all_counts.players.sorted();
        let scenarios = all_counts.scenarios.sorted();
        let counted = SortedCounts::new(all_counts, &players, &scenarios);
        let standings: Vec<ScenarioStandings> = (scenarios.iter().enumerate())
            .map(|(at, &(name, number))| {
                let rows = table(&counted, at..at + 1, &[], &HashMap::new());
                let rows = rows.into_iter().map(|(_, row)| row).collect();
                let (matches, winners) = (all_counts.counts[number].matches, Vec::new());
                ScenarioStandings { scenario: name.to_owned(), matches, winners, rows }
            })
            .collect();
        let ratings = match all_counts.rule.scoring {
            Scoring::Adversarial => {
                bradley_terry::fit_ratings(&all_counts.distinct_matrix(&players))
            }
            Scoring::Independent => Vec::new(),
        };
        let all = 0..scenarios.len();
        let places = places_over(all_counts.rule.objective, &standings);
        let mut overall = table(&counted, all.clone(), &ratings, &places);
        let scores = Clusters::of(&counted, all).scores(&counted);
        let (comparison, _) = compare_overall(&counted, &scores, &ratings, &mut overall);
        (players.iter().map(|(name, _)| *name).collect(), comparison.pairs)
    }

    /// The standings from everything counted so far.
    pub fn standings(&self) -> Standings {
        let all_counts = &self.counts;
        let rule = all_counts.rule;
        let players = all_counts.players.sorted();
        let scenarios = all_counts.scenarios.sorted();
        let counted = SortedCounts::new(all_counts, &players, &scenarios);
        let standings: Vec<ScenarioStandings> = scenarios
            .iter()
            .enumerate()
            .map(|(at, &(name, number))| {
                rate_scenario(&counted, at, name, all_counts.counts[number].matches)
            })
            .collect();

        let matrix = (rule.scoring == Scoring::Adversarial).then(|| all_counts.matrix(&players));
        let distinct = matrix.is_some().then(|| all_counts.distinct_matrix(&players));
        let ratings = distinct.as_deref().map(bradley_terry::fit_ratings).unwrap_or_default();
        let places = places_over(rule.objective, &standings);
        let all = 0..scenarios.len();
        let mut overall = table(&counted, all.clone(), &ratings, &places);
        let scores = Clusters::of(&counted, all.clone()).scores(&counted);
        let (comparison, spread) = compare_overall(&counted, &scores, &ratings, &mut overall);
        add_what_takes_all(&mut overall, &counted, &standings);
        let superiority = superiority(&counted, &overall);
        let certainty = comparison.certainty(&overall, scenarios.len());
        let overall: Vec<StandingsRow> = overall.into_iter().map(|(_, row)| row).collect();
        let versus = matrix
            .zip(distinct)
            .map(|(matrix, distinct)| versus(&players, [&matrix, &distinct], spread, &overall));
        let rings = superiority.as_ref().filter(|_| versus.is_some()).map(field::rings);
        let difference = field::difference(&counted, &standings, &scores);
        Standings {
            rule,
            matches: all_counts.matches,
            distinct: all_counts.repetitions.iter().map(Repetitions::distinct).sum(),
            overall,
            certainty,
            bracket: None,
            rounds: None,
            challengers: Vec::new(),
            versus,
            difference,
            superiority,
            rings: rings.unwrap_or_default(),
            scenarios: standings,
            regret: Vec::new(),
            repeats: Repeats::of(all_counts),
        }
    }
}

impl Standings {
    /// Withdraws what is said to be certain, for tournaments in which results decided who met whom:
    /// the tests take meetings as given.
    pub fn withhold_certainty(&mut self) {
        let rows = self.scenarios.iter_mut().flat_map(|scenario| &mut scenario.rows);
        for row in self.overall.iter_mut().chain(rows) {
            (row.mark, row.ranks) = (None, None);
        }
        self.scenarios.iter_mut().for_each(|scenario| scenario.winners.clear());
        self.rings.clear();
        (self.superiority, self.difference) = (None, None);
        let Certainty { seeds, lead_in, .. } = self.certainty;
        self.certainty = Certainty {
            is_withheld: true,
            seeds,
            missing_seeds: 0,
            lead_in,
            smallest_lead: None,
            seeds_for_ten_points: None,
            undecided: 0,
            open: None,
            undecided_places: None,
        };
    }

    /// The standings of all `results`. Use a [`StandingsBuilder`] where results cannot be lent to
    /// an iterator.
    ///
    /// # Errors
    /// As [`StandingsBuilder::add`], for the first result that cannot be counted.
    ///
    /// ```
    /// use quintain_core::{Objective, Scoring};
    /// use quintain_standings::{MatchResult, ScoringRule, Standings};
    ///
    /// let rule = ScoringRule { objective: Objective::Maximize, scoring: Scoring::Adversarial };
    /// let result = MatchResult {
    ///     scenario: "open",
    ///     seed: 1,
    ///     players: &["greedy", "random"],
    ///     scores: &[1.0, 0.0],
    ///     fault: None,
    ///     truncated: false,
    ///     ending: "over",
    /// };
    /// let standings = Standings::of(rule, [result])?;
    /// assert_eq!(standings.overall[0].player, "greedy");
    /// assert_eq!(standings.overall[0].games.unwrap().wins, 1);
    /// # Ok::<(), quintain_standings::BadResult>(())
    /// ```
    pub fn of<'a>(
        rule: ScoringRule,
        results: impl IntoIterator<Item = MatchResult<'a>>,
    ) -> Result<Self, BadResult> {
        let mut tally = StandingsBuilder::new(rule);
        for result in results {
            tally.add(&result)?;
        }
        Ok(tally.standings())
    }
}

impl Standings {
    /// Shifts the ratings so that `player` has this one. Intervals are then those of the distance
    /// to it, and its own is none. Returns false, and changes nothing, if the player has no rating.
    pub fn anchor(&mut self, player: &str, rating: f64) -> bool {
        let Some(versus) = &self.versus else { return false };
        let Some(anchor) = versus.players.iter().position(|name| name == player) else {
            return false;
        };
        let ratings = bradley_terry::fit_ratings_to(&versus.distinct, Some(anchor));
        if ratings[anchor].is_none() {
            return false;
        }
        let rows = self.overall.iter_mut().zip(ratings);
        for (player, (row, elo)) in rows.enumerate() {
            let distance = elo.as_ref().filter(|_| row.by_seed.is_some());
            row.by_seed = distance.and_then(|elo| {
                let interval = versus.spread.interval(elo.rating, player, Some(anchor))?;
                let (low, high) = (interval.low + rating, interval.high + rating);
                Some(Interval { low, high })
            });
            row.elo = elo.map(|elo| Elo {
                rating: elo.rating + rating,
                low: elo.low + rating,
                high: elo.high + rating,
                ..elo
            });
        }
        true
    }
}

/// The standings of one scenario.
fn rate_scenario(
    counted: &SortedCounts<'_>,
    scenario: usize,
    name: &str,
    matches: u64,
) -> ScenarioStandings {
    let here = scenario..scenario + 1;
    let mut rows = table(counted, here.clone(), &[], &HashMap::new());
    let clusters = Clusters::of(counted, here.clone());
    let comparison = match counted.rule().scoring {
        Scoring::Independent => {
            Comparison::by_scores(counted, here, &clusters.scores(counted), &rows)
        }
        Scoring::Adversarial => {
            Comparison::by_games(counted, here, &clusters.games(counted), None, &rows)
        }
    };
    comparison.mark(&mut rows);
    comparison.add_differences(counted.rule().objective, &mut rows);
    let rows: Vec<StandingsRow> = rows.into_iter().map(|(_, row)| row).collect();
    let is_behind = |row: &&StandingsRow| row.mark == Some(Mark::Behind);
    let winners = rows.iter().filter(|row| !is_behind(row)).map(|row| row.player.clone());
    ScenarioStandings { scenario: name.to_owned(), matches, winners: winners.collect(), rows }
}

/// Compares the players of the overall table, and fills in what follows for each: its mark, its
/// ranks, and its interval by seeds.
fn compare_overall(
    counted: &SortedCounts<'_>,
    scores: &[ClusteredSample],
    ratings: &[Option<Elo>],
    overall: &mut [(usize, StandingsRow)],
) -> (Comparison, RatingSpread) {
    let all = 0..counted.scenario_count();
    let (comparison, spread) = match counted.rule().scoring {
        Scoring::Independent => {
            for (player, row) in &mut *overall {
                row.by_seed = spread::mean_interval(&scores[*player]);
            }
            let comparison = Comparison::by_scores(counted, all.clone(), scores, overall);
            (comparison, RatingSpread::default())
        }
        Scoring::Adversarial => {
            let games = Clusters::of(counted, all.clone()).games(counted);
            let known: Vec<Option<f64>> =
                ratings.iter().map(|elo| elo.as_ref().map(|elo| elo.rating)).collect();
            let spread = RatingSpread::of(&known, &games);
            for (player, row) in &mut *overall {
                // Only the prior keeps the rating of a player finite that won, or lost, every game.
                let elo = row.elo.as_ref().filter(|elo| elo.sweep.is_none());
                row.by_seed = elo.and_then(|elo| spread.interval(elo.rating, *player, None));
            }
            let comparison =
                Comparison::by_games(counted, all.clone(), &games, Some(&spread), overall);
            (comparison, spread)
        }
    };
    comparison.mark(overall);
    if all.len() == 1 {
        comparison.add_differences(counted.rule().objective, overall);
    }
    (comparison, spread)
}

/// Fills in the columns that only the overall table has.
fn add_what_takes_all(
    overall: &mut [(usize, StandingsRow)],
    counted: &SortedCounts<'_>,
    scenarios: &[ScenarioStandings],
) {
    let objective = counted.rule().objective;
    let leagues = leagues::rate(counted);
    for (player, row) in overall {
        row.normalised = normalise(counted, *player, scenarios);
        row.leagues = leagues.as_ref().map(|leagues| leagues[*player]);
        row.robustness = field::robustness(objective, &row.player, scenarios);
        row.endings = endings::summarize(counted, *player);
    }
}

/// Converts the matrix from the order of `players` to the order of the overall table.
fn versus(
    players: &[(&str, usize)],
    [matrix, distinct]: [&[Vec<WinDrawLoss>]; 2],
    mut spread: RatingSpread,
    overall: &[StandingsRow],
) -> Versus {
    let at: HashMap<&str, usize> =
        players.iter().enumerate().map(|(at, &(name, _))| (name, at)).collect();
    let order: Vec<usize> = overall.iter().map(|row| at[row.player.as_str()]).collect();
    let (groups, one_sided) = bradley_terry::count_groups(matrix);
    let ordered = |matrix: &[Vec<WinDrawLoss>]| {
        order.iter().map(|&i| order.iter().map(|&j| matrix[i][j]).collect()).collect()
    };
    Versus {
        players: overall.iter().map(|row| row.player.clone()).collect(),
        matrix: ordered(matrix),
        distinct: ordered(distinct),
        groups,
        one_sided,
        spread: RatingSpread { values: order.iter().map(|&at| spread.values[at].take()).collect() },
    }
}
