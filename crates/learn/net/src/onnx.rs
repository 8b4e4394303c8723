//! Networks of any shape in ONNX files, evaluated by tract. A file names its purpose in its
//! `metadata_props`, as the header of our own files does; what it sees and answers follows from the
//! shapes of its inputs and outputs. Files may come from strangers, so every error fits on one
//! line.
//!
//! Positions are evaluated one by one on the caller's thread, so the evaluation of a position
//! depends neither on other positions nor on threads. Its sums are in the order that tract chooses
//! for the processor: unlike those of our own files, they may differ in the last bits on another
//! kind of processor.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use quintain_core::{digest, panics};
use tract_onnx::Onnx;
use tract_onnx::pb::{GraphProto, ModelProto, TensorProto};
use tract_onnx::prelude::*;

use crate::file::{Fields, MAX_CELLS, MAX_COUNT, NetworkError, read_file};
use crate::network::Evaluation;

/// The largest size of a file in bytes.
const MAX_BYTES: u64 = 256 << 20;
/// The most numbers in the output of a node.
const MAX_VALUES: usize = 1 << 26;
/// The operator sets with which tract is tested; it may misread what later ones changed.
const OPSETS: std::ops::RangeInclusive<i64> = 9..=18;
/// Operators that would make a network answer differently each time.
const RANDOM: [&str; 6] = [
    "Bernoulli",
    "Multinomial",
    "RandomNormal",
    "RandomNormalLike",
    "RandomUniform",
    "RandomUniformLike",
];
/// The limit for the absolute value of numbers; within it, sums of a few thousand products stay
/// finite.
const MAX_NUMBER: f32 = 1e6;
/// The `data_location` of a tensor whose numbers are in another file.
const EXTERNAL: i32 = 1;

/// The network of a file, ready to evaluate positions.
#[derive(Debug)]
#[non_exhaustive]
pub struct OnnxNetwork {
    /// Its name in errors.
    pub(crate) place: String,
    /// The game's name.
    pub(crate) game: String,
    /// The scenario that it was trained on, if the file names it.
    pub(crate) scenario: String,
    /// The encoding's name.
    pub(crate) encoding: String,
    /// Rows and columns; 1 and 1 for boards that are words.
    pub(crate) board: [usize; 2],
    /// The number of planes of the board.
    pub(crate) planes: usize,
    /// The number of features and seats that it is told, if it has an input for these.
    pub(crate) numbers: Option<usize>,
    /// The factor of each feature, if the file gives them.
    pub(crate) feature_scale: Option<Vec<f32>>,
    /// The utilities for which the values -1 and 1 stand, if the file gives them.
    pub(crate) range: Option<(f64, f64)>,
    /// The weight of the rules' estimate, to which the value is added.
    pub(crate) estimate: f32,
    /// The number of actions.
    pub(crate) actions: usize,
    /// The digest of the file.
    pub(crate) digest: String,
    /// Whether the input of numbers comes before that of the board.
    numbers_first: bool,
    /// The index of the policy among the two outputs; the other is the value.
    policy: usize,
    plan: Arc<TypedRunnableModel>,
}

impl OnnxNetwork {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, or is not a network that can be evaluated.
    pub fn open(path: &Path) -> Result<OnnxNetwork, NetworkError> {
        let place = path.display().to_string();
        OnnxNetwork::read(&place, &read_file(path, MAX_BYTES)?)
    }

    /// Reads the bytes of a file; `place` is how errors name it.
    ///
    /// # Errors
    /// If they are not a network that can be evaluated.
    pub fn read(place: &str, bytes: &[u8]) -> Result<OnnxNetwork, NetworkError> {
        // The checks below rule out everything that is known to make tract panic.
        match panics::catch(|| read(place, bytes)) {
            Ok(read) => read,
            Err(panic) => Err(unfit(place, format!("it cannot be read: {}", line(&panic)))),
        }
    }

    /// Evaluates a position. `ones` are the planes that are set, as the cell and the plane of each;
    /// `numbers` are scaled features and the seat, if the network is told any.
    ///
    /// # Errors
    /// If it cannot be computed, or the result is not a number.
    pub fn evaluate(
        &self,
        ones: &[(usize, usize)],
        numbers: &[f32],
        answer: &mut Evaluation,
    ) -> Result<(), String> {
        let failed = |error: TractError| format!("{}: {}", self.place, line(&format!("{error:#}")));
        let [rows, columns] = self.board;
        let cells = rows * columns;
        let mut planes = vec![0.0_f32; self.planes * cells];
        for (cell, plane) in ones {
            planes[plane * cells + cell] = 1.0;
        }
        let board = Tensor::from_shape(&[1, self.planes, rows, columns], &planes);
        let mut inputs: TVec<TValue> = tvec!(board.map_err(failed)?.into());
        if self.numbers.is_some() {
            let numbers = Tensor::from_shape(&[1, numbers.len()], numbers).map_err(failed)?;
            let at = usize::from(!self.numbers_first);
            inputs.insert(at, numbers.into());
        }
        let outputs = self.plan.run(inputs).map_err(failed)?;
        let policy = outputs[self.policy].to_plain_array_view::<f32>().map_err(failed)?;
        let value = outputs[1 - self.policy].to_plain_array_view::<f32>().map_err(failed)?;
        answer.logits.clear();
        answer.logits.extend(policy.iter());
        let value = value.iter().next().copied().unwrap_or(f32::NAN);
        for (what, number) in
            answer.logits.iter().map(|logit| ("policy", *logit)).chain([("value", value)])
        {
            if !number.is_finite() {
                return Err(format!("{}: its {what} holds {number} at this position", self.place));
            }
        }
        answer.value = value.clamp(-1.0, 1.0);
        Ok(())
    }
}

fn unfit(place: &str, why: String) -> NetworkError {
    NetworkError::Onnx(place.to_owned(), why)
}

/// A foreign text in a form that fits into a line.
fn line(text: &impl ToString) -> String {
    let text = text.to_string();
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().filter(|c| !c.is_control()).take(300).collect()
}

fn read(place: &str, bytes: &[u8]) -> Result<OnnxNetwork, NetworkError> {
    let refuse = |why: String| unfit(place, why);
    // The shapes of intermediate values would have the batch by its name.
    let onnx = tract_onnx::onnx().with_ignore_value_info(true);
    let proto = onnx
        .proto_model_for_read(&mut &bytes[..])
        .map_err(|error| refuse(format!("not ONNX, or damaged: {}", line(&error.root_cause()))))?;
    let graph = proto.graph.as_ref();
    let graph = graph.filter(|graph| !graph.node.is_empty() && !graph.output.is_empty());
    let graph = graph.ok_or_else(|| refuse("not ONNX, or damaged: it has no graph".to_owned()))?;
    check_operators(&onnx, &proto, graph).map_err(refuse)?;
    check_weights(graph).map_err(refuse)?;

    let about = About::read(place, &proto)?;
    let inputs = Inputs::of(graph).map_err(refuse)?;
    let outputs = choose_outputs(graph).map_err(refuse)?;
    let failed = |error: TractError| refuse(line(&format!("{error:#}")));
    let mut model = onnx.model_for_proto_model(&proto).map_err(failed)?;
    if let Some([policy, value]) = outputs {
        let outlet = |name: &str| {
            model.find_outlet_label(name).ok_or_else(|| refuse(format!("{name}: {OUTPUTS}")))
        };
        let outlets = [outlet(policy)?, outlet(value)?];
        model.select_output_outlets(&outlets).map_err(failed)?;
    }
    let (board, [rows, columns]) = (&inputs.board, inputs.sides);
    let outlets = model.input_outlets().map_err(failed)?.to_vec();
    let at = |name: &str| {
        let at = outlets.iter().position(|outlet| model.node(outlet.node).name == name);
        at.ok_or_else(|| refuse(format!("input {} is not used", line(&name))))
    };
    let board_at = at(board)?;
    let numbers_at = inputs.numbers.as_ref().map(|(name, _)| at(name)).transpose()?;
    let fact = f32::fact([1, inputs.planes, rows, columns]).into();
    model.set_input_fact(board_at, fact).map_err(failed)?;
    if let (Some(at), Some((_, count))) = (numbers_at, &inputs.numbers) {
        model.set_input_fact(at, f32::fact([1, *count]).into()).map_err(failed)?;
    }
    let model = model.into_typed().map_err(failed)?;
    check_sizes(&model).map_err(refuse)?;
    let model = model.into_optimized().map_err(failed)?;
    let (policy, actions) = policy_of(&model, outputs.is_some()).map_err(refuse)?;
    Ok(OnnxNetwork {
        place: place.to_owned(),
        game: about.game,
        scenario: about.scenario,
        encoding: about.encoding,
        board: inputs.sides,
        planes: inputs.planes,
        numbers: inputs.numbers.map(|(_, count)| count),
        feature_scale: about.feature_scale,
        range: about.range,
        estimate: about.estimate,
        actions,
        digest: digest(bytes),
        numbers_first: numbers_at.is_some_and(|at| at < board_at),
        policy,
        plan: model.into_runnable().map_err(failed)?,
    })
}

/// A file's description of itself.
struct About {
    game: String,
    scenario: String,
    encoding: String,
    feature_scale: Option<Vec<f32>>,
    range: Option<(f64, f64)>,
    estimate: f32,
}

impl About {
    fn read(place: &str, proto: &ModelProto) -> Result<About, NetworkError> {
        let props = proto.metadata_props.iter();
        let texts: HashMap<String, String> =
            props.map(|prop| (prop.key.clone(), prop.value.clone())).collect();
        for field in ["game", "encoding"] {
            if !texts.contains_key(field) {
                let why = format!(
                    "its metadata_props lack {field}; set them in Python by \
                     onnx.helper.set_model_props(model, {{\"game\": …, \"encoding\": …}})"
                );
                return Err(unfit(place, why));
            }
        }
        let fields = Fields { place, fields: &texts };
        let has = |field: &str| texts.contains_key(field);
        let feature_scale = has("feature_scale").then(|| fields.feature_scale()).transpose()?;
        Ok(About {
            game: fields.text("game")?.to_owned(),
            scenario: texts.get("scenario").cloned().unwrap_or_default(),
            encoding: fields.text("encoding")?.to_owned(),
            feature_scale,
            range: has("range").then(|| fields.range()).transpose()?,
            estimate: fields.estimate()?,
        })
    }
}

/// Refuses operators that tract does not have, or reads differently than the file means them.
fn check_operators(onnx: &Onnx, proto: &ModelProto, graph: &GraphProto) -> Result<(), String> {
    let is_standard = |domain: &str| domain.is_empty() || domain == "ai.onnx";
    let opset = proto.opset_import.iter().find(|opset| is_standard(&opset.domain));
    let opset = opset.map_or(0, |opset| opset.version);
    if !OPSETS.contains(&opset) {
        let (first, last) = (OPSETS.start(), OPSETS.end());
        return Err(format!(
            "opset {opset}, expected {first} to {last}; export it with opset_version={last}"
        ));
    }
    for node in &graph.node {
        let operator = &node.op_type;
        let name = if node.name.is_empty() { node.output.first() } else { Some(&node.name) };
        let shown = line(&format!("operator {operator} of {}", name.map_or("", String::as_str)));
        if !is_standard(&node.domain) {
            return Err(format!("{shown} is of {}, not one of ONNX's own", line(&node.domain)));
        }
        if RANDOM.contains(&operator.as_str()) {
            return Err(format!("{shown} draws at random"));
        }
        if !onnx.op_register.0.contains_key(operator) {
            return Err(format!("{shown} is not supported by tract"));
        }
    }
    Ok(())
}

/// Refuses weights that are elsewhere, are not numbers, or do not match their shape.
fn check_weights(graph: &GraphProto) -> Result<(), String> {
    let of_nodes = graph.node.iter().flat_map(|node| &node.attribute);
    let of_nodes = of_nodes.filter_map(|attribute| attribute.t.as_ref());
    for tensor in graph.initializer.iter().chain(of_nodes) {
        let refuse = |why: String| Err(format!("tensor {}: {why}", line(&tensor.name)));
        if tensor.data_location == Some(EXTERNAL) || !tensor.external_data.is_empty() {
            return refuse(
                "its numbers are in another file; export everything in one (external_data=False)"
                    .to_owned(),
            );
        }
        let sides: Option<Vec<usize>> =
            tensor.dims.iter().map(|side| usize::try_from(*side).ok()).collect();
        let count =
            sides.and_then(|sides| sides.iter().try_fold(1_usize, |a, b| a.checked_mul(*b)));
        let Some(count) = count.filter(|count| *count as u64 <= MAX_BYTES) else {
            return refuse(format!("of shape {:?}", tensor.dims));
        };
        if let Some(found) = floats(tensor) {
            if found.len() != count {
                let found = found.len();
                return refuse(format!("{found} numbers, but its shape is {:?}", tensor.dims));
            }
            let is_fine = |number: &&f32| number.abs() < MAX_NUMBER;
            if let Some(number) = found.iter().find(|number| !is_fine(number)) {
                return refuse(format!("holds {number}; expected numbers within ±1e6"));
            }
        }
    }
    Ok(())
}

/// The numbers of a tensor of 32-bit floats.
fn floats(tensor: &TensorProto) -> Option<Vec<f32>> {
    (tensor.data_type == 1).then(|| match tensor.raw_data.is_empty() {
        true => tensor.float_data.clone(),
        false => {
            let fours = tensor.raw_data.as_chunks().0.iter();
            fours.map(|four| f32::from_le_bytes(*four)).collect()
        }
    })
}

/// Refuses sizes that take more memory than any network for a board needs.
fn check_sizes(model: &TypedModel) -> Result<(), String> {
    for node in model.nodes() {
        let sides = node.outputs.iter().filter_map(|output| output.fact.shape.as_concrete());
        for sides in sides {
            let count = sides.iter().try_fold(1_usize, |a, b| a.checked_mul(*b));
            if count.is_none_or(|count| count > MAX_VALUES) {
                let name = line(&node.name);
                return Err(format!("{name} is of shape {sides:?}, too large"));
            }
        }
    }
    Ok(())
}

/// The inputs of a network.
struct Inputs {
    board: String,
    planes: usize,
    sides: [usize; 2],
    /// The name of the input of numbers, and how many there are.
    numbers: Option<(String, usize)>,
}

const INPUTS: &str = "expected a board [batch, planes, rows, columns] and perhaps features \
                      [batch, numbers], of float32";

impl Inputs {
    fn of(graph: &GraphProto) -> Result<Inputs, String> {
        let is_weight = |name: &str| graph.initializer.iter().any(|known| known.name == name);
        let (mut board, mut numbers) = (None, None);
        for input in graph.input.iter().filter(|input| !is_weight(&input.name)) {
            let (shown, sides) = (line(&input.name), sides_of(input));
            let refuse = |why: String| Err(format!("input {shown}: {why}"));
            let Some(sides) = sides else { return refuse(INPUTS.to_owned()) };
            let known: Vec<usize> = sides.iter().skip(1).flatten().copied().collect();
            if known.len() + 1 != sides.len() {
                return refuse("only its batch axis may have no size".to_owned());
            }
            if let Some(batch) = sides[0].filter(|batch| *batch != 1) {
                return refuse(format!("its batch axis is {batch}, expected 1 or a name"));
            }
            match known[..] {
                [planes, rows, columns] if board.is_none() => {
                    let is_one = (1..=MAX_COUNT).contains(&planes)
                        && (1..=MAX_COUNT).contains(&rows)
                        && (1..=MAX_COUNT).contains(&columns)
                        && rows * columns <= MAX_CELLS;
                    if !is_one || planes * rows * columns > MAX_BYTES as usize {
                        return refuse(format!("{planes} planes of {columns}×{rows} cells"));
                    }
                    board = Some((input.name.clone(), planes, [rows, columns]));
                }
                [count] if numbers.is_none() && (1..=MAX_COUNT).contains(&count) => {
                    numbers = Some((input.name.clone(), count));
                }
                _ => return refuse(INPUTS.to_owned()),
            }
        }
        let (board, planes, sides) =
            board.ok_or_else(|| format!("it has no input for the board; {INPUTS}"))?;
        Ok(Inputs { board, planes, sides, numbers })
    }
}

/// The sides of an input of floats; an axis with a name instead of a size is `None`.
fn sides_of(input: &tract_onnx::pb::ValueInfoProto) -> Option<Vec<Option<usize>>> {
    use tract_onnx::pb::tensor_shape_proto::dimension::Value as Side;
    use tract_onnx::pb::type_proto::Value;
    let Value::TensorType(tensor) = input.r#type.as_ref()?.value.as_ref()?;
    if tensor.elem_type != 1 {
        return None;
    }
    let sides = tensor.shape.as_ref()?.dim.iter().map(|side| match side.value {
        Some(Side::DimValue(side)) => usize::try_from(side).ok(),
        _ => None,
    });
    let sides: Vec<Option<usize>> = sides.collect();
    (!sides.is_empty()).then_some(sides)
}

const OUTPUTS: &str = "expected two outputs, named policy [batch, actions] and value [batch, 1]";

/// The names of policy and value, if the outputs have these names.
fn choose_outputs(graph: &GraphProto) -> Result<Option<[&'static str; 2]>, String> {
    let has = |name: &str| graph.output.iter().any(|output| output.name == name);
    match (has("policy") && has("value"), graph.output.len()) {
        (true, _) => Ok(Some(["policy", "value"])),
        (false, 2) => Ok(None),
        (false, count) => Err(format!("{count} outputs; {OUTPUTS}")),
    }
}

/// The index of the policy among the outputs, and its number of actions.
fn policy_of(model: &TypedModel, are_named: bool) -> Result<(usize, usize), String> {
    let shape = |output: usize| -> Result<Vec<usize>, String> {
        let fact = model.output_fact(output).map_err(|error| line(&format!("{error:#}")))?;
        let sides = fact.shape.as_concrete().filter(|_| fact.datum_type == f32::datum_type());
        sides.map(<[usize]>::to_vec).ok_or_else(|| OUTPUTS.to_owned())
    };
    let shapes = [shape(0)?, shape(1)?];
    let is_value = |shape: &[usize]| matches!(shape, [1] | [1, 1]);
    let policy = match are_named {
        true => 0,
        false if is_value(&shapes[0]) && is_value(&shapes[1]) => return Err(OUTPUTS.to_owned()),
        false => usize::from(is_value(&shapes[0])),
    };
    match (&shapes[policy][..], is_value(&shapes[1 - policy])) {
        (&[1, actions], true) if (1..=MAX_COUNT).contains(&actions) => Ok((policy, actions)),
        _ => Err(format!("outputs of shapes {:?} and {:?}; {OUTPUTS}", shapes[0], shapes[1])),
    }
}
