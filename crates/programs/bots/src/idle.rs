//! Processes that wait for their next match, of all programs together. They keep their memory while
//! they wait, and there may be as many of each program as matches were ever played at a time. So
//! what all of them hold is bounded by the machine's memory: those that have waited longest end.

use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use crate::connection::Connection;

/// The share of the machine's memory that waiting processes may hold: one part in this many.
const SHARE: u64 = 4;

/// The waiting processes of one program.
#[derive(Default)]
pub(crate) struct Waiting(Mutex<Vec<(Instant, Connection)>>);

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
    pub(crate) fn push(&self, connection: Connection, grace: Duration) {
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

/// The memory that all waiting processes may hold, in bytes.
fn memory_for_waiting() -> u64 {
    static MEMORY: OnceLock<u64> = OnceLock::new();
    *MEMORY.get_or_init(|| machine_memory().map_or(u64::MAX, |memory| memory / SHARE))
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
    fn the_machine_has_some_memory() {
        assert!(machine_memory().is_some_and(|memory| memory > 64 << 20));
    }
}
