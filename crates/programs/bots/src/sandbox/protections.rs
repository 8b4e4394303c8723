//! The kernel's means by which programs are confined. [`super::probe`] finds out whether they work.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::obstacle::Obstacle;
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
    /// missing if they cannot run, with what helps. `launcher` is the executable that confines
    /// them. Anything that is missing although they can run is passed to `warn`.
    pub(crate) fn require(
        self,
        wanted: Protection,
        launcher: &Path,
        warn: impl FnOnce(&str),
    ) -> Result<Protections, String> {
        let missing = self.missing();
        match wanted {
            Protection::Off | Protection::Unconfined => Ok(Protections::NONE),
            _ if missing.is_empty() => Ok(self),
            Protection::Full => Err(format!("{}; {}", missing.join(" and "), self.help(launcher))),
            Protection::Basic => {
                warn(&missing.join(" and without "));
                Ok(self)
            }
        }
    }

    /// What helps where something is missing, the best first.
    fn help(self, launcher: &Path) -> String {
        let obstacle = (!self.namespaces).then(|| self.obstacle.unwrap_or(Obstacle::Forbidden));
        let unstopped = [
            (!self.namespaces, "reading the names of your files and watching your processes"),
            (!self.landlock, "writing whatever you can"),
            (!self.seccomp, "attacking the kernel and using the network"),
        ];
        let unstopped = unstopped.iter().filter(|(is, _)| *is).map(|(_, what)| *what);
        let unstopped = unstopped.collect::<Vec<_>>().join(", or ");
        let ways = [
            obstacle.and_then(|obstacle| obstacle.cure(launcher)),
            Some(format!(
                "if you trust the programs to mean no harm, --sandbox basic confines them as far \
                 as this machine can, which does not stop them from {unstopped}"
            )),
            Some("or play modules of WebAssembly (wasm:FILE), which need none of this".to_owned()),
            obstacle.and_then(Obstacle::setting).map(|setting| {
                format!("or, for every program of the machine, as the last resort: {setting}")
            }),
        ];
        ways.into_iter().flatten().collect::<Vec<_>>().join("; ")
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

    /// The means that are missing, each with what programs can do without it.
    pub fn missing(self) -> Vec<String> {
        let reason = self.obstacle.unwrap_or(Obstacle::Forbidden).reason();
        let namespaces =
            format!("user namespaces ({reason}; programs can see your files and processes)");
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
    use nix::errno::Errno;

    use super::*;
    use crate::sandbox::obstacle::Surroundings;

    const EVERYTHING: Kernel = Kernel { obstacle: None, landlock: 3, seccomp: true, group: true };
    const FORBIDDEN: Option<Obstacle> = Some(Obstacle::Forbidden);

    /// Returns what programs run under, and what was warned of.
    fn decide(kernel: Kernel, wanted: Protection) -> (Result<String, String>, Option<String>) {
        let mut warned = None;
        let warn = |what: &str| warned = Some(what.to_owned());
        let launcher = Path::new("/opt/quintain");
        let decided = Protections::from(kernel).require(wanted, launcher, warn);
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
        assert!(refusal(kernel).starts_with("user namespaces (the system forbids them"));
        let (runs_under, warned) = basic(kernel);
        assert_eq!(runs_under, "landlock, seccomp");
        assert!(warned.starts_with("user namespaces"));
    }

    /// What is refused where these settings, files and environment variables are.
    fn refusal_where(error: Errno, settings: &[(&str, &str)], marks: &[&str]) -> String {
        let around = Surroundings {
            setting: &|path| {
                let found = settings.iter().find(|(name, _)| *name == path);
                found.map(|(_, value)| format!("{value}\n"))
            },
            exists: &|path| marks.contains(&path),
            is_set: &|name| marks.contains(&name),
        };
        let obstacle = Some(Obstacle::find(error, &around));
        refusal(Kernel { obstacle, ..EVERYTHING })
    }

    /// Checks that a text contains these pieces in this order, and none of the others.
    fn assert_order(text: &str, pieces: &[&str], others: &[&str]) {
        let places: Vec<_> = pieces.iter().map(|piece| text.find(piece)).collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?} in {text}");
        assert!(others.iter().all(|other| !text.contains(other)), "{text}");
    }

    const ARMOR: (&str, &str) = ("kernel/apparmor_restrict_unprivileged_userns", "1");

    #[test]
    fn where_apparmor_is_in_the_way_the_profile_comes_first_and_the_machine_last() {
        for error in [Errno::EPERM, Errno::EACCES] {
            let said = refusal_where(error, &[ARMOR], &[]);
            let order = [
                "AppArmor keeps them from ordinary users",
                "sudo /opt/quintain bot apparmor --install",
                "--sandbox basic",
                "does not stop them from reading the names of your files",
                "wasm:FILE",
                "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0",
            ];
            assert_order(&said, &order, &["docker"]);
        }
    }

    #[test]
    fn a_container_is_named_with_what_starts_it_otherwise_even_on_ubuntu() {
        let docker = "docker run --security-opt seccomp=unconfined";
        for (marks, reason, cure) in [
            (&["/.dockerenv"][..], "as Docker does", docker),
            (&["/run/.containerenv"], "Podman", "unmask=ALL"),
            (&["KUBERNETES_SERVICE_HOST"], "the pod", "seccompProfile Unconfined"),
            (&["KUBERNETES_SERVICE_HOST", "JUPYTERHUB_USER"], "JupyterHub", "procMount Unmasked"),
            (&["CODESPACES", "/.dockerenv"], "the codespace", ".devcontainer/devcontainer.json"),
            (&["JUPYTERHUB_USER"], "AppArmor", "bot apparmor --install"),
        ] {
            let said = refusal_where(Errno::EPERM, &[ARMOR], marks);
            assert_order(&said, &[reason, cure, "--sandbox basic", "wasm:FILE"], &[]);
            assert_eq!(said.contains("sysctl"), marks == ["JUPYTERHUB_USER"], "{said}");
        }
        assert_order(&refusal_where(Errno::EPERM, &[], &[]), &["the system forbids", docker], &[]);
    }

    #[test]
    fn the_message_names_the_setting_that_is_in_the_way_and_no_other() {
        let names = ["max_user", "max_.*", "unprivileged_userns_clone", "apparmor", "docker"];
        let found = |error, settings: &[(&str, &str)]| -> Vec<usize> {
            let said = refusal_where(error, settings, &[]);
            assert_order(&said, &["--sandbox basic", "wasm:FILE"], &[]);
            (0..names.len()).filter(|&name| said.contains(names[name])).collect()
        };
        let clone = ("kernel/unprivileged_userns_clone", "1");
        assert_eq!(found(Errno::ENOSPC, &[("user/max_user_namespaces", "0"), clone, ARMOR]), [0]);
        assert_eq!(found(Errno::ENOSPC, &[("user/max_user_namespaces", "5")]), [1]);
        assert_eq!(found(Errno::EPERM, &[("kernel/unprivileged_userns_clone", "0")]), [2]);
        assert_eq!(found(Errno::EACCES, &[clone, ARMOR]), [3]);
        assert_eq!(found(Errno::EINVAL, &[clone]), [0usize; 0]);
        let wsl = |release| refusal_where(Errno::EINVAL, &[("kernel/osrelease", release)], &[]);
        assert_order(&wsl("4.4.0-19041-Microsoft"), &["WSL 1", "wsl --set-version NAME 2"], &[]);
        assert_order(&wsl("6.6.1-microsoft-standard-WSL2"), &["built without them"], &["WSL"]);
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
