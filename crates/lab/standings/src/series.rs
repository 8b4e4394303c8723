//! One rating over several games: players are rated beside a ladder of players whose ratings are
//! fixed, game by game, so that ratings of different days can be compared.
//!
//! - **Scale.** In every game the weakest of the ladder is 0 and the strongest 1000. The distance
//!   of these two in Elo is the game's slope: how much a lead decides there.
//! - **Model.** [`fit_beside_ladder`]: Bradley–Terry over the matches of each game, with the game
//!   as a factor that a player's strength may depend on. So the rating over all games is the mean
//!   of the ratings in them, and every game weighs the same, however many matches it has.
//! - **Games where everybody plays alone** enter by comparison of scores on the same seed.
//! - **Intervals and certainty** leave out in turn everything that was played on one seed of one
//!   scenario (the jackknife), as for tournaments; every game needs two of these, and all together
//!   five. They are about the games that are played.

use std::collections::BTreeMap;

use quintain_core::Scoring;
use quintain_stats::all_pairs::{AllPairs, Mark};
use quintain_stats::bradley_terry::{Opponent, RatedGames, fit_beside_ladder};
use quintain_stats::elo::POINTS_PER_NAT;
use quintain_stats::{Interval, Sweep, WinDrawLoss, ranks};
use serde::Serialize;

use crate::ranking::RATING_TOLERANCE;
use crate::result::{BadResult, MatchResult, ScoringRule, check, game_between, mean_by_player};
use crate::spread::{MIN_SEEDS, interval};
use crate::table::OpenQuestion;

/// What the strongest of a ladder is worth; the weakest is worth 0.
pub const LADDER_TOP: f64 = 1000.0;

/// A part of a series: a game, and the players of fixed rating there.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SeriesPart {
    /// Its name.
    pub name: String,
    /// How scores are read.
    #[serde(flatten)]
    pub rule: ScoringRule,
    /// The ladder's players with their ratings in Elo, the weakest first; at least two ratings
    /// differ.
    pub ladder: Vec<(String, f64)>,
}

impl SeriesPart {
    /// The ratings of the weakest and the strongest.
    fn ends(&self) -> (f64, f64) {
        let ratings = || self.ladder.iter().map(|(_, rating)| *rating);
        (ratings().fold(f64::INFINITY, f64::min), ratings().fold(f64::NEG_INFINITY, f64::max))
    }

    /// The ladder on the scale from 0 to [`LADDER_TOP`], the weakest first.
    pub fn scale(&self) -> Vec<(&str, f64)> {
        let (low, high) = self.ends();
        let place = |rating: f64| LADDER_TOP * (rating - low) / (high - low);
        self.ladder.iter().map(|(player, rating)| (player.as_str(), place(*rating))).collect()
    }

    /// The log-odds of winning by which a lead of 1 shows.
    fn slope(&self) -> f64 {
        let (low, high) = self.ends();
        (high - low) / LADDER_TOP / POINTS_PER_NAT
    }
}

/// What a player answered, as far as it was counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Answers {
    /// Turns on which it was asked.
    pub turns: u64,
    /// Turns on which some answer was no possible action.
    pub misread: u64,
    /// Tokens of questions and answers, where it told them.
    pub tokens: f64,
}

/// A rating on the scale of the ladders.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SeriesRating {
    /// The rating.
    pub rating: f64,
    /// Its 95 % interval; `None` with too few seeds.
    pub interval: Option<Interval>,
    /// Set if it won, or lost, every game: read the rating as “at least” or “at most”.
    pub sweep: Option<Sweep>,
}

/// A player's row.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SeriesRow {
    /// Rank, counted from 1; ties share the better one.
    pub rank: u64,
    /// The player.
    pub player: String,
    /// The mean rating over all parts; `None` if it has not played all of them.
    #[serde(flatten)]
    pub overall: Option<SeriesRating>,
    /// What can be said of its place; `None` with too few seeds.
    pub mark: Option<Mark>,
    /// By how much it is behind the first, in points of the rating; with the intervals of all
    /// others, this one holds with 95 %.
    pub behind: Option<(f64, Option<Interval>)>,
    /// The rating in each part.
    pub parts: Vec<Option<SeriesRating>>,
    /// Its matches.
    pub matches: u64,
    /// Those of them that it forfeited.
    pub forfeits: u64,
    /// What it answered.
    pub answers: Answers,
}

/// One rating over several games.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SeriesStandings {
    /// The parts.
    pub parts: Vec<SeriesPart>,
    /// The players that are rated, best first.
    pub rows: Vec<SeriesRow>,
    /// The best pair of players that is not told apart, with the seeds that would do it.
    pub open: Option<OpenQuestion>,
}

/// Where matches share their luck: part, scenario and seed.
type Cluster = (usize, String, u64);

/// The results of a series, counted as they come.
#[derive(Debug)]
pub struct SeriesBuilder {
    players: Vec<String>,
    parts: Vec<SeriesPart>,
    /// Games between rivals, and comparisons of scores.
    games: BTreeMap<Cluster, Vec<RatedGames>>,
    /// Where everybody plays alone: the sum of gains and the number of matches of each player.
    gains: BTreeMap<Cluster, BTreeMap<String, (f64, f64)>>,
    matches: BTreeMap<String, (u64, u64)>,
    answers: BTreeMap<String, Answers>,
}

impl SeriesBuilder {
    /// Nothing counted yet. `players` are those that are rated.
    pub fn new(players: Vec<String>, parts: Vec<SeriesPart>) -> SeriesBuilder {
        SeriesBuilder {
            players,
            parts,
            games: BTreeMap::new(),
            gains: BTreeMap::new(),
            matches: BTreeMap::new(),
            answers: BTreeMap::new(),
        }
    }

    /// Counts a match of a part.
    ///
    /// # Errors
    /// If it cannot be counted.
    pub fn add(&mut self, part: usize, result: &MatchResult<'_>) -> Result<(), BadResult> {
        let rule = self.parts[part].rule;
        check(result, rule.scoring)?;
        let fault = result.fault.map(|(seat, _)| seat);
        for (player, _) in mean_by_player(result.players.iter().map(|player| (*player, 0.0))) {
            let counted = self.matches.entry(player.to_owned()).or_default();
            counted.0 += 1;
            counted.1 += u64::from(fault.is_some_and(|seat| result.players[seat] == player));
        }
        let cluster = (part, result.scenario.to_owned(), result.seed);
        let merits: Vec<f64> =
            result.scores.iter().map(|score| rule.objective.gain(*score)).collect();
        if rule.scoring == Scoring::Independent {
            let all = result.players.iter().copied().zip(merits);
            let here = self.gains.entry(cluster).or_default();
            for (player, gain) in mean_by_player(all) {
                let (sum, count) = here.entry(player.to_owned()).or_default();
                *sum += gain;
                *count += 1.0;
            }
            return Ok(());
        }
        let seats = || result.players.iter().zip(&merits).enumerate();
        for (one, (player, merit)) in seats() {
            for (other, (opponent, theirs)) in seats().skip(one + 1) {
                let own = (*merit, fault == Some(one));
                let game = game_between(own, (*theirs, fault == Some(other)));
                let games = self.games_between(part, player, opponent, game);
                self.games.entry(cluster.clone()).or_default().extend(games);
            }
        }
        Ok(())
    }

    /// Counts what a player answered in a match.
    pub fn add_answers(&mut self, player: &str, answers: Answers) {
        let all = self.answers.entry(player.to_owned()).or_default();
        all.turns += answers.turns;
        all.misread += answers.misread;
        all.tokens += answers.tokens;
    }

    /// The game of two players as the fit takes it; none if nobody is rated by it.
    fn games_between(
        &self,
        part: usize,
        one: &str,
        other: &str,
        game: WinDrawLoss,
    ) -> Option<RatedGames> {
        let number = |name: &str| self.players.iter().position(|player| player == name);
        let (own, theirs) = (number(one), number(other));
        let (player, opponent, game) = match (own, theirs) {
            (Some(own), Some(theirs)) if own == theirs => return None,
            (Some(own), Some(theirs)) => (own, Opponent::Rated(theirs), game),
            (Some(own), None) => (own, self.known(part, other)?, game),
            (None, Some(theirs)) => (theirs, self.known(part, one)?, game.reversed()),
            (None, None) => return None,
        };
        let (points, games) = (game.points(), game.games() as f64);
        Some(RatedGames { player, opponent, slope: self.parts[part].slope(), points, games })
    }

    fn known(&self, part: usize, player: &str) -> Option<Opponent> {
        let scale = self.parts[part].scale();
        let found = scale.iter().find(|(known, _)| *known == player);
        found.map(|(_, strength)| Opponent::Known(*strength))
    }

    /// All games by cluster, those of scores on common seeds among them.
    fn clusters(&self) -> Vec<(usize, u64, Vec<RatedGames>)> {
        let mut all = self.games.clone();
        for (cluster, gains) in &self.gains {
            let means: Vec<(&str, f64)> =
                gains.iter().map(|(player, (sum, n))| (player.as_str(), sum / n)).collect();
            let here = all.entry(cluster.clone()).or_default();
            for (at, (one, gain)) in means.iter().enumerate() {
                for (other, theirs) in &means[at + 1..] {
                    let game = WinDrawLoss::of(gain.total_cmp(theirs));
                    here.extend(self.games_between(cluster.0, one, other, game));
                }
            }
        }
        all.into_iter()
            .filter(|(_, games)| !games.is_empty())
            .map(|((part, _, seed), games)| (part, seed, games))
            .collect()
    }

    /// The standings from everything counted so far.
    pub fn standings(&self) -> SeriesStandings {
        let clusters = self.clusters();
        let parts: Vec<Ratings> = (0..self.parts.len())
            .map(|part| {
                let here = clusters.iter().filter(|(of, ..)| *of == part);
                let games: Vec<&[RatedGames]> = here.map(|(.., of)| &of[..]).collect();
                Ratings::of(&games, self.players.len())
            })
            .collect();
        let overall = Ratings::mean_of(&parts, self.players.len());
        let merits: Vec<f64> =
            (0..self.players.len()).filter_map(|at| Some(overall.rating(at)?.rating)).collect();
        let last = merits.len() as u64 + 1;
        let mut places = ranks::rank(&merits, RATING_TOLERANCE).into_iter();
        let ranked: Vec<u64> = (0..self.players.len())
            .map(|at| overall.rating(at).and_then(|_| places.next()).map_or(last, |of| of.rank))
            .collect();
        let pairs = AllPairs::compare(&ranked, &overall.values, |_, _| false);
        let marks = pairs.marks();
        let leader = (0..self.players.len()).min_by_key(|at| ranked[*at]);
        let row = |at: usize| {
            let player = &self.players[at];
            let (matches, forfeits) = self.matches.get(player).copied().unwrap_or_default();
            let found = leader.filter(|leader| *leader != at && !pairs.is_refused());
            let behind = found.and_then(|leader| pairs.difference(leader, at));
            SeriesRow {
                rank: ranked[at],
                player: player.clone(),
                overall: overall.rating(at),
                mark: marks.as_ref().map(|marks| marks[at]).filter(|_| pairs.has_values(at)),
                behind,
                parts: parts.iter().map(|part| part.rating(at)).collect(),
                matches,
                forfeits,
                answers: self.answers.get(player).copied().unwrap_or_default(),
            }
        };
        let mut rows: Vec<SeriesRow> = (0..self.players.len()).map(row).collect();
        rows.sort_by_key(|row| row.rank);
        let open = self.open_question(&pairs, &clusters);
        SeriesStandings { parts: self.parts.clone(), rows, open }
    }

    /// The first pair of players that is not told apart, and how many more seeds would do it.
    fn open_question(
        &self,
        pairs: &AllPairs,
        clusters: &[(usize, u64, Vec<RatedGames>)],
    ) -> Option<OpenQuestion> {
        let (one, other) = *pairs.undecided().first().filter(|_| !pairs.is_refused())?;
        let seeds: std::collections::BTreeSet<u64> =
            clusters.iter().map(|(_, seed, _)| *seed).collect();
        let (have, seeds) = (clusters.len() as u64, seeds.len().max(1) as u64);
        let more = |needed: u64| (needed.saturating_sub(have) * seeds).div_ceil(have.max(1)).max(1);
        let more_seeds = pairs.seeds_telling_apart(one, other).map(more);
        Some(OpenQuestion {
            players: [self.players[one].clone(), self.players[other].clone()],
            more_seeds,
        })
    }
}

/// The ratings of all players in some games, and what they would be without each cluster.
struct Ratings {
    ratings: Vec<Option<SeriesRating>>,
    /// The strengths without each cluster, by player.
    without: Vec<Vec<f64>>,
    /// The jackknife's pseudo-values, by player; empty if there are too few clusters.
    values: Vec<Vec<Option<f64>>>,
}

impl Ratings {
    /// The ratings in one game.
    fn of(clusters: &[&[RatedGames]], players: usize) -> Ratings {
        let middle = LADDER_TOP / 2.0;
        let all: Vec<RatedGames> = merge(clusters.iter().copied().flatten());
        let strengths = fit_beside_ladder(&all, players, middle);
        let mut without = vec![Vec::new(); players];
        for left_out in 0..clusters.len() {
            let others = clusters.iter().enumerate().filter(|(at, _)| *at != left_out);
            let others = merge(others.flat_map(|(_, games)| games.iter()));
            let fitted = fit_beside_ladder(&others, players, middle);
            without.iter_mut().zip(fitted).for_each(|(of, strength)| of.push(strength));
        }
        let rating = |player: usize| {
            let (points, games) = points_of(&all, player);
            let sweep = match points {
                0.0 => Some(Sweep::AllLost),
                points if points == games => Some(Sweep::AllWon),
                _ => None,
            };
            let rating = strengths[player];
            (games > 0.0).then_some(SeriesRating { rating, interval: None, sweep })
        };
        Ratings { ratings: (0..players).map(rating).collect(), without, values: Vec::new() }
            .with_values(clusters.len() >= MIN_SEEDS)
    }

    /// The mean ratings over several games. A player has one if it has played all of them.
    fn mean_of(parts: &[Ratings], players: usize) -> Ratings {
        let count = parts.len() as f64;
        let clusters = |part: &Ratings| part.without.first().map_or(0, Vec::len);
        let rating = |player: usize| {
            let all: Option<Vec<SeriesRating>> =
                parts.iter().map(|part| part.ratings[player]).collect();
            let all = all?;
            let rating = all.iter().map(|of| of.rating).sum::<f64>() / count;
            let same = |sweep: Sweep| all.iter().all(|of| of.sweep == Some(sweep));
            let sweep = [Sweep::AllWon, Sweep::AllLost].into_iter().find(|sweep| same(*sweep));
            Some(SeriesRating { rating, interval: None, sweep })
        };
        let ratings: Vec<Option<SeriesRating>> = (0..players).map(rating).collect();
        // Without a cluster, the rating changes in its own game alone.
        let without = |player: usize| {
            let Some(mean) = ratings[player] else { return Vec::new() };
            let of_part = |part: &Ratings| {
                let own = part.ratings[player].map_or(0.0, |of| of.rating);
                let changed = part.without[player].iter();
                changed.map(|without| mean.rating + (without - own) / count).collect::<Vec<_>>()
            };
            parts.iter().flat_map(of_part).collect()
        };
        let without = (0..players).map(without).collect();
        let total: usize = parts.iter().map(clusters).sum();
        let has_enough = total >= MIN_SEEDS && parts.iter().all(|part| clusters(part) >= 2);
        Ratings { ratings, without, values: Vec::new() }.with_values(has_enough)
    }

    /// Fills in the pseudo-values and the intervals that follow from them.
    fn with_values(mut self, has_enough: bool) -> Ratings {
        let clusters = self.without.iter().map(Vec::len).max().unwrap_or(0);
        for (rating, without) in self.ratings.iter_mut().zip(&self.without) {
            let Some(of) = rating.as_mut().filter(|_| has_enough) else {
                self.values.push(if has_enough { vec![None; clusters] } else { Vec::new() });
                continue;
            };
            let count = without.len() as f64;
            let own: Vec<f64> =
                without.iter().map(|other| count * of.rating - (count - 1.0) * other).collect();
            if of.sweep.is_none() {
                of.interval = interval(of.rating, own.iter().copied());
            }
            self.values.push(own.into_iter().map(Some).collect());
        }
        self
    }

    fn rating(&self, player: usize) -> Option<SeriesRating> {
        self.ratings[player]
    }
}

/// Adds up the games of equal players.
fn merge<'a>(games: impl Iterator<Item = &'a RatedGames>) -> Vec<RatedGames> {
    let mut sums: BTreeMap<(usize, bool, u64, u64), RatedGames> = BTreeMap::new();
    for of in games {
        let (is_known, whom) = match of.opponent {
            Opponent::Rated(other) => (false, other as u64),
            Opponent::Known(strength) => (true, strength.to_bits()),
        };
        let key = (of.player, is_known, whom, of.slope.to_bits());
        let none = RatedGames { points: 0.0, games: 0.0, ..*of };
        let sum = sums.entry(key).or_insert(none);
        sum.points += of.points;
        sum.games += of.games;
    }
    sums.into_values().collect()
}

/// The points and games of a player.
fn points_of(games: &[RatedGames], player: usize) -> (f64, f64) {
    let mut total = (0.0, 0.0);
    for of in games {
        if of.player == player {
            total = (total.0 + of.points, total.1 + of.games);
        }
        if of.opponent == Opponent::Rated(player) {
            total = (total.0 + of.games - of.points, total.1 + of.games);
        }
    }
    total
}
