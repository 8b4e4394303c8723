//! `quintain tests`: a queue of comparisons in the store. Anybody proposes one, `tests run` answers
//! them one after the other, and `quintain serve` shows them. A process that is killed loses
//! nothing: the next one continues its test from the matches in the store. With `--on`, a request
//! goes to the process that answers the queue at a server, on whatever machine it is.

mod desk;
mod elsewhere;
mod proposal;
mod running;
mod series;

use std::io::Write;
use std::path::PathBuf;

use desk::{Add, Again, Desk, List, Request, Show, Stop};
use elsewhere::{Asked, Elsewhere};

use crate::context::Context;
use crate::failure::Failure;
use crate::{options, screen, sources};

/// The columns of a line where there is no terminal.
const USUAL_WIDTH: usize = 80;

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Option<TestsVerb>,
    #[arg(long, value_name = "FILE", global = true)]
    #[arg(help = options::with(options::STORE, options::DEFAULT_STORE))]
    store: Option<PathBuf>,
    #[command(flatten)]
    elsewhere: Elsewhere,
}

#[derive(clap::Subcommand)]
enum TestsVerb {
    /// Propose a test: is the first player better than the second?
    Add(Asked<Add>),
    /// List the tests
    List(Asked<List>),
    /// Show a test: its question, how far it is, and its answer
    Show(Asked<Show>),
    /// Stop tests; matches that were played stay in the store
    Stop(Asked<Stop>),
    /// Ask the question of a test again, with other bounds; its matches are used again
    Again(Asked<Again>),
    /// Answer the tests in the queue, one after the other
    Run(running::Run),
    /// Test the commits of a program: what has each gained, and where did it fall?
    Series(series::Args),
}

pub(crate) fn run(args: &Args, context: &Context<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    let path = sources::store_path(args.store.as_deref());
    let (request, elsewhere) = match &args.verb {
        None => (Request::List(List::default()), args.elsewhere.named()),
        Some(TestsVerb::Add(asked)) => (Request::Add(asked.what.clone()), asked.elsewhere()),
        Some(TestsVerb::List(asked)) => (Request::List(asked.what.clone()), asked.elsewhere()),
        Some(TestsVerb::Show(asked)) => (Request::Show(asked.what.clone()), asked.elsewhere()),
        Some(TestsVerb::Stop(asked)) => (Request::Stop(asked.what.clone()), asked.elsewhere()),
        Some(TestsVerb::Again(asked)) => (Request::Again(asked.what.clone()), asked.elsewhere()),
        Some(TestsVerb::Run(run)) => return run.answer_all(&path, context, out),
        Some(TestsVerb::Series(series)) => {
            return series.run(
                &path,
                #[cfg(feature = "programs")]
                context,
                out,
            );
        }
    };
    let width = screen::terminal_width().unwrap_or(USUAL_WIDTH);
    if let Some(elsewhere) = elsewhere {
        if args.store.is_some() {
            let problem = "--store names a queue of this machine, --on one at a server; give one \
                           of them";
            return Err(Failure::Usage(problem.to_owned()));
        }
        return elsewhere.ask(request, width, context, out);
    }
    let desk = Desk {
        store: &path,
        may_be_new: args.store.is_none(),
        context,
        // In another store, the same number is another test.
        option: sources::store_option(args.store.as_deref()),
        width,
    };
    desk.fulfil(&request, out)
}
