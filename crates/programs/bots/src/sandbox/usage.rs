//! What a program and everything that it has started use: memory, threads, processor time. It is
//! read from `/proc` and from the processes' clocks. Control groups ([`super::group`]) count more
//! exactly, but few ordinary users may create them.

use std::collections::HashMap;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use nix::time::{ClockId, clock_getcpuclockid, clock_gettime};
use nix::unistd::{Pid, getpid};
use quintain_core::parse_wait;

use crate::limits::MOST_WATCHES;

/// A process under supervision.
pub(super) struct Process {
    pub(super) pid: Pid,
    parent: i32,
    pub(super) threads: u32,
    /// Processor time of its threads, including those that have ended, and of those of its children
    /// that have ended and been waited for.
    pub(super) used: Duration,
    /// Whether it runs or waits for a core.
    pub(super) runs: bool,
    /// Whether its first thread sleeps, or has ended.
    sleeps: bool,
    /// Whether its first thread is stopped, or has ended.
    is_stopped: bool,
    /// Whether its first thread has ended. Then its folder in /proc shows no memory and no files,
    /// though its other threads have them.
    is_headless: bool,
    /// Whether it has waited for the end of children.
    has_ended_children: bool,
}

/// The most by which the times of a process's ended children are too low: one unit, in which the
/// kernel reports them rounded down, for each of user and system.
const ROUNDED: Duration = Duration::from_millis(20);
/// Up to this many processes with ended children are not charged for that: a script that starts a
/// program that starts another. What they hide is at most this much once, since it comes to light
/// when they end.
const TRUSTED: usize = 2;

/// What these processes may have used without a trace: every process that lives hides a little of
/// its ended children's time, so many processes could hide much.
pub(super) fn hidden_time(processes: &[Process]) -> Duration {
    let hiding = processes.iter().filter(|process| process.has_ended_children).count();
    ROUNDED * hiding.saturating_sub(TRUSTED) as u32
}

/// The processor time of everything that has run under this supervisor. A process that has ended is
/// counted by the process that waited for it, ultimately the supervisor, which adopts orphans.
pub(super) fn processor_time(processes: &[Process]) -> Duration {
    let alive: Duration = processes.iter().map(|process| process.used).sum();
    let ended = getrusage(UsageWho::RUSAGE_CHILDREN).map_or(Duration::ZERO, |usage| {
        let both = usage.user_time() + usage.system_time();
        Duration::from_micros(both.num_microseconds().max(0) as u64)
    });
    alive + ended
}

/// The processes under supervision: in a PID namespace of our own all processes but this one,
/// otherwise the descendants of this one. Outside a namespace one may be missing whose parent or
/// sibling is just ending; [`find_all`] misses none.
pub(super) fn list_processes(own_namespace: bool) -> Vec<Process> {
    match own_namespace {
        true => read_all(),
        false => follow_children(getpid().as_raw()).unwrap_or_else(|| find_all(false)),
    }
}

/// Every process under supervision. Outside a namespace all processes of the machine are read for
/// that.
pub(super) fn find_all(own_namespace: bool) -> Vec<Process> {
    let mut all = read_all();
    if own_namespace {
        return all;
    }
    // A parent may come after its children in the listing, so repeat until nothing is added.
    let mut family = vec![getpid().as_raw()];
    loop {
        let before = family.len();
        for process in &all {
            if family.contains(&process.parent) && !family.contains(&process.pid.as_raw()) {
                family.push(process.pid.as_raw());
            }
        }
        if family.len() == before {
            all.retain(|process| family.contains(&process.pid.as_raw()));
            return all;
        }
    }
}

/// All processes that can be seen, but for this one.
fn read_all() -> Vec<Process> {
    let own = getpid();
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|pid| *pid != own.as_raw())
        .filter_map(read_process)
        .collect()
}

/// The memory of a process and all its descendants, their number, and the processor time that they
/// have used. `None` if the process is gone, or the kernel does not list children.
pub(crate) fn family_usage(root: u32) -> Option<(u64, u32, Duration)> {
    let root = i32::try_from(root).ok()?;
    let mut family = vec![read_process(root)?];
    family.extend(follow_children(root)?);
    let memory = family.iter().map(memory_of).sum();
    let threads = family.iter().map(|process| process.threads).sum();
    Some((memory, threads, family.iter().map(|process| process.used).sum()))
}

/// The descendants of a process, from parents to children. `None` if the kernel does not list
/// children.
fn follow_children(own: i32) -> Option<Vec<Process>> {
    let (mut parents, mut all) = (vec![own], Vec::<Process>::new());
    while let Some(parent) = parents.pop() {
        let threads = std::fs::read_dir(format!("/proc/{parent}/task")).into_iter().flatten();
        for thread in threads.flatten() {
            let children = match std::fs::read_to_string(thread.path().join("children")) {
                Ok(children) => children,
                Err(_) if parent == own => return None,
                Err(_) => continue,
            };
            for child in children.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()) {
                // One whose parent has ended is now the child of another.
                if !all.iter().any(|process| process.pid.as_raw() == child) {
                    all.extend(read_process(child));
                    parents.push(child);
                }
            }
        }
    }
    Some(all)
}

/// The kernel's figures for a process (`/proc/PID/stat`), from its state on. The state follows the
/// name in brackets, which may itself contain spaces and brackets, so the last bracket is searched
/// for.
pub(crate) fn read_stat(pid: i32) -> Option<String> {
    read_stat_in(format!("/proc/{pid}").as_ref())
}

/// The line `stat` of the process or thread that has this folder in /proc.
fn read_stat_in(folder: &Path) -> Option<String> {
    let stat = std::fs::read_to_string(folder.join("stat")).ok()?;
    Some(stat.rsplit_once(')')?.1.trim_start().to_owned())
}

/// Whether a process is ending, or has ended and nobody has waited for it.
pub(super) fn is_ending(pid: Pid) -> bool {
    const FLAGS: usize = 6;
    const EXITING: u64 = 4;
    let Some(stat) = read_stat(pid.as_raw()) else { return false };
    let flags = stat.split_whitespace().nth(FLAGS).and_then(|flags| flags.parse::<u64>().ok());
    stat.starts_with(['Z', 'X']) || flags.is_some_and(|flags| flags & EXITING != 0)
}

fn read_process(pid: i32) -> Option<Process> {
    const STATE: usize = 0;
    const PARENT: usize = 1;
    // Pages that ended children have got: there is no process without any.
    const CHILDREN_FAULTS: [usize; 2] = [8, 10];
    const CHILDREN_USER: usize = 13;
    const CHILDREN_SYSTEM: usize = 14;
    const THREADS: usize = 17;
    // The kernel reports these times in hundredths of a second (USER_HZ, the same on every
    // machine).
    const TICK: Duration = Duration::from_millis(10);
    let stat = read_stat(pid)?;
    let fields: Vec<&str> = stat.split_whitespace().collect();
    let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
    let pid = Pid::from_raw(pid);
    let children = number(CHILDREN_USER)? + number(CHILDREN_SYSTEM)?;
    Some(Process {
        pid,
        parent: number(PARENT)? as i32,
        threads: number(THREADS)? as u32,
        used: clock_of(pid).and_then(read_clock)? + TICK * children.min(u64::from(u32::MAX)) as u32,
        runs: fields.get(STATE) == Some(&"R"),
        sleeps: fields.get(STATE).is_some_and(|state| is_sleep(state)),
        is_stopped: fields.get(STATE).is_some_and(|state| is_stop(state)),
        is_headless: matches!(fields.get(STATE), Some(&("Z" | "X"))),
        has_ended_children: children > 0
            || CHILDREN_FAULTS.iter().any(|&faults| number(faults).is_some_and(|count| count > 0)),
    })
}

/// Whether a thread in this state waits for something, or has ended. A stopped thread would go on,
/// and one that waits for a disk will go on, so neither counts.
fn is_sleep(state: &str) -> bool {
    matches!(state, "S" | "I" | "Z" | "X")
}

/// How long the threads of these processes have waited for a core, added up, and whether one of
/// them runs or waits for a core now. The kernel adds a wait to its count when the wait ends, so
/// the order matters: of a thread that is found not to wait, all waits are in the count that is
/// read afterwards.
pub(super) fn waits_of(processes: &[Process]) -> (Duration, bool) {
    let (mut waited, mut runs) = (Duration::ZERO, false);
    for process in processes {
        let folder = PathBuf::from(format!("/proc/{}", process.pid));
        if process.threads <= 1 {
            runs |= process.runs;
            waited += read_wait_in(&folder);
            continue;
        }
        let threads = std::fs::read_dir(folder.join("task")).into_iter().flatten().flatten();
        for thread in threads.map(|thread| thread.path()) {
            runs |= read_stat_in(&thread).is_some_and(|stat| stat.starts_with('R'));
            waited += read_wait_in(&thread);
        }
    }
    (waited, runs)
}

/// The wait of the thread that has this folder in /proc.
fn read_wait_in(folder: &Path) -> Duration {
    std::fs::read(folder.join("schedstat")).map_or(Duration::ZERO, |text| parse_wait(&text))
}

/// Whether a thread in this state is stopped, or has ended. One that is about to end is neither.
fn is_stop(state: &str) -> bool {
    matches!(state, "T" | "t" | "Z" | "X")
}

/// Whether all threads of a process sleep.
pub(super) fn is_asleep(process: &Process) -> bool {
    process.sleeps && all_threads(process, is_sleep)
}

/// Whether all threads of a process are stopped.
pub(super) fn is_still(process: &Process) -> bool {
    process.is_stopped && all_threads(process, is_stop)
}

/// Whether all threads of a process are in such a state; if there is only one, that is known.
fn all_threads(process: &Process, has_state: fn(&str) -> bool) -> bool {
    if process.threads <= 1 {
        return true;
    }
    let pid = process.pid;
    let Ok(threads) = std::fs::read_dir(format!("/proc/{pid}/task")) else { return true };
    threads.flatten().all(|thread| {
        // A thread that is gone does nothing.
        let stat = read_stat_in(&thread.path());
        stat.as_ref().and_then(|stat| stat.split_whitespace().next()).is_none_or(has_state)
    })
}

/// The clock that counts the processor time of all threads of a process, including those that have
/// ended. It counts nanoseconds, while `/proc` reports hundredths of a second.
pub(crate) fn clock_of(process: Pid) -> Option<ClockId> {
    clock_getcpuclockid(process).ok()
}

/// Reads a process's clock.
pub(crate) fn read_clock(clock: ClockId) -> Option<Duration> {
    clock_gettime(clock).ok().map(Duration::from)
}

/// The folder in /proc that shows what a process has: its own, or that of a thread that is alive.
/// All of a process's threads share memory and files ([`super::system_calls`] sees to the latter).
fn folder_of(process: &Process) -> PathBuf {
    let own = PathBuf::from(format!("/proc/{}", process.pid));
    if !process.is_headless || process.threads <= 1 {
        return own;
    }
    let threads = std::fs::read_dir(own.join("task")).into_iter().flatten().flatten();
    let mut threads = threads.map(|thread| thread.path());
    let is_alive =
        |thread: &PathBuf| read_stat_in(thread).is_some_and(|stat| !stat.starts_with(['Z', 'X']));
    threads.find(is_alive).unwrap_or(own)
}

/// The memory that is a process's own, in bytes: what it has written to, in memory or swapped out,
/// huge pages, and its page tables. The system's mapped files, which all processes share, are not
/// counted.
pub(super) fn memory_of(process: &Process) -> u64 {
    let status = std::fs::read_to_string(folder_of(process).join("status")).unwrap_or_default();
    let own = status.lines().filter_map(|line| {
        let (name, amount) = line.split_once(':')?;
        let counted = ["RssAnon", "RssShmem", "VmSwap", "VmPTE", "HugetlbPages"].contains(&name);
        let kilobytes = amount.trim().strip_suffix(" kB").filter(|_| counted)?;
        kilobytes.parse::<u64>().ok()
    });
    own.sum::<u64>() << 10
}

/// What the kernel keeps for one range of an address space, in bytes: no figure of a process
/// includes it.
const MAPPING: u64 = 256;
/// What it keeps for each process from which one inherits a range, the ranges of its parent and
/// theirs included. Which these are is not known any more once some have ended, so every process is
/// taken for one.
const INHERITED: u64 = 64;
/// What the kernel keeps for one file that is waited for (`epoll`), in bytes.
const WATCH: u64 = 192;
/// Up to this many processes, mappings are not counted: the kernel lets each have some 65 000.
const FEW: usize = 4;
/// How long to go on looking at further processes.
const LOOKING: Duration = Duration::from_millis(1);

/// The kernel's memory for a program's processes, as far as a program decides how much it is and no
/// count of the kernel's includes it. Finding it out takes long where there is much, so only some
/// processes are looked at each time.
#[derive(Default)]
pub(super) struct KernelMemory {
    found: HashMap<Pid, Kept>,
    next: usize,
}

/// What the kernel keeps for a process.
struct Kept {
    mappings: u64,
    files: Files,
}

/// The files of a process that are the kernel's own work.
#[derive(Clone, Copy, Default)]
struct Files {
    /// How many files it waits for (`epoll`).
    watches: u64,
    /// Its timers (`timerfd`).
    timers: u64,
}

impl KernelMemory {
    /// Looks at the next of these processes: at one, and at more while that is quick.
    pub(super) fn look(&mut self, processes: &[Process]) {
        let alive = |pid: &Pid| processes.iter().any(|process| process.pid == *pid);
        self.found.retain(|pid, _| alive(pid));
        let begun = Instant::now();
        for _ in 0..processes.len() {
            let process = &processes[self.next % processes.len()];
            self.next = self.next.wrapping_add(1);
            let folder = folder_of(process);
            let mappings = if processes.len() > FEW { count_mappings(&folder) } else { 0 };
            let kept = Kept { mappings, files: count_files(&folder) };
            self.found.insert(process.pid, kept);
            if begun.elapsed() > LOOKING {
                return;
            }
        }
    }

    /// How many files they wait for, as far as is known.
    pub(super) fn watches(&self) -> u64 {
        self.found.values().map(|kept| kept.files.watches).sum()
    }

    /// How many timers they have, as far as is known.
    pub(super) fn timers(&self) -> u64 {
        self.found.values().map(|kept| kept.files.timers).sum()
    }

    /// What the kernel keeps for them, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        let mapping = MAPPING + INHERITED * self.found.len() as u64;
        let bytes = |kept: &Kept| kept.mappings * mapping + kept.files.watches * WATCH;
        self.found.values().map(bytes).sum()
    }
}

/// Counts the mappings of the process that has this folder in /proc.
fn count_mappings(folder: &Path) -> u64 {
    count_lines(&folder.join("maps"), b"", u64::MAX)
}

/// Counts the files that the process with this folder in /proc waits for, up to a little more than
/// it may, and its timers.
fn count_files(folder: &Path) -> Files {
    let Ok(open) = std::fs::read_dir(folder.join("fd")) else { return Files::default() };
    let mut files = Files::default();
    for file in open.flatten() {
        let Ok(link) = std::fs::read_link(file.path()) else { continue };
        match link.to_str() {
            Some("anon_inode:[timerfd]") => files.timers += 1,
            Some("anon_inode:[eventpoll]") => {
                let list = folder.join("fdinfo").join(file.file_name());
                files.watches += count_lines(&list, b"tfd:", MOST_WATCHES + 1);
            }
            _ => {}
        }
        if files.watches > MOST_WATCHES {
            break;
        }
    }
    files
}

/// Counts the lines of a file that begin so, up to about `most`. One that is read in two pieces may
/// be missed: that is one in hundreds.
fn count_lines(list: &Path, beginning: &[u8], most: u64) -> u64 {
    let Ok(mut list) = std::fs::File::open(list) else { return 0 };
    let (mut chunk, mut lines) = ([0; 1 << 14], 0);
    while lines < most {
        match list.read(&mut chunk) {
            Ok(0) => return lines,
            Ok(count) => {
                let ends = chunk[..count].split_inclusive(|byte| *byte == b'\n');
                let whole = ends.filter(|line| line.ends_with(b"\n"));
                lines += whole.filter(|line| line.starts_with(beginning)).count() as u64;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return lines,
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_process_that_nobody_has_waited_for_is_ending_and_a_living_one_is_not() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let pid = Pid::from_raw(child.id() as i32);
        assert!(!is_ending(pid));
        drop(child.stdin.take());
        while !is_ending(pid) {
            std::thread::yield_now();
        }
        child.wait().unwrap();
        assert!(!is_ending(pid), "it is gone");
    }
}
