//! Verifies that a contest is what its log says: every match that counts has its record, which
//! replays to the same scores, and the final followed the schedule that its seed determines, of
//! which nothing is missing once it is over.
//! Anybody with a copy can check this.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use quintain_core::Catalog;
use quintain_store::Store;

use crate::contest::Contest;
use crate::error::HostError;
use crate::finals::{Finals, describe_missing};
use crate::lock::lock;
use crate::next_match::{ALONE, GAPS};
use crate::state::{Kind, PlayedMatch, Sequence};
use quintain_final::seeds::seed;

/// The result of a verification.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct VerificationReport {
    /// Number of matches that are as they should be.
    pub good: usize,
    /// Number of matches whose records are not kept, so that their results can no longer be
    /// verified.
    pub gone: usize,
    /// What is wrong with the others, one line each.
    pub bad: Vec<String>,
    /// Number of matches of the final, and of its schedule.
    pub finals: Option<(usize, usize)>,
}

/// Returns the seeds that the matches of each sequence may have.
fn seeds_of_sequences(contest: &Contest) -> Result<HashMap<i64, HashSet<u64>>, HostError> {
    let mut turns: HashMap<i64, u64> = HashMap::new();
    contest.read_state().for_each_played(Kind::Ladder, |played| {
        if let Some(sequence) = played.pairing.sequence {
            *turns.entry(sequence).or_default() += 1;
        }
    })?;
    let sequences = contest.read_state().sequences()?;
    let seeds = |sequence: Sequence| {
        let turns = turns.get(&sequence.id).copied().unwrap_or_default();
        let seeds = (0..turns + GAPS).map(|turn| seed(&sequence.secret, ALONE, &[turn]));
        (sequence.id, seeds.collect())
    };
    Ok(sequences.into_iter().map(seeds).collect())
}

/// Verifies a contest.
///
/// # Errors
/// If there is no contest, or it cannot be read.
pub fn verify(folder: &Path, catalog: &Catalog) -> Result<VerificationReport, HostError> {
    verify_contest(&Contest::read(folder, catalog, Path::new(""))?, |_| true)
}

/// Refuses a contest of which a match that counts is not what its record says. Matches that were
/// struck out count for nothing, and may be.
///
/// # Errors
/// If there is such a match, or the contest cannot be read.
pub(crate) fn require_true_records(contest: &Contest) -> Result<(), HostError> {
    if !contest.store().exists() {
        return Ok(());
    }
    let report = verify_contest(contest, |played| played.struck.is_none())?;
    let Some(first) = report.bad.first() else { return Ok(()) };
    let others = match report.bad.len() - 1 {
        0 => String::new(),
        others => format!(", and {others} more"),
    };
    Err(HostError::FalseRecord(format!("{first}{others}")))
}

/// Verifies those played matches of a contest that are wanted.
fn verify_contest(
    contest: &Contest,
    is_wanted: impl Fn(&PlayedMatch) -> bool,
) -> Result<VerificationReport, HostError> {
    let mut stores = vec![Store::open_to_read(&contest.store())?];
    if contest.hidden_store().exists() {
        stores.push(Store::open_to_read(&contest.hidden_store())?);
    }
    let seeds = seeds_of_sequences(contest)?;
    let mut verified = VerificationReport::default();
    let mut records = HashSet::new();
    for kind in [Kind::Ladder, Kind::Challenge, Kind::Final] {
        let played = contest.read_state().list_played(kind)?;
        for played in played.iter().filter(|played| is_wanted(played)) {
            let is_first = records.insert(played.record.clone());
            let checked = match () {
                () if !is_first => Err("it counts twice".to_owned()),
                () if !has_own_seed(played, &seeds) => {
                    Err("its seed is not in its sequence".to_owned())
                }
                () if played.is_kept => check_kept(contest, &stores, played),
                () => Ok(false),
            };
            match checked {
                Ok(true) => verified.good += 1,
                Ok(false) => verified.gone += 1,
                Err(why) => verified.bad.push(format!("{}: {why}", title(played))),
            }
        }
        if kind == Kind::Final {
            let finals = lock(&contest.finals);
            verified.finals = finals.as_ref().map(|finals| (played.len(), finals.len()));
            let missing = finals.iter().flat_map(Finals::list_missing);
            verified.bad.extend(missing.filter_map(|which| describe_missing(&[which])));
        }
    }
    Ok(verified)
}

/// Returns whether a match has a seed of its sequence, if it is in one.
fn has_own_seed(played: &PlayedMatch, seeds: &HashMap<i64, HashSet<u64>>) -> bool {
    let of_sequence =
        |sequence| seeds.get(&sequence).is_some_and(|seeds| seeds.contains(&played.pairing.seed));
    played.pairing.sequence.is_none_or(of_sequence)
}

fn title(played: &PlayedMatch) -> String {
    format!("match {}, record {}", played.pairing.id, played.record)
}

/// Checks a match of which the record was kept when it was listed; returns whether it still is. A
/// host that runs may meanwhile have deleted the record, or moved it from one store to the other.
fn check_kept(contest: &Contest, stores: &[Store], played: &PlayedMatch) -> Result<bool, String> {
    let Err(first) = check(contest, stores, played) else { return Ok(true) };
    let now = contest.read_state().match_with_record(&played.record).map_err(|_| first)?;
    match now.filter(|now| now.is_kept) {
        Some(now) => check(contest, stores, &now).map(|()| true),
        None => Ok(false),
    }
}

fn check(contest: &Contest, stores: &[Store], played: &PlayedMatch) -> Result<(), String> {
    let pairing = &played.pairing;
    let mut stored = None;
    for store in stores {
        if stored.is_none() {
            stored = store.find(&played.record).map_err(|error| error.to_string())?;
        }
    }
    let stored = stored.ok_or("its record is not in the store")?;
    let record = stored.record().map_err(|error| error.to_string())?;
    contest.catalog.verify(&record).map_err(|error| error.to_string())?;
    let game =
        contest.game_of(&pairing.scenario, pairing.seed).map_err(|error| error.to_string())?;
    let scenario = game.scenario();
    let is_it = record.outcome.scores == played.scores
        && record.fixture.seed == pairing.seed
        && record.fixture.scenario == scenario;
    if !is_it {
        return Err("its record is of another match".to_owned());
    }
    for (seat, id) in record.fixture.seats.iter().zip(&pairing.seats) {
        let version = contest.read_state().version(*id).map_err(|error| error.to_string())?;
        let version = version.ok_or("a version is not known")?;
        let named = seat.split_once(':').is_some_and(|(_, name)| name == version.player());
        if !named && !version.digest.is_empty() {
            return Err(format!("{seat} played, not {}", version.player()));
        }
    }
    if pairing.kind == Kind::Final {
        let finals = lock(&contest.finals);
        let finals = finals.as_ref().ok_or("there is no final")?;
        let expected = pairing.slot.and_then(|slot| finals.expected(slot));
        let expected = expected.ok_or("it is not in the schedule")?;
        if (expected.seed, &expected.scenario, &expected.seats)
            != (pairing.seed, &pairing.scenario, &pairing.seats)
        {
            return Err("the schedule has another match in its place".to_owned());
        }
    }
    Ok(())
}
