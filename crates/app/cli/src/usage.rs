//! Errors in the arguments, printed as one line like all other errors, and the parsers of numbers
//! among the arguments. The arguments themselves are defined elsewhere.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::num::NonZeroU64;
use std::ops::RangeInclusive;
use std::process::ExitCode;
use std::str::FromStr;
use std::time::Duration;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use quintain_core::{closest, parse_duration_or_seconds};

use crate::failure;

/// The priorities that a test may have.
const PRIORITIES: RangeInclusive<i64> = -1000..=1000;
/// The most letters of a person's name.
const MOST_LETTERS: usize = 60;

/// Prints the requested help, or the error; returns the exit status.
pub(crate) fn exit_code(error: &clap::Error) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayVersion
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            // If the pipe is closed, there is no one to print for.
            let _ = error.print();
        }
        _ => failure::print_error(&message(error)),
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// Returns the message about arguments that cannot be understood.
pub(crate) fn message(error: &clap::Error) -> String {
    match error.get(ContextKind::InvalidSubcommand) {
        // A verb that people expect here, but that belongs to the Python package.
        Some(ContextValue::String(verb)) if ["train", "learn"].contains(&verb.as_str()) => {
            format!(
                "unrecognized subcommand '{verb}'; networks are trained in Python: \
                 python -m quintain.train --help"
            )
        }
        #[cfg(not(feature = "host"))]
        Some(ContextValue::String(verb)) if ["host", "submit"].contains(&verb.as_str()) => {
            failure::missing_feature("contests", "host").to_string()
        }
        _ => in_one_line(&error.render().to_string()),
    }
}

/// Joins the paragraphs of clap's message: the problem, and then what was probably meant or, if
/// there is no suggestion, the usage.
fn in_one_line(text: &str) -> String {
    let mut paragraphs = text.split("\n\n").map(|paragraph| {
        let words: Vec<&str> = paragraph.split_whitespace().collect();
        words.join(" ")
    });
    let mut line = paragraphs.next().unwrap_or_default();
    if let Some(problem) = line.strip_prefix("error: ") {
        line = problem.to_owned();
    }
    let rest: Vec<String> = paragraphs.collect();
    let meant = rest.iter().find(|words| {
        ["tip: a similar", "tip: some similar"].iter().any(|tip| words.starts_with(tip))
    });
    let usage = rest.iter().find(|words| words.starts_with("Usage: "));
    match (meant.and_then(|words| words.strip_prefix("tip: ")), usage) {
        (Some(meant), _) => line.clone() + "; " + &nearest(&line, meant),
        (None, Some(usage)) => line + "; usage: " + usage.trim_start_matches("Usage: "),
        (None, None) => line,
    }
}

/// Among the similar names that clap lists, picks those that differ by a typing error, if there are
/// any: clap finds 'store' similar to 'tornament' too.
fn nearest(line: &str, meant: &str) -> String {
    let names = |text: &str| -> Vec<String> {
        text.split('\'').skip(1).step_by(2).map(str::to_owned).collect()
    };
    let wrong = names(line);
    let near = wrong.first().and_then(|wrong| {
        let known = names(meant);
        closest(wrong, known.iter().map(String::as_str)).map(str::to_owned)
    });
    match (near, meant.split_once(" exist")) {
        (Some(name), Some((noun, _))) if noun.starts_with("some ") => {
            format!("did you mean '{name}'?")
        }
        _ => meant.to_owned(),
    }
}

/// Parses a whole number, including 0.
pub(crate) fn whole<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| "expected a whole number from 0 to 18446744073709551615".to_owned())
}

/// Draws a seed that no one can guess, with few enough bits that every language reads it exactly
/// from JSON.
pub(crate) fn draw_seed() -> u64 {
    RandomState::new().build_hasher().finish() >> 11
}

/// Draws a password of letters and digits, with 125 random bits.
pub(crate) fn draw_password() -> Result<String, failure::Failure> {
    const SIGNS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let mut bytes = [0; 25];
    getrandom::fill(&mut bytes)
        .map_err(|error| failure::Failure::Failed(format!("no random numbers: {error}")))?;
    Ok(bytes.iter().map(|byte| char::from(SIGNS[usize::from(byte % 32)])).collect())
}

/// Parses the first of many seeds, leaving numbers for the others.
pub(crate) fn first_seed(text: &str) -> Result<u64, String> {
    let read = text.parse().ok().filter(|seed| *seed <= i64::MAX as u64);
    read.ok_or_else(|| format!("expected a whole number from 0 to {}", i64::MAX))
}

/// Parses a whole number above 0.
pub(crate) fn positive<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| "expected a whole number from 1".to_owned())
}

/// Parses a number of matches that come in pairs.
pub(crate) fn pairs(text: &str) -> Result<NonZeroU64, String> {
    let read = text.parse().ok().filter(|matches: &NonZeroU64| matches.get() > 1);
    read.ok_or_else(|| "expected a whole number from 2, since matches come in pairs".to_owned())
}

/// Parses the name of a person, which lists show.
pub(crate) fn person(text: &str) -> Result<String, String> {
    let name = text.trim();
    let is_legible = !name.is_empty() && name.chars().count() <= MOST_LETTERS;
    let is_legible = is_legible && !name.chars().any(char::is_control);
    is_legible.then(|| name.to_owned()).ok_or_else(|| {
        format!("expected a name of at most {MOST_LETTERS} letters in one line, such as ann")
    })
}

/// Parses a port to listen on.
pub(crate) fn port(text: &str) -> Result<u16, String> {
    text.parse().map_err(|_| format!("expected a whole number from 0 to {}", u16::MAX))
}

/// Parses a time above 0: with a unit, or in seconds.
pub(crate) fn time(text: &str) -> Result<Duration, String> {
    let read = parse_duration_or_seconds(text).ok().filter(|time| !time.is_zero());
    read.ok_or_else(|| {
        "expected a time above 0 such as 40ms, 2min, or 30 for 30 seconds".to_owned()
    })
}

/// Parses the priority of a test.
pub(crate) fn priority(text: &str) -> Result<i64, String> {
    let read = text.parse().ok().filter(|priority| PRIORITIES.contains(priority));
    let (least, most) = (PRIORITIES.start(), PRIORITIES.end());
    read.ok_or_else(|| format!("expected a whole number from {least} to {most}"))
}

/// Parses a number above 0.
pub(crate) fn above_zero(text: &str) -> Result<f64, String> {
    let read = text.parse().ok().filter(|number: &f64| number.is_finite() && *number > 0.0);
    read.ok_or_else(|| "expected a number above 0".to_owned())
}

/// Parses a probability strictly between 0 and 1.
pub(crate) fn probability(text: &str) -> Result<f64, String> {
    let read =
        text.parse().ok().filter(|probability: &f64| *probability > 0.0 && *probability < 1.0);
    read.ok_or_else(|| "expected a number above 0 and below 1".to_owned())
}
