//! Plays the beginning of a match, which example.jsonl holds, without quintain: cargo test

use std::fs::File;
use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use serde_json::Value;

/// The time limit for all turns together.
const LIMIT: Duration = Duration::from_secs(60);

/// Returns all that the program writes to standard output.
fn run() -> String {
    let mut program = Command::new(env!("CARGO_BIN_EXE_NAME"))
        .stdin(Stdio::from(File::open("example.jsonl").unwrap()))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = program.stdout.take().unwrap();
    let (sender, said) = channel();
    thread::spawn(move || {
        let mut text = String::new();
        let _ = output.read_to_string(&mut text);
        let _ = sender.send(text);
    });
    let Ok(said) = said.recv_timeout(LIMIT) else {
        let _ = program.kill();
        panic!("no end after {LIMIT:?}: does it loop?");
    };
    let status = program.wait().unwrap();
    assert!(status.success(), "it ended with {status}; see its output above");
    said
}

fn read(line: &str) -> Value {
    match serde_json::from_str::<Value>(line) {
        Ok(message) if message["type"].is_string() => message,
        Ok(Value::Object(_)) => panic!("a message needs a \"type\", such as \"action\": {line}"),
        _ if line.contains("}{") => {
            panic!("more than one message in a line; end each with a newline: {line}")
        }
        _ => panic!(
            "standard output belongs to the protocol, and this is not a message; print it with \
             eprintln!: {line}"
        ),
    }
}

#[test]
fn every_turn_is_answered_by_an_action_that_it_offers() {
    let example = include_str!("../example.jsonl");
    let is_turn = |message: &Value| message["type"] == "turn";
    let turns: Vec<Value> = example.lines().map(read).filter(is_turn).collect();
    let said = run();
    let answers: Vec<Value> = said.lines().map(read).collect();
    assert_eq!(answers.first().map(|ready| &ready["type"]), Some(&"ready".into()));
    assert_eq!(answers.len(), 1 + turns.len(), "ready, and an answer to each turn");
    for (turn, answer) in turns.iter().zip(&answers[1..]) {
        // If your player builds its own actions, compare with something else. Actions in JSON form
        // are not compared here: `quintain bot check` plays them.
        let (offered, action) = (turn["actions"].as_array().unwrap(), &answer["action"]);
        assert!(!action.is_null(), "turn {}: it has no \"action\": {answer}", turn["turn"]);
        let good = action.is_object() || offered.contains(action);
        assert!(good, "turn {}: {action} is not among {}", turn["turn"], turn["actions"]);
    }
}
