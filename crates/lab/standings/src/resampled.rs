//! Intervals and ranks by resampling seeds: how the results might have come out on other seeds.
//! Everything played on one seed of one scenario is drawn together, for all players at once.

use std::collections::{HashMap, HashSet};

use quintain_core::{GOLDEN_GAMMA, Objective, Scoring};
use quintain_stats::bootstrap::{
    ClusteredSample, bca_interval, for_each_resample, percentile_interval,
};
use quintain_stats::simultaneous::ranks_together;
use quintain_stats::{bradley_terry, ranks};

use crate::sorted_counts::{PairGames, SortedCounts};
use crate::table::ResampledStanding;

/// With more seeds than this, several share a cluster. A thousand give the spread to two percent.
const MAX_CLUSTERS: usize = 2000;
/// With fewer seeds there is nothing to learn from resampling.
const MIN_CLUSTERS: usize = 5;
/// How often the seeds are resampled; less often in tests, which ask for hundreds of standings.
const REPLICATES: usize = if cfg!(test) { 100 } else { 1000 };
/// Bounds the work of fitting the ratings of many players, by fewer resamples, down to a fifth.
const FITTING: usize = 100_000_000;

/// The spread of every player; `None` for players without results, and no result at all where there
/// are too few seeds. Versus contests rank by `ratings`.
pub(crate) fn resample(
    counted: &SortedCounts<'_>,
    ratings: &[Option<f64>],
) -> Vec<Option<ResampledStanding>> {
    let clusters = Clusters::of(counted);
    let players = counted.players().len();
    if clusters.count < MIN_CLUSTERS {
        return vec![None; players];
    }
    match counted.rule().scoring {
        Scoring::Independent => by_mean(counted, &clusters, players),
        Scoring::Adversarial => by_rating(counted, &clusters, ratings),
    }
}

/// Which cluster a seed of a scenario belongs to.
pub(crate) struct Clusters {
    pub(crate) count: usize,
    /// All (scenario, seed) pairs in order, if each is a cluster.
    each: Option<Vec<(usize, u64)>>,
    /// Otherwise, the number of clusters per scenario.
    of_scenario: usize,
    /// Scenarios whose seeds are not separate observations: one cluster each.
    fixed: Vec<bool>,
}

impl Clusters {
    pub(crate) fn of(counted: &SortedCounts<'_>) -> Clusters {
        let mut keys: HashSet<(usize, u64)> = HashSet::new();
        let fixed: Vec<bool> =
            (0..counted.scenario_count()).map(|scenario| counted.is_fixed(scenario)).collect();
        for (scenario, seeds) in counted.seeds() {
            for seed in seeds {
                keys.insert((scenario, if fixed[scenario] { 0 } else { *seed }));
                if keys.len() > MAX_CLUSTERS {
                    let scenarios = counted.scenario_count();
                    let of_scenario = (MAX_CLUSTERS / scenarios).max(1);
                    let count = of_scenario * scenarios;
                    return Clusters { count, each: None, of_scenario, fixed };
                }
            }
        }
        let mut keys: Vec<_> = keys.into_iter().collect();
        keys.sort_unstable();
        Clusters { count: keys.len(), each: Some(keys), of_scenario: 0, fixed }
    }

    pub(crate) fn cluster(&self, scenario: usize, seed: u64) -> usize {
        let seed = if self.fixed[scenario] { 0 } else { seed };
        match &self.each {
            Some(keys) => keys.binary_search(&(scenario, seed)).expect("every seed was listed"),
            // Neighbouring seeds fall into different clusters.
            None => {
                let mixed = seed.wrapping_mul(GOLDEN_GAMMA) >> 32;
                scenario * self.of_scenario + mixed as usize % self.of_scenario
            }
        }
    }

    /// The scenario of each cluster.
    fn scenarios(&self) -> Vec<usize> {
        match &self.each {
            Some(keys) => keys.iter().map(|(scenario, _)| *scenario).collect(),
            None => (0..self.count).map(|cluster| cluster / self.of_scenario).collect(),
        }
    }

    /// The sums of scores of every player, cluster by cluster.
    pub(crate) fn scores(&self, counted: &SortedCounts<'_>) -> Vec<ClusteredSample> {
        let none = ClusteredSample { sums: vec![0.0; self.count], counts: vec![0.0; self.count] };
        let mut players = vec![none; counted.players().len()];
        for (player, of) in players.iter_mut().enumerate() {
            for scenario in 0..counted.scenario_count() {
                for (seed, score) in counted.scores(scenario, player) {
                    let cluster = self.cluster(scenario, seed);
                    of.sums[cluster] += score;
                    of.counts[cluster] += 1.0;
                }
            }
        }
        players
    }
}

fn by_mean(
    counted: &SortedCounts<'_>,
    clusters: &Clusters,
    players: usize,
) -> Vec<Option<ResampledStanding>> {
    let objective = counted.rule().objective;
    let sums = clusters.scores(counted);
    let scenario_of = clusters.scenarios();
    let ones = vec![1; clusters.count];
    let means: Vec<Option<f64>> = sums.iter().map(|player| player.mean(&ones)).collect();
    let merits = |times: &[u32]| merits(objective, &sums, &scenario_of, times);
    let mut drawn = Vec::with_capacity(REPLICATES);
    let mut replicates = vec![Vec::with_capacity(REPLICATES); players];
    for_each_resample(clusters.count, REPLICATES, |times| {
        for (values, player) in replicates.iter_mut().zip(&sums) {
            values.extend(player.mean(times));
        }
        drawn.push(merits(times));
    });
    let ranks = ranks_together(&merits(&ones), &drawn, clusters.count);
    let spread = replicates.iter_mut().zip(&sums).zip(means).zip(ranks);
    spread
        .map(|(((values, sums), mean), ranks)| {
            let interval = bca_interval(mean?, values, &sums.means_without_each());
            Some(ResampledStanding { interval, ranks: ranks? })
        })
        .collect()
}

/// What players are ranked by, with the sign set so that more is better: the mean score on one
/// scenario, the mean rank on several.
fn merits(
    objective: Objective,
    sums: &[ClusteredSample],
    scenario_of: &[usize],
    times: &[u32],
) -> Vec<Option<f64>> {
    let scenarios = scenario_of.last().map_or(0, |last| last + 1);
    if scenarios < 2 {
        let gain = |player: &ClusteredSample| Some(objective.gain(player.mean(times)?));
        return sums.iter().map(gain).collect();
    }
    // A scenario weighs as much as was drawn of it.
    let mut drawn = vec![(0.0, 0.0); scenarios];
    for (&scenario, &times) in scenario_of.iter().zip(times) {
        drawn[scenario].0 += f64::from(times);
        drawn[scenario].1 += 1.0;
    }
    let mut totals = vec![(0.0, 0.0); scenarios * sums.len()];
    for (player, of) in sums.iter().enumerate() {
        for (cluster, &times) in times.iter().enumerate() {
            let total = &mut totals[scenario_of[cluster] * sums.len() + player];
            total.0 += f64::from(times) * of.sums[cluster];
            total.1 += f64::from(times) * of.counts[cluster];
        }
    }
    let mut of_ranks = vec![(0.0, 0.0); sums.len()];
    for (here, (times, clusters)) in totals.chunks(sums.len()).zip(drawn) {
        let weight = times / f64::max(clusters, 1.0);
        let there: Vec<usize> = (0..here.len()).filter(|&player| here[player].1 > 0.0).collect();
        let means: Vec<f64> =
            there.iter().map(|&player| objective.gain(here[player].0 / here[player].1)).collect();
        let largest = means.iter().fold(0.0_f64, |largest, mean| largest.max(mean.abs()));
        for (player, place) in there.into_iter().zip(ranks::rank(&means, largest * 1e-12)) {
            of_ranks[player].0 += weight * place.fractional;
            of_ranks[player].1 += weight;
        }
    }
    of_ranks.into_iter().map(|(sum, count)| (count > 0.0).then(|| -sum / count)).collect()
}

fn by_rating(
    counted: &SortedCounts<'_>,
    clusters: &Clusters,
    ratings: &[Option<f64>],
) -> Vec<Option<ResampledStanding>> {
    let players = ratings.len();
    let start: Vec<f64> = ratings.iter().map(|rating| rating.unwrap_or(0.0)).collect();
    let (meetings, count) = meetings(counted, clusters, players);
    let mut all = Vec::new();
    let replicates = (FITTING / players.pow(3).max(1)).clamp(REPLICATES / 5, REPLICATES);
    let mut values = vec![Vec::with_capacity(replicates); players];
    let (mut points, mut games) = (vec![0.0; players * players], vec![0.0; players * players]);
    for_each_resample(count, replicates, |times| {
        points.fill(0.0);
        games.fill(0.0);
        for meeting in &meetings {
            let times = f64::from(times[meeting.cluster as usize]);
            points[meeting.pair as usize] += times * f64::from(meeting.points);
            games[meeting.pair as usize] += times * f64::from(meeting.games);
        }
        // The other half of the matrix follows from this one.
        for i in 0..players {
            for j in i + 1..players {
                games[j * players + i] = games[i * players + j];
                points[j * players + i] = games[i * players + j] - points[i * players + j];
            }
        }
        let drawn = bradley_terry::refit_ratings(&points, &games, &start);
        let rated = drawn.iter().zip(ratings);
        let drawn: Vec<Option<f64>> = rated.map(|(drawn, known)| known.map(|_| *drawn)).collect();
        for (values, rating) in values.iter_mut().zip(&drawn) {
            values.extend(rating);
        }
        all.push(drawn);
    });
    let ranks = ranks_together(ratings, &all, count);
    let spread = values.iter_mut().zip(ranks);
    spread
        .map(|(values, ranks)| {
            Some(ResampledStanding { interval: percentile_interval(values), ranks: ranks? })
        })
        .collect()
}

/// The games of two players in one cluster.
struct Meeting {
    cluster: u32,
    /// Row and column in the upper half of the matrix.
    pair: u32,
    points: f32,
    games: f32,
}

/// All games, and the number of clusters that they fall into.
fn meetings(
    counted: &SortedCounts<'_>,
    clusters: &Clusters,
    players: usize,
) -> (Vec<Meeting>, usize) {
    // A match that is the same on every seed is one match, as in the rating. It shares nothing with
    // seeds on which other matches vary, so it is a separate cluster.
    let is_alone = |of: &PairGames| of.times > 1 && !clusters.fixed[of.scenario];
    let mut alone: Vec<PairGames> =
        counted.meetings().filter(|of| of.is_first && is_alone(of)).collect();
    alone.sort_unstable_by_key(|of| {
        (of.scenario, of.first, of.second, of.games.wins, of.games.draws, of.repetitions)
    });
    let mut own: HashMap<u32, usize> = HashMap::new();
    for of in &alone {
        let next = clusters.count + own.len();
        own.entry(of.repetitions).or_insert(next);
    }
    let mut meetings: Vec<Meeting> = counted
        .meetings()
        .filter(|of| of.is_first)
        .map(|of| Meeting {
            cluster: match is_alone(&of) {
                true => own[&of.repetitions],
                false => clusters.cluster(of.scenario, of.seed),
            } as u32,
            pair: (of.first * players + of.second) as u32,
            points: of.games.points() as f32,
            games: of.games.games() as f32,
        })
        .collect();
    meetings.sort_unstable_by(|a, b| {
        let key = |of: &Meeting| (of.cluster, of.pair);
        key(a).cmp(&key(b)).then(a.points.total_cmp(&b.points)).then(a.games.total_cmp(&b.games))
    });
    meetings.dedup_by(|next, kept| {
        let same = (next.cluster, next.pair) == (kept.cluster, kept.pair);
        if same {
            kept.points += next.points;
            kept.games += next.games;
        }
        same
    });
    (meetings, clusters.count + own.len())
}
