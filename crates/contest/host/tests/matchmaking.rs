//! The ladder's matchmaking finds the true order; `examples/matchmaking.rs` has the large table.
#![cfg(target_os = "linux")]

#[allow(dead_code, reason = "the example uses the rest")]
mod simulation;

use simulation::{Scheme, matches_until, tau};

#[test]
fn tau_counts_pairs() {
    assert_eq!(tau(&[1.0, 2.0, 3.0], &[10.0, 20.0, 30.0]), 1.0);
    assert_eq!(tau(&[1.0, 2.0, 3.0], &[3.0, 2.0, 1.0]), -1.0);
}

#[test]
fn a_ladder_of_thirty_is_in_order_sooner_than_by_round_robin() {
    let sum = |scheme| -> u64 {
        let runs = (0..4).map(|seed| matches_until(scheme, 30, &[0.85], seed, 20_000)[0]);
        runs.map(|count| count.expect("the order is found")).sum()
    };
    let (ours, others) = (sum(Scheme::Information), sum(Scheme::RoundRobin));
    assert!(ours < others, "{ours} against {others}");
}
