//! Words of a command that people copy into a shell.

/// A word of a command, quoted for a shell where that is necessary.
pub fn quote(word: &str) -> String {
    let plain = |sign: char| sign.is_ascii_alphanumeric() || "_-./:,=@%+".contains(sign);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_a_quoted_word_as_it_was() {
        assert_eq!(quote("tron/space"), "tron/space");
        assert_eq!(quote("tron/uct?iterations=10"), "'tron/uct?iterations=10'");
        assert_eq!(quote("it's $HOME `x`"), r"'it'\''s $HOME `x`'");
        assert_eq!(quote(""), "''");
    }
}
