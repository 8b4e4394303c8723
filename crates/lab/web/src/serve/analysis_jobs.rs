//! The queue of analyses and lessons: those that wait, run or are done, and the progress of each.
//! [`super::analyses`] decides who may ask for one, and what it does.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use quintain_core::{Record, Seat};
use quintain_lessons::Lesson;
use quintain_play::{AnalysisProgress, MatchReview};
use serde::Serialize;

use super::limits::{Allowance, Place, Quota};

/// Number of finished analyses that are kept.
const KEPT: usize = 64;

/// Maximum number of analyses that wait or run: in all, and for each client.
pub(super) const SHARE: Allowance = Allowance { all: 8, each: 1 };

/// All analyses.
pub(crate) struct Analyses {
    pub(super) quota: Arc<Quota>,
    jobs: Mutex<Jobs>,
}

/// The match, and what is asked about it.
pub(super) type Key = (String, Task);

/// What is asked about a match.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum Task {
    /// An analysis by this player.
    Review(String),
    /// A lesson for the player at this seat.
    Lesson(Seat),
}

/// The answer.
#[derive(Clone)]
pub(super) enum Found {
    Review(Arc<MatchReview>),
    Lesson(Arc<LessonView>),
}

/// A lesson, and what its card says besides.
#[derive(Serialize)]
pub(crate) struct LessonView {
    /// The size of its board, if it has become smaller than that of the match.
    pub(super) size: Option<String>,
    /// The turns from its position to the end.
    pub(super) turns: u32,
    /// The simplest opponent that punishes the mistake.
    pub(super) opponent: Option<String>,
    pub(super) lesson: Lesson,
}

#[derive(Default)]
pub(super) struct Jobs {
    pub(super) known: HashMap<Key, Job>,
    pub(super) waiting: VecDeque<Key>,
    /// Finished analyses, the oldest first.
    done: VecDeque<Key>,
    /// Whether a thread is working on analyses.
    pub(super) is_busy: bool,
}

pub(super) enum Job {
    /// The record, and the client's place, which it holds until the analysis is done.
    Waiting(Box<Record>, Place),
    Running(Option<(AnalysisProgress, Arc<MatchReview>)>),
    Done(Result<Found, String>),
}

/// The progress of an analysis, and what is known so far.
#[derive(Serialize)]
pub(crate) struct AnalysisView {
    state: AnalysisState,
    player: String,
    /// Number of analyses ahead of it.
    ahead: usize,
    progress: Option<AnalysisProgress>,
    #[serde(serialize_with = "as_shared")]
    review: Option<Arc<MatchReview>>,
    #[serde(serialize_with = "as_shared", skip_serializing_if = "Option::is_none")]
    lesson: Option<Arc<LessonView>>,
    /// Why there is no review or lesson.
    error: Option<String>,
}

fn as_shared<T: Serialize, S: serde::Serializer>(
    found: &Option<Arc<T>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    found.as_deref().serialize(serializer)
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

    /// Takes the next analysis to work on. If there is none, the queue is marked as idle.
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

    pub(super) fn finish(&self, key: Key, result: Result<Found, String>) {
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
            player: match &key.1 {
                Task::Review(player) => player.clone(),
                Task::Lesson(_) => String::new(),
            },
            ahead: 0,
            progress: None,
            review: None,
            lesson: None,
            error: None,
        };
        match self.known.get(key) {
            None => blank(AnalysisState::Unasked),
            Some(Job::Waiting(..)) => {
                let ahead = self.waiting.iter().position(|own| own == key).unwrap_or_default();
                let running = |job: &&Job| matches!(job, Job::Running(_));
                let ahead = ahead + self.known.values().filter(running).count();
                AnalysisView { ahead, ..blank(AnalysisState::Waiting) }
            }
            Some(Job::Running(found)) => {
                let (progress, review) = found.clone().unzip();
                AnalysisView { progress, review, ..blank(AnalysisState::Running) }
            }
            Some(Job::Done(Ok(Found::Review(review)))) => {
                AnalysisView { review: Some(Arc::clone(review)), ..blank(AnalysisState::Done) }
            }
            Some(Job::Done(Ok(Found::Lesson(lesson)))) => {
                AnalysisView { lesson: Some(Arc::clone(lesson)), ..blank(AnalysisState::Done) }
            }
            Some(Job::Done(Err(error))) => {
                AnalysisView { error: Some(error.clone()), ..blank(AnalysisState::Failed) }
            }
        }
    }
}
