//! The code map of docs/design.md is true: it lists every crate, each after those on which it depends,
//! and crates/README.md has a line for each in the same order.

use std::fs;
use std::path::Path;

mod source;

use source::{REPOSITORY, crates};

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(REPOSITORY).join(path)).unwrap()
}

/// The crates of the code map, in order, by the names of their packages.
fn code_map() -> Vec<String> {
    let page = read("docs/design.md");
    let map = page.split("## Code map").nth(1).and_then(|rest| rest.split("    crates/\n").nth(1));
    let lines = map.unwrap().lines().take_while(|line| line.starts_with("      "));
    let mut names = Vec::new();
    for line in lines {
        let (name, what) = line.trim().split_once(' ').unwrap();
        match name {
            "games/" => {
                names.extend(what.split(',').map(|game| format!("quintain-{}", game.trim())));
            }
            name => names.push(name.to_owned()),
        }
    }
    names
}

/// The packages of the workspace that this manifest depends on, except for tests.
fn dependencies(manifest: &str) -> Vec<String> {
    let mut section = "";
    let mut found = Vec::new();
    for line in manifest.lines() {
        if let Some(name) = line.strip_prefix('[') {
            section = name.trim_end_matches(']');
        } else if section.ends_with("dependencies") && !section.contains("dev-") {
            let name: String =
                line.chars().take_while(|c| c.is_alphanumeric() || "-_".contains(*c)).collect();
            if name.starts_with("quintain-") {
                found.push(name);
            }
        }
    }
    found
}

#[test]
fn a_crate_depends_only_on_crates_above_it() {
    let map = code_map();
    let place = |name: &str| map.iter().position(|known| known == name);
    let mut problems = String::new();
    let mut count = 0;
    for folder in crates().into_iter().filter(|folder| !folder.ends_with("templates/game")) {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let name = manifest.lines().find_map(|line| line.strip_prefix("name = ")).unwrap();
        let name = name.trim_matches('"');
        let Some(own) = place(name) else {
            problems += &format!("{name} is not in the code map\n");
            continue;
        };
        for dependency in dependencies(&manifest) {
            count += 1;
            if place(&dependency).is_none_or(|place| place >= own) {
                problems += &format!("{name} depends on {dependency}, which is not above it\n");
            }
        }
    }
    assert!(problems.is_empty(), "{problems}");
    assert!(count > 60, "{count} dependencies were found");
}

#[test]
fn both_lists_have_every_crate_in_the_same_order() {
    let page = read("crates/README.md");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| [")?.split_once(']'));
    let listed: Vec<String> = rows
        .map(|(name, _)| match name.strip_prefix("games/") {
            Some(game) => format!("quintain-{game}"),
            None => name.to_owned(),
        })
        .collect();
    assert_eq!(listed, code_map(), "crates/README.md and docs/design.md");
}
