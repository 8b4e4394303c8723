//! A program's clock. It stands still while the program waits for a core, and while its
//! answer waits for our own thread to get one: on a machine with more work than cores a
//! program is not late because of others. The kernel counts both waits, per thread, in
//! `/proc/PID/schedstat`.
//!
//! Thinking time is wall time less both waits, but never less than the processor time that
//! the program used: two waits may overlap, and subtracting both must not make it look
//! faster than it was. Only the program's first thread is measured, since a program that
//! answers from another thread still waits for it in the first.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

/// Below this much wall time the kernel is not asked: reading two files costs a few
/// microseconds, which would be much of a quick answer.
const SHORT: Duration = Duration::from_micros(500);

/// The clock of one program.
pub(crate) struct Clock {
    /// The process that we started, a stage of the sandbox; the program descends from it.
    root: u32,
    program: Counters,
    started: Instant,
    before: Counts,
}

/// The kernel's counters of a thread; the file is opened once and read at each answer.
enum Counters {
    /// The program's process has not been found yet.
    Unknown,
    /// The kernel keeps no such counters: wall time counts.
    None,
    Open {
        pid: u32,
        file: File,
    },
}

/// Times of the program and of this thread.
#[derive(Clone, Copy, Default)]
struct Counts {
    used: Duration,
    waited: Duration,
    waited_here: Duration,
}

impl Clock {
    pub(crate) fn of(root: u32) -> Clock {
        Clock {
            root,
            program: Counters::Unknown,
            started: Instant::now(),
            before: Counts::default(),
        }
    }

    /// Starts the clock: the program begins to think.
    pub(crate) fn start(&mut self) {
        self.before = self.counts();
        self.started = Instant::now();
    }

    /// The wall time since the clock was started.
    pub(crate) fn wall_time(&self) -> Duration {
        self.started.elapsed()
    }

    /// The time that the program has been thinking since the clock was started.
    pub(crate) fn thinking_time(&mut self) -> Duration {
        let wall = self.wall_time();
        if wall < SHORT {
            return wall;
        }
        let now = self.counts();
        let waits = (now.waited - self.before.waited.min(now.waited))
            + (now.waited_here - self.before.waited_here.min(now.waited_here));
        let used = now.used - self.before.used.min(now.used);
        wall.saturating_sub(waits).max(used).min(wall)
    }

    /// Whether the program is runnable and has used less processor time than `time`: it may be
    /// waiting for a core right now. The kernel adds a wait to its counter only when the wait
    /// has ended, so until then such a program seems to be thinking.
    pub(crate) fn is_waiting_for_core(&mut self, time: Duration) -> bool {
        let used = self.counts().used;
        let Counters::Open { pid, .. } = &self.program else { return false };
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let state = stat.rsplit_once(')').map_or("", |(_, rest)| rest.trim_start());
        state.starts_with('R') && used - self.before.used.min(used) < time
    }

    fn counts(&mut self) -> Counts {
        if matches!(self.program, Counters::Unknown)
            && let Some(found) = program_of(self.root)
        {
            let open = File::open(format!("/proc/{found}/schedstat"));
            self.program = open.map_or(Counters::None, |file| Counters::Open { pid: found, file });
        }
        let (used, waited) = match &self.program {
            Counters::Open { file, .. } => read(file),
            _ => (Duration::ZERO, Duration::ZERO),
        };
        thread_local! {
            static HERE: Option<File> = File::open("/proc/thread-self/schedstat").ok();
        }
        let here = HERE.with(|file| file.as_ref().map(read)).unwrap_or_default();
        Counts { used, waited, waited_here: here.1 }
    }
}

/// Reads the processor time of a thread and the time that it waited for a core.
fn read(file: &File) -> (Duration, Duration) {
    let mut text = [0; 96];
    let count = file.read_at(&mut text, 0).unwrap_or(0);
    let text = std::str::from_utf8(&text[..count]).unwrap_or("");
    let mut fields = text.split_ascii_whitespace().map(|field| field.parse().unwrap_or(0));
    let mut next = || Duration::from_nanos(fields.next().unwrap_or(0));
    (next(), next())
}

/// Finds the program: from `root` down the first children, past the stages of the sandbox,
/// which all run the executable of `root`, to the first process of another executable. None
/// while the last stage has not become the program yet.
fn program_of(root: u32) -> Option<u32> {
    let entries = std::fs::read_dir("/proc").ok()?;
    let parents: Vec<(u32, u32)> = entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter_map(|pid: u32| Some((pid, parent(pid)?)))
        .collect();
    let child = |of: u32| parents.iter().filter(|(_, up)| *up == of).map(|(pid, _)| *pid).min();
    let launcher = std::fs::read_link(format!("/proc/{root}/exe")).ok()?;
    let mut at = root;
    loop {
        at = child(at)?;
        let exe = std::fs::read_link(format!("/proc/{at}/exe")).ok()?;
        if exe != launcher {
            return Some(at);
        }
    }
}

fn parent(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(1)?.parse().ok()
}
