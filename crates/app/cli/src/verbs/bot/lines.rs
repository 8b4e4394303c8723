//! Findings as lines.

use crate::screen;

/// Breaks a finding into lines that fit a terminal; all but the first are aligned with the text
/// beside its mark.
pub(super) fn wrap(text: &str) -> Vec<String> {
    let options =
        textwrap::Options::new(screen::width()).subsequent_indent("     ").break_words(false);
    textwrap::wrap(text, options).into_iter().map(|line| line.into_owned()).collect()
}
