//! What a program may use: time, memory, output, processes, files. These are plain figures with
//! their text forms; [`crate::sandbox`] and [`crate::process`] enforce them.

use std::fmt;
use std::marker::PhantomData;
use std::num::NonZeroU32;
use std::str::FromStr;
use std::time::Duration;

use quintain_core::{DurationError, format_duration, parse_duration};
use serde::{Deserialize, Serialize};

/// The most files that all processes of a program may wait for (`epoll`). The kernel allows each
/// user so many, whoever's program waits for them. The limit of open files does not bound this: one
/// file is waited for again under each number that it is given.
pub(crate) const MOST_WATCHES: u64 = 1024;

/// The most timers that are files (`timerfd`) of all processes of a program together. The kernel
/// serves them while the program is stopped, on the cores of whoever plays then; each can wake
/// everything that waits for it.
pub(crate) const MOST_TIMERS: u64 = 64;

/// The limits of one program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Wall time from its start to its answer to `hello`.
    #[serde(deserialize_with = "some_time")]
    pub start: Time,
    /// Wall time for an answer, where the match sets no limit.
    #[serde(deserialize_with = "some_time")]
    pub answer: Time,
    /// Wall time for the first answer of a match, if this is more than for the others.
    pub first_answer: Time,
    /// Time for all its answers in one match. Processor time is limited anyway; this bounds what a
    /// program that sleeps can hold up.
    #[serde(rename = "match")]
    pub per_match: Time,
    /// Processor time of all its processes together, from start to end.
    #[serde(deserialize_with = "some_time")]
    pub cpu: Time,
    /// The number of cores that it may compute on at once: its answers may take that many times
    /// their time limit in processor time.
    pub cores: NonZeroU32,
    /// Resident memory of all its processes together.
    pub memory: Size,
    /// The size of its scratch folder, and of each file in it.
    pub scratch: Size,
    /// The longest line that it may write.
    pub line: Size,
    /// What it may write in one match to standard output, and the same again to standard error.
    pub output: Size,
    /// The number of processes and threads at any one time.
    pub processes: u32,
    /// The number of files that each process may have open.
    pub files: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            start: Time(Duration::from_secs(10)),
            answer: Time(Duration::from_secs(5)),
            first_answer: Time(Duration::ZERO),
            per_match: Time(Duration::from_secs(3600)),
            cpu: Time(Duration::from_secs(3600)),
            cores: NonZeroU32::MIN,
            memory: Size(512 << 20),
            scratch: Size(64 << 20),
            line: Size(1 << 20),
            output: Size(16 << 20),
            processes: 64,
            files: 256,
        }
    }
}

/// Reads a limit on time: without any time, no program could answer.
pub(crate) fn some_time<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Time, D::Error> {
    let time = Time::deserialize(from)?;
    match time.0.is_zero() {
        false => Ok(time),
        true => Err(serde::de::Error::custom(
            "a limit of no time lets no program answer; expected a time such as 40ms or 10s",
        )),
    }
}

/// Reads a figure with its unit, from text.
fn read_text<'de, D, T>(from: D, example: &'static str) -> Result<T, D::Error>
where
    D: serde::Deserializer<'de>,
    T: FromStr<Err: fmt::Display>,
{
    struct Text<T>(&'static str, PhantomData<T>);
    impl<T: FromStr<Err: fmt::Display>> serde::de::Visitor<'_> for Text<T> {
        type Value = T;
        fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
            to.write_str(self.0)
        }
        fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<T, E> {
            text.parse().map_err(E::custom)
        }
    }
    from.deserialize_str(Text(example, PhantomData))
}

/// A number of bytes; as text `64kB`, `512MB`, `2GB` (powers of 1024).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(into = "String")]
pub struct Size(pub u64);

/// A time; as text a number and a unit, such as `40ms`, `10s`, `1.5min`
/// ([`quintain_core::parse_duration`]).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(into = "String")]
pub struct Time(pub Duration);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [("GB", 30), ("MB", 20), ("kB", 10)];
        match units.iter().find(|(_, bits)| self.0 > 0 && self.0.is_multiple_of(1 << bits)) {
            Some((unit, bits)) => write!(f, "{}{unit}", self.0 >> bits),
            None => write!(f, "{}B", self.0),
        }
    }
}

/// A text that is not a size.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("“{0}” is not a size such as 64kB, 512MB or 2GB")]
pub struct SizeError(String);

impl FromStr for Size {
    type Err = SizeError;

    fn from_str(text: &str) -> Result<Self, SizeError> {
        let bad = || SizeError(text.to_owned());
        let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let count: u64 = text[..digits].parse().map_err(|_| bad())?;
        let unit: u64 = match text[digits..].trim() {
            "B" => 1,
            "kB" | "KB" => 1 << 10,
            "MB" => 1 << 20,
            "GB" => 1 << 30,
            _ => return Err(bad()),
        };
        count.checked_mul(unit).map(Size).ok_or_else(bad)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format_duration(self.0))
    }
}

impl FromStr for Time {
    type Err = DurationError;

    fn from_str(text: &str) -> Result<Self, DurationError> {
        parse_duration(text).map(Time)
    }
}

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Size, D::Error> {
        read_text(from, "a size with its unit, such as \"64kB\" or \"512MB\"")
    }
}

impl From<Size> for String {
    fn from(size: Size) -> String {
        size.to_string()
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Time, D::Error> {
        read_text(from, "a time with its unit, such as \"40ms\" or \"10s\"")
    }
}

impl From<Time> for String {
    fn from(time: Time) -> String {
        time.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sizes_and_times_parse_what_they_print(count in 0u64..1 << 40) {
            let size = Size(count);
            prop_assert_eq!(size.to_string().parse(), Ok(size));
            let time = Time(Duration::from_millis(count));
            prop_assert_eq!(time.to_string().parse(), Ok(time));
        }
    }

    #[test]
    fn a_figure_without_its_unit_is_refused_with_an_example() {
        for (text, expected) in [
            ("memory = 512", "integer `512`, expected a size with its unit, such as \"64kB\""),
            ("answer = 2", "integer `2`, expected a time with its unit, such as \"40ms\""),
        ] {
            let refused = toml::from_str::<Limits>(text).unwrap_err().to_string();
            assert!(refused.contains(expected), "{refused}");
        }
    }

    #[test]
    fn a_limit_of_no_time_is_refused() {
        for key in ["start", "answer", "cpu"] {
            let refused = toml::from_str::<Limits>(&format!("{key} = \"0s\"")).unwrap_err();
            assert!(refused.to_string().contains("lets no program answer"), "{refused}");
        }
        // No more for the first answer than for the others.
        assert!(toml::from_str::<Limits>("first_answer = \"0s\"").is_ok());
    }

    #[test]
    fn broken_sizes_and_times_are_explained() {
        assert!("12".parse::<Size>().unwrap_err().to_string().contains("64kB"));
        assert!("99999999999GB".parse::<Size>().unwrap_err().to_string().contains("not a size"));
        assert!("soon".parse::<Time>().unwrap_err().to_string().contains("40ms"));
    }
}
