//! Tools: the verbs that a game provides for files (`solve`, `score`, `stats`), declared with their
//! inputs and typed options. How a command line or anything else reads them from a user is handled
//! elsewhere.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::duration::parse_duration_or_seconds;
use crate::files::TextFileError;
use crate::suggest::did_you_mean;
use crate::text_error::from_text;

/// What a tool does, as in `quintain VERB GAME`. Games with the same tool share a verb.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Verb {
    /// The word to write, in lower case.
    pub name: &'static str,
    /// What it does for any game, in a line.
    pub summary: &'static str,
    /// What follows the game in a usage line, such as `<INSTANCE>...`; empty if nothing does.
    pub usage: &'static str,
    /// What a game without this tool lacks: the end of the sentence “GAME has …”.
    pub lack: &'static str,
}

impl Verb {
    /// Plans a whole game from an instance.
    pub const SOLVE: Verb = Verb {
        name: "solve",
        summary: "Plan a whole game from an instance",
        usage: "<INSTANCE>...",
        lack: "no solver",
    };
    /// Scores a solution or a recorded game.
    pub const SCORE: Verb = Verb {
        name: "score",
        summary: "Score a solution or a recorded game",
        usage: "<FILE>...",
        lack: "nothing to score",
    };
}

/// A verb that a game provides for files, with everything a user can tell it.
///
/// ```
/// use std::sync::Arc;
/// use quintain_core::{StoreUse, Tool, ToolOption, ToolRequest, Verb};
///
/// let tool = Tool {
///     verb: Verb { name: "count", summary: "Count to a number", usage: "", lack: "no counter" },
///     summary: "Counts from 1",
///     inputs: None,
///     options: vec![ToolOption::whole("to", "N", 1..=100, "Where to end")],
///     store: StoreUse::None,
///     run: Arc::new(|request| {
///         let to = request.number("to").unwrap_or(3);
///         Ok((1..=to).map(|n: u64| format!("{n}\n")).collect())
///     }),
/// };
/// let request = |to: &str| ToolRequest {
///     options: vec![("to".to_owned(), to.to_owned())],
///     ..ToolRequest::default()
/// };
/// assert_eq!(tool.call(&request("2")).unwrap(), "1\n2\n");
/// let refused = tool.call(&request("many")).unwrap_err();
/// assert_eq!(refused.to_string(), "to=many: expected a whole number from 1 to 100");
/// ```
#[derive(Clone)]
pub struct Tool {
    /// What it is called.
    pub verb: Verb,
    /// What it does for this game, in a line.
    pub summary: &'static str,
    /// The files or names that it works on; none if it takes no inputs.
    pub inputs: Option<ToolInputs>,
    /// Its options, in the order in which they are documented.
    pub options: Vec<ToolOption>,
    /// What it does with the solutions of a store.
    pub store: StoreUse,
    /// Does the work. Call it through [`Tool::call`], which checks the options first.
    pub run: RunTool,
}

/// The work of a [`Tool`]: text for standard output.
pub type RunTool = Arc<dyn Fn(&ToolRequest) -> Result<String, ToolError> + Send + Sync>;

/// The files or names that a tool works on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ToolInputs {
    /// What they are called, in capitals: one name for any number of inputs, or several names for
    /// exactly that many.
    pub value_names: &'static [&'static str],
    /// What they are.
    pub doc: &'static str,
    /// At least one is needed.
    pub required: bool,
    /// They can be given by `-f FILE` instead, as contests do.
    pub file_option: bool,
}

/// What a tool does with the solutions of a store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum StoreUse {
    /// It has nothing to do with them.
    None,
    /// It adds solutions that are better than the known ones, if the user asks for it.
    Add,
    /// It reads them if no inputs are given.
    Read,
}

/// An option of a tool.
#[derive(Clone, PartialEq, Debug)]
pub struct ToolOption {
    /// The name under which the tool reads it, which is also the long name on a command line.
    pub name: &'static str,
    /// Another name for the option, which no help shows.
    pub alias: Option<&'static str>,
    /// The short name on a command line.
    pub short: Option<char>,
    /// What a value is called, in capitals.
    pub value_name: &'static str,
    /// What it does, in a line.
    pub doc: &'static str,
    /// Which values it takes.
    pub kind: ToolOptionKind,
    /// It may be given several times.
    pub repeated: bool,
    /// The tool does nothing without it.
    pub required: bool,
    /// Its values may begin with a hyphen.
    pub hyphens: bool,
}

/// Which values an option takes.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ToolOptionKind {
    /// Any text.
    Text,
    /// A whole number in this range.
    Whole(RangeInclusive<u64>),
    /// A time above 0: with a unit, as in `40ms` or `2min`, or in seconds.
    Duration,
    /// One of these words.
    Choice(&'static [&'static str]),
}

/// The error of a value that an option does not take; contains what it takes.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("expected {0}")]
pub struct ToolOptionError(pub ToolOptionKind);

impl ToolOptionKind {
    /// The longest time that can be given: 115 days.
    const LONGEST: Duration = Duration::from_secs(10_000_000);

    /// Checks a value.
    ///
    /// # Errors
    /// [`ToolOptionError`] if the option does not take it.
    pub fn check(&self, value: &str) -> Result<(), ToolOptionError> {
        let is_fine = match self {
            ToolOptionKind::Text => true,
            ToolOptionKind::Whole(range) => value.parse().is_ok_and(|n: u64| range.contains(&n)),
            ToolOptionKind::Duration => parse_duration_or_seconds(value)
                .is_ok_and(|time| !time.is_zero() && time < Self::LONGEST),
            ToolOptionKind::Choice(words) => words.contains(&value),
        };
        if is_fine { Ok(()) } else { Err(ToolOptionError(self.clone())) }
    }
}

/// What is expected: `a whole number from 1 to 1024`.
impl fmt::Display for ToolOptionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ToolOptionKind::Text => write!(f, "text"),
            ToolOptionKind::Whole(range) => {
                write!(f, "a whole number from {} to {}", range.start(), range.end())
            }
            ToolOptionKind::Duration => {
                write!(f, "a time above 0 such as 40ms, 2min, or 30 for 30 seconds")
            }
            ToolOptionKind::Choice(words) => write!(f, "one of {}", words.join(", ")),
        }
    }
}

impl ToolOption {
    /// An option of any kind, called `--name`.
    pub fn new(
        name: &'static str,
        value_name: &'static str,
        kind: ToolOptionKind,
        doc: &'static str,
    ) -> ToolOption {
        let (alias, short) = (None, None);
        let (repeated, required, hyphens) = (false, false, false);
        ToolOption { name, alias, short, value_name, doc, kind, repeated, required, hyphens }
    }

    /// An option that takes any text.
    pub fn text(name: &'static str, value_name: &'static str, doc: &'static str) -> ToolOption {
        ToolOption::new(name, value_name, ToolOptionKind::Text, doc)
    }

    /// An option that takes a whole number.
    pub fn whole(
        name: &'static str,
        value_name: &'static str,
        range: RangeInclusive<u64>,
        doc: &'static str,
    ) -> ToolOption {
        ToolOption::new(name, value_name, ToolOptionKind::Whole(range), doc)
    }

    /// An option that takes a time.
    pub fn duration(name: &'static str, doc: &'static str) -> ToolOption {
        ToolOption::new(name, "TIME", ToolOptionKind::Duration, doc)
    }

    /// The same option with a short name on a command line.
    #[must_use]
    pub fn with_short(self, short: char) -> ToolOption {
        ToolOption { short: Some(short), ..self }
    }

    /// The same option, also known by another name.
    #[must_use]
    pub fn with_alias(self, alias: &'static str) -> ToolOption {
        ToolOption { alias: Some(alias), ..self }
    }

    /// The same option, which may be given several times.
    #[must_use]
    pub fn with_repetition(self) -> ToolOption {
        ToolOption { repeated: true, ..self }
    }
}

impl Tool {
    /// Does what is requested. Checks first that the tool has these options, that each takes its
    /// value, and that only repeatable options are given more than one value.
    ///
    /// # Errors
    /// If an option is unknown, or its value is not valid, or [`Tool::run`] fails.
    pub fn call(&self, request: &ToolRequest) -> Result<String, ToolError> {
        let mut request = request.clone();
        let mut options: Vec<(String, String)> = Vec::new();
        for (name, value) in std::mem::take(&mut request.options) {
            let option = self.option(&name)?;
            let refuse = |problem: String| Err(ToolError::Usage(problem));
            if let Err(expected) = option.kind.check(&value) {
                return refuse(format!("{name}={value}: {expected}"));
            }
            let name = option.name;
            match options.iter().find(|(known, _)| known == name && !option.repeated) {
                Some((_, first)) if *first == value => {}
                Some((_, first)) => {
                    return refuse(format!("{name} is given twice: {first} and {value}"));
                }
                None => options.push((name.to_owned(), value)),
            }
        }
        (self.run)(&ToolRequest { options, ..request })
    }

    /// The option of this name or alias.
    fn option(&self, name: &str) -> Result<&ToolOption, ToolError> {
        let is_meant = |option: &&ToolOption| option.name == name || option.alias == Some(name);
        self.options.iter().find(is_meant).ok_or_else(|| {
            let known = self.options.iter().map(|option| option.name);
            ToolError::Usage(did_you_mean("setting", name, known))
        })
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool").field("verb", &self.verb.name).finish_non_exhaustive()
    }
}

/// What a user asks of a tool.
#[derive(Clone, Debug, Default)]
pub struct ToolRequest {
    /// Files or names.
    pub inputs: Vec<String>,
    /// Values of options, by [`ToolOption::name`] or alias. [`Tool::call`] refuses two values
    /// of an option that is not repeated.
    pub options: Vec<(String, String)>,
    /// JSON instead of text for people.
    pub json: bool,
    /// Set when the user wants the best result so far at once.
    pub stop: Arc<AtomicBool>,
    /// Where the best solutions are kept, if they are.
    pub keeper: Option<Arc<dyn SolutionStore>>,
}

impl ToolRequest {
    /// Every value that an option was given.
    pub fn texts<'a>(&'a self, name: &'a str) -> impl DoubleEndedIterator<Item = &'a str> {
        self.options.iter().filter(move |(known, _)| known == name).map(|(_, text)| text.as_str())
    }

    /// The value of an option, if it was given.
    pub fn text<'a>(&'a self, name: &'a str) -> Option<&'a str> {
        self.texts(name).next_back()
    }

    /// The value of a numeric option, if it was given. A value that is not such a number reads as
    /// none; [`Tool::call`] refuses those before the work begins.
    pub fn number<T: FromStr>(&self, name: &str) -> Option<T> {
        self.text(name)?.parse().ok()
    }

    /// The value of a time option, if it was given; reads it as [`number`](Self::number) does.
    pub fn duration(&self, name: &str) -> Option<Duration> {
        parse_duration_or_seconds(self.text(name)?).ok()
    }
}

/// Why solutions cannot be kept or read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct SolutionStoreError(String);

from_text!(SolutionStoreError);

/// Keeps the best solution known of each instance of a game.
pub trait SolutionStore: fmt::Debug + Send + Sync {
    /// Keeps a solution if it is better (`gain` is higher) than the known one for its instance.
    /// Returns the gain known before, if there was one.
    ///
    /// # Errors
    /// [`SolutionStoreError`] if it cannot be read or written.
    fn keep(
        &self,
        instance: &str,
        gain: f64,
        solution: &str,
    ) -> Result<Option<f64>, SolutionStoreError>;

    /// All that is kept, by instance.
    ///
    /// # Errors
    /// [`SolutionStoreError`] if it cannot be read.
    fn solutions(&self) -> Result<Vec<(String, String)>, SolutionStoreError>;
}

/// Why a tool failed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ToolError {
    /// The request cannot be met: unknown names, values out of range, broken files.
    #[error("{0}")]
    Usage(String),
    /// The request is fine, but the work could not be done.
    #[error("{0}")]
    Failed(String),
    /// A part of the work was done, and the rest could not be.
    #[error("{problem}")]
    Unfinished {
        /// The result of what was done: text for standard output.
        done: String,
        /// What could not be done, and why.
        problem: String,
    },
}

impl From<SolutionStoreError> for ToolError {
    fn from(error: SolutionStoreError) -> Self {
        ToolError::Failed(error.to_string())
    }
}

impl From<TextFileError> for ToolError {
    fn from(error: TextFileError) -> Self {
        ToolError::Usage(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tool that prints what it is asked.
    fn echo() -> Tool {
        Tool {
            verb: Verb { name: "echo", summary: "Echo", usage: "", lack: "no echo" },
            summary: "Echoes",
            inputs: None,
            options: vec![
                ToolOption::whole("threads", "N", 1..=9, "Threads").with_alias("cores"),
                ToolOption::text("word", "WORD", "A word").with_repetition(),
            ],
            store: StoreUse::None,
            run: Arc::new(|request| Ok(format!("{:?}", request.options))),
        }
    }

    fn answer_to(options: &[(&str, &str)]) -> String {
        let options = options.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        let request = ToolRequest { options, ..ToolRequest::default() };
        echo().call(&request).unwrap_or_else(|error| error.to_string())
    }

    #[test]
    fn an_alias_names_the_same_option() {
        assert_eq!(answer_to(&[("cores", "2")]), r#"[("threads", "2")]"#);
        assert_eq!(answer_to(&[("cores", "0")]), "cores=0: expected a whole number from 1 to 9");
    }

    #[test]
    fn conflicting_values_of_an_option_are_refused() {
        assert_eq!(
            answer_to(&[("threads", "2"), ("cores", "3")]),
            "threads is given twice: 2 and 3"
        );
        assert_eq!(answer_to(&[("cores", "2"), ("threads", "2")]), r#"[("threads", "2")]"#);
        assert_eq!(answer_to(&[("word", "a"), ("word", "b")]), r#"[("word", "a"), ("word", "b")]"#);
    }
}
