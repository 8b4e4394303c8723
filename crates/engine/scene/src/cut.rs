//! Lines cut to the width of what shows them.

use std::borrow::Cow;
use std::iter;

use unicode_width::UnicodeWidthChar;

/// The columns of text where no terminal determines them.
pub const TEXT_WIDTH: usize = 80;

/// Cuts a line to this many columns, the last of which shows if something was left out. Colour
/// sequences take no room, and those after the cut are kept, since they may end others.
pub fn cut_to_width(line: &str, columns: usize) -> Cow<'_, str> {
    if pieces(line).map(|(_, width)| width.unwrap_or(0)).sum::<usize>() <= columns {
        return Cow::Borrowed(line);
    }
    let (mut left, mut is_full, mut out) = (columns.saturating_sub(1), false, String::new());
    for (piece, width) in pieces(line) {
        match width {
            None => out.push_str(piece),
            Some(width) if !is_full && width <= left => {
                left -= width;
                out.push_str(piece);
            }
            Some(_) if !std::mem::replace(&mut is_full, true) && columns > 0 => out.push('…'),
            Some(_) => {}
        }
    }
    Cow::Owned(out)
}

/// Splits a line into characters with their widths and colour sequences without one.
fn pieces(line: &str) -> impl Iterator<Item = (&str, Option<usize>)> {
    let mut rest = line;
    iter::from_fn(move || {
        let first = rest.chars().next()?;
        let escape = rest.strip_prefix("\x1b[").map(|behind| {
            behind.find(|c: char| ('@'..='~').contains(&c)).map_or(rest.len(), |at| at + 3)
        });
        let (piece, behind) = rest.split_at(escape.unwrap_or(first.len_utf8()));
        rest = behind;
        Some((piece, escape.is_none().then(|| first.width().unwrap_or(0))))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_long_lines_end_in_an_ellipsis() {
        assert_eq!(cut_to_width("exit code 1", 11), "exit code 1");
        assert_eq!(cut_to_width("exit code 1", 6), "exit …");
        let coloured = "\x1b[31mexit\x1b[0m code\x1b[0m";
        assert_eq!(cut_to_width(coloured, 9), coloured);
        assert_eq!(cut_to_width(coloured, 6), "\x1b[31mexit\x1b[0m …\x1b[0m");
        assert_eq!(cut_to_width("漢字", 3), "漢…");
        assert_eq!(cut_to_width("exit", 0), "");
    }
}
