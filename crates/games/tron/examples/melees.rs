//! Matches of three and four players on boards on which no choice was based unless their numbers
//! say so: every player on every seat of each board, the share of the others that each outlived
//! with a 95 % interval over boards, and the processor time that each used.
//!
//! ```sh
//! cargo run --release -p quintain-tron --example melees -- SCENARIO FIRST BOARDS BUDGET PLAYER...
//! ```
//!
//! There are as many players as the scenario has seats, in this order around the table; BUDGET is
//! as everywhere (`nodes=2000`, `move=20ms`).

use std::time::Duration;

use cpu_time::ThreadTime;
use quintain_core::{Budget, Decision, Rng, Rules as _, Seat, Turn};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [scenario, first, boards, budget, players @ ..] = arguments.as_slice() else {
        eprintln!("usage: melees SCENARIO FIRST BOARDS BUDGET PLAYER...");
        std::process::exit(2);
    };
    let number = |text: &str| text.parse::<u64>().unwrap_or_else(|e| panic!("{text}: {e}"));
    let (first, boards) = (number(first), number(boards));
    let budget: Budget = budget.parse().unwrap_or_else(|error| panic!("{error}"));
    let mut shares = vec![Vec::new(); players.len()];
    let mut used = vec![Duration::ZERO; players.len()];
    for board in first..first + boards {
        let mut means = vec![0.0; players.len()];
        for shift in 0..players.len() {
            let scores = play(scenario, board, budget, players, shift, &mut used);
            for (mean, score) in means.iter_mut().zip(scores) {
                *mean += score / players.len() as f64;
            }
        }
        for (all, mean) in shares.iter_mut().zip(means) {
            all.push(mean);
        }
    }
    println!("{boards} boards, {} games of {scenario}", boards as usize * players.len());
    for ((player, shares), used) in players.iter().zip(&shares).zip(&used) {
        let count = shares.len() as f64;
        let mean = shares.iter().sum::<f64>() / count;
        let squares: f64 = shares.iter().map(|share| (share - mean).powi(2)).sum();
        let half = 1.96 * (squares / (count - 1.0) / count).sqrt();
        println!("{mean:.3} ± {half:.3}  processor {:6.1} s  {player}", used.as_secs_f64());
    }
}

/// Plays a match with the players shifted by `shift` seats; returns what each got, in their own
/// order.
fn play(
    scenario: &str,
    board: u64,
    budget: Budget,
    players: &[String],
    shift: usize,
    used: &mut [Duration],
) -> Vec<f64> {
    let entry = quintain_tron::entry();
    let (scenario, _) = entry.build(scenario).unwrap_or_else(|error| panic!("{error}"));
    let rules = scenario.rules();
    assert_eq!(rules.seats(), players.len(), "as many players as seats");
    let mut rng = Rng::from_seed(board);
    let mut state = scenario.start(&mut rng);
    let seat_of = |player: usize| Seat::new((player + shift) % players.len());
    let mut seated: Vec<_> = players
        .iter()
        .map(|spec| entry.build_player(spec, rules).unwrap_or_else(|error| panic!("{error}")))
        .collect();
    let mut rngs: Vec<Rng> = players.iter().map(|_| rng.split()).collect();
    let mut turn_number = 0;
    loop {
        let turn = rules.turn(&state);
        if turn == Turn::Over {
            return (0..players.len()).map(|player| rules.score(&state, seat_of(player))).collect();
        }
        let mut joint = Vec::new();
        for seat in Seat::all(players.len()) {
            let acts = match turn {
                Turn::Seat(acting) => acting == seat,
                _ => rules.is_acting(&state, seat),
            };
            if !acts {
                continue;
            }
            let player = (seat.index() + players.len() - shift) % players.len();
            let began = ThreadTime::now();
            let decision = Decision::new(rules, &state, seat, &mut rngs[player]);
            let mut decision = decision.with_limits(turn_number, budget, None);
            let chosen = seated[player].decide(&mut decision);
            joint.push(chosen.unwrap_or_else(|fault| panic!("{fault:?}")));
            used[player] += began.elapsed();
        }
        rules.step(&mut state, &joint);
        turn_number += 1;
    }
}
