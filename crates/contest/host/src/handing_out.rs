//! Hands matches out to workers in rounds. A round takes as many matches as the workers play in a
//! few seconds, by their number and by the time that they are expected to take: what somebody costs
//! may be overestimated at first, and the share of a slow program in a large round would then keep
//! the workers for minutes. The matches are chosen and entered, and an executor has them played
//! into a store of the round's own. When all are there, their records are treated like any others.
//! So a record that an executor withdraws is never seen here, and a host that is killed has shown
//! nobody the matches that it forgets.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use quintain_arena::{
    ChosenMatches, FixtureNumbers, RunSummary, Shard, Tournament, match_thread, run_on,
};
use quintain_core::{PlayerHandle, ScenarioSet, panics};
use quintain_store::Store;

use crate::contest::Contest;
use crate::elsewhere::{Elsewhere, PackedProgram};
use crate::error::HostError;
use crate::finals::Finals;
use crate::lock::lock;
use crate::match_steps::{count, give_up, keep_record, next_match};
use crate::packed::PackedFile;
use crate::state::{GiveUpReason, Kind, Pairing, Version};
use crate::stores::Stores;
use crate::token;
use crate::trouble::TroubleKind;

/// Number of rounds at a time: while one waits for its last matches, the other has some.
const AT_ONCE: usize = 2;
/// How long a round should take.
const ROUND: Duration = Duration::from_secs(10);
/// Number of matches in the first round, and the maximum for any round.
const FIRST: usize = 16;
const MAX_ROUND: usize = 512;
/// Maximum number of versions in a round: workers learn of a round by a single message.
const MAX_VERSIONS: usize = 1000;
/// How long to wait when there is nothing to do, and when nobody can be reached.
const IDLE: Duration = Duration::from_millis(200);
const PAUSE: Duration = Duration::from_secs(2);
/// The setting with the contest's name for the workers.
const NAME: &str = "workers";

/// Announces itself to the workers, then hands out rounds, several at a time, until it has to stop.
pub(crate) fn hand_out(contest: &Contest, elsewhere: &Elsewhere, stop: &Arc<AtomicBool>) {
    begin(contest, elsewhere, stop);
    std::thread::scope(|scope| {
        for number in 1..AT_ONCE {
            let play = || play_rounds(contest, elsewhere, stop);
            if let Err(error) = match_thread(number).spawn_scoped(scope, play) {
                tracing::warn!("fewer rounds are handed out at a time: {error}");
            }
        }
        play_rounds(contest, elsewhere, stop);
    });
}

/// Tries to reach the workers until that succeeds or it has to stop.
fn begin(contest: &Contest, elsewhere: &Elsewhere, stop: &AtomicBool) {
    while !stop.load(Ordering::SeqCst) {
        let name = contest.write_state().secret(NAME).map_err(|error| error.to_string());
        match name.and_then(|name| elsewhere.workers.begin(&name, stop)) {
            Ok(()) => return,
            Err(problem) => {
                tracing::warn!("no matches are handed out: {problem}");
                wait(PAUSE, stop);
            }
        }
    }
}

/// How much a round may have.
#[derive(Clone, Copy, Debug)]
struct RoundSize {
    matches: usize,
    /// The expected time of its matches of the ladder, in seconds of a thread.
    seconds: f64,
}

impl RoundSize {
    const FIRST: RoundSize = RoundSize { matches: FIRST, seconds: ROUND.as_secs_f64() };

    /// Returns the size after a round of which so many matches, which took a thread for so many
    /// seconds, were played in this time.
    fn after(played: u64, seconds: f64, elapsed: Duration) -> RoundSize {
        let times = ROUND.as_secs_f64() / elapsed.as_secs_f64().max(1e-3);
        RoundSize {
            matches: ((played as f64 * times) as usize).clamp(FIRST, MAX_ROUND),
            seconds: (seconds * times).max(ROUND.as_secs_f64()),
        }
    }
}

/// Has one round after another played until it has to stop.
fn play_rounds(contest: &Contest, elsewhere: &Elsewhere, stop: &Arc<AtomicBool>) {
    let (mut size, mut stores) = (RoundSize::FIRST, Stores::default());
    while !stop.load(Ordering::SeqCst) {
        let done = panics::catch(|| round(contest, elsewhere, &mut size, &mut stores, stop));
        match done {
            Ok(Ok(worked)) => {
                contest.troubles.succeed();
                if !worked {
                    sleep(IDLE);
                }
            }
            Ok(Err(problem)) => {
                contest
                    .troubles
                    .occur(TroubleKind::Matches, &format!("the ladder waits: {problem}"));
                wait(PAUSE, stop);
            }
            Err(panicked) => {
                tracing::error!("a round could not be played: {panicked}");
                wait(PAUSE, stop);
            }
        }
    }
}

/// Waits for this time, or until it has to stop.
fn wait(time: Duration, stop: &AtomicBool) {
    let begun = Instant::now();
    while begun.elapsed() < time && !stop.load(Ordering::SeqCst) {
        sleep(IDLE.min(time));
    }
}

/// The matches of a round, both as entered and as handed out.
struct Round {
    pairings: Vec<Pairing>,
    matches: ChosenMatches,
    programs: Vec<PackedProgram>,
    /// The programs' files, which stay until the round is over.
    _files: Vec<Arc<PackedFile>>,
}

/// Has one round of about this size played; returns whether there were any matches.
fn round(
    contest: &Contest,
    elsewhere: &Elsewhere,
    size: &mut RoundSize,
    stores: &mut Stores,
    stop: &Arc<AtomicBool>,
) -> Result<bool, HostError> {
    let Some(round) = choose(contest, elsewhere, *size)? else { return Ok(false) };
    let Round { pairings, matches, programs, _files } = round;
    let begun = Instant::now();
    let played = match play(contest, elsewhere, matches, programs, stop) {
        Ok(played) => played,
        Err(problem) => {
            give_up(contest, &pairings, GiveUpReason::HostEnded)?;
            return Err(HostError::Usage(problem));
        }
    };
    let PlayedRound { tournament, records, summary, _folder } = played;
    let failed = summary.failures.first().cloned().unwrap_or_default();
    let (mut is_counted, mut left, mut seconds) = (false, Vec::new(), 0.0);
    for (index, pairing) in pairings.into_iter().enumerate() {
        let id = tournament.schedule().fixture(index as u64).id();
        let Some(found) = records.find(&id)? else {
            left.push(pairing);
            continue;
        };
        let record = records.load(&id)?;
        seconds += found.elapsed.as_secs_f64();
        let kept = keep_record(contest, pairing.clone(), record, found.elapsed, stores);
        match kept {
            Ok((played, outputs)) => {
                count(contest, played, &outputs)?;
                is_counted = true;
            }
            Err(problem) => give_up(contest, &[pairing], GiveUpReason::Problem(&problem))?,
        }
    }
    let why = match summary.failed > 0 && !stop.load(Ordering::SeqCst) {
        true => GiveUpReason::Problem(&failed),
        false => GiveUpReason::HostEnded,
    };
    give_up(contest, &left, why)?;
    *size = RoundSize::after(summary.played, seconds, begun.elapsed());
    for remark in &summary.remarks {
        tracing::info!("{remark}");
    }
    Ok(is_counted)
}

/// The result of a round, in a store of its own.
struct PlayedRound {
    tournament: Tournament,
    records: Store,
    summary: RunSummary,
    /// The store's folder, deleted with it.
    _folder: tempfile::TempDir,
}

fn play(
    contest: &Contest,
    elsewhere: &Elsewhere,
    matches: ChosenMatches,
    programs: Vec<PackedProgram>,
    stop: &Arc<AtomicBool>,
) -> Result<PlayedRound, String> {
    let tournament = Tournament::of_matches(matches).map_err(|error| error.to_string())?;
    let folder = contest.job_folder().map_err(|error| error.to_string())?;
    let mut records =
        Store::open(&folder.path().join("round.sqlite")).map_err(|error| error.to_string())?;
    let executor = elsewhere.workers.executor(&tournament, programs);
    let run = run_on(&*executor, &tournament, Shard::WHOLE, &mut records, stop, &mut |_| {
        elsewhere.record_workers(contest);
    });
    let summary = run.map_err(|error| error.to_string())?;
    Ok(PlayedRound { tournament, records, summary, _folder: folder })
}

/// Chooses and enters the matches of a round. Matches that cannot be played elsewhere are left to
/// the threads here.
fn choose(
    contest: &Contest,
    elsewhere: &Elsewhere,
    size: RoundSize,
) -> Result<Option<Round>, HostError> {
    let mut taking_part = RoundVersions::default();
    let mut scenarios: Vec<String> = Vec::new();
    let (mut pairings, mut chosen) = (Vec::new(), Vec::new());
    let (mut files, mut seconds) = (Vec::new(), 0.0);
    while pairings.len() < size.matches
        && seconds < size.seconds
        && taking_part.players.len() < MAX_VERSIONS
    {
        if elsewhere.has_enough_here() {
            break;
        }
        let pairing = match next_match(contest) {
            Ok(Some(pairing)) => pairing,
            Ok(None) => break,
            Err(error) if pairings.is_empty() => return Err(error),
            // Those that are chosen already are played.
            Err(_) => break,
        };
        match taking_part.seat(contest, elsewhere, &pairing, &mut files) {
            Ok(Some(lineup)) => {
                let known = scenarios.iter().position(|scenario| *scenario == pairing.scenario);
                let scenario = known.unwrap_or_else(|| {
                    scenarios.push(pairing.scenario.clone());
                    scenarios.len() - 1
                });
                if pairing.kind == Kind::Ladder {
                    seconds += lock(&contest.shares).cost_of(&pairing.versions());
                }
                chosen.push(FixtureNumbers { scenario, seed: pairing.seed, lineup });
                pairings.push(pairing);
            }
            Ok(None) => elsewhere.leave_here(pairing),
            Err(problem) => {
                contest
                    .troubles
                    .occur(TroubleKind::Matches, &format!("a match cannot be played: {problem}"));
                give_up(contest, &[pairing], GiveUpReason::Problem(&problem))?;
                break;
            }
        }
    }
    keep_packed(contest, elsewhere, &taking_part)?;
    if pairings.is_empty() {
        return Ok(None);
    }
    let RoundVersions { players, programs, .. } = taking_part;
    let matches = chosen_matches(contest, &scenarios, players, chosen)?;
    Ok(Some(Round { pairings, matches, programs, _files: files }))
}

/// Keeps the packed programs of those that play now or take part in a round, and of no others.
fn keep_packed(
    contest: &Contest,
    elsewhere: &Elsewhere,
    taking_part: &RoundVersions,
) -> Result<(), HostError> {
    let active = contest.retry(|| contest.read_state().playing())?;
    let finals = lock(&contest.finals);
    let roster = finals.as_ref().map_or(&[][..], Finals::roster);
    let plays = |id| active.iter().chain(roster).any(|version| version.id == id);
    elsewhere.keep_packed(|id| plays(id) || taking_part.numbers.contains_key(&id));
    Ok(())
}

/// Returns the matches of a round in the form in which they are handed out.
fn chosen_matches(
    contest: &Contest,
    scenarios: &[String],
    players: Vec<PlayerHandle>,
    fixtures: Vec<FixtureNumbers>,
) -> Result<ChosenMatches, HostError> {
    let usage = |problem: &dyn std::fmt::Display| HostError::Usage(problem.to_string());
    let (config, catalog) = (&contest.config, &contest.catalog);
    let scenarios = scenarios
        .iter()
        .map(|scenario| ScenarioSet::find(catalog, &config.game, config.pinned(scenario)));
    Ok(ChosenMatches {
        id: token::new_token()?,
        name: config.name.clone(),
        game: config.game.clone(),
        scenarios: scenarios.collect::<Result<_, _>>().map_err(|error| usage(&error))?,
        players,
        fixtures,
        budget: config.budget.parse().map_err(|error| usage(&error))?,
    })
}

/// The versions in a round, each once.
#[derive(Default)]
struct RoundVersions {
    numbers: HashMap<i64, usize>,
    players: Vec<PlayerHandle>,
    programs: Vec<PackedProgram>,
}

impl RoundVersions {
    /// Returns the numbers of the versions at a match, entering them if necessary; none if one of
    /// them can be played only here.
    fn seat(
        &mut self,
        contest: &Contest,
        elsewhere: &Elsewhere,
        pairing: &Pairing,
        files: &mut Vec<Arc<PackedFile>>,
    ) -> Result<Option<Vec<usize>>, String> {
        let mut versions: Vec<(Version, Option<Arc<PackedFile>>)> = Vec::new();
        for &seat in &pairing.seats {
            if self.numbers.contains_key(&seat)
                || versions.iter().any(|(known, _)| known.id == seat)
            {
                continue;
            }
            let version = contest.read_state().version(seat).map_err(|error| error.to_string())?;
            let version = version.ok_or("a version is not known")?;
            let packed = match version.is_house() {
                true => None,
                false => match elsewhere.packed(contest, &version)? {
                    None => return Ok(None),
                    packed => packed,
                },
            };
            versions.push((version, packed));
        }
        for (version, packed) in versions {
            let player = contest.player(&version)?;
            if let Some(packed) = packed {
                self.programs.push(PackedProgram {
                    player: player.spec.clone(),
                    digest: packed.digest.clone(),
                    file: packed.path.clone(),
                });
                files.push(packed);
            }
            self.numbers.insert(version.id, self.players.len());
            self.players.push(player);
        }
        Ok(Some(pairing.seats.iter().map(|seat| self.numbers[seat]).collect()))
    }
}
