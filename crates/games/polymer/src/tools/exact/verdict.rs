//! The result of a search.

/// The result of a search for a walk above the target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExactVerdict {
    /// There is no such walk.
    None,
    /// There is this walk.
    Walk(Vec<u16>),
    /// Time was up before all walks were cut or tried.
    Open,
}
