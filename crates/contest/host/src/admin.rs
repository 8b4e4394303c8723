//! The organiser's commands, which work whether or not the host is running: the database is read
//! again before every step.

mod ladder;
mod people;
mod phases;
mod status;

use std::path::Path;
use std::time::SystemTime;

use quintain_core::Catalog;

use crate::config::{Config, Phase, list_remarks};
use crate::contest::{Contest, ORGANISER};
use crate::error::HostError;
use crate::formula::Formula;
use crate::grades;
use crate::points::{self, OutOfReach, PointsTable};
use crate::schedule::{PHASE, Schedule};
use crate::state::{State, time_of};

pub use crate::points::PointsFormat;
pub use crate::state::{MatchCounts, VersionCounts};
pub use ladder::{Rejudged, rejudge, reset, strike};
pub(crate) use ladder::{rejudge_by, reset_by, strike_by};
pub use people::{
    Activated, Extension, User, activate, ban, describe_merged, extend, merge, remove, undo_merge,
    users,
};
pub(crate) use people::{
    activate_by, describe_stage, extend_by, merge_by, remove_by, undo_merge_by, users_of,
};
pub use phases::{
    FinalProgress, PhaseChoice, PhaseState, choose_phase, describe_missing, describe_unfinished,
    final_progress, move_phase, phases, undo_final,
};
pub(crate) use phases::{choose_phase_by, phases_of, undo_final_by};
pub use status::{ContestStatus, DiskUse, MatchPlayers, StatusTrouble, status};
pub(crate) use status::{SERVER, THREADS, WORKERS, size_of_databases};

/// Opens the database of an existing contest.
fn open(folder: &Path, catalog: &Catalog) -> Result<(Config, State), HostError> {
    let config = Config::load(folder, catalog)?;
    Ok((config, State::open(folder)?))
}

/// Returns what an organiser should know about the contents of host.toml, one remark per line.
///
/// # Errors
/// If host.toml cannot be read.
pub fn remarks(folder: &Path, catalog: &Catalog) -> Result<Vec<String>, HostError> {
    let (config, state) = open(folder, catalog)?;
    let (schedule, now) = (Schedule::of(&config, &state)?, SystemTime::now());
    // Where the organiser has chosen the phase, times say nothing about what is over.
    let chosen = state.setting(PHASE)?;
    let is_chosen = config.phases.iter().any(|phase| Some(&phase.name) == chosen.as_ref());
    let has_begun = |phase: &Phase| !is_chosen && schedule.time(phase).is_some_and(|at| at <= now);
    let mut remarks = list_remarks(&config, has_begun, catalog);
    let formula = config.read_formula(folder)?;
    remarks.extend(formula.iter().flat_map(Formula::list_doubts));
    let unreachable = formula.and_then(|formula| OutOfReach::of(&formula, &config));
    remarks.extend(unreachable.map(|unreachable| unreachable.advise()));
    Ok(remarks)
}

/// Returns the path below which the contest has its pages, such as `/dog`; mostly empty.
///
/// # Errors
/// If host.toml cannot be read.
pub fn path_of_pages(folder: &Path, catalog: &Catalog) -> Result<String, HostError> {
    Ok(Config::load(folder, catalog)?.path.to_string())
}

/// Returns the grades as comma-separated values; those of the final, once there is one. `columns`
/// chooses the columns; if it is empty, the usual ones are used.
///
/// # Errors
/// As [`users`], and if there is no such column.
pub fn grades(folder: &Path, catalog: &Catalog, columns: &[String]) -> Result<String, HostError> {
    grades::of(&Contest::read(folder, catalog, Path::new(""))?, columns)
}

/// Whether points are published.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Publishing {
    /// They are only shown to the organiser.
    #[default]
    No,
    /// Everybody sees their own, unless that wants to be confirmed.
    Unconfirmed,
    /// Everybody sees their own.
    Confirmed,
}

/// A table of points.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct WrittenPoints {
    /// Comma-separated values.
    pub table: String,
    /// What the final lacks, which points nobody can have, whom the learning platform will not
    /// find, and who has no row since they are merged into somebody else, and what to do. What was
    /// published comes first.
    pub remarks: Vec<String>,
}

/// Returns the points of everybody by the formula in host.toml, as comma-separated values; if they
/// are published, everybody sees their own from now on.
///
/// # Errors
/// As [`users`], and if host.toml has no formula; also if points are to be published of a ladder
/// before its final, or of a final that is not over, or of which some are out of reach for
/// everybody, and that is not confirmed.
pub fn points(
    folder: &Path,
    catalog: &Catalog,
    format: PointsFormat,
    publishing: Publishing,
) -> Result<WrittenPoints, HostError> {
    let contest = Contest::read(folder, catalog, Path::new(""))?;
    let points = PointsTable::of(&contest)?;
    let published = match publishing {
        Publishing::No => None,
        Publishing::Unconfirmed => {
            Some(points.publish(&mut contest.write_state(), ORGANISER, false)?)
        }
        Publishing::Confirmed => {
            Some(points.publish(&mut contest.write_state(), ORGANISER, true)?)
        }
    };
    let table = write_points(&points, &contest.config.name, format)?;
    let unreachable = points.unreachable.as_ref().map(OutOfReach::advise);
    let merged = points::describe_merged(&contest.read_state())?;
    let unfound = points.describe_unfound(format);
    let remarks = [published, points.unfinished.clone(), unreachable, unfound, merged];
    let remarks = remarks.into_iter().flatten().chain(points.doubts.clone()).collect();
    Ok(WrittenPoints { table, remarks })
}

pub(crate) fn write_points(
    points: &PointsTable,
    contest: &str,
    format: PointsFormat,
) -> Result<String, HostError> {
    match format {
        PointsFormat::People => points.csv(),
        PointsFormat::Moodle => points.moodle(contest),
        PointsFormat::Canvas => points.canvas(contest),
    }
}

/// Pauses or resumes the matches; returns whether that changed anything.
///
/// # Errors
/// As [`users`].
pub fn pause(folder: &Path, catalog: &Catalog, is_paused: bool) -> Result<bool, HostError> {
    open(folder, catalog)?.1.pause(ORGANISER, is_paused)
}

/// Returns what was done, the latest first: when, by whom and what.
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
