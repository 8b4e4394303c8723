//! UCT on a Python game.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use quintain_core::{Rng, Rules, Turn};
use quintain_search::uct::{Options, Uct, ValueScale};

use super::rules::PythonGame;
use crate::arguments;
use crate::catalog::refuse;

/// Returns the action that Monte Carlo tree search settles on in a position of a game written in
/// Python (the first position if none is given), with figures on it.
///
/// The result is a dictionary: `action`, `value` (to the seat that moves, more is better; among
/// rivals, minus the value to the best rival), `depth` and `iterations`. In a game written in Rust,
/// a decision of 1000 iterations takes milliseconds; here it takes some hundred thousand calls of
/// the interpreter.
#[pyfunction]
#[pyo3(signature = (
    game, state = None, *, iterations = 1000, exploration = 0.5, seed = 1, playout = 10_000
))]
pub(crate) fn uct<'py>(
    py: Python<'py>,
    game: &Bound<'py, PyAny>,
    state: Option<Py<PyAny>>,
    #[pyo3(from_py_with = arguments::iterations)] iterations: u32,
    #[pyo3(from_py_with = arguments::exploration)] exploration: f64,
    #[pyo3(from_py_with = arguments::seed)] seed: u64,
    #[pyo3(from_py_with = arguments::playout)] playout: u32,
) -> PyResult<Bound<'py, PyDict>> {
    if !exploration.is_finite() || exploration < 0.0 {
        return Err(refuse(format!(
            "exploration={exploration}: expected a finite number of at least 0"
        )));
    }
    let game = PythonGame::new(game)?;
    let root = game.root(state, py)?;
    let Turn::Seat(seat) = game.turn(&root) else {
        game.check()?;
        return Err(refuse("the game is over in this position"));
    };
    let scale = if game.score_range().is_some() { ValueScale::Rules } else { ValueScale::Seen };
    let options = Options { exploration, scale, playout, ..Options::default() };
    let found = Uct::new(options).search(
        &game,
        &game.observe(&root, seat),
        seat,
        &mut game.meter(u64::from(iterations)),
        &mut Rng::from_seed(seed),
    );
    game.check()?;
    let fields = PyDict::new(py);
    fields.set_item("action", game.object(py, found.action))?;
    fields.set_item("value", found.value)?;
    fields.set_item("depth", found.depth)?;
    fields.set_item("iterations", found.spent)?;
    Ok(fields)
}
