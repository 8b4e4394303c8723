//! The threads of a worker that play: each takes a batch, plays it match by match, and packs the
//! answers. They are the arena's match threads, but not its pool: the pool ends with its run and
//! occupies the calling thread, whereas a worker serves one tournament after another from an
//! asynchronous loop.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use quintain_arena::match_thread;
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::mpsc::UnboundedSender;

use super::leases::Lease;
use super::lock::lock;
use crate::resolved::ResolvedTournament;
use crate::wire::{Answer, Assignment, PACKET_BYTES, Part, Sender, pack};

/// A batch to be played.
pub(super) struct BatchJob {
    pub(super) tournament: Arc<ResolvedTournament>,
    pub(super) assignments: Vec<Assignment>,
    /// The batch's own id.
    pub(super) batch: String,
    /// The worker that plays it.
    pub(super) sender: Arc<Sender>,
    pub(super) lease: Lease,
    pub(super) room: OwnedSemaphorePermit,
    /// Whether every worker that has taken it so far has died: then it is answered without being
    /// played.
    pub(super) deadly: bool,
    /// The most bytes of a message.
    pub(super) limit: usize,
}

/// A batch that was played.
pub(super) struct FinishedBatch {
    pub(super) tournament: String,
    /// The records in parts; `None` if the batch was abandoned.
    pub(super) parts: Option<Vec<Part>>,
    pub(super) matches: u64,
    /// How long it has taken a thread.
    pub(super) took: Duration,
    /// Whether its tournament is over, so that nobody needs it.
    pub(super) is_over: bool,
    pub(super) lease: Lease,
    pub(super) room: OwnedSemaphorePermit,
}

/// The threads; they end when this is dropped.
pub(super) struct MatchThreads {
    jobs: mpsc::Sender<(BatchJob, Arc<Stops>)>,
    /// The batches that wait or are being played.
    batches: Mutex<Vec<(String, Arc<Stops>)>>,
    is_stopped: AtomicBool,
}

/// What ends a batch before it is played.
#[derive(Default)]
struct Stops {
    /// Each batch has its own: matches copy the handle at every decision, and with a shared one the
    /// cores would contend for its counter.
    stop: Arc<AtomicBool>,
    is_over: AtomicBool,
}

impl MatchThreads {
    pub(super) fn start(
        threads: usize,
        done: UnboundedSender<FinishedBatch>,
    ) -> io::Result<MatchThreads> {
        let (jobs, taken) = mpsc::channel::<(BatchJob, Arc<Stops>)>();
        let taken = Arc::new(Mutex::new(taken));
        for number in 0..threads {
            let (taken, done) = (Arc::clone(&taken), done.clone());
            match_thread(number).spawn(move || {
                loop {
                    let job = lock(&taken).recv();
                    let Ok((job, stops)) = job else { return };
                    if done.send(play(job, &stops)).is_err() {
                        return;
                    }
                }
            })?;
        }
        Ok(MatchThreads { jobs, batches: Mutex::default(), is_stopped: AtomicBool::new(false) })
    }

    /// Queues a batch for the next idle thread.
    pub(super) fn play(&self, job: BatchJob) {
        let stops = Arc::new(Stops::default());
        let mut batches = lock(&self.batches);
        // Only those that are not played yet have a second owner.
        batches.retain(|(_, stops)| Arc::strong_count(stops) > 1);
        batches.push((job.tournament.manifest.id.clone(), Arc::clone(&stops)));
        stops.stop.store(self.is_stopped.load(Ordering::Relaxed), Ordering::Relaxed);
        drop(batches);
        self.jobs.send((job, stops)).expect("the threads live as long as this");
    }

    /// Abandons all matches in flight, and all that come later.
    pub(super) fn stop(&self) {
        let batches = lock(&self.batches);
        self.is_stopped.store(true, Ordering::Relaxed);
        for (_, stops) in &*batches {
            stops.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Abandons the matches in flight of a tournament that is over.
    pub(super) fn abandon(&self, tournament: &str) {
        for (_, stops) in lock(&self.batches).iter().filter(|(id, _)| id == tournament) {
            stops.is_over.store(true, Ordering::Relaxed);
            stops.stop.store(true, Ordering::Relaxed);
        }
    }
}

fn play(job: BatchJob, stops: &Stops) -> FinishedBatch {
    let BatchJob { tournament, assignments, batch, sender, lease, room, deadly, limit } = job;
    let begun = Instant::now();
    let id = tournament.manifest.id.clone();
    let matches = assignments.len() as u64;
    let mut parts = Some(Vec::new());
    let mut answers: Vec<Answer> = Vec::new();
    let mut bytes = 0;
    for assignment in &assignments {
        let answer = match deadly {
            true => Some(abandon(assignment)),
            false => tournament.play(assignment, &stops.stop),
        };
        let Some(answer) = answer else {
            parts = None;
            break;
        };
        let texts = [&answer.record, &answer.log].into_iter().flatten();
        bytes += texts.map(|text| text.get().len()).sum::<usize>();
        answers.push(answer);
        if bytes >= PACKET_BYTES {
            parts.iter_mut().for_each(|parts| parts.extend(pack(&sender, &batch, &answers, limit)));
            answers.clear();
            bytes = 0;
        }
    }
    if !answers.is_empty() {
        parts.iter_mut().for_each(|parts| parts.extend(pack(&sender, &batch, &answers, limit)));
    }
    let is_over = stops.is_over.load(Ordering::Relaxed);
    FinishedBatch { tournament: id, parts, matches, took: begun.elapsed(), is_over, lease, room }
}

/// The answer to an assignment that has killed every worker that took it.
fn abandon(assignment: &Assignment) -> Answer {
    let problem = "every worker that was given its batch ended before it was played";
    let problem = Some(problem.to_owned());
    Answer { index: assignment.0, elapsed_us: 0, record: None, log: None, problem }
}
