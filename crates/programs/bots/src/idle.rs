//! Processes that wait for their next match, of all programs together. They keep their memory while
//! they wait, and there may be as many of each program as matches were ever played at a time. So
//! what all of them hold is bounded by the machine's memory: those that have waited longest end.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use crate::connection::Connection;

/// The share of the machine's memory that waiting processes may hold: one part in this many.
const SHARE: u64 = 4;

/// The waiting processes of one program.
#[derive(Default)]
pub(crate) struct Waiting(Mutex<Vec<(Instant, Connection)>>);

/// The memory that all waiting processes may hold, in bytes; 0 until it has been found out.
static MOST: AtomicU64 = AtomicU64::new(0);

/// Those of all programs.
static ALL: Mutex<Vec<Weak<Waiting>>> = Mutex::new(Vec::new());

impl Waiting {
    /// Those of a program that has none yet.
    pub(crate) fn new() -> Arc<Waiting> {
        let new = Arc::new(Waiting::default());
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|waiting| waiting.strong_count() > 0);
        all.push(Arc::downgrade(&new));
        new
    }

    fn with<T>(&self, work: impl FnOnce(&mut Vec<(Instant, Connection)>) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes the process that has waited for the shortest time.
    pub(crate) fn pop(&self) -> Option<Connection> {
        self.with(|waiting| waiting.pop()).map(|(_, connection)| connection)
    }

    /// Takes all of them.
    pub(crate) fn take_all(&self) -> Vec<Connection> {
        let taken = self.with(std::mem::take);
        taken.into_iter().map(|(_, connection)| connection).collect()
    }

    /// Lets a process wait. Processes of any program that have waited longest end, within `grace`
    /// each, while all together hold too much memory.
    pub(crate) fn push(&self, mut connection: Connection, grace: Duration) {
        connection.process.weigh();
        self.with(|waiting| waiting.push((Instant::now(), connection)));
        while let Some(oldest) = take_surplus(memory_for_waiting()) {
            oldest.close(grace);
        }
    }
}

/// Takes the process that has waited longest, if all of them hold more than `most` bytes.
fn take_surplus(most: u64) -> Option<Connection> {
    let all: Vec<Arc<Waiting>> = {
        let all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().filter_map(Weak::upgrade).collect()
    };
    let held = |waiting: &mut Vec<(Instant, Connection)>| {
        waiting.iter().map(|(_, connection)| connection.process.memory()).sum::<u64>()
    };
    if all.iter().map(|waiting| waiting.with(held)).sum::<u64>() <= most {
        return None;
    }
    // The first of each program has waited longest: they are taken from the end.
    let since = |waiting: &Arc<Waiting>| waiting.with(|w| w.first().map(|(since, _)| *since));
    let oldest = all.iter().filter_map(|waiting| Some((since(waiting)?, waiting)));
    let (_, waiting) = oldest.min_by_key(|(since, _)| *since)?;
    waiting.with(|waiting| (!waiting.is_empty()).then(|| waiting.remove(0).1))
}

/// Sets how much memory, in bytes, the processes of all programs of this process of ours may hold
/// together while they wait for their next match. It is a quarter of the machine's memory if
/// nobody sets it.
pub fn limit_waiting_memory(bytes: u64) {
    MOST.store(bytes.max(1), Ordering::Relaxed);
}

/// The memory that all waiting processes may hold, in bytes.
fn memory_for_waiting() -> u64 {
    if MOST.load(Ordering::Relaxed) == 0 {
        limit_waiting_memory(machine_memory().map_or(u64::MAX, |memory| memory / SHARE));
    }
    MOST.load(Ordering::Relaxed)
}

/// Returns how many matches can be played at once, each by programs that may take `playing` bytes,
/// besides the processes that wait; any number where the machine's memory is unknown.
pub fn count_fitting_matches(playing: u64) -> usize {
    let fitting = |machine: u64| (machine - machine / SHARE) / playing.max(1);
    machine_memory().map_or(usize::MAX, |machine| fitting(machine) as usize)
}

/// Says what programs may take of the machine's memory, and what to change, if that is more than
/// there is. Matches are played `at_once`; the programs of one may take `playing` bytes, and one
/// process of each program `all` bytes together.
pub fn warn_of_memory(at_once: usize, playing: u64, all: u64) -> Option<String> {
    describe_excess(at_once as u64, playing, all, machine_memory()?)
}

fn describe_excess(at_once: u64, playing: u64, all: u64, machine: u64) -> Option<String> {
    let waiting = at_once.saturating_mul(all).min(machine / SHARE);
    let needed = at_once.saturating_mul(playing).saturating_add(waiting);
    if needed <= machine {
        return None;
    }
    let shown = |bytes: u64| format!("{:.1} GB", bytes as f64 / f64::from(1 << 30));
    let fitting = (machine - waiting) / playing.max(1);
    let fewer = match fitting {
        0 => String::new(),
        fitting => format!("play {fitting} matches at a time (--threads {fitting}), or "),
    };
    let matches = match at_once {
        1 => "1 match".to_owned(),
        more => format!("{more} matches"),
    };
    Some(format!(
        "programs may take {} of memory at once, but this machine has {}: {matches} of \
         {} at a time, and {} for processes that wait; {fewer}lower `memory` in their limits \
         (bots.toml)",
        shown(needed),
        shown(machine),
        shown(playing),
        shown(waiting),
    ))
}

/// The memory of this machine, or of the container around us, in bytes.
fn machine_memory() -> Option<u64> {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let total = read("/proc/meminfo")?;
    let total = total.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let total = total.trim().strip_suffix(" kB")?.parse::<u64>().ok()? << 10;
    let limits = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    let limits = limits.iter().filter_map(|path| read(path)?.trim().parse::<u64>().ok());
    Some(limits.fold(total, u64::min))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_may_take_more_memory_than_there_is_says_so_and_what_fits() {
        const GB: u64 = 1 << 30;
        assert_eq!(describe_excess(4, GB, 2 * GB, 16 * GB), None);
        let said = describe_excess(16, GB, 5 * GB, 16 * GB).unwrap();
        assert_eq!(
            said,
            "programs may take 20.0 GB of memory at once, but this machine has 16.0 GB: 16 \
             matches of 1.0 GB at a time, and 4.0 GB for processes that wait; play 12 matches at \
             a time (--threads 12), or lower `memory` in their limits (bots.toml)"
        );
        let said = describe_excess(1, 20 * GB, GB, 16 * GB).unwrap();
        assert!(said.contains("wait; lower `memory`"), "{said}");
    }

    #[test]
    fn as_many_matches_are_played_at_once_as_fit() {
        assert!(count_fitting_matches(1 << 20) > 1);
        assert_eq!(count_fitting_matches(u64::MAX), 0);
    }

    #[test]
    fn the_machine_has_some_memory() {
        assert!(machine_memory().is_some_and(|memory| memory > 64 << 20));
    }
}
