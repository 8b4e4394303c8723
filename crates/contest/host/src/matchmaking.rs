//! Matchmaking: chooses the pair whose match is most informative about the order on the ladder.
//! Inputs and outputs are plain data, independent of a contest, so simulations use it as it is.
//!
//! First it chooses a contender who is behind in matches: newcomers are furthest behind, and
//! everybody gets the same share of the machine. Then it chooses the opponent whose match with them
//! tells most. A match between players whose strength differs by d tells p(1 − p) about that
//! difference (the Fisher information of the Bradley–Terry model), where p = 1 / (1 + exp(−d)).
//! Since an order is decided between neighbours, this counts to the fourth power, times the
//! uncertainty of the two ratings; the more a pair has played already, the less one more match is
//! worth. `examples/matchmaking.rs` compares this with other ways.
//!
//! With this alone, the weak and the strong would never meet, and nothing would say how far apart
//! they are: two groups of close players are two ladders. So in every sixteenth match, a contender
//! meets an opponent they have met least.

use quintain_core::Rng;
use quintain_stats::elo::expected_score;

/// The power of p(1 − p), found by simulations: with 1 the order is found later, and so it is with
/// 8.
const CLOSENESS: i32 = 4;
/// One in this many matches of a contender is against an opponent they have met least.
const JOINING: u64 = 16;
/// The standard error of a contender about whom nothing is known, in points.
pub const UNKNOWN: f64 = 350.0;

/// A player on the ladder.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Contender {
    /// The rating so far, or a first guess.
    pub rating: f64,
    /// Its standard error; [`UNKNOWN`] before the first match.
    pub standard_error: f64,
    /// Matches played or under way.
    pub matches: u64,
}

/// Returns two contenders whose match is informative, as indices into the list; none if there are
/// fewer than two. `met` returns how often two contenders have met.
pub fn choose_pair(
    contenders: &[Contender],
    met: &dyn Fn(usize, usize) -> u64,
    rng: &mut Rng,
) -> Option<(usize, usize)> {
    let first = least_played(contenders, rng)?;
    let second = match contenders[first].matches % JOINING == JOINING - 1 {
        true => least_met(contenders.len(), first, met, rng),
        false => choose_opponent(contenders, first, met),
    };
    Some((first, second?))
}

/// Returns one of those whom `first` has met least.
fn least_met(
    count: usize,
    first: usize,
    met: &dyn Fn(usize, usize) -> u64,
    rng: &mut Rng,
) -> Option<usize> {
    let others = || (0..count).filter(|&other| other != first);
    let fewest = others().map(|other| met(first, other)).min()?;
    let least: Vec<usize> = others().filter(|&other| met(first, other) == fewest).collect();
    Some(least[rng.below(least.len())])
}

/// Returns one of those with the fewest matches.
pub fn least_played(contenders: &[Contender], rng: &mut Rng) -> Option<usize> {
    let fewest = contenders.iter().map(|contender| contender.matches).min()?;
    let behind: Vec<usize> =
        (0..contenders.len()).filter(|&at| contenders[at].matches == fewest).collect();
    Some(behind[rng.below(behind.len())])
}

/// Returns the opponent whose match with `first` is most informative.
pub fn choose_opponent(
    contenders: &[Contender],
    first: usize,
    met: &dyn Fn(usize, usize) -> u64,
) -> Option<usize> {
    let worth = |other: usize| {
        let (a, b) = (&contenders[first], &contenders[other]);
        let p = expected_score(a.rating - b.rating);
        let unsure = a.standard_error.powi(2) + b.standard_error.powi(2);
        (p * (1.0 - p)).powi(CLOSENESS) * unsure / (1.0 + met(first, other) as f64).sqrt()
    };
    let others = (0..contenders.len()).filter(|&other| other != first);
    // Among equals, the one that has played least.
    others.max_by(|&a, &b| {
        let fewer = contenders[b].matches.cmp(&contenders[a].matches);
        worth(a).total_cmp(&worth(b)).then(fewer)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use quintain_core::Streams;

    fn contender(rating: f64, standard_error: f64, matches: u64) -> Contender {
        Contender { rating, standard_error, matches }
    }

    fn rng() -> Rng {
        Streams::new(1).address("test", 0)
    }

    #[test]
    fn nobody_meets_themselves() {
        assert_eq!(choose_pair(&[], &|_, _| 0, &mut rng()), None);
        assert_eq!(choose_pair(&[contender(0.0, 1.0, 0)], &|_, _| 0, &mut rng()), None);
    }

    #[test]
    fn newcomers_come_first_and_all_get_the_same_share() {
        let mut all = [40, 0, 40].map(|matches| contender(0.0, 50.0, matches));
        all[1].standard_error = UNKNOWN;
        let (first, _) = choose_pair(&all, &|_, _| 0, &mut rng()).unwrap();
        assert_eq!(first, 1);
        let (mut rng, mut met) = (rng(), [[0; 3]; 3]);
        for _ in 0..300 {
            let (a, b) = choose_pair(&all, &|a, b| met[a][b], &mut rng).unwrap();
            for (own, other) in [(a, b), (b, a)] {
                all[own].matches += 1;
                all[own].standard_error = UNKNOWN / (all[own].matches as f64).sqrt();
                met[own][other] += 1;
            }
        }
        let matches = all.map(|contender| contender.matches);
        assert!(matches.iter().max().unwrap() - matches.iter().min().unwrap() <= 4, "{matches:?}");
    }

    #[test]
    fn matches_connect_the_weak_and_the_strong() {
        // Two groups, each with a ladder of its own.
        let mut all: Vec<Contender> =
            (0..12).map(|at| contender(if at < 6 { 0.0 } else { 900.0 }, 50.0, 0)).collect();
        let (mut rng, mut met) = (rng(), [[0_u64; 12]; 12]);
        for _ in 0..2400 {
            let (a, b) = choose_pair(&all, &|a, b| met[a][b], &mut rng).unwrap();
            for (own, other) in [(a, b), (b, a)] {
                all[own].matches += 1;
                met[own][other] += 1;
            }
        }
        for low in 0..6 {
            let joining: u64 = met[low][6..].iter().sum();
            assert!(joining >= 10, "{low} has met the others {joining} times");
            assert!(met[low][6..].iter().all(|&count| count > 0), "{:?}", met[low]);
        }
    }

    #[test]
    fn close_uncertain_and_new_opponents_are_preferred() {
        let near = contender(20.0, 50.0, 5);
        let all = [contender(0.0, 50.0, 4), near, contender(400.0, 50.0, 5)];
        assert_eq!(choose_opponent(&all, 0, &|_, _| 0), Some(1), "close");
        let all = [all[0], near, contender(20.0, 200.0, 5)];
        assert_eq!(choose_opponent(&all, 0, &|_, _| 0), Some(2), "unsure");
        let all = [all[0], near, near];
        assert_eq!(choose_opponent(&all, 0, &|_, b| u64::from(b == 1) * 9), Some(2), "new");
    }
}
