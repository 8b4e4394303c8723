//! Takes in the results of workers, none of which is trusted: parts are joined to packets,
//! packets hold answers, and an answer counts if its record is valid and has the id of the
//! fixture with its number. A result that comes twice counts once, two different results of
//! one fixture are a conflict, and a fixture whose record is not valid is played again.
//! Nothing here speaks to the server: messages come in, and tokens to acknowledge go out.

use std::collections::HashMap;
use std::time::Duration;

use async_nats::HeaderMap;
use quintain_arena::{Ledger, PendingFixtures};
use quintain_core::Record;

use crate::wire::{Answer, part_of, unpack};

/// How many invalid records a fixture may get before it counts as failed.
const MOST_STRIKES: u8 = 3;

/// What a coordinator knows of its fixtures. `T` is the token that acknowledges a message.
pub(crate) struct ResultConsumer<'a, 'm, 'l, T> {
    missing: &'a PendingFixtures<'m>,
    ledger: &'a Ledger<'l>,
    /// A bit for each fixture: whether it has an answer. Bits, since there may be 10⁸.
    answered: Vec<u64>,
    /// The number of fixtures without an answer.
    left: u64,
    /// The number of those that are published.
    out: u64,
    /// Numbers of fixtures to be published again.
    again: Vec<u64>,
    /// The number of the next fixture to be looked at.
    cursor: u64,
    strikes: HashMap<u64, u8>,
    packets: HashMap<String, Packet<T>>,
}

/// The parts of a packet that have come.
struct Packet<T> {
    parts: Vec<Option<Vec<u8>>>,
    tokens: Vec<T>,
}

impl<'a, 'm, 'l, T> ResultConsumer<'a, 'm, 'l, T> {
    pub(crate) fn new(missing: &'a PendingFixtures<'m>, ledger: &'a Ledger<'l>) -> Self {
        ResultConsumer {
            missing,
            ledger,
            answered: Vec::new(),
            left: missing.count(),
            out: 0,
            again: Vec::new(),
            cursor: 0,
            strikes: HashMap::new(),
            packets: HashMap::new(),
        }
    }

    /// Fixtures without an answer.
    pub(crate) fn left(&self) -> u64 {
        self.left
    }

    /// Fixtures that are published and without an answer.
    pub(crate) fn out(&self) -> u64 {
        self.out
    }

    /// The next fixture to be published, which counts as out from now on.
    pub(crate) fn next(&mut self) -> Option<u64> {
        while let Some(index) = self.again.pop() {
            if self.is_wanted(index) {
                self.out += 1;
                return Some(index);
            }
        }
        while self.cursor < self.missing.schedule().len() {
            let index = self.cursor;
            self.cursor += 1;
            if self.is_wanted(index) {
                self.out += 1;
                return Some(index);
            }
        }
        None
    }

    /// Takes back fixtures that could not be published.
    pub(crate) fn take_back(&mut self, indices: impl IntoIterator<Item = u64>) {
        for index in indices {
            self.out = self.out.saturating_sub(1);
            self.again.push(index);
        }
    }

    /// Starts over when nothing is on its way any more: every fixture without an answer is to
    /// be published again. Returns the tokens of incomplete packets, which are dropped.
    pub(crate) fn start_over(&mut self) -> Vec<T> {
        self.out = 0;
        self.again.clear();
        self.cursor = 0;
        self.packets.drain().flat_map(|(_, packet)| packet.tokens).collect()
    }

    /// Takes in a message, and calls `on_match` with the time of each match in it. Returns the
    /// tokens to be acknowledged once the ledger has been written: none while parts of the
    /// packet are missing, since an acknowledged part would never be sent again.
    pub(crate) fn accept(
        &mut self,
        headers: Option<&HeaderMap>,
        payload: &[u8],
        token: T,
        on_match: &mut dyn FnMut(Duration),
    ) -> Vec<T> {
        let Some((id, number, of)) = part_of(headers) else {
            tracing::warn!("a message that is no part of a packet was dropped");
            return vec![token];
        };
        let packet = self
            .packets
            .entry(id.clone())
            .or_insert_with(|| Packet { parts: vec![None; of], tokens: Vec::new() });
        packet.tokens.push(token);
        if packet.parts.len() == of {
            packet.parts[number] = Some(payload.to_vec());
        }
        if packet.parts.iter().any(Option::is_none) {
            return Vec::new();
        }
        let packet = self.packets.remove(&id).expect("it was just completed");
        let bytes: Vec<u8> = packet.parts.into_iter().flatten().flatten().collect();
        match unpack(&bytes) {
            Ok(answers) => {
                for answer in answers {
                    on_match(Duration::from_micros(answer.elapsed_us));
                    self.answer(&answer);
                }
            }
            Err(problem) => tracing::warn!("a packet of records cannot be read: {problem}"),
        }
        packet.tokens
    }

    fn answer(&mut self, answer: &Answer) {
        let index = answer.index;
        if index >= self.missing.schedule().len() {
            tracing::warn!("a record of fixture {index}, which this tournament does not have");
            return;
        }
        match (&answer.record, &answer.problem) {
            (Some(text), _) => match self.check_record(index, text.get()) {
                Ok(record) => {
                    let elapsed = Duration::from_micros(answer.elapsed_us);
                    match self.is_wanted(index) {
                        true => self.ledger.keep(&record, elapsed),
                        false => self.ledger.compare(&record, elapsed),
                    }
                    self.close(index);
                }
                Err(problem) => self.strike(index, &problem),
            },
            (None, problem) => {
                if self.is_wanted(index) {
                    let problem = problem.as_deref().unwrap_or("the worker gave no reason");
                    self.ledger.fail(index, problem);
                    self.close(index);
                }
            }
        }
    }

    /// Parses a record and checks that its id is that of the fixture.
    fn check_record(&self, index: u64, text: &str) -> Result<Record, String> {
        let record = Record::from_json(text).map_err(|error| error.to_string())?;
        let fixture = self.missing.schedule().fixture(index).id();
        match record.id == fixture {
            true => Ok(record),
            false => Err(format!("record {} came for fixture {fixture}", record.id)),
        }
    }

    fn strike(&mut self, index: u64, problem: &str) {
        tracing::warn!("a record that cannot be trusted was dropped: {problem}");
        if !self.is_wanted(index) {
            return;
        }
        let strikes = self.strikes.entry(index).or_default();
        *strikes += 1;
        if *strikes < MOST_STRIKES {
            self.take_back([index]);
        } else {
            self.ledger.fail(index, problem);
            self.close(index);
        }
    }

    fn is_wanted(&self, index: u64) -> bool {
        let word = self.answered.get((index / 64) as usize);
        let answered = word.is_some_and(|word| word >> (index % 64) & 1 == 1);
        !answered && self.missing.has(index)
    }

    fn close(&mut self, index: u64) {
        if !self.is_wanted(index) {
            return;
        }
        let word = (index / 64) as usize;
        if word >= self.answered.len() {
            self.answered.resize(word + 1, 0);
        }
        self.answered[word] |= 1 << (index % 64);
        self.left -= 1;
        self.out = self.out.saturating_sub(1);
    }
}
