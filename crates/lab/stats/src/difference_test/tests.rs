//! Simulations: what is promised of errors and intervals, on harmless and on heavy-tailed scores.
//! The longer table is that of `examples/error_rates.rs` in `quintain-cli`.

use super::*;
use quintain_core::Rng;

const RISKS: Risks = Risks { alpha: 0.05, beta: 0.05 };
const RUNS: u64 = 200;

/// A standard normal number (Box & Muller 1958).
fn normal(rng: &mut Rng) -> f64 {
    let radius = (-2.0 * (1.0 - rng.unit()).ln()).sqrt();
    radius * (std::f64::consts::TAU * rng.unit()).cos()
}

type Noise = fn(&mut Rng) -> f64;

/// What a player adds to the luck of a seed, from harmless to hopeless.
const NOISES: [(&str, Noise); 6] = [
    ("normal", normal),
    ("exponential", |rng| -(1.0 - rng.unit()).ln()),
    ("lognormal", |rng| (1.5 * normal(rng)).exp()),
    ("one in ten", |rng| if rng.chance(0.1) { 10.0 } else { rng.unit() }),
    ("one in a hundred a thousandfold", |rng| {
        let score = 10.0 + normal(rng);
        if rng.chance(0.01) { 1000.0 * score } else { score }
    }),
    ("mostly ties", |rng| if rng.chance(0.8) { 0.0 } else { rng.below(3) as f64 }),
];

struct Rates {
    /// Better, worse, no difference, undecided.
    verdicts: [u64; 4],
    pairs: u64,
    /// Runs in which some interval at some look left out `truth`, where that is given.
    missed: u64,
    /// Looks at which an interval left out its own estimate.
    beside: u64,
}

/// Runs of `most` pairs, the first player having `lead` more. Intervals are looked at on the way,
/// in one of eight runs: to find their ends in all of them would take five sixths of the time.
fn runs(
    (measure, delta): (Measure, Option<f64>),
    noise: Noise,
    lead: f64,
    truth: Option<f64>,
    most: usize,
) -> Rates {
    let mut rates = Rates { verdicts: [0; 4], pairs: 0, missed: 0, beside: 0 };
    for run in 0..RUNS {
        let mut rng = Rng::from_seed(run);
        let mut test = DifferenceTest::new(RISKS, measure, delta);
        let (mut verdict, mut missed) = (None, false);
        for pair in 1..=most {
            // What the seed gives to both.
            let luck = 2.0 * normal(&mut rng);
            let scores = (luck + lead + noise(&mut rng), luck + noise(&mut rng));
            verdict = test.add(scores.0, &[scores.1]);
            if pair.is_power_of_two() || verdict.is_some() || pair == most {
                missed |= truth.is_some_and(|truth| test.refutes(truth));
                let ends = run.is_multiple_of(8).then(|| test.interval()).flatten();
                if let (Some(interval), Some(estimate)) = (ends, test.estimate()) {
                    let held = interval.low <= estimate && estimate <= interval.high;
                    rates.beside += u64::from(!held);
                }
            }
            if verdict.is_some() {
                rates.pairs += pair as u64;
                break;
            }
        }
        rates.verdicts[verdict.map_or(3, |verdict| verdict as usize)] += 1;
        rates.missed += u64::from(missed);
    }
    rates.pairs /= RUNS;
    rates
}

/// However heavy the tails.
fn calls_equals_different_no_more_often_than_alpha(measure: Measure) {
    for (name, noise) in NOISES {
        let rates = runs((measure, None), noise, 0.0, Some(0.0), 400);
        let [better, worse, ..] = rates.verdicts;
        assert!(better + worse <= RUNS / 20, "{name}: {better} + {worse}");
        assert!(rates.missed <= RUNS / 20, "{name}: {}", rates.missed);
        assert_eq!(rates.beside, 0, "{name}");
    }
}

#[test]
fn by_chance_equals_are_called_different_no_more_often_than_alpha() {
    calls_equals_different_no_more_often_than_alpha(Measure::Chance);
}

#[test]
fn by_clipped_differences_equals_are_called_different_no_more_often_than_alpha() {
    calls_equals_different_no_more_often_than_alpha(Measure::Clipped);
}

#[test]
fn by_medians_equals_are_called_different_no_more_often_than_alpha() {
    calls_equals_different_no_more_often_than_alpha(Measure::Median);
}

#[test]
fn a_lead_is_found_and_the_interval_holds_its_estimate_wherever_the_test_stops() {
    for (name, noise) in NOISES {
        for measure in [Measure::Chance, Measure::Clipped] {
            let rates = runs((measure, None), noise, 1.5, None, 1500);
            let [better, worse, ..] = rates.verdicts;
            assert!(better >= RUNS * 19 / 20 && worse == 0, "{name}, {measure:?}: {better}");
            assert_eq!(rates.beside, 0, "{name}, {measure:?}");
        }
    }
}

#[test]
fn a_lead_costs_no_more_pairs_than_it_did_with_a_bound_that_was_guessed() {
    // Half a deviation of the difference: about a hundred pairs, whatever the seeds give to both.
    let noise: Noise = |rng| normal(rng) / 2.0_f64.sqrt();
    for (measure, most) in [(Measure::Clipped, 100), (Measure::Chance, 110), (Measure::Median, 110)]
    {
        let rates = runs((measure, None), noise, 0.5, None, 1500);
        assert_eq!(rates.verdicts[0], RUNS, "{measure:?}");
        assert!(rates.pairs <= most, "{measure:?}: {}", rates.pairs);
    }
}

#[test]
fn the_interval_covers_the_chance_of_being_better() {
    // Better by a thousand in one of four, worse by one in one of eight, else a tie.
    let mut missed = 0;
    for run in 0..RUNS {
        let mut rng = Rng::from_seed(run);
        let mut test = DifferenceTest::new(RISKS, Measure::Chance, None);
        let misses = |pair: usize| {
            let difference = [1000.0, -1.0, 0.0][rng.weighted(&[2.0, 1.0, 5.0])];
            test.add(difference, &[0.0]);
            pair.is_multiple_of(10) && test.refutes(0.125)
        };
        missed += u64::from((0..300).any(misses));
    }
    assert!(missed <= RUNS / 20, "{missed}");
}

#[test]
fn a_mean_of_scores_that_the_rules_bound_is_covered() {
    let measure = Measure::Mean { limit: 10.0 };
    let ten: Noise = |rng| if rng.chance(0.1) { 10.0 } else { 0.0 };
    let mut missed = 0;
    for run in 0..RUNS {
        let mut rng = Rng::from_seed(run);
        let mut test = DifferenceTest::new(RISKS, measure, None);
        let misses = |pair: usize| {
            test.add(ten(&mut rng), &[ten(&mut rng)]);
            pair.is_multiple_of(10) && test.refutes(0.0)
        };
        missed += u64::from((0..300).any(misses));
    }
    assert!(missed <= RUNS / 20, "{missed}");
}

#[test]
fn equals_are_called_equal_and_a_lead_of_delta_is_not() {
    for (measure, delta, lead) in
        [(Measure::Chance, 0.3, 0.55), (Measure::Clipped, 0.5, 0.6), (Measure::Median, 0.5, 0.5)]
    {
        let rates = runs((measure, Some(delta)), normal, 0.0, None, 2500);
        let [_, _, none, _] = rates.verdicts;
        assert!(none >= RUNS * 19 / 20 && rates.pairs < 500, "{measure:?}: {none} {}", rates.pairs);
        let rates = runs((measure, Some(delta)), normal, lead, None, 2500);
        let [better, _, none, _] = rates.verdicts;
        assert!(better >= RUNS * 19 / 20 && none <= RUNS / 20, "{measure:?}: {better} {none}");
    }
}

#[test]
fn players_that_never_differ_are_called_equal_if_a_difference_was_asked_for() {
    for measure in [Measure::Chance, Measure::Clipped, Measure::Median] {
        let mut test = DifferenceTest::new(RISKS, measure, Some(0.5));
        let verdict = (0..100).find_map(|_| test.add(7.0, &[7.0]));
        assert_eq!(verdict, Some(Verdict::NoDifference), "{measure:?}");
        let mut test = DifferenceTest::new(RISKS, measure, None);
        assert_eq!((0..100).find_map(|_| test.add(7.0, &[7.0])), None, "{measure:?}");
    }
}

#[test]
fn swapped_names_swap_the_verdict_and_a_constant_added_to_both_changes_nothing() {
    for measure in [Measure::Chance, Measure::Clipped, Measure::Median] {
        let mut rng = Rng::from_seed(5);
        let test = || DifferenceTest::new(RISKS, measure, Some(0.4));
        let (mut plain, mut swapped, mut moved) = (test(), test(), test());
        for _ in 0..300 {
            // Quarters, so that the constant costs no digits.
            let score = |rng: &mut Rng| (4.0 * normal(rng)).round() / 4.0;
            let (a, b) = (score(&mut rng) + 0.5, score(&mut rng));
            let verdict = plain.add(a, &[b]);
            assert_eq!(verdict, swapped.add(b, &[a]).map(Verdict::reversed));
            assert_eq!(verdict, moved.add(a + 1000.0, &[b + 1000.0]));
        }
        let (plain, swapped, moved) =
            (plain.interval().unwrap(), swapped.interval().unwrap(), moved.interval());
        assert_eq!(Some(plain), moved);
        assert!((plain.low + swapped.high).abs() < 1e-9, "{plain:?} {swapped:?}");
    }
}

#[test]
fn the_first_pairs_set_the_bound_of_a_clipped_mean_and_refute_nothing() {
    let mut test = DifferenceTest::new(RISKS, Measure::Clipped, None);
    assert!((0..WARM_UP).all(|_| test.add(100.0, &[0.0]).is_none()));
    assert_eq!((test.interval(), test.bound()), (None, Some(300.0)));
    test.add(5000.0, &[0.0]);
    assert_eq!(test.estimate(), Some(300.0));
}

#[test]
fn against_several_the_chance_is_the_mean_of_those_against_each() {
    let mut test = DifferenceTest::new(RISKS, Measure::Chance, None);
    test.add(5.0, &[1.0, 4.0, 5.0, 9000.0]);
    assert_eq!(test.estimate(), Some(0.25));
}

#[test]
fn a_median_lies_between_observations_that_the_bets_leave() {
    let mut test = DifferenceTest::new(RISKS, Measure::Median, None);
    assert!((0..4).all(|at| test.add(f64::from(at), &[0.0]).is_none()));
    assert_eq!(test.interval(), None);
    for at in 0..60 {
        test.add(f64::from(at * 37 % 60), &[0.0]);
    }
    let interval = test.interval().unwrap();
    assert!(interval.low > 5.0 && interval.low < 29.0, "{interval:?}");
    assert!(interval.high > 29.0 && interval.high < 55.0, "{interval:?}");
    assert!(test.refutes(interval.low - 0.5) && !test.refutes(interval.low));
    assert!(test.refutes(interval.high + 0.5) && !test.refutes(interval.high));
}
