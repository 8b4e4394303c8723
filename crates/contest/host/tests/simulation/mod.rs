//! A ladder of participants of known strength: results are drawn from the Bradley–Terry model, and
//! the fitted order is compared with the true one by Kendall's τ. And threads that play, with a
//! clock of their own.

use quintain_core::{Rng, Streams};
use quintain_host::matchmaking::{Contender, UNKNOWN, choose_pair, favor_newcomers, least_used};
use quintain_host::shares::Shares;
use quintain_stats::WinDrawLoss;
use quintain_stats::bradley_terry::fit_ratings;

/// The standard deviation of strengths, in points.
const SPREAD: f64 = 300.0;

/// How matches are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scheme {
    Information,
    RoundRobin,
    Nearest,
    Swiss,
}

impl Scheme {
    pub const ALL: [Scheme; 4] =
        [Scheme::Information, Scheme::RoundRobin, Scheme::Nearest, Scheme::Swiss];

    pub fn name(self) -> &'static str {
        match self {
            Scheme::Information => "information (the ladder)",
            Scheme::RoundRobin => "round robin",
            Scheme::Nearest => "nearest rating",
            Scheme::Swiss => "Swiss",
        }
    }
}

fn normal(rng: &mut Rng) -> f64 {
    // The sum of twelve uniform numbers has variance 1 (Irwin–Hall), and is close enough to normal.
    (0..12).map(|_| uniform(rng)).sum::<f64>() - 6.0
}

fn uniform(rng: &mut Rng) -> f64 {
    rng.below(1 << 30) as f64 / (1u64 << 30) as f64
}

/// Returns Kendall's τ of two lists without ties.
pub fn tau(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len();
    let mut agreed = 0i64;
    for i in 0..n {
        for j in i + 1..n {
            agreed += if (a[i] - a[j]) * (b[i] - b[j]) > 0.0 { 1 } else { -1 };
        }
    }
    agreed as f64 / (n * (n - 1) / 2) as f64
}

struct Ladder {
    strengths: Vec<f64>,
    contenders: Vec<Contender>,
    results: Vec<Vec<WinDrawLoss>>,
    points: Vec<f64>,
    rng: Rng,
}

impl Ladder {
    fn met(&self, a: usize, b: usize) -> u64 {
        self.results[a][b].games()
    }

    fn play(&mut self, a: usize, b: usize) {
        let p = 1.0 / (1.0 + 10f64.powf((self.strengths[b] - self.strengths[a]) / 400.0));
        let (winner, loser) = if uniform(&mut self.rng) < p { (a, b) } else { (b, a) };
        self.results[winner][loser].wins += 1;
        self.results[loser][winner].losses += 1;
        self.points[winner] += 1.0;
        // All matches take the same time.
        for player in [a, b] {
            self.contenders[player].matches += 1;
            self.contenders[player].seconds += 1.0;
        }
    }

    fn fit(&mut self) {
        for (contender, elo) in self.contenders.iter_mut().zip(fit_ratings(&self.results)) {
            if let Some(elo) = elo {
                (contender.rating, contender.standard_error) = (elo.rating, elo.standard_error);
            }
        }
    }

    /// Returns a round of a Swiss tournament: neighbours in an order, each once; among close ones,
    /// those who have met least first.
    fn swiss_round(&mut self) -> Vec<(usize, usize)> {
        let mut order: Vec<usize> = (0..self.points.len()).collect();
        order.sort_by(|&a, &b| self.points[b].total_cmp(&self.points[a]));
        let mut pairs = Vec::new();
        while let Some(first) = (!order.is_empty()).then(|| order.remove(0)) {
            let near = order.iter().take(8).enumerate();
            let Some((at, _)) = near.min_by_key(|(at, other)| (self.met(first, **other), *at))
            else {
                break;
            };
            pairs.push((first, order.remove(at)));
        }
        pairs
    }

    /// Returns the next matches, before ratings are fitted again.
    fn next(&mut self, scheme: Scheme, count: usize) -> Vec<(usize, usize)> {
        let n = self.contenders.len();
        match scheme {
            Scheme::Swiss => self.swiss_round(),
            Scheme::RoundRobin => {
                let mut all: Vec<(usize, usize)> =
                    (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))).collect();
                for at in (1..all.len()).rev() {
                    let other = self.rng.below(at + 1);
                    all.swap(at, other);
                }
                // Pairs that have met least, as far as a round has progressed.
                all.sort_by_key(|&(a, b)| self.met(a, b));
                all.truncate(count);
                all
            }
            Scheme::Information | Scheme::Nearest => {
                let mut contenders = self.contenders.clone();
                let mut again = vec![vec![0; n]; n];
                let mut pairs = Vec::new();
                for _ in 0..count {
                    let met = |a: usize, b: usize| self.results[a][b].games() + again[a][b];
                    let pair = match scheme {
                        Scheme::Information => choose_pair(&contenders, 1.0, &met, &mut self.rng),
                        _ => nearest(&contenders, &mut self.rng),
                    };
                    let (a, b) = pair.expect("there are two");
                    again[a][b] += 1;
                    again[b][a] += 1;
                    for player in [a, b] {
                        contenders[player].matches += 1;
                        contenders[player].seconds += 1.0;
                    }
                    pairs.push((a, b));
                }
                pairs
            }
        }
    }
}

/// Returns one of those who have played least, and one of the three nearest to them.
fn nearest(contenders: &[Contender], rng: &mut Rng) -> Option<(usize, usize)> {
    let first = least_used(contenders, rng)?;
    let mut others: Vec<usize> = (0..contenders.len()).filter(|&other| other != first).collect();
    let distance = |other: usize| (contenders[other].rating - contenders[first].rating).abs();
    others.sort_by(|&a, &b| distance(a).total_cmp(&distance(b)));
    others.truncate(3);
    Some((first, others[rng.below(others.len())]))
}

/// Returns the number of matches until τ reaches each of these values, if `most` are enough.
/// Ratings are fitted after every round of half as many matches as there are participants.
pub fn matches_until(
    scheme: Scheme,
    participants: usize,
    taus: &[f64],
    seed: u64,
    most: u64,
) -> Vec<Option<u64>> {
    let mut rng = Streams::new(seed).address("strengths", 0);
    let strengths: Vec<f64> = (0..participants).map(|_| SPREAD * normal(&mut rng)).collect();
    let fresh = Contender {
        rating: 0.0,
        standard_error: UNKNOWN,
        matches: 0,
        seconds: 0.0,
        head_start: 0.0,
        is_provisional: false,
        is_done: false,
        is_held: false,
        is_examiner: false,
    };
    let mut ladder = Ladder {
        strengths,
        contenders: vec![fresh; participants],
        results: vec![vec![WinDrawLoss::default(); participants]; participants],
        points: vec![0.0; participants],
        rng,
    };
    let mut reached = vec![None; taus.len()];
    let mut played = 0;
    while played < most && reached.contains(&None) {
        let pairs = ladder.next(scheme, participants / 2);
        played += pairs.len() as u64;
        pairs.into_iter().for_each(|(a, b)| ladder.play(a, b));
        ladder.fit();
        let ratings: Vec<f64> = ladder.contenders.iter().map(|own| own.rating).collect();
        let now = tau(&ladder.strengths, &ratings);
        for (reached, wanted) in reached.iter_mut().zip(taus) {
            if reached.is_none() && now >= *wanted {
                *reached = Some(played);
            }
        }
    }
    reached
}

/// A program that plays from some time on.
#[derive(Clone, Copy)]
pub struct Program {
    /// Seconds that it thinks in a match.
    pub thinks: f64,
    /// When it comes.
    pub comes: f64,
}

/// What threads did for one program.
#[derive(Clone, Copy, Default, Debug)]
pub struct Played {
    pub matches: u64,
    /// Seconds for which a thread waited for it.
    pub seconds: f64,
}

/// Has threads play for `duration` seconds of their own clock. If matches are counted instead of
/// seconds, everything else is the same.
pub fn play_threads(
    programs: &[Program],
    threads: usize,
    duration: f64,
    counts_seconds: bool,
) -> Vec<Played> {
    let mut rng = Streams::new(7).address("threads", 0);
    let (mut shares, mut met) = (Shares::default(), vec![vec![0; programs.len()]; programs.len()]);
    let mut played = vec![Played::default(); programs.len()];
    // When each thread is free, and the match that it plays.
    let mut busy: Vec<(f64, Option<(usize, usize)>)> = vec![(0.0, None); threads];
    loop {
        let thread = (0..threads).min_by(|&a, &b| busy[a].0.total_cmp(&busy[b].0)).unwrap();
        let (now, ended) = busy[thread];
        if now >= duration {
            return played;
        }
        if let Some((a, b)) = ended {
            let seconds = programs[a].thinks + programs[b].thinks;
            shares.end(&[a as i64, b as i64]);
            shares.count(&[a as i64, b as i64], if counts_seconds { seconds } else { 2.0 });
            for own in [a, b] {
                played[own].seconds += programs[own].thinks;
            }
        }
        let here: Vec<usize> =
            (0..programs.len()).filter(|&at| programs[at].comes <= now).collect();
        shares.enter(here.iter().map(|&at| (at as i64, at as i64)));
        let contender = |&at: &usize| Contender {
            rating: 0.0,
            standard_error: 50.0,
            matches: played[at].matches,
            seconds: shares.due(at as i64),
            head_start: 0.0,
            is_provisional: played[at].matches < 20,
            is_done: false,
            is_held: false,
            is_examiner: false,
        };
        let mut contenders: Vec<Contender> = here.iter().map(contender).collect();
        favor_newcomers(&mut contenders, shares.mean_cost());
        let pair =
            choose_pair(&contenders, shares.mean_cost(), &|a, b| met[here[a]][here[b]], &mut rng);
        let (a, b) = pair.map(|(a, b)| (here[a], here[b])).unwrap();
        met[a][b] += 1;
        met[b][a] += 1;
        for own in [a, b] {
            played[own].matches += 1;
        }
        shares.begin(&[a as i64, b as i64]);
        busy[thread] = (now + programs[a].thinks + programs[b].thinks, Some((a, b)));
    }
}
