//! The kernel's means by which programs are confined. [`super::probe`] finds out whether they work.

use std::fmt;

use nix::errno::Errno;
use serde::{Deserialize, Serialize};

use crate::protection::Protection;

/// The kernel's means of confining a program, and which of them are used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Protections {
    /// Namespaces: the program's own processes, mounts and users, and no network.
    pub namespaces: bool,
    /// Landlock: which files may be read and written.
    pub landlock: bool,
    /// Seccomp: which system calls are refused.
    pub seccomp: bool,
    /// A control group for each program: its processor time is counted exactly, and all of its
    /// processes are frozen as one. Few users may have them, and nothing depends on them.
    pub group: bool,
    /// Why there are no namespaces, if that is known.
    #[serde(skip)]
    pub(super) obstacle: Option<Obstacle>,
}

/// Why namespaces cannot be had; each has a cure of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum Obstacle {
    /// The machine allows none.
    NoneAllowed,
    /// There are as many as the machine allows.
    AllInUse,
    /// AppArmor keeps them from ordinary users.
    AppArmor,
    /// A setting of Debian's kernels keeps them from ordinary users.
    NotForUsers,
    /// The kernel was built without them.
    NotBuilt,
    /// Something else forbids them, such as a container.
    Forbidden,
}

impl Obstacle {
    /// Finds the obstacle by the system's error, and by its settings, which `read` reads by their
    /// path below /proc/sys.
    pub(super) fn find(error: Errno, read: impl Fn(&str) -> Option<String>) -> Obstacle {
        let is = |path: &str, value: &str| read(path).is_some_and(|text| text.trim() == value);
        match error {
            Errno::ENOSPC | Errno::EUSERS if is("user/max_user_namespaces", "0") => {
                Obstacle::NoneAllowed
            }
            Errno::ENOSPC | Errno::EUSERS => Obstacle::AllInUse,
            Errno::ENOSYS | Errno::EINVAL => Obstacle::NotBuilt,
            _ if is("kernel/unprivileged_userns_clone", "0") => Obstacle::NotForUsers,
            _ if is("kernel/apparmor_restrict_unprivileged_userns", "1") => Obstacle::AppArmor,
            _ => Obstacle::Forbidden,
        }
    }

    /// What is in the way, and what removes it.
    fn cure(self) -> &'static str {
        match self {
            Obstacle::NoneAllowed => {
                "user.max_user_namespaces is 0: `sysctl user.max_user_namespaces=10000`"
            }
            Obstacle::AllInUse => {
                "all that the machine allows are in use, or one kind is not allowed: raise the \
                 settings `sysctl -a | grep user.max_.*_namespaces`"
            }
            Obstacle::AppArmor => {
                "AppArmor forbids them: `sysctl kernel.apparmor_restrict_unprivileged_userns=0`"
            }
            Obstacle::NotForUsers => {
                "only root may create them: `sysctl kernel.unprivileged_userns_clone=1`"
            }
            Obstacle::NotBuilt => "this kernel was built without them",
            Obstacle::Forbidden => {
                "the system forbids them; in a container, start it with `--security-opt \
                 seccomp=unconfined --security-opt systempaths=unconfined`"
            }
        }
    }
}

/// What the kernel offers, as far as that could be found out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Kernel {
    /// Why namespaces cannot be entered, with a mount in them, if they cannot.
    pub(super) obstacle: Option<Obstacle>,
    /// The version of Landlock, up to 3; 0 means none.
    pub(super) landlock: u32,
    /// Whether a filter of system calls can be applied.
    pub(super) seccomp: bool,
    /// Whether a process in namespaces can enter a control group that was made outside.
    pub(super) group: bool,
}

/// The oldest version of Landlock that counts as protection: before the third (Linux 6.2), a file
/// that may not be written could still be emptied by `truncate`.
const OLDEST_LANDLOCK: u32 = 3;

impl From<Kernel> for Protections {
    fn from(kernel: Kernel) -> Protections {
        Protections {
            namespaces: kernel.obstacle.is_none(),
            obstacle: kernel.obstacle,
            landlock: kernel.landlock >= OLDEST_LANDLOCK,
            seccomp: kernel.seccomp,
            // Without namespaces nobody makes one.
            group: kernel.group && kernel.obstacle.is_none(),
        }
    }
}

impl Protections {
    /// No protection at all.
    pub const NONE: Protections = Protections {
        namespaces: false,
        landlock: false,
        seccomp: false,
        group: false,
        obstacle: None,
    };

    /// Returns the protections that programs run under here if `wanted` is asked for, or what is
    /// missing if they cannot run. Anything that is missing although they can run is passed to
    /// `warn`.
    pub(crate) fn require(
        self,
        wanted: Protection,
        warn: impl FnOnce(&str),
    ) -> Result<Protections, String> {
        let missing = self.missing();
        match wanted {
            Protection::Off | Protection::Unconfined => Ok(Protections::NONE),
            _ if missing.is_empty() => Ok(self),
            Protection::Full => Err(missing.join(" and ")),
            Protection::Basic => {
                warn(&missing.join(" and without "));
                Ok(self)
            }
        }
    }

    /// What confines programs here beside limits, in words, and what does not that some system
    /// has, with what follows from that.
    pub fn describe(self) -> [Vec<&'static str>; 2] {
        let all = [
            (
                self.namespaces,
                "namespaces of users, processes, mounts, network, IPC and host name",
                "namespaces (programs can see your files and processes)",
            ),
            (self.namespaces, "a private root", "a private root (programs can name your files)"),
            (self.namespaces, "no capabilities", "no capabilities"),
            (self.landlock, "Landlock", "Landlock (programs can write what you can)"),
            (self.seccomp, "a list of system calls (seccomp)", "a list of system calls"),
            (
                can_be_first_to_end(),
                "ending before the arena when memory runs out (oom_score_adj)",
                "oom_score_adj (when memory runs out, the arena may end)",
            ),
            (
                self.group,
                "a control group (exact processor time, freezing)",
                "a control group (some 20 ms of what ended processes used may go uncharged; \
                 programs are stopped by signals)",
            ),
            (
                false,
                "",
                "limits of a control group (memory and processes are counted every 20 ms instead)",
            ),
            (false, "", "a user for each program (they share what the kernel allows a user)"),
            (false, "", "a time namespace (programs see how long the machine has run)"),
        ];
        let in_force = all.iter().filter(|(is, ..)| *is).map(|(_, there, _)| *there);
        let missing = all.iter().filter(|(is, ..)| !is).map(|(.., missing)| *missing);
        [in_force.collect(), missing.collect()]
    }

    /// The means that are missing, each with what programs can do without it and how to get it.
    pub fn missing(self) -> Vec<String> {
        let cure = self.obstacle.unwrap_or(Obstacle::Forbidden).cure();
        let namespaces = format!(
            "user namespaces (programs can see your files and processes; {cure}; where you are not \
             root, modules of WebAssembly, wasm:FILE, play without them)"
        );
        let all = [
            (self.namespaces, namespaces.as_str()),
            (
                self.landlock,
                "Landlock of Linux 6.2 or newer (programs can write whatever you can; add \
                 `landlock` to the kernel's `lsm=` option)",
            ),
            (self.seccomp, "seccomp (programs can make any system call)"),
        ];
        let missing = all.into_iter().filter(|(there, _)| !there);
        missing.map(|(_, name)| name.to_owned()).collect()
    }
}

/// Whether a process may say that the kernel is to end it first when memory runs out.
fn can_be_first_to_end() -> bool {
    std::fs::File::options().write(true).open("/proc/self/oom_score_adj").is_ok()
}

impl fmt::Display for Protections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = [
            (self.namespaces, "namespaces"),
            (self.landlock, "landlock"),
            (self.seccomp, "seccomp"),
        ];
        let there: Vec<_> = all.iter().filter(|(there, _)| *there).map(|(_, name)| *name).collect();
        f.write_str(if there.is_empty() { "nothing" } else { "" })?;
        f.write_str(&there.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVERYTHING: Kernel = Kernel { obstacle: None, landlock: 3, seccomp: true, group: true };
    const FORBIDDEN: Option<Obstacle> = Some(Obstacle::Forbidden);

    /// Returns what programs run under, and what was warned of.
    fn decide(kernel: Kernel, wanted: Protection) -> (Result<String, String>, Option<String>) {
        let mut warned = None;
        let warn = |what: &str| warned = Some(what.to_owned());
        let decided = Protections::from(kernel).require(wanted, warn);
        (decided.map(|protections| protections.to_string()), warned)
    }

    fn refusal(kernel: Kernel) -> String {
        decide(kernel, Protection::Full).0.unwrap_err()
    }

    fn basic(kernel: Kernel) -> (String, String) {
        let (runs_under, warned) = decide(kernel, Protection::Basic);
        (runs_under.unwrap(), warned.unwrap())
    }

    #[test]
    fn a_new_kernel_gives_everything_and_no_warning() {
        for wanted in [Protection::Full, Protection::Basic] {
            let all = "namespaces, landlock, seccomp".to_owned();
            assert_eq!(decide(EVERYTHING, wanted), (Ok(all), None));
        }
    }

    #[test]
    fn a_container_without_user_namespaces_runs_nothing_by_default() {
        let kernel = Kernel { obstacle: FORBIDDEN, ..EVERYTHING };
        assert!(refusal(kernel).starts_with("user namespaces (programs can see your files"));
        let (runs_under, warned) = basic(kernel);
        assert_eq!(runs_under, "landlock, seccomp");
        assert!(warned.starts_with("user namespaces"));
    }

    #[test]
    fn the_message_names_the_setting_that_is_in_the_way_and_no_other() {
        let names = ["max_user", "max_.*", "unprivileged_userns_clone", "apparmor", "container"];
        let found = |error, settings: &[(&str, &str)]| -> Vec<usize> {
            let read = |path: &str| {
                let found = settings.iter().find(|(name, _)| *name == path);
                found.map(|(_, value)| format!("{value}\n"))
            };
            let obstacle = Some(Obstacle::find(error, read));
            let said = refusal(Kernel { obstacle, ..EVERYTHING });
            assert!(said.contains("wasm:FILE"), "{said}");
            (0..names.len()).filter(|&name| said.contains(names[name])).collect()
        };
        let clone = ("kernel/unprivileged_userns_clone", "1");
        let armor = ("kernel/apparmor_restrict_unprivileged_userns", "1");
        assert_eq!(found(Errno::ENOSPC, &[("user/max_user_namespaces", "0"), clone, armor]), [0]);
        assert_eq!(found(Errno::ENOSPC, &[("user/max_user_namespaces", "5")]), [1]);
        assert_eq!(found(Errno::EPERM, &[("kernel/unprivileged_userns_clone", "0")]), [2]);
        assert_eq!(found(Errno::EACCES, &[clone, armor]), [3]);
        assert_eq!(found(Errno::EPERM, &[clone]), [4]);
    }

    #[test]
    fn linux_5_13_to_6_1_runs_nothing_by_default_and_basic_does_without_its_landlock() {
        for landlock in [1, 2] {
            let kernel = Kernel { landlock, ..EVERYTHING };
            assert!(refusal(kernel).starts_with("Landlock of Linux 6.2 or newer"));
            assert_eq!(basic(kernel).0, "namespaces, seccomp");
        }
    }

    #[test]
    fn without_landlock_or_seccomp_basic_runs_programs_under_the_rest() {
        assert_eq!(basic(Kernel { landlock: 0, ..EVERYTHING }).0, "namespaces, seccomp");
        let kernel = Kernel { seccomp: false, ..EVERYTHING };
        assert!(refusal(kernel).starts_with("seccomp (programs can make any system call"));
        assert_eq!(basic(kernel).0, "namespaces, landlock");
        let nothing = Kernel { obstacle: FORBIDDEN, landlock: 0, seccomp: false, group: true };
        for means in ["user namespaces", "Landlock", "seccomp"] {
            assert!(refusal(nothing).contains(means) && basic(nothing).1.contains(means));
        }
        assert_eq!(basic(nothing).0, "nothing");
    }

    #[test]
    fn protections_in_force_and_missing_ones_are_listed_separately() {
        let of = |kernel: Kernel| Protections::from(kernel).describe().map(|list| list.join("; "));
        let [in_force, missing] = of(EVERYTHING);
        for means in ["namespaces", "Landlock", "seccomp", "a control group"] {
            assert!(in_force.contains(means), "{in_force}");
        }
        assert!(missing.starts_with("limits of a control group"), "{missing}");
        let [in_force, missing] = of(Kernel { obstacle: FORBIDDEN, ..EVERYTHING });
        assert!(!in_force.contains("namespaces") && in_force.starts_with("Landlock"), "{in_force}");
        assert!(missing.contains("signals") && missing.starts_with("namespaces"), "{missing}");
    }

    #[test]
    fn trusted_programs_run_under_limits_alone() {
        assert_eq!(decide(EVERYTHING, Protection::Off), (Ok("nothing".to_owned()), None));
    }
}
