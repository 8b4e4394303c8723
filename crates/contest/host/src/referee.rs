//! The threads that check what was submitted, and play the ladder's matches or hand them out. A
//! match is entered before it is played; its record goes into the store first, then its result into
//! the contest's state, which counts it once. So whenever the host ends, a match is either not
//! played, or found again in the store, or counted.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{JoinHandle, sleep};
use std::time::{Duration, Instant};

use quintain_bots::count_fitting_matches;
use quintain_core::{PlayerHandle, panics};
use serde_json::json;

use crate::admin::{SERVER, THREADS, WORKERS};
use crate::contest::Contest;
use crate::current_ladder::reveal;
use crate::disk::delete_failed;
use crate::disk::describe_size;
use crate::elsewhere::Elsewhere;
use crate::error::HostError;
use crate::handing_out;
use crate::match_steps::{count, give_up, next_match, play, prepare, result_of};
use crate::state::{GiveUpReason, Pairing};
use crate::stores::Stores;
use crate::trouble::TroubleKind;
use crate::validation::validate;

/// How long to wait when there is nothing to do.
const IDLE: Duration = Duration::from_millis(200);
/// How often to look for records that may be shown now.
const LOOKED: Duration = Duration::from_secs(1);

/// The running threads; they end on request.
pub(crate) struct Referee {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Referee {
    /// Resumes what was under way and starts the threads; matches are played here, or else by
    /// workers.
    pub(crate) fn start(
        contest: &Arc<Contest>,
        elsewhere: Option<Elsewhere>,
    ) -> Result<Referee, HostError> {
        let unfinished = contest.write_state().recover()?;
        take_up(contest, unfinished)?;
        let threads = count_threads(contest);
        record_players(contest, threads, elsewhere.as_ref())?;
        let mut referee = Referee { stop: Arc::clone(&contest.is_ending), threads: Vec::new() };
        let elsewhere = elsewhere.map(Arc::new);
        // If workers play the matches, one more thread hands them out.
        let handing_out = elsewhere.is_some().then_some(Job::HandOut);
        for (number, job) in jobs(threads).chain(handing_out).enumerate() {
            let (contest, stop) = (Arc::clone(contest), Arc::clone(&referee.stop));
            let elsewhere = elsewhere.clone();
            let thread =
                quintain_arena::match_thread(number).spawn(move || match (job, elsewhere) {
                    (Job::HandOut, Some(elsewhere)) => {
                        handing_out::hand_out(&contest, &elsewhere, &stop);
                    }
                    (job, elsewhere) => work(&contest, job, elsewhere.as_deref(), &stop),
                });
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

    /// Gives up what is under way, and joins the threads.
    pub(crate) fn end(self) {
        self.stop.store(true, Ordering::SeqCst);
        for thread in self.threads {
            // A thread catches its own panics.
            let _ = thread.join();
        }
    }
}

/// Returns how many threads play: as many as host.toml says, or one fewer than there are cores; but
/// only so many that the programs of all matches fit into the machine's memory.
fn count_threads(contest: &Contest) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let wanted = contest.config.threads.unwrap_or(cores.saturating_sub(1)).max(1);
    let game = contest.game(&contest.config.scenarios[0]);
    let seats = game.map_or(1, |game| game.seats()) as u64;
    let playing = seats.saturating_mul(contest.config.program.memory.0);
    let fitting = count_fitting_matches(playing).max(1);
    if fitting < wanted {
        tracing::warn!(
            "{fitting} matches are played at a time, not {wanted}: the programs of one may take \
             {}, and more would not fit into this machine's memory; lower `memory` in [program] of \
             host.toml for more",
            describe_size(playing)
        );
    }
    wanted.min(fitting)
}

/// What a thread does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Job {
    /// Only plays: however long checks and builds take, matches go on.
    Play,
    /// Only checks.
    Check,
    /// Checks what was submitted, and otherwise plays.
    CheckAndPlay,
    /// Hands matches out to workers.
    HandOut,
}

/// Returns what this many threads do. Checks never take the last one: where there is only one, one
/// more checks.
fn jobs(threads: usize) -> impl Iterator<Item = Job> {
    let others = match threads {
        1 => vec![Job::Check],
        threads => vec![Job::CheckAndPlay; threads - 1],
    };
    [Job::Play].into_iter().chain(others)
}

/// Records who plays, so that the contest's status can report it.
fn record_players(
    contest: &Contest,
    threads: usize,
    elsewhere: Option<&Elsewhere>,
) -> Result<(), HostError> {
    let server = elsewhere.map_or(String::new(), |elsewhere| elsewhere.workers.server());
    let mut state = contest.write_state();
    state.set_quietly(THREADS, &threads.to_string())?;
    state.set_quietly(SERVER, &server)?;
    state.set_quietly(WORKERS, "")
}

/// Returns the name by which an error reports a thread that cannot be started.
fn contest_path(referee: &Referee) -> std::path::PathBuf {
    format!("thread {}", referee.threads.len()).into()
}

/// Handles matches that were under way. Each is counted if its record is in the store, and
/// otherwise dropped, since nobody has seen anything of it. (A challenge waits again.)
fn take_up(contest: &Contest, unfinished: Vec<Pairing>) -> Result<(), HostError> {
    let mut stores = Stores::default();
    let mut lost = Vec::new();
    for pairing in unfinished {
        let found = match prepare(contest, &pairing) {
            Ok((game, setup, players)) => {
                let seats: Vec<&PlayerHandle> = players.iter().collect();
                let found = stores.find(contest, &game.fixture(&setup, &seats).id());
                let found = found.map_err(HostError::Usage)?;
                found.and_then(|stored| Some((stored.record().ok()?, stored.elapsed)))
            }
            Err(_) => None,
        };
        match found {
            Some((record, elapsed)) => count(contest, result_of(pairing, &record, elapsed), &[])?,
            None => lost.push(pairing),
        }
    }
    give_up(contest, &lost, GiveUpReason::HostEnded)
}

fn work(contest: &Contest, job: Job, elsewhere: Option<&Elsewhere>, stop: &Arc<AtomicBool>) {
    let (mut stores, mut looked) = (Stores::default(), Instant::now());
    while !stop.load(Ordering::SeqCst) {
        let done = panics::catch(|| {
            if job == Job::Play && looked.elapsed() > LOOKED {
                looked = Instant::now();
                reveal(contest, &mut stores)?;
            }
            if job != Job::Play && check(contest, stop)? {
                return Ok(true);
            }
            if job == Job::Check {
                return Ok(false);
            }
            play_next(contest, elsewhere, stop, &mut stores)
        });
        let idle = match done {
            Ok(Ok(worked)) => {
                contest.troubles.succeed();
                !worked
            }
            Ok(Err(error)) => {
                contest.troubles.occur(TroubleKind::Matches, &format!("the ladder waits: {error}"));
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

/// Checks a version that was submitted, if there is one; returns whether there was. Once no
/// programs are accepted any more, nobody waits for their seconds: a final would wait, too.
fn check(contest: &Contest, stop: &Arc<AtomicBool>) -> Result<bool, HostError> {
    if contest.is_cleaning_due() {
        delete_failed(contest)?;
    }
    let takes_programs = contest.phase()?.takes_programs();
    let quota = takes_programs.then(|| contest.config.limits.check_quota());
    let Some(version) = contest.write_state().next_to_check(quota)? else { return Ok(false) };
    let begun = Instant::now();
    let (passed, log) = validate(contest, &version, stop);
    // A check that was cut short says nothing about the program, which is checked again.
    if !stop.load(Ordering::SeqCst) {
        let seconds = begun.elapsed().as_secs_f64();
        contest.retry(|| contest.write_state().record_check(&version, passed, &log, seconds))?;
        let seconds = (seconds * 10.0).round() / 10.0;
        let result = if passed { "passed" } else { "failed" };
        let (who, number) = (&version.name, version.number);
        let more = json!({ "who": who, "version": number, "seconds": seconds });
        contest.events.log("check", result, more);
    }
    Ok(true)
}

/// Plays a match, if there is one; returns whether it did.
fn play_next(
    contest: &Contest,
    elsewhere: Option<&Elsewhere>,
    stop: &Arc<AtomicBool>,
    stores: &mut Stores,
) -> Result<bool, HostError> {
    // If matches are handed out, only those that cannot be are played here.
    let next = match elsewhere {
        Some(elsewhere) => elsewhere.next_for_here(),
        None => next_match(contest)?,
    };
    let Some(pairing) = next else { return Ok(false) };
    match play(contest, pairing.clone(), stop, stores) {
        Ok(Some((played, outputs))) => {
            count(contest, played, &outputs)?;
            Ok(true)
        }
        Ok(None) => {
            give_up(contest, &[pairing], GiveUpReason::HostEnded)?;
            Ok(true)
        }
        Err(problem) => {
            contest
                .troubles
                .occur(TroubleKind::Matches, &format!("a match cannot be played: {problem}"));
            give_up(contest, &[pairing], GiveUpReason::Problem(&problem))?;
            Ok(false)
        }
    }
}
