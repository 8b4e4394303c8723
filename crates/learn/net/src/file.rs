//! Networks in files: safetensors with a header that gives a network's game and shape. Files may
//! come from strangers, so everything is checked before anything is computed, and every error fits
//! on one line.

use std::collections::HashMap;
use std::path::Path;

use quintain_core::{digest, read_bytes_up_to};
use safetensors::tensor::Metadata;
use safetensors::{Dtype, SafeTensorError, SafeTensors};

/// The format of the header; files of another format are refused.
pub const FORM: &str = "quintain-net 1";
/// The largest size of a file in bytes.
const MAX_BYTES: u64 = 64 << 20;
/// The most sides, planes, channels and the like.
pub(crate) const MAX_COUNT: usize = 1 << 16;
/// The most cells of a board.
pub(crate) const MAX_CELLS: usize = 1 << 14;

/// Why a file is not a network, in one line: what is wrong, where, and what was expected.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// It cannot be read.
    #[error("cannot read {0}")]
    Unreadable(String),
    /// It is not a file of tensors.
    #[error("{0}: not a network: {1}; expected safetensors, as quintain.train writes it")]
    NoTensors(String, String),
    /// It has fewer bytes than its header says: how many, and how many at least.
    #[error("{0}: cut off: {1} bytes, expected at least {2}; copy it again")]
    CutOff(String, usize, usize),
    /// A field of the header is missing or impossible.
    #[error("{0}: {1} in the header: {2}")]
    Header(String, &'static str, String),
    /// A tensor is missing, of another shape or type, or holds something that is not a number.
    #[error("{0}: tensor {1}: {2}")]
    Tensor(String, String, String),
    /// It is, or should be, an ONNX file, but not a network that can be evaluated here.
    #[error("{0}: {1}")]
    Onnx(String, String),
}

/// Reads the bytes of a file, of which there may be at most `most`.
pub(crate) fn read_file(path: &Path, most: u64) -> Result<Vec<u8>, NetworkError> {
    read_bytes_up_to(path, most).map_err(|error| NetworkError::Unreadable(error.to_string()))
}

/// The least number of bytes of a file of tensors, according to the part of its header that is
/// there.
fn least_length(bytes: &[u8]) -> Option<usize> {
    let size = u64::from_le_bytes(*bytes.first_chunk()?);
    // A header is a JSON object; if anything else is there, the size is not one.
    if size > MAX_BYTES || bytes.get(8) != Some(&b'{') {
        return None;
    }
    let end = 8 + size as usize;
    let Some(header) = bytes.get(8..end) else { return Some(end) };
    let metadata: Metadata = serde_json::from_slice(header).ok()?;
    end.checked_add(metadata.data_len())
}

/// Converts a number of half precision (binary16 of IEEE 754) to a float, which can hold all of
/// them.
fn widen(half: u16) -> f32 {
    if half & 0x7c00 == 0x7c00 {
        return f32::NAN; // infinite, or no number: neither is a weight
    }
    // Placed in a float's bits, the exponent gives a number that is 2¹¹² times too small.
    // Multiplying by 2¹¹² is exact, also where the number is subnormal.
    let magnitude =
        f32::from_bits(u32::from(half & 0x7fff) << 13) * f32::from_bits((127 + 112) << 23);
    if half >> 15 == 0 { magnitude } else { -magnitude }
}

/// The shape of a network, and what it was made for.
#[derive(Clone, PartialEq, Debug)]
pub struct Header {
    /// The game's name.
    pub game: String,
    /// The scenario that it was trained on, in its canonical text; for people only.
    pub scenario: String,
    /// The encoding's name.
    pub encoding: String,
    /// Rows and columns; 1 and 1 for boards that are words.
    pub board: [usize; 2],
    /// Planes of the board: the values of a cell, or the bits of a row of words.
    pub planes: usize,
    /// The factor of each feature before the network sees it.
    pub feature_scale: Vec<f32>,
    /// The number of seats, if the network is told which one it plays; otherwise 0.
    pub seats: usize,
    /// The number of actions.
    pub actions: usize,
    /// The number of kinds of actions of each cell, which come last; a file without this field has
    /// none.
    pub cell_actions: usize,
    /// The number of channels of the trunk.
    pub channels: usize,
    /// The number of residual blocks.
    pub blocks: usize,
    /// The numbers of channels of the policy's head and of the value's.
    pub heads: [usize; 2],
    /// The number of units of the value's hidden layer.
    pub hidden: usize,
    /// The utilities for which the values -1 and 1 stand.
    pub range: (f64, f64),
    /// The weight of the rules' [estimate](quintain_core::Rules::estimate), on the scale of
    /// `range`, to which the network's value is added; a file without this field has none.
    pub estimate: f32,
    /// The arithmetic of the blocks; a file that does not name one means floats.
    pub precision: Precision,
}

/// The arithmetic of the residual blocks of a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Precision {
    /// Floats of 32 bits, as they are in the file.
    #[default]
    F32,
    /// Whole numbers of 16 bits, rounded when the file is read: twice as fast.
    I16,
}

impl Header {
    /// The number of cells of the board.
    pub fn cells(&self) -> usize {
        self.board[0] * self.board[1]
    }

    /// The number of actions that do not belong to a cell.
    pub fn other_actions(&self) -> usize {
        self.actions - self.cell_actions * self.cells()
    }

    /// The side of a kernel: 3, or 1 on a board of one cell.
    pub fn kernel(&self) -> usize {
        if self.cells() == 1 { 1 } else { 3 }
    }

    /// The names and shapes of all tensors. A convolution's weights are ordered by tap, input,
    /// output; a dense layer's by input, output.
    pub fn tensors(&self) -> Vec<(String, Vec<usize>)> {
        let taps = self.kernel() * self.kernel();
        let (channels, [policy, value]) = (self.channels, self.heads);
        let mut tensors: Vec<(String, Vec<usize>)> = Vec::new();
        let mut add = |name: &str, shape: &[usize]| tensors.push((name.to_owned(), shape.to_vec()));
        add("stem.weight", &[taps, self.planes, channels]);
        add("stem.bias", &[channels]);
        add("stem.numbers", &[self.feature_scale.len() + self.seats, channels]);
        for block in 0..self.blocks {
            for half in ["a", "b"] {
                add(&format!("block{block}.{half}.weight"), &[taps, channels, channels]);
                add(&format!("block{block}.{half}.bias"), &[channels]);
            }
        }
        if self.cell_actions > 0 {
            add("policy.cells.weight", &[1, channels, self.cell_actions]);
            add("policy.cells.bias", &[self.cell_actions]);
        }
        if self.other_actions() > 0 {
            add("policy.conv.weight", &[1, channels, policy]);
            add("policy.conv.bias", &[policy]);
            add("policy.weight", &[self.cells() * policy, self.other_actions()]);
            add("policy.bias", &[self.other_actions()]);
        }
        add("value.conv.weight", &[1, channels, value]);
        add("value.conv.bias", &[value]);
        add("value.hidden.weight", &[self.cells() * value, self.hidden]);
        add("value.hidden.bias", &[self.hidden]);
        add("value.weight", &[self.hidden, 1]);
        add("value.bias", &[1]);
        tensors
    }

    fn read(place: &str, fields: &HashMap<String, String>) -> Result<Header, NetworkError> {
        let fields = Fields { place, fields };
        let form = fields.text("format")?;
        if form != FORM {
            return Err(fields.refuse("format", format!("“{form}”, expected “{FORM}”")));
        }
        let board: [usize; 2] = fields.numbers("board", 1..=MAX_COUNT)?;
        let [planes] = fields.numbers("planes", 1..=MAX_COUNT)?;
        let [seats] = fields.numbers("seats", 0..=MAX_COUNT)?;
        let [actions] = fields.numbers("actions", 1..=MAX_COUNT)?;
        let [cell_actions] = match fields.fields.contains_key("cell_actions") {
            true => fields.numbers("cell_actions", 0..=MAX_COUNT)?,
            false => [0],
        };
        let [channels] = fields.numbers("channels", 1..=1024)?;
        let [blocks] = fields.numbers("blocks", 0..=64)?;
        let heads = fields.numbers("heads", 1..=1024)?;
        let [hidden] = fields.numbers("hidden", 1..=MAX_COUNT)?;
        let (feature_scale, range) = (fields.feature_scale()?, fields.range()?);
        if board[0] * board[1] > MAX_CELLS {
            let cells = board[0] * board[1];
            return Err(fields.refuse("board", format!("{cells} cells, at most {MAX_CELLS}")));
        }
        if cell_actions * board[0] * board[1] > actions {
            let problem = format!("{cell_actions} for each cell, but {actions} actions in all");
            return Err(fields.refuse("cell_actions", problem));
        }
        let precision = match fields.fields.get("precision").map(String::as_str) {
            None | Some("f32") => Precision::F32,
            Some("i16") => Precision::I16,
            Some(_) => {
                return Err(fields.refuse("precision", "expected f32 or i16".to_owned()));
            }
        };
        Ok(Header {
            game: fields.text("game")?.to_owned(),
            scenario: fields.text("scenario")?.to_owned(),
            encoding: fields.text("encoding")?.to_owned(),
            board,
            planes,
            feature_scale,
            seats,
            actions,
            cell_actions,
            channels,
            blocks,
            heads,
            hidden,
            range,
            estimate: fields.estimate()?,
            precision,
        })
    }
}

/// The header's fields, all of which are texts.
pub(crate) struct Fields<'a> {
    pub(crate) place: &'a str,
    pub(crate) fields: &'a HashMap<String, String>,
}

fn is_number(number: &f64) -> bool {
    number.is_finite() && number.abs() < 1e30
}

impl Fields<'_> {
    fn refuse(&self, field: &'static str, problem: String) -> NetworkError {
        NetworkError::Header(self.place.to_owned(), field, problem)
    }

    pub(crate) fn text(&self, field: &'static str) -> Result<&str, NetworkError> {
        let text = self.fields.get(field).filter(|text| text.len() <= 1 << 16);
        text.map(String::as_str).ok_or_else(|| self.refuse(field, "missing".to_owned()))
    }

    /// The factor of each feature.
    pub(crate) fn feature_scale(&self) -> Result<Vec<f32>, NetworkError> {
        let scale: Vec<f64> = self.list("feature_scale")?;
        match scale.iter().all(is_number) {
            true => Ok(scale.into_iter().map(|scale| scale as f32).collect()),
            false => Err(self.refuse("feature_scale", "expected finite numbers".to_owned())),
        }
    }

    /// The utilities for which the values -1 and 1 stand.
    pub(crate) fn range(&self) -> Result<(f64, f64), NetworkError> {
        let range: Vec<f64> = self.list("range")?;
        let (&[low, high], true) = (&range[..], range.iter().all(is_number)) else {
            return Err(self.refuse("range", "expected two numbers".to_owned()));
        };
        match low < high {
            true => Ok((low, high)),
            false => Err(self.refuse("range", format!("{low} is not below {high}"))),
        }
    }

    /// The weight of the rules' estimate; 0 if it is left out.
    pub(crate) fn estimate(&self) -> Result<f32, NetworkError> {
        if !self.fields.contains_key("estimate") {
            return Ok(0.0);
        }
        match self.list("estimate")?[..] {
            [weight] if is_number(&weight) => Ok(weight as f32),
            _ => Err(self.refuse("estimate", "expected a number".to_owned())),
        }
    }

    /// Reads numbers separated by commas.
    fn list<T: std::str::FromStr>(&self, field: &'static str) -> Result<Vec<T>, NetworkError> {
        let text = self.text(field)?;
        let parts = text.split(',').filter(|part| !part.is_empty());
        parts
            .map(|part| {
                part.parse().map_err(|_| self.refuse(field, format!("“{part}” is not a number")))
            })
            .collect()
    }

    fn numbers<const N: usize>(
        &self,
        field: &'static str,
        range: std::ops::RangeInclusive<usize>,
    ) -> Result<[usize; N], NetworkError> {
        let numbers: Vec<usize> = self.list(field)?;
        match <[usize; N]>::try_from(numbers) {
            Ok(numbers) if numbers.iter().all(|number| range.contains(number)) => Ok(numbers),
            _ => {
                let (low, high) = (range.start(), range.end());
                let count = if N == 1 { "a number".to_owned() } else { format!("{N} numbers") };
                Err(self.refuse(field, format!("expected {count} from {low} to {high}")))
            }
        }
    }
}

/// A file that was read: its header, its tensors in the order of [`Header::tensors`], and its
/// digest.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NetworkFile {
    /// The shape of the network, and what it was made for.
    pub header: Header,
    /// The numbers of each tensor.
    pub tensors: Vec<Vec<f32>>,
    /// The digest of the file.
    pub digest: String,
}

impl NetworkFile {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, or is not a network.
    pub fn open(path: &Path) -> Result<NetworkFile, NetworkError> {
        let place = path.display().to_string();
        NetworkFile::read(&place, &read_file(path, MAX_BYTES)?)
    }

    /// Reads the bytes of a file; `place` is how errors name it.
    ///
    /// # Errors
    /// If they are not a network.
    pub fn read(place: &str, bytes: &[u8]) -> Result<NetworkFile, NetworkError> {
        let place = place.to_owned();
        let no_tensors = |error: SafeTensorError| match least_length(bytes) {
            Some(length) if length > bytes.len() => {
                NetworkError::CutOff(place.clone(), bytes.len(), length)
            }
            _ => NetworkError::NoTensors(place.clone(), error.to_string()),
        };
        let (_, about) = SafeTensors::read_metadata(bytes).map_err(no_tensors)?;
        let file = SafeTensors::deserialize(bytes).map_err(no_tensors)?;
        let fields = about.metadata().as_ref();
        let header = Header::read(&place, fields.unwrap_or(&HashMap::new()))?;
        let mut tensors = Vec::new();
        let wanted = header.tensors();
        for (name, shape) in &wanted {
            let refuse = |why: String| NetworkError::Tensor(place.clone(), name.clone(), why);
            let found = file.tensor(name).map_err(|_| refuse("missing".to_owned()))?;
            if found.shape() != shape {
                return Err(refuse(format!("of shape {:?}, expected {shape:?}", found.shape())));
            }
            let numbers: Vec<f32> = match found.dtype() {
                Dtype::F32 => found
                    .data()
                    .as_chunks()
                    .0
                    .iter()
                    .map(|four| f32::from_le_bytes(*four))
                    .collect(),
                Dtype::F16 => {
                    let halves = found.data().as_chunks().0.iter();
                    halves.map(|two| widen(u16::from_le_bytes(*two))).collect()
                }
                other => return Err(refuse(format!("{other:?}, expected F32 or F16"))),
            };
            // Then sums of a few thousand products stay finite.
            let is_fine = |number: &&f32| number.abs() < 1e6;
            if let Some(number) = numbers.iter().find(|number| !is_fine(number)) {
                return Err(refuse(format!("holds {number}; expected numbers within ±1e6")));
            }
            tensors.push(numbers);
        }
        if let Some(name) = file.names().into_iter().find(|n| wanted.iter().all(|(w, _)| w != n)) {
            let why = "does not belong in a network of this shape".to_owned();
            return Err(NetworkError::Tensor(place, name.to_owned(), why));
        }
        Ok(NetworkFile { header, tensors, digest: digest(bytes) })
    }

    /// A version derived from the file's content: another network is another player.
    pub fn version(&self) -> u32 {
        u32::from_str_radix(&self.digest[..8], 16).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::widen;

    #[test]
    fn half_precision_follows_the_standard() {
        for (bits, number) in [
            (0x0000, 0.0),
            (0x0001, 2.0_f32.powi(-24)),
            (0x03ff, 1023.0 * 2.0_f32.powi(-24)),
            (0x0400, 2.0_f32.powi(-14)),
            (0x3555, 0.333_251_95),
            (0x3c00, 1.0),
            (0x7bff, 65_504.0),
            (0xc000, -2.0),
        ] {
            assert_eq!(widen(bits), number, "{bits:04x}");
        }
        assert!(widen(0x8000).is_sign_negative());
        for none in [0x7c00, 0xfc00, 0x7e00] {
            assert!(widen(none).is_nan());
        }
        // Each is larger than the one before it.
        assert!((0..0x7bff).all(|bits| widen(bits) < widen(bits + 1)));
    }
}
