//! Publishes batches: as many are kept at the server as workers can use.

use std::collections::BTreeMap;
use std::time::Instant;

use async_nats::HeaderMap;
use futures_util::future::join_all;
use quintain_arena::FixtureNumbers;

use super::Run;
use crate::error::format_error;
use crate::nats_client::fixtures_subject;
use crate::wire::{Assignment, Lane, MESSAGE_ID, NOT_BY, NOT_ON, draw_number, host_of};

/// The most batches published before records are looked for again.
const BATCHES: usize = 64;

impl Run<'_, '_, '_> {
    /// Publishes batches while fewer fixtures are out than workers can use.
    pub(super) async fn top_up(&mut self) {
        let mut sent = Vec::new();
        while sent.len() < BATCHES && self.results.out() < self.sizer.window() {
            let size =
                self.sizer.next_size(self.results.count_left().saturating_sub(self.results.out()));
            let batches = self.next_batches(size);
            if batches.is_empty() {
                break;
            }
            for ((lane, failed_on), batch) in batches {
                // A second look does not count as out: if it gets lost, no record is missing.
                let indices: Vec<u64> = batch.iter().map(|assignment| assignment.0).collect();
                let indices = indices.into_iter().filter(|&index| self.results.is_wanted(index));
                let indices: Vec<u64> = indices.collect();
                let payload = serde_json::to_vec(&batch).expect("assignments have JSON");
                let mut headers = HeaderMap::new();
                self.batches += 1;
                // Only the worker that is given the batch can know its id.
                let secret = draw_number();
                let id = format!("{}-{}-{secret:016x}", self.manifest.session, self.batches);
                headers.insert(MESSAGE_ID, id.as_str());
                batch.iter().for_each(|assignment| self.results.looks.give(assignment.0, &id));
                if !failed_on.is_empty() {
                    let mut hosts: Vec<&str> = failed_on.iter().map(|who| host_of(who)).collect();
                    hosts.dedup();
                    headers.insert(NOT_ON, hosts.join(" ").as_str());
                    headers.insert(NOT_BY, failed_on.join(" ").as_str());
                }
                let subject = fixtures_subject(&self.manifest.id, lane);
                let published =
                    self.client.jetstream.publish_with_headers(subject, headers, payload.into());
                sent.push((indices, published.await));
                self.published = Instant::now();
            }
        }
        // All at once: if the server is gone, each waits for its own time limit.
        let stored = sent.into_iter().map(async |(indices, published)| match published {
            Ok(acknowledged) => (indices, acknowledged.await.map(drop)),
            Err(error) => (indices, Err(error)),
        });
        for (indices, stored) in join_all(stored).await {
            self.client.room.note(&stored);
            if let Err(error) = stored {
                // If the server has stored the batch all the same, it is played twice and counts
                // once.
                tracing::debug!("a batch was not acknowledged: {}", format_error(&error));
                self.results.take_back(indices);
            }
        }
    }

    /// The next assignments, including matches to be played a second time: one batch for each lane
    /// and each set of workers that are to be avoided.
    fn next_batches(&mut self, size: u64) -> BTreeMap<(Lane, Vec<String>), Vec<Assignment>> {
        let mut batches: BTreeMap<(Lane, Vec<String>), Vec<Assignment>> = BTreeMap::new();
        let mut add = |index: u64, failed_on: Vec<String>| {
            let FixtureNumbers { scenario, seed, lineup } = self.missing.schedule().numbers(index);
            let lane = self.manifest.lane(&lineup);
            let batch = batches.entry((lane, failed_on)).or_default();
            batch.push(Assignment(index, scenario, seed, lineup));
        };
        let first_looks = (0..size).map_while(|_| self.results.next()).collect::<Vec<u64>>();
        let second_looks = (0..size).map_while(|_| self.results.next_second_look());
        for index in second_looks.collect::<Vec<u64>>() {
            add(index, Vec::new());
        }
        for index in first_looks {
            add(index, self.results.failed_on(index));
        }
        batches
    }
}
