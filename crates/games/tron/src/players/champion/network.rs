//! A small network that values positions by what the chambers found, in place of the weighted sum.
//!
//! One hidden layer looks at the position from both sides with the same weights, and what it sees
//! from their side counts against what it sees from ours, so swapping seats changes the sign. The
//! quantities of each side also count directly, so that a network of zeros is the weighted sum.
//!
//! Every number is the sum of the same products in the same order on every machine, so a file gives
//! the same decisions everywhere. Files come from strangers: everything is checked before anything
//! is computed, and every error is one line. `quintain.train.chambers` writes the files.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use quintain_core::{digest, read_bytes_up_to};
use quintain_grid::Cell;
use safetensors::{Dtype, SafeTensorError, SafeTensors};

use super::chambers::{Evaluation, Findings, SideFindings};
use super::holding::colour;

/// The format in the header; files of any other format are refused.
const FORM: &str = "quintain-tron-chambers 1";

/// The number of inputs of each side, and of both together.
pub(crate) const OWN: usize = 11;
pub(crate) const COMMON: usize = 5;
const ROWS: usize = 2 * OWN + COMMON;

/// The most bytes of a file, and the most units of the hidden layer.
const MAX_BYTES: u64 = 2 << 20;
const MAX_UNITS: usize = 256;

/// The number of units that are summed side by side.
const LANES: usize = 8;

/// What a network sees of a position.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Inputs {
    /// Our inputs and theirs.
    pub(crate) sides: [[f32; OWN]; 2],
    pub(crate) common: [f32; COMMON],
}

impl Inputs {
    /// Computes the inputs. Cells are divided by the square root of the room, in which a lead can
    /// still be lost.
    pub(crate) fn of(evaluation: &Evaluation, findings: &Findings, heads: [Cell; 2]) -> Inputs {
        let room = evaluation.room.max(1) as f32;
        let scale = 1.0 / room.sqrt();
        let side = |seat: usize| {
            let SideFindings { branch, territory, chambers, cuts, exits } = &findings.sides[seat];
            let first = 1 - colour(heads[seat]);
            let cells = territory.cells[0] + territory.cells[1];
            [
                branch.fillable(first) as f32 * scale,
                branch.edges as f32 * scale / 4.0,
                branch.front as f32 * scale,
                territory.fillable(first) as f32 * scale,
                cells as f32 * scale,
                territory.edges as f32 * scale / 4.0,
                territory.front as f32 * scale,
                *chambers as f32 / 4.0,
                *cuts as f32 / 8.0,
                *exits as f32,
                // 1 if the other side cannot come near the best branch at all.
                if branch.front == 0 { 1.0 } else { 0.0 },
            ]
        };
        let [ours, theirs] = heads;
        let distance = ours.row.abs_diff(theirs.row) + ours.col.abs_diff(theirs.col);
        Inputs {
            sides: [side(0), side(1)],
            common: [
                room / 400.0,
                10.0 * scale,
                findings.contested as f32 * scale,
                f32::from(distance) / 16.0,
                f32::from(distance % 2),
            ],
        }
    }
}

/// Why a file is not a network of this kind, in one line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum NetworkError {
    /// It cannot be read.
    #[error("cannot read {0}")]
    Unreadable(String),
    /// It is not a file of tensors.
    #[error("{0}: not a network: {1}; expected safetensors, as quintain.train.chambers writes it")]
    NoTensors(String, String),
    /// It does not have as many bytes as its header says.
    #[error("{0}: cut off or damaged: {1} bytes, not as many as its header says; copy it again")]
    CutOff(String, usize),
    /// It is a file of tensors, but not for this purpose.
    #[error(
        "{0}: {1} in the header is “{2}”; the champion needs “{3}”, as quintain.train.chambers \
         writes it"
    )]
    Foreign(String, &'static str, String, &'static str),
    /// A tensor is missing, has another shape or type, or holds something that is not a number.
    #[error("{0}: tensor {1}: {2}")]
    Tensor(String, String, String),
}

/// A network that is ready to use.
#[derive(Clone, Debug)]
pub(crate) struct Network {
    /// Rows of hidden weights for ours, theirs and the common numbers, each padded to whole lanes.
    weights: Vec<[f32; LANES]>,
    bias: Vec<[f32; LANES]>,
    out: Vec<[f32; LANES]>,
    /// The direct weight of each of a side's inputs.
    direct: [f32; OWN],
    version: u32,
}

impl Network {
    /// Returns the network that the champion uses by default.
    pub(crate) fn built_in() -> Arc<Network> {
        static BUILT_IN: LazyLock<Arc<Network>> = LazyLock::new(|| {
            let bytes = include_bytes!("../../../networks/chambers.safetensors");
            let network = Network::read("chambers.safetensors", bytes);
            Arc::new(network.expect("a test reads the file"))
        });
        Arc::clone(&BUILT_IN)
    }

    /// Reads a file.
    pub(crate) fn open(path: &Path) -> Result<Network, NetworkError> {
        let place = path.display().to_string();
        let bytes = read_bytes_up_to(path, MAX_BYTES)
            .map_err(|error| NetworkError::Unreadable(error.to_string()))?;
        Network::read(&place, &bytes)
    }

    /// Reads the bytes of a file; `place` is how errors name it.
    pub(crate) fn read(place: &str, bytes: &[u8]) -> Result<Network, NetworkError> {
        let no_tensors = |error: SafeTensorError| match error {
            // The header, or what follows it, is shorter than its stated size.
            SafeTensorError::InvalidHeaderLength | SafeTensorError::MetadataIncompleteBuffer
                if bytes.get(8) == Some(&b'{') =>
            {
                NetworkError::CutOff(place.to_owned(), bytes.len())
            }
            error => NetworkError::NoTensors(place.to_owned(), error.to_string()),
        };
        let (_, about) = SafeTensors::read_metadata(bytes).map_err(no_tensors)?;
        let file = SafeTensors::deserialize(bytes).map_err(no_tensors)?;
        for (field, wanted) in [("game", "tron"), ("format", FORM)] {
            let found = about.metadata().as_ref().and_then(|fields| fields.get(field));
            if found.is_none_or(|found| found != wanted) {
                let found = found.map_or("missing", String::as_str);
                // The header may hold anything.
                let found = found.chars().filter(|c| !c.is_control()).take(60).collect();
                return Err(NetworkError::Foreign(place.to_owned(), field, found, wanted));
            }
        }
        let tensors = Tensors { place, file: &file };
        let units = tensors.units()?;
        let width = units.next_multiple_of(LANES);
        let rows = |numbers: &[f32]| -> Vec<[f32; LANES]> {
            let pad = |row: &[f32]| {
                let mut row = row.to_vec();
                row.resize(width, 0.0);
                row
            };
            let padded: Vec<f32> = numbers.chunks_exact(units).flat_map(pad).collect();
            padded.as_chunks().0.to_vec()
        };
        let direct = tensors.numbers("direct.weight", &[OWN])?;
        let network = Network {
            weights: rows(&tensors.numbers("hidden.weight", &[ROWS, units])?),
            bias: rows(&tensors.numbers("hidden.bias", &[units])?),
            out: rows(&tensors.numbers("out.weight", &[units])?),
            direct: std::array::from_fn(|number| direct[number]),
            version: u32::from_str_radix(&digest(bytes)[..8], 16).unwrap_or(0),
        };
        let known = ["direct.weight", "hidden.weight", "hidden.bias", "out.weight"];
        match file.names().into_iter().find(|name| !known.contains(name)) {
            Some(name) => Err(tensors.refuse(name, "does not belong in such a network".to_owned())),
            None => Ok(network),
        }
    }

    /// A version derived from the file's content: a different network is a different player.
    pub(crate) fn version(&self) -> u32 {
        self.version
    }

    /// The value from our side, in thousandths of the logarithm of the odds.
    pub(crate) fn value(&self, inputs: &Inputs) -> f32 {
        let groups = self.bias.len();
        let [ours, theirs] = &inputs.sides;
        let mut value = 0.0;
        for ((our, their), weight) in ours.iter().zip(theirs).zip(&self.direct) {
            value += (our - their) * weight;
        }
        let row = |number: usize, group: usize| &self.weights[number * groups + group];
        let mut sums = [0.0; LANES];
        for group in 0..groups {
            let mut common = self.bias[group];
            for (number, input) in inputs.common.iter().enumerate() {
                add(&mut common, *input, row(2 * OWN + number, group));
            }
            let (mut from_ours, mut from_theirs) = (common, common);
            for number in 0..OWN {
                let (own, other) = (row(number, group), row(OWN + number, group));
                add(&mut from_ours, ours[number], own);
                add(&mut from_ours, theirs[number], other);
                add(&mut from_theirs, theirs[number], own);
                add(&mut from_theirs, ours[number], other);
            }
            for lane in 0..LANES {
                let seen = from_ours[lane].max(0.0) - from_theirs[lane].max(0.0);
                sums[lane] += seen * self.out[group][lane];
            }
        }
        1000.0 * sums.iter().fold(value, |value, sum| value + sum)
    }
}

#[inline(always)]
fn add(sums: &mut [f32; LANES], input: f32, row: &[f32; LANES]) {
    for (sum, weight) in sums.iter_mut().zip(row) {
        *sum += input * weight;
    }
}

/// The tensors of a file.
struct Tensors<'a> {
    place: &'a str,
    file: &'a SafeTensors<'a>,
}

impl Tensors<'_> {
    fn refuse(&self, name: &str, why: String) -> NetworkError {
        let name = name.chars().filter(|c| !c.is_control()).take(60).collect();
        NetworkError::Tensor(self.place.to_owned(), name, why)
    }

    /// The number of units of the hidden layer, from the shape of its bias.
    fn units(&self) -> Result<usize, NetworkError> {
        let name = "hidden.bias";
        let bias = self.file.tensor(name).map_err(|_| self.refuse(name, "missing".to_owned()))?;
        match bias.shape() {
            &[units] if (1..=MAX_UNITS).contains(&units) => Ok(units),
            shape => {
                let why = format!("of shape {shape:?}, expected 1 to {MAX_UNITS} units");
                Err(self.refuse(name, why))
            }
        }
    }

    fn numbers(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, NetworkError> {
        let refuse = |why: String| self.refuse(name, why);
        let found = self.file.tensor(name).map_err(|_| refuse("missing".to_owned()))?;
        if found.dtype() != Dtype::F32 {
            return Err(refuse(format!("{:?}, expected F32", found.dtype())));
        }
        if found.shape() != shape {
            return Err(refuse(format!("of shape {:?}, expected {shape:?}", found.shape())));
        }
        let numbers: Vec<f32> =
            found.data().as_chunks().0.iter().map(|four| f32::from_le_bytes(*four)).collect();
        // This keeps all sums finite.
        match numbers.iter().find(|number| number.is_nan() || number.abs() >= 1e6) {
            Some(number) => Err(refuse(format!("holds {number}; expected numbers within ±1e6"))),
            None => Ok(numbers),
        }
    }
}
