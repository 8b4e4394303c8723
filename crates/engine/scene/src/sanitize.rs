//! Text from outside (names, labels, captions) made safe to show. Player names come from files and
//! programs: a terminal must not obey what they contain.

/// `text` with every character that moves the cursor, changes the terminal or changes the direction
/// of writing replaced by `�`.
pub fn clean(text: &str) -> String {
    text.chars().map(|c| if is_plain(c) { c } else { char::REPLACEMENT_CHARACTER }).collect()
}

/// Whether a character does no more than show itself. Refused are control characters (C0, C1 and
/// DEL), line and paragraph separators, and the bidirectional controls of UAX #9.
pub(crate) fn is_plain(c: char) -> bool {
    !c.is_control()
        && !matches!(
            c,
            '\u{061c}'
                | '\u{200e}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2066}'..='\u{2069}'
        )
        && !matches!(c, '\u{fffe}' | '\u{ffff}')
}

/// `text` as XML character data or attribute value.
pub(crate) fn xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in clean(text).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn escape_sequences_do_not_reach_the_terminal() {
        assert_eq!(clean("a\u{1b}[2Jb\r\nc\u{9b}d\u{202e}e"), "a�[2Jb��c�d�e");
    }

    #[test]
    fn markup_is_shown_and_not_obeyed() {
        assert_eq!(xml(r#"<b a="1">&'"#), "&lt;b a=&quot;1&quot;&gt;&amp;&#39;");
    }

    proptest! {
        #[test]
        fn no_text_leaves_markup_or_control_characters_in_xml(text in ".{0,40}") {
            let escaped = xml(&text);
            prop_assert!(!escaped.contains(['<', '>', '"', '\'']));
            prop_assert!(escaped.chars().all(is_plain));
        }
    }
}
