//! Filling: the longest way through one's own space once the players are apart.
//!
//! Depth-first search with iterative deepening; a line that ends at the depth
//! limit counts the cells walked and the bound of the chambers still open.

use super::{Contest2010, Stopped};
use crate::duel::{Choice, Direction};

pub(super) fn choose(engine: &mut Contest2010<'_>) -> Choice {
    let mut choice = Choice { direction: engine.board.any_way(0), depth: 0, nodes: 0, value: 0 };
    // Nobody else reaches our cells any more.
    engine.evaluator.forget_them();
    let most = engine.board.free_cells() as u32;
    for depth in 1..=most {
        let mut best = None;
        let reached = fill(engine, depth, &mut best);
        let way = best.map_or(choice.direction, |way| Direction::ALL[way]);
        match reached {
            Ok(value) => {
                choice = Choice { direction: way, depth, nodes: 0, value };
                // The line ends before the limit: it cannot become longer.
                if value < depth as i32 {
                    break;
                }
            }
            Err(Stopped) => break,
        }
    }
    Choice { nodes: engine.nodes, ..choice }
}

/// The number of cells that we can still walk, as far as this depth tells.
fn fill(
    engine: &mut Contest2010<'_>,
    depth: u32,
    best: &mut Option<usize>,
) -> Result<i32, Stopped> {
    engine.spend_node()?;
    let head = engine.board.heads[0];
    let first = 1 - engine.board.colour(head);
    if depth == 0 {
        return Ok(engine.evaluator.best_branch(&engine.board, 0).fillable(first));
    }
    let mut ways: Vec<usize> =
        (0..4).filter(|&way| !engine.board.walls[engine.board.neighbour(head, way)]).collect();
    // Along walls first: the cell with the fewest ways on.
    ways.sort_by_key(|&way| engine.board.ways_out(engine.board.neighbour(head, way)));
    let mut most = 0;
    for way in ways {
        let next = engine.board.neighbour(head, way);
        engine.board.walls[next] = true;
        engine.board.heads[0] = next;
        let walked = fill(engine, depth - 1, &mut None);
        engine.board.heads[0] = head;
        engine.board.walls[next] = false;
        let walked = walked? + 1;
        if walked > most {
            most = walked;
            *best = Some(way);
        }
    }
    Ok(most)
}
