//! The floor plan that every game shares, as CONTRIBUTING.md says it: who knows one game
//! finds everything in another one.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// What every game has in `src`.
const REQUIRED: [&str; 7] = [
    "lib.rs",
    "rules.rs",
    "environment.rs",
    "scenarios.rs",
    "encoding.rs",
    "scene.rs",
    "players/mod.rs",
];

/// Other names for rooms of the plan, and the room.
const ELSEWHERE: [(&str, &str); 7] = [
    ("dialect", "protocols/"),
    ("dialects", "protocols/"),
    ("protocol", "protocols/"),
    ("solver", "players/"),
    ("solvers", "players/"),
    ("player", "players/"),
    ("tool", "tools/"),
];

/// The module that may be public, as a game's own searches are measured and tuned apart from
/// matches. Whatever else users need is re-exported in `lib.rs`.
const PUBLIC: &str = "players";

/// Further public modules: vocabulary of one game that its tests, tools and experiments
/// speak, too much of it to stand in `lib.rs`.
const PUBLIC_OF: [(&str, &str); 2] = [("pentocity", "recorded"), ("pentocity", "requests")];

/// Every game, and the template of a new one.
fn games() -> Vec<PathBuf> {
    let root = Path::new(REPOSITORY);
    let folders = fs::read_dir(root.join("crates/games")).unwrap();
    let mut games: Vec<PathBuf> = folders
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("Cargo.toml").exists())
        .collect();
    games.push(root.join("templates/game"));
    games.sort();
    assert!(games.len() > 5);
    games
}

fn name(game: &Path) -> &str {
    game.file_name().and_then(|name| name.to_str()).expect("names are text")
}

#[test]
fn every_game_has_the_rooms_of_the_plan() {
    for game in games() {
        for file in REQUIRED {
            assert!(game.join("src").join(file).exists(), "{}: no src/{file}", name(&game));
        }
        assert!(game.join("tests").exists(), "{}: no tests", name(&game));
        for (found, plan) in ELSEWHERE {
            for wrong in [game.join("src").join(found), game.join(format!("src/{found}.rs"))] {
                assert!(!wrong.exists(), "{}: {found} belongs in src/{plan}", name(&game));
            }
        }
    }
}

#[test]
fn verbs_and_protocols_are_folders() {
    for game in games() {
        for folder in ["tools", "protocols", "players"] {
            let file = game.join(format!("src/{folder}.rs"));
            assert!(
                !file.exists(),
                "{}: src/{folder}.rs is a folder, {folder}/mod.rs",
                name(&game)
            );
        }
    }
}

#[test]
fn a_games_public_modules_are_those_of_the_plan() {
    for game in games() {
        let lib = fs::read_to_string(game.join("src/lib.rs")).unwrap();
        let public: BTreeSet<&str> = lib
            .lines()
            .filter_map(|line| line.strip_prefix("pub mod ")?.split([';', ' ']).next())
            .collect();
        for module in public {
            let allowed = module == PUBLIC || PUBLIC_OF.contains(&(name(&game), module));
            assert!(
                allowed,
                "{}: module {module} is public; re-export what users need",
                name(&game)
            );
        }
        assert!(lib.contains("pub fn entry()"), "{}: no entry()", name(&game));
    }
}
