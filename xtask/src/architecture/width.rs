//! No line of Rust is wider than rustfmt's width: where one is, rustfmt gives up on the whole
//! function around it.

use std::fs;

use crate::workspace::{root, sources};

/// The width in rustfmt.toml.
const WIDTH: usize = 100;

/// Returns the lines that are too wide.
pub fn problems() -> Vec<String> {
    let root = root();
    let mut problems = Vec::new();
    for folder in ["crates", "examples", "fuzz/fuzz_targets", "templates", "xtask"] {
        for path in sources(&root.join(folder)) {
            let text = fs::read_to_string(&path).unwrap_or_default();
            let shown = path.strip_prefix(&root).unwrap_or(&path).display();
            for number in wide_lines(&text) {
                problems.push(format!("{shown}:{number}: a line of over {WIDTH} columns"));
            }
        }
    }
    problems
}

/// Returns the numbers of the lines that are too wide. Tables in documentation and raw texts of
/// several lines do not count, since rustfmt does not format them.
fn wide_lines(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut is_raw = false;
    for (index, line) in text.lines().enumerate() {
        let was_raw = is_raw;
        is_raw = if is_raw { !line.contains("\"#") } else { opens_raw_text(line) };
        let is_table = line.trim_start().starts_with("//! |");
        if line.chars().count() > WIDTH && !was_raw && !is_raw && !is_table {
            found.push(index + 1);
        }
    }
    found
}

/// Returns whether a raw text `r#"…"#` begins on this line and goes on after it.
fn opens_raw_text(line: &str) -> bool {
    line.rsplit_once("r#\"").is_some_and(|(_, rest)| !rest.contains("\"#"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted_not_bytes() {
        let text = format!("{}\n{}\n", "ä".repeat(WIDTH), "a".repeat(WIDTH + 1));
        assert_eq!(wide_lines(&text), [2]);
    }

    #[test]
    fn raw_texts_and_tables_may_be_wide() {
        let wide = "a".repeat(WIDTH + 1);
        let text = format!("let x = r#\"\n{wide}\n\"#;\n//! | {wide} |\n{wide}\n");
        assert_eq!(wide_lines(&text), [5]);
    }
}
