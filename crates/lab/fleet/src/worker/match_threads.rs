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
use super::turns::Turns;
use crate::resolved::ResolvedTournament;
use crate::wire::{Answer, Assignment, PACKET_BYTES, Part, Sender, pack};

/// A batch to be played, or one that has paused.
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
    pub(super) progress: Progress,
}

/// How far a batch is.
#[derive(Default)]
pub(super) struct Progress {
    /// The number of matches that are over.
    played: usize,
    /// What of them is packed, and the answers that are not, with the bytes of their texts.
    parts: Vec<Part>,
    answers: Vec<Answer>,
    bytes: usize,
    /// What ends it, once it has begun.
    stops: Arc<Stops>,
}

/// What a match thread hands back.
pub(super) enum PlayedBatch {
    Finished(FinishedBatch),
    /// A batch that has paused, and how long it has taken a thread since it began or went on.
    Paused(BatchJob, Duration),
}

/// A batch that was played.
pub(super) struct FinishedBatch {
    pub(super) tournament: Arc<ResolvedTournament>,
    /// The records in parts; `None` if the batch was abandoned.
    pub(super) parts: Option<Vec<Part>>,
    pub(super) matches: u64,
    /// How long it has taken a thread since it began or went on.
    pub(super) took: Duration,
    /// Whether its tournament is over, so that nobody needs it.
    pub(super) is_over: bool,
    pub(super) lease: Lease,
    pub(super) room: OwnedSemaphorePermit,
}

/// The threads; they end when this is dropped.
pub(super) struct MatchThreads {
    jobs: mpsc::Sender<BatchJob>,
    /// The batches that wait or are being played.
    batches: Mutex<Vec<(String, Arc<Stops>)>>,
    is_stopped: AtomicBool,
}

/// What ends a batch before it is played.
#[derive(Default)]
pub(super) struct Stops {
    /// Each batch has its own: matches copy the handle at every decision, and with a shared one the
    /// cores would contend for its counter.
    stop: Arc<AtomicBool>,
    is_over: AtomicBool,
}

impl MatchThreads {
    pub(super) fn start(
        threads: usize,
        turns: &Arc<Turns>,
        done: UnboundedSender<PlayedBatch>,
    ) -> io::Result<MatchThreads> {
        let (jobs, taken) = mpsc::channel::<BatchJob>();
        let taken = Arc::new(Mutex::new(taken));
        for number in 0..threads {
            let (taken, turns, done) = (Arc::clone(&taken), Arc::clone(turns), done.clone());
            match_thread(number).spawn(move || {
                loop {
                    let job = lock(&taken).recv();
                    let Ok(job) = job else { return };
                    if done.send(play(job, &turns)).is_err() {
                        return;
                    }
                }
            })?;
        }
        Ok(MatchThreads { jobs, batches: Mutex::default(), is_stopped: AtomicBool::new(false) })
    }

    /// Queues a batch for the next idle thread.
    pub(super) fn play(&self, job: BatchJob) {
        let stops = Arc::clone(&job.progress.stops);
        let mut batches = lock(&self.batches);
        // Only those that are not played yet have a second owner.
        batches.retain(|(_, stops)| Arc::strong_count(stops) > 1);
        if !batches.iter().any(|(_, known)| Arc::ptr_eq(known, &stops)) {
            batches.push((job.tournament.manifest.id.clone(), Arc::clone(&stops)));
        }
        stops.stop.fetch_or(self.is_stopped.load(Ordering::Relaxed), Ordering::Relaxed);
        drop((batches, stops));
        self.jobs.send(job).expect("the threads live as long as this");
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

/// Plays a batch to its end, or until another tournament has a right to the thread.
fn play(mut job: BatchJob, turns: &Turns) -> PlayedBatch {
    let begun = Instant::now();
    let BatchJob { tournament, assignments, batch, sender, deadly, limit, progress, .. } = &mut job;
    let share = tournament.manifest.share();
    let mut is_abandoned = false;
    for (number, assignment) in assignments.iter().enumerate().skip(progress.played) {
        let may_pause = number > 0 && !progress.stops.stop.load(Ordering::Relaxed);
        if may_pause && turns.pauses(share, begun.elapsed()) {
            return PlayedBatch::Paused(job, begun.elapsed());
        }
        let answer = match deadly {
            true => Some(abandon(assignment)),
            false => tournament.play(assignment, &progress.stops.stop),
        };
        let Some(answer) = answer else {
            is_abandoned = true;
            break;
        };
        progress.played += 1;
        let texts = [&answer.record, &answer.log].into_iter().flatten();
        progress.bytes += texts.map(|text| text.get().len()).sum::<usize>();
        progress.answers.push(answer);
        if progress.bytes >= PACKET_BYTES {
            progress.parts.extend(pack(sender, batch, &progress.answers, *limit));
            progress.answers.clear();
            progress.bytes = 0;
        }
    }
    if !progress.answers.is_empty() {
        progress.parts.extend(pack(sender, batch, &progress.answers, *limit));
    }
    let BatchJob { tournament, assignments, lease, room, progress, .. } = job;
    let (took, matches) = (begun.elapsed(), assignments.len() as u64);
    let Progress { parts, stops, .. } = progress;
    let parts = (!is_abandoned).then_some(parts);
    let is_over = stops.is_over.load(Ordering::Relaxed);
    PlayedBatch::Finished(FinishedBatch { tournament, parts, matches, took, is_over, lease, room })
}

/// The answer to an assignment that has killed every worker that took it.
fn abandon(assignment: &Assignment) -> Answer {
    let problem = "every worker that was given its batch ended before it was played";
    let problem = Some(problem.to_owned());
    Answer {
        index: assignment.0,
        elapsed_us: 0,
        record: None,
        log: None,
        problem,
        starts_here: false,
    }
}
