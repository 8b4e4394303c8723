//! The report's claims, measured: how often FlowerOrBee's lottery makes everybody a bee
//! or a flower, whether matches with exactly one flower end within 2B + F rounds, and
//! how long Hybrid should go without news before it moves away.
//!
//! `cargo run --release -p quintain-gather --example experiments -- SEEDS`

use quintain_core::{Entry, Opening, Played, Player, Seat, Setup, play};
use quintain_gather::{Gather, Move, entry};

/// One match of a player with itself.
fn alone(entry: &Entry<Gather>, scenario: &str, player: &str, seed: u64) -> Played<Move> {
    let (game, canonical) = entry.build(scenario).unwrap_or_else(|error| panic!("{error}"));
    let seats = game.rules().players;
    let mut players: Vec<Box<dyn Player<Gather>>> = Seat::all(seats)
        .map(|_| entry.seated(player, &game))
        .collect::<Result<_, _>>()
        .unwrap_or_else(|error| panic!("{error}"));
    let setup = Setup { seed, notes: true, ..Setup::default() };
    let opening = Opening::new("gather", &canonical, seats);
    play(game, &opening, &setup, &mut players, &mut |_| {})
}

fn mean(rounds: &[f64]) -> (f64, f64) {
    let n = rounds.len() as f64;
    let mean = rounds.iter().sum::<f64>() / n;
    let variance = rounds.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, 1.96 * (variance / n).sqrt())
}

/// Flowers of the first lottery, and matches with exactly one against 2B + F.
fn flowers(entry: &Entry<Gather>, seeds: u64) {
    println!(
        "| player | board | N | all bees % (expected) | all flowers % (expected) | one flower: matches | within 2B + F | rounds: mean, most | 2B + F |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for player in ["flower-v1", "flower-v2", "flower-v2?approach=0"] {
        for (board, width, height) in [("15x22", 15, 22), ("35x35", 35, 35), ("92x1", 92, 1)] {
            let bound = match player {
                "flower-v1" => 2 * height + width,
                _ => 2 * u32::max(width, height) + u32::min(width, height),
            };
            for seats in [2, 3, 5, 9] {
                let scenario = format!("course?board={board}&players={seats}");
                let (mut bees, mut flowers, mut within) = (0, 0, 0);
                let mut with_one = Vec::new();
                for seed in 0..seeds {
                    let played = alone(entry, &scenario, player, seed);
                    let of_round = |turn: u32| {
                        let notes = played.notes.iter();
                        notes.filter(move |note| note.turn == turn && note.value == 1.0).count()
                    };
                    let count = of_round(0);
                    bees += u32::from(count == 0);
                    flowers += u32::from(count == seats);
                    if count == 1 {
                        let rounds = played.outcome.scores[0];
                        within += u32::from(rounds <= bound.into());
                        with_one.push(rounds);
                    }
                }
                let (n, percent) = (seats as f64, 100.0 / seeds as f64);
                let most = with_one.iter().copied().fold(0.0, f64::max);
                println!(
                    "| {player} | {board} | {seats} | {:.1} ({:.1}) | {:.2} ({:.2}) | {} | {:.1} % | {:.1}, {most} | {bound} |",
                    f64::from(bees) * percent,
                    ((n - 1.0) / n).powf(n) * 100.0,
                    f64::from(flowers) * percent,
                    n.recip().powf(n) * 100.0,
                    with_one.len(),
                    100.0 * f64::from(within) / with_one.len() as f64,
                    mean(&with_one).0,
                );
            }
        }
    }
}

/// Hybrid's patience without news, over the area.
fn patience(entry: &Entry<Gather>, seeds: u64) {
    println!("| board | N | patience | mean ± 95 % |");
    println!("|---|---|---|---|");
    for board in ["15x22", "35x35", "76x50"] {
        for seats in [2, 5] {
            for share in [0.05, 0.1, 0.17, 0.25, 0.33, 0.5, 1.0] {
                let scenario = format!("course?board={board}&players={seats}");
                let player = format!("hybrid?large={share}&small={share}");
                let rounds: Vec<f64> = (0..seeds)
                    .map(|seed| alone(entry, &scenario, &player, seed).outcome.scores[0])
                    .collect();
                let (mean, margin) = mean(&rounds);
                println!("| {board} | {seats} | {share} | {mean:.1} ± {margin:.1} |");
            }
        }
    }
}

fn main() {
    let seeds = std::env::args().nth(1).and_then(|text| text.parse().ok());
    let Some(seeds) = seeds else {
        eprintln!("usage: experiments SEEDS");
        std::process::exit(2);
    };
    let entry = entry();
    flowers(&entry, seeds);
    println!();
    patience(&entry, seeds);
}
