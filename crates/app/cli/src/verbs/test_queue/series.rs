//! `quintain tests series`: the commits of a program, each as a test against the one before it, and
//! against an anchor if there is one. So a series shows how a program came along, and at which
//! commit it fell.
//!
//! A series and the tests of its versions are added to the store at once, so a process that is
//! killed leaves all of them or none. Each test is an ordinary one in the queue.

use std::io::Write;

use known::{read_all, unknown};
use quintain_report::render_progress;
use quintain_store::{QueuedTest, TestSeries, TestState};
use serde::{Deserialize, Serialize};

use super::desk::{Desk, OPEN};
use super::elsewhere::{Asked, Elsewhere};
use crate::context::Context;
use crate::failure::Failure;
use crate::lists::format_count;
use crate::plain::clean_lines;
use crate::{options, sources};

#[cfg(feature = "programs")]
mod add;
mod known;

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct Args {
    #[command(subcommand)]
    verb: Option<SeriesVerb>,
    #[command(flatten)]
    elsewhere: Elsewhere,
}

#[derive(clap::Subcommand)]
enum SeriesVerb {
    /// Propose tests of a program's commits: is each worse than the one before it?
    #[cfg(feature = "programs")]
    Add(Asked<add::Add>),
    /// Propose tests of the commits that a series does not have yet
    #[cfg(feature = "programs")]
    More(Asked<add::More>),
    /// Show what each version has gained or lost, and where the program fell
    List(Asked<List>),
    /// Stop the tests of series that are not over yet; matches that were played stay in the store
    Stop(Asked<Named>),
    /// Forget series; their tests stay in the queue, and can be stopped there
    Forget(Asked<Named>),
}

/// What can be asked of the series in a queue, here or on another machine.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Request {
    #[cfg(feature = "programs")]
    Add(Box<add::Add>),
    #[cfg(feature = "programs")]
    More(add::More),
    /// Of which program the series of this name is.
    #[cfg(feature = "programs")]
    Program(String),
    List(List),
    Stop(Named),
    Forget(Named),
}

#[derive(Clone, Default, clap::Args, Serialize, Deserialize)]
pub(super) struct List {
    /// The series [default: all]
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    #[arg(long, help = options::JSON)]
    json: bool,
}

#[derive(Clone, clap::Args, Serialize, Deserialize)]
pub(super) struct Named {
    /// The series
    #[arg(value_name = "NAME", required = true)]
    names: Vec<String>,
}

impl Args {
    /// What is asked, and where.
    pub(super) fn request(&self) -> (Request, &Elsewhere) {
        match &self.verb {
            None => (Request::List(List::default()), &self.elsewhere),
            #[cfg(feature = "programs")]
            Some(SeriesVerb::Add(asked)) => asked.take(|add| Request::Add(Box::new(add))),
            #[cfg(feature = "programs")]
            Some(SeriesVerb::More(asked)) => asked.take(Request::More),
            Some(SeriesVerb::List(asked)) => asked.take(Request::List),
            Some(SeriesVerb::Stop(asked)) => asked.take(Request::Stop),
            Some(SeriesVerb::Forget(asked)) => asked.take(Request::Forget),
        }
    }
}

impl Request {
    pub(super) fn fulfil(&self, desk: &Desk<'_, '_>, out: &mut dyn Write) -> Result<(), Failure> {
        match self {
            #[cfg(feature = "programs")]
            Request::Add(add) => add.run(desk, out),
            #[cfg(feature = "programs")]
            Request::More(more) => more.run(desk, out),
            #[cfg(feature = "programs")]
            Request::Program(name) => Ok(out.write_all(add::program_of(desk, name)?.as_bytes())?),
            Request::List(List { names, json }) => list(desk, names, *json, out),
            Request::Stop(Named { names }) => stop(desk, names, out),
            Request::Forget(Named { names }) => forget(desk, names, out),
        }
    }

    /// Makes a request mean on another machine what it means here. `ask` asks that machine.
    #[cfg_attr(not(feature = "programs"), allow(unused_variables))]
    pub(super) fn address(
        &mut self,
        ask: &dyn Fn(Request) -> Result<String, Failure>,
        context: &Context<'_>,
    ) -> Result<(), Failure> {
        match self {
            #[cfg(feature = "programs")]
            Request::Add(add) => add.address(context),
            #[cfg(feature = "programs")]
            Request::More(more) => {
                let program = ask(Request::Program(more.name.clone()))?;
                more.address(&program, context)
            }
            _ => Ok(()),
        }
    }

    /// Whether versions may have to be built for it.
    pub(super) fn may_build(&self) -> bool {
        match self {
            #[cfg(feature = "programs")]
            Request::Add(_) | Request::More(_) => true,
            _ => false,
        }
    }

    /// Checks a request from another machine as the command line does, and gets the commits that
    /// are named.
    #[cfg_attr(not(feature = "programs"), allow(unused_variables))]
    pub(super) fn prepare(&mut self, desk: &Desk<'_, '_>) -> Result<(), Failure> {
        match self {
            #[cfg(feature = "programs")]
            Request::Add(add) => add.prepare(desk.context),
            #[cfg(feature = "programs")]
            Request::More(more) => more.prepare(desk),
            _ => Ok(()),
        }
    }
}

fn list(
    desk: &Desk<'_, '_>,
    names: &[String],
    json: bool,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let Desk { option, width, .. } = desk;
    let mut all = read_all(desk.store)?;
    if let Some(name) = names.iter().find(|name| all.iter().all(|one| one.name != **name)) {
        return Err(unknown(desk, name));
    }
    all.retain(|series| names.is_empty() || names.contains(&series.name));
    if json {
        let text = serde_json::to_string_pretty(&all).expect("series have JSON");
        return Ok(writeln!(out, "{text}")?);
    }
    if all.is_empty() {
        let queue = desk.name();
        return Ok(writeln!(
            out,
            "no series in {queue}; quintain tests series add NAME --game GAME{option} begins one"
        )?);
    }
    for (place, series) in all.iter().enumerate() {
        if place > 0 {
            writeln!(out)?;
        }
        let text = render_progress(series, option, *width);
        out.write_all(clean_lines(&text).as_bytes())?;
    }
    let tests: Vec<QueuedTest> = all.iter().flat_map(TestSeries::tests).cloned().collect();
    desk.write_obstacles(&tests, out)
}

fn stop(desk: &Desk<'_, '_>, names: &[String], out: &mut dyn Write) -> Result<(), Failure> {
    let all = read_all(desk.store)?;
    let find = |name: &String| {
        all.iter().find(|series| series.name == *name).ok_or_else(|| unknown(desk, name))
    };
    // If one is not there, none is stopped.
    let found = names.iter().map(find).collect::<Result<Vec<_>, _>>()?;
    let mut store = sources::open_store(desk.store)?;
    for series in found {
        let mut stopped = 0;
        for test in series.tests() {
            stopped += usize::from(store.change_test(test.number, &OPEN, TestState::Stopped)?);
        }
        let stopped = format_count(stopped, "test");
        writeln!(out, "series {}: {stopped} stopped", series.name)?;
    }
    Ok(())
}

fn forget(desk: &Desk<'_, '_>, names: &[String], out: &mut dyn Write) -> Result<(), Failure> {
    let mut store = sources::open_store(desk.store)?;
    for name in names {
        if !store.forget_series(name)? {
            return Err(unknown(desk, name));
        }
        writeln!(out, "series {name} is forgotten; its tests stay in the queue")?;
    }
    Ok(())
}
