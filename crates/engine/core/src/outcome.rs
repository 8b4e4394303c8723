//! How a match ended: scores, reason, metrics, and what a player did wrong.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::cut::cut;
use crate::seat::Seat;

/// The result of a finished match.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Outcome {
    /// The score of each seat.
    pub scores: Vec<f64>,
    /// Why it ended, in a word or two.
    pub ending: String,
    /// Whether it was cut off by a limit rather than decided.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// The seat that was taken out, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<SeatFault>,
    /// Further figures, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metrics: BTreeMap<String, f64>,
}

impl Outcome {
    /// How and when the match ended, in one sentence without a full stop.
    pub(crate) fn describe(&self) -> String {
        let turns = self.metrics.get("turns").copied().unwrap_or_default();
        match &self.fault {
            Some(SeatFault { seat, fault }) => {
                let who =
                    if self.scores.len() == 1 { "The player".to_owned() } else { seat.letter() };
                format!("{who} forfeited on turn {}: {}", turns + 1.0, fault.kind)
            }
            None if self.truncated => format!("It was cut off on turn {turns}: {}", self.ending),
            None => format!("It ended on turn {turns}: {}", self.ending),
        }
    }
}

/// The most characters of a fault's text.
const MAX_DETAIL: usize = 2000;

/// What a player did wrong that ends the match.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Fault {
    /// The kind of fault.
    pub kind: FaultKind,
    /// What happened, in one line.
    pub detail: String,
    /// The last lines that a program wrote to its standard error.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub said: Vec<String>,
}

/// A [`Fault`] with the seat that committed it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SeatFault {
    /// Whose fault it was.
    pub seat: Seat,
    /// What it was.
    #[serde(flatten)]
    pub fault: Fault,
}

/// The kinds of faults, distinguished because their remedies differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FaultKind {
    /// An action that the rules refuse.
    Illegal,
    /// The player's code panicked.
    Panic,
    /// Its time was up.
    Timeout,
    /// A program exited in the middle of a match.
    Crash,
    /// A program used more memory than it may.
    Memory,
    /// A program started more processes than it may.
    Processes,
    /// A program wrote more output than it may.
    Flood,
    /// A program said something that the protocol does not allow.
    Protocol,
    /// A program never began to play: a file, an interpreter or a build is missing. The match is
    /// [void](FaultKind::is_void).
    NotStarted,
    /// The arena failed, not the player: its sandbox, its memory, its patience. The match is
    /// [void](FaultKind::is_void).
    Arena,
    /// Something failed that a player depends on, not the player: a network, a server. The match is
    /// [void](FaultKind::is_void).
    Outage,
}

impl FaultKind {
    /// Whether a match that ends by this fault is no result: nobody wins it, no record of it is
    /// kept, and it is played again once the cause is mended.
    pub fn is_void(self) -> bool {
        matches!(self, FaultKind::NotStarted | FaultKind::Arena | FaultKind::Outage)
    }
}

impl Fault {
    /// A fault of this kind. What happened is often in the words of a player's program, so a long
    /// text is cut.
    pub fn new(kind: FaultKind, detail: impl Into<String>) -> Self {
        let mut detail = detail.into();
        if detail.len() > MAX_DETAIL {
            detail = cut(&detail, MAX_DETAIL);
        }
        Fault { kind, detail, said: Vec::new() }
    }

    /// The fault of a program that never began to play, for this reason.
    pub fn never_started(self) -> Self {
        if self.kind.is_void() {
            return self;
        }
        Fault { kind: FaultKind::NotStarted, detail: self.to_string(), said: self.said }
    }

    /// The same fault, with what the program said last.
    pub fn with_output(self, said: Vec<String>) -> Self {
        Fault { said, ..self }
    }
}

impl SeatFault {
    /// This fault, committed by this seat.
    pub fn new(seat: Seat, fault: Fault) -> Self {
        SeatFault { seat, fault }
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FaultKind::Illegal => "illegal action",
            FaultKind::Panic => "panic",
            FaultKind::Timeout => "timeout",
            FaultKind::Crash => "crash",
            FaultKind::Memory => "out of memory",
            FaultKind::Processes => "too many processes",
            FaultKind::Flood => "output flood",
            FaultKind::Protocol => "protocol error",
            FaultKind::NotStarted => "never started",
            FaultKind::Arena => "the arena gave up",
            FaultKind::Outage => "outage",
        })
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.detail)
    }
}

impl std::error::Error for Fault {}

/// A figure that a player noted about one of its decisions: an evaluation, a depth, a count.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Note {
    /// The turn of the match, from 0.
    pub turn: u32,
    /// Who said it.
    pub seat: Seat,
    /// What it is about: `depth`, `nodes`, `value`.
    pub name: String,
    /// The figure.
    pub value: f64,
}
