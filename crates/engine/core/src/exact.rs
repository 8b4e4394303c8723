//! Matches judged by exact values: what perfect players would expect in each position, and what
//! each move gave away. A game that can be solved registers a judge
//! ([`Entry::exact`](crate::Entry::exact)).

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::Serialize;

use crate::record::Record;
use crate::seat::Seat;

/// The parts of a match for which costs are summed: thirds of its turns.
pub const PHASES: usize = 3;

/// How much work a judge may do.
#[derive(Clone, Debug)]
pub struct Effort {
    /// The memory for values, in bytes.
    pub memory: usize,
    /// The most positions to search for the value of one.
    pub positions: u64,
    /// When set, the judge stops.
    pub stop: Arc<AtomicBool>,
}

/// Makes the judge of a game.
pub type MakeJudge = fn(Effort) -> Box<dyn ExactJudge>;

/// Judges matches of one game, one after another. What it found out about a board serves the next
/// match on the same board.
pub trait ExactJudge {
    /// Judges every turn of a match.
    ///
    /// # Errors
    /// [`JudgeError`] if the values of the match's positions cannot be found.
    fn judge(&mut self, record: &Record) -> Result<Vec<JudgedTurn>, JudgeError>;
}

/// Why a match is not judged.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JudgeError {
    /// The judge was told to stop.
    #[error("stopped")]
    Stopped,
    /// The match cannot be judged; says why.
    #[error("{0}")]
    Refused(String),
}

/// A turn with its exact value.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct JudgedTurn {
    /// The score that each seat expects here if all play perfectly.
    pub values: Vec<f64>,
    /// The moves of the turn, by seat.
    pub moves: Vec<JudgedMove>,
}

/// A move and what it gave away.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct JudgedMove {
    /// Who made it.
    pub seat: Seat,
    /// The action taken.
    pub played: String,
    /// A perfect mixture of actions, with their shares; then, with shares of 0, the actions that
    /// only other perfect mixtures have. Empty if no action makes a difference.
    pub best: Vec<(String, f64)>,
    /// The points given away.
    pub cost: f64,
}

/// What a seat gave away in a match, in points.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct GivenAway {
    /// In the whole match.
    pub all: f64,
    /// In the first, the second and the last third of the turns.
    pub phases: [f64; PHASES],
}

impl GivenAway {
    /// What a seat gave away in these turns, which make a whole match.
    pub fn of(turns: &[JudgedTurn], seat: Seat) -> GivenAway {
        let mut given = GivenAway::default();
        for (turn, judged) in turns.iter().enumerate() {
            let own = judged.moves.iter().filter(|own| own.seat == seat);
            given.phases[turn * PHASES / turns.len()] += own.map(|own| own.cost).sum::<f64>();
        }
        given.all = given.phases.iter().sum();
        given
    }
}
