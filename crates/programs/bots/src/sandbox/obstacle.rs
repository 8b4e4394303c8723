//! Why namespaces cannot be had on a machine, and what helps. Everything is found out by what the
//! system shows to ordinary users: its settings, and the marks that containers and the services
//! around them leave.

use std::path::Path;

use nix::errno::Errno;
use serde::{Deserialize, Serialize};

use super::apparmor;

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
    /// The first version of WSL has no kernel of its own.
    Wsl1,
    /// A codespace of GitHub, which is a container of Docker.
    Codespaces,
    /// A server of JupyterHub, usually a container.
    JupyterHub,
    /// A pod of Kubernetes.
    Kubernetes,
    /// A container of Podman.
    Podman,
    /// A container of Docker, or one that leaves Docker's mark.
    Docker,
    /// Something else forbids them.
    Forbidden,
}

/// What of a machine is looked at.
pub(super) struct Surroundings<'a> {
    /// Reads a setting, by its path below /proc/sys.
    pub(super) setting: &'a dyn Fn(&str) -> Option<String>,
    /// Whether there is a file.
    pub(super) exists: &'a dyn Fn(&str) -> bool,
    /// Whether there is an environment variable.
    pub(super) is_set: &'a dyn Fn(&str) -> bool,
}

impl Surroundings<'static> {
    /// Those of this process.
    pub(super) fn here() -> Surroundings<'static> {
        Surroundings {
            setting: &|path| std::fs::read_to_string(Path::new("/proc/sys").join(path)).ok(),
            exists: &|path| Path::new(path).exists(),
            is_set: &|name| std::env::var_os(name).is_some(),
        }
    }
}

impl Obstacle {
    /// Finds the obstacle by the system's error and by what is around.
    pub(super) fn find(error: Errno, around: &Surroundings<'_>) -> Obstacle {
        let is = |path: &str, value: &str| {
            (around.setting)(path).is_some_and(|text| text.trim() == value)
        };
        let kernel = (around.setting)("kernel/osrelease").unwrap_or_default();
        match error {
            Errno::ENOSPC | Errno::EUSERS if is("user/max_user_namespaces", "0") => {
                Obstacle::NoneAllowed
            }
            Errno::ENOSPC | Errno::EUSERS => Obstacle::AllInUse,
            // The second version's kernel says `microsoft-standard-WSL2`.
            Errno::ENOSYS | Errno::EINVAL if kernel.trim().ends_with("-Microsoft") => {
                Obstacle::Wsl1
            }
            Errno::ENOSYS | Errno::EINVAL => Obstacle::NotBuilt,
            _ if is("kernel/unprivileged_userns_clone", "0") => Obstacle::NotForUsers,
            // A container shows the settings of its machine, and is what has to be changed.
            _ => Obstacle::find_container(around).unwrap_or(
                match is("kernel/apparmor_restrict_unprivileged_userns", "1") {
                    true => Obstacle::AppArmor,
                    false => Obstacle::Forbidden,
                },
            ),
        }
    }

    fn find_container(around: &Surroundings<'_>) -> Option<Obstacle> {
        let (is_set, exists) = (around.is_set, around.exists);
        let is_container = exists("/.dockerenv")
            || exists("/run/.containerenv")
            || is_set("KUBERNETES_SERVICE_HOST");
        if is_set("CODESPACES") {
            return Some(Obstacle::Codespaces);
        }
        // A hub may also start servers as plain processes of a machine.
        if is_container && is_set("JUPYTERHUB_USER") {
            return Some(Obstacle::JupyterHub);
        }
        let marks = [
            (is_set("KUBERNETES_SERVICE_HOST"), Obstacle::Kubernetes),
            (exists("/run/.containerenv"), Obstacle::Podman),
            (exists("/.dockerenv"), Obstacle::Docker),
        ];
        marks.into_iter().find(|(is_there, _)| *is_there).map(|(_, container)| container)
    }

    /// What is in the way.
    pub(super) fn reason(self) -> &'static str {
        match self {
            Obstacle::NoneAllowed => "user.max_user_namespaces is 0",
            Obstacle::AllInUse => {
                "all that the machine allows are in use, or one kind is not allowed"
            }
            Obstacle::AppArmor => "AppArmor keeps them from ordinary users, as on Ubuntu 24.04",
            Obstacle::NotForUsers => {
                "kernel.unprivileged_userns_clone is 0: only root may create them"
            }
            Obstacle::NotBuilt => "this kernel was built without them",
            Obstacle::Wsl1 => "WSL 1 has none",
            Obstacle::Codespaces => "the codespace's container forbids them",
            Obstacle::JupyterHub => "the container of this JupyterHub server forbids them",
            Obstacle::Kubernetes => "the pod forbids them",
            Obstacle::Podman => "this container of Podman forbids them",
            Obstacle::Docker => "this container forbids them, as Docker does by default",
            Obstacle::Forbidden => "the system forbids them",
        }
    }

    /// What gives namespaces to `executable` alone, or to this container, if anything does.
    pub(super) fn cure(self, executable: &Path) -> Option<String> {
        const DOCKER: &str = "--security-opt seccomp=unconfined --security-opt \
                              apparmor=unconfined --security-opt systempaths=unconfined";
        Some(match self {
            Obstacle::AppArmor => format!(
                "allow them to this executable by a profile, once: {}",
                apparmor::command(executable)
            ),
            Obstacle::Docker | Obstacle::Forbidden => {
                format!("in a container, start it with docker run {DOCKER}")
            }
            Obstacle::Podman => "start it with podman run --security-opt seccomp=unconfined \
                                 --security-opt unmask=ALL --security-opt label=disable"
                .to_owned(),
            Obstacle::Codespaces => format!(
                "put {DOCKER} into runArgs of .devcontainer/devcontainer.json, an element for each \
                 word, and rebuild the codespace"
            ),
            Obstacle::Wsl1 => "convert the distribution: wsl --set-version NAME 2".to_owned(),
            Obstacle::Kubernetes | Obstacle::JupyterHub => {
                "whoever runs it can give its container seccompProfile Unconfined, procMount \
                 Unmasked and hostUsers false"
                    .to_owned()
            }
            Obstacle::NoneAllowed
            | Obstacle::AllInUse
            | Obstacle::NotForUsers
            | Obstacle::NotBuilt => return None,
        })
    }

    /// The setting of the whole machine that gives namespaces to everybody: the last resort.
    pub(super) fn setting(self) -> Option<&'static str> {
        match self {
            Obstacle::NoneAllowed => Some("sudo sysctl user.max_user_namespaces=10000"),
            Obstacle::AllInUse => {
                Some("raise what `sysctl -a | grep user.max_.*_namespaces` prints")
            }
            Obstacle::AppArmor => {
                Some("sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0")
            }
            Obstacle::NotForUsers => Some("sudo sysctl kernel.unprivileged_userns_clone=1"),
            _ => None,
        }
    }
}
