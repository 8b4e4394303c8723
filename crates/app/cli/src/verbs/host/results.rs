//! What a contest gives away: grades, letters, lessons, exploited programs, exports and their
//! verification.

use std::io::Write;
use std::path::Path;

use quintain_core::Catalog;
use quintain_host::admin::{self, PointsFormat, Publishing};
use quintain_host::{Examined, ExaminedProgram, ExploitTerms, ExportOptions};
use quintain_scene::clean;

use super::args::{LessonsCommand, PointsFor};
use crate::failure::Failure;
use crate::lists::format_count;
use crate::messages::print_notice;
use crate::verbs::exploit::range_of;

/// Writes everybody's points in a format, and publishes them if this is wanted and confirmed.
pub(super) fn points(
    folder: &Path,
    format: PointsFor,
    (is_published, is_confirmed): (bool, bool),
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let format = match format {
        PointsFor::People => PointsFormat::People,
        PointsFor::Moodle => PointsFormat::Moodle,
        PointsFor::Canvas => PointsFormat::Canvas,
    };
    let publishing = match (is_published, is_confirmed) {
        (false, _) => Publishing::No,
        (true, false) => Publishing::Unconfirmed,
        (true, true) => Publishing::Confirmed,
    };
    let written = admin::points(folder, catalog, format, publishing)?;
    write!(out, "{}", written.table)?;
    for remark in written.remarks {
        print_notice(&format!("note: {}", clean(&remark)));
    }
    end_grades(folder, catalog, None)
}

pub(super) fn grades(
    folder: &Path,
    columns: &[String],
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    write!(out, "{}", admin::grades(folder, catalog, columns)?)?;
    end_grades(folder, catalog, admin::describe_unfinished(folder, catalog)?)
}

/// Says after grades or points what they lack, and that no record was replayed for them.
///
/// # Errors
/// If matches of a final that was over are missing.
fn end_grades(folder: &Path, catalog: &Catalog, unfinished: Option<String>) -> Result<(), Failure> {
    if let Some(missing) = admin::describe_missing(folder, catalog)? {
        return Err(Failure::Failed(clean(&missing)));
    }
    if let Some(unfinished) = unfinished {
        print_notice(&format!("note: {}", clean(&unfinished)));
    }
    print_notice(&format!(
        "note: no record was replayed for these; `quintain host verify {}` does that",
        folder.display()
    ));
    Ok(())
}

pub(super) fn letters(
    folder: &Path,
    to: &Path,
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let count = quintain_host::letters(folder, to, catalog)?;
    writeln!(out, "{} in {}", format_count(count, "letter"), to.display())?;
    if let Some(merged) = admin::describe_merged(folder, catalog)? {
        print_notice(&format!("note: {}", clean(&merged)));
    }
    Ok(())
}

/// Shows the lines that beat programs to everybody, or to their authors only.
pub(super) fn show_lines(
    folder: &Path,
    to_everybody: bool,
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let has_changed = quintain_host::show_exploits(folder, catalog, to_everybody)?;
    let answer = match (has_changed, to_everybody) {
        (true, true) => "everybody sees the lines, on the pages of participants",
        (true, false) => "only the authors see the lines",
        (false, true) => "everybody sees the lines already",
        (false, false) => "only the authors see the lines already",
    };
    Ok(writeln!(out, "{answer}")?)
}

/// Looks for lines that beat programs, and writes a line for each program.
pub(super) fn exploit(terms: &ExploitTerms<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    let mut printed = Ok(());
    let report = quintain_host::exploit(terms, &mut |ExaminedProgram { label, found, .. }| {
        let found = match found {
            Examined::Lines { starts, tried } if tried.is_empty() => {
                format!("no line beats it on {starts} starts")
            }
            Examined::Lines { starts, tried } => format!(
                "a line beats it on {} of {starts} starts, found as line {}",
                tried.len(),
                range_of(tried.iter().copied())
            ),
            Examined::Varies => {
                "it answers the same questions differently, so no line can be found".to_owned()
            }
            Examined::Problem(why) => why.clone(),
        };
        if printed.is_ok() {
            printed =
                writeln!(out, "{}: {}", clean(label), clean(&found)).and_then(|()| out.flush());
        }
    })?;
    printed?;
    if report.is_stopped {
        return Err(Failure::Stopped);
    }
    if report.examined == 0 {
        print_notice(
            "all programs on the ladder have been examined; to examine one again, name it",
        );
    }
    if !report.is_shown {
        print_notice("note: the ladder does not show this; exploited = true in host.toml does");
    }
    Ok(())
}

pub(super) fn lessons(
    command: &LessonsCommand,
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    match command {
        LessonsCommand::Publish { folder, lessons } => {
            let set = quintain_host::publish_lessons(folder, lessons, catalog)?;
            let count = format_count(set.lessons, "lesson");
            Ok(writeln!(out, "set {} is published: {count}, on /lessons", set.number)?)
        }
        LessonsCommand::Withdraw { folder, set } => {
            quintain_host::withdraw_lessons(folder, *set, catalog)?;
            Ok(writeln!(out, "set {set} is withdrawn")?)
        }
    }
}

/// Lists what organisers did last.
pub(super) fn audit(
    folder: &Path,
    last: u32,
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    for (at, who, what) in admin::audit(folder, catalog, last)? {
        let at = humantime::format_rfc3339_seconds(at);
        writeln!(out, "{at}  {}: {}", clean(&who), clean(&what))?;
    }
    Ok(())
}

/// Replays everything that results rest on.
pub(super) fn verify(folder: &Path, catalog: &Catalog, out: &mut dyn Write) -> Result<(), Failure> {
    let verified = quintain_host::verify(folder, catalog)?;
    for problem in &verified.bad {
        writeln!(out, "bad: {}", clean(problem))?;
    }
    if let Some((played, planned)) = verified.finals {
        writeln!(out, "the final: {played} of {planned} matches, as its seed determines them")?;
    }
    if verified.gone > 0 {
        writeln!(out, "matches whose records are no longer kept: {}", verified.gone)?;
    }
    match verified.bad.len() {
        0 => Ok(writeln!(out, "{} verified", format_count(verified.good, "match"))?),
        bad => Err(Failure::Failed(format!("{bad} of {} matches are bad", verified.good + bad))),
    }
}

pub(super) fn export(
    folder: &Path,
    to: &Path,
    options: ExportOptions,
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let exported = quintain_host::export(folder, to, catalog, options)?;
    writeln!(out, "{}", to.join("index.html").display())?;
    if let Some(remark) = exported.remark {
        print_notice(&format!("warning: {}", clean(&remark)));
    }
    Ok(())
}
