//! What a user reads about a program that cannot play.
#![cfg(target_os = "linux")]

#[allow(dead_code, reason = "every file uses a part of it")]
mod common;

use std::fs;

use common::Bench;
use quintain_core::FaultKind;

/// Returns why a player of tron is refused, in a folder with this `bots.toml`.
fn refusal(bots: &str, player: &str) -> String {
    let bench = Bench::new();
    fs::write(bench.folder.path().join("bots.toml"), bots).unwrap();
    bench.catalog.player("tron", player).map(|_| ()).unwrap_err().to_string()
}

#[test]
fn a_program_that_cannot_be_found_is_explained() {
    let bots = "[alice]\ncommand = \"sh alice.sh\"\n[bob]\ncommand = \"./nothing\"\n";
    for (player, expected) in [
        ("bot:alise", "did you mean “alice”"),
        ("bot:bob", "there is no program ./nothing in "),
        ("exec:\"no-such-program\"", "there is no program no-such-program in PATH"),
        ("exec:\"sh 'x\"", "a quote is not closed"),
        ("exec:", "the command is empty"),
    ] {
        let text = refusal(bots, player);
        assert!(text.contains(expected), "{player}: {text}");
    }
}

#[test]
fn a_mistake_in_the_bots_file_is_explained() {
    for (bots, expected) in [
        ("[alice]\ncomand = \"sh\"\n", "bots.toml:"),
        ("[alice]\ncommand = \"sh\"\nlimits = { memory = \"lots\" }\n", "not a size such as"),
        ("[alice]\ncommand = \"sh\"\nprotocol = \"quintan\"\n", "did you mean “quintain”"),
    ] {
        let text = refusal(bots, "bot:alice");
        assert!(text.contains(expected), "{bots}: {text}");
    }
}

#[test]
fn a_program_without_a_greeting_is_started_once() {
    let bench = Bench::new();
    let starts = bench.folder.path().join("starts");
    fs::write(&starts, "").unwrap();
    let mute = format!("echo started >> '{}'; sleep 1000", starts.display());
    fs::write(bench.folder.path().join("mute.sh"), mute).unwrap();
    let bots = "[mute]\ncommand = \"sh mute.sh\"\nlimits = { start = \"300ms\" }\n";
    fs::write(bench.folder.path().join("bots.toml"), bots).unwrap();
    let outcome = bench.play("mute", "");
    let fault = outcome.fault.unwrap().fault;
    assert_eq!(fault.kind, FaultKind::Timeout);
    assert_eq!(fault.detail, "hello: no answer within 300ms");
}
