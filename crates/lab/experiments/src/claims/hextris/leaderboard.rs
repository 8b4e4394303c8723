//! Where the post's scores ranked in the contest, and where ours would.

use std::collections::BTreeMap;

use quintain_hextris::dense_rank;

use crate::data;
use crate::estimate::Estimate;
use crate::experiment::Experiment;
use crate::lab::{Lab, LabError};
use crate::matches::score;
use crate::measurement::ExpectedValue::{Above, Always};
use crate::measurement::Measurements;

use super::comparisons::{by_problem, contest, everybody};

/// The scores of the post's team, from its leaderboard.
const TEAM: [f64; 25] = [
    4999.0, 2778.0, 7176.0, 3505.0, 4996.0, 2945.0, 7891.0, 2107.0, 7784.0, 3751.0, 2906.0, 1486.0,
    1276.0, 1795.0, 9350.0, 3562.0, 6434.0, 5472.0, 1625.0, 5296.0, 1944.0, 1386.0, 4394.0, 1338.0,
    5850.0,
];

/// The ranks, and the points to the next rank, in the leaderboard's lines.
const RANKS: [u64; 25] = [
    68, 70, 47, 65, 49, 58, 54, 65, 81, 36, 71, 83, 107, 48, 70, 50, 59, 37, 92, 40, 95, 39, 68,
    37, 72,
];

const TO_THE_NEXT: [f64; 25] = [
    12.0, 6.0, 40.0, 148.0, 71.0, 32.0, 145.0, 398.0, 180.0, 59.0, 12.0, 3.0, 26.0, 2.0, 1302.0,
    0.0, 42.0, 44.0, 40.0, 6.0, 6.0, 2.0, 126.0, 3.0, 2324.0,
];

/// Different phrases that the leaderboard counts for the team's solutions.
const SAID: [u8; 25] = [4, 2, 5, 5, 5, 4, 5, 3, 2, 0, 1, 2, 0, 5, 4, 5, 5, 2, 1, 2, 0, 2, 2, 1, 2];

/// The sums of ranks of the first 60 teams.
const TOP: [u64; 60] = [
    35, 170, 182, 214, 246, 273, 278, 328, 337, 346, 371, 376, 414, 487, 494, 495, 517, 532, 571,
    588, 612, 616, 621, 647, 715, 724, 742, 745, 770, 819, 855, 896, 914, 915, 942, 966, 997, 1038,
    1079, 1129, 1145, 1178, 1179, 1197, 1212, 1213, 1243, 1246, 1339, 1384, 1392, 1394, 1429, 1442,
    1444, 1446, 1478, 1481, 1561, 1579,
];

/// As many phrases as the team had found on its best problems, the most likely ones.
const FIVE: &str = "phrases=ei!+ia!_ia!+r'lyeh+yuggoth+cthulhu_fhtagn!";

/// A row of the contest's final leaderboard.
pub(super) struct Standing {
    problem: usize,
    rank: u64,
    score: f64,
    /// The number of different phrases.
    phrases: f64,
    team: String,
}

/// The contest's final leaderboard.
pub(super) fn leaderboard(lab: &Lab<'_>) -> Result<Vec<Standing>, LabError> {
    let text = data::read("hextris/qualifying_leaderboard.csv", "the contest's leaderboard")?;
    lab.note("the contest's final leaderboard");
    let line = |line: &str| {
        let mut fields = line.splitn(5, ',');
        Some(Standing {
            problem: fields.next()?.parse().ok()?,
            rank: fields.next()?.parse().ok()?,
            score: fields.next()?.parse().ok()?,
            phrases: fields.next()?.parse().ok()?,
            team: fields.next()?.to_owned(),
        })
    };
    Ok(text.lines().skip(1).filter_map(line).collect())
}

/// The rank of a score on a problem's leaderboard.
pub(super) fn rank(table: &[Standing], problem: usize, points: f64) -> u64 {
    let rows = table.iter().filter(|row| row.problem == problem);
    dense_rank(points as u64, rows.map(|row| row.score as u64)) as u64
}

/// The points missing to the next team above, which with equal points is one with more phrases.
fn to_the_next(table: &[Standing], problem: usize, points: f64, phrases: f64) -> f64 {
    let ahead = table
        .iter()
        .filter(|row| row.problem == problem && (row.score, row.phrases) > (points, phrases));
    ahead.map(|row| row.score - points).reduce(f64::min).unwrap_or(0.0)
}

/// The rank of the post's team on a problem.
fn teams_rank(table: &[Standing], problem: usize) -> u64 {
    rank(table, problem, TEAM[problem])
}

/// The teams' sums of ranks, in ascending order.
fn sums_of_ranks(table: &[Standing]) -> Vec<u64> {
    let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
    for row in table {
        *sums.entry(&row.team).or_default() += row.rank;
    }
    let mut sums: Vec<u64> = sums.into_values().collect();
    sums.sort_unstable();
    sums
}

/// The sum of ranks of the post's solver with these phrases.
fn sum_of_ranks(lab: &Lab<'_>, phrases: &str) -> Result<Estimate, LabError> {
    let table = leaderboard(lab)?;
    let games = everybody(lab, &["post"], phrases)?;
    let points = by_problem(&games, "post", &score);
    let ranks = points.iter().map(|(problem, points)| rank(&table, *problem, points.floor()));
    Ok(Estimate::exact(ranks.sum::<u64>() as f64))
}

pub(super) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "hextris/scores",
        place: "leader_board",
        claim: "The solver reaches the team's scores.",
        figure: "4999 on problem 0, …, 5850 on 24",
        measure: |lab| {
            contest()?;
            let ratios = |player: &str| -> Result<Vec<f64>, LabError> {
                let ours = by_problem(&everybody(lab, &[player], FIVE)?, player, &score);
                Ok(ours.iter().map(|(problem, points)| points / TEAM[*problem]).collect())
            };
            let (five, silent) = (ratios("post")?, ratios("post?speaks=false")?);
            let near = five.iter().filter(|ratio| (0.9..=1.0 / 0.9).contains(*ratio)).count();
            // On the longest game by far, of 1620 units, phrases are most of the score: the team's
            // solution has two different ones, ours says its five for as long as there are units.
            let (longest, rest) = (five.last().copied(), five.iter().rev().skip(1));
            let most = rest.copied().fold(0.0, f64::max);
            Ok(Measurements::new()
                .part(
                    "median ratio of our score, with five phrases, to theirs",
                    Estimate::median(five.iter().copied()),
                    Above(1.0),
                )
                .with_figure(
                    "problems with a score within a tenth, of 25",
                    Estimate::exact(near as f64),
                )
                .with_figure(
                    "the ratio on problem 24, the longest game",
                    Estimate::exact(longest.unwrap_or(f64::NAN)),
                )
                .with_figure(
                    "the same without phrases",
                    Estimate::exact(silent.last().copied().unwrap_or(f64::NAN)),
                )
                .with_figure("the greatest ratio on the other problems", Estimate::exact(most))
                .with_figure("median ratio without phrases", Estimate::median(silent)))
        },
    },
    Experiment {
        name: "hextris/rank",
        place: "leader_board, update",
        claim: "The team's scores give a sum of ranks of 1561, the 59th place of 315.",
        figure: "1561",
        measure: |lab| {
            let table = leaderboard(lab)?;
            let team: u64 = (0..TEAM.len()).map(|problem| teams_rank(&table, problem)).sum();
            let smaller = sums_of_ranks(&table).iter().filter(|sum| **sum < team).count();
            let five = sum_of_ranks(lab, FIVE)?;
            let all = sum_of_ranks(lab, "")?;
            Ok(Measurements::new()
                .part(
                    "sum of the team's ranks by its scores",
                    Estimate::exact(team as f64),
                    Always(1561.0),
                )
                .part("teams with a smaller sum", Estimate::exact(smaller as f64), Always(58.0))
                .with_figure("ours with five phrases", five)
                .with_figure("ours with all 18", all))
        },
    },
    Experiment {
        name: "hextris/leader-board",
        place: "leader_board",
        claim: "The rank of each of the team's scores, and the points missing to the next team.",
        figure: "68 and 12 on problem 0, …, 72 and 2324 on 24",
        measure: |lab| {
            let table = leaderboard(lab)?;
            let ranks = (0..TEAM.len()).filter(|p| teams_rank(&table, *p) == RANKS[*p]);
            let follows = |row: &Standing| rank(&table, row.problem, row.score) == row.rank;
            let missing = |problem: usize| {
                to_the_next(&table, problem, TEAM[problem], f64::from(SAID[problem]))
            };
            let missing = (0..TEAM.len()).filter(|p| missing(*p) == TO_THE_NEXT[*p]);
            let count = |count: usize| Estimate::exact(count as f64);
            Ok(Measurements::new()
                .part(
                    "ranks as on the final leaderboard, of 25",
                    count(ranks.count()),
                    Always(25.0),
                )
                .part(
                    "missing points as on the final leaderboard, of 25",
                    count(missing.count()),
                    Always(25.0),
                )
                .with_figure(
                    "ranks of the whole leaderboard that follow from its scores, of 7875",
                    count(table.iter().filter(|row| follows(row)).count()),
                ))
        },
    },
    Experiment {
        name: "hextris/top-60",
        place: "update",
        claim: "The sums of ranks of the first 60 teams, the post's being the 59th.",
        figure: "35, 170, 182, …, 1561, 1579",
        measure: |lab| {
            let sums = sums_of_ranks(&leaderboard(lab)?);
            let equal = sums.iter().zip(TOP).filter(|(ours, theirs)| **ours == *theirs).count();
            Ok(Measurements::new().part(
                "sums that match, of 60",
                Estimate::exact(equal as f64),
                Always(60.0),
            ))
        },
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(score: f64, phrases: f64) -> Standing {
        Standing { problem: 3, rank: 0, score, phrases, team: String::new() }
    }

    #[test]
    fn ranks_are_by_the_score_alone_and_the_next_team_may_have_as_much() {
        let table = [standing(90.0, 1.0), standing(80.0, 4.0), standing(80.0, 2.0)];
        assert_eq!(
            [95.0, 90.0, 85.0, 80.0, 10.0].map(|score| rank(&table, 3, score)),
            [1, 1, 2, 2, 3]
        );
        assert_eq!(rank(&table, 4, 10.0), 1);
        assert_eq!(to_the_next(&table, 3, 80.0, 2.0), 0.0);
        assert_eq!(to_the_next(&table, 3, 80.0, 4.0), 10.0);
        assert_eq!(to_the_next(&table, 3, 95.0, 0.0), 0.0);
    }
}
