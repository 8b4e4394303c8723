//! The replacement for `fleet.rs` if quintain is built without the feature `fleet`. There is no
//! server; naming one gives an explanation of how to get the feature.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io::Write;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use quintain_arena::{Executor, Shard, Tournament};
use quintain_core::{Catalog, ExternalSource};

use crate::failure::{Failure, missing_feature};
use crate::open_test::OpenTest;
use crate::server::{Credentials, HandOut};

pub(crate) type Server = Infallible;

/// Makes players from programs that are sent, which never happens here.
pub(crate) type MakePlayer =
    dyn Fn(&str, &[u8]) -> Result<Arc<dyn ExternalSource>, String> + Send + Sync;

/// The results of a worker.
pub(crate) struct WorkSummary {
    pub(crate) batches: u64,
    pub(crate) matches: u64,
}

pub(crate) fn server(_: &str, _: &Credentials) -> Result<Server, Failure> {
    Err(missing_feature("playing on many machines", "fleet"))
}

pub(crate) fn check(server: &Server) -> Result<(), Failure> {
    match *server {}
}

pub(crate) fn why_unreachable(server: &Server) -> Result<Option<String>, Failure> {
    match *server {}
}

/// What there is to say about matches that others play.
#[derive(Clone, Default)]
pub(crate) struct RunNews {
    pub(crate) troubles: Vec<String>,
    pub(crate) played_by: BTreeMap<String, u64>,
}

pub(crate) fn executor_of_comparison(
    server: &Server,
    _: &Tournament,
    _: &HandOut,
    _: (&str, BTreeMap<String, String>),
    _: &Arc<Mutex<RunNews>>,
) -> Box<dyn Executor> {
    match *server {}
}

pub(crate) fn executor(
    server: &Server,
    _: &Tournament,
    _: Shard,
    _: &HandOut,
    _: Option<&str>,
) -> Box<dyn Executor> {
    match *server {}
}

pub(crate) fn work(
    server: &Server,
    _: &Catalog,
    _: usize,
    _: Arc<AtomicBool>,
    _: (Option<Duration>, Option<String>, bool),
    _: [Option<Arc<MakePlayer>>; 2],
) -> Result<WorkSummary, Failure> {
    match *server {}
}

#[cfg(feature = "host")]
pub(crate) fn contest_workers(
    server: Server,
    _: Option<Duration>,
) -> Arc<dyn quintain_host::Workers> {
    match server {}
}

pub(crate) fn write_status(server: &Server, _: bool, _: &mut dyn Write) -> Result<(), Failure> {
    match *server {}
}

pub(crate) fn ask_queue(server: &Server, _: &str) -> Result<String, Failure> {
    match *server {}
}

pub(crate) fn find_queue(server: &Server, _: &str) -> Result<Option<String>, Failure> {
    match *server {}
}

pub(crate) fn find_obstacles(
    server: &Server,
    _: &[OpenTest],
    _: &Credentials,
) -> (BTreeMap<i64, String>, Option<String>) {
    match *server {}
}

pub(crate) fn machine() -> String {
    String::new()
}

pub(crate) fn answer_queue(
    server: &Server,
    _: &AtomicBool,
    _: impl Fn(&str, usize) -> String + Sync,
) -> Result<(), Failure> {
    match *server {}
}
