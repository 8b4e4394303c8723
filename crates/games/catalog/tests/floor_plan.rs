//! The floor plan that every game shares, as CONTRIBUTING.md says it: who knows one game
//! finds everything in another one.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

mod source;

use source::{REPOSITORY, find_sources};

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

/// What a game may have in `src` besides: everything else is a part of one of these, in its folder.
const OPTIONAL: [&str; 12] = [
    "notation.rs",
    "keyboard.rs",
    "encoding",
    "rules",
    "scenarios",
    "scene",
    "players",
    "protocols",
    "tools",
    "bin",
    // What asks for pentocity's buildings, and games of its original simulator: vocabulary of that
    // game which its environment, players, tools and experiments share.
    "pentocity/requests",
    "pentocity/recorded.rs",
];

/// Public modules: vocabulary of one game that its tests, tools and experiments speak, too much of
/// it to stand in `lib.rs`. Elsewhere modules are private, and `lib.rs` re-exports what users need.
const PUBLIC: [(&str, &str); 2] = [("pentocity", "recorded"), ("pentocity", "requests")];

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
fn what_lies_in_src_is_a_room_of_the_plan() {
    for game in games() {
        for file in fs::read_dir(game.join("src")).unwrap() {
            let file = file.unwrap().file_name();
            let file = file.to_str().expect("names are text");
            let own = format!("{}/{file}", name(&game));
            let planned = REQUIRED.contains(&file)
                || OPTIONAL.contains(&file)
                || OPTIONAL.contains(&own.as_str());
            assert!(
                planned,
                "{}: src/{file} is a part of some room, such as src/rules/",
                name(&game)
            );
        }
    }
}

fn exports_scenario(line: &str) -> bool {
    line.strip_prefix("pub use environment::").is_some_and(|names| {
        names.split(|c: char| !c.is_alphanumeric() && c != '_').any(|name| name == "scenario")
    })
}

/// `pub fn scenario(rules: Rules, …) -> Scenario<Rules>` in `environment.rs`, which users of the
/// crate can call; built scenarios come from nowhere else.
#[test]
fn one_function_makes_a_built_scenario_from_the_rules() {
    let examples = Path::new(REPOSITORY).join("examples/connect-four");
    for game in games().into_iter().chain([examples]) {
        let one_file = !game.join("src/environment.rs").exists();
        let room = if one_file { "lib.rs" } else { "environment.rs" };
        let environment = fs::read_to_string(game.join("src").join(room)).unwrap();
        assert!(
            environment.contains("pub fn scenario(rules: "),
            "{}: no pub fn scenario(rules: …) in src/{room}",
            name(&game)
        );
        let lib = fs::read_to_string(game.join("src/lib.rs")).unwrap();
        assert!(
            one_file || lib.lines().any(exports_scenario),
            "{}: lib.rs does not export scenario",
            name(&game)
        );
        for path in find_sources(&game.join("src")) {
            let text = fs::read_to_string(&path).unwrap();
            let is_room = path == game.join("src").join(room);
            assert!(
                is_room || !text.contains("Scenario::new("),
                "{} makes a scenario apart from {room}",
                path.display()
            );
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
            let allowed = PUBLIC.contains(&(name(&game), module));
            assert!(
                allowed,
                "{}: module {module} is public; re-export what users need",
                name(&game)
            );
        }
        assert!(lib.contains("pub fn entry()"), "{}: no entry()", name(&game));
    }
}
