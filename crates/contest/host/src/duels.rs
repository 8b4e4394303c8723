//! The knockout of the best programs of a final. Each duel is decided by the matches that both have
//! played in the final, so it needs no others, and whoever verifies the final can draw it up.

use std::collections::HashMap;

use quintain_standings::{Bracket, Meeting};
use quintain_stats::WinDrawLoss;

use crate::ladder::{Ladder, Rung};
use crate::state::PlayedMatch;

/// How many of the best take part.
const BEST: usize = 8;
const PODIUM: usize = 3;

/// A duel of two programs, or one that goes on alone.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct ProgramDuel {
    pub(crate) first: DuelSide,
    pub(crate) second: Option<DuelSide>,
}

/// What decides a duel in which both have as many points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TieBreak {
    /// The better rank in the final.
    Rank,
    /// On equal ranks: whose version was submitted first.
    HandedInFirst,
}

impl ProgramDuel {
    /// Returns the sides.
    pub(crate) fn sides(&self) -> impl Iterator<Item = &DuelSide> {
        [Some(&self.first), self.second.as_ref()].into_iter().flatten()
    }

    /// Returns what decides it, if both have as many points.
    pub(crate) fn tie_break(&self) -> Option<TieBreak> {
        let second = self.second.as_ref().filter(|second| second.points == self.first.points)?;
        Some(match second.rank == self.first.rank {
            true => TieBreak::HandedInFirst,
            false => TieBreak::Rank,
        })
    }
}

/// Somebody on the podium.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct OnPodium {
    pub(crate) participant: i64,
    /// The name that pages show.
    pub(crate) display_name: String,
}

/// Returns the best three, the winner first: of the knockout by how far they came in it, and by
/// their ranks in the final if they came as far; without a knockout by their ranks alone. The house
/// takes no place, unless nobody else is there.
pub(crate) fn podium_of(rungs: &[Rung], rounds: &[Vec<ProgramDuel>]) -> Vec<OnPodium> {
    let entered = entrants(rungs);
    let wins = |participant: i64| {
        let sides = rounds.iter().flatten().flat_map(ProgramDuel::sides);
        sides.filter(|side| side.participant == participant && side.goes_on).count()
    };
    let mut best: Vec<&Rung> = entered.take(BEST).collect();
    // Ranks are their order; sorting keeps it among those who came as far.
    best.sort_by_key(|rung| std::cmp::Reverse(wins(rung.version.participant)));
    let stands = |rung: &&Rung| OnPodium {
        participant: rung.version.participant,
        display_name: rung.version.display_name.clone(),
    };
    best.iter().take(PODIUM).map(stands).collect()
}

/// Returns the rungs without those of the house, unless nobody else is there.
fn entrants(rungs: &[Rung]) -> impl Iterator<Item = &Rung> {
    let is_only_house = rungs.iter().all(|rung| rung.version.is_house());
    rungs.iter().filter(move |rung| is_only_house || !rung.version.is_house())
}

/// A program in a duel.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct DuelSide {
    /// The rank in the final.
    pub(crate) rank: u64,
    pub(crate) participant: i64,
    /// The name that pages show.
    pub(crate) display_name: String,
    /// One for each win and a half for each draw.
    pub(crate) points: f64,
    pub(crate) goes_on: bool,
}

/// Returns the rounds of the knockout of the best rungs, without those of the house, unless nobody
/// else is there. Where both have as many points, the one goes on that stands first in the final:
/// with the better rank, or on equal ranks the one that was submitted first.
pub(crate) fn knockout_of(
    rungs: &[Rung],
    played: &[PlayedMatch],
    ladder: &Ladder,
) -> Vec<Vec<ProgramDuel>> {
    let best: Vec<&Rung> = entrants(rungs).take(BEST).collect();
    let record = Records::of(&best, played, ladder);
    let names = best.iter().map(|rung| rung.version.display_name.clone()).collect();
    let bracket = Bracket::new(names, |own, other| {
        let games = record.between(best[own].version.id, best[other].version.id);
        let [wins, draws, losses] = [games.wins, games.draws, games.losses].map(|n| n as f64);
        Some([wins + draws / 2.0, losses + draws / 2.0])
    });
    let duel = |meeting: &Meeting| {
        let side = |place: usize| {
            let player = meeting.players[place]?;
            Some(DuelSide {
                rank: best[player].rank,
                participant: best[player].version.participant,
                display_name: best[player].version.display_name.clone(),
                points: meeting.points.map_or(0.0, |points| points[place]),
                goes_on: meeting.winner == Some(player),
            })
        };
        Some(ProgramDuel { first: side(0)?, second: side(1) })
    };
    bracket.rounds.iter().map(|round| round.iter().filter_map(duel).collect()).collect()
}

/// How the best did against each other.
struct Records(HashMap<(i64, i64), WinDrawLoss>);

impl Records {
    fn of(best: &[&Rung], played: &[PlayedMatch], ladder: &Ladder) -> Records {
        let mut records: HashMap<(i64, i64), WinDrawLoss> = HashMap::new();
        for (own, other, games) in played.iter().flat_map(|played| ladder.games_of(played)) {
            *records.entry((own, other)).or_default() += games;
        }
        // Whoever plays alone is compared on the seeds that both have played.
        for own in best {
            for other in best.iter().filter(|other| other.version.id != own.version.id) {
                let pair = (own.version.id, other.version.id);
                for comparison in ladder.compare(pair.0, pair.1) {
                    *records.entry(pair).or_default() += comparison.seeds;
                }
            }
        }
        Records(records)
    }

    fn between(&self, own: i64, other: i64) -> WinDrawLoss {
        self.0.get(&(own, other)).copied().unwrap_or_default()
    }
}
