//! Names for files that are made from a user's words. A name that one system refuses, or gives to a
//! device or to another file, is refused on every system, so that folders can be carried between
//! them.

/// Names that Windows gives to devices, whatever their ending: `aux.txt` is the auxiliary device.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];

/// Why a file or folder cannot have this name on every system; `None` if it can.
///
/// ```
/// use quintain_core::file_name_problem;
/// assert_eq!(file_name_problem("my-bot"), None);
/// assert!(file_name_problem("aux.txt").is_some());
/// ```
pub fn file_name_problem(name: &str) -> Option<&'static str> {
    const FORBIDDEN: [char; 9] = ['<', '>', ':', '"', '/', '\\', '|', '?', '*'];
    if name.is_empty() || name == "." || name == ".." {
        return Some("it names no file");
    }
    if name.contains(|letter: char| letter.is_control() || FORBIDDEN.contains(&letter)) {
        return Some(
            "it contains a character that Windows allows in no file name: < > : \" / \\ | ? *",
        );
    }
    if name.ends_with(['.', ' ']) {
        return Some("it ends in a dot or a space, which Windows strips from file names");
    }
    is_device(name).then_some("Windows keeps this name for a device")
}

/// Whether Windows takes this name for a device.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).trim_end().to_lowercase();
    let is_port = |kind| {
        let number = stem.strip_prefix(kind).and_then(|rest| {
            let mut signs = rest.chars();
            signs.next().filter(|_| signs.next().is_none())
        });
        number.is_some_and(|sign| sign.is_ascii_digit() || "¹²³".contains(sign))
    };
    DEVICES.contains(&stem.as_str()) || is_port("com") || is_port("lpt")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_windows_refuses_or_changes_are_refused_everywhere() {
        for name in [
            "CON",
            "con",
            "aux.txt",
            "NUL.tar.gz",
            "com1",
            "LPT9.log",
            "com¹",
            "prn ",
            "a.",
            "a ",
            "a:b",
            "a\\b",
            "a/b",
            "who?",
            "a*",
            "\"a\"",
            "tab\t",
            "",
            ".",
            "..",
            "CONOUT$",
        ] {
            assert!(file_name_problem(name).is_some(), "{name:?}");
        }
        for name in ["console", "auxiliary", "com", "com10", "null", "a.b", ".git", "ä", "lpt1x"] {
            assert_eq!(file_name_problem(name), None, "{name:?}");
        }
    }
}
