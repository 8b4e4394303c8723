//! Pages in a terminal.

#![cfg(target_os = "linux")]

use std::process::Command;
use std::time::Duration;

#[path = "../../../../xtask/src/terminal.rs"]
mod terminal;

use terminal::Cue::{Text, Written};
use terminal::Deed::{Press, Resize};

/// How a page begins and ends, and how its lines end.
const PAGE: [&str; 2] = ["\u{1b}[?2026h", "\u{1b}[?2026l"];
const LINE: &str = "\u{1b}[1E";

#[test]
fn a_page_follows_the_size_of_its_terminal() {
    let place = tempfile::tempdir().unwrap();
    let quintain = |arguments: &[&str]| {
        let mut quintain = Command::new(env!("CARGO_BIN_EXE_quintain"));
        quintain.args(arguments).current_dir(place.path()).env("TERM", "xterm-256color");
        quintain
    };
    let saved = quintain(&["match", "tron", "--seed", "3", "--save", "match.json"]).output();
    assert!(saved.unwrap().status.success());
    for arguments in [&["play", "tron"][..], &["replay", "match.json"]] {
        // A match that plays shows pages of the size before until it learns of the next one.
        let deeds = [
            (Text(PAGE[1]), Resize(60, 12)),
            (
                Written(|shown| lines_of_pages(shown).iter().any(|&lines| lines <= 11)),
                Resize(120, 40),
            ),
            (Written(|shown| lines_of_pages(shown).iter().any(|&lines| lines > 11)), Press("q")),
        ];
        let patience = Duration::from_secs(60);
        let (shown, code) = terminal::use_terminal(&quintain(arguments), &deeds, patience).unwrap();
        assert_eq!(code, Some(0), "{shown}");
        let lines = lines_of_pages(&shown);
        // All of it, what there is room for above the status, and all of it again.
        let [first, last] = [lines.first(), lines.last()].map(|count| *count.unwrap());
        let shortest = *lines.iter().min().unwrap();
        assert!(shortest <= 11 && shortest < first, "{arguments:?}: {lines:?}");
        assert_eq!(last, first, "{arguments:?}: {lines:?}");
    }
}

/// Returns how many lines each whole page has.
fn lines_of_pages(shown: &str) -> Vec<usize> {
    let pages = shown.split(PAGE[0]).skip(1).filter_map(|rest| rest.split_once(PAGE[1]));
    pages.map(|(page, _)| page.matches(LINE).count()).collect()
}
