//! Ratings as leagues keep them, updated from seed to seed.

use quintain_core::Scoring;
use quintain_stats::WinDrawLoss;
use quintain_stats::online::{GameResult, RatedGame, glicko2_ratings, weng_lin_ratings};

use crate::sorted_counts::{PairGames, SortedCounts};
use crate::table::LeagueRatings;

/// The most rating periods that games are divided into.
const PERIODS: usize = 100;

/// Every player's ratings; `None` in score contests. Games are taken in the order of seeds, then of
/// the names of scenarios and players, whatever the order of results.
pub(crate) fn rate(counted: &SortedCounts<'_>) -> Option<Vec<LeagueRatings>> {
    if counted.rule().scoring != Scoring::Adversarial {
        return None;
    }
    let players = counted.players().len();
    let mut games: Vec<(u64, usize, RatedGame)> = Vec::new();
    for PairGames { scenario, seed, first, second, games: of_match, is_first, .. } in
        counted.meetings()
    {
        // A game that is the same on every seed counts as played once.
        if !is_first {
            continue;
        }
        let WinDrawLoss { wins, draws, losses } = of_match;
        let results =
            [(GameResult::Win, wins), (GameResult::Draw, draws), (GameResult::Loss, losses)];
        for (result, times) in results {
            for _ in 0..times {
                games.push((seed, scenario, RatedGame { first, second, result }));
            }
        }
    }
    games.sort_unstable_by_key(|(seed, scenario, duel)| {
        (*seed, *scenario, duel.first, duel.second, duel.result)
    });
    let weng_lin = weng_lin_ratings(players, games.iter().map(|(.., duel)| *duel));
    let glicko2 = glicko2_ratings(players, periods(&games).iter().map(Vec::as_slice));
    let both = glicko2.into_iter().zip(weng_lin);
    Some(both.map(|(glicko2, weng_lin)| LeagueRatings { glicko2, weng_lin }).collect())
}

/// The games of each rating period: those of one seed, or of several where there are many seeds.
fn periods(games: &[(u64, usize, RatedGame)]) -> Vec<Vec<RatedGame>> {
    let seeds: Vec<&[(u64, usize, RatedGame)]> = games.chunk_by(|a, b| a.0 == b.0).collect();
    let together = seeds.len().div_ceil(PERIODS).max(1);
    let period = |seeds: &[&[(u64, usize, RatedGame)]]| {
        seeds.iter().flat_map(|games| games.iter().map(|(.., duel)| *duel)).collect()
    };
    seeds.chunks(together).map(period).collect()
}
