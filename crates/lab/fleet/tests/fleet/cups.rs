//! Tournaments whose matches others play, with a program that starts a given number of times, and
//! what a store holds of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use quintain_arena::Tournament;
use quintain_core::{
    Answer, Catalog, ExternalError, ExternalPlayer, ExternalSource, Fault, FaultKind, MatchStart,
    Question,
};
use quintain_store::{Filter, Store, StoreError, StoredRecord};
use serde_json::Value;

use super::count;

pub fn cup(text: &str, catalog: &Catalog) -> Tournament {
    Tournament::parse(text, "cup.toml", catalog).unwrap()
}

/// Everything that a store holds.
pub fn list_records(store: &Store) -> Vec<StoredRecord> {
    let mut all = Vec::new();
    let keep = |stored: &StoredRecord| {
        all.push(stored.clone());
        Ok::<(), StoreError>(())
    };
    store.for_each_record(&Filter::default(), keep).unwrap();
    assert_eq!(store.losses().unwrap(), [""; 0]);
    all
}

/// All records of a store, in sorted order.
pub fn records(store: &Store) -> Vec<String> {
    let mut records: Vec<String> =
        list_records(store).into_iter().map(|stored| stored.json).collect();
    records.sort();
    records
}

/// A program that does not start on some machines.
struct Program {
    /// The number of starts that still succeed.
    starts: AtomicUsize,
}

impl ExternalSource for Program {
    fn prefix(&self) -> &str {
        "bot"
    }

    fn resolve(&self, spec: &str, _game: &str) -> Result<String, ExternalError> {
        Ok(spec.to_owned())
    }

    fn open(&self, _spec: &str) -> Result<Box<dyn ExternalPlayer>, ExternalError> {
        let count_down = |left: usize| Some(left.saturating_sub(1));
        let left =
            self.starts.fetch_update(Ordering::SeqCst, Ordering::SeqCst, count_down).unwrap();
        Ok(Box::new(Adder { starts: left > 0 }))
    }
}

struct Adder {
    starts: bool,
}

impl ExternalPlayer for Adder {
    fn start(&mut self, _: &MatchStart, _: &Value) -> Result<(), Fault> {
        let missing = || Fault::new(FaultKind::Crash, "no module named numpy");
        self.starts.then_some(()).ok_or_else(missing)
    }

    fn answer(&mut self, _: &Question) -> Result<Answer, Fault> {
        Ok(Answer::from(Value::from("1")))
    }
}

/// A program that starts this many times.
pub fn program(starts: usize) -> Arc<dyn ExternalSource> {
    Arc::new(Program { starts: AtomicUsize::new(starts) })
}

/// The game with a program that starts this many times.
pub fn with_program(starts: usize) -> Catalog {
    count::catalog().with_external(program(starts))
}

/// A program whose second answer always comes too late; does something before each match.
pub struct Late<F>(pub F);

impl<F: Fn() + Send + Sync> ExternalSource for Late<F> {
    fn prefix(&self) -> &str {
        "bot"
    }

    fn resolve(&self, spec: &str, _game: &str) -> Result<String, ExternalError> {
        Ok(spec.to_owned())
    }

    fn open(&self, _spec: &str) -> Result<Box<dyn ExternalPlayer>, ExternalError> {
        (self.0)();
        Ok(Box::new(LatePlayer { answers: 0 }))
    }
}

struct LatePlayer {
    answers: u32,
}

impl ExternalPlayer for LatePlayer {
    fn start(&mut self, _: &MatchStart, _: &Value) -> Result<(), Fault> {
        Ok(())
    }

    fn answer(&mut self, _: &Question) -> Result<Answer, Fault> {
        self.answers += 1;
        match self.answers {
            1 => Ok(Answer::from(Value::from("1"))),
            _ => Err(Fault::new(FaultKind::Timeout, "200 ms of 20 ms")),
        }
    }
}

/// More starts than any test makes.
pub const ALWAYS: usize = usize::MAX / 2;
