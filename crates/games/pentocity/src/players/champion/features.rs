//! What a board offers to the buildings to come, in numbers: how much of its empty land is open, near roads,
//! ponds and fields, and wide enough for which rectangles. [`super::value`] weighs them.

use crate::rules::board::{Board, Cells};
use crate::rules::state::Ruleset;

/// Rectangles (height and width) for which the features say how much land they could cover.
const COVERED: [(usize, usize); 14] = [
    (1, 2),
    (2, 1),
    (1, 3),
    (3, 1),
    (1, 5),
    (5, 1),
    (2, 2),
    (2, 3),
    (3, 2),
    (3, 3),
    (3, 5),
    (5, 3),
    (4, 4),
    (5, 5),
];
/// Rectangles for which the features say where they could stand beside roads, ponds and fields: on land for
/// residences and on land for factories.
const SERVED_RESIDENCES: [(usize, usize); 2] = [(2, 3), (3, 2)];
const SERVED_FACTORIES: [(usize, usize); 4] = [(3, 3), (2, 4), (4, 2), (5, 5)];
/// The distances to a road that are counted one by one.
const DEPTHS: usize = 6;

/// The rows of a set of cells.
const ROWS: usize = 64;

/// The number of features.
pub const BOARD_FEATURES: usize = 3
    + 5
    + DEPTHS
    + 1
    + 12
    + 2
    + 2 * (1 + COVERED.len())
    + 16 * (SERVED_RESIDENCES.len() + SERVED_FACTORIES.len());

/// Describes the empty land of a board in [`BOARD_FEATURES`] numbers, for a value that is linear in them: a
/// constant, whether there was one rejection and whether two, then areas in hundreds of cells and logarithms of
/// numbers of placements. `features` is cleared first.
pub fn describe_board(board: &Board, ruleset: Ruleset, rejections: u8, features: &mut Vec<f32>) {
    features.clear();
    features.extend([1.0, f32::from(rejections == 1), f32::from(rejections == 2)]);
    let empty = *board.empty();
    features.extend(count_by_empty_neighbours(&empty).map(|count| count as f32 / 100.0));
    let by_road = (board.rings(ruleset.rings_without_road()) | board.roads().neighbours()) & empty;
    let mut layer = by_road;
    let mut farther = empty;
    for _ in 0..DEPTHS {
        features.push(area(&layer));
        farther = farther - layer;
        layer = layer.neighbours() & farther;
    }
    features.push(area(&(empty - board.open())));
    let by_pond = board.ponds().neighbours() & empty;
    let by_field = board.fields().neighbours() & empty;
    // Cells beside a pond, a field and both, all and by a road; then the same within two steps.
    let wider = |cells: Cells| (cells | cells.neighbours()) & empty;
    let within_two = [wider(by_pond), wider(by_field), wider(by_road)];
    for [pond, field, road] in [[by_pond, by_field, by_road], within_two] {
        let both = pond & field;
        let sets = [pond, field, both, pond & road, field & road, both & road];
        features.extend(sets.iter().map(area));
    }
    features.push(area(&(*board.water() - *board.ponds())));
    features.push(area(&(*board.park() - *board.fields())));
    // A residence may not touch a factory.
    let for_residences = empty - board.factories().neighbours();
    let for_factories = empty - board.residences().neighbours();
    for land in [&for_residences, &for_factories] {
        features.push(area(land));
        features.extend(
            COVERED.map(|(height, width)| {
                area(&cover(&find_places(land, height, width), height, width))
            }),
        );
    }
    let residences = SERVED_RESIDENCES.map(|sides| (&for_residences, sides));
    let factories = SERVED_FACTORIES.map(|sides| (&for_factories, sides));
    for (land, (height, width)) in residences.into_iter().chain(factories) {
        let places = find_places(land, height, width);
        let beside = |cells: &Cells| places & find_meeting(cells, height, width);
        let (pond, field, road) = (beside(&by_pond), beside(&by_field), beside(&by_road));
        let both = pond & field;
        for places in [places, pond, field, road, both, pond & road, field & road, both & road] {
            features.push((1.0 + places.count() as f32).ln());
            features.push(area(&cover(&places, height, width)));
        }
    }
}

fn area(cells: &Cells) -> f32 {
    cells.count() as f32 / 100.0
}

/// How many of the cells have 0, 1, 2, 3 and 4 neighbours among them.
fn count_by_empty_neighbours(cells: &Cells) -> [u32; 5] {
    let [a, b, c, d] = [cells.north(), cells.south(), cells.west(), cells.east()];
    // The four bits of each cell are added as binary numbers, for all cells at once.
    let (first, second) = (a ^ b, c ^ d);
    let (ones, carry) = (first ^ second, first & second);
    let [both, others] = [a & b, c & d];
    let twos = both ^ others ^ carry;
    let fours = both & others;
    let of = |cells: Cells| cells.count();
    [
        of(*cells - ones - twos - fours),
        of((*cells & ones) - twos),
        of((*cells & twos) - ones),
        of(*cells & ones & twos),
        of(*cells & fours),
    ]
}

/// Where the top left cell of a rectangle may be so that all of its cells are among `cells`.
fn find_places(cells: &Cells, height: usize, width: usize) -> Cells {
    let mut places = map_lanes(cells, |lane| (1..width).fold(lane, |all, by| all & lane >> by));
    let narrow = places;
    for by in 1..height {
        // Nothing below the last row is among the cells.
        let (lanes, last) = places.lanes_mut().split_at_mut(ROWS - by);
        lanes.iter_mut().zip(&narrow.lanes()[by..]).for_each(|(lane, below)| *lane &= below);
        last.fill(0);
    }
    places
}

/// Where the top left cell of a rectangle would be so that it has a cell among `cells`.
fn find_meeting(cells: &Cells, height: usize, width: usize) -> Cells {
    let mut places = map_lanes(cells, |lane| (1..width).fold(lane, |all, by| all | lane >> by));
    let wide = places;
    for by in 1..height {
        let below = &wide.lanes()[by..];
        places.lanes_mut().iter_mut().zip(below).for_each(|(lane, below)| *lane |= below);
    }
    places
}

/// The cells of all rectangles whose top left cells are given.
fn cover(places: &Cells, height: usize, width: usize) -> Cells {
    let mut cells = map_lanes(places, |lane| (1..width).fold(lane, |all, by| all | lane << by));
    let wide = cells;
    for by in 1..height {
        let below = cells.lanes_mut()[by..].iter_mut();
        below.zip(wide.lanes()).for_each(|(lane, above)| *lane |= above);
    }
    cells
}

#[inline(always)]
fn map_lanes(cells: &Cells, of: impl Fn(u64) -> u64) -> Cells {
    let mut out = *cells;
    out.lanes_mut().iter_mut().for_each(|lane| *lane = of(*lane));
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use quintain_grid::Cell;

    use super::*;

    fn cells_of(board: &Board) -> impl Iterator<Item = Cell> + use<> {
        let side = board.side() as u8;
        (0..side).flat_map(move |row| (0..side).map(move |col| Cell::new(row, col)))
    }

    /// The cells of a rectangle that lie on the board.
    fn rectangle(at: Cell, (height, width): (usize, usize)) -> Vec<(usize, usize)> {
        let (top, left) = (usize::from(at.row), usize::from(at.col));
        (top..top + height)
            .flat_map(|row| (left..left + width).map(move |col| (row, col)))
            .collect()
    }

    proptest! {
        #[test]
        fn rectangles_are_found_and_covered_as_cell_by_cell(
            lanes in prop::collection::vec(any::<u64>(), 12),
            side in 6usize..=12,
            height in 1usize..=5,
            width in 1usize..=5,
        ) {
            let board = Board::new(side);
            let mut cells = Cells::EMPTY;
            for (lane, random) in cells.lanes_mut().iter_mut().zip(&lanes).take(side) {
                *lane = (random | random >> 20) & ((1 << side) - 1);
            }
            let has = |(row, col): (usize, usize)| {
                row < side && col < side && cells.contains(Cell::new(row as u8, col as u8))
            };
            let places = find_places(&cells, height, width);
            let meeting = find_meeting(&cells, height, width);
            let covered = cover(&places, height, width);
            let mut slow = Cells::EMPTY;
            for at in cells_of(&board) {
                let own = rectangle(at, (height, width));
                prop_assert_eq!(places.contains(at), own.iter().all(|&cell| has(cell)));
                prop_assert_eq!(meeting.contains(at), own.iter().any(|&cell| has(cell)));
                if places.contains(at) {
                    own.iter().for_each(|&(row, col)| slow.insert(Cell::new(row as u8, col as u8)));
                }
            }
            prop_assert_eq!(covered, slow);
            let counts = count_by_empty_neighbours(&cells);
            let mut slow = [0; 5];
            for at in cells.cells() {
                slow[cells.sides(at).iter().filter(|is| **is).count()] += 1;
            }
            prop_assert_eq!(counts, slow);
        }
    }

    #[test]
    fn an_empty_board_and_one_with_a_pond() {
        let mut features = Vec::new();
        let mut board = Board::new(10);
        describe_board(&board, Ruleset::Simulator, 0, &mut features);
        assert_eq!(features.len(), BOARD_FEATURES);
        assert_eq!(features[..3], [1.0, 0.0, 0.0]);
        // Corners have two empty neighbours, borders three, the 64 others four.
        assert_eq!(features[3..8], [0.0, 0.0, 0.04, 0.32, 0.64]);
        // The two outermost rings need no road; then come rings of 20, 12 and 4 cells.
        assert_eq!(features[8..15], [0.64, 0.2, 0.12, 0.04, 0.0, 0.0, 0.0]);
        assert!(features[15..29].iter().all(|area| *area == 0.0), "no pond and no field");
        let water = [(4, 4), (4, 5), (5, 4), (5, 5)].map(|(row, col)| Cell::new(row, col));
        board.lay_water(&water);
        describe_board(&board, Ruleset::Simulator, 2, &mut features);
        assert_eq!(features[..3], [1.0, 0.0, 1.0]);
        // Eight cells touch the pond; none of them is beside the rings.
        assert_eq!(features[15..21], [0.08, 0.0, 0.0, 0.0, 0.0, 0.0]);
        board = Board::new(10);
        board.lay_water(&water[..3]);
        describe_board(&board, Ruleset::Simulator, 0, &mut features);
        assert_eq!((features[15], features[27]), (0.0, 0.03), "three cells are no pond");
    }
}
