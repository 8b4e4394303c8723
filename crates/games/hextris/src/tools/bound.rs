//! What a game could be worth. The points of locks and lines are bounded: more cannot be had. Those
//! of phrases are an estimate, from what a fall through open space earns; a unit that meanders far
//! to the sides may earn more.

use crate::players::points_per_down;
use crate::rules::Instance;
use crate::rules::phrases::{ONCE, Phrases};
use crate::rules::units::Unit;

/// What a game could be worth.
pub(super) struct Bound {
    /// The most lines: as many as there are cells for, filled at the start and by units.
    pub(super) lines: u64,
    /// The most points of locks and lines.
    pub(super) moves: u64,
    /// The most downward commands: every unit falls to the floor.
    pub(super) downs: u64,
    /// The points that phrases earn in so many downward commands in open space, and for their first
    /// time.
    pub(super) power: u64,
}

impl Bound {
    /// Computes the bound of a game.
    pub(super) fn of(instance: &Instance) -> Bound {
        let board = instance.problem().board();
        let height = board.height() as i32;
        let units = || (0..instance.queue().len()).map(|n| instance.nth(n));
        let cells: usize = units().map(Unit::size).sum();
        let lines = (board.count_filled() as usize + cells) / board.width();
        // A lock clears no more lines than its unit has rows. Since points grow with the square of
        // the lines, most are had where the units with most rows clear all of theirs.
        let mut rows: Vec<usize> = units().map(count_rows).collect();
        rows.sort_unstable_by(|a, b| b.cmp(a));
        let mut left = lines;
        let mut points = cells;
        for row in &rows {
            let cleared = left.min(*row);
            left -= cleared;
            points += 50 * cleared * (cleared + 1);
        }
        // Every lock may follow one that cleared as many lines as any unit can.
        let bonus = rows.first().map_or(0, |most| most.saturating_sub(1));
        let moves = points + points * bonus / 10;
        let downs = units().map(|unit| count_downs(unit, height)).sum();
        let power = estimate_power(instance.phrases(), units(), height);
        Bound { lines: lines as u64, moves: moves as u64, downs, power }
    }

    /// The points of locks, lines and phrases.
    pub(super) fn points(&self) -> u64 {
        self.moves + self.power
    }
}

/// The rows in which a unit has cells, in the rotation in which they are most.
fn count_rows(unit: &Unit) -> usize {
    let shapes = (0..unit.period()).flat_map(|rotation| unit.shapes(rotation));
    let rows = shapes.map(|shape| shape.rows.iter().filter(|row| **row != 0).count());
    rows.max().unwrap_or_default()
}

/// The downward commands of a unit that falls to the floor, with the one that locks it.
fn count_downs(unit: &Unit, height: i32) -> u64 {
    let shapes = (0..unit.period()).flat_map(|rotation| unit.shapes(rotation));
    let lowest = shapes.map(|shape| height - shape.height - shape.top).max().unwrap_or_default();
    (lowest - i32::from(unit.spawn().y) + 1).max(1) as u64
}

fn estimate_power<'a>(
    phrases: &Phrases,
    units: impl Iterator<Item = &'a Unit>,
    height: i32,
) -> u64 {
    if phrases.is_empty() {
        return 0;
    }
    let mut densities: [Option<f32>; 7] = [None; 7];
    let mut points = 0.0;
    for unit in units {
        let density = densities[usize::from(unit.period())]
            .get_or_insert_with(|| points_per_down(phrases, unit.period()));
        points += f64::from(*density) * count_downs(unit, height) as f64;
    }
    points as u64 + ONCE * phrases.len() as u64
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::players::champion::Champion;
    use crate::players::{Incumbent, SolverInput, TextSolver};
    use crate::rules::board::Board;
    use crate::rules::problem::Problem;
    use crate::rules::units::Cell;
    use crate::scenarios::generate::{Filling, Units, draw_problem};
    use crate::tools::account::score;
    use quintain_core::{Meter, Rng};

    #[test]
    fn two_bars_on_a_board_two_cells_wide_clear_two_lines_at_once() {
        let bar = vec![Cell { x: 0, y: 0 }, Cell { x: 0, y: 1 }];
        let unit = Unit::new(bar, Cell { x: 0, y: 0 }, 2).unwrap();
        let board = Board::new(2, 5).unwrap();
        let problem = Problem::new(0, board, vec![unit], 2, vec![0]).unwrap();
        let bound =
            Bound::of(&Instance::new(Arc::new(problem), 0, Arc::new(Phrases::new([""; 0]))));
        // Four cells, two lines for 100 + 200 points, and a tenth in case the lock before cleared
        // two as well.
        assert_eq!((bound.lines, bound.moves, bound.power), (2, 304 + 30, 0));
        // It comes with its pivot in row 0, lies down, falls to row 4, and is locked by one more
        // command.
        assert_eq!(bound.downs, 2 * 5);
    }

    #[test]
    fn no_game_of_the_champion_has_more_lines_or_points_of_lines() {
        let mut lines = 0;
        for seed in 0..12 {
            let size = [0, 6, 10, 11, 21, 22][seed % 6];
            let problem = draw_problem(size, Units::Usual, Filling::Usual, seed as u64);
            let instance = Instance::new(Arc::new(problem), 0, Arc::new(Phrases::new([""; 0])));
            let bound = Bound::of(&instance);
            let start = instance.start();
            let input = SolverInput::new(&instance, &start);
            let mut tell = |_: &str, _| {};
            let mut best = Incumbent::new(&input, &mut tell);
            Champion::default().solve(
                &input,
                &mut Meter::of(100),
                &mut Rng::from_seed(1),
                &mut best,
            );
            let account = score(&instance, best.text()).unwrap();
            assert!(u64::from(account.lines) <= bound.lines && account.moves <= bound.moves);
            lines += account.lines;
        }
        assert!(lines > 10, "{lines}");
    }
}
