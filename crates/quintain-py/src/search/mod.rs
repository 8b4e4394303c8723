//! Searches of `quintain-search` on games written in Python: slower than on ours, since every
//! position, action and score is asked of the interpreter.
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
