//! The program is told the matches of the documentation's transcripts, and answers each
//! question with an action that was offered.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

/// Tells the program what a transcript's program heard; how many questions it answered.
fn answers(game: &str) -> usize {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/bots");
    let transcript = std::fs::read_to_string(folder.join(format!("{game}.txt"))).unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_example-bot"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = program.stdin.take().unwrap();
    let mut output = BufReader::new(program.stdout.take().unwrap()).lines();
    let mut answered = 0;
    for line in transcript.lines().filter_map(|line| line.strip_prefix("> ")) {
        writeln!(input, "{line}").unwrap();
        let told: Value = serde_json::from_str(line).unwrap();
        let mut answer =
            || serde_json::from_str::<Value>(&output.next().unwrap().unwrap()).unwrap();
        match told["type"].as_str().unwrap() {
            "hello" => assert_eq!(answer()["type"], "ready"),
            "turn" => {
                let action = answer()["action"].clone();
                assert!(told["actions"].as_array().unwrap().contains(&action), "{action}");
                answered += 1;
            }
            _ => {}
        }
    }
    assert!(program.wait().unwrap().success(), "it ends after bye");
    answered
}

#[test]
fn it_answers_every_question_of_both_its_games_and_ends_after_goodbye() {
    assert!(answers("tron") >= 1);
    assert!(answers("hextris") >= 4);
}
