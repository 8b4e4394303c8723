//! Which queue a command is about: one of this machine, or that of another one.

use std::path::Path;

use crate::failure::Failure;
use crate::options;
use crate::server::{Credentials, is_of_environment};

/// A request, and where its queue is.
#[derive(clap::Args)]
pub(super) struct Asked<A: clap::Args> {
    #[command(flatten)]
    pub(super) what: A,
    #[command(flatten)]
    elsewhere: Elsewhere,
}

impl<A: clap::Args + Clone> Asked<A> {
    /// What is asked, as a request, and where.
    pub(super) fn take<R>(&self, request: impl FnOnce(A) -> R) -> (R, &Elsewhere) {
        (request(self.what.clone()), &self.elsewhere)
    }
}

#[derive(clap::Args)]
pub(super) struct Elsewhere {
    #[arg(long, value_name = "ADDRESS", help = options::with(
        options::ON,
        "(the queue of the machine that runs `quintain tests run` there, instead of one here; \
         `quintain tests --help` has the login)",
    ))]
    pub(super) on: Option<String>,
    #[command(flatten)]
    pub(super) credentials: Credentials,
}

impl Elsewhere {
    /// The other machine's queue, if it is meant. A store is one of this machine, and stronger than
    /// a server that only the environment names.
    pub(super) fn named(&self, store: Option<&Path>) -> Result<Option<&Elsewhere>, Failure> {
        match (&self.on, store) {
            (None, _) => Ok(None),
            (Some(address), Some(_)) if is_of_environment(address) => Ok(None),
            (Some(_), Some(_)) => Err(Failure::Usage(
                "--store names a queue of this machine, --on one at a server; give one of them"
                    .to_owned(),
            )),
            (Some(_), None) => Ok(Some(self)),
        }
    }
}
