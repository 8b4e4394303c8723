//! Quintain for Python, as the extension module `quintain._quintain`. What users import is the
//! package around it (`python/quintain`), which adds the interfaces of Gymnasium and PettingZoo.
//!
//! | in Python | here |
//! |---|---|
//! | thousands of states stepped into NumPy arrays | [`batch`] |
//! | one environment | [`single`] |
//! | games, matches, records | [`game`], [`matches`], [`record`] |
//! | players written in Python, and ours asked from there | [`player`], [`adviser`] |
//! | observations as arrays | [`encoder`] |
//! | tournaments, tuning | [`tournament`], [`results`], [`tune`] |
//! | Ctrl-C during any of them | [`interrupt`], [`calls`] |
//! | errors for numbers out of range and states beyond the memory | [`arguments`], [`memory`] |
//! | searches on games written in Python | [`search`] |
//! | the command in the same file, for wheels that are handed out (feature `command`) | `command` |
//!
//! Nothing is decided here: rules, players and statistics are those of the other crates. Every
//! error is an exception with one line; no call holds the interpreter while it works.

mod adviser;
mod arguments;
mod batch;
mod calls;
mod catalog;
#[cfg(feature = "command")]
mod command;
mod encoder;
mod game;
mod interrupt;
mod json;
mod matches;
mod memory;
mod pickle;
mod picture;
mod player;
mod record;
mod results;
mod search;
mod single;
mod tournament;
mod tune;

use pyo3::prelude::*;

/// The extension module.
#[pymodule]
mod _quintain {
    #[pymodule_export]
    use crate::adviser::Adviser;
    #[pymodule_export]
    use crate::batch::{Batch, note_fork};
    #[pymodule_export]
    use crate::encoder::Encoder;
    #[pymodule_export]
    use crate::game::{Game, games, scenario_set};
    #[pymodule_export]
    use crate::matches::{Match, restore_match};
    #[pymodule_export]
    use crate::player::Question;
    #[pymodule_export]
    use crate::record::{Record, Replay, load_records};
    #[pymodule_export]
    use crate::results::{Results, restore_results};
    #[pymodule_export]
    use crate::search::{beam, nrpa, uct};
    #[pymodule_export]
    use crate::single::{Single, restore_single};
    #[pymodule_export]
    use crate::tournament::tournament;
    #[pymodule_export]
    use crate::tune::tune;

    /// The version of what is compiled, for a package without metadata.
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "it is Python's name")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
