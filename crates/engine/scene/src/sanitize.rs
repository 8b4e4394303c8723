//! Text from outside (names, labels, captions) made safe to show. Player names come from files and
//! programs: a terminal must not obey what they contain.

/// `text` with every character that moves the cursor, changes the terminal, changes the direction
/// of writing or shows nothing replaced by `�`. Joiners and variation selectors stay where scripts
/// and emoji need them: after a character beyond ASCII that is not one of them.
pub fn clean(text: &str) -> String {
    let mut before = ' ';
    let keep = |c: char| {
        let has_use = !before.is_ascii() && !is_joiner(before);
        let kept = match is_plain(c) && (!is_joiner(c) || has_use) {
            true => c,
            false => char::REPLACEMENT_CHARACTER,
        };
        before = if kept == c { c } else { ' ' };
        kept
    };
    text.chars().map(keep).collect()
}

/// Whether a character does no more than show itself, or join others. Refused are control
/// characters (C0, C1 and DEL), line and paragraph separators, the bidirectional controls of UAX
/// #9, and what else Unicode lists as invisible (`Default_Ignorable_Code_Point`, the byte order
/// mark among them, and the format characters for annotations), with which two texts that look
/// alike can differ.
pub(crate) fn is_plain(c: char) -> bool {
    !c.is_control()
        && !matches!(
            c,
            '\u{00ad}'
                | '\u{034f}'
                | '\u{061c}'
                | '\u{115f}'..='\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'
                | '\u{200e}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0d}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{fffe}'..='\u{ffff}'
                | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

/// Whether a character only changes how those around it are shown: the joiners of scripts, and the
/// two variation selectors for emoji.
fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}')
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
    fn invisible_characters_are_made_visible() {
        for invisible in [
            '\u{feff}',
            '\u{200b}',
            '\u{2060}',
            '\u{ad}',
            '\u{34f}',
            '\u{3164}',
            '\u{115f}',
            '\u{180e}',
            '\u{e0041}',
            '\u{fe01}',
            '\u{fff9}',
            '\u{200d}',
            '\u{200c}',
            '\u{fe0f}',
        ] {
            assert_eq!(clean(&format!("ad{invisible}a")), "ad\u{fffd}a", "{invisible:?}");
        }
        // A family of two, a heart, and a Persian word need them.
        for text in ["👩\u{200d}👦", "❤\u{fe0f}", "می\u{200c}خواهم"] {
            assert_eq!(clean(text), text);
        }
        assert_eq!(clean("❤\u{fe0f}\u{fe0f}"), "❤\u{fe0f}\u{fffd}");
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
