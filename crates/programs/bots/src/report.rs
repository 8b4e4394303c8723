//! How a program ended, as reported by the process that supervised it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How a program ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProgramEnd {
    /// It ended by itself with this exit code.
    Exited(i32),
    /// A signal ended it, with the signal's name.
    Killed(String),
    /// It was ended on request.
    Stopped,
    /// It used more memory than its limit, with the number of bytes.
    Memory(u64),
    /// It waited for more files at once than any program may (`epoll`), with their number.
    Watches(u64),
    /// It had more timers than any program may (`timerfd`), with their number.
    Timers(u64),
    /// It had more processes and threads than its limit, with their number.
    Processes(u32),
    /// It used more processor time than its limit, with the number of milliseconds.
    Cpu(u64),
    /// It went on running while it was stopped, when it was not its turn.
    WentOn,
    /// It could not be confined, with the reason: the sandbox failed, not the program.
    NotConfined(String),
    /// Its file could not be run, with the reason.
    NotStarted(String),
}

/// The supervisor's report on a program that has ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ProgramReport {
    /// How it ended.
    pub ending: ProgramEnd,
    /// The last lines of its standard error, which the arena reads itself.
    #[serde(skip)]
    pub said: Vec<String>,
    /// What it wrote there since the text was last taken.
    #[serde(skip)]
    pub(crate) log: Option<String>,
    /// The processor time of all its processes together, in milliseconds, when last measured.
    pub cpu_ms: u64,
    /// The largest measured resident memory of all its processes together, in bytes.
    pub memory: u64,
    /// Whether its scratch folder was found full.
    #[serde(default)]
    pub scratch_full: bool,
}

impl ProgramReport {
    /// A report that contains nothing but how the program ended.
    pub(crate) fn of(ending: ProgramEnd) -> ProgramReport {
        ProgramReport {
            ending,
            said: Vec::new(),
            log: None,
            cpu_ms: 0,
            memory: 0,
            scratch_full: false,
        }
    }
}

impl fmt::Display for ProgramEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProgramEnd::Exited(code) => write!(f, "it ended with exit code {code}"),
            ProgramEnd::Killed(signal) => write!(f, "it was ended by {signal}"),
            ProgramEnd::Stopped => f.write_str("it was stopped"),
            ProgramEnd::WentOn => f.write_str("it went on while it was stopped between its turns"),
            ProgramEnd::Memory(bytes) => {
                write!(f, "it took {} MB of memory", bytes.div_ceil(1 << 20))
            }
            ProgramEnd::Watches(count) => write!(f, "it waited for {count} files (epoll)"),
            ProgramEnd::Timers(count) => write!(f, "it had {count} timers (timerfd)"),
            ProgramEnd::Processes(count) => write!(f, "it had {count} processes and threads"),
            ProgramEnd::Cpu(ms) => {
                write!(f, "it used {:.2} s of processor time", *ms as f64 / 1e3)
            }
            ProgramEnd::NotConfined(why) => write!(f, "the sandbox failed: {why}"),
            ProgramEnd::NotStarted(why) => write!(f, "it could not be started: {why}"),
        }
    }
}
