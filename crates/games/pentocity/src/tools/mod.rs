//! The tools of `quintain` for pentocity beyond matches: scoring recorded games, and the search for
//! an adversarial distribution of requests.

mod adversary;
mod score;

pub(crate) use adversary::adversary_tool;
pub(crate) use score::score_tool;
