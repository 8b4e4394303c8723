//! Whether one player is better than another, with as few matches as the answer takes: paired
//! matches on common seeds, judged after every round, until a sequential test decides or the
//! matches are used up. Not a tournament: who has a verdict plays no more.
//!
//! **A round** is one seed on one scenario. Where seats are rivals, every candidate meets every
//! reference there twice, with the seats swapped; where scores stand for themselves, everybody plays
//! it alone, in all seats. What one seed gives is one observation, because its matches share their
//! start. The tests are
//! [`quintain_stats::ThreeWay`] for rivals and [`quintain_stats::DifferenceTest`] for scores.
//!
//! **Order.** Rounds are judged in the order of the schedule, whichever match ends first, so quick
//! matches cannot bias the answer, and any number of threads gives the same one. What was played
//! ahead of a verdict counts for nothing and is not kept.

mod course;
mod judgement;
mod ordered;
mod render;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use quintain_core::{AnyGame, Budget, Objective, PlayerHandle, Record, Scoring, Setup};
use quintain_stats::likelihood::Scale;
use quintain_stats::{Interval, PlusMinus, Risks, Verdict, WinDrawLoss};
use serde::Serialize;

use crate::executor::Options;
use crate::store::{Row, Store, StoreError};
use course::{Match, Played, Rounds, Task};
use quintain_core::panics;
pub use render::render;

/// What is asked.
pub struct Question {
    /// The game on every scenario; rounds take them in turn.
    pub games: Vec<Arc<dyn AnyGame>>,
    /// Who is asked about.
    pub candidates: Vec<PlayerHandle>,
    /// Whom each is compared with: all of them together.
    pub references: Vec<PlayerHandle>,
    /// The seed of the first round.
    pub first_seed: u64,
    /// What each player may think.
    pub budget: Budget,
    /// Matches to be counted at most.
    pub matches: u64,
    /// The difference that matters, in Elo points or in points of the score. Rivals need one.
    pub delta: Option<f64>,
    /// In what the difference of rivals is measured.
    pub scale: Scale,
    /// The chances of error that are allowed.
    pub risks: Risks,
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The game.
    pub game: String,
    /// The scenarios.
    pub scenarios: Vec<String>,
    /// Which scores are better.
    pub goal: Objective,
    /// Whether seats are rivals.
    pub contest: Scoring,
    /// Whom the candidates were compared with.
    pub references: Vec<String>,
    /// The seed of the first round.
    pub first_seed: u64,
    /// What each player might think.
    pub budget: Budget,
    /// The difference that was asked about.
    pub delta: Option<f64>,
    /// The chances of error that were allowed.
    pub risks: Risks,
    /// Matches counted.
    pub matches: u64,
    /// Matches that might have been counted.
    pub most_matches: u64,
    /// It was stopped before its end.
    pub stopped: bool,
    /// What there is to say of each candidate, in the order in which they were named.
    pub candidates: Vec<Compared>,
}

/// What there is to say of one candidate.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compared {
    /// The candidate.
    pub player: String,
    /// The verdict; none if the matches were used up before there was one.
    pub verdict: Option<Verdict>,
    /// Every round was the same match for match: on these scenarios neither the start nor the
    /// players depend on the seed, so there is one observation, and no statistics of it.
    pub unvarying: bool,
    /// Rounds that were judged.
    pub rounds: u64,
    /// Matches that were needed, those of the references included.
    pub matches: u64,
    /// Matches that it lost by a fault.
    pub faults: u64,
    /// Matches that the references lost by a fault against it, or beside it.
    pub reference_faults: u64,
    /// How much better it is.
    pub effect: Effect,
    /// How many times as many matches would have been needed for the same interval, had they not
    /// been paired; none while that cannot be said.
    pub unpaired: Option<f64>,
    /// ln of the evidence that it is better, and that it is worse.
    pub evidence: [f64; 2],
    /// What the evidence has to reach.
    pub decisive: f64,
}

/// How much better a player is.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Among rivals.
    Rivals {
        /// Games won, drawn and lost against the references.
        games: WinDrawLoss,
        /// How many rounds brought 0, 1, 2, … half-points.
        rounds: Vec<u64>,
        /// LL, LD, WL, DD, WD, WW, where a round is two games.
        pentanomial: Option<[u64; 6]>,
        /// The difference in Elo points, from the mean score; infinite if every game was won.
        elo: Option<f64>,
        /// 95 % interval of the Elo difference if the number of rounds had been fixed beforehand,
        /// as engine testing prints it.
        elo_fixed: Option<PlusMinus>,
        /// Normalised Elo likewise.
        normalised_fixed: Option<PlusMinus>,
        /// Interval of the Elo difference that holds whenever one looks.
        interval: Option<Interval>,
    },
    /// Where scores stand for themselves, in points of the score.
    Scores {
        /// The candidate's mean score.
        mean: f64,
        /// The references' mean score on the same seeds.
        reference_mean: f64,
        /// The mean difference.
        difference: f64,
        /// Interval of the mean difference that holds whenever one looks.
        interval: Option<Interval>,
    },
    /// Nothing was judged yet.
    Unknown,
}

/// How far a comparison is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Matches counted.
    pub matches: u64,
    /// Candidates without a verdict.
    pub undecided: usize,
}

/// A comparison that came to no end.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// The question makes no sense.
    #[error("{0}")]
    Question(String),
    /// A match could not be played.
    #[error("{0}")]
    Match(String),
    /// The store cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system gives no thread.
    #[error("no thread could be started: {0}")]
    Thread(std::io::Error),
    /// A record in the store has another course.
    #[error(
        "the store has record {0} with another course of this match; were two versions of quintain \
         at work?"
    )]
    Conflict(String),
}

/// Plays until every candidate has its verdict or the matches are used up. Matches that the store
/// has are not played again, and those that count are kept there.
///
/// # Errors
/// If the question makes no sense, a match cannot be played, or the store fails.
pub fn compare(
    question: &Question,
    store: Option<&mut Store>,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Result<Comparison, CompareError> {
    let mut rounds = Rounds::new(question)?;
    let store = Mutex::new(store);
    let mut failed = None;
    let play = |task: Task, hurry: &Arc<AtomicBool>| -> Played {
        let Match { game, seats, seed } = question.match_of(task);
        let mut setup = Setup { seed, budget: question.budget, ..Setup::default() };
        if let Some(store) = &*store.lock().unwrap_or_else(PoisonError::into_inner) {
            let id = game.fixture(&setup, &seats).id();
            if let Some(stored) = store.find(&id).map_err(CompareError::from)? {
                return Ok((stored.record().map_err(CompareError::from)?, None));
            }
        }
        setup.stop = Some(Arc::clone(hurry));
        let begun = Instant::now();
        let played = panics::catch(|| game.play(&setup, &seats, None));
        let elapsed = begun.elapsed();
        match played {
            Ok(Ok(record)) => Ok((record, Some(elapsed))),
            Ok(Err(refused)) => Err(CompareError::Match(refused.0)),
            Err(panicked) => Err(CompareError::Match(format!("the rules failed: {panicked}"))),
        }
    };
    let mut keep = |rounds: &mut Rounds<'_>| {
        progress(rounds.progress());
        let new = rounds.take_new();
        if new.is_empty() || failed.is_some() {
            return;
        }
        if let Some(store) = &mut *store.lock().unwrap_or_else(PoisonError::into_inner) {
            failed = kept(store, &new).err();
        }
    };
    let threads = options.threads;
    ordered::run(&mut rounds, threads, &options.stop, play, &mut keep)
        .map_err(CompareError::Thread)?;
    keep(&mut rounds);
    match failed {
        Some(error) => Err(error),
        None => rounds.answer(),
    }
}

fn kept(store: &mut Store, new: &[(Record, Duration)]) -> Result<(), CompareError> {
    let rows: Vec<Row> = new.iter().map(|(record, elapsed)| Row::new(record, *elapsed)).collect();
    match store.insert(None, &rows)?.conflicts.into_iter().next() {
        Some(id) => Err(CompareError::Conflict(id)),
        None => Ok(()),
    }
}
