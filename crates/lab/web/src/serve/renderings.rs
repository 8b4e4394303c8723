//! What takes long to make of a record: its replay for the viewer, and pictures. Each is made once,
//! for all who ask for it meanwhile, and kept. A client has one made at a time and a few waiting;
//! what nobody waits for any more is abandoned. Requests that only read the store never wait for
//! these.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Instant;

use axum::http::StatusCode;
use tokio::sync::{Notify, Semaphore, watch};

use super::limits::{Quota, RenderingLimits, Turns};
use super::problem::Problem;

pub(super) mod making;

/// Number of replays kept, in the form in which they are sent, and the most bytes of them.
const REPLAYS: usize = 24;
const REPLAY_BYTES: usize = 64 << 20;
/// Number of pictures kept.
const PICTURES: usize = 200;

/// What is made.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Rendering {
    /// The compressed replay of the record with this id and these players.
    Replay(String),
    /// The last position of the record with this id, as SVG.
    Picture(String),
    /// The record with this id and these players as a page in one file.
    Page(String),
    /// The record with this id as a short loop.
    Film(String),
    /// An example of this game, as SVG, with or without the meaning of its signs.
    Example(String, bool),
    /// What a move is worth in place of one of a record, as JSON; the text names both.
    Judgement(String),
    /// What the player of this record was asked on this turn at this seat, as JSON.
    Question(String, u32, u16),
}

/// The result, or why there is none.
type Rendered = Result<Arc<[u8]>, Problem>;

/// All renderings: those kept, and those that are being made.
pub(crate) struct Renderings {
    quota: Arc<Quota>,
    slots: Arc<Semaphore>,
    turns: Turns,
    limits: RenderingLimits,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Kept results, the oldest first.
    replays: VecDeque<(Rendering, Arc<[u8]>)>,
    pictures: VecDeque<(Rendering, Arc<[u8]>)>,
    jobs: HashMap<Rendering, Job>,
}

/// A rendering under way.
struct Job {
    interest: Weak<Interest>,
    result: watch::Receiver<Option<Rendered>>,
}

/// Held by everybody who waits for a rendering; it is abandoned when the last one is gone.
struct Interest(Arc<Work>);

impl Drop for Interest {
    fn drop(&mut self) {
        self.0.is_abandoned.store(true, Ordering::Relaxed);
        self.0.abandoned.notify_one();
    }
}

/// Whether a rendering is still wanted, and how long it may take.
pub(crate) struct Work {
    is_abandoned: AtomicBool,
    abandoned: Notify,
    until: Mutex<Option<Instant>>,
    limits: RenderingLimits,
}

impl Work {
    fn new(limits: RenderingLimits) -> Arc<Work> {
        Arc::new(Work {
            is_abandoned: AtomicBool::new(false),
            abandoned: Notify::new(),
            until: Mutex::default(),
            limits,
        })
    }

    fn begin(&self) {
        *lock(&self.until) = Some(Instant::now() + self.limits.time);
    }

    /// Says that nobody waits for the work any more, if that is so.
    pub(super) fn abandonment(&self) -> Option<Problem> {
        // Nobody reads the text.
        let is_abandoned = self.is_abandoned.load(Ordering::Relaxed);
        is_abandoned.then(|| Problem::new(StatusCode::REQUEST_TIMEOUT, "nobody waits for this"))
    }

    /// Says why the work should end now, if it should.
    pub(super) fn objection(&self) -> Option<Problem> {
        if let Some(problem) = self.abandonment() {
            return Some(problem);
        }
        let is_late = lock(&self.until).is_some_and(|until| Instant::now() >= until);
        is_late.then(|| {
            let seconds = self.limits.time.as_secs();
            too_large(&format!("drawing this match takes longer than {seconds} s"))
        })
    }

    /// Refuses a replay that takes more memory than is allowed.
    pub(super) fn check_size(&self, bytes: usize) -> Result<(), Problem> {
        if bytes <= self.limits.bytes {
            return Ok(());
        }
        let most = self.limits.bytes / 1000;
        Err(too_large(&format!("the replay of this match takes more than {most} kB")))
    }
}

pub(super) fn too_large(why: &str) -> Problem {
    let text = format!("{why}, which is too much here; `quintain replay ID` has no such limit");
    Problem::new(StatusCode::UNPROCESSABLE_ENTITY, text)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Renderings {
    pub(super) fn new(limits: RenderingLimits) -> Renderings {
        Renderings {
            quota: Quota::new(limits.waiting),
            slots: Arc::new(Semaphore::new(limits.at_once)),
            turns: Turns::new(1),
            limits,
            state: Mutex::default(),
        }
    }

    /// The number of requests that wait.
    #[cfg(test)]
    pub(super) fn waiting(&self) -> usize {
        self.quota.held()
    }

    fn kept(&self, what: &Rendering) -> Option<Arc<[u8]>> {
        let state = lock(&self.state);
        let mut kept = state.replays.iter().chain(&state.pictures);
        kept.find(|(own, _)| own == what).map(|(_, made)| Arc::clone(made))
    }

    /// Joins the rendering if it is under way, or enters it as under way; the second value is what
    /// to work with in that case.
    fn join(
        &self,
        what: &Rendering,
    ) -> (Arc<Interest>, watch::Receiver<Option<Rendered>>, Option<NewJob>) {
        let jobs = &mut lock(&self.state).jobs;
        if let Some(job) = jobs.get(what)
            && let Some(interest) = job.interest.upgrade()
        {
            return (interest, job.result.clone(), None);
        }
        let work = Work::new(self.limits);
        let interest = Arc::new(Interest(Arc::clone(&work)));
        let (sender, result) = watch::channel(None);
        let job = Job { interest: Arc::downgrade(&interest), result: result.clone() };
        jobs.insert(what.clone(), job);
        (interest, result, Some(NewJob { work, sender }))
    }

    fn finish(&self, what: &Rendering, made: &Rendered, sender: &watch::Sender<Option<Rendered>>) {
        let mut state = lock(&self.state);
        // Since this one was abandoned, another one may have begun.
        if state.jobs.get(what).is_some_and(|job| job.result.same_channel(&sender.subscribe())) {
            state.jobs.remove(what);
        }
        let Ok(made) = made else { return };
        match what {
            Rendering::Replay(_) | Rendering::Page(_) | Rendering::Film(_) => {
                let kept = &mut state.replays;
                kept.push_back((what.clone(), Arc::clone(made)));
                let bytes = |kept: &VecDeque<(Rendering, Arc<[u8]>)>| {
                    kept.iter().map(|(_, made)| made.len()).sum::<usize>()
                };
                while kept.len() > REPLAYS || (kept.len() > 1 && bytes(kept) > REPLAY_BYTES) {
                    kept.pop_front();
                }
            }
            Rendering::Picture(_) => {
                let kept = &mut state.pictures;
                kept.push_back((what.clone(), Arc::clone(made)));
                if kept.len() > PICTURES {
                    kept.pop_front();
                }
            }
            // Examples show what was played of late, and questions are small: neither is kept.
            Rendering::Example(..) | Rendering::Question(..) | Rendering::Judgement(..) => {}
        }
    }
}

struct NewJob {
    work: Arc<Work>,
    sender: watch::Sender<Option<Rendered>>,
}
