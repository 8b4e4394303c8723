//! What is published of a final that is over, so that anybody can verify it: the document, and the
//! records in the order of the schedule.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use quintain_core::read_bytes_up_to;
use quintain_final::seeds::commitment;
use quintain_final::{
    DOCUMENT_FORMAT, FinalDocument, FinalPlayer, FinalRank, FinalScenario, VERIFIER_MARK,
};
use quintain_store::Store;

use crate::contest::Contest;
use crate::error::HostError;
use crate::finals;
use crate::lock::lock;
use crate::state::Version;

// The module that was there when this was built (build.rs).
include!(concat!(env!("OUT_DIR"), "/verifier.rs"));

/// The file of the contest's folder that has the module if the program was built without it.
const VERIFIER: &str = "verifier.wasm";
/// The most bytes of it.
const MAX_MODULE: u64 = 64 << 20;

/// Returns the module of WebAssembly that verifies finals: that of this program, which surely has
/// the same rules; else that of the contest's folder.
///
/// # Errors
/// If the file cannot be read, or is no such module of this version, whose page would refuse every
/// final.
pub(crate) fn read_verifier(folder: &Path) -> Result<Option<Cow<'static, [u8]>>, HostError> {
    let file = folder.join(VERIFIER);
    match BUILT_IN {
        Some(module) => Ok(Some(Cow::Borrowed(module))),
        None if file.exists() => {
            let read = read_bytes_up_to(&file, MAX_MODULE);
            let module = read.map_err(|error| HostError::Usage(error.to_string()))?;
            match is_verifier(&module) {
                true => Ok(Some(Cow::Owned(module))),
                false => Err(HostError::Usage(format!(
                    "{} is not the verifier of this version, so nothing is exported: make it in \
                     Quintain's sources of version {} ({}), or delete it for a site that nobody \
                     can verify in a browser",
                    file.display(),
                    env!("CARGO_PKG_VERSION"),
                    write_verifier_command(folder)
                ))),
            }
        }
        None => Ok(None),
    }
}

/// Returns whether these bytes are a module of WebAssembly that says it is of this version.
fn is_verifier(module: &[u8]) -> bool {
    let mark = VERIFIER_MARK.as_bytes();
    module.starts_with(b"\0asm") && module.windows(mark.len()).any(|bytes| bytes == mark)
}

/// Returns whether there is the module.
pub(crate) fn has_verifier(folder: &Path) -> bool {
    BUILT_IN.is_some() || folder.join(VERIFIER).exists()
}

/// Returns the command that makes the module for a contest, in Quintain's sources.
pub(crate) fn write_verifier_command(folder: &Path) -> String {
    let file = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned()).join(VERIFIER);
    format!("rustup target add wasm32-unknown-unknown && scripts/verifier {}", file.display())
}

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
            // Pages show it as it is.
            label: quintain_scene::clean(&version.label()),
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
        let secret = finals::secret(&contest.read_state())?;
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
