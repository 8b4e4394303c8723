//! Names over the whole workspace: functions are verbs, and two public types have one name only for a
//! reason that stands here.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

mod source;
mod tokens;

use source::{REPOSITORY, crates, find_sources};
use tokens::tokens;

/// Words that say when, where or what was done, and not what a function does.
const NO_VERBS: [&str; 20] = [
    "asked", "beside", "drawn", "given", "heard", "kept", "known", "laid", "made", "named", "said",
    "seen", "shown", "since", "stored", "told", "under", "within", "without", "written",
];

/// Names of public types that more than one crate has, and why.
const DOUBLES: [(&str, &str); 6] = [
    ("Illegal", "the rules' reason, and the message that carries it to a program"),
    ("Limits", "of a program and of a module: each kind's own, read from the same entry"),
    (
        "Line",
        "a line that a program wrote, with its time; a line of a transcript, with who wrote it",
    ),
    ("Options", "each search's own and the server's, named with their modules"),
    ("Turn", "whose move it is, and the message that asks for one"),
    ("View", "what an encoding writes into, and where the play page looks"),
];

/// The tokens of each source file of a crate, with its place in the repository.
fn read_crate(folder: &Path) -> Vec<(String, Vec<String>)> {
    let files = find_sources(&folder.join("src"));
    let place = |file: &Path| file.strip_prefix(REPOSITORY).unwrap().display().to_string();
    files.iter().map(|file| (place(file), tokens(&fs::read_to_string(file).unwrap()))).collect()
}

#[test]
fn functions_are_named_by_what_they_do() {
    let mut problems = String::new();
    for folder in crates() {
        for (place, tokens) in read_crate(&folder) {
            for pair in tokens.windows(2).filter(|pair| pair[0] == "fn") {
                if NO_VERBS.contains(&pair[1].as_str()) {
                    problems += &format!("{place}: fn {}: a verb is wanted\n", pair[1]);
                }
            }
        }
    }
    assert!(problems.is_empty(), "{problems}");
}

#[test]
fn a_public_type_has_its_name_alone() {
    let mut crates_of: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    // A game's vocabulary is its own: a cell of one is no cell of another.
    let is_game = |folder: &Path| folder.join("src/players").exists();
    for folder in crates().into_iter().filter(|folder| !is_game(folder)) {
        let krate = folder.file_name().unwrap().to_str().unwrap().to_owned();
        for (_, tokens) in read_crate(&folder) {
            for found in tokens.windows(3) {
                if found[0] == "pub" && ["struct", "enum", "trait"].contains(&found[1].as_str()) {
                    crates_of.entry(found[2].clone()).or_default().insert(krate.clone());
                }
            }
        }
    }
    let is_double = |name: &str| crates_of.get(name).is_some_and(|crates| crates.len() > 1);
    let mut problems = String::new();
    for (name, crates) in crates_of.iter().filter(|(name, _)| is_double(name)) {
        if DOUBLES.iter().all(|(double, _)| double != name) {
            problems += &format!("{name}: {crates:?}\n");
        }
    }
    assert!(problems.is_empty(), "{problems}name one by what it is, or add it to DOUBLES");
    let unused: Vec<&str> =
        DOUBLES.iter().map(|(name, _)| *name).filter(|name| !is_double(name)).collect();
    assert!(unused.is_empty(), "not in two crates, and yet on the list: {unused:?}");
}
