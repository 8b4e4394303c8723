//! A program at a seat that speaks a foreign protocol. There is one process for the match, one for
//! every question, or one that plans the whole game, as the protocol's [`Lifecycle`] says. The
//! game's [`quintain_core::ForeignProtocol`] decides what the lines mean.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use quintain_core::{
    Answer, ExternalPlayer, Fault, FaultKind, ForeignProtocol, Lifecycle, LogContent, MatchStart,
    Outcome, ProtocolError, Question, ServerCodec,
};
use quintain_protocol::quote_line;
use serde_json::Value;

use crate::bot::Bot;
use crate::faults::{AwaitedIn, Unstarted, end_with_fault, time_left};
use crate::process::{Line, LineError, Process};
use crate::report::ProgramEnd;

/// How long a process may take to end after its answer.
const FAREWELL: Duration = Duration::from_millis(200);

/// How long a process may take to end after output that is not part of its protocol.
const LAST_WORDS: Duration = Duration::from_millis(50);

/// A program at a seat of one match, in a foreign protocol.
pub(crate) struct Foreign {
    bot: Arc<Bot>,
    unstarted: Unstarted,
    protocol: ForeignProtocol,
    codec: Box<dyn ServerCodec>,
    running: Option<Process>,
    /// Text to be sent with the next question: many of these protocols describe the match and ask
    /// the first question in one message.
    pending: String,
    /// The game's setting, for a program that plans the whole game.
    setting: Value,
    /// The remaining plan of such a program.
    plan: VecDeque<Value>,
    /// The turn that it was last asked about: what it writes to standard error belongs to that
    /// turn.
    turn: u32,
    log: Vec<(u32, LogContent)>,
    /// How long it has thought in this match.
    thought: Duration,
}

/// The fault of a match that the protocol cannot express, or of a line that is not part of it.
fn protocol_fault(problem: impl ToString) -> Fault {
    Fault::new(FaultKind::Protocol, problem.to_string())
}

impl Foreign {
    pub(crate) fn new(bot: Arc<Bot>, protocol: ForeignProtocol, unstarted: Unstarted) -> Foreign {
        let codec = (protocol.referee)();
        Foreign {
            bot,
            unstarted,
            protocol,
            codec,
            running: None,
            pending: String::new(),
            setting: Value::Null,
            plan: VecDeque::new(),
            turn: 0,
            log: Vec::new(),
            thought: Duration::ZERO,
        }
    }

    /// Notes what it has written to standard error, if anything.
    fn log_stderr(&mut self, text: Option<String>) {
        self.log.extend(text.map(|text| (self.turn, LogContent::Stderr(text))));
    }

    /// Reads what it has written to standard error.
    fn hear(&mut self) {
        let text = self.running.as_mut().and_then(Process::take_stderr);
        self.log_stderr(text);
    }

    /// Ends its process. Returns the last lines of its standard error.
    fn end(&mut self, grace: Duration) -> Vec<String> {
        let Some(process) = self.running.take() else { return Vec::new() };
        let mut report = process.end(grace);
        self.log_stderr(report.log.take());
        report.said
    }

    fn process(&mut self) -> &mut Process {
        self.running.as_mut().expect("asked only while it runs")
    }

    fn fail(&mut self, why: LineError, time: Duration) -> Fault {
        let process = self.running.take().expect("fails only while it runs");
        let (fault, text) = end_with_fault(why, time, AwaitedIn::Match, process);
        self.log_stderr(text);
        match fault.kind {
            FaultKind::Crash => self.judge(fault),
            _ => fault,
        }
    }

    /// The fault of a program that crashed. These protocols have no greeting: it has started once
    /// it has answered.
    fn judge(&self, fault: Fault) -> Fault {
        if self.bot.has_answered() { fault } else { self.unstarted.judge(fault) }
    }

    /// The fault of a line other than `expected`, with the last lines of the program's standard
    /// error.
    fn line_fault(&mut self, expected: &ProtocolError, line: &str) -> Fault {
        self.output_fault(format!("{expected}, got {}", quote_line(line)), LAST_WORDS)
    }

    /// The fault of output that is not part of the protocol: a crash if the program then ends with
    /// an error by itself, since what it wrote is often about that.
    fn output_fault(&mut self, problem: String, grace: Duration) -> Fault {
        let Some(process) = self.running.take() else { return protocol_fault(problem) };
        let mut report = process.end(grace);
        self.log_stderr(report.log.take());
        let fault = match report.ending {
            ending @ (ProgramEnd::Exited(1..) | ProgramEnd::Killed(_)) => {
                self.judge(Fault::new(FaultKind::Crash, format!("{ending}; {problem}")))
            }
            _ => protocol_fault(problem),
        };
        fault.with_output(report.said)
    }

    /// Reads lines until they form an answer.
    fn read_answer(
        &mut self,
        mut came: Result<Line, LineError>,
        time: Duration,
    ) -> Result<Answer, Fault> {
        loop {
            let line = came.map_err(|why| self.fail(why, time))?;
            match self.codec.answer(&line.text) {
                Ok(Some(action)) => {
                    self.process().rest();
                    self.hear();
                    self.bot.record_time(line.thought);
                    self.thought += line.thought;
                    return Ok(Answer::from(action).with_thought(line.thought));
                }
                Ok(None) => came = self.process().read_line(time),
                Err(expected) => return Err(self.line_fault(&expected, &line.text)),
            }
        }
    }

    fn answer_in_match(&mut self, question: &Question) -> Result<Answer, Fault> {
        let text = self.codec.question(question).map_err(protocol_fault)?;
        let text = std::mem::take(&mut self.pending) + &text;
        let time = self.bot.time_for(question);
        let mut time = time_left(self.bot.limits(), self.thought, time)?;
        if question.turn == 0 {
            time += self.bot.limits().start.0;
        } else {
            // Some of these programs print debugging lines between their answers.
            let drained = self.process().drain();
            drained.map_err(|why| self.fail(why, time))?;
        }
        self.process().stop_when(question.stop.clone());
        let came = self.process().ask(text.as_bytes(), time);
        self.read_answer(came, time)
    }

    fn answer_in_new_process(&mut self, question: &Question) -> Result<Answer, Fault> {
        let text = self.codec.question(question).map_err(protocol_fault)?;
        let time = self.bot.time_for(question);
        let time = time_left(self.bot.limits(), self.thought, time)?;
        let start = self.bot.limits().start.0;
        self.running = Some(self.bot.run().map_err(|fault| self.judge(fault))?);
        self.process().stop_when(question.stop.clone());
        let came = self.process().ask_at_start(text.as_bytes(), start, time);
        self.process().close_input();
        let answer = self.read_answer(came, time)?;
        self.end(FAREWELL);
        Ok(answer)
    }

    fn answer_from_plan(&mut self, question: &Question) -> Result<Answer, Fault> {
        let mut thought = Duration::ZERO;
        if question.turn == 0 {
            thought = self.make_plan(question)?;
        }
        let action = self.plan.pop_front();
        let action = action.ok_or_else(|| protocol_fault("its plan ends before the game does"))?;
        Ok(Answer::from(action).with_thought(thought))
    }

    /// Has the program plan the whole game. Returns how long it took.
    fn make_plan(&mut self, question: &Question) -> Result<Duration, Fault> {
        let time = self.bot.time_for(question);
        let given = self.bot.new_folder().map_err(protocol_fault)?;
        let launch =
            self.codec.launch(&self.setting, time, given.path()).map_err(protocol_fault)?;
        self.bot.write_files(&launch.files, &given)?;
        let started = self.bot.run_with(&launch.arguments, Some(given));
        self.running = Some(started.map_err(|fault| self.judge(fault))?);
        let time = time + self.bot.limits().start.0;
        let process = self.process();
        process.stop_when(question.stop.clone());
        process.start_clock();
        let sent = process.send(launch.input.as_bytes(), time);
        sent.map_err(|why| self.fail(why, time))?;
        self.process().close_input();
        let output = self.process().read_to_end(time).map_err(|why| self.fail(why, time))?;
        let planned = self.codec.plan(&output.text);
        self.plan = planned.map(Into::into).map_err(|expected| {
            let problem = format!("{expected}, got {}", quote_line(&output.text));
            self.output_fault(problem, FAREWELL)
        })?;
        self.end(FAREWELL);
        self.bot.record_time(output.thought);
        Ok(output.thought)
    }
}

impl ExternalPlayer for Foreign {
    fn start(&mut self, start: &MatchStart, setting: &Value) -> Result<(), Fault> {
        self.pending = self.codec.match_start(start, setting).map_err(protocol_fault)?;
        self.setting = setting.clone();
        if self.protocol.lifecycle == Lifecycle::Match {
            self.running = Some(self.bot.run().map_err(|fault| self.judge(fault))?);
        }
        Ok(())
    }

    fn answer(&mut self, question: &Question) -> Result<Answer, Fault> {
        // It may have written more after its last answer.
        self.hear();
        self.turn = question.turn;
        match self.protocol.lifecycle {
            Lifecycle::Match => self.answer_in_match(question),
            Lifecycle::Question => self.answer_in_new_process(question),
            Lifecycle::Plan => self.answer_from_plan(question),
            _ => Err(protocol_fault("programs of its protocol cannot be run")),
        }
    }

    fn finish(&mut self, _outcome: &Outcome) {
        if let Some(process) = &mut self.running {
            process.close_input();
        }
        self.end(FAREWELL);
    }

    fn take_log(&mut self) -> Vec<(u32, LogContent)> {
        std::mem::take(&mut self.log)
    }
}
