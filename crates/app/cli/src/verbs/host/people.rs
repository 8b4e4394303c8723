//! Participants: their names, teams and deadlines, and whose programs are on the ladder.

use std::io::Write;
use std::path::Path;

use quintain_core::Catalog;
use quintain_host::admin::{self, User};
use quintain_scene::clean;
use unicode_width::UnicodeWidthStr;

use crate::failure::Failure;
use crate::messages::print_notice;

pub(super) fn rename(
    folder: &Path,
    (name, new_name): (&str, &str),
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    quintain_host::rename(folder, name, new_name, catalog)?;
    Ok(writeln!(out, "{} is called {} now", clean(name), clean(new_name))?)
}

/// Makes one participant of two who are the same person.
pub(super) fn merge(
    folder: &Path,
    (name, into): (&str, &str),
    is_confirmed: bool,
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let plain = admin::merge(folder, catalog, (name, into), is_confirmed)?;
    writeln!(out, "{} is merged into {}", clean(name), clean(into))?;
    let folder = folder.display();
    Ok(writeln!(out, "to take it back: quintain host merge {folder} {plain} --undo")?)
}

pub(super) fn undo_merge(
    folder: &Path,
    name: &str,
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let into = admin::undo_merge(folder, catalog, name)?;
    let (name, into) = (clean(name), clean(&into));
    Ok(writeln!(
        out,
        "{name} is no longer merged into {into}, whose sessions and repositories' tokens have \
         ended; what {name} submitted is off the ladder until {name} or `quintain host activate` \
         puts it there"
    )?)
}

pub(super) fn activate(
    folder: &Path,
    name: &str,
    version: i64,
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let activated = admin::activate(folder, catalog, name, version)?;
    let late = match activated.has_final_begun {
        true => "; the final has begun as the ladder was then",
        false => "",
    };
    Ok(writeln!(out, "{} is on the ladder{late}", clean(&activated.what))?)
}

pub(super) fn remove(
    folder: &Path,
    name: &str,
    is_confirmed: bool,
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    admin::remove(folder, catalog, name, is_confirmed)?;
    Ok(writeln!(out, "{} is removed", clean(name))?)
}

pub(super) fn ban(
    folder: &Path,
    name: &str,
    is_lifted: bool,
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let answer = match (admin::ban(folder, catalog, name, !is_lifted)?, is_lifted) {
        (true, false) => "is banned: off the ladder and signed out; nothing is deleted",
        (false, false) => "is banned already",
        (true, true) => "may take part again",
        (false, true) => "is not banned",
    };
    Ok(writeln!(out, "{} {answer}", clean(name))?)
}

/// Lets somebody submit after the deadline, or no longer than the others.
pub(super) fn extend(
    folder: &Path,
    name: &str,
    until: Option<&str>,
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let extension = admin::extend(folder, catalog, name, until)?;
    let who = clean(&extension.display_name);
    match extension.until {
        Some(until) => writeln!(out, "{who} may submit until {until}, unless the final begins")?,
        None => writeln!(out, "{who} may submit no longer than the others")?,
    }
    if let Some(at) = extension.final_before {
        print_notice(&format!("note: the final begins before that, at {at}"));
    }
    Ok(())
}

pub(super) fn join_team(
    folder: &Path,
    (name, members): (&str, &[String]),
    is_forced: bool,
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let joined = quintain_host::join_team(folder, name, members, catalog, is_forced)?;
    writeln!(out, "participants who joined {}: {}", clean(name), joined.members)?;
    for remark in &joined.remarks {
        print_notice(&format!("note: {}", clean(remark)));
    }
    Ok(())
}

pub(super) fn leave_team(
    folder: &Path,
    (name, members): (&str, &[String]),
    is_forced: bool,
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let all: Vec<String> = [name.to_owned()].into_iter().chain(members.iter().cloned()).collect();
    let count = quintain_host::leave_team(folder, &all, catalog, is_forced)?;
    Ok(writeln!(out, "participants who left their team: {count}")?)
}

/// Lists everybody who takes part.
pub(super) fn list(folder: &Path, catalog: &Catalog, out: &mut dyn Write) -> Result<(), Failure> {
    let users = admin::users(folder, catalog)?;
    let shown = |User { name, display_name, .. }: &User| {
        clean(&if display_name == name {
            display_name.clone()
        } else {
            format!("{display_name} ({name})")
        })
    };
    let names: Vec<String> = users.iter().map(shown).collect();
    let width = names.iter().map(|name| name.width()).max().unwrap_or(0);
    for (User { is, versions, active, team, is_team, merged, .. }, name) in users.iter().zip(&names)
    {
        let is = match team {
            _ if merged.is_some() => {
                format!("merged into {}", clean(&merged.clone().unwrap_or_default()))
            }
            Some(team) => format!("in the team {}", clean(team)),
            None if *is_team => format!("team, {is}"),
            None => (*is).to_owned(),
        };
        let active = active.map_or(String::new(), |number| format!(", version {number}"));
        let gap = " ".repeat(width - name.width());
        writeln!(out, "{name}{gap}  {is}{active} ({versions} submitted)")?;
    }
    Ok(())
}
