//! Tunes the champion's weights: a separable CMA-ES (Ros and Hansen 2008) over games on
//! training seeds, every generation on fresh ones, the same for all of its candidates.
//!
//! `cargo run --release -p quintain-pentocity --example tune -- GENERATIONS GAMES SCENARIOS PROFILES COLUMN NEW [NAME=VALUE…]`
//! begins with a column of the table PROFILES (as `profiles.tsv` beside the champion),
//! with the values given set, and writes the table again with a column NEW. Scenarios are
//! joined by commas; several count by the share of a reference each reaches.

use std::time::Instant;

use quintain_core::{Decision, Entry, Game, Rng, Seat, Streams, Turn};
use quintain_pentocity::{Pentocity, entry};

/// The best of the class, to put distributions on one scale.
const CLASS: [(&str, f64); 15] = [
    ("random", 2070.0),
    ("tailheavy", 2120.0),
    ("stars", 1807.0),
    ("industrialization", 2093.0),
    ("misfits", 1900.0),
    ("tanks", 2178.0),
    ("g1", 1866.0),
    ("g2", 2140.0),
    ("g3", 2109.0),
    ("g4", 1944.0),
    ("g5", 2120.0),
    ("g6", 2900.0),
    ("g8", 2141.0),
    ("g9", 2532.0),
    ("g10", 2047.0),
];

/// Weights that are no quantities to vary: the plan's lines.
const FIXED: [&str; 4] = ["period", "road-row", "pond-row", "segment"];

fn score(entry: &Entry<Pentocity>, game: &Pentocity, player: &str, seed: u64) -> f64 {
    let mut player = entry.seated(player, game).unwrap_or_else(|error| panic!("{error}"));
    let streams = Streams::new(seed);
    let seat = Seat::new(0);
    let (mut nature, mut own) = (streams.nature(), streams.player(seat));
    let mut state = game.start(&mut streams.start());
    loop {
        match game.turn(&state) {
            Turn::Over => return game.score(&state, seat),
            Turn::Nature => game.nature(&mut state, &mut nature),
            _ => {
                let mut decision = Decision::new(game, &state, seat, &mut own);
                let action = player.decide(&mut decision).expect("no faults");
                debug_assert!(game.check(&state, seat, &action).is_ok());
                game.step(&mut state, &[action]);
            }
        }
    }
}

fn normal(rng: &mut Rng) -> f64 {
    (-2.0 * (1.0 - rng.unit()).ln()).sqrt() * (std::f64::consts::TAU * rng.unit()).cos()
}

/// The table as names and columns.
struct Table {
    heads: Vec<String>,
    names: Vec<String>,
    columns: Vec<Vec<f64>>,
}

impl Table {
    fn read(path: &str) -> Table {
        let text = std::fs::read_to_string(path).expect("the table of profiles");
        let mut lines = text.lines();
        let heads: Vec<String> =
            lines.next().expect("a first line").split('\t').skip(1).map(str::to_owned).collect();
        let rows: Vec<Vec<&str>> = lines.map(|line| line.split('\t').collect()).collect();
        let names = rows.iter().map(|row| row[0].to_owned()).collect();
        let value = |row: &Vec<&str>, column: usize| row[column + 1].parse().expect("a number");
        let column = |column| rows.iter().map(|row| value(row, column)).collect();
        let columns = (0..heads.len()).map(column).collect();
        Table { heads, names, columns }
    }

    fn write(&self, path: &str) {
        let mut text = format!("weight\t{}\n", self.heads.join("\t"));
        for (index, name) in self.names.iter().enumerate() {
            let row: Vec<String> =
                self.columns.iter().map(|column| format!("{}", rounded(column[index]))).collect();
            text += &format!("{name}\t{}\n", row.join("\t"));
        }
        std::fs::write(path, text).expect("the table is written");
    }
}

fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [generations, games, scenarios, path, from, new, set @ ..] = arguments.as_slice() else {
        eprintln!("usage: tune GENERATIONS GAMES SCENARIOS PROFILES COLUMN NEW [NAME=VALUE…]");
        std::process::exit(2);
    };
    let generations: u64 = generations.parse().expect("generations");
    let games: u64 = games.parse().expect("games for each candidate and scenario");
    let entry = entry();
    let played: Vec<(Pentocity, f64)> = scenarios
        .split(',')
        .map(|name| {
            let (game, _) = entry.build(name).unwrap_or_else(|error| panic!("{error}"));
            let class = CLASS.iter().find(|known| known.0 == name).map_or(2000.0, |known| known.1);
            (game, class)
        })
        .collect();
    let mut table = Table::read(path);
    let from = table.heads.iter().position(|head| head == from).expect("a column of the table");
    let mut mean = table.columns[from].clone();
    let (mut sigma, mut seed_from) = (0.1, 0);
    for assignment in set {
        let (name, value) = assignment.split_once('=').expect("NAME=VALUE");
        let value: f64 = value.parse().expect("a number");
        match name {
            "sigma" => sigma = value,
            "seed" => seed_from = value as u64,
            _ => {
                let index = table.names.iter().position(|known| known == name);
                mean[index.unwrap_or_else(|| panic!("no weight {name}"))] = value;
            }
        }
    }
    let free: Vec<usize> = (0..mean.len())
        .filter(|index| {
            let name = table.names[*index].as_str();
            let constant =
                ["residence on cell", "residence on full", "factory on cell", "factory on full"];
            !FIXED.contains(&name) && !constant.contains(&name)
        })
        .collect();
    let dimensions = free.len();
    let n = dimensions as f64;
    let offspring = 4 + (3.0 * n.ln()) as usize;
    let parents = offspring / 2;
    let raw: Vec<f64> =
        (0..parents).map(|i| (parents as f64 + 0.5).ln() - (i as f64 + 1.0).ln()).collect();
    let weights: Vec<f64> = raw.iter().map(|w| w / raw.iter().sum::<f64>()).collect();
    let effective = 1.0 / weights.iter().map(|w| w * w).sum::<f64>();
    let c_sigma = (effective + 2.0) / (n + effective + 5.0);
    let damping = 1.0 + c_sigma + 2.0 * (((effective - 1.0) / (n + 1.0)).sqrt() - 1.0).max(0.0);
    let c_path = 4.0 / (n + 4.0);
    let faster = (n + 2.0) / 3.0;
    let c_one = (faster * 2.0 / ((n + 1.3).powi(2) + effective)).min(0.5);
    let c_mu = (faster * 2.0 * (effective - 2.0 + 1.0 / effective)
        / ((n + 2.0).powi(2) + effective))
        .min(1.0 - c_one);
    let expected = n.sqrt() * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n));
    let mut variance = vec![1.0f64; dimensions];
    let (mut path_sigma, mut path_c) = (vec![0.0; dimensions], vec![0.0; dimensions]);
    let mut rng = Rng::from_seed(seed_from + 77);
    let begin = Instant::now();
    let text = |weights: &[f64]| {
        let words: Vec<String> = weights.iter().map(|w| rounded(*w).to_string()).collect();
        format!("champion?effort=0&weights={}", words.join(","))
    };
    let mut generation = 0u64;
    let mut smoothed = None::<f64>;
    while generation < generations {
        let mut tried: Vec<(f64, Vec<f64>)> = (0..offspring)
            .map(|_| {
                let steps: Vec<f64> =
                    variance.iter().map(|v| v.sqrt() * normal(&mut rng)).collect();
                let mut candidate = mean.clone();
                free.iter().zip(&steps).for_each(|(&index, step)| candidate[index] += sigma * step);
                let player = text(&candidate);
                let mut worth = 0.0;
                for (game, class) in &played {
                    for number in 0..games {
                        let seed = seed_from + generation * games + number;
                        worth += score(&entry, game, &player, seed) / class;
                    }
                }
                (worth / (games as usize * played.len()) as f64, steps)
            })
            .collect();
        tried.sort_by(|a, b| b.0.total_cmp(&a.0));
        let average = tried.iter().map(|t| t.0).sum::<f64>() / offspring as f64;
        let shown = smoothed.map_or(average, |s| s * 0.9 + average * 0.1);
        smoothed = Some(shown);
        let step: Vec<f64> = (0..dimensions)
            .map(|d| tried.iter().zip(&weights).map(|(t, w)| w * t.1[d]).sum())
            .collect();
        free.iter().zip(&step).for_each(|(&index, step)| mean[index] += sigma * step);
        for d in 0..dimensions {
            path_sigma[d] = (1.0 - c_sigma) * path_sigma[d]
                + (c_sigma * (2.0 - c_sigma) * effective).sqrt() * step[d] / variance[d].sqrt();
        }
        let length = path_sigma.iter().map(|p| p * p).sum::<f64>().sqrt();
        let decay = 1.0 - (1.0 - c_sigma).powi(2 * (generation as i32 + 1));
        let is_long = length / decay.sqrt() / expected > 1.4 + 2.0 / (n + 1.0);
        for d in 0..dimensions {
            let kept = if is_long { 0.0 } else { (c_path * (2.0 - c_path) * effective).sqrt() };
            path_c[d] = (1.0 - c_path) * path_c[d] + kept * step[d];
            let spread: f64 = tried.iter().zip(&weights).map(|(t, w)| w * t.1[d] * t.1[d]).sum();
            variance[d] =
                (1.0 - c_one - c_mu) * variance[d] + c_one * path_c[d] * path_c[d] + c_mu * spread;
        }
        sigma *= ((c_sigma / damping) * (length / expected - 1.0)).exp();
        generation += 1;
        if generation.is_multiple_of(10) {
            let base = played.iter().map(|(_, class)| class).sum::<f64>() / played.len() as f64;
            eprintln!(
                "{generation:>5} {:>5.0} s  sigma {sigma:.3}  best {:.4}  mean {average:.4}  smoothed {shown:.4} = {:.0}",
                begin.elapsed().as_secs_f64(),
                tried[0].0,
                shown * base
            );
        }
    }
    table.columns = vec![table.columns.swap_remove(from), mean];
    table.heads = vec![table.heads.swap_remove(from), new.clone()];
    // Other columns stay as they are in the file.
    let mut whole = Table::read(path);
    match whole.heads.iter().position(|head| head == new) {
        Some(at) => whole.columns[at] = table.columns.pop().expect("two columns"),
        None => {
            whole.heads.push(new.clone());
            whole.columns.push(table.columns.pop().expect("two columns"));
        }
    }
    whole.write(path);
}
