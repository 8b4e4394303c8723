//! Names: the display name that pages show, the plain name in records, and which names are so close
//! that they would be taken for one another.

use quintain_core::{cut, file_name_problem};
use unicode_normalization::UnicodeNormalization;
use unicode_security::skeleton;

/// Maximum number of letters in a name and in a display name.
const MAX_NAME: usize = 32;
pub(crate) const MAX_DISPLAY_NAME: usize = 60;

/// Returns a name for a message, cut if it is longer than any name may be.
pub(crate) fn shortened(name: &str) -> String {
    cut(name, MAX_DISPLAY_NAME)
}

/// Returns a letter of a Latin alphabet without its accents and strokes: `Ł` as `L`.
fn plain_latin(letter: char) -> impl Iterator<Item = char> {
    let is_latin = matches!(letter, '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}');
    let plain = if is_latin { deunicode::deunicode_char(letter) } else { None };
    let same = if plain.is_none() { Some(letter) } else { None };
    plain.unwrap_or_default().chars().chain(same)
}

/// Returns the letters and digits of a name without accents, in small letters.
pub(crate) fn plain_letters(name: &str) -> String {
    let composed = name.nfc().flat_map(plain_latin);
    composed.filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns whether two names differ only by accents, case, spaces and punctuation (usually one
/// person, written in two ways), or look alike in different letters: see Unicode TR 39.
pub(crate) fn is_close(one: &str, other: &str) -> bool {
    // Accents, which a skeleton has as characters of their own, are looked at above. Small and
    // capital letters look like different ones.
    let as_written = |name: &str| -> String {
        let kept = |c: &char| c.is_alphanumeric() || !c.is_ascii() && !c.is_whitespace();
        skeleton(name).filter(kept).flat_map(char::to_lowercase).collect()
    };
    let in_small = |name: &str| as_written(&name.to_lowercase());
    let same = |read: &dyn Fn(&str) -> String| {
        let one = read(one);
        !one.is_empty() && one == read(other)
    };
    same(&plain_letters) || same(&as_written) || same(&in_small)
}

/// Returns whether a name ends like that of a version: `ada.2`, `ada v2`, `ada version 2`.
pub(crate) fn names_version(name: &str) -> bool {
    let name = name.to_lowercase();
    let before = name.trim_end_matches(|c: char| c.is_numeric());
    if before.len() == name.len() || before.is_empty() {
        return false;
    }
    if before.ends_with(['.', '@']) && !before.trim_end_matches(['.', '@']).ends_with(' ') {
        return true;
    }
    let word = before.trim_end_matches([' ', '.', '-', '_']);
    let begins = ["version", "ver", "v"].iter().find_map(|end| word.strip_suffix(end));
    begins.is_some_and(|rest| rest.ends_with([' ', '.', '-', '_', '@']))
}

/// Returns a display name in letters that are allowed in a player's text, a file name and a TOML
/// table.
pub(crate) fn plain_name(display_name: &str) -> String {
    let mut name = String::new();
    for c in deunicode::deunicode(display_name).chars() {
        match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => name.push(c),
            '\'' => {}
            _ if !name.is_empty() && !name.ends_with('-') => name.push('-'),
            _ => {}
        }
    }
    name.truncate(MAX_NAME);
    match name.trim_end_matches('-') {
        "" => "participant".to_owned(),
        // Letters and programs are files of this name, which may be carried to another system.
        name if file_name_problem(name).is_some() => format!("{name}_"),
        name => name.to_owned(),
    }
}

/// Makes a name that reveals nothing, from random digits.
pub(crate) fn make_alias(digits: &str) -> String {
    let number = u32::from_str_radix(&digits[..8], 16).unwrap_or_default();
    format!("P{}", 1000 + number % 9000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_name_can_be_a_file_name() {
        for (display_name, plain) in [
            ("Ada Lovelace", "Ada-Lovelace"),
            ("Émile O'Neill", "Emile-ONeill"),
            ("李", "Li"),
            ("Con", "Con_"),
        ] {
            assert_eq!(plain_name(display_name), plain);
        }
    }

    #[test]
    fn names_that_differ_by_accents_case_and_signs_are_close() {
        for (one, other) in [
            ("Ada Lovelace", "ada-lovelace"),
            ("Ewa Łukasiewicz", "Ewa Lukasiewicz"),
            ("José García", "Jose\u{301} Garcia"),
            ("Ünal", "Unal"),
            ("Søren Weiß", "Soren Weiss"),
        ] {
            assert!(is_close(one, other), "{one} {other}");
        }
        assert!(!is_close("Ada Lovelace", "Ada Lovelace 2"));
    }

    #[test]
    fn names_that_look_alike_in_different_letters_are_close() {
        for (one, other) in [
            ("ada", "\u{430}da"),
            ("BASIC", "basic"),
            ("Bob", "\u{412}ob"),
            ("paypal", "p\u{430}yp\u{430}l"),
            ("Iain", "lain"),
            ("ada", "a\u{1d41d}a"),
        ] {
            assert!(is_close(one, other), "{one} {other}");
        }
        let apart = [
            ("Anna", "Hanna"),
            ("Émile", "Émilie"),
            ("李", "王"),
            ("李", "理"),
            ("李", "Li"),
            ("が", "か"),
            ("Müller", "Mueller"),
        ];
        for (one, other) in apart {
            assert!(!is_close(one, other), "{one} {other}");
        }
    }

    #[test]
    fn no_name_reads_like_a_version() {
        for version in ["ada.2", "ada v2", "Ada V12", "ada version 2", "ada-v2", "ada_v.2", "ada@3"]
        {
            assert!(names_version(version), "{version}");
        }
        for name in ["ada", "Ada 2", "ada2", "Rev2", "Ada Lovelace 2", "2", "R2D2", "St. 2"] {
            assert!(!names_version(name), "{name}");
        }
    }
}
