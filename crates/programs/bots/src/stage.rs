//! How this executable is asked to act as a process of our own that stands between the arena and a
//! program, or looks after the arena's temporary folder.

/// The first argument of our executable when it is one of those processes.
pub(crate) const STAGE: &str = "__quintain_sandbox";
