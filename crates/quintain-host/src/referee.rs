//! The threads that check what was handed in and play the ladder's matches. A match is entered
//! before it is played; its record goes into the store, then its result into the contest's state,
//! which counts it once. So whenever the host ends, a match is either not played, or found again in
//! the store, or counted.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{JoinHandle, sleep};
use std::time::{Duration, Instant};

use quintain_core::{LogContent, LogEntry, PlayerHandle, Record, Setup, Streams, panics};
use quintain_store::{RecordRow, Store};

use crate::contest::{Contest, lock};
use crate::error::HostError;
use crate::finals::Finals;
use crate::next_match::choose;
use crate::program;
use crate::state::{GiveUpReason, Kind, Pairing, PlayedMatch};
use crate::validation::validate;

/// How long to wait where there is nothing to do.
const IDLE: Duration = Duration::from_millis(200);
/// Matches of the ladder after which is looked whether records are to go.
const CLEARED_AFTER: usize = 200;
/// Matches for each version on the ladder after which everybody's measure is noted.
const NOTED_AFTER: usize = 5;

/// The threads at work; they end when this is told to.
pub(crate) struct Referee {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Referee {
    /// Takes up what was under way, and begins.
    pub(crate) fn start(contest: &Arc<Contest>) -> Result<Referee, HostError> {
        let unfinished = contest.state().recover()?;
        for pairing in unfinished {
            take_up(contest, pairing)?;
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = contest.config.threads.unwrap_or(cores.saturating_sub(1)).max(1);
        let mut referee = Referee { stop: Arc::default(), threads: Vec::new() };
        for number in 0..threads {
            let (contest, stop) = (Arc::clone(contest), Arc::clone(&referee.stop));
            let thread = quintain_arena::match_thread(number).spawn(move || work(&contest, &stop));
            let path = || contest_path(&referee);
            match thread {
                Ok(thread) => referee.threads.push(thread),
                Err(source) => {
                    let path = path();
                    referee.end();
                    return Err(HostError::File { path, source });
                }
            }
        }
        Ok(referee)
    }

    /// Gives up what is under way, and waits for the threads.
    pub(crate) fn end(self) {
        self.stop.store(true, Ordering::SeqCst);
        for thread in self.threads {
            // A thread catches its own panics.
            let _ = thread.join();
        }
    }
}

/// Where a thread that cannot be started is said to be missing.
fn contest_path(referee: &Referee) -> std::path::PathBuf {
    format!("thread {}", referee.threads.len()).into()
}

/// A match that was under way: counted if its record is in the store, else forgotten, since nothing
/// of it was told to anybody. (One that somebody wanted to see waits again.)
fn take_up(contest: &Contest, pairing: Pairing) -> Result<(), HostError> {
    let found = match prepare(contest, &pairing) {
        Ok((game, setup, players)) => {
            let seats: Vec<&PlayerHandle> = players.iter().collect();
            let store = Store::open(&contest.store())?;
            store.find(&game.fixture(&setup, &seats).id())?.and_then(|stored| stored.record().ok())
        }
        Err(_) => None,
    };
    match found {
        Some(record) => count(contest, result_of(pairing, &record), &[]),
        None => give_up(contest, &pairing, GiveUpReason::HostEnded),
    }
}

/// Enters how a match ended, then counts it.
fn count(contest: &Contest, played: PlayedMatch, said: &[(i64, String)]) -> Result<(), HostError> {
    if !contest.state().finish(&played, said)? {
        return Ok(());
    }
    match played.pairing.kind {
        Kind::Ladder => {
            lock(&contest.ladder).count(&played);
            note_measures(contest)?;
            clear_records(contest)
        }
        Kind::Final => {
            if let Some(finals) = lock(&contest.finals).as_mut() {
                finals.count(played);
                if finals.is_over() {
                    // They were hidden until now, if at all.
                    contest.state().hide_names(false)?;
                    finals.read_names(contest)?;
                }
            }
            Ok(())
        }
        Kind::Challenge => Ok(()),
    }
}

/// Notes everybody's measure now and then: where the ladder is longer, after more matches.
fn note_measures(contest: &Contest) -> Result<(), HostError> {
    let is_due = {
        let ladder = lock(&contest.ladder);
        let each = ladder.count_measured() * NOTED_AFTER;
        each > 0 && ladder.count_played().is_multiple_of(each)
    };
    if !is_due {
        return Ok(());
    }
    let active = contest.look().active()?;
    let (played, rungs) = {
        let mut ladder = lock(&contest.ladder);
        (ladder.count_played(), ladder.recent_standings(&active))
    };
    let measured = rungs.iter().filter(|rung| !rung.version.digest.is_empty());
    let measures: Vec<_> =
        measured.filter_map(|rung| Some((rung.version.id, rung.measure?, rung.interval))).collect();
    contest.state().note_measures(played, &measures)
}

/// Lets the records of older matches go now and then, if host.toml says so.
fn clear_records(contest: &Contest) -> Result<(), HostError> {
    let Some(most) = contest.config.keep_records else { return Ok(()) };
    if !lock(&contest.ladder).count_played().is_multiple_of(CLEARED_AFTER) {
        return Ok(());
    }
    let leaving = contest.state().choose_leaving(most)?;
    if leaving.is_empty() {
        return Ok(());
    }
    Store::open(&contest.store())?.retract(&leaving)?;
    contest.state().note_gone(&leaving)
}

fn give_up(contest: &Contest, pairing: &Pairing, why: GiveUpReason<'_>) -> Result<(), HostError> {
    match pairing.kind {
        Kind::Ladder => lock(&contest.ladder).forget(pairing.id),
        Kind::Final => {
            if let Some(finals) = lock(&contest.finals).as_mut() {
                finals.forget(pairing);
            }
        }
        Kind::Challenge => {}
    }
    contest.state().give_up(pairing, why)
}

fn work(contest: &Contest, stop: &Arc<AtomicBool>) {
    let mut store = None;
    while !stop.load(Ordering::SeqCst) {
        let done = panics::catch(|| step(contest, stop, &mut store));
        let idle = match done {
            Ok(Ok(worked)) => !worked,
            Ok(Err(error)) => {
                tracing::warn!("the ladder waits: {error}");
                true
            }
            Err(panicked) => {
                tracing::error!("a match could not be played: {panicked}");
                true
            }
        };
        if idle {
            sleep(IDLE);
        }
    }
}

/// Does one thing, if there is one to do.
fn step(
    contest: &Contest,
    stop: &Arc<AtomicBool>,
    store: &mut Option<Store>,
) -> Result<bool, HostError> {
    let next = contest.state().next_to_check()?;
    if let Some(version) = next {
        let (passed, log) = validate(contest, &version, stop);
        // One that was told to hurry says nothing about the program; it is checked anew.
        if !stop.load(Ordering::SeqCst) {
            contest.state().note_check(&version, passed, &log)?;
        }
        return Ok(true);
    }
    if contest.look().is_paused()? {
        return Ok(false);
    }
    let phase = contest.phase()?;
    let Some(pairing) = (match phase.rounds {
        Some(_) => next_of_final(contest)?,
        None if phase.has_ladder() => next_of_ladder(contest)?,
        None => None,
    }) else {
        return Ok(false);
    };
    match play(contest, pairing.clone(), stop, store) {
        Ok(Some((played, said))) => {
            count(contest, played, &said)?;
            Ok(true)
        }
        Ok(None) => {
            give_up(contest, &pairing, GiveUpReason::HostEnded)?;
            Ok(true)
        }
        Err(problem) => {
            give_up(contest, &pairing, GiveUpReason::Problem(&problem))?;
            tracing::warn!("match {} cannot be played: {problem}", pairing.id);
            Ok(false)
        }
    }
}

/// The next match of the final, entered. With the first, the final begins.
fn next_of_final(contest: &Contest) -> Result<Option<Pairing>, HostError> {
    let mut finals = lock(&contest.finals);
    if finals.is_none() {
        *finals = Finals::begin(contest)?;
    }
    let Some(pairing) = finals.as_mut().and_then(Finals::next) else { return Ok(None) };
    contest.state().plan(pairing).map(Some)
}

/// The next match outside of the final, entered: one that somebody wants to see, or the one that
/// tells most.
fn next_of_ladder(contest: &Contest) -> Result<Option<Pairing>, HostError> {
    if let Some(challenge) = contest.state().next_challenge()? {
        return Ok(Some(challenge));
    }
    let active = contest.look().active()?;
    contest.keep_playing(&active);
    // In this order, so that pages do not wait for a ladder that waits for the disk.
    let mut state = contest.state();
    let mut ladder = lock(&contest.ladder);
    let number = state.count_planned()?;
    let mut rng = Streams::new(number).address("matchmaking", 0);
    let scenarios = contest.config.scenarios_of(contest.phase()?);
    let chosen = choose(contest, &mut ladder, &active, (number, scenarios), &mut rng)?;
    let Some(pairing) = chosen else { return Ok(None) };
    let pairing = state.plan(pairing)?;
    ladder.plan(pairing.clone());
    Ok(Some(pairing))
}

type Prepared = (Arc<dyn quintain_core::AnyGame>, Setup, Vec<PlayerHandle>);

fn prepare(contest: &Contest, pairing: &Pairing) -> Result<Prepared, String> {
    let game = contest.game(&pairing.scenario).map_err(|error| error.to_string())?;
    let budget = contest.config.budget.parse().map_err(|error| format!("budget: {error}"))?;
    let setup = Setup::new(pairing.seed).with_budget(budget);
    let mut players = Vec::new();
    for seat in &pairing.seats {
        let version = contest.look().version(*seat).map_err(|error| error.to_string())?;
        players.push(contest.player(&version.ok_or("a version is not known")?)?);
    }
    Ok((game, setup, players))
}

/// What came of a match, and what versions said in it.
type PlayedAndSaid = (PlayedMatch, Vec<(i64, String)>);

/// Plays a match and stores its record; nothing if it was given up.
fn play(
    contest: &Contest,
    pairing: Pairing,
    stop: &Arc<AtomicBool>,
    store: &mut Option<Store>,
) -> Result<Option<PlayedAndSaid>, String> {
    let (game, mut setup, players) = prepare(contest, &pairing)?;
    setup.stop = Some(Arc::clone(stop));
    let seats: Vec<&PlayerHandle> = players.iter().collect();
    let begun = Instant::now();
    let mut record = game.play(&setup, &seats, None).map_err(|error| error.to_string())?;
    let elapsed = begun.elapsed();
    if stop.load(Ordering::SeqCst) {
        return Ok(None);
    }
    // The store is open to everybody who sees the ladder; what programs say is their authors' own.
    let mut said = collect_output(&pairing, &std::mem::take(&mut record.log));
    for (version, text) in &mut said {
        let version = contest.look().version(*version).map_err(|error| error.to_string())?;
        if let Some(version) = version {
            *text = program::hide_folder(text, &contest.folder, version.files());
        }
    }
    if let Some(fault) = &mut record.outcome.fault {
        fault.fault.said.clear();
    }
    let failed = |error: &dyn std::fmt::Display| error.to_string();
    let open = match store {
        Some(open) => open,
        none => {
            let opened = Store::open(&contest.store()).map_err(|error| failed(&error))?;
            opened.sync_commits().map_err(|error| failed(&error))?;
            none.insert(opened)
        }
    };
    open.insert(None, &[RecordRow::new(&record, elapsed)]).map_err(|error| failed(&error))?;
    // The same fixture may be there already, from a host that was killed: that one counts.
    let stored = open.find(&record.id).map_err(|error| failed(&error))?;
    let stored = stored.and_then(|stored| stored.record().ok());
    Ok(Some((result_of(pairing, &stored.unwrap_or(record)), said)))
}

/// What each version said in a match, by turn, in words.
fn collect_output(pairing: &Pairing, log: &[LogEntry]) -> Vec<(i64, String)> {
    let mut said: Vec<(i64, String)> = Vec::new();
    for entry in log {
        let Some(version) = pairing.seats.get(entry.seat.index()) else { continue };
        let text = match &entry.content {
            LogContent::Stderr(text) => text.clone(),
            LogContent::Note { name, text } => format!("{name}: {text}"),
            LogContent::LeftOut(count) => format!("({count} left out)"),
            _ => continue,
        };
        let lines: String =
            text.lines().map(|line| format!("turn {}: {line}\n", entry.turn)).collect();
        match said.iter_mut().find(|(of, _)| of == version) {
            Some((_, all)) => *all += &lines,
            None => said.push((*version, lines)),
        }
    }
    said
}

fn result_of(pairing: Pairing, record: &Record) -> PlayedMatch {
    let fault = record.outcome.fault.as_ref();
    PlayedMatch {
        pairing,
        record: record.id.clone(),
        scores: record.outcome.scores.clone(),
        fault: fault.map(|fault| (fault.seat.index(), fault.fault.to_string())),
        is_kept: true,
    }
}
