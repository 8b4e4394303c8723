//! How well a series of tests finds a version that plays worse: ten versions of a program, one of
//! which loses 15 Elo, and ten that are equal. The table of docs/research/sequential-tests.md.
//! `cargo run --release -p quintain-stats --example regressions [SERIES] [ELO]`

use quintain_core::Rng;
use quintain_stats::likelihood::EloScale;
use quintain_stats::{Risks, ThreeWayTest, Verdict, elo};

/// Versions after the first one.
const VERSIONS: usize = 10;
/// The chance of a false alarm, and of a missed regression, that is asked for: of a whole series,
/// or of a single test.
const RISKS: Risks = Risks { alpha: 0.05, beta: 0.05 };
/// Chances of the five sums of points of a pair, at equality.
const CHANCES: [f64; 5] = [0.1, 0.2, 0.4, 0.2, 0.1];
/// No test takes more pairs.
const MOST_PAIRS: u64 = 100_000;

/// The same chances, with so many points moved from the losses to the wins that a lead is true.
fn with_lead(lead: f64) -> [f64; 5] {
    let tilted = |x: f64| {
        let weights: [f64; 5] = std::array::from_fn(|at| CHANCES[at] * (x * at as f64).exp());
        weights.map(|weight| weight / weights.iter().sum::<f64>())
    };
    let mean = |chances: [f64; 5]| -> f64 {
        chances.iter().enumerate().map(|(at, chance)| chance * at as f64 / 4.0).sum()
    };
    let (mut low, mut high) = (-30.0, 30.0);
    for _ in 0..80 {
        let middle = f64::midpoint(low, high);
        if mean(tilted(middle)) < elo::expected_score(lead) { low = middle } else { high = middle }
    }
    tilted(low)
}

/// Plays a test between two versions; returns its verdict and the number of pairs.
fn test(lead: f64, delta: f64, risks: Risks, rng: &mut Rng) -> (Option<Verdict>, u64) {
    let chances = with_lead(lead);
    let mut test = ThreeWayTest::new(EloScale::Logistic, delta, risks, 2);
    for pairs in 1..=MOST_PAIRS {
        if let Some(verdict) = test.add(rng.weighted(&chances)) {
            return (Some(verdict), pairs);
        }
    }
    (None, MOST_PAIRS)
}

/// What a way of testing found in all series.
#[derive(Default)]
struct Tally {
    found: u64,
    false_alarms: u64,
    pairs: u64,
}

/// Tests every version against the one before it, with the chance of a false alarm shared by all
/// tests of the series. `spoilt` is the version that is worse, from 1.
fn one_by_one(spoilt: Option<usize>, loss: f64, rng: &mut Rng, tally: &mut Tally) {
    let (mut found, mut false_alarm) = (false, false);
    for version in 1..=VERSIONS {
        let is_spoilt = spoilt == Some(version);
        let lead = if is_spoilt { -loss } else { 0.0 };
        let (verdict, pairs) = test(lead, loss, RISKS.of_each_step(VERSIONS), rng);
        tally.pairs += pairs;
        let is_worse = verdict == Some(Verdict::Worse);
        found |= is_worse && is_spoilt;
        false_alarm |= is_worse && !is_spoilt;
    }
    tally.found += u64::from(found);
    tally.false_alarms += u64::from(false_alarm);
}

/// Tests the last version against the first, the anchor. If it is worse, those between are tested
/// against the anchor too, each time the one in the middle, until one step is left.
fn by_anchor(spoilt: Option<usize>, loss: f64, rng: &mut Rng, tally: &mut Tally) {
    let mut worse = |version: usize| {
        let is_worse = spoilt.is_some_and(|spoilt| version >= spoilt);
        let (verdict, pairs) =
            test(if is_worse { -loss } else { 0.0 }, loss, RISKS.of_each_step(1), rng);
        tally.pairs += pairs;
        verdict == Some(Verdict::Worse)
    };
    if !worse(VERSIONS) {
        return;
    }
    let (mut good, mut bad) = (0, VERSIONS);
    while bad - good > 1 {
        let middle = usize::midpoint(good, bad);
        if worse(middle) { bad = middle } else { good = middle }
    }
    tally.found += u64::from(spoilt == Some(bad));
    tally.false_alarms += u64::from(spoilt != Some(bad));
}

fn main() {
    let mut given = std::env::args().skip(1).map(|text| text.parse::<f64>().expect("a number"));
    let series = given.next().unwrap_or(200.0) as u64;
    let loss = given.next().unwrap_or(15.0);
    println!(
        "{series} series of {VERSIONS} versions each; a loss of {loss} Elo in one, or in none"
    );
    type Way = fn(Option<usize>, f64, &mut Rng, &mut Tally);
    let ways: [(&str, Way); 2] =
        [("each against the one before", one_by_one), ("the last against the anchor", by_anchor)];
    for (name, way) in ways {
        for is_spoilt in [true, false] {
            let (mut tally, mut rng) = (Tally::default(), Rng::from_seed(1));
            for _ in 0..series {
                let spoilt = is_spoilt.then(|| 1 + rng.below(VERSIONS));
                way(spoilt, loss, &mut rng, &mut tally);
            }
            let share = |count: u64| 100.0 * count as f64 / series as f64;
            println!(
                "{name}, {}: found {:.1} %, false alarms {:.1} %, {} matches a series",
                if is_spoilt { "one is worse" } else { "all are equal" },
                share(tally.found),
                share(tally.false_alarms),
                2 * tally.pairs / series
            );
        }
    }
}
