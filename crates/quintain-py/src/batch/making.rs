//! What batches and environments are made of: a game's states by its name and its options.

use std::ffi::CString;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use quintain_core::{AnyBatch, BatchOptions};

use crate::catalog::{find_game, refuse};

/// How the states of a batch or of one environment are asked for.
pub(crate) struct Wanted<'a> {
    pub(crate) game: &'a str,
    pub(crate) scenario: Option<&'a str>,
    pub(crate) encoding: Option<&'a str>,
    pub(crate) letters: bool,
    pub(crate) opponent: Option<Players>,
    pub(crate) seat: Option<usize>,
    pub(crate) budget: &'a str,
    pub(crate) autoreset: bool,
    /// Has them give up what they do, when it is set.
    pub(crate) stop: Option<Arc<AtomicBool>>,
}

/// States of a game by its name, none of them begun; the game's name and the scenario's
/// canonical text. With `autoreset`, an episode that ends is followed by the next at once.
pub(crate) fn make_batch(
    wanted: Wanted<'_>,
) -> PyResult<(Box<dyn AnyBatch>, &'static str, String)> {
    let (entry, scenario) = find_game(wanted.game, wanted.scenario)?;
    let encoding = match wanted.encoding {
        Some(_) if wanted.letters => {
            return Err(refuse("letters=True is encoding=\"letters\": give one of them"));
        }
        None if wanted.letters => Some("letters"),
        named => named,
    };
    let opponents = match wanted.opponent {
        None if wanted.seat.is_some() || !wanted.budget.is_empty() => {
            let ineffective = if wanted.seat.is_some() { "seat" } else { "budget" };
            return Err(refuse(format!(
                "{ineffective}: there are no opponents; name one, such as opponent=\"random\""
            )));
        }
        None => Vec::new(),
        Some(players) => players.all(),
    };
    let mut options = BatchOptions::default();
    options.encoding = encoding.map(str::to_owned);
    options.autoreset = wanted.autoreset;
    options.opponents = opponents;
    options.seat = wanted.seat;
    options.budget = wanted.budget.parse().map_err(refuse)?;
    options.stop = wanted.stop;
    let (batch, text) = entry.batch(&scenario, &options).map_err(refuse)?;
    Ok((batch, entry.name(), text))
}

/// The scenario of a state's episode, as `Game` takes it: with the instance that it plays.
pub(crate) fn scenario_of(scenario: &str, states: &dyn AnyBatch, index: usize) -> String {
    match states.instance(index) {
        None => scenario.to_owned(),
        Some((parameter, value)) => {
            let joined = if scenario.contains('?') { '&' } else { '?' };
            format!("{scenario}{joined}{parameter}={value}")
        }
    }
}

/// Says that all episodes begin alike, where they do.
pub(crate) fn warn_of_sameness(
    py: Python<'_>,
    states: &dyn AnyBatch,
    game: &str,
    scenario: &str,
) -> PyResult<()> {
    if states.depends_on_seed() {
        return Ok(());
    }
    let text = CString::new(format!(
        "{game}:{scenario}: nothing depends on the seed: every episode begins alike, and nothing \
         in it is left to chance. Game(\"{game}\").scenarios lists others"
    ))?;
    let category = py.import("quintain.warning")?.getattr("SeedWarning")?;
    PyErr::warn(py, &category, &text, 2)
}

/// One player or several, in text.
pub(crate) struct Players(pub(crate) Vec<String>);

impl Players {
    pub(crate) fn all(&self) -> Vec<String> {
        self.0.clone()
    }
}

/// Reads `opponent`: a text, a list of them, or None.
pub(crate) fn optional_opponent(given: &Bound<'_, PyAny>) -> PyResult<Option<Players>> {
    if given.is_none() {
        return Ok(None);
    }
    if let Ok(one) = given.cast::<PyString>() {
        return Ok(Some(Players(vec![one.extract()?])));
    }
    let Ok(several) = given.extract::<Vec<String>>() else {
        return Err(PyTypeError::new_err(format!(
            "opponent={}: expected players of the roster in text, such as “random”; for policies of \
             yours there are opponent=\"self\" and quintain.pettingzoo",
            given.repr()?
        )));
    };
    if several.is_empty() {
        return Err(refuse("opponent=[]: expected at least one player, such as “random”"));
    }
    Ok(Some(Players(several)))
}
