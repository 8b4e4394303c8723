//! Tunes a player's numeric parameters by evolution: `quintain tune`, from Python.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use quintain_arena::RunOptions;
use quintain_core::Budget;
use quintain_tune::{Evaluator, GainMeasure, TuningOptions, parse_axes};

use crate::arguments;
use crate::calls::Calls;
use crate::catalog::{catalog, find_game, refuse};
use crate::interrupt::heed_signals;
use crate::json::describe;

/// Tunes numeric parameters of a player on common seeds, and measures the gain on held-out
/// seeds.
///
/// `parameters` are names, each with a range if it has none of its own (`weight=0..100`).
/// `gain` says how candidates of games with scores are compared: `"relative"`, board by board, so
/// that no rare enormous score outweighs the rest, or `"mean"`, in percent of the mean score.
/// Returns a dictionary: `player` (its text with the parameters found), `gain` and
/// `interval` on the held-out seeds in `unit`, and `course`, generation by generation.
#[pyfunction]
#[pyo3(signature = (
    game, player, parameters, *, scenarios = None, opponent = None, budget = "",
    generations = 10, population = 0, seeds = 8, seed = 1, held_out = 32, gain = "relative",
    threads = None, progress = None
))]
#[expect(clippy::too_many_arguments, reason = "each is one option of the command")]
pub(crate) fn tune<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = arguments::game)] game: &str,
    #[pyo3(from_py_with = arguments::player)] player: &str,
    #[pyo3(from_py_with = arguments::parameters)] parameters: Vec<String>,
    #[pyo3(from_py_with = arguments::optional_scenarios)] scenarios: Option<Vec<String>>,
    #[pyo3(from_py_with = arguments::optional_opponent)] opponent: Option<&str>,
    #[pyo3(from_py_with = arguments::budget)] budget: &str,
    #[pyo3(from_py_with = arguments::generations)] generations: usize,
    #[pyo3(from_py_with = arguments::population)] population: usize,
    #[pyo3(from_py_with = arguments::seeds)] seeds: u64,
    #[pyo3(from_py_with = arguments::seed)] seed: u64,
    #[pyo3(from_py_with = arguments::held_out)] held_out: u64,
    #[pyo3(from_py_with = arguments::gain)] gain: &str,
    #[pyo3(from_py_with = arguments::optional_threads)] threads: Option<usize>,
    #[pyo3(from_py_with = arguments::optional_progress)] progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let (entry, _) = find_game(game, None)?;
    let budget: Budget = budget.parse().map_err(refuse)?;
    let measure = match gain {
        "relative" => GainMeasure::Relative,
        "mean" => GainMeasure::Mean,
        other => {
            return Err(refuse(format!(
                "gain: expected \"relative\" or \"mean\", not \"{other}\""
            )));
        }
    };
    let calls = Arc::new(Calls::default());
    let threads = threads.unwrap_or_else(|| RunOptions::default().threads);
    let evaluator = Evaluator::new(
        catalog(),
        entry.name(),
        &scenarios.unwrap_or_default(),
        player,
        opponent.map(str::to_owned).as_slice(),
        budget,
        threads,
        Arc::clone(&calls.stop),
    )
    .map_err(refuse)?;
    let options = TuningOptions {
        method: quintain_tune::Method::CmaEs,
        axes: parse_axes(entry, evaluator.baseline(), &parameters).map_err(refuse)?,
        generations,
        population,
        seeds,
        first: seed,
        held_out: Some(held_out),
        measure: Some(measure),
        draws: seed,
        log_file: None,
    };
    let telling = Arc::clone(&calls);
    let tuned = heed_signals(py, &calls, move || {
        quintain_tune::tune(&evaluator, &options, &mut |log, number| {
            if let Some(listener) = &progress {
                telling.tell(listener, (number + 1, log.generations[number].best()));
            }
        })
    })?;
    calls.check()?;
    let tuned = tuned.map_err(refuse)?;
    let found = PyDict::new(py);
    found.set_item("player", tuned.player)?;
    found.set_item("gain", tuned.held_out.gain)?;
    found.set_item("interval", tuned.held_out.interval)?;
    found.set_item("unit", tuned.log.unit())?;
    found.set_item("course", describe(py, &tuned.log)?)?;
    Ok(found)
}
