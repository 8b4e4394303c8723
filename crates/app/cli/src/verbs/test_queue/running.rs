//! `quintain tests run`: answers the tests in the queue one after the other.

use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use quintain_arena::compare::{CompareProgress, Comparison};
use quintain_report::{describe_answer, lead_of, verdict_word};
use quintain_scene::clean;
use quintain_store::{QueuedTest, Store, TestReport, TestRunner, TestState};

use super::desk::OPEN;
use super::letters;
use super::lookout::{Current, Lookout};
use super::proposal::read_question;
use crate::context::Context;
use crate::failure::Failure;
use crate::lists::format_count;
use crate::messages::print_notice;
use crate::verbs::compare::{PlayedBy, Question};
use crate::{fleet, options, sources, stop};

/// How often the process that answers a test looks whether it is to stop.
const TICK: Duration = Duration::from_millis(200);
/// How often it looks into the store, and keeps there how far it is.
const REPORT_INTERVAL: Duration = Duration::from_secs(1);
/// The most time between two looks at the clock that counts: this process looks at each tick, if it
/// is not stopped.
const MOST_PASSED: Duration = Duration::from_secs(1);
/// The most points of a course of evidence.
const POINTS: usize = 1000;

#[derive(clap::Args)]
pub(super) struct Run {
    /// When the queue is empty, wait for further tests
    #[arg(long)]
    stay: bool,
    #[arg(short, long, help = options::QUIET)]
    quiet: bool,
    #[command(flatten)]
    played_by: PlayedBy,
}

impl Run {
    pub(super) fn answer_all(
        &self,
        path: &Path,
        context: &Context<'_>,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        self.played_by.check()?;
        let mut store = sources::open_store(path)?;
        let server = self.played_by.on.as_deref().map(crate::server::hide_password);
        let place = store.enter_runner(&TestRunner { server, ..TestRunner::default() })?;
        let notice = if self.quiet { "" } else { "stopping: matches in progress are dropped…" };
        let signal = stop::watch_signals_with_notice(notice);
        let Some(address) = &self.played_by.on else {
            return self.answer_queue((store, path), context, (&signal, &Current::default()), out);
        };
        // Meanwhile, others at the server propose tests and ask how far theirs are.
        let server = fleet::server(address, &self.played_by.hand_out.credentials)?;
        let (over, current) = (AtomicBool::new(false), Current::default());
        let lookout = Lookout { server: &server, current: &current };
        let board = Store::open(path)?;
        thread::scope(|scope| {
            // Also if this ends by a panic.
            let _over = SetWhenDropped(&over);
            scope.spawn(|| lookout.watch(board, &place, &over));
            scope.spawn(|| {
                if let Err(error) = letters::answer(&server, path, context, &over) {
                    print_notice(&format!("nobody elsewhere can propose tests: {error}"));
                }
            });
            self.answer_queue((store, path), context, (&signal, &current), out)
        })
    }

    /// Answers the tests in the queue until it is empty, or for as long as this process runs.
    fn answer_queue(
        &self,
        (mut store, path): (Store, &Path),
        context: &Context<'_>,
        (signal, current): (&AtomicBool, &Current),
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        let mut answered = 0;
        // Those that cannot be played here and now. They stay in the queue.
        let mut refused: Vec<i64> = Vec::new();
        while !signal.load(Ordering::SeqCst) {
            let Some((test, lock)) = store.take_test(&refused)? else {
                if !self.stay {
                    let answered = format_count(answered, "test");
                    return match refused.len() {
                        0 => Ok(writeln!(out, "{answered} answered; the queue is empty")?),
                        refused => Err(Failure::Failed(format!(
                            "{answered} answered; {} could not be played here, and stay in the \
                             queue",
                            format_count(refused, "test")
                        ))),
                    };
                }
                thread::sleep(TICK);
                continue;
            };
            if !self.quiet {
                print_notice(&format!("test {}: {}", test.number, clean(&test.what)));
            }
            let report = match self.answer(&test, (&mut store, path), context, (signal, current)) {
                Ok(report) => report,
                Err(Failure::Stopped) => return Err(Failure::Stopped),
                Err(error) => {
                    store.change_test(test.number, &OPEN, TestState::Proposed)?;
                    // If nobody can be reached, no other test can be played either.
                    self.played_by.check()?;
                    refused.push(test.number);
                    let answer = vec![format!("It cannot be played: {error}")];
                    TestReport { answer, ..test.report.clone() }
                }
            };
            store.report_test(test.number, &report)?;
            drop(lock);
            answered += usize::from(!refused.contains(&test.number));
            let answer = report.answer.first().map_or("", String::as_str);
            writeln!(out, "test {}: {}", test.number, clean(answer))?;
            out.flush()?;
        }
        Err(Failure::Stopped)
    }

    /// Answers a test, and moves it to its last state. If this process is stopped, the test stays
    /// as it is, for the next one.
    fn answer(
        &self,
        test: &QueuedTest,
        (store, path): (&mut Store, &Path),
        context: &Context<'_>,
        (signal, current): (&AtomicBool, &Current),
    ) -> Result<TestReport, Failure> {
        let found = read_question(test)?.find(context.catalog, Some(path))?;
        current.begin(test.number, found.config.name_for_workers());
        let place = self.played_by.on.as_deref();
        let running = RunningTest::new(test.number, &found, place, current);
        let stop = Arc::new(AtomicBool::new(false));
        let over = AtomicBool::new(false);
        let board = Store::open(path)?;
        let mut comparison = thread::scope(|scope| {
            scope.spawn(|| running.watch(board, signal, &stop, &over));
            let compared = self.compare(&found, store, context, &stop, &running);
            over.store(true, Ordering::SeqCst);
            compared
        })?;
        found.name_players(&mut comparison);
        let report = running.conclude(&comparison);
        if signal.load(Ordering::SeqCst) && comparison.stopped {
            store.report_test(test.number, &report)?;
            return Err(Failure::Stopped);
        }
        store.change_test(test.number, &[TestState::Running], TestState::Decided)?;
        Ok(report)
    }

    fn compare(
        &self,
        found: &Question,
        store: &mut Store,
        context: &Context<'_>,
        stop: &Arc<AtomicBool>,
        running: &RunningTest<'_>,
    ) -> Result<Comparison, Failure> {
        let mut progress = |progress| running.note(progress);
        if !self.quiet && self.played_by.on.is_none() {
            context.warn_of_memory(self.played_by.threads(), &found.config.lineups());
        }
        let catalog = context.catalog;
        let (comparison, remarks) =
            self.played_by.compare(found, catalog, Some(store), stop, &mut progress)?;
        remarks.iter().for_each(|remark| print_notice(&clean(remark)));
        Ok(comparison)
    }
}

/// Sets a flag when it goes out of scope.
struct SetWhenDropped<'a>(&'a AtomicBool);

impl Drop for SetWhenDropped<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// A test that this process answers.
struct RunningTest<'a> {
    number: i64,
    current: &'a Current,
    clock: Mutex<PlayClock>,
    report: Mutex<TestReport>,
}

/// How long matches have been played.
struct PlayClock {
    played: Duration,
    seen: Instant,
}

impl PlayClock {
    fn starting(now: Instant) -> PlayClock {
        PlayClock { played: Duration::ZERO, seen: now }
    }

    /// Adds the time since it was looked at last if matches were played, but not that in which this
    /// process was stopped.
    fn look(&mut self, now: Instant, is_playing: bool) -> Duration {
        let passed = now.duration_since(self.seen).min(MOST_PASSED);
        self.seen = now;
        if is_playing {
            self.played += passed;
        }
        self.played
    }
}

impl<'a> RunningTest<'a> {
    fn new(
        number: i64,
        found: &Question,
        on: Option<&str>,
        current: &'a Current,
    ) -> RunningTest<'a> {
        let config = &found.config;
        let report = TestReport {
            players: found.sides(),
            most_matches: config.matches,
            place: on.map_or("this machine".to_owned(), crate::server::hide_password),
            ..TestReport::default()
        };
        let clock = Mutex::new(PlayClock::starting(Instant::now()));
        RunningTest { number, current, clock, report: Mutex::new(report) }
    }

    fn report(&self) -> MutexGuard<'_, TestReport> {
        self.report.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes how far the comparison is.
    fn note(&self, progress: CompareProgress) {
        let CompareProgress { matches, played, evidence: [better, worse], decisive, .. } = progress;
        let mut report = self.report();
        // Records that were taken back are judged again from the beginning.
        report.course.retain(|(judged, ..)| *judged < matches);
        if matches > 0 {
            report.course.push((matches, better, worse));
        }
        if report.course.len() > POINTS {
            let mut place = 0;
            report.course.retain(|_| {
                place += 1;
                place % 2 == 0
            });
        }
        (report.matches, report.decisive) = (matches, decisive);
        report.per_minute = 60.0 * played as f64 / self.time_played().as_secs_f64().max(1e-9);
    }

    /// How long matches have been played: time in which nobody could play does not count.
    fn time_played(&self) -> Duration {
        let mut clock = self.clock.lock().unwrap_or_else(PoisonError::into_inner);
        clock.look(Instant::now(), !self.current.is_stuck())
    }

    /// Until it is over, keeps in the store how far the test is, and sets `stop` when this process
    /// is to end or the test is stopped.
    fn watch(&self, mut store: Store, signal: &AtomicBool, stop: &AtomicBool, over: &AtomicBool) {
        let mut reported = Instant::now();
        while !over.load(Ordering::SeqCst) {
            if signal.load(Ordering::SeqCst) {
                stop.store(true, Ordering::SeqCst);
            }
            self.time_played();
            if reported.elapsed() >= REPORT_INTERVAL {
                reported = Instant::now();
                let report = self.report().clone();
                let kept = store.report_test(self.number, &report);
                match kept.and_then(|()| store.queued_test(self.number)) {
                    Ok(test) if test.state == TestState::Running => {}
                    Ok(_) => stop.store(true, Ordering::SeqCst),
                    Err(error) => tracing::warn!("{error}"),
                }
            }
            thread::sleep(TICK);
        }
    }

    /// The report with the answer.
    fn conclude(&self, comparison: &Comparison) -> TestReport {
        let compared = &comparison.candidates[0];
        TestReport {
            verdict: Some(verdict_word(compared).to_owned()),
            lead: lead_of(comparison, compared),
            answer: describe_answer(comparison, compared),
            faults: [compared.fault_kinds.clone(), compared.reference_fault_kinds.clone()],
            ..self.report().clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_counts_only_while_matches_are_played() {
        let begin = Instant::now();
        let at = |milliseconds| begin + Duration::from_millis(milliseconds);
        let mut clock = PlayClock::starting(begin);
        assert_eq!(clock.look(at(500), true), Duration::from_millis(500));
        // No worker is there.
        assert_eq!(clock.look(at(1000), false), Duration::from_millis(500));
        assert_eq!(clock.look(at(1250), true), Duration::from_millis(750));
        // The process is stopped for an hour.
        assert_eq!(clock.look(at(3_601_250), true), Duration::from_millis(1750));
    }
}
