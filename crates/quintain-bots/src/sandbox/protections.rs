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

    /// The means that are missing, each with what that lets programs do.
    pub fn missing(self) -> Vec<&'static str> {
        let all = [
            (self.namespaces, "namespaces (programs see other processes and the network)"),
            (self.landlock, "Landlock (programs read and write whatever you may)"),
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
