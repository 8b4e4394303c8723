//! What `quintain new player` writes about a game: types of observations and actions, and the beginning
//! of a match. Golden files show them. The languages' own tools, where they are available, test that
//! they are true on real observations of every game.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Begins a player and returns a file of its folder.
fn begin(folder: &Path, name: &str, game: &str, language: &str) -> PathBuf {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quintain"));
    let command = command.current_dir(folder).env("NO_COLOR", "1");
    let output = command.args(["new", "player", name, "--game", game, "--lang", language]).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    folder.join(name)
}

/// Returns what is known before the match in a folder's example.
fn setting(folder: &Path) -> Value {
    let text = fs::read_to_string(folder.join("example.jsonl")).unwrap();
    let mut messages = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    messages.find_map(|mut message| message.get_mut("setting").map(Value::take)).unwrap()
}

/// Returns all actions offered in a folder's example, if the type of an action is a string.
fn offered(folder: &Path, game: &str) -> Vec<String> {
    let catalog = quintain_games::catalog();
    let action = catalog.entry(game).unwrap().schemas().action.to_string();
    if action.contains("\"object\"") {
        return Vec::new();
    }
    let text = fs::read_to_string(folder.join("example.jsonl")).unwrap();
    let messages = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let lists = messages.filter_map(|message| message["actions"].as_array().cloned());
    let mut all: Vec<String> =
        lists.flatten().map(|text| text.as_str().unwrap().to_owned()).collect();
    all.sort();
    all.dedup();
    all
}

/// Returns the observations in a folder's example.
fn observations(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("example.jsonl")).unwrap();
    let messages = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let seen: Vec<Value> = messages
        .filter_map(|mut message| message.get_mut("observation").map(Value::take))
        .collect();
    assert!(!seen.is_empty(), "{text}");
    seen
}

/// Returns whether a program is available.
fn is_here(tool: &str) -> bool {
    let found = Command::new(tool).arg("--version").output().is_ok();
    if !found {
        eprintln!("skipped: there is no {tool} here");
    }
    found
}

fn games() -> Vec<&'static str> {
    let catalog = quintain_games::catalog();
    catalog.entries().map(|entry| entry.name()).collect()
}

#[test]
fn types_and_pages_are_those_of_the_golden_files() {
    let place = tempfile::tempdir().unwrap();
    for game in ["tron", "gather", "pentocity"] {
        for (language, file) in [
            ("python", "observation.py"),
            ("javascript", "observation.d.ts"),
            ("rust", "src/observation.rs"),
            ("go", "observation.go"),
            ("sh", "README.md"),
        ] {
            let folder = begin(place.path(), &format!("{game}-{language}"), game, language);
            let text = fs::read_to_string(folder.join(file)).unwrap();
            let name = format!("{game}-{}", file.trim_start_matches("src/"));
            insta::assert_snapshot!(name, text);
        }
    }
}

#[test]
fn the_page_of_a_kit_is_no_longer_than_a_page() {
    let place = tempfile::tempdir().unwrap();
    for game in games() {
        for language in ["python", "sh", "c-wasm"] {
            let folder = begin(place.path(), &format!("{game}-{language}"), game, language);
            let page = fs::read_to_string(folder.join("README.md")).unwrap();
            // A page of paper has some 80 lines.
            assert!(page.lines().count() <= 80, "{page}");
        }
    }
}

/// The modules of all games in one program, which reads observations and writes them again.
#[test]
fn in_rust_what_is_seen_is_read_and_written_again_the_same() {
    let place = tempfile::tempdir().unwrap();
    let (mut modules, mut tests) = (String::new(), String::new());
    for game in games() {
        let folder = begin(place.path(), game, game, "rust");
        let module = folder.join("src/observation.rs");
        modules += &format!("#[path = {:?}]\nmod {game};\n", module.display().to_string());
        let seen = observations(&folder).into_iter().map(|seen| ("Observation", seen));
        let actions = offered(&folder, game).into_iter().map(|text| ("Action", text.into()));
        for (name, value) in seen.chain(actions).chain([("Setting", setting(&folder))]) {
            tests += &format!(
                "    let seen: serde_json::Value = serde_json::from_str({:?}).unwrap();\n    \
                 let read: {game}::{name} = serde_json::from_value(seen.clone()).unwrap();\n    \
                 assert_eq!(serde_json::to_value(read).unwrap(), seen);\n",
                value.to_string()
            );
        }
    }
    let all = begin(place.path(), "all", "tron", "rust");
    let main = format!("#![deny(warnings)]\n{modules}\nfn main() {{\n{tests}}}\n");
    fs::write(all.join("src/main.rs"), main).unwrap();
    let mut cargo = Command::new("cargo");
    cargo.args(["run", "--quiet", "--offline"]).current_dir(&all).env_remove("CARGO_TARGET_DIR");
    let output = cargo.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn in_go_what_is_seen_is_read_and_written_again_the_same() {
    if !is_here("go") {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    for game in games() {
        let folder = begin(place.path(), game, game, "go");
        let test = "package main\n\nimport (\n\t\"encoding/json\"\n\t\"os\"\n\t\"reflect\"\n\
                    \t\"testing\"\n)\n\nfunc TestRoundTrip(t *testing.T) {\n\
                    \tdata, _ := os.ReadFile(\"seen.json\")\n\tvar seen []Observation\n\
                    \tif err := json.Unmarshal(data, &seen); err != nil {\n\t\tt.Fatal(err)\n\t}\n\
                    \twritten, _ := json.Marshal(seen)\n\tvar one, other any\n\
                    \tjson.Unmarshal(data, &one)\n\tjson.Unmarshal(written, &other)\n\
                    \tif !reflect.DeepEqual(one, other) {\n\t\tt.Fatal(string(written))\n\t}\n}\n";
        fs::write(folder.join("round_test.go"), test).unwrap();
        fs::write(folder.join("seen.json"), Value::from(observations(&folder)).to_string())
            .unwrap();
        let output = Command::new("go").args(["test"]).current_dir(&folder).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            output.status.success(),
            "{game}\n{said}{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let output = Command::new("gofmt").arg("-l").arg(&folder).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "", "gofmt would write them otherwise");
    }
}

/// Returns the path of TypeScript, where `./check` installs it.
fn tsc() -> Option<PathBuf> {
    let modules =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../target/typescript/node_modules");
    let tsc = modules.join(".bin/tsc");
    let types = modules.join("@types/node");
    if !tsc.exists() || !types.exists() {
        eprintln!("skipped: ./check installs TypeScript and the types of Node");
        return None;
    }
    Some(modules.canonicalize().unwrap())
}

#[test]
fn in_javascript_a_kit_has_no_wrong_type_and_what_is_seen_has_the_right_one() {
    let Some(modules) = tsc() else { return };
    let place = tempfile::tempdir().unwrap();
    for game in games() {
        let folder = begin(place.path(), game, game, "javascript");
        let mut text =
            "import type { Action, Observation, Setting } from \"./observation\";\n".to_owned();
        for (at, seen) in observations(&folder).iter().enumerate() {
            text += &format!("export const seen{at}: Observation = {seen};\n");
        }
        text += &format!("export const setting: Setting = {};\n", setting(&folder));
        text += &format!("export const actions: Action[] = {:?};\n", offered(&folder, game));
        text += "// @ts-expect-error\nexport const wrong: Observation = 1;\n";
        fs::write(folder.join("seen.ts"), text).unwrap();
        // As the page says, with nothing else installed.
        let tsc = || {
            let output = Command::new(modules.join(".bin/tsc")).current_dir(&folder).output();
            let output = output.unwrap();
            (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
        };
        assert_eq!(tsc(), (true, String::new()), "{game}");
        let right = fs::read_to_string(folder.join("bot.js")).unwrap();
        let wrong = right.replace("random = generator(match.seed)", "random = 1");
        fs::write(folder.join("bot.js"), wrong).unwrap();
        assert!(!tsc().0, "{game}: what is wrong in a source is found");
    }
}

#[test]
fn in_python_a_kit_has_no_wrong_type_and_what_is_seen_has_the_right_one() {
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../target/python/bin/python");
    let mypy = Command::new(&python).args(["-m", "mypy", "--version"]).output();
    if !mypy.is_ok_and(|mypy| mypy.status.success()) {
        eprintln!("skipped: ./check installs mypy");
        return;
    }
    let place = tempfile::tempdir().unwrap();
    for game in games() {
        let folder = begin(place.path(), game, game, "python");
        let mut text = "from observation import Action, Observation, Setting\n".to_owned();
        text += &format!("setting: Setting = {}\n", as_python(&setting(&folder)));
        text += &format!("actions: list[Action] = {:?}\n", offered(&folder, game));
        for (at, seen) in observations(&folder).iter().enumerate() {
            let literal = as_python(seen);
            text += &format!("seen{at}: Observation = {literal}\n");
        }
        fs::write(folder.join("seen.py"), text).unwrap();
        let mut mypy = Command::new(&python);
        mypy.args(["-m", "mypy", "--strict-optional", "--python-version", "3.10", "--cache-dir"]);
        mypy.args(["/dev/null", "bot.py", "test_bot.py", "observation.py", "seen.py"]);
        let output = mypy.current_dir(&folder).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{game}\n{said}");
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
