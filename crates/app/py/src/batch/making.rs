//! Makes the states of a game for batches and environments, by its name and options.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use quintain_batch::{AnyBatch, BatchOptions};

use crate::catalog::{find_game, refuse, warn_of_one_problem};

/// The options of states, as requested: one seat learns if there is an opponent, otherwise all do.
pub(crate) fn options_of(
    encoding: Option<&str>,
    letters: bool,
    opponent: Option<Vec<String>>,
    seat: Option<usize>,
    budget: &str,
) -> PyResult<BatchOptions> {
    let encoding = match encoding {
        Some(_) if letters => {
            return Err(refuse("letters=True means encoding=\"letters\": give only one of them"));
        }
        None if letters => Some("letters"),
        named => named,
    };
    if opponent.is_none() && (seat.is_some() || !budget.is_empty()) {
        let ineffective = if seat.is_some() { "seat" } else { "budget" };
        return Err(refuse(format!(
            "{ineffective}: there are no opponents; name one, such as opponent=\"random\""
        )));
    }
    let mut options = BatchOptions::default();
    options.encoding = encoding.map(str::to_owned);
    options.opponents = opponent.unwrap_or_default();
    options.seat = seat;
    options.budget = budget.parse().map_err(refuse)?;
    Ok(options)
}

/// Makes states of a game by its name, none of them begun. Also returns the game's name and the
/// scenario's canonical text.
pub(crate) fn make_batch(
    game: &str,
    scenario: Option<&str>,
    options: &BatchOptions,
) -> PyResult<(Box<dyn AnyBatch>, &'static str, String)> {
    let (entry, scenario) = find_game(game, scenario)?;
    let (batch, text) = quintain_batch::make_batch(entry, &scenario, options).map_err(refuse)?;
    Ok((batch, entry.name(), text))
}

/// The scenario of a state's episode, as `Game` takes it: including the instance that is played.
pub(crate) fn scenario_of(scenario: &str, states: &dyn AnyBatch, index: usize) -> String {
    match states.instance(index) {
        None => scenario.to_owned(),
        Some((parameter, value)) => {
            let joined = if scenario.contains('?') { '&' } else { '?' };
            format!("{scenario}{joined}{parameter}={value}")
        }
    }
}

/// Warns if all episodes begin alike.
pub(crate) fn warn_of_sameness(
    py: Python<'_>,
    states: &dyn AnyBatch,
    game: &str,
    scenario: &str,
) -> PyResult<()> {
    if states.depends_on_seed() {
        return Ok(());
    }
    let text = format!(
        "{game}:{scenario}: nothing depends on the seed: every episode begins alike, and nothing \
         in it is left to chance. Game(\"{game}\").scenarios lists others"
    );
    warn_of_one_problem(py, &text, 2)
}

/// Reads `opponent`: a text, a list of them, or None.
pub(crate) fn optional_opponent(given: &Bound<'_, PyAny>) -> PyResult<Option<Vec<String>>> {
    if given.is_none() {
        return Ok(None);
    }
    if let Ok(one) = given.cast::<PyString>() {
        return Ok(Some(vec![one.extract()?]));
    }
    let Ok(several) = given.extract::<Vec<String>>() else {
        return Err(PyTypeError::new_err(format!(
            "opponent={}: expected players of the roster as strings, such as “random”; for your \
             own policies, use opponent=\"self\" or quintain.pettingzoo",
            given.repr()?
        )));
    };
    if several.is_empty() {
        return Err(refuse("opponent=[]: expected at least one player, such as “random”"));
    }
    Ok(Some(several))
}
