//! `quintain bot check`: what it finds in a program, and how it says so.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};

use crate::place::{HELLO, Place, answering, examples, has, python};

#[test]
fn known_slips_are_told_with_the_line_that_would_have_been_right() {
    let place = Place::new();
    let unended = "sys.stdout.write('{\"type\": \"action\"}'); sys.stdout.flush()";
    let right = "right: {\"type\":\"action\",\"action\":\"";
    for (name, answer, meant, right) in [
        (
            "unended",
            unended,
            "it wrote 18 bytes but no newline",
            "right: {\"type\": \"action\"}\\n",
        ),
        (
            "python",
            "print({'type': 'action', 'action': action}, flush=True)",
            "json.dumps",
            "right: {\"type\": \"action\"",
        ),
        (
            "prints",
            "print('trying', action, flush=True)",
            "standard output belongs to the protocol",
            right,
        ),
        ("bare", "print(action, flush=True)", "an answer is a JSON object", right),
        (
            "unknown",
            "print(json.dumps({'type': 'action', 'action': 'northwards'}), flush=True)",
            "one of the strings in “actions”",
            right,
        ),
        (
            "notes",
            "print(json.dumps({'type': 'action', 'action': action, 'notes': {'best': [1]}}), flush=True)",
            "the note “best”",
            right,
        ),
    ] {
        place.write("slip.py", &answering(answer));
        let limits = "limits = { answer = \"300ms\" }\n";
        place
            .write("bots.toml", &format!("[{name}]\ncommand = \"{} slip.py\"\n{limits}", python()));
        let output = place.run(&["bot", "check", "--bot", name]);
        let said = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(1), "{name}: {said}");
        // Lines are wrapped to the width of the page.
        let joined = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(joined.contains(meant), "{name}: {said}");
        assert!(said.contains(right), "{name}: {said}");
    }
    // What is ignored is reported, but is not a fault.
    place.write(
        "crlf.py",
        &answering(
            "print(json.dumps({'type': 'action', 'action': action}), end='\\r\\n', flush=True)",
        ),
    );
    let said = place.says(&["bot", "check", "--", &python(), "crlf.py"]);
    assert!(said.contains("ok   its lines end in CR LF"), "{said}");
}

#[test]
fn the_examples_pass_the_check() {
    let place = Place::new();
    let folder = examples().display().to_string();
    for (program, command) in [
        ("python3", vec![python(), format!("{folder}/bot.py")]),
        ("sh", vec!["sh".to_owned(), format!("{folder}/bot.sh")]),
        ("node", vec!["node".to_owned(), format!("{folder}/bot.js")]),
    ] {
        if program == "sh" || has(program) {
            let words = command.iter().map(String::as_str);
            let arguments: Vec<&str> = ["bot", "check", "--"].into_iter().chain(words).collect();
            let said = place.says(&arguments);
            assert!(said.contains("ok   tron:hackerrank as seat 1"), "{program}: {said}");
            assert!(!said.contains("BAD"), "{program}: {said}");
        }
    }
    if has("c++") {
        let bot = place.path().join("bot");
        let source = examples().join("bot.cpp");
        let flags = ["-O1", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-o"];
        assert!(Command::new("c++").args(flags).arg(&bot).arg(source).status().unwrap().success());
        assert!(!place.says(&["bot", "check", "--", "./bot"]).contains("BAD"));
    }
}

#[test]
fn a_passing_program_is_told_in_lines_that_fit_a_terminal_and_nothing_is_repeated() {
    let place = Place::new();
    let script = "print('warning: \\x1b[31mslow', file=sys.stderr)\n\
                  for turn in turns(): say({'type': 'action', 'action': turn['actions'][0]})\n";
    place.write(
        "bot.py",
        &format!("{}{script}", HELLO.replace("\"ready\"", "\"ready\", \"games\": [\"tron\"]")),
    );
    let said = place.says(&["bot", "check", "--", &python(), "bot.py"]);
    assert!(said.contains("bye: ended in") && !said.contains("warning: "), "{said}");
    assert!(said.lines().all(|line| line.chars().count() <= 80 || !line.contains(' ')), "{said}");
}

#[test]
fn a_scenario_that_no_game_has_is_not_checked() {
    let output = Place::new().run(&["bot", "check", "--scenario", "tornv2", "--", "true"]);
    let said = String::from_utf8(output.stderr).unwrap();
    let expected = "error: no game has the scenario “tornv2”; did you mean “tronv2”?";
    assert!(said.starts_with(expected) && output.status.code() == Some(2), "{said}");
    let output = Place::new().run(&["bot", "check", "--scenario", "tronv2?foo=1", "--", "true"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("foo") && !said.contains("no game has"), "{said}");
    assert_eq!(output.status.code(), Some(2), "{said}");
}

/// Checks a program that plays tron alone, on a scenario.
fn check(scenario: &str) -> Output {
    let place = Place::new();
    let script = "for turn in turns(): say({'type': 'action', 'action': turn['actions'][0]})\n";
    let plays_tron = HELLO.replace("\"ready\"", "\"ready\", \"games\": [\"tron\"]");
    place.write("bot.py", &format!("{plays_tron}{script}"));
    place.run(&["bot", "check", "--scenario", scenario, "--", &python(), "bot.py"])
}

#[test]
fn a_scenario_of_a_game_that_the_program_does_not_play_is_refused() {
    let refused = check("drawn?size=0");
    let said = String::from_utf8(refused.stderr).unwrap();
    let expected = "plays tron, but the scenario “drawn?size=0” belongs to hextris";
    assert!(said.contains(expected) && refused.status.code() == Some(2), "{said}");
    assert!(refused.stdout.is_empty());
    assert!(check("tronv2").status.success());
}

#[test]
fn a_scenario_may_stand_behind_its_game() {
    let checked = check("tron:tronv2");
    let said = String::from_utf8(checked.stdout).unwrap();
    assert!(said.contains("ok   tron:tronv2 as seat 0") && checked.status.success(), "{said}");
    for (scenario, expected) in [
        ("tron:obstacles?density=0.9", "parameter density=0.9: expected from 0 to 0.5"),
        ("tron:obstcles", "unknown tron scenario “obstcles”; did you mean “obstacles”?"),
        ("gathr:course", "unknown game “gathr”; did you mean “gather”?"),
        ("tron:", "unknown tron scenario “”; known: hackerrank, "),
        ("hextris:drawn?size=0", "plays tron, not hextris"),
    ] {
        let refused = check(scenario);
        let said = String::from_utf8(refused.stderr).unwrap();
        assert!(said.contains(expected) && refused.status.code() == Some(2), "{said}");
        assert!(refused.stdout.is_empty());
    }
}

#[test]
fn the_dashes_before_a_command_may_be_left_out() {
    let output = Place::new().run(&["bot", "check", "no-such-program", "--fast"]);
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("there is no program no-such-program"), "{error}");
}

#[test]
fn a_missing_interpreter_is_named() {
    let place = Place::new();
    place.write("bot", "#!/opt/python9/bin/python\n");
    let script = place.path().join("bot");
    fs::set_permissions(script, fs::Permissions::from_mode(0o755)).unwrap();
    let output = place.run(&["bot", "check", "--", "./bot"]);
    let said = String::from_utf8(output.stdout).unwrap().replace("\n    ", "");
    assert!(said.contains("the interpreter /opt/python9/bin/python"), "{said}");
}
