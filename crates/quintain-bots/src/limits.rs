//! What a program may use: time, memory, output, processes, files. Plain figures with
//! their text forms; who enforces them is [`crate::sandbox`] and [`crate::process`].

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The limits of one program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Wall time from its start to its first word.
    pub start: Time,
    /// Wall time for an answer, where the match sets none.
    pub answer: Time,
    /// Wall time for the first answer of a match, where that is more.
    pub first_answer: Time,
    /// Processor time of all its processes, from start to end.
    pub cpu: Time,
    /// Resident memory of all its processes together.
    pub memory: Size,
    /// What it may write in its scratch folder.
    pub scratch: Size,
    /// The longest line that it may write.
    pub line: Size,
    /// All that it may write in one match, to standard output and to standard error each.
    pub output: Size,
    /// Processes and threads at one time.
    pub processes: u32,
    /// Open files of one process.
    pub files: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            start: Time(Duration::from_secs(10)),
            answer: Time(Duration::from_secs(5)),
            first_answer: Time(Duration::ZERO),
            cpu: Time(Duration::from_secs(3600)),
            memory: Size(512 << 20),
            scratch: Size(64 << 20),
            line: Size(1 << 20),
            output: Size(16 << 20),
            processes: 64,
            files: 256,
        }
    }
}

/// A number of bytes; in text `64kB`, `512MB`, `2GB` (powers of 1024).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Size(pub u64);

/// A time; in text `40ms`, `10s`, `5min`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
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

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bad = || format!("“{text}” is not a size such as 64kB, 512MB or 2GB");
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
        let millis = self.0.as_millis();
        match millis {
            0 => f.write_str("0s"),
            _ if millis.is_multiple_of(1000) => write!(f, "{}s", millis / 1000),
            _ => write!(f, "{millis}ms"),
        }
    }
}

impl FromStr for Time {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bad = || format!("“{text}” is not a time such as 40ms, 10s or 5min");
        let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let count: u64 = text[..digits].parse().map_err(|_| bad())?;
        let unit: u64 = match text[digits..].trim() {
            "ms" => 1,
            "s" => 1000,
            "min" => 60_000,
            "h" => 3_600_000,
            _ => return Err(bad()),
        };
        count.checked_mul(unit).map(|ms| Time(Duration::from_millis(ms))).ok_or_else(bad)
    }
}

impl TryFrom<String> for Size {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Size> for String {
    fn from(size: Size) -> String {
        size.to_string()
    }
}

impl TryFrom<String> for Time {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
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
        fn sizes_and_times_read_back_what_they_print(count in 0u64..1 << 40) {
            let size = Size(count);
            prop_assert_eq!(size.to_string().parse(), Ok(size));
            let time = Time(Duration::from_millis(count));
            prop_assert_eq!(time.to_string().parse(), Ok(time));
        }
    }

    #[test]
    fn a_broken_size_or_time_says_what_was_expected() {
        assert!("12".parse::<Size>().unwrap_err().contains("64kB"));
        assert!("99999999999GB".parse::<Size>().unwrap_err().contains("not a size"));
        assert!("soon".parse::<Time>().unwrap_err().contains("40ms"));
    }
}
