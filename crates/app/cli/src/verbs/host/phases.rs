//! Phases: which one it is, when the next begins, and a final that did not count.

use std::io::Write;
use std::path::Path;

use quintain_core::Catalog;
use quintain_host::admin::{self, FinalProgress, PhaseChoice, PhaseState};
use quintain_scene::clean;

use crate::failure::Failure;
use crate::lists::format_count;
use crate::messages::print_notice;

/// Moves the beginning of a phase to another time, or back to that of `host.toml` (`file`).
pub(super) fn move_phase(
    folder: &Path,
    (name, from): (&str, &str),
    is_confirmed: bool,
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let to = Some(from).filter(|from| *from != "file");
    admin::move_phase(folder, catalog, (name, to), is_confirmed)?;
    list(folder, catalog, out)
}

/// Chooses a phase by name, or lets the times decide (`auto`); without a name, only lists them.
pub(super) fn choose(
    folder: &Path,
    name: Option<&str>,
    (begins_final, is_confirmed): (bool, bool),
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    if let Some(name) = name {
        let name = Some(name).filter(|name| *name != "auto");
        let choice = PhaseChoice { name, begins_final, is_confirmed };
        admin::choose_phase(folder, catalog, choice)?;
    }
    list(folder, catalog, out)
}

pub(super) fn undo_final(
    folder: &Path,
    is_confirmed: bool,
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let (was, phase) = admin::undo_final(folder, catalog, is_confirmed)?;
    let phases = admin::phases(folder, catalog)?;
    let last = phases.into_iter().find(|phase| phase.rounds.is_some());
    let last = last.map_or("final".to_owned(), |phase| clean(&phase.name));
    let FinalProgress { played, planned, .. } = was;
    writeln!(
        out,
        "the final is undone after {played} of {planned} matches; the phase is {}, and none begins \
         by its time",
        clean(&phase)
    )?;
    Ok(writeln!(
        out,
        "next: move it (quintain host phase {0} {last} --from TIME) and let the times decide \
         (quintain host phase {0} auto), or begin it (quintain host phase {0} {last} --begin)",
        folder.display()
    )?)
}

fn list(folder: &Path, catalog: &Catalog, out: &mut dyn Write) -> Result<(), Failure> {
    let phases = admin::phases(folder, catalog)?;
    for phase in &phases {
        let mark = if phase.is_now { '>' } else { ' ' };
        let chosen = if phase.is_chosen { " (chosen; with `auto`, the times decide)" } else { "" };
        writeln!(out, "{mark} {}: {}{chosen}", clean(&phase.name), describe(phase))?;
    }
    let progress = admin::final_progress(folder, catalog)?;
    let is_over = progress.is_some_and(|progress| progress.is_over);
    if phases.iter().any(|phase| phase.is_chosen) && !is_over {
        writeln!(
            out,
            "a phase was chosen, so none begins by itself until `quintain host phase {} auto`",
            folder.display()
        )?;
    }
    if let Some(missing) = admin::describe_missing(folder, catalog)? {
        print_notice(&format!("warning: {}", clean(&missing)));
    }
    let is_elsewhere = |phase: &PhaseState| phase.is_now && phase.rounds.is_none();
    let Some(progress) = progress.filter(|_| phases.iter().any(is_elsewhere)) else {
        return Ok(());
    };
    let FinalProgress { programs, played, planned, .. } = progress;
    let how_far = match progress.is_over {
        true => "is over".to_owned(),
        false => format!("has stopped at {played} of {planned} matches"),
    };
    let programs = format_count(programs, "program");
    Ok(writeln!(
        out,
        "the final has begun, with {programs}, and {how_far}: programs submitted now are not in it"
    )?)
}

/// Describes when a phase is, and what it allows.
fn describe(phase: &PhaseState) -> String {
    let without = if phase.begins_by_hand { "when it is chosen" } else { "from the beginning" };
    let moved = if phase.is_moved { " (moved)" } else { "" };
    let from =
        phase.from_text.as_ref().map_or(without.to_owned(), |from| format!("from {from}{moved}"));
    if let Some(rounds) = phase.rounds {
        return format!("{from}; the final, {}", format_count(rounds as usize, "round"));
    }
    let programs = if phase.takes_programs { "programs" } else { "no programs" };
    let ladder = if phase.has_ladder { "is played" } else { "rests" };
    format!("{from}; {programs} are accepted, the ladder {ladder}")
}
