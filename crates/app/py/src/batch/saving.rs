//! The content of a pickled batch: what it was made from, the episodes in progress by their
//! actions, the results of the last step, and the position in its random draws.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use quintain_batch::{BatchOptions, SavedEpisode};

use crate::catalog::refuse;

/// A saved episode as Python pickles it: the first seed, the episodes since, the seed, the actions.
pub(crate) type PickledEpisode = (u64, u64, u64, Vec<u8>);

pub(crate) fn to_tuple(saved: SavedEpisode) -> PickledEpisode {
    (saved.origin, saved.renewals, saved.seed, saved.actions)
}

pub(crate) fn of_tuple((origin, renewals, seed, actions): PickledEpisode) -> SavedEpisode {
    SavedEpisode { origin, renewals, seed, actions }
}

/// What a batch was made from, besides game, scenario and count.
pub(super) struct BatchSettings {
    pub(super) threads: Option<usize>,
    pub(super) observe: bool,
    pub(super) masks: bool,
    pub(super) options: BatchOptions,
}

impl BatchSettings {
    /// The keyword arguments that make a batch like this.
    pub(super) fn keywords<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let keywords = PyDict::new(py);
        let BatchSettings { threads, observe, masks, options } = self;
        let opponents = &options.opponents;
        keywords.set_item("threads", threads)?;
        keywords.set_item("observe", observe)?;
        keywords.set_item("masks", masks)?;
        keywords.set_item("encoding", &options.encoding)?;
        keywords.set_item("opponent", (!opponents.is_empty()).then_some(opponents))?;
        keywords.set_item("seat", options.seat)?;
        keywords.set_item("budget", options.budget.to_string())?;
        keywords.set_item("autoreset", options.autoreset)?;
        Ok(keywords)
    }
}

/// The state of a batch, besides what it was made from.
pub(super) struct BatchProgress<'py> {
    pub(super) episodes: Vec<SavedEpisode>,
    /// The arrays that only steps write.
    pub(super) arrays: Bound<'py, PyTuple>,
    /// Where the next random draws begin; missing in older pickles.
    pub(super) draws: Option<u64>,
}

impl<'py> BatchProgress<'py> {
    pub(super) fn into_python(self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let episodes: Vec<PickledEpisode> = self.episodes.into_iter().map(to_tuple).collect();
        (episodes, self.arrays, self.draws).into_pyobject(py)
    }

    pub(super) fn of_python(state: &Bound<'py, PyTuple>) -> PyResult<BatchProgress<'py>> {
        if !(2..=3).contains(&state.len()) {
            return Err(refuse("this is not the pickle of a batch"));
        }
        let episodes: Vec<PickledEpisode> = state.get_item(0)?.extract()?;
        let draws = state.get_item(2).ok().map(|draws| draws.extract()).transpose()?;
        Ok(BatchProgress {
            episodes: episodes.into_iter().map(of_tuple).collect(),
            arrays: state.get_item(1)?.cast_into()?,
            draws,
        })
    }
}
