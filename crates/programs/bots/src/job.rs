//! A program that plays no match but runs once to its end, under the same limits and in the same
//! sandbox: for example, one that builds another program. It is sent nothing; what it writes is its
//! result.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use quintain_core::Fault;

use crate::bot::Bot;
use crate::faults::starved_fault;
use crate::process::LineError;
use crate::report::ProgramEnd;

/// How long a job that has closed its output may take to end.
const FAREWELL: Duration = Duration::from_secs(2);

/// The result of a job.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct JobEnd {
    /// What it wrote to standard output, if it ended successfully and all of it came within its
    /// limits.
    pub output: Result<String, JobFailure>,
    /// What it wrote to standard error; if that was much, only the beginning and the end.
    pub said: String,
}

/// Why a job has no output.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JobFailure {
    /// It did not end successfully; says how it ended.
    #[error("{0}")]
    Ended(String),
    /// The same, and its scratch folder is full.
    #[error("{0}; its scratch folder is full")]
    ScratchFull(String),
    /// It took longer than this.
    #[error("it took longer than {} s", .0.as_secs_f64())]
    Late(Duration),
    /// It wrote more than it is allowed to.
    #[error("it wrote more than is allowed")]
    TooMuch,
}

impl Bot {
    /// Runs the program to its end, within `time` of its clock; `stop` ends it earlier. With
    /// `pairs` it may create sockets that are connected to each other, which Java's and Rust's
    /// compilers need. Such sockets lead nowhere else, but their buffers are memory that the
    /// program's limit does not count.
    ///
    /// # Errors
    /// The fault, with what the system says, if it cannot be started, or gets no core.
    pub fn run_to_end(
        &self,
        time: Duration,
        pairs: bool,
        stop: Option<Arc<AtomicBool>>,
    ) -> Result<JobEnd, Fault> {
        let mut process = self.run_job(pairs)?;
        process.stop_when(stop);
        process.start_clock();
        process.close_input();
        let read = process.read_to_end(time);
        let grace = if read.is_ok() { FAREWELL } else { Duration::ZERO };
        let report = process.end(grace);
        let ended = report.ending.to_string();
        let output = match (read, report.ending) {
            (Ok(line), ProgramEnd::Exited(0)) => Ok(line.text),
            (_, ProgramEnd::Exited(_)) if report.scratch_full => {
                Err(JobFailure::ScratchFull(ended))
            }
            (Err(LineError::Late), ProgramEnd::Stopped) => Err(JobFailure::Late(time)),
            (Err(LineError::Starved(wall)), ProgramEnd::Stopped) => {
                return Err(starved_fault(wall, time));
            }
            (Err(LineError::Long | LineError::Flood), ProgramEnd::Stopped) => {
                Err(JobFailure::TooMuch)
            }
            _ => Err(JobFailure::Ended(ended)),
        };
        Ok(JobEnd { output, said: report.log.unwrap_or_default() })
    }
}
