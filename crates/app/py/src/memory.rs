//! How much memory there is for states. The size of a state depends on the game and is not known
//! beforehand, so it is measured while the first states are made.

use std::path::Path;

/// The growth of the process from which sizes can be inferred; below it, anything may be the cause.
const TELLING: u64 = 64 << 20;

/// The number of bytes in a line such as `VmRSS:  1234 kB` of a file.
fn kilobytes(file: &str, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

/// What the control group of this process has left, if it has a limit.
fn free_of_group() -> Option<u64> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    let own = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let folder = Path::new("/sys/fs/cgroup").join(own);
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).ok();
    let number = |text: String| text.trim().parse::<u64>().ok();
    let (most, used) = (number(read("memory.max")?)?, number(read("memory.current")?)?);
    // Memory used for cached files is given back when needed.
    let of_files = |line: &str| {
        let (name, bytes) = line.split_once(' ')?;
        let is_of_files = ["inactive_file", "active_file"].contains(&name);
        is_of_files.then(|| bytes.parse::<u64>().ok()).flatten()
    };
    let of_files: u64 = read("memory.stat")?.lines().filter_map(of_files).sum();
    Some(most.saturating_sub(used.saturating_sub(of_files)))
}

/// The memory that is free for this process, if known.
pub(crate) fn free() -> Option<u64> {
    let machine = kilobytes("/proc/meminfo", "MemAvailable")?;
    Some(free_of_group().map_or(machine, |group| machine.min(group)))
}

/// The memory that was free for states before the first was made.
pub(crate) struct Room {
    free: u64,
    used: u64,
}

impl Room {
    /// Measures the current room; `None` where it is not known.
    pub(crate) fn measure() -> Option<Room> {
        // Steps take some memory too, and so do other processes.
        Some(Room { free: free()? / 10 * 9, used: kilobytes("/proc/self/status", "VmRSS")? })
    }

    /// Checks whether `all` states fit, of which `made` are made already.
    ///
    /// # Errors
    /// If they do not: the number of bytes that each state has taken.
    pub(crate) fn check(&self, made: usize, all: usize) -> Result<(), u64> {
        let Some(used) = kilobytes("/proc/self/status", "VmRSS") else { return Ok(()) };
        let grown = used.saturating_sub(self.used);
        let each = grown / made.max(1) as u64;
        if grown < TELLING || each.saturating_mul(all as u64) <= self.free {
            return Ok(());
        }
        Err(each)
    }
}
