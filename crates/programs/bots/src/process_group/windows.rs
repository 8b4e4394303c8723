//! A group of processes on Windows: a job object. No process leaves it, and the system ends all of
//! them when the last handle of the job is closed, thus also when this process is killed.

use std::io;
use std::mem::size_of;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::os::windows::process::CommandExt;
use std::process::{Child, Command};
use std::time::Duration;

use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_ACTIVE_PROCESS,
    JOB_OBJECT_LIMIT_JOB_MEMORY, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_BASIC_ACCOUNTING_INFORMATION, JOBOBJECT_EXTENDED_LIMIT_INFORMATION,
    JOBOBJECTINFOCLASS, JobObjectBasicAccountingInformation, JobObjectExtendedLimitInformation,
    QueryInformationJobObject, SetInformationJobObject, TerminateJobObject,
};
use windows_sys::Win32::System::Threading::CREATE_NEW_PROCESS_GROUP;

use super::Usage;
use crate::limits::Limits;

/// The exit code of processes that are ended.
const ENDED: u32 = 1;
/// The unit of a job's times, in nanoseconds.
const TICK: u64 = 100;

/// A group of processes.
pub(crate) struct Group {
    job: OwnedHandle,
    /// The memory that it may have, in bytes.
    memory: u64,
}

/// Structures of plain numbers that describe a job.
trait JobInformation: Default {
    const CLASS: JOBOBJECTINFOCLASS;
}

impl JobInformation for JOBOBJECT_EXTENDED_LIMIT_INFORMATION {
    const CLASS: JOBOBJECTINFOCLASS = JobObjectExtendedLimitInformation;
}

impl JobInformation for JOBOBJECT_BASIC_ACCOUNTING_INFORMATION {
    const CLASS: JOBOBJECTINFOCLASS = JobObjectBasicAccountingInformation;
}

impl Group {
    /// Starts a program in a group of its own, which Ctrl-C does not reach. It belongs to the job a
    /// moment after it has begun, before any program can have started another.
    pub(crate) fn start(mut command: Command, limits: &Limits) -> io::Result<(Child, Group)> {
        let group = Group::new(limits)?;
        command.creation_flags(CREATE_NEW_PROCESS_GROUP);
        let mut child = command.spawn()?;
        // SAFETY: both handles are open.
        let assigned =
            unsafe { AssignProcessToJobObject(group.job.as_raw_handle(), child.as_raw_handle()) };
        // One that has ended already needs no job.
        if assigned == 0 && matches!(child.try_wait(), Ok(None)) {
            let error = io::Error::last_os_error();
            let _ = child.kill();
            return Err(error);
        }
        Ok((child, group))
    }

    fn new(limits: &Limits) -> io::Result<Group> {
        // SAFETY: a job without a name and with the usual rights; the result is checked.
        let job = unsafe { CreateJobObjectW(std::ptr::null(), std::ptr::null()) };
        if job.is_null() {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the handle is open and nobody else's.
        let job = unsafe { OwnedHandle::from_raw_handle(job) };
        let group = Group { job, memory: limits.memory.0 };
        let mut wanted = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        let basic = &mut wanted.BasicLimitInformation;
        basic.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
            | JOB_OBJECT_LIMIT_JOB_MEMORY
            | JOB_OBJECT_LIMIT_ACTIVE_PROCESS;
        basic.ActiveProcessLimit = limits.processes;
        wanted.JobMemoryLimit = usize::try_from(limits.memory.0).unwrap_or(usize::MAX);
        let size = size_of::<JOBOBJECT_EXTENDED_LIMIT_INFORMATION>() as u32;
        // SAFETY: the structure is the one of this class, and as large as is said.
        let set = unsafe {
            SetInformationJobObject(
                group.job.as_raw_handle(),
                JobObjectExtendedLimitInformation,
                (&raw const wanted).cast(),
                size,
            )
        };
        if set == 0 { Err(io::Error::last_os_error()) } else { Ok(group) }
    }

    /// Ends all processes of the group.
    pub(crate) fn end(&self, _is_gone: bool) {
        // SAFETY: the handle is open.
        unsafe { TerminateJobObject(self.job.as_raw_handle(), ENDED) };
    }

    fn query<T: JobInformation>(&self) -> Option<T> {
        let mut information = T::default();
        // SAFETY: the structure is the one of this class, and as large as is said.
        let answered = unsafe {
            QueryInformationJobObject(
                self.job.as_raw_handle(),
                T::CLASS,
                (&raw mut information).cast(),
                size_of::<T>() as u32,
                std::ptr::null_mut(),
            )
        };
        (answered != 0).then_some(information)
    }

    /// What it uses; of memory the most that it has had, and of processes those that live.
    pub(crate) fn usage(&self) -> Option<Usage> {
        let counted: JOBOBJECT_BASIC_ACCOUNTING_INFORMATION = self.query()?;
        let ticks = counted.TotalUserTime.saturating_add(counted.TotalKernelTime).max(0) as u64;
        Some(Usage {
            memory: self.most_memory(),
            processes: counted.ActiveProcesses,
            processor: Duration::from_nanos(ticks.saturating_mul(TICK)),
        })
    }

    fn most_memory(&self) -> u64 {
        let limits: Option<JOBOBJECT_EXTENDED_LIMIT_INFORMATION> = self.query();
        limits.map_or(0, |limits| limits.PeakJobMemoryUsed as u64)
    }

    /// How much memory it had, if the system is likely to have refused it more because of its
    /// limit: then it had nearly all of that.
    pub(crate) fn out_of_memory(&self) -> Option<u64> {
        Some(self.most_memory()).filter(|most| *most >= self.memory / 8 * 7)
    }
}
