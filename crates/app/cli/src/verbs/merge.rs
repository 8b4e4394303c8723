//! `quintain merge`: joins stores, such as those of a tournament's shards.

use std::io::Write;
use std::path::PathBuf;

use quintain_arena::describe_changes;
use quintain_scene::clean;
use quintain_store::{DIFFERENCE_CAUSES, MergeReport, Store};

use crate::failure::Failure;
use crate::lists::format_count;
use crate::messages::print_notice;
use crate::sources;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The stores to merge
    #[arg(required = true, value_name = "STORE")]
    stores: Vec<PathBuf>,
    /// The store to merge them into; what it already holds is kept
    #[arg(short, long, value_name = "STORE")]
    output: PathBuf,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let same = |path: &PathBuf| path.canonicalize().ok();
    let output = same(&args.output);
    // All are opened before anything is written, so that a typing error does not leave half a
    // merge.
    let mut sources = Vec::new();
    for path in &args.stores {
        if output.is_some() && same(path) == output {
            return Err(Failure::Usage(format!(
                "{} cannot be merged into itself; name another store with -o",
                path.display()
            )));
        }
        let source = Store::open_to_read(path)?;
        source.check_quickly()?;
        sources.push(source);
    }
    let mut store = sources::open_store(&args.output)?;
    let mut sum = MergeReport::default();
    for source in &sources {
        let merged = store.merge(source)?;
        report_problems(source, &merged);
        sum.new += merged.new;
        sum.known += merged.known;
        sum.differing += merged.differing;
        sum.solutions += merged.solutions;
        sum.conflicts.extend(merged.conflicts);
        sum.untrusted.extend(merged.untrusted);
    }
    write_sum(&store, sources.len(), &sum, out)?;
    check_records(&sum)
}

/// Reports problems with a store's records.
fn report_problems(source: &Store, merged: &MergeReport) {
    let path = source.path().display();
    for conflict in &merged.conflicts {
        let line = format!(
            "conflict: {} ({}): kept {}; {path} says {}",
            conflict.id, conflict.fixture, conflict.kept, conflict.other
        );
        print_notice(&clean(&line));
    }
    for problem in &merged.untrusted {
        print_notice(&format!("left out: {path}: {}", clean(problem)));
    }
    if merged.differing > 0 {
        print_notice(&format!(
            "{path}: {} of matches with a time budget that another store has too; the first \
             records were kept",
            format_count(merged.differing as usize, "record")
        ));
    }
}

/// Writes the content of the store.
fn write_sum(
    store: &Store,
    sources: usize,
    sum: &MergeReport,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let path = store.path().display();
    let stores = format_count(sources, "store");
    let (records, new) = (format_count(store.records()? as usize, "record"), sum.new);
    writeln!(out, "{stores} merged into {path}: {records}, {new} of them new")?;
    if sum.solutions > 0 {
        writeln!(out, "{} kept, new or better", format_count(sum.solutions as usize, "solution"))?;
    }
    let tournaments = store.tournaments()?;
    for (number, info) in tournaments.iter().enumerate() {
        let (name, played, fixtures) = (clean(&info.name), info.played, info.fixtures);
        write!(out, "{name}: {played} of {fixtures} matches")?;
        if let Some(newer) = tournaments[..number].iter().find(|newer| newer.name == info.name) {
            let changes = describe_changes(&info.definition, &newer.definition).join("; ");
            write!(out, " (superseded by that above; {})", clean(&changes))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Fails if there are records that someone has to look into.
fn check_records(sum: &MergeReport) -> Result<(), Failure> {
    let mut problems = Vec::new();
    if !sum.conflicts.is_empty() {
        problems.push(format!(
            "{} of matches that end differently in another store; {DIFFERENCE_CAUSES}",
            format_count(sum.conflicts.len(), "record")
        ));
    }
    if !sum.untrusted.is_empty() {
        problems.push(format!(
            "{} left out as untrustworthy",
            format_count(sum.untrusted.len(), "record")
        ));
    }
    if problems.is_empty() { Ok(()) } else { Err(Failure::Failed(problems.join("; "))) }
}
