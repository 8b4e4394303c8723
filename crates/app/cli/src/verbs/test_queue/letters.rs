//! A queue of tests on another machine: whoever has the coordinators' password of a server sends a
//! request to the process that answers the queue there.
//!
//! Programs do not travel with a request: that machine has them in a repository of its own, and
//! gets commits from its remotes. So nothing plays that is not listed there.

use std::cell::RefCell;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Condvar, Mutex, PoisonError};

use quintain_core::{FilesOfRecords, reading_as_record};
use quintain_scene::clean;
use serde::{Deserialize, Serialize};

#[cfg(feature = "programs")]
use super::commits::{fetch_commits, name_commits};
use super::desk::{Desk, name_queue};
use super::elsewhere::Elsewhere;
use super::proposal::{check_bounds, check_from_elsewhere, check_place, check_players, check_seed};
use super::requests::{Add, Again, Request};
use crate::context::Context;
use crate::failure::Failure;
use crate::fleet;
use crate::messages::print_notice;
use crate::plain::clean_lines;
use crate::server::hide_password;

/// The most columns of an answer.
const MOST_COLUMNS: usize = 1000;

/// What is sent.
#[derive(Serialize, Deserialize)]
struct Letter {
    request: Request,
    /// The columns of a terminal that shows the answer, if one does.
    width: Option<usize>,
    /// What is added to commands in the answer.
    option: String,
    /// The server, as it is shown.
    #[serde(default)]
    at: String,
}

/// What comes back: the text that the command prints, or why there is none.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Reply {
    Said(String),
    Usage(String),
    Failed(String),
}

/// Sends a request to another machine's queue, and returns the answer.
pub(super) fn ask(
    elsewhere: &Elsewhere,
    mut request: Request,
    width: Option<usize>,
    context: &Context<'_>,
) -> Result<String, Failure> {
    request.address(&|question| exchange(elsewhere, question, None), context)?;
    exchange(elsewhere, request, width)
}

/// Sends a request, and returns the answer.
fn exchange(
    elsewhere: &Elsewhere,
    request: Request,
    width: Option<usize>,
) -> Result<String, Failure> {
    let Elsewhere { on, credentials } = elsewhere;
    let address = on.as_deref().unwrap_or_default();
    let server = fleet::server(address, credentials)?;
    let at = hide_password(address);
    let option = format!(" --on {at}{}", credentials.login());
    let letter = Letter { request, width, option, at: at.clone() };
    let letter = serde_json::to_string(&letter).expect("requests have JSON");
    match serde_json::from_str(&fleet::ask_queue(&server, &letter)?) {
        Ok(Reply::Said(text)) => Ok(clean_lines(&text)),
        Ok(Reply::Usage(problem)) => Err(Failure::Usage(clean_lines(&problem))),
        Ok(Reply::Failed(problem)) => Err(Failure::Failed(clean_lines(&problem))),
        Err(_) => Err(Failure::Failed(format!(
            "the queue of tests at {at} answers as another version of quintain"
        ))),
    }
}

/// The queue that is answered at a server already, if it is another one than that of this store.
fn find_other_queue(server: &fleet::Server, store: &Path) -> Result<Option<String>, Failure> {
    let (request, option, at) = (Request::Which, String::new(), String::new());
    let letter = Letter { request, width: None, option, at };
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
    let builders = Builders::default();
    fleet::answer_queue(server, over, |letter, most| {
        let reply = reply_to(letter, store, context, &builders);
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

/// How many requests may build versions at a time: that takes minutes, and the machine's cores.
/// Those that only look or stop something do not wait for them.
const BUILDERS: usize = 4;

/// The requests that build versions now.
#[derive(Default)]
struct Builders {
    count: Mutex<usize>,
    one_is_done: Condvar,
}

impl Builders {
    /// Waits until one more may build, which it may until what is returned is dropped.
    fn enter(&self) -> impl Drop + '_ {
        struct Place<'a>(&'a Builders);
        impl Drop for Place<'_> {
            fn drop(&mut self) {
                *self.0.count.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
                self.0.one_is_done.notify_one();
            }
        }
        let count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.one_is_done.wait_while(count, |count| *count >= BUILDERS);
        *waited.unwrap_or_else(PoisonError::into_inner) += 1;
        Place(self)
    }
}

fn reply_to(letter: &str, store: &Path, context: &Context<'_>, builders: &Builders) -> Reply {
    let Ok(Letter { mut request, width, option, at }) = serde_json::from_str(letter) else {
        return Reply::Failed("the request is of another version of quintain".to_owned());
    };
    let (width, at) = (width.map(|width| width.min(MOST_COLUMNS)), Some(at));
    let notes = RefCell::default();
    let desk = Desk { store, may_be_new: true, context, option, at, width, notes };
    let mut said = Vec::new();
    let _place = request.may_build().then(|| builders.enter());
    let fulfilled = request.prepare(&desk).and_then(|()| {
        // Nobody elsewhere chooses which files of this machine are read.
        reading_as_record(FilesOfRecords::Never, || request.fulfil(&desk, &mut said))
    });
    match fulfilled {
        Ok(()) => {
            let notes = desk.notes.take().into_iter().map(|note| note + "\n");
            Reply::Said(notes.collect::<String>() + &String::from_utf8_lossy(&said))
        }
        Err(Failure::Usage(problem)) => Reply::Usage(hide_folders(&problem, letter)),
        Err(failure) => Reply::Failed(hide_folders(&clean(&failure.to_string()), letter)),
    }
}

/// Names files without their folders: where this machine keeps them is nobody else's business.
/// Those that the request itself names stay.
fn hide_folders(problem: &str, request: &str) -> String {
    let mut shown = String::with_capacity(problem.len());
    let mut rest = problem;
    while let Some(at) = rest.find('/') {
        let (before, path) = rest.split_at(at);
        shown += before;
        let is_first = before.chars().next_back().is_none_or(|sign| " \n'\"“(=".contains(sign));
        let ends = |sign: char| sign.is_whitespace() || "'\"”):,;".contains(sign);
        let end = path.find(ends).unwrap_or(path.len());
        let (path, behind) = path.split_at(end);
        // An address has its slashes behind a colon, and so on.
        match path.trim_end_matches('/').rsplit_once('/') {
            Some((_, name)) if is_first && !request.contains(path) => shown += name,
            _ => shown += path,
        }
        rest = behind;
    }
    shown + rest
}

impl Request {
    /// Whether versions may have to be built for it.
    fn may_build(&self) -> bool {
        match self {
            Request::Add(_) | Request::Again(_) => true,
            Request::Series(series) => series.may_build(),
            Request::List(_) | Request::Show(_) | Request::Stop(_) | Request::Which => false,
        }
    }

    /// Makes a request mean on another machine what it means here. `ask` asks that machine.
    fn address(
        &mut self,
        ask: &dyn Fn(Request) -> Result<String, Failure>,
        context: &Context<'_>,
    ) -> Result<(), Failure> {
        match self {
            Request::Add(Add { question, place, .. }) => {
                check_players(question)?;
                *place = place.with_proposer();
                #[cfg(feature = "programs")]
                name_commits(question.players.iter_mut().chain(&mut question.against), context)?;
                Ok(())
            }
            Request::Again(Again { place, .. }) => {
                *place = place.with_proposer();
                Ok(())
            }
            Request::Series(series) => {
                series.address(&|request| ask(Request::Series(request)), context)
            }
            Request::List(_) | Request::Show(_) | Request::Stop(_) | Request::Which => Ok(()),
        }
    }

    /// Checks what the command line checks where a request is typed, and gets the commits that are
    /// named.
    #[cfg_attr(not(feature = "programs"), allow(unused_variables))]
    fn prepare(&mut self, desk: &Desk<'_, '_>) -> Result<(), Failure> {
        match self {
            Request::Add(Add { question, place, .. }) => {
                check_place(place)?;
                check_seed(question.seed)?;
                let risks = [Some(question.alpha), Some(question.beta)];
                check_bounds(question.delta, risks, Some(question.matches))?;
                let players = question.players.iter().chain(&question.against);
                check_from_elsewhere(players, desk.context.catalog)?;
                #[cfg(feature = "programs")]
                {
                    let players = question.players.iter_mut().chain(&mut question.against);
                    fetch_commits(players, desk.context)?;
                }
                Ok(())
            }
            Request::Again(Again { place, delta, alpha, beta, matches, .. }) => {
                check_place(place)?;
                check_bounds(*delta, [*alpha, *beta], *matches)
            }
            Request::Series(series) => series.prepare(desk),
            Request::List(_) | Request::Show(_) | Request::Stop(_) | Request::Which => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_name_no_folders_of_the_machine_that_has_the_queue() {
        for (problem, shown) in [
            ("/home/desk/club/bots.toml: line 3", "bots.toml: line 3"),
            ("cannot read '/srv/git/mine.git/': no", "cannot read 'mine.git': no"),
            ("mine@git:origin/main is not there", "mine@git:origin/main is not there"),
            ("ask nats://club:4222/ for it", "ask nats://club:4222/ for it"),
            ("either / or", "either / or"),
            ("file?path=/maps/mine: /maps/mine is", "file?path=/maps/mine: /maps/mine is"),
        ] {
            let request = r#"{"scenario":["file?path=/maps/mine"]}"#;
            assert_eq!(hide_folders(problem, request), shown);
        }
    }
}
