//! Playouts in a plain implementation, as in the slides' program: grids are copied, and every step
//! is checked for room by floods of the whole grid.

use std::collections::VecDeque;

use quintain_core::Rng;
use quintain_polymer::Instance;

type Cell = (usize, usize);

/// One random walk from (0, 0); returns the cells laid, and whether it is whole.
pub fn random_walk(instance: &Instance, start: &[Vec<bool>], rng: &mut Rng) -> (Vec<u16>, bool) {
    let (width, height) = (instance.torus().width(), instance.torus().height());
    let neighbours = |(row, column): Cell| {
        [
            (row, (column + 1) % width),
            ((row + 1) % height, column),
            (row, (column + width - 1) % width),
            ((row + height - 1) % height, column),
        ]
    };
    let mut taken = start.to_vec();
    let mut at = (0, 0);
    taken[0][0] = true;
    let mut walk = vec![0u16];
    while walk.len() < instance.len() {
        let mut ways = neighbours(at).to_vec();
        ways.retain(|(row, column)| !taken[*row][*column]);
        let more = instance.len() - walk.len() - 1;
        let chosen = loop {
            if ways.is_empty() {
                break None;
            }
            let pick = if ways.len() == 1 { 0 } else { rng.below(ways.len()) };
            let mut after = taken.clone();
            after[ways[pick].0][ways[pick].1] = true;
            let room = neighbours(ways[pick]).map(|from| flood(from, after.clone(), &neighbours));
            if room.into_iter().max() >= Some(more) {
                break Some(ways[pick]);
            }
            ways.swap_remove(pick);
        };
        let Some(cell) = chosen else { return (walk, false) };
        at = cell;
        taken[at.0][at.1] = true;
        walk.push((at.0 * width + at.1) as u16);
    }
    (walk, true)
}

/// Free cells reachable from a cell.
fn flood(from: Cell, mut taken: Vec<Vec<bool>>, beside: &impl Fn(Cell) -> [Cell; 4]) -> usize {
    if taken[from.0][from.1] {
        return 0;
    }
    let mut queue = VecDeque::from([from]);
    taken[from.0][from.1] = true;
    let mut count = 0;
    while let Some(cell) = queue.pop_front() {
        count += 1;
        for (row, column) in beside(cell) {
            if !taken[row][column] {
                taken[row][column] = true;
                queue.push_back((row, column));
            }
        }
    }
    count
}
