//! A module at a seat of one match: an instance, its fuel, and the conversation, which follows the
//! protocol whichever interface the instance has.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use quintain_core::{
    Answer, ExternalPlayer, Fault, FaultKind, LogContent, MatchStart, NumberedAnswer,
    NumberedQuestion, Outcome, Question,
};
use quintain_protocol::{
    FromProgram, NEWEST_PROTOCOL, PROTOCOL, Ready, Reply, ReplyParts, ToProgram,
};
use serde_json::Value;

use crate::direct::{Direct, DirectReply};
use crate::engine::Compiled;
use crate::fault::{Scene, fault, quote};
use crate::host::{Host, Wire};
use crate::limits::{FUEL_PER_NANOSECOND, Limits, START_FUEL, write_fuel};
use crate::module::Interface;
use crate::packed::pack;
use crate::patience::GivenUp;
use crate::program::{Program, Stop};

/// How many matches a module may make void since its fuel takes too long.
const MAX_GIVEN_UP: u32 = 2;

/// The figure that is noted for every decision: the fuel that it burnt.
const FUEL: &str = "fuel";

/// A module at a seat of one match; see the module.
pub(crate) struct WasmPlayer {
    compiled: Arc<Compiled>,
    limits: Limits,
    wire: Wire,
    instance: Option<Instance>,
    /// The turn that it was last asked about.
    turn: u32,
    /// The version of the protocol that it speaks.
    protocol: u32,
    log: Vec<(u32, LogContent)>,
    usage: Usage,
    /// The seat's seed and the current question, for a module that is asked in the packed encoding.
    seed: u64,
    packed: Vec<u8>,
}

enum Instance {
    Program(Program),
    Direct(Box<Direct>),
}

/// The fuel of a match.
#[derive(Default)]
struct Usage {
    start: u64,
    decisions: u64,
    total: u64,
    most: u64,
}

impl WasmPlayer {
    pub(crate) fn new(compiled: Arc<Compiled>, limits: Limits) -> WasmPlayer {
        WasmPlayer {
            compiled,
            limits,
            wire: Wire::default(),
            instance: None,
            turn: 0,
            protocol: PROTOCOL,
            log: Vec::new(),
            usage: Usage::default(),
            seed: 0,
            packed: Vec::new(),
        }
    }

    /// Starts an instance before anything is played. Returns the games that it says it plays; none
    /// if it may play any, or does not say.
    pub(crate) fn try_start(
        compiled: &Arc<Compiled>,
        limits: Limits,
    ) -> Result<Vec<String>, Fault> {
        let mut player = WasmPlayer::new(Arc::clone(compiled), limits);
        let host = Host::new(player.wire.clone(), 0, limits.memory);
        if compiled.interface == Interface::Program {
            player.instance = Some(Instance::Program(Program::new(Arc::clone(compiled), host)));
            return player.greet().map(|ready| ready.games).map_err(Fault::never_started);
        }
        let mut direct = Direct::new(Arc::clone(compiled), host);
        let tried = direct.try_start(START_FUEL);
        let failed = |stop| player.fail(&stop, "before init", START_FUEL).never_started();
        tried.map(|()| Vec::new()).map_err(failed)
    }

    /// Notes what it has written to standard error.
    fn hear(&mut self) {
        let text = self.wire.lock().stderr.take();
        self.log.extend(text.map(|text| (self.turn, LogContent::Stderr(text))));
    }

    fn fail(&mut self, stop: &Stop, when: &str, fuel: u64) -> Fault {
        self.instance = None;
        let scene = Scene { when, fuel, memory: self.limits.memory, wire: &self.wire };
        let mut fault = fault(stop, &scene);
        // A slow machine slows other modules, too: that this one is given up again and again is its
        // own doing, and it makes no more than a few matches void.
        if matches!(stop, Stop::GivenUp(GivenUp::TooLong(_)))
            && self.compiled.given_up.fetch_add(1, Ordering::Relaxed) >= MAX_GIVEN_UP
        {
            fault.kind = FaultKind::Timeout;
        }
        fault
    }

    /// Gives up a module whose output does not follow the protocol.
    fn refuse(&mut self, problem: String) -> Fault {
        self.instance = None;
        Fault::new(FaultKind::Protocol, problem).with_output(self.wire.lock().stderr.last_lines())
    }

    /// Greets an instance that communicates by lines.
    fn greet(&mut self) -> Result<Ready, Fault> {
        let hello = ToProgram::hello().line();
        self.step(&hello, START_FUEL, "hello")?;
        let line = self.take_line("hello")?;
        let Ok(FromProgram::Ready(ready)) = serde_json::from_str(&line) else {
            let expected = "{\"type\":\"ready\",…}";
            return Err(self.refuse(format!("hello: expected {expected}, got {}", quote(&line))));
        };
        if ready.protocol > NEWEST_PROTOCOL {
            let (theirs, newest) = (ready.protocol, NEWEST_PROTOCOL);
            let problem = format!(
                "hello: it speaks version {theirs} of the protocol; the newest here is {newest}"
            );
            return Err(self.refuse(problem));
        }
        self.protocol = ready.protocol;
        Ok(ready)
    }

    /// Starts an instance that communicates by lines: greets it and tells it about the match.
    fn start_program(&mut self, game: &str, message: &str) -> Result<(), Fault> {
        // A module that has started when it was checked makes no match void by starting no more.
        let has_started = self.compiled.games.get().is_some_and(Result::is_ok);
        let unstarted = |fault: Fault| if has_started { fault } else { fault.never_started() };
        let ready = self.greet().map_err(unstarted)?;
        if !ready.games.is_empty() && !ready.games.iter().any(|known| known == game) {
            let games = ready.games.join(", ");
            return Err(self.refuse(format!("it does not play {game}; it plays {games}")));
        }
        self.step(message, START_FUEL - self.usage.start, "start")
    }

    /// Sends a program a line before the first turn.
    fn step(&mut self, line: &str, fuel: u64, when: &str) -> Result<(), Fault> {
        let Some(Instance::Program(program)) = &mut self.instance else {
            unreachable!("a program is given lines")
        };
        let (burnt, result) = program.run(line.as_bytes(), fuel, None);
        self.usage.start += burnt;
        self.hear();
        result.map_err(|stop| self.fail(&stop, when, START_FUEL))
    }

    /// Takes the one line that it has written.
    fn take_line(&mut self, when: &str) -> Result<String, Fault> {
        let output = std::mem::take(&mut self.wire.lock().output);
        let text = String::from_utf8_lossy(&output);
        let problem = match text.split_once('\n') {
            Some((line, "")) => return Ok(line.to_owned()),
            Some((_, more)) => format!("it wrote more than one line: {}", quote(more)),
            None if text.is_empty() => "it waits for more, and has not answered".to_owned(),
            None => format!("its line has no end: {}", quote(&text)),
        };
        Err(self.refuse(format!("{when}: {problem}")))
    }

    /// Returns its reply to a question, and the fuel that it burnt.
    fn reply(
        &mut self,
        message: &[u8],
        fuel: u64,
        stop: Option<&AtomicBool>,
        when: &str,
    ) -> Result<(DirectReply, u64), Fault> {
        let (burnt, result) = match &mut self.instance {
            Some(Instance::Program(program)) => {
                let early = self.wire.lock().output.clone();
                if !early.is_empty() {
                    let early = quote(String::from_utf8_lossy(&early).trim_end());
                    let problem = format!("{when}: it spoke before it was asked: {early}");
                    return Err(self.refuse(problem));
                }
                let (burnt, result) = program.run(message, fuel, stop);
                (burnt, result.map(|()| None))
            }
            Some(Instance::Direct(direct)) => {
                let (burnt, result) = direct.ask(message, fuel, stop);
                (burnt, result.map(Some))
            }
            None => (0, Err(Stop::GivenUp(GivenUp::Match))),
        };
        self.usage.decisions += 1;
        self.usage.total += burnt;
        self.usage.most = self.usage.most.max(burnt);
        self.hear();
        match result {
            Ok(Some(reply)) => Ok((reply, burnt)),
            Ok(None) => Ok((DirectReply::Text(self.take_line(when)?), burnt)),
            Err(stop) => Err(self.fail(&stop, when, fuel)),
        }
    }

    /// The fuel of a decision for which the match gives this much time.
    fn fuel_for(&self, time: Option<Duration>) -> u64 {
        let time = time.map(|time| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
        self.limits.fuel_for(time, self.usage.total)
    }

    /// Reads a reply: the protocol's message or, in the direct interface, the action's text alone.
    fn read(&self, text: &str) -> Option<ReplyParts> {
        if let Ok(FromProgram::Action(reply)) = serde_json::from_str(text) {
            return Some(ReplyParts::new(reply, self.protocol));
        }
        let is_text = self.compiled.interface != Interface::Program && !text.starts_with('{');
        is_text.then(|| {
            let action = Value::from(text.trim());
            let reply = Reply { action, notes: Default::default(), draw: Vec::new() };
            ReplyParts::new(reply, self.protocol)
        })
    }
}

/// The time that burning this much fuel counts as for a module.
fn time_of(fuel: u64) -> Duration {
    Duration::from_nanos(fuel / FUEL_PER_NANOSECOND)
}

impl ExternalPlayer for WasmPlayer {
    fn start(&mut self, start: &MatchStart, setting: &Value) -> Result<(), Fault> {
        let (limits, compiled) = (self.limits, Arc::clone(&self.compiled));
        let host = Host::new(self.wire.clone(), start.seed, limits.memory);
        let message = ToProgram::start(1, start, setting).line();
        self.seed = start.seed;
        match compiled.interface {
            Interface::Program => {
                self.instance = Some(Instance::Program(Program::new(compiled, host)));
                self.start_program(&start.game, &message)
            }
            Interface::Direct | Interface::Packed => {
                let mut direct = Box::new(Direct::new(compiled, host));
                let (burnt, result) = direct.start(message.trim_end(), START_FUEL, None);
                self.usage.start = burnt;
                self.instance = Some(Instance::Direct(direct));
                self.hear();
                result.map_err(|stop| self.fail(&stop, "init", START_FUEL))
            }
        }
    }

    fn answer(&mut self, question: &Question) -> Result<Answer, Fault> {
        self.turn = question.turn;
        let fuel = self.fuel_for(question.time);
        let when = format!("turn {}", question.turn);
        let line = ToProgram::turn(question, time_of(fuel)).line();
        // Only a program reads lines.
        let message = match self.compiled.interface {
            Interface::Program => line.as_str(),
            Interface::Direct | Interface::Packed => line.trim_end(),
        };
        let stop = question.stop.as_deref();
        let (reply, burnt) = self.reply(message.as_bytes(), fuel, stop, &when)?;
        let DirectReply::Text(text) = reply else {
            return Err(self.refuse(format!("{when}: it is asked in numbers")));
        };
        let Some(ReplyParts { action, mut figures, log }) = self.read(&text) else {
            let expected = "{\"type\":\"action\",\"action\":…}";
            return Err(self.refuse(format!("{when}: expected {expected}, got {}", quote(&text))));
        };
        self.log.extend(log.into_iter().map(|content| (self.turn, content)));
        figures.retain(|(name, _)| name != FUEL);
        figures.push((FUEL.to_owned(), burnt as f64));
        // A module's time is its fuel, so the clocks of matches are the same on every machine, too.
        Ok(Answer::from(action).with_thought(time_of(burnt)).with_notes(figures))
    }

    fn answer_by_number(
        &mut self,
        question: &NumberedQuestion<'_>,
    ) -> Result<NumberedAnswer, Fault> {
        self.turn = question.turn;
        let fuel = self.fuel_for(question.time);
        let when = format!("turn {}", question.turn);
        let mut message = std::mem::take(&mut self.packed);
        pack(question, self.seed, time_of(fuel), &mut message);
        let reply = self.reply(&message, fuel, question.stop, &when);
        self.packed = message;
        let (DirectReply::Number(number), burnt) = reply? else {
            return Err(self.refuse(format!("{when}: it is not asked in numbers")));
        };
        let notes = vec![(FUEL.to_owned(), burnt as f64)];
        Ok(NumberedAnswer { number: number as usize, thought: Some(time_of(burnt)), notes })
    }

    fn finish(&mut self, _: &Outcome) {
        self.instance = None;
        let Usage { start, decisions, total, most } = self.usage;
        let text = format!(
            "{} in {decisions} decisions, at most {} in one; {} before the first",
            write_fuel(total),
            write_fuel(most),
            write_fuel(start)
        );
        self.log.push((self.turn, LogContent::Note { name: FUEL.to_owned(), text }));
    }

    fn take_log(&mut self) -> Vec<(u32, LogContent)> {
        std::mem::take(&mut self.log)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::compile;

    #[test]
    fn a_module_makes_no_more_than_a_few_matches_void_by_taking_too_long() {
        let text = "(module (memory (export \"memory\") 1) (func (export \"_start\")))";
        let bytes = wat::parse_str(text).unwrap();
        let compiled = Arc::new(compile(&bytes, |version| version).unwrap());
        let kinds = [(); 4].map(|()| {
            let mut player = WasmPlayer::new(Arc::clone(&compiled), Limits::default());
            let too_long = Stop::GivenUp(GivenUp::TooLong(Duration::from_secs(15)));
            player.fail(&too_long, "turn 0", 1).kind
        });
        let [arena, timeout] = [FaultKind::Arena, FaultKind::Timeout];
        assert_eq!(kinds, [arena, arena, timeout, timeout]);
    }
}
