//! A program at a seat that speaks a foreign protocol: one process for the match, one
//! for every question, or one that plans the whole game, as the protocol has it. What
//! the lines say is the game's [`quintain_core::ForeignProtocol`].

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use quintain_core::{
    Answer, ExternalPlayer, Fault, FaultKind, ForeignProtocol, Lifecycle, MatchStart, Outcome,
    Question, ServerCodec,
};
use serde_json::Value;

use crate::process::{Line, NoLine, Process};
use crate::roster::{Bot, folder};
use crate::session::{fault_of, shown};

/// How long a process may take to end after its answer.
const FAREWELL: Duration = Duration::from_millis(200);

/// A program at a seat of one match, in a foreign protocol.
pub(crate) struct Foreign {
    bot: Arc<Bot>,
    dialect: ForeignProtocol,
    side: Box<dyn ServerCodec>,
    running: Option<Process>,
    /// What is still to be told before the next question.
    untold: String,
    /// The game's setting, for a program that is given the whole game.
    setting: Value,
    /// What is left of such a program's plan.
    plan: VecDeque<Value>,
}

/// This match cannot be told in this protocol, or the program's words are none of it.
fn misspoke(problem: String) -> Fault {
    Fault::new(FaultKind::Protocol, problem)
}

impl Foreign {
    pub(crate) fn new(bot: Arc<Bot>, dialect: ForeignProtocol) -> Foreign {
        let side = (dialect.referee)();
        Foreign {
            bot,
            dialect,
            side,
            running: None,
            untold: String::new(),
            setting: Value::Null,
            plan: VecDeque::new(),
        }
    }

    fn process(&mut self) -> &mut Process {
        self.running.as_mut().expect("asked only while it runs")
    }

    fn fail(&mut self, why: NoLine, time: Duration) -> Fault {
        let process = self.running.take().expect("fails only while it runs");
        fault_of(why, time, process)
    }

    /// What was expected instead of a line, with the program's last words.
    fn unexpected(&mut self, expected: &str, line: &str) -> Fault {
        let said = self.running.take().map(|process| process.end(Duration::ZERO).said);
        misspoke(format!("{expected}, got {}", shown(line))).saying(said.unwrap_or_default())
    }

    /// Reads lines until they make an answer.
    fn answered(
        &mut self,
        mut came: Result<Line, NoLine>,
        time: Duration,
    ) -> Result<Answer, Fault> {
        loop {
            let line = came.map_err(|why| self.fail(why, time))?;
            match self.side.answer(&line.text) {
                Ok(Some(action)) => {
                    self.bot.count(line.thought);
                    return Ok(Answer { action, thought: Some(line.thought), notes: Vec::new() });
                }
                Ok(None) => came = self.process().line(time),
                Err(expected) => return Err(self.unexpected(&expected, &line.text)),
            }
        }
    }

    fn in_the_match(&mut self, question: &Question) -> Result<Answer, Fault> {
        let text = self.side.question(question).map_err(misspoke)?;
        let text = std::mem::take(&mut self.untold) + &text;
        let mut time = self.bot.time_for(question);
        if question.turn == 0 {
            time += self.bot.limits().start.0;
        } else {
            // A program of these protocols may say more than it was asked for.
            let drained = self.process().drain();
            drained.map_err(|why| self.fail(why, time))?;
        }
        self.process().heed(question.stop.clone());
        let came = self.process().ask(text.as_bytes(), time);
        self.answered(came, time)
    }

    fn by_itself(&mut self, question: &Question) -> Result<Answer, Fault> {
        let text = self.side.question(question).map_err(misspoke)?;
        let time = self.bot.time_for(question) + self.bot.limits().start.0;
        self.running = Some(self.bot.run()?);
        self.process().heed(question.stop.clone());
        let came = self.process().ask(text.as_bytes(), time);
        self.process().close_input();
        let answer = self.answered(came, time)?;
        if let Some(process) = self.running.take() {
            process.end(FAREWELL);
        }
        Ok(answer)
    }

    fn planned(&mut self, question: &Question) -> Result<Answer, Fault> {
        let mut thought = Duration::ZERO;
        if question.turn == 0 {
            thought = self.make_plan(question)?;
        }
        let action = self.plan.pop_front();
        let action = action.ok_or_else(|| misspoke("its plan ends before the game".to_owned()))?;
        Ok(Answer { action, thought: Some(thought), notes: Vec::new() })
    }

    /// Has the program plan the whole game; how long that took.
    fn make_plan(&mut self, question: &Question) -> Result<Duration, Fault> {
        let time = self.bot.time_for(question);
        let given = folder().map_err(|error| misspoke(error.to_string()))?;
        let launch = self.side.launch(&self.setting, time, given.path()).map_err(misspoke)?;
        self.bot.given(&launch.files, &given)?;
        self.running = Some(self.bot.run_with(&launch.arguments, Some(given))?);
        let time = time + self.bot.limits().start.0;
        let process = self.process();
        process.heed(question.stop.clone());
        process.start_clock();
        let told = process.tell(launch.input.as_bytes(), std::time::Instant::now() + time);
        told.map_err(|why| self.fail(why, time))?;
        self.process().close_input();
        let output = self.process().rest(time).map_err(|why| self.fail(why, time))?;
        let planned = self.side.plan(&output.text);
        let report = self.running.take().expect("it has just written").end(FAREWELL);
        let actions = planned.map_err(|expected| {
            misspoke(format!("{expected}, got {}", shown(&output.text))).saying(report.said)
        })?;
        self.plan = actions.into();
        self.bot.count(output.thought);
        Ok(output.thought)
    }
}

impl ExternalPlayer for Foreign {
    fn start(&mut self, opening: &MatchStart, setting: &Value) -> Result<(), Fault> {
        self.untold = self.side.opening(opening).map_err(misspoke)?;
        self.setting = setting.clone();
        if self.dialect.manner == Lifecycle::Match {
            self.running = Some(self.bot.run()?);
        }
        Ok(())
    }

    fn answer(&mut self, question: &Question) -> Result<Answer, Fault> {
        match self.dialect.manner {
            Lifecycle::Match => self.in_the_match(question),
            Lifecycle::Question => self.by_itself(question),
            Lifecycle::Plan => self.planned(question),
        }
    }

    fn finish(&mut self, _outcome: &Outcome) {
        if let Some(mut process) = self.running.take() {
            process.close_input();
            process.end(FAREWELL);
        }
    }
}
