//! How this executable is asked to act as a stage of the sandbox.

/// The first argument of our executable when it is one of the processes between the arena and
/// a program.
pub(crate) const STAGE: &str = "__quintain_sandbox";
