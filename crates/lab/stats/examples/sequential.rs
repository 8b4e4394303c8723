//! How often the sequential test between rivals errs, whether its interval and its verdict agree,
//! what its estimates say, and how many pairs it takes beside the plain test of engine testing:
//! tables of docs/research/error-rates.md and docs/research/sequential-tests.md.
//! `cargo run --release -p quintain-stats --example sequential [RUNS] [DELTA] [ALPHA]
//! [LEAD AS A MULTIPLE OF DELTA]...`

use quintain_core::Rng;
use quintain_stats::likelihood::EloScale;
use quintain_stats::{Pairs, Risks, Sprt, ThreeWayTest, Verdict, elo, quantile};

/// Chances of the five sums of points of a pair, at equality.
const KINDS: [(&str, [f64; 5]); 5] = [
    ("balanced", [0.1, 0.2, 0.4, 0.2, 0.1]),
    ("mostly drawn", [0.01, 0.02, 0.94, 0.02, 0.01]),
    ("only decided", [0.25, 0.0, 0.5, 0.0, 0.25]),
    ("pairs won or lost whole", [0.5, 0.0, 0.0, 0.0, 0.5]),
    ("skewed", [0.0, 0.6, 0.1, 0.0, 0.3]),
];

/// The same chances, tilted until a lead of so many points is true.
fn tilt(chances: [f64; 5], points: f64) -> [f64; 5] {
    let goal = elo::expected_score(points);
    let tilted = |x: f64| {
        let weights: [f64; 5] = std::array::from_fn(|at| chances[at] * (x * at as f64).exp());
        let sum: f64 = weights.iter().sum();
        weights.map(|weight| weight / sum)
    };
    let mean = |chances: [f64; 5]| -> f64 {
        chances.iter().enumerate().map(|(at, chance)| chance * at as f64 / 4.0).sum()
    };
    let (mut low, mut high) = (-30.0, 30.0);
    for _ in 0..80 {
        let middle = f64::midpoint(low, high);
        if mean(tilted(middle)) < goal { low = middle } else { high = middle }
    }
    tilted(low)
}

/// What many runs gave.
#[derive(Default)]
struct Tally {
    verdicts: [u64; 4],
    pairs: u64,
    contradictions: u64,
    uncovered: u64,
    estimates: Vec<f64>,
    observed: Vec<f64>,
    plain_pairs: u64,
    plain_better: u64,
}

fn main() {
    let mut given = std::env::args().skip(1).map(|text| text.parse::<f64>().expect("a number"));
    let runs = given.next().unwrap_or(2000.0) as u64;
    let delta = given.next().unwrap_or(60.0);
    let alpha = given.next().unwrap_or(0.05);
    let mut shares: Vec<f64> = given.collect();
    if shares.is_empty() {
        shares = vec![0.0, 0.5, 1.0, 2.0, 5.0];
    }
    let risks = Risks { alpha, beta: 0.05 };
    println!("{runs} runs each, delta {delta} Elo, alpha {alpha}, beta 0.05");
    println!(
        "| pairs | lead | better % | worse % | none % | contradictions | interval misses % | \
         pairs | GSPRT pairs | ratio | observed at better | estimate at better |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    for (name, equal) in KINDS {
        for share in &shares {
            let lead = share * delta;
            let tally = run_all(tilt(equal, lead), lead, delta, risks, runs);
            print_row(name, lead, &tally, runs);
        }
    }
}

/// The most pairs of a run.
const MOST: usize = 20_000;

fn run_all(chances: [f64; 5], lead: f64, delta: f64, risks: Risks, runs: u64) -> Tally {
    let mut tally = Tally::default();
    // One-sided 5 %, as engine testing runs it.
    let plain = Risks { alpha: 0.05, beta: 0.05 };
    let plain = Sprt { scale: EloScale::Logistic, first: 0.0, second: delta, risks: plain };
    for run in 0..runs {
        let mut rng = Rng::from_seed(run);
        let mut test = ThreeWayTest::new(EloScale::Logistic, delta, risks, 2);
        let (mut verdict, mut uncovered) = (None, false);
        while verdict.is_none() && test.pairs().len() < MOST as u64 {
            verdict = test.add(rng.weighted(&chances));
            let pairs = test.pairs().len();
            if verdict.is_some() || pairs.is_multiple_of(1 + pairs / 10) {
                let interval = test.interval().expect("there are pairs");
                uncovered |= lead < interval.low || lead > interval.high;
            }
        }
        tally.uncovered += u64::from(uncovered);
        tally.count(verdict, &test, delta);

        let (mut rng, mut pairs) = (Rng::from_seed(run), Pairs::of_games(2));
        while pairs.len() < MOST as u64 {
            pairs.add(rng.weighted(&chances));
            if let (_, Some(accepted)) = plain.judge(&pairs) {
                tally.plain_better += u64::from(accepted == delta);
                break;
            }
        }
        tally.plain_pairs += pairs.len();
    }
    tally
}

impl Tally {
    fn count(&mut self, verdict: Option<Verdict>, test: &ThreeWayTest, delta: f64) {
        self.verdicts[verdict.map_or(3, |verdict| verdict as usize)] += 1;
        self.pairs += test.pairs().len();
        let interval = test.interval().expect("there are pairs");
        let estimate = test.long_run().expect("there are pairs");
        let agrees = match verdict {
            Some(Verdict::Better) => interval.low >= 0.0 && estimate > 0.0,
            Some(Verdict::Worse) => interval.high <= 0.0 && estimate < 0.0,
            Some(Verdict::NoDifference) => {
                interval.low >= -delta && interval.high <= delta && estimate.abs() < delta
            }
            None => interval.low <= 0.0 && interval.high >= 0.0,
        };
        let holds = interval.low <= estimate && estimate <= interval.high;
        self.contradictions += u64::from(!agrees || !holds);
        if verdict == Some(Verdict::Better) {
            self.estimates.push(estimate);
            self.observed.push(test.pairs().elo().expect("there are pairs").0);
        }
    }
}

fn print_row(name: &str, lead: f64, tally: &Tally, runs: u64) {
    let percent = |count: u64| format!("{:.1}", 100.0 * count as f64 / runs as f64);
    let median = |values: &[f64]| {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        if sorted.is_empty() { "–".to_owned() } else { format!("{:.0}", quantile(&sorted, 0.5)) }
    };
    let [better, worse, none, _] = tally.verdicts.map(percent);
    println!(
        "| {name} | {lead} | {better} | {worse} | {none} | {} | {} | {} | {} | {:.2} | {} | {} |",
        tally.contradictions,
        percent(tally.uncovered),
        tally.pairs / runs,
        tally.plain_pairs / runs,
        tally.pairs as f64 / tally.plain_pairs as f64,
        median(&tally.observed),
        median(&tally.estimates),
    );
}
