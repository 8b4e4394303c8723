//! The JSON that verbs print matches `quintain schema`.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

fn quintain(folder: &Path, arguments: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quintain"));
    command.current_dir(folder).env_remove("QUINTAIN_STORE").args(arguments);
    let output = command.output().unwrap();
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {complained}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Returns where a value does not match the schema. This knows only the keywords that our schemas
/// use.
fn faults(value: &Value, schema: &Value, root: &Value, place: &str) -> Vec<String> {
    let wrong = |what: &str| vec![format!("{place}: {what}, but it is {value}")];
    let mut found = Vec::new();
    for (word, says) in schema.as_object().unwrap() {
        match word.as_str() {
            "$schema" | "title" | "description" | "$defs" => {}
            "$ref" => {
                let path = says.as_str().unwrap().strip_prefix('#').unwrap();
                found.extend(faults(value, root.pointer(path).unwrap(), root, place));
            }
            "type" => {
                let kinds = says.as_array().cloned().unwrap_or_else(|| vec![says.clone()]);
                let is = |kind: &Value| match kind.as_str().unwrap() {
                    "object" => value.is_object(),
                    "array" => value.is_array(),
                    "string" => value.is_string(),
                    "boolean" => value.is_boolean(),
                    "null" => value.is_null(),
                    "number" => value.is_number(),
                    "integer" => value.is_i64() || value.is_u64(),
                    other => panic!("{place}: unknown type {other}"),
                };
                if !kinds.iter().any(is) {
                    found.extend(wrong(&format!("expected {says}")));
                }
            }
            "enum" if !says.as_array().unwrap().contains(value) => {
                found.extend(wrong(&format!("expected one of {says}")));
            }
            "const" if says != value => found.extend(wrong(&format!("expected {says}"))),
            "minimum" if value.as_f64().is_some_and(|value| value < says.as_f64().unwrap()) => {
                found.extend(wrong(&format!("expected {says} at least")));
            }
            "enum" | "const" | "minimum" => {}
            "required" => {
                for key in says.as_array().unwrap() {
                    if value.is_object() && value.get(key.as_str().unwrap()).is_none() {
                        found.extend(wrong(&format!("expected {key}")));
                    }
                }
            }
            "properties" => {
                for (key, schema) in says.as_object().unwrap() {
                    if let Some(value) = value.get(key) {
                        found.extend(faults(value, schema, root, &format!("{place}.{key}")));
                    }
                }
            }
            "additionalProperties" => {
                for (key, value) in value.as_object().into_iter().flatten() {
                    found.extend(faults(value, says, root, &format!("{place}.{key}")));
                }
            }
            "items" => {
                for (at, value) in value.as_array().into_iter().flatten().enumerate() {
                    found.extend(faults(value, says, root, &format!("{place}[{at}]")));
                }
            }
            "anyOf" => {
                let tries = says.as_array().unwrap().iter();
                let tries: Vec<_> = tries.map(|one| faults(value, one, root, place)).collect();
                if tries.iter().all(|faults| !faults.is_empty()) {
                    found.extend(tries.concat());
                }
            }
            other => panic!("{place}: this test does not know {other}"),
        }
    }
    found
}

/// Checks that a verb prints what its schema says, and no other member at the top.
fn is_described(folder: &Path, verb: &str, arguments: &[&str]) {
    let schema = quintain(folder, &["schema", verb]);
    let printed = quintain(folder, arguments);
    let found = faults(&printed, &schema, &schema, verb);
    assert!(found.is_empty(), "{arguments:?}\n{}", found.join("\n"));
    if let Some(described) = schema.get("properties").and_then(Value::as_object) {
        for key in printed.as_object().unwrap().keys() {
            assert!(described.contains_key(key), "{verb}: {key} is not described");
        }
    }
}

#[test]
fn json_output_matches_the_schemas() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    is_described(folder, "match", &["match", "tron", "basic", "random", "--format", "json"]);
    let lost = r#"exec:"sh -c 'echo no >&2; exit 3'""#;
    if cfg!(target_os = "linux") {
        let options = ["--trust", "--forfeit-unstarted", "--json"];
        let own = [&["match", "tron", lost, "random"], &options[..]].concat();
        is_described(folder, "match", &own);
    }
    let compare = ["compare", "-q", "-m", "20", "--format", "json", "--game"];
    for pair in [["tron", "basic", "random"], ["polymer", "greedy", "random"]] {
        is_described(folder, "compare", &[&compare[..], &pair].concat());
    }
    // Every round is the same: one observation.
    let same = ["tron", "basic", "wall-hugger", "--scenario", "hackerrank"];
    is_described(folder, "compare", &[&compare[..], &same].concat());
    let cups = [
        ("tron", "versus", "\"tronv2\", \"hackerrank\"", "\"basic\", \"random\""),
        ("polymer", "solo", "\"L08_s01\"", "\"greedy\", \"random\""),
    ];
    for (game, format, scenarios, players) in cups {
        let cup = format!(
            "game = \"{game}\"\nformat = \"{format}\"\nscenarios = [{scenarios}]\n\
             players = [{players}]\nseeds = 2\n"
        );
        std::fs::write(folder.join("cup.toml"), cup).unwrap();
        is_described(folder, "tournament", &["tournament", "cup", "-q", "--format", "json"]);
    }
    is_described(folder, "tournament", &["standings", "--format", "json"]);
    is_described(folder, "verify", &["verify", "--format", "json"]);
    is_described(folder, "verify", &["verify", "--players", "--format", "json"]);
    let solve = ["solve", "polymer", "--format", "json", "--player", "greedy"];
    is_described(folder, "solve", &[&solve[..], &["L08_s01"]].concat());
    is_described(folder, "solve", &[&solve[..], &["L08_s01", "hp:HPHPPHHPHPPHPHHPPHPH"]].concat());
}

#[test]
fn the_test_finds_what_is_wrong() {
    let place = tempfile::tempdir().unwrap();
    let schema = quintain(place.path(), &["schema", "verify"]);
    let wrong = serde_json::json!({ "in": 3, "verified": -1, "players": { "same": 1 } });
    let found = faults(&wrong, &schema, &schema, "");
    assert_eq!(found.len(), 4, "{found:?}");
}
