//! `quintain tests`: a queue of comparisons in the store. Anybody proposes one, `tests run` answers
//! them one after the other, and `quintain serve` shows them. A process that is killed loses
//! nothing: the next one continues its test from the matches in the store. With `--on`, a request
//! goes to the process that answers the queue at a server, on whatever machine it is.

#[cfg(feature = "programs")]
mod commits;
mod desk;
mod elsewhere;
mod letters;
mod lookout;
mod proposal;
mod requests;
mod running;
mod series;
mod waiting;

use std::cell::RefCell;
use std::io::Write;
use std::path::PathBuf;

use desk::Desk;
use elsewhere::{Asked, Elsewhere};
use requests::{Add, Again, List, Request, Show, Stop};
use waiting::Waiting;

use crate::context::Context;
use crate::failure::Failure;
use crate::server::SERVER_HEADING;
use crate::{options, screen, sources};

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
    Series(Box<series::Args>),
}

/// Shows the options of a login in the help of `tests`, not once more for each of its verbs that
/// only ask.
pub(crate) fn show_login_once(tests: clap::Command) -> clap::Command {
    let hide = |arg: clap::Arg| {
        let is_login = arg.get_help_heading() == Some(SERVER_HEADING);
        if is_login { arg.hide(true) } else { arg }
    };
    tests.mut_subcommands(|verb| match verb.get_name() {
        "run" => verb,
        _ => verb.mut_args(hide).mut_subcommands(|verb| verb.mut_args(hide)),
    })
}

pub(crate) fn run(args: &Args, context: &Context<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    let path = sources::store_path(args.store.as_deref());
    let (request, elsewhere) = match &args.verb {
        None => (Request::List(List::default()), &args.elsewhere),
        Some(TestsVerb::Add(asked)) => asked.take(Request::Add),
        Some(TestsVerb::List(asked)) => asked.take(Request::List),
        Some(TestsVerb::Show(asked)) => asked.take(Request::Show),
        Some(TestsVerb::Stop(asked)) => asked.take(Request::Stop),
        Some(TestsVerb::Again(asked)) => asked.take(Request::Again),
        Some(TestsVerb::Run(run)) => return run.answer_all(&path, context, out),
        Some(TestsVerb::Series(series)) => {
            let (request, elsewhere) = series.request();
            (Request::Series(request), elsewhere)
        }
    };
    let width = screen::terminal_width();
    let waiting = match &request {
        Request::Add(add) => add.waiting.clone(),
        _ => Waiting::default(),
    };
    if let Some(elsewhere) = elsewhere.named(args.store.as_deref())? {
        let said = letters::ask(elsewhere, request, width, context)?;
        out.write_all(said.as_bytes())?;
        out.flush()?;
        let show = |number, json| {
            letters::ask(elsewhere, Request::Show(Show::of(number, json)), width, context)
        };
        return if waiting.is_wanted() { waiting.wait(&said, &show, out) } else { Ok(()) };
    }
    let desk = Desk {
        store: &path,
        may_be_new: args.store.is_none(),
        context,
        // In another store, the same number is another test.
        option: sources::store_option(args.store.as_deref()),
        at: None,
        width,
        notes: RefCell::default(),
    };
    if !waiting.is_wanted() {
        return request.fulfil(&desk, out);
    }
    let ask = |request: Request| {
        let mut said = Vec::new();
        request.fulfil(&desk, &mut said)?;
        Ok(String::from_utf8_lossy(&said).into_owned())
    };
    let said = ask(request)?;
    out.write_all(said.as_bytes())?;
    out.flush()?;
    waiting.wait(&said, &|number, json| ask(Request::Show(Show::of(number, json))), out)
}
