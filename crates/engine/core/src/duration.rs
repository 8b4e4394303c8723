//! Durations as text: a number and a unit, such as `40ms`, `2s`, `1.5min`. This is the project's
//! only parser of durations: budgets and the limits of programs use the same grammar.
//!
//! ```text
//! duration := number [spaces] unit
//! number   := ["+"] digits ["." digits]
//! unit     := "us" | "ms" | "s" | "m" | "min" | "h"
//! ```

use std::time::Duration;

/// A text that is not a duration.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("“{0}” is not a time such as 40ms, 2s or 10min")]
pub struct DurationError(String);

/// Parses a duration, in whole microseconds. Finer fractions are rounded, since [`format_duration`]
/// writes none and a record must read back as written.
///
/// ```
/// use std::time::Duration;
/// assert_eq!(quintain_core::parse_duration("1.5min"), Ok(Duration::from_secs(90)));
/// assert!(quintain_core::parse_duration("soon").is_err());
/// ```
///
/// # Errors
/// [`DurationError`] if the number or the unit is missing or malformed, the number is
/// negative, or the duration is longer than [`u64::MAX`] milliseconds.
pub fn parse_duration(text: &str) -> Result<Duration, DurationError> {
    let error = || DurationError(text.trim().to_owned());
    let (number, unit) = split_unit(text);
    let micros_a_unit: u64 = match unit {
        "us" => 1,
        "ms" => 1_000,
        "s" => 1_000_000,
        "m" | "min" => 60_000_000,
        "h" => 3_600_000_000,
        _ => return Err(error()),
    };
    let is_number = |c: char| c.is_ascii_digit() || c == '.';
    let number = number.strip_prefix('+').unwrap_or(number);
    if !number.chars().all(is_number) {
        return Err(error());
    }
    // Whole numbers are exact; a fraction is rounded.
    let micros = match number.parse::<u64>() {
        Ok(count) => u128::from(count) * u128::from(micros_a_unit),
        Err(_) => {
            let count: f64 = number.parse().map_err(|_| error())?;
            (count * micros_a_unit as f64).round() as u128
        }
    };
    let limit = u128::from(u64::MAX) * 1_000;
    if micros > limit {
        return Err(error());
    }
    let (seconds, rest) = (micros / 1_000_000, micros % 1_000_000);
    Ok(Duration::new(seconds as u64, rest as u32 * 1_000))
}

/// Parses a duration from a command line, like [`parse_duration`]; a number without a unit is in
/// seconds.
///
/// ```
/// use std::time::Duration;
/// assert_eq!(quintain_core::parse_duration_or_seconds("90"), Ok(Duration::from_secs(90)));
/// assert_eq!(quintain_core::parse_duration_or_seconds("1.5min"), Ok(Duration::from_secs(90)));
/// ```
///
/// # Errors
/// As [`parse_duration`].
pub fn parse_duration_or_seconds(text: &str) -> Result<Duration, DurationError> {
    match split_unit(text) {
        (number, "") => {
            parse_duration(&format!("{number}s")).map_err(|_| DurationError(text.trim().to_owned()))
        }
        _ => parse_duration(text),
    }
}

/// Splits a duration's text into its number and its unit, and checks neither.
fn split_unit(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    (text[..end].trim_end(), &text[end..])
}

/// Formats a duration in the largest of `s`, `ms` and `us` in which it is whole. Fractions of a
/// microsecond are cut off.
pub fn format_duration(time: Duration) -> String {
    if time.subsec_nanos() == 0 {
        format!("{}s", time.as_secs())
    } else if time.subsec_nanos().is_multiple_of(1_000_000) {
        format!("{}ms", time.as_millis())
    } else {
        format!("{}us", time.as_micros())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn durations_have_any_unit_and_fractions() {
        let micros = |text: &str| parse_duration(text).unwrap().as_micros();
        for (text, wanted) in [
            ("0s", 0),
            ("7us", 7),
            ("1.6us", 2),
            ("40ms", 40_000),
            ("1.5ms", 1_500),
            ("2s", 2_000_000),
            ("0.25s", 250_000),
            (".5s", 500_000),
            ("2m", 120_000_000),
            ("5min", 300_000_000),
            ("1h", 3_600_000_000),
            (" 10 s ", 10_000_000),
            ("+2s", 2_000_000),
            ("040ms", 40_000),
        ] {
            assert_eq!(micros(text), wanted, "{text}");
        }
    }

    #[test]
    fn errors_quote_the_text_and_give_an_example() {
        for text in [
            "", "s", "12", "fast", "-2s", "++2s", "1e3s", "1e9h", "2 0s", "1.2.3s", "infs", "5S",
            "1d",
        ] {
            let message = parse_duration(text).unwrap_err().to_string();
            let quoted = format!("“{text}”");
            assert!(message.contains(&quoted) && message.contains("40ms"), "{message}");
        }
        assert!(parse_duration("99999999999999999999h").is_err(), "longer than u64::MAX ms");
        for text in ["", "-1", "1e3", "s", "soon"] {
            let message = parse_duration_or_seconds(text).unwrap_err().to_string();
            assert!(message.contains(&format!("“{text}”")), "{message}");
        }
    }

    proptest! {
        #[test]
        fn whole_microseconds_read_back_what_they_print(micros in 0u64..1 << 60) {
            let time = Duration::from_micros(micros);
            prop_assert_eq!(parse_duration(&format_duration(time)), Ok(time));
        }
    }
}
