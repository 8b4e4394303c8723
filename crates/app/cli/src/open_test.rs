//! What workers' server is asked about a test in the queue.

/// A test that waits to be played, or is being played.
#[cfg_attr(not(feature = "fleet"), allow(dead_code, reason = "there are no workers to ask"))]
pub(crate) struct OpenTest {
    pub(crate) number: i64,
    /// What workers call its matches, once they are handed out.
    pub(crate) played_as: Option<String>,
    /// Whether programs play that are sent to workers.
    pub(crate) has_programs: bool,
}
