//! Plays the beginning of a match, which example.jsonl holds, without quintain: cargo test
//! It also asks about the lessons in the folder `lessons`, which `quintain lesson` makes of lost
//! matches.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use serde_json::Value;

/// The time limit for all turns together.
const LIMIT: Duration = Duration::from_secs(60);

/// Returns all that the program writes to standard output when it reads a file.
fn run(messages: &Path) -> String {
    let mut program = Command::new(env!("CARGO_BIN_EXE_NAME"))
        .stdin(Stdio::from(File::open(messages).unwrap()))
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
    let said = run(Path::new("example.jsonl"));
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

#[test]
fn no_mistake_of_a_lesson_is_made_again() {
    let Ok(folder) = fs::read_dir("lessons") else { return };
    let mut files: Vec<_> = folder.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "json"));
    files.sort();
    let problems: Vec<String> = files
        .iter()
        .filter_map(|file| try_lesson(file).err().map(|why| format!("{}: {why}", file.display())))
        .collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Asks about a lesson, and says what is wrong with the answer or the file.
fn try_lesson(file: &Path) -> Result<(), String> {
    let text = fs::read_to_string(file).map_err(|error| error.to_string())?;
    let broken = |why: String| format!("not a lesson ({why}); make it again or delete it");
    let lesson: Value = serde_json::from_str(&text).map_err(|error| broken(error.to_string()))?;
    let list = |field: &str| lesson[field].as_array().cloned().unwrap_or_default();
    if list("mistakes").is_empty() {
        return Err(broken("it has no mistakes".to_owned()));
    }
    let messages: String =
        list("messages").iter().map(|line| line.as_str().unwrap_or("").to_owned() + "\n").collect();
    if messages.is_empty() {
        println!("{}: too long for this file; `quintain bot check` runs it", file.display());
        return Ok(());
    }
    let input = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lesson.jsonl");
    fs::write(&input, messages).unwrap();
    let said = run(&input);
    let action = read(said.lines().last().unwrap_or_default())["action"].clone();
    if action.is_null() {
        return Err("it gives no action".to_owned());
    }
    if list("mistakes").contains(&action) {
        let (better, why) = (&lesson["better"], &lesson["sentence"]);
        return Err(format!("{action} again; better: {better}\n{why}"));
    }
    Ok(())
}
