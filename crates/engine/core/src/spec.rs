//! The text form of players and scenarios: `path?key=value&key=value`. This module knows only the
//! form; the [`crate::Catalog`] knows which paths and keys exist.

use std::fmt;
use std::str::FromStr;

use crate::text_error::from_text;

/// A name with arguments.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Spec {
    /// What is named.
    pub path: String,
    /// Its arguments, in the order written.
    pub arguments: Vec<(String, String)>,
}

/// Why a text is not of the form `path?key=value`.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct SpecSyntaxError(String);

from_text!(SpecSyntaxError);

impl FromStr for Spec {
    type Err = SpecSyntaxError;

    fn from_str(text: &str) -> Result<Self, SpecSyntaxError> {
        let (path, rest) = text.trim().split_once('?').unwrap_or((text.trim(), ""));
        // Whitespace at the end of a text is trimmed, and each of these parts may end the printed
        // text.
        let path = path.trim_end();
        if path.is_empty() {
            return Err(SpecSyntaxError::from(format!(
                "“{text}” names nothing; write name or name?key=value"
            )));
        }
        let mut arguments: Vec<(String, String)> = Vec::new();
        for part in rest.split('&').map(str::trim_end).filter(|part| !part.is_empty()) {
            let Some((key, value)) = part.split_once('=') else {
                return Err(SpecSyntaxError::from(format!(
                    "“{text}”: “{part}” has no =; write {part}=VALUE"
                )));
            };
            if arguments.iter().any(|(known, _)| known == key) {
                return Err(SpecSyntaxError::from(format!("“{text}”: “{key}” is set twice")));
            }
            arguments.push((key.to_owned(), value.to_owned()));
        }
        Ok(Spec { path: path.to_owned(), arguments })
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)?;
        for (index, (key, value)) in self.arguments.iter().enumerate() {
            write!(f, "{}{key}={value}", if index == 0 { '?' } else { '&' })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_spec_reads_back_what_it_prints(
            path in "[a-z/:]{1,8}",
            keys in proptest::collection::hash_set("[a-z]{1,6}", 0..4),
            value in "[a-z0-9.,/=]{0,6}",
        ) {
            let arguments = keys.into_iter().map(|key| (key, value.clone())).collect();
            let spec = Spec { path, arguments };
            prop_assert_eq!(spec.to_string().parse::<Spec>().unwrap(), spec);
        }

        #[test]
        fn no_text_makes_the_parser_panic(text in ".{0,40}") {
            let _ = text.parse::<Spec>();
        }
    }

    #[test]
    fn trailing_space_is_dropped() {
        for text in ["a\n?", "a ?b=1", "a?b=1 &", "a?b=1\t&c=2\n", " a?&\n&"] {
            let spec: Spec = text.parse().unwrap();
            assert_eq!(spec.to_string().parse::<Spec>().unwrap(), spec, "{text:?}");
        }
        assert!("\n?b=1".parse::<Spec>().is_err());
    }

    #[test]
    fn syntax_errors_name_the_mistake() {
        let error_of = |text: &str| text.parse::<Spec>().unwrap_err().to_string();
        assert!(error_of("?depth=3").contains("names nothing"));
        assert!(error_of("uct?depth").contains("depth=VALUE"));
        assert!(error_of("uct?c=1&c=2").contains("set twice"));
    }
}
