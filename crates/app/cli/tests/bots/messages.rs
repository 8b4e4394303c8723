//! What a user reads about a program: its output during a match, its answers to `bot debug`, and
//! why it cannot play.

use std::fs;
use std::process::Stdio;

use quintain_core::Record;

use crate::place::{Place, answering, python};

/// A program that writes what it thinks, and draws it.
const TALKS: &str = r#"
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    answer = None
    if message["type"] == "hello": answer = {"type": "ready", "name": "talks", "games": ["tron"]}
    if message["type"] == "turn":
        print("turn", message["turn"], "of", len(message["actions"]), "ways", file=sys.stderr)
        answer = {"type": "action", "action": message["actions"][0],
                  "notes": {"plan": "onwards", "depth": 2},
                  "draw": [{"cell": [0, 0], "paint": "good", "glyph": "%"}]}
    if answer: print(json.dumps(answer), flush=True)
"#;

#[test]
fn output_of_a_program_is_shown_live_and_with_its_turn() {
    let place = Place::new();
    place.write("talks.py", TALKS);
    let player = format!("exec:\"{} talks.py\"", python());
    let files = ["--save", "record.json", "--store", "matches.sqlite"];
    let output = place.run(&[&["match", "tron", &player, "basic", "-v"], &files[..]].concat());
    let live = String::from_utf8(output.stderr).unwrap();
    assert!(live.contains("turn 0, A | turn 0 of "), "{live}");
    assert!(live.contains("turn 1, A plan “onwards”"), "{live}");

    let record = fs::read_to_string(place.path().join("record.json")).unwrap();
    let record = Record::from_json(&record).unwrap();
    assert!(!record.log.is_empty());
    for source in [&["record.json"][..], &[&record.id[..8], "--store", "matches.sqlite"]] {
        let page = place.says(&[&["replay"], source, &["--turn", "2"]].concat());
        assert!(page.contains("depth 2  plan “onwards”"), "{page}");
        assert!(page.contains("A | turn 1 of "), "{page}");
        assert!(!page.contains('%'), "a drawing is shown when asked for: {page}");
        let overlaid = ["--turn", "2", "--overlay", "drawings"];
        let page = place.says(&[&["replay"], source, &overlaid].concat());
        assert!(page.contains('%'), "{page}");
        let log = place.says(&[&["replay"], source, &["--log"]].concat());
        assert!(log.contains("\nturn 1, A | turn 1 of "), "{log}");
        assert!(log.contains("\nturn 1, A drew 1 mark\n"), "{log}");
    }
    place.says(&["verify", "record.json"]);
    place.says(&["verify", "--store", "matches.sqlite"]);
    // The record is the same without the program's output.
    let json = place.says(&["match", "tron", &player, "basic", "--json"]);
    assert_eq!(json.trim_end(), record.to_json());
}

#[test]
fn debug_asks_about_a_turn_again_without_a_time_limit() {
    let place = Place::new();
    let bots = |answer: &str| {
        place.write("talks.py", &answering(answer));
        place.write(
            "bots.toml",
            &format!(
                "[talks]\ncommand = \"{} talks.py\"\nlimits = {{ answer = \"200ms\" }}\n",
                python()
            ),
        );
    };
    let answer = "print(json.dumps({'type': 'action', 'action': action}), flush=True)";
    bots(&format!(
        "print('turn', message['turn'], file=sys.stderr); time.sleep(9 * (message['turn'] == 2)); \
         {answer}"
    ));
    let record = place.record(&["bot:talks", "basic"]);
    assert!(record.outcome.fault.is_some(), "it is late on turn 2");
    // It sees the same lines as in the match, and has no time limit.
    bots(&format!(
        "print('turn', message['turn'], file=sys.stderr); time.sleep(0.4 * (message['turn'] == \
         2)); {answer}"
    ));
    let text = place.says(&["bot", "debug", "talks", "--record", "record.json"]);
    assert!(text.contains("bot:talks has seat 0"), "{text}");
    assert!(text.contains("> {\"type\":\"start\",\"match\":1,\"game\":\"tron\""), "{text}");
    assert!(
        text.contains("> {\"type\":\"turn\",\"turn\":2,") && !text.contains("\"turn\":1,"),
        "{text}"
    );
    assert!(text.contains("\n| turn 2\n< {\"type\": \"action\""), "{text}");
    assert!(text.contains("in the match it forfeited here: timeout"), "{text}");
    let text =
        place.says(&["bot", "debug", "talks", "--record", "record.json", "--turn", "1", "--all"]);
    assert!(text.contains("\"turn\":0,") && text.contains("in the match it played"), "{text}");
    // Without a sandbox, a debugger may be attached before the question.
    let wait = ["bot", "debug", "talks", "--record", "record.json", "--trust", "--wait"];
    let mut waits =
        place.command(&wait).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    drop(waits.stdin.take());
    let text = String::from_utf8(waits.wait_with_output().unwrap().stdout).unwrap();
    let process = text.lines().find_map(|line| line.strip_prefix("process "));
    assert!(
        process.is_some_and(|line| line.starts_with(|digit: char| digit.is_ascii_digit())),
        "{text}"
    );
    // Another answer, and one that the rules refuse.
    bots(
        "print(json.dumps({'type': 'action', 'action': message['actions'][-1] if message['turn'] < \
         2 else 'X'}), flush=True)",
    );
    let output = place.run(&["bot", "debug", "talks", "--record", "record.json"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("turn 0: it answers \""), "{text}");
    assert!(text.contains("turn 2: the rules refuse it") && text.contains("right: {"), "{text}");
    assert_eq!(output.status.code(), Some(1));
    for wrong in [&["--turn", "99"][..], &["--seat", "7"], &["--seat", "1", "--turn", "99"]] {
        let output =
            place.run(&[&["bot", "debug", "talks", "--record", "record.json"], wrong].concat());
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn suggested_commands_quote_paths_with_spaces() {
    let place = Place::new();
    place.write("bots.toml", "[ends]\ncommand = \"sh -c 'read line; exit 3'\"\n");
    let options = ["--store", "my store.sqlite", "--save", "my match.json", "--forfeit-unstarted"];
    let said = place.says(&[&["match", "tron", "bot:ends", "basic"], &options[..]].concat());
    let commands: Vec<&str> = said
        .lines()
        .filter_map(|line| line.split_once(": quintain "))
        .map(|(_, line)| line)
        .collect();
    assert!(commands.len() >= 4, "{said}");
    for command in commands {
        let words = shlex::split(command).expect("it is a command");
        let output = place.run(&words.iter().map(String::as_str).collect::<Vec<_>>());
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert_ne!(output.status.code(), Some(2), "{command}: {complaint}");
    }
}

#[test]
fn a_temporary_folder_that_is_not_there_is_named() {
    let place = Place::new();
    place.write("bots.toml", "[alice]\ncommand = \"sh\"\n");
    let mut command = place.command(&["match", "tron", "bot:alice", "basic"]);
    let output = command.env("TMPDIR", "/nowhere").output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("no temporary folder /nowhere (set TMPDIR to one)"), "{text}");
}

#[test]
fn a_program_that_cannot_play_is_explained_in_one_line() {
    let place = Place::new();
    place.write("bots.toml", "[alice]\ncommand = \"sh\"\nprotocol = \"gaic\"\n");
    let refusal = |arguments: &[&str]| {
        let output = place.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let text = refusal(&["match", "tron", "bot:alice", "basic"]);
    assert!(text.contains("did you mean “gaic2010”") && text.lines().count() == 1, "{text}");
    place.write("bots.toml", "[alice]\ncommand = \"sh\"\nprotocol = \"gaic2010\"\n");
    let text = refusal(&["match", "gather", "bot:alice"]);
    assert!(text.contains("a protocol of tron; it cannot play gather"), "{text}");
}

#[test]
fn a_board_that_a_protocol_cannot_express_is_refused_before_anything_is_played() {
    let place = Place::new();
    let program =
        |protocol: &str| format!("[alice]\ncommand = \"sh\"\nprotocol = \"{protocol}\"\n");
    place.write(
        "cup.toml",
        "game = \"tron\"\nscenarios = [\"empty?players=4\"]\n\
         players = [\"bot:alice\", \"basic\", \"random\", \"contest2010\"]\n",
    );
    let refusal = |arguments: &[&str]| {
        let output = place.run(arguments);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?} {text}");
        assert!(!place.path().join("quintain.sqlite").exists(), "{arguments:?}");
        assert_eq!(text.lines().count(), 1, "{arguments:?} {text}");
        text
    };
    let four = ["-s", "empty?players=4"];
    let players = ["bot:alice", "basic", "random", "basic"];
    for protocol in ["hackerrank-tron", "gaic2010", "riddles-tron"] {
        place.write("bots.toml", &program(protocol));
        for arguments in [
            [&["match", "tron"], &players[..], &four].concat(),
            [&["compare", "tron", "bot:alice", "basic", "--seeds", "2"], &four[..]].concat(),
            vec!["tournament", "cup.toml"],
            vec!["tournament", "cup.toml", "--dry-run"],
        ] {
            let text = refusal(&arguments);
            assert!(text.contains(&format!("it speaks {protocol}, and ")), "{text}");
            assert!(text.contains("two players; name another scenario, such as "), "{text}");
        }
    }
    place.write("bots.toml", &program("codingame-tron"));
    for (scenario, expected) in [
        ("empty?width=20", "30×20 cells within the border, but this one has 18×13"),
        ("rooms?width=32&height=22", "without walls, but this one has a wall at ("),
    ] {
        let text = refusal(&["match", "tron", "bot:alice", "basic", "-s", scenario]);
        assert!(text.contains(expected), "{text}");
    }
    let stay = "empty?width=32&height=22&players=4";
    let text = refusal(&[&["match", "tron"], &players[..], &["-s", stay]].concat());
    assert!(text.contains("vanish (trails=vanish)"), "{text}");
    place.write("bots.toml", &program("polymer-file"));
    for scenario in ["hp?sequence=HPPH&width=3&height=3", "hp3d?sequence=HPPH&side=3"] {
        let text = refusal(&["match", "polymer", "bot:alice", "-s", scenario]);
        assert!(text.contains("the course's format has no word for an HP chain"), "{text}");
    }
}
