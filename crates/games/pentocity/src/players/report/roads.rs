//! Which road to lay to a building.

use quintain_grid::Cell;

use super::parameters::Roads;
use crate::rules::board::{Board, Cells, neighbours};
use crate::rules::paths::{Prefer, sides_on};
use crate::rules::pieces::Piece;
use crate::rules::placements::{needs_road, shortest_road};
use crate::rules::state::Ruleset;

/// The road to a building, empty if it needs none; nothing if no road is possible.
pub(super) fn find_road(
    roads: Roads,
    board: &Board,
    reading: Ruleset,
    piece: Piece,
    at: Cell,
) -> Option<Vec<Cell>> {
    match roads {
        Roads::Shortest => shortest_road(board, reading, piece, at, &Cells::EMPTY, Prefer::Any),
        Roads::Max => best_per_end(board, reading, piece, at, Prefer::Most),
        Roads::Min | Roads::Fractal => best_per_end(board, reading, piece, at, Prefer::Least),
        Roads::Clinging => find_clinging(board, reading, piece, at),
    }
}

/// Among the shortest roads that the submitted program knew, the one with the fewest or most
/// neighbours taken. The program knew one road for each cell beside the building: the one on which
/// a breadth-first search from the border and the roads reaches that cell first.
fn best_per_end(
    board: &Board,
    reading: Ruleset,
    piece: Piece,
    at: Cell,
    prefer: Prefer,
) -> Option<Vec<Cell>> {
    if !needs_road(board, reading, piece, at) {
        return Some(Vec::new());
    }
    let building = Board::cells_of(piece, at);
    let mut dry = *board.empty() - building;
    let beside = building.neighbours() & dry;
    let starts = board.road_ends() & dry;
    let last = board.side() as u8 - 1;
    let border = (0..=last).flat_map(|z| [(0, z), (z, 0), (z, last), (last, z)]);
    let border = border.map(|(row, col)| Cell::new(row, col));
    let inner = starts - board.rings(1);
    // Cells in the order in which they are found, with where each was found from.
    let mut found: Vec<(Cell, usize)> = Vec::with_capacity(256);
    const START: usize = usize::MAX;
    let starts_in_order = border.filter(|cell| starts.contains(*cell)).chain(inner.cells());
    for cell in starts_in_order {
        if dry.contains(cell) {
            dry.remove(cell);
            found.push((cell, START));
        }
    }
    let taken = board.occupied();
    let mut best: Option<(u32, Vec<Cell>)> = None;
    let (mut layer, mut next) = (0, 0);
    while layer < found.len() && best.is_none() {
        let end = found.len();
        while next < end {
            let (cell, _) = found[next];
            if beside.contains(cell) {
                let mut road = vec![cell];
                let mut from = found[next].1;
                while from != START {
                    road.push(found[from].0);
                    from = found[from].1;
                }
                let contact = road.iter().map(|cell| sides_on(&taken, *cell)).sum::<u32>();
                let is_better = best.as_ref().is_none_or(|(known, _)| match prefer {
                    Prefer::Most => contact > *known,
                    Prefer::Least => contact < *known,
                    Prefer::Any => false,
                });
                if is_better {
                    best = Some((contact, road));
                }
            } else {
                let [above, right, below, left] = neighbours(cell);
                for side in [left, right, above, below] {
                    if dry.contains(side) {
                        dry.remove(side);
                        found.push((side, next));
                    }
                }
            }
            next += 1;
        }
        layer = end;
    }
    best.map(|(_, road)| road)
}

/// The cost of a road cell that is beside something built, and of one that is not.
const CLINGING: u32 = 1;
const LOOSE: u32 = 3;

/// The cheapest road, where cells beside anything built cost less than others (Dijkstra).
fn find_clinging(board: &Board, reading: Ruleset, piece: Piece, at: Cell) -> Option<Vec<Cell>> {
    if !needs_road(board, reading, piece, at) {
        return Some(Vec::new());
    }
    let building = Board::cells_of(piece, at);
    let free = *board.empty() - building;
    let ends = board.road_ends() & free;
    let taken = board.occupied();
    let price = |cell: Cell| if sides_on(&taken, cell) > 0 { CLINGING } else { LOOSE };
    let index = |cell: Cell| usize::from(cell.row) * 64 + usize::from(cell.col);
    let mut known = vec![(u32::MAX, None::<Cell>); 64 * 64];
    // Costs are small whole numbers, so there is a bucket for each.
    let mut buckets: Vec<Vec<Cell>> = vec![Vec::new(); LOOSE as usize + 1];
    for cell in (building.neighbours() & free).cells() {
        known[index(cell)] = (price(cell), None);
        buckets[price(cell) as usize].push(cell);
    }
    let mut cost = 0;
    while buckets.len() as u32 > cost {
        let mut next = 0;
        while let Some(&cell) = buckets[cost as usize].get(next) {
            next += 1;
            if known[index(cell)].0 != cost {
                continue;
            }
            if ends.contains(cell) {
                let mut road = vec![cell];
                while let Some(from) = known[index(road[road.len() - 1])].1 {
                    road.push(from);
                }
                road.reverse();
                return Some(road);
            }
            for side in neighbours(cell).into_iter().filter(|side| free.contains(*side)) {
                let through = cost + price(side);
                if through < known[index(side)].0 {
                    known[index(side)] = (through, Some(cell));
                    if buckets.len() as u32 <= through {
                        buckets.resize(through as usize + 1, Vec::new());
                    }
                    buckets[through as usize].push(side);
                }
            }
        }
        cost += 1;
    }
    None
}

/// A tree of roads that branches by halves: a trunk from the middle of the upper border down to the
/// centre, from there branches left and right of half the length, and so on, down to twigs of a
/// tenth of the side.
pub(super) fn plan_tree(board: &Board) -> Vec<Cell> {
    let side = board.side() as i32;
    let mut cells = Vec::new();
    let mut tips = vec![((-1, side / 2), (1, 0))];
    let mut length = side / 2;
    while length >= (side / 10).max(2) {
        let mut next = Vec::new();
        for ((row, col), (down, right)) in tips {
            let mut tip = (row, col);
            for _ in 0..length {
                tip = (tip.0 + down, tip.1 + right);
                let cell = Cell::new(tip.0 as u8, tip.1 as u8);
                // Twigs stay off the border, where a road would only waste cells.
                let inside = (0..side - 1).contains(&tip.0) && (1..side - 1).contains(&tip.1);
                if !inside {
                    break;
                }
                if board.empty().contains(cell) && !cells.contains(&cell) {
                    cells.push(cell);
                }
            }
            next.extend([(tip, (right, down)), (tip, (-right, -down))]);
        }
        tips = next;
        length /= 2;
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_one_with_the_ring_road() {
        for side in [10, 23, 50, 64] {
            let mut board = Board::new(side);
            let tree = plan_tree(&board);
            assert!(tree.len() >= side - 1, "{side}: {} cells", tree.len());
            tree.iter().for_each(|&cell| board.lay_road(cell));
            let ends = *board.roads() & board.rings(1);
            assert_eq!(quintain_grid::reach(board.roads(), &ends), *board.roads());
        }
    }

    #[test]
    fn a_clinging_road_takes_a_way_around_along_what_is_built() {
        let board: Board = "
            ..........
            ..........
            ..........
            .rr.......
            .rr.......
            .rr.......
            .rr.......
            ..........
            ..........
            .........."
            .parse()
            .unwrap();
        let at = Cell::new(4, 4);
        let piece: Piece = "2x2".parse().unwrap();
        let road = |roads| find_road(roads, &board, Ruleset::Report, piece, at).unwrap();
        assert_eq!(road(Roads::Shortest).len(), 4);
        let touches_something = |cell: &Cell| sides_on(&board.occupied(), *cell) > 0;
        assert!(road(Roads::Clinging).iter().filter(|cell| touches_something(cell)).count() >= 3);
    }
}
