//! How programs are to be confined, as it is asked for.

use serde::{Deserialize, Serialize};

/// How much protection is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protection {
    /// None: programs run as the user does, with the few limits that every system has.
    Unconfined,
    /// Nothing but limits, which a supervisor enforces (on Linux).
    Off,
    /// Whatever the kernel offers: for programs that mean no harm but may be broken.
    Basic,
    /// Everything; otherwise the program is not run (on Linux).
    Full,
}

impl Default for Protection {
    /// Where there is a sandbox, everything; elsewhere, nothing.
    fn default() -> Protection {
        if cfg!(target_os = "linux") { Protection::Full } else { Protection::Unconfined }
    }
}
