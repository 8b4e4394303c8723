//! Standings as a whole, by what is checked. The builders of results are here.

mod certainty;
mod games;
mod ladder;
mod properties;
mod repeats;
mod scenarios;
mod series;

use crate::*;
use quintain_core::{Objective, Scoring};
use quintain_stats::WinDrawLoss;

const VERSUS: ScoringRule =
    ScoringRule { objective: Objective::Maximize, scoring: Scoring::Adversarial };

const SCORE: ScoringRule =
    ScoringRule { objective: Objective::Maximize, scoring: Scoring::Independent };

/// A result that owns what [`MatchResult`] borrows.
#[derive(Clone, Debug)]
struct OwnedResult {
    scenario: &'static str,
    seed: u64,
    seats: Vec<(&'static str, f64)>,
    fault: Option<usize>,
    truncated: bool,
}

fn result_of(scenario: &'static str, seed: u64, seats: &[(&'static str, f64)]) -> OwnedResult {
    OwnedResult { scenario, seed, seats: seats.to_vec(), fault: None, truncated: false }
}

fn standings(rule: ScoringRule, matches: &[OwnedResult]) -> Standings {
    let mut tally = StandingsBuilder::new(rule);
    for one in matches {
        let (players, scores): (Vec<_>, Vec<_>) = one.seats.iter().copied().unzip();
        let &OwnedResult { scenario, seed, fault, truncated, .. } = one;
        let (players, scores) = (&players[..], &scores[..]);
        let ending = if truncated { "limit" } else { "over" };
        let fault = fault.map(|seat| (seat, "timeout"));
        tally
            .add(&MatchResult { scenario, seed, players, scores, fault, truncated, ending })
            .unwrap();
    }
    tally.standings()
}

/// Counts the scores of players who play alone.
fn alone(matches: &[OwnedResult]) -> StandingsBuilder {
    let mut tally = StandingsBuilder::new(SCORE);
    for OwnedResult { scenario, seed, seats, .. } in matches {
        let (players, scores): (Vec<_>, Vec<_>) = seats.iter().copied().unzip();
        let (players, scores, seed, ending) = (&players[..], &scores[..], *seed, "over");
        let result =
            MatchResult { scenario, seed, players, scores, fault: None, truncated: false, ending };
        tally.add(&result).unwrap();
    }
    tally
}

fn row<'a>(rows: &'a [StandingsRow], player: &str) -> &'a StandingsRow {
    rows.iter().find(|row| row.player == player).expect("the player is listed")
}

fn ranking(rows: &[StandingsRow]) -> Vec<(u64, &str)> {
    rows.iter().map(|row| (row.rank, row.player.as_str())).collect()
}

fn wdl(wins: u64, draws: u64, losses: u64) -> WinDrawLoss {
    WinDrawLoss { wins, draws, losses }
}

/// Standings of matches with known actions: equal courses stand for the same actions.
fn standings_with_courses(rule: ScoringRule, matches: &[(OwnedResult, u64)]) -> Standings {
    let mut tally = StandingsBuilder::new(rule);
    for (one, course) in matches {
        let (players, scores): (Vec<_>, Vec<_>) = one.seats.iter().copied().unzip();
        let &OwnedResult { scenario, seed, fault, truncated, .. } = one;
        let (players, scores) = (&players[..], &scores[..]);
        let fault = fault.map(|seat| (seat, "timeout"));
        let result =
            MatchResult { scenario, seed, players, scores, fault, truncated, ending: "over" };
        tally.add_with_course(&result, &|| Some(*course)).unwrap();
    }
    tally.standings()
}
