//! A program's clock. It counts what the program does, not what the machine does to it: the clock
//! stops while the program waits for a core, and while its answer waits for our own thread
//! to get one. The kernel counts both waits, per thread, in `/proc/PID/schedstat`. These counts do
//! not include the time that the host of a virtual machine takes from a core. The kernel reports
//! that for each core (`/proc/stat`), and no thread can have lost more than the core that lost
//! most. A program cannot use this to think longer: it only extends how long it may sleep, not its
//! processor time.
//!
//! Thinking time is the greater of two figures: wall time less all waits, and the processor time of
//! all threads and processes of the program. The first leaves out what a program may bring about on
//! purpose: threads that keep themselves waiting while others compute, a supervisor that takes long
//! to answer. The second guards against that. So computing in parallel gains a program nothing,
//! unless its limits give it several cores, and nor does computing between its questions: the
//! processor time counts from its last answer on.
//!
//! Figures that are read one after the other belong to different moments, between which the
//! program may get its core and answer. So no program is declared late because of one look:
//! [`Clock::judge`] reads the wall time first, then which threads run, and then the counters. Of a
//! thread that did not run then, all waits are in the counters. What our own side takes for this is
//! not the program's time.
//!
//! The waits of many threads, added up, may be longer than the time in which any of them waited. So
//! wall time in which the looks show that nothing of the program ran or waited counts as thinking,
//! whatever the sum of the waits ([`Looks`]).

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use nix::time::ClockId;
use nix::unistd::Pid;
use quintain_core::{parse_wait, waiting_time};

use crate::process::Judgement;
use crate::sandbox::{Control, Figures, clock_of, read_clock, read_stat};

/// Below this much wall time the kernel is not asked: reading two files takes a few microseconds,
/// which is a lot compared with a quick answer.
const SHORT: Duration = Duration::from_micros(500);

/// The unit in which the kernel says what the host has taken.
const TICK: Duration = Duration::from_millis(10);

/// How old a shared reading of that may be.
const RECENT: Duration = Duration::from_millis(20);

/// How long a program may compute after an answer before its next question, to finish that answer.
const REST: Duration = Duration::from_millis(1);

/// A program that has computed for longer in this many pauses is stopped at once after each answer
/// from then on. Pauses are often too short for its supervisor's looks.
const PONDERING: u32 = 8;

/// The clock of one program.
pub(crate) struct Clock {
    /// The process that we started, a stage of the sandbox; the program descends from it.
    root: u32,
    /// The number of stages, from that one on.
    stages: u32,
    program: Counters,
    /// The number of cores whose time counts as that of one.
    cores: u32,
    started: Instant,
    before: Counts,
    /// What the host had taken from each core shortly before the start.
    stolen_before: Arc<Vec<Duration>>,
    /// The waits of all threads of the program when it had been thinking for a while.
    noted: Option<Duration>,
    looks: Looks,
    /// The wall time since the start that our own side has spent on looking.
    looking: Duration,
    /// The processor time of the whole program that earlier answers have been charged with.
    used_before: Duration,
    /// The processor time of the whole program when the clock was started, as far as it was known.
    used_at_start: Duration,
    /// The processor time of the whole program when it was last measured in this turn.
    measured: Option<Duration>,
    /// The processor time of all its processes but the first, when last measured.
    others: Duration,
    /// Whether a short answer must be measured too: the program has computed since it was last
    /// asked something, or has more than one process.
    is_suspect: bool,
    /// The number of pauses after answers in which it has computed for longer than [`REST`].
    pondered: u32,
}

/// What looks at a program that has not answered in time have found. The waits of its threads are
/// added up, so a program with many can make them longer than it has really waited. What it did not
/// do at all, these figures show: whoever sleeps does not wait for a core.
#[derive(Default)]
struct Looks {
    last: Option<Look>,
    /// How long it is known to have slept: it ran at neither of two looks, and no figure of it has
    /// changed between them.
    slept: Duration,
    /// The time between looks, and that before looks at which nothing of it ran.
    watched: Duration,
    asleep: Duration,
}

/// What one look has found.
#[derive(Clone, Copy)]
struct Look {
    wall: Duration,
    figures: Figures,
}

impl Looks {
    /// Adds a look after so much wall time; without figures, nothing is known of the time around
    /// it.
    fn add(&mut self, wall: Duration, figures: Option<Figures>) {
        let look = figures.map(|figures| Look { wall, figures });
        let (Some(before), Some(now)) = (std::mem::replace(&mut self.last, look), look) else {
            return;
        };
        let between = now.wall.saturating_sub(before.wall);
        self.watched += between;
        if now.figures.is_active {
            return;
        }
        self.asleep += between;
        // A thread that waits for a core has run before it waits for something else.
        if before.figures == now.figures {
            self.slept += between;
        }
    }

    /// Whether nothing of the program ran at most looks.
    fn sleeps(&self) -> bool {
        self.asleep > self.watched / 2
    }
}

/// The kernel's counters of a thread; the file is opened once and read at each answer.
enum Counters {
    /// The program's process has not been found yet.
    Unknown,
    /// The kernel keeps no such counters, so wall time counts.
    None,
    Open {
        file: File,
        /// The processor time of the process.
        clock: Option<ClockId>,
    },
}

/// The waits of the program and of this thread.
#[derive(Clone, Copy, Default)]
struct Counts {
    waited: Duration,
    waited_here: Duration,
}

impl Clock {
    /// The clock of the program that descends from the process `root`, by so many stages.
    pub(crate) fn of((root, stages): (u32, u32), cores: u32) -> Clock {
        Clock {
            root,
            stages,
            program: Counters::Unknown,
            cores,
            started: Instant::now(),
            before: Counts::default(),
            stolen_before: Arc::default(),
            noted: None,
            looks: Looks::default(),
            looking: Duration::ZERO,
            used_before: Duration::ZERO,
            used_at_start: Duration::ZERO,
            measured: None,
            others: Duration::ZERO,
            is_suspect: false,
            pondered: 0,
        }
    }

    /// The program's process; `None` while it has not been started.
    pub(crate) fn program(&self) -> Option<u32> {
        program_of(self.root, self.stages)
    }

    /// Starts the clock: the program begins to think.
    pub(crate) fn start(&mut self, control: &Control) {
        self.before = self.counts();
        self.stolen_before = recent_stolen_time();
        self.measured = None;
        self.noted = None;
        self.looks = Looks::default();
        self.looking = Duration::ZERO;
        self.used_at_start = self.known_use(control);
        let computed = self.used_at_start.saturating_sub(self.used_before);
        self.is_suspect = control.has_children() || computed > SHORT;
        if computed > REST {
            self.pondered += 1;
            if self.pondered == PONDERING {
                control.note_spinning();
            }
        }
        self.started = Instant::now();
    }

    /// Restarts the clock: what the program has used so far counts for no answer.
    pub(crate) fn restart(&mut self, control: &mut Control) {
        self.used_before = self.measure(control);
        self.start(control);
    }

    /// Notes that the program has nothing to do: what it uses from now on, or has used since its
    /// answer was measured, counts for its next answer.
    pub(crate) fn pause(&mut self, control: &mut Control) {
        self.used_before = match self.measured {
            Some(measured) => measured,
            None if control.has_children() => self.measure(control),
            None => self.known_use(control),
        };
    }

    /// The wall time since the clock was started.
    pub(crate) fn wall_time(&self) -> Duration {
        self.started.elapsed()
    }

    /// Whether it is time to note how long the program has waited so far, for a later difference.
    pub(crate) fn has_noted_nothing(&self) -> bool {
        self.noted.is_none()
    }

    /// Notes how long all threads of the program have waited.
    pub(crate) fn note_waits(&mut self, control: &mut Control) {
        let begun = Instant::now();
        self.noted = Some(control.examine().map_or(Duration::MAX, |figures| figures.waited));
        self.looking += begun.elapsed();
    }

    /// The time that the program has been thinking since the clock was started.
    pub(crate) fn thinking_time(&mut self, control: &mut Control) -> Duration {
        let wall = self.wall_time();
        if wall < SHORT && !self.is_suspect {
            // It can hardly have used more.
            self.measured = Some(self.used_at_start + wall);
            return wall;
        }
        if self.noted.is_some() {
            return self.judge(control).thought;
        }
        let now = self.counts();
        let waits = self.looking + self.waits(now, None);
        wall.saturating_sub(waits).max(self.processor_time(control))
    }

    /// Judges a program that has not answered, or whose answer seems late.
    pub(crate) fn judge(&mut self, control: &mut Control) -> Judgement {
        let begun = Instant::now();
        // The order matters: see the beginning of this file.
        let wall = (begun - self.started).saturating_sub(self.looking);
        let figures = control.examine();
        let now = self.counts();
        let stolen = most_stolen(&self.stolen_before, &read_stolen_time());
        let waits = stolen + self.waits(now, figures.map(|figures| figures.waited));
        self.looks.add(wall, figures);
        let used = figures.map(|figures| figures.used);
        let all_used = self.add_up(used, control);
        let used = all_used.saturating_sub(self.used_before) / self.cores;
        let since_start = all_used.saturating_sub(self.used_at_start) / self.cores;
        let runs = figures.is_some_and(|figures| figures.is_active)
            || matches!(self.program, Counters::Unknown);
        self.looking += begun.elapsed();
        let thought = wall.saturating_sub(waits).max(used).max(since_start + self.looks.slept);
        Judgement { thought, used, runs, sleeps: self.looks.sleeps() }
    }

    /// All waits since the clock was started that are no thinking. `all` are the waits of all
    /// threads of the program, if they are known: where others compute than its first, as in Java
    /// or under a script, their waits count.
    fn waits(&self, now: Counts, all: Option<Duration>) -> Duration {
        let first = now.waited.saturating_sub(self.before.waited);
        let here = now.waited_here.saturating_sub(self.before.waited_here);
        let since = match (self.noted, all) {
            (Some(noted), Some(all)) => all.saturating_sub(noted),
            _ => Duration::ZERO,
        };
        first.max(since) + here
    }

    /// The processor time of the whole program since its last answer, in shares of its cores.
    pub(crate) fn processor_time(&mut self, control: &mut Control) -> Duration {
        self.measure(control).saturating_sub(self.used_before) / self.cores
    }

    /// Measures the processor time of the whole program.
    fn measure(&mut self, control: &mut Control) -> Duration {
        let begun = Instant::now();
        let used = control.measure();
        self.looking += begun.elapsed();
        self.add_up(used, control)
    }

    /// Notes what was measured. Returns it, or, if nothing was, what is known without.
    fn add_up(&mut self, measured: Option<Duration>, control: &Control) -> Duration {
        if let (Some(measured), Some(first)) = (measured, self.first_clock()) {
            self.others = self.others.max(measured.saturating_sub(first));
        }
        let used = measured.unwrap_or_else(|| self.known_use(control));
        self.measured = Some(used);
        used
    }

    /// The processor time of the whole program as far as it is known without asking: we can read
    /// the clock of the first process ourselves. What other processes have used changes only if
    /// there are any; then the supervisor must add them up.
    fn known_use(&self, control: &Control) -> Duration {
        self.first_clock().unwrap_or_default() + self.others.max(control.others())
    }

    /// Returns what the clock of the program's first process says.
    fn first_clock(&self) -> Option<Duration> {
        match &self.program {
            Counters::Open { clock, .. } => clock.and_then(read_clock),
            _ => None,
        }
    }

    fn counts(&mut self) -> Counts {
        if matches!(self.program, Counters::Unknown)
            && let Some(found) = self.program()
        {
            let open = File::open(format!("/proc/{found}/schedstat"));
            let clock = clock_of(Pid::from_raw(found as i32));
            self.program = open.map_or(Counters::None, |file| Counters::Open { file, clock });
        }
        let waited = match &self.program {
            Counters::Open { file, .. } => read_wait(file),
            _ => Duration::ZERO,
        };
        Counts { waited, waited_here: waiting_time() }
    }
}

/// Reads the time that a thread has waited for a core.
fn read_wait(file: &File) -> Duration {
    let mut text = [0; 96];
    let count = file.read_at(&mut text, 0).unwrap_or(0);
    parse_wait(&text[..count])
}

/// What the host of a virtual machine has taken from each core.
fn read_stolen_time() -> Vec<Duration> {
    std::fs::read_to_string("/proc/stat").map_or(Vec::new(), |text| parse_stolen_time(&text))
}

/// The same as it was at some moment within the last [`RECENT`]. Reading it takes some 10 µs, more
/// with more cores, so all clocks share what was read.
fn recent_stolen_time() -> Arc<Vec<Duration>> {
    static LAST: Mutex<Option<(Instant, Arc<Vec<Duration>>)>> = Mutex::new(None);
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    match &*last {
        Some((read, stolen)) if read.elapsed() < RECENT => Arc::clone(stolen),
        _ => {
            let stolen = Arc::new(read_stolen_time());
            *last = Some((Instant::now(), Arc::clone(&stolen)));
            stolen
        }
    }
}

/// The eighth figure of each core's line, in hundredths of a second.
fn parse_stolen_time(stat: &str) -> Vec<Duration> {
    let cores = stat.lines().skip(1).take_while(|line| line.starts_with("cpu"));
    let stolen = cores.map(|line| line.split_ascii_whitespace().nth(8)?.parse().ok());
    stolen.map(|ticks| TICK * ticks.unwrap_or(0)).collect()
}

/// The most time that was taken from any one core between two readings; zero if the number of cores
/// has changed.
fn most_stolen(before: &[Duration], now: &[Duration]) -> Duration {
    if before.len() != now.len() {
        return Duration::ZERO;
    }
    let taken = before.iter().zip(now).map(|(before, now)| now.saturating_sub(*before));
    taken.max().unwrap_or_default()
}

/// Finds the program: follows first children from `root`, past this many stages of the sandbox. The
/// last of them becomes the program. Nothing is decided by what a process is called, since programs
/// choose their names. Returns `None` while it has not been started.
fn program_of(root: u32, stages: u32) -> Option<u32> {
    (0..stages).try_fold(root, |at, _| first_child(at))
}

/// The child of a stage that it started itself, before it adopted others; a stage has one thread.
/// Where the kernel does not list children, all processes are searched for one with this parent.
fn first_child(of: u32) -> Option<u32> {
    if let Ok(children) = std::fs::read_to_string(format!("/proc/{of}/task/{of}/children")) {
        return children.split_ascii_whitespace().find_map(|pid| pid.parse().ok());
    }
    let entries = std::fs::read_dir("/proc").ok()?;
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|pid| parent(*pid) == Some(of))
        .min()
}

fn parent(pid: u32) -> Option<u32> {
    read_stat(pid as i32)?.split_ascii_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};

    use super::*;
    use crate::stage::STAGE;

    #[test]
    fn a_program_is_found_whatever_it_is_called() {
        let child = "import os, sys; print(os.getpid(), flush=True); sys.stdin.read()";
        let stage = format!(
            "import subprocess, sys; subprocess.call([sys.executable, '-c', {child:?}, '{STAGE}'])"
        );
        let mut stage = Command::new("python3")
            .args(["-Sc", &stage, STAGE])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = String::new();
        BufReader::new(stage.stdout.take().unwrap()).read_line(&mut said).unwrap();
        assert_eq!(program_of(stage.id(), 1), said.trim().parse().ok());
        assert_eq!(program_of(stage.id(), 0), Some(stage.id()));
        assert_eq!(program_of(stage.id(), 2), None, "it has started nothing");
        drop(stage.stdin.take());
        stage.wait().unwrap();
    }

    /// Figures of a program that has used and waited for so many milliseconds.
    fn figures(used: u64, waited: u64, is_active: bool) -> Option<Figures> {
        let [used, waited] = [used, waited].map(Duration::from_millis);
        Some(Figures { used, waited, is_active })
    }

    fn looks(all: &[(u64, Option<Figures>)]) -> Looks {
        let mut looks = Looks::default();
        for (wall, figures) in all {
            looks.add(Duration::from_millis(*wall), *figures);
        }
        looks
    }

    #[test]
    fn a_program_whose_threads_have_waited_long_and_then_sleep_is_known_to_sleep() {
        // Sixty threads waited for 20 s together while they computed for 700 ms.
        let asleep = figures(700, 20_000, false);
        let spun = looks(&[(1000, asleep), (1010, asleep), (1500, asleep)]);
        assert_eq!((spun.slept, spun.sleeps()), (Duration::from_millis(500), true));
        // It ran meanwhile.
        let woken = looks(&[(1000, asleep), (1010, figures(701, 20_000, false))]);
        assert_eq!((woken.slept, woken.sleeps()), (Duration::ZERO, true));
    }

    #[test]
    fn a_program_that_waits_for_a_core_does_not_sleep() {
        let waiting = |waited| figures(5, waited, true);
        let waits = looks(&[(100, waiting(90)), (150, waiting(90)), (170, figures(5, 160, false))]);
        assert_eq!((waits.slept, waits.sleeps()), (Duration::ZERO, false));
        // Where the supervisor does not answer, nothing is known.
        let asleep = figures(5, 160, false);
        let unknown = looks(&[(100, asleep), (900, None), (950, asleep)]);
        assert_eq!((unknown.slept, unknown.sleeps()), (Duration::ZERO, false));
    }

    #[test]
    fn the_core_from_which_the_host_took_most_counts() {
        let stat = |first: u32, second: u32| {
            let sum = first + second;
            let text = format!(
                "cpu  64376 21227 12906 22391 227 0 168 {sum} 0 0\n\
                 cpu0 30842 12300 6069 11368 46 0 9 {first} 0 0\n\
                 cpu1 33534 8927 6837 11023 181 0 159 {second} 0 0\nintr 1 2 3\n"
            );
            parse_stolen_time(&text)
        };
        let before = stat(74, 75);
        assert_eq!(before, [740, 750].map(Duration::from_millis));
        assert_eq!(most_stolen(&before, &stat(75, 79)), Duration::from_millis(40));
        assert_eq!(most_stolen(&before, &before), Duration::ZERO);
        assert_eq!(most_stolen(&before, &[]), Duration::ZERO);
    }
}
