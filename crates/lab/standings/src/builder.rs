//! Builds standings from results that come one by one.

use std::collections::HashMap;

use quintain_core::Scoring;
use quintain_stats::{Elo, WinDrawLoss, bradley_terry};

use crate::counts::{Repetitions, ResultCounts};
use crate::normalised::normalise;
use crate::ranking::{places_over, table};
use crate::repeats::Repeats;
use crate::resampled::resample;
use crate::result::{BadResult, MatchResult, ScoringRule};
use crate::sorted_counts::SortedCounts;
use crate::superiority::superiority;
use crate::table::{ScenarioStandings, Standings, StandingsRow, Versus};
use crate::{endings, field, leagues};

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
    /// there, however often it was played. `course` is called only as long as that is possible.
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
                let rows = table(&counted, at..at + 1, &[], &HashMap::new());
                ScenarioStandings {
                    scenario: name.to_owned(),
                    matches: all_counts.counts[number].matches,
                    winners: field::winners(&counted, at, &rows),
                    rows: rows.into_iter().map(|(_, row)| row).collect(),
                }
            })
            .collect();

        let matrix = (rule.scoring == Scoring::Adversarial).then(|| all_counts.matrix(&players));
        let distinct = matrix.is_some().then(|| all_counts.distinct_matrix(&players));
        let ratings = distinct.as_deref().map(bradley_terry::fit_ratings).unwrap_or_default();
        let places = places_over(rule.objective, &standings);
        let mut overall = table(&counted, 0..scenarios.len(), &ratings, &places);
        add_what_takes_all(&mut overall, &counted, &ratings, &standings);
        let superiority = superiority(&counted, &overall);
        let overall: Vec<StandingsRow> = overall.into_iter().map(|(_, row)| row).collect();
        let versus = matrix
            .zip(distinct)
            .map(|(matrix, distinct)| versus(&players, [&matrix, &distinct], &overall));
        let rings = versus.as_ref().map(field::rings).unwrap_or_default();
        let difference = field::difference(&counted, &standings);
        Standings {
            rule,
            matches: all_counts.matches,
            distinct: all_counts.repetitions.iter().map(Repetitions::distinct).sum(),
            overall,
            versus,
            difference,
            superiority,
            rings,
            scenarios: standings,
            regret: Vec::new(),
            repeats: Repeats::of(all_counts),
        }
    }
}

impl Standings {
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
    /// to it, and its own interval has no width. Intervals by seeds, which are of the distance to
    /// the mean of all, are removed. Returns false, and changes nothing, if the player has no
    /// rating.
    pub fn anchor(&mut self, player: &str, rating: f64) -> bool {
        let Some(versus) = &self.versus else { return false };
        let Some(anchor) = versus.players.iter().position(|name| name == player) else {
            return false;
        };
        let ratings = bradley_terry::fit_ratings_to(&versus.distinct, Some(anchor));
        if ratings[anchor].is_none() {
            return false;
        }
        for (row, elo) in self.overall.iter_mut().zip(ratings) {
            row.elo = elo.map(|elo| Elo {
                rating: elo.rating + rating,
                low: elo.low + rating,
                high: elo.high + rating,
                ..elo
            });
            if let Some(resampled) = &mut row.resampled {
                resampled.interval = None;
            }
        }
        true
    }
}

/// Fills in the columns that only the overall table has. `ratings` are in the order of the players'
/// names.
fn add_what_takes_all(
    overall: &mut [(usize, StandingsRow)],
    counted: &SortedCounts<'_>,
    ratings: &[Option<Elo>],
    scenarios: &[ScenarioStandings],
) {
    let objective = counted.rule().objective;
    let ratings: Vec<Option<f64>> =
        ratings.iter().map(|rating| rating.as_ref().map(|elo| elo.rating)).collect();
    let mut spread = resample(counted, &ratings);
    let leagues = leagues::rate(counted);
    for (player, row) in overall {
        row.resampled = spread[*player].take();
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
    }
}
