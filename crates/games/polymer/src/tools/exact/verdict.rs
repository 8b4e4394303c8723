//! The answer of a search.

/// What a search for a walk above the target came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExactVerdict {
    /// There is none.
    None,
    /// There is this one.
    Walk(Vec<u16>),
    /// Time was up before all walks were cut or tried.
    Open,
}
