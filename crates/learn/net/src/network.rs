//! A residual network with a policy and a value, evaluated on the CPU. Every number is the sum of
//! the same products in the same order, so one file gives the same decisions on every machine:
//! there is no fused multiply-add, and no sum is split among threads or lanes. Only the outputs of
//! a layer, which are independent, are computed side by side.
//!
//! The board is planes of ones (one-hot cells, or bits of words), so the first layer adds up rows
//! of its weights instead of multiplying. Activations are ordered by cell, then channel, on a board
//! with a rim of zeros, so that no kernel needs to know where the board ends.

use crate::convolution::{Convolution, LANES};
use crate::file::{Header, NetworkFile, Precision};
use crate::quantized::{RoundedConvolution, RoundedInput, RoundedWeights};

/// A network, ready to evaluate positions.
#[derive(Clone, Debug)]
pub struct Network {
    header: Header,
    stem: Layer,
    numbers: Vec<f32>,
    blocks: Vec<[Layer; 2]>,
    /// The weights of the blocks, if they are computed in whole numbers.
    rounded: Vec<[RoundedWeights; 2]>,
    /// The layer of the logits of each cell's actions, by kind.
    cell_policy: Option<Layer>,
    /// The layers of the channels of all cells and of the logits of the other actions.
    policy: Option<[Layer; 2]>,
    value_conv: Layer,
    hidden: Layer,
    value: Layer,
    /// The index of every cell on the board with a rim.
    inner: Vec<usize>,
    /// The offsets from a cell to the cells that the taps of a kernel read.
    taps: Vec<isize>,
    /// The number of cells of the board with its rim.
    rimmed: usize,
}

/// Weights by tap and input, with a row of outputs each, padded with zeros to whole lanes.
#[derive(Clone, Debug)]
struct Layer {
    weights: Vec<f32>,
    /// The same for convolutions: for every group of lanes, its part of all rows.
    blocks: Vec<[f32; LANES]>,
    bias: Vec<f32>,
    /// The number of outputs, padding included.
    width: usize,
}

impl Layer {
    fn new(weights: &[f32], bias: &[f32]) -> Layer {
        let outputs = bias.len();
        let width = outputs.next_multiple_of(LANES);
        let pad = |row: &[f32]| {
            let mut row = row.to_vec();
            row.resize(width, 0.0);
            row
        };
        let weights: Vec<f32> = weights.chunks_exact(outputs).flat_map(pad).collect();
        let groups = (0..width).step_by(LANES);
        let blocks = groups.flat_map(|lane| {
            weights.chunks_exact(width).map(move |row| std::array::from_fn(|o| row[lane + o]))
        });
        let blocks = blocks.collect();
        Layer { blocks, bias: pad(bias), width, weights }
    }

    /// Computes a dense layer; `out` gets `width` numbers.
    fn dense(&self, input: &[f32], out: &mut Vec<f32>) {
        out.clear();
        out.extend_from_slice(&self.bias);
        for (number, row) in input.iter().zip(self.weights.chunks_exact(self.width)) {
            // Most inputs are 0 after a rectifier; adding products of 0 changes nothing.
            if *number != 0.0 {
                for (out, weight) in out.iter_mut().zip(row) {
                    *out += number * weight;
                }
            }
        }
    }
}

/// A network's evaluation of one position, for one seat.
#[derive(Clone, Debug, Default)]
pub struct Evaluation {
    /// A logit for each action, legal or not.
    pub logits: Vec<f32>,
    /// From -1 to 1, over [`Header::range`].
    pub value: f32,
}

/// Buffers of an evaluation, kept between positions.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    trunk: Vec<f32>,
    half: Vec<f32>,
    sum: Vec<f32>,
    small: Vec<f32>,
    flat: Vec<f32>,
    out: Vec<f32>,
    rounded: RoundedInput,
}

impl Network {
    /// Builds the network of a file.
    pub fn new(file: &NetworkFile) -> Network {
        let header = file.header.clone();
        let stem = Layer::new(&file.tensors[0], &file.tensors[1]);
        let numbers = file.tensors[2].chunks_exact(header.channels).flat_map(|row| {
            let padding = std::iter::repeat_n(&0.0, stem.width - header.channels);
            row.iter().chain(padding).copied().collect::<Vec<_>>()
        });
        let numbers = numbers.collect();
        // After the tensors of the stem come pairs of weights and bias.
        let mut pairs = file.tensors[3..].chunks_exact(2);
        let rounded = match header.precision {
            Precision::F32 => Vec::new(),
            Precision::I16 => {
                let round = |pair: &[Vec<f32>]| RoundedWeights::new(&pair[0], header.channels);
                let halves: Vec<RoundedWeights> =
                    pairs.clone().take(2 * header.blocks).map(round).collect();
                halves.as_chunks().0.to_vec()
            }
        };
        let mut layer = || {
            let pair = pairs.next().expect("the file has all tensors");
            Layer::new(&pair[0], &pair[1])
        };
        let blocks = (0..header.blocks).map(|_| [layer(), layer()]).collect();
        let cell_policy = (header.cell_actions > 0).then(&mut layer);
        let policy = (header.other_actions() > 0).then(|| [layer(), layer()]);
        let [value_conv, hidden, value] = [layer(), layer(), layer()];
        let ([rows, columns], kernel) = (header.board, header.kernel());
        let rim = kernel / 2;
        let across = columns + 2 * rim;
        let inner = (0..rows * columns)
            .map(|cell| (cell / columns + rim) * across + cell % columns + rim)
            .collect();
        let taps = (0..kernel * kernel)
            .map(|tap| {
                let (down, right) = ((tap / kernel) as isize, (tap % kernel) as isize);
                (down - rim as isize) * across as isize + right - rim as isize
            })
            .collect();
        let rimmed = (rows + 2 * rim) * across;
        Network {
            header,
            stem,
            numbers,
            blocks,
            rounded,
            cell_policy,
            policy,
            value_conv,
            hidden,
            value,
            inner,
            taps,
            rimmed,
        }
    }

    /// The header of its file: what it was made for.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Computes the policy and the value of a position. `ones` are the planes that are set, as the
    /// cell and the plane of each; `numbers` are scaled features, then the seat, one-hot, if the
    /// network is told the seat.
    pub fn evaluate(
        &self,
        ones: impl Iterator<Item = (usize, usize)>,
        numbers: &[f32],
        scratch: &mut Scratch,
        answer: &mut Evaluation,
    ) {
        self.evaluate_stem(ones, numbers, scratch);
        self.evaluate_blocks(scratch);
        self.evaluate_policy(scratch, &mut answer.logits);
        answer.value = self.evaluate_value(scratch);
    }

    /// Computes the input of the first block: every set plane adds its row to the cells whose
    /// kernel reads it.
    #[inline]
    fn evaluate_stem(
        &self,
        ones: impl Iterator<Item = (usize, usize)>,
        numbers: &[f32],
        scratch: &mut Scratch,
    ) {
        let width = self.stem.width;
        let Scratch { trunk, half, sum, .. } = scratch;
        for buffer in [&mut *trunk, &mut *half, &mut *sum] {
            buffer.clear();
            buffer.resize(self.rimmed * width, 0.0);
        }
        let mut start = self.stem.bias.clone();
        for (number, row) in numbers.iter().zip(self.numbers.chunks_exact(width)) {
            for (start, weight) in start.iter_mut().zip(row) {
                *start += number * weight;
            }
        }
        for cell in &self.inner {
            sum[cell * width..][..width].copy_from_slice(&start);
        }
        for (cell, plane) in ones {
            let seen = self.inner[cell];
            for (tap, offset) in self.taps.iter().enumerate() {
                let from = seen.wrapping_add_signed(-offset);
                let row = &self.stem.weights[(tap * self.header.planes + plane) * width..][..width];
                // What is added on the rim is never read.
                for (sum, weight) in sum[from * width..][..width].iter_mut().zip(row) {
                    *sum += weight;
                }
            }
        }
        for cell in &self.inner {
            let place = cell * width..(cell + 1) * width;
            for (out, sum) in trunk[place.clone()].iter_mut().zip(&sum[place]) {
                *out = sum.max(0.0);
            }
        }
        // From here on the rim is 0: layers write only inner cells.
        sum.fill(0.0);
    }

    /// Computes what the heads read: the trunk after all blocks.
    #[inline]
    fn evaluate_blocks(&self, scratch: &mut Scratch) {
        let Scratch { trunk, half, sum, flat, rounded, .. } = scratch;
        for (block, [first, second]) in self.blocks.iter().enumerate() {
            if let Some(weights) = self.rounded.get(block) {
                rounded.round(trunk, &weights[0]);
                self.convolve_rounded(&weights[0], &first.bias, rounded, None, half);
                rounded.round(half, &weights[1]);
                self.convolve_rounded(&weights[1], &second.bias, rounded, Some(trunk), sum);
            } else {
                self.convolve(first, &self.taps, trunk, None, flat, half);
                self.convolve(second, &self.taps, half, Some(trunk), flat, sum);
            }
            std::mem::swap(trunk, sum);
        }
    }

    /// Computes the logits: those of the other actions, then those of each cell's actions, by kind.
    #[inline]
    fn evaluate_policy(&self, scratch: &mut Scratch, logits: &mut Vec<f32>) {
        let Scratch { trunk, small, flat, out, .. } = scratch;
        logits.clear();
        let others = self.header.other_actions();
        if let Some([conv, policy]) = &self.policy {
            self.flatten(conv, self.header.heads[0], trunk, small, flat);
            policy.dense(flat, out);
            logits.extend_from_slice(&out[..others]);
        }
        if let Some(layer) = &self.cell_policy {
            logits.resize(self.header.actions, 0.0);
            let (cells, kinds) = (self.inner.len(), self.header.cell_actions);
            for (cell, inner) in self.inner.iter().enumerate() {
                layer.dense(&trunk[inner * self.stem.width..][..self.header.channels], small);
                for (kind, logit) in small[..kinds].iter().enumerate() {
                    logits[others + kind * cells + cell] = *logit;
                }
            }
        }
    }

    /// Computes the value, from -1 to 1.
    #[inline]
    fn evaluate_value(&self, scratch: &mut Scratch) -> f32 {
        let Scratch { trunk, small, flat, out, .. } = scratch;
        self.flatten(&self.value_conv, self.header.heads[1], trunk, small, flat);
        self.hidden.dense(flat, out);
        flat.clear();
        flat.extend(out[..self.header.hidden].iter().map(|unit| unit.max(0.0)));
        self.value.dense(flat, out);
        out[0].clamp(-1.0, 1.0)
    }

    /// Computes a convolution with a rectifier; `plus`, if given, is added before the rectifier.
    fn convolve(
        &self,
        layer: &Layer,
        taps: &[isize],
        input: &[f32],
        plus: Option<&[f32]>,
        window: &mut Vec<f32>,
        out: &mut [f32],
    ) {
        let convolution = Convolution {
            cells: &self.inner,
            taps,
            channels: self.header.channels,
            width: self.stem.width,
            outputs: layer.width,
            weights: &layer.blocks,
            bias: &layer.bias,
            input,
            plus,
        };
        convolution.run(window, out);
    }

    /// The same in whole numbers.
    fn convolve_rounded(
        &self,
        weights: &RoundedWeights,
        bias: &[f32],
        input: &RoundedInput,
        plus: Option<&[f32]>,
        out: &mut [f32],
    ) {
        let (cells, taps, width) = (&self.inner[..], &self.taps[..], self.stem.width);
        RoundedConvolution { cells, taps, width, weights, bias, plus }.run(input, out);
    }

    /// The channels of a head for every cell, rectified, one cell after another.
    fn flatten(
        &self,
        layer: &Layer,
        channels: usize,
        trunk: &[f32],
        small: &mut Vec<f32>,
        flat: &mut Vec<f32>,
    ) {
        small.resize(self.rimmed * layer.width, 0.0);
        self.convolve(layer, &[0], trunk, None, flat, small);
        flat.clear();
        for cell in &self.inner {
            flat.extend_from_slice(&small[cell * layer.width..][..channels]);
        }
    }
}
