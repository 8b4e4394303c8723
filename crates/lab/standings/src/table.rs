//! The output of standings: tables of numbers, with the keys of their JSON. The neighbouring files
//! compute them.

use std::collections::{BTreeMap, HashSet};

use quintain_stats::all_pairs::Mark;
use quintain_stats::friedman::Friedman;
use quintain_stats::online::Rating;
use quintain_stats::{Elo, Interval, PairedDifference, Summary, WinDrawLoss};
use serde::Serialize;

use crate::bracket::{Bracket, Meeting};
use crate::regret::{Distances, Regret};
use crate::repeats::Repeats;
use crate::result::ScoringRule;
use crate::rounds::Rounds;
use crate::spread::RatingSpread;

/// A player's places over the scenarios it played.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Placements {
    /// How many scenarios it was ranked in.
    pub scenarios: u64,
    /// The mean of its ranks, where tied players each have the middle of their places.
    pub mean_rank: f64,
    /// Scenarios in which it was first, alone or tied.
    pub first: u64,
    /// Scenarios in which it was second.
    pub second: u64,
    /// Scenarios in which it was third.
    pub third: u64,
}

/// A player's scores on all scenarios together, normalised: on each scenario, 0 is the mean score
/// of the worst player there and 1 that of the best.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct NormalisedScores {
    /// The interquartile mean.
    pub iqm: f64,
    /// Its 95 % interval, by resampling the seeds of each scenario.
    pub interval: Option<Interval>,
    /// The performance profile: levels, and the share of scores above each.
    pub profile: Vec<(f64, f64)>,
}

/// Who does better than whom on a common seed.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Superiority {
    /// Players in the order of the overall table.
    pub players: Vec<String>,
    /// `chances[i][j]`: the share of common seeds on which `i` does better than `j`, with equality
    /// counting half; `None` without a common seed.
    pub chances: Vec<Vec<Option<f64>>>,
    /// The p-values of the sign tests, corrected for all pairs (Holm).
    pub p_values: Vec<Vec<f64>>,
    /// The share of time of each player by α-rank, where a player takes over from those that it
    /// certainly beats; in a ring every player has some. `None` if nobody certainly beats anybody.
    pub alpha_rank: Option<Vec<f64>>,
}

/// What leads between players are measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LeadIn {
    /// Hundredths of the points of all games.
    PointsPercent,
    /// Rating points, where not everybody met everybody equally often.
    Elo,
    /// Points of the score.
    Score,
    /// Ranks, by the mean over seeds.
    Rank,
}

/// What the overall table can tell, and what more seeds would tell. Seeds count on each scenario,
/// except where it says otherwise.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Certainty {
    /// Whether nothing is said to be certain, because results decided who met whom.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_withheld: bool,
    /// The seeds that two players typically have in common, over all scenarios.
    pub seeds: u64,
    /// How many more seeds it takes before anything can be told; 0 if there are enough.
    pub missing_seeds: u64,
    /// What leads are measured in.
    pub lead_in: LeadIn,
    /// The smallest lead that these seeds tell.
    pub smallest_lead: Option<f64>,
    /// The seeds that would tell a lead of 10 percent points (versus contests).
    pub seeds_for_ten_points: Option<u64>,
    /// The number of pairs of players whose order is not certain.
    pub undecided: u64,
    /// The first of these that more seeds would answer, or the first.
    pub open: Option<OpenQuestion>,
    /// All of these pairs, as places in the table, the better place first; `None` if nothing can be
    /// told.
    #[serde(skip)]
    pub(crate) undecided_places: Option<HashSet<(usize, usize)>>,
}

/// Two players whose order is not certain.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct OpenQuestion {
    /// The two, the better rank first.
    pub players: [String; 2],
    /// How many more seeds would tell, if their difference stays what it is; `None` if they are
    /// equal, or it would take more than a million.
    pub more_seeds: Option<u64>,
}

/// A player's ratings in the systems that leagues use.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LeagueRatings {
    /// Glicko-2, with one rating period per seed (at most a hundred periods).
    pub glicko2: Rating,
    /// Weng–Lin, game by game.
    pub weng_lin: Rating,
}

/// How steady a player is over scenarios.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Robustness {
    /// The scenario on which it is furthest below the average of all players, or least above it.
    pub worst: String,
    /// Its points in percent (versus contests) or mean score there.
    pub worst_value: f64,
    /// The median of this value over all scenarios.
    pub median: f64,
    /// The share of scenarios on which it is above the average of all players there.
    pub above_average: f64,
}

/// Whether the players' ranks differ, block by block.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Difference {
    /// What a block is: a scenario, or a seed of one.
    pub blocks_are: Blocks,
    /// The players in the test's order: those that played every block.
    pub players: Vec<String>,
    /// The test.
    #[serde(flatten)]
    pub test: Friedman,
}

/// The blocks on which players are ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Blocks {
    /// Every scenario.
    Scenarios,
    /// Every seed of every scenario.
    Seeds,
}

/// A player's matches that ended for one reason.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct EndingStats {
    /// The reason.
    pub ending: String,
    /// How many matches.
    pub matches: u64,
    /// The mean score in them.
    pub mean: f64,
    /// Games against other players in them (versus contests).
    pub games: Option<WinDrawLoss>,
}

/// One player's row.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StandingsRow {
    /// Rank, counted from 1; ties share the better one.
    pub rank: u64,
    /// The player's spec.
    pub player: String,
    /// Statistics of its scores.
    #[serde(flatten)]
    pub summary: Summary,
    /// Its matches, with repetitions of the same match counted each time.
    pub matches: u64,
    /// Games against other players (versus contests).
    pub games: Option<WinDrawLoss>,
    /// Rating (versus contests, overall only, players that met another player).
    pub elo: Option<Elo>,
    /// Ranks over scenarios (overall only).
    pub places: Option<Placements>,
    /// The best and the worst rank that it may have; those of all players in the table hold
    /// together with 95 %. `None` if there are too few seeds.
    pub ranks: Option<(u64, u64)>,
    /// What these ranks mean for the question who is best.
    pub mark: Option<Mark>,
    /// 95 % interval of the rating (versus contests) or of the mean score, by leaving out each seed
    /// in turn (overall only). `None` with fewer than five seeds, where all were the same, or where
    /// every game was won or lost.
    pub by_seed: Option<Interval>,
    /// The mean lead over opponents in points of the score (versus contests whose scores say more
    /// than who won).
    pub margin: Option<f64>,
    /// Its scores normalised scenario by scenario (score contests, overall only).
    pub normalised: Option<NormalisedScores>,
    /// Ratings as leagues keep them (versus contests, overall only).
    pub leagues: Option<LeagueRatings>,
    /// How steady it is over scenarios (overall only, with two or more scenarios).
    pub robustness: Option<Robustness>,
    /// Its matches by the reason why they ended (overall only).
    pub endings: Vec<EndingStats>,
    /// Difference to the first player in this table (score contests, for everyone but that player).
    /// On one scenario it has an interval; those of all players hold together with 95 %.
    pub to_leader: Option<PairedDifference>,
    /// Seats of this player that forfeited their match.
    pub forfeits: u64,
    /// Of these, how many for each kind of fault, in words.
    pub faults: BTreeMap<String, u64>,
    /// Matches of this player that were cut off.
    pub truncated: u64,
}

impl Standings {
    /// Returns two players in the order of the overall table, and whether it is certain that the
    /// first is better, with all pairs of the table considered. `None` if one of them is not in the
    /// table, or nothing can be told.
    pub fn order_of(&self, one: &str, other: &str) -> Option<([&str; 2], bool)> {
        let place = |player: &str| self.overall.iter().position(|row| row.player == player);
        let (one, other) = (place(one)?, place(other)?);
        let (first, second) = (one.min(other), one.max(other));
        let undecided = self.certainty.undecided_places.as_ref()?;
        let players = [first, second].map(|place| self.overall[place].player.as_str());
        let is_ranked = |place: usize| self.overall[place].ranks.is_some();
        let is_certain = first != second
            && is_ranked(first)
            && is_ranked(second)
            && self.overall[first].rank < self.overall[second].rank
            && !undecided.contains(&(first, second));
        Some((players, is_certain))
    }

    /// Adds the bracket of a knockout among these players, in the order of its list, in which two
    /// that meet play this number of games.
    pub fn set_bracket(&mut self, players: Vec<String>, games: u64) {
        let bracket = self.points_of(&players, games).map(|points| Bracket::new(players, points));
        self.bracket = bracket;
    }

    /// Adds the rounds of a Swiss tournament among these players, in the order of its list, in
    /// which two that meet play this number of games. `meet` finds the meetings of each round from
    /// the points of two players' meeting, which are none before all of its games are played.
    pub fn set_rounds(
        &mut self,
        players: Vec<String>,
        planned: u64,
        games: u64,
        meet: impl FnOnce(&dyn Fn(usize, usize) -> Option<[f64; 2]>) -> Vec<Vec<Meeting>>,
    ) {
        let meetings = self.points_of(&players, games).map(|points| meet(&points));
        self.rounds = meetings.map(|rounds| Rounds::new(players, rounds, planned, games));
    }

    /// Says whom a gauntlet is about.
    pub fn set_challengers(&mut self, challengers: Vec<String>) {
        self.challengers = challengers;
    }

    /// The points of two players' meeting, once all of its games are played.
    fn points_of(
        &self,
        players: &[String],
        games: u64,
    ) -> Option<impl Fn(usize, usize) -> Option<[f64; 2]> + use<>> {
        let Versus { players: known, matrix, .. } = self.versus.as_ref()?;
        let place = |player: &String| known.iter().position(|known| known == player);
        let places: Vec<Option<usize>> = players.iter().map(place).collect();
        let matrix = matrix.clone();
        Some(move |one: usize, other: usize| {
            let met = matrix[places[one]?][places[other]?];
            let points = |of: WinDrawLoss| of.wins as f64 + of.draws as f64 / 2.0;
            let played = met.wins + met.draws + met.losses;
            (played >= games).then(|| [points(met), played as f64 - points(met)])
        })
    }

    /// Computes the regret of every player in the overall table.
    pub fn add_regret(&mut self, distances: Distances) {
        self.regret = distances.into_regrets(self.overall.iter().map(|row| &row.player));
    }
}

impl StandingsRow {
    /// Whether nobody knows what the mean score would be, since some matches were cut off. It does
    /// not apply to points among rivals.
    pub fn is_cut_off(&self) -> bool {
        self.games.is_none() && self.truncated > 0
    }

    /// The 95 % interval of the mean score: by seeds where there are enough, and otherwise that of
    /// matches that are independent of one another.
    pub fn mean_interval(&self) -> Option<Interval> {
        match self.games {
            None => self.by_seed.or(self.summary.interval),
            Some(_) => self.summary.interval,
        }
    }
}

/// The standings of one scenario.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ScenarioStandings {
    /// Its name.
    pub scenario: String,
    /// How many matches were played on it.
    pub matches: u64,
    /// The players that nobody is certainly better than.
    pub winners: Vec<String>,
    /// Its players, best first.
    pub rows: Vec<StandingsRow>,
}

/// The games between every two players (versus contests).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Versus {
    /// Players in the order of the overall table.
    pub players: Vec<String>,
    /// `matrix[i][j]`: the games of player `i` against player `j`, seen by player `i`.
    pub matrix: Vec<Vec<WinDrawLoss>>,
    /// The same matrix with games that repeat on every seed counted once: ratings are based on it.
    pub distinct: Vec<Vec<WinDrawLoss>>,
    /// The number of groups into which the rated players fall, where players of different groups
    /// never met. Ratings of different groups cannot be compared.
    pub groups: usize,
    /// Whether some set of players took every point from the rest of its group, so that the
    /// distance between the two depends on the prior alone.
    pub one_sided: bool,
    /// The ratings without each seed, in the order of `players`.
    #[serde(skip)]
    pub(crate) spread: RatingSpread,
}

/// Statistics over the results of many matches.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Standings {
    /// How the scores were read.
    pub rule: ScoringRule,
    /// How many matches were counted.
    pub matches: u64,
    /// How many of them are different. If the first hundred of a line-up of rivals are, or the
    /// first two of a player alone, all its matches are taken to be.
    pub distinct: u64,
    /// All scenarios together, best player first.
    pub overall: Vec<StandingsRow>,
    /// What this table can tell.
    pub certainty: Certainty,
    /// The games between every two players; `None` in score contests.
    pub versus: Option<Versus>,
    /// Who met whom in a knockout; `None` in all other tournaments. See [`Standings::set_bracket`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bracket: Option<Bracket>,
    /// Who met whom in a Swiss tournament; `None` in all other tournaments. See
    /// [`Standings::set_rounds`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<Rounds>,
    /// Whom a gauntlet is about; empty for all other tournaments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub challengers: Vec<String>,
    /// Whether the players' ranks differ; `None` if fewer than two players played everywhere, or on
    /// fewer than five seeds.
    pub difference: Option<Difference>,
    /// Who does better than whom, pair by pair; `None` for one player or very many.
    pub superiority: Option<Superiority>,
    /// Rings of players in which each has beaten the next.
    pub rings: Vec<Vec<String>>,
    /// Every scenario by itself, in the order of names.
    pub scenarios: Vec<ScenarioStandings>,
    /// The distance between players' scores and the bound that the game has proved, if it proves
    /// one, in the order of the overall table. See [`Standings::add_regret`].
    pub regret: Vec<Regret>,
    /// The matches that count once, however often they were played.
    #[serde(skip)]
    pub repeats: Repeats,
}
