//! What a board offers to the buildings to come, in numbers: how much of its empty land is open,
//! near roads, ponds and fields, and wide enough for which rectangles. [`super::value`] weighs
//! them.

use super::rectangles::{Rectangle, rectangle};
use crate::rules::board::{Board, Cells};
use crate::rules::state::Ruleset;

/// Rectangles (height and width) for which the features say how much land they could cover.
const COVERED: [Rectangle; 14] = [
    rectangle::<1, 2>(),
    rectangle::<2, 1>(),
    rectangle::<1, 3>(),
    rectangle::<3, 1>(),
    rectangle::<1, 5>(),
    rectangle::<5, 1>(),
    rectangle::<2, 2>(),
    rectangle::<2, 3>(),
    rectangle::<3, 2>(),
    rectangle::<3, 3>(),
    rectangle::<3, 5>(),
    rectangle::<5, 3>(),
    rectangle::<4, 4>(),
    rectangle::<5, 5>(),
];
/// Rectangles for which the features say where they could stand beside roads, ponds and fields: on
/// land for residences and on land for factories.
const SERVED_RESIDENCES: [Rectangle; 2] = [rectangle::<2, 3>(), rectangle::<3, 2>()];
const SERVED_FACTORIES: [Rectangle; 4] =
    [rectangle::<3, 3>(), rectangle::<2, 4>(), rectangle::<4, 2>(), rectangle::<5, 5>()];
/// The distances to a road that are counted one by one.
const DEPTHS: usize = 6;

/// The number of features.
pub const BOARD_FEATURES: usize = 3
    + 5
    + DEPTHS
    + 1
    + 12
    + 2
    + 2 * (1 + COVERED.len())
    + 16 * (SERVED_RESIDENCES.len() + SERVED_FACTORIES.len());

/// Describes the empty land of a board in [`BOARD_FEATURES`] numbers, for a value that is linear in
/// them: a constant, whether there was one rejection and whether two, then areas in hundreds of
/// cells and logarithms of numbers of placements. `features` is cleared first.
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
        features.extend(COVERED.iter().map(|rectangle| {
            let places = (rectangle.find_places)(land);
            hundreds((rectangle.count_covered)(&places))
        }));
    }
    let residences = SERVED_RESIDENCES.iter().map(|rectangle| (&for_residences, rectangle));
    let factories = SERVED_FACTORIES.iter().map(|rectangle| (&for_factories, rectangle));
    for (land, rectangle) in residences.chain(factories) {
        let places = (rectangle.find_places)(land);
        let beside = |cells: &Cells| places & (rectangle.find_meeting)(cells);
        let (pond, field, road) = (beside(&by_pond), beside(&by_field), beside(&by_road));
        let both = pond & field;
        for places in [places, pond, field, road, both, pond & road, field & road, both & road] {
            features.push((1.0 + places.count() as f32).ln());
            features.push(hundreds((rectangle.count_covered)(&places)));
        }
    }
}

fn area(cells: &Cells) -> f32 {
    hundreds(cells.count())
}

fn hundreds(cells: u32) -> f32 {
    cells as f32 / 100.0
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use quintain_grid::Cell;

    use super::*;

    proptest! {
        #[test]
        fn cells_are_counted_by_their_empty_neighbours(lanes: [u64; 12]) {
            let mut cells = Cells::EMPTY;
            cells.lanes_mut()[..12].copy_from_slice(&lanes.map(|lane| lane & 0xfff));
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
