//! Shortest paths of empty cells from a building, and among them the one with the least or most
//! contact: for laying roads and for leading a building to a pond.

use quintain_core::choices;
use quintain_grid::{Cell, waves};

use crate::rules::board::{Cells, neighbours};

choices! {
    /// Which of equally long ways, or equally large ponds.
    pub enum Prefer {
        /// The first that is found.
        Any = "any",
        /// The one with the fewest neighbours taken.
        Least = "least",
        /// The one with the most neighbours taken.
        Most = "most",
    }
}

/// How many sides of a cell border on `cells`.
#[inline(always)]
pub fn sides_on(cells: &Cells, cell: Cell) -> u32 {
    cells.sides(cell).into_iter().map(u32::from).sum()
}

/// Returns a shortest path over `free` cells from beside `from` to one of `ends`, of at most
/// `longest` cells, in order from `from`. Contact is counted with `taken`.
pub fn shortest(
    free: &Cells,
    from: &Cells,
    ends: &Cells,
    longest: usize,
    prefer: Prefer,
    taken: &Cells,
) -> Option<Vec<Cell>> {
    let mut layers: Vec<Cells> = Vec::new();
    for wave in waves(free, from).take(longest) {
        let met = wave & *ends;
        layers.push(if met.is_empty() { wave } else { met });
        if !met.is_empty() {
            return Some(best(&layers, prefer, taken));
        }
    }
    None
}

/// The best path with one cell in each layer.
fn best(layers: &[Cells], prefer: Prefer, taken: &Cells) -> Vec<Cell> {
    let cost = |cell: Cell| match prefer {
        Prefer::Any => 0,
        Prefer::Least => sides_on(taken, cell),
        Prefer::Most => 4 - sides_on(taken, cell),
    };
    let index = |cell: Cell| usize::from(cell.row) * 64 + usize::from(cell.col);
    // The cost of the best path to each cell from the first layer; read only where written.
    let mut costs = [0u32; 64 * 64];
    let find_previous = |costs: &[u32; 64 * 64], depth: usize, cell: Cell| -> Option<Cell> {
        let layer = layers[..depth].last()?;
        let come = neighbours(cell).into_iter().filter(|side| layer.contains(*side));
        come.min_by_key(|side| costs[index(*side)])
    };
    for (depth, layer) in layers.iter().enumerate() {
        for cell in layer.cells() {
            let so_far = find_previous(&costs, depth, cell).map_or(0, |from| costs[index(from)]);
            costs[index(cell)] = so_far + cost(cell);
        }
    }
    let last = layers.last().expect("a path has a layer");
    let end = last.cells().min_by_key(|cell| costs[index(*cell)]).expect("no layer is empty");
    let mut path = vec![end];
    for depth in (1..layers.len()).rev() {
        path.extend(find_previous(&costs, depth, path[path.len() - 1]));
    }
    path.reverse();
    path
}
