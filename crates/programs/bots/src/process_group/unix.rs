//! A group of processes on Unix: a process group, and limits that the kernel keeps for each
//! process (`setrlimit`).

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::{Mutex, PoisonError};

use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use super::Usage;
use crate::limits::Limits;

/// A group of processes.
pub(crate) struct Group {
    /// Its first process, whose number is the group's. None once that is gone with all others,
    /// since the system may then give the number to somebody else.
    leader: Mutex<Option<u32>>,
}

impl Group {
    /// Starts a program in a group of its own.
    pub(crate) fn start(mut command: Command, limits: &Limits) -> io::Result<(Child, Group)> {
        command.process_group(0);
        let files = u64::from(limits.files);
        // Rounded up, and one more: whoever looks at the group comes first.
        let seconds = limits.cpu.0.as_secs() + 2;
        let of_kernel =
            [(Resource::RLIMIT_NOFILE, files), (Resource::RLIMIT_CPU, seconds), CORE_DUMP];
        let limit = move || {
            of_kernel.iter().try_for_each(|(what, most)| Ok(setrlimit(*what, *most, *most)?))
        };
        // SAFETY: between fork and exec this only makes system calls; it takes no lock and
        // allocates nothing.
        unsafe { command.pre_exec(limit) };
        let child = command.spawn()?;
        let group = Group { leader: Mutex::new(Some(child.id())) };
        Ok((child, group))
    }

    /// Ends all processes of the group. Once its first process `is_gone`, this is the last time.
    pub(crate) fn end(&self, is_gone: bool) {
        let mut leader = self.leader.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pid) = *leader {
            let _ = killpg(Pid::from_raw(pid as i32), Signal::SIGKILL);
        }
        if is_gone {
            *leader = None;
        }
    }

    /// What it uses, where the system tells.
    pub(crate) fn usage(&self) -> Option<Usage> {
        let leader = *self.leader.lock().unwrap_or_else(PoisonError::into_inner);
        usage_of(leader?)
    }

    /// How much memory it had, if the system refused it more because of its limit. No Unix does.
    pub(crate) fn out_of_memory(&self) -> Option<u64> {
        None
    }
}

/// A crash writes no file.
const CORE_DUMP: (Resource, u64) = (Resource::RLIMIT_CORE, 0);

#[cfg(target_os = "linux")]
fn usage_of(leader: u32) -> Option<Usage> {
    let (memory, processes, processor) = crate::sandbox::family_usage(leader)?;
    Some(Usage { memory, processes, processor })
}

/// What the processes of a group use, by `libproc`.
#[cfg(target_os = "macos")]
#[allow(deprecated, reason = "libc would have another crate know the unit of processor time")]
fn usage_of(leader: u32) -> Option<Usage> {
    use std::time::Duration;

    use nix::libc;

    const MOST: usize = 4096;
    let mut pids = [0 as libc::pid_t; MOST];
    let size = std::mem::size_of_val(&pids) as libc::c_int;
    // SAFETY: the array is as large as is said.
    let count =
        unsafe { libc::proc_listpgrppids(leader as libc::pid_t, pids.as_mut_ptr().cast(), size) };
    let count = usize::try_from(count).ok().filter(|count| *count > 0)?.min(MOST);
    let mut unit = libc::mach_timebase_info { numer: 1, denom: 1 };
    // SAFETY: the call writes one value to memory that holds one.
    unsafe { libc::mach_timebase_info(&raw mut unit) };
    let (mut usage, mut ticks) = (Usage::default(), 0u128);
    for pid in &pids[..count] {
        // SAFETY: a value of plain numbers, for which zeros are valid.
        let mut task: libc::proc_taskinfo = unsafe { std::mem::zeroed() };
        let size = std::mem::size_of_val(&task) as libc::c_int;
        // SAFETY: the memory is as large as is said.
        let written = unsafe {
            libc::proc_pidinfo(*pid, libc::PROC_PIDTASKINFO, 0, (&raw mut task).cast(), size)
        };
        if written == size {
            usage.memory += task.pti_resident_size;
            usage.processes += task.pti_threadnum.max(1) as u32;
            ticks += u128::from(task.pti_total_user) + u128::from(task.pti_total_system);
        }
    }
    let nanoseconds = ticks * u128::from(unit.numer) / u128::from(unit.denom.max(1));
    usage.processor = Duration::from_nanos(nanoseconds.min(u128::from(u64::MAX)) as u64);
    Some(usage)
}

/// Other systems have ways of their own, which are not used here.
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn usage_of(_: u32) -> Option<Usage> {
    None
}
