//! A program at a seat: the conversation of one match in the Quintain protocol or a
//! foreign one, and what each way of failing is called. The process is
//! [`crate::process`]'s, where it comes from and goes to [`crate::roster`]'s.

use std::sync::Arc;
use std::time::{Duration, Instant};

use quintain_core::{Answer, ExternalPlayer, Fault, FaultKind, MatchStart, Outcome, Question};

use serde_json::Value;

use crate::process::{NoLine, Process};
use crate::protocol::{FromProgram, Illegal, Ready, ToProgram};
use crate::roster::Bot;
use crate::sandbox::{Ending, Report};

/// How long a program may take to read what asks no answer.
const READING: Duration = Duration::from_secs(1);
/// What is shown of a line that was not understood.
const SHOWN: usize = 80;

/// A process with what is known of its program.
pub(crate) struct Known {
    pub(crate) process: Process,
    pub(crate) ready: Ready,
    pub(crate) matches: u64,
}

/// A program at a seat of one match, in the Quintain protocol.
pub(crate) struct Session {
    bot: Arc<Bot>,
    running: Option<Known>,
}

impl Session {
    pub(crate) fn new(bot: Arc<Bot>) -> Session {
        Session { bot, running: None }
    }

    /// Sends a message that asks no answer.
    fn tell(&mut self, message: &ToProgram) -> Result<(), Fault> {
        let text = message.line();
        let known = self.running.as_mut().expect("told only while it runs");
        match known.process.tell(text.as_bytes(), Instant::now() + READING) {
            Ok(()) => Ok(()),
            Err(why) => Err(self.fail(why, READING)),
        }
    }

    fn fail(&mut self, why: NoLine, time: Duration) -> Fault {
        let known = self.running.take().expect("fails only while it runs");
        fault_of(why, time, known.process)
    }

    fn misspoke(&mut self, problem: String) -> Fault {
        let known = self.running.take().expect("speaks only while it runs");
        let report = known.process.end(Duration::ZERO);
        Fault::new(FaultKind::Protocol, problem).saying(report.said)
    }
}

impl ExternalPlayer for Session {
    fn start(&mut self, opening: &MatchStart, setting: &Value) -> Result<(), Fault> {
        let mut known = self.bot.process()?;
        let games = &known.ready.games;
        if !games.is_empty() && !games.contains(&opening.game) {
            let problem =
                format!("it does not play {}; it plays {}", opening.game, games.join(", "));
            self.bot.give_back(known);
            return Err(Fault::new(FaultKind::Protocol, problem));
        }
        known.matches += 1;
        known.process.renew_allowance();
        let message = ToProgram::start(known.matches, opening, setting);
        self.running = Some(known);
        self.tell(&message)
    }

    fn answer(&mut self, question: &Question) -> Result<Answer, Fault> {
        let time = self.bot.time_for(question);
        let text = ToProgram::turn(question, time).line();
        let known = self.running.as_mut().expect("asked only while it runs");
        // Closed output is told below, as what it is.
        if let Ok(Some(line)) = known.process.unasked() {
            let (turn, line) = (question.turn, shown(&line));
            return Err(self.misspoke(format!("turn {turn}: it spoke before it was asked: {line}")));
        }
        known.process.heed(question.stop.clone());
        let line = match known.process.ask(text.as_bytes(), time) {
            Ok(line) => line,
            Err(why) => return Err(self.fail(why, time)),
        };
        match serde_json::from_str(&line.text) {
            Ok(FromProgram::Action(reply)) => {
                self.bot.count(line.thought);
                Ok(Answer {
                    action: reply.action,
                    thought: Some(line.thought),
                    notes: reply.notes.into_iter().collect(),
                })
            }
            _ => Err(self.misspoke(format!(
                "turn {}: expected {{\"type\":\"action\",\"action\":…}}, got {}",
                question.turn,
                shown(&line.text)
            ))),
        }
    }

    fn finish(&mut self, outcome: &Outcome) {
        if self.running.is_none() {
            return;
        }
        let fault = outcome.fault.as_ref();
        if let Some(fault) = fault.filter(|fault| fault.fault.kind == FaultKind::Illegal) {
            let _ = self.tell(&ToProgram::Illegal(Illegal { reason: fault.fault.detail.clone() }));
        }
        let end = ToProgram::end(outcome);
        if self.running.is_some() && self.tell(&end).is_ok() {
            let known = self.running.take().expect("it was told just now");
            self.bot.give_back(known);
        }
    }
}

/// Starts a process and greets it.
pub(crate) fn greet(mut process: Process, time: Duration) -> Result<Known, Fault> {
    let line = match process.ask(ToProgram::hello().line().as_bytes(), time) {
        Ok(line) => line,
        Err(why) => return Err(fault_of(why, time, process)),
    };
    match serde_json::from_str(&line.text) {
        Ok(FromProgram::Ready(ready)) => Ok(Known { process, ready, matches: 0 }),
        _ => {
            let said = process.end(Duration::ZERO).said;
            let problem =
                format!("hello: expected {{\"type\":\"ready\",…}}, got {}", shown(&line.text));
            Err(Fault::new(FaultKind::Protocol, problem).saying(said))
        }
    }
}

/// Says goodbye to a process that is not needed any more; whether it ended by itself
/// within this time.
pub(crate) fn part(mut known: Known, grace: Duration) -> bool {
    let bye = ToProgram::Bye {}.line();
    let _ = known.process.tell(bye.as_bytes(), Instant::now());
    known.process.close_input();
    !matches!(known.process.end(grace).ending, Ending::Stopped)
}

/// What a line that was not understood looked like, cut to size.
pub(crate) fn shown(line: &str) -> String {
    let mut text: String = line.chars().take(SHOWN).flat_map(char::escape_debug).collect();
    if line.chars().nth(SHOWN).is_some() {
        text.push('…');
    }
    format!("“{text}”")
}

/// Ends a process that gave no line, and says what that was.
pub(crate) fn fault_of(why: NoLine, time: Duration, process: Process) -> Fault {
    // A process that has closed its output is usually about to end by itself.
    let grace = match why {
        NoLine::Closed => Duration::from_millis(50),
        _ => Duration::ZERO,
    };
    let limits = process.limits().clone();
    let Report { ending, said, .. } = process.end(grace);
    let (kind, detail) = match (ending, why) {
        (Ending::Memory(bytes), _) => (
            FaultKind::Memory,
            format!("it took {} MB of memory; it may take {}", bytes >> 20, limits.memory),
        ),
        (ending @ Ending::Processes(_), _) => {
            (FaultKind::Processes, format!("{ending}; it may have {}", limits.processes))
        }
        (ending @ Ending::Cpu(_), _) => {
            (FaultKind::Timeout, format!("{ending} in all; it may use {}", limits.cpu))
        }
        (Ending::Flood, _) | (_, NoLine::Flood) => {
            (FaultKind::Flood, format!("it wrote more than {} in one match", limits.output))
        }
        (_, NoLine::Long) => {
            (FaultKind::Flood, format!("it wrote more than {} without a line end", limits.line))
        }
        (_, NoLine::Late) => (FaultKind::Timeout, format!("no answer within {time:?}")),
        (Ending::Stopped, NoLine::Closed) => {
            (FaultKind::Crash, "it closed its standard output".to_owned())
        }
        (ending, NoLine::Closed) => (FaultKind::Crash, ending.to_string()),
        (_, NoLine::Broken(problem)) => (FaultKind::Crash, format!("its pipe failed: {problem}")),
    };
    Fault::new(kind, detail).saying(said)
}
