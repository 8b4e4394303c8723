//! What each part of the report's player is worth: its section 3, on the distribution
//! `random`.

use crate::play::{Games, difference, games, interval, mean};

/// The submitted player, to which parts are added.
const G1: &str = "report?ties=submitted&roads=min";

fn g1(more: &str) -> String {
    format!("{G1}&{more}")
}

/// A table of players against the first of them, each with what the source says.
fn table(rows: &[(&str, String, &str)], runs: u64) {
    println!(
        "| random, n = {runs} | score | against the first | road cells | empty cells | utility | CPU ms | the report |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let mut first: Option<Games> = None;
    for (name, player, source) in rows {
        let own = games(player, "random", runs);
        let against = first.as_ref().map_or_else(String::new, |first| difference(&own, first));
        println!(
            "| {name} | {} | {against} | {:.0} | {:.0} | {:.2} | {:.1} | {source} |",
            interval(&own.scores),
            own.metric("road cells"),
            own.metric("empty cells"),
            own.metric("utility of water/park cells"),
            own.time,
        );
        first.get_or_insert(own);
    }
}

/// Section 2.3 and 3.2.2: the perimeter over the naive strategy.
pub(crate) fn perimeter(runs: u64) {
    let perimeter = |ties: &str| {
        format!(
            "report?placement=edges&ties={ties}&roads=shortest&ponds=walks:1&straight=false\
             &extension=0&prefer=any"
        )
    };
    table(
        &[
            ("row by row", "naive".to_owned(), "1600–1700; about 500 road cells"),
            (
                "perimeter, then row by row",
                perimeter("rows"),
                "+300; under 400 road cells; utility +0.2",
            ),
            ("along the diagonal", "diagonal".to_owned(), "better than row by row"),
            ("perimeter, then the diagonal", perimeter("diagonal"), "submitted keys"),
        ],
        runs,
    );
}

/// Section 3.2.2: the perimeter by edges or by cells.
pub(crate) fn edges(runs: u64) {
    let rows = [("edges", "g1".to_owned(), "+30 over cells"), ("cells", "cells".to_owned(), "–")];
    table(&rows, runs);
}

/// Section 3.2.3: the number of vacant components as a key.
pub(crate) fn components(runs: u64) {
    table(
        &[
            ("no components", "g1".to_owned(), "–"),
            ("second key", "components-second".to_owned(), "slightly less; much slower"),
            ("first key", "components-first".to_owned(), "slightly less; much slower"),
        ],
        runs,
    );
}

/// Section 3.2.1: the global strategies alone.
pub(crate) fn layout(runs: u64) {
    table(
        &[
            ("row by row", "naive".to_owned(), "1600–1700"),
            ("row by row, no ponds", "dry".to_owned(), "about 100 less"),
            ("diagonal", "diagonal".to_owned(), "better"),
            ("centre and borders", "centre".to_owned(), "not a good strategy"),
        ],
        runs,
    );
}

/// Section 3.3.3: which of equally short roads.
pub(crate) fn road_ties(runs: u64) {
    table(
        &[
            ("any shortest", "report?ties=submitted&roads=shortest".to_owned(), "before"),
            (
                "the most perimeter",
                "report?ties=submitted&roads=max".to_owned(),
                "a slight difference (text)",
            ),
            ("the least perimeter", G1.to_owned(), "as submitted"),
        ],
        runs,
    );
}

/// Sections 3.3.1 and 3.3.2: clinging and prepared roads.
pub(crate) fn roads(runs: u64) {
    table(
        &[
            ("shortest", "g1".to_owned(), "–"),
            ("clinging to buildings", "clinging".to_owned(), "lower"),
            ("a tree beforehand", "fractal".to_owned(), "lower"),
        ],
        runs,
    );
}

/// Section 3.4.1: with and without ponds.
pub(crate) fn ponds(runs: u64) {
    table(
        &[
            ("row by row, no ponds", "dry".to_owned(), "–"),
            ("row by row, one walk", "naive".to_owned(), "+100; utility over 1.2"),
        ],
        runs,
    );
    println!();
    let walk = g1("ponds=walks:1&straight=false&extension=0");
    table(
        &[
            ("g1, no ponds", g1("ponds=none"), "–"),
            ("g1, one walk", walk, "+100, whatever the strategy; utility over 1.2"),
            ("g1", "g1".to_owned(), "–"),
        ],
        runs,
    );
}

/// Section 3.4.4: how many walks, and which of them.
pub(crate) fn walks(runs: u64) {
    for (prefer, source) in [
        ("least", "more with each doubling, ever less so; 400 about +5 over 200"),
        ("most", "less, the more walks"),
    ] {
        let player = |walks: u32| {
            g1(&format!("straight=false&extension=0&prefer={prefer}&ponds=walks:{walks}"))
        };
        let names = [1, 50, 100, 200, 400].map(|walks| (format!("{walks} walks, {prefer}"), walks));
        let rows: Vec<(&str, String, &str)> =
            names.iter().map(|(name, walks)| (name.as_str(), player(*walks), source)).collect();
        table(&rows, runs);
        println!();
    }
}

/// Sections 3.4.4 to 3.4.6: straight ponds, extensions, and whom to serve.
pub(crate) fn pond_choices(runs: u64) {
    table(
        &[
            ("200 walks", g1("straight=false&extension=0"), "–"),
            ("and straight ones", g1("extension=0"), "slightly more"),
            ("and extensions", g1("straight=false"), "clearly more"),
            ("both (g1)", "g1".to_owned(), "submitted"),
            ("g1, a pond beside a field too", g1("served=own"), "–"),
        ],
        runs,
    );
}

/// Section 3.5: judged together.
pub(crate) fn joint(runs: u64) {
    table(
        &[
            ("the building alone", "g1".to_owned(), "–"),
            ("with road, pond and field", "joint".to_owned(), "about −200; less utility"),
            ("with its road", "joint-roads".to_owned(), "almost as the building alone"),
        ],
        runs,
    );
}

/// What the simulator's second ring is worth: not in the report, whose player did not know.
pub(crate) fn rings(runs: u64) {
    table(
        &[("g1", "g1".to_owned(), "–"), ("relying on the second ring", g1("rings=true"), "–")],
        runs,
    );
}

/// Section 2.3: how far the means of two trials are apart.
pub(crate) fn repeats(trials: u64) {
    println!(
        "| g1 on random, {trials} trials | median difference of two | 95 % | greatest | the report |"
    );
    println!("|---|---|---|---|---|");
    let all = games("g1", "random", trials * 50);
    for (runs, source) in [(10, "as much as 40"), (25, "at most 20"), (50, "at most 10")] {
        let means: Vec<f64> = all
            .scores
            .chunks_exact(runs)
            .take(trials as usize)
            .map(|trial| mean(trial).0)
            .collect();
        let mut apart: Vec<f64> =
            means.chunks_exact(2).map(|pair| (pair[0] - pair[1]).abs()).collect();
        apart.sort_by(f64::total_cmp);
        let at = |share: f64| apart[((apart.len() - 1) as f64 * share) as usize];
        println!("| {runs} runs | {:.0} | {:.0} | {:.0} | {source} |", at(0.5), at(0.95), at(1.0));
    }
}
