//! The ladder's matchmaking finds the true order; `examples/matchmaking.rs` has the large table.
#![cfg(target_os = "linux")]

#[allow(dead_code, reason = "the example uses the rest")]
mod simulation;

use simulation::{Program, Scheme, matches_until, play_threads, tau};

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

/// Six programs that answer at once are on the ladder, and one joins them that thinks for 0.93 s
/// over each of thirty moves.
fn slow_among_fast() -> Vec<Program> {
    let fast = Program { thinks: 0.09, comes: 0.0 };
    let mut programs = vec![fast; 6];
    programs.push(Program { thinks: 28.0, comes: 60.0 });
    programs
}

#[test]
fn a_slow_program_gets_its_share_of_the_time_and_no_more() {
    for threads in [1, 2, 8] {
        let before = play_threads(&slow_among_fast()[..6], threads, 60.0, true);
        let after = play_threads(&slow_among_fast(), threads, 540.0, true);
        let share = 480.0 * threads as f64 / 7.0;
        for (fast, before) in after[..6].iter().zip(&before) {
            let seconds = fast.seconds - before.seconds;
            assert!((seconds / share - 1.0).abs() < 0.2, "{threads}: {seconds} of {share}");
        }
        // It gets what it needs, as a whole number of matches.
        assert!(after[6].seconds > 0.6 * share, "{threads}: {:?} of {share}", after[6]);
    }
    // If matches are counted, next to nothing is left for the others.
    let counted = play_threads(&slow_among_fast(), 1, 540.0, false);
    let before = play_threads(&slow_among_fast()[..6], 1, 60.0, false);
    let left: f64 = counted[..6].iter().zip(&before).map(|(a, b)| a.seconds - b.seconds).sum();
    assert!(left < 0.1 * 480.0, "{left}");
}

#[test]
fn sixty_programs_of_all_speeds_get_the_same_share() {
    let thinks = |at: usize| [0.1, 0.3, 1.0, 3.0][at % 4];
    let programs: Vec<Program> =
        (0..60).map(|at| Program { thinks: thinks(at), comes: 2.0 * (at / 2) as f64 }).collect();
    let (settled, then) = (300.0, 1800.0);
    let before = play_threads(&programs, 2, settled, true);
    let after = play_threads(&programs, 2, settled + then, true);
    let share = 2.0 * then / 60.0;
    for (at, (before, after)) in before.iter().zip(&after).enumerate() {
        let seconds = after.seconds - before.seconds;
        assert!((seconds / share - 1.0).abs() < 0.2, "{at}: {seconds} of {share}");
    }
}
