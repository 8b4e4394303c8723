//! Searches of `quintain-search` on games written in Python. They are slower than on our games,
//! since the interpreter is asked for every position, action and score.
//!
//! | | |
//! |---|---|
//! | [`rules`] | a Python object as the rules of a game |
//! | [`tree`] | UCT |
//! | [`plans`] | beam search and NRPA, for one seat |

mod plans;
mod rules;
mod tree;

pub(crate) use plans::{beam, nrpa};
pub(crate) use tree::uct;
