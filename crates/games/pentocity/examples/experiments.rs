//! Experiments of the report, rerun.

use quintain_core::{AnyEntry, Budget, Setup};
use quintain_pentocity::entry;
use std::sync::Arc;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let n: u64 = args[1].parse().unwrap();
    let entry = Arc::new(entry());
    let players: Vec<&str> = args[2].split('|').collect();
    for scenario in args[3].split('|') {
        let game = AnyEntry::game(&entry, scenario).unwrap();
        for p in &players {
            let seated = AnyEntry::seat(&entry, p).unwrap();
            let begin = std::time::Instant::now();
            let mut scores = vec![];
            let mut metrics: std::collections::BTreeMap<String, f64> = Default::default();
            for seed in 1..=n {
                let setup = Setup { seed, budget: Budget::default(), notes: false, stop: None };
                let r = game.play(&setup, &[&seated], None).unwrap();
                assert!(r.outcome.fault.is_none(), "{:?}", r.outcome.fault);
                scores.push(r.outcome.scores[0]);
                for (k, v) in &r.outcome.metrics {
                    *metrics.entry(k.clone()).or_default() += v / n as f64;
                }
            }
            let t = begin.elapsed().as_secs_f64() / n as f64 * 1000.0;
            let m = scores.iter().sum::<f64>() / n as f64;
            let sd =
                (scores.iter().map(|x| (x - m).powi(2)).sum::<f64>() / (n as f64 - 1.0)).sqrt();
            println!(
                "{scenario:>18} {p:40} {m:7.1} sd {sd:5.1} se {:4.1} {t:6.1} ms  road {:.0} empty {:.0} util {:.2}",
                sd / (n as f64).sqrt(),
                metrics["road cells"],
                metrics["empty cells"],
                metrics.get("utility of water/park cells").unwrap_or(&0.0)
            );
        }
    }
}
