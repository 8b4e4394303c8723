//! Takes in the results of workers, none of which is trusted. Parts are joined to packets
//! ([`Packets`]), packets hold answers, and an answer counts if its record belongs to the fixture
//! with its number and the rules, played action by action, lead to the end that it states. A result
//! that comes twice counts once, and failures that may be a machine's fault are tried elsewhere
//! ([`Attempts`]). Which workers are believed is decided in [`verdicts`]. This module does not talk
//! to the server: messages come in, and tokens to acknowledge go out.

mod starts;
#[cfg(test)]
mod tests;
mod verdicts;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::{Duration, Instant};

use async_nats::HeaderMap;
use quintain_arena::{Ledger, PendingFixtures};
use quintain_core::{FaultKind, Fixture, Record, panics, read_log};

use crate::attempts::{Attempts, Presence, is_failed_start};
use crate::packets::{JoinResult, Packets};
use crate::roster::{Roster, WorkerNumber};
use crate::second_looks::SecondLooks;
use crate::time_losses::{LossTable, TimeLosses};
use crate::wire::{Answer, Sender, ShutOut, is_module, is_program, unpack};

/// The most bytes of program output that may come with a match: more than honest workers keep.
const LONGEST_LOG: usize = 8 << 20;
/// The most shut-out workers that are reported one by one; the rest are counted.
const MAX_REPORTED: usize = 10;
/// The most workers whose losses on time are listed.
const MAX_LISTED: usize = 64;
/// The longest time that a match left by an earlier run is believed to have taken.
const LONGEST_LEFT: Duration = Duration::from_secs(24 * 3600);

/// What a coordinator knows of its fixtures and workers. `T` is the token that acknowledges a
/// message.
pub(crate) struct ResultConsumer<'a, 'm, 'l, T> {
    missing: &'a PendingFixtures<'m>,
    ledger: &'a Ledger<'l>,
    /// One bit for each fixture: whether it has an answer. Bits, since there may be 10⁸ fixtures.
    answered: Vec<u64>,
    /// The number of fixtures without an answer.
    left: u64,
    /// The number of fixtures without an answer that are published.
    out: u64,
    /// The numbers of fixtures to be published again.
    again: Vec<u64>,
    /// The number of the next fixture to be looked at.
    cursor: u64,
    packets: Packets<T>,
    roster: Roster,
    /// Matches that are played twice.
    pub(crate) looks: SecondLooks,
    attempts: Attempts,
    /// The last records of matches in which a program failed at once, while others are asked.
    failed_matches: BTreeMap<u64, FailedMatch>,
    /// The defeats of programs that start nowhere.
    given_up: HashMap<String, Vec<u64>>,
    /// What was said about programs that do not start.
    troubles: BTreeMap<String, String>,
    /// What players are called whose names are digests.
    names: BTreeMap<String, String>,
    /// Whether programs that do not start are only logged: a contest has many.
    is_quiet: bool,
    /// How often a start-up failed wherever it was tried, by player and problem.
    bad_starts: BTreeMap<(String, String), u64>,
    /// The fixtures in which a program failed at once on a machine where it starts otherwise.
    own_failures: HashSet<u64>,
    present: Presence,
    /// When this run began to publish. Anything that came before that is from an earlier run, whose
    /// failures say nothing about the workers that are there now.
    begun: Option<Instant>,
    /// The number of refused messages whose sender is unknown.
    refused: usize,
    /// What was lost on time.
    losses: LossTable,
    /// What the workers had lost that were put aside.
    put_aside: Vec<TimeLosses>,
    /// The number of workers that were shut out.
    shut_out: usize,
    /// What was said of each of them, up to [`MAX_REPORTED`].
    shut_out_lines: Vec<String>,
    /// Whether a worker was shut out since the manifest was last published.
    has_shut_out: bool,
}

/// A match in which a program failed at once, and which does not count yet.
struct FailedMatch {
    worker: WorkerNumber,
    record: Record,
    elapsed: Duration,
}

impl<'a, 'm, 'l, T> ResultConsumer<'a, 'm, 'l, T> {
    pub(crate) fn new(
        missing: &'a PendingFixtures<'m>,
        ledger: &'a Ledger<'l>,
        share: f64,
    ) -> Self {
        ResultConsumer {
            missing,
            ledger,
            answered: Vec::new(),
            left: missing.count(),
            out: 0,
            again: Vec::new(),
            cursor: 0,
            packets: Packets::new(),
            roster: Roster::default(),
            looks: SecondLooks::new(share),
            attempts: Attempts::default(),
            failed_matches: BTreeMap::new(),
            given_up: HashMap::new(),
            troubles: BTreeMap::new(),
            names: BTreeMap::new(),
            is_quiet: false,
            bad_starts: BTreeMap::new(),
            own_failures: HashSet::new(),
            present: Presence::default(),
            begun: None,
            refused: 0,
            losses: LossTable::default(),
            put_aside: Vec::new(),
            shut_out: 0,
            shut_out_lines: Vec::new(),
            has_shut_out: false,
        }
    }

    /// The same, where messages call players by these names, if there are any messages.
    pub(crate) fn naming(self, names: BTreeMap<String, String>, is_quiet: bool) -> Self {
        ResultConsumer { names, is_quiet, ..self }
    }

    /// The number of fixtures without an answer.
    pub(crate) fn count_left(&self) -> u64 {
        self.left
    }

    /// The number of fixtures that are published and have no answer.
    pub(crate) fn out(&self) -> u64 {
        self.out
    }

    /// Returns the next fixture to be published, which counts as out from now on.
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

    /// Handles fixtures that nobody needs any more: those without an answer need none. Records that
    /// wait for a second look are taken back, since nobody would wait for it.
    pub(crate) fn release(&mut self, indices: &[u64]) {
        let waiting: HashSet<u64> = self.again.iter().copied().collect();
        for &index in indices {
            if self.is_wanted(index) {
                // Only what is published counts as out.
                let is_out = index < self.cursor && !waiting.contains(&index);
                self.out += u64::from(!is_out);
                self.close(index);
            }
        }
        let doubtful: Vec<u64> =
            indices.iter().copied().filter(|&index| self.looks.is_drawn_for(index)).collect();
        self.ledger.retract(&doubtful);
        for index in doubtful {
            self.roster.release(index);
            self.looks.forget(index);
        }
    }

    /// Returns the next match to be played a second time by a worker; `None` if there is no other
    /// worker.
    pub(crate) fn next_second_look(&mut self) -> Option<u64> {
        if self.present.count < 2 {
            self.looks.ask_coordinator_instead();
        }
        self.looks.next_for_workers()
    }

    /// Whether every fixture has been published.
    pub(crate) fn all_published(&self) -> bool {
        self.again.is_empty() && self.cursor >= self.missing.schedule().len()
    }

    /// Marks every fixture without an answer to be published once more, although it may be in play.
    pub(crate) fn back_up(&mut self) {
        self.out = 0;
        self.cursor = 0;
    }

    /// Starts over when nothing is in transit any more: every fixture without an answer is to be
    /// published again. Returns the tokens of incomplete packets, which are dropped.
    pub(crate) fn start_over(&mut self) -> Vec<T> {
        self.out = 0;
        self.again.clear();
        self.cursor = 0;
        self.packets.drop_all()
    }

    /// Takes in a message, and calls `on_match` with the time of each match in it. Returns the
    /// tokens to be acknowledged once the ledger has been written. It returns none while parts of
    /// the packet are missing, since an acknowledged part would never be sent again.
    pub(crate) fn accept(
        &mut self,
        headers: Option<&HeaderMap>,
        payload: &[u8],
        token: T,
        on_match: &mut dyn FnMut(Duration),
    ) -> Vec<T> {
        let (sender, batch, bytes, mut tokens) = match self.packets.join(headers, payload, token) {
            JoinResult::Waits if self.packets.is_overfull() => {
                tracing::warn!("incomplete packets of records were dropped: they are too many");
                return self.packets.drop_all();
            }
            JoinResult::Waits => return Vec::new(),
            JoinResult::Complete { sender, batch, bytes, tokens } => (sender, batch, bytes, tokens),
            JoinResult::Refused { sender, problem, tokens } => {
                let worker = self.roster.number(sender);
                self.refuse(worker, problem);
                return tokens;
            }
        };
        let worker = self.roster.number(sender);
        match unpack(&bytes) {
            Ok(answers) => {
                for mut answer in answers {
                    // An overstated time would delay much. No match takes longer than this run,
                    // except those that an earlier run has left; those do not count for
                    // measurements.
                    let most = self.begun.map_or(LONGEST_LEFT, |begun| begun.elapsed());
                    answer.elapsed_us = answer.elapsed_us.min(most.as_micros() as u64);
                    let elapsed = Duration::from_micros(answer.elapsed_us);
                    if self.begun.is_some() && !self.roster.is_shut_out(worker) {
                        on_match(elapsed);
                        self.attempts.record_match(elapsed);
                    }
                    self.answer(worker, batch.as_deref(), &answer);
                }
            }
            Err(problem) => {
                self.refuse(worker, &format!("a packet of records that cannot be read: {problem}"));
            }
        }
        if self.packets.is_overfull() {
            tokens.extend(self.packets.drop_all());
        }
        if self.left == 0 {
            self.put_slow_workers_aside();
        }
        tokens
    }

    fn answer(&mut self, worker: WorkerNumber, batch: Option<&str>, answer: &Answer) {
        let index = answer.index;
        if index >= self.missing.schedule().len() {
            let problem =
                format!("a record of fixture {index}, which this tournament does not have");
            return self.refuse(worker, &problem);
        }
        if self.roster.is_shut_out(worker) {
            // Others play what it took from the queue.
            if self.is_wanted(index) && index < self.cursor {
                self.take_back([index]);
            }
            return;
        }
        let elapsed = Duration::from_micros(answer.elapsed_us);
        match (&answer.record, &answer.problem) {
            (Some(text), _) => match self.check_record(index, text.get()).map(|record| {
                let log = answer.log.as_ref().map(|log| log.get());
                let log = log.filter(|log| log.len() <= LONGEST_LOG);
                Record { log: log.map_or_else(Vec::new, read_log), ..record }
            }) {
                Ok(record) if self.is_wanted(index) => {
                    self.keep(worker, index, &record, (elapsed, answer.starts_here));
                }
                Ok(record) => self.compare(worker, index, batch, record, elapsed),
                Err(problem) => {
                    if self.is_wanted(index) {
                        self.take_back([index]);
                    }
                    self.shut_out(worker, &format!("a record that cannot be true: {problem}"));
                }
            },
            (None, problem) => {
                let problem = problem.as_deref().unwrap_or("the worker gave no reason");
                if self.is_wanted(index) && self.counts_as_failed(worker, index, problem) {
                    let problem = format!("{problem} ({})", self.roster.who(worker));
                    self.ledger.fail(index, &problem);
                    self.close(index);
                }
            }
        }
    }

    /// Keeps the first record of a fixture, unless it has to be tried elsewhere.
    fn keep(
        &mut self,
        worker: WorkerNumber,
        index: u64,
        record: &Record,
        (elapsed, starts_here): (Duration, bool),
    ) {
        if is_failed_start(record) && !starts_here {
            let fault = record.outcome.fault.as_ref().map(|fault| fault.fault.to_string());
            let problem = fault.unwrap_or_default();
            if !self.counts_as_failed_start(worker, index, (record, elapsed)) {
                self.give_up_programs(Instant::now());
                return;
            }
            let player = record.outcome.fault.as_ref();
            let player = player.and_then(|fault| record.fixture.seats.get(fault.seat.index()));
            let player = player.map_or("", String::as_str);
            *self.bad_starts.entry((player.to_owned(), problem)).or_default() += 1;
        } else {
            for worker in self.attempts.succeed(index) {
                self.roster.count_failed_start(worker);
            }
            self.note_starts(record);
            if starts_here {
                self.own_failures.insert(index);
            }
        }
        self.ledger.keep(record, elapsed);
        let number = self.roster.keep(worker, index);
        self.note_time(worker, record);
        if is_reproducible(&record.fixture) {
            self.looks.draw(index, worker, number, record.outcome.fault.is_some());
        }
        self.close(index);
    }

    /// Notes whether a match was lost on time.
    fn note_time(&mut self, worker: WorkerNumber, record: &Record) {
        if is_reproducible(&record.fixture) {
            return;
        }
        let fault = record.outcome.fault.as_ref();
        let late = fault.filter(|fault| fault.fault.kind == FaultKind::Timeout);
        let seats = &record.fixture.seats;
        let loser = late.and_then(|fault| seats.get(fault.seat.index()));
        self.losses.note(worker, seats, loser.map(String::as_str));
    }

    /// What workers have lost on time, those that were put aside first.
    pub(crate) fn time_losses(&self) -> Vec<TimeLosses> {
        let of = |worker: WorkerNumber| TimeLosses {
            who: self.roster.who(worker).to_owned(),
            ..self.losses.losses_of(worker)
        };
        let others = self.losses.losers().into_iter().map(of);
        self.put_aside.iter().cloned().chain(others).take(MAX_LISTED).collect()
    }

    /// How many matches of each machine were kept, those of workers that were shut out left out.
    pub(crate) fn played_by_worker(&self) -> BTreeMap<String, u64> {
        self.roster.count_by_worker()
    }

    /// What was said of the workers that were shut out.
    pub(crate) fn shut_out_lines(&self) -> &[String] {
        &self.shut_out_lines
    }

    /// Reports what is worth knowing about the run.
    pub(crate) fn summarize(&self) {
        if self.shut_out > MAX_REPORTED {
            let more = self.shut_out - MAX_REPORTED;
            let workers = if more == 1 { "worker was" } else { "workers were" };
            self.ledger.remark(format!("{more} more {workers} shut out"));
        }
        for (who, count) in self.roster.failed_starts() {
            let matches = if count == 1 { "match" } else { "matches" };
            self.ledger.remark(format!(
                "on {who} {count} {matches} failed that were played elsewhere; is something \
                 missing there?"
            ));
        }
        for ((player, problem), count) in &self.bad_starts {
            let matches = if *count == 1 { "match" } else { "matches" };
            self.ledger.remark(format!(
                "{} did not start in {count} {matches}, on every machine that tried: \
                 {problem}",
                self.name_of(player)
            ));
        }
        let confirmed = self.looks.count_confirmed();
        if confirmed > 0 {
            let matches = if confirmed == 1 { "match was" } else { "matches were" };
            self.ledger.remark(format!("{confirmed} {matches} played twice, and the same again"));
        }
    }

    /// Parses a record, checks that its id is that of the fixture, and plays it through the rules.
    fn check_record(&self, index: u64, text: &str) -> Result<Record, String> {
        let record = Record::from_json(text).map_err(|error| error.to_string())?;
        let fixture = self.missing.schedule().fixture(index).id();
        if record.id != fixture {
            return Err(format!("record {} came for fixture {fixture}", record.id));
        }
        // The rules may rely on assumptions that only a fabricated record violates.
        match panics::catch(|| self.missing.schedule().verify(index, &record)) {
            Ok(verified) => verified.map_err(|error| error.to_string())?,
            Err(panicked) => return Err(format!("record {}: {panicked}", record.id)),
        }
        Ok(record)
    }

    /// Notes a failure that may be the machine's fault; if it does not count yet, the fixture is
    /// published again. Returns whether it counts.
    fn counts_as_failed(&mut self, worker: WorkerNumber, index: u64, problem: &str) -> bool {
        if self.begun.is_none() {
            return false;
        }
        let now = Instant::now();
        let counts = self.attempts.fail(index, worker, &self.roster, &self.present, now);
        if !counts {
            tracing::info!("on {}: {problem}; tried elsewhere", self.roster.who(worker));
            self.take_back([index]);
        }
        counts
    }

    /// The workers on which a fixture has failed, as host and process.
    pub(crate) fn failed_on(&self, index: u64) -> Vec<String> {
        self.attempts.failed_on(index, &self.roster)
    }

    /// Whether it matters which workers are there, not only how many.
    pub(crate) fn asks_who_is_present(&self) -> bool {
        self.attempts.is_open()
    }

    /// Notes how many workers are at the server, and which, if that is known.
    pub(crate) fn set_present(&mut self, count: usize, keys: Option<Vec<String>>) {
        self.present.observe(count, keys, Instant::now());
        self.give_up_programs(Instant::now());
    }

    /// Shuts out from the beginning the workers that were shut out in earlier rounds. Returns them
    /// as workers are told.
    pub(crate) fn shut_out_before(&mut self, before: Vec<(Sender, String)>) -> Vec<ShutOut> {
        self.roster.shut_out_again(before);
        self.roster.all_shut_out()
    }

    /// The workers that were shut out, and why.
    pub(crate) fn senders_shut_out(&self) -> Vec<(Sender, String)> {
        self.roster.senders_shut_out()
    }

    /// Notes that everything an earlier coordinator has left has been taken in.
    pub(crate) fn begin(&mut self) {
        self.begun = Some(Instant::now());
    }

    /// Whether a fixture has no answer yet.
    pub(crate) fn is_wanted(&self, index: u64) -> bool {
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
        self.failed_matches.remove(&index);
        self.left -= 1;
        self.out = self.out.saturating_sub(1);
    }

    /// Makes a fixture missing again because its record was taken back.
    fn reopen(&mut self, index: u64) {
        if let Some(word) = self.answered.get_mut((index / 64) as usize)
            && *word >> (index % 64) & 1 == 1
        {
            *word &= !(1 << (index % 64));
            self.left += 1;
            self.again.push(index);
            self.looks.forget(index);
        }
    }
}

/// Whether every machine must come to the same record: there is no time limit, and no player except
/// the game's own and programs in WebAssembly, which count their steps.
fn is_reproducible(fixture: &Fixture) -> bool {
    let exact = |player: &String| !is_program(player) || is_module(player);
    fixture.budget.is_reproducible() && fixture.seats.iter().all(exact)
}
