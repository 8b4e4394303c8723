//! A process that speaks the Quintain protocol, from `hello` to `bye`. [`crate::session`] handles
//! what is said in a match, [`crate::bot`] which processes wait for one.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use quintain_core::{Fault, FaultKind};

use crate::faults::{AwaitedIn, end_with_fault};
use crate::process::{LineError, Process};
use crate::report::ProgramReport;
use crate::slips::{Expected, Slip, explain_line, explain_silence};
use quintain_protocol::{FromProgram, NEWEST_PROTOCOL, Ready, ToProgram, quote_line};

/// How long to wait for a program to begin before saying so.
const SILENCE: Duration = Duration::from_secs(3);

/// A process that has answered `hello`.
pub(crate) struct Connection {
    pub(crate) process: Process,
    /// The program's answer to `hello`.
    pub(crate) ready: Ready,
    /// How long the answer took, with the process's start.
    pub(crate) ready_in: Duration,
    /// The number of matches that this process has begun.
    pub(crate) matches: u64,
}

impl Connection {
    /// Greets a new process of the program `name`, started at `begun`, which must answer within
    /// `time`.
    ///
    /// # Errors
    /// The fault of a program that does not answer, or not with `ready`, and what it meant.
    pub(crate) fn open(
        name: &str,
        mut process: Process,
        begun: Instant,
        time: Duration,
    ) -> Result<Connection, (Fault, Option<Slip>)> {
        let hello = ToProgram::hello().line();
        let asked = warn_if_slow(name, time, || process.ask(hello.as_bytes(), time));
        let line = match asked {
            Ok(line) => line,
            Err(why) => {
                let slip = (why == LineError::Late).then(|| {
                    explain_silence(&process.partial_line(), process.has_computed(time / 2))
                });
                let is_late = why == LineError::Late;
                let mut fault = end_with_fault(why, time, AwaitedIn::Hello, process).0;
                if is_late {
                    // This limit is not that of an answer to a turn.
                    fault.detail = format!("hello: {}", fault.detail);
                }
                return Err((fault, slip));
            }
        };
        process.rest();
        match serde_json::from_str(&line.text) {
            Ok(FromProgram::Ready(Ready { protocol, .. })) if protocol > NEWEST_PROTOCOL => {
                let said = process.end(Duration::ZERO).said;
                let problem = format!(
                    "hello: it speaks version {protocol} of the protocol; the newest here is \
                     {NEWEST_PROTOCOL}"
                );
                Err((Fault::new(FaultKind::Protocol, problem).with_output(said), None))
            }
            Ok(FromProgram::Ready(ready)) => {
                Ok(Connection { process, ready, ready_in: begun.elapsed(), matches: 0 })
            }
            _ => {
                let said = process.end(Duration::ZERO).said;
                let problem = format!(
                    "hello: expected {{\"type\":\"ready\",…}}, got {}",
                    quote_line(&line.text)
                );
                let slip = explain_line(&line.text, Expected::Ready);
                Err((Fault::new(FaultKind::Protocol, problem).with_output(said), Some(slip)))
            }
        }
    }

    /// Says `bye` and ends the process, which has `grace` to end by itself.
    pub(crate) fn close(mut self, grace: Duration) -> ProgramReport {
        let bye = ToProgram::Bye {}.line();
        let _ = self.process.notify(bye.as_bytes(), Duration::ZERO);
        self.process.close_input();
        self.process.end(grace)
    }
}

/// Runs `wait`, which waits for a program's answer to `hello`, and logs a warning if that takes
/// long.
fn warn_if_slow<T>(name: &str, time: Duration, wait: impl FnOnce() -> T) -> T {
    let (done, ended) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            if ended.recv_timeout(SILENCE) == Err(RecvTimeoutError::Timeout) {
                tracing::warn!(
                    "{name} has not answered “hello” yet; its limit is {time:?} (limits.start)"
                );
            }
        });
        let answer = wait();
        drop(done);
        answer
    })
}
