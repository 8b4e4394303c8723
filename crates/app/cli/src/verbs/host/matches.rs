//! Matches of the ladder: paused, repeated, left out or all begun anew.

use std::io::Write;
use std::path::Path;

use quintain_core::Catalog;
use quintain_host::admin::{self, Rejudged};
use quintain_scene::clean;

use crate::failure::Failure;
use crate::lists::format_count;

pub(super) fn pause(folder: &Path, catalog: &Catalog, out: &mut dyn Write) -> Result<(), Failure> {
    let answer = match admin::pause(folder, catalog, true)? {
        true => "paused: matches in progress are played to the end, and no others begin",
        false => "it is paused already",
    };
    Ok(writeln!(out, "{answer}")?)
}

pub(super) fn resume(folder: &Path, catalog: &Catalog, out: &mut dyn Write) -> Result<(), Failure> {
    let answer = match admin::pause(folder, catalog, false)? {
        true => "resumed: matches are played while the host runs",
        false => "it is not paused",
    };
    Ok(writeln!(out, "{answer}")?)
}

/// Has versions checked again: one, all of a participant, or everybody's.
pub(super) fn rejudge(
    folder: &Path,
    (name, version, everybody): (Option<&str>, Option<i64>, bool),
    is_forced: bool,
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let (which, whose) = match (name, version) {
        (None, _) if !everybody => {
            return Err(Failure::Usage(format!(
                "whose programs? name a participant (quintain host rejudge {0} NAME), or take \
                 those of everybody (quintain host rejudge {0} --all)",
                folder.display()
            )));
        }
        (None, _) => (Rejudged::Everybody, "everybody".to_owned()),
        (Some(name), None) => (Rejudged::Participant(name), clean(name)),
        (Some(name), Some(version)) => (Rejudged::Version(name, version), clean(name)),
    };
    let count = format_count(admin::rejudge(folder, catalog, which, is_forced)?, "version");
    Ok(writeln!(
        out,
        "{count} of {whose} to be checked again while the host runs; the ladder stays as it is, \
         but for versions that no longer pass"
    )?)
}

pub(super) fn reset(
    folder: &Path,
    is_confirmed: bool,
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let count = admin::reset(folder, catalog, is_confirmed)?;
    Ok(writeln!(out, "the ladder starts over; matches that no longer count: {count}")?)
}

/// Strikes matches out for a reason; without one, lets them count again.
pub(super) fn strike(
    folder: &Path,
    matches: &[String],
    reason: Option<&str>,
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let count = admin::strike(folder, catalog, matches, reason)?;
    let what = if reason.is_some() { "are struck out" } else { "count again" };
    Ok(writeln!(out, "matches that {what}: {count}")?)
}
