//! Looks from time to time whether the workers at a server can play the tests in the queue, and
//! keeps in the store why not, so that everybody sees it who asks for the test.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use quintain_store::{QueuedTest, RunnerPlace, Store, StoreError, TestRunner};

use super::desk::OPEN;
use super::proposal::read_question;
use crate::fleet;
use crate::open_test::OpenTest;
use crate::server::Credentials;

/// How often it looks.
const INTERVAL: Duration = Duration::from_secs(3);
/// How often it looks whether it is to stop.
const TICK: Duration = Duration::from_millis(200);

/// The test that this process answers.
#[derive(Default)]
pub(super) struct Current {
    /// Its number, and what workers call it.
    test: Mutex<Option<(i64, String)>>,
    /// Whether nobody can play it.
    is_stuck: AtomicBool,
}

impl Current {
    pub(super) fn begin(&self, number: i64, name: String) {
        *self.test.lock().unwrap_or_else(PoisonError::into_inner) = Some((number, name));
    }

    pub(super) fn is_stuck(&self) -> bool {
        self.is_stuck.load(Ordering::SeqCst)
    }

    /// What workers call a test, if it is this one.
    fn name_of(&self, number: i64) -> Option<String> {
        let test = self.test.lock().unwrap_or_else(PoisonError::into_inner);
        test.as_ref().filter(|(known, _)| *known == number).map(|(_, name)| name.clone())
    }

    fn note(&self, obstacles: &BTreeMap<i64, String>) {
        let test = self.test.lock().unwrap_or_else(PoisonError::into_inner);
        let is_stuck = test.as_ref().is_some_and(|(number, _)| obstacles.contains_key(number));
        self.is_stuck.store(is_stuck, Ordering::SeqCst);
    }
}

pub(super) struct Lookout<'a> {
    pub(super) server: &'a fleet::Server,
    pub(super) credentials: &'a Credentials,
    pub(super) current: &'a Current,
}

impl Lookout<'_> {
    /// Keeps looking until it is over.
    pub(super) fn watch(&self, mut store: Store, place: &RunnerPlace, over: &AtomicBool) {
        let (mut looked, mut known) = (None::<Instant>, None);
        while !over.load(Ordering::SeqCst) {
            if looked.is_none_or(|looked| looked.elapsed() >= INTERVAL) {
                looked = Some(Instant::now());
                if let Err(error) = self.look(&mut store, place, &mut known) {
                    tracing::warn!("{error}");
                }
            }
            thread::sleep(TICK);
        }
    }

    fn look(
        &self,
        store: &mut Store,
        place: &RunnerPlace,
        known: &mut Option<TestRunner>,
    ) -> Result<(), StoreError> {
        let tests = store.queued_tests()?;
        let open = tests.iter().filter(|test| OPEN.contains(&test.state));
        let open: Vec<OpenTest> = open.map(|test| self.describe(test)).collect();
        let report = match known {
            Some(known) if open.is_empty() => {
                TestRunner { obstacles: BTreeMap::new(), ..known.clone() }
            }
            _ => {
                let (obstacles, address) =
                    fleet::find_obstacles(self.server, &open, self.credentials);
                TestRunner { server: Some(self.server.to_string()), address, obstacles }
            }
        };
        self.current.note(&report.obstacles);
        if known.as_ref() != Some(&report) {
            store.report_runner(place, &report)?;
            *known = Some(report);
        }
        Ok(())
    }

    fn describe(&self, test: &QueuedTest) -> OpenTest {
        let question = read_question(test).ok();
        let mut players =
            question.iter().flat_map(|asked| asked.players.iter().chain(&asked.against));
        OpenTest {
            number: test.number,
            played_as: self.current.name_of(test.number),
            has_programs: players.any(|player| player.starts_with("bot:")),
        }
    }
}
