//! Hostile uploads: each is refused with its reason, or is harmless.

use std::io::{Cursor, Write};

use quintain_host::archive::{Tree, TreeLimits};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

const LIMITS: TreeLimits = TreeLimits { files: 20, bytes: 4 << 20 };

/// Makes a zip of files, whose names are written unchanged.
fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, bytes) in files {
        zip.start_file(*name, options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// Makes a zip in which one name is replaced by another of the same length.
fn renamed(files: &[(&str, &[u8])], from: &str, to: &str) -> Vec<u8> {
    rename(zip(files), from, to)
}

fn rename(mut bytes: Vec<u8>, from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    for at in 0..bytes.len() - from.len() {
        if bytes[at..].starts_with(from.as_bytes()) {
            bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
        }
    }
    bytes
}

fn refusal(bytes: &[u8]) -> String {
    Tree::read("bot.py", bytes, LIMITS).unwrap_err().to_string()
}

#[test]
fn paths_that_lead_outside_are_refused() {
    for bad in ["../../x.py", "/etc/x.py_", "a/../../x2", "C:/a/b.pyx", "a\\..\\x.py", "a//b/c.py_"]
    {
        let from = "0123456789";
        assert!(
            refusal(&renamed(&[(from, b"x")], from, &format!("{bad:_<10}")[..10])).contains("path")
        );
    }
    for name in ["..", ".", "", "a\nb", "a\0b", &"x".repeat(121), "a/../b"] {
        assert!(Tree::read(name, b"x", LIMITS).is_err(), "{name:?}");
    }
    let deep = "d/".repeat(12) + "x.py";
    assert!(refusal(&zip(&[(&deep, b"x")])).contains("too deep"));
}

#[test]
fn names_that_some_systems_take_for_the_same_conflict_in_either_order() {
    let long = "y".repeat(100);
    for (one, other) in [
        ("Bot.py", "bot.PY"),
        ("lib", "LIB/a.py"),
        ("a/B/c.py", "A/b"),
        (&*format!("{long}/x.py"), &*long.to_uppercase()),
    ] {
        for pair in [[one, other], [other, one]] {
            let files = pair.map(|path| (path.to_owned(), b"x".to_vec())).to_vec();
            let refused = Tree::of_files(files, LIMITS).unwrap_err().to_string();
            assert!(refused.ends_with("conflict with each other"), "{refused}");
        }
    }
    let apart = ["a/b.py", "a/bb.py", "a!/b.py", "ab", "b/a.py"];
    let files = apart.map(|path| (path.to_owned(), b"x".to_vec())).to_vec();
    assert_eq!(Tree::of_files(files, LIMITS).unwrap().files().len(), apart.len());
}

#[test]
fn what_systems_leave_in_zips_is_left_out() {
    let finder: &[(&str, &[u8])] = &[
        ("mine/bot.py", b"print()"),
        ("mine/.DS_Store", b"x"),
        ("__MACOSX/mine/._bot.py", b"x"),
        ("mine/Thumbs.db", b"x"),
        ("mine/__pycache__/bot.cpython-312.pyc", b"x"),
    ];
    let tree = Tree::read("mine.zip", &zip(finder), LIMITS).unwrap();
    assert_eq!(tree.files().keys().collect::<Vec<_>>(), ["bot.py"]);
    let alone = zip(&[("bot.py", b"print()"), ("__MACOSX/._bot.py", b"x")]);
    assert_eq!(Tree::read("mine.zip", &alone, LIMITS).unwrap().digest(), tree.digest());
}

#[test]
fn backslashes_and_leading_dots_are_paths_too() {
    let packed = renamed(&[("p_bot.py", b"1"), ("p_lib_a.py", b"2")], "p_bot.py", "p\\bot.py");
    let windows = rename(packed, "p_lib_a.py", "p\\lib\\a.py");
    let names = |bytes: &[u8]| -> Vec<String> {
        Tree::read("mine.zip", bytes, LIMITS).unwrap().files().keys().cloned().collect()
    };
    assert_eq!(names(&windows), ["bot.py", "lib/a.py"]);
    let dotted = renamed(&[("01bot.py", b"1")], "01bot.py", "./bot.py");
    assert_eq!(names(&dotted), ["bot.py"]);
}

#[test]
fn other_archives_are_refused_by_their_kind() {
    assert!(refusal(b"\x1f\x8b\x08rest").contains("a gzip or tar.gz"));
    assert!(refusal(b"Rar!\x1a\x07\x01\0").contains("a rar"));
    assert!(refusal(b"7z\xbc\xaf\x27\x1crest").contains("a 7z"));
    let mut tar = vec![0; 512];
    tar[257..262].copy_from_slice(b"ustar");
    assert!(refusal(&tar).contains("a tar, which is not read here; submit a zip"));
}

#[test]
fn links_and_devices_are_refused() {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    archive.add_symlink("passwd", "/etc/passwd", SimpleFileOptions::default()).unwrap();
    assert!(refusal(&archive.finish().unwrap().into_inner()).contains("link or a device"));
    // The mode of an entry is in the upper half of its external attributes.
    let mut device = zip(&[("disk", b"x")]);
    let central = device.windows(4).position(|four| four == b"PK\x01\x02").unwrap();
    device[central + 40..central + 42].copy_from_slice(&0o060_644_u16.to_le_bytes());
    assert!(refusal(&device).contains("link or a device"));
}

#[test]
fn names_that_conflict_are_refused() {
    let files: &[(&str, &[u8])] = &[("one.py", b"1"), ("two.py", b"2")];
    assert!(refusal(&renamed(files, "two.py", "one.py")).contains("two entries of one name"));
    assert!(refusal(&zip(&[("a.py", b"1"), ("A.py", b"2")])).contains("conflict with each other"));
    assert!(refusal(&zip(&[("a", b"1"), ("a/b", b"2")])).contains("conflict with each other"));
}

#[test]
fn zip_bombs_are_refused() {
    let zeros = vec![0; 16 << 20];
    let bomb = zip(&[("zeros", &zeros)]);
    assert!(bomb.len() < 100_000);
    assert!(refusal(&bomb).contains("larger than") || refusal(&bomb).contains("-fold"));
    let wide = TreeLimits { files: 20, bytes: 1 << 30 };
    assert!(Tree::read("", &bomb, wide).unwrap_err().to_string().contains("-fold"));
    let names: Vec<String> = (0..60).map(|number| format!("f{number}")).collect();
    let many: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b""[..])).collect();
    assert!(refusal(&zip(&many)).contains("60 entries"));
    assert!(refusal(&zip(&many[..30])).contains("more than 20 files"));
}

#[test]
fn a_damaged_zip_is_refused() {
    let message = Tree::read("bot.zip", b"no zip", LIMITS).unwrap_err().to_string();
    assert!(message.contains("\"bot.zip\" is named like a zip, but is not one"), "{message}");
    let whole = zip(&[("bot.py", b"print()")]);
    assert!(refusal(&whole[..whole.len() - 30]).contains("has no end"));
    assert!(refusal(b"PK\x03\x04").contains("has no end"));
    assert!(refusal(&zip(&[])).contains("no file"));
    let mut damaged = whole.clone();
    damaged[40] ^= 0xff;
    assert!(Tree::read("", &damaged, LIMITS).is_err());
    // Any single byte may be wrong: the upload is refused, or nothing points outside.
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x55;
        if let Ok(tree) = Tree::read("bot.py", &damaged, LIMITS) {
            assert!(tree.files().keys().all(|path| !path.contains("..") && !path.starts_with('/')));
        }
    }
}

#[test]
fn the_digest_covers_names_modes_and_bytes() {
    let digest = |files: &[(&str, &[u8])]| Tree::read("", &zip(files), LIMITS).unwrap().digest();
    let first = digest(&[("bot.py", b"x"), ("a/b", b"y")]);
    assert_eq!(first, digest(&[("a/b", b"y"), ("bot.py", b"x")]), "the order does not count");
    assert_eq!(
        first,
        digest(&[("f/bot.py", b"x"), ("f/a/b", b"y")]),
        "a single outer folder does not count"
    );
    for other in [
        digest(&[("bot.py", b"z"), ("a/b", b"y")]),
        digest(&[("bot.pz", b"x"), ("a/b", b"y")]),
        digest(&[("bot.py", b"xy"), ("a/b", b"")]),
        Tree::read("bot.py", b"#!/bin/sh\n", LIMITS).unwrap().digest(),
    ] {
        assert_ne!(first, other);
    }
    let run = Tree::read("bot", b"#!/bin/sh\n", LIMITS).unwrap();
    let packed = Tree::read("", &run.zip().unwrap(), LIMITS).unwrap();
    assert_eq!(run.digest(), packed.digest(), "a zip keeps which files may be run");
}
