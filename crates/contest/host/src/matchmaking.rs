//! Matchmaking: chooses the pair whose match is most informative about the order on the ladder.
//! Inputs and outputs are plain data, independent of a contest, so simulations use it as it is.
//!
//! First it chooses a contender who has used least of the machine's time ([`crate::shares`]), so
//! that everybody gets the same share of it, however long they think. Then it chooses the opponent
//! whose match with them tells most, among those who have not used much more. A match between
//! players whose strength differs by d tells p(1 − p) about that difference (the Fisher information
//! of the Bradley–Terry model), where p = 1 / (1 + exp(−d)). Since an order is decided between
//! neighbours, this counts to the fourth power, times the uncertainty of the two ratings; the more
//! a pair has played already, the less one more match is worth. `examples/matchmaking.rs` compares
//! this with other ways.
//!
//! With this alone, the weak and the strong would never meet, and nothing would say how far apart
//! they are: two groups of close players are two ladders. So in every sixteenth match, a contender
//! meets an opponent they have met least. Nothing is known about a newcomer, whose first matches
//! are against opponents from the whole ladder: among a few, chosen by whatever guess, it could
//! look like the best or the worst of all. Whoever has no match yet goes first, whatever they have
//! used: so a ladder that was reset soon shows everybody. Where points are given for beating a
//! certain player, everybody meets that player often enough to earn them, however far apart the
//! two are.

use quintain_core::Rng;
use quintain_stats::elo::expected_score;

use crate::shares::HEAD_START;

/// The power of p(1 − p), found by simulations: with 1 the order is found later, and so it is with
/// 8.
const CLOSENESS: i32 = 4;
/// One in this many matches of a contender is against an opponent they have met least.
const JOINING: u64 = 16;
/// One in this many matches of a contender is against each player whom it is to beat for points.
const EXAMINING: u64 = 8;
/// How often the two meet for that: on both sides of twenty starts.
const EXAMINED: u64 = 40;
/// The standard error of a contender about whom nothing is known, in points.
pub const UNKNOWN: f64 = 350.0;

/// A newcomer's matches against opponents from the whole ladder: two against each, one from each
/// side.
pub const SPREAD: u64 = 8;
/// By how many matches newcomers may be ahead of everybody else, if these take longer than
/// [`HEAD_START`].
const HEAD_START_MATCHES: f64 = 8.0;
/// By how many seconds an opponent may have used more than whoever plays next.
const SLACK: f64 = 1.0;

/// A player on the ladder.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Contender {
    /// The rating so far, or 0.
    pub rating: f64,
    /// Its standard error; [`UNKNOWN`] before the first match.
    pub standard_error: f64,
    /// Matches played or under way.
    pub matches: u64,
    /// The seconds of thread time that its owner has used, or is about to use. Only differences
    /// count.
    pub seconds: f64,
    /// By how many seconds it may be ahead of the others.
    pub head_start: f64,
    /// Whether its rating is still unsure.
    pub is_provisional: bool,
    /// Whether it has all its matches, so that it plays only if others choose it.
    pub is_done: bool,
    /// Whether it has to wait for its matches under way, so that nobody chooses it either.
    pub is_held: bool,
    /// Whether points are given for beating it.
    pub is_examiner: bool,
}

/// Lets newcomers go first, within limits: whoever has had this advantage waits until the others
/// have caught up. `usual` is how many seconds a match usually costs a player.
pub fn favor_newcomers(contenders: &mut [Contender], usual: f64) {
    let head_start = HEAD_START.max(HEAD_START_MATCHES * usual);
    for newcomer in contenders.iter_mut().filter(|contender| contender.is_provisional) {
        newcomer.head_start = head_start;
    }
}

/// Returns two contenders whose match is informative, as indices into the list; none if there are
/// fewer than two, or all have their matches. `met` returns how often two contenders have met, and
/// `usual` is how many seconds a match usually costs a player.
pub fn choose_pair(
    contenders: &[Contender],
    usual: f64,
    met: &dyn Fn(usize, usize) -> u64,
    rng: &mut Rng,
) -> Option<(usize, usize)> {
    let first = least_used(contenders, rng)?;
    let others = list_opponents(contenders, first, usual);
    let own = &contenders[first];
    let is_newcomer = own.is_provisional && own.matches < SPREAD;
    if !is_newcomer && let Some(pair) = choose_examination(contenders, usual, met) {
        return Some(pair);
    }
    let second = match () {
        () if is_newcomer => {
            let unplayed = list_unplayed(contenders, first);
            let among = if unplayed.is_empty() { &others } else { &unplayed };
            spread_opponent(contenders, among, own.matches)
        }
        () if own.matches % JOINING == JOINING - 1 => least_met(&others, first, met, rng),
        () => choose_opponent(contenders, first, &others, met),
    };
    Some((first, second?))
}

/// Returns those whom `first` may meet: everybody else who has not used more of the machine, or
/// hardly more. Whoever thinks long would otherwise get time whenever others choose them.
fn list_opponents(contenders: &[Contender], first: usize, usual: f64) -> Vec<usize> {
    let most = contenders[first].seconds + usual.max(SLACK);
    let is_able = |other: &usize| *other != first && !contenders[*other].is_held;
    let others = || (0..contenders.len()).filter(is_able);
    let able: Vec<usize> = others().filter(|&other| contenders[other].seconds <= most).collect();
    match able.is_empty() {
        true => others()
            .min_by(|&a, &b| contenders[a].seconds.total_cmp(&contenders[b].seconds))
            .into_iter()
            .collect(),
        false => able,
    }
}

/// Returns those besides `first` who have no match yet.
fn list_unplayed(contenders: &[Contender], first: usize) -> Vec<usize> {
    let is_it = |at: &usize| {
        let other = &contenders[*at];
        *at != first && other.matches == 0 && !other.is_done && !other.is_held
    };
    (0..contenders.len()).filter(is_it).collect()
}

/// Returns the opponent of a newcomer who has played so many matches: first from the middle, then
/// from the quarters, the eighths and so on of the order by rating.
fn spread_opponent(contenders: &[Contender], others: &[usize], matches: u64) -> Option<usize> {
    let mut order = others.to_vec();
    order.sort_by(|&a, &b| contenders[a].rating.total_cmp(&contenders[b].rating));
    // The van der Corput sequence: 1/2, 1/4, 3/4, 1/8, 5/8 …
    let (mut place, mut weight, mut rest) = (0.0, 0.5, matches / 2 + 1);
    while rest > 0 {
        place += weight * (rest % 2) as f64;
        weight /= 2.0;
        rest /= 2;
    }
    order.get((place * order.len() as f64) as usize).copied()
}

/// Returns one of those whom `first` has met least.
fn least_met(
    others: &[usize],
    first: usize,
    met: &dyn Fn(usize, usize) -> u64,
    rng: &mut Rng,
) -> Option<usize> {
    let fewest = others.iter().map(|&other| met(first, other)).min()?;
    let least: Vec<usize> =
        others.iter().copied().filter(|&other| met(first, other) == fewest).collect();
    Some(least[rng.below(least.len())])
}

/// Returns a contender and the player whom it is to beat for points, if they have met in less than
/// one in [`EXAMINING`] of its matches, and not yet often enough: of all such pairs one that has
/// met on one side of a start, or else the one that is furthest behind. Whoever has used much more
/// of the machine than others waits, but not the player who is to be beaten.
fn choose_examination(
    contenders: &[Contender],
    usual: f64,
    met: &dyn Fn(usize, usize) -> u64,
) -> Option<(usize, usize)> {
    let able = || (0..contenders.len()).filter(|&at| !contenders[at].is_held);
    let examined = || able().filter(|&at| !contenders[at].is_examiner && !contenders[at].is_done);
    let least = examined().map(|at| contenders[at].seconds).min_by(f64::total_cmp)?;
    let is_next = |at: &usize| contenders[*at].seconds <= least + usual.max(SLACK);
    let examiners = || able().filter(|&at| contenders[at].is_examiner);
    let pairs = examined().filter(is_next).flat_map(|own| examiners().map(move |by| (own, by)));
    let behind = |(own, by): (usize, usize)| {
        let (matches, meetings) = (contenders[own].matches, met(own, by));
        let is_due = meetings < EXAMINED && meetings * EXAMINING < matches;
        is_due.then(|| (meetings % 2, matches - meetings * EXAMINING))
    };
    let due = pairs.filter_map(|pair| Some((behind(pair)?, pair)));
    due.max_by_key(|(behind, _)| *behind).map(|(_, pair)| pair)
}

/// Returns one of those who have no match yet; else of those who have used least of the machine's
/// time, and do not have all their matches yet; among equals, one of those with the fewest matches.
pub fn least_used(contenders: &[Contender], rng: &mut Rng) -> Option<usize> {
    let compare = |a: &Contender, b: &Contender| {
        let (one, other) = (a.seconds - a.head_start, b.seconds - b.head_start);
        let first = (a.matches > 0).cmp(&(b.matches > 0));
        first.then(one.total_cmp(&other)).then(a.matches.cmp(&b.matches))
    };
    let is_able = |own: &Contender| !own.is_done && !own.is_held;
    let able = || contenders.iter().enumerate().filter(|(_, own)| is_able(own));
    let (_, least) = able().min_by(|(_, a), (_, b)| compare(a, b))?;
    let behind: Vec<usize> =
        able().filter(|(_, own)| compare(own, least).is_eq()).map(|(at, _)| at).collect();
    Some(behind[rng.below(behind.len())])
}

/// Returns the one of the others whose match with `first` is most informative.
fn choose_opponent(
    contenders: &[Contender],
    first: usize,
    others: &[usize],
    met: &dyn Fn(usize, usize) -> u64,
) -> Option<usize> {
    let worth = |other: usize| {
        let (a, b) = (&contenders[first], &contenders[other]);
        let p = expected_score(a.rating - b.rating);
        let unsure = a.standard_error.powi(2) + b.standard_error.powi(2);
        (p * (1.0 - p)).powi(CLOSENESS) * unsure / (1.0 + met(first, other) as f64).sqrt()
    };
    // Among equals, the one that has used least.
    others.iter().copied().max_by(|&a, &b| {
        let less = contenders[b].seconds.total_cmp(&contenders[a].seconds);
        let fewer = contenders[b].matches.cmp(&contenders[a].matches);
        worth(a).total_cmp(&worth(b)).then(less).then(fewer)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use quintain_core::Streams;

    fn contender(rating: f64, standard_error: f64, matches: u64) -> Contender {
        // A second a match.
        let seconds = matches as f64;
        Contender {
            rating,
            standard_error,
            matches,
            seconds,
            head_start: 0.0,
            is_provisional: false,
            is_done: false,
            is_held: false,
            is_examiner: false,
        }
    }

    fn rng() -> Rng {
        Streams::new(1).address("test", 0)
    }

    #[test]
    fn nobody_meets_themselves() {
        assert_eq!(choose_pair(&[], 1.0, &|_, _| 0, &mut rng()), None);
        assert_eq!(choose_pair(&[contender(0.0, 1.0, 0)], 1.0, &|_, _| 0, &mut rng()), None);
    }

    #[test]
    fn everybody_gets_the_same_share_of_the_time() {
        // The second thinks four times as long as the others.
        let cost = [1.0, 4.0, 1.0, 1.0];
        let mut all = [0; 4].map(|matches| contender(0.0, 50.0, matches));
        let (mut rng, mut met) = (rng(), [[0; 4]; 4]);
        for _ in 0..400 {
            let (a, b) = choose_pair(&all, 1.75, &|a, b| met[a][b], &mut rng).unwrap();
            for (own, other) in [(a, b), (b, a)] {
                all[own].matches += 1;
                all[own].seconds += cost[own];
                met[own][other] += 1;
            }
        }
        let used = all.map(|contender| contender.seconds);
        let least = used.iter().copied().fold(f64::MAX, f64::min);
        assert!(used.iter().all(|used| used - least <= 8.0), "{used:?}");
    }

    #[test]
    fn matches_connect_the_weak_and_the_strong() {
        // Two groups, each with a ladder of its own.
        let mut all: Vec<Contender> =
            (0..12).map(|at| contender(if at < 6 { 0.0 } else { 900.0 }, 50.0, 0)).collect();
        let (mut rng, mut met) = (rng(), [[0_u64; 12]; 12]);
        for _ in 0..2400 {
            let (a, b) = choose_pair(&all, 1.0, &|a, b| met[a][b], &mut rng).unwrap();
            for (own, other) in [(a, b), (b, a)] {
                all[own].matches += 1;
                all[own].seconds += 1.0;
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
        let choose = |all: &[Contender], met: &dyn Fn(usize, usize) -> u64| {
            choose_opponent(all, 0, &[1, 2], met)
        };
        let all = [contender(0.0, 50.0, 4), near, contender(400.0, 50.0, 5)];
        assert_eq!(choose(&all, &|_, _| 0), Some(1), "close");
        let all = [all[0], near, contender(20.0, 200.0, 5)];
        assert_eq!(choose(&all, &|_, _| 0), Some(2), "unsure");
        let all = [all[0], near, near];
        assert_eq!(choose(&all, &|_, b| u64::from(b == 1) * 9), Some(2), "new");
    }

    #[test]
    fn whoever_has_used_much_more_is_no_opponent() {
        let mut all = [4, 5, 5, 5].map(|matches| contender(0.0, 50.0, matches));
        all[2].seconds = 30.0;
        assert_eq!(list_opponents(&all, 0, 1.0), [1, 3]);
        // Unless there is nobody else.
        assert_eq!(list_opponents(&[all[2], all[0]], 1, 1.0), [0]);
    }

    #[test]
    fn whoever_has_all_matches_is_only_chosen_by_others() {
        let mut all = [4, 5, 6].map(|matches| contender(0.0, 50.0, matches));
        all[0].is_done = true;
        assert_eq!(least_used(&all, &mut rng()), Some(1));
        assert!(choose_pair(&all, 1.0, &|_, _| 0, &mut rng()).is_some_and(|(first, _)| first == 1));
        all.iter_mut().for_each(|own| own.is_done = true);
        assert_eq!(choose_pair(&all, 1.0, &|_, _| 0, &mut rng()), None);
    }

    #[test]
    fn whoever_is_held_neither_plays_nor_is_chosen() {
        let mut all = [4, 5, 6].map(|matches| contender(0.0, 50.0, matches));
        all[0].is_held = true;
        assert_eq!(choose_pair(&all, 1.0, &|_, _| 0, &mut rng()), Some((1, 2)));
        all[1].is_held = true;
        assert_eq!(choose_pair(&all, 1.0, &|_, _| 0, &mut rng()), None);
    }

    #[test]
    fn on_a_ladder_that_was_reset_everybody_plays_before_anybody_plays_much() {
        // The last four think long, and have used much more than the others.
        let mut all: Vec<Contender> = (0..12)
            .map(|at| Contender {
                seconds: if at < 8 { 0.0 } else { 40.0 },
                standard_error: UNKNOWN,
                is_provisional: true,
                ..contender(0.0, UNKNOWN, 0)
            })
            .collect();
        favor_newcomers(&mut all, 1.0);
        let (mut rng, mut met) = (rng(), [[0; 12]; 12]);
        for _ in 0..6 {
            let (a, b) = choose_pair(&all, 1.0, &|a, b| met[a][b], &mut rng).unwrap();
            for (own, other) in [(a, b), (b, a)] {
                all[own].matches += 1;
                all[own].seconds += 0.1;
                met[own][other] += 1;
            }
        }
        let matches: Vec<u64> = all.iter().map(|contender| contender.matches).collect();
        assert_eq!(matches, [1; 12]);
        // From then on, everybody gets the same share of the time again.
        let (next, _) = choose_pair(&all, 1.0, &|a, b| met[a][b], &mut rng).unwrap();
        assert!(next < 8, "{next}");
    }

    #[test]
    fn everybody_meets_whom_they_are_to_beat_for_points_however_far_apart_they_are() {
        // From 1100 points above the two who are to be beaten to as many below.
        let mut all: Vec<Contender> =
            (0..12).map(|at| contender(200.0 * f64::from(at), 40.0, 0)).collect();
        let examiners = [5, 6];
        for at in examiners {
            all[at].is_examiner = true;
        }
        let (mut rng, mut met) = (rng(), [[0; 12]; 12]);
        for _ in 0..12 * 250 {
            let (a, b) = choose_pair(&all, 1.0, &|a, b| met[a][b], &mut rng).unwrap();
            for (own, other) in [(a, b), (b, a)] {
                all[own].matches += 1;
                all[own].seconds += 1.0;
                met[own][other] += 1;
            }
        }
        let others = (0..12).filter(|at| !examiners.contains(at));
        for (own, other) in others.flat_map(|own| examiners.map(|other| (own, other))) {
            assert!(met[own][other] >= EXAMINED, "{own} met {other} in {}", met[own][other]);
        }
        // Then the ladder goes on as any other: the best and the weakest hardly meet.
        assert!(met[11][0] < EXAMINED / 2, "{}", met[11][0]);
    }

    #[test]
    fn a_newcomer_goes_first_and_meets_opponents_from_the_whole_ladder() {
        let mut all: Vec<Contender> =
            (0..9).map(|at| contender(100.0 * f64::from(at), 40.0, 100)).collect();
        // Of an author who has used as much as everybody else.
        all[4] = Contender { matches: 0, standard_error: UNKNOWN, is_provisional: true, ..all[4] };
        let (mut rng, mut met) = (rng(), Vec::new());
        for _ in 0..8 {
            let mut favored = all.clone();
            favor_newcomers(&mut favored, 1.0);
            let (first, second) = choose_pair(&favored, 1.0, &|_, _| 0, &mut rng).unwrap();
            assert_eq!(first, 4);
            met.push(all[second].rating);
            all[4].matches += 1;
            all[4].seconds += 1.0;
        }
        // From the middle, the lower and the upper half, and near the bottom.
        assert_eq!(met, [500.0, 500.0, 200.0, 200.0, 700.0, 700.0, 100.0, 100.0]);
        // Its advantage has limits.
        all[4].seconds += 1.0;
        favor_newcomers(&mut all, 1.0);
        assert_ne!(least_used(&all, &mut rng), Some(4));
    }
}
