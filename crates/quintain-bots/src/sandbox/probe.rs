//! What this kernel gives to confine programs with. It is found out by trying, in a
//! process of its own.

use std::fmt;
use std::path::Path;
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

use super::{STAGE, confine, hold};

/// What confines programs here.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Protections {
    /// Namespaces of their own: processes, network, mounts, users.
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

    /// Tries what there is, by starting `launcher`.
    pub fn probe(launcher: &Path) -> Protections {
        let tried = Command::new(launcher)
            .args([STAGE, "probe"])
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output();
        tried
            .ok()
            .and_then(|output| serde_json::from_slice(&output.stdout).ok())
            .unwrap_or(Protections::NONE)
    }

    /// What is missing here, and what that means; empty if nothing is.
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

/// Tries each protection on this process and prints what worked.
pub(super) fn answer() {
    // Landlock forbids mounting, so namespaces are tried first; a mount in them shows
    // whether they can be used.
    let found = Protections {
        namespaces: hold::enter_namespaces().is_ok(),
        landlock: confine::landlock_is_there(),
        seccomp: confine::refuse_system_calls(None).is_ok(),
    };
    println!("{}", serde_json::to_string(&found).expect("plain flags have a JSON form"));
}
