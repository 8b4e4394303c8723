//! Arguments that cannot be read, told in one line like everything else that is wrong;
//! and numbers among them, refused in plain words. What the arguments are is not known here.

use std::process::ExitCode;
use std::str::FromStr;

use clap::error::ErrorKind;

use crate::failure;

/// Shows the help that was asked for, or tells what is wrong; gives the exit status.
pub(crate) fn exit_code(error: &clap::Error) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayVersion
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            // Nobody is left to hear of a pipe that is closed.
            let _ = error.print();
        }
        _ => failure::tell(&in_one_line(&error.render().to_string())),
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// What clap says in paragraphs: the problem, then what was probably meant or, without
/// an idea of that, the usage.
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
    let meant = rest.iter().find(|words| words.starts_with("tip: a similar"));
    let usage = rest.iter().find(|words| words.starts_with("Usage: "));
    match (meant.and_then(|words| words.strip_prefix("tip: ")), usage) {
        (Some(meant), _) => line + "; " + meant,
        (None, Some(usage)) => line + "; usage: " + usage.trim_start_matches("Usage: "),
        (None, None) => line,
    }
}

/// A whole number, 0 included.
pub(crate) fn whole<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| "expected a whole number from 0 to 18446744073709551615".to_owned())
}

/// A whole number, 0 excluded.
pub(crate) fn positive<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| "expected a whole number from 1".to_owned())
}

/// A time in seconds, more than none.
pub(crate) fn seconds(text: &str) -> Result<f64, String> {
    let read = text.parse().ok().filter(|seconds: &f64| seconds.is_finite() && *seconds > 0.0);
    read.ok_or_else(|| "expected a number of seconds above 0".to_owned())
}

/// A number above 0.
pub(crate) fn above_zero(text: &str) -> Result<f64, String> {
    let read = text.parse().ok().filter(|number: &f64| number.is_finite() && *number > 0.0);
    read.ok_or_else(|| "expected a number above 0".to_owned())
}

/// The chance of something that is neither certain nor impossible.
pub(crate) fn chance(text: &str) -> Result<f64, String> {
    let read = text.parse().ok().filter(|chance: &f64| *chance > 0.0 && *chance < 1.0);
    read.ok_or_else(|| "expected a number above 0 and below 1".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cli;
    use clap::Parser;

    fn said(arguments: &[&str]) -> String {
        let arguments = std::iter::once("quintain").chain(arguments.iter().copied());
        let error = Cli::try_parse_from(arguments).map(|_| ()).unwrap_err();
        in_one_line(&error.render().to_string())
    }

    #[test]
    fn whatever_is_wrong_with_the_arguments_is_one_line() {
        assert_eq!(
            said(&["replay"]),
            "the following required arguments were not provided: <RECORD>; \
             usage: quintain replay <RECORD>"
        );
        assert_eq!(
            said(&["tornament"]),
            "unrecognized subcommand 'tornament'; a similar subcommand exists: 'tournament'"
        );
        assert_eq!(
            said(&["standings", "--format", "xml"]),
            "invalid value 'xml' for '--format <FORMAT>' [possible values: table, json, csv, md]"
        );
        assert_eq!(
            said(&["match", "tron", "--frobnicate"]),
            "unexpected argument '--frobnicate' found; usage: quintain match <GAME> [PLAYERS]..."
        );
    }

    #[test]
    fn a_number_out_of_range_is_told_what_was_expected() {
        for number in ["-1", "1.5", "x", "18446744073709551616"] {
            assert_eq!(
                said(&["match", "tron", "--seed", number]),
                format!(
                    "invalid value '{number}' for '--seed <SEED>': \
                     expected a whole number from 0 to 18446744073709551615"
                )
            );
        }
        assert!(said(&["tournament", "x.toml", "--threads", "0"]).ends_with("number from 1"));
        for time in ["abc", "-1", "0", "nan", "inf"] {
            let said = said(&["solve", "polymer", "x", "--time", time]);
            assert!(said.ends_with("expected a number of seconds above 0"), "{said}");
        }
        assert!(said(&["replay", "x", "--turn", "-2"]).contains("expected a whole number"));
    }
}
