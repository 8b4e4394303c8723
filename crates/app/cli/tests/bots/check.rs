//! `quintain bot check`: its arguments and its page. `quintain-bots` tests what it finds.

use std::process::Output;

use crate::place::{HELLO, Place, answering, python};

#[test]
fn a_mistake_is_explained_in_the_width_of_the_page() {
    let place = Place::new();
    place.write("slip.py", &answering("print('trying', action, flush=True)"));
    let limits = "limits = { answer = \"300ms\" }\n";
    place.write("bots.toml", &format!("[prints]\ncommand = \"{} slip.py\"\n{limits}", python()));
    let output = place.run(&["bot", "check", "--bot", "prints"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    // Lines are wrapped to the width of the page.
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(joined.contains("standard output belongs to the protocol"), "{text}");
    assert!(text.contains("right: {\"type\":\"action\",\"action\":\""), "{text}");
}

#[test]
fn the_page_of_a_passing_program_fits_a_terminal() {
    let place = Place::new();
    let script = "print('warning: \\x1b[31mslow', file=sys.stderr)\n\
                  for turn in turns(): say({'type': 'action', 'action': turn['actions'][0]})\n";
    place.write(
        "bot.py",
        &format!("{}{script}", HELLO.replace("\"ready\"", "\"ready\", \"games\": [\"tron\"]")),
    );
    let text = place.says(&["bot", "check", "--", &python(), "bot.py"]);
    assert!(text.contains("bye: ended in") && !text.contains("warning: "), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80 || !line.contains(' ')), "{text}");
}

#[test]
fn an_unknown_scenario_is_refused() {
    let output = Place::new().run(&["bot", "check", "--scenario", "tornv2", "--", "true"]);
    let text = String::from_utf8(output.stderr).unwrap();
    let expected = "error: no game has the scenario “tornv2”; did you mean “tronv2”?";
    assert!(text.starts_with(expected) && output.status.code() == Some(2), "{text}");
    let output = Place::new().run(&["bot", "check", "--scenario", "tronv2?foo=1", "--", "true"]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("foo") && !text.contains("no game has"), "{text}");
    assert_eq!(output.status.code(), Some(2), "{text}");
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
    let text = String::from_utf8(refused.stderr).unwrap();
    let expected = "plays tron, but the scenario “drawn?size=0” belongs to hextris";
    assert!(text.contains(expected) && refused.status.code() == Some(2), "{text}");
    assert!(refused.stdout.is_empty());
    assert!(check("tronv2").status.success());
}

#[test]
fn a_scenario_may_follow_its_game() {
    let checked = check("tron:tronv2");
    let text = String::from_utf8(checked.stdout).unwrap();
    assert!(text.contains("ok   tron:tronv2 as seat 0") && checked.status.success(), "{text}");
    for (scenario, expected) in [
        ("tron:obstacles?density=0.9", "parameter density=0.9: expected from 0 to 0.5"),
        ("tron:obstcles", "unknown tron scenario “obstcles”; did you mean “obstacles”?"),
        ("gathr:course", "unknown game “gathr”; did you mean “gather”?"),
        ("tron:", "unknown tron scenario “”; known: hackerrank, "),
        ("hextris:drawn?size=0", "plays tron, not hextris"),
    ] {
        let refused = check(scenario);
        let text = String::from_utf8(refused.stderr).unwrap();
        assert!(text.contains(expected) && refused.status.code() == Some(2), "{text}");
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
