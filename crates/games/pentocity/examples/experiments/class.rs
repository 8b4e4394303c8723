//! The class's tournament: Tables 1 and 2 and figures 6 to 8 of the report, for our
//! roster.

use std::path::PathBuf;

use crate::play::{Games, games, interval, mean, median};

/// The distributions of Table 1 with the means of the submitted player and of the best of
/// the class, and tanks, which the class's data has besides.
const TABLE: [(&str, f64, f64); 15] = [
    ("g1", 1853.6, 1865.8),
    ("g2", 2140.2, 2140.2),
    ("g3", 2109.2, 2109.2),
    ("g4", 1944.3, 1944.3),
    ("g5", 2025.6, 2120.2),
    ("g6", 1817.6, 2900.0),
    ("g8", 2104.5, 2140.9),
    ("g9", 1983.6, 2532.3),
    ("g10", 2046.9, 2046.9),
    ("random", 2031.7, 2069.9),
    ("tailheavy", 2078.5, 2119.9),
    ("stars", 1699.0, 1807.2),
    ("industrialization", 2064.4, 2093.2),
    ("misfits", 1828.6, 1899.8),
    ("tanks", 2100.9, 2178.2),
];

/// The seed's scores of the submitted player, if the class's data are at hand.
fn submitted(distribution: &str) -> Option<Vec<f64>> {
    let root = std::env::var_os("QUINTAIN_DATA")
        .map_or_else(|| PathBuf::from("../shared/data"), PathBuf::from);
    let file = root.join(format!("pentocity/tournament/{distribution}.csv"));
    let text = std::fs::read_to_string(file).ok()?;
    let scores: Result<Vec<f64>, _> = text.lines().next()?.split(',').map(str::parse).collect();
    scores.ok()
}

/// Table 1: our g1 beside the original.
pub(crate) fn table1(runs: u64) {
    println!(
        "| distribution | the original g1, 10 seeds | ours, {runs} seeds | difference | in standard errors | best of the class |"
    );
    println!("|---|---|---|---|---|---|");
    for (distribution, source, best) in TABLE {
        let own = games("g1", distribution, runs);
        let (ours, error, _) = mean(&own.scores);
        let (theirs, apart) = match submitted(distribution) {
            Some(scores) => {
                let (mean, their_error, _) = mean(&scores);
                let apart = (ours - mean) / error.hypot(their_error);
                (interval(&scores), format!("{apart:+.1}"))
            }
            None => (format!("{source:.0}"), "skipped: no data of the class".to_owned()),
        };
        println!(
            "| {distribution} | {theirs} | {} | {:+.0} | {apart} | {best:.0} |",
            interval(&own.scores),
            ours - source,
        );
    }
}

/// The players of the tables: all but those that take close to a second a game.
fn players() -> Vec<&'static str> {
    let names = quintain_pentocity::entry();
    let names = names.players().iter().map(|player| player.name);
    names
        .filter(|name| {
            !["random", "report", "components-first", "joint", "joint-roads"].contains(name)
        })
        .collect()
}

/// Everybody's games on every distribution of the class.
fn all(runs: u64) -> Vec<(&'static str, Vec<Games>)> {
    let on_all = |player: &str| {
        TABLE.iter().map(|(distribution, ..)| games(player, distribution, runs)).collect()
    };
    players().into_iter().map(|player| (player, on_all(player))).collect()
}

/// Table 1's form for our roster.
pub(crate) fn roster(runs: u64) {
    let all = all(runs);
    let names: Vec<&str> = all.iter().map(|(player, _)| *player).collect();
    println!("| n = {runs} | {} |", names.join(" | "));
    println!("|{}", "---|".repeat(names.len() + 1));
    for (row, (distribution, ..)) in TABLE.iter().enumerate() {
        let cells: Vec<String> =
            all.iter().map(|(_, games)| format!("{:.0}", mean(&games[row].scores).0)).collect();
        println!("| {distribution} | {} |", cells.join(" | "));
    }
    let cells: Vec<String> = all
        .iter()
        .map(|(_, games)| {
            let times: f64 = games.iter().map(|games| games.time).sum();
            format!("{:.1}", times / games.len() as f64)
        })
        .collect();
    println!("| CPU ms a game | {} |", cells.join(" | "));
}

/// Table 2's form: how many games of the same distribution and seed the player of the row
/// won and lost against the player of the column.
pub(crate) fn table2(runs: u64) {
    let all = all(runs);
    let names: Vec<&str> = all.iter().map(|(player, _)| *player).collect();
    let count = runs as usize * TABLE.len();
    println!("| {count} games each | {} | win-lose-draw |", names.join(" | "));
    println!("|{}", "---|".repeat(names.len() + 2));
    for (player, own) in &all {
        let mut cells = Vec::new();
        let (mut won, mut lost, mut drawn) = (0, 0, 0);
        for (other, theirs) in &all {
            if other == player {
                cells.push(String::new());
                continue;
            }
            let pairs = || {
                let scores = |games: &[Games]| -> Vec<f64> {
                    games.iter().flat_map(|games| games.scores.clone()).collect()
                };
                scores(own).into_iter().zip(scores(theirs))
            };
            let wins = pairs().filter(|(a, b)| a > b).count();
            let losses = pairs().filter(|(a, b)| a < b).count();
            match wins.cmp(&losses) {
                std::cmp::Ordering::Greater => won += 1,
                std::cmp::Ordering::Less => lost += 1,
                std::cmp::Ordering::Equal => drawn += 1,
            }
            cells.push(format!("{wins}:{losses}"));
        }
        println!("| {player} | {} | {won}-{lost}-{drawn} |", cells.join(" | "));
    }
}

/// Figures 6 to 8: the distribution of scores of g1 and of the player with the highest
/// average, everybody's medians, and g1's averages beside those of all.
pub(crate) fn figures(runs: u64) {
    let all = all(runs);
    let scores: Vec<(&str, Vec<f64>)> = all
        .iter()
        .map(|(player, games)| {
            (*player, games.iter().flat_map(|games| games.scores.clone()).collect())
        })
        .collect();
    let highest = scores.iter().max_by(|a, b| mean(&a.1).0.total_cmp(&mean(&b.1).0));
    let highest = highest.expect("there are players").0;
    let of = |player: &str| &scores.iter().find(|(name, _)| *name == player).expect("known").1;
    println!("| figure 6: scores from | g1 | {highest}, the highest average |");
    println!("|---|---|---|");
    let everything = of("g1").iter().chain(of(highest));
    let last = everything.fold(0.0f64, |most, score| most.max(*score)) as u64 / 100;
    for bin in 12..=last {
        let bar = |player: &str| {
            let within = |score: &&f64| **score as u64 / 100 == bin;
            let count = of(player).iter().filter(within).count();
            format!("{count} {}", "█".repeat(count.div_ceil(2)))
        };
        println!("| {} | {} | {} |", bin * 100, bar("g1"), bar(highest));
    }
    println!("\n| player | figure 7: median | average |");
    println!("|---|---|---|");
    for (player, scores) in &scores {
        println!("| {player} | {:.0} | {:.0} |", median(scores), mean(scores).0);
    }
    println!("\n| figure 8: average on | g1 | all | best |");
    println!("|---|---|---|---|");
    for (row, (distribution, ..)) in TABLE.iter().enumerate() {
        let means: Vec<(&str, f64)> =
            all.iter().map(|(player, games)| (*player, mean(&games[row].scores).0)).collect();
        let average = means.iter().map(|(_, mean)| mean).sum::<f64>() / means.len() as f64;
        let own = means.iter().find(|(player, _)| *player == "g1").expect("g1 plays").1;
        let best = means.iter().max_by(|a, b| a.1.total_cmp(&b.1)).expect("there are players");
        println!("| {distribution} | {own:.0} | {average:.0} | {:.0} ({}) |", best.1, best.0);
    }
}
