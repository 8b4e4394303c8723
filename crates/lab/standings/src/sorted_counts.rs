//! The counts in the order of names: players and scenarios are numbered by their places in that
//! order, and seeds and scores are sorted, so that nothing computed from here depends on the order
//! in which results came.

use std::ops::Range;

use quintain_core::Scoring;
use quintain_stats::{WinDrawLoss, paired};

use crate::counts::{Counts, Margin, Repetitions, ResultCounts};
use crate::result::ScoringRule;

/// Counts in the order of names.
pub(crate) struct SortedCounts<'a> {
    tally: &'a ResultCounts,
    players: &'a [(&'a str, usize)],
    scenarios: &'a [(&'a str, usize)],
    /// Places of the players, by their numbers in the counts.
    player_place: Vec<usize>,
    scenario_place: Vec<usize>,
}

/// The games of two players in one match.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairGames {
    pub(crate) scenario: usize,
    pub(crate) seed: u64,
    /// The player whose name comes first.
    pub(crate) first: usize,
    pub(crate) second: usize,
    /// The games as the first player saw them.
    pub(crate) games: WinDrawLoss,
    /// The index of its line-up's repetitions.
    pub(crate) repetitions: u32,
    /// How often this same match was played; 1 where seeds matter.
    pub(crate) times: u64,
    /// Whether it has the lowest seed of these.
    pub(crate) is_first: bool,
}

impl<'a> SortedCounts<'a> {
    /// `players` and `scenarios` are sorted names with their numbers in the counts.
    pub(crate) fn new(
        tally: &'a ResultCounts,
        players: &'a [(&'a str, usize)],
        scenarios: &'a [(&'a str, usize)],
    ) -> SortedCounts<'a> {
        let places = |names: &[(&str, usize)]| {
            let mut places = vec![0; names.len()];
            names.iter().enumerate().for_each(|(place, (_, number))| places[*number] = place);
            places
        };
        let (player_place, scenario_place) = (places(players), places(scenarios));
        SortedCounts { tally, players, scenarios, player_place, scenario_place }
    }

    pub(crate) fn rule(&self) -> ScoringRule {
        self.tally.rule
    }

    pub(crate) fn scenario_count(&self) -> usize {
        self.scenarios.len()
    }

    /// The players' names.
    pub(crate) fn players(&self) -> impl ExactSizeIterator<Item = &'a str> {
        self.players.iter().map(|(name, _)| *name)
    }

    pub(crate) fn counts(&self, scenario: usize, player: usize) -> Option<&'a Counts> {
        let (scenario, player) = (self.scenarios[scenario].1, self.players[player].1);
        self.tally.counts[scenario].players.get(player)
    }

    /// The seeds of every player on a scenario.
    pub(crate) fn seeds(&self, scenario: usize) -> impl Iterator<Item = &'a [u64]> {
        let players = 0..self.players.len();
        players.filter_map(move |player| self.counts(scenario, player)).map(|of| &of.seeds[..])
    }

    /// A player's scores on a scenario with their seeds, in order of the seeds.
    pub(crate) fn scores(&self, scenario: usize, player: usize) -> Vec<(u64, f64)> {
        let Some(counts) = self.counts(scenario, player) else { return Vec::new() };
        let scores = counts.seeds.iter().copied().zip(counts.scores.iter().copied());
        let mut scores: Vec<(u64, f64)> = scores.collect();
        scores.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        scores
    }

    /// A player's mean score on every seed of a scenario.
    pub(crate) fn by_seed(&self, scenario: usize, player: usize) -> Vec<(u64, f64)> {
        let counts = self.counts(scenario, player);
        counts.map(|counts| paired::mean_by_seed(&counts.seeds, &counts.scores)).unwrap_or_default()
    }

    /// A player's scores on a scenario, each with the number of matches that were the same.
    pub(crate) fn distinct_scores(&self, counts: &'a Counts) -> impl Iterator<Item = (f64, u64)> {
        let all = counts.scores.iter().zip(&counts.seeds).zip(&counts.repetitions);
        all.filter_map(|((score, seed), number)| {
            let known = &self.tally.repetitions[*number as usize];
            match known.is_unvarying() {
                false => Some((*score, 1)),
                true => (known.first_seed == *seed).then_some((*score, known.matches)),
            }
        })
    }

    /// The mean lead of a player over its opponents, where scores say more than who won.
    pub(crate) fn margin(&self, scenarios: Range<usize>, player: usize) -> Option<f64> {
        let mut margin = Margin::default();
        scenarios.filter_map(|at| self.counts(at, player)).for_each(|of| margin += of.margin);
        margin.mean().filter(|_| self.tally.has_margins)
    }

    /// Whether every seed gave a player the same matches on a scenario.
    pub(crate) fn is_unvarying(&self, scenario: usize, player: usize) -> bool {
        self.counts(scenario, player).is_some_and(|counts| {
            let mut known = counts.repetitions.iter();
            !counts.repetitions.is_empty()
                && known.all(|number| self.tally.repetitions[*number as usize].is_unvarying())
        })
    }

    /// The differences of two players on the seeds of a scenario that both played, each with how
    /// often it occurred: once, or on every seed where nothing depends on the seed.
    pub(crate) fn differences(
        &self,
        scenario: usize,
        [ours, theirs]: [usize; 2],
    ) -> Vec<(f64, u64)> {
        let mut differences = Vec::new();
        paired::append_differences(
            &self.by_seed(scenario, ours),
            &self.by_seed(scenario, theirs),
            &mut differences,
        );
        let unvarying = [ours, theirs].iter().all(|player| self.is_unvarying(scenario, *player));
        match differences.first() {
            Some(first) if unvarying => vec![(*first, differences.len() as u64)],
            _ => differences.into_iter().map(|difference| (difference, 1)).collect(),
        }
    }

    /// Whether a scenario's seeds say nothing about the difference between some players because it
    /// is the same on all of them, so that the whole scenario is one observation.
    pub(crate) fn is_fixed(&self, scenario: usize) -> bool {
        let played =
            |player: &usize| self.counts(scenario, *player).is_some_and(|of| !of.scores.is_empty());
        let there: Vec<usize> = (0..self.players.len()).filter(played).collect();
        let unvarying = there.iter().filter(|player| self.is_unvarying(scenario, **player)).count();
        match self.tally.rule.scoring {
            // Two are enough: a player that varies is compared with them by its mean over the
            // seeds.
            Scoring::Independent => unvarying >= there.len().min(2),
            // Repeated matches of rivals are left out one by one.
            Scoring::Adversarial => unvarying == there.len(),
        }
    }

    /// The games of every two players in a match, in the order in which results came.
    pub(crate) fn meetings(&self) -> impl Iterator<Item = PairGames> {
        self.tally.meetings.iter().map(|one| {
            let games = one.games();
            let place = |player: u32| self.player_place[player as usize];
            let (later, earlier) = (place(one.later), place(one.earlier));
            let (first, second, games) = match later < earlier {
                true => (later, earlier, games),
                false => (earlier, later, games.reversed()),
            };
            let scenario = self.scenario_place[one.scenario as usize];
            let known: &Repetitions = &self.tally.repetitions[one.repetitions as usize];
            let times = if known.is_unvarying() { known.matches } else { 1 };
            let is_first = times == 1 || known.first_seed == one.seed;
            let (seed, repetitions) = (one.seed, one.repetitions);
            PairGames { scenario, seed, first, second, games, repetitions, times, is_first }
        })
    }

    /// A player's scores, and the games in them, by the reason why the matches ended, in the order
    /// of the words.
    pub(crate) fn endings(&self, player: usize) -> Vec<(&'a str, Vec<f64>, WinDrawLoss)> {
        let mut reasons: Vec<(&str, usize)> = self.tally.endings.sorted();
        let mut all = vec![(Vec::new(), WinDrawLoss::default()); reasons.len()];
        for scenario in 0..self.scenarios.len() {
            let Some(counts) = self.counts(scenario, player) else { continue };
            for (ending, score) in counts.endings.iter().zip(&counts.scores) {
                all[*ending as usize].0.push(*score);
            }
            for (of, games) in all.iter_mut().zip(&counts.games_by_ending) {
                of.1 += *games;
            }
        }
        let mut of = |number: usize| std::mem::take(&mut all[number]);
        let reasons = reasons.drain(..).map(|(reason, number)| {
            let (scores, games) = of(number);
            (reason, scores, games)
        });
        reasons.filter(|(_, scores, _)| !scores.is_empty()).collect()
    }
}
