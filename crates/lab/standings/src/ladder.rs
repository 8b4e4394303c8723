//! The ladder of a contest: players that come and go while results come in, ranked by their
//! matches with one another. Where seats are rivals, they have ratings; where everybody plays
//! alone, mean ranks on common seeds, which say who is ahead after fewer matches than mean scores.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use quintain_core::Scoring;
use quintain_stats::bradley_terry::fit_ratings;
use quintain_stats::paired::{append_differences, mean_by_seed, summarize};
use quintain_stats::{Interval, PairedDifference, WinDrawLoss, mean_with_interval, ranks};

use crate::builder::StandingsBuilder;
use crate::counts::Counts;
use crate::ranking::RATING_TOLERANCE;

/// On fewer seeds a mean rank has no interval: all may be alike by chance, and the interval empty.
const MIN_SEEDS: usize = 5;

/// A player on a ladder.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LadderRow {
    /// The player.
    pub player: String,
    /// The rank from 1, by the measure. Equal measures share a rank; players without one come last.
    pub rank: u64,
    /// The rating, or the mean rank as a share: 0 is always first, 1 always last.
    pub measure: Option<f64>,
    /// The 95 % interval of the measure.
    pub interval: Option<Interval>,
    /// Where everybody plays alone, by scenario: the number of seeds and the mean score.
    pub scores: BTreeMap<String, (u64, f64)>,
    /// Where everybody plays alone: the common seeds on which the player did better than the next
    /// one on the ladder, as well and worse.
    pub beside_next: Option<WinDrawLoss>,
    /// The matches played, with whomever.
    pub matches: u64,
    /// The matches forfeited by a fault.
    pub faults: u64,
}

/// Two players of a game for one player, compared on the seeds of a scenario that both have played,
/// so that what a seed gave to both cancels out.
#[derive(Clone, Debug, PartialEq)]
pub struct SeedComparison {
    /// The scenario.
    pub scenario: String,
    /// The seeds on which the first did better, as well and worse.
    pub seeds: WinDrawLoss,
    /// By how much the first did better on average, in points of the score.
    pub lead: PairedDifference,
}

/// A seed on which others did better than a player.
#[derive(Clone, Debug, PartialEq)]
pub struct WorstSeed {
    /// The scenario.
    pub scenario: String,
    /// The seed.
    pub seed: u64,
    /// The player's score.
    pub score: f64,
    /// The best score of the others.
    pub best: f64,
    /// How many others did better.
    pub better: usize,
    /// How many others played it.
    pub others: usize,
}

/// A measure and its interval.
type Measure = (Option<f64>, Option<Interval>);

/// The place of every player that played a seed, with the gain there.
type GainsOnSeed = Vec<(usize, f64)>;

impl StandingsBuilder {
    /// The ladder of these players, the best first: their measures follow from the matches among
    /// them, everything else from all their matches. Tied players keep their order.
    pub fn ladder(&self, players: &[&str]) -> Vec<LadderRow> {
        let mut rows = self.ladder_rows(players);
        self.compare_with_next(rows.iter_mut());
        rows
    }

    /// The same without a comparison of each player with the next one, for whoever shows the rows
    /// in another order, and then compares.
    pub fn ladder_rows(&self, players: &[&str]) -> Vec<LadderRow> {
        let is_solo = self.counts.rule.scoring == Scoring::Independent;
        let measures = if is_solo { self.mean_ranks(players) } else { self.ratings(players) };
        // A low mean rank is good.
        let sign = if is_solo { -1.0 } else { 1.0 };
        let merits: Vec<f64> =
            measures.iter().filter_map(|(measure, _)| Some(sign * (*measure)?)).collect();
        let last = merits.len() as u64 + 1;
        let mut places = ranks::rank(&merits, RATING_TOLERANCE).into_iter();
        let row = |(player, (measure, interval)): (&&str, Measure)| {
            let place = measure.and_then(|_| places.next());
            let scores = if is_solo { self.mean_scores(player) } else { BTreeMap::new() };
            LadderRow {
                player: (*player).to_owned(),
                rank: place.map_or(last, |place| place.rank),
                measure,
                interval,
                scores,
                beside_next: None,
                matches: self.count_matches(player),
                faults: self.count_faults(player),
            }
        };
        let mut rows: Vec<LadderRow> = players.iter().zip(measures).map(row).collect();
        rows.sort_by_key(|row| row.rank);
        rows
    }

    /// Fills in how each player did beside the next one of these rows, where everybody plays alone.
    pub fn compare_with_next<'a>(&self, rows: impl Iterator<Item = &'a mut LadderRow>) {
        let mut rows: Vec<&mut LadderRow> = rows.collect();
        let is_solo = self.counts.rule.scoring == Scoring::Independent;
        for at in 0..rows.len() {
            let next = rows.get(at + 1).filter(|_| is_solo);
            let seeds =
                next.and_then(|next| self.count_common_seeds(&rows[at].player, &next.player));
            rows[at].beside_next = seeds;
        }
    }

    /// How many matches a player has played.
    pub fn count_matches(&self, player: &str) -> u64 {
        self.counts_of(player).map(|(_, counts)| counts.scores.len() as u64).sum()
    }

    /// How many of its matches a player has forfeited by a fault.
    pub fn count_faults(&self, player: &str) -> u64 {
        self.counts_of(player).flat_map(|(_, counts)| counts.faults.values()).sum()
    }

    /// Compares two players on each scenario on which they have common seeds.
    pub fn compare(&self, first: &str, second: &str) -> Vec<SeedComparison> {
        let theirs: BTreeMap<&str, &Counts> = self.counts_of(second).collect();
        let comparison = |(scenario, own): (&str, &Counts)| {
            let mut leads = Vec::new();
            append_differences(&self.gains(own), &self.gains(theirs.get(scenario)?), &mut leads);
            let seeds = count_signs(&leads);
            Some(SeedComparison { scenario: scenario.to_owned(), seeds, lead: summarize(leads)? })
        };
        self.counts_of(first).filter_map(comparison).collect()
    }

    /// The seeds on which some of the others did better than a player, those with the largest share
    /// of them first.
    pub fn worst_seeds(&self, player: &str, others: &[&str], max: usize) -> Vec<WorstSeed> {
        let gain = |score: f64| self.counts.rule.objective.gain(score);
        let all: Vec<&str> = std::iter::once(player)
            .chain(others.iter().copied().filter(|of| *of != player))
            .collect();
        let mut seeds: Vec<WorstSeed> = Vec::new();
        for ((scenario, seed), gains) in self.gains_by_seed(&all) {
            let [(0, own), others @ ..] = &gains[..] else { continue };
            let better = others.iter().filter(|(_, gain)| gain > own).count();
            if better > 0 {
                let best = others.iter().map(|(_, gain)| *gain).fold(f64::MIN, f64::max);
                let (score, best, others) = (gain(*own), gain(best), others.len());
                let scenario = scenario.to_owned();
                seeds.push(WorstSeed { scenario, seed, score, best, better, others });
            }
        }
        let share = |worst: &WorstSeed| worst.better as f64 / worst.others as f64;
        seeds.sort_by(|a, b| share(b).total_cmp(&share(a)));
        seeds.truncate(max);
        seeds
    }

    /// The scenarios on which a player has played, in the order of names, with its counts there.
    fn counts_of(&self, player: &str) -> impl Iterator<Item = (&str, &Counts)> {
        let player = self.counts.players.find(player);
        self.counts.scenarios.sorted().into_iter().filter_map(move |(name, number)| {
            let counts = self.counts.counts[number].players.get(player?)?;
            (!counts.scores.is_empty()).then_some((name, counts))
        })
    }

    /// A player's gain on every seed of a scenario.
    fn gains(&self, counts: &Counts) -> Vec<(u64, f64)> {
        let mut gains = mean_by_seed(&counts.seeds, &counts.scores);
        gains.iter_mut().for_each(|(_, score)| *score = self.counts.rule.objective.gain(*score));
        gains
    }

    /// The gains of these players on every seed that one of them has played.
    fn gains_by_seed(&self, players: &[&str]) -> Vec<((&str, u64), GainsOnSeed)> {
        let numbers: Vec<Option<usize>> =
            players.iter().map(|player| self.counts.players.find(player)).collect();
        let mut seeds = Vec::new();
        for (scenario, number) in self.counts.scenarios.sorted() {
            let counts = &self.counts.counts[number].players;
            let mut gains: Vec<(u64, usize, f64)> = Vec::new();
            for (place, number) in numbers.iter().enumerate() {
                if let Some(counts) = number.and_then(|number| counts.get(number)) {
                    let own = self.gains(counts).into_iter();
                    gains.extend(own.map(|(seed, gain)| (seed, place, gain)));
                }
            }
            gains.sort_unstable_by_key(|(seed, place, _)| (*seed, *place));
            for here in gains.chunk_by(|a, b| a.0 == b.0) {
                let players = here.iter().map(|(_, place, gain)| (*place, *gain)).collect();
                seeds.push(((scenario, here[0].0), players));
            }
        }
        seeds
    }

    fn mean_scores(&self, player: &str) -> BTreeMap<String, (u64, f64)> {
        let mean = |(scenario, counts): (&str, &Counts)| {
            let mut scores: Vec<f64> = mean_by_seed(&counts.seeds, &counts.scores)
                .into_iter()
                .map(|(_, score)| score)
                .collect();
            let (mean, ..) = mean_with_interval(&mut scores)?;
            Some((scenario.to_owned(), (scores.len() as u64, mean)))
        };
        self.counts_of(player).filter_map(mean).collect()
    }

    /// The common seeds of all scenarios on which the first did better, as well and worse; `None`
    /// without a common seed.
    fn count_common_seeds(&self, first: &str, second: &str) -> Option<WinDrawLoss> {
        let mut all = WinDrawLoss::default();
        self.compare(first, second).into_iter().for_each(|here| all += here.seeds);
        (all.games() > 0).then_some(all)
    }

    fn ratings(&self, players: &[&str]) -> Vec<Measure> {
        let known: Vec<(&str, usize)> = players
            .iter()
            .filter_map(|player| Some((*player, self.counts.players.find(player)?)))
            .collect();
        let mut ratings = fit_ratings(&self.counts.matrix(&known)).into_iter();
        let rating = |player: &&str| {
            let elo = self.counts.players.find(player).and_then(|_| ratings.next().flatten())?;
            Some((elo.rating, Interval { low: elo.low, high: elo.high }))
        };
        players.iter().map(rating).map(Option::unzip).collect()
    }

    /// The mean rank of each player as a share: how often another player is better on a common
    /// seed, averaged over the other players. If all have played all seeds, this is the mean of the
    /// ranks on them. When a player is new, it keeps seeds that only a few have played from
    /// counting more for those few than for the others.
    fn mean_ranks(&self, players: &[&str]) -> Vec<Measure> {
        let seeds: Vec<GainsOnSeed> =
            self.gains_by_seed(players).into_iter().map(|(_, gains)| gains).collect();
        let behind = SharesBehind::of(&seeds, players.len());
        // The contribution of each seed, such that the mean of these is the mean rank.
        let mut parts: Vec<Vec<f64>> = vec![Vec::new(); players.len()];
        for played in seeds.iter().filter(|played| played.len() > 1) {
            let mut part = vec![0.0; players.len()];
            for_each_pair(played, |own, other, is_behind| {
                let (mean, common) = behind.of_pair(own, other);
                part[own] += (is_behind - mean) / common;
            });
            for (own, _) in played {
                parts[*own].push(part[*own]);
            }
        }
        let measure = |(own, mut parts): (usize, Vec<f64>)| {
            let (mean, others) = behind.mean(own)?;
            let seeds = parts.len() as f64;
            parts.iter_mut().for_each(|part| *part = mean + *part * seeds / others);
            let (mean, _, interval) = mean_with_interval(&mut parts)?;
            // A mean rank lies between always first and always last, whatever Student's t says.
            let clip = |end: f64| end.clamp(0.0, 1.0);
            let interval = interval
                .filter(|_| parts.len() >= MIN_SEEDS)
                .map(|interval| Interval { low: clip(interval.low), high: clip(interval.high) });
            Some((mean, interval))
        };
        let measures = parts.into_iter().enumerate().map(measure);
        measures.map(|found| found.map_or((None, None), |(mean, of)| (Some(mean), of))).collect()
    }
}

fn count_signs(leads: &[f64]) -> WinDrawLoss {
    let mut seeds = WinDrawLoss::default();
    for lead in leads {
        seeds += WinDrawLoss::of(lead.partial_cmp(&0.0).unwrap_or(Ordering::Equal));
    }
    seeds
}

/// For each pair of players: the number of common seeds, and on how many of them the second was
/// better.
struct SharesBehind {
    players: usize,
    common: Vec<f64>,
    behind: Vec<f64>,
}

impl SharesBehind {
    fn of(seeds: &[GainsOnSeed], players: usize) -> SharesBehind {
        let none = vec![0.0_f64; players * players];
        let mut shares = SharesBehind { players, common: none.clone(), behind: none };
        for played in seeds {
            for_each_pair(played, |own, other, is_behind| {
                shares.common[own * players + other] += 1.0;
                shares.behind[own * players + other] += is_behind;
            });
        }
        shares
    }

    /// The share of common seeds on which the second was better, and the number of them.
    fn of_pair(&self, own: usize, other: usize) -> (f64, f64) {
        let at = own * self.players + other;
        (self.behind[at] / self.common[at], self.common[at])
    }

    /// The mean share over the others with whom a player has common seeds, and their number.
    fn mean(&self, own: usize) -> Option<(f64, f64)> {
        let pairs = (0..self.players).map(|other| self.of_pair(own, other));
        let shares: Vec<f64> =
            pairs.filter(|(_, common)| *common > 0.0).map(|(share, _)| share).collect();
        let others = shares.len() as f64;
        (!shares.is_empty()).then(|| (shares.iter().sum::<f64>() / others, others))
    }
}

/// Visits all pairs of players who have played a seed, in both orders: one, the other, and 1 if the
/// other was better, ½ if both were as good, otherwise 0.
fn for_each_pair(played: &[(usize, f64)], mut visit: impl FnMut(usize, usize, f64)) {
    for &(own, mine) in played {
        for &(other, theirs) in played.iter().filter(|(other, _)| *other != own) {
            visit(own, other, WinDrawLoss::of(theirs.total_cmp(&mine)).points());
        }
    }
}
