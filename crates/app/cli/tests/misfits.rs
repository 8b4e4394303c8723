//! A network for other boards than those of the scenario is reported before the first match, with
//! both boards and what to try.

use std::fs;

use assert_cmd::Command;

const NETWORKS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../games");

/// Boards of 12×12 cells, where the network is for 15×15.
const SMALL: &str = "empty?width=12&height=12";
const EXPECTED: &str = "the network is for boards of 15×15, but this scenario has 12×12; it was \
    trained on --scenario hackerrank";

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        Place(tempfile::tempdir().unwrap())
    }

    /// Returns the message of a command that is refused as wrongly called.
    fn refusal(&self, arguments: &[&str]) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_quintain"));
        command.current_dir(&self.0).env("NO_COLOR", "1").env_remove("QUINTAIN_STORE");
        let output = command.args(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert_eq!(output.stdout, b"", "{arguments:?}: nothing is played");
        said
    }
}

fn network(game: &str) -> String {
    format!("{NETWORKS}/{game}/networks/{game}.safetensors")
}

#[test]
fn every_verb_that_plays_refuses_a_network_on_a_wrong_board_before_it_plays() {
    let place = Place::new();
    let file = network("tron");
    for player in [format!("net?file={file}"), format!("puct?net={file}")] {
        let tournament = format!(
            "name = \"t\"\ngame = \"tron\"\nscenarios = [\"hackerrank\", \"{SMALL}\"]\n\
             players = [\"{player}\", \"random\"]\nseeds = 1\n"
        );
        fs::write(place.0.path().join("t.toml"), tournament).unwrap();
        for arguments in [
            vec!["match", "tron", &player, "random", "--scenario", SMALL],
            vec!["compare", &player, "random", "--game", "tron", "--scenario", SMALL],
            vec!["tournament", "t.toml"],
            vec!["play", "tron", "--against", &player, "--scenario", SMALL],
        ] {
            let said = place.refusal(&arguments);
            assert!(said.contains(EXPECTED), "{arguments:?}: {said}");
        }
    }
    let said = place.refusal(&[
        "self-play",
        "tron",
        "--net",
        &file,
        "--scenario",
        SMALL,
        "--out",
        "positions",
    ]);
    assert!(said.contains(EXPECTED), "{said}");
}

#[cfg(feature = "programs")]
#[test]
fn opponents_of_programs_are_refused_too() {
    let place = Place::new();
    fs::write(place.0.path().join("bots.toml"), "[mine]\ncommand = [\"/bin/cat\"]\n").unwrap();
    let rival = format!("tron/net?file={}", network("tron"));
    let said = place.refusal(&["watch", "mine", "--against", &rival, "--scenario", SMALL]);
    assert!(said.contains(EXPECTED), "{said}");
}

#[cfg(feature = "host")]
#[test]
fn a_contest_does_not_begin_with_a_house_that_cannot_play() {
    let place = Place::new();
    let mut command = Command::new(env!("CARGO_BIN_EXE_quintain"));
    command.current_dir(&place.0).args(["host", "init", "contest", "--game", "tron"]);
    command.assert().success();
    let path = place.0.path().join("contest/host.toml");
    let text = fs::read_to_string(&path).unwrap();
    let (scenarios, house) =
        (format!("[\"{SMALL}\"]"), format!("[\"net?file={}\"]", network("tron")));
    let lines = text.lines().map(|line| match line.split_once(" = ") {
        Some(("scenarios", _)) => format!("scenarios = {scenarios}"),
        Some(("house", _)) => format!("house = {house}"),
        _ => line.to_owned(),
    });
    fs::write(&path, lines.collect::<Vec<_>>().join("\n")).unwrap();
    let said = place.refusal(&["host", "serve", "contest"]);
    assert!(said.contains(EXPECTED), "{said}");
}

#[test]
fn problems_of_a_family_are_known_by_the_first_of_them() {
    let place = Place::new();
    let player = format!("net?file={}", network("hextris"));
    let said = place.refusal(&["compare", &player, "random", "--game", "hextris"]);
    let expected = "the network is for boards of 10×8, but this scenario has ";
    assert!(said.contains(expected), "{said}");
    assert!(said.contains("it was trained on --scenario \"drawn?phrases=none&size=8\""), "{said}");
}
