//! Players whose code is not ours: programs, people, other languages. They see a game in its JSON
//! forms, or in the numbers of its encoding. This module is only the interface; pipes, limits and
//! protocols are elsewhere.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use crate::external_error::ExternalError;
use crate::log::LogContent;
use crate::outcome::{Fault, FaultKind, Outcome};
use crate::player::MatchStart;
use crate::seat::Seat;
use crate::ui::Scene;

/// What an external player is asked.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Question {
    /// Who is asked.
    pub seat: Seat,
    /// The turn of the match, from 0.
    pub turn: u32,
    /// What the seat sees, in the game's JSON form.
    pub observation: Value,
    /// The offered actions, in their text notation.
    pub actions: Vec<String>,
    /// The time for this decision in milliseconds, if it is limited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_ms: Option<u64>,
    /// The same time, in full precision.
    #[serde(skip)]
    pub time: Option<Duration>,
    /// Tells whether a value is an action of the game, legal or not, where that is known.
    #[serde(skip)]
    pub reads: Option<fn(&Value) -> bool>,
    /// Set when the match is abandoned: no answer is expected any more.
    #[serde(skip)]
    pub stop: Option<Arc<AtomicBool>>,
    /// How the position looks to the seat, for a player whose source
    /// [wants it](ExternalSource::wants_scene).
    #[serde(skip)]
    pub scene: Option<Scene>,
}

/// What an external player answers.
#[derive(Clone, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct Answer {
    /// The action, in its text notation (a JSON string) or its JSON form.
    pub action: Value,
    /// How long it thought, if that differs from the time that passed here: a program does not
    /// think while it waits for a core.
    pub thought: Option<Duration>,
    /// Figures about the decision, by name.
    pub notes: Vec<(String, f64)>,
}

impl Question {
    /// What a seat is asked on a turn, without a time limit.
    pub fn new(seat: Seat, turn: u32, observation: Value, actions: Vec<String>) -> Question {
        let (time_ms, time, reads, stop, scene) = (None, None, None, None, None);
        Question { seat, turn, observation, actions, time_ms, time, reads, stop, scene }
    }

    /// The same question, to be answered within this time, if there is a limit.
    pub fn with_time(self, time: Option<Duration>) -> Question {
        Question { time_ms: time.map(|time| time.as_millis() as u64), time, ..self }
    }
}

impl Answer {
    /// The same answer, with the time it took by the player's own clock.
    pub fn with_thought(self, thought: Duration) -> Answer {
        Answer { thought: Some(thought), ..self }
    }

    /// The same answer, with figures about the decision, by name.
    pub fn with_notes(self, notes: Vec<(String, f64)>) -> Answer {
        Answer { notes, ..self }
    }
}

impl From<Value> for Answer {
    /// An answer with nothing but an action.
    fn from(action: Value) -> Answer {
        Answer { action, ..Answer::default() }
    }
}

/// The question to an external player that works with the numbers of the game's
/// [`Encoding`](crate::Encoding): what the seat sees, as
/// [`AnyEncoding::write_seat`](crate::AnyEncoding::write_seat) writes it, and which actions it may
/// take.
#[derive(Clone, Copy, Debug)]
pub struct NumberedQuestion<'a> {
    /// Who is asked.
    pub seat: Seat,
    /// The turn of the match, from 0.
    pub turn: u32,
    /// Rows and columns of the board.
    pub sides: [usize; 2],
    /// The bytes of the board, row by row.
    pub board: &'a [u8],
    /// The features.
    pub features: &'a [i32],
    /// For each action, 1 if it may be taken, otherwise 0.
    pub mask: &'a [u8],
    /// The time for this decision, if it is limited.
    pub time: Option<Duration>,
    /// Set when the match is abandoned: no answer is expected any more.
    pub stop: Option<&'a AtomicBool>,
}

/// The answer of an external player that works with numbers.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct NumberedAnswer {
    /// The number of its action.
    pub number: usize,
    /// How long it thought, as in [`Answer`].
    pub thought: Option<Duration>,
    /// Figures about the decision, by name.
    pub notes: Vec<(String, f64)>,
}

/// A player that answers questions in JSON, or in numbers.
///
/// # Example
/// A player that takes the first action offered:
/// ```
/// use quintain_core::{Answer, ExternalPlayer, Fault, FaultKind, MatchStart, Question};
/// use serde_json::Value;
///
/// struct First;
///
/// impl ExternalPlayer for First {
///     fn start(&mut self, _: &MatchStart, _setting: &Value) -> Result<(), Fault> {
///         Ok(())
///     }
///
///     fn answer(&mut self, question: &Question) -> Result<Answer, Fault> {
///         let first = question.actions.first();
///         let first = first.ok_or_else(|| Fault::new(FaultKind::Protocol, "nothing is offered"))?;
///         Ok(Answer::from(Value::from(first.as_str())).with_notes(vec![("rank".to_owned(), 1.0)]))
///     }
/// }
/// ```
pub trait ExternalPlayer: Send {
    /// The match is about to begin; `setting` is the game's
    /// [`Rules::setting`](crate::Rules::setting).
    ///
    /// # Errors
    /// A [`Fault`] takes the seat out of the match.
    fn start(&mut self, match_start: &MatchStart, setting: &Value) -> Result<(), Fault>;

    /// Whether the player can [prepare](ExternalPlayer::prepare) an answer while others answer.
    fn can_prepare(&self) -> bool {
        false
    }

    /// On a turn on which several seats move: called before any of them is asked, if the player
    /// [can prepare](ExternalPlayer::can_prepare), with the question that follows. It must not
    /// wait; the answer says how long it [thought](Answer::thought).
    fn prepare(&mut self, _question: &Question) {}

    /// The player's action for this question.
    ///
    /// # Errors
    /// A [`Fault`] takes the seat out of the match.
    fn answer(&mut self, question: &Question) -> Result<Answer, Fault>;

    /// The player's action, if its source says that it [works with
    /// numbers](ExternalSource::is_numbered).
    ///
    /// # Errors
    /// A [`Fault`] takes the seat out of the match.
    fn answer_by_number(
        &mut self,
        _question: &NumberedQuestion<'_>,
    ) -> Result<NumberedAnswer, Fault> {
        Err(Fault::new(FaultKind::Protocol, "it is not asked in numbers"))
    }

    /// Called when nothing more will be asked in this match and no player has failed so far. See
    /// [`Player::settle`](crate::Player::settle).
    ///
    /// # Errors
    /// A [`Fault`] takes the seat out of the match at its end.
    fn settle(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    /// The match is over.
    fn finish(&mut self, _outcome: &Outcome) {}

    /// The log since the last call, each entry with its turn.
    fn take_log(&mut self) -> Vec<(u32, LogContent)> {
        Vec::new()
    }
}

/// Where external players come from; the catalog asks it for specs `PREFIX:REST`.
pub trait ExternalSource: Send + Sync {
    /// The word before the colon.
    fn prefix(&self) -> &str;

    /// Checks once, before a tournament, that the player of `spec` (with its prefix) is available
    /// for `game`. Returns the canonical text.
    ///
    /// # Errors
    /// [`ExternalError`] if there is no such player, or it does not play that game.
    fn resolve(&self, spec: &str, game: &str) -> Result<String, ExternalError>;

    /// The full text of the player of this source that a name without a prefix may mean.
    fn suggest(&self, _name: &str) -> Option<String> {
        None
    }

    /// The version of a resolved player's behaviour, as far as its files show it: a changed program
    /// is a different player.
    fn version(&self, _spec: &str) -> u32 {
        0
    }

    /// Whether a resolved player always gives the same answer to the same question, on every
    /// machine and under any budget.
    fn is_reproducible(&self, _spec: &str) -> bool {
        false
    }

    /// The file of a resolved player, if it is everything that any machine needs to play it and its
    /// owner need not trust it. `None` if it needs more, or if the file has changed meanwhile.
    fn portable_file(&self, _spec: &str) -> Option<Arc<[u8]>> {
        None
    }

    /// A resolved player that is a program, packed for machines that do not have it and confine it
    /// themselves, or why it cannot be sent to any; `None` if there is nothing to send.
    fn packed(&self, _spec: &str) -> Option<Result<Arc<[u8]>, String>> {
        None
    }

    /// The protocol of another referee that a resolved player speaks, if it speaks one.
    fn foreign_protocol(&self, _spec: &str) -> Option<&'static str> {
        None
    }

    /// Whether a resolved player is asked in the numbers of the game's encoding, not in JSON.
    fn is_numbered(&self, _spec: &str) -> bool {
        false
    }

    /// Whether a resolved player is shown how each position looks to its seat.
    fn wants_scene(&self, _spec: &str) -> bool {
        false
    }

    /// Opens a player for one seat of one match.
    ///
    /// # Errors
    /// [`ExternalError`] if the player is not available, or not for a seat.
    fn open(&self, spec: &str) -> Result<Box<dyn ExternalPlayer>, ExternalError>;
}

/// Stands in for a source that a build or a system does not have. A user who names one of its
/// players learns why it is missing, rather than that it is unknown.
#[derive(Clone, Copy, Debug)]
pub struct AbsentSource {
    /// The word before the colon.
    pub prefix: &'static str,
    /// Why its players are missing, and what to do about it.
    pub why: &'static str,
}

impl AbsentSource {
    fn refuse(&self, spec: &str) -> ExternalError {
        format!("{spec}: {}", self.why).into()
    }
}

impl ExternalSource for AbsentSource {
    fn prefix(&self) -> &str {
        self.prefix
    }

    fn resolve(&self, spec: &str, _game: &str) -> Result<String, ExternalError> {
        Err(self.refuse(spec))
    }

    fn open(&self, spec: &str) -> Result<Box<dyn ExternalPlayer>, ExternalError> {
        Err(self.refuse(spec))
    }
}
