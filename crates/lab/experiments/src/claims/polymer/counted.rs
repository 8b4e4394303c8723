//! The claims of the slides that can be checked by counting: the range of scores, the effect of
//! normalising, and the cells in reach on their drawn boards.

use std::collections::BTreeSet;

use quintain_core::Rng;
use quintain_polymer::{Instance, Interaction, Torus};

use crate::estimate::Estimate;
use crate::experiment::Experiment;
use crate::lab::LabError;
use crate::measurement::ExpectedValue::{Always, Between};
use crate::measurement::Measurements;

/// A walk's steps across, down and up, with the numbers by which the torus orders neighbours.
const RIGHT: usize = 0;
const DOWN: usize = 1;
const UP: usize = 3;

/// The least and the greatest R over all walks of a chain; if `reduced`, over those only that begin
/// to the right and whose first vertical step is down.
fn extremes(instance: &Instance, reduced: bool) -> (i32, i32) {
    fn walk(
        instance: &Instance,
        cells: &mut Vec<u16>,
        reduced: bool,
        is_flat: bool,
        found: &mut (i32, i32),
    ) {
        if cells.len() == instance.len() {
            let r = instance.worth(cells);
            *found = (found.0.min(r), found.1.max(r));
            return;
        }
        let around = instance.torus().next(usize::from(cells[cells.len() - 1]));
        for (step, next) in around.iter().copied().enumerate() {
            let first = cells.len() == 1;
            if reduced && (first && step != RIGHT || is_flat && step == UP) || cells.contains(&next)
            {
                continue;
            }
            cells.push(next);
            walk(instance, cells, reduced, is_flat && step != DOWN && step != UP, found);
            cells.pop();
        }
    }
    let mut found = (i32::MAX, i32::MIN);
    walk(instance, &mut vec![0], reduced, true, &mut found);
    found
}

fn chain(side: usize, charges: Vec<i8>) -> Result<Instance, LabError> {
    Torus::new(side, side)
        .and_then(|torus| Instance::new(torus, Interaction::Charge, charges))
        .map_err(|invalid| LabError::Failed(invalid.to_string()))
}

/// A drawn board: free cells by row and column, `#` is taken.
fn read_board(rows: &[&str]) -> BTreeSet<(i32, i32)> {
    let cells = rows.iter().enumerate().flat_map(|(row, line)| {
        line.bytes().enumerate().map(move |(column, byte)| ((row as i32, column as i32), byte))
    });
    cells.filter(|(_, byte)| *byte == b'.').map(|(cell, _)| cell).collect()
}

fn neighbours((row, column): (i32, i32)) -> [(i32, i32); 4] {
    [(row, column - 1), (row - 1, column), (row, column + 1), (row + 1, column)]
}

/// The number of free cells in reach from one that is about to be taken.
fn reachable(free: &BTreeSet<(i32, i32)>, next: (i32, i32)) -> usize {
    let flood = |from: (i32, i32)| {
        let (mut seen, mut waiting) = (BTreeSet::new(), vec![from]);
        while let Some(cell) = waiting.pop() {
            if cell != next && free.contains(&cell) && seen.insert(cell) {
                waiting.extend(neighbours(cell));
            }
        }
        seen.len()
    };
    neighbours(next).into_iter().map(flood).max().unwrap_or(0)
}

/// The most free cells that a walk can use after one.
fn usable(free: &mut BTreeSet<(i32, i32)>, next: (i32, i32)) -> usize {
    free.remove(&next);
    let mut most = 0;
    for cell in neighbours(next) {
        if free.contains(&cell) {
            most = most.max(1 + usable(free, cell));
        }
    }
    free.insert(next);
    most
}

/// The slides' board of 8×8; the head is at row 2, column 3.
const BOARD: [&str; 8] = [
    "########", "#......#", "#..#...#", "#..###.#", "#..#####", "#..#####", "#..#####", "########",
];
/// The head's neighbours to the left, above and to the right.
const NEXT: [(i32, i32); 3] = [(2, 2), (1, 3), (2, 4)];

fn exactly(count: usize) -> Estimate {
    Estimate::exact(count as f64)
}

pub(super) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "polymer/symmetries",
        place: "invariances",
        claim: "Translations, rotations and reflections leave R unchanged: only walks to the \
                right and then down need to be examined.",
        figure: "–",
        measure: |lab| {
            let chains = lab.take(20, 100);
            lab.note(format!("all walks of {chains} drawn chains of 8 on 6×6"));
            let mut equal = 0;
            for seed in 0..chains {
                let mut rng = Rng::from_seed(seed);
                let charges = (0..8).map(|_| rng.below(3) as i8 - 1).collect();
                let chain = chain(6, charges)?;
                equal += u64::from(extremes(&chain, true) == extremes(&chain, false));
            }
            let share = Estimate::exact(100.0 * equal as f64 / chains as f64).in_unit(" %");
            Ok(Measurements::new().part("chains with the same range of R", share, Always(100.0)))
        },
    },
    Experiment {
        name: "polymer/score-range",
        place: "score normalization",
        claim: "R lies between minus and plus the number of charged monomers.",
        figure: "−3 to 3 for 0 1 −1 0 0 1",
        measure: |lab| {
            lab.note("all walks of two chains on 8×8");
            let (least, most) = extremes(&chain(8, vec![0, 1, -1, 0, 0, 1])?, true);
            let opposed = (0..9).map(|k| if k % 2 == 0 { 1 } else { -1 }).collect();
            let (_, opposed) = extremes(&chain(8, opposed)?, true);
            let exact = |r: i32| Estimate::exact(f64::from(r));
            Ok(Measurements::new()
                .part("least R of the slides' chain", exact(least), Between(-3.0, 3.0))
                .part("its greatest R", exact(most), Between(-3.0, 3.0))
                .part("nine alternating charges: greatest R", exact(opposed), Between(-9.0, 9.0)))
        },
    },
    Experiment {
        name: "polymer/normalised",
        place: "score normalization",
        claim: "With a norm of 3, (R + norm)/(2 norm) turns −3, 1 and 3 into 0, 0.67 and 1.",
        figure: "0, 0.67, 1",
        measure: |lab| {
            lab.note("counted");
            let mut measured = Measurements::new();
            for (r, figure) in [(-3.0, 0.0), (1.0, 0.67), (3.0, 1.0)] {
                let of = (100.0 * normalise(r, 3.0)).round() / 100.0;
                measured = measured.part(format!("of {r}"), Estimate::exact(of), Always(figure));
            }
            Ok(measured)
        },
    },
    Experiment {
        name: "polymer/lessening",
        place: "next-step partial score",
        claim: "The normalised partial scores of +1 and −1 differ by 0.2, 0.1 and 0.045 at norms \
                of 5, 10 and 20.",
        figure: "0.2, 0.1, 0.045",
        measure: |lab| {
            lab.note("counted");
            let mut measured = Measurements::new();
            for (norm, figure) in [(5.0, 0.2), (10.0, 0.1), (20.0, 0.045)] {
                let apart = normalise(1.0, norm) - normalise(-1.0, norm);
                let apart = Estimate::exact((1000.0 * apart).round() / 1000.0);
                measured = measured.part(format!("norm {norm}"), apart, Always(figure));
            }
            Ok(measured)
        },
    },
    Experiment {
        name: "polymer/reachable-drawn",
        place: "reachable cells heuristics",
        claim: "On the slides' board 19, 12 and 19 cells are reachable after a step to the left, \
                up and to the right.",
        figure: "19, 12, 19",
        measure: |lab| {
            lab.note("counted on the slides' boards");
            let free = read_board(&BOARD);
            let mut measured = Measurements::new();
            for ((next, what), figure) in
                NEXT.into_iter().zip(["left", "up", "right"]).zip([19.0, 12.0, 19.0])
            {
                measured = measured.part(what, exactly(reachable(&free, next)), Always(figure));
            }
            Ok(measured)
        },
    },
    Experiment {
        name: "polymer/usable-drawn",
        place: "reachable cells heuristics",
        claim: "Reachable cells need not all be usable: 2 of 3 on one board of the slides, 18 of \
                19 on another, where the other step can use all 19.",
        figure: "2 of 3; 18 and 19 of 19",
        measure: |lab| {
            lab.note("counted on the slides' boards");
            let small = read_board(&["#####", "#...#", "##.##"]);
            let large = read_board(&BOARD);
            let used = |free: &BTreeSet<(i32, i32)>, next| exactly(usable(&mut free.clone(), next));
            Ok(Measurements::new()
                .part(
                    "reachable on the small board",
                    exactly(reachable(&small, (2, 2))),
                    Always(3.0),
                )
                .part("usable", used(&small, (2, 2)), Always(2.0))
                .part("usable after a step to the left", used(&large, NEXT[0]), Always(19.0))
                .part("after a step to the right", used(&large, NEXT[2]), Always(18.0)))
        },
    },
];

/// The slides' scale from 0 to 1.
fn normalise(r: f64, norm: f64) -> f64 {
    (r + norm) / (2.0 * norm)
}
