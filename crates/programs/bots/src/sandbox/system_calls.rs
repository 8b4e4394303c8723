//! The system calls that a program may make: a list of those that runtimes of the usual languages
//! need. Every other call fails as if this kernel did not have it (`ENOSYS`), for which C libraries
//! and runtimes have fallbacks. Calls that newer kernels add are refused until they are listed
//! here.
//!
//! The following, among others, are not listed: sockets of any kind (their buffers are memory that
//! belongs to no process), shared memory that belongs to no process (`memfd_create`, System V),
//! everything that changes how processes are scheduled, mounts and namespaces, tracing, `io_uring`
//! (its operations bypass this filter), keys, `bpf`, `perf`, watches on files (`inotify`), further
//! filters and Landlock rules (kernel memory that belongs to no one; thousands of filters can lock
//! up a kernel), locks on parts of files (likewise: no limit bounds their number), huge pages
//! (reserved for someone, and in no process's count), and timers and files that send signals of
//! one's choice (one that continues the program would undo its being stopped). The filter ends a
//! program that makes calls of another architecture; calls of the x32 ABI have numbers of their own
//! and are on no list.

use std::collections::BTreeMap;

use nix::libc;
use nix::unistd::Pid;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter,
};

/// Confines this process to the list. Without namespaces a program could signal any process of the
/// user and change the metadata of any of their files. If `own` is given, signals are therefore
/// allowed only to that process, the program itself, and changes of metadata not at all. With
/// `pairs`, sockets that are connected to each other from the start may be created as well: some
/// compilers need them.
pub(super) fn confine(own: Option<Pid>, pairs: bool) -> Result<(), String> {
    for program in filters(own, pairs)? {
        apply_filter(&program).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// The filters that the kernel runs at each call; the last one is the list.
fn filters(own: Option<Pid>, pairs: bool) -> Result<[BpfProgram; 2], String> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        ALLOWED.iter().chain(&OLDER).map(|call| (*call, Vec::new())).collect();
    if pairs {
        let local = rule(&[(0, SeccompCmpOp::Eq, libc::AF_UNIX as u64)])?;
        rules.insert(libc::SYS_socketpair, vec![local]);
        // Rust's library uses these to tell whether a process has started.
        rules.insert(libc::SYS_sendmsg, Vec::new());
        rules.insert(libc::SYS_recvmsg, Vec::new());
        rules.insert(libc::SYS_recvfrom, Vec::new());
    }
    rules.insert(libc::SYS_clone, kinds_of_children()?);
    // Reading from the disk itself, past what the system keeps of it, would hold up everybody who
    // uses that disk.
    let through_memory = |argument| (argument, SeccompCmpOp::MaskedEq(O_DIRECT), 0);
    rules.insert(libc::SYS_openat, vec![rule(&[through_memory(2)])?]);
    #[cfg(target_arch = "x86_64")]
    rules.insert(libc::SYS_open, vec![rule(&[through_memory(1)])?]);
    let mut controls = one_of(1, &COMMANDS_OF_FCNTL)?;
    let set = libc::F_SETFL as u64;
    controls.push(rule(&[(1, SeccompCmpOp::Eq, set), through_memory(2)])?);
    rules.insert(libc::SYS_fcntl, controls);
    // Memory shared between processes persists, uncounted, when no one has its pages mapped. Huge
    // pages are not counted either, who has them mapped.
    let looked_at = (libc::MAP_SHARED | libc::MAP_ANONYMOUS | libc::MAP_HUGETLB) as u64;
    let other_than_both = [0, libc::MAP_SHARED as u64, libc::MAP_ANONYMOUS as u64];
    let maps = other_than_both.map(|flags| rule(&[(3, SeccompCmpOp::MaskedEq(looked_at), flags)]));
    rules.insert(libc::SYS_mmap, maps.into_iter().collect::<Result<_, _>>()?);
    let options = one_of(0, &OPTIONS)?.into_iter().map(Ok);
    // The signal that a process gets when its parent ends: one that lets it go on would undo its
    // being stopped.
    let on_death = [0, libc::SIGKILL as u64].map(|signal| {
        let set = libc::PR_SET_PDEATHSIG as u64;
        rule(&[(0, SeccompCmpOp::Eq, set), (1, SeccompCmpOp::Eq, signal)])
    });
    let options = options.chain(on_death);
    rules.insert(libc::SYS_prctl, options.collect::<Result<_, _>>()?);
    // Only limits of its own: its supervisor's belong to the same user. The limit of core dumps
    // stays: 0 would allow some (see `confine`).
    let core = libc::RLIMIT_CORE as u64;
    let others = rule(&[(0, SeccompCmpOp::Eq, 0), (1, SeccompCmpOp::Ne, core)])?;
    let (its_own, unset) = ((SeccompCmpArgLen::Dword, 0), (SeccompCmpArgLen::Qword, 2));
    let asking = [its_own, unset]
        .map(|(width, argument)| condition(argument, width, SeccompCmpOp::Eq, 0))
        .into_iter()
        .collect::<Result<Vec<_>, _>>()?;
    let asking = SeccompRule::new(asking).map_err(|error| error.to_string())?;
    rules.insert(libc::SYS_prlimit64, vec![others, asking]);
    rules.insert(libc::SYS_setrlimit, vec![rule(&[(0, SeccompCmpOp::Ne, core)])?]);
    rules.insert(libc::SYS_ioctl, one_of(1, &COMMANDS_OF_IOCTL)?);
    // Having the system's files read from the disk again would hold up whoever needs them.
    let kept = rule(&[(3, SeccompCmpOp::Ne, libc::POSIX_FADV_DONTNEED as u64)])?;
    rules.insert(libc::SYS_fadvise64, vec![kept]);
    // Pages that are merged with equal ones of others tell by their timing what others hold.
    let refused = [libc::MADV_COLD, libc::MADV_PAGEOUT, libc::MADV_MERGEABLE];
    let kept = rule(&refused.map(|advice| (2, SeccompCmpOp::Ne, advice as u64)))?;
    rules.insert(libc::SYS_madvise, vec![kept]);
    match own {
        None => rules.extend(SIGNALS.iter().map(|call| (*call, Vec::new()))),
        Some(own) => {
            let itself = [(0, SeccompCmpOp::Eq, own.as_raw() as u64)];
            for call in [
                libc::SYS_kill,
                libc::SYS_tgkill,
                libc::SYS_rt_sigqueueinfo,
                libc::SYS_rt_tgsigqueueinfo,
            ] {
                rules.insert(call, vec![rule(&itself)?]);
            }
            for call in METADATA.iter().chain(&OLDER_METADATA) {
                rules.remove(call);
            }
        }
    }
    let absent = SeccompAction::Errno(libc::ENOSYS as u32);
    let list = filter(rules, absent, SeccompAction::Allow)?;
    // If no one waits for a process's children, their processor time is lost from every count. So
    // the handling of `SIGCHLD` stays the default, in which children are waited for: a request to
    // change it is answered with success and changes nothing. A refusal would end every program in
    // Go, whose runtime asks for a handler of each signal at its start and does not need this one.
    let child = condition(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, libc::SIGCHLD as u64)?;
    // This is an address: all of its 64 bits count.
    let change = condition(1, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)?;
    let change = SeccompRule::new(vec![child, change]).map_err(|error| error.to_string())?;
    let children = [(libc::SYS_rt_sigaction, vec![change])].into();
    let without_effect = SeccompAction::Errno(0);
    let counted = filter(children, SeccompAction::Allow, without_effect)?;
    Ok([counted, list])
}

fn filter(
    rules: BTreeMap<i64, Vec<SeccompRule>>,
    otherwise: SeccompAction,
    on_match: SeccompAction,
) -> Result<BpfProgram, String> {
    let architecture: TargetArch =
        std::env::consts::ARCH.try_into().map_err(|error| format!("{error}"))?;
    SeccompFilter::new(rules, otherwise, on_match, architecture)
        .and_then(TryInto::try_into)
        .map_err(|error| error.to_string())
}

/// A rule that holds if each argument compares as given; the kernel reads all of them as 32 bits.
fn rule(conditions: &[(u8, SeccompCmpOp, u64)]) -> Result<SeccompRule, String> {
    let conditions = conditions.iter().map(|(argument, operator, value)| {
        condition(*argument, SeccompCmpArgLen::Dword, operator.clone(), *value)
    });
    let conditions = conditions.collect::<Result<Vec<_>, _>>()?;
    SeccompRule::new(conditions).map_err(|error| error.to_string())
}

fn condition(
    argument: u8,
    width: SeccompCmpArgLen,
    operator: SeccompCmpOp,
    value: u64,
) -> Result<SeccompCondition, String> {
    SeccompCondition::new(argument, width, operator, value).map_err(|error| error.to_string())
}

/// Rules of which one holds if this argument is one of the values.
fn one_of(argument: u8, values: &[i32]) -> Result<Vec<SeccompRule>, String> {
    let each =
        values.iter().map(|value| rule(&[(argument, SeccompCmpOp::Eq, *value as u32 as u64)]));
    each.collect()
}

/// How processes and threads may be made: in the namespaces that there are. A thread shares the
/// files of its process, since the supervisor counts the files of processes. When a process ends,
/// its parent gets the usual signal or none: one that lets the parent go on would undo its being
/// stopped.
fn kinds_of_children() -> Result<Vec<SeccompRule>, String> {
    const SIGNAL: u64 = 0xff;
    let (thread, files) = (libc::CLONE_THREAD as u64, libc::CLONE_FILES as u64);
    let looked_at = NAMESPACES | SIGNAL | thread | files;
    let kinds = [0, files, thread | files];
    let kinds = kinds.iter().flat_map(|kind| [*kind, kind | libc::SIGCHLD as u64]);
    kinds.map(|flags| rule(&[(0, SeccompCmpOp::MaskedEq(looked_at), flags)])).collect()
}

/// The flags of `clone` that create namespaces.
const NAMESPACES: u64 = (libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP) as u64;

/// The commands of `fcntl` that are allowed. Others make larger pipes, which hold memory that
/// belongs to no process; block the opening of a file (leases, delegations); choose which signal
/// tells of a file; or lock parts of files, of which each is kernel memory and whose number nothing
/// bounds.
const COMMANDS_OF_FCNTL: [i32; 12] = [
    libc::F_DUPFD,
    libc::F_DUPFD_CLOEXEC,
    F_DUPFD_QUERY,
    libc::F_GETFD,
    libc::F_SETFD,
    libc::F_GETFL,
    libc::F_GETLK,
    libc::F_GETOWN,
    libc::F_GETLEASE,
    libc::F_GETPIPE_SZ,
    libc::F_GET_SEALS,
    libc::F_OFD_GETLK,
];

const F_DUPFD_QUERY: i32 = 1027;

const O_DIRECT: u64 = libc::O_DIRECT as u64;

/// The commands of `ioctl` that are allowed: what runtimes ask of pipes, files and terminals. A
/// program has no terminal. The files that it sees may lie in any file system, each of which has
/// commands of its own.
const COMMANDS_OF_IOCTL: [i32; 13] = [
    libc::TCGETS as i32,
    libc::TCGETS2 as i32,
    libc::TIOCGWINSZ as i32,
    libc::TIOCGPGRP as i32,
    libc::TIOCGSID as i32,
    libc::FIONREAD as i32,
    libc::FIONBIO as i32,
    libc::FIOCLEX as i32,
    libc::FIONCLEX as i32,
    libc::FS_IOC_GETFLAGS as i32,
    libc::FS_IOC_GETVERSION as i32,
    FICLONE,
    FICLONERANGE,
];

/// Copies of files share their disk space; otherwise programs that copy would say that they cannot.
const FICLONE: i32 = 0x4004_9409;
const FICLONERANGE: i32 = 0x4020_940d;

/// As in linux/prctl.h; `libc` has it for glibc only.
const PR_GET_SPECULATION_CTRL: i32 = 52;

/// The options of `prctl` that are allowed: names, and what a process says about itself. Others
/// allocate kernel memory (`PR_FUTEX_HASH`), add filters, or hide children.
const OPTIONS: [i32; 18] = [
    libc::PR_GET_PDEATHSIG,
    libc::PR_GET_DUMPABLE,
    libc::PR_SET_DUMPABLE,
    libc::PR_GET_KEEPCAPS,
    libc::PR_SET_NAME,
    libc::PR_GET_NAME,
    libc::PR_GET_SECCOMP,
    libc::PR_CAPBSET_READ,
    libc::PR_GET_SECUREBITS,
    libc::PR_SET_TIMERSLACK,
    libc::PR_GET_TIMERSLACK,
    libc::PR_GET_CHILD_SUBREAPER,
    libc::PR_SET_NO_NEW_PRIVS,
    libc::PR_GET_NO_NEW_PRIVS,
    libc::PR_SET_THP_DISABLE,
    libc::PR_GET_THP_DISABLE,
    PR_GET_SPECULATION_CTRL,
    libc::PR_SET_VMA,
];

/// Calls that send signals.
const SIGNALS: [i64; 6] = [
    libc::SYS_kill,
    libc::SYS_tkill,
    libc::SYS_tgkill,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_pidfd_send_signal,
];

/// Calls that change the metadata of files, which Landlock does not cover.
const METADATA: [i64; 6] = [
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    SYS_FCHMODAT2,
];

const SYS_FCHMODAT2: i64 = 452;

/// The calls that exist on every architecture.
const ALLOWED: [i64; 149] = [
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_readv,
    libc::SYS_writev,
    libc::SYS_pread64,
    libc::SYS_pwrite64,
    libc::SYS_preadv,
    libc::SYS_pwritev,
    libc::SYS_preadv2,
    libc::SYS_pwritev2,
    libc::SYS_lseek,
    libc::SYS_close,
    libc::SYS_close_range,
    libc::SYS_openat,
    libc::SYS_dup,
    libc::SYS_dup3,
    libc::SYS_pipe2,
    libc::SYS_fsync,
    libc::SYS_fdatasync,
    libc::SYS_sync_file_range,
    libc::SYS_fadvise64,
    libc::SYS_readahead,
    libc::SYS_sendfile,
    libc::SYS_copy_file_range,
    libc::SYS_ftruncate,
    libc::SYS_truncate,
    libc::SYS_fallocate,
    libc::SYS_flock,
    libc::SYS_getdents64,
    libc::SYS_getcwd,
    libc::SYS_chdir,
    libc::SYS_fchdir,
    libc::SYS_mkdirat,
    libc::SYS_unlinkat,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_linkat,
    libc::SYS_symlinkat,
    libc::SYS_readlinkat,
    libc::SYS_mknodat,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_fstat,
    libc::SYS_newfstatat,
    libc::SYS_statx,
    libc::SYS_statfs,
    libc::SYS_fstatfs,
    libc::SYS_umask,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    SYS_FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_mprotect,
    libc::SYS_brk,
    libc::SYS_madvise,
    libc::SYS_mincore,
    libc::SYS_msync,
    libc::SYS_mlock,
    libc::SYS_mlock2,
    libc::SYS_munlock,
    libc::SYS_mlockall,
    libc::SYS_munlockall,
    libc::SYS_membarrier,
    libc::SYS_pkey_mprotect,
    libc::SYS_pkey_alloc,
    libc::SYS_pkey_free,
    libc::SYS_get_mempolicy,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_execve,
    libc::SYS_execveat,
    libc::SYS_wait4,
    libc::SYS_waitid,
    libc::SYS_set_tid_address,
    libc::SYS_set_robust_list,
    libc::SYS_get_robust_list,
    libc::SYS_rseq,
    libc::SYS_restart_syscall,
    libc::SYS_futex,
    libc::SYS_futex_waitv,
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_gettid,
    libc::SYS_getpgid,
    libc::SYS_getsid,
    libc::SYS_setsid,
    libc::SYS_setpgid,
    libc::SYS_getuid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getegid,
    libc::SYS_getresuid,
    libc::SYS_getresgid,
    libc::SYS_getgroups,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_rt_sigpending,
    libc::SYS_rt_sigsuspend,
    libc::SYS_rt_sigtimedwait,
    libc::SYS_sigaltstack,
    libc::SYS_pidfd_open,
    libc::SYS_nanosleep,
    libc::SYS_clock_nanosleep,
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_gettimeofday,
    libc::SYS_times,
    libc::SYS_getitimer,
    libc::SYS_setitimer,
    libc::SYS_timerfd_create,
    libc::SYS_timerfd_settime,
    libc::SYS_timerfd_gettime,
    libc::SYS_epoll_create1,
    libc::SYS_epoll_ctl,
    libc::SYS_epoll_pwait,
    libc::SYS_epoll_pwait2,
    libc::SYS_ppoll,
    libc::SYS_pselect6,
    libc::SYS_eventfd2,
    libc::SYS_signalfd4,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_getparam,
    libc::SYS_sched_getscheduler,
    libc::SYS_sched_getattr,
    libc::SYS_sched_get_priority_max,
    libc::SYS_sched_get_priority_min,
    libc::SYS_sched_rr_get_interval,
    libc::SYS_getpriority,
    libc::SYS_getcpu,
    libc::SYS_getrlimit,
    libc::SYS_setrlimit,
    libc::SYS_prlimit64,
    libc::SYS_getrusage,
    libc::SYS_sysinfo,
    libc::SYS_uname,
    libc::SYS_getrandom,
    libc::SYS_capget,
    libc::SYS_getxattr,
    libc::SYS_lgetxattr,
    libc::SYS_fgetxattr,
    libc::SYS_listxattr,
    libc::SYS_llistxattr,
    libc::SYS_flistxattr,
];

/// Calls that exist only on older architectures.
#[cfg(target_arch = "x86_64")]
const OLDER: [i64; 35] = [
    libc::SYS_open,
    libc::SYS_creat,
    libc::SYS_stat,
    libc::SYS_lstat,
    libc::SYS_access,
    libc::SYS_pipe,
    libc::SYS_dup2,
    libc::SYS_poll,
    libc::SYS_select,
    libc::SYS_epoll_create,
    libc::SYS_epoll_wait,
    libc::SYS_eventfd,
    libc::SYS_signalfd,
    libc::SYS_fork,
    libc::SYS_vfork,
    libc::SYS_getdents,
    libc::SYS_mkdir,
    libc::SYS_rmdir,
    libc::SYS_unlink,
    libc::SYS_rename,
    libc::SYS_link,
    libc::SYS_symlink,
    libc::SYS_readlink,
    libc::SYS_mknod,
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
    libc::SYS_getpgrp,
    libc::SYS_time,
    libc::SYS_alarm,
    libc::SYS_pause,
    libc::SYS_arch_prctl,
];

#[cfg(not(target_arch = "x86_64"))]
const OLDER: [i64; 0] = [];

/// Those of them that change metadata, as [`METADATA`] does.
#[cfg(target_arch = "x86_64")]
const OLDER_METADATA: [i64; 6] = [
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
];

#[cfg(not(target_arch = "x86_64"))]
const OLDER_METADATA: [i64; 0] = [];

#[cfg(test)]
mod tests {
    use super::*;

    /// A system call as filters see it, in the layout of `struct seccomp_data`.
    #[derive(Clone, Copy)]
    struct Call {
        number: i64,
        arguments: [u64; 6],
    }

    impl Call {
        fn of(number: i64, first: &[u64]) -> Call {
            let mut arguments = [0; 6];
            arguments[..first.len()].copy_from_slice(first);
            Call { number, arguments }
        }

        fn bytes(self) -> Vec<u8> {
            const AUDIT_ARCH: u32 =
                if cfg!(target_arch = "x86_64") { 0xC000_003E } else { 0xC000_00B7 };
            let mut bytes = Vec::from((self.number as u32).to_ne_bytes());
            bytes.extend(AUDIT_ARCH.to_ne_bytes());
            bytes.extend(0u64.to_ne_bytes());
            self.arguments.iter().for_each(|argument| bytes.extend(argument.to_ne_bytes()));
            bytes
        }
    }

    /// Runs a filter as the kernel does: interprets the classic BPF instructions of which filters
    /// consist.
    fn decide(program: &BpfProgram, call: Call) -> u32 {
        let (data, mut accumulator, mut at) = (call.bytes(), 0u32, 0usize);
        loop {
            let step = &program[at];
            at += 1;
            let branch = |holds: bool| usize::from(if holds { step.jt } else { step.jf });
            match step.code {
                0x20 => {
                    let from = step.k as usize;
                    accumulator = u32::from_ne_bytes(data[from..from + 4].try_into().unwrap());
                }
                0x54 => accumulator &= step.k,
                0x05 => at += step.k as usize,
                0x15 => at += branch(accumulator == step.k),
                0x25 => at += branch(accumulator > step.k),
                0x35 => at += branch(accumulator >= step.k),
                0x06 => return step.k,
                other => panic!("instruction {other:#x}"),
            }
        }
    }

    /// Whether both filters let a call through.
    fn is_allowed(number: i64, arguments: &[u64]) -> bool {
        const ALLOW: u32 = 0x7fff_0000;
        let call = Call::of(number, arguments);
        filters(None, false).unwrap().iter().all(|program| decide(program, call) == ALLOW)
    }

    #[test]
    fn the_end_of_children_is_handled_as_usual_wherever_the_wish_lies_in_memory() {
        let (action, child) = (libc::SYS_rt_sigaction, libc::SIGCHLD as u64);
        assert!(is_allowed(action, &[child, 0, 0x1000]), "asking is no change");
        const SUCCESS_WITHOUT_EFFECT: u32 = 0x0005_0000;
        let [counted, _] = filters(None, false).unwrap();
        for address in [0x1000, 0x1_0000_0000, 0x7fff_0000_0000] {
            let wish = Call::of(action, &[child, address]);
            assert_eq!(decide(&counted, wish), SUCCESS_WITHOUT_EFFECT, "{address:#x}");
            assert!(is_allowed(action, &[libc::SIGUSR1 as u64, address]), "{address:#x}");
        }
    }

    #[test]
    fn memory_that_no_process_is_charged_with_is_refused_and_other_is_had() {
        let map = |flags: i32| is_allowed(libc::SYS_mmap, &[0, 4096, 3, flags as u64, u64::MAX]);
        assert!(map(libc::MAP_PRIVATE | libc::MAP_ANONYMOUS));
        assert!(map(libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE));
        assert!(map(libc::MAP_PRIVATE));
        assert!(map(libc::MAP_SHARED), "a file's");
        assert!(!map(libc::MAP_SHARED | libc::MAP_ANONYMOUS));
        assert!(!map(libc::MAP_SHARED_VALIDATE | libc::MAP_ANONYMOUS));
        for huge in [libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, libc::MAP_PRIVATE, libc::MAP_SHARED] {
            assert!(!map(huge | libc::MAP_HUGETLB), "{huge:#x}");
        }
    }

    #[test]
    fn calls_that_use_kernel_memory_or_wake_stopped_programs_are_refused() {
        for call in [
            libc::SYS_seccomp,
            libc::SYS_landlock_create_ruleset,
            libc::SYS_timer_create,
            libc::SYS_memfd_create,
            libc::SYS_socket,
            libc::SYS_io_uring_setup,
            libc::SYS_bpf,
            libc::SYS_ptrace,
        ] {
            assert!(!is_allowed(call, &[]), "{call}");
        }
        let control = |command: i32| is_allowed(libc::SYS_fcntl, &[0, command as u64, 0]);
        assert!(control(libc::F_GETFL) && control(libc::F_SETFL) && control(libc::F_DUPFD));
        assert!(control(libc::F_GETLK), "asking makes no lock");
        for (call, place) in [(libc::SYS_openat, 2), (libc::SYS_fcntl, 2)] {
            let flags = |flags: i32| {
                let mut arguments = [0, libc::F_SETFL as u64, 0];
                arguments[place] = flags as u64;
                is_allowed(call, &arguments)
            };
            assert!(flags(libc::O_RDWR | libc::O_NONBLOCK) && !flags(libc::O_DIRECT), "{call}");
        }
        assert!(!is_allowed(libc::SYS_openat2, &[]), "its flags are in memory");
        const SET_SIGNAL: i32 = 10;
        const SET_DELEGATION: i32 = 1040;
        for command in [
            libc::F_SETPIPE_SZ,
            libc::F_SETLEASE,
            SET_DELEGATION,
            libc::F_NOTIFY,
            libc::F_SETOWN,
            SET_SIGNAL,
            libc::F_SETLK,
            libc::F_SETLKW,
            libc::F_OFD_SETLK,
            libc::F_OFD_SETLKW,
        ] {
            assert!(!control(command), "{command}");
        }
        let option = |option: i32| is_allowed(libc::SYS_prctl, &[option as u64]);
        assert!(option(libc::PR_SET_NAME) && option(libc::PR_SET_VMA));
        for refused in [libc::PR_SET_SECCOMP, libc::PR_SET_CHILD_SUBREAPER, 78] {
            assert!(!option(refused), "{refused}");
        }
        let on_death = |signal: i32| {
            is_allowed(libc::SYS_prctl, &[libc::PR_SET_PDEATHSIG as u64, signal as u64])
        };
        assert!(on_death(0) && on_death(libc::SIGKILL));
        assert!(!on_death(libc::SIGCONT) && !on_death(libc::SIGUSR1));
    }

    #[test]
    fn a_program_may_ask_for_all_of_its_limits_and_change_all_but_that_of_core_dumps() {
        let limits = |whose: u64, which: u32, new: u64| {
            is_allowed(libc::SYS_prlimit64, &[whose, which.into(), new, 0x1000])
        };
        let somewhere = 0x1_0000_0000;
        assert!(limits(0, libc::RLIMIT_CORE, 0) && limits(0, libc::RLIMIT_NOFILE, somewhere));
        assert!(!limits(0, libc::RLIMIT_CORE, somewhere));
        assert!(!limits(1, libc::RLIMIT_NOFILE, 0), "another process's");
        let set = |which: u32| is_allowed(libc::SYS_setrlimit, &[which.into(), somewhere]);
        assert!(set(libc::RLIMIT_STACK) && !set(libc::RLIMIT_CORE));
    }

    #[test]
    fn files_are_read_ahead_and_never_thrown_out_of_memory() {
        let advise = |what: i32| is_allowed(libc::SYS_fadvise64, &[3, 0, 0, what as u64]);
        assert!(advise(libc::POSIX_FADV_SEQUENTIAL) && advise(libc::POSIX_FADV_WILLNEED));
        assert!(!advise(libc::POSIX_FADV_DONTNEED));
        let advise = |what: i32| is_allowed(libc::SYS_madvise, &[0x1000, 4096, what as u64]);
        assert!(advise(libc::MADV_DONTNEED) && advise(libc::MADV_FREE));
        assert!(!advise(libc::MADV_PAGEOUT) && !advise(libc::MADV_COLD));
    }

    #[test]
    fn files_are_asked_only_what_runtimes_ask() {
        let ask = |command: u64| is_allowed(libc::SYS_ioctl, &[0, command]);
        assert!(ask(libc::TCGETS) && ask(libc::FIOCLEX) && ask(libc::FIONREAD));
        assert!(ask(u64::from(FICLONE as u32) | 1 << 40), "the kernel reads 32 bits");
        const MAP_OF_EXTENTS: u64 = 0xc020_660b;
        for command in [libc::TIOCSTI, libc::TIOCLINUX, libc::TIOCSPGRP, MAP_OF_EXTENTS] {
            assert!(!ask(command), "{command:#x}");
        }
    }

    #[test]
    fn a_process_is_made_and_a_namespace_is_not() {
        let clone = |flags: i32| is_allowed(libc::SYS_clone, &[flags as u64]);
        assert!(clone(libc::SIGCHLD) && clone(libc::CLONE_THREAD | libc::CLONE_FILES));
        for namespace in [libc::CLONE_NEWUSER, libc::CLONE_NEWNET, libc::CLONE_NEWPID] {
            assert!(!clone(libc::SIGCHLD | namespace));
        }
        assert!(clone(libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD) && clone(0));
        assert!(!clone(libc::SIGCONT), "the end of a child would continue its parent");
        assert!(!clone(libc::CLONE_VM | libc::CLONE_SIGHAND | libc::CLONE_THREAD), "own files");
        assert!(is_allowed(libc::SYS_read, &[0]) && is_allowed(libc::SYS_futex, &[]));
    }
}
