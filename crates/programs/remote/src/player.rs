//! A service at one seat of one match.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use quintain_core::{Answer, ExternalPlayer, Fault, FaultKind, LogContent, MatchStart, Question};
use quintain_protocol::{NEWEST_PROTOCOL, Reply, ReplyParts, ToProgram};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ask::{ask, quote};
use crate::service::Service;

/// The number of the next match.
static NEXT: AtomicU64 = AtomicU64::new(1);

pub(crate) struct ServicePlayer {
    service: Arc<Service>,
    /// What every question of the match repeats.
    start: Value,
    log: Vec<(u32, LogContent)>,
}

/// The body of a request. It borrows the observation, which may be large.
#[derive(Serialize)]
#[serde(tag = "type", rename = "turn")]
struct Body<'a> {
    protocol: u32,
    start: &'a Value,
    turn: u32,
    observation: &'a Value,
    actions: &'a [String],
    time_ms: u64,
}

impl ServicePlayer {
    pub(crate) fn new(service: Arc<Service>) -> ServicePlayer {
        ServicePlayer { service, start: Value::Null, log: Vec::new() }
    }
}

impl ExternalPlayer for ServicePlayer {
    fn start(&mut self, match_start: &MatchStart, setting: &Value) -> Result<(), Fault> {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let message = ToProgram::start(number, match_start, setting);
        self.start = serde_json::to_value(message).expect("messages have a JSON form");
        Ok(())
    }

    fn answer(&mut self, question: &Question) -> Result<Answer, Fault> {
        let time = question.time.unwrap_or(self.service.answer);
        let body = serde_json::to_vec(&Body {
            protocol: NEWEST_PROTOCOL,
            start: &self.start,
            turn: question.turn,
            observation: &question.observation,
            actions: &question.actions,
            time_ms: time.as_millis() as u64,
        });
        let body = body.expect("values have a JSON form");
        let answer = ask(&self.service.target, &body, time)?;
        let reply = Reply::deserialize(&answer).map_err(|error| {
            let said = quote(&answer.to_string());
            let problem = format!("expected {{\"action\":…}}, got {said} ({error})");
            Fault::new(FaultKind::Protocol, problem)
        })?;
        let parts = ReplyParts::new(reply, NEWEST_PROTOCOL);
        self.log.extend(parts.log.into_iter().map(|content| (question.turn, content)));
        Ok(Answer::from(parts.action).with_notes(parts.figures))
    }

    fn take_log(&mut self) -> Vec<(u32, LogContent)> {
        std::mem::take(&mut self.log)
    }
}
