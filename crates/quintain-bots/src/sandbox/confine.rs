//! The last stage: it gives up every right that a player does not need and becomes the
//! program. The kernel's own limits bound open files, processor time and address space,
//! Landlock bounds file access, seccomp the system calls, and capabilities are dropped.
//!
//! The order matters: each step may need a right that a later one takes. Limits and
//! capabilities come first, then `no_new_privs`, without which neither Landlock nor seccomp
//! may be applied by an ordinary user, then files, and system calls last.

use std::collections::BTreeMap;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use landlock::{
    ABI, Access, AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr,
    RulesetStatus, Scope, path_beneath_rules,
};
use nix::sys::prctl;
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::Signal;
use nix::unistd::{Pid, getpid};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter,
};

use super::plan::Plan;

/// The exit code of a process that did not become the program.
pub(super) const REFUSED: i32 = 127;
/// What its last line on standard error begins with.
pub(super) const REFUSAL: &str = "sandbox: ";

/// The newest Landlock interface that is used; older kernels enforce what they know of it.
const LANDLOCK: ABI = ABI::V6;

/// What every program may read: the system's programs and libraries, and the few files in
/// /etc that are needed to find and run them.
const SYSTEM: [&str; 18] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/opt",
    "/nix/store",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/alternatives",
    "/etc/localtime",
    "/etc/ssl/openssl.cnf",
    "/dev/zero",
    "/dev/random",
    "/dev/urandom",
    "/sys/devices/system/cpu",
];

/// Address space beyond the limit of resident memory, in bytes: runtimes reserve far more than
/// they use. The limit of resident memory itself is the supervisor's; this one only stops an
/// allocation too large to be noticed in time.
const RESERVED: u64 = 16 << 30;

/// Becomes the program; returns only if that fails.
pub(super) fn run(plan: &Plan) -> i32 {
    let why = match give_up_rights(plan) {
        Ok(()) => {
            let error = Command::new(&plan.program)
                .args(&plan.arguments)
                .env_clear()
                .envs(plan.environment.iter().map(|(name, value)| (name, value)))
                .exec();
            format!("{}: {error}", plan.program.display())
        }
        Err(why) => why,
    };
    eprintln!("{REFUSAL}{why}");
    REFUSED
}

fn give_up_rights(plan: &Plan) -> Result<(), String> {
    let failed = |what: &str, error: &dyn std::fmt::Display| format!("{what}: {error}");
    // The kernel kills this process when the supervisor dies. If it has died before this call,
    // nothing comes any more; in a PID namespace the kernel has then killed us anyway.
    prctl::set_pdeathsig(Signal::SIGKILL).map_err(|error| failed("death signal", &error))?;
    std::env::set_current_dir(&plan.folder)
        .map_err(|error| failed(&plan.folder.display().to_string(), &error))?;
    set_limits(plan).map_err(|error| failed("limits", &error))?;
    if plan.protections.namespaces {
        caps::clear(None, caps::CapSet::Bounding)
            .map_err(|error| failed("capabilities", &error))?;
        caps::clear(None, caps::CapSet::Inheritable)
            .map_err(|error| failed("capabilities", &error))?;
    }
    prctl::set_no_new_privs().map_err(|error| failed("privileges", &error))?;
    if plan.protections.landlock {
        restrict_files(plan).map_err(|error| failed("landlock", &error))?;
    }
    if plan.protections.seccomp {
        let own = (!plan.protections.namespaces).then(getpid);
        refuse_system_calls(own).map_err(|error| failed("seccomp", &error))?;
    }
    Ok(())
}

fn set_limits(plan: &Plan) -> nix::Result<()> {
    let limits = &plan.limits;
    let cpu = limits.cpu.0.as_secs().max(1);
    setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
    setrlimit(Resource::RLIMIT_NOFILE, limits.files.into(), limits.files.into())?;
    setrlimit(Resource::RLIMIT_FSIZE, limits.scratch.0, limits.scratch.0)?;
    setrlimit(Resource::RLIMIT_CPU, cpu, cpu + 1)?;
    let space = limits.memory.0.saturating_add(RESERVED);
    setrlimit(Resource::RLIMIT_AS, space, space)?;
    if plan.protections.namespaces {
        // The supervisor counts as a process of the same user.
        let processes = u64::from(limits.processes) + 1;
        setrlimit(Resource::RLIMIT_NPROC, processes, processes)?;
    }
    Ok(())
}

/// Whether this kernel has Landlock.
pub(super) fn has_landlock() -> bool {
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI::V1))
        .and_then(Ruleset::create)
        .is_ok()
}

fn restrict_files(plan: &Plan) -> Result<(), String> {
    let all = AccessFs::from_all(LANDLOCK);
    let read = AccessFs::from_read(LANDLOCK);
    let mut readable: Vec<PathBuf> = SYSTEM.iter().map(PathBuf::from).collect();
    readable.extend(plan.readable.iter().cloned());
    if plan.protections.namespaces {
        readable.push("/proc".into());
    }
    let (open, listed) = readable_parts(&plan.folder);
    readable.extend(open);
    let apply = || -> Result<RulesetStatus, landlock::RulesetError> {
        let ruleset = Ruleset::default()
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(all)?
            .scope(Scope::AbstractUnixSocket)?
            .create()?
            .add_rules(path_beneath_rules(&readable, read))?
            .add_rules(path_beneath_rules(listed, AccessFs::ReadDir))?
            .add_rules(path_beneath_rules(["/dev/null"], AccessFs::from_file(LANDLOCK)))?
            .add_rules(path_beneath_rules([&plan.scratch], all))?;
        Ok(ruleset.restrict_self()?.ruleset)
    };
    match apply() {
        Ok(RulesetStatus::NotEnforced) => Err("the kernel enforces nothing".to_owned()),
        Ok(_) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

/// What may be read in the working folder: all of it, or, if it holds a store, each other entry
/// by itself and the list of names. A store holds the records of other players, from which a
/// program could learn how they play. Landlock can only allow, so the rest is allowed piecewise.
fn readable_parts(folder: &Path) -> (Vec<PathBuf>, Option<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return (vec![folder.to_owned()], None);
    };
    let paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    if !paths.iter().any(|path| is_store(path)) {
        return (vec![folder.to_owned()], None);
    }
    (paths.into_iter().filter(|path| !is_store(path)).collect(), Some(folder.to_owned()))
}

/// Whether a file is an SQLite database or one of its companions.
fn is_store(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if ["-wal", "-shm", "-journal"].iter().any(|end| name.ends_with(end)) {
        return true;
    }
    let mut head = [0; 16];
    let read = std::fs::File::open(path)
        .and_then(|mut file| std::io::Read::read_exact(&mut file, &mut head));
    path.is_file() && read.is_ok() && &head == b"SQLite format 3\0"
}

/// Refuses the system calls that no player needs. Without namespaces a program could signal any
/// process of the user, so signals are then allowed to the program itself only: `own` is its process.
pub(super) fn refuse_system_calls(own: Option<Pid>) -> Result<(), String> {
    let architecture: TargetArch =
        std::env::consts::ARCH.try_into().map_err(|error| format!("{error}"))?;
    let program = |rules, errno: i32| -> Result<BpfProgram, String> {
        let refuse = SeccompAction::Errno(errno as u32);
        SeccompFilter::new(rules, SeccompAction::Allow, refuse, architecture)
            .and_then(TryInto::try_into)
            .map_err(|error| error.to_string())
    };
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        REFUSED_CALLS.into_iter().map(|call| (call, Vec::new())).collect();
    let rule = |conditions: Vec<SeccompCondition>| {
        SeccompRule::new(conditions).map_err(|error| error.to_string())
    };
    let condition = |argument: u8, operator: SeccompCmpOp, value: u64| {
        SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)
            .map_err(|error| error.to_string())
    };
    for namespace in NAMESPACES {
        let made = condition(0, SeccompCmpOp::MaskedEq(namespace), namespace)?;
        rules.entry(nix::libc::SYS_clone).or_default().push(rule(vec![made])?);
    }
    if let Some(own) = own {
        let other = || condition(0, SeccompCmpOp::Ne, own.as_raw() as u64);
        let not_the_group = condition(0, SeccompCmpOp::Ne, 0)?;
        rules.insert(nix::libc::SYS_kill, vec![rule(vec![other()?, not_the_group])?]);
        for call in [
            nix::libc::SYS_tgkill,
            nix::libc::SYS_rt_sigqueueinfo,
            nix::libc::SYS_rt_tgsigqueueinfo,
        ] {
            rules.insert(call, vec![rule(vec![other()?])?]);
        }
        rules.insert(nix::libc::SYS_tkill, Vec::new());
        rules.insert(nix::libc::SYS_pidfd_send_signal, Vec::new());
    }
    // A filter sees arguments but not what they point to, and the flags of `clone3` are behind
    // a pointer. As an unknown call it makes the C library fall back to `clone`, whose flags
    // are an argument.
    let unknown: BTreeMap<i64, Vec<SeccompRule>> = [(nix::libc::SYS_clone3, Vec::new())].into();
    let filters = [program(unknown, nix::libc::ENOSYS)?, program(rules, nix::libc::EPERM)?];
    for filter in &filters {
        apply_filter(filter).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Flags of `clone` that make namespaces.
const NAMESPACES: [u64; 6] = [
    nix::libc::CLONE_NEWUSER as u64,
    nix::libc::CLONE_NEWPID as u64,
    nix::libc::CLONE_NEWNS as u64,
    nix::libc::CLONE_NEWNET as u64,
    nix::libc::CLONE_NEWIPC as u64,
    nix::libc::CLONE_NEWUTS as u64,
];

/// Calls for the network, other processes' memory, mounts, and the kernel itself.
/// `io_uring` is among them because its operations bypass seccomp.
const REFUSED_CALLS: [i64; 40] = [
    nix::libc::SYS_socket,
    nix::libc::SYS_ptrace,
    nix::libc::SYS_process_vm_readv,
    nix::libc::SYS_process_vm_writev,
    nix::libc::SYS_process_madvise,
    nix::libc::SYS_pidfd_getfd,
    nix::libc::SYS_mount,
    nix::libc::SYS_umount2,
    nix::libc::SYS_pivot_root,
    nix::libc::SYS_chroot,
    nix::libc::SYS_open_tree,
    nix::libc::SYS_move_mount,
    nix::libc::SYS_fsopen,
    nix::libc::SYS_fsconfig,
    nix::libc::SYS_fsmount,
    nix::libc::SYS_mount_setattr,
    nix::libc::SYS_unshare,
    nix::libc::SYS_setns,
    nix::libc::SYS_bpf,
    nix::libc::SYS_perf_event_open,
    nix::libc::SYS_userfaultfd,
    nix::libc::SYS_keyctl,
    nix::libc::SYS_add_key,
    nix::libc::SYS_request_key,
    nix::libc::SYS_io_uring_setup,
    nix::libc::SYS_io_uring_enter,
    nix::libc::SYS_io_uring_register,
    nix::libc::SYS_kexec_load,
    nix::libc::SYS_init_module,
    nix::libc::SYS_finit_module,
    nix::libc::SYS_delete_module,
    nix::libc::SYS_reboot,
    nix::libc::SYS_swapon,
    nix::libc::SYS_swapoff,
    nix::libc::SYS_settimeofday,
    nix::libc::SYS_clock_settime,
    nix::libc::SYS_syslog,
    nix::libc::SYS_acct,
    nix::libc::SYS_open_by_handle_at,
    nix::libc::SYS_quotactl,
];
