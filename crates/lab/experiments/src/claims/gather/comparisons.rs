//! How the report's players are played: its boards, its line-ups, and what is read from the
//! matches.

use std::collections::BTreeMap;

use crate::estimate::Estimate;
use crate::lab::{Lab, LabError};
use crate::matches::{MeasuredMatch, PlayedMatches, score};
use crate::measurement::ExpectedValue::Below;
use crate::measurement::Measurements;
use crate::plan::TournamentPlan;

pub(super) const BOARDS: [&str; 5] = ["15x22", "35x35", "76x50", "2x75", "92x1"];
pub(super) const MIDDLING: [&str; 2] = ["15x22", "35x35"];
pub(super) const PLAYERS: [&str; 7] =
    ["salsa", "hybrid", "groovy", "flower-v1", "flower-v2", "cra-z-y", "random"];
/// Why places and distances among the players of the class cannot be compared with ours.
pub(super) const LOST: &str = "the players of the other twelve groups are lost";
/// The number of seeds in one round of a tournament, which is ranked by itself.
pub(super) const ROUND: u64 = 5;

pub(super) fn course(board: &str, players: usize) -> String {
    format!("course?board={board}&players={players}")
}

/// The report's players by themselves on every board, with 2, 3, 5 and 9 of them.
pub(super) fn alone(lab: &Lab<'_>) -> Result<PlayedMatches, LabError> {
    let scenarios = BOARDS.iter().flat_map(|board| [2, 3, 5, 9].map(|n| course(board, n)));
    // At least a whole round, so that every block of seeds is full.
    lab.play(
        &TournamentPlan::mirror("gather", scenarios, PLAYERS, lab.take(10, 50)).from_seed(1000),
    )
}

/// All of them dealt at random to the seats on some boards, for each of these numbers of seats.
pub(super) fn play_mixed(
    lab: &Lab<'_>,
    boards: &[&str],
    numbers: &[usize],
) -> Result<PlayedMatches, LabError> {
    let scenarios = boards.iter().flat_map(|board| numbers.iter().map(|n| course(board, *n)));
    let plan =
        TournamentPlan::mix("gather", scenarios, PLAYERS, lab.take(10, 40), 8).from_seed(1000);
    // Claims about some boards share their matches with those about all.
    lab.play_by_scenario(&plan)
}

/// Mean rank of a player among the report's, by rounds of the tournament.
pub(super) fn rank(games: &PlayedMatches, player: &str) -> Estimate {
    Estimate::mean(games.ranks(player, &PLAYERS, &score, ROUND))
}

/// The share of a player's matches that were cut off.
pub(super) fn cut_off(games: &PlayedMatches, player: &str) -> Estimate {
    games.share(player, |game| game.truncated)
}

pub(super) fn better_in_teams(lab: &Lab<'_>, player: &str) -> Result<Measurements, LabError> {
    let (own, teams) = (alone(lab)?, play_mixed(lab, &BOARDS, &[2, 3, 5, 8])?);
    let less = rank(&teams, player).minus(rank(&own, player));
    Ok(Measurements::new().part("mean rank of 7 in mixed teams − alone", less, Below(0.0)))
}

/// Line-ups of a player and others of one kind in five seats, in every mixture.
pub(super) fn five_seats(
    lab: &Lab<'_>,
    odd: &str,
    others: &str,
) -> Result<PlayedMatches, LabError> {
    let seeds = lab.take(20, 400);
    lab.play(&TournamentPlan::mix_all("gather", [course("35x35", 5)], [odd, others], seeds))
}

/// By seed, the mean rounds where this many of the five seats are a player's.
pub(super) fn with_seats(games: &PlayedMatches, player: &str, seats: usize) -> BTreeMap<u64, f64> {
    let own =
        |game: &&MeasuredMatch| game.players.iter().filter(|name| *name == player).count() == seats;
    let mut sums: BTreeMap<u64, (f64, f64)> = BTreeMap::new();
    for game in games.all().iter().filter(own) {
        let sum = sums.entry(game.seed).or_default();
        *sum = (sum.0 + game.scores[0], sum.1 + 1.0);
    }
    sums.into_iter().map(|(seed, (sum, count))| (seed, sum / count)).collect()
}

/// The rounds of one player among four others of one kind.
pub(super) fn among_four(lab: &Lab<'_>, odd: &str, others: &str) -> Result<Estimate, LabError> {
    Ok(Estimate::mean(with_seats(&five_seats(lab, odd, others)?, odd, 1).into_values()))
}

/// How many more rounds are needed when a player takes one seat of five of a kind.
pub(super) fn gain_among_four(
    lab: &Lab<'_>,
    odd: &str,
    others: &str,
) -> Result<Estimate, LabError> {
    let games = five_seats(lab, odd, others)?;
    let (with, without) = (with_seats(&games, odd, 1), with_seats(&games, odd, 0));
    let pairs = with.iter().filter_map(|(seed, rounds)| Some((*rounds, *without.get(seed)?)));
    Ok(Estimate::difference(pairs))
}
