//! What a move does to the rest of the board: empty cells that no road can reach any more, empty
//! cells that come near a road, and the places left for pieces that are asked for often but have
//! few.
//!
//! Many moves are weighed on the same board, and each changes few rows of it. So what can be
//! counted before is counted once, and a move is charged with the difference. A test compares it
//! with counting everything again.

use std::ops::Range;

use super::view::SCALE;
use super::weights::Weights;
use crate::rules::board::{Board, Cells};
use crate::rules::flood::{flood_fill, flood_rows};
use crate::rules::pieces::{LONGEST, Piece};
use crate::rules::state::{Build, Ruleset};

/// If a piece has fewer places than this, its room is tight.
const TIGHT: u32 = 150;
/// The part of the board that must be taken before room is considered.
const FILLING: f32 = 0.4;

/// The board before a move, and what is counted on it.
pub(super) struct Access {
    side: usize,
    empty: Cells,
    roads: Cells,
    /// The cells that need no road, and those at which a road can begin, by where they lie.
    rings: Cells,
    border: Cells,
    /// The empty cells that a road can reach, and how many they are.
    open: Cells,
    open_count: u32,
    /// How many empty cells are near a road.
    near: u32,
    /// Where residences and factories may lie, if that is asked.
    free: [Cells; 2],
    /// The worth of an empty cell that is cut off, and of one that comes near a road.
    lost: f32,
    reach: f32,
    /// The worth per unit of the logarithm of the places left for what is asked for.
    room: f32,
    /// The pieces that have few places left.
    tight: Vec<TightPiece>,
}

/// A piece that has few places left.
struct TightPiece {
    /// Its share of the requests.
    share: f32,
    /// The number of its places, in all rotations, and the logarithm of it. It is a logarithm
    /// because losing one of three places is worse than losing one of a hundred.
    count: u32,
    logarithm: f32,
    /// Its places in each rotation.
    places: Vec<(Piece, Cells)>,
}

impl Access {
    /// The board before a move, with the cells that a road can reach, and how often each piece was
    /// asked for.
    pub(super) fn new(
        board: &Board,
        open: &Cells,
        scoring: Ruleset,
        weights: &Weights,
        seen: &[u16; Piece::COUNT],
    ) -> Access {
        let side = board.side();
        let empty = *board.empty();
        let rings = board.rings(scoring.rings_without_road());
        let room = weights.rest("room") * SCALE;
        let full = 1.0 - empty.count() as f32 / (side * side) as f32;
        let (mut free, mut tight) = ([Cells::EMPTY; 2], Vec::new());
        if room != 0.0 && full > FILLING {
            free =
                [board.factories(), board.residences()].map(|others| empty - others.neighbours());
            tight = find_tight(board, &free, seen);
        }
        Access {
            side,
            empty,
            roads: *board.roads(),
            rings,
            border: board.rings(1),
            open: *open,
            open_count: open.count(),
            near: count_near(&rings, &board.roads().neighbours(), &empty),
            free,
            lost: weights.rest("lost") * SCALE,
            reach: weights.rest("reach") * SCALE,
            room,
            tight,
        }
    }

    /// The worth of what a move does to the rest of the board.
    pub(super) fn worth(&self, piece: Piece, build: &Build) -> i32 {
        let own = Board::cells_of(piece, build.at);
        let (mut taken, mut roads) = (own, self.roads);
        for &cell in &build.road {
            taken.insert(cell);
            roads.insert(cell);
        }
        build.water.iter().chain(&build.park).for_each(|&cell| taken.insert(cell));
        let empty = self.empty - taken;
        let by_roads = roads.neighbours();
        let rows = find_rows(&taken, self.side);
        let open = self.count_open(&taken, &empty, &by_roads, &rows);
        let lost = self.open_count as i32 - taken.count() as i32 - open as i32;
        let near = count_near(&self.rings, &by_roads, &empty) as i32 - self.near as i32;
        let mut worth = self.lost * lost as f32 + self.reach * near as f32;
        if !self.tight.is_empty() {
            // A building keeps those of the other kind away from its neighbours as well.
            let kept = taken | own.neighbours();
            let is_factory = piece.is_factory();
            let gone = [
                if is_factory { kept } else { taken } & self.free[0],
                if is_factory { taken } else { kept } & self.free[1],
            ];
            for tight in &self.tight {
                let lost = |(turn, places): &(Piece, Cells)| {
                    count_meeting(places, *turn, &gone[usize::from(turn.is_factory())], &rows)
                };
                let left = tight.count - tight.places.iter().map(lost).sum::<u32>();
                worth += self.room * tight.share * (logarithm(left) - tight.logarithm);
            }
        }
        worth.round() as i32
    }

    /// How many empty cells a road can reach after a move.
    fn count_open(
        &self,
        taken: &Cells,
        empty: &Cells,
        by_roads: &Cells,
        rows: &Range<usize>,
    ) -> u32 {
        let mut reached = (self.border | *by_roads) & *empty;
        // As a rule, a road reaches all neighbours of the move by cells close by. Then it reaches
        // all that it reached before.
        flood_rows(&empty.lanes()[rows.clone()], &mut reached.lanes_mut()[rows.clone()]);
        let left = self.open - *taken;
        let beside = taken.neighbours() & left;
        match (beside - reached).is_empty() {
            true => left.count(),
            false => flood_fill(empty, reached, self.side).count(),
        }
    }
}

/// The rows of cells and of their neighbours.
fn find_rows(cells: &Cells, side: usize) -> Range<usize> {
    let is_taken = |lane: &u64| *lane != 0;
    let first = cells.lanes().iter().position(is_taken).unwrap_or(0);
    let last = cells.lanes().iter().rposition(is_taken).unwrap_or(0);
    first.saturating_sub(1)..(last + 2).min(side)
}

/// How many empty cells are within three steps of a road.
fn count_near(rings: &Cells, by_roads: &Cells, empty: &Cells) -> u32 {
    let mut near = (*rings | *by_roads) & *empty;
    for _ in 1..3 {
        near = near | (near.neighbours() & *empty);
    }
    near.count()
}

/// How many of the places of a piece have a cell among `gone`, which lies in these rows.
fn count_meeting(places: &Cells, piece: Piece, gone: &Cells, rows: &Range<usize>) -> u32 {
    let shape = piece.shape();
    let first = rows.start.saturating_sub(usize::from(shape.height) - 1);
    let mut count = 0;
    for row in first..rows.end {
        let places = places.lanes()[row];
        if places == 0 {
            continue;
        }
        let meets = |&(down, right): &(u8, u8)| gone.lanes()[row + usize::from(down)] >> right;
        let meeting = shape.cells.iter().map(meets).fold(0, |all, lane| all | lane);
        count += (places & meeting).count_ones();
    }
    count
}

/// The pieces that were asked for and have few places left; `free` are the cells where residences
/// and where factories may lie.
fn find_tight(board: &Board, free: &[Cells; 2], seen: &[u16; Piece::COUNT]) -> Vec<TightPiece> {
    let requests: f32 = seen.iter().map(|count| f32::from(*count)).sum();
    let mut tight = Vec::new();
    let mut boxes = [Boxes::default(), Boxes::default()];
    // The largest pieces come first: where they have room enough, smaller ones have it as well.
    for piece in Piece::all().rev() {
        // Each piece counts once for all of its rotations.
        let turns = || (0..piece.rotations()).map(|turns| piece.rotated(turns));
        if turns().min() != Some(piece) {
            continue;
        }
        let asked: u16 = turns().map(|turn| seen[turn.index()]).sum();
        if asked == 0 {
            continue;
        }
        let land = usize::from(piece.is_factory());
        // As a rule, its bounding box has places enough.
        if boxes[land].has_room(board, &free[land], piece) {
            continue;
        }
        let mut count = 0;
        let mut places = Vec::new();
        for turn in turns() {
            let anchors = board.find_anchors(&free[land], turn);
            count += anchors.count();
            if count >= TIGHT {
                break;
            }
            places.push((turn, anchors));
        }
        if count < TIGHT {
            let share = f32::from(asked) / requests;
            tight.push(TightPiece { share, count, logarithm: logarithm(count), places });
        }
    }
    tight.reverse();
    tight
}

/// For the rectangles of each height and width, whether they have as many places as make no room
/// tight, as far as is known.
#[derive(Default)]
struct Boxes([[Option<bool>; LONGEST as usize]; LONGEST as usize]);

impl Boxes {
    /// Whether a piece's bounding box has as many places as make no room tight. Then the piece has
    /// as many.
    fn has_room(&mut self, board: &Board, free: &Cells, piece: Piece) -> bool {
        let (height, width) = (piece.shape().height, piece.shape().width);
        let at = |side: u8| usize::from(side) - 1;
        self.0[at(height)][at(width)].unwrap_or_else(|| {
            let whole = Piece::factory(height, width).expect("a piece has such sides");
            let has_room = board.find_anchors(free, whole).count() >= TIGHT;
            // Where it has room, so have all rectangles that fit inside it.
            let (rows, cols) = match has_room {
                true => (0, 0),
                false => (at(height), at(width)),
            };
            for row in &mut self.0[rows..=at(height)] {
                row[cols..=at(width)].fill(Some(has_room));
            }
            has_room
        })
    }
}

fn logarithm(places: u32) -> f32 {
    (1.0 + places as f32).ln()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use quintain_grid::reach;

    use super::super::evaluators::Evaluators;
    use super::super::greedy::choose;
    use super::super::view::tests::some_weights;
    use super::*;
    use crate::rules::board::scatter;
    use crate::rules::state::State;

    /// The worth of the change from one board to another, everything counted again on both.
    fn recount(
        (before, after): (&Board, &Board),
        scoring: Ruleset,
        weights: &Weights,
        seen: &[u16; Piece::COUNT],
    ) -> i32 {
        let laid = after.occupied().count() as i32 - before.occupied().count() as i32;
        let open = |board: &Board| reach(board.empty(), &board.road_ends()).count() as i32;
        let near = |board: &Board| {
            let rings = board.rings(scoring.rings_without_road());
            let mut near = (rings | board.roads().neighbours()) & *board.empty();
            (0..2).for_each(|_| near = near | (near.neighbours() & *board.empty()));
            near.count() as i32
        };
        let lost = open(before) - laid - open(after);
        let mut worth = weights.rest("lost") * SCALE * lost as f32
            + weights.rest("reach") * SCALE * (near(after) - near(before)) as f32;
        let land = before.side() * before.side();
        if before.occupied().count() as f32 > FILLING * land as f32 {
            let requests: u16 = seen.iter().sum();
            for piece in Piece::all() {
                let turns = || (0..piece.rotations()).map(|turns| piece.rotated(turns));
                let asked: u16 = turns().map(|turn| seen[turn.index()]).sum();
                let places =
                    |board: &Board| turns().map(|turn| board.room_for(turn).count()).sum::<u32>();
                let is_first = turns().min() == Some(piece);
                if is_first && asked > 0 && places(before) < TIGHT {
                    let more = logarithm(places(after)) - logarithm(places(before));
                    worth += weights.rest("room") * SCALE * f32::from(asked) / f32::from(requests)
                        * more;
                }
            }
        }
        worth.round() as i32
    }

    proptest! {
        #[test]
        fn a_move_is_charged_with_what_recounting_finds(
            seed: u64, side in 6usize..=20, number in 0..Piece::COUNT, is_report: bool
        ) {
            let board = scatter(seed, side);
            let request = Piece::all().nth(number).unwrap();
            let scoring = if is_report { Ruleset::Report } else { Ruleset::Simulator };
            let weights = some_weights();
            let mut state = State::new(side).with_board(board);
            state.ask(request);
            let seen: [u16; Piece::COUNT] = std::array::from_fn(|index| (index % 3) as u16);
            let access = Access::new(&board, &board.open(), scoring, &weights, &seen);
            let mut evaluators = Evaluators::new(side, scoring, vec![weights.clone()]);
            let choices = choose(&mut evaluators, &mut Vec::new(), &state, scoring, 20);
            for (_, build) in choices {
                let piece = request.rotated(build.rotation);
                let mut after = board;
                after.build(piece, build.at);
                build.road.iter().for_each(|&cell| after.lay_road(cell));
                after.lay_water(&build.water);
                after.lay_park(&build.park);
                let anew = recount((&board, &after), scoring, &weights, &seen);
                // The order of the sums differs.
                prop_assert!((access.worth(piece, &build) - anew).abs() <= 1, "{build:?}");
            }
        }
    }
}
