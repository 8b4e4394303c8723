//! The threads of a worker that play: each takes a batch, plays it match by match, and
//! packs the answers.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::mpsc::UnboundedSender;

use super::leases::Lease;
use super::lock;
use crate::resolved::ResolvedTournament;
use crate::wire::{Answer, Assignment, PACKET_BYTES, Part, pack};

/// Stacks are only used as far as searches go down, so they may be large.
const STACK: usize = 16 << 20;

/// A batch to be played.
pub(super) struct Job {
    pub(super) tournament: Arc<ResolvedTournament>,
    pub(super) assignments: Vec<Assignment>,
    pub(super) lease: Lease,
    pub(super) room: OwnedSemaphorePermit,
    /// Whoever has taken it so far has ended.
    pub(super) deadly: bool,
    /// Bytes of a message, at most.
    pub(super) limit: usize,
}

/// A batch that was played.
pub(super) struct Done {
    pub(super) tournament: String,
    /// Nothing if it was given up.
    pub(super) parts: Option<Vec<Part>>,
    pub(super) matches: u64,
    pub(super) lease: Lease,
    pub(super) room: OwnedSemaphorePermit,
}

/// The threads, at work until this is dropped.
pub(super) struct Players {
    jobs: mpsc::Sender<Job>,
    /// Each thread has its own: matches copy the handle at every decision, and a shared
    /// one would have the cores fight for its counter.
    stops: Vec<Arc<AtomicBool>>,
}

impl Players {
    pub(super) fn start(threads: usize, done: UnboundedSender<Done>) -> io::Result<Players> {
        let (jobs, taken) = mpsc::channel::<Job>();
        let taken = Arc::new(Mutex::new(taken));
        let mut stops = Vec::new();
        for number in 0..threads {
            let stop = Arc::new(AtomicBool::new(false));
            stops.push(Arc::clone(&stop));
            let (taken, done) = (Arc::clone(&taken), done.clone());
            let builder = thread::Builder::new().name(format!("match-{number}")).stack_size(STACK);
            builder.spawn(move || {
                loop {
                    let job = lock(&taken).recv();
                    let Ok(job) = job else { return };
                    if done.send(play(job, &stop)).is_err() {
                        return;
                    }
                }
            })?;
        }
        Ok(Players { jobs, stops })
    }

    /// Has a batch played by the next thread that is free.
    pub(super) fn play(&self, job: Job) {
        self.jobs.send(job).expect("the threads live as long as this");
    }

    /// Has the matches in flight given up.
    pub(super) fn stop(&self) {
        self.stops.iter().for_each(|stop| stop.store(true, Ordering::Relaxed));
    }
}

fn play(job: Job, stop: &Arc<AtomicBool>) -> Done {
    let Job { tournament, assignments, lease, room, deadly, limit } = job;
    let id = tournament.manifest.id.clone();
    let matches = assignments.len() as u64;
    let mut parts = Some(Vec::new());
    let mut answers: Vec<Answer> = Vec::new();
    let mut bytes = 0;
    for assignment in &assignments {
        let answer = match deadly {
            true => Some(given_up(assignment)),
            false => tournament.play(assignment, stop),
        };
        let Some(answer) = answer else {
            parts = None;
            break;
        };
        bytes += answer.record.as_ref().map_or(0, |record| record.get().len());
        answers.push(answer);
        if bytes >= PACKET_BYTES {
            parts.iter_mut().for_each(|parts| parts.extend(pack(&id, &answers, limit)));
            answers.clear();
            bytes = 0;
        }
    }
    if !answers.is_empty() {
        parts.iter_mut().for_each(|parts| parts.extend(pack(&id, &answers, limit)));
    }
    Done { tournament: id, parts, matches, lease, room }
}

/// The answer to an assignment that ends workers.
fn given_up(assignment: &Assignment) -> Answer {
    let problem = "every worker that was given its batch has ended before it was played";
    Answer { index: assignment.0, elapsed_us: 0, record: None, problem: Some(problem.to_owned()) }
}
