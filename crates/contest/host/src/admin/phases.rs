//! The phases: which one it is, moving and choosing them, and undoing a final.

use std::path::Path;
use std::time::SystemTime;

use quintain_core::Catalog;
use quintain_store::Store;

use super::open;
use crate::config::{Config, Phase};
use crate::contest::{Contest, ORGANISER, STORE, phase_now};
use crate::error::{CONFIRM, HostError};
use crate::finals::{self, Finals};
use crate::grades::GradedLadder;
use crate::lock::lock;
use crate::schedule::{PHASE, Schedule, describe_switch, find_phase, move_phase_by};
use crate::state::State;

/// A phase of a contest.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct PhaseState {
    /// Its name.
    pub name: String,
    /// When it begins, if it has a time.
    pub from: Option<SystemTime>,
    /// The same in the contest's time zone.
    pub from_text: Option<String>,
    /// Whether the organiser has moved it from where host.toml has it.
    pub is_moved: bool,
    /// Whether it begins only when it is chosen: it is not the first phase and has no time.
    pub begins_by_hand: bool,
    /// Whether programs are accepted.
    pub takes_programs: bool,
    /// Whether ladder matches are played.
    pub has_ladder: bool,
    /// The rounds of the final, if this phase is the final.
    pub rounds: Option<u64>,
    /// Whether it is the current phase.
    pub is_now: bool,
    /// Whether the organiser chose it, whatever the time.
    pub is_chosen: bool,
}

/// Returns the phases in order.
///
/// # Errors
/// As [`super::users`].
pub fn phases(folder: &Path, catalog: &Catalog) -> Result<Vec<PhaseState>, HostError> {
    let (config, state) = open(folder, catalog)?;
    phases_of(&config, &state)
}

pub(crate) fn phases_of(config: &Config, state: &State) -> Result<Vec<PhaseState>, HostError> {
    let chosen = state.setting(PHASE)?;
    let now = &phase_now(config, state)?.name;
    let schedule = Schedule::of(config, state)?;
    let of = |(at, phase): (usize, &Phase)| PhaseState {
        name: phase.name.clone(),
        from: schedule.time(phase),
        from_text: schedule.time(phase).map(|at| config.zone.write(at)),
        is_moved: schedule.time(phase) != phase.time(),
        begins_by_hand: at > 0 && schedule.time(phase).is_none(),
        takes_programs: phase.takes_programs(),
        has_ladder: phase.has_ladder(),
        rounds: phase.rounds,
        is_now: phase.name == *now,
        is_chosen: Some(&phase.name) == chosen.as_ref(),
    };
    Ok(config.phases.iter().enumerate().map(of).collect())
}

/// A phase that the organiser chooses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PhaseChoice<'a> {
    /// Its name, or the beginning of its name; none to follow the times again.
    pub name: Option<&'a str>,
    /// Whether this may begin the final, which is played only once.
    pub begins_final: bool,
    /// Whether this may stop a final that is being played, leave its phase once it has begun, or
    /// have the times reopen or close the submissions.
    pub is_confirmed: bool,
}

/// Makes this the phase from now on, whatever the time; or returns to what the times say.
///
/// # Errors
/// As [`super::users`]; also if there is no such phase, if it is the final, which has not begun and
/// may not, or if it wants to be confirmed.
pub fn choose_phase(
    folder: &Path,
    catalog: &Catalog,
    choice: PhaseChoice<'_>,
) -> Result<(), HostError> {
    let (config, mut state) = open(folder, catalog)?;
    choose_phase_by(ORGANISER, &config, &mut state, choice)
}

/// Moves the begin of a phase to a time, or without one back to that of host.toml.
///
/// # Errors
/// As [`super::users`]; also if there is no such phase, that is no time, or phases would not be in
/// the order of their times; if it is a final that has begun, or would begin at once; and if
/// another phase would begin at once and that is not `confirmed`.
pub fn move_phase(
    folder: &Path,
    catalog: &Catalog,
    (name, to): (&str, Option<&str>),
    is_confirmed: bool,
) -> Result<(), HostError> {
    let (config, mut state) = open(folder, catalog)?;
    move_phase_by(ORGANISER, &config, &mut state, (name, to), is_confirmed)
}

pub(crate) fn choose_phase_by(
    who: &str,
    config: &Config,
    state: &mut State,
    PhaseChoice { name, begins_final, is_confirmed }: PhaseChoice<'_>,
) -> Result<(), HostError> {
    let phase = match name {
        Some(name) => find_phase(config, name)?,
        None => Schedule::of(config, state)?.phase(SystemTime::now(), None),
    };
    if phase.rounds.is_some() && finals::planned(state)?.is_none() {
        let programs = state.active()?.iter().filter(|version| !version.is_house()).count();
        if programs == 0 {
            return Err(HostError::Usage(format!(
                "{:?} is the final, which is played once, and nobody's program is on the ladder \
                 yet",
                phase.name
            )));
        }
        if !begins_final {
            let programs =
                if programs == 1 { "1 program".to_owned() } else { format!("{programs} programs") };
            let what = format!(
                "{:?} is the final: it is played once, by the {programs} on the ladder and the \
                 house",
                phase.name
            );
            return Err(HostError::Unconfirmed { what, option: "begin" });
        }
    }
    confirm_switch(config, state, (name, phase), is_confirmed)?;
    match name {
        Some(_) => state.set(who, PHASE, Some(&phase.name), &format!("phase: {}", phase.name)),
        None => state.set(who, PHASE, None, "phases follow the clock"),
    }
}

/// Refuses to leave the phase of a final that has begun, whether or not it is over, unless that is
/// confirmed; and also what the clock does unseen when it decides again: accept programs, or no
/// more.
fn confirm_switch(
    config: &Config,
    state: &State,
    (name, phase): (Option<&str>, &Phase),
    is_confirmed: bool,
) -> Result<(), HostError> {
    let before = phase_now(config, state)?;
    let mut effects = describe_switch(state, before, phase)?;
    let is_other = before.name != phase.name && phase.rounds.is_none();
    let has_begun = finals::planned(state)?.is_some();
    if has_begun && is_other && !effects.iter().any(|effect| effect.starts_with("the final")) {
        let is = if finals::is_published(state)? { "is over and stays" } else { "has begun" };
        effects.insert(0, format!("the final {is}: nothing submitted or played now is in it"));
    }
    let leaves_final = effects.iter().any(|effect| effect.starts_with("the final"));
    if is_confirmed || effects.is_empty() || name.is_some() && !leaves_final {
        return Ok(());
    }
    let what = match name {
        Some(_) => effects.join("; "),
        None => format!("by the times, the phase is {:?} now; {}", phase.name, effects.join("; ")),
    };
    Err(HostError::Unconfirmed { what, option: CONFIRM })
}

/// Undoes a final that is not over: its matches are deleted, the contest is in the phase before it,
/// and it can begin again, on other seeds. Returns how far it was, and the name of the phase.
///
/// # Errors
/// As [`super::users`]; also if no final has begun, its result is published, there is no phase
/// before it, or it is not `confirmed`.
pub fn undo_final(
    folder: &Path,
    catalog: &Catalog,
    is_confirmed: bool,
) -> Result<(FinalProgress, String), HostError> {
    let (config, mut state) = open(folder, catalog)?;
    undo_final_by(ORGANISER, &config, &mut state, &folder.join(STORE), is_confirmed)
}

pub(crate) fn undo_final_by(
    who: &str,
    config: &Config,
    state: &mut State,
    store: &Path,
    is_confirmed: bool,
) -> Result<(FinalProgress, String), HostError> {
    let refuse = |why: String| Err(HostError::Usage(why));
    let Some(progress) = final_progress_of(state)? else {
        return refuse("no final has begun".to_owned());
    };
    let FinalProgress { played, planned, .. } = progress;
    let published = || {
        refuse("the final is over: its result and its seeds are published, and it stays".to_owned())
    };
    if finals::is_published(state)? {
        return published();
    }
    let at = config.phases.iter().position(|phase| phase.rounds.is_some());
    let Some(before) = at.and_then(|at| config.phases[..at].last()) else {
        return refuse("host.toml has no phase before the final: add one to return to".to_owned());
    };
    if !is_confirmed {
        let what = format!(
            "this deletes {played} of {planned} matches of the final and returns to the phase \
             {:?}; the final can begin again, on other seeds, and its page says that this one was \
             undone",
            before.name
        );
        return Err(HostError::Unconfirmed { what, option: CONFIRM });
    }
    let Some(records) = finals::undo(state, who, (PHASE, &before.name))? else {
        return published();
    };
    // The host may have played on since they were counted.
    let progress = FinalProgress { played: records.len() as u64, ..progress };
    if store.exists() {
        Store::open(store)?.retract(&records)?;
    }
    Ok((progress, before.name.clone()))
}

/// The progress of a final that has begun.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct FinalProgress {
    /// The programs in it.
    pub programs: usize,
    /// Matches played so far.
    pub played: u64,
    /// All matches of its schedule.
    pub planned: u64,
    /// Whether all were played, so that its result is published.
    pub is_over: bool,
}

/// Returns the progress of the final, once it has begun.
///
/// # Errors
/// As [`super::users`].
pub fn final_progress(
    folder: &Path,
    catalog: &Catalog,
) -> Result<Option<FinalProgress>, HostError> {
    final_progress_of(&open(folder, catalog)?.1)
}

fn final_progress_of(state: &State) -> Result<Option<FinalProgress>, HostError> {
    let Some(programs) = finals::count_programs(state)? else { return Ok(None) };
    let planned = finals::planned(state)?.unwrap_or(0);
    let (played, is_over) = (state.count_matches()?.finals, finals::is_published(state)?);
    Ok(Some(FinalProgress { programs, played, planned, is_over }))
}

/// Says that a final that has begun is not played to its end, or which of its matches are missing;
/// nothing otherwise.
///
/// # Errors
/// As [`super::users`].
pub fn describe_unfinished(folder: &Path, catalog: &Catalog) -> Result<Option<String>, HostError> {
    match final_progress(folder, catalog)? {
        Some(progress) if progress.played < progress.planned => {
            let contest = Contest::read(folder, catalog, Path::new(""))?;
            Ok(GradedLadder::of(&contest)?.describe_unfinished())
        }
        _ => Ok(None),
    }
}

/// Says which matches of a final that was over are missing, and what to do; nothing if none is.
///
/// # Errors
/// As [`super::users`].
pub fn describe_missing(folder: &Path, catalog: &Catalog) -> Result<Option<String>, HostError> {
    let is_lacking =
        |progress: FinalProgress| progress.is_over && progress.played < progress.planned;
    if !final_progress(folder, catalog)?.is_some_and(is_lacking) {
        return Ok(None);
    }
    let contest = Contest::read(folder, catalog, Path::new(""))?;
    let missing = lock(&contest.finals).as_ref().map(Finals::list_missing).unwrap_or_default();
    Ok(finals::describe_missing(&missing))
}
