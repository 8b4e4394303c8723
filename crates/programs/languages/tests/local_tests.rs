//! The local test of a new player distinguishes the common mistakes in the protocol.

mod common;

use common::{Player, is_installed};

/// Begins a player, changes its source, and returns the output of its local test, which fails.
fn output_after(language: &str, from: &str, to: &str) -> String {
    let player = Player::new(language, "tron");
    player.change(&player.starter.source, from, to);
    if language == "python" {
        player.change("test_bot.py", "LIMIT = 10", "LIMIT = 1");
    }
    player.fails_local_test()
}

#[test]
fn the_test_in_python_names_the_mistake() {
    if !is_installed("python3") {
        return;
    }
    let say = "    print(json.dumps(message), flush=True)";
    let act = "say({\"type\": \"action\", \"action\": action})";
    let start = "        elif kind == \"start\":";
    for (from, to, expected) in [
        (say, "    print(json.dumps(message))", "hello: no answer after 1 seconds"),
        (
            say,
            "    print(json.dumps(message), end=\"\", flush=True)",
            "hello: a line without an end, after 1 seconds: {\"type\"",
        ),
        (say, "    print(message, flush=True)", "a Python dictionary, not JSON"),
        (
            say,
            "    print(json.dumps(message), json.dumps(message), flush=True)",
            "more than one message in a line",
        ),
        (act, "say({\"type\": \"action\", \"move\": action})", "turn 0: it has no “action”: {"),
        (act, "say({\"action\": action})", "a message needs a “type”"),
        (
            act,
            "say({\"type\": \"action\", \"action\": action, \"notes\": \"up\"})",
            "turn 0: “notes” must be an object whose values are numbers or strings: 'up'",
        ),
        (
            act,
            "say({\"type\": \"action\", \"action\": action, \"notes\": {\"path\": [1, 2]}})",
            "turn 0: the note “path” is neither a number nor a string: [1, 2]",
        ),
        (start, "        elif kind == \"start\":\n            sys.exit(3)", "exit code 3"),
    ] {
        let output = output_after("python", from, to);
        assert!(output.contains(expected), "{expected}: {output}");
    }
}

#[test]
fn the_test_in_javascript_names_the_mistake() {
    if !is_installed("node") {
        return;
    }
    let act = "say({ type: \"action\", action });";
    for (instead, expected) in [
        ("console.log({ type: \"action\", action });", "JSON needs double quotes"),
        (
            "say({ type: \"action\", action, notes: \"up\" });",
            "turn 0: \"notes\" must be an object whose values are numbers or strings: \"up\"",
        ),
        (
            "say({ type: \"action\", action, notes: { value: NaN } });",
            "turn 0: the note \"value\" is neither a number nor a string: null",
        ),
    ] {
        let output = output_after("javascript", act, instead);
        assert!(output.contains(expected), "{expected}: {output}");
    }
}

#[test]
fn the_test_of_a_script_names_the_mistake() {
    let echo = "echo \"{\\\"type\\\":\\\"action\\\",\\\"action\\\":\\\"$action\\\"}\"";
    for (instead, expected) in [
        (echo.replace("echo", "printf %s"), "more than one message in a line"),
        (
            "echo \"{'type': 'action', 'action': '$action'}\"".to_owned(),
            "in double quotes: {'type'",
        ),
        (
            echo.replace("\\\"action\\\":", "\\\"move\\\":"),
            "turn 1 of the example: it has no \"action\"",
        ),
    ] {
        let output = output_after("sh", echo, &instead);
        assert!(output.contains(expected), "{expected}: {output}");
    }
}

/// The languages here whose test asks about lessons.
fn languages_with_lessons() -> impl Iterator<Item = &'static str> {
    let tools = [
        ("python", "python3"),
        ("javascript", "node"),
        ("sh", "sh"),
        ("rust", "cargo"),
        ("go", "go"),
    ];
    tools.into_iter().filter(|(_, tool)| is_installed(tool)).map(|(language, _)| language)
}

/// Gives a player a lesson, whose messages are those of the example.
fn give_lesson(player: &Player, name: &str, mistakes: &[&str]) {
    let example = player.read("example.jsonl");
    let lesson = serde_json::json!({
        "better": ["none such"],
        "messages": example.lines().collect::<Vec<_>>(),
        "mistakes": mistakes,
        "sentence": "Never do that.",
        "verified": {},
    });
    let folder = player.folder().join("lessons");
    std::fs::create_dir_all(&folder).unwrap();
    let text = serde_json::to_string_pretty(&lesson).unwrap();
    std::fs::write(folder.join(name), text).unwrap();
}

#[test]
fn the_tests_in_every_language_ask_about_lessons() {
    for language in languages_with_lessons() {
        let player = Player::new(language, "tron");
        give_lesson(&player, "0001.json", &["none such"]);
        let (passes, output) = player.run_local_test();
        assert!(passes, "{language}: {output}");
        give_lesson(&player, "0002.json", &["U", "R", "D", "L"]);
        let output = player.fails_local_test();
        for expected in ["0002.json", " again; better: ", "none such", "Never do that."] {
            assert!(output.contains(expected), "{language}: {expected}: {output}");
        }
        assert!(!output.contains("0001.json: "), "{language}: {output}");
    }
}

#[test]
fn a_broken_lesson_is_one_failure_with_its_name_and_the_others_are_asked_about() {
    for language in languages_with_lessons() {
        let player = Player::new(language, "tron");
        give_lesson(&player, "0002.json", &["U", "R", "D", "L"]);
        let folder = player.folder().join("lessons");
        for (name, text) in [("0001.json", "{ \"messages\": [\n"), ("0003.json", "{}\n")] {
            std::fs::write(folder.join(name), text).unwrap();
        }
        let output = player.fails_local_test();
        for expected in ["0001.json: not a lesson", "0003.json: not a lesson", " again; better: "] {
            assert!(output.contains(expected), "{language}: {expected}: {output}");
        }
    }
}

#[test]
fn the_test_of_an_unbuilt_program_names_the_build_command() {
    let output = Player::new("c++", "tron").fails_local_test();
    assert!(output.contains("there is no bot yet; build it first: c++ -O2"), "{output}");
}
