//! What a program hears and says in a match, as examples for authors of programs. No program runs
//! here: the recorded player takes one of the actions that it is offered, by their number.
//! [`Listener`] is such a player for whoever asks it himself.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use quintain_core::{
    Answer, Catalog, ExternalError, ExternalPlayer, ExternalSource, Fault, FaultKind, MatchStart,
    Outcome, PlayerHandle, Question, Setup, SpecError,
};
use serde_json::Value;

use crate::messages::{FromProgram, PROTOCOL, Ready, Reply, ToProgram};

/// The prefix of the recorded player.
const PREFIX: &str = "scribe";
/// The seed of the match.
const SEED: u64 = 1;
/// The time that a program has for an answer.
const TIME: Duration = Duration::from_secs(5);

/// Chooses one of the offered actions, given the number of the question, from 0, and the number of
/// actions.
pub type Choice = fn(usize, usize) -> usize;

/// A line of a conversation, without its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line {
    /// What the program hears.
    ToProgram(String),
    /// What it says.
    FromProgram(String),
}

/// Returns what the program at seat 0 hears and says, from `hello` to `bye`, in a match against
/// `others`, players of the roster. If `turns` is given, a longer match is abandoned after that
/// many turns, before its `end`. `choice` chooses the program's actions.
///
/// # Errors
/// If the game, the scenario or the player is unknown, or they do not fit together.
pub fn transcribe(
    catalog: &Catalog,
    game: &str,
    scenario: &str,
    others: &str,
    turns: Option<usize>,
    choice: Choice,
) -> Result<Vec<Line>, SpecError> {
    let (own, talk) = scribe(catalog, game, turns, choice)?;
    let bound = catalog.game(game, scenario)?;
    let other = catalog.player(game, others)?;
    let seats: Vec<_> =
        (0..bound.seats()).map(|seat| if seat == 0 { &own } else { &other }).collect();
    let setup = Setup::new(SEED).with_stop(Arc::clone(&talk.is_over));
    bound.play(&setup, &seats, None)?;
    let mut lines = talk.lines.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(std::mem::take(&mut *lines))
}

/// A recorded player, and what is said to it.
fn scribe(
    catalog: &Catalog,
    game: &str,
    turns: Option<usize>,
    choice: Choice,
) -> Result<(PlayerHandle, Arc<Talk>), SpecError> {
    let talk = Arc::new(Talk::default());
    let scribes = Arc::new(Scribes { turns, choice, talk: Arc::clone(&talk) });
    let catalog = catalog.clone().with_external(scribes);
    Ok((catalog.player(game, &format!("{PREFIX}:{game}"))?, talk))
}

/// A player that keeps what a program in its place hears, and takes the first action that it is
/// offered.
pub struct Listener {
    /// The player.
    pub player: PlayerHandle,
    talk: Arc<Talk>,
}

impl Listener {
    /// A listener for a game.
    ///
    /// # Errors
    /// If there is no such game.
    pub fn new(catalog: &Catalog, game: &str) -> Result<Listener, SpecError> {
        let (player, talk) = scribe(catalog, game, None, |_, _| 0)?;
        Ok(Listener { player, talk })
    }

    /// What it has heard, and `bye`. Our version is left out, so that the next release tells the
    /// same.
    pub fn heard(&self) -> Vec<String> {
        let lines = self.talk.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let bye = ToProgram::Bye {}.line();
        let is_over = |line: &str| line == bye.trim_end();
        let heard = lines.iter().filter_map(|line| match line {
            Line::ToProgram(text) if !is_over(text) => Some(without_version(text)),
            _ => None,
        });
        heard.chain([bye.trim_end().to_owned()]).collect()
    }
}

/// A message without the version of this program.
pub fn without_version(line: &str) -> String {
    let arena = concat!("\"quintain ", env!("CARGO_PKG_VERSION"), "\"");
    line.replace(arena, "\"quintain\"")
}

/// What was said, and whether that is enough, in which case the match is abandoned.
#[derive(Default)]
struct Talk {
    lines: Mutex<Vec<Line>>,
    is_over: Arc<AtomicBool>,
}

/// The source of scribes.
struct Scribes {
    /// How many turns are wanted.
    turns: Option<usize>,
    choice: Choice,
    talk: Arc<Talk>,
}

/// A program that takes actions by their numbers and writes down what is said.
struct Scribe {
    game: String,
    choice: Choice,
    /// How many questions it was asked.
    asked: usize,
    /// How many turns are still wanted.
    turns: Option<usize>,
    talk: Arc<Talk>,
}

impl ExternalSource for Scribes {
    fn prefix(&self) -> &str {
        PREFIX
    }

    fn resolve(&self, spec: &str, _game: &str) -> Result<String, ExternalError> {
        Ok(spec.to_owned())
    }

    fn open(&self, spec: &str) -> Result<Box<dyn ExternalPlayer>, ExternalError> {
        let (_, game) = spec.split_once(':').unwrap_or_default();
        let (game, talk) = (game.to_owned(), Arc::clone(&self.talk));
        Ok(Box::new(Scribe { game, choice: self.choice, asked: 0, turns: self.turns, talk }))
    }
}

impl Scribe {
    fn write(&self, line: Line) {
        self.talk.lines.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }

    fn hears(&self, message: &ToProgram) {
        self.write(Line::ToProgram(message.line().trim_end().to_owned()));
    }

    fn says(&self, message: &FromProgram) {
        let text = serde_json::to_string(message).expect("messages have a JSON form");
        self.write(Line::FromProgram(text));
    }
}

impl ExternalPlayer for Scribe {
    fn start(&mut self, match_start: &MatchStart, setting: &Value) -> Result<(), Fault> {
        self.hears(&ToProgram::hello());
        let games = vec![self.game.clone()];
        self.says(&FromProgram::Ready(Ready {
            name: PREFIX.to_owned(),
            games,
            protocol: PROTOCOL,
        }));
        self.hears(&ToProgram::start(1, match_start, setting));
        Ok(())
    }

    fn answer(&mut self, question: &Question) -> Result<Answer, Fault> {
        if self.turns == Some(0) {
            self.talk.is_over.store(true, Ordering::SeqCst);
            self.hears(&ToProgram::Bye {});
            return Err(Fault::new(FaultKind::Crash, "enough has been heard"));
        }
        self.turns = self.turns.map(|turns| turns - 1);
        self.hears(&ToProgram::turn(question, TIME));
        let offered = question.actions.len();
        let action = (offered > 0).then(|| (self.choice)(self.asked, offered));
        let action = Value::from(action.and_then(|at| question.actions.get(at).cloned()));
        self.asked += 1;
        let notes = Default::default();
        self.says(&FromProgram::Action(Reply { action: action.clone(), notes, draw: Vec::new() }));
        Ok(action.into())
    }

    fn finish(&mut self, outcome: &Outcome) {
        if !self.talk.is_over.load(Ordering::SeqCst) {
            self.hears(&ToProgram::end(outcome));
            self.hears(&ToProgram::Bye {});
        }
    }
}
