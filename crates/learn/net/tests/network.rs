//! The network against a slow and obvious implementation, and to the bit against recorded numbers.

mod common;

use common::{bytes, open, shapes, tensors, tron, tron_fields};
use quintain_core::Rng;
use quintain_net::file::{NetworkFile, Precision};
use quintain_net::network::{Evaluation, Network, Scratch};

/// Policy and value by the definition, with sums in the same order, but cell by cell in nested
/// loops.
fn plainly(file: &NetworkFile, board: &[usize], numbers: &[f32]) -> (Vec<f32>, f32) {
    let header = &file.header;
    let tensor = |name: &str| {
        let at = header.tensors().iter().position(|(known, _)| known == name).unwrap();
        &file.tensors[at]
    };
    let ([rows, columns], channels) = (header.board, header.channels);
    let convolve = |input: &[Vec<f32>], name: &str, outputs: usize| -> Vec<Vec<f32>> {
        let weights = tensor(&format!("{name}.weight"));
        let bias = tensor(&format!("{name}.bias"));
        let taps = weights.len() / outputs / input[0].len();
        let side = if taps == 9 { 3 } else { 1 };
        let mut out = vec![bias.clone(); rows * columns];
        for cell in 0..rows * columns {
            for tap in 0..taps {
                let row = (cell / columns + tap / side) as isize - side as isize / 2;
                let column = (cell % columns + tap % side) as isize - side as isize / 2;
                let is_inside =
                    (0..rows as isize).contains(&row) && (0..columns as isize).contains(&column);
                if !is_inside {
                    continue;
                }
                let from = &input[row as usize * columns + column as usize];
                for (i, number) in from.iter().enumerate() {
                    for o in 0..outputs {
                        out[cell][o] += number * weights[(tap * from.len() + i) * outputs + o];
                    }
                }
            }
        }
        out
    };
    let dense = |input: &[f32], name: &str| -> Vec<f32> {
        let (weights, mut out) =
            (tensor(&format!("{name}.weight")), tensor(&format!("{name}.bias")).clone());
        let outputs = out.len();
        for (i, number) in input.iter().enumerate() {
            for o in 0..outputs {
                out[o] += number * weights[i * outputs + o];
            }
        }
        out
    };
    let rectify = |rows: &mut [Vec<f32>]| {
        rows.iter_mut().flatten().for_each(|number| *number = number.max(0.0));
    };
    let one_hot = |plane: usize| (0..header.planes).map(move |p| f32::from(u8::from(p == plane)));
    let input: Vec<Vec<f32>> = board.iter().map(|plane| one_hot(*plane).collect()).collect();
    let mut trunk = convolve(&input, "stem", channels);
    for cell in &mut trunk {
        for (n, number) in numbers.iter().enumerate() {
            for o in 0..channels {
                cell[o] += number * tensor("stem.numbers")[n * channels + o];
            }
        }
    }
    rectify(&mut trunk);
    for block in 0..header.blocks {
        let mut half = convolve(&trunk, &format!("block{block}.a"), channels);
        rectify(&mut half);
        let mut whole = convolve(&half, &format!("block{block}.b"), channels);
        for (whole, trunk) in whole.iter_mut().flatten().zip(trunk.iter().flatten()) {
            *whole += trunk;
        }
        rectify(&mut whole);
        trunk = whole;
    }
    let head = |name: &str, outputs: usize| -> Vec<f32> {
        let mut flat = convolve(&trunk, name, outputs);
        rectify(&mut flat);
        flat.concat()
    };
    let others = match header.other_actions() {
        0 => Vec::new(),
        _ => dense(&head("policy.conv", header.heads[0]), "policy"),
    };
    let cells = match header.cell_actions {
        0 => Vec::new(),
        kinds => convolve(&trunk, "policy.cells", kinds),
    };
    let of_kind = |kind: usize| cells.iter().map(move |logits| logits[kind]);
    let logits: Vec<f32> =
        others.into_iter().chain((0..header.cell_actions).flat_map(of_kind)).collect();
    let hidden = dense(&head("value.conv", header.heads[1]), "value.hidden");
    let hidden: Vec<f32> = hidden.into_iter().map(|unit| unit.max(0.0)).collect();
    (logits, dense(&hidden, "value")[0].clamp(-1.0, 1.0))
}

fn answer(
    network: &Network,
    board: &[usize],
    numbers: &[f32],
    scratch: &mut Scratch,
) -> Evaluation {
    let mut answer = Evaluation::default();
    network.evaluate(board.iter().copied().enumerate(), numbers, scratch, &mut answer);
    answer
}

#[test]
fn networks_agree_with_a_plain_implementation() {
    let mut rng = Rng::from_seed(4);
    let mut scratch = Scratch::default();
    for sides in ["3,4", "7,5", "1,1", "1,6", "2,2"] {
        let file = open(&tron(sides, 5));
        let network = Network::new(&file);
        for _ in 0..5 {
            let board: Vec<usize> = (0..file.header.cells()).map(|_| rng.below(18)).collect();
            let numbers = [rng.unit() as f32];
            let fast = answer(&network, &board, &numbers, &mut scratch);
            let (logits, value) = plainly(&file, &board, &numbers);
            assert!((fast.value - value).abs() < 1e-4, "{sides}: {} {value}", fast.value);
            for (fast, plain) in fast.logits.iter().zip(&logits) {
                assert!((fast - plain).abs() < 1e-4, "{sides}: {fast} {plain}");
            }
        }
    }
}

#[test]
fn the_same_file_gives_the_same_bits_on_every_machine() {
    let network = Network::new(&open(&tron("7,5", 5)));
    let board: Vec<usize> = (0..35).map(|cell| cell * 7 % 18).collect();
    let answer = answer(&network, &board, &[0.25], &mut Scratch::default());
    let bits: Vec<u32> =
        answer.logits.iter().chain([&answer.value]).map(|number| number.to_bits()).collect();
    assert_eq!(bits, GOLDEN);
}

#[test]
fn quantized_networks_are_close_and_reproducible() {
    let mut rng = Rng::from_seed(4);
    let mut scratch = Scratch::default();
    for sides in ["3,4", "7,5", "1,1"] {
        let mut fields = tron_fields(sides);
        fields.insert("precision".to_owned(), "i16".to_owned());
        let file = open(&bytes(&fields, &tensors(&shapes(&fields), 5)));
        assert_eq!(file.header.precision, Precision::I16);
        let network = Network::new(&file);
        for _ in 0..5 {
            let board: Vec<usize> = (0..file.header.cells()).map(|_| rng.below(18)).collect();
            let numbers = [rng.unit() as f32];
            let rounded = answer(&network, &board, &numbers, &mut scratch);
            let (logits, value) = plainly(&file, &board, &numbers);
            assert!((rounded.value - value).abs() < 0.01, "{sides}: {} {value}", rounded.value);
            for (rounded, plain) in rounded.logits.iter().zip(&logits) {
                assert!((rounded - plain).abs() < 0.01, "{sides}: {rounded} {plain}");
            }
        }
    }
    let mut fields = tron_fields("7,5");
    fields.insert("precision".to_owned(), "i16".to_owned());
    let network = Network::new(&open(&bytes(&fields, &tensors(&shapes(&fields), 5))));
    let board: Vec<usize> = (0..35).map(|cell| cell * 7 % 18).collect();
    let answer = answer(&network, &board, &[0.25], &mut scratch);
    let bits: Vec<u32> =
        answer.logits.iter().chain([&answer.value]).map(|number| number.to_bits()).collect();
    assert_eq!(bits, GOLDEN_IN_WHOLE_NUMBERS);
}

/// Recorded once; a change here changes the decisions of such networks.
const GOLDEN_IN_WHOLE_NUMBERS: [u32; 5] =
    [1_052_805_223, 3_186_837_547, 3_189_677_116, 1_039_192_416, 1_046_943_899];

/// Recorded once; a change here changes the decisions of every network.
const GOLDEN: [u32; 5] =
    [1_052_805_933, 3_186_835_246, 3_189_677_947, 1_039_187_034, 1_046_943_911];
