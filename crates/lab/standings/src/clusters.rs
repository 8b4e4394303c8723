//! Clusters of matches that may depend on one another: everything that was played on one seed of
//! one scenario, for all players at once.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use quintain_core::GOLDEN_GAMMA;
use quintain_stats::clustered::ClusteredSample;

use crate::sorted_counts::{PairGames, SortedCounts};

/// With more seeds than this, several share a cluster. A thousand give the spread to two percent.
const MAX_CLUSTERS: usize = 2000;

/// Which cluster a seed of a scenario belongs to.
pub(crate) struct Clusters {
    pub(crate) count: usize,
    /// The scenarios in question.
    scenarios: Range<usize>,
    /// All (scenario, seed) pairs in order, if each is a cluster.
    each: Option<Vec<(usize, u64)>>,
    /// Otherwise, the number of clusters per scenario.
    of_scenario: usize,
    /// Scenarios whose seeds are not separate observations: one cluster each.
    fixed: Vec<bool>,
}

impl Clusters {
    pub(crate) fn of(counted: &SortedCounts<'_>, scenarios: Range<usize>) -> Clusters {
        let mut keys: HashSet<(usize, u64)> = HashSet::new();
        let fixed: Vec<bool> = (0..counted.scenario_count())
            .map(|scenario| scenarios.contains(&scenario) && counted.is_fixed(scenario))
            .collect();
        for scenario in scenarios.clone() {
            for seed in counted.seeds(scenario).flatten() {
                keys.insert((scenario, if fixed[scenario] { 0 } else { *seed }));
                if keys.len() > MAX_CLUSTERS {
                    let of_scenario = (MAX_CLUSTERS / scenarios.len()).max(1);
                    let count = of_scenario * scenarios.len();
                    return Clusters { count, scenarios, each: None, of_scenario, fixed };
                }
            }
        }
        let mut keys: Vec<_> = keys.into_iter().collect();
        keys.sort_unstable();
        Clusters { count: keys.len(), scenarios, each: Some(keys), of_scenario: 0, fixed }
    }

    pub(crate) fn cluster(&self, scenario: usize, seed: u64) -> usize {
        let seed = if self.fixed[scenario] { 0 } else { seed };
        match &self.each {
            Some(keys) => keys.binary_search(&(scenario, seed)).expect("every seed was listed"),
            // Neighbouring seeds fall into different clusters.
            None => {
                let mixed = seed.wrapping_mul(GOLDEN_GAMMA) >> 32;
                let before = scenario - self.scenarios.start;
                before * self.of_scenario + mixed as usize % self.of_scenario
            }
        }
    }

    /// The sums of scores of every player, cluster by cluster.
    pub(crate) fn scores(&self, counted: &SortedCounts<'_>) -> Vec<ClusteredSample> {
        let none = ClusteredSample { sums: vec![0.0; self.count], counts: vec![0.0; self.count] };
        let mut players = vec![none; counted.players().len()];
        for (player, of) in players.iter_mut().enumerate() {
            for scenario in self.scenarios.clone() {
                for (seed, score) in counted.scores(scenario, player) {
                    let cluster = self.cluster(scenario, seed);
                    of.sums[cluster] += score;
                    of.counts[cluster] += 1.0;
                }
            }
        }
        players
    }

    /// All games, and the clusters that they fall into.
    pub(crate) fn games(&self, counted: &SortedCounts<'_>) -> Games {
        let here = || counted.meetings().filter(|of| self.scenarios.contains(&of.scenario));
        // A match that is the same on every seed is one match, as in the rating. It shares nothing
        // with seeds on which other matches vary, so it is a separate cluster.
        let is_alone = |of: &PairGames| of.times > 1 && !self.fixed[of.scenario];
        let mut alone: Vec<PairGames> = here().filter(|of| of.is_first && is_alone(of)).collect();
        alone.sort_unstable_by_key(|of| {
            (of.scenario, of.first, of.second, of.games.wins, of.games.draws, of.repetitions)
        });
        let mut own: HashMap<u32, usize> = HashMap::new();
        for of in &alone {
            let next = self.count + own.len();
            own.entry(of.repetitions).or_insert(next);
        }
        let mut meetings: Vec<Meeting> = here()
            .filter(|of| of.is_first)
            .map(|of| Meeting {
                cluster: match is_alone(&of) {
                    true => own[&of.repetitions],
                    false => self.cluster(of.scenario, of.seed),
                } as u32,
                players: [of.first as u32, of.second as u32],
                points: of.games.points() as f32,
                games: of.games.games() as f32,
            })
            .collect();
        let key = |of: &Meeting| (of.cluster, of.players);
        meetings.sort_unstable_by_key(key);
        // Points are halves, so that their sums do not depend on the order.
        meetings.dedup_by(|next, kept| {
            let same = key(next) == key(kept);
            if same {
                kept.points += next.points;
                kept.games += next.games;
            }
            same
        });
        Games { meetings, clusters: self.count + own.len(), seeds: self.count }
    }
}

/// The games of a table, cluster by cluster.
pub(crate) struct Games {
    pub(crate) meetings: Vec<Meeting>,
    /// The number of clusters.
    pub(crate) clusters: usize,
    /// How many of them, the first ones, are seeds. The others are matches that are the same on
    /// every seed; they say nothing about seeds that are missing.
    pub(crate) seeds: usize,
}

/// The games of two players in one cluster.
#[derive(Clone, Copy)]
pub(crate) struct Meeting {
    pub(crate) cluster: u32,
    pub(crate) players: [u32; 2],
    /// The points of the first of them.
    pub(crate) points: f32,
    pub(crate) games: f32,
}
