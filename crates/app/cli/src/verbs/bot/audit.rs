//! `quintain bot audit`: attacks the sandbox of this machine.

use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};

use quintain_bots::Programs;
use quintain_bots::audit::{Attack, AttackResult, AuditError};
use quintain_core::Catalog;
use quintain_scene::clean;

use super::audit_args::AuditArgs;
use super::lines::wrap;
use crate::failure::Failure;
use crate::messages::replace_line;

pub(super) fn attack(
    args: &AuditArgs,
    catalog: &Catalog,
    programs: &Programs,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let failed = |error: AuditError| Failure::Failed(error.to_string());
    let protections = programs.protections()?;
    let [in_force, missing] = protections.describe().map(|means| means.join("; "));
    for line in [format!("in force, as {}: {in_force}", user()), format!("missing: {missing}")] {
        for line in wrap(&line) {
            writeln!(out, "{line}")?;
        }
    }
    let mut attacks = quintain_bots::audit::attacks().map_err(failed)?;
    if args.quick {
        attacks.retain(|attack| !["resources", "clock", "pauses"].contains(&attack.group.as_str()));
    }
    if !protections.namespaces {
        let all = attacks.len();
        attacks.retain(|attack| !attack.needs_namespaces());
        let left_out = all - attacks.len();
        writeln!(
            out,
            "left out: {left_out} attacks that only namespaces withstand, or that need them"
        )?;
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    // Most attacks wait most of the time.
    let at_once = args.concurrency.unwrap_or(2 * cores);
    let count = AtomicUsize::new(0);
    let progress = |_: &AttackResult| {
        let done = count.fetch_add(1, Ordering::Relaxed) + 1;
        replace_line(&format!("{done} of {} attacks", attacks.len()));
    };
    let findings =
        quintain_bots::audit::audit(catalog, programs.settings(), &attacks, at_once, &progress);
    replace_line("");
    let findings = findings.map_err(failed)?;
    let width = findings.iter().map(|finding| finding.attack.name.len()).max().unwrap_or(0);
    for finding in &findings {
        let Attack { group, name, .. } = &finding.attack;
        let mark = if finding.harm.is_empty() { "ok  " } else { "HARM" };
        let outcome = clean(&finding.outcome);
        let row = format!("{mark} {group:<9} {name:<width$}  {outcome}");
        let harm = finding.harm.iter().map(|harm| format!("     {}", clean(harm)));
        for line in wrap(&row).into_iter().chain(harm.flat_map(|line| wrap(&line))) {
            writeln!(out, "{line}")?;
        }
    }
    let harmful = findings.iter().filter(|finding| !finding.harm.is_empty()).count();
    writeln!(out, "{} attacks, {harmful} did harm", findings.len())?;
    match harmful {
        0 => Ok(()),
        _ => Err(Failure::Failed("this machine does not withstand malicious programs".to_owned())),
    }
}

/// Returns the user who runs this, for the audit's first line.
fn user() -> String {
    use std::os::unix::fs::MetadataExt;
    match std::fs::metadata("/proc/self").map(|process| process.uid()) {
        Ok(0) => "root".to_owned(),
        Ok(user) => format!("user {user}"),
        Err(_) => "an unknown user".to_owned(),
    }
}
