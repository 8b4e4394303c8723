//! A program that plays no match but runs once to its end, under the same limits and in the same
//! sandbox: what builds another program, say. It is told nothing; what it writes is its result.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::bot::Bot;
use crate::process::LineError;
use crate::sandbox::ProgramEnd;

/// How long a job that has closed its output may take to end.
const FAREWELL: Duration = Duration::from_secs(2);

/// What came of a job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobEnd {
    /// What it wrote to standard output, if all of it came within its limits and it ended well.
    pub output: Result<String, String>,
    /// What it wrote to standard error; of much, the beginning and the end.
    pub said: String,
}

impl Bot {
    /// Runs the program to its end, within `time` of its clock; `stop` ends it earlier. With `pairs`
    /// it may make sockets that are connected to each other, which Java's and Rust's compilers need;
    /// they lead nowhere else, but their buffers are memory that the program's limit does not count.
    ///
    /// # Errors
    /// What the system says if it cannot be started.
    pub fn run_to_end(
        &self,
        time: Duration,
        pairs: bool,
        stop: Option<Arc<AtomicBool>>,
    ) -> Result<JobEnd, String> {
        let mut process = self.run_job(pairs).map_err(|fault| fault.to_string())?;
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
                Err(format!("{ended}; its scratch folder is full"))
            }
            (Err(LineError::Late), ProgramEnd::Stopped) => {
                Err(format!("it took longer than {} s", time.as_secs_f64()))
            }
            (Err(LineError::Long | LineError::Flood), ProgramEnd::Stopped) => {
                Err("it wrote more than it may".to_owned())
            }
            _ => Err(ended),
        };
        Ok(JobEnd { output, said: report.log.unwrap_or_default() })
    }
}
