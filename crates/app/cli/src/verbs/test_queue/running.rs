//! `quintain tests run`: answers the tests in the queue one after the other.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use quintain_arena::compare::{CompareProgress, Comparison, Effect, LostMatch};
use quintain_core::LogContent;
use quintain_report::{describe_answer, lead_of, verdict_word};
use quintain_scene::clean;
use quintain_store::{FaultyMatch, QueuedTest, Store, TestReport, TestRunner, TestState};

use super::desk::{OPEN, name_queue};
use super::letters;
use super::lookout::{Current, Lookout};
use super::proposal::read_question;
use crate::context::Context;
use crate::failure::Failure;
use crate::fleet::RunNews;
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
/// How often it is tried to reach a server that is not there yet.
const RETRY_DELAY: Duration = Duration::from_secs(1);
/// The most matches lost by a fault that a report shows, and the most lines of each.
const MAX_FAULTY: usize = 3;
const MAX_LINES: usize = 12;

#[derive(clap::Args)]
pub(super) struct Run {
    /// When the queue is empty, wait for further tests; with --on, also for the server
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
        let notice = if self.quiet { "" } else { "stopping: matches in progress are dropped…" };
        let signal = stop::watch_signals_with_notice(notice);
        self.reach_server(&signal)?;
        let mut store = sources::open_store(path)?;
        let server = self.played_by.on.as_deref().map(crate::server::hide_password);
        let by = match &server {
            Some(server) => format!("the workers at {server}"),
            None => format!("{} of this machine", format_count(self.played_by.threads(), "thread")),
        };
        if self.stay {
            self.say(&format!("answers the queue {} with {by}", name_queue(path)));
        }
        let place = store.enter_runner(&TestRunner { server, ..TestRunner::default() })?;
        let Some(address) = &self.played_by.on else {
            return self.answer_queue((store, path), context, (&signal, &Current::default()), out);
        };
        // Meanwhile, others at the server propose tests and ask how far theirs are.
        let server = fleet::server(address, &self.played_by.hand_out.credentials)?;
        let (over, current) = (AtomicBool::new(false), Current::default());
        let credentials = &self.played_by.hand_out.credentials;
        let lookout = Lookout { server: &server, credentials, current: &current };
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

    /// Waits for the workers' server if this process is to stay; otherwise it has to be there.
    fn reach_server(&self, signal: &AtomicBool) -> Result<(), Failure> {
        if !self.stay {
            return self.played_by.check();
        }
        let mut is_told = false;
        while let Some(problem) = self.played_by.why_unreachable()? {
            if !std::mem::replace(&mut is_told, true) {
                self.say(&format!("{}; waiting for it", clean(&problem)));
            }
            let until = Instant::now() + RETRY_DELAY;
            while Instant::now() < until {
                if signal.load(Ordering::SeqCst) {
                    return Err(Failure::Stopped);
                }
                thread::sleep(TICK);
            }
        }
        Ok(())
    }

    fn say(&self, text: &str) {
        if !self.quiet {
            print_notice(text);
        }
    }

    /// Answers the tests in the queue until it is empty, or for as long as this process runs.
    fn answer_queue(
        &self,
        (mut store, path): (Store, &Path),
        context: &Context<'_>,
        (signal, current): (&AtomicBool, &Current),
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        let (mut answered, mut is_empty) = (0, false);
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
                if !std::mem::replace(&mut is_empty, true) {
                    self.say("no test waits; waiting for one (`quintain tests add`)");
                }
                thread::sleep(TICK);
                continue;
            };
            is_empty = false;
            self.say(&format!("test {}: {}", test.number, clean(&test.what)));
            let place = (&mut store, path);
            let report = match self.answer(&test, place, context, (signal, current, &refused)) {
                Ok(Some(report)) => report,
                Ok(None) => continue,
                Err(Failure::Stopped) => return Err(Failure::Stopped),
                Err(error) => {
                    store.change_test(test.number, &OPEN, TestState::Proposed)?;
                    // If nobody can be reached, no other test can be played either.
                    self.reach_server(signal)?;
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
    /// as it is, for the next one. `None` if it waits again, because one of higher priority came.
    fn answer(
        &self,
        test: &QueuedTest,
        (store, path): (&mut Store, &Path),
        context: &Context<'_>,
        (signal, current, refused): (&AtomicBool, &Current, &[i64]),
    ) -> Result<Option<TestReport>, Failure> {
        let found = read_question(test)?.find(context.catalog, Some(path))?;
        current.begin(test.number, found.config.name_for_workers());
        let place = self.played_by.on.as_deref();
        let running = RunningTest::new(test, &found, place, (current, refused));
        let stop = Arc::new(AtomicBool::new(false));
        let over = AtomicBool::new(false);
        let board = Store::open(path)?;
        let mut comparison = thread::scope(|scope| {
            scope.spawn(|| running.watch(board, signal, &stop, &over));
            let compared = self.compare((&found, store), context, &stop, &running);
            over.store(true, Ordering::SeqCst);
            compared
        })?;
        let preferred = *running.preferred.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(preferred) = preferred.filter(|_| comparison.stopped) {
            let report = running.add_news(running.report().clone());
            store.report_test(test.number, &report)?;
            store.change_test(test.number, &[TestState::Running], TestState::Proposed)?;
            let Preferred { number, is_urgent } = preferred;
            let why = if is_urgent { "which has a higher priority" } else { "which can be played" };
            self.say(&format!("test {} pauses for test {number}, {why}", test.number));
            return Ok(None);
        }
        let faulty = list_faulty(&comparison, store)?;
        found.name_players(&mut comparison);
        let report = TestReport { faulty, ..running.conclude(&comparison) };
        if signal.load(Ordering::SeqCst) && comparison.stopped {
            store.report_test(test.number, &report)?;
            return Err(Failure::Stopped);
        }
        store.change_test(test.number, &[TestState::Running], TestState::Decided)?;
        Ok(Some(report))
    }

    fn compare(
        &self,
        (found, store): (&Question, &mut Store),
        context: &Context<'_>,
        stop: &Arc<AtomicBool>,
        running: &RunningTest<'_>,
    ) -> Result<Comparison, Failure> {
        let mut progress = |progress| running.note(progress);
        if !self.quiet && self.played_by.on.is_none() {
            context.warn_of_memory(self.played_by.threads(), &found.config.lineups());
        }
        let catalog = context.catalog;
        let [one, other] = found.sides();
        let title = format!("test {}: {one} against {other}", running.number);
        let (comparison, remarks) = self.played_by.compare(
            (found, &title),
            &running.news,
            catalog,
            Some(store),
            stop,
            &mut progress,
        )?;
        remarks.iter().for_each(|remark| print_notice(&clean(remark)));
        Ok(comparison)
    }
}

/// A few of the matches that the player has lost by a fault, with what it wrote last.
fn list_faulty(comparison: &Comparison, store: &Store) -> Result<Vec<FaultyMatch>, Failure> {
    let lost = comparison.candidates.iter().flat_map(|candidate| &candidate.lost);
    let mut faulty = Vec::new();
    for LostMatch { record, .. } in lost {
        let Some(fault) = record.outcome.fault.as_ref().filter(|_| faulty.len() < MAX_FAULTY)
        else {
            continue;
        };
        let mut record = record.clone();
        store.load_log(&mut record)?;
        let own = record.log.iter().filter(|entry| entry.seat == fault.seat);
        let texts = own.filter_map(|entry| match &entry.content {
            LogContent::Stderr(text) => Some(text.as_str()),
            _ => None,
        });
        let text: String = texts.collect();
        let lines: Vec<String> = text.lines().map(clean).collect();
        let fault = clean(&fault.fault.to_string());
        let last_lines = lines[lines.len().saturating_sub(MAX_LINES)..].to_vec();
        // A program that always crashes in the same way is shown once.
        let is_known = |known: &FaultyMatch| known.fault == fault && known.last_lines == last_lines;
        if !faulty.iter().any(is_known) {
            faulty.push(FaultyMatch { id: record.id[..8].to_owned(), fault, last_lines });
        }
    }
    Ok(faulty)
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
    priority: i64,
    current: &'a Current,
    /// Tests that this process cannot play.
    refused: &'a [i64],
    /// The test for which this one pauses.
    preferred: Mutex<Option<Preferred>>,
    news: Arc<Mutex<RunNews>>,
    /// What machines had played before this process went on with it.
    played_before: BTreeMap<String, u64>,
    clock: Mutex<PlayClock>,
    report: Mutex<TestReport>,
}

/// A test for which another one pauses.
#[derive(Clone, Copy)]
struct Preferred {
    number: i64,
    /// Whether its priority is higher; otherwise nobody can play the other one.
    is_urgent: bool,
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
        test: &QueuedTest,
        found: &Question,
        on: Option<&str>,
        (current, refused): (&'a Current, &'a [i64]),
    ) -> RunningTest<'a> {
        let config = &found.config;
        let report = TestReport {
            players: found.sides(),
            most_matches: config.matches,
            place: on.map_or("this machine".to_owned(), crate::server::hide_password),
            ..TestReport::default()
        };
        let clock = Mutex::new(PlayClock::starting(Instant::now()));
        RunningTest {
            number: test.number,
            priority: test.priority,
            current,
            refused,
            preferred: Mutex::default(),
            news: Arc::default(),
            played_before: test.report.played_by.clone(),
            clock,
            report: Mutex::new(report),
        }
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
                let report = self.add_news(self.report().clone());
                let kept = store.report_test(self.number, &report);
                match kept.and_then(|()| store.queued_tests()) {
                    Ok(tests) if self.goes_on(&tests) => {}
                    Ok(_) => stop.store(true, Ordering::SeqCst),
                    Err(error) => tracing::warn!("{error}"),
                }
            }
            thread::sleep(TICK);
        }
    }

    /// Whether this test is still to be answered now: nobody has stopped it, and none waits that is
    /// to be answered first and can be.
    fn goes_on(&self, tests: &[QueuedTest]) -> bool {
        let own = tests.iter().find(|test| test.number == self.number);
        let Some(own) = own.filter(|own| own.state == TestState::Running) else { return false };
        let is_stuck = own.obstacle.is_some();
        let preferred = tests.iter().find(|test| {
            OPEN.contains(&test.state)
                && (test.priority > self.priority || is_stuck && test.number != self.number)
                && !test.is_held
                && test.obstacle.is_none()
                && !self.refused.contains(&test.number)
        });
        let mut known = self.preferred.lock().unwrap_or_else(PoisonError::into_inner);
        *known = preferred.map(|test| Preferred {
            number: test.number,
            is_urgent: test.priority > self.priority,
        });
        known.is_none()
    }

    /// Adds what there is to say about players and workers.
    fn add_news(&self, report: TestReport) -> TestReport {
        let news = self.news.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut played_by = self.played_before.clone();
        for (machine, played) in news.played_by {
            *played_by.entry(machine).or_default() += played;
        }
        TestReport { notes: news.troubles, played_by, ..report }
    }

    /// The report with the answer.
    fn conclude(&self, comparison: &Comparison) -> TestReport {
        let compared = &comparison.candidates[0];
        TestReport {
            verdict: Some(verdict_word(compared).to_owned()),
            lead: lead_of(comparison, compared),
            answer: describe_answer(comparison, compared),
            faults: [compared.fault_kinds.clone(), compared.reference_fault_kinds.clone()],
            pairs: match &compared.effect {
                Effect::Rivals { pentanomial, .. } => *pentanomial,
                _ => None,
            },
            ..self.add_news(self.report().clone())
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
