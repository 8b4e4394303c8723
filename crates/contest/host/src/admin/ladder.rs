//! The ladder: restarting it, striking matches out, and checking programs again.

use std::path::Path;

use quintain_core::Catalog;

use super::open;
use crate::config::Config;
use crate::contest::{ORGANISER, phase_now};
use crate::error::{CONFIRM, HostError};
use crate::names::shortened;
use crate::state::State;

/// Ends the ladder: another one begins on its scenarios, without matches. Returns the number of
/// matches that no longer count.
///
/// # Errors
/// As [`super::users`], and if it is not `confirmed`.
pub fn reset(folder: &Path, catalog: &Catalog, is_confirmed: bool) -> Result<u64, HostError> {
    let (config, mut state) = open(folder, catalog)?;
    reset_by(ORGANISER, &config, &mut state, is_confirmed)
}

pub(crate) fn reset_by(
    who: &str,
    config: &Config,
    state: &mut State,
    is_confirmed: bool,
) -> Result<u64, HostError> {
    let phase = phase_now(config, state)?;
    let ladder = config.ladder_of(state, phase)?;
    if !is_confirmed {
        let mut matches = 0_u64;
        state.for_each_counted(ladder, |_| matches += 1)?;
        let what = format!(
            "none of the {matches} matches of the ladder counts any more, all ratings start over, \
             and this cannot be undone; what was played stays on record"
        );
        return Err(HostError::Unconfirmed { what, option: CONFIRM });
    }
    state.reset_ladder(who, ladder)
}

/// Strikes matches of the ladder out for a reason, or without one has them count again. They are
/// named by their numbers, such as `12` or `15-20`. Returns how many that changed.
///
/// # Errors
/// As [`super::users`], and if that is not a number, or changes nothing.
pub fn strike(
    folder: &Path,
    catalog: &Catalog,
    matches: &[String],
    reason: Option<&str>,
) -> Result<usize, HostError> {
    let (_, mut state) = open(folder, catalog)?;
    strike_by(ORGANISER, &mut state, matches, reason)
}

pub(crate) fn strike_by(
    who: &str,
    state: &mut State,
    matches: &[String],
    reason: Option<&str>,
) -> Result<usize, HostError> {
    let number = |text: &str, of: &str| {
        text.trim().parse::<i64>().map_err(|_| {
            HostError::Usage(format!("{of:?} is no match: give a number, such as 12, or 15-20"))
        })
    };
    let mut ranges = Vec::new();
    for text in matches {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        ranges.push((number(first, text)?, number(last, text)?));
    }
    if reason.is_some_and(|reason| reason.trim().is_empty()) {
        return Err(HostError::Usage("say why: the reason is shown with the matches".to_owned()));
    }
    match state.strike(who, &ranges, reason)? {
        0 => Err(HostError::Usage(format!(
            "nothing changed: {} are no matches of a ladder that {}",
            matches.join(", "),
            if reason.is_some() { "count" } else { "were struck out" }
        ))),
        count => Ok(count),
    }
}

/// Which versions are built and checked again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rejudged<'a> {
    /// Those of everybody who is not banned.
    Everybody,
    /// Those of a participant.
    Participant(&'a str),
    /// One version of a participant, by its number.
    Version(&'a str, i64),
}

/// Has versions built and checked again; returns how many. Who is on the ladder with which version
/// stays as it is, but versions that no longer pass leave it. So this is refused in a phase that
/// takes no programs, in which nobody could replace one, unless it is `forced`.
///
/// # Errors
/// As [`super::users`], and if there is none, or it is refused.
pub fn rejudge(
    folder: &Path,
    catalog: &Catalog,
    which: Rejudged<'_>,
    forced: bool,
) -> Result<usize, HostError> {
    let (config, mut state) = open(folder, catalog)?;
    rejudge_by(ORGANISER, &config, &mut state, which, forced)
}

pub(crate) fn rejudge_by(
    who: &str,
    config: &Config,
    state: &mut State,
    which: Rejudged<'_>,
    forced: bool,
) -> Result<usize, HostError> {
    let phase = phase_now(config, state)?;
    if !phase.takes_programs() && !forced {
        let what = format!(
            "{:?} takes no programs: a version that no longer passes leaves the ladder, and nobody \
             can replace it",
            phase.name
        );
        return Err(HostError::Unconfirmed { what, option: "force" });
    }
    let (name, number) = match which {
        Rejudged::Everybody => (None, None),
        Rejudged::Participant(name) => (Some(name), None),
        Rejudged::Version(name, number) => (Some(name), Some(number)),
    };
    match (state.rejudge(who, name, number)?, name) {
        (0, None) => Err(HostError::Usage("no version has been checked yet".to_owned())),
        (0, Some(name)) if state.find_participant(name)?.is_none() => {
            Err(HostError::Usage(format!("there is no participant {:?}", shortened(name))))
        }
        (0, Some(name)) => Err(HostError::Usage(match number {
            Some(number) => {
                format!("{:?} has no version {number} that has been checked", shortened(name))
            }
            None => format!("{:?} has no version that has been checked", shortened(name)),
        })),
        (count, _) => Ok(count),
    }
}
