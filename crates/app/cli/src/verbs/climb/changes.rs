//! What an edit changed, in a few lines: for each file, what was taken out and what was put in.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use quintain_bots::inside::{list_files, read_file};

use crate::lists::format_count;

/// The most files that are shown, and the most lines of each that were taken out or put in.
const FILES: usize = 5;
const LINES: usize = 6;
/// The longest line that is shown whole.
const WIDTH: usize = 100;

/// Describes the difference between two folders; empty if there is none.
pub(super) fn describe_changes(before: &Path, after: &Path) -> String {
    let names: BTreeSet<String> = [before, after].into_iter().flat_map(list_files).collect();
    let changed: Vec<(String, [Option<Vec<u8>>; 2])> = names
        .into_iter()
        .map(|name| {
            let contents = [before, after].map(|folder| read_file(folder, &name).ok());
            (name, contents)
        })
        .filter(|(_, [before, after])| before != after)
        .collect();
    let mut text = String::new();
    for (name, [before, after]) in changed.iter().take(FILES) {
        match [before, after].map(|bytes| bytes.as_ref().map(|bytes| std::str::from_utf8(bytes))) {
            [_, None] => text += &format!("{name}: deleted\n"),
            [None, Some(Ok(after))] => {
                let lines = format_count(after.lines().count(), "line");
                let _ = writeln!(text, "{name}: new, {lines}");
            }
            [Some(Ok(before)), Some(Ok(after))] => text += &describe_file(name, before, after),
            _ => text += &format!("{name}: changed\n"),
        }
    }
    if changed.len() > FILES {
        let _ = writeln!(text, "and {} more files", changed.len() - FILES);
    }
    text
}

/// Describes what lies between the first and the last line that differ.
fn describe_file(name: &str, before: &str, after: &str) -> String {
    let (before, after): (Vec<&str>, Vec<&str>) =
        (before.lines().collect(), after.lines().collect());
    let begin = before.iter().zip(&after).take_while(|(one, other)| one == other).count();
    let (before, after) = (&before[begin..], &after[begin..]);
    let ends = before.iter().rev().zip(after.iter().rev());
    let end = ends.take_while(|(one, other)| one == other).count();
    let (out, put) = (&before[..before.len() - end], &after[..after.len() - end]);
    let mut text = format!(
        "{name}, from line {}: {} out, {} in\n",
        begin + 1,
        format_count(out.len(), "line"),
        put.len()
    );
    for (sign, lines) in [('-', out), ('+', put)] {
        for line in lines.iter().take(LINES) {
            let line: String = line.chars().take(WIDTH).collect();
            let _ = writeln!(text, "{sign} {line}");
        }
        if lines.len() > LINES {
            let _ = writeln!(text, "{sign} … {} more", lines.len() - LINES);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn an_edit_is_told_by_its_files_and_lines() {
        let place = tempfile::tempdir().unwrap();
        let (before, after) = (place.path().join("a"), place.path().join("b"));
        for folder in [&before, &after] {
            fs::create_dir(folder).unwrap();
            fs::write(folder.join("same.py"), "x").unwrap();
        }
        assert_eq!(describe_changes(&before, &after), "");
        fs::write(before.join("bot.py"), "a\nb\nc\n").unwrap();
        fs::write(after.join("bot.py"), "a\nB\nBB\nc\n").unwrap();
        fs::write(before.join("old.py"), "x").unwrap();
        fs::write(after.join("new.py"), "x\ny\n").unwrap();
        let expected = "bot.py, from line 2: 1 line out, 2 in\n- b\n+ B\n+ BB\n\
                        new.py: new, 2 lines\nold.py: deleted\n";
        assert_eq!(describe_changes(&before, &after), expected);
        fs::write(after.join("bot.py"), "z\n".repeat(20)).unwrap();
        assert!(describe_changes(&before, &after).contains("+ … 14 more\n"));
    }
}
