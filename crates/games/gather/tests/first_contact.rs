//! Two players of one strategy cannot be expected to meet sooner than docs/rulers.md says. These
//! tests check each step of the proof there by counting.

use std::collections::HashSet;

use quintain_core::Rng;

type Cell = (i32, i32);

/// The moves of a round: stay, or to one of eight neighbours.
const MOVES: [Cell; 9] =
    [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)];

/// The nine cells that a player on this cell sees.
fn seen_from((x, y): Cell) -> impl Iterator<Item = Cell> {
    (-1..=1).flat_map(move |dx| (-1..=1).map(move |dy| (x + dx, y + dy)))
}

/// The cells of a path that begins at the origin.
fn path(moves: &[Cell]) -> Vec<Cell> {
    let mut cells = vec![(0, 0)];
    for (dx, dy) in moves {
        let (x, y) = cells[cells.len() - 1];
        cells.push((x + dx, y + dy));
    }
    cells
}

/// The starts of the second player, as seen from the start of the first, for which one of them has
/// seen a cell of the other's path.
fn contacts(first: &[Cell], second: &[Cell]) -> HashSet<Cell> {
    let mut starts = HashSet::new();
    for (x, y) in path(first) {
        for (other_x, other_y) in path(second) {
            starts.extend(seen_from((x - other_x, y - other_y)));
        }
    }
    starts
}

/// How many lines in the direction of a move cross the nine cells around a player.
fn lines_across(step: Cell) -> i32 {
    match step {
        (0, 0) => 0,
        (0, _) | (_, 0) => 3,
        _ => 5,
    }
}

fn cross(a: Cell, b: Cell) -> i32 {
    (a.0 * b.1 - a.1 * b.0).abs()
}

/// The most starts of which a pair of paths can make a contact.
fn most_contacts(first: &[Cell], second: &[Cell]) -> i32 {
    let alone: i32 = first.iter().chain(second).map(|step| lines_across(*step)).sum();
    let together: i32 = first.iter().flat_map(|a| second.iter().map(move |b| cross(*a, *b))).sum();
    9 + alone + together
}

/// The least mean number of rounds until first contact on a torus of so many cells.
fn least_mean(cells: u32) -> f64 {
    let others = f64::from(cells - 1);
    let no_contact = |t: u32| 1.0 - f64::from(8 + 10 * t + t * t) / others;
    (0..cells).map(no_contact).take_while(|share| *share > 0.0).sum()
}

fn draw_moves(rng: &mut Rng, length: usize) -> Vec<Cell> {
    // Long straight stretches make most contacts.
    let turns = 1 + rng.below(8);
    let mut step = MOVES[rng.below(9)];
    (0..length)
        .map(|_| {
            if rng.below(turns) == 0 {
                step = MOVES[rng.below(9)];
            }
            step
        })
        .collect()
}

#[test]
fn paths_make_no_more_contacts_than_the_bound() {
    let mut rng = Rng::from_seed(1);
    for _ in 0..2000 {
        let length = rng.below(12);
        let (first, second) = (draw_moves(&mut rng, length), draw_moves(&mut rng, length));
        let found = contacts(&first, &second).len() as i32;
        assert!(found <= most_contacts(&first, &second), "{first:?} {second:?}");
    }
}

#[test]
fn perpendicular_diagonals_reach_the_bound_but_for_its_edge() {
    let (first, second) = ([(1, 1); 12], [(1, -1); 12]);
    let found = contacts(&first, &second).len() as i32;
    assert_eq!((found, most_contacts(&first, &second)), (417, 417));
}

/// Whatever mixture of moves all players share, two moves of it span one cell on average at most.
#[test]
fn moves_of_one_mixture_span_one_cell_at_most() {
    let mut rng = Rng::from_seed(2);
    for _ in 0..2000 {
        let weights = MOVES.map(|_| rng.below(100) as f64 * rng.below(2) as f64);
        let sum: f64 = weights.iter().sum();
        let mut mean = 0.0;
        for (a, share) in MOVES.iter().zip(weights) {
            for (b, other) in MOVES.iter().zip(weights) {
                mean += share * other * f64::from(cross(*a, *b));
            }
        }
        assert!(mean <= sum * sum * (1.0 + 1e-12), "{weights:?}");
    }
}

#[test]
fn the_figures_of_the_docs_follow() {
    let means = [15 * 22, 35 * 35, 76 * 50, 100 * 100].map(least_mean);
    assert_eq!(means.map(|mean| format!("{mean:.1}")), ["8.4", "19.3", "36.9", "62.3"]);
}
