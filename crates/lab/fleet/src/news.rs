//! What there is to say about a run while it is played, for the process that has it played.

use std::collections::BTreeMap;

/// What there is to say about a run while it is played.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RunNews {
    /// Programs that do not start, and workers that were put aside or shut out: a line each.
    pub troubles: Vec<String>,
    /// How many matches of each machine were kept.
    pub played_by: BTreeMap<String, u64>,
}
