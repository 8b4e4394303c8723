//! Text quoted in messages, which may be longer than anyone reads.

/// The first `most` characters of a text, with an ellipsis where it was cut.
///
/// ```
/// use quintain_core::cut;
///
/// assert_eq!(cut("a long line", 6), "a long…");
/// assert_eq!(cut("short", 6), "short");
/// ```
pub fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
