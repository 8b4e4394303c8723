//! What a program and everything that it has started use: memory, threads, processor time. It is
//! read from `/proc` and from the processes' clocks. Control groups would give the same figures
//! more cheaply, but few ordinary users may create them.

use std::collections::HashMap;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use nix::time::{ClockId, clock_getcpuclockid, clock_gettime};
use nix::unistd::{Pid, getpid};
use quintain_core::parse_wait;

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
        false => follow_children().unwrap_or_else(|| find_all(false)),
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

/// The descendants of this process, from parents to children. `None` if the kernel does not list
/// children.
fn follow_children() -> Option<Vec<Process>> {
    let own = getpid().as_raw();
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

/// The memory that is a process's own, in bytes: what it has written to, in memory or swapped out,
/// huge pages, and its page tables. The system's mapped files, which all processes share, are not
/// counted.
pub(super) fn memory_of(process: Pid) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
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
/// What the kernel keeps for one file that is waited for (`epoll`), in bytes.
const WATCH: u64 = 192;
/// Up to this many processes are not looked at, since the kernel bounds what each can have: some
/// 65 000 mappings, and files that are waited for by as many as it has open.
const FEW: usize = 4;

/// The kernel's memory for a program's processes, as far as a program decides how much it is and no
/// count of the kernel's includes it. Finding it out takes long where there is much, so only one
/// process is looked at each time.
#[derive(Default)]
pub(super) struct KernelMemory {
    found: HashMap<Pid, u64>,
    next: usize,
}

impl KernelMemory {
    /// Looks at the next of these processes, each of which may open `files` files, if there are
    /// more than a few processes. Returns what is known of all of them, in bytes.
    pub(super) fn measure(&mut self, processes: &[Process], files: u32) -> u64 {
        if processes.len() <= FEW {
            self.found.clear();
            return 0;
        }
        let alive = |pid: &Pid| processes.iter().any(|process| process.pid == *pid);
        self.found.retain(|pid, _| alive(pid));
        let pid = processes[self.next % processes.len()].pid;
        self.next = self.next.wrapping_add(1);
        // The kernel does not tell how many files each of them waits for: it may be all.
        let watches = count_waiting_files(pid) * u64::from(files);
        self.found.insert(pid, count_mappings(pid) * MAPPING + watches * WATCH);
        self.found.values().sum()
    }
}

/// Counts the lines in the list of a process's mappings.
fn count_mappings(process: Pid) -> u64 {
    let Ok(mut list) = std::fs::File::open(format!("/proc/{process}/maps")) else { return 0 };
    let (mut chunk, mut lines) = ([0; 1 << 14], 0);
    loop {
        match list.read(&mut chunk) {
            Ok(0) => return lines,
            Ok(count) => {
                lines += chunk[..count].iter().filter(|byte| **byte == b'\n').count() as u64;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return lines,
        }
    }
}

/// Counts the open files of a process that wait for others.
fn count_waiting_files(process: Pid) -> u64 {
    let Ok(open) = std::fs::read_dir(format!("/proc/{process}/fd")) else { return 0 };
    let links = open.filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok());
    links.filter(|link| link.as_os_str() == "anon_inode:[eventpoll]").count() as u64
}
