//! Every game has the same rooms, so that whoever knows one finds everything in another;
//! CONTRIBUTING.md describes them.

use std::fs;
use std::path::Path;

use crate::workspace::{crates_of, root};

/// The files that every game has in `src`.
const REQUIRED: [&str; 7] = [
    "lib.rs",
    "rules.rs",
    "environment.rs",
    "scenarios.rs",
    "encoding.rs",
    "scene.rs",
    "players/mod.rs",
];

/// The files and folders that a game may have in `src` besides.
const OPTIONAL: [&str; 13] = [
    "notation.rs",
    "roster.rs",
    "keyboard.rs",
    "encoding",
    "rules",
    "scenarios",
    "scene",
    "players",
    "protocols",
    "tools",
    "bin",
    // Vocabulary of pentocity that its environment, players, tools and experiments share.
    "requests",
    "recorded.rs",
];

/// Returns what differs from the plan, in every game and in the template of a new one.
pub fn problems() -> Vec<String> {
    let games = crates_of("games").into_iter().map(|krate| krate.folder);
    let games = games.filter(|folder| !folder.ends_with("catalog"));
    games.chain([root().join("templates/game")]).flat_map(|game| problems_of(&game)).collect()
}

fn problems_of(game: &Path) -> Vec<String> {
    let name = game.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let src = game.join("src");
    let mut problems = Vec::new();
    for file in REQUIRED {
        if !src.join(file).exists() {
            problems.push(format!("{name}: no src/{file}"));
        }
    }
    for entry in fs::read_dir(&src).into_iter().flatten().flatten() {
        let file = entry.file_name().to_string_lossy().into_owned();
        if !REQUIRED.contains(&file.as_str()) && !OPTIONAL.contains(&file.as_str()) {
            problems.push(format!("{name}: src/{file} belongs in one of {}", OPTIONAL.join(", ")));
        }
    }
    let lib = fs::read_to_string(src.join("lib.rs")).unwrap_or_default();
    if !lib.contains("pub fn entry()") {
        problems.push(format!("{name}: no pub fn entry() in src/lib.rs"));
    }
    let environment = fs::read_to_string(src.join("environment.rs")).unwrap_or_default();
    if !environment.contains("pub fn scenario(rules: ") {
        problems.push(format!("{name}: no pub fn scenario(rules: …) in src/environment.rs"));
    }
    problems
}
