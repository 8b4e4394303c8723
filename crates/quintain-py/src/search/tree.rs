//! UCT on a Python game.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use quintain_core::{Meter, Rng, Rules, Turn};
use quintain_search::uct::{Options, Uct, ValueScale};

use super::rules::PythonGame;
use crate::catalog::refuse;

/// The action that Monte Carlo tree search settles on in a position of a game written in
/// Python (the first position if none is given), with figures on it.
///
/// Returns a dictionary: `action`, `value` (for the seat that moves, more is better; among
/// rivals less the best rival's), `depth` and `iterations`. Among games of ours a decision of
/// 1000 iterations takes milliseconds; here it is some hundred thousand calls of the interpreter.
#[pyfunction]
#[pyo3(signature = (
    game, state = None, *, iterations = 1000, exploration = 0.5, seed = 1, playout = 10_000
))]
pub(crate) fn uct<'py>(
    py: Python<'py>,
    game: &Bound<'py, PyAny>,
    state: Option<Py<PyAny>>,
    iterations: u64,
    exploration: f64,
    seed: u64,
    playout: u32,
) -> PyResult<Bound<'py, PyDict>> {
    if iterations == 0 {
        return Err(refuse("iterations: expected at least 1"));
    }
    let game = PythonGame::new(game)?;
    let root = game.root(state, py)?;
    let Turn::Seat(seat) = game.turn(&root) else {
        game.check()?;
        return Err(refuse("nobody is to move in this position"));
    };
    let scale = if game.score_range().is_some() { ValueScale::Rules } else { ValueScale::Seen };
    let options = Options { exploration, scale, playout, ..Options::default() };
    // Between two iterations the user may stop: an interrupt is raised in the game's own code.
    let found = Uct::new(options).search(
        &game,
        &game.observe(&root, seat),
        seat,
        &mut Meter::of(iterations),
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
