//! Asks a program once more about a turn of a recorded match: with the same match start, the same
//! seed and the same observations, and all the time that its author needs. Whatever the program
//! answers now, the match goes on as it was recorded.

use std::time::Duration;

use quintain_core::{
    ActionError, AnyGame, Fault, FaultKind, MatchStart, Question, Record, RecordError, Seat,
    Streams, replay,
};
use serde_json::Value;

use crate::bot::Bot;
use crate::faults::{AwaitedIn, end_with_fault};
use crate::process::{LineError, Process};
use crate::slips::{Expected, Slip, explain_action, explain_line, explain_silence};
use quintain_protocol::{FromProgram, ToProgram, quote_line};

/// How long a program may take when no one hurries it.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(24 * 3600);

/// Which turn of which match a program is asked about.
pub struct DebugRequest<'a> {
    /// The match.
    pub record: &'a Record,
    /// The game and scenario of the record.
    pub game: &'a dyn AnyGame,
    /// The program's seat.
    pub seat: Seat,
    /// The turn; the last one on which the seat had to move, if none is given.
    pub turn: Option<u32>,
}

/// Which part of the match something belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// Everything before the first turn.
    Start,
    /// A turn before the one that is asked about.
    Before(u32),
    /// The turn that is asked about.
    Question(u32),
}

/// A step of the conversation with the program.
#[derive(Clone, PartialEq, Debug)]
pub enum DebugStep<'a> {
    /// A line that is sent.
    Sent(Part, &'a str),
    /// A line that was received.
    Received(Part, &'a str),
    /// What it wrote to standard error.
    Output(Part, &'a str),
    /// On an earlier turn its answer differed from the recorded one.
    Differs {
        /// The turn.
        turn: u32,
        /// Its answer now.
        now: &'a Value,
        /// What was played in the match.
        then: &'a str,
    },
    /// The question that was asked for comes next: this is the moment to attach a debugger to the
    /// process.
    Ready(Option<u32>),
}

/// The result of asking again.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct DebugReport {
    /// The turn that was asked about.
    pub turn: u32,
    /// The answer, or the program's fault.
    pub answer: Result<Value, Fault>,
    /// The explanation of its mistake, if one is known.
    pub slip: Option<Slip>,
    /// What was played in the match; `None` if the match ended here.
    pub played: Option<String>,
    /// How long it thought, by its own clock.
    pub thought: Duration,
    /// Whether the rules allow the answer, and if not, why.
    pub allowed: Result<(), ActionError>,
}

/// Why a turn cannot be asked about.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DebugError {
    /// The record does not replay.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The seat does not move on that turn; says when it does.
    #[error("seat {seat} does not move on turn {turn}; it moves on turns {first} to {last}")]
    NotTurn {
        /// The seat.
        seat: Seat,
        /// The turn.
        turn: u32,
        /// The first turn on which it moves.
        first: u32,
        /// The last.
        last: u32,
    },
    /// The seat never moves.
    #[error("seat {0} never moves in this match")]
    NeverMoves(Seat),
    /// The program cannot be started, or failed before the turn.
    #[error("{0}")]
    Program(Fault),
}

/// Asks a program about a turn once more; `on_step` is called with each step.
///
/// # Errors
/// [`DebugError`] if there is no such question, or the program fails before it.
pub fn debug(
    bot: &Bot,
    request: &DebugRequest<'_>,
    on_step: &mut dyn FnMut(&DebugStep<'_>),
) -> Result<DebugReport, DebugError> {
    let DebugRequest { record, game, seat, turn } = *request;
    let questions = questions(record, game, seat)?;
    let (Some(first), Some(last)) = (questions.first(), questions.last()) else {
        return Err(DebugError::NeverMoves(seat));
    };
    let (first, last) = (first.question.turn, last.question.turn);
    let turn = turn.unwrap_or(last);
    if !questions.iter().any(|asked| asked.question.turn == turn) {
        return Err(DebugError::NotTurn { seat, turn, first, last });
    }
    let mut program = begin(bot, request, on_step).map_err(DebugError::Program)?;
    let mut part = Part::Start;
    for asked in questions {
        let MatchQuestion { question, played, position } = asked;
        let time = bot.time_for(&question);
        let line = ToProgram::turn(&question, time).line();
        // It may have written more after its last answer.
        program.show_output(part);
        if question.turn < turn {
            part = Part::Before(question.turn);
            let (answer, _, process) = program.ask(part, &question, &line);
            program = process.ok_or_else(|| {
                DebugError::Program(
                    answer.clone().err().map_or_else(exit_fault, |(fault, _)| fault),
                )
            })?;
            if let (Ok(now), Some(then)) = (&answer, &played)
                && !is_same(now, then)
            {
                (program.on_step)(&DebugStep::Differs { turn: question.turn, now, then });
            }
            continue;
        }
        let asked = MatchQuestion { question, played, position };
        return Ok(program.ask_about(asked, seat, &line));
    }
    Err(DebugError::NeverMoves(seat))
}

/// Starts a program, and tells it of the match.
fn begin<'a>(
    bot: &Bot,
    request: &DebugRequest<'_>,
    on_step: &'a mut dyn FnMut(&DebugStep<'_>),
) -> Result<Conversation<'a>, Fault> {
    let DebugRequest { record: Record { fixture, .. }, game, seat, .. } = *request;
    let mut program = Conversation { process: bot.run()?, on_step };
    program.greet()?;
    let seed = Streams::new(fixture.seed).player(seat).bits();
    let start = MatchStart::new(&fixture.game, &fixture.scenario, game.seats());
    let start = start.with_seat(seat, seed, fixture.budget);
    program.send(&ToProgram::start(1, &start, &game.setting()).line());
    Ok(program)
}

fn exit_fault() -> Fault {
    Fault::new(FaultKind::Crash, "it has ended")
}

/// Whether an answer is the action that was played, as far as the text shows.
fn is_same(now: &Value, then: &str) -> bool {
    match now {
        Value::String(text) => text == then,
        // The JSON form of an action: only the game could compare it.
        _ => true,
    }
}

/// A question of the match.
struct MatchQuestion {
    question: Question,
    /// What was played; `None` if the match ended here.
    played: Option<String>,
    position: Box<dyn quintain_core::AnyMatch>,
}

/// All questions to a seat in a match, each with what was played.
fn questions(
    record: &Record,
    game: &dyn AnyGame,
    seat: Seat,
) -> Result<Vec<MatchQuestion>, RecordError> {
    let budget = record.fixture.budget;
    let mut questions: Vec<MatchQuestion> = Vec::new();
    replay(game, record, &mut |state, played| {
        if let Some(last) = questions.last_mut()
            && last.question.turn + 1 == state.turn()
        {
            let own = played.iter().find(|(who, _)| *who == seat);
            last.played = own.map(|(_, action)| (*action).to_owned());
        }
        if !state.acting().contains(&seat) {
            return;
        }
        let all = budget.match_time(questions.len() as u32);
        let time = match (budget.per_move, all) {
            (Some(one), Some(all)) => Some(one.min(all)),
            (one, all) => one.or(all),
        };
        let question =
            Question::new(seat, state.turn(), state.observation(seat), state.actions(seat))
                .with_time(time);
        questions.push(MatchQuestion { question, played: None, position: state.fork() });
    })?;
    Ok(questions)
}

/// A process, and the lines that go to it and come from it.
struct Conversation<'a> {
    process: Process,
    on_step: &'a mut dyn FnMut(&DebugStep<'_>),
}

/// An answer, or the fault and its explanation.
type Answered = Result<Value, (Fault, Option<Slip>)>;

impl<'a> Conversation<'a> {
    fn send(&mut self, line: &str) {
        (self.on_step)(&DebugStep::Sent(Part::Start, line.trim_end()));
        // Whether the program has read this shows when it is asked.
        let _ = self.process.notify(line.as_bytes(), ANSWER_TIMEOUT);
    }

    fn show_output(&mut self, part: Part) {
        if let Some(text) = self.process.take_stderr() {
            (self.on_step)(&DebugStep::Output(part, &text));
        }
    }

    fn greet(&mut self) -> Result<(), Fault> {
        let hello = ToProgram::hello().line();
        (self.on_step)(&DebugStep::Sent(Part::Start, hello.trim_end()));
        let answer = self.process.ask(hello.as_bytes(), ANSWER_TIMEOUT);
        self.show_output(Part::Start);
        let line = answer.map_err(|why| match why {
            LineError::Closed => {
                Fault::new(FaultKind::Crash, "hello: it ended, or closed its output")
            }
            why => Fault::new(FaultKind::Protocol, format!("hello: no line came ({why:?})")),
        })?;
        (self.on_step)(&DebugStep::Received(Part::Start, &line.text));
        match serde_json::from_str(&line.text) {
            Ok(FromProgram::Ready(_)) => Ok(()),
            _ => {
                let Slip { text, right } = explain_line(&line.text, Expected::Ready);
                let problem = format!("hello: {text}; it should be {right}");
                Err(Fault::new(FaultKind::Protocol, problem))
            }
        }
    }

    /// Asks the question that the report is about, and judges the answer.
    fn ask_about(mut self, asked: MatchQuestion, seat: Seat, line: &str) -> DebugReport {
        let MatchQuestion { question, played, position } = asked;
        let turn = question.turn;
        self.process.start_clock();
        let process = self.process.program();
        (self.on_step)(&DebugStep::Ready(process));
        let (answer, thought, program) = self.ask(Part::Question(turn), &question, line);
        if let Some(program) = program {
            program.process.end(Duration::ZERO);
        }
        let (answer, slip) = match answer {
            Ok(answer) => (Ok(answer), None),
            Err((fault, slip)) => (Err(fault), slip),
        };
        let allowed = match &answer {
            Ok(Value::String(action)) => position.check(seat, action),
            _ => Ok(()),
        };
        let (allowed, slip) = match (&answer, allowed) {
            (Ok(action), Err(error)) => {
                let line = serde_json::json!({ "action": action }).to_string();
                let fault = Fault::new(FaultKind::Illegal, error.to_string());
                (Err(error), explain_action(&fault, &line, &question.actions, &|_| false))
            }
            _ => (Ok(()), slip),
        };
        DebugReport { turn, answer, slip, played, thought, allowed }
    }

    /// Asks a question. Returns the answer, how long it took, and the process, unless it is gone.
    fn ask(
        mut self,
        part: Part,
        question: &Question,
        text: &str,
    ) -> (Answered, Duration, Option<Conversation<'a>>) {
        (self.on_step)(&DebugStep::Sent(part, text.trim_end()));
        let answer = self.process.ask(text.as_bytes(), ANSWER_TIMEOUT);
        self.show_output(part);
        let line = match answer {
            Ok(line) => line,
            Err(why) => {
                let begun = self.process.partial_line();
                let slip = (!begun.is_empty()).then(|| explain_silence(&begun, false));
                let (fault, said) =
                    end_with_fault(why, ANSWER_TIMEOUT, AwaitedIn::Match, self.process);
                if let Some(text) = said {
                    (self.on_step)(&DebugStep::Output(part, &text));
                }
                return (Err((fault, slip)), Duration::ZERO, None);
            }
        };
        self.process.rest();
        (self.on_step)(&DebugStep::Received(part, &line.text));
        // In a match this is found at its end; here there is time to find it where it happens.
        if let Ok(Some(more)) = self.process.surplus_line() {
            (self.on_step)(&DebugStep::Received(part, &more));
            let problem = format!("it spoke more often than it was asked: {}", quote_line(&more));
            let slip = explain_line(&more, Expected::Nothing);
            let fault = Fault::new(FaultKind::Protocol, problem);
            return (Err((fault, Some(slip))), Duration::ZERO, None);
        }
        let answer = match serde_json::from_str(&line.text) {
            Ok(FromProgram::Action(reply)) => Ok(reply.action),
            _ => {
                let slip = explain_line(&line.text, Expected::Action(&question.actions));
                let problem = format!("it is not an action: {}", quote_line(&line.text));
                Err((Fault::new(FaultKind::Protocol, problem), Some(slip)))
            }
        };
        (answer, line.thought, Some(self))
    }
}
