//! One word has one meaning: names that docs/migration.md lists as old are gone from the code.
//!
//! Types, traits and variants count wherever they are named; functions where they are defined, and
//! only those that were named alone there: a method's name may be right for another type. Examples
//! and benches are code too; of Python and JavaScript the classes and types that they define count.

use std::fs;
use std::path::{Path, PathBuf};

mod source;
mod tokens;

use source::{REPOSITORY, crates, find_sources};
use tokens::tokens;

/// Old names that are right elsewhere, and where.
const STAYS: [(&str, &str); 12] = [
    ("Drop", "the trait of the standard library"),
    ("Game", "Python's class, and what `quintain new` begins with"),
    ("Missing", "variants of errors: a file or data that is not there"),
    (
        "Plan",
        "the lifecycle of programs that answer once, and how a program that is handed in is \
         started",
    ),
    ("Scoring", "the core's, which pentocity's rules name too"),
    ("Solver", "the trait kept its name; what it finds has another"),
    ("Style", "colours of a terminal, of another crate"),
    ("Versus", "a standing against one other player, and the written form of a tournament file"),
    ("Watch", "the verb `quintain watch`"),
    ("acts", "a method of Python's environments"),
    ("contest", "a contest's own phrases and problems, and Python's name of the scoring"),
    ("goal", "Python's name of the objective"),
];

/// An old name.
struct OldName {
    name: String,
    /// The crate in which it is old, where the page says so.
    folder: Option<String>,
    /// The row of the page.
    row: String,
}

fn old_names() -> Vec<OldName> {
    let page = fs::read_to_string(Path::new(REPOSITORY).join("docs/migration.md")).unwrap();
    let mut names = Vec::new();
    for row in page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| before")) {
        let mut cells = row.trim_matches('|').splitn(2, " | ");
        let (Some(before), Some(now)) = (cells.next(), cells.next()) else { continue };
        // What has only moved keeps its name, and so does what has only another error.
        if now.contains('…') || before.trim_start().starts_with("Python") {
            continue;
        }
        let before = before.split("errors as").next().unwrap_or_default();
        let now = quoted_names(now);
        for part in before.split(';') {
            let folder = part.split_once(": ").map(|(place, _)| place.trim().to_owned());
            for name in quoted_names(part).into_iter().filter(|name| !now.contains(name)) {
                names.push(OldName { name, folder: folder.clone(), row: row.to_owned() });
            }
        }
    }
    assert!(names.len() > 80);
    names
}

fn quoted_names(text: &str) -> Vec<String> {
    text.split('`').skip(1).step_by(2).flat_map(names_of).collect()
}

/// The names of a piece of code such as `A`, `a::B`, `A::{B, C}` or `f(x)`: types, and functions
/// that stand alone.
fn names_of(code: &str) -> Vec<String> {
    let is_name = |name: &str| name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let code = code.split('(').next().unwrap_or_default();
    let (path, last) = match code.split_once('{') {
        Some((path, list)) => (path, list.trim_end_matches('}')),
        None => code.rsplit_once("::").unwrap_or(("", code)),
    };
    let all = last.split(',').map(str::trim);
    let counts =
        |name: &&str| is_name(name) && (path.is_empty() || name.starts_with(char::is_uppercase));
    all.filter(|name| !name.is_empty()).filter(counts).map(str::to_owned).collect()
}

/// The sources in Python and JavaScript.
fn scripts() -> Vec<PathBuf> {
    let mut folders = vec![Path::new(REPOSITORY).join("crates")];
    let mut scripts = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|kind| ["py", "pyi", "js"].iter().any(|one| kind == *one))
            {
                scripts.push(path);
            }
        }
    }
    assert!(scripts.len() > 60);
    scripts
}

/// The names after `class`, and those of types in comments (`@typedef {…} Name`).
fn defined_types(script: &str) -> Vec<String> {
    let name = |text: &str| -> String {
        text.chars().take_while(|sign| sign.is_alphanumeric() || *sign == '_').collect()
    };
    let class = |line: &str| Some(name(line.trim_start().strip_prefix("class ")?));
    let typedef = |line: &str| {
        let comment = line.trim_start();
        let is_typedef = comment.contains("@typedef ") || comment.starts_with("* }} ");
        Some(name(comment.rsplit_once("} ").filter(|_| is_typedef)?.1))
    };
    script.lines().filter_map(|line| class(line).or_else(|| typedef(line))).collect()
}

#[test]
fn no_old_name_is_in_the_code() {
    let old = old_names();
    let mut unused: Vec<&str> = STAYS.iter().map(|(name, _)| *name).collect();
    let mut problems = String::new();
    for folder in crates() {
        let krate = folder.file_name().unwrap().to_str().unwrap().to_owned();
        let krate = krate.trim_start_matches("quintain-");
        let parts = ["src", "examples", "benches"];
        for file in parts.iter().flat_map(|part| find_sources(&folder.join(part))) {
            let tokens = tokens(&fs::read_to_string(&file).unwrap());
            let defined: Vec<&String> =
                tokens.windows(2).filter(|pair| pair[0] == "fn").map(|pair| &pair[1]).collect();
            let is_there = |name: &String| match name.starts_with(char::is_uppercase) {
                true => tokens.contains(name),
                false => defined.contains(&name),
            };
            for OldName { name, folder, row } in &old {
                if folder.as_ref().is_some_and(|only| only != krate) || !is_there(name) {
                    continue;
                }
                unused.retain(|stays| stays != name);
                if STAYS.iter().all(|(stays, _)| stays != name) {
                    let place = file.strip_prefix(REPOSITORY).unwrap().display();
                    problems += &format!("{place}: {name} is an old name: {row}\n");
                }
            }
        }
    }
    for file in scripts() {
        for name in defined_types(&fs::read_to_string(&file).unwrap()) {
            let row = old.iter().find(|old| old.name == name && old.folder.is_none());
            if let Some(OldName { row, .. }) = row
                && STAYS.iter().all(|(stays, _)| *stays != name)
            {
                let place = file.strip_prefix(REPOSITORY).unwrap().display();
                problems += &format!("{place}: {name} is an old name: {row}\n");
            }
        }
    }
    assert!(problems.is_empty(), "{problems}name it as that page says, or add it to STAYS");
    assert!(unused.is_empty(), "not in the code, and yet on the list: {unused:?}");
}

#[test]
fn types_are_read_from_scripts() {
    let script = "class Found(TypedDict):\n/** @typedef {{a: number}} Wish */\n\
                  /** @typedef {{\n *   b: number\n * }} Film a replay */\nlet klass = 1;\n";
    assert_eq!(defined_types(script), ["Found", "Wish", "Film"]);
}

#[test]
fn names_are_read_from_the_page() {
    assert_eq!(names_of("Turn::Nature"), ["Nature"]);
    assert_eq!(names_of("Goal::{Highest, Lowest}"), ["Highest", "Lowest"]);
    assert_eq!(names_of("Decision::{within, noting}"), [""; 0]);
    assert_eq!(names_of("play(game, …)"), ["play"]);
    assert_eq!(names_of("--seed"), [""; 0]);
}
