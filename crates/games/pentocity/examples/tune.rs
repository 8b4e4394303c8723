//! Tunes the champion's weights: a separable CMA-ES (Ros and Hansen 2008) over games on
//! training seeds, every generation on fresh ones, the same for all of its candidates.
//!
//! ```sh
//! cargo run --release -p quintain-pentocity --example tune -- \
//!     GENERATIONS GAMES SCENARIOS PROFILES COLUMN NEW [NAME=VALUE…]
//! ```
//!
//! begins with a column of the table PROFILES (as `profiles.tsv` beside the champion), with the
//! values given set, and every ten generations writes the table with a column NEW, and in the
//! second half a column NEW-mean with the average since then, from which the noise of the games has
//! gone. Scenarios are joined by commas; several count by the share of a reference each reaches.
//! `sigma`, `seed` (the first), `population`, `effort` (to look ahead while tuning), `threads` and
//! `minutes` (after which it ends) are set like weights; `sets=late,large,large-late` tunes those
//! further sets as well, in columns whose names end so. `only=TEXT` tunes the weights whose names
//! contain a text (or all, if it is empty), by the same amount in all sets.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use quintain_core::{Decision, Entry, Rng, Rules, Scenario, Seat, Streams, Turn};
use quintain_pentocity::{Pentocity, entry};
use quintain_search::evolution::Evolution;

/// The best scores of the class, for a common scale of the distributions.
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

/// The endings of a profile's columns: the first set, then those for a full board and for large
/// factories.
const ENDINGS: [&str; 4] = ["", "-late", "-large", "-large-late"];
/// Weights that are not quantities to vary: the plan's lines, and what is the same for all
/// placements.
const FIXED: [&str; 8] = [
    "period",
    "road-row",
    "pond-row",
    "segment",
    "residence on cell",
    "residence on full",
    "factory on cell",
    "factory on full",
];
/// The weight that only looking ahead uses, and only that of the first set.
const LOOK_AHEAD: &str = "later";

fn score(entry: &Entry<Pentocity>, scenario: &Scenario<Pentocity>, player: &str, seed: u64) -> f64 {
    let mut player =
        entry.build_player(player, scenario.rules()).unwrap_or_else(|error| panic!("{error}"));
    let rules = scenario.rules();
    let streams = Streams::new(seed);
    let seat = Seat::new(0);
    let (mut chance, mut own) = (streams.chance(), streams.player(seat));
    let mut state = scenario.start(&mut streams.start());
    loop {
        match rules.turn(&state) {
            Turn::Over => return rules.score(&state, seat),
            Turn::Chance => scenario.apply_chance(&mut state, &mut chance),
            _ => {
                let mut decision = Decision::new(rules, &state, seat, &mut own);
                let action = player.decide(&mut decision).expect("no faults");
                debug_assert!(rules.check(&state, seat, &action).is_ok());
                rules.step(&mut state, &[action]);
            }
        }
    }
}

/// For each player the mean share of the class's score, over all scenarios and seeds.
fn play_all(
    entry: &Entry<Pentocity>,
    played: &[(Scenario<Pentocity>, f64)],
    players: &[String],
    seeds: Range<u64>,
    threads: usize,
) -> Vec<f64> {
    let per_player = played.len() * (seeds.end - seeds.start) as usize;
    let next = AtomicUsize::new(0);
    let shares = Mutex::new(vec![vec![0.0; per_player]; players.len()]);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let job = next.fetch_add(1, Ordering::Relaxed);
                    let (game, player) = (job / players.len(), job % players.len());
                    if game >= per_player {
                        break;
                    }
                    let (built, class) = &played[game % played.len()];
                    let seed = seeds.start + (game / played.len()) as u64;
                    let share = score(entry, built, &players[player], seed) / class;
                    shares.lock().expect("no thread panicked")[player][game] = share;
                }
            });
        }
    });
    let shares = shares.into_inner().expect("no thread panicked");
    shares.into_iter().map(|own| own.iter().sum::<f64>() / per_player as f64).collect()
}

/// Whether a weight is varied.
fn is_varied(ending: &str, name: &str, looks_ahead: bool) -> bool {
    !(FIXED.contains(&name)
        || name == LOOK_AHEAD && !(looks_ahead && ending.is_empty())
        || ending.starts_with("-large") && name.starts_with("residence"))
}

/// The table as names and columns.
struct Table {
    /// The comments at its head, as they are.
    comments: String,
    heads: Vec<String>,
    names: Vec<String>,
    columns: Vec<Vec<f64>>,
}

impl Table {
    fn read(path: &str) -> Table {
        let text = std::fs::read_to_string(path).expect("the table of profiles");
        let (comments, rest): (Vec<&str>, Vec<&str>) =
            text.lines().partition(|line| line.starts_with('#'));
        let comments = comments.iter().map(|line| format!("{line}\n")).collect();
        let mut lines = rest.into_iter();
        let heads: Vec<String> =
            lines.next().expect("a first line").split('\t').skip(1).map(str::to_owned).collect();
        let rows: Vec<Vec<&str>> = lines.map(|line| line.split('\t').collect()).collect();
        let names = rows.iter().map(|row| row[0].to_owned()).collect();
        let value = |row: &Vec<&str>, column: usize| row[column + 1].parse().expect("a number");
        let column = |column| rows.iter().map(|row| value(row, column)).collect();
        let columns = (0..heads.len()).map(column).collect();
        Table { comments, heads, names, columns }
    }

    fn write(&self, path: &str) {
        let mut text = format!("{}weight\t{}\n", self.comments, self.heads.join("\t"));
        for (index, name) in self.names.iter().enumerate() {
            let row: Vec<String> =
                self.columns.iter().map(|column| format!("{}", round(column[index]))).collect();
            text += &format!("{name}\t{}\n", row.join("\t"));
        }
        std::fs::write(path, text).expect("the table is written");
    }
}

fn round(value: f64) -> f64 {
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
    let played: Vec<(Scenario<Pentocity>, f64)> = scenarios
        .split(',')
        .map(|name| {
            let (built, _) = entry.build(name).unwrap_or_else(|error| panic!("{error}"));
            let class = CLASS.iter().find(|known| known.0 == name).map_or(2000.0, |known| known.1);
            (built, class)
        })
        .collect();
    let table = Table::read(path);
    let from = table.heads.iter().position(|head| head == from).expect("a column of the table");
    let (from, mut start) = (&table.heads[from], table.columns[from].clone());
    let (mut sigma, mut seed_from, mut population, mut effort) = (0.1, 0, 0, 0.0);
    let (mut threads, mut minutes) = (1, f64::INFINITY);
    let mut endings = vec![ENDINGS[0]];
    let mut only = None;
    for assignment in set {
        let (name, value) = assignment.split_once('=').expect("NAME=VALUE");
        let value = value.to_owned();
        if name == "sets" {
            let is_named =
                |ending: &&str| value.split(',').any(|set| ending.strip_prefix('-') == Some(set));
            endings.extend(ENDINGS.into_iter().filter(is_named));
            continue;
        }
        if name == "only" {
            only = Some(value);
            continue;
        }
        let value: f64 = value.parse().expect("a number");
        match name {
            "sigma" => sigma = value,
            "seed" => seed_from = value as u64,
            "population" => population = value as usize,
            "effort" => effort = value,
            "threads" => threads = value as usize,
            "minutes" => minutes = value,
            _ => {
                let index = table.names.iter().position(|known| known == name);
                start[index.unwrap_or_else(|| panic!("no weight {name}"))] = value;
            }
        }
    }
    // The weights of each set, one set after the other. A set that the table lacks begins as the
    // first.
    let count = start.len();
    let find = |ending: &&str| {
        let at = table.heads.iter().position(|head| *head == format!("{from}{ending}"));
        at.filter(|_| !ending.is_empty())
            .map_or_else(|| start.clone(), |at| table.columns[at].clone())
    };
    let start: Vec<f64> = endings.iter().flat_map(find).collect();
    // For each number that is varied, the weights that vary with it: the first has its value.
    let free: Vec<Vec<usize>> = match &only {
        Some(text) => (0..count)
            .filter(|index| {
                let name = &table.names[*index];
                name.contains(text) && is_varied(ENDINGS[0], name, effort > 0.0)
            })
            .map(|index| (index..start.len()).step_by(count).collect())
            .collect(),
        None => (0..start.len())
            .filter(|index| {
                is_varied(endings[index / count], &table.names[index % count], effort > 0.0)
            })
            .map(|index| vec![index])
            .collect(),
    };
    let chosen: Vec<f64> = free.iter().map(|indices| start[indices[0]]).collect();
    let mut evolution = Evolution::new(chosen, sigma);
    if population > 0 {
        evolution = evolution.with_population(population);
    }
    let mut average = vec![0.0; free.len()];
    let mut averaged = 0.0;
    let mut rng = Rng::from_seed(seed_from + 77);
    let begin = Instant::now();
    // All weights, with the given values for the free ones.
    let whole = |chosen: &[f64]| {
        let mut weights = start.clone();
        for (indices, value) in free.iter().zip(chosen) {
            let more = value - start[indices[0]];
            indices.iter().for_each(|&index| weights[index] += more);
        }
        weights
    };
    let text = |weights: &[f64]| {
        let set = |ending: &str| {
            let Some(at) = endings.iter().position(|known| *known == ending) else {
                return String::new();
            };
            let words = weights[at * count..][..count].iter().map(|w| round(*w).to_string());
            words.collect::<Vec<String>>().join(",")
        };
        let sets = ENDINGS.map(set).join("/");
        format!("champion?effort={effort}&weights={}", sets.trim_end_matches('/'))
    };
    let base = played.iter().map(|(_, class)| class).sum::<f64>() / played.len() as f64;
    let keep_sets = |new: &str, weights: Vec<f64>| {
        for (weights, ending) in weights.chunks(count).zip(&endings) {
            keep(path, &format!("{new}{ending}"), weights.to_vec());
        }
    };
    let mut smoothed = None::<f64>;
    for generation in 0..generations {
        if begin.elapsed().as_secs_f64() > minutes * 60.0 {
            break;
        }
        let candidates = evolution.ask(&mut rng);
        let players: Vec<String> = candidates.iter().map(|chosen| text(&whole(chosen))).collect();
        let seeds = seed_from + generation * games..seed_from + (generation + 1) * games;
        let worths = play_all(&entry, &played, &players, seeds, threads);
        // Evolution minimises.
        let costs: Vec<f64> = worths.into_iter().map(|worth| -worth).collect();
        let mean = -costs.iter().sum::<f64>() / costs.len() as f64;
        let best = -costs.iter().copied().fold(f64::INFINITY, f64::min);
        let shown = smoothed.map_or(mean, |s| s * 0.9 + mean * 0.1);
        smoothed = Some(shown);
        evolution.tell(&candidates, &costs);
        if generation >= generations / 2 {
            averaged += 1.0;
            for (average, value) in average.iter_mut().zip(evolution.mean()) {
                *average += (value - *average) / averaged;
            }
        }
        if (generation + 1).is_multiple_of(10) {
            eprintln!(
                "{:>5} {:>5.0} s  sigma {:.3}  best {best:.4}  mean {mean:.4}  smoothed \
                 {shown:.4} = {:.0}",
                generation + 1,
                begin.elapsed().as_secs_f64(),
                evolution.step(),
                shown * base
            );
            keep_sets(new, whole(evolution.mean()));
            if averaged > 0.0 {
                keep_sets(&format!("{new}-mean"), whole(&average));
            }
        }
    }
    keep_sets(new, whole(evolution.mean()));
}

/// Writes the table with a new column; the others stay as they are in the file.
fn keep(path: &str, new: &str, column: Vec<f64>) {
    let mut table = Table::read(path);
    match table.heads.iter().position(|head| head == new) {
        Some(at) => table.columns[at] = column,
        None => {
            table.heads.push(new.to_owned());
            table.columns.push(column);
        }
    }
    table.write(path);
}
