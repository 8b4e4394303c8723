//! Which players of a table certainly differ: their values on common seeds, for the one procedure
//! that decides it ([`AllPairs`]).

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use quintain_core::Objective;
use quintain_stats::Interval;
use quintain_stats::all_pairs::{AllPairs, MIN_SEEDS};
use quintain_stats::clustered::ClusteredSample;
use quintain_stats::ranks;

use crate::clusters::{Games, Meeting};
use crate::sorted_counts::SortedCounts;
use crate::spread::RatingSpread;
use crate::table::{Certainty, LeadIn, OpenQuestion, StandingsRow};

/// By player, in the order of names: its value on every seed, where more is better.
type Values = Vec<Vec<Option<f64>>>;

/// The players of a table, compared.
pub(crate) struct Comparison {
    pub(crate) pairs: AllPairs,
    pub(crate) lead_in: LeadIn,
}

impl Comparison {
    /// Compares players by their scores: the scores themselves on one scenario, and the ranks on
    /// each seed on several, whose scores may be on different scales.
    pub(crate) fn by_scores(
        counted: &SortedCounts<'_>,
        scenarios: Range<usize>,
        scores: &[ClusteredSample],
        rows: &[(usize, StandingsRow)],
    ) -> Comparison {
        let objective = counted.rule().objective;
        let value = |of: &ClusteredSample, cluster: usize| {
            (of.counts[cluster] > 0.0)
                .then(|| objective.gain(of.sums[cluster] / of.counts[cluster]))
        };
        let clusters = scores.first().map_or(0, |of| of.sums.len());
        let values = scores.iter().map(|of| (0..clusters).map(|at| value(of, at)).collect());
        let mut values: Values = values.collect();
        let mut lead_in = LeadIn::Score;
        if scenarios.len() > 1 {
            lead_in = LeadIn::Rank;
            rank_each_seed(&mut values, rows.len());
        }
        Comparison { pairs: compare(counted, scenarios, rows, &values), lead_in }
    }

    /// Compares players by their points where all met one another equally often on every seed, and
    /// by their ratings without each seed otherwise.
    pub(crate) fn by_games(
        counted: &SortedCounts<'_>,
        scenarios: Range<usize>,
        games: &Games,
        spread: Option<&RatingSpread>,
        rows: &[(usize, StandingsRow)],
    ) -> Comparison {
        let Games { meetings, clusters, seeds } = games;
        let players = counted.players().len();
        let has_enough = *seeds >= MIN_SEEDS;
        let points = || points_by_seed(meetings, *clusters, players);
        let (mut values, lead_in) = match spread {
            Some(spread) if has_enough && !is_balanced(meetings, rows.len()) => {
                let of = |values: &Option<Vec<f64>>| {
                    values.iter().flatten().map(|value| Some(*value)).collect()
                };
                (spread.values.iter().map(of).collect(), LeadIn::Elo)
            }
            _ => (points(), LeadIn::PointsPercent),
        };
        if !has_enough {
            values.iter_mut().for_each(|values| values.truncate(*seeds));
        }
        Comparison { pairs: compare(counted, scenarios, rows, &values), lead_in }
    }

    /// Writes into each row what can be said of it.
    pub(crate) fn mark(&self, rows: &mut [(usize, StandingsRow)]) {
        let (Some(marks), Some(ranks)) = (self.pairs.marks(), self.pairs.ranks()) else { return };
        for (player, row) in rows {
            let is_compared = self.pairs.has_values(*player);
            row.mark = is_compared.then_some(marks[*player]);
            row.ranks = is_compared.then_some(ranks[*player]);
        }
    }

    /// Gives the differences to the first of the table intervals that hold together.
    pub(crate) fn add_differences(&self, objective: Objective, rows: &mut [(usize, StandingsRow)]) {
        let [(leader, _), others @ ..] = rows else { return };
        for (player, row) in others {
            let Some(paired) = &mut row.to_leader else { continue };
            let found = self.pairs.difference(*player, *leader).and_then(|(_, interval)| interval);
            paired.interval = found.map(|Interval { low, high }| match objective {
                Objective::Maximize => Interval { low, high },
                Objective::Minimize => Interval { low: -high, high: -low },
            });
        }
    }

    /// What the whole table can tell, with seeds counted scenario by scenario.
    pub(crate) fn certainty(&self, rows: &[(usize, StandingsRow)], scenarios: usize) -> Certainty {
        let scenarios = scenarios.max(1) as u64;
        let seeds = self.pairs.seeds() as u64;
        let on_each = |seeds: u64| seeds.div_ceil(scenarios);
        let more = |needed: u64| on_each(needed.saturating_sub(seeds)).max(1);
        let name = |player: usize| {
            let row = rows.iter().find(|(at, _)| *at == player);
            row.map(|(_, row)| row.player.clone()).unwrap_or_default()
        };
        let undecided = self.pairs.undecided();
        let question = |&(one, other): &(usize, usize)| OpenQuestion {
            players: [name(one), name(other)],
            more_seeds: self.pairs.seeds_telling_apart(one, other).map(more),
        };
        // Of two that are exactly equal so far, no number of seeds is known.
        let has_answer =
            |&&(one, other): &&(usize, usize)| self.pairs.seeds_telling_apart(one, other).is_some();
        let open = undecided.iter().find(has_answer).or(undecided.first()).map(question);
        let scale = if self.lead_in == LeadIn::PointsPercent { 100.0 } else { 1.0 };
        let ten = match self.lead_in {
            LeadIn::PointsPercent => Some(0.1),
            LeadIn::Elo => Some(TEN_POINTS_IN_ELO),
            LeadIn::Score | LeadIn::Rank => None,
        };
        let least = MIN_SEEDS as u64;
        let is_refused = self.pairs.is_refused() && rows.len() > 1;
        Certainty {
            is_withheld: false,
            seeds,
            missing_seeds: if is_refused { more(least) } else { 0 },
            lead_in: self.lead_in,
            smallest_lead: self.pairs.lead_told_by(seeds).map(|lead| scale * lead),
            seeds_for_ten_points: ten.and_then(|ten| self.pairs.seeds_telling(ten)).map(on_each),
            undecided: if is_refused { 0 } else { undecided.len() as u64 },
            open: open.filter(|_| !is_refused),
            undecided_places: (!is_refused).then(|| places_of(&undecided, rows)),
        }
    }
}

/// Returns pairs of players as their places in the table, the better place first.
fn places_of(pairs: &[(usize, usize)], rows: &[(usize, StandingsRow)]) -> HashSet<(usize, usize)> {
    let places: HashMap<usize, usize> =
        rows.iter().enumerate().map(|(place, (player, _))| (*player, place)).collect();
    let ordered = |(one, other): &(usize, usize)| {
        let (one, other) = (places.get(one)?, places.get(other)?);
        Some((*one.min(other), *one.max(other)))
    };
    pairs.iter().filter_map(ordered).collect()
}

/// A lead by which a player takes 60 % of the points from another, 10 more than half.
const TEN_POINTS_IN_ELO: f64 = 70.0;

fn compare(
    counted: &SortedCounts<'_>,
    scenarios: Range<usize>,
    rows: &[(usize, StandingsRow)],
    values: &Values,
) -> AllPairs {
    let mut ranks = vec![0; values.len()];
    rows.iter().for_each(|(player, row)| ranks[*player] = row.rank);
    // Over several scenarios it is the scenarios that vary.
    let is_unvarying: Vec<bool> = (0..values.len())
        .map(|player| scenarios.len() == 1 && counted.is_unvarying(scenarios.start, player))
        .collect();
    AllPairs::compare(&ranks, values, |one, other| is_unvarying[one] && is_unvarying[other])
}

/// Replaces the values on each seed by the ranks of the players there, negative so that more is
/// better. Where some have not played, the ranks of the others are stretched to all.
fn rank_each_seed(values: &mut Values, players: usize) {
    let seeds = values.first().map_or(0, Vec::len);
    for seed in 0..seeds {
        let there: Vec<usize> =
            (0..values.len()).filter(|&player| values[player][seed].is_some()).collect();
        let merits: Vec<f64> = there.iter().filter_map(|&player| values[player][seed]).collect();
        let stretch = (players as f64 - 1.0) / (there.len() as f64 - 1.0).max(1.0);
        for (player, place) in there.into_iter().zip(ranks::rank(&merits, 0.0)) {
            values[player][seed] = Some(-(1.0 + (place.fractional - 1.0) * stretch));
        }
    }
}

/// Every player's share of the points on each seed.
fn points_by_seed(meetings: &[Meeting], clusters: usize, players: usize) -> Values {
    let mut sums = vec![vec![(0.0, 0.0); clusters]; players];
    for of in meetings {
        let (points, games) = (f64::from(of.points), f64::from(of.games));
        let cluster = of.cluster as usize;
        for (player, points) in of.players.iter().zip([points, games - points]) {
            let sum = &mut sums[*player as usize][cluster];
            sum.0 += points;
            sum.1 += games;
        }
    }
    let share = |(points, games): (f64, f64)| (games > 0.0).then(|| points / games);
    sums.into_iter().map(|of| of.into_iter().map(share).collect()).collect()
}

/// Whether every two of the players met equally often on every seed.
fn is_balanced(meetings: &[Meeting], players: usize) -> bool {
    let pairs = players * players.saturating_sub(1) / 2;
    let is_whole =
        |seed: &[Meeting]| seed.len() == pairs && seed.iter().all(|of| of.games == seed[0].games);
    meetings.chunk_by(|a, b| a.cluster == b.cluster).all(is_whole)
}
