//! Failures as the user reads them: one line that begins with `error:`, and an exit status. Nothing
//! else ends the command; a panic is reported as a fault of ours.

use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;

use anstyle::{AnsiColor, Style};
use quintain_arena::compare::CompareError;
use quintain_arena::{RunError, StandingsError, TournamentError};
#[cfg(feature = "programs")]
use quintain_bots::ProgramError;
use quintain_core::{Access, BudgetError, RecordError, SpecError, ToolError, reason};
use quintain_lessons::LessonError;
use quintain_play::{AnalysisError, ExploitError};
use quintain_report::export::ExportError;
use quintain_scene::clean;
use quintain_store::StoreError;

use crate::messages;

/// The reason why a verb ends before its work is done.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The request cannot be fulfilled: unknown names, values out of range, broken files. Status 2.
    #[error("{0}")]
    Usage(String),
    /// The work could not be done, or a check failed. Status 1.
    #[error("{0}")]
    Failed(String),
    /// The reader of our output has closed it. Status 0, without a message.
    #[error("standard output was closed")]
    Closed,
    /// Stopped by the user; the verb has already printed its messages. Status 130.
    #[error("stopped")]
    Stopped,
    /// The command was asked to answer by its status. It has printed everything.
    #[error("status {0}")]
    Answer(u8),
}

/// Returns the failure of a verb that needs a feature this program was built without.
#[cfg(not(all(feature = "fleet", feature = "parquet", feature = "host")))]
pub(crate) fn missing_feature(what: &str, feature: &str) -> Failure {
    Failure::Usage(format!(
        "{what}: this quintain was built without it; cargo install quintain-cli --features \
         {feature} (or cargo build --release --features {feature})"
    ))
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::Closed,
            _ => Failure::Failed(format!(
                "cannot write the output: {}",
                reason(&error, Access::Write)
            )),
        }
    }
}

#[cfg(feature = "programs")]
impl From<ProgramError> for Failure {
    fn from(error: ProgramError) -> Self {
        Failure::Usage(error.to_string())
    }
}

impl From<SpecError> for Failure {
    fn from(error: SpecError) -> Self {
        match error {
            SpecError::Void { ref player, ref fault } => {
                let last = fault.said.iter().rfind(|line| !line.trim().is_empty());
                let last = last.map_or(String::new(), |line| format!(": {}", line.trim()));
                let command = match player.split_once(':') {
                    Some(("bot", _)) => format!("; to see more: quintain bot check {player}"),
                    Some(("exec", command)) => {
                        let command = command.trim_matches('"');
                        format!("; to see more: quintain bot check -- {command}")
                    }
                    _ => String::new(),
                };
                Failure::Failed(format!("{error}{last}{command}"))
            }
            error => Failure::Usage(error.to_string()),
        }
    }
}

impl From<BudgetError> for Failure {
    fn from(error: BudgetError) -> Self {
        Failure::Usage(error.to_string())
    }
}

impl From<RecordError> for Failure {
    fn from(error: RecordError) -> Self {
        Failure::Usage(error.to_string())
    }
}

impl From<AnalysisError> for Failure {
    fn from(error: AnalysisError) -> Self {
        match error {
            AnalysisError::Record(_) | AnalysisError::Refused(_) => {
                Failure::Usage(error.to_string())
            }
            error => Failure::Failed(error.to_string()),
        }
    }
}

impl From<ExploitError> for Failure {
    fn from(error: ExploitError) -> Self {
        match error {
            ExploitError::Game(problem) => Failure::Usage(problem),
            ExploitError::Refused(error) => error.into(),
            ExploitError::Stopped => Failure::Stopped,
            error => Failure::Failed(error.to_string()),
        }
    }
}

impl From<LessonError> for Failure {
    fn from(error: LessonError) -> Self {
        match error {
            LessonError::Record(error) => error.into(),
            LessonError::Refused(error) => error.into(),
            LessonError::Analysis(error) => error.into(),
            error @ (LessonError::Spent { .. } | LessonError::Unseen { .. }) => {
                Failure::Failed(format!("{error}; --nodes N and --time TIME allow more"))
            }
            error => Failure::Failed(error.to_string()),
        }
    }
}

impl From<TournamentError> for Failure {
    fn from(error: TournamentError) -> Self {
        Failure::Usage(error.to_string())
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Open { path, source } => Failure::Failed(format!(
                "{}: the store cannot be opened: {}",
                path.display(),
                reason(&source, Access::Write)
            )),
            StoreError::Missing(_)
            | StoreError::NotAStore { .. }
            | StoreError::Newer { .. }
            | StoreError::UnknownRecord(_)
            | StoreError::AmbiguousRecord { .. }
            | StoreError::UnknownTournament(_)
            | StoreError::UnknownTest(_) => Failure::Usage(error.to_string()),
            _ => Failure::Failed(error.to_string()),
        }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Store(error) => error.into(),
            error => Failure::Failed(error.to_string()),
        }
    }
}

impl From<CompareError> for Failure {
    fn from(error: CompareError) -> Self {
        match error {
            CompareError::Store(error) => error.into(),
            CompareError::Config(problem) => Failure::Usage(problem),
            error => Failure::Failed(error.to_string()),
        }
    }
}

impl From<StandingsError> for Failure {
    fn from(error: StandingsError) -> Self {
        match error {
            StandingsError::Store(error) => error.into(),
            error => Failure::Failed(error.to_string()),
        }
    }
}

impl From<ExportError> for Failure {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Store(error) => error.into(),
            ExportError::Write(error) => error.into(),
            error => Failure::Failed(error.to_string()),
        }
    }
}

impl From<ToolError> for Failure {
    fn from(error: ToolError) -> Self {
        match error {
            ToolError::Usage(problem) => Failure::Usage(problem),
            error => Failure::Failed(error.to_string()),
        }
    }
}

/// Returns the failure for a file that could not be read.
pub(crate) fn cannot_read(path: &Path, error: &io::Error) -> Failure {
    Failure::Failed(format!("cannot read {}: {}", path.display(), reason(error, Access::Read)))
}

pub(crate) fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Failure::Failed(format!("cannot write {}: {}", path.display(), reason(error, Access::Write)))
}

/// Runs the command, prints its failure, and returns the exit status.
pub(crate) fn exit_code(command: impl FnOnce() -> Result<(), Failure>) -> ExitCode {
    static PANIC: Mutex<String> = Mutex::new(String::new());
    // A player's panic becomes an outcome that the match reports; only panics that get here are
    // printed.
    panic::set_hook(Box::new(|info| {
        tracing::debug!("{info}");
        if let Ok(mut last) = PANIC.lock() {
            *last = info.to_string().replace('\n', " ");
        }
    }));
    let failure = match panic::catch_unwind(AssertUnwindSafe(command)) {
        Ok(Ok(())) => return ExitCode::SUCCESS,
        Ok(Err(failure)) => failure,
        Err(_) => {
            let what = PANIC.lock().map(|last| last.clone()).unwrap_or_default();
            print_error(&format!("{what}; this is a bug in quintain: please report it"));
            return ExitCode::FAILURE;
        }
    };
    match failure {
        Failure::Usage(problem) => {
            print_error(&problem);
            ExitCode::from(2)
        }
        Failure::Failed(problem) => {
            print_error(&problem);
            ExitCode::FAILURE
        }
        Failure::Closed => ExitCode::SUCCESS,
        Failure::Stopped => ExitCode::from(130),
        Failure::Answer(status) => ExitCode::from(status),
    }
}

/// The prefix of every error.
const ERROR: &str = "error: ";

/// Prints an error on standard error, as one line unless the terminal is narrower.
pub(crate) fn print_error(problem: &str) {
    let red = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
    let line: Vec<&str> = problem.lines().map(str::trim).collect();
    let message = messages::fit(&format!("{ERROR}{}", clean(&line.join(" "))));
    let rest = message.strip_prefix(ERROR).unwrap_or(&message);
    anstream::eprintln!("{red}{ERROR}{red:#}{rest}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn is_usage(failure: impl Into<Failure>) -> bool {
        matches!(failure.into(), Failure::Usage(_))
    }

    #[test]
    fn mistakes_in_the_command_line_are_usage_errors() {
        let path = || PathBuf::from("quintain.sqlite");
        assert!(is_usage(StoreError::Missing(path())));
        assert!(is_usage(StoreError::UnknownTournament("no such".to_owned())));
        assert!(!is_usage(StoreError::Locked(path())));
        assert!(!is_usage(StoreError::Full(path())));
        assert!(!is_usage(RunError::Store(StoreError::ReadOnly(path()))));
        assert!(!is_usage(StandingsError::Store(StoreError::Locked(path()))));
        assert!(is_usage(ToolError::Usage("no such instance".to_owned())));
        assert!(!is_usage(ToolError::Failed("out of memory".to_owned())));
    }

    #[test]
    fn a_closed_pipe_is_no_failure() {
        let closed = || io::Error::from(io::ErrorKind::BrokenPipe);
        assert!(matches!(Failure::from(closed()), Failure::Closed));
        assert!(matches!(Failure::from(ExportError::Write(closed())), Failure::Closed));
    }

    #[test]
    fn system_errors_have_no_numbers() {
        let full = io::Error::from_raw_os_error(28);
        let text = cannot_write(Path::new("a.svg"), &full).to_string();
        assert_eq!(text, "cannot write a.svg: no space left on device");
        let path = PathBuf::from("quintain.sqlite");
        let source = io::Error::from_raw_os_error(13);
        assert_eq!(
            Failure::from(StoreError::Open { path, source }).to_string(),
            "quintain.sqlite: the store cannot be opened: permission denied"
        );
    }
}
