//! The evaluation of a board: what it is worth for the units to come, in points. The features are those that
//! the contest's winner and others named (squared fill of rows, blocked neighbours, cells that cannot be
//! reached, room where units come in); their weights are ours, tuned on drawn problems.

use quintain_core::Rng;

use crate::rules::board::Board;

/// The number of features.
pub const FEATURES: usize = 12;

/// What one unit of each feature is worth, in points; see [`features`] for their order.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BoardWeights(pub [f32; FEATURES]);

impl Default for BoardWeights {
    fn default() -> Self {
        BoardWeights::PRESETS[0]
    }
}

impl BoardWeights {
    /// Weights to start from: two sets tuned on different kinds of problems, and one chosen by
    /// hand.
    pub(super) const PRESETS: [BoardWeights; 3] = [
        BoardWeights([44.0, 78.0, -3.0, 2.0, -5.5, 2.3, -7.5, -5.3, -9.0, -29.5, -15.5, -4.6]),
        BoardWeights([37.6, 103.0, -3.9, 2.2, -1.2, -2.6, -5.0, -4.1, -19.1, -63.9, -1.6, -5.6]),
        BoardWeights([60.0, 60.0, -3.0, -15.0, -6.0, -2.0, -3.0, -3.0, -15.0, -20.0, -10.0, 0.0]),
    ];

    /// How many weights are [tried first](Self::first_tried).
    pub(super) const FIRST_TRIED: usize = BoardWeights::PRESETS.len() * BoardWeights::SCALES.len();
    const SCALES: [f32; 4] = [1.0, 2.0, 0.5, 4.0];

    /// The presets, then the same at other scales. The points of locks and falls are not scaled, so large
    /// weights play for a tidy board, and small ones for points at once.
    pub(super) fn first_tried() -> impl Iterator<Item = BoardWeights> {
        BoardWeights::SCALES.into_iter().flat_map(|scale| {
            BoardWeights::PRESETS.map(|preset| BoardWeights(preset.0.map(|weight| scale * weight)))
        })
    }

    /// Random weights nearby. The distance is random too, so that both fine and coarse
    /// changes are tried.
    pub(super) fn vary(&self, rng: &mut Rng) -> BoardWeights {
        let scale = 0.1 * (1 << rng.below(5)) as f32;
        let mut weights = *self;
        for weight in &mut weights.0 {
            if rng.chance(0.5) {
                let noise = (0..4).map(|_| rng.unit() as f32 - 0.5).sum::<f32>();
                *weight += scale * noise * (weight.abs() + 1.0);
            }
        }
        weights
    }

    /// Returns what a board is worth, in points.
    #[inline]
    pub fn of(&self, board: &Board) -> f32 {
        let features = features(board);
        features.iter().zip(&self.0).map(|(feature, weight)| feature * weight).sum()
    }
}

/// Spreads `bits` sideways through the runs of `room` in which they lie.
#[inline]
fn spread(bits: u128, room: u128) -> u128 {
    // Upwards all at once: adding a bit to the run of ones in which it lies carries through to the end of the
    // run (Myers 1999). Downwards step by step, which is rarely far.
    let mut all = (((bits & room).wrapping_add(room)) ^ room) & room | bits;
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
/// 11. empty cells with both neighbours in the row full.
pub fn features(board: &Board) -> [f32; FEATURES] {
    let rows = board.rows();
    let (height, width) = (rows.len(), board.width());
    let full = board.full_row();
    let last = 1u128 << (width - 1);
    let upper = (height / 4).max(4);
    let mut f = [0f32; FEATURES];
    let top = rows.iter().position(|row| *row != 0).unwrap_or(height);
    let share = (height - top) as f32 / height as f32;
    f[9] = 10.0 * share.powi(4);
    let mut above = 0u128;
    let mut reached = full;
    let scale = 1.0 / width as f32;
    let (mut cells_height, mut lost, mut both, mut one) = (0u32, 0u32, 0u32, 0u32);
    let (mut sides, mut hollow, mut lost_rows, mut pits, mut high) = (0u32, 0u32, 0u32, 0u32, 0u32);
    for (y, row) in rows.iter().copied().enumerate().skip(top) {
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
            (above << 1 | 1, above, reached | reached << 1)
        };
        both += (empty & west & east).count_ones();
        let single = empty & (west ^ east);
        one += single.count_ones();
        hollow += (empty & west).count_ones() + (empty & east).count_ones();
        reached = spread(from & empty, empty);
        let shut = (empty & !reached).count_ones();
        lost += shut;
        lost_rows += u32::from(shut > 0);
        let (left, right) = (row << 1 | 1, row >> 1 | last);
        sides += ((row ^ left) & full).count_ones();
        pits += (empty & left & right).count_ones();
        above = row;
    }
    f[2] = cells_height as f32 * scale;
    f[3] = lost as f32;
    f[4] = both as f32;
    f[5] = one as f32;
    f[6] = sides as f32;
    f[7] = hollow as f32;
    f[8] = lost_rows as f32;
    f[10] = high as f32;
    f[11] = pits as f32;
    f
}
