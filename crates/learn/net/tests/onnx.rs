//! Networks in ONNX files: they play as the same network in a file of ours, as others compute them,
//! and the same on any number of threads; files that are not valid are refused in one line.
//! `onnx/README.md` gives the origin of the files.
#![cfg(feature = "onnx")]

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use connect_four::entry as connect_four;
use prost::Message;
use quintain_core::{Catalog, Entry, Match, Rng, Rules, Setup, ToolRequest};
use quintain_net::evaluator::NetEvaluator;
use quintain_net::model::Model;
use quintain_net::network::Evaluation;
use quintain_net::onnx::OnnxNetwork;
use tract_onnx::pb::tensor_shape_proto::dimension::Value as Side;
use tract_onnx::pb::{ModelProto, StringStringEntryProto, type_proto};
use tract_onnx::prelude::Framework;

const FILES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/onnx");

fn file(name: &str) -> PathBuf {
    Path::new(FILES).join(name)
}

fn catalog() -> Catalog {
    Catalog::new()
        .with(quintain_net::add_to(quintain_tron::entry()))
        .with(quintain_net::add_to(connect_four()))
}

/// The model of a file, for changing it.
fn proto(name: &str) -> ModelProto {
    let bytes = fs::read(file(name)).unwrap();
    tract_onnx::onnx().proto_model_for_read(&mut &bytes[..]).unwrap()
}

fn error_of(proto: &ModelProto) -> String {
    error_of_bytes(&proto.encode_to_vec())
}

fn error_of_bytes(bytes: &[u8]) -> String {
    let error = OnnxNetwork::read("a.onnx", bytes).map(drop).expect_err("no network").to_string();
    assert!(!error.contains('\n'), "{error}");
    error.strip_prefix("a.onnx: ").expect("the file is named").to_owned()
}

/// Compares what both files answer for positions of random matches, for every seat.
fn compare<R: Rules>(entry: &Entry<R>, scenario: &str, game: &str) {
    let (scenario, _) = entry.build(scenario).unwrap();
    let mut rng = Rng::from_seed(1);
    let start = scenario.start(&mut Rng::from_seed(0));
    let evaluator = |name: &str| {
        let model = Arc::new(Model::open(&file(name)).unwrap());
        NetEvaluator::new(model, &entry.encodings()[0].1, scenario.rules(), &start).unwrap()
    };
    let mut ours = evaluator(&format!("{game}.safetensors"));
    let mut onnx = evaluator(&format!("{game}.onnx"));
    let mut seen = 0;
    for seed in 0..60 {
        let mut game = Match::new(scenario.clone(), seed);
        while !game.is_over() {
            for &seat in game.acting() {
                let (ours, onnx) = (ours.ask(game.state(), seat), onnx.ask(game.state(), seat));
                let pairs =
                    ours.logits.iter().zip(&onnx.logits).chain([(&ours.value, &onnx.value)]);
                for (ours, onnx) in pairs {
                    assert!((ours - onnx).abs() < 1e-4, "{ours} {onnx}");
                }
                assert_eq!(ours.logits.len(), onnx.logits.len());
                seen += 1;
            }
            let rules = game.rules().clone();
            let joint: Vec<R::Action> = game
                .acting()
                .iter()
                .map(|seat| rules.random_action(game.state(), *seat, &mut rng))
                .collect();
            game.play(&joint).map_err(drop).unwrap();
        }
    }
    assert!(seen > 100, "{seen} positions");
}

#[test]
fn both_file_formats_give_the_same_answers() {
    compare(&quintain_tron::entry(), "hackerrank?opening=8", "tron");
    compare(&connect_four(), "standard", "connect-four");
}

#[test]
fn players_decide_the_same_with_both_file_formats() {
    let catalog = catalog();
    for (game, scenario) in [("tron", "hackerrank?opening=4"), ("connect-four", "standard")] {
        let bound = catalog.game(game, scenario).unwrap();
        for player in ["net?file=", "puct?simulations=12&net="] {
            let seated = |kind: &str| {
                let path = file(&format!("{game}.{kind}")).display().to_string();
                catalog.player(game, &format!("{player}{path}")).unwrap()
            };
            let (ours, onnx) = (seated("safetensors"), seated("onnx"));
            let random = catalog.player(game, "random").unwrap();
            assert_ne!(ours.version, onnx.version, "another file is another player");
            for seed in 1..=3 {
                let setup = Setup::new(seed);
                let ours = bound.play(&setup, &[&ours, &random], None).unwrap();
                let onnx = bound.play(&setup, &[&onnx, &random], None).unwrap();
                assert_eq!(ours.actions, onnx.actions, "{player} {game}");
                assert_eq!(onnx.outcome.fault, None);
            }
        }
    }
}

#[test]
fn foreign_networks_agree_with_onnx_runtime() {
    #[derive(serde::Deserialize)]
    struct Position {
        cells: Vec<usize>,
        logits: Vec<f32>,
        value: f32,
    }
    let positions = fs::read_to_string(file("residual.json")).unwrap();
    let positions: Vec<Position> = serde_json::from_str(&positions).unwrap();
    let network = OnnxNetwork::open(&file("residual.onnx")).unwrap();
    let mut answer = Evaluation::default();
    for Position { cells, logits, value } in positions {
        let ones: Vec<(usize, usize)> = cells.into_iter().enumerate().collect();
        network.evaluate(&ones, &[], &mut answer).unwrap();
        for (here, there) in answer.logits.iter().zip(&logits).chain([(&answer.value, &value)]) {
            assert!((here - there).abs() < 1e-4, "{here} {there}");
        }
        assert_eq!(answer.logits.len(), logits.len());
    }
}

#[test]
fn intermediate_shapes_with_a_named_batch_are_accepted() {
    // As PyTorch's exporter notes them for values between input and outputs.
    let mut proto = proto("residual.onnx");
    let graph = proto.graph.as_mut().unwrap();
    let mut between = graph.input[0].clone();
    between.name = "r1".to_owned();
    let type_proto::Value::TensorType(tensor) =
        between.r#type.as_mut().unwrap().value.as_mut().unwrap();
    let sides = &mut tensor.shape.as_mut().unwrap().dim;
    assert!(matches!(sides[0].value, Some(Side::DimParam(_))));
    sides[1].value = Some(Side::DimValue(8));
    graph.value_info.push(between);
    OnnxNetwork::read("a.onnx", &proto.encode_to_vec()).unwrap();
}

#[test]
fn values_do_not_depend_on_earlier_questions() {
    let network = OnnxNetwork::open(&file("residual.onnx")).unwrap();
    let mut rng = Rng::from_seed(2);
    let mut board =
        || -> Vec<(usize, usize)> { (0..225).map(|cell| (cell, rng.below(10))).collect() };
    let boards: Vec<_> = (0..6).map(|_| board()).collect();
    let bits = |board: &[(usize, usize)]| {
        let mut answer = Evaluation::default();
        network.evaluate(board, &[], &mut answer).unwrap();
        let numbers = answer.logits.iter().chain([&answer.value]);
        numbers.map(|number| number.to_bits()).collect::<Vec<u32>>()
    };
    let forwards: Vec<_> = boards.iter().map(|board| bits(board)).collect();
    let mut backwards: Vec<_> = boards.iter().rev().map(|board| bits(board)).collect();
    backwards.reverse();
    assert_eq!(forwards, backwards);
    assert_ne!(forwards[0], forwards[1]);
}

#[test]
fn onnx_self_play_does_not_depend_on_threads() {
    let folder = tempfile::tempdir().unwrap();
    let catalog = catalog();
    let network = file("connect-four.onnx").display().to_string();
    let shards = |threads: &str| {
        let out = folder.path().join(threads);
        let options = [
            ("out", out.to_str().unwrap()),
            ("net", &network),
            ("matches", "4"),
            ("side-by-side", "2"),
            ("simulations", "6"),
            ("threads", threads),
        ];
        let options = options.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        let tool = catalog.entry("connect-four").unwrap().tool("self-play").unwrap();
        tool.call(&ToolRequest { options, ..ToolRequest::default() }).unwrap();
        ["positions-000000.npy", "positions-000001.npy"]
            .map(|name| fs::read(out.join(name)).unwrap())
    };
    assert_eq!(shards("1"), shards("2"));
}

#[test]
fn broken_onnx_files_are_refused() {
    let good = fs::read(file("tron.onnx")).unwrap();
    let ours = fs::read(file("tron.safetensors")).unwrap();
    for bytes in [&b""[..], b"short", &[255; 64], &ours, &good[..good.len() / 2]] {
        let message = error_of_bytes(bytes);
        assert!(message.starts_with("not ONNX, or damaged: "), "{message}");
    }
    let folder = tempfile::tempdir().unwrap();
    let large = folder.path().join("large.onnx");
    fs::File::create(&large).unwrap().set_len((256 << 20) + 1).unwrap();
    let message = OnnxNetwork::open(&large).unwrap_err().to_string();
    assert!(message.ends_with("large.onnx: it is larger than 256 MiB"), "{message}");
}

#[test]
fn missing_metadata_is_named() {
    let set = |key: &str, value: Option<&str>| {
        let mut proto = proto("tron.onnx");
        proto.metadata_props.retain(|prop| prop.key != key);
        if let Some(value) = value {
            let (key, value) = (key.to_owned(), value.to_owned());
            proto.metadata_props.push(StringStringEntryProto { key, value });
        }
        proto
    };
    for field in ["game", "encoding"] {
        let message = error_of(&set(field, None));
        let expected = format!("its metadata_props lack {field}; set them");
        assert!(message.starts_with(&expected), "{message}");
        assert!(message.contains("onnx.helper.set_model_props(model, "), "{message}");
    }
    for (field, value, part) in [
        ("range", "1,1", "range in the header: 1 is not below 1"),
        ("range", "much", "“much” is not a number"),
        ("feature_scale", "inf", "expected finite numbers"),
    ] {
        let message = error_of(&set(field, Some(value)));
        assert!(message.contains(part), "{message}");
    }

    let folder = tempfile::tempdir().unwrap();
    let refused = |proto: &ModelProto| {
        let path = folder.path().join("a.onnx");
        fs::write(&path, proto.encode_to_vec()).unwrap();
        let catalog = catalog();
        let spec = format!("net?file={}", path.display());
        let game = catalog.game("tron", "hackerrank").unwrap();
        let player = catalog.player("tron", &spec);
        player.and_then(|player| game.accepts(&player)).unwrap_err().to_string()
    };
    let message = refused(&set("game", Some("gather")));
    assert!(message.contains("is a network for gather; tron needs one"), "{message}");
    let message = refused(&set("encoding", Some("bord")));
    assert!(message.contains("unknown encoding “bord”"), "{message}");
    let message = refused(&set("feature_scale", Some("1,1")));
    let expected = "the network is for features: 2, but this scenario has 1";
    assert!(message.contains(expected), "{message}");
}

#[test]
fn wrong_input_and_output_shapes_are_named() {
    let set_side = |is_input: bool, place: usize, axis: usize, side: Side| {
        let mut proto = proto("residual.onnx");
        let graph = proto.graph.as_mut().unwrap();
        let values = if is_input { &mut graph.input } else { &mut graph.output };
        let type_proto::Value::TensorType(tensor) =
            values[place].r#type.as_mut().unwrap().value.as_mut().unwrap();
        tensor.shape.as_mut().unwrap().dim[axis].value = Some(side);
        proto
    };
    let message = error_of(&set_side(true, 0, 0, Side::DimValue(8)));
    assert_eq!(message, "input x: its batch axis is 8, expected 1 or a name");
    let message = error_of(&set_side(true, 0, 2, Side::DimParam("rows".to_owned())));
    assert_eq!(message, "input x: only its batch axis may have no size");
    // Planes that do not fit the weights.
    let message = error_of(&set_side(true, 0, 1, Side::DimValue(7)));
    assert!(message.contains('7') && message.contains("10"), "{message}");
    let message = error_of(&set_side(true, 0, 2, Side::DimValue(1 << 40)));
    assert_eq!(message, "input x: 10 planes of 15×1099511627776 cells");

    let mut fewer = proto("residual.onnx");
    fewer.graph.as_mut().unwrap().output.pop();
    let message = error_of(&fewer);
    assert!(
        message.starts_with("1 outputs; expected two outputs, named policy [batch, actions]"),
        "{message}"
    );
    let mut none = proto("residual.onnx");
    none.graph.as_mut().unwrap().input.clear();
    assert!(error_of(&none).starts_with("it has no input for the board; expected a board [batch"));
    let mut names = proto("tron.onnx");
    names.graph.as_mut().unwrap().input[1].name = "other".to_owned();
    assert!(!error_of(&names).is_empty());
}

#[test]
fn unsupported_operators_are_named() {
    let with = |change: &dyn Fn(&mut ModelProto)| {
        let mut proto = proto("residual.onnx");
        change(&mut proto);
        error_of(&proto)
    };
    let node = |operator: &'static str| {
        with(&move |proto| proto.graph.as_mut().unwrap().node[2].op_type = operator.to_owned())
    };
    assert_eq!(node("Deform"), "operator Deform of /r0 is not supported by tract");
    assert_eq!(node("RandomNormalLike"), "operator RandomNormalLike of /r0 draws at random");
    let message =
        with(&|proto| proto.graph.as_mut().unwrap().node[2].domain = "com.example".to_owned());
    assert_eq!(message, "operator Relu of /r0 is of com.example, not one of ONNX's own");
    let message = with(&|proto| proto.opset_import[0].version = 21);
    assert_eq!(message, "opset 21, expected 9 to 18; export it with opset_version=18");
    let message = with(&|proto| proto.opset_import.clear());
    assert!(message.starts_with("opset 0, expected 9 to 18"), "{message}");
}

#[test]
fn unusable_weights_are_named() {
    let with = |change: &dyn Fn(&mut tract_onnx::pb::TensorProto)| {
        let mut proto = proto("residual.onnx");
        change(&mut proto.graph.as_mut().unwrap().initializer[0]);
        error_of(&proto)
    };
    for number in [f32::NAN, f32::INFINITY, 1e9] {
        let message = with(&|tensor| tensor.raw_data[..4].copy_from_slice(&number.to_le_bytes()));
        assert_eq!(message, format!("tensor c0.w: holds {number}; expected numbers within ±1e6"));
    }
    let message = with(&|tensor| tensor.raw_data.truncate(40));
    assert_eq!(message, "tensor c0.w: 10 numbers, but its shape is [8, 10, 3, 3]");
    let message = with(&|tensor| tensor.dims[0] = -1);
    assert_eq!(message, "tensor c0.w: of shape [-1, 10, 3, 3]");
    let message = with(&|tensor| tensor.data_location = Some(1));
    assert!(message.ends_with("export everything in one (external_data=False)"), "{message}");
}

#[test]
fn networks_that_answer_nan_are_refused_before_the_match() {
    let mut proto = proto("residual.onnx");
    // The logarithm after a rectifier: for 0 it is not a usable number.
    let graph = proto.graph.as_mut().unwrap();
    let last = graph.node.iter_mut().find(|node| node.output == ["outcome"]).unwrap();
    last.op_type = "Log".to_owned();
    last.input[0] = "vr".to_owned();
    let tail = graph.node.iter_mut().find(|node| node.output == ["vo"]).unwrap();
    tail.output[0] = "unused".to_owned();
    let gemm = graph.node.iter_mut().find(|node| node.output == ["outcome"]).unwrap();
    gemm.input[0] = "unused".to_owned();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.onnx");
    fs::write(&path, proto.encode_to_vec()).unwrap();
    let catalog = catalog();
    let player = catalog.player("tron", &format!("net?file={}", path.display())).unwrap();
    let game = catalog.game("tron", "hackerrank").unwrap();
    let message = game.accepts(&player).unwrap_err().to_string();
    assert!(message.contains("log.onnx: its value holds NaN at this position"), "{message}");
}

#[test]
fn a_missing_score_range_comes_from_the_rules() {
    let entry = quintain_tron::entry();
    let (scenario, _) = entry.build("hackerrank").unwrap();
    let start = scenario.start(&mut Rng::from_seed(0));
    let model = Arc::new(Model::open(&file("residual.onnx")).unwrap());
    let made = NetEvaluator::new(model, &entry.encodings()[0].1, scenario.rules(), &start);
    use quintain_search::puct::PriorEvaluator;
    assert_eq!(made.unwrap().range(), Some((-1.0, 1.0)));
}

#[test]
fn damaged_files_never_panic() {
    let good = fs::read(file("residual.onnx")).unwrap();
    let mut rng = Rng::from_seed(3);
    let mut refused = 0;
    for _ in 0..100 {
        let mut bytes = good.clone();
        // Weights are most of the file; the structure comes before them.
        let structure = 2_500.min(bytes.len());
        for _ in 0..1 + rng.below(3) {
            let at = if rng.chance(0.8) { rng.below(structure) } else { rng.below(bytes.len()) };
            bytes[at] = rng.below(256) as u8;
        }
        match OnnxNetwork::read("a", &bytes) {
            Ok(network) => {
                let mut answer = Evaluation::default();
                let _ = network.evaluate(&[(0, 0)], &[0.0; 4], &mut answer);
            }
            Err(error) => {
                assert!(!error.to_string().contains('\n'));
                refused += 1;
            }
        }
    }
    assert!(refused > 30, "{refused}");
}
