//! The evaluation of a board: what it is worth for the units to come, in points. The features are
//! those that the contest's winner and others named (squared fill of rows, blocked neighbours,
//! cells that cannot be reached, room where units come in); their weights are ours, tuned on drawn
//! problems.

use num_traits::{PrimInt, WrappingAdd};
use quintain_core::Rng;

use super::tuned::{FEATURES, FIRST_TRIED, FirstTried, tuned};
use crate::rules::board::Board;

/// The feature that takes longest; it is counted only if it has a weight.
const LAND: usize = 12;

/// What one unit of each feature is worth, in points.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BoardWeights(pub [f32; FEATURES]);

impl Default for BoardWeights {
    fn default() -> Self {
        BoardWeights(tuned().first_tried.with_phrases[0])
    }
}

impl BoardWeights {
    /// Whether these are many cells: then land is worth counting, and games without phrases are
    /// played again.
    pub(super) fn are_many(cells: usize) -> bool {
        cells >= tuned().limits.many_cells
    }

    /// The weights that are tried before any others on a board of this many cells, the most useful
    /// first.
    pub(super) fn first_tried(
        cells: usize,
        with_phrases: bool,
    ) -> impl Iterator<Item = BoardWeights> {
        let FirstTried { with_phrases: spoken, on_many_cells, without_phrases } =
            &tuned().first_tried;
        let sets = if BoardWeights::are_many(cells) {
            on_many_cells
        } else if with_phrases {
            spoken
        } else {
            without_phrases
        };
        sets.iter().copied().map(BoardWeights)
    }

    /// One of the weights that are tried first anywhere.
    pub(super) fn draw_preset(rng: &mut Rng) -> BoardWeights {
        let FirstTried { with_phrases, on_many_cells, without_phrases } = &tuned().first_tried;
        let sets = [with_phrases, on_many_cells, without_phrases];
        let sets = sets[rng.below(sets.len())];
        BoardWeights(sets[rng.below(FIRST_TRIED)])
    }

    /// Random weights with land: the set by hand at a random scale, with other weights for rows,
    /// lost cells and land.
    pub(super) fn draw(rng: &mut Rng) -> BoardWeights {
        let mut draw = |least: f64, most: f64| (least * (most / least).powf(rng.unit())) as f32;
        let scale = draw(0.5, 6.0);
        let mut weights = BoardWeights(tuned().by_hand.map(|weight| scale * weight));
        weights.0[0] = draw(30.0, 800.0);
        weights.0[1] = draw(50.0, 2000.0);
        weights.0[3] = -draw(1.0, 40.0);
        weights.0[LAND] = draw(3.0, 150.0);
        weights
    }

    /// Random weights nearby. The distance is random too, so that both fine and coarse
    /// changes are tried.
    pub(super) fn vary(&self, rng: &mut Rng) -> BoardWeights {
        let scale = 0.1 * (1 << rng.below(5)) as f32;
        let mut weights = *self;
        for (feature, weight) in weights.0.iter_mut().enumerate() {
            // Without land, evaluations stay quick.
            if (feature != LAND || *weight != 0.0) && rng.chance(0.5) {
                let noise = (0..4).map(|_| rng.unit() as f32 - 0.5).sum::<f32>();
                *weight += scale * noise * (weight.abs() + 1.0);
            }
        }
        weights
    }

    /// Returns what a board is worth, in points.
    #[inline]
    pub fn of(&self, board: &Board) -> f32 {
        let features = count_features(board);
        let value: f32 =
            features.iter().zip(&self.0).map(|(feature, weight)| feature * weight).sum();
        match self.0[LAND] {
            0.0 => value,
            weight => value + weight * count_land(board) as f32,
        }
    }
}

/// Spreads `bits` sideways through the runs of `room` in which they lie.
#[inline]
fn spread<Row: PrimInt + WrappingAdd>(bits: Row, room: Row) -> Row {
    // Upwards all at once: adding a bit to the run of ones in which it lies carries through to the
    // end of the run (Myers 1999). Downwards step by step, which is rarely far.
    let mut all = ((bits & room).wrapping_add(&room) ^ room) & room | bits;
    loop {
        let more = all | all >> 1 & room;
        if more == all {
            return all;
        }
        all = more;
    }
}

/// The features of a board:
///
/// 0. squared fill of rows, as shares;
/// 1. fill of rows to the eighth power: rows about to go;
/// 2. height above the floor of every full cell, in rows, divided by the width;
/// 3. empty cells that a single cell falling from the top cannot reach;
/// 4. empty cells with both upper neighbours full;
/// 5. empty cells with one upper neighbour full;
/// 6. full and empty side by side in a row, walls counted full;
/// 7. full cells with an empty cell below, by cell below;
/// 8. rows with cells that cannot be reached;
/// 9. height of the highest full cell as a share of the board, to the fourth power, times 10;
/// 10. full cells in the uppermost quarter of the rows, four at least;
/// 11. empty cells with both neighbours in the row full;
/// 12. the [land](count_land), which is not counted here.
#[inline]
fn count_features(board: &Board) -> [f32; FEATURES] {
    // Most boards have fewer than 64 columns; half of a row's bits takes half of the time.
    if board.width() < u64::BITS as usize {
        count_rows(board, |row| row as u64)
    } else {
        count_rows(board, |row| row)
    }
}

/// The same, with rows as numbers of a type that has room for them.
#[inline]
fn count_rows<Row>(board: &Board, narrow: impl Fn(u128) -> Row) -> [f32; FEATURES]
where
    Row: PrimInt + WrappingAdd,
{
    let one = Row::one();
    let rows = board.rows();
    let (height, width) = (rows.len(), board.width());
    let full = narrow(board.full_row());
    let last = one << (width - 1);
    let upper = (height / 4).max(4);
    let mut f = [0f32; FEATURES];
    let top = rows.iter().position(|row| *row != 0).unwrap_or(height);
    let share = (height - top) as f32 / height as f32;
    f[9] = 10.0 * share.powi(4);
    let mut above = Row::zero();
    let mut reached = full;
    let scale = 1.0 / width as f32;
    let mut cells_height = 0;
    let (mut lost, mut lost_rows, mut high) = (0, 0, 0);
    let (mut both, mut single, mut sides, mut pits) = (0, 0, 0, 0);
    for (y, row) in rows.iter().enumerate().skip(top) {
        let row = narrow(*row);
        let empty = !row & full;
        let count = row.count_ones();
        let fill = count as f32 * scale;
        let square = fill * fill;
        f[0] += square;
        f[1] += square * square * square * square;
        cells_height += count * (height - y) as u32;
        if y < upper {
            high += count;
        }
        // Odd rows are shifted half a cell to the right: the upper neighbours of column x are
        // x and x + 1 there, and x − 1 and x on even rows. Walls count as full.
        let (west, east, from) = if y & 1 == 1 {
            (above, above >> 1 | last, reached | reached >> 1)
        } else {
            (above << 1 | one, above, reached | reached << 1)
        };
        both += (empty & west & east).count_ones();
        single += (empty & (west ^ east)).count_ones();
        reached = spread(from & empty, empty);
        let shut = (empty & !reached).count_ones();
        lost += shut;
        lost_rows += u32::from(shut > 0);
        let (left, right) = (row << 1 | one, row >> 1 | last);
        sides += ((row ^ left) & full).count_ones();
        pits += (empty & left & right).count_ones();
        above = row;
    }
    f[2] = cells_height as f32 * scale;
    f[3] = lost as f32;
    f[4] = both as f32;
    f[5] = single as f32;
    f[6] = sides as f32;
    f[7] = (2 * both + single) as f32;
    f[8] = lost_rows as f32;
    f[10] = high as f32;
    f[11] = pits as f32;
    f
}

/// The cells on which the middle of a large unit could still lie: a hexagon of seven empty cells
/// around each, which can fall there from the top. Where the lower part of a board is closed off
/// from above, or the stack grows ragged, this land goes long before the empty cells do.
fn count_land(board: &Board) -> u32 {
    let rows = board.rows();
    let full = board.full_row();
    // The middle of a hexagon is never at a wall.
    let within = full & !1 & !(1 << (board.width() - 1));
    let empty = |y: usize| !rows[y] & full;
    let mut above = full;
    let mut count = 0;
    for y in 0..rows.len() - 1 {
        let (here, below) = (empty(y), empty(y + 1));
        let over = if y == 0 { full } else { empty(y - 1) };
        // The neighbours of column x in the rows above and below are x and x + 1 on odd rows, x − 1
        // and x on even.
        let (pairs, from) = if y & 1 == 1 {
            (over & over >> 1 & below & below >> 1, above | above >> 1)
        } else {
            (over & over << 1 & below & below << 1, above | above << 1)
        };
        let open = here & here << 1 & here >> 1 & pairs & within;
        above = spread(from & open, open);
        if above == 0 {
            break;
        }
        count += above.count_ones();
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The land, cell by cell.
    fn count_slowly(board: &Board) -> u32 {
        let (width, height) = (board.width() as i32, board.rows().len() as i32);
        // Above the board there is room.
        let is_empty =
            |x: i32, y: i32| y < 0 || (0..width).contains(&x) && y < height && !board.is_full(x, y);
        let mut land: Vec<(i32, i32)> = Vec::new();
        let mut waiting: Vec<(i32, i32)> = (1..width - 1).map(|x| (x, 0)).collect();
        while let Some((x, y)) = waiting.pop() {
            let left = x - 1 + (y & 1);
            let around = [-1, 1].map(|side| (left, y + side));
            let around = around.into_iter().flat_map(|(x, y)| [(x, y), (x + 1, y)]);
            let fits = around.chain([(x - 1, y), (x, y), (x + 1, y)]).all(|(x, y)| is_empty(x, y));
            if (1..width - 1).contains(&x) && fits && !land.contains(&(x, y)) {
                land.push((x, y));
                waiting.extend([(x - 1, y), (x + 1, y), (left, y + 1), (left + 1, y + 1)]);
            }
        }
        land.len() as u32
    }

    #[test]
    fn land_is_tried_on_boards_of_many_cells_alone() {
        let with_land = |cells| {
            BoardWeights::first_tried(cells, true).filter(|weights| weights.0[LAND] != 0.0).count()
        };
        assert_eq!((with_land(899), with_land(900)), (0, 5));
    }

    #[test]
    fn land_is_where_a_hexagon_of_seven_cells_can_fall() {
        let mut board = Board::new(5, 5).unwrap();
        assert_eq!(count_land(&board), 4 * 3);
        (0..4).for_each(|x| board.fill(x, 3));
        assert_eq!(count_land(&board), 2 * 3, "what lies below the gap is too narrow");
    }

    #[test]
    fn land_is_counted_as_cell_by_cell() {
        let mut rng = Rng::from_seed(1);
        for _ in 0..300 {
            let (width, height) = (3 + rng.below(14), 2 + rng.below(14));
            let mut board = Board::new(width, height).unwrap();
            for _ in 0..rng.below(width * height / 6 + 1) {
                board.fill(rng.below(width), rng.below(height));
            }
            assert_eq!(count_land(&board), count_slowly(&board), "{:?}", board.rows());
        }
    }
}
