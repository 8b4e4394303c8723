//! `quintain score pentocity` and `quintain adversary pentocity`, by the tools behind them.

use std::path::PathBuf;
use std::sync::Arc;

use quintain_core::{AnyEntry, ToolError, ToolRequest};
use quintain_pentocity::entry;

const GAME: &str = concat!(
    r#"{"player":"p","sequencer":"s","seed":1,"score":6}"#,
    "\n",
    r#"{"type":"residence","cells":[[0,0],[0,1],[0,2],[0,3],[0,4]],"accept":true,"#,
    r#""rotation":0,"location":[0,0],"delta":5}"#,
    "\n",
    r#"{"type":"factory","cells":[[0,0]],"accept":true,"rotation":0,"location":[2,2],"#,
    r#""road":[[2,0],[2,1]],"delta":1}"#,
    "\n",
    r#"{"type":"factory","cells":[[0,0],[0,1]],"accept":false}"#,
    "\n",
);

fn file(name: &str, text: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

fn score(files: &[String], options: &[(&str, &str)], json: bool) -> Result<String, ToolError> {
    run("score", files, options, json)
}

fn run(
    verb: &str,
    files: &[String],
    options: &[(&str, &str)],
    json: bool,
) -> Result<String, ToolError> {
    let entry = Arc::new(entry());
    let tool = entry.tool(verb).expect("pentocity has the tool");
    let options = options.iter().map(|&(name, value)| (name.to_owned(), value.to_owned()));
    let request = ToolRequest {
        inputs: files.to_vec(),
        options: options.collect(),
        json,
        ..ToolRequest::default()
    };
    tool.call(&request)
}

#[test]
fn a_game_as_recorded_has_its_score_and_no_difference() {
    let file = file("whole.jsonl", GAME);
    let report = score(std::slice::from_ref(&file), &[], false).unwrap();
    assert_eq!(report, format!("{file}: score 6, every move as recorded\n"));
    let json = score(std::slice::from_ref(&file), &[], true).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let expected = serde_json::json!(
        {"file": file, "score": 6, "expected": 6, "differences": []}
    );
    assert_eq!(json, expected);
}

#[test]
fn the_first_difference_is_reported_with_its_line() {
    let file = file("changed.jsonl", &GAME.replace("\"delta\":5", "\"delta\":9"));
    let report = score(std::slice::from_ref(&file), &[], false).unwrap();
    assert!(report.ends_with("line 2: 5 points; the recording has 9\n"), "{report}");
}

#[test]
fn an_illegal_move_names_the_cell_and_the_rule() {
    let file = file("illegal.jsonl", &GAME.replace("[2,0],[2,1]", "[2,1]"));
    let json = score(std::slice::from_ref(&file), &[], true).unwrap();
    assert!(
        json.contains("road on (2, 1): it joins neither the roads nor the ring road"),
        "{json}"
    );
    assert!(json.contains("\"line\": 3"));
}

#[test]
fn wrong_input_gets_one_line() {
    let error_of = |files: &[String], options: &[(&str, &str)]| {
        score(files, options, false).unwrap_err().to_string()
    };
    assert!(error_of(&["nowhere.jsonl".to_owned()], &[]).starts_with("nowhere.jsonl: "));
    assert!(error_of(&[], &[("side", "3")]).contains("expected a whole number from 5 to 64"));
    assert!(error_of(&[], &[("scoring", "mine")]).contains("expected one of simulator, report"));
    assert!(error_of(&[], &[("sides", "9")]).contains("did you mean “side”?"));
    let bad = file("shape.jsonl", &GAME.replace("[[0,0],[0,1]]", "[[0,0],[1,1]]"));
    assert!(error_of(&[bad], &[]).contains("line 4: the cells 0,0 1,1 do not form a rectangle"));
}

fn adversary(options: &[(&str, &str)], json: bool) -> Result<String, ToolError> {
    run("adversary", &[], options, json)
}

#[test]
fn an_adversary_is_found_saved_and_played_and_the_same_every_time() {
    let saved = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("adversary.txt");
    let saved = saved.display().to_string();
    let options = [
        ("against", "naive"),
        ("reference", "g1"),
        ("side", "14"),
        ("generations", "3"),
        ("games", "2"),
        ("proof", "4"),
        ("save", &saved),
    ];
    let found = adversary(&options, true).unwrap();
    assert_eq!(adversary(&options, true).unwrap(), found);
    let found: serde_json::Value = serde_json::from_str(&found).unwrap();
    let scenario = found["scenario"].as_str().unwrap();
    assert!(scenario.starts_with("pentocity:mixture?"), "{scenario}");
    assert_eq!(found["tried"], 3 * 15);
    assert_eq!(std::fs::read_to_string(&saved).unwrap().trim(), scenario);
    let rules_of = |text: &str| entry().build(text).unwrap().0.rules().clone();
    assert_eq!(rules_of(&format!("file?path={saved}")).side(), rules_of(scenario).side());
    let text = adversary(&options, false).unwrap();
    assert!(text.contains("% of it, on random"), "{text}");
}

#[test]
fn a_wrong_request_for_an_adversary_gets_one_line() {
    let error_of = |options: &[(&str, &str)]| adversary(options, false).unwrap_err().to_string();
    assert!(error_of(&[]).contains("name a player: --against PLAYER"));
    assert!(error_of(&[("against", "g2")]).contains("unknown pentocity player “g2”"));
    assert!(
        error_of(&[("against", "g1"), ("reference", "naive"), ("side", "3")]).contains("side=3")
    );
    assert!(
        error_of(&[("against", "g1"), ("games", "0")]).contains("expected a whole number from 1")
    );
    assert!(error_of(&[("agains", "g1")]).contains("did you mean “against”?"));
}
