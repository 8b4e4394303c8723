//! The ranks that the matches of a final give, and which of them are certain.

use std::collections::BTreeMap;

use quintain_core::Scoring;
use quintain_standings::{
    BadResult, LadderRow, MatchResult, ScoringRule, StandingsBuilder, game_between,
};
use quintain_stats::WinDrawLoss;
use quintain_stats::all_pairs::AllPairs;

/// A match of a final, as far as its standings need it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FinalMatch {
    /// The round, from 0.
    pub round: u64,
    /// The scenario's text, the same for all instances.
    pub scenario: String,
    /// The seed.
    pub seed: u64,
    /// The program at each seat, by its number in the contest.
    pub players: Vec<i64>,
    /// The score of each seat.
    pub scores: Vec<f64>,
    /// The seat that forfeited the match, if one did.
    pub fault_seat: Option<usize>,
}

/// Two programs that met, and their games as the first sees them.
pub type Games = (i64, i64, WinDrawLoss);

/// Returns the games of each pair of programs in a match, in both orders.
pub fn games(
    rule: ScoringRule,
    players: &[i64],
    scores: &[f64],
    fault_seat: Option<usize>,
) -> Vec<Games> {
    let seats = || {
        let seats = players.iter().zip(scores).enumerate();
        seats.map(|(seat, (player, score))| {
            (*player, (rule.objective.gain(*score), fault_seat == Some(seat)))
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

/// Adds a match to standings in which programs go by their numbers.
///
/// # Errors
/// If the match has not as many scores as seats.
pub fn add(
    results: &mut StandingsBuilder,
    (scenario, seed): (&str, u64),
    players: &[i64],
    scores: &[f64],
    fault_seat: Option<usize>,
) -> Result<(), BadResult> {
    let players: Vec<String> = players.iter().map(ToString::to_string).collect();
    results.add(&MatchResult {
        scenario,
        seed,
        players: &players.iter().map(String::as_str).collect::<Vec<_>>(),
        scores,
        fault: fault_seat.map(|seat| (seat, "fault")),
        truncated: false,
        ending: "",
    })
}

/// Returns the rows of these programs from these matches, the best first.
///
/// # Errors
/// If a match has not as many scores as seats.
pub fn rows<'a>(
    rule: ScoringRule,
    players: &[i64],
    matches: impl IntoIterator<Item = &'a FinalMatch>,
) -> Result<Vec<LadderRow>, BadResult> {
    let mut results = StandingsBuilder::new(rule);
    for played in matches {
        let FinalMatch { scenario, seed, players, scores, fault_seat, .. } = played;
        add(&mut results, (scenario, *seed), players, scores, *fault_seat)?;
    }
    let names: Vec<String> = players.iter().map(ToString::to_string).collect();
    Ok(results.ladder(&names.iter().map(String::as_str).collect::<Vec<_>>()))
}

/// Returns ranges of ranks that are right together with a probability of 95 %, in the order of the
/// rows: everything, if too little was played to tell. A round on a scenario is one observation.
pub fn likely_ranks(
    rule: ScoringRule,
    rows: &[LadderRow],
    matches: &[FinalMatch],
) -> Vec<Option<(u64, u64)>> {
    let places: Vec<u64> = rows.iter().map(|row| row.rank).collect();
    let pairs = AllPairs::compare(&places, &values(rule, rows, matches), |_, _| false);
    let ranks = pairs.ranks().unwrap_or_else(|| vec![(1, rows.len() as u64); rows.len()]);
    let is_rated = rows.iter().map(|row| row.measure.is_some());
    is_rated.zip(ranks).map(|(is_rated, ranks)| is_rated.then_some(ranks)).collect()
}

/// Returns what each row is worth in each round on each scenario, where more is better: its rank
/// there if everybody plays alone, its share of the points otherwise.
fn values(rule: ScoringRule, rows: &[LadderRow], matches: &[FinalMatch]) -> Vec<Vec<Option<f64>>> {
    let mut clusters: BTreeMap<(u64, &str), Vec<&FinalMatch>> = BTreeMap::new();
    for played in matches {
        clusters.entry((played.round, &played.scenario)).or_default().push(played);
    }
    let players: Vec<i64> = rows.iter().filter_map(|row| row.player.parse().ok()).collect();
    let mut values = vec![vec![None; clusters.len()]; rows.len()];
    for (cluster, matches) in clusters.values().enumerate() {
        let here = match rule.scoring {
            Scoring::Independent => ranks_in(rule, &players, matches),
            Scoring::Adversarial => points_in(rule, &players, matches),
        };
        values.iter_mut().zip(here).for_each(|(of, value)| of[cluster] = value);
    }
    values
}

/// Returns the negated ranks in these matches of players who play alone.
fn ranks_in(rule: ScoringRule, players: &[i64], matches: &[&FinalMatch]) -> Vec<Option<f64>> {
    let rows = rows(rule, players, matches.iter().copied()).unwrap_or_default();
    let rank_of = |player: &i64| {
        let row = rows.iter().find(|row| row.player.parse() == Ok(*player))?;
        row.measure.map(|rank| -rank)
    };
    players.iter().map(rank_of).collect()
}

/// Returns the shares of the points in these matches of rivals.
fn points_in(rule: ScoringRule, players: &[i64], matches: &[&FinalMatch]) -> Vec<Option<f64>> {
    let mut sums = vec![WinDrawLoss::default(); players.len()];
    for played in matches {
        for (own, _, game) in games(rule, &played.players, &played.scores, played.fault_seat) {
            if let Some(at) = players.iter().position(|player| *player == own) {
                sums[at] += game;
            }
        }
    }
    let share = |of: WinDrawLoss| (of.games() > 0).then(|| of.points() / of.games() as f64);
    sums.into_iter().map(share).collect()
}
