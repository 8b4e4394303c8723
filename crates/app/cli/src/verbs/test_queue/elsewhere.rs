//! A queue of tests on another machine: whoever has the coordinators' password of a server sends a
//! request to the process that answers the queue there.
//!
//! Programs do not travel with a request: that machine has them in a repository of its own, and
//! gets commits from its remotes. So nothing plays that is not listed there.

use std::io::Write;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use quintain_core::{FilesOfRecords, reading_as_record};
use quintain_scene::clean;
use serde::{Deserialize, Serialize};

use super::desk::{Add, Again, Desk, Request, name_queue};
use super::proposal::check_players;
use crate::context::Context;
use crate::failure::Failure;
use crate::messages::print_notice;
use crate::plain::clean_lines;
use crate::server::{Credentials, hide_password};
use crate::usage::{above_zero, pairs, person, probability};
use crate::verbs::compare::QuestionArgs;
#[cfg(feature = "programs")]
use crate::verbs::compare::REVISION;
use crate::{fleet, options};

/// The most columns of an answer.
const MOST_COLUMNS: usize = 1000;

/// A request, and where its queue is.
#[derive(clap::Args)]
pub(super) struct Asked<A: clap::Args> {
    #[command(flatten)]
    pub(super) what: A,
    #[command(flatten)]
    elsewhere: Elsewhere,
}

impl<A: clap::Args> Asked<A> {
    /// The other machine's queue, if it is meant.
    pub(super) fn elsewhere(&self) -> Option<&Elsewhere> {
        self.elsewhere.named()
    }
}

#[derive(clap::Args)]
pub(super) struct Elsewhere {
    #[arg(long, value_name = "ADDRESS", help = options::with(
        options::ON,
        "(the queue of the machine that runs `quintain tests run` there, instead of one here)",
    ))]
    on: Option<String>,
    #[command(flatten)]
    credentials: Credentials,
}

/// What is sent.
#[derive(Serialize, Deserialize)]
struct Letter {
    request: Request,
    /// The columns of a line of the answer.
    width: usize,
    /// What is added to commands in the answer.
    option: String,
}

/// What comes back: the text that the command prints, or why there is none.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Reply {
    Said(String),
    Usage(String),
    Failed(String),
}

impl Elsewhere {
    pub(super) fn named(&self) -> Option<&Elsewhere> {
        self.on.is_some().then_some(self)
    }

    /// Sends a request, and writes the answer.
    pub(super) fn ask(
        &self,
        mut request: Request,
        width: usize,
        context: &Context<'_>,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        let address = self.on.as_deref().unwrap_or_default();
        match &mut request {
            Request::Add(add) => {
                check_players(&add.question)?;
                add.place = add.place.with_proposer();
                name_commits(&mut add.question, context)?;
            }
            Request::Again(again) => again.place = again.place.with_proposer(),
            Request::List(_) | Request::Show(_) | Request::Stop(_) | Request::Which => {}
        }
        let server = fleet::server(address, &self.credentials)?;
        let option = format!(" --on {}{}", hide_password(address), self.credentials.login());
        let letter = serde_json::to_string(&Letter { request, width, option });
        let reply = fleet::ask_queue(&server, &letter.expect("requests have JSON"))?;
        match serde_json::from_str(&reply) {
            Ok(Reply::Said(text)) => Ok(out.write_all(clean_lines(&text).as_bytes())?),
            Ok(Reply::Usage(problem)) => Err(Failure::Usage(clean_lines(&problem))),
            Ok(Reply::Failed(problem)) => Err(Failure::Failed(clean_lines(&problem))),
            Err(_) => Err(Failure::Failed(format!(
                "the queue of tests at {} answers as another version of quintain",
                hide_password(address)
            ))),
        }
    }
}

/// Names revisions by their commits, if the program is listed here: a branch may be another one on
/// the other machine. Refuses what would mean something else there than here.
#[cfg(feature = "programs")]
fn name_commits(question: &mut QuestionArgs, context: &Context<'_>) -> Result<(), Failure> {
    for player in question.players.iter_mut().chain(&mut question.against) {
        let Some((program, revision)) = revision_of(player) else {
            check_fixed(player)?;
            continue;
        };
        if context.programs.folder_of(program).is_ok() {
            let commit = context.programs.commit(program, revision)?;
            *player = format!("bot:{program}{REVISION}{}", commit.id);
            continue;
        }
        let is_hash = revision.len() >= 7 && revision.bytes().all(|one| one.is_ascii_hexdigit());
        if !is_hash && !revision.contains('/') {
            return Err(Failure::Usage(format!(
                "{player}: no bots.toml here lists {program}, so this would be {revision} of the \
                 machine that has the queue; name a commit by its hash, or a branch of its remote, \
                 such as {program}{REVISION}origin/main"
            )));
        }
    }
    Ok(())
}

/// Refuses a program that is named without a version.
#[cfg(feature = "programs")]
fn check_fixed(player: &str) -> Result<(), Failure> {
    match player.strip_prefix("bot:").filter(|name| !name.contains('@')) {
        None => Ok(()),
        Some(name) => Err(Failure::Usage(format!(
            "{player}: this would be what the folder of the machine that has the queue holds; name \
             a commit that you have pushed: {name}{REVISION}HEAD"
        ))),
    }
}

#[cfg(not(feature = "programs"))]
fn name_commits(_: &mut QuestionArgs, _: &Context<'_>) -> Result<(), Failure> {
    Ok(())
}

/// The program and the revision that a player names, if it does.
#[cfg(feature = "programs")]
fn revision_of(player: &str) -> Option<(&str, &str)> {
    let (program, revision) = player.split_once(REVISION)?;
    let program = program.strip_prefix("bot:").unwrap_or(program);
    (!program.contains([':', '/'])).then_some((program, revision))
}

/// The queue that is answered at a server already, if it is another one than that of this store.
fn find_other_queue(server: &fleet::Server, store: &Path) -> Result<Option<String>, Failure> {
    let letter = Letter { request: Request::Which, width: 0, option: String::new() };
    let letter = serde_json::to_string(&letter).expect("requests have JSON");
    let Some(reply) = fleet::find_queue(server, &letter)? else { return Ok(None) };
    Ok(match serde_json::from_str(&reply) {
        Ok(Reply::Said(name)) => Some(clean(&name)).filter(|name| *name != name_queue(store)),
        _ => Some("that of another version of quintain".to_owned()),
    })
}

/// Answers requests from other machines until `over` is set, unless another queue is answered
/// there: nobody could tell to which of them a request goes.
pub(super) fn answer(
    server: &fleet::Server,
    store: &Path,
    context: &Context<'_>,
    over: &AtomicBool,
) -> Result<(), Failure> {
    if let Some(other) = find_other_queue(server, store)? {
        print_notice(&format!(
            "what others ask with --on {server} goes to the queue {other}, which is answered \
             already; this process answers {} for this machine alone",
            name_queue(store)
        ));
        return Ok(());
    }
    fleet::answer_queue(server, over, |letter, most| {
        let reply = reply_to(letter, store, context);
        let text = serde_json::to_string(&reply).expect("replies have JSON");
        if text.len() <= most {
            return text;
        }
        let problem = format!(
            "the answer has {} bytes, more than the {most} of a message; ask for less: --who, \
             --state, tests show N",
            text.len()
        );
        serde_json::to_string(&Reply::Failed(problem)).expect("replies have JSON")
    })
}

fn reply_to(letter: &str, store: &Path, context: &Context<'_>) -> Reply {
    let Ok(Letter { mut request, width, option }) = serde_json::from_str(letter) else {
        return Reply::Failed("the request is of another version of quintain".to_owned());
    };
    let width = width.min(MOST_COLUMNS);
    let desk = Desk { store, may_be_new: true, context, option, width };
    let mut said = Vec::new();
    let fulfilled = request.prepare(context).and_then(|()| {
        // Nobody elsewhere chooses which files of this machine are read.
        reading_as_record(FilesOfRecords::Never, || desk.fulfil(&request, &mut said))
    });
    match fulfilled {
        Ok(()) => Reply::Said(String::from_utf8_lossy(&said).into_owned()),
        Err(Failure::Usage(problem)) => Reply::Usage(problem),
        Err(failure) => Reply::Failed(clean(&failure.to_string())),
    }
}

impl Request {
    /// Checks what the command line checks where a request is typed, and gets the commits that are
    /// named.
    fn prepare(&mut self, context: &Context<'_>) -> Result<(), Failure> {
        let (place, delta, risks, matches) = match &*self {
            Request::Add(Add { question, place }) => {
                let risks = [Some(question.alpha), Some(question.beta)];
                (place, question.delta, risks, Some(question.matches))
            }
            Request::Again(Again { place, delta, alpha, beta, matches, .. }) => {
                (place, *delta, [*alpha, *beta], *matches)
            }
            Request::List(_) | Request::Show(_) | Request::Stop(_) | Request::Which => {
                return Ok(());
            }
        };
        check("--who", place.who(), person)?;
        check("--delta", delta, above_zero)?;
        check("--alpha", risks[0], probability)?;
        check("--beta", risks[1], probability)?;
        check("--matches", matches, pairs)?;
        match self {
            Request::Add(add) => fetch_commits(&mut add.question, context),
            _ => Ok(()),
        }
    }
}

/// Checks a value as if it stood on the command line.
fn check<T>(
    option: &str,
    value: Option<impl ToString>,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<(), Failure> {
    let Some(text) = value.map(|value| value.to_string()) else { return Ok(()) };
    let parsed = parse(&text).map(drop);
    parsed.map_err(|problem| Failure::Usage(format!("{option} “{}”: {problem}", clean(&text))))
}

/// Gets the commits that a question names from the remotes of this machine's repositories, and
/// names them by their whole hashes: a branch or a tag of this machine is nobody else's business.
#[cfg(feature = "programs")]
fn fetch_commits(question: &mut QuestionArgs, context: &Context<'_>) -> Result<(), Failure> {
    for player in question.players.iter_mut().chain(&mut question.against) {
        let Some((program, revision)) = revision_of(player) else { continue };
        if let Some(why) = context.programs.fetch(program, revision)? {
            return Err(Failure::Failed(format!(
                "{player}: the machine that has the queue cannot ask its remotes for it: {why}"
            )));
        }
        let of_remote = format!("refs/remotes/{revision}");
        let is_branch = revision.contains('/');
        let named = if is_branch { &of_remote } else { revision };
        let id = match context.programs.commit(program, named) {
            Ok(commit) => Some(commit.id),
            // Without a repository there is no commit at all.
            Err(error) => {
                context.programs.commit(program, "HEAD").map(|_| None).map_err(|_| error)?
            }
        };
        let is_meant = |id: &String| is_branch || id.starts_with(&revision.to_lowercase());
        let Some(id) = id.filter(is_meant) else {
            return Err(Failure::Usage(format!(
                "{player}: the machine that has the queue does not get this revision from its \
                 remotes; push it first (git push)"
            )));
        };
        *player = format!("bot:{program}{REVISION}{id}");
    }
    Ok(())
}

#[cfg(not(feature = "programs"))]
fn fetch_commits(_: &mut QuestionArgs, _: &Context<'_>) -> Result<(), Failure> {
    Ok(())
}
