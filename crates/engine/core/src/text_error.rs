//! Errors that are one line of text, for the person whose input is wrong. An implementation of a
//! trait makes one from a string; no code inspects the text.

/// Makes such an error from a `String` or a `&str`.
macro_rules! from_text {
    ($name:ident) => {
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

pub(crate) use from_text;
