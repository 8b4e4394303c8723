//! How programs are confined on this system.

use std::fmt;

#[cfg(target_os = "linux")]
use crate::sandbox::Sandbox;

/// How programs are confined here.
#[derive(Clone, Debug)]
pub(crate) enum Confinement {
    /// By the sandbox of Linux.
    #[cfg(target_os = "linux")]
    Sandbox(Sandbox),
    /// Not at all.
    None,
}

impl Confinement {
    /// Whether programs have a private root, in which they see copies of their files.
    pub(crate) fn has_private_root(&self) -> bool {
        match self {
            #[cfg(target_os = "linux")]
            Confinement::Sandbox(sandbox) => sandbox.protections.namespaces,
            Confinement::None => false,
        }
    }
}

/// What does not confine programs that run unconfined, in one sentence.
pub(crate) const UNCONFINED: &str = "programs run unconfined: they can read and write whatever you \
     can, and use the network; run only those that you trust (a WebAssembly module, wasm:FILE, \
     plays confined on every system)";

impl fmt::Display for Confinement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            #[cfg(target_os = "linux")]
            Confinement::Sandbox(sandbox) => write!(f, "confined by {}", sandbox.protections),
            Confinement::None => f.write_str("not confined: it runs as you do"),
        }
    }
}
