//! The champion's networks: what is computed is what the file says, whoever is first and on however
//! many threads; and files that are not networks are refused in one line.
//!
//! This is a child module of the roster, like the other tests.

use std::collections::HashMap;

use quintain_core::Rng;
use quintain_grid::{Cell, Rows16};
use safetensors::Dtype;
use safetensors::tensor::TensorView;

use super::champion::chambers::Evaluator;
use super::champion::holding::Weights;
use super::champion::network::{COMMON, Inputs, Network, OWN};
use super::champion::odds;
use super::champion::settings::Settings;

const WEIGHTS: Weights = Weights { cell: 55, edge: 194, front: 55 };
const UNITS: usize = 5;

/// Tensors by name: their shape and numbers.
type Tensors = Vec<(&'static str, Vec<usize>, Vec<f32>)>;

/// Random tensors of the shapes that the champion expects.
fn random_tensors(seed: u64) -> Tensors {
    let mut rng = Rng::from_seed(seed);
    let mut tensor = |name, shape: &[usize]| {
        let count = shape.iter().product();
        let numbers = (0..count).map(|_| rng.unit() as f32 - 0.5).collect();
        (name, shape.to_vec(), numbers)
    };
    vec![
        tensor("hidden.weight", &[2 * OWN + COMMON, UNITS]),
        tensor("hidden.bias", &[UNITS]),
        tensor("out.weight", &[UNITS]),
        tensor("direct.weight", &[OWN]),
    ]
}

/// The bytes of a file with these tensors, for a given game and format.
fn bytes_for(game: &str, form: &str, tensors: &Tensors) -> Vec<u8> {
    let data: Vec<Vec<u8>> = tensors
        .iter()
        .map(|(_, _, numbers)| numbers.iter().flat_map(|number| number.to_le_bytes()).collect())
        .collect();
    let views = tensors.iter().zip(&data).map(|((name, shape, _), bytes)| {
        (*name, TensorView::new(Dtype::F32, shape.clone(), bytes).expect("the bytes of the shape"))
    });
    let fields = HashMap::from([("game", game), ("format", form)]);
    let fields = fields.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned()));
    safetensors::serialize(views, Some(fields.collect())).expect("a file of tensors")
}

fn bytes(tensors: &Tensors) -> Vec<u8> {
    bytes_for("tron", "quintain-tron-chambers 1", tensors)
}

fn network(tensors: &Tensors) -> Network {
    Network::read("a.safetensors", &bytes(tensors)).unwrap_or_else(|error| panic!("{error}"))
}

/// The error for bytes that are not a network.
fn error_of(bytes: &[u8]) -> String {
    let error = Network::read("a.safetensors", bytes).expect_err("no network").to_string();
    assert!(!error.contains('\n'), "{error}");
    assert!(error.starts_with("a.safetensors: "), "{error}");
    error
}

/// A board cut into chambers, with the inputs seen from either side.
fn examine() -> [(Inputs, i32); 2] {
    let free = Rows16::parse(
        "###############
         ##............#
         ##............#
         ##............#
         ##............#
         ######........#
         #....#........#
         #....#........#
         #......########
         #............##
         #............##
         #.#.#........##
         #............##
         #..#.........##
         ###############",
    );
    let heads = [Cell::new(6, 5), Cell::new(8, 7)];
    let mut evaluator = Evaluator::<u16, 16>::new(WEIGHTS, false);
    [heads, [heads[1], heads[0]]].map(|heads| {
        let (evaluation, findings) = evaluator.examine(&free, heads);
        assert_eq!(evaluation.worth, evaluator.evaluate(&free, heads).worth);
        (Inputs::of(&evaluation, &findings, heads), odds::of_territories(&evaluation))
    })
}

#[test]
fn a_network_is_worth_what_its_file_says() {
    let tensors = random_tensors(1);
    let [(inputs, _), _] = examine();
    let [hidden, bias, out, direct] = [0, 1, 2, 3].map(|tensor| &tensors[tensor].2);
    // The sum as in a textbook.
    let seen_from = |side: usize| -> f64 {
        let mut numbers = inputs.sides[side].to_vec();
        numbers.extend(inputs.sides[1 - side].iter().chain(&inputs.common));
        let units = (0..UNITS).map(|unit| {
            let products = numbers.iter().enumerate();
            let sum: f32 = products.map(|(row, x)| x * hidden[row * UNITS + unit]).sum();
            f64::from((sum + bias[unit]).max(0.0) * out[unit])
        });
        let alone = numbers.iter().zip(direct).map(|(number, weight)| f64::from(number * weight));
        units.sum::<f64>() + alone.sum::<f64>()
    };
    let expected = 1000.0 * (seen_from(0) - seen_from(1));
    let value = f64::from(network(&tensors).value(&inputs));
    assert!(expected.abs() > 100.0, "{expected}");
    assert!((value - expected).abs() < 0.1, "{value}, by hand {expected}");
}

#[test]
fn swapping_seats_changes_the_sign() {
    let [(ours, _), (theirs, _)] = examine();
    for seed in 0..20 {
        let network = network(&random_tensors(seed));
        assert_eq!(network.value(&ours), -network.value(&theirs));
    }
}

#[test]
fn a_network_of_direct_weights_alone_can_be_the_weighted_sum() {
    let mut tensors = random_tensors(1);
    tensors[2].2.fill(0.0);
    let direct = &mut tensors[3].2;
    direct.fill(0.0);
    for (number, weight) in direct.iter_mut().zip([0.76 * 55.0, 0.76 * 4.0 * 194.0, 0.76 * 55.0]) {
        *number = weight / 1000.0;
    }
    let [(inputs, guess), _] = examine();
    let value = network(&tensors).value(&inputs);
    assert!(guess.abs() > 500, "{guess}");
    assert!((value - guess as f32).abs() < 2.0, "{value}, the sum {guess}");
}

#[test]
fn the_network_beside_the_sources_values_a_lead_as_one() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/networks/chambers.safetensors");
    let network = Network::open(path.as_ref()).unwrap_or_else(|error| panic!("{error}"));
    // The second head is shut out of most of the board.
    let free = Rows16::parse(
        "..........
         ..........
         ..........
         ..........
         ########..
         ..........
         #.........",
    );
    let heads = [Cell::new(4, 7), Cell::new(6, 0)];
    let mut evaluator = Evaluator::<u16, 16>::new(WEIGHTS, false);
    let (evaluation, findings) = evaluator.examine(&free, heads);
    let value = network.value(&Inputs::of(&evaluation, &findings, heads));
    assert!(value > 1500.0, "{value}");
}

/// What the champion decides and notes with a network, from both seats, along a match.
fn decisions(path: &str) -> Vec<(crate::Direction, i32)> {
    let network = Network::open(path.as_ref()).unwrap_or_else(|error| panic!("{error}"));
    let settings =
        Settings { table_bits: 12, network: Some(network.into()), ..Settings::default() };
    let mut players = [0, 1].map(|_| super::champion::Champion::new(settings.clone()));
    let free = Rows16::rectangle(14, 16);
    let mut heads = [Cell::new(2, 3), Cell::new(11, 12)];
    let mut duel = super::duel::Duel {
        height: 14,
        width: 16,
        free: free.cells().filter(|cell| !heads.contains(cell)).collect(),
        heads,
        order: super::duel::Order::Simultaneous,
    };
    let mut decided = Vec::new();
    for _ in 0..12 {
        for seat in [0, 1] {
            let mut left = 400;
            let choice = players[seat].choose(&duel, seat, &mut || {
                left -= 1;
                left > 0
            });
            decided.push((choice.direction, choice.value));
            heads[seat] = choice.direction.step(duel.heads[seat]);
        }
        heads.iter().for_each(|head| duel.free.remove(*head));
        duel.heads = heads;
    }
    decided
}

#[test]
fn one_file_decides_alike_on_any_number_of_threads() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/networks/chambers.safetensors");
    let alone = decisions(path);
    let together: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..3).map(|_| scope.spawn(|| decisions(path))).collect();
        threads.into_iter().map(|thread| thread.join().expect("it decides")).collect()
    });
    assert!(together.iter().all(|decided| *decided == alone));
}

#[test]
fn another_file_is_another_version() {
    let [one, other] = [1, 2].map(|seed| bytes(&random_tensors(seed)));
    let version = |bytes: &[u8]| Network::read("a", bytes).expect("a network").version();
    assert_eq!(version(&one), version(&one));
    assert_ne!(version(&one), version(&other));
}

#[test]
fn files_that_are_not_a_network_of_the_champion_are_refused_with_the_reason() {
    let good = random_tensors(1);
    for content in [&b""[..], b"short", &[255; 64], &bytes(&good)[..300], b"\x02\0\0\0\0\0\0\0{}"] {
        error_of(content);
    }
    assert!(error_of(b"GIF89a..............").contains("expected safetensors"));
    let whole = bytes(&good);
    for left in [9, 300, whole.len() - 1] {
        let expected = format!("cut off or damaged: {left} bytes, not as many as its header says");
        assert!(error_of(&whole[..left]).contains(&expected));
    }
    let game = error_of(&bytes_for("gather", "quintain-tron-chambers 1", &good));
    assert!(game.contains("game in the header is “gather”; the champion needs “tron”"), "{game}");
    let form = error_of(&bytes_for("tron", "quintain-net 1", &good));
    assert!(form.contains("is “quintain-net 1”; the champion needs “quintain-tron-chambers 1”"));
}

#[test]
fn missing_or_mistyped_tensors_are_named() {
    for tensor in 0..4 {
        let mut missing = random_tensors(1);
        let (name, ..) = missing.remove(tensor);
        let message = error_of(&bytes(&missing));
        assert_eq!(message, format!("a.safetensors: tensor {name}: missing"));
        for number in [f32::NAN, f32::INFINITY, 1e9] {
            let mut odd = random_tensors(1);
            odd[tensor].2[0] = number;
            assert!(error_of(&bytes(&odd)).contains("expected numbers within ±1e6"));
        }
    }
    let mut wide = random_tensors(1);
    wide[3] = ("direct.weight", vec![OWN + 1], vec![0.0; OWN + 1]);
    assert!(error_of(&bytes(&wide)).ends_with("of shape [12], expected [11]"));
    let mut more = random_tensors(1);
    more.push(("extra", vec![1], vec![0.0]));
    assert!(error_of(&bytes(&more)).contains("tensor extra: does not belong in such a network"));
    let mut large = random_tensors(1);
    large[1] = ("hidden.bias", vec![257], vec![0.0; 257]);
    assert!(error_of(&bytes(&large)).ends_with("of shape [257], expected 1 to 256 units"));
}

#[test]
fn no_damage_to_a_file_makes_reading_it_panic() {
    let good = bytes(&random_tensors(1));
    let [(inputs, _), _] = examine();
    let mut rng = Rng::from_seed(3);
    for _ in 0..3_000 {
        let mut bytes = good.clone();
        for _ in 0..1 + rng.below(4) {
            let header = 400.min(bytes.len());
            let at = if rng.chance(0.8) { rng.below(header) } else { rng.below(bytes.len()) };
            bytes[at] = rng.below(256) as u8;
        }
        if rng.chance(0.2) {
            bytes.truncate(rng.below(bytes.len()));
        }
        if let Ok(network) = Network::read("a", &bytes) {
            assert!(network.value(&inputs).is_finite());
        }
    }
}

#[test]
fn a_seat_is_refused_in_one_line() {
    let entry = crate::entry();
    let refuse = |net: &str, scenario: &str| {
        let rules = entry.build(scenario).expect("a scenario").0.rules().clone();
        let player = entry.build_player(&format!("champion?net={net}"), &rules);
        let error = player.err().expect("refused").to_string();
        assert!(!error.contains('\n'), "{error}");
        error
    };
    let message = refuse("no-such-file.safetensors", "hackerrank");
    let expected = "cannot read no-such-file.safetensors: there is no such file; expected \
        chambers, none, or \
                    a file of quintain.train.chambers";
    assert!(message.ends_with(expected), "{message}");
    let empty = refuse("", "hackerrank");
    assert!(
        empty.ends_with(
            "net= names no network; expected chambers, none, or a file of quintain.train.chambers"
        ),
        "{empty}"
    );
    for (given, meant) in [("None", "none"), ("Chambers", "chambers")] {
        let message = refuse(given, "hackerrank");
        assert!(
            message.ends_with(&format!("there is no such file; did you mean net={meant}?")),
            "{message}"
        );
    }
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/networks");
    assert!(refuse(folder, "hackerrank").ends_with(
        "it is a folder, not a file; expected chambers, none, or a file of quintain.train.chambers"
    ));
    let other = refuse(&format!("{folder}/tron.safetensors"), "hackerrank");
    assert!(other.contains("format in the header is “quintain-net 1”"), "{other}");
    // Players in turn; more than two at once.
    for scenario in ["codingame", "empty?players=4"] {
        let others = refuse(&format!("{folder}/chambers.safetensors"), scenario);
        assert!(
            others.ends_with("for two players that move at once; leave net out here"),
            "{others}"
        );
    }
}
