//! Learns the champion's value of the land of one distribution: least-squares temporal differences
//! (Bradtke and Barto 1996) over games of the greedy champion on training seeds.
//!
//! `cargo run --release -p quintain-pentocity --example learn -- SCENARIO TABLE [GAMES SEED]` plays
//! 4000 games from seed 10 000 on with the profile of the scenario, and writes the column SCENARIO
//! of TABLE (as `values.tsv` beside the champion). One game in eight is held out. For each fifth of
//! the knots it prints how far off the value is on these, beside one that knows only how many empty
//! neighbours the empty cells have: bias and root mean square, in points. Most of that is the luck
//! of the requests to come.

use quintain_core::{Match, MatchStart, Rules as _, Seat, Setup, play};
use quintain_pentocity::{
    BOARD_FEATURES, Pentocity, Ruleset, VALUE_KNOTS, describe_board, entry, find_value_knot,
};

/// How many requests lie between the two positions of a difference. Fewer mean less noise, more
/// mean less error from the value itself.
const APART: usize = 15;
/// The weight of keeping weights small.
const RIDGE: f64 = 3.0;
/// The number of unknowns.
const COUNT: usize = VALUE_KNOTS.len() * BOARD_FEATURES;
/// The features of the plain value: a constant, rejections, and empty cells by their empty
/// neighbours.
const PLAIN: usize = 8;

/// A position before a request.
struct Position {
    /// The points so far.
    score: f64,
    /// The first of the unknowns that count here. As many count as there are features at two knots.
    first: usize,
    /// By how much each of them counts.
    features: Vec<f32>,
}

/// A game: its positions, and the points in the end.
struct Game {
    positions: Vec<Position>,
    score: f64,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [scenario, table, more @ ..] = arguments.as_slice() else {
        eprintln!("usage: learn SCENARIO TABLE [GAMES SEED]");
        std::process::exit(2);
    };
    let number =
        |at: usize, or: u64| more.get(at).map_or(or, |word| word.parse().expect("a number"));
    let (games, first) = (number(0, 4000), number(1, 10_000));
    let games: Vec<Game> =
        (first..first + games).map(|seed| play_greedily(scenario, seed)).collect();
    let (held_out, training) = games.split_at(games.len() / 8);
    let mean = games.iter().map(|game| game.score).sum::<f64>() / games.len() as f64;
    eprintln!("{} games, {mean:.1} points on average", games.len());
    report("plain", &fit(training, PLAIN), held_out);
    let weights = fit(training, BOARD_FEATURES);
    report("learned", &weights, held_out);
    write(table, scenario, &weights);
}

/// Plays a game of the greedy champion with the scenario's own profile.
fn play_greedily(scenario: &str, seed: u64) -> Game {
    let entry = entry();
    let (built, canonical) = entry.build(scenario).unwrap_or_else(|error| panic!("{error}"));
    let rules = built.rules().clone();
    let player = format!("champion?effort=0&profile={scenario}");
    let seated = entry.build_player(&player, &rules).unwrap_or_else(|error| panic!("{error}"));
    let mut positions = Vec::new();
    let mut features = Vec::new();
    let watch = &mut |current: &Match<Pentocity>| {
        let state = current.state();
        if state.is_over() {
            return;
        }
        describe_board(state.board(), Ruleset::Simulator, state.rejections(), &mut features);
        let (knot, share) = find_value_knot(state.board());
        let at = [1.0 - share, share];
        positions.push(Position {
            score: rules.score(state, Seat::new(0)),
            first: knot * BOARD_FEATURES,
            features: at
                .iter()
                .flat_map(|at| features.iter().map(move |value| at * value))
                .collect(),
        });
    };
    let match_start = MatchStart::new("pentocity", &canonical, 1);
    let played = play(built, &match_start, &Setup::new(seed), &mut [seated], watch);
    Game { positions, score: played.outcome.scores[0] }
}

/// The weights with which the value of a position is, on average, the points of the next [`APART`]
/// requests plus the value after them. Only the first `counted` features have weights.
fn fit(games: &[Game], counted: usize) -> Vec<f64> {
    let mut matrix = vec![vec![0.0; COUNT]; COUNT];
    let mut right = vec![0.0; COUNT];
    for Game { positions, score } in games {
        for (number, position) in positions.iter().enumerate() {
            let next = positions.get(number + APART);
            let earned = next.map_or(*score, |next| next.score) - position.score;
            for (offset, feature) in position.features.iter().enumerate() {
                if offset % BOARD_FEATURES >= counted || *feature == 0.0 {
                    continue;
                }
                let feature = f64::from(*feature);
                let row = &mut matrix[position.first + offset];
                add(row, position, feature);
                if let Some(next) = next {
                    add(row, next, -feature);
                }
                right[position.first + offset] += feature * earned;
            }
        }
    }
    for (unknown, row) in matrix.iter_mut().enumerate() {
        if unknown % BOARD_FEATURES >= counted {
            row.fill(0.0);
        }
        row[unknown] += RIDGE;
    }
    solve(matrix, right)
}

/// Adds the features of a position times a factor.
fn add(row: &mut [f64], position: &Position, factor: f64) {
    for (sum, feature) in row[position.first..].iter_mut().zip(&position.features) {
        *sum += factor * f64::from(*feature);
    }
}

/// Solves a system of linear equations by Gaussian elimination with pivots.
fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let count = right.len();
    for column in 0..count {
        let largest = |one: &usize, other: &usize| {
            matrix[*one][column].abs().total_cmp(&matrix[*other][column].abs())
        };
        let pivot = (column..count).max_by(largest).expect("rows are left");
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        let (done, rest) = matrix.split_at_mut(column + 1);
        let top = &done[column];
        for (number, row) in rest.iter_mut().enumerate() {
            let factor = row[column] / top[column];
            if factor != 0.0 {
                row[column..].iter_mut().zip(&top[column..]).for_each(|(x, y)| *x -= factor * y);
                right[column + 1 + number] -= factor * right[column];
            }
        }
    }
    for row in (0..count).rev() {
        let known: f64 = (row + 1..count).map(|column| matrix[row][column] * right[column]).sum();
        right[row] = (right[row] - known) / matrix[row][row];
    }
    right
}

/// Prints how far off a value is, between any two knots.
fn report(name: &str, weights: &[f64], games: &[Game]) {
    let mut sums = [(0.0, 0.0, 0.0); VALUE_KNOTS.len() - 1];
    for Game { positions, score } in games {
        for position in positions {
            let features = position.features.iter().zip(&weights[position.first..]);
            let value: f64 = features.map(|(feature, weight)| f64::from(*feature) * weight).sum();
            let error = value - (score - position.score);
            let (count, bias, squares) = &mut sums[position.first / BOARD_FEATURES];
            *count += 1.0;
            *bias += error;
            *squares += error * error;
        }
    }
    let parts: Vec<String> = sums
        .iter()
        .zip(VALUE_KNOTS.windows(2))
        .map(|((count, bias, squares), ends)| {
            let [from, to] = [ends[0], ends[1]].map(|share| share * 100.0);
            format!(
                "{from:.0}–{to:.0} % empty: {:+.1}, {:.1}",
                bias / count,
                (squares / count).sqrt()
            )
        })
        .collect();
    eprintln!("{name}: {}", parts.join("; "));
}

/// Writes the table with a new column or a new one in place of the old; the others stay as they
/// are.
fn write(path: &str, name: &str, weights: &[f64]) {
    let text = std::fs::read_to_string(path).expect("the table of values");
    let (comments, rows): (Vec<&str>, Vec<&str>) =
        text.lines().partition(|line| line.starts_with('#'));
    let mut rows: Vec<Vec<&str>> = rows.iter().map(|row| row.split('\t').collect()).collect();
    let words: Vec<String> = weights
        .iter()
        .map(|weight| format!("{}", (weight * 1000.0).round() / 1000.0 + 0.0))
        .collect();
    let column = std::iter::once(name).chain(words.iter().map(String::as_str));
    let at = rows[0].iter().position(|head| *head == name);
    for (row, word) in rows.iter_mut().zip(column) {
        match at {
            Some(at) => row[at] = word,
            None => row.push(word),
        }
    }
    let mut lines: Vec<String> = comments.iter().map(|&line| line.to_owned()).collect();
    lines.extend(rows.iter().map(|row| row.join("\t")));
    std::fs::write(path, lines.join("\n") + "\n").expect("the table is written");
}
