//! Errors that are one line of text, for the person whose input is wrong. An implementation of a
//! trait makes one from a string; no code inspects the text.

/// Declares such an error, made from a `String` or a `&str`.
macro_rules! text_error {
    ($(#[$attribute:meta])* pub struct $name:ident;) => {
        $(#[$attribute])*
        #[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
        #[error("{0}")]
        pub struct $name(String);

        impl From<String> for $name {
            fn from(text: String) -> Self {
                $name(text)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                $name(text.to_owned())
            }
        }
    };
}

pub(crate) use text_error;
