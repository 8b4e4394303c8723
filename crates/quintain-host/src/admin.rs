//! What an organiser does by command, while the host runs or not: it reads its database again before
//! every step.

use std::path::Path;
use std::time::SystemTime;

use quintain_core::Catalog;

use crate::config::{Config, Phase};
use crate::contest::{Contest, ORGANISER, PHASE};
use crate::error::HostError;
use crate::grades;
use crate::state::{BanResult, NO_PROGRAM, Stage, State, time_of};

/// Somebody who takes part, as the organiser sees them.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct User {
    /// Their name.
    pub name: String,
    /// How pages call them.
    pub called: String,
    /// Organiser, banned, on the ladder, or none of it yet.
    pub is: &'static str,
    /// The versions that they handed in.
    pub versions: usize,
    /// The number of the one on the ladder.
    pub active: Option<i64>,
}

/// A phase of a contest.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct PhaseState {
    /// Its name.
    pub name: String,
    /// When it begins, if it has a time.
    pub from: Option<SystemTime>,
    /// Whether programs are taken.
    pub takes_programs: bool,
    /// Whether matches are played for the ladder.
    pub has_ladder: bool,
    /// The rounds of the final, if it is that.
    pub rounds: Option<u64>,
    /// Whether it is the present one.
    pub is_now: bool,
    /// Whether it was chosen, whatever the time.
    pub is_chosen: bool,
}

/// Opens the database of a contest that there is.
fn open(folder: &Path, catalog: &Catalog) -> Result<(Config, State), HostError> {
    let config = Config::load(folder, catalog)?;
    Ok((config, State::open(folder)?))
}

/// Who takes part, those of the house left out.
///
/// # Errors
/// If there is no contest, or its database cannot be read.
pub fn users(folder: &Path, catalog: &Catalog) -> Result<Vec<User>, HostError> {
    let (_, state) = open(folder, catalog)?;
    let mut users = Vec::new();
    for who in state.participants()?.into_iter().filter(|who| !who.is_house) {
        let versions = state.versions_of(who.id)?;
        let active = versions.iter().find(|version| Some(version.id) == who.active);
        let is = match (who.role(), versions.iter().max_by_key(|version| version.number)) {
            // One that has handed in hears how far that is.
            (NO_PROGRAM, Some(latest)) => match latest.stage {
                Stage::Waiting | Stage::Checking => "being checked",
                Stage::Failed => "did not pass the check",
                Stage::Passed => NO_PROGRAM,
            },
            (role, _) => role,
        };
        let active = active.map(|version| version.number);
        users.push(User {
            name: who.name,
            called: who.called,
            is,
            versions: versions.len(),
            active,
        });
    }
    Ok(users)
}

/// The phases, in their order.
///
/// # Errors
/// As [`users`].
pub fn phases(folder: &Path, catalog: &Catalog) -> Result<Vec<PhaseState>, HostError> {
    let (config, state) = open(folder, catalog)?;
    phases_of(&config, &state)
}

pub(crate) fn phases_of(config: &Config, state: &State) -> Result<Vec<PhaseState>, HostError> {
    let chosen = state.setting(PHASE)?;
    let now = &config.phase(SystemTime::now(), chosen.as_deref()).name;
    let of = |phase: &Phase| PhaseState {
        name: phase.name.clone(),
        from: phase.time(),
        takes_programs: phase.takes_programs(),
        has_ladder: phase.has_ladder(),
        rounds: phase.rounds,
        is_now: phase.name == *now,
        is_chosen: Some(&phase.name) == chosen.as_ref(),
    };
    Ok(config.phases.iter().map(of).collect())
}

/// Has this phase from now on, whatever the time; or again what the times say.
///
/// # Errors
/// As [`users`], and if there is no such phase.
pub fn choose_phase(folder: &Path, catalog: &Catalog, name: Option<&str>) -> Result<(), HostError> {
    let (config, mut state) = open(folder, catalog)?;
    choose_phase_by(ORGANISER, &config, &mut state, name)
}

pub(crate) fn choose_phase_by(
    who: &str,
    config: &Config,
    state: &mut State,
    name: Option<&str>,
) -> Result<(), HostError> {
    let Some(name) = name else {
        return state.set(who, PHASE, None, "phases follow the clock");
    };
    if !config.phases.iter().any(|phase| phase.name == name) {
        let known: Vec<&str> = config.phases.iter().map(|phase| phase.name.as_str()).collect();
        return Err(HostError::Usage(format!(
            "there is no phase {name:?}; host.toml has {}",
            known.join(", ")
        )));
    }
    state.set(who, PHASE, Some(name), &format!("phase: {name}"))
}

/// The grades, as a table of comma-separated values: those of the final, once there is one. With these
/// columns; without any, with the usual ones.
///
/// # Errors
/// As [`users`], and if there is no such column.
pub fn grades(folder: &Path, catalog: &Catalog, columns: &[String]) -> Result<String, HostError> {
    grades::of(&Contest::read(folder, catalog, Path::new(""))?, columns)
}

/// Pauses the matches, or goes on with them; whether that is a change.
///
/// # Errors
/// As [`users`].
pub fn pause(folder: &Path, catalog: &Catalog, is_paused: bool) -> Result<bool, HostError> {
    open(folder, catalog)?.1.pause(ORGANISER, is_paused)
}

/// Shuts somebody out, or lets them in again; whether that is a change.
///
/// # Errors
/// As [`users`], and if there is no such participant.
pub fn ban(
    folder: &Path,
    catalog: &Catalog,
    name: &str,
    is_banned: bool,
) -> Result<bool, HostError> {
    match open(folder, catalog)?.1.ban(ORGANISER, name, is_banned)? {
        BanResult::Done => Ok(true),
        BanResult::Already => Ok(false),
        BanResult::Nobody => {
            Err(HostError::Usage(format!("there is no participant {name:?} to be banned")))
        }
    }
}

/// Has versions of a participant built and checked anew: all that have been, or this one. How many.
///
/// # Errors
/// As [`users`], and if there is none.
pub fn rejudge(
    folder: &Path,
    catalog: &Catalog,
    name: &str,
    version: Option<i64>,
) -> Result<usize, HostError> {
    match open(folder, catalog)?.1.rejudge(ORGANISER, name, version)? {
        0 => Err(HostError::Usage(format!("{name:?} has no such version that was checked"))),
        count => Ok(count),
    }
}

/// What was done, the latest first: when, by whom and what.
///
/// # Errors
/// As [`users`].
pub fn audit(
    folder: &Path,
    catalog: &Catalog,
    most: u32,
) -> Result<Vec<(SystemTime, String, String)>, HostError> {
    let (_, state) = open(folder, catalog)?;
    Ok(state.audit(most)?.into_iter().map(|(at, who, what)| (time_of(at), who, what)).collect())
}
