//! Errors that are one line of text for the person who wrote what is wrong. Whoever implements
//! a trait makes one from a string; nobody else looks into it.

/// Declares such an error, which a `String` and a `&str` turn into.
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
