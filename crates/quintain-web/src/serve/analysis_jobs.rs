//! Analyses that wait, run or are done, and how far each is. Who may ask for one, and what it does, is
//! in [`super::analyses`].

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use quintain_analysis::{AnalysisProgress, MatchReview};
use quintain_core::Record;
use serde::Serialize;

use super::limits::{Allowance, Place, Quota};

/// Analyses that are kept when they are done.
const KEPT: usize = 64;

/// Analyses that wait or run: of all, and of a client.
pub(super) const SHARE: Allowance = Allowance { all: 8, each: 1 };

/// All analyses.
pub(crate) struct Analyses {
    pub(super) quota: Arc<Quota>,
    jobs: Mutex<Jobs>,
}

/// Which match, and who looks at it.
pub(super) type Key = (String, String);

#[derive(Default)]
pub(super) struct Jobs {
    pub(super) known: HashMap<Key, Job>,
    pub(super) waiting: VecDeque<Key>,
    /// Those that are done, the oldest first.
    done: VecDeque<Key>,
    /// Whether a thread works on them.
    pub(super) is_busy: bool,
}

pub(super) enum Job {
    /// With the record, and the client's place until it is done.
    Waiting(Box<Record>, Place),
    Running(Option<(AnalysisProgress, Arc<MatchReview>)>),
    Done(Result<Arc<MatchReview>, String>),
}

/// How far an analysis is, and what is known by now.
#[derive(Serialize)]
pub(crate) struct AnalysisView {
    state: AnalysisState,
    player: String,
    /// Analyses that come before it.
    ahead: usize,
    progress: Option<AnalysisProgress>,
    #[serde(serialize_with = "as_review")]
    review: Option<Arc<MatchReview>>,
    /// Why there is none.
    error: Option<String>,
}

fn as_review<S: serde::Serializer>(
    review: &Option<Arc<MatchReview>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    review.as_deref().serialize(serializer)
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum AnalysisState {
    /// Nobody has asked for it yet.
    Unasked,
    Waiting,
    Running,
    Done,
    Failed,
}

impl Analyses {
    pub(super) fn new() -> Analyses {
        Analyses { quota: Quota::new(SHARE), jobs: Mutex::default() }
    }

    pub(super) fn jobs(&self) -> MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next one to work on; none if nobody waits, and then nobody works any more.
    pub(super) fn next(&self) -> Option<(Key, Box<Record>, Place)> {
        let mut jobs = self.jobs();
        while let Some(key) = jobs.waiting.pop_front() {
            let job = jobs.known.insert(key.clone(), Job::Running(None));
            if let Some(Job::Waiting(record, place)) = job {
                return Some((key, record, place));
            }
        }
        jobs.is_busy = false;
        None
    }

    pub(super) fn finish(&self, key: Key, result: Result<Arc<MatchReview>, String>) {
        let mut jobs = self.jobs();
        if jobs.done.len() >= KEPT
            && let Some(oldest) = jobs.done.pop_front()
        {
            jobs.known.remove(&oldest);
        }
        jobs.done.push_back(key.clone());
        jobs.known.insert(key, Job::Done(result));
    }
}

impl Jobs {
    pub(super) fn view(&self, key: &Key) -> AnalysisView {
        let blank = |state| AnalysisView {
            state,
            player: key.1.clone(),
            ahead: 0,
            progress: None,
            review: None,
            error: None,
        };
        match self.known.get(key) {
            None => blank(AnalysisState::Unasked),
            Some(Job::Waiting(..)) => {
                let ahead = self.waiting.iter().position(|own| own == key).unwrap_or_default();
                AnalysisView { ahead: ahead + 1, ..blank(AnalysisState::Waiting) }
            }
            Some(Job::Running(found)) => {
                let (progress, review) = found.clone().unzip();
                AnalysisView { progress, review, ..blank(AnalysisState::Running) }
            }
            Some(Job::Done(Ok(review))) => {
                AnalysisView { review: Some(Arc::clone(review)), ..blank(AnalysisState::Done) }
            }
            Some(Job::Done(Err(error))) => {
                AnalysisView { error: Some(error.clone()), ..blank(AnalysisState::Failed) }
            }
        }
    }
}
