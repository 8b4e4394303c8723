//! Positions for the champion's network to learn from: what it sees of each, how the game went on,
//! and what a search says. `quintain.train.chambers` reads them.
//!
//! A search compares positions that good players avoid, so games alone do not teach it. From random
//! turns of every game further games branch off: after a few random moves, play goes on as before.
//! All positions after those moves count.
//!
//! ```sh
//! cargo run --release -p quintain-tron --example positions -- FILE.npy FIRST GAMES NODES [NETWORK]
//! ```
//! plays the boards FIRST to FIRST + GAMES - 1 with NODES a move. Each row is what [`Inputs`] has
//! of our side, theirs and both, then the weighted sum's guess, our points at the end (0, ½, 1),
//! the search's value (no number where both moves were forced), the board's number, and the turns
//! since the random moves.

mod shared;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use quintain_core::Rng;
use quintain_grid::Rows32;
use shared::champion::Champion;
use shared::champion::chambers::Evaluator;
use shared::champion::network::{COMMON, Inputs, Network, OWN};
use shared::champion::odds::{SUREST, of_territories};
use shared::champion::settings::Settings;
use shared::direction::Direction;
use shared::duel::Duel;
use shared::{Ending, are_apart, board, choose, duel_of, exits, judge_race, step};

const COLUMNS: usize = 2 * OWN + COMMON + 5;

/// The games that branch off from each game, and the most random turns at the start of each branch.
const BRANCHES: usize = 4;
const RANDOM_TURNS: usize = 3;

/// A position with the values of both searches, from the first player's side.
struct Seen {
    duel: Duel,
    search: f32,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (file, numbers, network) = match arguments.as_slice() {
        [file, numbers @ ..] if numbers.len() == 3 => (file, numbers, None),
        [file, numbers @ .., network] if numbers.len() == 3 => (file, numbers, Some(network)),
        _ => {
            eprintln!("usage: positions FILE.npy FIRST GAMES NODES [NETWORK]");
            std::process::exit(2);
        }
    };
    let number = |text: &String| text.parse::<u64>().unwrap_or_else(|e| panic!("{text}: {e}"));
    let (first, games, nodes) = (number(&numbers[0]), number(&numbers[1]), number(&numbers[2]));
    let network = network.map(|path| {
        Arc::new(Network::open(Path::new(path)).unwrap_or_else(|error| panic!("{error}")))
    });
    let settings = Settings { table_bits: 14, network, ..Settings::default() };
    let mut rows = Vec::new();
    for game in first..first + games {
        play_with_branches(game, nodes, &settings, &mut rows);
    }
    write_npy(file, &rows);
    println!("{} positions of {games} boards in {file}", rows.len() / COLUMNS);
}

fn play_with_branches(number: u64, nodes: u64, settings: &Settings, rows: &mut Vec<f32>) {
    let mut rng = Rng::from_seed(number).split();
    let mut start = duel_of(&board(number).1);
    let openings = rng.below(6);
    if !play_randomly(&mut start, openings, &mut rng) {
        return;
    }
    let (seen, points) = play_on(start, nodes, settings);
    write_rows(&seen, points, number, rows);
    for _ in 0..BRANCHES {
        if seen.is_empty() {
            return;
        }
        let mut other = seen[rng.below(seen.len())].duel.clone();
        let turns = 1 + rng.below(RANDOM_TURNS);
        if play_randomly(&mut other, turns, &mut rng) {
            let (seen, points) = play_on(other, nodes, settings);
            write_rows(&seen, points, number, rows);
        }
    }
}

/// Plays random moves that do not crash, and says whether the game goes on.
fn play_randomly(duel: &mut Duel, turns: usize, rng: &mut Rng) -> bool {
    for _ in 0..turns {
        let exits = [0, 1].map(|seat| exits(duel, seat));
        if exits.iter().any(Vec::is_empty) {
            return false;
        }
        let moves = [0, 1].map(|seat| exits[seat][rng.below(exits[seat].len())]);
        if step(duel, moves).is_some() {
            return false;
        }
    }
    true
}

/// The undecided positions from here on, and the first player's points.
fn play_on(mut duel: Duel, nodes: u64, settings: &Settings) -> (Vec<Seen>, f32) {
    let mut players = [0, 1].map(|_| Champion::new(settings.clone()));
    let mut seen = Vec::new();
    loop {
        if are_apart(&duel) {
            return (seen, points(judge_race(&duel)));
        }
        let choices = [0, 1].map(|seat| choose(&mut players[seat], &duel, seat, nodes));
        // A forced move involves no thinking, so its value says nothing.
        let mut values = Vec::new();
        for (seat, sign) in [(0, 1.0), (1, -1.0)] {
            if exits(&duel, seat).len() > 1 {
                values.push(sign * choices[seat].value.clamp(-SUREST, SUREST) as f32);
            }
        }
        let search = values.iter().sum::<f32>() / values.len() as f32;
        seen.push(Seen { duel: duel.clone(), search });
        let moves: [Direction; 2] = [0, 1].map(|seat| choices[seat].direction);
        if let Some(ending) = step(&mut duel, moves) {
            return (seen, points(ending));
        }
    }
}

fn points(ending: Ending) -> f32 {
    match ending {
        Ending::Points(halves) => halves as f32 / 2.0,
        Ending::HeadOn => 0.5,
    }
}

fn write_rows(seen: &[Seen], points: f32, number: u64, rows: &mut Vec<f32>) {
    let mut evaluator = Evaluator::<u32, 32>::new(Settings::default().weights, false);
    for (turn, Seen { duel, search }) in seen.iter().enumerate() {
        let free: Rows32 = duel.free.cells().collect();
        let (evaluation, findings) = evaluator.examine(&free, duel.heads);
        let inputs = Inputs::of(&evaluation, &findings, duel.heads);
        rows.extend(inputs.sides.iter().flatten().chain(&inputs.common));
        rows.extend([of_territories(&evaluation) as f32, points, *search]);
        rows.extend([number as f32, turn as f32]);
    }
}

/// Writes rows as NumPy does (format 1.0).
fn write_npy(path: &str, rows: &[f32]) {
    let shape = format!("({}, {COLUMNS})", rows.len() / COLUMNS);
    let about = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}");
    // The numbers begin at a multiple of 64.
    let header = format!("{about:<width$}\n", width = (about.len() + 11).next_multiple_of(64) - 11);
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.bytes());
    bytes.extend(rows.iter().flat_map(|number| number.to_le_bytes()));
    fs::write(path, bytes).unwrap_or_else(|error| panic!("{path}: {error}"));
}
