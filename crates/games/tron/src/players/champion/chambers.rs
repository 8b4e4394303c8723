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
//! A path visits the chambers along one branch of that tree, so a territory is worth its best
//! branch. Within a branch, a chamber in front of a deeper one that the opponent touches is
//! dropped: a player that stays to fill it comes too late to hold the deeper one. (The idea comes
//! from the 2010 contest's winner, whose plain form is `contest2010::territory`; a test compares
//! the two.)
//!
//! **Speed.** The floods run on bit boards, and [`super::walk`] finds the articulation points. An
//! open room can have none, so nothing is walked there at all.

use super::holding::{Degrees, Holding, Weights, colour};
use super::walk::{Branch, Explored, Terrain, Walk};
use quintain_grid::{Cell, Lane, Rows, local_cuts, territory};

/// The result of an evaluation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Evaluation {
    /// Whether no free cell can be reached by both.
    pub(crate) apart: bool,
    /// How much more our best branch of chambers is worth than theirs.
    pub(crate) worth: i32,
    /// The cells that either side reaches.
    pub(crate) room: i32,
}

/// What an evaluation found on the way, for callers that value positions by more than the worth.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Findings {
    /// Ours and theirs.
    pub(crate) sides: [SideFindings; 2],
    /// The number of cells that both reach at the same time.
    pub(crate) contested: i32,
}

/// What was found of one side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SideFindings {
    /// The best branch of chambers.
    pub(crate) branch: Holding,
    /// All cells that this side reaches first.
    pub(crate) territory: Holding,
    /// The number of chambers that the walk closed; 0 if nothing can cut the territory.
    pub(crate) chambers: i32,
    /// The number of cells that may be articulation points.
    pub(crate) cuts: i32,
    /// The number of directions open to the head.
    pub(crate) exits: i32,
}

/// Which side is nearer to which cell.
struct Split<L: Lane, const N: usize> {
    /// Our territory and theirs.
    own: [Rows<L, N>; 2],
    /// The cells of each side next to cells that the other side reaches no later.
    fronts: [Rows<L, N>; 2],
    /// The cells that both reach at the same time.
    contested: Rows<L, N>,
    /// Whether no free cell can be reached by both.
    apart: bool,
}

/// The evaluation with its working memory.
pub(crate) struct Evaluator<L: Lane, const N: usize> {
    pub(crate) weights: Weights,
    /// The cells of colour 1.
    odd: Rows<L, N>,
    /// Whether we move before them, so that an equally near cell is ours.
    first_to_move: bool,
    walk: Walk<L>,
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
            walk: Walk::new(N),
        }
    }

    /// Evaluates a position from the side of the first head.
    pub(crate) fn evaluate(&mut self, free: &Rows<L, N>, heads: [Cell; 2]) -> Evaluation {
        let split = self.split(free, heads);
        let degrees = Degrees::of(free);
        let branches = [0, 1].map(|seat| {
            let (own, front) = (&split.own[seat], &split.fronts[seat]);
            self.best_branch(own, front, &degrees, heads[seat]).0.branch.sum
        });
        self.weigh(&split, branches, heads)
    }

    /// Whether no free cell can be reached by both, as [`evaluate`](Self::evaluate) reports it, but
    /// without the chambers.
    pub(crate) fn are_apart(&self, free: &Rows<L, N>, heads: [Cell; 2]) -> bool {
        self.split(free, heads).apart
    }

    /// Evaluates a position and also returns what was found on the way.
    pub(crate) fn examine(
        &mut self,
        free: &Rows<L, N>,
        heads: [Cell; 2],
    ) -> (Evaluation, Findings) {
        let split = self.split(free, heads);
        let degrees = Degrees::of(free);
        let sides = [0, 1].map(|seat| {
            let (own, front) = (&split.own[seat], &split.fronts[seat]);
            let (found, cuts) = self.best_branch(own, front, &degrees, heads[seat]);
            SideFindings {
                branch: found.branch.sum,
                territory: found.all,
                chambers: found.chambers,
                cuts,
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
        let branch = self.best_branch(own, front, degrees, head).0.branch.sum;
        branch.worth(1 - colour(head), &self.weights)
    }

    /// An upper bound on the cells that a path from the head can visit when nobody else is there.
    pub(crate) fn longest_bound(&mut self, free: &Rows<L, N>, head: Cell) -> i32 {
        let head_alone = Rows::of(head);
        let region = *free | head_alone;
        let cuts = local_cuts(&region) | head_alone;
        let (none, degrees) = (Rows::EMPTY, Degrees::NONE);
        let terrain = Terrain { region, cuts, front: &none, degrees: &degrees, weights: None };
        self.walk.explore(&terrain, head).branch.longest
    }

    /// Returns what the walk finds in a player's territory, and the number of cells that may be
    /// articulation points.
    fn best_branch(
        &mut self,
        own: &Rows<L, N>,
        front: &Rows<L, N>,
        degrees: &Degrees<L, N>,
        head: Cell,
    ) -> (Explored, i32) {
        let head_alone = Rows::of(head);
        let region = *own | head_alone;
        let cuts = local_cuts(&region);
        // No cell can cut the territory, so it is one chamber.
        if cuts.is_empty() {
            let all = Holding::of(own, &self.odd, front, degrees);
            let longest = all.fillable(1 - colour(head));
            return (Explored { branch: Branch { sum: all, longest }, all, chambers: 0 }, 0);
        }
        let count = cuts.count() as i32;
        let cuts = cuts | head_alone;
        let terrain = Terrain { region, cuts, front, degrees, weights: Some(&self.weights) };
        (self.walk.explore(&terrain, head), count)
    }
}
