//! Keeps anything from a record, a store, a program or a file from controlling the terminal. Texts
//! are cleaned where they are printed. Whatever gets past that is stopped by the wall in front of
//! the terminal, which lets only colours through.

use std::io::{self, Write};

use quintain_scene::clean;

/// Cleans a table or another text of several lines: line ends stay, other control characters are
/// replaced.
pub(crate) fn clean_lines(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(clean).collect();
    lines.join("\n")
}

/// Escapes control characters in JSON except line ends, including those that JSON allows.
pub(crate) fn escape_json(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => escaped.push(c),
            c if is_plain(c) => escaped.push(c),
            c => escaped.push_str(&format!("\\u{:04x}", u32::from(c))),
        }
    }
    escaped
}

fn is_plain(c: char) -> bool {
    c.is_ascii_graphic() || c == ' ' || clean(c.encode_utf8(&mut [0; 4])).starts_with(c)
}

/// Whether a wall lets colours through.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Colours {
    /// For verbs that draw boards.
    Pass,
    /// For all others: what has colours there comes from elsewhere, and could hide text.
    Stop,
}

/// A filter in front of a terminal: of the control characters, only line ends, tabs and, if it lets
/// them, colours pass.
pub(crate) struct Wall<W: Write> {
    terminal: W,
    colours: Colours,
    /// The last bytes, which may still be continued.
    pending: Vec<u8>,
}

/// Maximum length of a sequence that sets colours.
const MAX_SEQUENCE: usize = 64;

impl<W: Write> Wall<W> {
    pub(crate) fn new(terminal: W, colours: Colours) -> Wall<W> {
        Wall { terminal, colours, pending: Vec::new() }
    }

    fn push(&mut self, all: bool) -> io::Result<()> {
        let mut end = self.pending.len();
        if !all {
            if let Err(error) = std::str::from_utf8(&self.pending)
                && error.error_len().is_none()
            {
                end = error.valid_up_to();
            }
            let tail = end.saturating_sub(MAX_SEQUENCE);
            let escape = self.pending[tail..end].iter().rposition(|byte| *byte == 0x1b);
            if let Some(place) = escape
                && !self.pending[tail + place..end].contains(&b'm')
            {
                end = tail + place;
            }
        }
        let rest = self.pending.split_off(end);
        let bytes = std::mem::replace(&mut self.pending, rest);
        let safe = filter(&String::from_utf8_lossy(&bytes), self.colours);
        self.terminal.write_all(safe.as_bytes())
    }
}

/// Replaces all control characters except line ends, tabs and, if they may pass, colours.
pub(crate) fn filter(text: &str, colours: Colours) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        let found = colour(&text[at..]).filter(|_| colours == Colours::Pass);
        if let Some(colour) = found {
            safe.push_str(colour);
            // All its characters are ASCII.
            chars.by_ref().take(colour.len() - 1).for_each(drop);
        } else if matches!(c, '\n' | '\t') || is_plain(c) {
            safe.push(c);
        } else {
            safe.push(char::REPLACEMENT_CHARACTER);
        }
    }
    safe
}

/// Returns the colour sequence at the beginning of a text, if there is one.
fn colour(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("\u{1b}[")?;
    let end = rest.find(|c: char| !matches!(c, '0'..='9' | ';' | ':'))?;
    rest[end..].starts_with('m').then(|| &text[..end + 3])
}

impl<W: Write> Write for Wall<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.pending.extend_from_slice(bytes);
        self.push(false)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.push(true)?;
        self.terminal.flush()
    }
}

impl<W: Write> Drop for Wall<W> {
    fn drop(&mut self) {
        // There is no one left to report an error to.
        let _ = self.flush();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what a terminal receives for a text that comes in pieces of `piece` bytes.
    fn pass(text: &str, piece: usize, colours: Colours) -> String {
        let mut seen = Vec::new();
        let mut wall = Wall::new(&mut seen, colours);
        text.as_bytes().chunks(piece).for_each(|bytes| wall.write_all(bytes).unwrap());
        drop(wall);
        String::from_utf8(seen).unwrap()
    }

    #[test]
    fn colours_pass_and_control_sequences_do_not() {
        let filter = |text: &str, piece| pass(text, piece, Colours::Pass);
        for piece in 1..20 {
            let page = "\u{1b}[1;38:5:9mred ┌─┐\u{1b}[0m\tend\n";
            assert_eq!(filter(page, piece), page);
            assert_eq!(filter("a\u{1b}[2Jb\u{9b}1mc\rd\u{1b}", piece), "a�[2Jb�1mc�d�");
            assert_eq!(
                filter("\u{1b}]0;title\u{7}\u{1b}[\u{1b}[0m", piece),
                "�]0;title��[\u{1b}[0m"
            );
            let endless = format!("\u{1b}[{}m", "1;".repeat(200));
            assert_eq!(filter(&endless, piece).matches('1').count(), 200);
        }
    }

    #[test]
    fn no_colour_of_a_text_from_elsewhere_hides_what_follows() {
        for piece in 1..20 {
            let row = "a,\u{1b}[8mhidden\u{1b}[0m,1\n";
            assert_eq!(pass(row, piece, Colours::Stop), "a,�[8mhidden�[0m,1\n");
        }
    }

    #[test]
    fn json_keeps_its_meaning() {
        let names = ["a\u{9b}2J", "\u{202e}b", "ü\n"];
        let text = serde_json::to_string_pretty(&names).unwrap();
        let escaped = escape_json(&text);
        assert!(escaped.contains("\\u009b") && escaped.contains("\\u202e"), "{escaped}");
        assert_eq!(serde_json::from_str::<Vec<String>>(&escaped).unwrap(), names);
        assert_eq!(clean_lines("a\u{1b}\nb\n"), "a�\nb\n");
    }
}
