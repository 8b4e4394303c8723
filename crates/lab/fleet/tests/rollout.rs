//! The simulation of ten thousand workers, which fails if a match is lost or nothing is stored for
//! five seconds.

#[path = "../examples/rollout.rs"]
#[allow(dead_code, unreachable_pub)]
mod rollout;

#[test]
fn ten_thousand_workers_lose_nothing_and_never_stall() {
    rollout::main();
}
