//! The score of a position: what each player can make of its territory.
//!
//! A player's territory is the cells it reaches first. A path through it cannot come back over an
//! articulation point, so these points cut it into chambers that form a tree with the player's head
//! at the root, and a path visits the chambers of one branch only. Nor can a player fill a chamber
//! behind the front and still be in time to hold a deeper one that the opponent touches, so a
//! chamber in front of such a deeper one is dropped.

use super::board::Board;

/// Weights that the winner fitted on 11 691 games of the contest's server.
const PER_CELL: i32 = 55;
const PER_EDGE: i32 = 194;

/// The worth, in a separated position, of each cell by which one player can fill more than the
/// other.
const PER_SPARE_CELL: i32 = 10_000;

const FAR: u16 = u16::MAX;

/// What is in a chamber, or in the best branch of chambers that begins with it.
#[derive(Clone, Copy, Default)]
pub(super) struct Holding {
    /// Cells by colour, as on a chess board.
    cells: [i32; 2],
    /// Free neighbours, summed over the cells.
    edges: i32,
    /// Cells next to a cell that is not in this territory.
    front: i32,
}

impl Holding {
    fn is_empty(self) -> bool {
        self.cells == [0, 0]
    }

    fn plus(self, other: Holding) -> Holding {
        Holding {
            cells: [self.cells[0] + other.cells[0], self.cells[1] + other.cells[1]],
            edges: self.edges + other.edges,
            front: self.front + other.front,
        }
    }

    /// An upper bound on the cells a path can visit when its first cell has the
    /// colour `first`: colours alternate along a path.
    pub(super) fn fillable(self, first: usize) -> i32 {
        let (first, second) = (self.cells[first], self.cells[1 - first]);
        if first > second { 2 * second + 1 } else { 2 * first }
    }

    pub(super) fn score(self, first: usize) -> i32 {
        PER_CELL * (self.front + self.fillable(first)) + PER_EDGE * self.edges
    }

    /// Whether its score is higher. Ties are broken by the parts in order, so that the answer does
    /// not depend on the order of the walk.
    fn beats(self, other: Holding, first: usize) -> bool {
        let rank = |of: Holding| (of.score(first), of.cells, of.edges, of.front);
        rank(self) > rank(other)
    }
}

/// One cell of the depth-first walk through a territory.
struct Step {
    cell: usize,
    /// The earliest cell that can be reached from here without stepping back along the walk.
    low: u32,
    looked_at: u8,
}

/// The evaluation with its working memory.
pub(super) struct Evaluator {
    steps: [Vec<u16>; 2],
    queue: Vec<usize>,
    /// When the walk first saw each cell; 0 means never.
    order: Vec<u32>,
    seen: u32,
    walk: Vec<Step>,
    /// Cells that were walked but not yet assigned to a chamber.
    open: Vec<usize>,
    /// The best branch hanging at each cell.
    hanging: Vec<Holding>,
}

impl Evaluator {
    pub(super) fn new(board: &Board) -> Evaluator {
        let size = board.walls.len();
        Evaluator {
            steps: [vec![FAR; size], vec![FAR; size]],
            queue: Vec::with_capacity(size),
            order: vec![0; size],
            seen: 0,
            walk: Vec::new(),
            open: Vec::new(),
            hanging: vec![Holding::default(); size],
        }
    }

    /// Measures the steps from a player's head to every cell.
    fn measure(&mut self, board: &Board, player: usize) {
        let steps = &mut self.steps[player];
        steps.fill(FAR);
        steps[board.heads[player]] = 0;
        self.queue.clear();
        self.queue.push(board.heads[player]);
        let mut next = 0;
        while let Some(&cell) = self.queue.get(next) {
            next += 1;
            for near in board.neighbours(cell) {
                if !board.walls[near] && steps[near] == FAR {
                    steps[near] = steps[cell] + 1;
                    self.queue.push(near);
                }
            }
        }
    }

    /// Whether no free cell can be reached by both.
    pub(super) fn are_apart(&mut self, board: &Board) -> bool {
        self.measure(board, 0);
        let [steps, _] = &self.steps;
        board.neighbours(board.heads[1]).iter().all(|&cell| board.walls[cell] || steps[cell] == FAR)
    }

    /// Counts everything we can reach as ours from now on.
    pub(super) fn forget_them(&mut self) {
        self.steps[0].fill(0);
        self.steps[1].fill(FAR);
    }

    /// The score of a position from our side.
    pub(super) fn score(&mut self, board: &Board) -> i32 {
        let (apart, [mine, theirs]) = self.best_branches(board);
        let first = board.heads.map(|head| 1 - board.colour(head));
        if apart {
            PER_SPARE_CELL * (mine.fillable(first[0]) - theirs.fillable(first[1]))
        } else {
            mine.score(first[0]) - theirs.score(first[1])
        }
    }

    /// Whether the players are apart, and each one's best branch.
    pub(super) fn best_branches(&mut self, board: &Board) -> (bool, [Holding; 2]) {
        let apart = self.are_apart(board);
        self.measure(board, 1);
        (apart, [0, 1].map(|player| self.best_branch(board, player)))
    }

    /// Finds the best branch of chambers from the head. The chambers are biconnected components,
    /// found by the low-point method (Hopcroft and Tarjan, 1973); each is added up as soon as it is
    /// complete.
    pub(super) fn best_branch(&mut self, board: &Board, player: usize) -> Holding {
        let head = board.heads[player];
        let first = 1 - board.colour(head);
        self.order.fill(0);
        self.seen = 0;
        self.open.clear();
        self.enter(head);
        loop {
            let depth = self.walk.len();
            let step = &mut self.walk[depth - 1];
            let cell = step.cell;
            if step.looked_at < 4 {
                let next = board.neighbour(cell, step.looked_at as usize);
                step.looked_at += 1;
                // A path that comes back to the head joins the cells that it passes.
                let own = next == head
                    || !board.walls[next]
                        && self.steps[player][next] < self.steps[1 - player][next];
                if !own {
                    continue;
                }
                match self.order[next] {
                    0 => self.enter(next),
                    seen => step.low = step.low.min(seen),
                }
                continue;
            }
            let low = step.low;
            self.walk.pop();
            let Some(before) = self.walk.last_mut() else {
                return self.hanging[head];
            };
            before.low = before.low.min(low);
            let gate = before.cell;
            if low >= self.order[gate] {
                let branch = self.close_chamber(board, player, cell);
                let known = self.hanging[gate];
                if known.is_empty() || branch.beats(known, first) {
                    self.hanging[gate] = branch;
                }
            }
        }
    }

    fn enter(&mut self, cell: usize) {
        self.seen += 1;
        self.order[cell] = self.seen;
        self.hanging[cell] = Holding::default();
        self.open.push(cell);
        self.walk.push(Step { cell, low: self.seen, looked_at: 0 });
    }

    /// Adds up the chamber of all open cells from `entry` on and the best branch behind it.
    fn close_chamber(&mut self, board: &Board, player: usize, entry: usize) -> Holding {
        let mut chamber = Holding::default();
        let mut behind = Vec::new();
        loop {
            let cell = self.open.pop().unwrap_or(entry);
            chamber = chamber.plus(self.of_cell(board, player, cell));
            if !self.hanging[cell].is_empty() {
                behind.push(self.hanging[cell]);
            }
            if cell == entry {
                break;
            }
        }
        let first = 1 - board.colour(board.heads[player]);
        let mut best = chamber;
        for branch in behind {
            let with = if branch.front > 0 { branch } else { chamber.plus(branch) };
            if with.beats(best, first) {
                best = with;
            }
        }
        best
    }

    fn of_cell(&self, board: &Board, player: usize, cell: usize) -> Holding {
        let mut holding = Holding::default();
        holding.cells[board.colour(cell)] = 1;
        for near in board.neighbours(cell) {
            if !board.walls[near] {
                holding.edges += 1;
                if self.steps[player][near] >= self.steps[1 - player][near] {
                    holding.front = 1;
                }
            }
        }
        holding
    }
}
