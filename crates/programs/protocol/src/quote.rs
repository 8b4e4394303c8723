//! Lines of programs in messages.

use quintain_core::cut;

/// The number of characters quoted from a line that was not understood.
const QUOTED: usize = 80;

/// Quotes a line that was not understood, with invisible characters escaped as in JSON, and cut to
/// [`QUOTED`] characters.
pub fn quote_line(line: &str) -> String {
    let text: String = cut(line, QUOTED).chars().map(visible).collect();
    format!("“{text}”")
}

fn visible(sign: char) -> String {
    // Marks of direction, separators of lines, and signs without a width.
    let is_invisible = matches!(
        sign,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}'
    );
    match sign {
        '\t' => "\\t".to_owned(),
        '\r' => "\\r".to_owned(),
        _ if is_invisible || sign.is_control() => format!("\\u{:04x}", u32::from(sign)),
        _ => sign.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_lines_show_invisible_characters() {
        assert_eq!(quote_line("{\"a\": 'b\\'}"), "“{\"a\": 'b\\'}”");
        assert_eq!(quote_line("\u{feff}a\tb\x1b"), "“\\ufeffa\\tb\\u001b”");
        assert_eq!(quote_line("\u{2066}a\u{2029}"), "“\\u2066a\\u2029”");
        assert!(quote_line(&"x".repeat(81)).ends_with("x…”"));
    }
}
