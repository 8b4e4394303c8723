//! Names the ways in which programs fail: makes faults from the end of a process and from the
//! reason why no line came, worded for the author of the program.

use std::time::Duration;

use quintain_core::{Fault, FaultKind};

use crate::limits::{Limits, MOST_TIMERS, MOST_WATCHES};
use crate::process::{LineError, Process};
use crate::report::{ProgramEnd, ProgramReport};

/// What a match is worth in which a program never begins to play.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Unstarted {
    /// It is void: no record of it is kept, and it is played again once the program starts.
    #[default]
    Void,
    /// The program forfeits it.
    Forfeit,
}

impl Unstarted {
    /// The fault of a program that failed before it began to play.
    pub(crate) fn judge(self, fault: Fault) -> Fault {
        match self {
            Unstarted::Void => fault.never_started(),
            Unstarted::Forfeit => fault,
        }
    }
}

/// What a process was asked that gave no line.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum AwaitedIn {
    /// Whether it is ready: `hello`.
    Hello,
    /// Something in a match.
    Match,
}

/// Ends a process that gave no line, and turns the reason into a fault. What the supervisor reports
/// takes precedence: a program that was killed for its memory also closes its output, and only the
/// former tells its author what to change. Also returns what the process wrote to standard error
/// since that was last taken.
pub(crate) fn end_with_fault(
    why: LineError,
    time: Duration,
    asked: AwaitedIn,
    process: Process,
) -> (Fault, Option<String>) {
    // A process that has closed its output is usually about to end by itself.
    let grace = match why {
        LineError::Closed => Duration::from_millis(50),
        _ => Duration::ZERO,
    };
    let limits = process.limits().clone();
    let ProgramReport { ending, said, log, scratch_full, .. } = process.end(grace);
    let (kind, detail) = match (ending, why) {
        (ending @ ProgramEnd::Memory(_), _) => (
            FaultKind::Memory,
            format!("{ending}; it may take {}", limits.memory.to_string().replace("MB", " MB")),
        ),
        (ending @ ProgramEnd::Watches(_), _) => {
            (FaultKind::Memory, format!("{ending}; it may wait for {MOST_WATCHES}"))
        }
        (ending @ ProgramEnd::Timers(_), _) => {
            (FaultKind::Memory, format!("{ending}; it may have {MOST_TIMERS}"))
        }
        (ending @ ProgramEnd::Processes(_), _) => {
            (FaultKind::Processes, format!("{ending}; it may have {}", limits.processes))
        }
        (ending @ ProgramEnd::Cpu(_), _) => (
            FaultKind::Timeout,
            format!("{ending} in all; it may use {:.2} s", limits.cpu.0.as_secs_f64()),
        ),
        (ending @ ProgramEnd::NotConfined(_), _) => (FaultKind::Arena, ending.to_string()),
        (ending @ ProgramEnd::WentOn, _) => (FaultKind::Timeout, ending.to_string()),
        (_, LineError::Flood) => {
            (FaultKind::Flood, format!("it wrote more than {} in one match", limits.output))
        }
        (_, LineError::Long) => {
            (FaultKind::Flood, format!("it wrote more than {} without a line end", limits.line))
        }
        (_, LineError::Late) => (FaultKind::Timeout, format!("no answer within {time:?}")),
        (_, LineError::Starved(wall)) => return (starved_fault(wall, time), log),
        (ProgramEnd::Stopped, LineError::Closed) => {
            (FaultKind::Crash, "it closed its standard output".to_owned())
        }
        (ending, LineError::Closed) if scratch_full => (
            FaultKind::Crash,
            format!("{ending}; its scratch folder of {} was full", limits.scratch),
        ),
        (ending @ ProgramEnd::Exited(0), LineError::Closed) if asked == AwaitedIn::Hello => {
            (FaultKind::Crash, format!("{ending} before it answered “hello”"))
        }
        (ending @ ProgramEnd::Exited(0), LineError::Closed) => (
            FaultKind::Crash,
            format!("{ending} instead of answering; it must read messages until “bye”"),
        ),
        (ending, LineError::Closed) => (FaultKind::Crash, ending.to_string()),
        (_, LineError::Broken(problem)) => {
            (FaultKind::Crash, format!("its pipe failed: {problem}"))
        }
    };
    (Fault::new(kind, detail).with_output(said), log)
}

/// The time that a program has left for an answer of at most `time`, of all that it has in a match,
/// of which it has used `thought`.
///
/// # Errors
/// The fault of a program that has none left.
pub(crate) fn time_left(
    limits: &Limits,
    thought: Duration,
    time: Duration,
) -> Result<Duration, Fault> {
    let left = limits.per_match.0.saturating_sub(thought).min(time);
    if left.is_zero() && !time.is_zero() {
        return Err(match_time_fault(limits));
    }
    Ok(left)
}

/// The fault of a program that has used up its time for a match.
pub(crate) fn match_time_fault(limits: &Limits) -> Fault {
    let problem = format!("it has used up the {} that it may think in a match", limits.per_match);
    Fault::new(FaultKind::Timeout, problem)
}

/// The fault of the arena where a program got no core in all of this wall time, although its limit
/// of thinking was only `time`.
pub(crate) fn starved_fault(wall: Duration, time: Duration) -> Fault {
    let wall = wall.as_secs_f64();
    let problem = format!(
        "a program waited for a core for most of {wall:.0} s, and did not use up its {time:?} of \
         thinking; play fewer matches at a time (`--threads`)"
    );
    Fault::new(FaultKind::Arena, problem)
}
