//! A service at one seat of one match, in the protocol of another referee: each question is the
//! body of a request.

use std::sync::Arc;

use quintain_core::{
    Answer, ExternalPlayer, Fault, FaultKind, ForeignProtocol, MatchStart, Outcome, Question,
    ServerCodec,
};
use serde_json::Value;
use ureq::http::Uri;

use crate::ask::{ask_text, quote};
use crate::service::Service;

pub(crate) struct ForeignPlayer {
    service: Arc<Service>,
    codec: Box<dyn ServerCodec>,
    events: Option<Events>,
    /// What comes before the next question.
    pending: String,
    /// The last question; empty before the first.
    last: String,
}

struct Events {
    start: Uri,
    play: Uri,
    end: Uri,
}

/// The fault of a match that the protocol cannot express, or of an answer that is not part of it.
fn protocol_fault(problem: impl ToString) -> Fault {
    Fault::new(FaultKind::Protocol, problem.to_string())
}

impl ForeignPlayer {
    /// # Errors
    /// If the service has no addresses for the protocol's events.
    pub(crate) fn new(
        service: Arc<Service>,
        protocol: &ForeignProtocol,
    ) -> Result<ForeignPlayer, String> {
        let below = |name| service.target.below(name);
        let events = match protocol.has_events {
            true => {
                Some(Events { start: below("start")?, play: below("move")?, end: below("end")? })
            }
            false => None,
        };
        let codec = (protocol.referee)();
        Ok(ForeignPlayer { service, codec, events, pending: String::new(), last: String::new() })
    }
}

impl ExternalPlayer for ForeignPlayer {
    fn start(&mut self, match_start: &MatchStart, setting: &Value) -> Result<(), Fault> {
        self.pending = self.codec.match_start(match_start, setting).map_err(protocol_fault)?;
        Ok(())
    }

    fn answer(&mut self, question: &Question) -> Result<Answer, Fault> {
        let time = question.time.unwrap_or(self.service.answer);
        let text = self.codec.question(question).map_err(protocol_fault)?;
        let text = std::mem::take(&mut self.pending) + &text;
        let Service { target, .. } = &*self.service;
        let is_first = std::mem::replace(&mut self.last, text).is_empty();
        let body = self.last.as_bytes();
        if let Some(events) = self.events.as_ref().filter(|_| is_first) {
            ask_text(target, &events.start, body, time)?;
        }
        let uri = self.events.as_ref().map_or(&target.uri, |events| &events.play);
        let said = ask_text(target, uri, body, time)?;
        // An object may be laid out over several lines.
        let line = said.lines().map(str::trim).collect::<Vec<_>>().join(" ");
        match self.codec.answer(line.trim()) {
            Ok(Some(action)) => Ok(Answer::from(action)),
            Ok(None) => Err(protocol_fault(format!("expected an answer, got {}", quote(&said)))),
            Err(expected) => Err(protocol_fault(format!("{expected}, got {}", quote(&said)))),
        }
    }

    fn finish(&mut self, _outcome: &Outcome) {
        if let Some(events) = self.events.as_ref().filter(|_| !self.last.is_empty()) {
            // Nothing depends on the answer.
            let Service { target, answer, .. } = &*self.service;
            let _ = ask_text(target, &events.end, self.last.as_bytes(), *answer);
        }
    }
}
