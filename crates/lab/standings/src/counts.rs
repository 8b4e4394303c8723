//! Counting results one by one, and what is kept of them as they stream by.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use quintain_core::Scoring;
use quintain_stats::WinDrawLoss;

use crate::result::{BadResult, MatchResult, ScoringRule, check, game_between};

/// Results counted so far. Memory grows by 24 bytes for every player of every match and by 32 for
/// every pair of rivals in one; nothing else of a match is kept.
#[derive(Debug)]
pub(crate) struct ResultCounts {
    pub(crate) rule: ScoringRule,
    pub(crate) matches: u64,
    pub(crate) players: Names,
    pub(crate) scenarios: Names,
    /// Counts by scenario, in the order of `scenarios`.
    pub(crate) counts: Vec<ScenarioCounts>,
    /// The results match by match, for everything that depends on seeds.
    pub(crate) meetings: Vec<Meeting>,
    /// Why matches ended.
    pub(crate) endings: Names,
    /// The index of a line-up's repetitions, by its scenario and the player of each seat.
    lineups: HashMap<Box<[usize]>, u32>,
    pub(crate) repetitions: Vec<Repetitions>,
    /// The size of the first lead in points that was not zero.
    lead: Option<f64>,
    /// Whether leads have different sizes, so that scores say more than who won.
    pub(crate) has_margins: bool,
    /// The current line-up, kept for the same reason as `seats`.
    lineup: Vec<usize>,
    /// The seats of the current match, kept to spare an allocation per match.
    seats: Vec<Seat>,
}

/// Names, numbered in the order in which they first occur.
#[derive(Debug, Default)]
pub(crate) struct Names {
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

    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// The number of a name, if it has occurred.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }

    /// Names with their numbers, in the order of the names.
    pub(crate) fn sorted(&self) -> Vec<(&str, usize)> {
        let mut names: Vec<_> =
            self.numbers.iter().map(|(name, &number)| (name.as_str(), number)).collect();
        names.sort_unstable();
        names
    }
}

#[derive(Debug, Default)]
pub(crate) struct ScenarioCounts {
    pub(crate) matches: u64,
    /// Counts by player, in the order of [`ResultCounts::players`]; players that have not occurred
    /// here may be missing.
    pub(crate) players: Vec<Counts>,
}

/// The matches of one line-up on one scenario, and how many of them are the same.
#[derive(Debug)]
pub(crate) struct Repetitions {
    pub(crate) matches: u64,
    pub(crate) first_seed: u64,
    /// Digests of the actions and scores of the matches; `None` once they need not be known, or
    /// cannot be.
    courses: Option<HashSet<u64>>,
}

impl Repetitions {
    /// If so many matches of rivals all differ, the others are taken to differ as well.
    const LOOKED_AT: u64 = 100;

    /// Whether every seed gave the same match.
    pub(crate) fn is_unvarying(&self) -> bool {
        self.matches > 1 && self.courses.as_ref().is_some_and(|courses| courses.len() == 1)
    }

    /// How many of the matches are different, as far as is known.
    pub(crate) fn distinct(&self) -> u64 {
        self.courses.as_ref().map_or(self.matches, |courses| courses.len() as u64)
    }

    /// Counts one more match. `course` is not called if nobody needs to know it.
    fn add(
        &mut self,
        result: &MatchResult<'_>,
        rule: ScoringRule,
        course: &dyn Fn() -> Option<u64>,
    ) {
        self.matches += 1;
        self.first_seed = self.first_seed.min(result.seed);
        let Some(courses) = &mut self.courses else { return };
        let is_known = course().is_some_and(|course| {
            let mut digest = DefaultHasher::new();
            course.hash(&mut digest);
            result.scores.iter().for_each(|score| score.to_bits().hash(&mut digest));
            courses.insert(digest.finish());
            true
        });
        // Records of games that are played alone may be long, and equal scores are rare there.
        let most = match rule.scoring {
            Scoring::Adversarial => Repetitions::LOOKED_AT,
            Scoring::Independent => 2,
        };
        let all_differ = self.matches >= most && courses.len() as u64 == self.matches;
        if !is_known || all_differ {
            self.courses = None;
        }
    }
}

/// The games of two players in one match, seen by the one that was named later.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meeting {
    pub(crate) seed: u64,
    pub(crate) scenario: u32,
    pub(crate) later: u32,
    pub(crate) earlier: u32,
    pub(crate) repetitions: u32,
    pub(crate) wins: u16,
    pub(crate) draws: u16,
    pub(crate) losses: u16,
}

/// The counts of one player on one scenario.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) scores: Vec<f64>,
    /// The seed of each score, parallel to `scores`.
    pub(crate) seeds: Vec<u64>,
    pub(crate) games: WinDrawLoss,
    /// The index of the repetitions that each score belongs to, parallel to `scores`.
    pub(crate) repetitions: Vec<u32>,
    /// The number of the reason why each match ended, parallel to `scores`.
    pub(crate) endings: Vec<u32>,
    /// Games by that reason's number.
    pub(crate) games_by_ending: Vec<WinDrawLoss>,
    /// Forfeits by the kind of fault.
    pub(crate) faults: BTreeMap<String, u64>,
    pub(crate) truncated: u64,
    /// Leads over opponents in points of the score.
    pub(crate) margin: Margin,
}

/// The sum of leads in points of the score. It is kept as a whole number of small parts, so that it
/// does not depend on the order of results.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Margin {
    parts: i128,
    games: u64,
}

impl Margin {
    /// The parts of a point.
    const PARTS: f64 = (1_u64 << 20) as f64;

    fn of(lead: f64) -> Margin {
        Margin { parts: (lead * Margin::PARTS).round() as i128, games: 1 }
    }

    pub(crate) fn mean(self) -> Option<f64> {
        (self.games > 0).then(|| self.parts as f64 / Margin::PARTS / self.games as f64)
    }
}

impl std::ops::AddAssign for Margin {
    fn add_assign(&mut self, other: Margin) {
        self.parts = self.parts.saturating_add(other.parts);
        self.games += other.games;
    }
}

#[derive(Clone, Copy, Debug)]
struct Seat {
    player: usize,
    merit: f64,
    score: f64,
    at_fault: bool,
}

impl ResultCounts {
    /// Makes empty counts; scores will be read by `rule`.
    pub(crate) fn new(rule: ScoringRule) -> Self {
        Self {
            rule,
            matches: 0,
            players: Names::default(),
            scenarios: Names::default(),
            counts: Vec::new(),
            meetings: Vec::new(),
            endings: Names::default(),
            lineups: HashMap::new(),
            repetitions: Vec::new(),
            lead: None,
            has_margins: false,
            lineup: Vec::new(),
            seats: Vec::new(),
        }
    }

    /// Counts one more match, or nothing if it cannot be counted. `course` is called as long as
    /// its line-up may repeat matches.
    pub(crate) fn add(
        &mut self,
        result: &MatchResult<'_>,
        course: &dyn Fn() -> Option<u64>,
    ) -> Result<(), BadResult> {
        check(result, self.rule.scoring)?;
        let scenario = self.scenarios.number(result.scenario);
        if scenario == self.counts.len() {
            self.counts.push(ScenarioCounts::default());
        }
        self.take_seats(result);
        let repetitions = self.repeat(scenario, result, course);
        self.matches += 1;
        let ending = self.endings.number(result.ending);
        self.count_scores(scenario, repetitions, ending, result);
        if self.rule.scoring == Scoring::Adversarial {
            self.count_games(scenario, repetitions, ending, result.seed);
        }
        Ok(())
    }

    /// Counts the score of every player in the seats.
    fn count_scores(
        &mut self,
        scenario: usize,
        repetitions: u32,
        ending: usize,
        result: &MatchResult<'_>,
    ) {
        let counts = &mut self.counts[scenario];
        counts.matches += 1;
        if counts.players.len() < self.players.len() {
            counts.players.resize_with(self.players.len(), Counts::default);
        }
        for same in self.seats.chunk_by(|a, b| a.player == b.player) {
            let counts = &mut counts.players[same[0].player];
            let score = same.iter().map(|seat| seat.score).sum::<f64>() / same.len() as f64;
            counts.scores.push(score);
            counts.seeds.push(result.seed);
            counts.repetitions.push(repetitions);
            counts.endings.push(ending as u32);
            if counts.games_by_ending.len() <= ending {
                counts.games_by_ending.resize(ending + 1, WinDrawLoss::default());
            }
            if let Some((_, kind)) = result.fault
                && same.iter().any(|seat| seat.at_fault)
            {
                *counts.faults.entry(kind.to_owned()).or_default() += 1;
            }
            counts.truncated += u64::from(result.truncated);
        }
    }

    /// Counts the games of every two seats with different players.
    fn count_games(&mut self, scenario: usize, repetitions: u32, ending: usize, seed: u64) {
        let counts = &mut self.counts[scenario];
        for (i, first) in self.seats.iter().enumerate() {
            let others = self.seats[i + 1..].iter();
            for second in others.filter(|second| second.player != first.player) {
                let game = compare(first, second);
                for (player, game) in [(first.player, game), (second.player, game.reversed())] {
                    counts.players[player].games += game;
                    counts.players[player].games_by_ending[ending] += game;
                }
                // The score of a seat at fault says nothing.
                if !first.at_fault && !second.at_fault {
                    let lead = first.merit - second.merit;
                    counts.players[first.player].margin += Margin::of(lead);
                    counts.players[second.player].margin += Margin::of(-lead);
                    let known = *self.lead.get_or_insert(lead.abs());
                    if known == 0.0 {
                        self.lead = Some(lead.abs());
                    } else {
                        self.has_margins |= lead != 0.0 && lead.abs() != known;
                    }
                }
                // Seats are sorted by player, so the second player was named later.
                let game = game.reversed();
                let [wins, draws, losses] =
                    [game.wins, game.draws, game.losses].map(|games| games as u16);
                self.meetings.push(Meeting {
                    seed,
                    scenario: scenario as u32,
                    later: second.player as u32,
                    earlier: first.player as u32,
                    repetitions,
                    wins,
                    draws,
                    losses,
                });
            }
        }
    }

    /// Every line-up (its scenario and the player of each seat) with the index of its repetitions.
    pub(crate) fn lineups(&self) -> impl Iterator<Item = (&[usize], u32)> {
        self.lineups.iter().map(|(lineup, number)| (&lineup[..], *number))
    }

    /// Notes whether the match is the same as earlier ones of its line-up.
    fn repeat(
        &mut self,
        scenario: usize,
        result: &MatchResult<'_>,
        course: &dyn Fn() -> Option<u64>,
    ) -> u32 {
        self.lineup.clear();
        self.lineup.push(scenario);
        self.lineup.extend(result.players.iter().map(|player| self.players.number(player)));
        let known = self.lineups.get(&self.lineup[..]).copied();
        let number = known.unwrap_or_else(|| {
            let number = self.repetitions.len() as u32;
            self.lineups.insert(self.lineup.clone().into(), number);
            let courses = Some(HashSet::new());
            self.repetitions.push(Repetitions { matches: 0, first_seed: u64::MAX, courses });
            number
        });
        self.repetitions[number as usize].add(result, self.rule, course);
        number
    }

    /// Lists the seats of `result` by player and score, making room for new players.
    fn take_seats(&mut self, result: &MatchResult<'_>) {
        self.seats.clear();
        for (seat, (&player, &score)) in result.players.iter().zip(result.scores).enumerate() {
            let player = self.players.number(player);
            let (merit, at_fault) =
                (self.rule.objective.gain(score), result.fault.is_some_and(|(at, _)| at == seat));
            self.seats.push(Seat { player, merit, score, at_fault });
        }
        self.seats
            .sort_unstable_by(|a, b| a.player.cmp(&b.player).then(a.score.total_cmp(&b.score)));
    }

    /// The games of every player against every other, in the order of `players`.
    pub(crate) fn matrix(&self, players: &[(&str, usize)]) -> Vec<Vec<WinDrawLoss>> {
        self.sum_games(players, |_| true)
    }

    /// The [`ResultCounts::matrix`] in which repetitions of the same match are counted once.
    pub(crate) fn distinct_matrix(&self, players: &[(&str, usize)]) -> Vec<Vec<WinDrawLoss>> {
        self.sum_games(players, |meeting| {
            let known = &self.repetitions[meeting.repetitions as usize];
            !known.is_unvarying() || meeting.seed == known.first_seed
        })
    }

    fn sum_games(
        &self,
        players: &[(&str, usize)],
        counts: impl Fn(&Meeting) -> bool,
    ) -> Vec<Vec<WinDrawLoss>> {
        let mut places = vec![None; self.players.len()];
        players.iter().enumerate().for_each(|(at, (_, number))| places[*number] = Some(at));
        let mut matrix = vec![vec![WinDrawLoss::default(); players.len()]; players.len()];
        for meeting in self.meetings.iter().filter(|meeting| counts(meeting)) {
            let [later, earlier] = [meeting.later, meeting.earlier].map(|of| places[of as usize]);
            let (Some(later), Some(earlier)) = (later, earlier) else { continue };
            let games = meeting.games();
            matrix[later][earlier] += games;
            matrix[earlier][later] += games.reversed();
        }
        matrix
    }
}

impl Meeting {
    pub(crate) fn games(&self) -> WinDrawLoss {
        let [wins, draws, losses] = [self.wins, self.draws, self.losses].map(u64::from);
        WinDrawLoss { wins, draws, losses }
    }
}

fn compare(first: &Seat, second: &Seat) -> WinDrawLoss {
    game_between((first.merit, first.at_fault), (second.merit, second.at_fault))
}
