//! Programs that fail before their first move. It may be the machine's fault, so others are asked;
//! a program that starts nowhere is given up as a whole, and loses the matches in which it failed.

use std::time::{Duration, Instant};

use quintain_core::{FaultKind, Record};

use super::{FailedMatch, MAX_REPORTED, ResultConsumer, is_program};
use crate::attempts::StartState;
use crate::roster::WorkerNumber;

/// The most characters of what a program's failure is described by.
const MAX_LETTERS: usize = 120;

impl<T> ResultConsumer<'_, '_, '_, T> {
    /// Notes that a program failed before its first move. Returns whether that counts, because it
    /// starts nowhere or because this match failed on enough machines.
    pub(super) fn counts_as_failed_start(
        &mut self,
        worker: WorkerNumber,
        index: u64,
        (record, elapsed): (&Record, Duration),
    ) -> bool {
        // Who was there in an earlier run is not known.
        if self.begun.is_none() {
            return false;
        }
        let Some(fault) = &record.outcome.fault else { return false };
        let player = record.fixture.seats[fault.seat.index()].clone();
        let (state, is_new) = self.attempts.fail_start(&player, worker, Instant::now());
        if state == StartState::GivenUp {
            self.attempts.succeed(index);
            self.given_up.entry(player).or_default().push(index);
            return true;
        }
        if is_new {
            let (name, who) = (self.name_of(&player), self.roster.who(worker));
            let how = match fault.fault.kind {
                FaultKind::Crash => "crashed",
                FaultKind::Timeout => "was late",
                _ => "failed",
            };
            let detail = quintain_core::cut(fault.fault.detail.trim(), MAX_LETTERS);
            let line =
                format!("{name} {how} on its first move on {who}; asking other workers ({detail})");
            self.tell(&player, line);
        }
        let counts = self.counts_as_failed(worker, index, &fault.fault.to_string());
        if !counts {
            let record = record.clone();
            self.failed_matches.insert(index, FailedMatch { worker, record, elapsed });
        }
        counts
    }

    /// Notes which programs have made moves in a match.
    pub(super) fn note_starts(&mut self, record: &Record) {
        let seats = &record.fixture.seats;
        let mut players: Vec<&String> = seats.iter().filter(|player| is_program(player)).collect();
        players.sort_unstable();
        players.dedup();
        // Whoever plays against a program that fails at once has not been asked for a move.
        if record.actions.is_empty() {
            let fault = record.outcome.fault.as_ref();
            let failed = fault.and_then(|fault| seats.get(fault.seat.index()));
            players.retain(|player| Some(*player) == failed);
        }
        for player in players {
            match self.attempts.start(player, Instant::now()) {
                Some(StartState::GivenUp) => self.acquit(player),
                Some(StartState::Suspected) => drop(self.troubles.remove(player)),
                Some(StartState::Works) | None => {}
            }
        }
    }

    /// Takes back the defeats of a program that starts after all.
    fn acquit(&mut self, player: &String) {
        self.troubles.remove(player);
        let mut defeats = self.given_up.remove(player).unwrap_or_default();
        defeats.retain(|&index| self.roster.owner(index).is_some());
        self.ledger.retract(&defeats);
        for &index in &defeats {
            self.roster.release(index);
            self.reopen(index);
        }
        self.bad_starts.retain(|(known, _), _| known != player);
        let (name, count) = (self.name_of(player), defeats.len());
        self.warn(&format!("{name} starts after all: {count} of its matches are played again"));
    }

    /// Gives up the programs that start nowhere, and keeps the matches in which they failed.
    pub(super) fn give_up_programs(&mut self, now: Instant) {
        let given_up = self.attempts.give_up(&self.roster, &self.present, now);
        for (player, whos) in given_up {
            let name = self.name_of(&player);
            let on = whos.join(", ");
            let line = format!("{name} fails on its first move on {on}: it loses these matches");
            self.tell(&player, line);
            let is_own = |failed: &FailedMatch| {
                let fault = failed.record.outcome.fault.as_ref();
                fault.and_then(|fault| failed.record.fixture.seats.get(fault.seat.index()))
                    == Some(&player)
            };
            let own = self.failed_matches.extract_if(.., |_, failed| is_own(failed));
            for (index, FailedMatch { worker, record, elapsed }) in own.collect::<Vec<_>>() {
                if !self.is_wanted(index) || self.roster.is_shut_out(worker) {
                    continue;
                }
                // Only what is published counts as out.
                self.out += u64::from(self.again.contains(&index));
                self.keep(worker, index, &record, (elapsed, false));
            }
        }
    }

    /// Says something about a program, at once and as long as it holds.
    fn tell(&mut self, player: &str, line: String) {
        if self.troubles.len() < MAX_REPORTED || self.troubles.contains_key(player) {
            self.warn(&line);
            self.troubles.insert(player.to_owned(), line);
        }
    }

    fn warn(&self, line: &str) {
        match self.is_quiet {
            true => tracing::info!("{line}"),
            false => tracing::warn!("{line}"),
        }
    }

    /// What a player is called.
    pub(super) fn name_of(&self, player: &str) -> String {
        self.names.get(player).map_or(player, String::as_str).to_owned()
    }

    /// What there is to say about programs that do not start.
    pub(crate) fn troubles(&self) -> impl Iterator<Item = &String> {
        self.troubles.values()
    }
}
