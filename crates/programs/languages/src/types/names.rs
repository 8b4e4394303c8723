//! Names as required by languages, and texts as comments.

/// Splits a name into parts, at punctuation and where lowercase letters end.
fn parts(text: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut before = ' ';
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            let begins = !before.is_ascii_alphanumeric()
                || (c.is_ascii_uppercase() && !before.is_ascii_uppercase());
            match parts.last_mut() {
                Some(part) if !begins => part.push(c),
                _ => parts.push(c.to_string()),
            }
        }
        before = c;
    }
    parts
}

/// Returns a name such as `LastEvent`, for types and for words.
pub(crate) fn pascal(text: &str) -> String {
    let capital = |part: String| {
        let (first, rest) = part.split_at(1);
        first.to_ascii_uppercase() + rest
    };
    let name: String = parts(text).into_iter().map(capital).collect();
    match name.chars().next() {
        None => "Other".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("N{name}"),
        Some(_) => name,
    }
}

/// Returns a name such as `last_event`, for fields.
pub(crate) fn snake(text: &str) -> String {
    let name = parts(text).join("_").to_ascii_lowercase();
    match name.chars().next() {
        None => "other".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("n{name}"),
        Some(_) => name,
    }
}

/// Makes a name unique by adding a number if it is already in `taken`, and adds it to `taken`.
pub(crate) fn unique(name: String, taken: &mut Vec<String>) -> String {
    let is_free = |name: &String| !taken.contains(name);
    let free = (2..).map(|number| format!("{name}{number}"));
    let name = std::iter::once(name.clone()).chain(free).find(is_free).unwrap_or(name);
    taken.push(name.clone());
    name
}

/// Quotes a text as in JSON, which Python, JavaScript, Go and TOML read alike.
pub(crate) fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Breaks a text into lines that start with `lead`; empty for an empty text. Anything that a line
/// could do other than be read is removed.
pub(crate) fn comment(text: &str, lead: &str, width: usize) -> String {
    let plain: String = text.chars().filter(|c| !c.is_control() || c.is_whitespace()).collect();
    let plain = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    let plain = plain.replace("*/", "* /").replace("\"\"\"", "'''");
    if plain.is_empty() {
        return String::new();
    }
    let room = width.saturating_sub(lead.len()).max(20);
    let lines = textwrap::wrap(&plain, textwrap::Options::new(room).break_words(false));
    lines.iter().map(|line| format!("{lead}{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_of_any_text() {
        for (text, type_name, field) in [
            ("head-on", "HeadOn", "head_on"),
            ("toMove", "ToMove", "to_move"),
            ("3x4", "N3x4", "n3x4"),
            ("NW", "NW", "nw"),
            ("!", "Other", "other"),
            ("größe", "GrE", "gr_e"),
        ] {
            assert_eq!((pascal(text).as_str(), snake(text).as_str()), (type_name, field));
        }
    }

    #[test]
    fn a_comment_ends_where_it_should() {
        let text = "one */ \"\"\" two\u{2028}three\r\nfour\u{0}";
        assert_eq!(comment(text, "// ", 80), "// one * / ''' two three four\n");
        assert_eq!(comment(" \n", "// ", 80), "");
    }
}
