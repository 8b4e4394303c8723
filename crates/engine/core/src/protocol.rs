//! Text protocols of other people's referees: a game provides those in use for it. Both sides of
//! the conversation are here, since programs written for another referee play under ours, and our
//! players play under theirs. Pipes are elsewhere.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::external::Question;
use crate::player::MatchStart;
use crate::seat::Seat;
use crate::text_error::from_text;

/// A foreign protocol of a game.
#[derive(Clone, Copy, Debug)]
pub struct ForeignProtocol {
    /// Its name, as written in `protocol = "NAME"`.
    pub name: &'static str,
    /// What it is, in a line.
    pub summary: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// How the conversation goes.
    pub lifecycle: Lifecycle,
    /// Whether services that speak it have an address for each event (`start`, `move` and `end`)
    /// below their own.
    pub has_events: bool,
    /// Makes the referee's side for a match.
    pub referee: fn() -> Box<dyn ServerCodec>,
    /// Makes the program's side for a match; none where a program is started with arguments of its
    /// own.
    pub program: Option<fn() -> Box<dyn ClientCodec>>,
}

/// How a conversation goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Lifecycle {
    /// One process answers every question of a match.
    Match,
    /// A process answers one question and exits.
    Question,
    /// A process is given the whole game, writes its plan and exits.
    Plan,
}

/// How a program that plans a whole game is started.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Launch {
    /// Arguments after those of the program's own command.
    pub arguments: Vec<String>,
    /// Files that it may read, by name and text. They lie in the folder passed to
    /// [`ServerCodec::launch`].
    pub files: Vec<(String, String)>,
    /// Its standard input.
    pub input: String,
}

/// The error of a match or position that a protocol cannot express, or of a line that it does
/// not expect.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct ProtocolError(String);

from_text!(ProtocolError);

/// The referee's side: what to send to a program, and how to read its answers.
pub trait ServerCodec: Send {
    /// What to send to the program before the first question. `setting` is the game's
    /// [`Rules::setting`](crate::Rules::setting).
    ///
    /// # Errors
    /// [`ProtocolError`] if this protocol cannot express the match.
    fn match_start(
        &mut self,
        _match_start: &MatchStart,
        _setting: &Value,
    ) -> Result<String, ProtocolError> {
        Ok(String::new())
    }

    /// A question, in whole lines.
    ///
    /// # Errors
    /// [`ProtocolError`] if this protocol cannot express the position.
    fn question(&mut self, _question: &Question) -> Result<String, ProtocolError> {
        Ok(String::new())
    }

    /// Reads a line of the program's answer: the action in its text form, or `None` if
    /// the answer goes on.
    ///
    /// # Errors
    /// [`ProtocolError`], which says what was expected instead.
    fn answer(&mut self, line: &str) -> Result<Option<Value>, ProtocolError>;

    /// How to start a program that plans the whole game in a given time, with its files in
    /// `folder`. `setting` is the game's setting.
    ///
    /// # Errors
    /// [`ProtocolError`] if this protocol cannot express the match.
    fn launch(
        &mut self,
        _setting: &Value,
        _time: Duration,
        _folder: &Path,
    ) -> Result<Launch, ProtocolError> {
        Ok(Launch::default())
    }

    /// Reads the whole output of such a program: the actions of the whole game.
    ///
    /// # Errors
    /// [`ProtocolError`], which says what was expected instead.
    fn plan(&mut self, _output: &str) -> Result<Vec<Value>, ProtocolError> {
        Ok(Vec::new())
    }
}

/// The program's side: how to read a referee's lines, and how to answer.
pub trait ClientCodec: Send {
    /// Reads a line from the referee.
    ///
    /// # Errors
    /// [`ProtocolError`], which says what was expected instead.
    fn hear(&mut self, line: &str) -> Result<Parsed, ProtocolError>;

    /// The answer, in whole lines.
    fn answer(&mut self, action: &str) -> String;
}

/// The result of reading a referee's line.
#[derive(Clone, PartialEq, Debug)]
pub enum Parsed {
    /// Nothing yet.
    More,
    /// A question is complete.
    Request(Request),
    /// The match is over.
    Over,
}

/// A question that came in a foreign protocol.
#[derive(Clone, PartialEq, Debug)]
pub struct Request {
    /// The scenario of the match, as far as the referee tells.
    pub scenario: String,
    /// The seat that is asked.
    pub seat: Seat,
    /// The turn of the match, from 0.
    pub turn: u32,
    /// What the seat sees, in the game's JSON form.
    pub observation: Value,
    /// The time for the answer, if the protocol limits it.
    pub time: Option<Duration>,
}
