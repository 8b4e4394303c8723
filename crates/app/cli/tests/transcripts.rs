//! A match of each game as a program hears it: the transcripts of `docs/bots`, generated again and
//! compared. `UPDATE_GOLDEN=1` writes them.

use std::fmt::Write as _;
use std::path::Path;

use quintain_protocol::{Line, transcribe};

/// Returns what the program at seat 0 receives and sends, against players of ours.
fn transcript(game: &str, scenario: &str, others: &str) -> String {
    let catalog = quintain_games::catalog();
    let lines = transcribe(&catalog, game, scenario, others, None, |_, _| 0).unwrap();
    let lines: Vec<String> = lines
        .iter()
        .map(|line| match line {
            Line::ToProgram(text) => format!("> {text}"),
            Line::FromProgram(text) => format!("< {text}"),
        })
        .collect();
    let ends = lines.iter().find(|line| line.contains("\"end\"")).unwrap();
    assert!(!ends.contains("fault"), "{game}: {ends}");
    shortened(&lines)
}

/// Returns a long match without its middle.
fn shortened(lines: &[String]) -> String {
    const BEGINNING: usize = 3 + 2 * 4;
    const END: usize = 2 + 2 * 2;
    let mut text = String::new();
    let left_out = lines.len().saturating_sub(BEGINNING + END) / 2;
    for (index, line) in lines.iter().enumerate() {
        if left_out > 0 && index == BEGINNING {
            writeln!(text, "… {left_out} more turns …").unwrap();
        }
        if left_out == 0 || !(BEGINNING..lines.len() - END).contains(&index) {
            writeln!(text, "{line}").unwrap();
        }
    }
    text
}

#[test]
fn the_transcripts_of_the_documentation_are_what_a_program_hears() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/bots");
    for (game, scenario, others) in [
        ("tron", "empty?width=6&height=6", "basic"),
        ("gather", "torus?width=3&height=2&players=2", "random"),
        ("polymer", "random?width=3&height=3&n=6", "random"),
        ("hextris", "drawn?size=16&phrases=ei!", "random"),
        ("pentocity", "random?side=8", "random"),
    ] {
        let text = transcript(game, scenario, others);
        let file = folder.join(format!("{game}.txt"));
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&file, &text).unwrap();
        }
        let kept = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(kept == text, "{} is not what is heard; UPDATE_GOLDEN=1 writes it", file.display());
    }
}
