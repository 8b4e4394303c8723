//! The inner loops of a network: a convolution with a rectifier, on a board with a rim of zeros.
//! There are two implementations: one in plain Rust, and one for processors with AVX2, which is
//! twice as fast. In both, each output is the sum of the same products in the same order, and each
//! product is rounded before it is added, so they agree to the bit.

/// Outputs that are summed side by side: as many as fit into the registers of any x86-64.
pub(crate) const LANES: usize = 8;
/// The number of cells for which the weights are read only once.
const CELLS: usize = 3;

/// A convolution. The numbers of a cell lie side by side, one cell behind the other.
#[derive(Clone, Copy)]
pub(crate) struct Convolution<'a> {
    /// The indices of the cells inside the rim.
    pub(crate) cells: &'a [usize],
    /// The offsets from a cell to the cells that the taps of the kernel read.
    pub(crate) taps: &'a [isize],
    /// How many numbers of each cell are read.
    pub(crate) channels: usize,
    /// The numbers per cell in the input, including padding to whole lanes.
    pub(crate) width: usize,
    /// The numbers per cell in the output, in whole lanes.
    pub(crate) outputs: usize,
    /// For each group of lanes, a row for each tap and channel.
    pub(crate) weights: &'a [[f32; LANES]],
    /// The bias of each output.
    pub(crate) bias: &'a [f32],
    /// The numbers that are read.
    pub(crate) input: &'a [f32],
    /// What is added before the rectifier, laid out like the output.
    pub(crate) plus: Option<&'a [f32]>,
}

impl Convolution<'_> {
    /// Writes the outputs of all cells.
    pub(crate) fn run(&self, window: &mut Vec<f32>, out: &mut [f32]) {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has just reported the features for which this is compiled.
            return unsafe { avx2::run(self, out) };
        }
        self.run_plainly(window, out);
    }

    fn run_plainly(&self, window: &mut Vec<f32>, out: &mut [f32]) {
        let (groups, rest) = self.cells.as_chunks::<CELLS>();
        for cells in groups {
            self.convolve_cells(window, out, cells);
        }
        for cell in rest {
            self.convolve_cells(window, out, &[*cell]);
        }
    }

    /// Computes the outputs of a few cells. Their inputs are first laid side by side: one number of
    /// each cell for every tap and channel.
    #[inline]
    fn convolve_cells<const N: usize>(
        &self,
        window: &mut Vec<f32>,
        out: &mut [f32],
        cells: &[usize; N],
    ) {
        window.clear();
        for offset in self.taps {
            let rows: [&[f32]; N] = std::array::from_fn(|n| self.row(cells[n], *offset));
            for i in 0..self.channels {
                window.extend(rows.iter().map(|row| row[i]));
            }
        }
        let blocks = self.weights.chunks_exact(self.taps.len() * self.channels);
        for ((block, bias), lane) in
            blocks.zip(self.bias.as_chunks::<LANES>().0).zip((0..).step_by(LANES))
        {
            let mut sums = [*bias; N];
            for (numbers, row) in window.as_chunks::<N>().0.iter().zip(block) {
                for n in 0..N {
                    for o in 0..LANES {
                        sums[n][o] += numbers[n] * row[o];
                    }
                }
            }
            for (cell, sums) in cells.iter().zip(&sums) {
                self.write(cell * self.outputs + lane, sums, out);
            }
        }
    }

    /// The numbers that a tap of a cell's kernel reads.
    #[inline]
    fn row(&self, cell: usize, offset: isize) -> &[f32] {
        let from = cell.wrapping_add_signed(offset);
        &self.input[from * self.width..][..self.channels]
    }

    #[inline]
    fn write(&self, place: usize, sums: &[f32; LANES], out: &mut [f32]) {
        let out = &mut out[place..place + LANES];
        match self.plus {
            Some(plus) => {
                for ((out, sum), plus) in out.iter_mut().zip(sums).zip(&plus[place..]) {
                    *out = (sum + plus).max(0.0);
                }
            }
            None => {
                for (out, sum) in out.iter_mut().zip(sums) {
                    *out = sum.max(0.0);
                }
            }
        }
    }
}

/// The same with a register for eight outputs of a cell; twelve of the sixteen registers hold sums.
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2 {
    use std::arch::x86_64::{
        __m256, _mm256_add_ps, _mm256_loadu_ps, _mm256_mul_ps, _mm256_set1_ps, _mm256_storeu_ps,
    };
    use std::array::from_fn;

    use super::{Convolution, LANES};

    #[target_feature(enable = "avx2")]
    pub(super) fn run(of: &Convolution<'_>, out: &mut [f32]) {
        let inputs = of.taps.len() * of.channels;
        let (pairs, last) = of.weights.split_at(of.weights.len() / (2 * inputs) * 2 * inputs);
        for (weights, lane) in pairs.chunks_exact(2 * inputs).zip((0..).step_by(2 * LANES)) {
            let (first, second) = weights.split_at(inputs);
            convolve_lanes::<6, 2>(of, [first, second], lane, out);
        }
        if !last.is_empty() {
            convolve_lanes::<12, 1>(of, [last], pairs.len() / inputs * LANES, out);
        }
    }

    /// Computes the outputs of all cells in some groups of lanes, the first of which begins at
    /// `lane`.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn convolve_lanes<const CELLS: usize, const GROUPS: usize>(
        of: &Convolution<'_>,
        weights: [&[[f32; LANES]]; GROUPS],
        lane: usize,
        out: &mut [f32],
    ) {
        let (groups, rest) = of.cells.as_chunks::<CELLS>();
        for cells in groups {
            convolve_cells(of, weights, lane, out, cells);
        }
        for cell in rest {
            convolve_cells(of, weights, lane, out, &[*cell]);
        }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn convolve_cells<const CELLS: usize, const GROUPS: usize>(
        of: &Convolution<'_>,
        weights: [&[[f32; LANES]]; GROUPS],
        lane: usize,
        out: &mut [f32],
        cells: &[usize; CELLS],
    ) {
        let bias = of.bias[lane..].as_chunks::<LANES>().0;
        let mut sums: [[__m256; GROUPS]; CELLS] = [from_fn(|group| load(&bias[group])); CELLS];
        for (tap, offset) in of.taps.iter().enumerate() {
            let rows: [_; CELLS] = from_fn(|n| of.row(cells[n], *offset).as_chunks::<LANES>());
            let weights: [_; GROUPS] = from_fn(|group| {
                weights[group][tap * of.channels..][..of.channels].as_chunks::<LANES>()
            });
            // Eight channels at a time, so that none of their indices has to be checked.
            for chunk in 0..of.channels / LANES {
                let numbers: [&[f32; LANES]; CELLS] = from_fn(|n| &rows[n].0[chunk]);
                let weights: [&[[f32; LANES]; LANES]; GROUPS] =
                    from_fn(|group| &weights[group].0[chunk]);
                for i in 0..LANES {
                    add(&mut sums, from_fn(|n| numbers[n][i]), from_fn(|g| &weights[g][i]));
                }
            }
            for i in 0..of.channels % LANES {
                add(&mut sums, from_fn(|n| rows[n].1[i]), from_fn(|g| &weights[g].1[i]));
            }
        }
        for (cell, sums) in cells.iter().zip(&sums) {
            for (group, sum) in sums.iter().enumerate() {
                of.write(cell * of.outputs + lane + group * LANES, &store(*sum), out);
            }
        }
    }

    /// Adds, for each cell, its number times the row of weights of each group.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn add<const CELLS: usize, const GROUPS: usize>(
        sums: &mut [[__m256; GROUPS]; CELLS],
        numbers: [f32; CELLS],
        weights: [&[f32; LANES]; GROUPS],
    ) {
        let weights: [__m256; GROUPS] = from_fn(|group| load(weights[group]));
        for (sums, number) in sums.iter_mut().zip(numbers) {
            let number = _mm256_set1_ps(number);
            for (sum, weights) in sums.iter_mut().zip(weights) {
                // Use two instructions: a fused one would not round the product.
                *sum = _mm256_add_ps(*sum, _mm256_mul_ps(number, weights));
            }
        }
    }

    /// Loads eight numbers.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(crate) fn load(numbers: &[f32; LANES]) -> __m256 {
        // SAFETY: the eight numbers that are read exist, and need not be aligned.
        unsafe { _mm256_loadu_ps(numbers.as_ptr()) }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn store(numbers: __m256) -> [f32; LANES] {
        let mut out = [0.0; LANES];
        // SAFETY: there is room for the eight numbers that are written, which need not be aligned.
        unsafe { _mm256_storeu_ps(out.as_mut_ptr(), numbers) };
        out
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The cells of a board with a rim, and the taps of a kernel of 3×3.
    pub(crate) fn board(rows: usize, columns: usize) -> (Vec<usize>, Vec<isize>) {
        let across = columns + 2;
        let cells = (0..rows * columns).map(|cell| {
            let (row, column) = (cell / columns, cell % columns);
            (row + 1) * across + column + 1
        });
        let taps = (0..9).map(|tap| (tap / 3 - 1) * across as isize + tap % 3 - 1);
        (cells.collect(), taps.collect())
    }

    /// Numbers that are not round, some of them 0, as after a rectifier.
    fn draw(rng: &mut quintain_core::Rng, count: usize) -> Vec<f32> {
        (0..count).map(|_| (rng.below(2000) as f32 - 900.0).max(-800.0) / 777.0).collect()
    }

    #[test]
    fn plain_and_fast_code_agree_to_the_bit() {
        let mut rng = quintain_core::Rng::from_seed(1);
        for (rows, columns, channels) in [(6, 7, 32), (5, 5, 3), (4, 9, 12), (1, 1, 8), (7, 6, 24)]
        {
            let (cells, taps) = board(rows, columns);
            let width = usize::next_multiple_of(channels, LANES);
            let whole = (rows + 2) * (columns + 2) * width;
            let weights = draw(&mut rng, 9 * channels * width);
            let (bias, input) = (draw(&mut rng, width), draw(&mut rng, whole));
            let plus = draw(&mut rng, whole);
            for plus in [None, Some(&plus[..])] {
                let convolution = Convolution {
                    cells: &cells,
                    taps: &taps,
                    channels,
                    width,
                    outputs: width,
                    weights: weights.as_chunks().0,
                    bias: &bias,
                    input: &input,
                    plus,
                };
                let (mut fast, mut plain) = (vec![0.0; whole], vec![0.0; whole]);
                convolution.run(&mut Vec::new(), &mut fast);
                convolution.run_plainly(&mut Vec::new(), &mut plain);
                let bits =
                    |numbers: &[f32]| numbers.iter().map(|n| n.to_bits()).collect::<Vec<_>>();
                assert_eq!(bits(&fast), bits(&plain), "{rows}×{columns}, {channels} channels");
                assert!(plain.iter().any(|number| *number > 0.0));
            }
        }
    }
}
