//! The types of a game in a new player's folder, and its page. Golden files show them. The
//! languages' own tools, where they are available, test that the types fit real observations of
//! every game.

mod common;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use common::{Player, games, installed, is_installed, shell, text_of};
use quintain_languages::Starter;
use serde_json::Value;

/// Returns what is known before the match in a folder's example.
fn setting(player: &Player) -> Value {
    let text = player.read("example.jsonl");
    let mut messages = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    messages.find_map(|mut message| message.get_mut("setting").map(Value::take)).unwrap()
}

/// Returns all actions offered in a folder's example, if the type of an action is a string.
fn offered(player: &Player, game: &str) -> Vec<String> {
    let catalog = quintain_games::catalog();
    let action = catalog.entry(game).unwrap().schemas().action.to_string();
    if action.contains("\"object\"") {
        return Vec::new();
    }
    let text = player.read("example.jsonl");
    let messages = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let lists = messages.filter_map(|message| message["actions"].as_array().cloned());
    let mut all: Vec<String> =
        lists.flatten().map(|text| text.as_str().unwrap().to_owned()).collect();
    all.sort();
    all.dedup();
    all
}

/// Returns the observations in a folder's example.
fn observations(player: &Player) -> Vec<Value> {
    let text = player.read("example.jsonl");
    let messages = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let seen: Vec<Value> = messages
        .filter_map(|mut message| message.get_mut("observation").map(Value::take))
        .collect();
    assert!(!seen.is_empty(), "{text}");
    seen
}

#[test]
fn types_and_pages_match_the_golden_files() {
    for game in ["tron", "gather", "pentocity"] {
        for (language, file) in [
            ("python", "observation.py"),
            ("javascript", "observation.d.ts"),
            ("rust", "src/observation.rs"),
            ("go", "observation.go"),
            ("sh", "README.md"),
        ] {
            let starter = Starter::find(language).unwrap();
            let text = Player::named(&format!("{game}-{language}"), starter, game).read(file);
            insta::assert_snapshot!(format!("{game}-{}", file.trim_start_matches("src/")), text);
        }
    }
}

#[test]
fn the_page_of_a_player_has_one_page() {
    for game in games() {
        for language in ["python", "sh", "c-wasm"] {
            let page = Player::new(language, game).read("README.md");
            // A page of paper has some 80 lines.
            assert!(page.lines().count() <= 80, "{page}");
        }
    }
}

/// The types of all games in one program, which reads observations and writes them again.
#[test]
fn observations_survive_a_round_trip_in_rust() {
    let all = Player::new("rust", "tron");
    let (mut modules, mut tests) = (String::new(), String::new());
    for game in games() {
        let player = Player::new("rust", game);
        fs::write(all.folder().join(format!("src/{game}.rs")), player.read("src/observation.rs"))
            .unwrap();
        modules += &format!("mod {game};\n");
        let seen = observations(&player).into_iter().map(|seen| ("Observation", seen));
        let actions = offered(&player, game).into_iter().map(|text| ("Action", text.into()));
        for (name, value) in seen.chain(actions).chain([("Setting", setting(&player))]) {
            tests += &format!(
                "    let seen: serde_json::Value = serde_json::from_str({:?}).unwrap();\n    \
                 let read: {game}::{name} = serde_json::from_value(seen.clone()).unwrap();\n    \
                 assert_eq!(serde_json::to_value(read).unwrap(), seen);\n",
                value.to_string()
            );
        }
    }
    let main = format!("#![deny(warnings)]\n{modules}\nfn main() {{\n{tests}}}\n");
    fs::write(all.folder().join("src/main.rs"), main).unwrap();
    let output = shell("cargo run --quiet").current_dir(all.folder()).output().unwrap();
    assert!(output.status.success(), "{}", text_of(&output));
}

/// Reads a list of observations and writes it again.
const GO_TEST: &str = r#"package main

import (
	"encoding/json"
	"os"
	"reflect"
	"testing"
)

func TestRoundTrip(t *testing.T) {
	data, _ := os.ReadFile("seen.json")
	var seen []Observation
	if err := json.Unmarshal(data, &seen); err != nil {
		t.Fatal(err)
	}
	written, _ := json.Marshal(seen)
	var one, other any
	json.Unmarshal(data, &one)
	json.Unmarshal(written, &other)
	if !reflect.DeepEqual(one, other) {
		t.Fatal(string(written))
	}
}
"#;

#[test]
fn observations_survive_a_round_trip_in_go() {
    if !is_installed("go") {
        return;
    }
    for game in games() {
        let player = Player::new("go", game);
        let folder = player.folder();
        fs::write(folder.join("round_test.go"), GO_TEST).unwrap();
        let seen = Value::from(observations(&player)).to_string();
        fs::write(folder.join("seen.json"), seen).unwrap();
        let output = Command::new("go").arg("test").current_dir(&folder).output().unwrap();
        assert!(output.status.success(), "{game}\n{}", text_of(&output));
        let output = Command::new("gofmt").arg("-l").arg(&folder).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "", "gofmt changes nothing");
    }
}

/// Returns the path of TypeScript, where `./check` installs it.
fn tsc() -> Option<PathBuf> {
    let modules = installed("typescript/node_modules");
    let tsc = modules.join(".bin/tsc");
    let types = modules.join("@types/node");
    if !tsc.exists() || !types.exists() {
        eprintln!("skipped: ./check installs TypeScript and the types of Node");
        return None;
    }
    Some(modules.canonicalize().unwrap())
}

#[test]
fn a_player_in_javascript_and_its_observations_pass_the_type_checker() {
    let Some(modules) = tsc() else { return };
    for game in games() {
        let player = Player::new("javascript", game);
        let folder = player.folder();
        let mut text =
            "import type { Action, Observation, Setting } from \"./observation\";\n".to_owned();
        for (at, seen) in observations(&player).iter().enumerate() {
            text += &format!("export const seen{at}: Observation = {seen};\n");
        }
        text += &format!("export const setting: Setting = {};\n", setting(&player));
        text += &format!("export const actions: Action[] = {:?};\n", offered(&player, game));
        text += "// @ts-expect-error\nexport const wrong: Observation = 1;\n";
        fs::write(folder.join("seen.ts"), text).unwrap();
        // As the page says, with nothing else installed.
        let tsc = || {
            let output = Command::new(modules.join(".bin/tsc")).current_dir(&folder).output();
            let output = output.unwrap();
            (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
        };
        assert_eq!(tsc(), (true, String::new()), "{game}");
        player.change("bot.js", "random = generator(match.seed)", "random = 1");
        assert!(!tsc().0, "{game}: a wrong type is found");
    }
}

#[test]
fn a_player_in_python_and_its_observations_pass_the_type_checker() {
    let python = installed("python/bin/python");
    let mypy = Command::new(&python).args(["-m", "mypy", "--version"]).output();
    if !mypy.is_ok_and(|mypy| mypy.status.success()) {
        eprintln!("skipped: ./check installs mypy");
        return;
    }
    for game in games() {
        let player = Player::new("python", game);
        let folder = player.folder();
        let mut text = "from observation import Action, Observation, Setting\n".to_owned();
        text += &format!("setting: Setting = {}\n", as_python(&setting(&player)));
        text += &format!("actions: list[Action] = {:?}\n", offered(&player, game));
        for (at, seen) in observations(&player).iter().enumerate() {
            let literal = as_python(seen);
            text += &format!("seen{at}: Observation = {literal}\n");
        }
        fs::write(folder.join("seen.py"), text).unwrap();
        let mut mypy = Command::new(&python);
        mypy.args(["-m", "mypy", "--strict-optional", "--python-version", "3.10", "--cache-dir"]);
        mypy.args(["/dev/null", "bot.py", "test_bot.py", "observation.py", "seen.py"]);
        let output = mypy.current_dir(&folder).output().unwrap();
        assert!(output.status.success(), "{game}\n{}", text_of(&output));
    }
}

/// Returns JSON as Python writes it; a list of a word and a number is typed as a tuple.
fn as_python(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Array(items) => {
            let all: Vec<String> = items.iter().map(as_python).collect();
            let kinds: Vec<bool> = items.iter().map(Value::is_string).collect();
            match kinds.windows(2).any(|pair| pair[0] != pair[1]) {
                true => format!("({},)", all.join(", ")),
                false => format!("[{}]", all.join(", ")),
            }
        }
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| {
                format!("{}: {}", Value::from(name.as_str()), as_python(value))
            };
            format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}
