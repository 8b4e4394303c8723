//! Rust's source as words and signs, for tests of the code's shape.

/// The words and signs of a source file: no comments, no texts, no code of tests.
pub fn tokens(source: &str) -> Vec<String> {
    let text: Vec<char> = source.chars().collect();
    let is_word = |sign: char| sign.is_alphanumeric() || sign == '_';
    let mut tokens: Vec<String> = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let starts = |start: &str| rest.iter().copied().take(start.len()).eq(start.chars());
        if starts("//") {
            at += rest.iter().position(|&sign| sign == '\n').unwrap_or(rest.len());
        } else if starts("/*") {
            let (mut depth, mut end) = (0, 0);
            loop {
                let pair: String = rest[end..].iter().take(2).collect();
                depth += i32::from(pair == "/*") - i32::from(pair == "*/");
                end += if pair == "/*" || pair == "*/" { 2 } else { 1 };
                if depth == 0 || end >= rest.len() {
                    break;
                }
            }
            at += end;
        } else if let Some(length) = raw_text(rest) {
            at += length;
        } else if rest[0] == '"' || starts("b\"") || starts("c\"") {
            let mut end = if rest[0] == '"' { 1 } else { 2 };
            while rest[end] != '"' {
                end += if rest[end] == '\\' { 2 } else { 1 };
            }
            at += end + 1;
        } else if rest[0] == '\'' && rest.get(1) == Some(&'\\') {
            at += 3 + rest[3..].iter().position(|&sign| sign == '\'').unwrap() + 1;
        } else if rest[0] == '\'' && rest.get(2) == Some(&'\'') {
            at += 3;
        } else if is_word(rest[0]) {
            let end = rest.iter().position(|&sign| !is_word(sign)).unwrap_or(rest.len());
            tokens.push(rest[..end].iter().collect());
            at += end;
        } else if starts("::") {
            tokens.push("::".into());
            at += 2;
        } else {
            if !rest[0].is_whitespace() {
                tokens.push(rest[0].to_string());
            }
            at += 1;
        }
    }
    remove_tests(tokens)
}

/// The length of `r#"…"#`, if the text begins with one.
fn raw_text(text: &[char]) -> Option<usize> {
    let prefix = text.iter().take_while(|sign| "br".contains(**sign)).count();
    if !text[..prefix].contains(&'r') {
        return None;
    }
    let hashes = text[prefix..].iter().take_while(|sign| **sign == '#').count();
    if text.get(prefix + hashes) != Some(&'"') {
        return None;
    }
    let end: Vec<char> = std::iter::once('"').chain(vec!['#'; hashes]).collect();
    let begin = prefix + hashes + 1;
    let length = text[begin..].windows(end.len()).position(|window| window == end)?;
    Some(begin + length + end.len())
}

/// Items marked `#[cfg(test)]` are left out, to their `;` or closing brace.
fn remove_tests(tokens: Vec<String>) -> Vec<String> {
    const MARK: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let mut kept = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if !tokens[at..].iter().take(MARK.len()).eq(MARK.iter()) {
            kept.push(tokens[at].clone());
            at += 1;
            continue;
        }
        at += MARK.len();
        let mut depth = 0;
        while at < tokens.len() {
            let token = tokens[at].as_str();
            depth += i32::from("{([".contains(token)) - i32::from("})]".contains(token));
            at += 1;
            if depth == 0 && (token == ";" || token == "}") {
                break;
            }
        }
    }
    kept
}
