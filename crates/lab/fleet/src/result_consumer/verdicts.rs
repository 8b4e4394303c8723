//! Decides which workers are believed. Records of one match are compared, and the coordinator's own
//! play decides between them. A worker whose record turns out wrong is shut out, and all that it
//! has played is taken back and played again.

use std::time::Duration;

use quintain_core::Record;

use super::{MAX_LISTED, MAX_REPORTED, ResultConsumer, is_reproducible};
use crate::attempts::is_failed_start;
use crate::roster::WorkerNumber;
use crate::second_looks::is_same_match;
use crate::time_losses::TimeLosses;
use crate::wire::ShutOut;

impl<T> ResultConsumer<'_, '_, '_, T> {
    /// Compares another record of a fixture with the one that was kept.
    pub(super) fn compare(
        &mut self,
        worker: WorkerNumber,
        index: u64,
        batch: Option<&str>,
        record: Record,
        elapsed: Duration,
    ) {
        if is_reproducible(&record.fixture) {
            return match self.ledger.find(index) {
                Some(kept) if is_same_match(&kept, &record) => {
                    self.looks.confirm(index, worker, batch);
                }
                Some(_) => self.looks.contradict(index, worker, batch, record),
                None => {}
            };
        }
        // If a match may differ between plays, its first record counts, unless that one is a failed
        // start.
        let Some(kept) = self.ledger.find(index) else { return };
        match (is_failed_start(&kept), is_failed_start(&record)) {
            (false, true) => self.roster.count_failed_start(worker),
            (true, false) if self.missing.has(index) && !self.own_failures.contains(&index) => {
                self.ledger.retract(&[index]);
                self.roster.release(index);
                self.reopen(index);
                self.forget_bad_start(&record);
                self.keep(worker, index, &record, (elapsed, false));
            }
            _ => {}
        }
    }

    /// Takes in the result of a match that the coordinator has played itself, and shuts out every
    /// worker that claimed something else.
    pub(crate) fn judge(&mut self, index: u64, played: Result<Record, String>) {
        let claims = self.looks.settle(index, played.is_ok());
        let truth = match played {
            Ok(truth) => truth,
            Err(problem) => {
                tracing::warn!("a match could not be played here to check it: {problem}");
                return;
            }
        };
        let reason = |what: &str| {
            let id = &truth.id[..8];
            format!("match {id}, played by the coordinator, differs from {what} that it sent")
        };
        for (worker, record) in claims {
            if !is_same_match(&record, &truth) {
                self.catch(worker, &reason("the second record"));
            }
        }
        let Some(kept) = self.ledger.find(index) else { return };
        if !is_same_match(&kept, &truth) {
            match self.roster.owner(index) {
                Some(owner) => self.catch(owner, &reason("the record")),
                None => self.ledger.compare(&truth, Duration::ZERO),
            }
        }
    }

    /// Shuts out a worker that has reported something that the rules allow but that is not true. It
    /// may have other names, so more of what all workers have played is looked at again.
    fn catch(&mut self, worker: WorkerNumber, reason: &str) {
        if self.roster.is_shut_out(worker) {
            return;
        }
        self.shut_out(worker, reason);
        let schedule = self.missing.schedule();
        let is_reproducible = |index| is_reproducible(&schedule.fixture(index));
        self.looks.catch(worker, self.roster.list_records(), is_reproducible);
    }

    /// Handles a message from which nothing can be read: its worker is shut out. All workers that
    /// do not say who they are count as one, so workers without a name are not shut out.
    pub(super) fn refuse(&mut self, worker: WorkerNumber, problem: &str) {
        if self.roster.has_name(worker) {
            return self.shut_out(worker, problem);
        }
        self.refused += 1;
        if self.refused <= MAX_REPORTED {
            tracing::warn!("{} has sent {problem}", self.roster.who(worker));
        }
    }

    /// Puts aside the workers that lose matches on time that others do not lose, and takes back
    /// what they have played: players had less time there than the matches grant.
    pub(crate) fn put_slow_workers_aside(&mut self) {
        for worker in self.losses.losers().into_iter().take(MAX_LISTED) {
            if self.roster.is_shut_out(worker) || !self.losses.is_slow(worker) {
                continue;
            }
            let losses = self.losses.losses_of(worker);
            let who = self.roster.who(worker).to_owned();
            let reason = format!(
                "it is too slow; {} of {} were lost on time there, where {:.1} would be at the \
                 rate of the others",
                losses.lost, losses.matches, losses.expected
            );
            self.put_aside.push(TimeLosses { who, put_aside: true, ..losses });
            self.exclude(worker, "put aside", &reason);
        }
    }

    /// Shuts a worker out and takes back what it has played.
    pub(super) fn shut_out(&mut self, worker: WorkerNumber, reason: &str) {
        self.exclude(worker, "shut out", reason);
    }

    fn exclude(&mut self, worker: WorkerNumber, how: &str, reason: &str) {
        if self.roster.is_shut_out(worker) {
            return;
        }
        self.losses.forget(worker);
        let taken_back = self.roster.shut_out(worker, reason);
        self.ledger.retract(&taken_back);
        for &index in &taken_back {
            self.reopen(index);
        }
        self.has_shut_out = true;
        self.shut_out += 1;
        let (who, count) = (self.roster.who(worker), taken_back.len());
        let again = match count {
            0 => "nothing that it has played was kept".to_owned(),
            1 => "its one match is played again".to_owned(),
            count => format!("its {count} matches are played again"),
        };
        let line = format!("{who} was {how}, and {again}: {reason}");
        if self.shut_out <= MAX_REPORTED {
            tracing::warn!("{line}");
            self.shut_out_lines.push(line.clone());
            self.ledger.remark(line);
        } else {
            tracing::debug!("{line}");
        }
    }

    /// Returns the workers that are shut out, if there are more than the last time.
    pub(crate) fn newly_shut_out(&mut self) -> Option<Vec<ShutOut>> {
        std::mem::take(&mut self.has_shut_out).then(|| self.roster.all_shut_out())
    }

    /// If a worker has lied, takes back the matches that were to be looked at again and were not:
    /// only this run knows who has played them.
    pub(crate) fn take_back_unsettled(&mut self) {
        let mut own = self.looks.list_unsettled();
        own.retain(|&index| self.roster.owner(index).is_some());
        self.ledger.retract(&own);
        for index in own {
            self.roster.release(index);
            self.reopen(index);
        }
    }

    /// Notes that a program started after all.
    fn forget_bad_start(&mut self, record: &Record) {
        for ((player, _), count) in &mut self.bad_starts {
            if record.fixture.seats.contains(player) {
                *count = count.saturating_sub(1);
            }
        }
        self.bad_starts.retain(|_, count| *count > 0);
    }
}
