//! What is published of a final that is over, so that anybody can verify it: the document, and the
//! records in the order of the schedule.

use std::collections::HashMap;

use quintain_final::seeds::commitment;
use quintain_final::{DOCUMENT_FORMAT, FinalDocument, FinalPlayer, FinalRank, FinalScenario};
use quintain_store::Store;

use crate::contest::Contest;
use crate::error::HostError;
use crate::finals;
use crate::lock::lock;
use crate::state::Version;

/// The file of the contest's folder with the module of WebAssembly that verifies finals, which
/// `scripts/verifier` makes.
pub(crate) const VERIFIER: &str = "verifier.wasm";

/// A final that is over.
pub(crate) struct PublishedFinal {
    pub(crate) document: FinalDocument,
    /// JSON, each on one line.
    pub(crate) records: Vec<String>,
}

impl PublishedFinal {
    /// Reads the final; none if it is not over.
    ///
    /// # Errors
    /// If a database cannot be read, or has not all records.
    pub(crate) fn read(contest: &Contest) -> Result<Option<PublishedFinal>, HostError> {
        let mut finals = lock(&contest.finals);
        let Some(finals) = finals.as_mut().filter(|finals| finals.is_over()) else {
            return Ok(None);
        };
        let result = finals.result();
        let store = Store::open_to_read(&contest.store())?;
        let mut records = Vec::new();
        let mut seats: HashMap<i64, String> = HashMap::new();
        for played in finals.played_by_slot() {
            let missing = || {
                HostError::Usage(format!("the record of match {} is missing", played.pairing.id))
            };
            let record = store.find(&played.record)?.ok_or_else(missing)?.record();
            let record = record.map_err(|error| HostError::Usage(error.to_string()))?;
            for (version, seat) in played.pairing.seats.iter().zip(&record.fixture.seats) {
                seats.entry(*version).or_insert_with(|| seat.clone());
            }
            records.push(record.to_json());
        }
        let player = |version: &Version| FinalPlayer {
            id: version.id,
            player: seats.get(&version.id).cloned().unwrap_or_default(),
            label: version.label(),
            digest: Some(version.digest.clone()).filter(|digest| !digest.is_empty()),
        };
        let terms = contest.final_terms()?;
        let scenario = |(text, seats)| FinalScenario { text, seats };
        let ranges = result.ranges.unwrap_or_default();
        let ranks = result.rungs.iter().enumerate().map(|(at, rung)| FinalRank {
            id: rung.version.id,
            rank: rung.rank,
            likely: ranges.get(at).copied().flatten(),
            measure: rung.measure,
        });
        let secret = finals::secret(&contest.look())?;
        let document = FinalDocument {
            format: DOCUMENT_FORMAT,
            contest: contest.config.name.clone(),
            game: contest.config.game.clone(),
            commitment: commitment(&secret),
            secret,
            rounds: terms.rounds,
            scenarios: terms.scenarios.into_iter().map(scenario).collect(),
            players: finals.roster().iter().map(player).collect(),
            standings: ranks.collect(),
        };
        Ok(Some(PublishedFinal { document, records }))
    }
}
