//! A program at a seat of one match, in the Quintain protocol. [`crate::bot`] decides where its
//! process comes from and goes to afterwards; [`crate::foreign`] handles foreign protocols.

use std::sync::Arc;
use std::time::Duration;

use quintain_core::{
    Answer, ExternalPlayer, Fault, FaultKind, LogContent, MatchStart, Outcome, Question, Seat,
};
use serde_json::Value;

use crate::bot::{Bot, names};
use crate::connection::Connection;
use crate::faults::{AwaitedIn, Unstarted, end_with_fault, match_time_fault, time_left};
use crate::process::LineError;
use crate::slips::{Expected, explain_action, explain_lateness, explain_line, explain_silence};
use quintain_protocol::{FromProgram, Illegal, ReplyParts, ToProgram, quote_line};

/// How long a program may take to read a message that has no answer.
const READING: Duration = Duration::from_secs(1);

/// How many times as long as it may take a late answer is waited for, to say how late it is.
const OVERTIME: u32 = 2;

/// A program at a seat of one match, in the Quintain protocol.
pub(crate) struct Session {
    bot: Arc<Bot>,
    unstarted: Unstarted,
    running: Option<Connection>,
    /// The turn that it was last asked about: what it writes to standard error belongs to that
    /// turn.
    turn: u32,
    log: Vec<(u32, LogContent)>,
    seat: Seat,
    /// How often it has answered in this match.
    answers: u64,
    /// How long it has thought in this match.
    thought: Duration,
    /// The first message of this match, as long as the process that plays is one from an earlier
    /// match and has not answered in this one.
    start_again: Option<ToProgram>,
    /// Its last answer, if that was not one of the offered ones.
    unusual: Option<UnofferedAnswer>,
}

/// An answer that was not one of the offered ones: what is needed to explain what is wrong with it.
struct UnofferedAnswer {
    line: String,
    offered: Vec<String>,
    /// Whether the game reads a value as an action, if that is known.
    reads: Option<fn(&Value) -> bool>,
}

impl Session {
    pub(crate) fn new(bot: Arc<Bot>, unstarted: Unstarted) -> Session {
        Session {
            bot,
            unstarted,
            running: None,
            turn: 0,
            log: Vec::new(),
            seat: Seat::new(0),
            answers: 0,
            thought: Duration::ZERO,
            start_again: None,
            unusual: None,
        }
    }

    /// Notes what it has written to standard error, if anything.
    fn log_stderr(&mut self, text: Option<String>) {
        self.log.extend(text.map(|text| (self.turn, LogContent::Stderr(text))));
    }

    /// Reads what it has written to standard error.
    fn hear(&mut self) {
        let text = self.running.as_mut().and_then(|running| running.process.take_stderr());
        self.log_stderr(text);
    }

    /// Sends a message that has no answer.
    fn notify(&mut self, message: &ToProgram) -> Result<(), Fault> {
        let text = message.line();
        let connection = self.running.as_mut().expect("notified only while it runs");
        match connection.process.notify(text.as_bytes(), READING) {
            Ok(()) => Ok(()),
            Err(why) => Err(self.fail(why, READING)),
        }
    }

    fn fail(&mut self, why: LineError, time: Duration) -> Fault {
        let mut connection = self.running.take().expect("fails only while it runs");
        let process = &mut connection.process;
        let slip = (why == LineError::Late).then(|| {
            let waits = self.bot.waits_for_late_answers();
            match waits.then(|| process.read_line(OVERTIME * time)) {
                Some(Ok(line)) => explain_lateness(line.thought, time),
                _ => explain_silence(&process.partial_line(), process.has_computed(time / 2)),
            }
        });
        let (fault, text) = end_with_fault(why, time, AwaitedIn::Match, connection.process);
        self.log_stderr(text);
        if fault.kind == FaultKind::Timeout {
            self.bot.note_slip(slip);
        }
        fault
    }

    /// Lets a new process take the place of one that has failed, where that may have been about to
    /// end after the match before: if it has crashed without an answer in this match. A program
    /// that crashes because of this match will do so again in the new process, so what is recorded
    /// does not depend on when a process ended.
    ///
    /// # Errors
    /// The fault, if it counts.
    fn replace(&mut self, fault: Fault) -> Result<(), Fault> {
        let Some(mut start) = self.start_again.take_if(|_| fault.kind == FaultKind::Crash) else {
            return Err(fault);
        };
        if let ToProgram::Start(start) = &mut start {
            start.number = 1;
        }
        // What the old process wrote is about the match before.
        self.log.clear();
        // A program that has started before and has seen this match may not make it void by
        // starting no more.
        let Ok(connection) = self.bot.open() else { return Err(fault) };
        self.begin(connection, &start)
    }

    /// Begins the match with a process.
    fn begin(&mut self, mut connection: Connection, start: &ToProgram) -> Result<(), Fault> {
        let text = connection.process.take_stderr();
        // If the process has played before, this text is about the match before.
        if connection.matches == 0 {
            self.log_stderr(text);
        }
        connection.matches += 1;
        connection.process.renew_allowance();
        self.running = Some(connection);
        self.notify(start)
    }

    fn protocol_fault(&mut self, problem: String) -> Fault {
        let connection = self.running.take().expect("speaks only while it runs");
        let mut report = connection.process.end(Duration::ZERO);
        self.log_stderr(report.log.take());
        Fault::new(FaultKind::Protocol, problem).with_output(report.said)
    }
}

impl ExternalPlayer for Session {
    fn start(&mut self, start: &MatchStart, setting: &Value) -> Result<(), Fault> {
        let connection = self.bot.connect().map_err(|fault| match self.bot.has_answered() {
            // A program that has played makes no match void by starting no more.
            true => fault,
            false => self.unstarted.judge(fault),
        })?;
        let games = &connection.ready.games;
        if !names(games, &start.game) {
            let problem = format!("it does not play {}; it plays {}", start.game, games.join(", "));
            self.bot.give_back(connection);
            return Err(Fault::new(FaultKind::Protocol, problem));
        }
        self.seat = start.seat;
        let has_played = connection.matches > 0;
        let message = ToProgram::start(connection.matches + 1, start, setting);
        let begun = self.begin(connection, &message);
        self.start_again = has_played.then_some(message);
        begun.or_else(|fault| self.replace(fault))
    }

    fn answer(&mut self, question: &Question) -> Result<Answer, Fault> {
        // It may have written more after its last answer.
        self.hear();
        self.turn = question.turn;
        let time = time_left(self.bot.limits(), self.thought, self.bot.time_for(question))?;
        // The time that a process used which ended instead of answering.
        let mut used = Duration::ZERO;
        let line = loop {
            let left = time.saturating_sub(used);
            let text = ToProgram::turn_line(question, left);
            let connection = self.running.as_mut().expect("asked only while it runs");
            connection.process.stop_when(question.stop.clone());
            match connection.process.ask(text.as_bytes(), left) {
                Ok(line) => break line,
                Err(why) => {
                    used = connection.process.thinking_time();
                    let mut fault = self.fail(why, time);
                    let limits = self.bot.limits();
                    if fault.kind == FaultKind::Timeout && time < self.bot.time_for(question) {
                        fault = match_time_fault(limits).with_output(fault.said);
                    }
                    self.replace(fault)?;
                }
            }
        };
        self.start_again = None;
        let thought = used + line.thought;
        let connection = self.running.as_mut().expect("it has just answered");
        let protocol = connection.ready.protocol;
        connection.process.rest();
        if connection.process.may_have_complained() {
            self.hear();
        }
        match serde_json::from_str(&line.text) {
            Ok(FromProgram::Action(reply)) => {
                self.bot.record_time(thought);
                self.thought += thought;
                self.answers += 1;
                let is_offered = |text: &str| question.actions.iter().any(|known| known == text);
                self.unusual = match reply.action.as_str().is_some_and(is_offered) {
                    true => None,
                    false => Some(UnofferedAnswer {
                        line: line.text,
                        offered: question.actions.clone(),
                        reads: question.reads,
                    }),
                };
                let ReplyParts { action, figures, log } = ReplyParts::new(reply, protocol);
                self.log.extend(log.into_iter().map(|content| (self.turn, content)));
                Ok(Answer::from(action).with_thought(thought).with_notes(figures))
            }
            _ => {
                let expected = Expected::Action(&question.actions);
                self.bot.note_slip(Some(explain_line(&line.text, expected)));
                Err(self.protocol_fault(format!(
                    "turn {}: expected {{\"type\":\"action\",\"action\":…}}, got {}",
                    question.turn,
                    quote_line(&line.text)
                )))
            }
        }
    }

    /// Lines count as answers in the order in which they come. Whether a line came before its
    /// question is not checked: only time could tell, and time differs from run to run. Surplus
    /// lines are found at the end of the match, whenever they came.
    fn settle(&mut self) -> Result<(), Fault> {
        let Some(connection) = &mut self.running else { return Ok(()) };
        match connection.process.surplus_line() {
            Ok(None) => Ok(()),
            Ok(Some(line)) => {
                self.bot.note_slip(Some(explain_line(&line, Expected::Nothing)));
                let line = quote_line(&line);
                Err(self.protocol_fault(match self.answers {
                    0 => format!("it spoke without being asked: {line}"),
                    1 => format!("it spoke more often than it was asked, which was once: {line}"),
                    times => format!(
                        "it spoke more often than it was asked, which was {times} times: {line}"
                    ),
                }))
            }
            Err(why) => Err(self.fail(why, READING)),
        }
    }

    fn finish(&mut self, outcome: &Outcome) {
        self.hear();
        if self.running.is_none() {
            return;
        }
        let fault = outcome.fault.as_ref();
        if let (Some(fault), Some(UnofferedAnswer { line, offered, reads })) =
            (fault, &self.unusual)
            && fault.seat == self.seat
        {
            // An answer to an earlier question is often not a valid answer to this one.
            let surplus =
                self.running.as_mut().and_then(|running| running.process.surplus_line().ok()?);
            self.bot.note_slip(match surplus {
                Some(line) => Some(explain_line(&line, Expected::Nothing)),
                None => {
                    let reads = |action: &Value| reads.is_some_and(|reads| reads(action));
                    explain_action(&fault.fault, line, offered, &reads)
                }
            });
        }
        if let Some(fault) = fault.filter(|fault| fault.fault.kind == FaultKind::Illegal) {
            let _ =
                self.notify(&ToProgram::Illegal(Illegal { reason: fault.fault.detail.clone() }));
        }
        let end = ToProgram::end(outcome);
        if self.running.is_some() && self.notify(&end).is_ok() {
            let connection = self.running.take().expect("it was notified just now");
            self.bot.give_back(connection);
        }
    }

    fn take_log(&mut self) -> Vec<(u32, LogContent)> {
        std::mem::take(&mut self.log)
    }
}
