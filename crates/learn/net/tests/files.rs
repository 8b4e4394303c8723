//! Files that are not networks: one clear line each, and never a panic.

mod common;

use common::{bytes, bytes_of, shapes, tensors, tron, tron_fields};
use quintain_core::Rng;
use quintain_net::file::NetworkFile;
use safetensors::Dtype;

fn error_of(bytes: &[u8]) -> String {
    let error = NetworkFile::read("a.safetensors", bytes).expect_err("no network").to_string();
    assert!(!error.contains('\n'), "{error}");
    assert!(error.starts_with("a.safetensors: "), "{error}");
    error
}

/// The error for a file whose header differs in one field.
fn error_of_header(key: &str, value: Option<&str>) -> String {
    let mut fields = tron_fields("3,4");
    let tensors = tensors(&shapes(&fields), 1);
    match value {
        Some(value) => fields.insert(key.to_owned(), value.to_owned()),
        None => fields.remove(key),
    };
    error_of(&bytes(&fields, &tensors))
}

#[test]
fn networks_read_back_and_are_versioned_by_their_bytes() {
    let (one, two) = (tron("3,4", 1), tron("3,4", 2));
    let read = |bytes: &[u8]| NetworkFile::read("a", bytes).unwrap().version();
    assert_eq!(read(&one), read(&one));
    assert_ne!(read(&one), read(&two));
}

#[test]
fn files_without_tensors_are_refused() {
    for bytes in [&b""[..], b"short", &[255; 64], &tron("3,4", 1)[..500], b"\x02\0\0\0\0\0\0\0{}"] {
        error_of(bytes);
    }
    assert!(error_of(b"GIF89a..............").contains("expected safetensors"));
}

#[test]
fn truncated_files_name_the_missing_bytes() {
    let whole = tron("3,4", 1);
    let header = 8 + u64::from_le_bytes(*whole.first_chunk().unwrap()) as usize;
    for (left, expected) in
        [(whole.len() - 1, whole.len()), (header, whole.len()), (header - 1, header), (9, header)]
    {
        let message = error_of(&whole[..left]);
        let cut_off = format!("cut off: {left} bytes, expected at least {expected}; copy it again");
        assert_eq!(message, format!("a.safetensors: {cut_off}"));
    }
    // Extra bytes at the end are a different error, and so is a file that never was a network.
    for bytes in [&[&whole[..], b"more"].concat(), &[&[255; 8], &whole[8..]].concat()] {
        assert!(error_of(bytes).contains("not a network"));
    }
}

#[test]
fn wrong_headers_are_named() {
    let missing = error_of_header("format", None);
    assert_eq!(missing, "a.safetensors: format in the header: missing");
    let form = error_of_header("format", Some("quintain-net 9"));
    assert!(form.contains("“quintain-net 9”, expected “quintain-net 1”"), "{form}");
    for (key, value, part) in [
        ("board", "3", "expected 2 numbers from 1 to 65536"),
        ("board", "60000,60000", "at most 16384"),
        ("channels", "0", "expected a number from 1 to 1024"),
        ("actions", "-1", "“-1” is not a number"),
        ("actions", "99999999999999999999999", "is not a number"),
        ("range", "1,1", "1 is not below 1"),
        ("range", "0,inf", "expected two numbers"),
        ("feature_scale", "NaN", "expected finite numbers"),
        ("estimate", "much", "“much” is not a number"),
        ("estimate", "1,2", "estimate in the header: expected a number"),
        ("blocks", "65", "from 0 to 64"),
        ("precision", "i8", "precision in the header: expected f32 or i16"),
    ] {
        let message = error_of_header(key, Some(value));
        assert!(message.contains(part), "{key}={value}: {message}");
    }
}

#[test]
fn half_precision_numbers_are_read() {
    let fields = tron_fields("3,4");
    let tensors = tensors(&shapes(&fields), 1);
    let file =
        |dtype, bits: u16| bytes_of(&fields, &tensors, dtype, |_| bits.to_le_bytes().to_vec());
    let halves = NetworkFile::read("a", &file(Dtype::F16, 0xb800)).unwrap();
    assert!(halves.tensors.iter().flatten().all(|number| *number == -0.5));
    let infinite = error_of(&file(Dtype::F16, 0x7c00));
    assert!(infinite.contains("holds NaN; expected numbers within"), "{infinite}");
    let other = error_of(&file(Dtype::BF16, 0xb800));
    assert!(other.ends_with("BF16, expected F32 or F16"), "{other}");
}

#[test]
fn unfit_tensors_are_named() {
    let fields = tron_fields("3,4");
    let good = tensors(&shapes(&fields), 1);
    let mut missing = good.clone();
    missing.remove(3);
    assert!(error_of(&bytes(&fields, &missing)).ends_with("missing"));
    let mut more = good.clone();
    more.push(("extra".to_owned(), vec![1], vec![0.0]));
    assert!(error_of(&bytes(&fields, &more)).contains("tensor extra"));
    let mut wrong = good.clone();
    wrong[1] = ("stem.bias".to_owned(), vec![4], vec![0.0; 4]);
    let said_of_shape = error_of(&bytes(&fields, &wrong));
    assert_eq!(said_of_shape, "a.safetensors: tensor stem.bias: of shape [4], expected [5]");
    for number in [f32::NAN, f32::INFINITY, 1e9] {
        let mut odd = good.clone();
        odd[2].2[0] = number;
        assert!(error_of(&bytes(&fields, &odd)).contains("expected numbers within ±1e6"));
    }
}

#[test]
fn damaged_files_never_panic() {
    let good = tron("3,4", 1);
    let mut rng = Rng::from_seed(3);
    for _ in 0..3_000 {
        let mut bytes = good.clone();
        for _ in 0..1 + rng.below(4) {
            let header = 2_000.min(bytes.len());
            let at = if rng.chance(0.8) { rng.below(header) } else { rng.below(bytes.len()) };
            bytes[at] = rng.below(256) as u8;
        }
        if rng.chance(0.2) {
            bytes.truncate(rng.below(bytes.len()));
        }
        if let Ok(file) = NetworkFile::read("a", &bytes) {
            quintain_net::network::Network::new(&file);
        }
    }
}

#[test]
fn unreadable_files_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("none.safetensors");
    let error = NetworkFile::open(&path).unwrap_err().to_string();
    assert!(error.starts_with("cannot read ") && error.contains("none.safetensors"), "{error}");
    let error = NetworkFile::open(folder.path()).unwrap_err().to_string();
    assert!(error.ends_with("it is a folder, not a file"), "{error}");
}
