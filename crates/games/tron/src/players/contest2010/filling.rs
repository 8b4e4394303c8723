//! Filling: the longest path through one's own space once the players are apart.
//!
//! Depth-first search with iterative deepening; a line that ends at the depth limit counts the
//! cells walked plus the bound of the chambers still open.

use super::super::duel::{Choice, Scale};
use super::engine::{Engine, LimitReached};
use crate::Direction;

pub(super) fn choose(engine: &mut Engine<'_>) -> Choice {
    let direction = engine.board.any_open(0);
    let mut choice = Choice { direction, depth: 0, nodes: 0, value: 0, scale: Scale::MovesLeft };
    // Nobody else reaches our cells any more.
    engine.evaluator.forget_them();
    let most = engine.board.free_cells() as u32;
    for depth in 1..=most {
        let mut best = None;
        let reached = fill(engine, depth, &mut best);
        let direction = best.map_or(choice.direction, |direction| Direction::ALL[direction]);
        match reached {
            Ok(value) => {
                choice = Choice { direction, depth, value, ..choice };
                // The line ends before the depth limit: it cannot become longer.
                if value < depth as i32 {
                    break;
                }
            }
            Err(LimitReached) => break,
        }
    }
    Choice { nodes: engine.nodes, ..choice }
}

/// The number of cells that we can still walk, as far as a search to this depth can tell.
fn fill(
    engine: &mut Engine<'_>,
    depth: u32,
    best: &mut Option<usize>,
) -> Result<i32, LimitReached> {
    engine.spend_node()?;
    let head = engine.board.heads[0];
    let first = 1 - engine.board.colour(head);
    if depth == 0 {
        return Ok(engine.evaluator.best_branch(&engine.board, 0).fillable(first));
    }
    let mut directions: Vec<usize> = (0..4)
        .filter(|&direction| !engine.board.walls[engine.board.neighbour(head, direction)])
        .collect();
    // Along walls first: the cell with the fewest exits.
    directions
        .sort_by_key(|&direction| engine.board.exits(engine.board.neighbour(head, direction)));
    let mut most = 0;
    for direction in directions {
        let next = engine.board.neighbour(head, direction);
        engine.board.walls[next] = true;
        engine.board.heads[0] = next;
        let walked = fill(engine, depth - 1, &mut None);
        engine.board.heads[0] = head;
        engine.board.walls[next] = false;
        let walked = walked? + 1;
        if walked > most {
            most = walked;
            *best = Some(direction);
        }
    }
    Ok(most)
}
