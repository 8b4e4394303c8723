//! Convolutions in whole numbers, for networks whose files ask for them (`precision`): twice as
//! fast as in floats if a processor has AVX2. Weights are rounded once. The input of a layer is
//! rounded for each position, on a scale from 0 to its greatest number, to so few bits that no sum
//! overflows. Sums of whole numbers do not depend on the order, so both implementations, and all
//! machines, agree to the bit.

use crate::convolution::LANES;

/// Inputs lie in pairs, since processors multiply two and add the products in one instruction.
const PAIR: usize = 2;
/// The number of pairs of inputs that are read without checking their indices.
const CHUNK: usize = LANES / PAIR;

/// The weights of a layer, rounded.
#[derive(Clone, Debug)]
pub(crate) struct RoundedWeights {
    /// For every group of lanes, by tap and pair of channels, two weights for each output.
    pairs: Vec<[i16; PAIR * LANES]>,
    /// The number for which a rounded weight of 1 stands.
    unit: f32,
    /// The greatest number to which inputs are rounded.
    most: f32,
}

/// The rounded input of a layer.
#[derive(Clone, Debug, Default)]
pub(crate) struct RoundedInput {
    /// By cell, then pair of channels, with the first of the two in the lower half.
    pairs: Vec<u32>,
    /// The number for which 1 stands.
    unit: f32,
}

/// A convolution. The numbers of a cell lie side by side, one cell behind the other.
#[derive(Clone, Copy)]
pub(crate) struct RoundedConvolution<'a> {
    /// The indices of the cells inside the rim.
    pub(crate) cells: &'a [usize],
    /// The offsets from a cell to the cells that the taps of the kernel read.
    pub(crate) taps: &'a [isize],
    /// The numbers per cell, in whole lanes.
    pub(crate) width: usize,
    /// The weights of the layer.
    pub(crate) weights: &'a RoundedWeights,
    /// The bias of each output.
    pub(crate) bias: &'a [f32],
    /// What is added before the rectifier.
    pub(crate) plus: Option<&'a [f32]>,
}

impl RoundedWeights {
    /// Rounds weights by tap, input and output; there are as many inputs as outputs.
    pub(crate) fn new(weights: &[f32], channels: usize) -> RoundedWeights {
        let width = usize::next_multiple_of(channels, LANES);
        let taps = weights.len() / (channels * channels);
        // The greatest numbers whose products never add up to 2³¹.
        let most = f64::from(i32::MAX) / (taps * channels) as f64;
        let most = most.sqrt().floor().min(f64::from(i16::MAX)) as f32;
        let greatest = weights.iter().fold(0.0_f32, |most, weight| most.max(weight.abs()));
        let scale = if greatest > 0.0 { most / greatest } else { 0.0 };
        let weight = |tap: usize, input: usize, output: usize| match input.max(output) < channels {
            true => (weights[(tap * channels + input) * channels + output] * scale).round() as i16,
            false => 0,
        };
        let mut pairs = Vec::with_capacity(taps * width * width / (PAIR * LANES));
        for lane in (0..width).step_by(LANES) {
            for tap in 0..taps {
                for input in (0..width).step_by(PAIR) {
                    pairs.push(std::array::from_fn(|at| {
                        weight(tap, input + at % PAIR, lane + at / PAIR)
                    }));
                }
            }
        }
        RoundedWeights { pairs, unit: greatest / most, most }
    }
}

impl RoundedInput {
    /// Rounds numbers that are at least 0, for a layer with these weights.
    pub(crate) fn round(&mut self, numbers: &[f32], weights: &RoundedWeights) {
        self.pairs.resize(numbers.len() / PAIR, 0);
        let numbers = numbers.as_chunks::<LANES>().0;
        let mut greatest = [0.0_f32; LANES];
        for numbers in numbers {
            for (most, number) in greatest.iter_mut().zip(numbers) {
                *most = if *number > *most { *number } else { *most };
            }
        }
        let greatest = greatest.into_iter().fold(0.0, f32::max);
        // Numbers so large that they are close to infinity carry no information.
        if greatest <= f32::MIN_POSITIVE || greatest > f32::MAX / 65_536.0 {
            self.pairs.fill(0);
            self.unit = 0.0;
            return;
        }
        self.unit = greatest / weights.most;
        let (pairs, scale) = (self.pairs.as_chunks_mut::<CHUNK>().0, weights.most / greatest);
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has just reported the features for which this is compiled.
            return unsafe { avx2::round(numbers, scale, pairs) };
        }
        round_plainly(numbers, scale, pairs);
    }
}

fn round_plainly(numbers: &[[f32; LANES]], scale: f32, pairs: &mut [[u32; CHUNK]]) {
    let round = |number: f32| (number * scale + 0.5) as u32;
    for (numbers, pairs) in numbers.iter().zip(pairs) {
        *pairs = std::array::from_fn(|at| {
            round(numbers[PAIR * at]) | round(numbers[PAIR * at + 1]) << 16
        });
    }
}

impl RoundedConvolution<'_> {
    /// Writes the outputs of all cells.
    pub(crate) fn run(&self, input: &RoundedInput, out: &mut [f32]) {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has just reported the features for which this is compiled.
            return unsafe { avx2::run(self, input, out) };
        }
        self.run_plainly(input, out);
    }

    fn run_plainly(&self, input: &RoundedInput, out: &mut [f32]) {
        let unit = self.unit(input);
        for cell in self.cells {
            for (group, lane) in (0..self.width).step_by(LANES).enumerate() {
                let mut sums = [0_i32; LANES];
                for (tap, offset) in self.taps.iter().enumerate() {
                    let weights = self.weights_of(group, tap).as_flattened();
                    for (pair, weights) in
                        self.row(input, *cell, *offset).iter().flatten().zip(weights)
                    {
                        let (first, second) = ((*pair & 0xFFFF) as i32, (*pair >> 16) as i32);
                        for (o, sum) in sums.iter_mut().enumerate() {
                            *sum += first * i32::from(weights[PAIR * o])
                                + second * i32::from(weights[PAIR * o + 1]);
                        }
                    }
                }
                let place = cell * self.width + lane;
                for (o, sum) in sums.iter().enumerate() {
                    let mut number = *sum as f32 * unit + self.bias[lane + o];
                    if let Some(plus) = self.plus {
                        number += plus[place + o];
                    }
                    out[place + o] = number.max(0.0);
                }
            }
        }
    }

    /// The number for which a sum of 1 stands.
    fn unit(&self, input: &RoundedInput) -> f32 {
        input.unit * self.weights.unit
    }

    /// The weights of a group of lanes for the input of a tap.
    #[inline]
    fn weights_of(&self, group: usize, tap: usize) -> &[[[i16; PAIR * LANES]; CHUNK]] {
        let chunks = self.width / LANES;
        let first = (group * self.taps.len() + tap) * chunks;
        &self.weights.pairs.as_chunks().0[first..first + chunks]
    }

    /// The numbers that a tap of a cell's kernel reads.
    #[inline]
    fn row<'a>(&self, input: &'a RoundedInput, cell: usize, offset: isize) -> &'a [[u32; CHUNK]] {
        let chunks = self.width / LANES;
        let from = cell.wrapping_add_signed(offset) * chunks;
        &input.pairs.as_chunks().0[from..from + chunks]
    }
}

/// The same with a register for eight outputs of a cell; twelve of the sixteen registers hold sums.
#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{CHUNK, LANES, PAIR, RoundedConvolution, RoundedInput};
    use crate::convolution::avx2::load;
    use std::arch::x86_64::{
        __m256i, _mm_storeu_si128, _mm256_add_epi32, _mm256_add_ps, _mm256_castsi256_si128,
        _mm256_cvtepi32_ps, _mm256_cvttps_epi32, _mm256_loadu_si256, _mm256_madd_epi16,
        _mm256_max_ps, _mm256_mul_ps, _mm256_or_si256, _mm256_permutevar8x32_epi32,
        _mm256_set1_epi32, _mm256_set1_ps, _mm256_setr_epi32, _mm256_setzero_ps,
        _mm256_setzero_si256, _mm256_srli_epi64, _mm256_storeu_ps,
    };

    #[target_feature(enable = "avx2")]
    pub(super) fn round(numbers: &[[f32; LANES]], scale: f32, pairs: &mut [[u32; CHUNK]]) {
        let (scale, half) = (_mm256_set1_ps(scale), _mm256_set1_ps(0.5));
        let lower = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
        for (numbers, pairs) in numbers.iter().zip(pairs) {
            // Use two instructions: a fused one would not round the product.
            let scaled = _mm256_add_ps(_mm256_mul_ps(load(numbers), scale), half);
            let whole = _mm256_cvttps_epi32(scaled);
            // The second number of each pair moves into the upper half of the first.
            let joined = _mm256_or_si256(whole, _mm256_srli_epi64::<16>(whole));
            let four = _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(joined, lower));
            // SAFETY: there is room for the four numbers that are written, which need not be
            // aligned.
            unsafe { _mm_storeu_si128(pairs.as_mut_ptr().cast(), four) };
        }
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn run(of: &RoundedConvolution<'_>, input: &RoundedInput, out: &mut [f32]) {
        let groups = of.width / LANES;
        for group in (0..groups / 2 * 2).step_by(2) {
            convolve_lanes::<6, 2>(of, input, group, out);
        }
        if groups % 2 == 1 {
            convolve_lanes::<12, 1>(of, input, groups - 1, out);
        }
    }

    /// Computes the outputs of all cells in some groups of lanes.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn convolve_lanes<const CELLS: usize, const GROUPS: usize>(
        of: &RoundedConvolution<'_>,
        input: &RoundedInput,
        group: usize,
        out: &mut [f32],
    ) {
        let (tiles, rest) = of.cells.as_chunks::<CELLS>();
        for cells in tiles {
            convolve_cells::<CELLS, GROUPS>(of, input, group, out, cells);
        }
        for cell in rest {
            convolve_cells::<1, GROUPS>(of, input, group, out, &[*cell]);
        }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn convolve_cells<const CELLS: usize, const GROUPS: usize>(
        of: &RoundedConvolution<'_>,
        input: &RoundedInput,
        group: usize,
        out: &mut [f32],
        cells: &[usize; CELLS],
    ) {
        let mut sums: [[__m256i; GROUPS]; CELLS] = [[_mm256_setzero_si256(); GROUPS]; CELLS];
        for (tap, offset) in of.taps.iter().enumerate() {
            // Use loops, since closures in such a function are not inlined into it.
            let mut rows: [&[[u32; CHUNK]]; CELLS] = [&[]; CELLS];
            for (row, cell) in rows.iter_mut().zip(cells) {
                *row = of.row(input, *cell, *offset);
            }
            let mut weights: [&[[[i16; PAIR * LANES]; CHUNK]]; GROUPS] = [&[]; GROUPS];
            for (g, weights) in weights.iter_mut().enumerate() {
                *weights = of.weights_of(group + g, tap);
            }
            // Several pairs at a time, so that none of their indices has to be checked.
            for chunk in 0..of.width / LANES {
                for i in 0..CHUNK {
                    let mut loaded = [_mm256_setzero_si256(); GROUPS];
                    for (loaded, weights) in loaded.iter_mut().zip(weights) {
                        *loaded = load_weights(&weights[chunk][i]);
                    }
                    for (sums, row) in sums.iter_mut().zip(rows) {
                        let pair = _mm256_set1_epi32(row[chunk][i].cast_signed());
                        for (sum, weights) in sums.iter_mut().zip(loaded) {
                            *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(pair, weights));
                        }
                    }
                }
            }
        }
        let unit = _mm256_set1_ps(of.unit(input));
        for (cell, sums) in cells.iter().zip(sums) {
            for (g, sum) in sums.into_iter().enumerate() {
                let lane = (group + g) * LANES;
                let place = cell * of.width + lane;
                let bias = load(lanes(of.bias, lane));
                let mut number = _mm256_add_ps(_mm256_mul_ps(_mm256_cvtepi32_ps(sum), unit), bias);
                if let Some(plus) = of.plus {
                    number = _mm256_add_ps(number, load(lanes(plus, place)));
                }
                let out = &mut out[place..place + LANES];
                // SAFETY: there is room for the eight numbers that are written, which need not be
                // aligned.
                unsafe {
                    _mm256_storeu_ps(out.as_mut_ptr(), _mm256_max_ps(number, _mm256_setzero_ps()));
                }
            }
        }
    }

    #[inline]
    fn lanes(numbers: &[f32], place: usize) -> &[f32; LANES] {
        numbers[place..].first_chunk().expect("whole lanes")
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn load_weights(weights: &[i16; PAIR * LANES]) -> __m256i {
        // SAFETY: the sixteen numbers that are read exist, and need not be aligned.
        unsafe { _mm256_loadu_si256(weights.as_ptr().cast()) }
    }
}

#[cfg(test)]
mod tests {
    use quintain_core::Rng;

    use super::*;
    use crate::convolution::tests::board;

    fn draw(rng: &mut Rng, count: usize, least: f32) -> Vec<f32> {
        (0..count).map(|_| (rng.below(2000) as f32 / 777.0 - 1.2).max(least)).collect()
    }

    #[test]
    fn plain_and_fast_code_agree_and_are_close_to_floats() {
        let mut rng = Rng::from_seed(1);
        for (rows, columns, channels) in [(6, 7, 32), (5, 5, 3), (4, 9, 12), (1, 1, 8), (7, 6, 24)]
        {
            let (cells, taps) = board(rows, columns);
            let width = usize::next_multiple_of(channels, LANES);
            let whole = (rows + 2) * (columns + 2) * width;
            let floats = draw(&mut rng, 9 * channels * channels, -2.0);
            let weights = RoundedWeights::new(&floats, channels);
            let (bias, plus) = (draw(&mut rng, width, -2.0), draw(&mut rng, whole, -2.0));
            // Only the cells of the board and the real channels hold anything.
            let mut numbers = vec![0.0; whole];
            for cell in &cells {
                numbers[cell * width..][..channels].copy_from_slice(&draw(&mut rng, channels, 0.0));
            }
            let mut input = RoundedInput::default();
            input.round(&numbers, &weights);
            let mut plainly = vec![[0; CHUNK]; whole / LANES];
            let greatest = numbers.iter().copied().fold(0.0, f32::max);
            round_plainly(numbers.as_chunks().0, weights.most / greatest, &mut plainly);
            assert_eq!(input.pairs, plainly.as_flattened());
            for plus in [None, Some(&plus[..])] {
                let convolution = RoundedConvolution {
                    cells: &cells,
                    taps: &taps,
                    width,
                    weights: &weights,
                    bias: &bias,
                    plus,
                };
                let (mut fast, mut plain) = (vec![0.0; whole], vec![0.0; whole]);
                convolution.run(&input, &mut fast);
                convolution.run_plainly(&input, &mut plain);
                let bits =
                    |numbers: &[f32]| numbers.iter().map(|n| n.to_bits()).collect::<Vec<_>>();
                assert_eq!(bits(&fast), bits(&plain), "{rows}×{columns}, {channels} channels");
                for (cell, output) in cells.iter().flat_map(|c| (0..channels).map(move |o| (c, o)))
                {
                    let place = cell * width + output;
                    let mut sum = f64::from(bias[output]);
                    for (tap, offset) in taps.iter().enumerate() {
                        let from = cell.wrapping_add_signed(*offset) * width;
                        for i in 0..channels {
                            let weight = floats[(tap * channels + i) * channels + output];
                            sum += f64::from(numbers[from + i]) * f64::from(weight);
                        }
                    }
                    sum += plus.map_or(0.0, |plus| f64::from(plus[place]));
                    let error = (f64::from(fast[place]) - sum.max(0.0)).abs();
                    assert!(error < 0.05, "{error} off {sum}");
                }
            }
        }
    }

    #[test]
    fn the_greatest_numbers_do_not_overflow() {
        let channels = 32;
        let weights = RoundedWeights::new(&vec![1.0; 9 * channels * channels], channels);
        let taps = [0; 9];
        let mut input = RoundedInput::default();
        input.round(&vec![3.0; channels], &weights);
        let convolution = RoundedConvolution {
            cells: &[0],
            taps: &taps,
            width: channels,
            weights: &weights,
            bias: &vec![0.0; channels],
            plus: None,
        };
        let mut out = vec![0.0; channels];
        convolution.run(&input, &mut out);
        assert!(out.iter().all(|sum| (sum - 9.0 * 32.0 * 3.0).abs() < 0.1), "{out:?}");
    }

    #[test]
    fn zero_inputs_leave_the_bias() {
        let weights = RoundedWeights::new(&vec![0.5; 9 * 64], 8);
        let mut input = RoundedInput::default();
        for nothing in [0.0, f32::INFINITY] {
            input.round(&[nothing; 8], &weights);
            assert_eq!((input.unit, &input.pairs[..]), (0.0, &[0; 4][..]));
        }
    }
}
