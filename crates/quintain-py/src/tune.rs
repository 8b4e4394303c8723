//! A player's numbers found by evolution: `quintain tune`, from Python.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use quintain_arena::RunOptions;
use quintain_core::Budget;
use quintain_tune::{Evaluator, GainMeasure, TuningOptions, parse_axes};

use crate::catalog::{catalog, find_game, refuse};
use crate::json::describe;

/// Tunes numeric parameters of a player on common seeds, and measures what came of it on
/// seeds that were held out.
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
    game: &str,
    player: &str,
    parameters: Vec<String>,
    scenarios: Option<Vec<String>>,
    opponent: Option<&str>,
    budget: &str,
    generations: usize,
    population: usize,
    seeds: u64,
    seed: u64,
    held_out: u64,
    gain: &str,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let (entry, _) = find_game(game, None)?;
    let budget: Budget = budget.parse().map_err(refuse)?;
    if seeds == 0 || held_out == 0 {
        return Err(refuse("seeds and held_out: expected at least 1"));
    }
    let measure = match gain {
        "relative" => GainMeasure::Relative,
        "mean" => GainMeasure::Mean,
        other => {
            return Err(refuse(format!(
                "gain: expected \"relative\" or \"mean\", not \"{other}\""
            )));
        }
    };
    let stop = Arc::new(AtomicBool::new(false));
    let threads = threads.unwrap_or_else(|| RunOptions::default().threads).max(1);
    let mut interrupt: PyResult<()> = Ok(());
    let evaluator = Evaluator::new(
        catalog(),
        entry.name(),
        &scenarios.unwrap_or_default(),
        player,
        opponent,
        budget,
        threads,
        Arc::clone(&stop),
    )
    .map_err(refuse)?;
    let options = TuningOptions {
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
    let tuned = py.detach(|| {
        quintain_tune::tune(&evaluator, &options, &mut |log, number| {
            let generation = &log.generations[number];
            let told = Python::attach(|py| {
                py.check_signals()?;
                match &progress {
                    Some(listener) => listener.call1(py, (number + 1, generation.best())).map(drop),
                    None => Ok(()),
                }
            });
            if let Err(error) = told {
                interrupt = Err(error);
                stop.store(true, Ordering::Relaxed);
            }
        })
    });
    interrupt?;
    let tuned = match tuned {
        Err(error) => return Err(refuse(error)),
        Ok(tuned) => tuned,
    };
    let found = PyDict::new(py);
    found.set_item("player", tuned.player)?;
    found.set_item("gain", tuned.held_out.gain)?;
    found.set_item("interval", tuned.held_out.interval)?;
    found.set_item("unit", tuned.log.unit())?;
    found.set_item("course", describe(py, &tuned.log)?)?;
    Ok(found)
}
