//! `quintain tests series`: the commits of a program, each as a test against the one before it, and
//! against an anchor if there is one. So a series shows how a program came along, and at which
//! commit it fell.
//!
//! A series and the tests of its versions are added to the store at once, so a process that is
//! killed leaves all of them or none. Each test is an ordinary one in the queue.

use std::io::Write;
use std::path::Path;

use known::{read_all, unknown};
use quintain_report::render_progress;

use crate::failure::Failure;
use crate::plain::clean_lines;
use crate::{options, screen, sources};

#[cfg(feature = "programs")]
mod add;
mod known;

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct Args {
    #[command(subcommand)]
    verb: Option<SeriesVerb>,
}

#[derive(clap::Subcommand)]
enum SeriesVerb {
    /// Propose tests of a program's commits: is each worse than the one before it?
    #[cfg(feature = "programs")]
    Add(add::Add),
    /// Propose tests of the commits that a series does not have yet
    #[cfg(feature = "programs")]
    More(add::More),
    /// Show what each version has gained or lost, and where the program fell
    List {
        /// The series [default: all]
        #[arg(value_name = "NAME")]
        names: Vec<String>,
        #[arg(long, help = options::JSON)]
        json: bool,
    },
    /// Forget series; their tests stay in the queue, and can be stopped there
    Forget {
        /// The series
        #[arg(value_name = "NAME", required = true)]
        names: Vec<String>,
    },
}

impl Args {
    pub(super) fn run(
        &self,
        path: &Path,
        #[cfg(feature = "programs")] context: &crate::context::Context<'_>,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        match &self.verb {
            None => list(path, &[], false, out),
            Some(SeriesVerb::List { names, json }) => list(path, names, *json, out),
            Some(SeriesVerb::Forget { names }) => forget(path, names, out),
            #[cfg(feature = "programs")]
            Some(SeriesVerb::Add(add)) => add.run(path, context, out),
            #[cfg(feature = "programs")]
            Some(SeriesVerb::More(more)) => more.run(path, context, out),
        }
    }
}

fn list(path: &Path, names: &[String], json: bool, out: &mut dyn Write) -> Result<(), Failure> {
    let mut all = read_all(path)?;
    if let Some(name) = names.iter().find(|name| all.iter().all(|one| one.name != **name)) {
        return Err(unknown(path, name));
    }
    all.retain(|series| names.is_empty() || names.contains(&series.name));
    if json {
        let text = serde_json::to_string_pretty(&all).expect("series have JSON");
        return Ok(writeln!(out, "{text}")?);
    }
    if all.is_empty() {
        let option = sources::option_for(path);
        return Ok(writeln!(
            out,
            "no series yet; quintain tests series add NAME --game GAME{option} begins one"
        )?);
    }
    for (place, series) in all.iter().enumerate() {
        if place > 0 {
            writeln!(out)?;
        }
        let text = render_progress(series, &sources::option_for(path), screen::terminal_width());
        out.write_all(clean_lines(&text).as_bytes())?;
    }
    Ok(())
}

fn forget(path: &Path, names: &[String], out: &mut dyn Write) -> Result<(), Failure> {
    let mut store = sources::open_store(path)?;
    for name in names {
        if !store.forget_series(name)? {
            return Err(unknown(path, name));
        }
        writeln!(out, "series {name} is forgotten; its tests stay in the queue")?;
    }
    Ok(())
}
