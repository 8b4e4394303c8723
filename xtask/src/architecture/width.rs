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

fn wide_lines(text: &str) -> impl Iterator<Item = usize> + '_ {
    let lines = text.lines().enumerate();
    lines.filter(|(_, line)| line.chars().count() > WIDTH).map(|(index, _)| index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted_not_bytes() {
        let text = format!("{}\n{}\n", "ä".repeat(WIDTH), "a".repeat(WIDTH + 1));
        assert_eq!(wide_lines(&text).collect::<Vec<_>>(), [2]);
    }
}
