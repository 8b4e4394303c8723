//! Messages on standard error beside the results: warnings, notes and errors. In a terminal, long
//! lines are broken between words; elsewhere every message stays as it is, for programs that read
//! it.

use std::io::IsTerminal;

use crossterm::terminal;
use textwrap::{Options, WordSeparator, WordSplitter};

/// The assumed width of a terminal that does not report one.
const DEFAULT_WIDTH: usize = 80;

/// Prints a message and ends the line.
pub(crate) fn print_notice(message: &str) {
    anstream::eprintln!("{}", fit(message));
}

/// Returns the message, fitted to standard error.
pub(crate) fn fit(message: &str) -> String {
    match std::io::stderr().is_terminal() {
        true => {
            wrap(message, terminal::size().map_or(DEFAULT_WIDTH, |(columns, _)| columns.into()))
        }
        false => message.to_owned(),
    }
}

/// Quotes a word for a shell, as part of a command to try.
pub(crate) fn quote(word: &str) -> String {
    let plain = |sign: char| sign.is_ascii_alphanumeric() || "_-./:,=@%+".contains(sign);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Breaks lines at spaces; continuation lines are indented by two columns. Words are never broken,
/// so that commands and paths can be copied.
pub(crate) fn wrap(message: &str, width: usize) -> String {
    let lines = message.lines().map(|line| {
        let indent = line.len() - line.trim_start().len();
        let (first, rest) = (" ".repeat(indent), " ".repeat(indent + 2));
        let options = Options::new(width.max(20))
            .initial_indent(&first)
            .subsequent_indent(&rest)
            .break_words(false)
            .word_separator(WordSeparator::AsciiSpace)
            .word_splitter(WordSplitter::NoHyphenation);
        textwrap::fill(line.trim_start(), options)
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Lists the first few of many names, and how many others there are.
pub(crate) fn list_briefly(names: &[String]) -> String {
    const MOST: usize = 3;
    match names.len() {
        count if count > MOST + 1 => {
            format!("{} and {} more", names[..MOST].join(", "), count - MOST)
        }
        _ => names.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_only_between_words() {
        let text = "error: unknown player “champoin”; did you mean “champion”?";
        assert_eq!(
            wrap(text, 30),
            "error: unknown player\n  “champoin”; did you mean\n  “champion”?"
        );
        assert_eq!(
            wrap("on course?players=2, grid?a-b=3", 20),
            "on course?players=2,\n  grid?a-b=3"
        );
        assert_eq!(wrap("a\n  b c", 80), "a\n  b c");
    }

    #[test]
    fn long_lists_of_names_are_cut() {
        let names: Vec<String> = (1..=9).map(|number| format!("s{number}")).collect();
        assert_eq!(list_briefly(&names), "s1, s2, s3 and 6 more");
        assert_eq!(list_briefly(&names[..4]), "s1, s2, s3, s4");
    }
}
