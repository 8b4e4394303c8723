//! The steps of a match: it is chosen and entered, then played (here, or by workers), its record is
//! kept, and its result is counted once. [`crate::referee`] and [`crate::handing_out`] decide when
//! these steps are taken, and by which thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use quintain_core::{
    AnyGame, LogContent, LogEntry, PlayerHandle, Record, Setup, SpecError, Streams,
};
use quintain_store::{RecordRow, Store};

use crate::contest::Contest;
use crate::copies::keep_copies;
use crate::current_ladder::follow;
use crate::error::HostError;
use crate::finals::{self, Finals, plan_final};
use crate::ladder::Rung;
use crate::lock::lock;
use crate::next_match::{Terms, choose};
use crate::program;
use crate::state::{GiveUpReason, Kind, Pairing, PlayedMatch, Version, VersionMeasure};
use crate::stores::Stores;

/// Number of ladder matches between two checks for records to delete.
const CLEARED_AFTER: usize = 200;
/// Number of matches per version on the ladder after which all measures are recorded.
const RECORDED_AFTER: usize = 5;

/// Enters and returns the next match to be played now; none while the contest is paused or rests.
pub(crate) fn next_match(contest: &Contest) -> Result<Option<Pairing>, HostError> {
    contest.drop_undone_final()?;
    follow(contest)?;
    if contest.read_state().is_paused()? {
        contest.end_processes();
        return Ok(None);
    }
    let phase = contest.phase()?;
    match phase.rounds {
        Some(_) => next_of_final(contest),
        None if phase.has_ladder() => next_of_ladder(contest),
        None => Ok(None),
    }
}

/// Enters and returns the next match of the final. The first one begins the final.
fn next_of_final(contest: &Contest) -> Result<Option<Pairing>, HostError> {
    let mut finals = lock(&contest.finals);
    if finals.is_none() {
        let terms = contest.final_terms()?;
        *finals = Finals::begin(&mut contest.write_state(), terms)?;
    }
    let Some(finals) = finals.as_mut() else { return Ok(None) };
    let Some(pairing) = finals.next() else { return Ok(None) };
    let planned = plan_final(&mut contest.write_state(), pairing.clone());
    if planned.is_err() {
        finals.put_back(&pairing);
    }
    planned
}

/// Enters and returns the next match outside the final: a challenge, or the most informative match.
/// Challenges take their time from the share of those who asked for them, unless the ladder rests.
fn next_of_ladder(contest: &Contest) -> Result<Option<Pairing>, HostError> {
    let mut versions = contest.read_state().playing()?;
    if keep_copies(contest, &versions)? {
        versions = contest.read_state().playing()?;
    }
    contest.keep_playing(&versions);
    let entrants = versions.iter().map(|version| (version.id, version.participant));
    lock(&contest.shares).enter(entrants);
    let may_play = |who| lock(&contest.shares).may_go_ahead(who);
    if let Some(challenge) = contest.write_state().next_challenge(may_play)? {
        return Ok(Some(challenge));
    }
    match choose_for_ladder(contest, &versions)? {
        None => contest.write_state().next_challenge(|_| true),
        chosen => Ok(chosen),
    }
}

/// Enters and returns the most informative match; none if the ladder rests.
fn choose_for_ladder(
    contest: &Contest,
    versions: &[Version],
) -> Result<Option<Pairing>, HostError> {
    let phase = contest.phase()?;
    // Locked in this order, so that pages do not wait for a ladder that waits for the disk.
    let mut state = contest.write_state();
    let mut ladder = lock(&contest.ladder);
    let mut shares = lock(&contest.shares);
    let number = state.count_planned()?;
    let mut rng = Streams::new(number).address("matchmaking", 0);
    let id = contest.config.ladder_of(&mut state, phase)?;
    // The phase may have changed since this ladder was loaded.
    if ladder.id() != Some(id) {
        return Ok(None);
    }
    let mut sequence = || match state.running_sequence(id)? {
        Some(running) => Ok(running),
        None => state.begin_sequence(id),
    };
    let terms = Terms {
        versions,
        scenarios: contest.config.scenarios_of(phase),
        number,
        shares: &shares,
        sequence: &mut sequence,
    };
    let Some(pairing) = choose(contest, &mut ladder, terms, &mut rng)? else { return Ok(None) };
    let pairing = state.plan(pairing)?;
    shares.begin(&pairing.versions());
    ladder.plan(pairing.clone());
    Ok(Some(pairing))
}

/// Enters the result of a match, then counts it.
pub(crate) fn count(
    contest: &Contest,
    played: PlayedMatch,
    outputs: &[(i64, String)],
) -> Result<(), HostError> {
    let begun = Instant::now();
    if !contest.retry(|| contest.write_state().finish(&played, outputs))? {
        if !contest.read_state().is_known(played.pairing.id)? {
            Store::open(&contest.store())?.retract(&[played.record])?;
        }
        return Ok(());
    }
    match played.pairing.kind {
        Kind::Ladder => {
            let versions = played.pairing.versions();
            {
                let mut shares = lock(&contest.shares);
                shares.end(&versions);
                // Entering a match takes the thread, too: otherwise house players that answer at
                // once would take most of the time, in matches that cost nothing.
                shares.count(&versions, played.seconds + begun.elapsed().as_secs_f64());
            }
            lock(&contest.ladder).count(&played);
            contest.save_shares()?;
            record_measures(contest)?;
            clear_records(contest)
        }
        Kind::Final => {
            if let Some(finals) = lock(&contest.finals).as_mut() {
                finals.count(played);
                if finals.is_over() {
                    contest.retry(|| finals::record_end(&mut contest.write_state()))?;
                    // Names may have been hidden until now.
                    contest.write_state().hide_names(false)?;
                    finals.read_names(&contest.read_state())?;
                }
            }
            Ok(())
        }
        Kind::Challenge => {
            if let Some(challenger) = played.pairing.challenger {
                lock(&contest.shares).charge(challenger, played.seconds);
            }
            Ok(())
        }
    }
}

/// Records all measures now and then; the longer the ladder, the less often.
fn record_measures(contest: &Contest) -> Result<(), HostError> {
    let is_due = {
        let ladder = lock(&contest.ladder);
        let each = ladder.count_measured() * RECORDED_AFTER;
        each > 0 && ladder.count_played().is_multiple_of(each)
    };
    if !is_due {
        return Ok(());
    }
    let versions = contest.read_state().playing()?;
    let (id, played, rungs) = {
        let mut ladder = lock(&contest.ladder);
        (ladder.id(), ladder.count_played(), ladder.recent_standings(&versions))
    };
    let measured = rungs.iter().filter(|rung| !rung.version.digest.is_empty());
    let measure = |rung: &Rung| {
        let interval = rung.interval.map(|interval| (interval.low, interval.high));
        let (version, rank) = (rung.version.id, rung.rank);
        Some(VersionMeasure { version, rank, measure: rung.measure?, interval })
    };
    let measures: Vec<_> = measured.filter_map(measure).collect();
    contest.write_state().record_measures(id.unwrap_or_default(), played, &measures)
}

/// Deletes the records of older matches now and then, if host.toml says so.
fn clear_records(contest: &Contest) -> Result<(), HostError> {
    let Some(most) = contest.config.keep_records else { return Ok(()) };
    if !lock(&contest.ladder).count_played().is_multiple_of(CLEARED_AFTER) {
        return Ok(());
    }
    let leaving = contest.write_state().choose_leaving(most)?;
    if leaving.is_empty() {
        return Ok(());
    }
    for store in [contest.store(), contest.hidden_store()] {
        if store.exists() {
            Store::open(&store)?.retract(&leaving)?;
        }
    }
    contest.write_state().mark_gone(&leaving)
}

/// Gives up matches that are not played, all for the same reason.
pub(crate) fn give_up(
    contest: &Contest,
    pairings: &[Pairing],
    why: GiveUpReason<'_>,
) -> Result<(), HostError> {
    contest.retry(|| contest.write_state().give_up(pairings, why))?;
    for pairing in pairings {
        match pairing.kind {
            Kind::Ladder => {
                lock(&contest.shares).end(&pairing.versions());
                lock(&contest.ladder).abandon(pairing.id);
            }
            Kind::Final => {
                if let Some(finals) = lock(&contest.finals).as_mut() {
                    finals.put_back(pairing);
                }
            }
            Kind::Challenge => {}
        }
    }
    Ok(())
}

pub(crate) type Prepared = (Arc<dyn AnyGame>, Setup, Vec<PlayerHandle>);

pub(crate) fn prepare(contest: &Contest, pairing: &Pairing) -> Result<Prepared, String> {
    let game = contest.game_of(&pairing.scenario, pairing.seed);
    let game = game.map_err(|error| error.to_string())?;
    let budget = contest.config.budget.parse().map_err(|error| format!("budget: {error}"))?;
    let setup = Setup::new(pairing.seed).with_budget(budget);
    let mut players = Vec::new();
    for seat in &pairing.seats {
        let version = contest.read_state().version(*seat).map_err(|error| error.to_string())?;
        players.push(contest.player(&version.ok_or("a version is not known")?)?);
    }
    Ok((game, setup, players))
}

/// The result of a match, and what versions wrote in it.
pub(crate) type PlayedWithOutput = (PlayedMatch, Vec<(i64, String)>);

/// Notes a match that could not be played after so much time, if the reason is that one of its
/// versions made it void.
fn note_void(
    contest: &Contest,
    pairing: &Pairing,
    players: &[PlayerHandle],
    why: &SpecError,
    elapsed: Duration,
) -> Result<(), HostError> {
    let SpecError::Void { player, .. } = why else { return Ok(()) };
    let seat = players.iter().position(|seated| seated.spec == *player);
    let Some(&version) = seat.and_then(|seat| pairing.seats.get(seat)) else { return Ok(()) };
    lock(&contest.voids).note(version);
    if let Some(version) = contest.read_state().version(version)? {
        lock(&contest.shares).charge(version.participant, elapsed.as_secs_f64());
        contest.save_shares()?;
    }
    Ok(())
}

/// Plays a match and stores its record; returns nothing if it was given up.
pub(crate) fn play(
    contest: &Contest,
    pairing: Pairing,
    stop: &Arc<AtomicBool>,
    stores: &mut Stores,
) -> Result<Option<PlayedWithOutput>, String> {
    let (game, mut setup, players) = prepare(contest, &pairing)?;
    setup.stop = Some(Arc::clone(stop));
    setup.forfeiting = lock(&contest.voids).forfeiting(&pairing.seats);
    let seats: Vec<&PlayerHandle> = players.iter().collect();
    let begun = Instant::now();
    let record = game.play(&setup, &seats, None);
    let elapsed = begun.elapsed();
    let record = match record {
        Ok(record) => record,
        Err(error) => {
            note_void(contest, &pairing, &players, &error, elapsed)
                .map_err(|error| error.to_string())?;
            return Err(error.to_string());
        }
    };
    if stop.load(Ordering::SeqCst) {
        return Ok(None);
    }
    keep_record(contest, pairing, record, elapsed, stores).map(Some)
}

/// Stores the record of a match without its private parts, and returns the result.
pub(crate) fn keep_record(
    contest: &Contest,
    pairing: Pairing,
    mut record: Record,
    elapsed: Duration,
    stores: &mut Stores,
) -> Result<PlayedWithOutput, String> {
    let store = match pairing.sequence {
        Some(_) => stores.open_hidden(contest)?,
        None => stores.open_shown(contest)?,
    };
    // Everybody who sees the ladder can read the store, but what programs say belongs to their
    // authors.
    let mut outputs = collect_output(&pairing, &std::mem::take(&mut record.log));
    for (version, text) in &mut outputs {
        let version = contest.read_state().version(*version).map_err(|error| error.to_string())?;
        if let Some(version) = version {
            *text = program::hide_folder(text, &contest.folder, version.files());
        }
    }
    if let Some(fault) = &mut record.outcome.fault {
        fault.fault.said.clear();
    }
    let failed = |error: &dyn std::fmt::Display| error.to_string();
    store.insert(None, &[RecordRow::new(&record, elapsed)]).map_err(|error| failed(&error))?;
    // The same fixture may be there already, from a host that was killed; if so, that record
    // counts.
    let stored = store.find(&record.id).map_err(|error| failed(&error))?;
    let stored = stored.and_then(|stored| stored.record().ok());
    Ok((result_of(pairing, &stored.unwrap_or(record), elapsed), outputs))
}

/// Returns what each version wrote in a match, turn by turn, as text.
fn collect_output(pairing: &Pairing, log: &[LogEntry]) -> Vec<(i64, String)> {
    let mut outputs: Vec<(i64, String)> = Vec::new();
    for entry in log {
        let Some(version) = pairing.seats.get(entry.seat.index()) else { continue };
        let lines = match &entry.content {
            LogContent::LeftOut(count) => vec![format!("({count} left out)")],
            content => content.lines(),
        };
        let lines: String =
            lines.iter().map(|line| format!("turn {}: {line}\n", entry.turn)).collect();
        match outputs.iter_mut().find(|(of, _)| of == version) {
            Some((_, all)) => *all += &lines,
            None => outputs.push((*version, lines)),
        }
    }
    outputs
}

pub(crate) fn result_of(pairing: Pairing, record: &Record, elapsed: Duration) -> PlayedMatch {
    let fault = record.outcome.fault.as_ref();
    PlayedMatch {
        is_hidden: pairing.sequence.is_some(),
        struck: None,
        seconds: elapsed.as_secs_f64(),
        pairing,
        record: record.id.clone(),
        scores: record.outcome.scores.clone(),
        fault: fault.map(|fault| (fault.seat.index(), fault.fault.to_string())),
        is_kept: true,
    }
}
