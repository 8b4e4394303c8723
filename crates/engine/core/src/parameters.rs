//! Parameters of players and scenarios, from one definition. The struct that
//! [`parameters!`](crate::parameters!) declares is what the code reads, what the text form
//! `name?key=value` sets, and what the documentation prints.

use std::fmt::Display;
use std::ops::RangeInclusive;

use serde::Serialize;

use crate::spec::Spec;
use crate::suggest::did_you_mean;
use crate::text_error::from_text;

/// One declared parameter, as documentation and tuners see it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ParameterInfo {
    /// Its name in the text form.
    pub name: &'static str,
    /// What it means.
    pub doc: String,
    /// What kind of value it takes.
    pub kind: Kind,
    /// Its default value.
    pub default: String,
    /// The least and greatest value, for numbers with limits.
    pub range: Option<(String, String)>,
}

/// The kind of a parameter's value.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A whole number.
    Integer,
    /// A real number.
    Real,
    /// `true` or `false`.
    Flag,
    /// One of these words.
    Choice(Vec<&'static str>),
    /// Any text without `&`.
    Text,
}

/// What a parameter of some type takes, for a text that is not valid: `a whole number`.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Expected(String);

from_text!(Expected);

/// The reason why a parameter cannot be set.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// There is no parameter of that name; the text suggests one.
    #[error("{0}")]
    Unknown(String),
    /// The value does not fit.
    #[error("parameter {name}={value}: expected {expected}")]
    Value {
        /// The parameter.
        name: String,
        /// The refused text.
        value: String,
        /// What would be accepted.
        expected: String,
    },
}

/// A set of parameters; implement it with [`parameters!`](crate::parameters!).
pub trait Parameters: Default + Clone + Send + Sync + 'static {
    /// What can be set, in order.
    fn list() -> Vec<ParameterInfo>;

    /// Sets one parameter from its text.
    ///
    /// # Errors
    /// If the name is unknown, or the value is of the wrong kind or out of range.
    fn set(&mut self, name: &str, value: &str) -> Result<(), ParameterError>;

    /// The parameters that differ from their defaults, as text, in order.
    fn overrides(&self) -> Vec<(&'static str, String)>;

    /// The defaults with a spec's arguments set.
    ///
    /// # Errors
    /// As [`Parameters::set`].
    fn from_arguments(arguments: &[(String, String)]) -> Result<Self, ParameterError> {
        let mut parameters = Self::default();
        for (name, value) in arguments {
            parameters.set(name, value)?;
        }
        Ok(parameters)
    }

    /// The canonical text: `path` with all parameters that differ from their defaults.
    fn spec(&self, path: &str) -> Spec {
        let changed = self.overrides().into_iter();
        Spec {
            path: path.to_owned(),
            arguments: changed.map(|(name, value)| (name.to_owned(), value)).collect(),
        }
    }
}

/// No parameters at all.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NoParameters;

impl Parameters for NoParameters {
    fn list() -> Vec<ParameterInfo> {
        Vec::new()
    }

    fn set(&mut self, name: &str, _value: &str) -> Result<(), ParameterError> {
        Err(unknown_parameter(name, &[]))
    }

    fn overrides(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}

/// A type that a parameter can have.
pub trait Value: Sized + PartialEq + Clone {
    /// What kind of value this is.
    fn kind() -> Kind;
    /// Reads the text form.
    ///
    /// # Errors
    /// [`Expected`], which says what was expected, if the text is not such a value.
    fn read(text: &str) -> Result<Self, Expected>;
    /// The text form.
    fn write(&self) -> String;
}

macro_rules! number_value {
    ($($type:ty => $kind:ident, $expected:literal;)*) => {$(
        impl Value for $type {
            fn kind() -> Kind {
                Kind::$kind
            }
            fn read(text: &str) -> Result<Self, Expected> {
                text.parse().map_err(|_| $expected.into())
            }
            fn write(&self) -> String {
                self.to_string()
            }
        }
    )*};
}

number_value! {
    u8 => Integer, "a whole number";
    u16 => Integer, "a whole number";
    u32 => Integer, "a whole number";
    u64 => Integer, "a whole number";
    usize => Integer, "a whole number";
    i32 => Integer, "a whole number";
    i64 => Integer, "a whole number";
    bool => Flag, "true or false";
}

impl Value for f64 {
    fn kind() -> Kind {
        Kind::Real
    }
    fn read(text: &str) -> Result<Self, Expected> {
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err("a number".into()),
        }
    }
    fn write(&self) -> String {
        self.to_string()
    }
}

impl Value for String {
    fn kind() -> Kind {
        Kind::Text
    }
    fn read(text: &str) -> Result<Self, Expected> {
        Ok(text.to_owned())
    }
    fn write(&self) -> String {
        self.clone()
    }
}

/// The error for a name that is not declared. Called by [`parameters!`](crate::parameters!).
pub fn unknown_parameter(name: &str, known: &[&'static str]) -> ParameterError {
    if known.is_empty() {
        return ParameterError::Unknown(format!("unknown parameter “{name}”; it takes none"));
    }
    ParameterError::Unknown(did_you_mean("parameter", name, known.iter().copied()))
}

/// The documentation of a parameter. Called by [`parameters!`](crate::parameters!), which would
/// otherwise expand to all of this code for each of hundreds of parameters.
#[inline(never)]
pub fn describe_parameter<T: Value + Display>(
    name: &'static str,
    doc: &str,
    default: &T,
    range: Option<&RangeInclusive<T>>,
) -> ParameterInfo {
    let lines: Vec<&str> = doc.lines().map(str::trim).collect();
    ParameterInfo {
        name,
        doc: lines.join(" ").trim().to_owned(),
        kind: T::kind(),
        default: default.write(),
        range: range.map(|range| (range.start().to_string(), range.end().to_string())),
    }
}

/// Reads one value and checks its range. Called by [`parameters!`](crate::parameters!).
///
/// # Errors
/// If the text is of the wrong kind or the value is out of range.
pub fn read_value<T: Value + PartialOrd + Display>(
    name: &str,
    text: &str,
    range: Option<&RangeInclusive<T>>,
) -> Result<T, ParameterError> {
    let refuse = |expected: String| ParameterError::Value {
        name: name.to_owned(),
        value: text.to_owned(),
        expected,
    };
    let value = T::read(text).map_err(|expected| {
        let mut expected = match range {
            Some(range) => format!("{expected} from {} to {}", range.start(), range.end()),
            None => expected.to_string(),
        };
        if is_list::<T>(text) {
            expected.push_str("; parameters are separated by “&”");
        }
        refuse(expected)
    })?;
    match range {
        Some(range) if !range.contains(&value) => {
            Err(refuse(format!("from {} to {}", range.start(), range.end())))
        }
        _ => Ok(value),
    }
}

/// Whether the text is a value and, after a comma or the like, another parameter.
fn is_list<T: Value>(text: &str) -> bool {
    let parts = text.split_once([',', ';', ' ']);
    parts.is_some_and(|(value, rest)| rest.contains('=') && T::read(value).is_ok())
}

/// Declares a struct of parameters, with the documentation, name, type, default and range of each.
///
/// ```
/// quintain_core::parameters! {
///     /// A player that looks ahead.
///     pub struct Lookahead {
///         /// Turns to look ahead.
///         depth: u32 = 3, in 1..=16;
///         /// Weight of what the rival gains.
///         fear: f64 = 1.0;
///     }
/// }
/// use quintain_core::Parameters;
/// let parameters = Lookahead::from_arguments(&[("depth".into(), "5".into())]).unwrap();
/// assert_eq!(parameters.depth, 5);
/// assert_eq!(parameters.spec("lookahead").to_string(), "lookahead?depth=5");
/// ```
#[macro_export]
macro_rules! parameters {
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $struct:ident {
            $(
                $(#[doc = $doc:literal])*
                $name:ident : $type:ty = $default:expr $(, in $range:expr)? ;
            )*
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, PartialEq, Debug)]
        $visibility struct $struct {
            $( $(#[doc = $doc])* pub $name: $type, )*
        }

        impl Default for $struct {
            fn default() -> Self {
                $struct { $( $name: $default, )* }
            }
        }

        impl $crate::Parameters for $struct {
            fn list() -> Vec<$crate::ParameterInfo> {
                let default = $struct::default();
                vec![ $( $crate::parameters::describe_parameter::<$type>(
                    stringify!($name), concat!($($doc, "\n"),*), &default.$name,
                    $crate::parameters!(@range $($range)?),
                ), )* ]
            }

            fn set(&mut self, name: &str, value: &str) -> Result<(), $crate::ParameterError> {
                match name {
                    $( stringify!($name) => {
                        self.$name = $crate::parameters::read_value::<$type>(
                            name, value, $crate::parameters!(@range $($range)?),
                        )?;
                        Ok(())
                    } )*
                    _ => {
                        let known = [$(stringify!($name)),*];
                        Err($crate::parameters::unknown_parameter(name, &known))
                    }
                }
            }

            fn overrides(&self) -> Vec<(&'static str, String)> {
                let default = $struct::default();
                let mut changed = Vec::new();
                $( if self.$name != default.$name {
                    let value = $crate::parameters::Value::write(&self.$name);
                    changed.push((stringify!($name), value));
                } )*
                changed
            }
        }
    };
    (@range) => { None };
    (@range $range:expr) => { Some(&$range) };
}

/// Declares an enum that a parameter can have as its type, with the word for each choice.
///
/// ```
/// quintain_core::choices! {
///     /// Whom to fear.
///     pub enum Fear {
///         /// Nobody.
///         None = "none",
///         /// The nearest rival.
///         Nearest = "nearest",
///     }
/// }
/// use quintain_core::parameters::Value;
/// assert_eq!(Fear::read("nearest"), Ok(Fear::Nearest));
/// ```
#[macro_export]
macro_rules! choices {
    (
        $(#[$attribute:meta])*
        $visibility:vis enum $enum:ident {
            $( $(#[$choice_attribute:meta])* $choice:ident = $word:literal ),* $(,)?
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Hash, Debug)]
        $visibility enum $enum {
            $( $(#[$choice_attribute])* $choice, )*
        }

        impl ::std::fmt::Display for $enum {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(match self { $( $enum::$choice => $word, )* })
            }
        }

        impl $crate::parameters::Value for $enum {
            fn kind() -> $crate::parameters::Kind {
                $crate::parameters::Kind::Choice(vec![$($word),*])
            }
            fn read(text: &str) -> Result<Self, $crate::Expected> {
                match text {
                    $( $word => Ok($enum::$choice), )*
                    _ => Err(format!("one of {}", [$($word),*].join(", ")).into()),
                }
            }
            fn write(&self) -> String {
                self.to_string()
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    choices! {
        /// A choice.
        enum Colour {
            /// Red.
            Red = "red",
            /// Green.
            Green = "green",
        }
    }

    parameters! {
        /// For the tests below.
        struct Sample {
            /// How deep,
            /// in turns.
            depth: u32 = 3, in 1..=9;
            /// How bold.
            courage: f64 = 0.5, in 0.0..=1.0;
            /// Which colour.
            colour: Colour = Colour::Red;
            /// A name.
            label: String = "plain".to_owned();
        }
    }

    fn set(name: &str, value: &str) -> Result<Sample, ParameterError> {
        Sample::from_arguments(&[(name.to_owned(), value.to_owned())])
    }

    #[test]
    fn parameters_read_back() {
        let sample = set("colour", "green").unwrap();
        assert_eq!(sample.colour, Colour::Green);
        assert_eq!(sample.spec("x").to_string(), "x?colour=green");
        assert_eq!(Sample::default().spec("x").to_string(), "x");
    }

    #[test]
    fn refused_values_name_the_expectation() {
        let error_of = |name, value| set(name, value).unwrap_err().to_string();
        assert_eq!(error_of("depth", "10"), "parameter depth=10: expected from 1 to 9");
        assert_eq!(
            error_of("depth", "deep"),
            "parameter depth=deep: expected a whole number from 1 to 9"
        );
        assert_eq!(
            error_of("depth", "3,colour=red"),
            "parameter depth=3,colour=red: expected a whole number from 1 to 9; parameters are \
             separated by “&”"
        );
        assert_eq!(error_of("colour", "blue"), "parameter colour=blue: expected one of red, green");
        assert_eq!(error_of("dept", "1"), "unknown parameter “dept”; did you mean “depth”?");
        assert!(error_of("courage", "NaN").contains("a number"));
    }

    #[test]
    fn documentation_comes_from_the_declaration() {
        let declared = Sample::list();
        assert_eq!(declared[0].doc, "How deep, in turns.");
        assert_eq!(declared[0].range, Some(("1".to_owned(), "9".to_owned())));
        assert_eq!(declared[2].kind, Kind::Choice(vec!["red", "green"]));
        assert_eq!(declared[3].default, "plain");
    }
}
