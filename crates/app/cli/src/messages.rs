//! Messages on standard error beside the results: warnings, notes and errors. In a terminal, long
//! lines are broken between words, and nothing in them controls the terminal; elsewhere every
//! message stays as it is, for programs that read it.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

use crossterm::terminal;
use quintain_scene::TEXT_WIDTH;
use textwrap::{Options, WordSeparator, WordSplitter};

use crate::plain::clean_lines;

/// Prints a message and ends the line.
pub(crate) fn print_notice(message: &str) {
    anstream::eprintln!("{}", fit(message));
}

/// Returns the message, fitted to standard error.
pub(crate) fn fit(message: &str) -> String {
    match std::io::stderr().is_terminal() {
        true => {
            let width = terminal::size().map_or(TEXT_WIDTH, |(columns, _)| columns.into());
            wrap(&clean_lines(message), width)
        }
        false => message.to_owned(),
    }
}

/// Replaces the current line of a terminal; prints nothing elsewhere.
pub(crate) fn replace_line(text: &str) {
    let mut terminal = std::io::stderr();
    if terminal.is_terminal() {
        // No one misses a line about progress.
        let _ = write!(terminal, "\r\x1b[K{}", clean_lines(text)).and_then(|()| terminal.flush());
    }
}

/// Asks whether to go on; `None` where nobody can answer, because there is no terminal.
pub(crate) fn ask(question: &str) -> io::Result<Option<bool>> {
    if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        return Ok(None);
    }
    anstream::eprint!("{} [y/N] ", fit(question));
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(Some(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")))
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

/// Formats a command with a remark behind it, after `lead`. If a terminal is too narrow for both,
/// the remark goes below, wrapped between words, so that the command can be copied.
pub(crate) fn with_remark(
    lead: &str,
    command: &str,
    what: &str,
    width: Option<usize>,
) -> Vec<String> {
    let whole = format!("{lead}{command}  # {what}");
    let Some(width) = width.filter(|width| whole.chars().count() > *width) else {
        return vec![whole];
    };
    let below = format!("{}# ", " ".repeat(lead.chars().count() + 2));
    let options = Options::new(width.max(below.len() + 10))
        .initial_indent(&below)
        .subsequent_indent(&below)
        .break_words(false)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation);
    let rest = textwrap::wrap(what, options).into_iter().map(Cow::into_owned);
    std::iter::once(format!("{lead}{command}")).chain(rest).collect()
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
    fn narrow_terminals_break_no_word_of_a_command() {
        let remark = "lost to basic, seed 10";
        let lines = |width| with_remark("worst: ", "quintain replay 8bca611e", remark, width);
        let whole = "worst: quintain replay 8bca611e  # lost to basic, seed 10";
        assert_eq!(lines(None), [whole]);
        assert_eq!(lines(Some(57)), [whole]);
        let command = "worst: quintain replay 8bca611e";
        assert_eq!(lines(Some(56)), [command, "         # lost to basic, seed 10"]);
        assert_eq!(lines(Some(26)), [command, "         # lost to basic,", "         # seed 10"]);
    }

    #[test]
    fn long_lists_of_names_are_cut() {
        let names: Vec<String> = (1..=9).map(|number| format!("s{number}")).collect();
        assert_eq!(list_briefly(&names), "s1, s2, s3 and 6 more");
        assert_eq!(list_briefly(&names[..4]), "s1, s2, s3, s4");
    }
}
