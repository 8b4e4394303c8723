//! The evaluation: what each player can make of the cells it reaches first.
//!
//! **Territory.** Two floods, one from each head, give each cell to the player that
//! reaches it first. Counting these cells is a poor evaluation, since a player cannot
//! always visit all of them.
//!
//! **Chambers.** An articulation point is a cell whose removal cuts a territory in two.
//! A path that goes over one can never come back, since it leaves a wall there. These
//! points cut a territory into chambers (its biconnected components), which form a tree
//! with the head at the root:
//!
//! ```text
//!     H......#....        H the head, x an articulation point: a path that enters
//!     .......x....        the right chamber can no longer fill the rest of the left
//!     .......#....        one, so it first fills the left and then leaves through x.
//! ```
//!
//! A path visits the chambers along one branch of that tree, so a territory is worth its
//! best branch. Within a branch, a chamber in front of a deeper one that the opponent
//! touches is dropped: who stays to fill it comes too late to hold the deeper one. (The
//! idea is that of the 2010 contest's winner, whose plain form is
//! `contest2010::territory`; a test compares the two.)
//!
//! **Speed.** The floods run on bit boards. Finding articulation points takes a
//! depth-first walk cell by cell, but a cell whose free neighbours hang together within
//! the eight cells around it is never one. So the walk has two kinds of places: single
//! cells that may be articulation points (the *cuts*), and connected *patches* of cells
//! that are surely none, each crossed in one step. In an open room there is no cut, and
//! nothing is walked at all.

use crate::Direction;
use quintain_grid::{Cell, Lane, Rows, local_cuts, territory};

/// What the parts of a territory are worth.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weights {
    /// A cell that a path can visit.
    pub(crate) cell: i32,
    /// A free neighbour of a cell.
    pub(crate) edge: i32,
    /// A cell on the front.
    pub(crate) front: i32,
}

/// What a set of cells holds: a place, a chamber, or the best branch of chambers.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub(crate) struct Holding {
    /// Cells by colour, as on a chess board.
    pub(crate) cells: [i32; 2],
    /// Free neighbours, summed over the cells.
    pub(crate) edges: i32,
    /// Cells next to a cell that the opponent reaches no later.
    pub(crate) front: i32,
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

    /// An upper bound on the cells that a path can visit when its first cell has the
    /// colour `first`. Colours alternate along a path, so it ends at the latest when
    /// one colour is used up: of `first` it can visit one cell more than of the other.
    pub(crate) fn fillable(self, first: usize) -> i32 {
        let (first, second) = (self.cells[first], self.cells[1 - first]);
        if first > second { 2 * second + 1 } else { 2 * first }
    }

    /// The weighted sum, for a path whose first cell has the colour `first`.
    fn worth(self, first: usize, weights: &Weights) -> i32 {
        weights.cell * self.fillable(first) + weights.edge * self.edges + weights.front * self.front
    }

    /// Whether it is worth more. Between equals the parts are compared one by one, so
    /// that the answer does not depend on the order of the walk.
    fn beats(self, other: Holding, first: usize, weights: &Weights) -> bool {
        let rank = |of: Holding| (of.worth(first, weights), of.cells, of.edges, of.front);
        rank(self) > rank(other)
    }
}

/// What an evaluation found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Evaluation {
    /// Whether no free cell can be reached by both.
    pub(crate) apart: bool,
    /// What our best branch of chambers is worth more than theirs.
    pub(crate) worth: i32,
    /// The cells that either side reaches.
    pub(crate) room: i32,
}

/// What an evaluation found on the way, for whoever values positions by more than the worth.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Findings {
    /// Ours and theirs.
    pub(crate) sides: [SideFindings; 2],
    /// Cells that both reach at once.
    pub(crate) contested: i32,
}

/// What was found of one side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SideFindings {
    /// The best branch of chambers.
    pub(crate) branch: Holding,
    /// All cells that this side reaches first.
    pub(crate) territory: Holding,
    /// Chambers that the walk closed; none where nothing can cut the territory.
    pub(crate) chambers: i32,
    /// Cells that may be articulation points.
    pub(crate) cuts: i32,
    /// Directions that are open to the head.
    pub(crate) exits: i32,
}

/// Who is nearer to which cell.
struct Split<L: Lane, const N: usize> {
    /// Our territory and theirs.
    own: [Rows<L, N>; 2],
    /// Their cells next to what the other side reaches no later.
    fronts: [Rows<L, N>; 2],
    /// Cells that both reach at once.
    contested: Rows<L, N>,
    /// Whether no free cell can be reached by both.
    apart: bool,
}

/// One place on the stack of the walk: a cell that may be an articulation point, or a
/// patch of cells that are none.
struct Step {
    /// The cell, for one that may be an articulation point; none for a patch.
    cut: Option<Cell>,
    /// When the walk first saw this place, from 1.
    order: u16,
    /// The low point: the earliest place that can be reached from here or from deeper
    /// places without stepping back along the walk. If it is no earlier than the place
    /// before, that place is an articulation point: nothing leads around it.
    low: u16,
    /// Where this place's neighbours begin in the common stack of cells still to be
    /// looked at.
    around: usize,
    /// The best branch found so far that hangs at this cell, if it is a cut.
    hanging: Holding,
}

/// A place that the walk has seen and that belongs to no finished chamber yet.
struct Open {
    order: u16,
    /// The place itself.
    holding: Holding,
    /// The best branch of chambers behind it.
    hanging: Holding,
}

/// The evaluation with its working memory.
pub(crate) struct Evaluator<L: Lane, const N: usize> {
    pub(crate) weights: Weights,
    /// The cells of colour 1.
    odd: Rows<L, N>,
    /// Whether we move before them, so that a cell equally near is ours.
    first_to_move: bool,
    /// When the walk first saw each cell; 0 is never. Of a patch only the cells next to
    /// a cut are marked, since the walk enters a patch from nowhere else.
    order_of: Vec<u16>,
    /// The stack of the depth-first walk.
    walk: Vec<Step>,
    /// Neighbours still to be looked at, of all places on the stack.
    around: Vec<Cell>,
    /// In the order in which they were seen.
    open: Vec<Open>,
    /// Chambers that the last walk closed, and its possible articulation points.
    chambers: i32,
    cuts: i32,
}

/// The number of free neighbours of every cell, 0 to 4, in binary: bit boards of the ones,
/// twos and fours.
pub(super) struct Degrees<L: Lane, const N: usize>([Rows<L, N>; 3]);

impl<L: Lane, const N: usize> Degrees<L, N> {
    #[inline(always)]
    pub(super) fn of(free: &Rows<L, N>) -> Self {
        let (north, south, east, west) = (free.north(), free.south(), free.east(), free.west());
        let (one_vertical, two_vertical) = (north ^ south, north & south);
        let (one_across, two_across) = (east ^ west, east & west);
        // Two half adders and a full one, for all cells at once.
        let carried = one_vertical & one_across;
        Degrees([
            one_vertical ^ one_across,
            carried | (two_vertical ^ two_across),
            two_vertical & two_across,
        ])
    }
}

/// The colour of a cell as on a chess board: 0 or 1.
pub(crate) fn colour(cell: Cell) -> usize {
    (cell.row as usize + cell.col as usize) % 2
}

impl<L: Lane, const N: usize> Evaluator<L, N> {
    pub(crate) fn new(weights: Weights, first_to_move: bool) -> Self {
        Evaluator {
            weights,
            odd: Rows::<L, N>::rectangle(N, L::WIDTH)
                .cells()
                .filter(|&cell| colour(cell) == 1)
                .collect(),
            first_to_move,
            order_of: vec![0; N * L::WIDTH],
            walk: Vec::new(),
            around: Vec::new(),
            open: Vec::new(),
            chambers: 0,
            cuts: 0,
        }
    }

    /// Evaluates a position from the side of the first head.
    pub(crate) fn evaluate(&mut self, free: &Rows<L, N>, heads: [Cell; 2]) -> Evaluation {
        let split = self.split(free, heads);
        let degrees = Degrees::of(free);
        let branches = [0, 1].map(|seat| {
            self.best_branch(&split.own[seat], &split.fronts[seat], &degrees, heads[seat])
        });
        self.weigh(&split, branches, heads)
    }

    /// Whether no free cell can be reached by both: what [`evaluate`](Self::evaluate) says of it,
    /// without the chambers.
    pub(crate) fn are_apart(&self, free: &Rows<L, N>, heads: [Cell; 2]) -> bool {
        self.split(free, heads).apart
    }

    /// Evaluates a position and says what was found on the way.
    pub(crate) fn examine(
        &mut self,
        free: &Rows<L, N>,
        heads: [Cell; 2],
    ) -> (Evaluation, Findings) {
        let split = self.split(free, heads);
        let degrees = Degrees::of(free);
        let sides = [0, 1].map(|seat| {
            let (own, front) = (&split.own[seat], &split.fronts[seat]);
            let branch = self.best_branch(own, front, &degrees, heads[seat]);
            let is_one_chamber = self.cuts == 0;
            SideFindings {
                branch,
                territory: if is_one_chamber { branch } else { self.holding(own, front, &degrees) },
                chambers: self.chambers,
                cuts: self.cuts,
                exits: free.sides(heads[seat]).iter().filter(|open| **open).count() as i32,
            }
        });
        let evaluation = self.weigh(&split, sides.map(|side| side.branch), heads);
        let contested = split.contested.count() as i32;
        (evaluation, Findings { sides, contested })
    }

    #[inline(always)]
    fn split(&self, free: &Rows<L, N>, heads: [Cell; 2]) -> Split<L, N> {
        let split = territory(free, &Rows::of(heads[0]), &Rows::of(heads[1]));
        let (mut mine, theirs) = (split.mine, split.theirs);
        if self.first_to_move {
            mine = mine | split.contested;
        }
        let contested = split.contested;
        let my_border = mine & (theirs | contested).neighbours();
        let their_border = theirs & (mine | contested).neighbours();
        Split {
            own: [mine, theirs],
            fronts: [my_border, their_border],
            contested,
            apart: my_border.is_empty() && contested.is_empty(),
        }
    }

    fn weigh(&self, split: &Split<L, N>, branches: [Holding; 2], heads: [Cell; 2]) -> Evaluation {
        let [my_worth, their_worth] =
            [0, 1].map(|seat| branches[seat].worth(1 - colour(heads[seat]), &self.weights));
        let room = (split.own[0] | split.own[1] | split.contested).count() as i32;
        Evaluation { apart: split.apart, worth: my_worth - their_worth, room }
    }

    /// What the best branch of chambers in a player's territory is worth.
    pub(super) fn branch_worth(
        &mut self,
        own: &Rows<L, N>,
        front: &Rows<L, N>,
        degrees: &Degrees<L, N>,
        head: Cell,
    ) -> i32 {
        let branch = self.best_branch(own, front, degrees, head);
        branch.worth(1 - colour(head), &self.weights)
    }

    /// An upper bound on the cells that a path from the head can visit when
    /// nobody else is there.
    pub(crate) fn longest_bound(&mut self, free: &Rows<L, N>, head: Cell) -> i32 {
        let reach = quintain_grid::reach(free, &Rows::of(head));
        let none = Degrees([Rows::EMPTY; 3]);
        let holding = self.best_branch(&reach, &Rows::EMPTY, &none, head);
        holding.fillable(1 - colour(head))
    }

    #[inline(always)]
    fn holding(&self, cells: &Rows<L, N>, front: &Rows<L, N>, degrees: &Degrees<L, N>) -> Holding {
        let all = cells.count() as i32;
        let odd = (*cells & self.odd).count() as i32;
        let [ones, twos, fours] = degrees.0.map(|plane| (*cells & plane).count() as i32);
        Holding {
            cells: [all - odd, odd],
            edges: ones + 2 * twos + 4 * fours,
            front: (*cells & *front).count() as i32,
        }
    }

    fn holding_of_cell(&self, cell: Cell, front: &Rows<L, N>, degrees: &Degrees<L, N>) -> Holding {
        let mut holding = Holding::default();
        holding.cells[colour(cell)] = 1;
        let [ones, twos, fours] = degrees.0.each_ref().map(|plane| plane.contains(cell) as i32);
        holding.edges = ones + 2 * twos + 4 * fours;
        holding.front = front.contains(cell) as i32;
        holding
    }

    /// The best branch of chambers from the head, by the low-point method
    /// (Hopcroft and Tarjan, 1973) on patches and possible articulation points.
    fn best_branch(
        &mut self,
        own: &Rows<L, N>,
        front: &Rows<L, N>,
        degrees: &Degrees<L, N>,
        head: Cell,
    ) -> Holding {
        let head_alone = Rows::of(head);
        let region = *own | head_alone;
        let cuts = local_cuts(&region);
        (self.chambers, self.cuts) = (0, cuts.count() as i32);
        // No cell can cut the territory: it is one chamber.
        if self.cuts == 0 {
            return self.holding(own, front, degrees);
        }
        // The head is taken already, so every path from it leaves it for good: it is the
        // root of the tree, and its own cell counts for nothing.
        let cuts = cuts | head_alone;
        // The first cell of a path has the other colour than the head.
        let first = 1 - colour(head);

        self.order_of.fill(0);
        self.around.clear();
        self.walk.clear();
        self.open.clear();
        let patchwork = region - cuts;
        let beside_cuts = cuts.neighbours();
        let mut orders = 1;
        self.stand_on_cut(head, &region, orders);
        while let Some(step) = self.walk.last_mut() {
            if self.around.len() > step.around {
                let Some(next) = self.around.pop() else { break };
                match self.order_of[index::<L>(next)] {
                    0 => orders += 1,
                    // Seen before: a second path to it, perhaps around an earlier place.
                    seen => {
                        step.low = step.low.min(seen);
                        continue;
                    }
                }
                if cuts.contains(next) {
                    let holding = self.holding_of_cell(next, front, degrees);
                    self.open.push(Open::new(orders, holding));
                    self.stand_on_cut(next, &region, orders);
                } else {
                    // The whole patch is one place; its neighbours are the cuts around.
                    let cells = quintain_grid::reach(&patchwork, &Rows::of(next));
                    let holding = self.holding(&cells, front, degrees);
                    self.open.push(Open::new(orders, holding));
                    for edge in (cells & beside_cuts).cells() {
                        self.order_of[index::<L>(edge)] = orders;
                    }
                    self.stand_on(None, orders);
                    self.around.extend((cells.neighbours() & cuts).cells());
                }
                continue;
            }
            // All around it is done: it reports to the place before on the stack.
            let Step { cut, order, low, hanging, .. } = *step;
            self.walk.pop();
            let Some(before) = self.walk.last_mut() else {
                return hanging;
            };
            before.low = before.low.min(low);
            // Nothing at or behind this place reaches around the cell before it, so that
            // cell is an articulation point and all open places from here on are one
            // chamber behind it. No cell of a patch is one, so no chamber closes there.
            let closes = before.cut.is_some() && low >= before.order;
            // What hangs here is added when the chamber that holds this cell closes. A
            // chamber closes at the latest at the root, so the place is still open.
            if cut.is_some()
                && !hanging.is_empty()
                && let Ok(at) = self.open.binary_search_by_key(&order, |open| open.order)
            {
                self.open[at].hanging = hanging;
            }
            if closes {
                self.chambers += 1;
                let branch = close_chamber(&mut self.open, order, first, &self.weights);
                let known = before.hanging;
                if known.is_empty() || branch.beats(known, first, &self.weights) {
                    before.hanging = branch;
                }
            }
        }
        Holding::default()
    }

    fn stand_on(&mut self, cut: Option<Cell>, order: u16) {
        self.walk.push(Step {
            cut,
            order,
            low: order,
            around: self.around.len(),
            hanging: Holding::default(),
        });
    }

    fn stand_on_cut(&mut self, cell: Cell, region: &Rows<L, N>, order: u16) {
        self.order_of[index::<L>(cell)] = order;
        self.stand_on(Some(cell), order);
        for (direction, open) in Direction::ALL.into_iter().zip(region.sides(cell)) {
            if open {
                self.around.push(direction.step(cell));
            }
        }
    }
}

impl Open {
    fn new(order: u16, holding: Holding) -> Open {
        Open { order, holding, hanging: Holding::default() }
    }
}

fn index<L: Lane>(cell: Cell) -> usize {
    cell.row as usize * L::WIDTH + cell.col as usize
}

/// Closes the chamber of all places seen since `order`: what it holds, with the best
/// branch that hangs at one of its cells.
fn close_chamber(open: &mut Vec<Open>, order: u16, first: usize, weights: &Weights) -> Holding {
    let mut from = open.len();
    let mut chamber = Holding::default();
    while from > 0 && open[from - 1].order >= order {
        from -= 1;
        chamber = chamber.plus(open[from].holding);
    }
    let mut best = chamber;
    for place in &open[from..] {
        let behind = place.hanging;
        if !behind.is_empty() {
            // Whoever fills this chamber first comes too late for one behind it that the
            // opponent touches.
            let with = if behind.front > 0 { behind } else { chamber.plus(behind) };
            if with.beats(best, first, weights) {
                best = with;
            }
        }
    }
    open.truncate(from);
    best
}
