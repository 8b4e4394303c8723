//! Users' old files keep working. `tests/before` holds a store that version 0.1 made before a game
//! was split into rules, environment and presentation: records of all five games, a half-played
//! tournament, a kept solution; and the standings of them, which change only where their statistics
//! do. This version opens the store, verifies it, and continues from there.

use std::fs;
use std::path::Path;

use assert_cmd::Command;

const BEFORE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/before");

/// Makes a folder with a copy of the old store, where commands look for it, and the old files.
fn old_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (from, to) in [
        ("store-0.1.db", "quintain.sqlite"),
        ("mixed.toml", "mixed.toml"),
        ("pentocity.toml", "pentocity.toml"),
    ] {
        fs::copy(Path::new(BEFORE).join(from), folder.path().join(to)).unwrap();
    }
    folder
}

/// Returns the standard output of a command that succeeds.
fn output_of(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quintain"));
    command.current_dir(folder).env("NO_COLOR", "1").env_remove("QUINTAIN_STORE").args(arguments);
    let output = command.output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

fn old_text(file: &str) -> String {
    fs::read_to_string(Path::new(BEFORE).join(file)).unwrap()
}

#[test]
fn every_record_of_before_replays_as_it_was_played() {
    let folder = old_folder();
    let said = output_of(folder.path(), &["verify"]);
    assert_eq!(said, "62 records in quintain.sqlite verified\n");
}

#[test]
fn earlier_standings_are_reproduced_byte_for_byte() {
    let folder = old_folder();
    assert_eq!(output_of(folder.path(), &["standings", "cities"]), old_text("cities.txt"));
    let json = output_of(folder.path(), &["standings", "mixed", "--format", "json"]);
    assert_eq!(json, old_text("mixed.json"));
}

#[test]
fn a_tournament_of_before_goes_on_where_it_stopped() {
    let old = old_folder();
    let resumed = output_of(old.path(), &["tournament", "mixed.toml"]);
    // Of 96 matches, 48 were there. The champion has another version since then, so the half of
    // these that it played are played again.
    assert!(resumed.contains("72 matches played"), "{resumed}");
    assert!(resumed.contains("24 were already in the store"), "{resumed}");
    // Playing all of it now ends with the same standings.
    let fresh = tempfile::tempdir().unwrap();
    fs::copy(Path::new(BEFORE).join("mixed.toml"), fresh.path().join("mixed.toml")).unwrap();
    output_of(fresh.path(), &["tournament", "mixed.toml", "--quiet"]);
    let standings = ["standings", "mixed", "--format", "json"];
    assert_eq!(output_of(old.path(), &standings), output_of(fresh.path(), &standings));
    // What was complete stays complete: ids are the same.
    let complete = output_of(old.path(), &["tournament", "pentocity.toml"]);
    assert!(complete.contains("0 matches played"), "nothing is missing: {complete}");
    assert!(complete.contains("8 were already in the store"), "{complete}");
}
