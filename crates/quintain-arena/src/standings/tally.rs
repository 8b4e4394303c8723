//! Counting results one by one, and turning the counts into standings. The statistics themselves
//! are in the neighbouring files; here is what is kept while results stream by.

use super::counted::Counted;
use super::resampled::resampled;
use super::{
    BadResult, MatchResult, Places, Row, Rule, ScenarioStandings, Standings, Versus, endings,
    field, leagues,
};
use quintain_core::{Objective, Scoring};
use quintain_stats::{Elo, Summary, WinDrawLoss, bradley_terry, paired, places};
use std::collections::HashMap;

/// Results counted so far. Memory grows by 16 bytes for every player of every match and by 32 for
/// every two rivals in one; nothing else of a match is kept.
#[derive(Debug)]
pub struct Tally {
    pub(super) rule: Rule,
    matches: u64,
    players: Names,
    scenarios: Names,
    /// Per scenario, in the order of `scenarios`.
    pub(super) counts: Vec<ScenarioCounts>,
    /// `pairs[later][earlier]`: games of two players, seen by the one that was named later.
    pairs: Vec<Vec<WinDrawLoss>>,
    /// The same match by match, for what depends on seeds.
    pub(super) meetings: Vec<Meeting>,
    /// Why matches ended.
    pub(super) endings: Names,
    /// The seats of the match at hand, kept to spare an allocation per match.
    seats: Vec<Seat>,
}

/// Names numbered in the order in which they are first heard.
#[derive(Debug, Default)]
pub(super) struct Names {
    numbers: HashMap<String, usize>,
}

impl Names {
    fn number(&mut self, name: &str) -> usize {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.numbers.len();
        self.numbers.insert(name.to_owned(), number);
        number
    }

    /// Names with their numbers, in the order of the names.
    pub(super) fn sorted(&self) -> Vec<(&str, usize)> {
        let mut names: Vec<_> =
            self.numbers.iter().map(|(name, &number)| (name.as_str(), number)).collect();
        names.sort_unstable();
        names
    }
}

#[derive(Debug, Default)]
pub(super) struct ScenarioCounts {
    pub(super) matches: u64,
    /// Per player, in the order of [`Tally::players`]; players not heard of here may be missing.
    pub(super) players: Vec<Counts>,
}

/// The games of two players in one match, seen by the one that was named later.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meeting {
    pub(super) seed: u64,
    pub(super) scenario: u32,
    pub(super) later: u32,
    pub(super) earlier: u32,
    pub(super) wins: u32,
    pub(super) draws: u32,
    pub(super) losses: u32,
}

/// What is kept of one player on one scenario.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    pub(super) scores: Vec<f64>,
    /// Beside `scores`.
    pub(super) seeds: Vec<u64>,
    pub(super) games: WinDrawLoss,
    /// The number of the reason of each end, beside `scores`.
    pub(super) endings: Vec<u32>,
    /// Games by that number.
    pub(super) games_by_ending: Vec<WinDrawLoss>,
    pub(super) forfeits: u64,
    pub(super) truncated: u64,
}

#[derive(Clone, Copy, Debug)]
struct Seat {
    player: usize,
    merit: f64,
    score: f64,
    at_fault: bool,
}

impl Tally {
    /// Nothing counted yet; scores will be read by `rule`.
    pub fn new(rule: Rule) -> Self {
        Self {
            rule,
            matches: 0,
            players: Names::default(),
            scenarios: Names::default(),
            counts: Vec::new(),
            pairs: Vec::new(),
            meetings: Vec::new(),
            endings: Names::default(),
            seats: Vec::new(),
        }
    }

    /// Counts one more match, or nothing of it if it cannot be counted.
    pub fn add(&mut self, result: &MatchResult<'_>) -> Result<(), BadResult> {
        check(result)?;
        let scenario = self.scenarios.number(result.scenario);
        if scenario == self.counts.len() {
            self.counts.push(ScenarioCounts::default());
        }
        self.take_seats(result);
        self.matches += 1;
        let counts = &mut self.counts[scenario];
        counts.matches += 1;
        if counts.players.len() < self.pairs.len() {
            counts.players.resize_with(self.pairs.len(), Counts::default);
        }
        let ending = self.endings.number(result.ending);
        for same in self.seats.chunk_by(|a, b| a.player == b.player) {
            let counts = &mut counts.players[same[0].player];
            let score = same.iter().map(|seat| seat.score).sum::<f64>() / same.len() as f64;
            counts.scores.push(score);
            counts.seeds.push(result.seed);
            counts.endings.push(ending as u32);
            if counts.games_by_ending.len() <= ending {
                counts.games_by_ending.resize(ending + 1, WinDrawLoss::default());
            }
            counts.forfeits += same.iter().filter(|seat| seat.at_fault).count() as u64;
            counts.truncated += u64::from(result.truncated);
        }
        if self.rule.contest == Scoring::Adversarial {
            for (i, first) in self.seats.iter().enumerate() {
                let others = self.seats[i + 1..].iter();
                for second in others.filter(|second| second.player != first.player) {
                    let game = compare(first, second);
                    for (player, game) in [(first.player, game), (second.player, game.reversed())] {
                        counts.players[player].games += game;
                        counts.players[player].games_by_ending[ending] += game;
                    }
                    // Seats are sorted by player, so the second was named later.
                    let (later, earlier) = (second.player, first.player);
                    let game = game.reversed();
                    self.pairs[later][earlier] += game;
                    meet(&mut self.meetings, result.seed, scenario, [later, earlier], game);
                }
            }
        }
        Ok(())
    }

    /// Lists the seats of `result` by player and score, making room for players not heard of yet.
    fn take_seats(&mut self, result: &MatchResult<'_>) {
        self.seats.clear();
        for (seat, (&player, &score)) in result.players.iter().zip(result.scores).enumerate() {
            let player = self.players.number(player);
            if player == self.pairs.len() {
                self.pairs.push(vec![WinDrawLoss::default(); player]);
            }
            let (merit, at_fault) = (self.rule.goal.gain(score), result.fault == Some(seat));
            self.seats.push(Seat { player, merit, score, at_fault });
        }
        self.seats
            .sort_unstable_by(|a, b| a.player.cmp(&b.player).then(a.score.total_cmp(&b.score)));
    }

    /// The standings of everything counted so far.
    pub fn standings(&self) -> Standings {
        let players = self.players.sorted();
        let scenarios = self.scenarios.sorted();
        let counted = Counted::new(self, &players, &scenarios);
        let all: Vec<&ScenarioCounts> =
            scenarios.iter().map(|&(_, number)| &self.counts[number]).collect();
        let standings: Vec<ScenarioStandings> = scenarios
            .iter()
            .zip(&all)
            .enumerate()
            .map(|(at, (&(name, _), &counts))| {
                let rows = self.table(&players, &[counts], &[]);
                ScenarioStandings {
                    scenario: name.to_owned(),
                    matches: counts.matches,
                    winners: field::winners(&counted, at, &rows),
                    rows: rows.into_iter().map(|(_, row)| row).collect(),
                }
            })
            .collect();

        let matrix = (self.rule.contest == Scoring::Adversarial).then(|| self.matrix(&players));
        let ratings = matrix.as_deref().map(bradley_terry::ratings).unwrap_or_default();
        let mut overall = self.table(&players, &all, &ratings);
        add_what_takes_all(&mut overall, &counted, &ratings, &standings);
        let overall: Vec<Row> = overall.into_iter().map(|(_, row)| row).collect();
        let versus = matrix.map(|matrix| versus(&players, &matrix, &overall));
        let rings = versus.as_ref().map(field::rings).unwrap_or_default();
        let difference = field::difference(&counted, &standings);
        Standings {
            rule: self.rule,
            matches: self.matches,
            overall,
            versus,
            difference,
            rings,
            scenarios: standings,
            regret: Vec::new(),
        }
    }

    /// Who met whom, in the order of `players`.
    fn matrix(&self, players: &[(&str, usize)]) -> Vec<Vec<WinDrawLoss>> {
        let games = |i: usize, j: usize| match i.cmp(&j) {
            std::cmp::Ordering::Greater => self.pairs[i][j],
            std::cmp::Ordering::Equal => WinDrawLoss::default(),
            std::cmp::Ordering::Less => self.pairs[j][i].reversed(),
        };
        players.iter().map(|&(_, i)| players.iter().map(|&(_, j)| games(i, j)).collect()).collect()
    }

    /// One table over `scenarios`, best player first, each row with the player's place in `players`.
    /// `ratings`, in that order, is empty for the table of a single scenario.
    fn table(
        &self,
        players: &[(&str, usize)],
        scenarios: &[&ScenarioCounts],
        ratings: &[Option<Elo>],
    ) -> Vec<(usize, Row)> {
        let versus = self.rule.contest == Scoring::Adversarial;
        let mut numbered: Vec<(usize, Row)> = Vec::new();
        for (at, &(name, number)) in players.iter().enumerate() {
            let here = || scenarios.iter().filter_map(|counts| counts.players.get(number));
            let mut scores: Vec<f64> =
                here().flat_map(|counts| counts.scores.iter().copied()).collect();
            let Some(summary) = Summary::of(&mut scores) else { continue };
            let mut games = WinDrawLoss::default();
            here().for_each(|counts| games += counts.games);
            let row = Row {
                rank: 0,
                player: name.to_owned(),
                summary,
                games: versus.then_some(games),
                elo: ratings.get(at).cloned().flatten(),
                places: None,
                resampled: None,
                leagues: None,
                robustness: None,
                endings: Vec::new(),
                to_leader: None,
                forfeits: here().map(|counts| counts.forfeits).sum(),
                truncated: here().map(|counts| counts.truncated).sum(),
            };
            numbered.push((at, row));
        }
        let places = rank_rows(self.rule.goal, numbered.iter().map(|(_, row)| row));
        for ((_, row), place) in numbered.iter_mut().zip(places) {
            row.rank = place.rank;
        }
        // Stable: tied players stay in the order of their names.
        numbered.sort_by_key(|(_, row)| row.rank);
        if !versus {
            pair_with_leader(&mut numbered, players, scenarios);
        }
        numbered
    }
}

/// Fills in the columns of the overall table that no single scenario has. `ratings` are in the order
/// of the players' names.
fn add_what_takes_all(
    overall: &mut [(usize, Row)],
    counted: &Counted<'_>,
    ratings: &[Option<Elo>],
    scenarios: &[ScenarioStandings],
) {
    let goal = counted.rule().goal;
    let mut places = places_over(goal, scenarios);
    let ratings: Vec<Option<f64>> =
        ratings.iter().map(|rating| rating.as_ref().map(|elo| elo.rating)).collect();
    let mut spread = resampled(counted, &ratings);
    let leagues = leagues::of(counted);
    for (player, row) in overall {
        row.places = places.remove(row.player.as_str());
        row.resampled = spread[*player].take();
        row.leagues = leagues.as_ref().map(|leagues| leagues[*player]);
        row.robustness = field::robustness(goal, &row.player, scenarios);
        row.endings = endings::of(counted, *player);
    }
}

/// Notes a game of two players.
fn meet(
    meetings: &mut Vec<Meeting>,
    seed: u64,
    scenario: usize,
    [later, earlier]: [usize; 2],
    game: WinDrawLoss,
) {
    let [wins, draws, losses] = [game.wins, game.draws, game.losses].map(|games| games as u32);
    let (scenario, later, earlier) = (scenario as u32, later as u32, earlier as u32);
    meetings.push(Meeting { seed, scenario, later, earlier, wins, draws, losses });
}

fn check(result: &MatchResult<'_>) -> Result<(), BadResult> {
    let (scenario, seed) = (|| result.scenario.to_owned(), result.seed);
    let (players, scores) = (result.players.len(), result.scores.len());
    if players != scores {
        return Err(BadResult::SeatCount { scenario: scenario(), seed, players, scores });
    }
    if let Some(seat) = result.scores.iter().position(|score| !score.is_finite()) {
        let score = result.scores[seat];
        return Err(BadResult::NotFinite { scenario: scenario(), seed, seat, score });
    }
    if let Some(seat) = result.fault.filter(|&seat| seat >= players) {
        return Err(BadResult::NoSuchSeat { scenario: scenario(), seed, seat, seats: players });
    }
    Ok(())
}

fn compare(first: &Seat, second: &Seat) -> WinDrawLoss {
    game_between((first.merit, first.at_fault), (second.merit, second.at_fault))
}

/// The game between two seats of a match as the first sees it, each with its merit (more is better)
/// and whether it forfeited.
pub(crate) fn game_between(first: (f64, bool), second: (f64, bool)) -> WinDrawLoss {
    let ((merit, at_fault), (their_merit, they_at_fault)) = (first, second);
    let won = they_at_fault || (!at_fault && merit > their_merit);
    let lost = at_fault || (!they_at_fault && merit < their_merit);
    WinDrawLoss { wins: won.into(), draws: (!won && !lost).into(), losses: lost.into() }
}

/// The place of each row: by rating where there is one, otherwise by points per game, otherwise
/// (score contests, and players that met only themselves) by mean score. Players that met others
/// come before those that did not.
fn rank_rows<'a>(
    goal: Objective,
    rows: impl Iterator<Item = &'a Row> + Clone,
) -> Vec<places::Place> {
    let contested = rows.clone().filter_map(contested_merit);
    let means = rows.clone().filter(|row| contested_merit(row).is_none());
    let means: Vec<f64> = means.map(|row| goal.gain(row.summary.mean)).collect();
    let largest = means.iter().fold(0.0_f64, |largest, mean| largest.max(mean.abs()));

    let mut first = places::places(&contested.collect::<Vec<_>>(), 1e-7).into_iter();
    let ahead = first.len();
    let mut second = places::places(&means, largest * 1e-12).into_iter().map(|place| {
        places::Place { rank: place.rank + ahead as u64, middle: place.middle + ahead as f64 }
    });
    rows.map(|row| match contested_merit(row) {
        Some(_) => first.next(),
        None => second.next(),
    })
    .map(|place| place.expect("one place was given per row"))
    .collect()
}

fn contested_merit(row: &Row) -> Option<f64> {
    row.elo.as_ref().map(|elo| elo.rating).or(row.games.and_then(WinDrawLoss::share))
}

/// Compares every row but the first with the first on their common (scenario, seed).
fn pair_with_leader(
    rows: &mut [(usize, Row)],
    players: &[(&str, usize)],
    scenarios: &[&ScenarioCounts],
) {
    let [(leader, _), others @ ..] = rows else { return };
    let by_seed = |scenario: &ScenarioCounts, player: usize| {
        let counts = scenario.players.get(players[player].1);
        counts.map(|counts| paired::by_seed(&counts.seeds, &counts.scores)).unwrap_or_default()
    };
    let theirs: Vec<_> = scenarios.iter().map(|scenario| by_seed(scenario, *leader)).collect();
    for (player, row) in others {
        let mut differences = Vec::new();
        for (scenario, theirs) in scenarios.iter().zip(&theirs) {
            paired::differences(&by_seed(scenario, *player), theirs, &mut differences);
        }
        row.to_leader = paired::paired(differences);
    }
}

/// The places of every player over all scenarios.
fn places_over(goal: Objective, scenarios: &[ScenarioStandings]) -> HashMap<&str, Places> {
    let mut all: HashMap<&str, Places> = HashMap::new();
    for scenario in scenarios {
        let places = rank_rows(goal, scenario.rows.iter());
        for (row, place) in scenario.rows.iter().zip(places) {
            let none = Places { scenarios: 0, mean_rank: 0.0, first: 0, second: 0, third: 0 };
            let entry = all.entry(&row.player).or_insert(none);
            entry.scenarios += 1;
            // The sum of ranks until all scenarios are in; halves are exact.
            entry.mean_rank += place.middle;
            match place.rank {
                1 => entry.first += 1,
                2 => entry.second += 1,
                3 => entry.third += 1,
                _ => {}
            }
        }
    }
    all.values_mut().for_each(|places| places.mean_rank /= places.scenarios as f64);
    all
}

/// The matrix, given in the order of `players`, in the order of the overall table.
fn versus(players: &[(&str, usize)], matrix: &[Vec<WinDrawLoss>], overall: &[Row]) -> Versus {
    let at: HashMap<&str, usize> =
        players.iter().enumerate().map(|(at, &(name, _))| (name, at)).collect();
    let order: Vec<usize> = overall.iter().map(|row| at[row.player.as_str()]).collect();
    let (groups, one_sided) = bradley_terry::connectedness(matrix);
    Versus {
        players: overall.iter().map(|row| row.player.clone()).collect(),
        matrix: order.iter().map(|&i| order.iter().map(|&j| matrix[i][j]).collect()).collect(),
        groups,
        one_sided,
    }
}
