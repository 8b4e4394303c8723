//! How much memory there is for states. What a state takes is the game's affair and is told by
//! nobody beforehand: so it is measured while the first ones are made.

use std::path::Path;

/// Growth of the process from which something can be told: below, it may be anything.
const TELLING: u64 = 64 << 20;

/// The number of bytes in a line such as `VmRSS:  1234 kB` of a file.
fn kilobytes(file: &str, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

/// What the control group of this process has left, where it has a limit.
fn free_of_group() -> Option<u64> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    let own = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let folder = Path::new("/sys/fs/cgroup").join(own);
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).ok();
    let number = |text: String| text.trim().parse::<u64>().ok();
    let (most, used) = (number(read("memory.max")?)?, number(read("memory.current")?)?);
    // What is kept of files is given back when it is needed.
    let of_files = |line: &str| {
        let (name, bytes) = line.split_once(' ')?;
        let is_of_files = ["inactive_file", "active_file"].contains(&name);
        is_of_files.then(|| bytes.parse::<u64>().ok()).flatten()
    };
    let of_files: u64 = read("memory.stat")?.lines().filter_map(of_files).sum();
    Some(most.saturating_sub(used.saturating_sub(of_files)))
}

/// The memory that is free for this process, where that is known.
pub(crate) fn free() -> Option<u64> {
    let machine = kilobytes("/proc/meminfo", "MemAvailable")?;
    Some(free_of_group().map_or(machine, |group| machine.min(group)))
}

/// The memory that there was for states before the first was made.
pub(crate) struct Room {
    free: u64,
    used: u64,
}

impl Room {
    /// As it is now; nothing where that is not known.
    pub(crate) fn measure() -> Option<Room> {
        // Steps take some too, and so do others on the machine.
        Some(Room { free: free()? / 10 * 9, used: kilobytes("/proc/self/status", "VmRSS")? })
    }

    /// Whether so many states fit, of which so many are made.
    ///
    /// # Errors
    /// If they do not: the bytes that each has taken.
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
