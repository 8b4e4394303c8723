//! Which of the kernel's means confine programs. Whether they work is found out in
//! [`super::probe`].

use std::fmt;

use serde::{Deserialize, Serialize};

/// The kernel's means of confining a program, and which of them are used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Protections {
    /// Namespaces: own processes, no network, own mounts, own users.
    pub namespaces: bool,
    /// Landlock: which files may be read and written.
    pub landlock: bool,
    /// Seccomp: which system calls are refused.
    pub seccomp: bool,
}

impl Protections {
    /// No protection at all.
    pub const NONE: Protections =
        Protections { namespaces: false, landlock: false, seccomp: false };

    /// The means that are missing, each with what that lets programs do and how to get it.
    pub fn missing(self) -> Vec<&'static str> {
        let all = [
            (
                self.namespaces,
                "user namespaces (programs see your files and processes; allow them with \
                 `sysctl kernel.unprivileged_userns_clone=1` or \
                 `kernel.apparmor_restrict_unprivileged_userns=0`, or in a container with \
                 `--security-opt seccomp=unconfined --security-opt systempaths=unconfined`)",
            ),
            (
                self.landlock,
                "Landlock of Linux 6.2 or newer (programs write whatever you may; add `landlock` \
                 to the kernel's `lsm=` option)",
            ),
            (self.seccomp, "seccomp (programs make any system call)"),
        ];
        all.into_iter().filter(|(there, _)| !there).map(|(_, name)| name).collect()
    }
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
