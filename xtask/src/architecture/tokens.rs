//! Rust's source as words and signs, without comments, texts and code of tests.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Returns the words and signs of a source file; `::` is one sign.
///
/// # Errors
/// If the text is no Rust.
pub fn tokens(source: &str) -> Result<Vec<String>, String> {
    let stream: TokenStream =
        source.parse().map_err(|error: proc_macro2::LexError| error.to_string())?;
    let mut found = Vec::new();
    flatten(stream, &mut found);
    Ok(found)
}

fn flatten(stream: TokenStream, found: &mut Vec<String>) {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    let mut at = 0;
    while at < trees.len() {
        if marks_tests(&trees[at..]) {
            at = end_of_item(&trees, at + 2);
            continue;
        }
        match &trees[at] {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                found.push(open.to_owned());
                flatten(group.stream(), found);
                found.push(close.to_owned());
            }
            TokenTree::Ident(word) => found.push(word.to_string()),
            TokenTree::Literal(_) => {}
            TokenTree::Punct(sign) => {
                let next = trees.get(at + 1).map(ToString::to_string);
                if sign.as_char() == ':' && next.as_deref() == Some(":") {
                    found.push("::".to_owned());
                    at += 1;
                } else {
                    found.push(sign.to_string());
                }
            }
        }
        at += 1;
    }
}

/// Returns whether these tokens begin with `#[cfg(test)]`, or demand more than that.
fn marks_tests(trees: &[TokenTree]) -> bool {
    let [TokenTree::Punct(hash), TokenTree::Group(attribute), ..] = trees else { return false };
    let text: String = attribute.stream().to_string().split_whitespace().collect();
    hash.as_char() == '#' && (text == "cfg(test)" || text.starts_with("cfg(all(test,"))
}

/// Returns where the item that begins at `at` ends: after its braces, or its semicolon.
fn end_of_item(trees: &[TokenTree], mut at: usize) -> usize {
    while at < trees.len() {
        at += 1;
        match &trees[at - 1] {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => break,
            TokenTree::Punct(sign) if sign.as_char() == ';' => break,
            _ => {}
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::tokens;

    #[test]
    fn comments_texts_and_tests_are_left_out() {
        let source = "use a::b; /* crate::c */ // d\n#[cfg(test)] mod tests { use e; }\n\
                      #[cfg(all(test, unix))] use j;
                      fn f() { \"crate::g\"; h!(crate::i) }";
        let expected = "use a :: b ; fn f ( ) { ; h ! ( crate :: i ) }";
        assert_eq!(tokens(source).unwrap().join(" "), expected);
    }
}
