//! Networks with random numbers, written in the form that a trainer uses.

#![allow(dead_code)]

use std::collections::HashMap;

use quintain_core::Rng;
use quintain_net::file::{FORM, NetworkFile};
use safetensors::Dtype;
use safetensors::tensor::TensorView;

/// The fields of a header for tron on a board of these sides.
pub fn tron_fields(board: &str) -> HashMap<String, String> {
    let fields = [
        ("format", FORM),
        ("game", "tron"),
        ("scenario", "tron:standard"),
        ("encoding", "board"),
        ("board", board),
        ("planes", "18"),
        ("seats", "0"),
        ("actions", "4"),
        ("channels", "5"),
        ("blocks", "2"),
        ("heads", "3,2"),
        ("hidden", "6"),
        ("feature_scale", "0.01"),
        ("range", "-1,1"),
    ];
    fields.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

/// Tensors by name: their shape and numbers.
pub type Tensors = Vec<(String, Vec<usize>, Vec<f32>)>;

/// Random tensors of the given shapes.
pub fn tensors(shapes: &[(String, Vec<usize>)], seed: u64) -> Tensors {
    let mut rng = Rng::from_seed(seed);
    let mut number = || (rng.unit() as f32 - 0.5) * 0.5;
    shapes
        .iter()
        .map(|(name, shape)| {
            let numbers = (0..shape.iter().product()).map(|_| number()).collect();
            (name.clone(), shape.clone(), numbers)
        })
        .collect()
}

/// A file of these tensors.
pub fn bytes(fields: &HashMap<String, String>, tensors: &Tensors) -> Vec<u8> {
    bytes_of(fields, tensors, Dtype::F32, |number| number.to_le_bytes().to_vec())
}

/// A file of these tensors with numbers of another type, where `write` gives the bytes of each.
pub fn bytes_of(
    fields: &HashMap<String, String>,
    tensors: &Tensors,
    dtype: Dtype,
    write: impl Fn(f32) -> Vec<u8>,
) -> Vec<u8> {
    let data: Vec<(String, Vec<usize>, Vec<u8>)> = tensors
        .iter()
        .map(|(name, shape, numbers)| {
            let bytes = numbers.iter().flat_map(|number| write(*number)).collect();
            (name.clone(), shape.clone(), bytes)
        })
        .collect();
    let views = data.iter().map(|(name, shape, bytes)| {
        (name, TensorView::new(dtype, shape.clone(), bytes).expect("the bytes of the shape"))
    });
    safetensors::serialize(views, Some(fields.clone())).expect("a file of tensors")
}

/// The shapes that a header requires.
pub fn shapes(fields: &HashMap<String, String>) -> Vec<(String, Vec<usize>)> {
    let number = |key: &str| fields[key].parse::<usize>().expect("a number");
    let pair = |key: &str| -> [usize; 2] {
        let numbers: Vec<usize> = fields[key].split(',').map(|n| n.parse().unwrap()).collect();
        numbers.try_into().expect("two numbers")
    };
    let header = quintain_net::file::Header {
        game: String::new(),
        scenario: String::new(),
        encoding: String::new(),
        board: pair("board"),
        planes: number("planes"),
        feature_scale: fields["feature_scale"].split(',').map(|n| n.parse().unwrap()).collect(),
        seats: number("seats"),
        actions: number("actions"),
        cell_actions: fields.get("cell_actions").map_or(0, |kinds| kinds.parse().unwrap()),
        channels: number("channels"),
        blocks: number("blocks"),
        heads: pair("heads"),
        hidden: number("hidden"),
        estimate: 0.0,
        range: (-1.0, 1.0),
        precision: quintain_net::file::Precision::F32,
    };
    header.tensors()
}

/// A random network for tron on a board of these sides.
pub fn tron(board: &str, seed: u64) -> Vec<u8> {
    let fields = tron_fields(board);
    bytes(&fields, &tensors(&shapes(&fields), seed))
}

/// The file of these bytes.
pub fn open(bytes: &[u8]) -> NetworkFile {
    NetworkFile::read("a.safetensors", bytes).expect("a network")
}
