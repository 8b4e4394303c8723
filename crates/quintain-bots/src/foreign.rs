//! A program at a seat that speaks a foreign protocol: one process for the match or
//! one for every question, as the protocol has it. What the lines say is the game's
//! [`quintain_core::Dialect`].

use std::sync::Arc;
use std::time::Duration;

use quintain_core::{
    Answer, Dialect, Fault, FaultKind, Opening, Outcome, OutsidePlayer, Question, RefereeSide,
};

use serde_json::Value;

use crate::process::{NoLine, Process};
use crate::roster::Bot;
use crate::session::{fault_of, shown};

/// A program at a seat of one match, in a foreign protocol.
pub(crate) struct Foreign {
    bot: Arc<Bot>,
    dialect: Dialect,
    side: Box<dyn RefereeSide>,
    running: Option<Process>,
    /// What is still to be told before the next question.
    untold: String,
}

impl Foreign {
    pub(crate) fn new(bot: Arc<Bot>, dialect: Dialect) -> Foreign {
        let side = (dialect.referee)();
        Foreign { bot, dialect, side, running: None, untold: String::new() }
    }

    fn fail(&mut self, why: NoLine, time: Duration) -> Fault {
        match self.running.take() {
            Some(process) => fault_of(why, time, process),
            None => Fault::new(FaultKind::Crash, "it does not run"),
        }
    }

    fn line(&mut self, text: &[u8], time: Duration) -> Result<Answer, Fault> {
        let once = self.dialect.process_per_question;
        let process = self.running.as_mut().expect("asked only while it runs");
        let mut came = process.ask(text, time);
        if once {
            process.close_input();
        }
        loop {
            let line = match came {
                Ok(line) => line,
                Err(why) => return Err(self.fail(why, time)),
            };
            match self.side.answer(&line.text) {
                Ok(Some(action)) => {
                    return Ok(Answer { action, thought: Some(line.thought), notes: Vec::new() });
                }
                Ok(None) => {
                    let process = self.running.as_mut().expect("it has just spoken");
                    came = process.line(time);
                }
                Err(expected) => {
                    let process = self.running.take().expect("it has just spoken");
                    let said = process.end(Duration::ZERO).said;
                    let problem = format!("{expected}, got {}", shown(&line.text));
                    return Err(Fault::new(FaultKind::Protocol, problem).saying(said));
                }
            }
        }
    }
}

impl OutsidePlayer for Foreign {
    fn start(&mut self, opening: &Opening, _setting: &Value) -> Result<(), Fault> {
        let cannot = |problem| Fault::new(FaultKind::Protocol, problem);
        self.untold = self.side.opening(opening).map_err(cannot)?;
        if !self.dialect.process_per_question {
            self.running = Some(self.bot.run()?);
        }
        Ok(())
    }

    fn answer(&mut self, question: &Question) -> Result<Answer, Fault> {
        let cannot = |problem| Fault::new(FaultKind::Protocol, problem);
        let told = self.side.question(question).map_err(cannot)?;
        let text = std::mem::take(&mut self.untold) + &told;
        let mut time = self.bot.time_for(question);
        if self.dialect.process_per_question {
            self.running = Some(self.bot.run()?);
            time += self.bot.limits().start.0;
        } else if question.turn == 0 {
            time += self.bot.limits().start.0;
        } else {
            let drained = self.running.as_mut().expect("it has been started").drain();
            drained.map_err(|why| self.fail(why, time))?;
        }
        let answer = self.line(text.as_bytes(), time)?;
        if self.dialect.process_per_question
            && let Some(process) = self.running.take()
        {
            process.end(Duration::from_millis(200));
        }
        Ok(answer)
    }

    fn finish(&mut self, _outcome: &Outcome) {
        if let Some(mut process) = self.running.take() {
            process.close_input();
            process.end(Duration::from_millis(100));
        }
    }
}
